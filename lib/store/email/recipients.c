/* SPDX-License-Identifier: MIT */
/* Reads the recipients of the emails of a page, with their last events. */
#include "store/email/recipients.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "db/statement.h"
#include "store/email/email.h"

/* The columns of recipients_sql. */
enum {
	R_EMAIL,
	R_NUMBER,
	R_KIND,
	R_ADDRESS,
	R_STATUS,
	R_STATUS_AT,
	R_EVENT,
	R_EVENT_IP,
	R_EVENT_USER_AGENT,
	R_EVENT_LINK,
	R_EVENT_SMTP_RESPONSE,
	R_EVENT_ENHANCED_CODE,
	R_EVENT_BOUNCE_TYPE,
	R_EVENT_AUTOMATED,
	R_EVENT_RELAY
};

/* The emails are given as a JSON array of their ids in hexadecimal digits. */
/* By checked ids: recipients_sql. The emails are those of a page of the workspace. */
static const char recipients_sql[] =
    "SELECT r.email_id, r.number, r.kind, r.address, r.status, r.status_at, v.id, v.ip,"
    " v.user_agent, v.link, v.smtp_response, v.enhanced_code, v.bounce_type, v.automated,"
    " v.relay"
    " FROM JSON_TABLE(?, '$[*]' COLUMNS (id CHAR(32) PATH '$')) page"
    " STRAIGHT_JOIN recipient r FORCE INDEX (PRIMARY) ON r.email_id = UNHEX(page.id)"
    " LEFT JOIN event v ON v.email_id = r.email_id AND v.id = r.event_id";

int
store_email_newest_first(const void *a, const void *b)
{
	const struct store_email *const *x = a, *const *y = b;

	return memcmp(&(*y)->id, &(*x)->id, sizeof(struct base_id));
}

/* Makes the event of this row the email's last one, unless a later one is known. */
static void
note_last_event(struct store_email *email, struct db_rows *rows)
{
	struct store_event event = {
	    .workspace_id = email->workspace_id,
	    .email_id = email->id,
	    .recipient = (guint)db_rows_int(rows, R_NUMBER),
	    .status = (enum store_event_status)db_rows_int(rows, R_STATUS),
	    .timestamp = db_rows_int(rows, R_STATUS_AT),
	    .ip = db_rows_text(rows, R_EVENT_IP),
	    .user_agent = db_rows_text(rows, R_EVENT_USER_AGENT),
	    .link = db_rows_text(rows, R_EVENT_LINK),
	    .smtp_response = db_rows_text(rows, R_EVENT_SMTP_RESPONSE),
	    .enhanced_code = db_rows_text(rows, R_EVENT_ENHANCED_CODE),
	    .bounce_type = (enum store_bounce_type)db_rows_int(rows, R_EVENT_BOUNCE_TYPE),
	    .automated = db_rows_int(rows, R_EVENT_AUTOMATED) != 0,
	    .relay = db_rows_text(rows, R_EVENT_RELAY),
	};

	if (!db_rows_id(rows, R_EVENT, &event.id))
		return;
	const struct store_event *last = email->last_event;
	if (last && (last->timestamp > event.timestamp ||
			(last->timestamp == event.timestamp &&
			    memcmp(&last->id, &event.id, sizeof(event.id)) > 0)))
		return;
	g_clear_pointer(&email->last_event, store_event_free);
	email->last_event = store_event_copy(&event);
}

static char *
print_ids(const GPtrArray *emails)
{
	GString *ids = g_string_new("[");

	for (guint i = 0; i < emails->len; i++) {
		const struct store_email *email = emails->pdata[i];

		g_string_append(ids, i > 0 ? ",\"" : "\"");
		for (gsize b = 0; b < sizeof(email->id.bytes); b++)
			g_string_append_printf(ids, "%02x", email->id.bytes[b]);
		g_string_append_c(ids, '"');
	}
	g_string_append_c(ids, ']');
	return g_string_free(ids, FALSE);
}

/* Adds the recipient of this row at its number. */
static void
recipients_add_recipient(struct store_email *email, struct db_rows *rows)
{
	struct store_email_recipient *recipient = g_new0(struct store_email_recipient, 1);
	guint number = (guint)db_rows_int(rows, R_NUMBER);

	recipient->kind = (enum store_email_recipient_kind)db_rows_int(rows, R_KIND);
	recipient->address = g_strdup(db_rows_text(rows, R_ADDRESS));
	recipient->status = (enum store_event_status)db_rows_int(rows, R_STATUS);
	recipient->status_at = db_rows_int(rows, R_STATUS_AT);
	if (number >= email->recipients->len)
		g_ptr_array_set_size(email->recipients, (gint)number + 1);
	email->recipients->pdata[number] = recipient;
}

/* Numbers have gaps only if the table was edited by hand. */
static void
close_gaps(GPtrArray *recipients)
{
	while (g_ptr_array_remove(recipients, NULL))
		continue;
}

bool
store_email_read_recipients(struct db *db, GPtrArray *emails, GError **error)
{
	g_autofree char *ids = print_ids(emails);
	AUTO(db_rows) rows = db_select(db, recipients_sql, DB_VALUES(db_text(ids)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_email key;
		const struct store_email *wanted = &key;

		db_rows_id(rows, R_EMAIL, &key.id);
		struct store_email *const *found = base_array_find(
		    &wanted, emails->pdata, emails->len, sizeof(void *), store_email_newest_first);
		recipients_add_recipient(*found, rows);
		note_last_event(*found, rows);
	}
	for (guint i = 0; i < emails->len; i++)
		close_gaps(((struct store_email *)emails->pdata[i])->recipients);
	return true;
}
