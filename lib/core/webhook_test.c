/* SPDX-License-Identifier: MIT */
/* Sends webhook.test. */
#include "core/webhook_send.h"

#include "base/limits.h"
#include "config/settings.h"
#include "core/core.h"
#include "core/webhook_payload.h"
#include "core/webhook_unit.h"
#include "db/transaction.h"
#include "fetch/post.h"
#include "store/webhook_tell.h"

static void
free_unit(void *unit)
{
	core_webhook_unit_free(unit);
}

struct testing {
	struct core *core;
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

	return store_webhook_tell_test(
	    db, telling->workspace, telling->webhook, telling->delivery, error);
}

static bool
record_test(struct db *db, void *context, GError **error)
{
	const struct testing *testing = context;

	return core_webhook_unit_store(testing->core, testing->state, testing->units, error);
}

static void
post_test(struct core *core, const struct store_webhook_state *state,
    struct core_webhook_unit *unit, GBytes *const *keys, guint count)
{
	const struct fetch_rules rules = {config_settings_list(core->settings, SETTING_FETCH_ALLOW),
	    config_settings_list(core->settings, SETTING_FETCH_PORTS)};
	g_autofree char *host = fetch_post_host(state->url);
	struct fetch_lane *lane = fetch_lane_new(host ? host : "");
	struct fetch_post *post = core_webhook_unit_post(unit, state, keys, count);

	if (post) {
		AUTO(fetch_poster) poster = fetch_poster_new(&rules, 1, 1, NULL);
		AUTO(fetch_post) answered = NULL;

		post->lane = lane;
		post->width = 1;
		fetch_poster_send(poster, post);
		while (!(answered = fetch_poster_take(poster, LIMIT_WEBHOOK_MS)))
			continue;
		core_webhook_unit_end(unit, answered);
		unit->next_attempt = 0;
	}
	fetch_lane_free(lane);
}

bool
core_webhook_test(struct core *core, const struct base_id *workspace, const struct base_id *webhook,
    struct base_id *delivery_r, GError **error)
{
	AUTO(store_webhook_state) state =
	    store_webhook_state_read(core->db, workspace, webhook, error);
	g_autoptr(GPtrArray) units = g_ptr_array_new_with_free_func(free_unit);
	struct core_webhook_unit *unit = core_webhook_unit_new();
	struct store_delivery delivery;
	GBytes *keys[2] = {NULL, NULL};
	guint count = 0;

	g_ptr_array_add(units, unit);
	if (!state || !core_webhook_unit_keys(core, state, keys, &count, error))
		return false;
	struct telling telling = {workspace, webhook, delivery_r};
	bool done = db_transact(core->db, tell_test, &telling, error) &&
		    store_webhook_delivery(core->db, webhook, delivery_r, &delivery, error);
	if (done) {
		struct testing testing = {core, state, units};

		unit->has_batch = state->batch; /* it takes batches alone, also of one event */
		unit->batch_id = base_id_new();
		core_webhook_unit_add(unit, &delivery);
		done = core_webhook_unit_load(core, state, units, error);
		if (done)
			post_test(core, state, unit, keys, count);
		done = done && db_transact(core->db, record_test, &testing, error);
	}
	for (guint i = 0; i < count; i++)
		g_bytes_unref(keys[i]);
	return done;
}
