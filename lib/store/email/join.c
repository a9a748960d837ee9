/* SPDX-License-Identifier: MIT */
/* Goes through the emails of executions by their primary key, page by page. */
#include "store/email/join.h"

#include "base/id.h"
#include "db/statement.h"

#define PAGE 500

enum { PAGE_OF, NOTE };
/* System-wide: PAGE_OF, NOTE. The step notes the workflows of all workspaces. */
static const char *const sql[] = {
    [PAGE_OF] = "SELECT email_id FROM execution_email WHERE email_id > ? ORDER BY email_id LIMIT ?",
    [NOTE] = "UPDATE execution_email x STRAIGHT_JOIN email e ON e.id = x.email_id"
	     " AND e.workspace_id = x.workspace_id"
	     " SET e.workflow_id = x.workflow_id, e.step_id = x.step_id"
	     " WHERE x.email_id > ? AND x.email_id <= ? AND e.workflow_id IS NULL",
};

/* The page ends with *last_r. *count_r: how many it has. */
static bool
email_join_read_page(struct db *db, const struct base_id *after, struct base_id *last_r,
    guint *count_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[PAGE_OF], DB_VALUES(db_id(after), db_int(PAGE)), error);

	*count_r = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); ++*count_r)
		db_rows_id(rows, DB_ROWS_ONLY, last_r);
	return true;
}

bool
store_email_join(struct db *db, GError **error)
{
	struct base_id after = {{0}}, last = {{0}};
	guint count;

	do {
		if (!email_join_read_page(db, &after, &last, &count, error) ||
		    (count > 0 && !db_run(db, sql[NOTE], DB_VALUES(db_id(&after), db_id(&last)),
				      NULL, error)))
			return false;
		after = last;
	} while (count == PAGE);
	return true;
}
