/* SPDX-License-Identifier: MIT */
/* Request rates of workspaces and keys: token buckets that all web processes of a host share. */
#ifndef FCGI_API_RATES_H
#define FCGI_API_RATES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct store_key;
struct store_limits;
struct fcgi_reply;
struct fcgi_rates;
struct config_settings;

/* Uses the buckets in the spool directory. settings need not outlive it. The caller frees them. */
struct fcgi_rates *fcgi_rates_new(const struct config_settings *settings);
void fcgi_rates_free(struct fcgi_rates *rates);
DEFINE_AUTO(fcgi_rates, fcgi_rates_free)

/* Takes one token each from the buckets of the key and of its workspace, where limits has a rate
   for them, and adds both to the reply's RateLimit headers. LIMITED when a bucket is empty: then no
   token was taken, and reply->wait_s is set. When the spool directory cannot be used, all buckets
   count as full, and the first such request is logged. */
bool fcgi_rates_take(struct fcgi_rates *rates, const struct store_key *key,
    const struct store_limits *limits, struct fcgi_reply *reply, GError **error);

#endif
