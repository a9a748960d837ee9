/* SPDX-License-Identifier: MIT */
/* Emails under /resend as JSON. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "content/content.h"
#include "email/compose.h"
#include "email/event_view.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "link/tracking.h"
#include "service/service.h"
#include "store/email/email.h"

/* Clients know no state of an email for these, and go on with the one before. */
static bool
email_view_is_passed_over(const struct store_event *event)
{
	return event->status == EVENT_UNSUBSCRIBED || event->status == EVENT_REPLIED;
}

/* The latest event that is not passed over; NULL when there is none. */
static const struct store_event *
email_view_latest_of(const struct store_event_history *histories, guint count)
{
	const struct store_event *latest = NULL;

	for (guint i = 0; i < count; i++)
		for (guint e = 0; e < histories[i].events->len; e++) {
			const struct store_event *event = histories[i].events->pdata[e];

			if (!email_view_is_passed_over(event) &&
			    (!latest || store_event_compare(event, latest) > 0))
				latest = event;
		}
	return latest;
}

/* The name of the state that an email is in after this event, NULL: after none. */
static const char *
email_view_state_of(const struct store_email *email, const struct store_event *event)
{
	if (event && event->status == EVENT_DELAYED)
		return "delivery_delayed";
	if (event)
		return store_event_name(event->status);
	if (email->cancelled)
		return "canceled";
	return email->scheduled_at > base_clock_now() ? "scheduled" : "queued";
}

static bool
email_view_write_addresses(
    struct json_writer *writer, const struct store_email *email, GError **error)
{
	return email_event_view_write_addresses(writer, "to", email->to, error) &&
	       email_event_view_write_addresses(writer, "cc", email->cc, error) &&
	       email_event_view_write_addresses(writer, "bcc", email->bcc, error) &&
	       email_event_view_write_addresses(writer, "reply_to", email->reply_to, error);
}

/* The members that each form of an email has. */
static bool
email_view_write_members(struct json_writer *writer, const struct store_email *email,
    const struct store_event *event, GError **error)
{
	g_autofree char *message_id = email_compose_message_id(email, COMPOSE_SHARED);

	fcgi_resend_write_id(writer, "id", &email->id);
	json_writer_string(writer, "message_id", message_id);
	json_writer_string(writer, "from", email->sender);
	if (!email_view_write_addresses(writer, email, error))
		return false;
	json_writer_string(writer, "subject", email->subject);
	fcgi_resend_write_time(writer, "created_at", email->created);
	fcgi_resend_write_time(writer, "scheduled_at", email->scheduled_at);
	if (email->has_topic)
		fcgi_resend_write_id(writer, "topic_id", &email->topic_id);
	else
		json_writer_null(writer, "topic_id");
	json_writer_string(writer, "last_event", email_view_state_of(email, event));
	return true;
}

static bool
email_view_write_tags(struct json_writer *writer, const char *text, GError **error)
{
	AUTO(json) tags = text ? json_parse_as("stored tags", text, strlen(text), error) : NULL;
	struct json_iterator members = json_members(tags);
	const struct json *value;
	const char *name;

	if (text && !tags)
		return false;
	json_writer_begin_array(writer, "tags");
	while (json_iterator_next(&members, &name, &value)) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "name", name);
		json_writer_value(writer, "value", value);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	return true;
}

static bool
write_contents(struct json_writer *writer, const struct service *service,
    const struct store_email *email, GError **error)
{
	g_autofree char *url = link_tracking_shown_url(service, email);
	bool has_text = store_email_body(email, PART_HTML) || store_email_body(email, PART_TEXT);
	struct content content;

	if (!content_read(email, url, NULL, &content, error))
		return false;
	json_writer_bytes(writer, "html", content.html);
	json_writer_bytes(writer, "text", has_text ? content.text : NULL);
	content_clear(&content);
	return true;
}

bool
fcgi_resend_email_write(struct json_writer *writer, const struct service *service,
    const struct store_email *email, const struct store_event_history *histories, GError **error)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", "email");
	if (!email_view_write_members(
		writer, email, email_view_latest_of(histories, email->recipients->len), error) ||
	    !write_contents(writer, service, email, error) ||
	    !email_view_write_tags(writer, email->tags, error))
		return false;
	json_writer_end_object(writer);
	return true;
}

/* Reads the latest event of an email whose very latest one is passed over. */
static bool
find_latest(struct service *service, const struct store_email *email, struct store_event **event_r,
    GError **error)
{
	guint count = email->recipients->len;
	g_autofree struct store_event_history *histories =
	    g_new0(struct store_event_history, count);

	if (!store_event_newest(service->db, &email->id, histories, count, error))
		return false;
	const struct store_event *event = email_view_latest_of(histories, count);
	*event_r = event ? store_event_copy(event) : NULL;
	store_event_history_clear(histories, count);
	return true;
}

bool
fcgi_resend_email_write_row(struct json_writer *writer, struct service *service,
    const struct store_email *email, GError **error)
{
	const struct store_event *last = email->last_event;
	struct store_event *found = NULL;

	if (last && email_view_is_passed_over(last)) {
		if (!find_latest(service, email, &found, error))
			return false;
		last = found;
	}
	json_writer_begin_object(writer, NULL);
	bool done = email_view_write_members(writer, email, last, error);
	json_writer_end_object(writer);
	g_clear_pointer(&found, store_event_free);
	return done;
}
