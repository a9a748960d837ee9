/* SPDX-License-Identifier: MIT */
/* Takes events of contacts, which start and continue workflows (POST /v1/events). */
#include "fcgi/v1/handlers.h"

#include "api/fields.h"
#include "automation/event.h"
#include "base/clock.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"

static const struct json_field fields[] = {FIELDS_NEW_EVENT(struct automation_event_input)};

const struct json_table fcgi_events_body = JSON_TABLE(fields);

static char *
events_write_event(const struct service_once *request)
{
	const struct automation_recording *event = (const struct automation_recording *)request;
	AUTO(json_writer) writer = json_writer_new();
	char id[ID_TEXT_SIZE], time[CLOCK_ISO_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "status", event->deduplicated ? "deduplicated" : "processed");
	json_writer_string(writer, "event_id", base_id_format(&event->event_id, id));
	json_writer_string(writer, "timestamp", base_clock_format(event->timestamp, time));
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static struct service_once *
v1_events_check(struct fcgi_call *call, GError **error)
{
	struct automation_event_input input = {0};
	struct service_idempotency key;

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !fcgi_call_idempotency(call, &key, events_write_event, error))
		return NULL;
	input.timed = json_member_get(call->json, "timestamp") != NULL;
	struct automation_recording *event =
	    automation_event_check(call->service, &call->key.workspace_id, &input, &key, error);
	if (!event)
		return NULL;
	event->only_domain = fcgi_call_only_domain(call);
	return &event->request;
}

const struct fcgi_storing fcgi_events_storing = {200, v1_events_check, events_write_event, NULL};
