/* SPDX-License-Identifier: MIT */
/* Notes when API keys were used. A use is kept in the process, and stored with the row that says
   that the process lives (service/metrics.h). */
#include "service/key_use.h"

#include <string.h>

#include "base/clock.h"
#include "config/log.h"
#include "service/service.h"
#include "store/workspace/key.h"

#define USES_MAX 1000

/* A use that is kept. */
struct use {
	struct base_id workspace, key;
	gint64 time;
};

static void
use_now(struct service *service, const struct store_key *key, gint64 now)
{
	g_autoptr(GError) error = NULL;

	if (!store_key_use(service->db, &key->workspace_id, &key->id, now, &error))
		config_log("the use of a key is not noted: %s", error->message);
}

static bool
key_is_kept(const GArray *uses, const struct base_id *key)
{
	for (guint i = 0; i < uses->len; i++)
		if (base_id_equal(&g_array_index(uses, struct use, i).key, key))
			return true;
	return false;
}

void
service_key_use(struct service *service, const struct store_key *key, bool is_fresh)
{
	const struct use use = {key->workspace_id, key->id, base_clock_now()};

	if (key->last_used > use.time - STORE_KEY_USE_MS || (!key->last_used && !is_fresh))
		return;
	if (!key->last_used) {
		use_now(service, key, use.time);
		return;
	}
	if (!service->process->key_uses)
		service->process->key_uses = g_array_new(FALSE, FALSE, sizeof(struct use));
	if (service->process->key_uses->len < USES_MAX &&
	    !key_is_kept(service->process->key_uses, &key->id))
		g_array_append_val(service->process->key_uses, use);
}

bool
service_key_has_uses(const struct service *service)
{
	return service->process->key_uses && service->process->key_uses->len > 0;
}

static int
by_key(const void *a, const void *b)
{
	return memcmp(
	    &((const struct use *)a)->key, &((const struct use *)b)->key, sizeof(struct base_id));
}

/* All processes lock the rows in the same order. */
bool
service_key_store_uses(struct service *service, GError **error)
{
	g_array_sort(service->process->key_uses, by_key);
	for (guint i = 0; i < service->process->key_uses->len; i++) {
		const struct use *use = &g_array_index(service->process->key_uses, struct use, i);

		if (!store_key_use(service->db, &use->workspace, &use->key, use->time, error))
			return false;
	}
	return true;
}

void
service_key_forget_uses(struct service *service)
{
	g_array_set_size(service->process->key_uses, 0);
}
