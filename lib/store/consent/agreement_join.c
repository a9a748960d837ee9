/* SPDX-License-Identifier: MIT */
/* Goes through the people in the order of their ids, page by page. */
#include "store/consent/agreement_join.h"

#include "base/id.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/consent/agreement.h"

#define PAGE 500

enum { PAGE_OF, DECIDE };
/* System-wide: PAGE_OF. The step decides for the people of all workspaces. */
/* By checked ids: DECIDE. PAGE_OF has read them. */
static const char *const sql[] = {
    /* The subscribed memberships, and those that were left, each 1 or 0; NULL: none at all. */
    [PAGE_OF] = "SELECT p.id, p.is_made, p.is_subscribed, p.agreed IS NULL,"
		" (SELECT MAX(c.is_subscribed) FROM audience a FORCE INDEX (workspace)"
		" STRAIGHT_JOIN contact c ON c.audience_id = a.id AND c.address = p.address"
		" WHERE a.workspace_id = p.workspace_id LOCK IN SHARE MODE),"
		" (SELECT MAX(d.is_subscribed = 0 AND d.pending IS NULL)"
		" FROM audience b FORCE INDEX (workspace) STRAIGHT_JOIN contact d"
		" ON d.audience_id = b.id AND d.address = p.address"
		" WHERE b.workspace_id = p.workspace_id LOCK IN SHARE MODE)"
		" FROM person p FORCE INDEX (PRIMARY) WHERE p.id > ? ORDER BY p.id LIMIT ?"
		" FOR UPDATE",
    [DECIDE] = "UPDATE person SET agreed = ? WHERE id = ?",
};

/* The columns of PAGE_OF. */
enum { P_ID, P_IS_MADE, P_IS_SUBSCRIBED, P_IS_OPEN, P_JOINED, P_LEFT };

#define DECIDE_COLUMNS 2

struct page {
	struct base_id after;	  /* the end of the page before */
	struct base_id ids[PAGE]; /* of those who are decided */
	struct base_id last;
	guint read;
	guint64 count, lost;
};

static enum store_agreement
agreement_join_decide(const struct db_rows *rows)
{
	if (db_rows_int(rows, P_JOINED))
		return AGREEMENT_JOINED;
	return db_rows_int(rows, P_IS_MADE) && db_rows_int(rows, P_IS_SUBSCRIBED) &&
		       !db_rows_int(rows, P_LEFT)
		   ? AGREEMENT_SAID
		   : AGREEMENT_NONE;
}

/* Segments reached all who were in no audience, or subscribed in one. */
static bool
was_reached(const struct db_rows *rows)
{
	return db_rows_int(rows, P_IS_SUBSCRIBED) &&
	       (db_rows_is_null(rows, P_JOINED) || db_rows_int(rows, P_JOINED));
}

static bool
decide_page(struct db *db, void *context, GError **error)
{
	struct page *page = context;
	struct db_value values[DECIDE_COLUMNS * PAGE];
	AUTO(db_rows)
	rows = db_select(db, sql[PAGE_OF], DB_VALUES(db_id(&page->after), db_int(PAGE)), error);

	page->read = 0;
	page->count = page->lost = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); page->read++) {
		enum store_agreement agreed = agreement_join_decide(rows);
		struct base_id *id = &page->ids[page->count];

		db_rows_id(rows, P_ID, &page->last);
		if (!db_rows_int(rows, P_IS_OPEN))
			continue;
		*id = page->last;
		values[DECIDE_COLUMNS * page->count] = db_int(agreed);
		values[DECIDE_COLUMNS * page->count++ + 1] = db_id(id);
		page->lost += !agreed && was_reached(rows);
	}
	return db_run_rows(db, sql[DECIDE], values, DECIDE_COLUMNS, page->count, NULL, error);
}

bool
store_agreement_join(struct db *db, guint64 *count_r, guint64 *lost_r, GError **error)
{
	g_autofree struct page *page = g_new0(struct page, 1);

	*count_r = *lost_r = 0;
	do {
		if (!db_transact(db, decide_page, page, error))
			return false;
		*count_r += page->count;
		*lost_r += page->lost;
		page->after = page->last;
	} while (page->read == PAGE);
	return true;
}
