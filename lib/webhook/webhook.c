/* SPDX-License-Identifier: MIT */
/* Checks the fields of webhooks, and makes, keeps and changes their secrets. */
#include "webhook/webhook.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/webhook.h"
#include "base/secret.h"
#include "config/settings.h"
#include "fetch/fetch.h"
#include "json/writer.h"
#include "service/service.h"

#define PREFIX "whsec_"

bool
webhook_check_url(const struct service *service, const char *url, GError **error)
{
	const struct fetch_rules rules = {
	    config_settings_list(service->settings, SETTING_FETCH_ALLOW),
	    config_settings_list(service->settings, SETTING_FETCH_PORTS)};
	guint port = 0;
	enum fetch_fault fault = strlen(url) > LIMIT_WEBHOOK_URL_BYTES
				     ? FETCH_URL_MALFORMED
				     : fetch_url_check(url, &rules, &port);

	switch (fault) {
	case FETCH_URL_GOOD:
		return true;
	case FETCH_URL_MALFORMED:
		return base_invalid(error, "url must be an absolute http or https URL");
	case FETCH_URL_PRIVATE:
		return base_invalid(error, "url must not lead to a private address");
	case FETCH_URL_PORT:
		break;
	}
	return base_invalid(error, "url must not use port %u", port);
}

bool
webhook_events(const char *const *names, guint64 *events_r, GError **error)
{
	*events_r = 0;
	for (guint i = 0; names[i]; i++) {
		enum store_webhook_type type = store_webhook_type(names[i]);

		if (strcmp(names[i], "*") == 0)
			*events_r |= WEBHOOK_ALL;
		else if (type == WEBHOOK_NONE)
			return base_invalid(error, "events[%u] must be the name of an event", i);
		else
			*events_r |= WEBHOOK_BIT(type);
	}
	return *events_r != 0 || base_invalid(error, "events must not be empty");
}

bool
webhook_delivery_status(const char *word, enum store_delivery_status *status_r, GError **error)
{
	*status_r = 0;
	for (guint i = 0; word && store_webhook_delivery_statuses[i]; i++)
		if (strcmp(store_webhook_delivery_statuses[i], word) == 0)
			*status_r = (enum store_delivery_status)(i + 1);
	return !word || *status_r ||
	       base_invalid(error, "status must be one of pending, succeeded, failed");
}

bool
webhook_delivery_type(const char *name, enum store_webhook_type *type_r, GError **error)
{
	bool is_test = name && strcmp(name, store_webhook_name(WEBHOOK_TEST)) == 0;

	*type_r = is_test ? WEBHOOK_TEST : name ? store_webhook_type(name) : WEBHOOK_NONE;
	return !name || *type_r || base_invalid(error, "type must be the name of an event");
}

/* The order in which answers name events. */
static const enum store_webhook_type order[] = {WEBHOOK_EMAIL_SENT, WEBHOOK_EMAIL_DELIVERED,
    WEBHOOK_EMAIL_DELAYED, WEBHOOK_EMAIL_BOUNCED, WEBHOOK_EMAIL_COMPLAINED, WEBHOOK_EMAIL_OPENED,
    WEBHOOK_EMAIL_CLICKED, WEBHOOK_EMAIL_FAILED, WEBHOOK_EMAIL_SUPPRESSED,
    WEBHOOK_EMAIL_UNSUBSCRIBED, WEBHOOK_EMAIL_SCHEDULED, WEBHOOK_EMAIL_CANCELLED,
    WEBHOOK_CONTACT_CREATED, WEBHOOK_CONTACT_UPDATED, WEBHOOK_CONTACT_DELETED,
    WEBHOOK_CONTACT_UNSUBSCRIBED, WEBHOOK_DOMAIN_VERIFIED, WEBHOOK_DOMAIN_FAILED,
    WEBHOOK_DOMAIN_WARNING, WEBHOOK_EXECUTION_STARTED, WEBHOOK_EXECUTION_FINISHED,
    WEBHOOK_EXECUTION_FAILED, WEBHOOK_DOMAIN_CREATED, WEBHOOK_DOMAIN_DELETED,
    WEBHOOK_SUPPRESSION_ADDED, WEBHOOK_SUPPRESSION_REMOVED, WEBHOOK_EMAIL_REPLIED,
    WEBHOOK_EMAIL_RECEIVED};
/* All but WEBHOOK_NONE and WEBHOOK_TEST. */
G_STATIC_ASSERT(G_N_ELEMENTS(order) == WEBHOOK_SUPPRESSION_REMOVED - 1 + 2);

char *
webhook_event_names(guint64 events)
{
	AUTO(json_writer) writer = json_writer_new();
	bool all = events == WEBHOOK_ALL;

	json_writer_begin_array(writer, NULL);
	if (all)
		json_writer_string(writer, NULL, "*");
	for (guint i = 0; !all && i < G_N_ELEMENTS(order); i++)
		if (events & WEBHOOK_BIT(order[i]))
			json_writer_string(writer, NULL, store_webhook_name(order[i]));
	json_writer_end_array(writer);
	return json_writer_take(writer, NULL);
}

static char *
webhook_make_events(const void *row, const void *context)
{
	return webhook_event_names(((const struct store_webhook *)row)->events);
}

static struct json_view_value
webhook_read_reason(const void *row)
{
	const struct store_webhook *webhook = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = store_webhook_reason_name(webhook->disabled_reason)};
}

static struct json_view_value
webhook_read_expires(const void *row)
{
	return (struct json_view_value){.type = VIEW_TIME, .number = webhook_previous_expires(row)};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_webhook, id),
    JSON_VIEW_MEMBER("url", VIEW_TEXT, struct store_webhook, url),
    {"events", VIEW_JSON, .make = webhook_make_events},
    JSON_VIEW_MEMBER("enabled", VIEW_TRUTH, struct store_webhook, enabled),
    JSON_VIEW_MEMBER("description", VIEW_TEXT, struct store_webhook, description),
    JSON_VIEW_MEMBER("batch", VIEW_TRUTH, struct store_webhook, batch),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_webhook, created),
    {"disabled_reason", VIEW_MADE, .read = webhook_read_reason},
    JSON_VIEW_MEMBER("failing_since", VIEW_TIME, struct store_webhook, failing_since),
    {"previous_expires", VIEW_MADE, .read = webhook_read_expires},
};
const struct json_view webhook_view = JSON_VIEW(members);

static void
webhook_write_attempt(struct json_writer *writer, const struct store_webhook_attempt *attempt)
{
	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "timestamp", attempt->timestamp);
	if (attempt->response_status)
		json_writer_integer(writer, "response_status", attempt->response_status);
	else
		json_writer_null(writer, "response_status");
	json_writer_integer(writer, "duration", attempt->duration);
	json_writer_string(writer, "response_body", attempt->response_body);
	json_writer_string(writer, "error", attempt->error);
	json_writer_end_object(writer);
}

static char *
webhook_make_attempts(const void *row, const void *context)
{
	const struct store_webhook_delivery *delivery = row;
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_array(writer, NULL);
	for (guint i = 0; i < delivery->attempts->len; i++)
		webhook_write_attempt(writer, delivery->attempts->pdata[i]);
	json_writer_end_array(writer);
	return json_writer_take(writer, NULL);
}

static struct json_view_value
webhook_read_type(const void *row)
{
	const struct store_webhook_delivery *delivery = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = store_webhook_name(delivery->type)};
}

static const struct json_view_member delivery_members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_webhook_delivery, id),
    JSON_VIEW_MEMBER("webhook_id", VIEW_ID, struct store_webhook_delivery, webhook_id),
    JSON_VIEW_MEMBER("event_id", VIEW_ID, struct store_webhook_delivery, event_id),
    {"type", VIEW_MADE, .read = webhook_read_type},
    JSON_VIEW_MEMBER("status", VIEW_WORD, struct store_webhook_delivery, status,
	store_webhook_delivery_statuses),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_webhook_delivery, created),
    JSON_VIEW_MEMBER("next_attempt", VIEW_TIME, struct store_webhook_delivery, next_attempt),
    {"attempts", VIEW_JSON, .make = webhook_make_attempts},
};
const struct json_view webhook_delivery_view = JSON_VIEW(delivery_members);

/* Makes a secret: its text, and its encrypted key. */
static char *
make_secret(const struct service *service, const struct base_id *id, GBytes **sealed_r)
{
	guint8 key[WEBHOOK_KEY_BYTES];

	base_secret_random(key, sizeof(key));
	g_autoptr(GBytes) plain = g_bytes_new(key, sizeof(key));
	g_autofree char *text = g_base64_encode(key, sizeof(key));
	*sealed_r =
	    base_secret_encrypt(config_settings_secret(service->settings), plain, id, sizeof(*id));
	return g_strconcat(PREFIX, text, NULL);
}

char *
webhook_create(struct service *service, struct store_webhook *webhook, GError **error)
{
	if (!webhook_check_url(service, webhook->url, error))
		return NULL;
	webhook->id = base_id_new();
	webhook->created = base_clock_now();
	g_autofree char *secret = make_secret(service, &webhook->id, &webhook->secret);
	return store_webhook_create(service->db, webhook, error) ? g_steal_pointer(&secret) : NULL;
}

struct store_webhook *
webhook_change(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct store_webhook_change *change, GError **error)
{
	if (change->url && !webhook_check_url(service, change->url, error))
		return NULL;
	return store_webhook_change(service->db, workspace, id, change, error);
}

char *
webhook_rotate(struct service *service, const struct base_id *workspace, const struct base_id *id,
    gint64 *expires_r, GError **error)
{
	g_autoptr(GBytes) sealed = NULL;
	g_autofree char *secret = make_secret(service, id, &sealed);

	*expires_r = base_clock_now() + LIMIT_WEBHOOK_SECRET_MS;
	return store_webhook_rotate(service->db, workspace, id, sealed, *expires_r, error)
		   ? g_steal_pointer(&secret)
		   : NULL;
}

char *
webhook_secret(struct service *service, const struct store_webhook *webhook, GError **error)
{
	g_autoptr(GBytes) key = base_secret_decrypt(config_settings_secret(service->settings),
	    webhook->secret, &webhook->id, sizeof(webhook->id), error);
	gsize size;

	if (!key) {
		g_prefix_error(error, "the secret of a webhook: ");
		return NULL;
	}
	const guint8 *bytes = g_bytes_get_data(key, &size);
	g_autofree char *text = g_base64_encode(bytes, size);
	return g_strconcat(PREFIX, text, NULL);
}

gint64
webhook_previous_expires(const struct store_webhook *webhook)
{
	return webhook->previous_expires > base_clock_now() ? webhook->previous_expires : 0;
}

bool
webhook_secrets(struct service *service, const struct store_webhook *webhook, GBytes **keys_r,
    guint *count_r, GError **error)
{
	const struct base_secret *secret = config_settings_secret(service->settings);
	GBytes *const sealed[] = {webhook->secret, webhook->previous_secret};
	guint used = webhook_previous_expires(webhook) ? 2 : 1;

	for (*count_r = 0; *count_r < used; ++*count_r) {
		keys_r[*count_r] = base_secret_decrypt(
		    secret, sealed[*count_r], &webhook->id, sizeof(webhook->id), error);
		if (keys_r[*count_r])
			continue;
		while (*count_r > 0)
			g_bytes_unref(keys_r[--*count_r]);
		g_prefix_error(error, "the secret of a webhook: ");
		return false;
	}
	return true;
}
