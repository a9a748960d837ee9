/* Pages of emails: one statement for the emails, one for their recipients, each on the index that
 * fits the filter. */
#include <string.h>

#include "db/statement.h"
#include "store/email.h"

#define ALL "SELECT id FROM email WHERE workspace_id = ? AND id < ? ORDER BY id DESC LIMIT ?"
#define BY_STATUS                                                                                  \
	"SELECT DISTINCT email_id AS id FROM recipient WHERE workspace_id = ? AND status = ? AND " \
	"email_id < ?"                                                                             \
	" ORDER BY email_id DESC LIMIT ?"
#define BY_ADDRESS                                                                                 \
	"SELECT DISTINCT email_id AS id FROM recipient WHERE workspace_id = ? AND address = ? "    \
	"AND email_id < ?"                                                                         \
	" ORDER BY email_id DESC LIMIT ?"
#define BY_BOTH                                                                                    \
	"SELECT DISTINCT email_id AS id FROM recipient WHERE workspace_id = ? AND address = ? "    \
	"AND status = ?"                                                                           \
	" AND email_id < ? ORDER BY email_id DESC LIMIT ?"

#define EMAILS(page)                                                                               \
	"SELECT e.id, e.type, e.to_list, e.subject, e.created, e.scheduled_at, e.sent"             \
	" FROM (" page ") page JOIN email e ON e.id = page.id ORDER BY e.id DESC"
#define RECIPIENTS(page)                                                                           \
	"SELECT r.email_id, r.kind, r.address, r.status, r.status_at, v.id, v.ip, v.user_agent, "  \
	"v.link,"                                                                                  \
	" v.smtp_response, v.enhanced_code, v.bounce_type"                                         \
	" FROM (" page ") page JOIN recipient r ON r.email_id = page.id"                           \
	" LEFT JOIN event v ON v.email_id = r.email_id AND v.id = r.event_id ORDER BY r.email_id " \
	"DESC, r.number"

enum { FILTER_STATUS = 1, FILTER_ADDRESS = 2 };
static const char *const emails_sql[] = {
    EMAILS(ALL), EMAILS(BY_STATUS), EMAILS(BY_ADDRESS), EMAILS(BY_BOTH)};
static const char *const recipients_sql[] = {
    RECIPIENTS(ALL), RECIPIENTS(BY_STATUS), RECIPIENTS(BY_ADDRESS), RECIPIENTS(BY_BOTH)};

struct page {
	guint filter; /* which of the statements */
	struct db_value values[5];
	guint count;
};

static const struct id last_id = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff}};

static struct page
page_of(const struct id *workspace, const struct email_filter *filter, guint limit)
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
	page.values[page.count++] = db_id(filter->before ? filter->before : &last_id);
	page.values[page.count++] = db_int(limit);
	return page;
}

static bool
read_emails(struct db *db, const struct page *page, GPtrArray *emails, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, emails_sql[page->filter], page->values, page->count, error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct email *email = store_email_new();

		g_ptr_array_add(emails, email);
		db_rows_id(rows, 0, &email->id);
		email->type = (enum email_type)db_rows_int(rows, 1);
		email->to = g_strdup(db_rows_text(rows, 2));
		email->subject = g_strdup(db_rows_text(rows, 3));
		email->created = db_rows_int(rows, 4);
		email->scheduled_at = db_rows_int(rows, 5);
		email->sent = db_rows_int(rows, 6);
	}
	return true;
}

/* The event of this row becomes the email's last one if none so far is later. */
static void
note_last_event(struct email *email, struct db_rows *rows, guint number)
{
	struct event event = {
	    .email_id = email->id,
	    .recipient = number,
	    .status = (enum event_status)db_rows_int(rows, 3),
	    .timestamp = db_rows_int(rows, 4),
	    .ip = db_rows_text(rows, 6),
	    .user_agent = db_rows_text(rows, 7),
	    .link = db_rows_text(rows, 8),
	    .smtp_response = db_rows_text(rows, 9),
	    .enhanced_code = db_rows_text(rows, 10),
	    .bounce_type = (enum bounce_type)db_rows_int(rows, 11),
	};

	if (!db_rows_id(rows, 5, &event.id))
		return;
	const struct event *last = email->last_event;
	if (last && (last->timestamp > event.timestamp ||
			(last->timestamp == event.timestamp &&
			    memcmp(&last->id, &event.id, sizeof(event.id)) > 0)))
		return;
	g_clear_pointer(&email->last_event, store_event_free);
	email->last_event = store_event_copy(&event);
}

static bool
read_recipients(struct db *db, const struct page *page, GPtrArray *emails, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, recipients_sql[page->filter], page->values, page->count, error);
	guint at = 0;

	if (!rows)
		return false;
	/* Both run newest first; an email that came or went between the two statements has no
	 * partner and is passed over. */
	while (db_rows_next(rows)) {
		struct id id;

		db_rows_id(rows, 0, &id);
		while (at < emails->len &&
		       memcmp(&((struct email *)emails->pdata[at])->id, &id, sizeof(id)) > 0)
			at++;
		if (at == emails->len)
			break;
		struct email *email = emails->pdata[at];
		if (!base_id_equal(&email->id, &id))
			continue;
		store_email_add_recipient(email, (enum recipient_kind)db_rows_int(rows, 1),
		    g_strdup(db_rows_text(rows, 2)));
		struct recipient *recipient = email->recipients->pdata[email->recipients->len - 1];
		recipient->status = (enum event_status)db_rows_int(rows, 3);
		recipient->status_at = db_rows_int(rows, 4);
		note_last_event(email, rows, email->recipients->len - 1);
	}
	return true;
}

static void
free_email(void *email)
{
	store_email_free(email);
}

GPtrArray *
store_email_list(struct db *db, const struct id *workspace, const struct email_filter *filter,
    guint limit, GError **error)
{
	struct page page = page_of(workspace, filter, limit);
	g_autoptr(GPtrArray) emails = g_ptr_array_new_with_free_func(free_email);

	if (!read_emails(db, &page, emails, error) || !read_recipients(db, &page, emails, error))
		return NULL;
	return g_steal_pointer(&emails);
}
