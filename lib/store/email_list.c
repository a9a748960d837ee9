/* SPDX-License-Identifier: MIT */
/* Pages of emails: one statement for the emails, on the index that fits the filter, and one for the
 * recipients of just these. */
#include <stdlib.h>
#include <string.h>

#include "db/statement.h"
#include "store/email.h"
#include "store/listing.h"

#define COLUMNS "e.id, e.type, e.to_list, e.subject, e.created, e.scheduled_at, e.sent, e.cancelled"

/* What an email must have is found in an index of recipient, whose order is that of the list: page
   stops after LIMIT rows of it, without a sort. The indexes are named, for the optimizer does not
   know how few rows that leaves, and takes to whole tables while they are small. */
#define FILTERED(indexes, condition)                                                               \
	"SELECT " COLUMNS " FROM (SELECT DISTINCT email_id AS id"                                  \
	" FROM recipient FORCE INDEX (" indexes ")"                                                \
	" WHERE workspace_id = ? AND " condition " AND email_id < ?"                               \
	" ORDER BY email_id DESC LIMIT ?) page"                                                    \
	" STRAIGHT_JOIN email e FORCE INDEX (PRIMARY) ON e.id = page.id"

enum { FILTER_STATUS = 1, FILTER_ADDRESS = 2 };
static const char *const emails_sql[] = {
    [0] = "SELECT " COLUMNS " FROM email e FORCE INDEX (workspace)"
	  " WHERE e.workspace_id = ? AND e.id < ? ORDER BY e.id DESC LIMIT ?",
    [FILTER_STATUS] = FILTERED("status", "status = ?"),
    [FILTER_ADDRESS] = FILTERED("address", "address = ?"),
    [FILTER_STATUS | FILTER_ADDRESS] = FILTERED("address, status", "address = ? AND status = ?"),
};

/* The emails are given as a JSON array of their ids in hexadecimal digits. */
static const char recipients_sql[] =
    "SELECT r.email_id, r.number, r.kind, r.address, r.status, r.status_at, v.id, v.ip,"
    " v.user_agent, v.link, v.smtp_response, v.enhanced_code, v.bounce_type, v.automated"
    " FROM JSON_TABLE(?, '$[*]' COLUMNS (id CHAR(32) PATH '$')) page"
    " STRAIGHT_JOIN recipient r FORCE INDEX (PRIMARY) ON r.email_id = UNHEX(page.id)"
    " LEFT JOIN event v ON v.email_id = r.email_id AND v.id = r.event_id";

struct page {
	guint filter; /* which of the statements */
	struct db_value values[5];
	guint count;
};

static struct page
page_of(const struct base_id *workspace, const struct store_email_filter *filter, guint limit)
{
	struct page page = {0};

	page.values[page.count++] = db_id(workspace);
	if (filter->address) {
		page.filter |= FILTER_ADDRESS;
		page.values[page.count++] = db_text(filter->address);
	}
	if (filter->status != EVENT_NONE) {
		page.filter |= FILTER_STATUS;
		page.values[page.count++] = db_int(filter->status);
	}
	page.values[page.count++] = store_listing_before(filter->before);
	page.values[page.count++] = db_int(limit);
	return page;
}

static int
newest_first(const void *a, const void *b)
{
	const struct store_email *const *x = a, *const *y = b;

	return memcmp(&(*y)->id, &(*x)->id, sizeof(struct base_id));
}

static bool
read_emails(struct db *db, const struct page *page, GPtrArray *emails, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, emails_sql[page->filter], page->values, page->count, error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_email *email = store_email_new();

		g_ptr_array_add(emails, email);
		db_rows_id(rows, 0, &email->id);
		email->type = (enum store_email_type)db_rows_int(rows, 1);
		email->to = g_strdup(db_rows_text(rows, 2));
		email->subject = g_strdup(db_rows_text(rows, 3));
		email->created = db_rows_int(rows, 4);
		email->scheduled_at = db_rows_int(rows, 5);
		email->sent = db_rows_int(rows, 6);
		email->cancelled = db_rows_int(rows, 7);
	}
	/* They come in this order, but no join promises it. */
	g_ptr_array_sort(emails, newest_first);
	return true;
}

/* The event of this row becomes the email's last one if none so far is later. */
static void
note_last_event(struct store_email *email, struct db_rows *rows)
{
	struct store_event event = {
	    .workspace_id = email->workspace_id,
	    .email_id = email->id,
	    .recipient = (guint)db_rows_int(rows, 1),
	    .status = (enum store_event_status)db_rows_int(rows, 4),
	    .timestamp = db_rows_int(rows, 5),
	    .ip = db_rows_text(rows, 7),
	    .user_agent = db_rows_text(rows, 8),
	    .link = db_rows_text(rows, 9),
	    .smtp_response = db_rows_text(rows, 10),
	    .enhanced_code = db_rows_text(rows, 11),
	    .bounce_type = (enum store_bounce_type)db_rows_int(rows, 12),
	    .automated = db_rows_int(rows, 13) != 0,
	};

	if (!db_rows_id(rows, 6, &event.id))
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

/* The recipient of this row, at its number. */
static void
add_recipient(struct store_email *email, struct db_rows *rows)
{
	struct store_email_recipient *recipient = g_new0(struct store_email_recipient, 1);
	guint number = (guint)db_rows_int(rows, 1);

	recipient->kind = (enum store_email_recipient_kind)db_rows_int(rows, 2);
	recipient->address = g_strdup(db_rows_text(rows, 3));
	recipient->status = (enum store_event_status)db_rows_int(rows, 4);
	recipient->status_at = db_rows_int(rows, 5);
	if (number >= email->recipients->len)
		g_ptr_array_set_size(email->recipients, (gint)number + 1);
	email->recipients->pdata[number] = recipient;
}

/* Numbers have no gaps, unless somebody has tampered with the table. */
static void
close_gaps(GPtrArray *recipients)
{
	while (g_ptr_array_remove(recipients, NULL))
		continue;
}

static bool
read_recipients(struct db *db, GPtrArray *emails, GError **error)
{
	g_autofree char *ids = print_ids(emails);
	AUTO(db_rows) rows = db_select(db, recipients_sql, DB_VALUES(db_text(ids)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_email key;
		const struct store_email *wanted = &key;

		db_rows_id(rows, 0, &key.id);
		struct store_email *const *found =
		    bsearch(&wanted, emails->pdata, emails->len, sizeof(void *), newest_first);
		add_recipient(*found, rows);
		note_last_event(*found, rows);
	}
	for (guint i = 0; i < emails->len; i++)
		close_gaps(((struct store_email *)emails->pdata[i])->recipients);
	return true;
}

static void
free_email(void *email)
{
	store_email_free(email);
}

GPtrArray *
store_email_list(struct db *db, const struct base_id *workspace,
    const struct store_email_filter *filter, guint limit, GError **error)
{
	struct page page = page_of(workspace, filter, limit);
	g_autoptr(GPtrArray) emails = g_ptr_array_new_with_free_func(free_email);

	/* The server refuses to compare other text with an ASCII column. */
	if (filter->address && !g_str_is_ascii(filter->address))
		return g_steal_pointer(&emails);
	if (!read_emails(db, &page, emails, error))
		return NULL;
	for (guint i = 0; i < emails->len; i++)
		((struct store_email *)emails->pdata[i])->workspace_id = *workspace;
	if (emails->len > 0 && !read_recipients(db, emails, error))
		return NULL;
	return g_steal_pointer(&emails);
}
