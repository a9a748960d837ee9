/* SPDX-License-Identifier: MIT */
/* Reads the events of all emails of one address. */
#include "store/person/event.h"

#include "base/limits/person.h"
#include "db/statement.h"

/* The columns of LIST. */
enum {
	E_ID,
	E_EMAIL,
	E_STATUS,
	E_TIMESTAMP,
	E_RESPONSE,
	E_IP,
	E_USER_AGENT,
	E_LINK,
	E_AUTOMATED,
	E_WORKFLOW,
	E_BROADCAST,
	E_TOPIC
};

enum { LIST };
/* A range of the emails of the address, and of each of them a range of its events, both by keys
   that have all columns; then the rest of the rows of the page. */
static const char *const sql[] = {
    [LIST] = "SELECT v.id, v.email_id, v.status, v.timestamp, v.smtp_response, v.ip, v.user_agent,"
	     " v.link, v.automated, x.workflow_id, b.broadcast_id, m.topic_id FROM"
	     " (SELECT k.email_id, k.recipient, k.id, k.timestamp FROM"
	     " (SELECT email_id, number FROM recipient FORCE INDEX (address)"
	     " WHERE workspace_id = ? AND address = ? ORDER BY email_id DESC LIMIT ?) r"
	     " STRAIGHT_JOIN event k FORCE INDEX (PRIMARY)"
	     " ON k.email_id = r.email_id AND k.recipient = r.number AND k.timestamp <= ?"
	     " WHERE k.timestamp < ? OR k.id < ?"
	     " ORDER BY k.timestamp DESC, k.id DESC LIMIT ?) t"
	     " STRAIGHT_JOIN event v ON v.email_id = t.email_id AND v.recipient = t.recipient"
	     " AND v.timestamp = t.timestamp AND v.id = t.id"
	     " LEFT JOIN execution_email x ON x.email_id = v.email_id"
	     " LEFT JOIN broadcast_part b ON b.email_id = v.email_id"
	     " LEFT JOIN email m ON m.id = v.email_id AND m.workspace_id = v.workspace_id"
	     " ORDER BY v.timestamp DESC, v.id DESC",
};

static void
person_event_free_event(void *row)
{
	struct store_person_event *event = row;

	g_free(event->response);
	g_free(event->ip);
	g_free(event->user_agent);
	g_free(event->link);
	g_free(event);
}

static struct store_person_event *
event_read_row(const struct db_rows *rows)
{
	struct store_person_event *event = g_new0(struct store_person_event, 1);

	db_rows_id(rows, E_ID, &event->id);
	db_rows_id(rows, E_EMAIL, &event->email_id);
	event->status = (enum store_event_status)db_rows_int(rows, E_STATUS);
	event->automated = db_rows_int(rows, E_AUTOMATED) != 0;
	event->timestamp = db_rows_int(rows, E_TIMESTAMP);
	event->response = g_strdup(db_rows_text(rows, E_RESPONSE));
	event->ip = g_strdup(db_rows_text(rows, E_IP));
	event->user_agent = g_strdup(db_rows_text(rows, E_USER_AGENT));
	event->link = g_strdup(db_rows_text(rows, E_LINK));
	event->has_workflow = db_rows_id(rows, E_WORKFLOW, &event->workflow_id);
	event->has_broadcast = db_rows_id(rows, E_BROADCAST, &event->broadcast_id);
	event->has_topic = db_rows_id(rows, E_TOPIC, &event->topic_id);
	return event;
}

GPtrArray *
store_person_event_list(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_person_event_place *place, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(workspace), db_text(address), db_int(LIMIT_HISTORY_EMAILS),
		db_int(place->time), db_int(place->time), db_id(&place->id), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *events = g_ptr_array_new_with_free_func(person_event_free_event);
	while (db_rows_next(rows))
		g_ptr_array_add(events, event_read_row(rows));
	return events;
}
