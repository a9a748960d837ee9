/* SPDX-License-Identifier: MIT */
/* What of the outbox waits for its turn, and why. */
#include <string.h>

#include "db/statement.h"
#include "store/event.h"
#include "store/outbox.h"

#define LIST(copies)                                                                               \
	"SELECT page.*, w.name, r.number, r.address, r.status_at, v.smtp_response,"                \
	" v.enhanced_code FROM (SELECT " COPY_COLUMNS ", ready_at, owner FROM outbox " copies      \
	") page"                                                                                   \
	" LEFT JOIN workspace w ON w.id = page.workspace_id"                                       \
	" LEFT JOIN recipient r FORCE INDEX (PRIMARY) ON r.email_id = page.email_id"               \
	" LEFT JOIN event v FORCE INDEX (PRIMARY) ON v.email_id = r.email_id"                      \
	" AND v.id = r.event_id ORDER BY page.ready_at, page.id, r.number"

/* The page is cut on the index of the order before anything else is looked at: however much waits,
   it costs what it shows, and the claimed ones between, of which there are few. */
enum { ALL, OF_EMAIL };
static const char *const sql[] = {
    [ALL] = LIST("FORCE INDEX (ready_at) WHERE ready_at IS NOT NULL AND owner IS NULL"
		 " ORDER BY ready_at, id LIMIT ?"),
    [OF_EMAIL] = LIST("FORCE INDEX (email) WHERE email_id = ? AND workspace_id = ?"),
};

enum { READY_AT = COPY_COLUMN_COUNT, OWNER, WORKSPACE, NUMBER, ADDRESS, STATUS_AT, RESPONSE, CODE };

void
store_waiting_free(struct store_outbox_waiting *waiting)
{
	g_free(waiting->workspace);
	g_free(waiting->reason);
	g_ptr_array_unref(waiting->recipients);
	g_free(waiting);
}

static void
free_waiting(void *waiting)
{
	store_waiting_free(waiting);
}

static struct store_outbox_waiting *
add(GPtrArray *list, const struct db_rows *rows, const struct store_outbox_entry *copy)
{
	struct store_outbox_waiting *waiting = g_new0(struct store_outbox_waiting, 1);

	waiting->email_id = copy->email_id;
	waiting->workspace = g_strdup(db_rows_text(rows, WORKSPACE));
	waiting->ready_at = db_rows_int(rows, READY_AT);
	waiting->claimed = !db_rows_is_null(rows, OWNER);
	waiting->since = copy->since;
	waiting->attempts = copy->attempts;
	waiting->recipients = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(list, waiting);
	return waiting;
}

static bool
is_among(const struct store_outbox_entry *copy, gint64 number)
{
	for (guint i = 0; i < copy->count; i++)
		if (copy->recipients[i] == number)
			return true;
	return false;
}

/* The recipient of this row, and what was said of it if nothing was said later of another. */
static void
add_recipient(struct store_outbox_waiting *waiting, const struct db_rows *rows, gint64 *last)
{
	const char *said = db_rows_text(rows, RESPONSE), *code = db_rows_text(rows, CODE);

	g_ptr_array_add(waiting->recipients, g_strdup(db_rows_text(rows, ADDRESS)));
	if ((!said && !code) || db_rows_int(rows, STATUS_AT) < *last)
		return;
	*last = db_rows_int(rows, STATUS_AT);
	g_free(waiting->reason);
	waiting->reason = g_strdup(said ? said : code);
}

static GPtrArray *
read_all(struct db_rows *rows)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(free_waiting);
	struct base_id last_copy = {{0}};
	struct store_outbox_waiting *waiting = NULL;
	gint64 last_said = 0;
	struct store_outbox_entry copy;

	while (db_rows_next(rows)) {
		store_outbox_entry_read(rows, &copy);
		if (!waiting || !base_id_equal(&copy.id, &last_copy)) {
			waiting = add(list, rows, &copy);
			last_copy = copy.id;
			last_said = 0;
		}
		if (!db_rows_is_null(rows, NUMBER) && is_among(&copy, db_rows_int(rows, NUMBER)))
			add_recipient(waiting, rows, &last_said);
	}
	return list;
}

GPtrArray *
store_outbox_list_waiting(struct db *db, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[ALL], DB_VALUES(db_int(limit)), error);

	return rows ? read_all(rows) : NULL;
}

GPtrArray *
store_outbox_list_of(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[OF_EMAIL], DB_VALUES(db_id(email), db_id(workspace)), error);

	return rows ? read_all(rows) : NULL;
}
