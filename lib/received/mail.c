/* SPDX-License-Identifier: MIT */
/* Makes the rows of a mail, and what follows from it. */
#include "received/mail.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "email/attachment.h"
#include "email/draft.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/address.h"
#include "mail/incoming.h"
#include "received/door.h"
#include "received/forward.h"
#include "received/message.h"
#include "received/route.h"
#include "received/rule.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/feedback/report.h"
#include "store/received/event.h"
#include "store/received/received.h"
#include "store/webhook/enqueue.h"

static void
mail_draft_destroy(void *draft)
{
	email_draft_free(draft);
}

struct received_mail *
received_mail_new(const struct base_id *workspace)
{
	struct received_mail *mail = g_new0(struct received_mail, 1);

	mail->row = store_received_new();
	mail->row->id = base_id_new();
	mail->row->workspace_id = *workspace;
	mail->routes = g_ptr_array_new();
	mail->targets = g_ptr_array_new();
	mail->drafts = g_ptr_array_new_with_free_func(mail_draft_destroy);
	mail->forwards = g_ptr_array_new_with_free_func(store_received_forward_destroy);
	mail->recipient = G_MAXUINT;
	return mail;
}

void
received_mail_free(struct received_mail *mail)
{
	store_received_free(mail->row);
	g_ptr_array_unref(mail->routes);
	g_ptr_array_unref(mail->targets);
	g_ptr_array_unref(mail->drafts);
	g_ptr_array_unref(mail->forwards);
	g_clear_pointer(&mail->bytes, g_bytes_unref);
	g_clear_pointer(&mail->message, json_free);
	received_authentication_clear(&mail->authentication);
	g_clear_pointer(&mail->answered, store_reported_free);
	g_free(mail->event_data);
	g_free(mail);
}

void
received_mail_add(struct received_mail *mail, const struct received_route *route,
    const struct received_target *target)
{
	g_ptr_array_add(mail->routes, (void *)route);
	g_ptr_array_add(mail->targets, (void *)target);
	g_ptr_array_add(mail->row->recipients, g_strdup(route->key));
	if (target->has_domain && !mail->row->has_domain) {
		mail->row->has_domain = true;
		mail->row->domain_id = target->domain;
	}
}

static void
mail_write_id(struct json_writer *writer, const char *key, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	json_writer_string(writer, key, id ? base_id_format(id, text) : NULL);
}

static void
mail_write_value(struct json_writer *writer, const struct received_mail *mail, const char *name)
{
	json_writer_value(writer, name, json_member_get(mail->message, name));
}

static void
mail_write_recipients(struct json_writer *writer, const char *key, const struct received_mail *mail)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; i < mail->routes->len; i++)
		json_writer_string(
		    writer, NULL, ((const struct received_route *)mail->routes->pdata[i])->address);
	json_writer_end_array(writer);
}

/* The route of the first recipient that has one; NULL: none. */
static const struct base_id *
mail_route_of(const struct received_mail *mail)
{
	for (guint i = 0; i < mail->targets->len; i++) {
		const struct received_target *target = mail->targets->pdata[i];

		if (target->has_domain)
			return &target->route;
	}
	return NULL;
}

/* The members of a row of a list. */
static void
mail_write_row(
    struct json_writer *writer, const struct received_mail *mail, const char *spam, gint64 now)
{
	const struct store_received *row = mail->row;

	mail_write_id(writer, "id", &row->id);
	mail_write_id(writer, "domain_id", row->has_domain ? &row->domain_id : NULL);
	mail_write_id(writer, "route_id", mail_route_of(mail));
	mail_write_recipients(writer, "recipients", mail);
	mail_write_value(writer, mail, "from");
	mail_write_value(writer, mail, "to");
	mail_write_value(writer, mail, "cc");
	mail_write_value(writer, mail, "subject");
	mail_write_value(writer, mail, "message_id");
	mail_write_value(writer, mail, "date");
	json_writer_integer(writer, "created", now);
	json_writer_string(writer, "automatic", store_received_automatic_name(row->automatic));
	mail_write_id(writer, "email_id", row->has_email ? &row->email_id : NULL);
	if (spam)
		json_writer_raw(writer, "spam_score", spam, strlen(spam));
	else
		json_writer_null(writer, "spam_score");
	json_writer_integer(writer, "size", row->size);
	json_writer_integer(writer, "attachment_count",
	    (gint64)json_array_length(json_member_get(mail->message, "parts")));
}

/* Writes the attachments; piece (NULL: without) has the number of the piece of each. */
static void
mail_write_attachments(
    struct json_writer *writer, const struct received_mail *mail, const gint64 *pieces)
{
	const struct json *parts = json_member_get(mail->message, "parts");

	json_writer_begin_array(writer, "attachments");
	for (gsize i = 0; i < json_array_length(parts); i++) {
		const struct json *part = json_array_at(parts, i);
		const struct base_id id = email_attachment_id(&mail->row->id, (guint)i);
		static const char *const names[] = {
		    "filename", "content_type", "content_disposition", "content_id", "size"};

		json_writer_begin_object(writer, NULL);
		mail_write_id(writer, "id", &id);
		for (guint k = 0; k < G_N_ELEMENTS(names); k++)
			json_writer_value(writer, names[k], json_member_get(part, names[k]));
		if (pieces) {
			json_writer_integer(writer, "piece", pieces[i]);
			json_writer_value(writer, "encoding", json_member_get(part, "encoding"));
		}
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
mail_write_envelope(struct json_writer *writer, const struct received_mail *mail,
    const struct received_session *session, const char *sender)
{
	json_writer_begin_object(writer, "envelope");
	json_writer_string(writer, "from", sender);
	mail_write_recipients(writer, "to", mail);
	json_writer_string(writer, "helo", session->helo);
	json_writer_string(writer, "address", session->address);
	json_writer_string(writer, "tls", session->tls);
	json_writer_end_object(writer);
}

static GBytes *
mail_content_of(const struct received_mail *mail, const struct received_session *session,
    const char *sender, const gint64 *pieces)
{
	static const char *const front[] = {
	    "reply_to", "in_reply_to", "references", "text", "html", "reply_text", "headers"};
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(front); i++)
		mail_write_value(writer, mail, front[i]);
	mail_write_attachments(writer, mail, pieces);
	mail_write_envelope(writer, mail, session, sender);
	received_authentication_write(writer, &mail->authentication);
	json_writer_boolean(
	    writer, "truncated", json_boolean(json_member_get(mail->message, "truncated")));
	mail_write_value(writer, mail, "error");
	json_writer_end_object(writer);
	return json_writer_take_bytes(writer);
}

static void
mail_add_piece(struct received_mail *mail, gsize begin, gsize end)
{
	if (end > begin)
		g_ptr_array_add(
		    mail->row->pieces, g_bytes_new_from_bytes(mail->bytes, begin, end - begin));
}

/* Cuts the bytes into pieces, so that each attachment is one. The caller owns the numbers of these;
   -1 of an empty one. */
static gint64 *
mail_cut(struct received_mail *mail)
{
	const struct json *parts = json_member_get(mail->message, "parts");
	gsize count = json_array_length(parts), at = 0, size = g_bytes_get_size(mail->bytes);
	gint64 *pieces = g_new(gint64, count + 1);

	for (gsize i = 0; i < count; i++) {
		const struct json *part = json_array_at(parts, i);
		gsize begin = (gsize)json_integer(json_member_get(part, "begin"));
		gsize end = (gsize)json_integer(json_member_get(part, "end"));

		pieces[i] = -1;
		if (begin < at || end <= begin || end > size)
			continue;
		mail_add_piece(mail, at, begin);
		pieces[i] = mail->row->pieces->len;
		mail_add_piece(mail, begin, end);
		at = end;
	}
	mail_add_piece(mail, at, size);
	return pieces;
}

static char *
mail_key_of(const char *address)
{
	return address && *address ? mail_address_key(address) : g_strdup("");
}

void
received_mail_write(struct received_mail *mail, const struct received_session *session,
    const char *sender, const char *spam, gint64 now)
{
	struct store_received *row = mail->row;
	AUTO(json_writer) summary = json_writer_new();
	AUTO(json_writer) event_data = json_writer_new();

	row->sender = mail_key_of(sender);
	row->size = (gint64)g_bytes_get_size(mail->bytes);
	if (mail->answered) {
		row->has_email = true;
		row->email_id = mail->answered->id;
	}
	g_autofree gint64 *pieces = mail_cut(mail);
	row->content = mail_content_of(mail, session, sender, pieces);
	json_writer_begin_object(summary, NULL);
	mail_write_row(summary, mail, spam, now);
	json_writer_end_object(summary);
	row->summary = json_writer_take(summary, NULL);
	json_writer_begin_object(event_data, NULL);
	mail_write_row(event_data, mail, spam, now);
	mail_write_attachments(event_data, mail, NULL);
	received_authentication_write(event_data, &mail->authentication);
	json_writer_end_object(event_data);
	mail->event_data = json_writer_take(event_data, NULL);
}

static bool
mail_is_same(const char *address, const char *key)
{
	g_autofree char *own = address ? mail_address_key(address) : NULL;

	return own && strcmp(own, key) == 0;
}

/* Whether a message has been forwarded from here already, or came from one to whom it would go. */
static bool
mail_would_loop(
    const struct received_mail *mail, const struct received_route *route, const char *const *to)
{
	const struct json *loops = json_member_get(mail->message, "loops");

	for (gsize i = 0; i < json_array_length(loops); i++)
		if (mail_is_same(json_string(json_array_at(loops, i), NULL), route->key))
			return true;
	for (; *to; to++)
		if (mail_is_same(*to, mail->row->writer) || mail_is_same(*to, mail->row->sender))
			return true;
	return false;
}

/* The Reply-To of the message as a list; NULL: none. The caller owns it. */
static char *
mail_reply_to_of(const struct received_mail *mail)
{
	const struct json *list = json_member_get(mail->message, "reply_to");
	g_autoptr(GString) text = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(list); i++)
		g_string_append_printf(
		    text, "%s%s", i > 0 ? ", " : "", json_string(json_array_at(list, i), NULL));
	return text->len > 0 ? g_strdup(text->str) : NULL;
}

/* Whether an error is one of the mail, and not of the database. */
static bool
mail_is_noted(const GError *failure)
{
	return g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID) ||
	       g_error_matches(failure, PH_ERROR, PH_ERROR_FORBIDDEN) ||
	       g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED) ||
	       g_error_matches(failure, PH_ERROR, PH_ERROR_TOO_LARGE);
}

static bool
mail_forward_to(struct service *service, struct received_mail *mail,
    const struct received_route *route, const char *sender, const char *const *to, GError **error)
{
	g_autofree char *reply_to = mail_reply_to_of(mail);
	gsize size;
	const void *data = g_bytes_get_data(mail->bytes, &size);
	const struct received_forwarding forwarding = {data, size,
	    received_message_text(mail->message, "from"),
	    received_message_text(mail->message, "from_address"), reply_to, route->address,
	    sender ? sender : route->address, to};
	g_autoptr(GError) failure = NULL;
	struct email_draft *draft =
	    received_forward_draft(service, &mail->row->workspace_id, &forwarding, &failure);

	if (!draft && !mail_is_noted(failure)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	struct store_received_forward *forward = g_new0(struct store_received_forward, 1);
	forward->recipients = received_rule_print(to);
	if (draft) {
		forward->has_email = true;
		forward->email_id = draft->email->id;
		g_ptr_array_add(mail->drafts, draft);
	} else {
		forward->error = g_strdup(failure->message);
	}
	g_ptr_array_add(mail->forwards, forward);
	return true;
}

/* The address to which an answer to an email of ours goes: its own Reply-To, else its From. An
   empty list where it is not known. The caller owns it. */
static char **
mail_owner_of(struct service *service, const struct received_target *target, GError **error)
{
	AUTO(store_email)
	email = store_email_get(service->db, &target->workspace, &target->email, 0, error);
	g_autoptr(GPtrArray) addresses = g_ptr_array_new();

	if (!email)
		return NULL;
	g_autoptr(GPtrArray) list = mail_address_reread_list(
	    email->reply_to && *email->reply_to ? email->reply_to : email->sender, NULL);
	for (guint i = 0; list && i < list->len; i++)
		g_ptr_array_add(
		    addresses, g_strdup(((struct mail_address *)list->pdata[i])->address));
	g_ptr_array_add(addresses, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&addresses), FALSE);
}

bool
received_mail_forward(
    struct service *service, struct received_mail *mail, const char *sender, GError **error)
{
	for (guint i = 0; i < mail->routes->len; i++) {
		const struct received_route *route = mail->routes->pdata[i];
		const struct received_target *target = mail->targets->pdata[i];
		g_auto(GStrv) to = NULL;

		if (target->is_reply && mail->row->automatic == RECEIVED_BY_PERSON)
			to = mail_owner_of(service, target, error);
		else
			to = target->action == RECEIVING_FORWARD
				 ? received_rule_addresses(target->forward_to)
				 : g_new0(char *, 1);
		if (!to)
			return false;
		if (*to && !mail_would_loop(mail, route, (const char *const *)to) &&
		    !mail_forward_to(
			service, mail, route, target->sender, (const char *const *)to, error))
			return false;
	}
	return true;
}

/* Whether the mail came to an address for replies. */
static bool
mail_is_reply(const struct received_mail *mail)
{
	for (guint i = 0; i < mail->targets->len; i++)
		if (((const struct received_target *)mail->targets->pdata[i])->is_reply)
			return true;
	return false;
}

/* The contact who wrote the mail, where that is proven; NULL: it is not. The caller owns it. */
static char *
mail_contact_of(const struct received_mail *mail)
{
	const struct store_received *row = mail->row;

	if (row->automatic != RECEIVED_BY_PERSON)
		return NULL;
	if (mail_is_reply(mail) && mail->answered &&
	    mail->recipient < mail->answered->recipients->len) {
		const char *address = mail->answered->recipients->pdata[mail->recipient];
		return *address ? mail_address_key(address) : NULL;
	}
	return *row->writer && g_strcmp0(mail->authentication.dmarc, "pass") == 0
		   ? g_strdup(row->writer)
		   : NULL;
}

/* The properties of the event email.received. */
static char *
mail_properties_of(const struct received_mail *mail)
{
	AUTO(json_writer) writer = json_writer_new();
	const struct store_received *row = mail->row;

	json_writer_begin_object(writer, NULL);
	mail_write_id(writer, "received_id", &row->id);
	json_writer_string(
	    writer, "recipient", ((const struct received_route *)mail->routes->pdata[0])->address);
	mail_write_value(writer, mail, "from");
	mail_write_value(writer, mail, "subject");
	mail_write_id(writer, "domain_id", row->has_domain ? &row->domain_id : NULL);
	mail_write_id(writer, "email_id", row->has_email ? &row->email_id : NULL);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

bool
received_mail_tell(struct db *db, const struct received_mail *mail, GError **error)
{
	const struct store_received *row = mail->row;
	g_autofree char *contact = mail_contact_of(mail);
	g_autofree char *properties = contact ? mail_properties_of(mail) : NULL;

	return store_webhook_enqueue_received(
		   db, &row->workspace_id, &row->id, row->writer, mail->event_data, error) &&
	       (!contact || store_received_event_add(db, &row->workspace_id, contact,
				base_id_time(&row->id), properties, error));
}

void
received_mail_count(const struct received_mail *mail)
{
	for (guint i = 0; i < mail->targets->len; i++) {
		const struct received_target *target = mail->targets->pdata[i];

		service_metrics_add(METRIC_RECEIVED, 1,
		    target->domain_name ? target->domain_name : "",
		    store_receiving_action_name(target->action), NULL);
	}
}

void
received_mail_count_dropped(const struct received_route *route)
{
	for (guint i = 0; i < route->targets->len; i++) {
		const struct received_target *target = route->targets->pdata[i];

		if (target->action == RECEIVING_DROP)
			service_metrics_add(METRIC_RECEIVED, 1, target->domain_name,
			    store_receiving_action_name(target->action), NULL);
	}
}
