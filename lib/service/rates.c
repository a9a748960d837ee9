/* SPDX-License-Identifier: MIT */
/* Holds workspaces and keys to their request rates. */
#include "service/rates.h"

#include "base/clock.h"
#include "base/error.h"
#include "config/log.h"
#include "config/settings.h"
#include "store/workspace/key.h"
#include "store/workspace/limit.h"

#define FILE_NAME "rates"

struct service_rates {
	struct base_buckets *buckets;
	bool logged; /* that the buckets cannot be used */
};

struct service_rates *
service_rates_new(const struct config_settings *settings)
{
	struct service_rates *rates = g_new0(struct service_rates, 1);
	g_autofree char *path =
	    g_build_filename(config_settings_text(settings, SETTING_SPOOL_DIR), FILE_NAME, NULL);

	rates->buckets = base_bucket_open(path);
	return rates;
}

void
service_rates_free(struct service_rates *rates)
{
	base_bucket_close(rates->buckets);
	g_free(rates);
}

gint64
service_rates_seconds(gint64 ns)
{
	return (ns + CLOCK_SECOND_NS - 1) / CLOCK_SECOND_NS;
}

static void
rates_add(struct service_rates_taken *request, const char *name, const struct base_id *owner,
    gint64 rate, gint64 burst)
{
	if (rate == 0 || burst == 0)
		return;
	request->names[request->count] = name;
	request->buckets[request->count++] = (struct base_bucket){*owner, rate, burst};
}

static struct service_rates_taken
rates_of(const struct store_key *key, const struct store_limits *limits)
{
	struct service_rates_taken request = {.count = 0};

	rates_add(&request, "workspace", &key->workspace_id,
	    store_limit_value(limits, SETTING_LIMITS_REQUESTS_PER_SECOND),
	    store_limit_value(limits, SETTING_LIMITS_BURST));
	rates_add(&request, "key", &key->id,
	    store_limit_value(limits, SETTING_LIMITS_KEY_REQUESTS_PER_SECOND),
	    store_limit_value(limits, SETTING_LIMITS_KEY_BURST));
	return request;
}

/* All buckets count as full when they cannot be used. */
static void
do_without(struct service_rates *rates, struct service_rates_taken *request, const GError *trouble)
{
	if (!rates->logged)
		config_log("rates of requests are not limited: %s", trouble->message);
	rates->logged = true;
	for (guint i = 0; i < request->count; i++)
		request->states[i] = (struct base_bucket_state){.left = request->buckets[i].burst};
}

static bool
rates_refuse(struct service_rates_taken *request, GError **error)
{
	gint64 wait_ns = 1;

	for (guint i = 0; i < request->count; i++)
		wait_ns = MAX(wait_ns, request->states[i].wait_ns);
	request->wait_s = service_rates_seconds(wait_ns);
	return base_fail(error, PH_ERROR_LIMITED,
	    "Too many requests. Try again in %" G_GINT64_FORMAT " s", request->wait_s);
}

bool
service_rates_take(struct service_rates *rates, const struct store_key *key,
    const struct store_limits *limits, struct service_rates_taken *taken_r, GError **error)
{
	g_autoptr(GError) trouble = NULL;

	*taken_r = rates_of(key, limits);
	if (taken_r->count == 0)
		return true;
	bool taken = base_bucket_take(rates->buckets, taken_r->buckets, taken_r->count,
	    base_clock_boot_ns(), taken_r->states, &trouble);
	if (trouble)
		do_without(rates, taken_r, trouble);
	return taken || trouble || rates_refuse(taken_r, error);
}
