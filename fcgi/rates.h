/* SPDX-License-Identifier: MIT */
/* How often a workspace and a key may ask: token buckets that all web processes of this host
   share. */
#ifndef FCGI_RATES_H
#define FCGI_RATES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct key;
struct limits;
struct reply;
struct rates;
struct settings;

/* The buckets in the spool folder. */
struct rates *rates_new(const struct settings *settings);
void rates_free(struct rates *rates);
DEFINE_AUTO(rates, rates_free)

/* Takes a request of a good key from the buckets of its workspace and of itself, as far as limits
   has a rate for them, and tells of both in the reply. LIMITED where one of them is empty: then
   nothing was taken, and reply->wait_s is set. Where the spool folder cannot be used, all buckets
   are full, and the first such request is logged. */
bool rates_take(struct rates *rates, const struct key *key, const struct limits *limits,
    struct reply *reply, GError **error);

#endif
