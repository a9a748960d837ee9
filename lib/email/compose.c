/* SPDX-License-Identifier: MIT */
/* Composes and signs the message of a stored email. */
#include "email/compose.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "content/content.h"
#include "content/derive.h"
#include "content/footer.h"
#include "email/keyring.h"
#include "email/submission.h"
#include "json/value.h"
#include "link/own_address.h"
#include "link/return_path.h"
#include "link/tracking.h"
#include "mail/address.h"
#include "mail/dkim.h"
#include "mail/encoding.h"
#include "mail/message.h"
#include "mail/wire.h"
#include "relay/relay.h"
#include "service/service.h"
#include "store/email/email.h"
#include "text/width.h"

#define EXTRA_MAX                                                                                  \
	5 /* List-Unsubscribe, List-Unsubscribe-Post, List-Id, Precedence, Feedback-ID             \
	   */

/* A mail_message and all that it borrows. */
struct composition {
	struct mail_message message;
	struct mail_address *from;
	GPtrArray *lists[3];
	struct content content;
	GArray *attachments;
	struct json *headers_document;
	GArray *headers;
	struct mail_header extra[EXTRA_MAX];
	char *unsubscribe, *list_id, *feedback_id;
	char *message_id;
	bool lacked_link;
};

static void
composition_clear(struct composition *composition)
{
	g_clear_pointer(&composition->from, mail_address_free);
	for (guint i = 0; i < G_N_ELEMENTS(composition->lists); i++)
		g_clear_pointer(&composition->lists[i], g_ptr_array_unref);
	content_clear(&composition->content);
	g_clear_pointer(&composition->attachments, g_array_unref);
	g_clear_pointer(&composition->headers, g_array_unref);
	g_clear_pointer(&composition->headers_document, json_free);
	g_clear_pointer(&composition->unsubscribe, g_free);
	g_clear_pointer(&composition->list_id, g_free);
	g_clear_pointer(&composition->feedback_id, g_free);
	g_clear_pointer(&composition->message_id, g_free);
}

/* The Message-ID that the sender gave. Otherwise each message of a broadcast's part has an id of
   its own, since its words are its own. */
static char *
message_id(const struct store_email *email, guint recipient, const struct mail_address *from)
{
	const char *domain = mail_address_domain(from);
	char *own = email_submission_message_id(email->headers);
	char id[ID_TEXT_SIZE];

	if (own)
		return own;
	base_id_format(&email->id, id);
	return email->has_broadcast && recipient != COMPOSE_SHARED
		   ? g_strdup_printf("<%s.%u@%s>", id, recipient, domain)
		   : g_strdup_printf("<%s@%s>", id, domain);
}

char *
email_compose_message_id(const struct store_email *email, guint recipient)
{
	AUTO(mail_address) from = mail_address_reread(email->sender, NULL);

	return from ? message_id(email, recipient, from) : NULL;
}

/* Puts the address at which replies come back in place of the sender's own. */
static void
set_reply_to(const struct service *service, struct composition *composition,
    const struct store_email *email, guint recipient)
{
	struct mail_address *address = g_new0(struct mail_address, 1);

	address->name = g_strdup("");
	address->address = link_own_address_reply(service, email, recipient);
	g_clear_pointer(&composition->lists[2], g_ptr_array_unref);
	composition->lists[2] = mail_address_list_new();
	g_ptr_array_add(composition->lists[2], address);
}

static bool
set_addresses(const struct service *service, struct composition *composition,
    const struct store_email *email, guint recipient, GError **error)
{
	const char *const texts[] = {email->to, email->cc, email->reply_to};

	composition->from = mail_address_reread(email->sender, error);
	if (!composition->from)
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		if (texts[i] && *texts[i] &&
		    !(composition->lists[i] = mail_address_reread_list(texts[i], error)))
			return false;
	if (email->tracking & TRACK_REPLIES && recipient != COMPOSE_SHARED &&
	    store_email_has_domain(email))
		set_reply_to(service, composition, email, recipient);
	composition->message_id = message_id(email, recipient, composition->from);
	composition->message.from = composition->from;
	composition->message.to = composition->lists[0];
	composition->message.cc = composition->lists[1];
	composition->message.reply_to = composition->lists[2];
	composition->message.message_id = composition->message_id;
	return true;
}

/* Puts pixel and tracked links into html. The text part may be derived from html and has neither.
 */
static void
personalize(const struct service *service, struct composition *composition,
    const struct store_email *email, guint recipient)
{
	if (!composition->content.html || recipient == COMPOSE_SHARED)
		return;
	GBytes *own = link_tracking_rewrite(
	    service, email, recipient, composition->content.html, composition->content.links);
	g_bytes_unref(composition->content.html);
	composition->content.html = own;
}

/* Fills the contents, and gives a broadcast's message the link to unsubscribe that its reader would
   not see. */
static bool
fill_content(struct service *service, struct composition *composition,
    const struct store_email *email, guint recipient, const char *unsubscribe_url, GError **error)
{
	struct content *content = &composition->content;

	if (!content_read(email, unsubscribe_url, content_derived_of(service), content, error))
		return false;
	bool lacks = email->type == EMAIL_BROADCAST && unsubscribe_url &&
		     content_footer_is_needed(content, unsubscribe_url);
	personalize(service, composition, email, recipient);
	if (!lacks)
		return true;
	content_footer_add(content, unsubscribe_url);
	composition->lacked_link = email->has_broadcast;
	return true;
}

static bool
compose_set_content(struct service *service, struct composition *composition,
    const struct store_email *email, guint recipient, const char *unsubscribe_url, GError **error)
{
	if (!fill_content(service, composition, email, recipient, unsubscribe_url, error))
		return false;
	if (composition->content.html)
		composition->message.html =
		    g_bytes_get_data(composition->content.html, &composition->message.html_size);
	composition->message.text =
	    g_bytes_get_data(composition->content.text, &composition->message.text_size);
	composition->attachments = g_array_new(FALSE, TRUE, sizeof(struct mail_attachment));
	for (guint i = 0; i < email->parts->len; i++) {
		const struct store_email_part *part = email->parts->pdata[i];
		struct mail_attachment attachment = {part->filename, part->content_type,
		    part->content_id, NULL, 0, part->role == PART_ALTERNATIVE};

		if (part->role != PART_ATTACHMENT && part->role != PART_ALTERNATIVE)
			continue;
		attachment.data = g_bytes_get_data(part->body.data, &attachment.size);
		g_array_append_val(composition->attachments, attachment);
	}
	composition->message.attachments =
	    (const struct mail_attachment *)(void *)composition->attachments->data;
	composition->message.attachment_count = composition->attachments->len;
	return true;
}

/* Message-ID, which message_id has read, and Date are not among the fields. */
static void
take_own_fields(struct composition *composition)
{
	for (guint i = composition->headers->len; i-- > 0;) {
		const struct mail_header *header =
		    &g_array_index(composition->headers, struct mail_header, i);
		bool is_date = g_ascii_strcasecmp(header->name, "Date") == 0;

		if (is_date)
			composition->message.given_date = header->value;
		if (is_date || g_ascii_strcasecmp(header->name, "Message-ID") == 0)
			g_array_remove_index(composition->headers, i);
	}
}

static bool
compose_set_headers(
    struct composition *composition, const struct store_email *email, GError **error)
{
	composition->headers =
	    email_submission_read_headers(email->headers, &composition->headers_document, error);
	if (!composition->headers)
		return false;
	take_own_fields(composition);
	composition->message.headers =
	    (const struct mail_header *)(void *)composition->headers->data;
	composition->message.header_count = composition->headers->len;
	composition->message.subject = email->subject;
	composition->message.date = email->scheduled_at ? email->scheduled_at : email->created;
	return true;
}

/* The first value of a header that the sender gave; NULL without one. */
static const char *
compose_find_header(const struct composition *composition, const char *name)
{
	for (guint i = 0; i < composition->message.header_count; i++)
		if (g_ascii_strcasecmp(composition->message.headers[i].name, name) == 0)
			return composition->message.headers[i].value;
	return NULL;
}

static bool
has_header(const struct composition *composition, const char *name)
{
	return compose_find_header(composition, name);
}

static void
add_extra(struct composition *composition, const char *name, const char *value)
{
	struct mail_message *message = &composition->message;

	composition->extra[message->extra_count++] = (struct mail_header){name, value};
	message->extra = composition->extra;
}

/* Whether a click may unsubscribe by a POST: a URL between < and > is https, as RFC 8058
   section 3.1 asks for, or http while the service is tried out on its own machine. */
static bool
is_one_click(const struct service *service, const char *unsubscribe)
{
	for (const char *p = strchr(unsubscribe, '<'); p; p = strchr(p + 1, '<'))
		if (g_ascii_strncasecmp(p, "<https:", 7) == 0 ||
		    (g_ascii_strncasecmp(p, "<http:", 6) == 0 &&
			link_tracking_is_local(service->settings)))
			return true;
	return false;
}

/* Leaves a header of the sender out. */
static void
compose_leave_out(struct composition *composition, const char *name)
{
	for (guint i = composition->headers->len; i-- > 0;)
		if (g_ascii_strcasecmp(composition->message.headers[i].name, name) == 0)
			g_array_remove_index(composition->headers, i);
	composition->message.headers =
	    (const struct mail_header *)(void *)composition->headers->data;
	composition->message.header_count = composition->headers->len;
}

/* Sets List-Unsubscribe (RFC 2369 section 3.2), unless the sender gave one. */
static void
set_unsubscribe(struct service *service, struct composition *composition,
    const struct store_email *email, guint recipient, const char *url)
{
	if (has_header(composition, "List-Unsubscribe"))
		return;
	g_autofree char *address = link_tracking_unsubscribe_address(service, email, recipient);
	g_autofree char *page = url ? g_strdup_printf("<%s>", url) : NULL;
	g_autofree char *mail =
	    address ? g_strdup_printf("<mailto:%s?subject=unsubscribe>", address) : NULL;
	if (!page && !mail)
		return;
	composition->unsubscribe =
	    page && mail ? g_strdup_printf("%s, %s", page, mail) : g_strdup(page ? page : mail);
	add_extra(composition, "List-Unsubscribe", composition->unsubscribe);
	if (is_one_click(service, composition->unsubscribe) &&
	    !has_header(composition, "List-Unsubscribe-Post"))
		add_extra(composition, "List-Unsubscribe-Post", "List-Unsubscribe=One-Click");
}

/* List-Unsubscribe-Post (RFC 8058) stands only beside a URL to which it may be sent, be it the
   sender's own or ours. */
static void
check_one_click(struct service *service, struct composition *composition)
{
	const char *own = compose_find_header(composition, "List-Unsubscribe");
	const char *unsubscribe = own ? own : composition->unsubscribe;

	if (has_header(composition, "List-Unsubscribe-Post") &&
	    !(unsubscribe && is_one_click(service, unsubscribe)))
		compose_leave_out(composition, "List-Unsubscribe-Post");
}

/* Sets List-Id (RFC 2919), which names the topic, else the list of the broadcast. */
static void
set_list_id(struct composition *composition, const struct store_email *email)
{
	const char *list = email->topic ? email->topic : email->list;
	char id[ID_TEXT_SIZE];

	if (!list || has_header(composition, "List-Id"))
		return;
	g_autofree char *name = text_width_line(list);
	g_autofree char *quoted = mail_addr_spec_quote(name);
	composition->list_id = g_strdup_printf("%s <%s.list.%s>", quoted,
	    base_id_format(email->topic ? &email->topic_id : &email->list_id, id),
	    mail_address_domain(composition->from));
	add_extra(composition, "List-Id", composition->list_id);
}

/* Sets Feedback-ID, by which mailbox providers count complaints. */
static void
set_feedback_id(struct composition *composition, const struct store_email *email)
{
	char campaign[ID_TEXT_SIZE], topic[ID_TEXT_SIZE], workspace[ID_TEXT_SIZE];

	if (has_header(composition, "Feedback-ID"))
		return;
	composition->feedback_id = g_strdup_printf("%s:%s:%s:posthouse",
	    email->has_broadcast  ? base_id_format(&email->broadcast_id, campaign)
	    : email->has_workflow ? base_id_format(&email->workflow_id, campaign)
				  : "email",
	    email->has_topic ? base_id_format(&email->topic_id, topic) : "none",
	    base_id_format(&email->workspace_id, workspace));
	add_extra(composition, "Feedback-ID", composition->feedback_id);
}

/* Sets the header fields of a mailing. */
static void
set_mailing(struct service *service, struct composition *composition,
    const struct store_email *email, guint recipient, const char *url)
{
	if (!store_email_is_mailing(email) || recipient == COMPOSE_SHARED)
		return;
	set_unsubscribe(service, composition, email, recipient, url);
	set_list_id(composition, email);
	if (email->has_broadcast)
		add_extra(composition, "Precedence", "bulk");
	set_feedback_id(composition, email);
}

static GBytes *
compose_sign(GBytes *message, const GPtrArray *keys, GError **error)
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

/* Whether a message names an address for complaints of its own. */
static bool
compose_has_feedback(const char *bytes, gsize size)
{
	const char *end = g_strstr_len(bytes, (gssize)size, "\r\n\r\n");
	g_autofree char *header = g_ascii_strdown(bytes, end ? end - bytes : (gssize)size);

	return g_str_has_prefix(header, "cfbl-address:") || strstr(header, "\ncfbl-address:");
}

/* Puts the fields in front that name the address for complaints (RFC 9477), unless the message has
   one, or a relay of its route has a fixed return path, which may mean that no mail comes to the
   host of that address. Takes the message. */
static GBytes *
compose_add_feedback(
    const struct service *service, const struct store_email *email, guint reader, GBytes *message)
{
	const struct link_return_path path = {
	    email->id, reader == COMPOSE_SHARED ? RETURN_PATH_SHARED : reader};
	char token[RETURN_PATH_ENVID_SIZE];
	gsize size;
	const char *bytes = message ? g_bytes_get_data(message, &size) : NULL;

	if (!message || !store_email_has_domain(email) ||
	    !config_settings_switch(service->settings, SETTING_SMTP_CFBL) ||
	    relay_returns(service->settings, email->relays).has_own)
		return message;
	if (compose_has_feedback(bytes, size))
		return message;
	link_return_path_complaint(service, &path, token);
	g_autofree char *host = link_return_path_host(email->return_path, email->domain);
	GString *whole = g_string_sized_new(size + 256);
	g_string_printf(whole, "CFBL-Address: c+%s@%s; report=arf\r\nCFBL-Feedback-ID: %s\r\n",
	    token, host, token);
	g_string_append_len(whole, bytes, (gssize)size);
	g_bytes_unref(message);
	return g_string_free_to_bytes(whole);
}

static GBytes *
compose_message(struct service *service, const struct store_email *email, guint recipient,
    bool *lacked_link_r, GError **error)
{
	struct composition composition = {0};
	const struct store_body *raw = store_email_body(email, PART_MESSAGE);
	g_autofree char *unsubscribe_url =
	    recipient == COMPOSE_SHARED ? NULL
					: link_tracking_unsubscribe_url(service, email, recipient);
	GBytes *message = NULL;

	*lacked_link_r = false;
	/* One that was stored long ago may not be fit yet. */
	if (raw)
		return mail_wire_fit(raw->data, true, error);
	if (set_addresses(service, &composition, email, recipient, error) &&
	    compose_set_content(service, &composition, email, recipient, unsubscribe_url, error) &&
	    compose_set_headers(&composition, email, error)) {
		set_mailing(service, &composition, email, recipient, unsubscribe_url);
		check_one_click(service, &composition);
		message = mail_message_compose(&composition.message, error);
	}
	*lacked_link_r = composition.lacked_link;
	composition_clear(&composition);
	return message;
}

GBytes *
email_compose_unsigned(
    struct service *service, const struct store_email *email, guint recipient, GError **error)
{
	bool lacked_link;

	return compose_message(service, email, recipient, &lacked_link, error);
}

GBytes *
email_compose(struct service *service, const struct store_email *email, guint recipient,
    bool *lacked_link_r, GError **error)
{
	return email_compose_for(service, email, recipient, recipient, lacked_link_r, error);
}

GBytes *
email_compose_for(struct service *service, const struct store_email *email, guint recipient,
    guint reader, bool *lacked_link_r, GError **error)
{
	bool unused, *lacked = lacked_link_r ? lacked_link_r : &unused;

	*lacked = false;
	if (!store_email_has_domain(email))
		return compose_message(service, email, recipient, lacked, error);
	g_autoptr(GPtrArray) keys = email_keyring_select(email_keyring_of(service), service->db,
	    config_settings_secret(service->settings), &email->domain_id, error);
	g_autoptr(GBytes) message =
	    keys ? compose_add_feedback(service, email, reader,
		       compose_message(service, email, recipient, lacked, error))
		 : NULL;

	return message ? compose_sign(message, keys, error) : NULL;
}

bool
email_compose_7bit(struct service *service, const struct store_email *email, guint reader,
    GBytes **message_r, GError **error)
{
	const struct store_body *raw = store_email_body(email, PART_MESSAGE);
	gsize size;

	*message_r = NULL;
	if (!raw)
		return true;
	const char *bytes = g_bytes_get_data(raw->data, &size);
	g_autoptr(GBytes) fitted = compose_add_feedback(service, email, reader,
	    mail_encoding_is_7bit(bytes, size) ? NULL : mail_wire_fit(raw->data, false, NULL));
	if (!fitted)
		return true;
	g_autoptr(GPtrArray) keys = email_keyring_select(email_keyring_of(service), service->db,
	    config_settings_secret(service->settings), &email->domain_id, error);
	*message_r = keys ? compose_sign(fitted, keys, error) : NULL;
	return *message_r != NULL;
}
