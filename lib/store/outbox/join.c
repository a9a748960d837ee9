/* SPDX-License-Identifier: MIT */
/* Goes through the outbox by its emails, page by page. */
#include "store/outbox/join.h"

#include "base/id.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/outbox/key.h"

#define PAGE 500

enum { PAGE_END, FILL };
/* System-wide: PAGE_END, FILL. The step goes through the entries of all workspaces. */
static const char *const sql[] = {
    [PAGE_END] =
	"SELECT MAX(page.email_id) FROM (SELECT email_id FROM"
	" outbox " STORE_OUTBOX_OF_EMAIL " WHERE email_id > ? ORDER BY email_id LIMIT ?) page",
    [FILL] = "UPDATE outbox " STORE_OUTBOX_OF_EMAIL " SET turn_at = ready_at"
	     " WHERE email_id > ? AND email_id <= ? AND turn_at IS NULL AND ready_at IS NOT NULL",
};

/* The entries of the emails behind after, up to last. */
struct page {
	struct base_id after, last;
};

static bool
join_fill(struct db *db, void *context, GError **error)
{
	const struct page *page = context;

	return db_run(
	    db, sql[FILL], DB_VALUES(db_id(&page->after), db_id(&page->last)), NULL, error);
}

bool
store_outbox_join(struct db *db, GError **error)
{
	struct page page = {.after = {{0}}};

	for (;;) {
		AUTO(db_rows)
		rows = db_select(
		    db, sql[PAGE_END], DB_VALUES(db_id(&page.after), db_int(PAGE)), error);

		if (!rows || !db_rows_next(rows))
			return false;
		if (!db_rows_id(rows, DB_ROWS_ONLY, &page.last))
			return true;
		if (!db_transact(db, join_fill, &page, error))
			return false;
		page.after = page.last;
	}
}
