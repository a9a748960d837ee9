/* SPDX-License-Identifier: MIT */
/* The message of an email, as it is sent (/v1/emails/{id}/message). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/list.h"
#include "config/settings.h"
#include "email/compose.h"
#include "email/submission.h"
#include "fcgi/api/context.h"
#include "service/large.h"
#include "fcgi/http/request.h"
#include "json/writer.h"
#include "link/token_cut.h"
#include "service/service.h"
#include "store/email/email.h"

/* Whether the email has a message that others than its recipients may read. A part of a broadcast
   has none of its own, and retention takes the contents away. */
static bool
email_message_is_shown(const struct store_email *email)
{
	return !store_email_is_part(email) && !(email->tracking & TRACK_SECRET) &&
	       email->parts->len > 0;
}

/* The number of the recipient with this address, in any case; NULL: of the first who was not
   erased. */
static bool
email_message_find_recipient(const struct store_email *email, const char *given, guint *number_r)
{
	g_autofree char *wanted = given ? email_envelope_recipient(given) : NULL;

	for (guint i = 0; i < email->recipients->len; i++) {
		const char *address = store_email_address(email, i);

		if (address && (!given || (wanted && g_ascii_strcasecmp(address, wanted) == 0))) {
			*number_r = i;
			return true;
		}
	}
	return false;
}

/* Grants the memory for a large message. */
static bool
email_message_enter(struct fcgi_call *call, const struct base_id *id, GError **error)
{
	guint64 size;

	return store_email_size(call->service->db, &call->key.workspace_id, id, &size, error) &&
	       (size <= LARGE_BYTES || !call->request->large ||
		   service_large_enter(call->request->large, error));
}

static void
email_message_reply(struct fcgi_call *call, const char *recipient, GBytes *message)
{
	AUTO(json_writer) writer = json_writer_new();
	gsize size;
	const char *bytes = g_bytes_get_data(message, &size);
	/* With so many bytes more, the last token that is shown is whole. */
	gsize looked = MIN(size, (gsize)LIMIT_MESSAGE_SHOWN + LIMIT_LINK_BYTES);
	GString *cut =
	    link_token_cut_message(config_settings_secret(call->service->settings), bytes, looked);
	gsize shown = MIN(cut ? cut->len : looked, (gsize)LIMIT_MESSAGE_SHOWN);
	g_autofree char *text = g_utf8_make_valid(cut ? cut->str : bytes, (gssize)shown);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "recipient", recipient);
	json_writer_string(writer, "message", text);
	json_writer_integer(writer, "size", (gint64)size);
	json_writer_boolean(writer, "truncated", size > LIMIT_MESSAGE_SHOWN);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	if (cut)
		g_string_free(cut, TRUE);
}

/* Only with tracking each recipient has a message of his own. */
static bool
email_message_compose(
    struct fcgi_call *call, const struct store_email *email, guint number, GError **error)
{
	bool own = email->tracking && !store_email_is_raw(email);
	g_autoptr(GBytes) message =
	    email_compose_unsigned(call->service, email, own ? number : COMPOSE_SHARED, error);

	if (!message)
		return false;
	email_message_reply(call, own ? store_email_address(email, number) : NULL, message);
	return true;
}

bool
fcgi_email_message_get(struct fcgi_call *call, GError **error)
{
	const char *recipient;
	struct base_id id;
	guint number;

	if (!base_id_parse(call->arguments[0], &id))
		return base_fail(error, PH_ERROR_NOT_FOUND, "Email not found");
	if (!fcgi_page_text(call, "recipient", &recipient, error) ||
	    !email_message_enter(call, &id, error))
		return false;
	AUTO(store_email)
	email = store_email_get(call->service->db, &call->key.workspace_id, &id, PART_LAST, error);
	if (!email)
		return false;
	if (!email_message_is_shown(email))
		return base_fail(error, PH_ERROR_NOT_FOUND, "Message not found");
	if (!email_message_find_recipient(email, recipient, &number))
		return base_fail(error, PH_ERROR_NOT_FOUND, "Recipient not found");
	return email_message_compose(call, email, number, error);
}
