/* SPDX-License-Identifier: MIT */
/* Makes requests of deliveries, and results of answers. */
#include "webhook/batch.h"

#include <string.h>

#include "base/clock.h"
#include "fetch/post.h"
#include "service/service.h"
#include "webhook/payload.h"
#include "webhook/request.h"
#include "webhook/schedule.h"
#include "webhook/webhook.h"

#define GONE 410

#define REMOVED "The email was removed before it was told"

static struct webhook_entry *
batch_entry_of(const struct webhook_batch *unit, guint i)
{
	return &g_array_index(unit->entries, struct webhook_entry, i);
}

static void
clear_entry(void *entry)
{
	g_free(((struct webhook_entry *)entry)->payload);
}

struct webhook_batch *
webhook_batch_new(void)
{
	struct webhook_batch *unit = g_new0(struct webhook_batch, 1);

	unit->entries = g_array_new(FALSE, TRUE, sizeof(struct webhook_entry));
	g_array_set_clear_func(unit->entries, clear_entry);
	return unit;
}

void
webhook_batch_free(struct webhook_batch *unit)
{
	g_array_unref(unit->entries);
	g_free(unit->body);
	g_free(unit->error);
	g_free(unit);
}

void
webhook_batch_add(struct webhook_batch *unit, const struct store_delivery *delivery)
{
	const struct webhook_entry entry = {.delivery = *delivery};

	g_array_append_val(unit->entries, entry);
}

bool
webhook_batch_load(struct service *service, const struct store_webhook_state *webhook,
    const GPtrArray *units, GError **error)
{
	g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(struct webhook_event));
	guint place = 0;

	for (guint i = 0; i < units->len; i++) {
		const struct webhook_batch *unit = units->pdata[i];

		for (guint j = 0; j < unit->entries->len; j++) {
			const struct store_delivery *delivery = &batch_entry_of(unit, j)->delivery;
			const struct webhook_event event = {.id = delivery->event_id,
			    .workspace_id = webhook->workspace_id,
			    .form = webhook->form,
			    .type = delivery->type,
			    .email_id = delivery->email_id,
			    .has_email = delivery->has_email,
			    .recipient = delivery->recipient,
			    .created = delivery->created};

			g_array_append_val(events, event);
		}
	}
	if (events->len > 0 &&
	    !webhook_payloads(
		service, (struct webhook_event *)(void *)events->data, events->len, error))
		return false;
	for (guint i = 0; i < units->len; i++) {
		const struct webhook_batch *unit = units->pdata[i];

		for (guint j = 0; j < unit->entries->len; j++) {
			struct webhook_event *event =
			    &g_array_index(events, struct webhook_event, place++);

			g_free(batch_entry_of(unit, j)->payload);
			batch_entry_of(unit, j)->payload = event->payload;
		}
	}
	return true;
}

/* Attempts of the unit so far: the members of a batch have had the same, unless one was replayed.
 */
static guint
attempts_of(const struct webhook_batch *unit)
{
	guint attempts = G_MAXUINT;

	for (guint i = 0; i < unit->entries->len; i++)
		attempts = MIN(attempts, batch_entry_of(unit, i)->delivery.attempts);
	return attempts;
}

bool
webhook_batch_keys(struct service *service, const struct store_webhook_state *state,
    GBytes **keys_r, guint *count_r, GError **error)
{
	const struct store_webhook webhook = {
	    .id = state->id,
	    .workspace_id = state->workspace_id,
	    .secret = state->secret,
	    .previous_secret = state->previous_secret,
	    .previous_expires = state->previous_expires,
	};

	return webhook_secrets(service, &webhook, keys_r, count_r, error);
}

/* The body, NULL when there is nothing to tell. */
static GBytes *
batch_body_of(const struct webhook_batch *unit)
{
	g_autoptr(GPtrArray) payloads = g_ptr_array_new();

	for (guint i = 0; i < unit->entries->len; i++)
		if (batch_entry_of(unit, i)->payload)
			g_ptr_array_add(payloads, batch_entry_of(unit, i)->payload);
	if (payloads->len == 0)
		return NULL;
	if (unit->has_batch)
		return webhook_batch_body(&unit->batch_id, payloads);
	return g_bytes_new(payloads->pdata[0], strlen(payloads->pdata[0]));
}

struct fetch_post *
webhook_batch_post(struct webhook_batch *unit, const struct store_webhook_state *webhook,
    GBytes *const *keys, guint count)
{
	GBytes *body = batch_body_of(unit);
	const struct base_id *id =
	    unit->has_batch ? &unit->batch_id : &batch_entry_of(unit, 0)->delivery.event_id;

	unit->removed =
	    (struct store_attempt){.timestamp = base_clock_now(), .body = "", .error = REMOVED};
	if (!body) {
		unit->lost = true;
		return NULL;
	}
	struct fetch_post *post = g_new0(struct fetch_post, 1);
	post->url = g_strdup(webhook->url);
	post->headers = webhook_headers(id, base_clock_now(), body, keys, count);
	post->body = body;
	post->context = unit;
	return post;
}

/* Text of an answer as it is stored: NUL and what is not UTF-8 replaced. */
static char *
make_text(const GString *bytes)
{
	if (!bytes)
		return g_strdup("");
	for (gsize i = 0; i < bytes->len; i++)
		if (bytes->str[i] == '\0')
			bytes->str[i] = (char)0xff;
	return g_utf8_make_valid(bytes->str, (gssize)bytes->len);
}

void
webhook_batch_end(struct webhook_batch *unit, const struct fetch_post *post)
{
	unit->body = make_text(post->text);
	unit->error = g_strdup(post->error);
	unit->ended = post->ended;
	unit->attempt = (struct store_attempt){
	    .timestamp = post->begun,
	    .status = post->status,
	    .duration = MAX(0, post->ended - post->begun),
	    .body = unit->body,
	    .error = unit->error,
	};
	unit->next_attempt =
	    post->status == GONE ? 0 : webhook_next_attempt(attempts_of(unit) + 1, post->ended);
}

bool
webhook_batch_succeeded(const struct webhook_batch *unit)
{
	return unit->attempt.status >= 200 && unit->attempt.status < 300;
}

static void
batch_fill_result(const struct webhook_batch *unit, const struct webhook_entry *entry,
    struct store_webhook_result *result_r)
{
	bool lost = !entry->payload,
	     again = !lost && !webhook_batch_succeeded(unit) && unit->next_attempt > 0;

	*result_r = (struct store_webhook_result){
	    .delivery = &entry->delivery,
	    .attempt = lost ? &unit->removed : &unit->attempt,
	    .status = again				       ? DELIVERY_PENDING
		      : !lost && webhook_batch_succeeded(unit) ? DELIVERY_SUCCEEDED
							       : DELIVERY_FAILED,
	    .attempts = attempts_of(unit) + 1,
	    .next_attempt = again ? unit->next_attempt : 0,
	    .stays = again && unit->has_batch,
	};
}

bool
webhook_batch_store(struct service *service, const struct store_webhook_state *webhook,
    const GPtrArray *units, GError **error)
{
	g_autoptr(GArray) results = g_array_new(FALSE, FALSE, sizeof(struct store_webhook_result));

	for (guint i = 0; i < units->len; i++) {
		const struct webhook_batch *unit = units->pdata[i];
		struct store_webhook_result result = {.stays = false};

		for (guint j = 0; j < unit->entries->len; j++) {
			batch_fill_result(unit, batch_entry_of(unit, j), &result);
			g_array_append_val(results, result);
		}
		if (unit->has_batch &&
		    (unit->lost || unit->next_attempt == 0 || webhook_batch_succeeded(unit)) &&
		    !store_webhook_batch_end(service->db, &webhook->id, &unit->batch_id, error))
			return false;
	}
	return store_webhook_results(service->db, &webhook->workspace_id, &webhook->id,
	    (const struct store_webhook_result *)(const void *)results->data, results->len, error);
}
