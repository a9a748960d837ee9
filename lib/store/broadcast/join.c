/* SPDX-License-Identifier: MIT */
/* Goes through the recipients of each broadcast by their primary key, page by page. */
#include "store/broadcast/join.h"

#include "base/id.h"
#include "db/statement.h"
#include "store/broadcast/recipient.h"
#include "store/common/pages.h"
#include "store/email/event.h"

#define PAGE 500

enum { NEXT_OF, PAGE_OF, NOTE };
/* System-wide: NEXT_OF, PAGE_OF, NOTE. The step notes the times of all workspaces. */
static const char *const sql[] = {
    [NEXT_OF] = "SELECT MIN(id) FROM broadcast WHERE id > ?",
    [PAGE_OF] = "SELECT person_id FROM broadcast_recipient"
		" WHERE broadcast_id = ? AND person_id > ? ORDER BY person_id LIMIT ?",
    [NOTE] = "UPDATE broadcast_recipient r LEFT JOIN recipient m ON m.email_id = r.email_id"
	     " AND m.number = r.number SET r.sent_at = COALESCE((SELECT MIN(v.timestamp)"
	     " FROM event v FORCE INDEX (PRIMARY) WHERE v.email_id = r.email_id"
	     " AND v.recipient = r.number AND v.status = " EVENT_SENT_SQL "), 0),"
	     " r.opened_at = COALESCE(m.opened_at, 0), r.clicked_at = COALESCE(m.clicked_at, 0)"
	     " WHERE r.broadcast_id = ? AND r.person_id > ? AND r.person_id <= ?"
	     " AND r.status = " FATE_SENT_SQL " AND r.sent_at = 0",
};

/* The broadcast behind one. *found_r: there is one. */
static bool
find_next(struct db *db, struct base_id *broadcast, bool *found_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[NEXT_OF], DB_VALUES(db_id(broadcast)), error);

	*found_r = rows && db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, broadcast);
	return rows != NULL;
}

bool
store_broadcast_join(struct db *db, GError **error)
{
	struct base_id broadcast = {{0}};
	const struct store_pages recipients = {
	    .read = sql[PAGE_OF], .change = sql[NOTE], .of = &broadcast, .size = PAGE};
	bool found = true;

	while (found)
		if (!find_next(db, &broadcast, &found, error) ||
		    (found && !store_pages_run(db, &recipients, error)))
			return false;
	return true;
}
