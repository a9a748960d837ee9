/* SPDX-License-Identifier: MIT */
/* From a stored email to the bytes that a relay gets. */
#include "core/compose.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "core/content.h"
#include "core/core.h"
#include "core/extras.h"
#include "core/keyring.h"
#include "core/rewrite.h"
#include "core/tracking.h"
#include "json/value.h"
#include "mail/address.h"
#include "mail/dkim.h"
#include "mail/message.h"
#include "store/email.h"

/* What a struct mail_message borrows from, to be freed together. */
struct core_draft {
	struct mail_message message;
	struct mail_address *from;
	GPtrArray *lists[3];
	struct core_content content;
	GArray *attachments;
	struct json *headers_document;
	GArray *headers;
	struct mail_header extra[2];
	char *unsubscribe;
	char *message_id;
};

static void
draft_clear(struct core_draft *draft)
{
	g_clear_pointer(&draft->from, mail_address_free);
	for (guint i = 0; i < G_N_ELEMENTS(draft->lists); i++)
		g_clear_pointer(&draft->lists[i], g_ptr_array_unref);
	core_content_clear(&draft->content);
	g_clear_pointer(&draft->attachments, g_array_unref);
	g_clear_pointer(&draft->headers, g_array_unref);
	g_clear_pointer(&draft->headers_document, json_free);
	g_clear_pointer(&draft->unsubscribe, g_free);
	g_clear_pointer(&draft->message_id, g_free);
}

static bool
set_addresses(struct core_draft *draft, const struct store_email *email, GError **error)
{
	const char *const texts[] = {email->to, email->cc, email->reply_to};
	char id[ID_TEXT_SIZE];

	draft->from = mail_address_parse(email->sender, error);
	if (!draft->from)
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		if (texts[i] && *texts[i] &&
		    !(draft->lists[i] = mail_address_reread_list(texts[i], error)))
			return false;
	draft->message_id = g_strdup_printf(
	    "<%s@%s>", base_id_format(&email->id, id), mail_address_domain(draft->from));
	draft->message.from = draft->from;
	draft->message.to = draft->lists[0];
	draft->message.cc = draft->lists[1];
	draft->message.reply_to = draft->lists[2];
	draft->message.message_id = draft->message_id;
	return true;
}

/* The text part, which may be derived from html, is without what tells of readers. */
static void
personalize(const struct core *core, struct core_draft *draft, const struct store_email *email,
    guint recipient)
{
	if (!draft->content.html || recipient == COMPOSE_SHARED)
		return;
	GBytes *own =
	    core_rewrite(core, email, recipient, draft->content.html, draft->content.links);
	g_bytes_unref(draft->content.html);
	draft->content.html = own;
}

static bool
set_content(const struct core *core, struct core_draft *draft, const struct store_email *email,
    guint recipient, const char *unsubscribe_url, GError **error)
{
	if (!core_content_read(email, unsubscribe_url, core->derived, &draft->content, error))
		return false;
	personalize(core, draft, email, recipient);
	draft->message.html = g_bytes_get_data(draft->content.html, &draft->message.html_size);
	draft->message.text = g_bytes_get_data(draft->content.text, &draft->message.text_size);
	draft->attachments = g_array_new(FALSE, TRUE, sizeof(struct mail_attachment));
	for (guint i = 0; i < email->parts->len; i++) {
		const struct store_email_part *part = email->parts->pdata[i];
		struct mail_attachment attachment = {
		    part->filename, part->content_type, part->content_id, NULL, 0};

		if (part->role != PART_ATTACHMENT)
			continue;
		attachment.data = g_bytes_get_data(part->body.data, &attachment.size);
		g_array_append_val(draft->attachments, attachment);
	}
	draft->message.attachments =
	    (const struct mail_attachment *)(void *)draft->attachments->data;
	draft->message.attachment_count = draft->attachments->len;
	return true;
}

static bool
set_headers(struct core_draft *draft, const struct store_email *email, GError **error)
{
	draft->headers = core_extras_read_headers(email->headers, &draft->headers_document, error);
	if (!draft->headers)
		return false;
	draft->message.headers = (const struct mail_header *)(void *)draft->headers->data;
	draft->message.header_count = draft->headers->len;
	draft->message.subject = email->subject;
	draft->message.date = email->scheduled_at ? email->scheduled_at : email->created;
	return true;
}

static bool
has_header(const struct core_draft *draft, const char *name)
{
	for (guint i = 0; i < draft->message.header_count; i++)
		if (g_ascii_strcasecmp(draft->message.headers[i].name, name) == 0)
			return true;
	return false;
}

/* RFC 2369 section 3.2 and RFC 8058; who brings such a header along knows better. */
static void
set_unsubscribe(struct core *core, struct core_draft *draft, const struct store_email *email,
    guint recipient, const char *url)
{
	if (!(email->tracking & TRACK_UNSUBSCRIBE) || recipient == COMPOSE_SHARED ||
	    has_header(draft, "List-Unsubscribe"))
		return;
	g_autofree char *address = core_tracking_unsubscribe_address(core, email, recipient);
	g_autofree char *page = url ? g_strdup_printf("<%s>", url) : NULL;
	g_autofree char *mail =
	    address ? g_strdup_printf("<mailto:%s?subject=unsubscribe>", address) : NULL;
	if (!page && !mail)
		return;
	draft->unsubscribe =
	    page && mail ? g_strdup_printf("%s, %s", page, mail) : g_strdup(page ? page : mail);
	draft->extra[0] = (struct mail_header){"List-Unsubscribe", draft->unsubscribe};
	draft->extra[1] =
	    (struct mail_header){"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"};
	draft->message.extra = draft->extra;
	draft->message.extra_count = url ? 2 : 1;
}

static GBytes *
sign(GBytes *message, const GPtrArray *keys, GError **error)
{
	gsize size, signature_size;
	const void *data = g_bytes_get_data(message, &size);
	g_autofree char *signature = mail_dkim_sign(message,
	    (struct mail_dkim_key *const *)keys->pdata, keys->len, base_clock_now(), error);

	if (!signature)
		return NULL;
	signature_size = strlen(signature);
	char *whole = g_malloc(signature_size + size);
	memcpy(whole, signature, signature_size);
	memcpy(whole + signature_size, data, size);
	return g_bytes_new_take(whole, signature_size + size);
}

GBytes *
core_compose(struct core *core, const struct store_email *email, guint recipient, GError **error)
{
	struct core_draft draft = {0};
	g_autofree char *unsubscribe_url =
	    recipient == COMPOSE_SHARED
		? NULL
		: core_tracking_unsubscribe_url(core, &email->id, recipient);
	g_autoptr(GPtrArray) keys = core_keyring_select(core->keyring, core->db,
	    base_settings_secret(core->settings), &email->domain_id, error);
	g_autoptr(GBytes) message = NULL;

	if (!keys)
		return NULL;
	if (set_addresses(&draft, email, error) &&
	    set_content(core, &draft, email, recipient, unsubscribe_url, error) &&
	    set_headers(&draft, email, error)) {
		set_unsubscribe(core, &draft, email, recipient, unsubscribe_url);
		message = mail_message_compose(&draft.message, error);
	}
	draft_clear(&draft);
	return message ? sign(message, keys, error) : NULL;
}
