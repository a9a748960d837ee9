/* SPDX-License-Identifier: MIT */
/* Sends webhook.test. */
#include "webhook/send.h"

#include "base/limits/webhook.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "fetch/post.h"
#include "service/service.h"
#include "store/webhook/claim.h"
#include "store/webhook/enqueue.h"
#include "webhook/batch.h"
#include "webhook/payload.h"

struct testing {
	struct service *service;
	const struct store_webhook_state *state;
	const GPtrArray *units;
};

/* The delivery to make. */
struct telling {
	const struct base_id *workspace, *webhook;
	struct base_id *delivery;
};

static bool
tell_test(struct db *db, void *context, GError **error)
{
	const struct telling *telling = context;

	return store_webhook_enqueue_test(
	    db, telling->workspace, telling->webhook, telling->delivery, error);
}

static bool
record_test(struct db *db, void *context, GError **error)
{
	const struct testing *testing = context;
	const struct webhook_batch *unit = testing->units->pdata[0];

	return webhook_batch_store(testing->service, testing->state, testing->units, error) &&
	       (unit->attempt.status != 410 || store_webhook_switch_off(db, testing->state, error));
}

static void
post_test(struct service *service, const struct store_webhook_state *state,
    struct webhook_batch *unit, GBytes *const *keys, guint count)
{
	const struct fetch_rules rules = {
	    config_settings_list(service->settings, SETTING_FETCH_ALLOW),
	    config_settings_list(service->settings, SETTING_FETCH_PORTS)};
	g_autofree char *host = fetch_post_host(state->url);
	struct fetch_lane *lane = fetch_lane_new(host ? host : "");
	struct fetch_post *post = webhook_batch_post(unit, state, keys, count);

	if (post) {
		AUTO(fetch_poster) poster = fetch_poster_new(&rules, 1, 1, NULL);
		AUTO(fetch_post) answered = NULL;

		post->lane = lane;
		post->width = 1;
		fetch_poster_send(poster, post);
		while (!(answered = fetch_poster_take(poster, LIMIT_WEBHOOK_MS)))
			continue;
		webhook_batch_end(unit, answered);
		unit->next_attempt = 0;
	}
	fetch_lane_free(lane);
}

bool
webhook_test(struct service *service, const struct base_id *workspace,
    const struct base_id *webhook, struct base_id *delivery_r, GError **error)
{
	AUTO(store_webhook_state) state =
	    store_webhook_state_read(service->db, workspace, webhook, error);
	g_autoptr(GPtrArray) units = g_ptr_array_new_with_free_func(webhook_batch_destroy);
	struct webhook_batch *unit = webhook_batch_new();
	struct store_delivery delivery;
	GBytes *keys[2] = {NULL, NULL};
	guint count = 0;

	g_ptr_array_add(units, unit);
	if (!state || !webhook_batch_keys(service, state, keys, &count, error))
		return false;
	struct telling telling = {workspace, webhook, delivery_r};
	bool done = db_transact(service->db, tell_test, &telling, error) &&
		    store_webhook_delivery(service->db, webhook, delivery_r, &delivery, error);
	if (done) {
		struct testing testing = {service, state, units};

		unit->has_batch = state->batch; /* it takes batches alone, also of one event */
		unit->batch_id = base_id_new();
		webhook_batch_add(unit, &delivery);
		done = webhook_batch_load(service, state, units, error);
		if (done)
			post_test(service, state, unit, keys, count);
		done = done && db_transact(service->db, record_test, &testing, error);
	}
	for (guint i = 0; i < count; i++)
		g_bytes_unref(keys[i]);
	return done;
}
