/* SPDX-License-Identifier: MIT */
/* Webhooks under /resend: make, show, change and remove them. Webhooks that were made under /v1 are
   not there. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/error.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/webhook/webhook.h"
#include "webhook/compat.h"
#include "webhook/webhook.h"

#define OBJECT "webhook"

struct input {
	const char *endpoint, **events, *status;
};

/* clang-format off */
static const struct json_field new_fields[] = {
	JSON_FIELD("endpoint", FIELD_STRING, struct input, endpoint, .required = true, .min = 1),
	JSON_FIELD("events", FIELD_STRINGS, struct input, events, .required = true, .min = 1),
};

static const struct json_field change_fields[] = {
	JSON_FIELD("endpoint", FIELD_STRING, struct input, endpoint, .min = 1),
	JSON_FIELD("events", FIELD_STRINGS, struct input, events, .min = 1),
	JSON_FIELD("status", FIELD_STRING, struct input, status, .min = 1),
};
/* clang-format on */

const struct json_table fcgi_resend_webhooks_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_webhooks_change = JSON_TABLE(change_fields);

/* Turns the sentence of an error about a field into that of this front. Other errors stay. */
static bool
webhooks_fail(const char *field, GError *failure, GError **error)
{
	const char *sentence = failure->message;

	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, failure);
		return false;
	}
	/* The service calls the endpoint url. */
	if (g_str_has_prefix(sentence, "url "))
		fcgi_resend_fail(error, RESEND_INVALID, "Invalid `%s` field. %s%s.", field, field,
		    sentence + strlen("url"));
	else
		fcgi_resend_fail(error, RESEND_INVALID, "Invalid `%s` field. %s.", field, sentence);
	g_error_free(failure);
	return false;
}

static bool
webhooks_read_events(const struct input *input, guint64 *events_r, GError **error)
{
	GError *failure = NULL;

	return !input->events ||
	       webhook_compat_events((const char *const *)input->events, events_r, &failure) ||
	       webhooks_fail("events", failure, error);
}

bool
fcgi_resend_webhooks_find(struct fcgi_call *call, struct store_webhook **webhook_r, GError **error)
{
	struct base_id id;

	*webhook_r = NULL;
	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	AUTO(store_webhook) webhook =
	    store_webhook_get(call->service->db, &call->key.workspace_id, &id, error);
	if (!webhook)
		return false;
	if (webhook->form != WEBHOOK_FORM_COMPAT)
		return store_webhook_missing(error);
	*webhook_r = g_steal_pointer(&webhook);
	return true;
}

static void
reply_secret(struct fcgi_call *call, guint status, const struct base_id *id, const char *secret)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	fcgi_resend_write_id(writer, "id", id);
	json_writer_string(writer, "signing_secret", secret);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, status, writer);
}

static bool
check_endpoint(struct fcgi_call *call, const char *endpoint, GError **error)
{
	GError *failure = NULL;

	return !endpoint || webhook_check_url(call->service, endpoint, &failure) ||
	       webhooks_fail("endpoint", failure, error);
}

static bool
webhooks_create(struct fcgi_call *call, const struct input *input, GError **error)
{
	AUTO(store_webhook) webhook = g_new0(struct store_webhook, 1);
	GError *failure = NULL;

	if (!webhooks_read_events(input, &webhook->events, error))
		return false;
	webhook->workspace_id = call->key.workspace_id;
	webhook->url = g_strdup(input->endpoint);
	webhook->description = g_strdup("");
	webhook->form = WEBHOOK_FORM_COMPAT;
	webhook->enabled = true;
	g_autofree char *secret = webhook_create(call->service, webhook, &failure);
	if (!secret)
		return webhooks_fail("endpoint", failure, error);
	reply_secret(call, 201, &webhook->id, secret);
	return true;
}

bool
fcgi_resend_webhooks_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	bool done = fcgi_resend_read(call->json, &fcgi_resend_webhooks_new, &input, error) &&
		    webhooks_create(call, &input, error);

	json_fields_free(new_fields, G_N_ELEMENTS(new_fields), &input);
	return done;
}

/* The members that each form of a webhook has. */
static const struct fcgi_resend_member members[] = {
    {"id"},
    {"created_at", "created"},
    {"status", "enabled", {"disabled", "enabled"}},
    {"endpoint", "url"},
};

static void
webhooks_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_webhook *webhook = row;

	fcgi_resend_write_view(writer, &webhook_view, members, G_N_ELEMENTS(members), row);
	webhook_compat_write_events(writer, "events", webhook->events);
}

bool
fcgi_resend_webhooks_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	g_autoptr(GPtrArray) webhooks =
	    store_webhook_compat_page(call->service->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, webhooks, webhooks_write_members);
}

/* The secret is null for who may only read. */
bool
fcgi_resend_webhooks_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_webhook) webhook = NULL;
	g_autofree char *secret = NULL;

	if (!fcgi_resend_webhooks_find(call, &webhook, error))
		return false;
	if (fcgi_route_shows_secrets(&call->key) &&
	    !(secret = webhook_secret(call->service, webhook, error)))
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	webhooks_write_members(writer, call->service, webhook);
	json_writer_string(writer, "signing_secret", secret);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

static bool
webhooks_read_status(const char *word, bool *enabled_r, GError **error)
{
	*enabled_r = g_strcmp0(word, "enabled") == 0;
	return !word || *enabled_r || strcmp(word, "disabled") == 0 ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `status` field. status must be enabled or disabled.");
}

static bool
webhooks_change(struct fcgi_call *call, const struct input *input, GError **error)
{
	struct store_webhook_change wish = {.url = input->endpoint};
	AUTO(store_webhook) webhook = NULL;
	AUTO(store_webhook) changed = NULL;
	GError *failure = NULL;
	bool enabled;

	if (!webhooks_read_events(input, &wish.events, error) ||
	    !webhooks_read_status(input->status, &enabled, error) ||
	    !check_endpoint(call, input->endpoint, error) ||
	    !fcgi_resend_webhooks_find(call, &webhook, error))
		return false;
	wish.enabled = input->status ? &enabled : NULL;
	changed =
	    webhook_change(call->service, &call->key.workspace_id, &webhook->id, &wish, &failure);
	if (!changed)
		return webhooks_fail("endpoint", failure, error);
	fcgi_resend_reply_id(call, 200, OBJECT, &webhook->id, false);
	return true;
}

bool
fcgi_resend_webhooks_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	bool done = fcgi_resend_read(call->json, &fcgi_resend_webhooks_change, &input, error) &&
		    webhooks_change(call, &input, error);

	json_fields_free(change_fields, G_N_ELEMENTS(change_fields), &input);
	return done;
}

bool
fcgi_resend_webhooks_delete(struct fcgi_call *call, GError **error)
{
	AUTO(store_webhook) webhook = NULL;

	if (!fcgi_resend_webhooks_find(call, &webhook, error) ||
	    !store_webhook_remove(call->service->db, &call->key.workspace_id, &webhook->id, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &webhook->id, true);
	return true;
}

bool
fcgi_resend_webhooks_rotate(struct fcgi_call *call, GError **error)
{
	AUTO(store_webhook) webhook = NULL;
	gint64 expires;

	if (!fcgi_resend_webhooks_find(call, &webhook, error))
		return false;
	g_autofree char *secret =
	    webhook_rotate(call->service, &call->key.workspace_id, &webhook->id, &expires, error);
	if (!secret)
		return false;
	reply_secret(call, 200, &webhook->id, secret);
	return true;
}
