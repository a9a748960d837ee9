/* SPDX-License-Identifier: MIT */
/* Writes events of emails as JSON. */
#include "email/event_view.h"

#include "email/submission.h"
#include "json/writer.h"
#include "store/email/event.h"

bool
email_event_view_write_addresses(
    struct json_writer *writer, const char *key, const char *list, GError **error)
{
	g_autoptr(GPtrArray) addresses = email_envelope_addresses(list, error);

	if (!addresses)
		return false;
	json_writer_begin_array(writer, key);
	for (guint i = 0; i < addresses->len; i++)
		json_writer_string(writer, NULL, addresses->pdata[i]);
	json_writer_end_array(writer);
	return true;
}

bool
email_event_view_is_engagement(const struct store_event *event)
{
	return event->status == EVENT_OPENED || event->status == EVENT_CLICKED;
}

static void
event_view_write_engagement(struct json_writer *writer, const struct store_event *event)
{
	if (event->status == EVENT_CLICKED)
		json_writer_string(writer, "link", event->link);
	if (event->status == EVENT_REPLIED)
		json_writer_string(writer, "received_id", event->link);
	if (email_event_view_is_engagement(event))
		json_writer_boolean(writer, "automated", event->automated);
}

static void
write_smtp(struct json_writer *writer, const struct store_event *event)
{
	if (event->relay)
		json_writer_string(writer, "relay", event->relay);
	/* A rule that keeps a mailing back says so. */
	bool is_told = event->status == EVENT_SUPPRESSED && event->smtp_response;
	if (event->status != EVENT_BOUNCED && event->status != EVENT_DELAYED &&
	    event->status != EVENT_FAILED && !is_told)
		return;
	json_writer_string(writer, "smtp_response", event->smtp_response);
	if (event->enhanced_code)
		json_writer_string(writer, "enhanced_code", event->enhanced_code);
	if (event->status == EVENT_BOUNCED)
		json_writer_string(writer, "type",
		    event->bounce_type == BOUNCE_TRANSIENT ? "Transient" : "Permanent");
}

void
email_event_view_write_details(struct json_writer *writer, const struct store_event *event)
{
	event_view_write_engagement(writer, event);
	write_smtp(writer, event);
}

void
email_event_view_write(struct json_writer *writer, const struct store_event *event)
{
	json_writer_string(writer, "status", store_event_name(event->status));
	json_writer_integer(writer, "timestamp", event->timestamp);
	if (email_event_view_is_engagement(event)) {
		json_writer_string(writer, "ip", event->ip);
		json_writer_string(writer, "user_agent", event->user_agent);
	}
	email_event_view_write_details(writer, event);
}
