/* SPDX-License-Identifier: MIT */
/* Goes through the emails of executions by their primary key, page by page. */
#include "store/email/join.h"

#include "store/common/pages.h"

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

bool
store_email_join(struct db *db, GError **error)
{
	const struct store_pages pages = {.read = sql[PAGE_OF], .change = sql[NOTE], .size = PAGE};

	return store_pages_run(db, &pages, error);
}
