/* SPDX-License-Identifier: MIT */
/* Emails under /resend: send, list, read, move and cancel them. */
#include "fcgi/resend/handlers.h"

#include "base/id.h"
#include "email/schedule.h"
#include "fcgi/api/context.h"
#include "fcgi/api/sending.h"
#include "fcgi/resend/email.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/email/email.h"
#include "submit/submit.h"

static char *
emails_write_sent(const struct service_once *request)
{
	const struct submit_sending *sending = (const struct submit_sending *)request;
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	fcgi_resend_write_id(writer, "id", &sending->id);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static struct submit_sending *
emails_check_submission(
    struct fcgi_call *call, const struct email_submission *submission, GError **error)
{
	struct service_idempotency key;
	GError *local = NULL;

	if (!fcgi_resend_idempotency(call, &key, emails_write_sent, error))
		return NULL;
	struct submit_sending *sending = submit_send_check(
	    call->service, &call->key.workspace_id, submission, &key, true, &local);
	if (!sending)
		fcgi_resend_email_fail(local, error);
	return sending;
}

/* Frees the body early: the attempt needs memory of its own. */
static struct service_once *
emails_check(struct fcgi_call *call, GError **error)
{
	struct fcgi_resend_email email;
	struct submit_sending *sending =
	    fcgi_resend_email_read(call, call->json, &email, error)
		? emails_check_submission(call, &email.submission, error)
		: NULL;

	fcgi_resend_email_note(call, &email, NULL);
	fcgi_resend_email_clear(&email);
	g_clear_pointer(&call->json, json_free);
	return sending ? &sending->request : NULL;
}

const struct fcgi_storing fcgi_resend_emails_storing = {
    200, emails_check, emails_write_sent, &fcgi_sending_gathering};

bool
fcgi_resend_emails_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct store_event_history *histories = NULL;
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	AUTO(store_email)
	email = store_email_show(
	    call->service->db, call->ahead, &call->key.workspace_id, &id, &histories, error);
	if (!email)
		return false;
	bool done = fcgi_resend_email_write(writer, call->service, email, histories, error);
	store_event_history_clear(histories, email->recipients->len);
	g_free(histories);
	if (done)
		fcgi_reply_json(call->reply, 200, writer);
	return done;
}

/* A page of emails, newest first. */
static GPtrArray *
emails_read_page(struct fcgi_call *call, const struct store_page *page, GError **error)
{
	const struct store_email_filter filter = {
	    .before = page->side == STORE_PAGE_OLDER ? &page->cursor : NULL,
	    .after = page->side == STORE_PAGE_NEWER ? &page->cursor : NULL};

	return store_email_list(
	    call->service->db, &call->key.workspace_id, &filter, page->limit, error);
}

bool
fcgi_resend_emails_list(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct store_page page;
	guint first, end;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	g_autoptr(GPtrArray) emails = emails_read_page(call, &page, error);
	if (!emails)
		return false;
	fcgi_resend_list_begin(writer, &page, emails->len, &first, &end);
	for (guint i = first; i < end; i++)
		if (!fcgi_resend_email_write_row(writer, call->service, emails->pdata[i], error))
			return false;
	fcgi_resend_list_end(call, writer);
	return true;
}

struct change {
	const char *scheduled_at;
};

static const struct json_field change_fields[] = {
    JSON_FIELD(
	"scheduled_at", FIELD_STRING, struct change, scheduled_at, .required = true, .min = 1),
};

const struct json_table fcgi_resend_emails_change = JSON_TABLE(change_fields);

bool
fcgi_resend_emails_patch(struct fcgi_call *call, GError **error)
{
	struct change change = {NULL};
	GError *local = NULL;
	struct base_id id;
	gint64 time;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !fcgi_resend_read(call->json, &fcgi_resend_emails_change, &change, error) ||
	    !fcgi_resend_email_time(call, change.scheduled_at, &time, error))
		return false;
	if (!email_schedule_move(call->service, &call->key.workspace_id, &id, time, &time, &local))
		return fcgi_resend_email_fail(local, error);
	fcgi_resend_reply_id(call, 200, "email", &id, false);
	return true;
}

bool
fcgi_resend_emails_cancel(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !email_schedule_cancel(call->service, &call->key.workspace_id, &id, error))
		return false;
	fcgi_resend_reply_id(call, 200, "email", &id, false);
	return true;
}
