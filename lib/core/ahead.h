/* SPDX-License-Identifier: MIT */
/* Looks up the sender's domain and the recipients of several requests in one statement, before each
   of them is checked. */
#ifndef CORE_AHEAD_H
#define CORE_AHEAD_H

#include <glib.h>

#include "base/scope.h"

struct base_id;
struct core;
struct store_domain;

/* What requests that have arrived together will look up: one domain and recipients without a place
   on the suppression list. All else they look up by themselves. */
struct core_ahead;

struct core_ahead *core_ahead_new(void);
void core_ahead_free(struct core_ahead *ahead);
DEFINE_AUTO(core_ahead, core_ahead_free)

/* Adds a request that names this sender and this only recipient, as the request gives them (NULL:
   it gives none, or several). Leaves it out when it is not of the same workspace and domain as the
   first one, or when there is no room. */
void core_ahead_add(
    struct core_ahead *ahead, const struct base_id *workspace, const char *from, const char *to);

/* The number of requests that were not left out. */
guint core_ahead_count(const struct core_ahead *ahead);

/* Looks up the domain of all of them and their recipients. If it fails, or one of the recipients is
   suppressed, nothing is known. */
void core_ahead_look(struct core *core, struct core_ahead *ahead);

/* The domain that a sender's domain of this name belongs to, where that is known, and that this
   recipient gets mail other than mailings; else NULL. Belongs to ahead, which may be NULL. */
const struct store_domain *core_ahead_domain(const struct core_ahead *ahead,
    const struct base_id *workspace, const char *name, const char *recipient);

#endif
