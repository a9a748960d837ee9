/* SPDX-License-Identifier: MIT */
/* Request rates of workspaces and keys: token buckets that all processes of a host share. */
#ifndef SERVICE_RATES_H
#define SERVICE_RATES_H

#include <glib.h>
#include <stdbool.h>

#include "base/bucket.h"
#include "base/scope.h"

struct store_key;
struct store_limits;
struct service_rates;
struct config_settings;

/* Uses the buckets in the spool directory. settings need not outlive it. The caller frees them. */
struct service_rates *service_rates_new(const struct config_settings *settings);
void service_rates_free(struct service_rates *rates);
DEFINE_AUTO(service_rates, service_rates_free)

/* The buckets that a request takes from, the workspace's first. */
#define SERVICE_RATES_MAX 2
struct service_rates_taken {
	struct base_bucket buckets[SERVICE_RATES_MAX];
	struct base_bucket_state states[SERVICE_RATES_MAX];
	const char *names[SERVICE_RATES_MAX];
	guint count;
	gint64 wait_s; /* after LIMITED: when to try again */
};

/* A time in whole seconds, rounded up. */
gint64 service_rates_seconds(gint64 ns);

/* Takes one token each from the buckets of the key and of its workspace, where limits has a rate
   for them. *taken_r has these buckets in both cases. LIMITED when one is empty: then no token was
   taken. When the spool directory cannot be used, all buckets count as full, and the first such
   request is logged. */
bool service_rates_take(struct service_rates *rates, const struct store_key *key,
    const struct store_limits *limits, struct service_rates_taken *taken_r, GError **error);

#endif
