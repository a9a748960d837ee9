/* SPDX-License-Identifier: MIT */
/* Holds workspaces and keys to their request rates. */
#include "fcgi/api/rates.h"

#include "base/bucket.h"
#include "base/clock.h"
#include "base/error.h"
#include "config/log.h"
#include "config/settings.h"
#include "fcgi/http/reply.h"
#include "store/workspace/key.h"
#include "store/workspace/limit.h"

#define FILE_NAME "rates"

struct fcgi_rates {
	struct base_buckets *buckets;
	bool logged; /* that the buckets cannot be used */
};

/* The buckets that a request takes from, the workspace's first. */
#define RATES_MAX 2
struct request_rates {
	struct base_bucket buckets[RATES_MAX];
	struct base_bucket_state states[RATES_MAX];
	const char *names[RATES_MAX];
	guint count;
};

struct fcgi_rates *
fcgi_rates_new(const struct config_settings *settings)
{
	struct fcgi_rates *rates = g_new0(struct fcgi_rates, 1);
	g_autofree char *path =
	    g_build_filename(config_settings_text(settings, SETTING_SPOOL_DIR), FILE_NAME, NULL);

	rates->buckets = base_bucket_open(path);
	return rates;
}

void
fcgi_rates_free(struct fcgi_rates *rates)
{
	base_bucket_close(rates->buckets);
	g_free(rates);
}

static gint64
seconds(gint64 ns)
{
	return (ns + CLOCK_SECOND_NS - 1) / CLOCK_SECOND_NS;
}

static void
rates_add(struct request_rates *request, const char *name, const struct base_id *owner, gint64 rate,
    gint64 burst)
{
	if (rate == 0 || burst == 0)
		return;
	request->names[request->count] = name;
	request->buckets[request->count++] = (struct base_bucket){*owner, rate, burst};
}

static struct request_rates
rates_of(const struct store_key *key, const struct store_limits *limits)
{
	struct request_rates request = {.count = 0};

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
do_without(struct fcgi_rates *rates, struct request_rates *request, const GError *trouble)
{
	if (!rates->logged)
		config_log("rates of requests are not limited: %s", trouble->message);
	rates->logged = true;
	for (guint i = 0; i < request->count; i++)
		request->states[i] = (struct base_bucket_state){.left = request->buckets[i].burst};
}

static void
rates_tell(const struct request_rates *request, struct fcgi_reply *reply)
{
	for (guint i = 0; i < request->count; i++) {
		const struct base_bucket *bucket = &request->buckets[i];
		const struct base_bucket_state *state = &request->states[i];

		fcgi_reply_limit(reply, &(struct fcgi_reply_limit){request->names[i], bucket->burst,
					    (bucket->burst + bucket->rate - 1) / bucket->rate,
					    state->left, seconds(state->full_ns), false});
	}
}

static bool
rates_refuse(const struct request_rates *request, struct fcgi_reply *reply, GError **error)
{
	gint64 wait_ns = 1;

	for (guint i = 0; i < request->count; i++)
		wait_ns = MAX(wait_ns, request->states[i].wait_ns);
	reply->wait_s = seconds(wait_ns);
	g_set_error(error, PH_ERROR, PH_ERROR_LIMITED,
	    "Too many requests. Try again in %" G_GINT64_FORMAT " s", reply->wait_s);
	return false;
}

bool
fcgi_rates_take(struct fcgi_rates *rates, const struct store_key *key,
    const struct store_limits *limits, struct fcgi_reply *reply, GError **error)
{
	struct request_rates request = rates_of(key, limits);
	g_autoptr(GError) trouble = NULL;

	if (request.count == 0)
		return true;
	bool taken = base_bucket_take(rates->buckets, request.buckets, request.count,
	    base_clock_boot_ns(), request.states, &trouble);
	if (trouble)
		do_without(rates, &request, trouble);
	rates_tell(&request, reply);
	return taken || trouble || rates_refuse(&request, reply, error);
}
