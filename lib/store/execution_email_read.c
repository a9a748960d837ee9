/* SPDX-License-Identifier: MIT */
/* The emails that executions sent, with what became of them. */
#include "db/statement.h"
#include "store/execution_email.h"
#include "store/listing.h"

#define COLUMNS                                                                                    \
	"SELECT page.email_id, page.workflow_id, page.execution_id, e.subject, e.created,"         \
	" r.address, v.status, v.timestamp FROM "
#define DETAILS                                                                                    \
	" page STRAIGHT_JOIN email e FORCE INDEX (PRIMARY) ON e.id = page.email_id"                \
	" LEFT JOIN recipient r ON r.email_id = page.email_id AND r.number = 0"                    \
	" LEFT JOIN event v ON v.email_id = page.email_id"
#define EVENTS "v.timestamp, v.id"

enum { LIST, OF };
static const char *const sql[] = {
    [LIST] =
	COLUMNS "(SELECT email_id, workflow_id, execution_id"
		" FROM execution_email FORCE INDEX (workflow)"
		" WHERE workflow_id = ? AND workspace_id = ? AND email_id < ?"
		" ORDER BY email_id DESC LIMIT ?)" DETAILS " ORDER BY page.email_id DESC, " EVENTS,
    [OF] =
	COLUMNS "execution_email" DETAILS " WHERE page.execution_id = ? AND page.workspace_id = ?"
		" ORDER BY page.email_id, " EVENTS,
};

void
store_execution_email_free(struct store_execution_email *email)
{
	g_free(email->subject);
	g_free(email->recipient);
	g_array_unref(email->events);
	g_free(email);
}

static struct store_execution_email *
read_email(const struct db_rows *rows)
{
	struct store_execution_email *email = g_new0(struct store_execution_email, 1);

	db_rows_id(rows, 0, &email->email_id);
	db_rows_id(rows, 1, &email->workflow_id);
	db_rows_id(rows, 2, &email->execution_id);
	email->subject = g_strdup(db_rows_text(rows, 3));
	email->created = email->updated = db_rows_int(rows, 4);
	email->recipient = g_strdup(db_rows_text(rows, 5));
	email->events = g_array_new(FALSE, FALSE, sizeof(struct store_execution_email_event));
	return email;
}

static void
add_event(struct store_execution_email *email, const struct db_rows *rows)
{
	const struct store_execution_email_event event = {
	    .status = (enum store_event_status)db_rows_int(rows, 6),
	    .timestamp = db_rows_int(rows, 7),
	};

	if (event.status == EVENT_NONE)
		return;
	g_array_append_val(email->events, event);
	email->updated = MAX(email->updated, event.timestamp);
}

static void
free_email(void *email)
{
	store_execution_email_free(email);
}

/* An email has as many rows as events, one after the other. */
static GPtrArray *
read_all(struct db_rows *rows)
{
	struct store_execution_email *email = NULL;
	struct base_id id;

	if (!rows)
		return NULL;
	GPtrArray *emails = g_ptr_array_new_with_free_func(free_email);
	while (db_rows_next(rows)) {
		db_rows_id(rows, 0, &id);
		if (!email || !base_id_equal(&email->email_id, &id)) {
			email = read_email(rows);
			g_ptr_array_add(emails, email);
		}
		add_event(email, rows);
	}
	return emails;
}

GPtrArray *
store_execution_email_list(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(
		db_id(workflow), db_id(workspace), store_listing_before(before), db_int(limit)),
	    error);

	return read_all(rows);
}

GPtrArray *
store_execution_email_of(
    struct db *db, const struct base_id *workspace, const struct base_id *execution, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[OF], DB_VALUES(db_id(execution), db_id(workspace)), error);

	return read_all(rows);
}
