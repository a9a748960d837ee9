/* SPDX-License-Identifier: MIT */
/* Batches of emails (/v1/emails/batch). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "email/draft.h"
#include "email/submission.h"
#include "fcgi/api/batch.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/email/email.h"
#include "submit/batch.h"

struct options {
	const char *mode;
};

/* The emails are read one by one: each has faults of its own. */
static const struct json_field fields[] = {
    JSON_DOCUMENTS("emails", &fcgi_emails_body),
    FIELDS_EMAIL_BATCH(struct options),
};

const struct json_table fcgi_emails_batch_body = {
    fields, G_N_ELEMENTS(fields), LIMIT_BATCH_BYTES, false};

static bool
v1_emails_batch_read_mode(const struct fcgi_call *call, bool *strict_r, GError **error)
{
	struct options options = {"strict"};

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &options, error))
		return false;
	*strict_r = strcmp(options.mode, "strict") == 0;
	return *strict_r || strcmp(options.mode, "permissive") == 0 ||
	       base_invalid(error, "mode must be strict or permissive");
}

static const struct json *
emails_batch_read_emails(const struct fcgi_call *call, GError **error)
{
	const struct json *emails = json_member_get(call->json, "emails");
	gsize count = json_array_length(emails);

	if (!emails)
		base_invalid(error, "emails is required");
	else if (json_kind(emails) != JSON_ARRAY)
		base_invalid(error, "emails must be an array");
	else if (count == 0)
		base_invalid(error, "emails must not be empty");
	else if (count > LIMIT_BATCH)
		base_invalid(error, "Too many emails: %zu. Max is %d", count, LIMIT_BATCH);
	else
		return emails;
	return NULL;
}

static char *
v1_emails_batch_write_answer(const struct service_once *request)
{
	const struct submit_batch *batch = (const struct submit_batch *)request;
	AUTO(json_writer) writer = json_writer_new();
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "emails");
	for (guint i = 0; i < batch->emails->len; i++) {
		const struct email_draft *draft = submit_batch_at(batch, i)->draft;

		if (!draft)
			continue;
		json_writer_begin_object(writer, NULL);
		json_writer_integer(writer, "index", i);
		json_writer_string(writer, "id", base_id_format(&draft->email->id, id));
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	fcgi_batch_write_errors(writer, batch, g_error_copy);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static bool
v1_emails_batch_add_email(
    struct fcgi_call *call, struct submit_batch *batch, const struct json *email, GError **error)
{
	struct email_submission submission = {.only_domain = fcgi_call_only_domain(call)};
	g_autoptr(GError) fault = NULL;

	if (!fcgi_call_document(call, email, &fcgi_emails_body, &submission, &fault)) {
		submit_batch_refuse(batch, fault);
		return true;
	}
	bool added = submit_batch_add(call->service, batch, &submission, error);
	json_fields_free(fcgi_emails_body.fields, fcgi_emails_body.count, &submission);
	return added;
}

static void
v1_emails_batch_reply_refused(struct fcgi_call *call, const struct submit_batch *batch)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *message = g_strdup_printf(
	    "%u of %u emails are not valid; none was stored", batch->bad, batch->emails->len);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", message);
	fcgi_batch_write_errors(writer, batch, g_error_copy);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 400, writer);
}

static const struct fcgi_batch_form form = {
    v1_emails_batch_add_email, v1_emails_batch_reply_refused};

static struct service_once *
v1_emails_batch_check(struct fcgi_call *call, GError **error)
{
	struct service_idempotency key;
	const struct json *emails;
	bool strict;

	if (!v1_emails_batch_read_mode(call, &strict, error) ||
	    !(emails = emails_batch_read_emails(call, error)) ||
	    !fcgi_call_idempotency(call, &key, v1_emails_batch_write_answer, error))
		return NULL;
	guint most_bad = strict ? 0 : (guint)json_array_length(emails) - 1;
	return fcgi_batch_check(call, &key, emails, most_bad, &form, error);
}

const struct fcgi_storing fcgi_emails_batch_storing = {
    201, v1_emails_batch_check, v1_emails_batch_write_answer, &fcgi_batch_gathering};
