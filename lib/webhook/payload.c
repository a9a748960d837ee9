/* SPDX-License-Identifier: MIT */
/* Writes events as webhooks get them. */
#include "webhook/payload.h"

#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "email/event_view.h"
#include "json/writer.h"
#include "link/token_cut.h"
#include "service/service.h"
#include "store/webhook/delivery.h"
#include "store/webhook/event_data.h"
#include "webhook/compat.h"

#define BATCH 100

/* The time at which an email was to leave: when it was scheduled, that time; else its last one. */
static void
write_scheduled_at(struct json_writer *writer, const struct store_webhook_event_data *told)
{
	if (told->data)
		json_writer_raw(writer, "scheduled_at", told->data, strlen(told->data));
	else if (told->email->scheduled_at)
		json_writer_integer(writer, "scheduled_at", told->email->scheduled_at);
	else
		json_writer_null(writer, "scheduled_at");
}

static void
payload_write_event(struct json_writer *writer, const struct store_webhook_event_data *told)
{
	json_writer_string(writer, "recipient", told->event ? told->recipient : NULL);
	if (!told->event) {
		json_writer_null(writer, "event");
		return;
	}
	json_writer_begin_object(writer, "event");
	email_event_view_write(writer, told->event);
	json_writer_end_object(writer);
}

/* To whom the email goes; of a broadcast the one recipient. Returns false for an email whose list
   of addresses cannot be read. */
static bool
payload_write_to(struct json_writer *writer, const struct store_webhook_event_data *told)
{
	if (!told->email->has_broadcast)
		return email_event_view_write_addresses(writer, "to", told->email->to, NULL);
	json_writer_begin_array(writer, "to");
	if (told->recipient)
		json_writer_string(writer, NULL, told->recipient);
	json_writer_end_array(writer);
	return true;
}

/* Returns false for an email whose list of addresses cannot be read. */
static bool
payload_write_email(struct json_writer *writer, const struct store_webhook_event_data *told)
{
	const struct store_email *email = told->email;
	const char *tags = email->tags ? email->tags : "{}";
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, "data");
	json_writer_string(
	    writer, "email_id", base_id_format(store_webhook_event_data_id(told), id));
	json_writer_string(writer, "email_type", store_email_type_name(email->type));
	json_writer_string(writer, "from", email->sender);
	if (!payload_write_to(writer, told))
		return false;
	json_writer_string(writer, "subject", email->subject);
	json_writer_raw(writer, "tags", tags, strlen(tags));
	json_writer_integer(writer, "created", email->created);
	write_scheduled_at(writer, told);
	payload_write_event(writer, told);
	json_writer_end_object(writer);
	return true;
}

/* Whether the event is one of the whole email. */
static bool
payload_is_whole(const struct webhook_event *event)
{
	return event->type == WEBHOOK_EMAIL_SCHEDULED || event->type == WEBHOOK_EMAIL_CANCELLED;
}

/* Whether the data of the event are those of an email; else they are in webhook_event. */
static bool
payload_is_of_email(const struct webhook_event *event)
{
	return event->has_email &&
	       (event->type <= WEBHOOK_EMAIL_CANCELLED || event->type == WEBHOOK_EMAIL_REPLIED);
}

static bool
payload_is_there(const struct webhook_event *event, const struct store_webhook_event_data *told)
{
	return payload_is_of_email(event) ? told->email && (payload_is_whole(event) || told->event)
					  : told->data != NULL;
}

/* Returns false for an email whose list of addresses cannot be read. */
static bool
write_ours(struct json_writer *writer, const struct webhook_event *event,
    const struct store_webhook_event_data *told)
{
	char id[ID_TEXT_SIZE], time[CLOCK_ISO_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&event->id, id));
	json_writer_string(writer, "type", store_webhook_name(event->type));
	json_writer_string(writer, "timestamp", base_clock_format(event->created, time));
	if (!payload_is_of_email(event))
		json_writer_raw(writer, "data", told->data, strlen(told->data));
	else if (!payload_write_email(writer, told))
		return false;
	json_writer_end_object(writer);
	return true;
}

/* Leaves the payload NULL where there is none. */
static bool
write_payload(struct service *service, struct webhook_event *event,
    const struct store_webhook_event_data *told, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!payload_is_there(event, told))
		return true;
	if (event->form == WEBHOOK_FORM_COMPAT) {
		if (!webhook_compat_write(
			service, writer, event->type, event->created, told, error))
			return false;
	} else if (!write_ours(writer, event, told)) {
		return true;
	}
	gsize size;
	event->payload = json_writer_take(writer, &size);
	GString *cut =
	    link_token_cut(config_settings_secret(service->settings), event->payload, size);
	if (cut) {
		g_free(event->payload);
		event->payload = g_string_free(cut, FALSE);
	}
	return true;
}

/* At most BATCH events. */
static bool
payload_make(struct service *service, struct webhook_event *events, guint count, GError **error)
{
	struct store_webhook_event_data told[BATCH] = {{0}};

	for (guint i = 0; i < count; i++) {
		told[i].id = &events[i].id;
		told[i].workspace = &events[i].workspace_id;
		told[i].email_id = payload_is_of_email(&events[i]) ? &events[i].email_id : NULL;
		told[i].number = payload_is_whole(&events[i]) ? 0 : events[i].recipient;
		told[i].created = events[i].created;
	}
	if (!store_webhook_event_data_read(service->db, told, count, error))
		return false;
	bool done = true;
	for (guint i = 0; i < count && done; i++)
		done = write_payload(service, &events[i], &told[i], error);
	store_webhook_event_data_clear(told, count);
	return done;
}

bool
webhook_payloads(struct service *service, struct webhook_event *events, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		events[i].payload = NULL;
	for (guint done = 0; done < count; done += BATCH)
		if (!payload_make(service, events + done, MIN(count - done, BATCH), error)) {
			for (guint i = 0; i < count; i++)
				g_clear_pointer(&events[i].payload, g_free);
			return false;
		}
	return true;
}

bool
webhook_payload_write(struct json_writer *writer, struct service *service,
    const struct store_webhook_delivery *delivery, GError **error)
{
	struct webhook_event event = {.id = delivery->event_id,
	    .workspace_id = delivery->workspace_id,
	    .type = delivery->type,
	    .email_id = delivery->email_id,
	    .has_email = delivery->has_email,
	    .recipient = delivery->recipient,
	    .created = delivery->happened,
	    .form = delivery->form};

	if (!webhook_payloads(service, &event, 1, error))
		return false;
	json_writer_raw(
	    writer, "payload", event.payload, event.payload ? strlen(event.payload) : 0);
	g_free(event.payload);
	return true;
}
