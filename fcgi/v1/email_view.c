/* SPDX-License-Identifier: MIT */
/* Emails and their events as JSON. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "content/content.h"
#include "email/event_view.h"
#include "json/writer.h"
#include "link/tracking.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/email/event.h"

void
fcgi_email_view_write_event(
    struct json_writer *writer, const char *recipient, const struct store_event *event)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "recipient", recipient);
	email_event_view_write(writer, event);
	json_writer_end_object(writer);
}

static void
write_last_event(
    struct json_writer *writer, const struct store_email *email, const struct store_event *event)
{
	if (!event) {
		json_writer_null(writer, "last_event");
		return;
	}
	json_writer_begin_object(writer, "last_event");
	json_writer_string(writer, "status", store_event_name(event->status));
	json_writer_integer(writer, "timestamp", event->timestamp);
	json_writer_string(writer, "recipient", store_email_address(email, event->recipient));
	bool engaged = email_event_view_is_engagement(event);
	json_writer_string(writer, "ip", engaged ? event->ip : NULL);
	json_writer_string(writer, "user_agent", engaged ? event->user_agent : NULL);
	email_event_view_write_details(writer, event);
	json_writer_end_object(writer);
}

static void
email_view_write_history(struct json_writer *writer, const struct store_event_history *history)
{
	json_writer_begin_array(writer, "events");
	for (guint i = 0; i < history->events->len; i++) {
		json_writer_begin_object(writer, NULL);
		email_event_view_write(writer, history->events->pdata[i]);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_boolean(writer, "more", history->more);
}

static void
email_view_write_recipients(struct json_writer *writer, const struct store_email *email,
    const struct store_event_history *histories)
{
	json_writer_begin_array(writer, "recipient_statuses");
	for (guint number = 0; number < email->recipients->len; number++) {
		const char *address = store_email_address(email, number);

		if (!address)
			continue;
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "recipient", address);
		email_view_write_history(writer, &histories[number]);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
email_view_write_bytes(struct json_writer *writer, const char *key, GBytes *bytes)
{
	gsize size = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	json_writer_string_sized(writer, key, text ? text : "", size);
}

/* A message of another program may have no html, which is null; an email of the API has an empty
   one then. */
static void
email_view_write_html(struct json_writer *writer, const struct store_email *email, GBytes *html)
{
	if (!html && store_email_is_raw(email))
		json_writer_string(writer, "html", NULL);
	else
		email_view_write_bytes(writer, "html", html);
}

static bool
email_view_write_head(struct json_writer *writer, const struct store_email *email, GError **error)
{
	char id[ID_TEXT_SIZE];

	json_writer_string(writer, "id", base_id_format(&email->id, id));
	json_writer_string(writer, "type", store_email_type_name(email->type));
	return email_event_view_write_addresses(writer, "to", email->to, error);
}

static void
email_view_write_sent(struct json_writer *writer, const struct store_email *email)
{
	json_writer_integer(
	    writer, "email_sent_timestamp", email->sent ? email->sent : email->created);
}

static const struct store_event *
v1_email_view_latest_of(const struct store_event_history *histories, guint count)
{
	const struct store_event *latest = NULL;

	for (guint i = 0; i < count; i++) {
		const GPtrArray *events = histories[i].events;
		const struct store_event *last =
		    events->len > 0 ? events->pdata[events->len - 1] : NULL;

		if (last && (!latest || store_event_compare(last, latest) > 0))
			latest = last;
	}
	return latest;
}

bool
fcgi_email_view_write(struct json_writer *writer, struct service *service,
    const struct store_email *email, const struct store_event_history *histories, GError **error)
{
	g_autofree char *unsubscribe_url = link_tracking_shown_url(service, email);
	struct content content;
	char id[ID_TEXT_SIZE];

	if (!content_read(email, unsubscribe_url, NULL, &content, error))
		return false;
	json_writer_begin_object(writer, NULL);
	bool done = email_view_write_head(writer, email, error) &&
		    email_event_view_write_addresses(writer, "cc", email->cc, error) &&
		    email_event_view_write_addresses(writer, "bcc", email->bcc, error) &&
		    email_event_view_write_addresses(writer, "reply_to", email->reply_to, error);
	json_writer_string(writer, "subject", email->subject);
	json_writer_string(writer, "template_id", email->template_id);
	json_writer_string(writer, "domain_id", base_id_format(&email->domain_id, id));
	email_view_write_html(writer, email, content.html);
	email_view_write_bytes(writer, "text", content.text);
	json_writer_string(writer, "from", email->sender);
	json_writer_integer(writer, "created", email->created);
	fcgi_write_time(writer, "scheduled_at", email->scheduled_at);
	if (email->cancelled) /* beside what every email shows */
		json_writer_integer(writer, "cancelled", email->cancelled);
	email_view_write_sent(writer, email);
	json_writer_raw(writer, "tags", email->tags ? email->tags : "{}",
	    email->tags ? strlen(email->tags) : 2);
	write_last_event(writer, email, v1_email_view_latest_of(histories, email->recipients->len));
	email_view_write_recipients(writer, email, histories);
	json_writer_end_object(writer);
	content_clear(&content);
	return done;
}

bool
fcgi_email_view_write_row(
    struct json_writer *writer, const struct store_email *email, GError **error)
{
	json_writer_begin_object(writer, NULL);
	if (!email_view_write_head(writer, email, error))
		return false;
	json_writer_string(writer, "subject", email->subject);
	write_last_event(writer, email, email->last_event);
	email_view_write_sent(writer, email);
	json_writer_begin_array(writer, "recipient_statuses");
	for (guint i = 0; i < email->recipients->len; i++) {
		const struct store_email_recipient *recipient = email->recipients->pdata[i];

		if (!store_email_address(email, i))
			continue;
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "recipient", recipient->address);
		json_writer_string(writer, "status",
		    recipient->status == EVENT_NONE ? NULL : store_event_name(recipient->status));
		fcgi_write_time(writer, "timestamp", recipient->status_at);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	return true;
}
