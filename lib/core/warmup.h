/* SPDX-License-Identifier: MIT */
/* When a domain has sent enough to be known. */
#ifndef CORE_WARMUP_H
#define CORE_WARMUP_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct store_warmup;

/* Mail was delivered on so many different days (of UTC), so much in all, and less than this share
   of what came to an end, delivered or bounced, has bounced. */
#define WARMUP_DAYS 14
#define WARMUP_DELIVERED 1000
#define WARMUP_BOUNCED_PERCENT 5

/* Whether that is enough. Pure. */
bool core_warmup_is_enough(const struct store_warmup *warmup);

/* When it could be enough at the earliest, and so is to be looked at again; now that it is not.
   Pure. */
gint64 core_warmup_next(const struct store_warmup *warmup, gint64 now);

/* Looks at some domains whose turn it is, and notes those that are warmed up now; *more_r tells
   whether there may be more. Any number of processes may do this at once. Errors of
   db/transaction.h. */
bool core_warmup_due(struct core *core, bool *more_r, GError **error);

#endif
