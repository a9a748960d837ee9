/* SPDX-License-Identifier: MIT */
/* Double opt-in of an audience (/v1/audiences/{id}/opt-in), and the mail sent again. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "api/fields.h"
#include "audience/audience.h"
#include "base/error.h"
#include "consent/opt_in.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/consent/opt_in.h"
#include "submit/submit.h"

struct input {
	const char *template_id, *from, *subject, *confirm;
	bool required;
};

static const struct json_field fields[] = {FIELDS_NEW_OPT_IN(struct input)};

const struct json_table fcgi_opt_in_body = JSON_TABLE(fields);

static void
write_opt_in(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_opt_in *opt_in = row;

	json_writer_begin_object(writer, NULL);
	json_writer_boolean(writer, "required", opt_in->required);
	json_writer_string(writer, "template_id", opt_in->template_id);
	json_writer_string(writer, "from", opt_in->sender);
	json_writer_string(writer, "subject", opt_in->subject);
	json_writer_string(writer, "confirm", opt_in->by_link ? "link" : "button");
	json_writer_end_object(writer);
}

bool
fcgi_opt_in_get(struct fcgi_call *call, GError **error)
{
	struct base_id audience;

	if (!audience_id(call->arguments[0], &audience, error))
		return false;
	AUTO(store_opt_in)
	opt_in = store_opt_in_get(call->service->db, &call->key.workspace_id, &audience, error);
	return fcgi_page_reply_row(call, write_opt_in, opt_in);
}

static bool
opt_in_read_input(const struct fcgi_call *call, struct input *input, GError **error)
{
	return json_fields_read(call->json, fields, G_N_ELEMENTS(fields), input, error) &&
	       (!input->confirm || strcmp(input->confirm, "button") == 0 ||
		   strcmp(input->confirm, "link") == 0 ||
		   base_invalid(error, "confirm must be one of button, link"));
}

bool
fcgi_opt_in_put(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	struct input input = {0};
	struct base_id audience;
	AUTO(store_opt_in) opt_in = g_new0(struct store_opt_in, 1);

	if (!opt_in_read_input(call, &input, error))
		return false;
	opt_in->required = input.required;
	opt_in->by_link = input.confirm && strcmp(input.confirm, "link") == 0;
	opt_in->template_id = g_strdup(input.template_id);
	opt_in->sender = g_strdup(input.from);
	opt_in->subject = g_strdup(input.subject);
	opt_in->audience = g_strdup("");
	return consent_opt_in_check(call->service, workspace, opt_in, error) &&
	       audience_id(call->arguments[0], &audience, error) &&
	       store_opt_in_put(call->service->db, workspace, &audience, opt_in, error) &&
	       fcgi_page_reply_row(call, write_opt_in, opt_in);
}

bool
fcgi_opt_in_again(struct fcgi_call *call, GError **error)
{
	struct base_id audience, contact;
	struct submit_sending *mail;
	gint64 wait_ms = 0;

	if (!audience_id(call->arguments[0], &audience, error))
		return false;
	/* No contact has the zero id. */
	if (!base_id_parse(call->arguments[1], &contact))
		contact = (struct base_id){{0}};
	bool sent = consent_opt_in_again(
	    call->service, &call->key.workspace_id, &audience, &contact, &mail, &wait_ms, error);
	call->reply->wait_s = (wait_ms + 999) / 1000;
	if (!sent)
		return false;
	fcgi_call_finish_later(call, &mail->request);
	fcgi_reply_message(call->reply, "Confirmation sent");
	return true;
}
