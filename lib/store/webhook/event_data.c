/* SPDX-License-Identifier: MIT */
/* Reads the data of many events at once. */
#include "store/webhook/event_data.h"

#include "db/statement.h"
#include "store/email/columns.h"
#include "store/webhook/enqueue.h"

/* The events: a JSON array of their times, their ids in hexadecimal digits, and the numbers of
   their recipients. */
#define EVENTS                                                                                     \
	"JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, created BIGINT PATH '$[0]',"              \
	" workspace CHAR(32) PATH '$[1]', id CHAR(32) PATH '$[2]', email CHAR(32) PATH '$[3]',"    \
	" number INT PATH '$[4]')) t"

#define EMAIL_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(type, "e.type")                                                                      \
	NEXT(sender, "e.sender")                                                                   \
	NEXT(to, "e.to_list")                                                                      \
	NEXT(subject, "e.subject")                                                                 \
	NEXT(tags, "e.tags")                                                                       \
	NEXT(created, "e.created")                                                                 \
	NEXT(broadcast_id, "b.broadcast_id", has_broadcast)                                        \
	NEXT(scheduled_at, "e.scheduled_at")                                                       \
	NEXT(template_id, "e.template_id")                                                         \
	NEXT(headers, "e.headers")
DB_COLUMNS_READER(event_data_read_email_columns, struct store_email, EMAIL_COLUMNS)
DB_COLUMNS_READER(event_data_read_event_columns, struct store_event, EVENT_TIME_COLUMNS)

#define EMAILS_WITH(event)                                                                         \
	"SELECT t.n, r.address, " DB_COLUMNS_SQL(EMAIL_COLUMNS) ", " DB_COLUMNS_SQL(               \
	    EVENT_TIME_COLUMNS) " FROM " EVENTS " STRAIGHT_JOIN email e FORCE INDEX (PRIMARY)"     \
				" ON e.id = UNHEX(t.email) AND e.workspace_id = "                  \
				"UNHEX(t.workspace)"                                               \
				" LEFT JOIN broadcast_part b ON e.type = " EMAIL_BROADCAST_SQL     \
				" AND b.email_id = e.id" event
#define IS_EVENT " AND v.timestamp = t.created AND v.id = UNHEX(t.id)"

enum { EMAILS, SEARCHED, DATA };
/* By checked ids: EMAILS, SEARCHED. They compare the workspace of each email. */
static const char *const sql[] = {
    [EMAILS] =
	EMAILS_WITH(" LEFT JOIN event v FORCE INDEX (PRIMARY)"
		    " ON v.email_id = e.id AND v.recipient = t.number" IS_EVENT
		    " LEFT JOIN recipient r ON r.email_id = v.email_id AND r.number = v.recipient"),
    /* The same where a number is not known: looks for the event at each recipient. */
    [SEARCHED] = EMAILS_WITH(
	" LEFT JOIN (recipient r FORCE INDEX (PRIMARY) STRAIGHT_JOIN event v FORCE INDEX (PRIMARY)"
	" ON v.email_id = r.email_id AND v.recipient = r.number)"
	" ON r.email_id = e.id AND (t.number < 0 OR r.number = t.number)" IS_EVENT),
    [DATA] = "SELECT t.n, v.data FROM " EVENTS " STRAIGHT_JOIN webhook_event v"
	     " FORCE INDEX (PRIMARY) ON v.id = UNHEX(t.id)"
	     " AND v.workspace_id = UNHEX(t.workspace)",
};
enum { READ_EMAILS, READ_DATA, READ_COUNT };
enum { C_N, C_ADDRESS, C_EMAIL, C_EVENT = C_EMAIL + DB_COLUMNS_END(EMAIL_COLUMNS) };
/* The columns of DATA. */
enum { DATA_N, DATA_TEXT };

static char *
print_events(const struct store_webhook_event_data *events, guint count)
{
	GString *list = g_string_new("[");

	for (guint i = 0; i < count; i++) {
		g_string_append_printf(
		    list, "%s[%" G_GINT64_FORMAT ",", i > 0 ? "," : "", events[i].created);
		store_webhook_print_id(list, events[i].workspace);
		g_string_append_c(list, ',');
		store_webhook_print_id(list, events[i].id);
		if (events[i].email_id) {
			g_string_append_c(list, ',');
			store_webhook_print_id(list, events[i].email_id);
			g_string_append_printf(list, ",%d", events[i].number);
		}
		g_string_append_c(list, ']');
	}
	g_string_append_c(list, ']');
	return g_string_free(list, FALSE);
}

static struct store_email *
event_data_read_email(const struct db_rows *rows, const struct base_id *id)
{
	struct store_email *email = store_email_new();

	email->id = *id;
	event_data_read_email_columns(rows, C_EMAIL, email);
	return email;
}

static struct store_event *
event_data_read_event(const struct db_rows *rows)
{
	struct store_event event = {.status = EVENT_NONE};

	event_data_read_event_columns(rows, C_EVENT, &event);
	return event.status == EVENT_NONE ? NULL : store_event_copy(&event);
}

/* Whether the recipients of all events are known. */
static bool
event_data_has_all(const struct store_webhook_event_data *events, guint count)
{
	for (guint i = 0; i < count; i++)
		if (events[i].email_id && events[i].number < 0)
			return false;
	return true;
}

bool
store_webhook_event_data_read(
    struct db *db, struct store_webhook_event_data *events, guint count, GError **error)
{
	g_autofree char *list = print_events(events, count);
	const struct db_value values[] = {db_text(list)};
	const struct db_query queries[] = {
	    [READ_EMAILS] = {sql[event_data_has_all(events, count) ? EMAILS : SEARCHED], values, 1},
	    [READ_DATA] = {sql[DATA], values, 1}};
	struct db_rows *rows[READ_COUNT];

	if (count == 0)
		return true;
	if (!db_select_together(db, queries, READ_COUNT, rows, error))
		return false;
	while (db_rows_next(rows[READ_EMAILS])) {
		struct store_webhook_event_data *told =
		    &events[db_rows_int(rows[READ_EMAILS], C_N) - 1];

		told->email = event_data_read_email(rows[READ_EMAILS], told->email_id);
		told->event = event_data_read_event(rows[READ_EMAILS]);
		told->recipient = g_strdup(db_rows_text(rows[READ_EMAILS], C_ADDRESS));
	}
	while (db_rows_next(rows[READ_DATA]))
		events[db_rows_int(rows[READ_DATA], DATA_N) - 1].data =
		    g_strdup(db_rows_text(rows[READ_DATA], DATA_TEXT));
	db_rows_free_all(rows, READ_COUNT);
	return true;
}

const struct base_id *
store_webhook_event_data_id(const struct store_webhook_event_data *told)
{
	return told->email->has_broadcast ? &told->email->broadcast_id : &told->email->id;
}

void
store_webhook_event_data_clear(struct store_webhook_event_data *events, guint count)
{
	for (guint i = 0; i < count; i++) {
		g_clear_pointer(&events[i].data, g_free);
		g_clear_pointer(&events[i].email, store_email_free);
		g_clear_pointer(&events[i].recipient, g_free);
		g_clear_pointer(&events[i].event, store_event_free);
	}
}
