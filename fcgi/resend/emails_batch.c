/* SPDX-License-Identifier: MIT */
/* Batches of emails under /resend. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "email/draft.h"
#include "fcgi/api/batch.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/resend/email.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/place.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/email/email.h"
#include "submit/batch.h"

/* The body is an array of emails, which are read one by one. */
const struct json_table fcgi_resend_emails_batch_body = {NULL, 0, 0, false};

/* The fault of an email, as the single send has it. The caller frees it. */
static GError *
emails_batch_fault_of(const GError *fault)
{
	GError *error = NULL;

	fcgi_resend_email_fail(g_error_copy(fault), &error);
	return error;
}

static void
emails_batch_write_ids(struct json_writer *writer, const struct submit_batch *batch)
{
	json_writer_begin_array(writer, "data");
	for (guint i = 0; i < batch->emails->len; i++) {
		const struct email_draft *draft = submit_batch_at(batch, i)->draft;

		if (!draft)
			continue;
		json_writer_begin_object(writer, NULL);
		fcgi_resend_write_id(writer, "id", &draft->email->id);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static char *
emails_batch_write_answer(const struct service_once *request, bool has_errors)
{
	const struct submit_batch *batch = (const struct submit_batch *)request;
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	emails_batch_write_ids(writer, batch);
	if (has_errors)
		fcgi_batch_write_errors(writer, batch, emails_batch_fault_of);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static char *
write_strict(const struct service_once *request)
{
	return emails_batch_write_answer(request, false);
}

static char *
write_permissive(const struct service_once *request)
{
	return emails_batch_write_answer(request, true);
}

/* In the form that the request has asked for. */
static char *
write_as_asked(const struct service_once *request)
{
	return request->idempotency.write(request);
}

static bool
emails_batch_read_mode(const struct fcgi_call *call, bool *strict_r, GError **error)
{
	const char *mode = fcgi_request_header(call->request, "HTTP_X_BATCH_VALIDATION");

	*strict_r = !mode || g_ascii_strcasecmp(mode, "strict") == 0;
	return *strict_r || g_ascii_strcasecmp(mode, "permissive") == 0 ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `x-batch-validation` header. It must be strict or permissive.");
}

static bool
emails_batch_check_count(const struct fcgi_call *call, GError **error)
{
	gsize count = json_array_length(call->json);

	return (count >= 1 && count <= LIMIT_BATCH) ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "The batch must have 1 to %d emails, not %zu.", LIMIT_BATCH, count);
}

static bool
emails_batch_add_email(
    struct fcgi_call *call, struct submit_batch *batch, const struct json *object, GError **error)
{
	const struct json_place place = {NULL, NULL, batch->emails->len};
	struct fcgi_resend_email email = {.files = NULL};
	g_autoptr(GError) fault = NULL;
	bool added = true;

	if (json_kind(object) != JSON_OBJECT)
		fcgi_resend_fail(&fault, RESEND_INVALID, "An email must be a JSON object.");
	else if (fcgi_resend_email_read(call, object, &email, &fault))
		added = submit_batch_add(call->service, batch, &email.submission, error);
	if (fault)
		submit_batch_refuse(batch, fault);
	fcgi_resend_email_note(call, &email, &place);
	fcgi_resend_email_clear(&email);
	return added;
}

static const GError *
first_fault(const struct submit_batch *batch)
{
	for (guint i = 0; i < batch->emails->len; i++)
		if (submit_batch_at(batch, i)->fault)
			return submit_batch_at(batch, i)->fault;
	return NULL;
}

/* The answer of the single send of the first bad email, and the faults of all. */
static void
emails_batch_reply_refused(struct fcgi_call *call, const struct submit_batch *batch)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autoptr(GError) fault = emails_batch_fault_of(first_fault(batch));

	json_writer_begin_object(writer, NULL);
	guint status = fcgi_resend_error_write(writer, call->reply, fault);
	fcgi_batch_write_errors(writer, batch, emails_batch_fault_of);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, status, writer);
}

static const struct fcgi_batch_form form = {emails_batch_add_email, emails_batch_reply_refused};

static struct service_once *
emails_batch_check(struct fcgi_call *call, GError **error)
{
	struct service_idempotency key;
	bool strict;

	if (!emails_batch_read_mode(call, &strict, error) ||
	    !emails_batch_check_count(call, error) ||
	    !fcgi_resend_idempotency(call, &key, strict ? write_strict : write_permissive, error))
		return NULL;
	return fcgi_batch_check(call, &key, call->json, strict ? 0 : LIMIT_BATCH, &form, error);
}

const struct fcgi_storing fcgi_resend_emails_batch_storing = {
    200, emails_batch_check, write_as_asked, &fcgi_batch_gathering};
