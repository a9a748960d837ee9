/* SPDX-License-Identifier: MIT */
/* Opens and clicks. */
#ifndef CORE_ENGAGEMENT_H
#define CORE_ENGAGEMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "core/token.h"

struct core;

/* Somebody, or something, has fetched the pixel of a message or followed one of its links. */
struct core_engagement {
	struct core_token token; /* of the kind TOKEN_OPEN or TOKEN_CLICK */
	gint64 time;		 /* epoch ms */
	char *ip;		 /* in its normal form; NULL: not known */
	char *user_agent;	 /* as sent, NULL: nothing */
	char *link;		 /* of a click */
};

void core_engagement_free(struct core_engagement *visit);
DEFINE_AUTO(core_engagement, core_engagement_free)

/* Records it, each time anew, but not more than LIMIT_VISITS of a recipient. NOT_FOUND when the
   email is gone; errors of db/transaction.h.

   It is marked as automated when its User-Agent is that of a robot (core/robot.h), or when it
   belongs to a sweep: by then each different link of the message, of which there are at least two,
   has been followed within VISIT_SWEEP_MS of the delivery, and so was this; the opens and clicks
   that came before in that time are then marked as well. The delivery is the latest sent or
   delivered event; what comes before any of these is recorded is within that time. */
#define VISIT_SWEEP_MS 2000
bool core_engagement_record(struct core *core, const struct core_engagement *visit, GError **error);

#endif
