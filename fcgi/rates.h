/* SPDX-License-Identifier: MIT */
/* How often a workspace and a key may ask: token buckets that all web processes of this host
   share. */
#ifndef FCGI_RATES_H
#define FCGI_RATES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct store_key;
struct store_limits;
struct fcgi_reply;
struct fcgi_rates;
struct base_settings;

/* The buckets in the spool folder. */
struct fcgi_rates *fcgi_rates_new(const struct base_settings *settings);
void fcgi_rates_free(struct fcgi_rates *rates);
DEFINE_AUTO(fcgi_rates, fcgi_rates_free)

/* Takes a request of a good key from the buckets of its workspace and of itself, as far as limits
   has a rate for them, and tells of both in the reply. LIMITED where one of them is empty: then
   nothing was taken, and reply->wait_s is set. Where the spool folder cannot be used, all buckets
   are full, and the first such request is logged. */
bool fcgi_rates_take(struct fcgi_rates *rates, const struct store_key *key,
    const struct store_limits *limits, struct fcgi_reply *reply, GError **error);

#endif
