/* SPDX-License-Identifier: MIT */
/* Reads the recipients of the emails of a page, with their last events. */
#include "store/email/recipients.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "db/statement.h"
#include "store/email/columns.h"
#include "store/email/email.h"

/* The last event v of a recipient: its time is that of the recipient's status. */
#define LAST_EVENT_COLUMNS(FIRST, NEXT) FIRST(id, "v.id") EVENT_DETAIL_COLUMNS(NEXT, NEXT)
DB_COLUMNS_READER(recipients_read_event, struct store_event, LAST_EVENT_COLUMNS)
DB_COLUMNS_READER(recipients_read_columns, struct store_email_recipient, RECIPIENT_COLUMNS)

/* The emails are given as a JSON array of their ids in hexadecimal digits. */
/* By checked ids: recipients_sql. The emails are those of a page of the workspace. */
static const char recipients_sql[] =
    "SELECT r.email_id, r.number, " DB_COLUMNS_SQL(RECIPIENT_COLUMNS) ", " DB_COLUMNS_SQL(
	LAST_EVENT_COLUMNS) " FROM JSON_TABLE(?, '$[*]' COLUMNS (id CHAR(32) PATH '$')) page"
			    " STRAIGHT_JOIN recipient r FORCE INDEX (PRIMARY) ON r.email_id = "
			    "UNHEX(page.id)"
			    " LEFT JOIN event v ON v.email_id = r.email_id AND v.recipient = "
			    "r.number"
			    " AND v.timestamp = r.status_at AND v.id = r.event_id";
enum { R_EMAIL, R_NUMBER, R_RECIPIENT, R_EVENT = R_RECIPIENT + DB_COLUMNS_END(RECIPIENT_COLUMNS) };

int
store_email_newest_first(const void *a, const void *b)
{
	const struct store_email *const *x = a, *const *y = b;

	return memcmp(&(*y)->id, &(*x)->id, sizeof(struct base_id));
}

/* Makes the event of this row the email's last one, unless a later one is known. */
static void
note_last_event(
    struct store_email *email, const struct store_email_recipient *recipient, struct db_rows *rows)
{
	struct store_event event = {
	    .workspace_id = email->workspace_id,
	    .email_id = email->id,
	    .recipient = (guint)db_rows_int(rows, R_NUMBER),
	    .status = recipient->status,
	    .timestamp = recipient->status_at,
	};

	if (db_rows_is_null(rows, R_EVENT))
		return;
	recipients_read_event(rows, R_EVENT, &event);
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

struct store_email_recipient *
store_email_recipient_read(const struct db_rows *rows, guint first, struct store_email *email)
{
	struct store_email_recipient *recipient = g_new0(struct store_email_recipient, 1);

	recipients_read_columns(rows, first, recipient);
	if (recipient->sent_at && (!email->sent || recipient->sent_at < email->sent))
		email->sent = recipient->sent_at;
	return recipient;
}

/* Adds the recipient of this row at its number, with its event. */
static void
recipients_add_recipient(struct store_email *email, struct db_rows *rows)
{
	struct store_email_recipient *recipient =
	    store_email_recipient_read(rows, R_RECIPIENT, email);
	guint number = (guint)db_rows_int(rows, R_NUMBER);

	if (number >= email->recipients->len)
		g_ptr_array_set_size(email->recipients, (gint)number + 1);
	email->recipients->pdata[number] = recipient;
	note_last_event(email, recipient, rows);
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
	}
	for (guint i = 0; i < emails->len; i++)
		close_gaps(((struct store_email *)emails->pdata[i])->recipients);
	return true;
}
