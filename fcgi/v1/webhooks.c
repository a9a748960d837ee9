/* SPDX-License-Identifier: MIT */
/* Webhooks: create, list, read, change and delete them, and repeat their deliveries
   (/v1/webhooks). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "webhook/webhook.h"

struct input {
	const char *url, *description;
	const struct json *events, *enabled, *batch; /* FIELD_BOOLEAN could not tell null from false
						      */
	bool events_given, description_given;
	bool enabled_value, batch_value;
};

static const struct json_field fields[] = {FIELDS_WEBHOOK_CHANGE(struct input)};

const struct json_table fcgi_webhooks_body = JSON_TABLE(fields);

/* The id in the path. One that is no id is all zero, which no webhook has. */
static struct base_id
webhooks_id_of(const struct fcgi_call *call)
{
	struct base_id id = {{0}};

	base_id_parse(call->arguments[0], &id);
	return id;
}

/* Reads an array of names of events, or "*". */
static bool
v1_webhooks_read_events(const struct json *given, guint64 *events_r, GError **error)
{
	gsize count = json_array_length(given);
	g_autofree const char **names = g_new0(const char *, count + 1);

	*events_r = WEBHOOK_ALL;
	if (g_strcmp0(json_string(given, NULL), "*") == 0)
		return true;
	if (json_kind(given) != JSON_ARRAY)
		return base_invalid(error, "events must be an array");
	for (gsize i = 0; i < count; i++) {
		names[i] = json_string(json_array_at(given, i), NULL);
		if (!names[i])
			return base_invalid(error, "events[%zu] must be a string", i);
	}
	return webhook_events(names, events_r, error);
}

/* Reads the body; null for events is all of them, and for description none. The change borrows from
   the input and the call. */
static bool
webhooks_read_input(struct fcgi_call *call, bool is_new, struct input *input,
    struct store_webhook_change *change, GError **error)
{
	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), input, error))
		return false;
	if (is_new && !input->url)
		return base_invalid(error, "url is required");
	input->enabled_value = json_boolean(input->enabled);
	input->batch_value = json_boolean(input->batch);
	*change = (struct store_webhook_change){
	    .url = input->url,
	    .description =
		input->description_given && !input->description ? "" : input->description,
	    .events = input->events_given ? WEBHOOK_ALL : 0,
	    .enabled = input->enabled ? &input->enabled_value : NULL,
	    .batch = input->batch ? &input->batch_value : NULL,
	};
	return (!input->url || webhook_check_url(call->service, input->url, error)) &&
	       (!input->events || v1_webhooks_read_events(input->events, &change->events, error));
}

static void
reply_created(struct fcgi_call *call, const struct store_webhook *webhook, const char *secret)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_view_write_members(writer, &webhook_view, webhook, call->service);
	json_writer_string(writer, "secret", secret);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

static bool
v1_webhooks_create(struct fcgi_call *call, const struct store_webhook_change *given, GError **error)
{
	AUTO(store_webhook) webhook = g_new0(struct store_webhook, 1);
	webhook->workspace_id = call->key.workspace_id;
	webhook->url = g_strdup(given->url);
	webhook->description = g_strdup(given->description ? given->description : "");
	webhook->events = given->events ? given->events : WEBHOOK_ALL;
	webhook->enabled = given->enabled ? *given->enabled : true;
	webhook->batch = given->batch ? *given->batch : false;
	g_autofree char *secret = webhook_create(call->service, webhook, error);
	if (secret)
		reply_created(call, webhook, secret);
	return secret != NULL;
}

bool
fcgi_webhooks_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct store_webhook_change given;

	return webhooks_read_input(call, true, &input, &given, error) &&
	       v1_webhooks_create(call, &given, error);
}

bool
fcgi_webhooks_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) webhooks = store_webhook_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"webhooks", webhooks, LIMIT_PAGE, false,
		offsetof(struct store_webhook, id), .view = &webhook_view},
	    error);
}

bool
fcgi_webhooks_get(struct fcgi_call *call, GError **error)
{
	struct base_id id = webhooks_id_of(call);
	AUTO(store_webhook) webhook =
	    store_webhook_get(call->service->db, &call->key.workspace_id, &id, error);
	return fcgi_page_reply_view(call, &webhook_view, webhook);
}

static bool
change(struct fcgi_call *call, const struct store_webhook_change *given, GError **error)
{
	struct base_id id = webhooks_id_of(call);
	AUTO(store_webhook) webhook =
	    webhook_change(call->service, &call->key.workspace_id, &id, given, error);

	return fcgi_page_reply_view(call, &webhook_view, webhook);
}

bool
fcgi_webhooks_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct store_webhook_change given;

	return webhooks_read_input(call, false, &input, &given, error) &&
	       change(call, &given, error);
}

bool
fcgi_webhooks_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id = webhooks_id_of(call);

	if (!store_webhook_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Webhook deleted");
	return true;
}

bool
fcgi_webhooks_rotate(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	char text[ID_TEXT_SIZE];
	struct base_id id = webhooks_id_of(call);
	gint64 expires;
	g_autofree char *secret =
	    webhook_rotate(call->service, &call->key.workspace_id, &id, &expires, error);
	if (!secret)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&id, text));
	json_writer_string(writer, "secret", secret);
	json_writer_integer(writer, "previous_expires", expires);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

struct span_input {
	const char *status;
	gint64 from, to;
};

static const struct json_field span_fields[] = {FIELDS_NEW_REPLAY(struct span_input)};

const struct json_table fcgi_webhooks_span = JSON_TABLE(span_fields);

bool
fcgi_webhooks_replay(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct span_input input = {.to = base_clock_now()};
	struct store_webhook_delivery_span span;
	struct base_id id = webhooks_id_of(call);
	struct store_webhook_replayed replayed;

	if (!json_fields_read(call->json, span_fields, G_N_ELEMENTS(span_fields), &input, error) ||
	    !webhook_delivery_status(input.status, &span.status, error))
		return false;
	span.from = input.from;
	span.to = input.to;
	if (!store_webhook_delivery_replay_span(
		call->service->db, &call->key.workspace_id, &id, &span, &replayed, error))
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "count", replayed.count);
	json_writer_boolean(writer, "more", replayed.more);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
