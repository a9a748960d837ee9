/* SPDX-License-Identifier: MIT */
/* Opens and clicks. */
#ifndef CORE_ENGAGEMENT_H
#define CORE_ENGAGEMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "core/token.h"

struct core;

/* One open or click: the pixel of a message was fetched, or one of its links followed. */
struct core_engagement {
	struct core_token token; /* of the kind TOKEN_OPEN or TOKEN_CLICK */
	gint64 time;		 /* epoch ms */
	char *ip;		 /* in its normal form; NULL: not known */
	char *user_agent;	 /* as sent; NULL: none */
	char *link;		 /* the destination of a click */
};

void core_engagement_free(struct core_engagement *engagement);
DEFINE_AUTO(core_engagement, core_engagement_free)

/* Records an open or click. Each one is an event; a recipient has at most LIMIT_VISITS. NOT_FOUND
   when the email was removed; errors of db/transaction.h.

   The event is marked as automated when its User-Agent is a robot's, or when it belongs to a sweep:
   a program follows every link of a message right after the delivery. It is a sweep when the
   message has at least two different links, and each of them, this click included, was followed
   within ENGAGEMENT_SWEEP_MS of the delivery. The earlier opens and clicks of that time are then
   marked too. The delivery is the latest sent or delivered event; until one of these is recorded,
   every engagement counts as within that time. */
#define ENGAGEMENT_SWEEP_MS 2000
bool core_engagement_record(
    struct core *core, const struct core_engagement *engagement, GError **error);

/* Whether a User-Agent belongs to a program that reads mail before or in place of the recipient: an
   image proxy, a scanner, a crawler. False for NULL and "". */
bool core_engagement_is_robot(const char *user_agent);

#endif
