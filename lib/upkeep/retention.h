/* SPDX-License-Identifier: MIT */
/* Retention: old rows are removed in small batches, and domains that are warmed up are marked. */
#ifndef UPKEEP_RETENTION_H
#define UPKEEP_RETENTION_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct store_warmup;

/* Removes rows that [retention] no longer keeps and the rest of deleted audiences and erased
   persons, and marks domains that are warmed up; a batch of each kind. *more_r: there may be more
   to do. Any number of processes may call this at once. Errors of db/transaction.h. */
bool upkeep_retention(struct service *service, bool *more_r, GError **error);

/* Checks a batch of domains that are due, and marks those that are warmed up; a part of
 *upkeep_retention. more_r and errors as above. */
bool upkeep_retention_warmups(struct service *service, bool *more_r, GError **error);

/* A domain is warmed up when mail was delivered on WARMUP_DAYS different days (UTC),
   WARMUP_DELIVERED messages in all, and less than WARMUP_BOUNCED_PERCENT of the messages delivered
   or bounced have bounced. */
#define WARMUP_DAYS 14
#define WARMUP_DELIVERED 1000
#define WARMUP_BOUNCED_PERCENT 5

/* Whether a domain with these counts is warmed up. Uses no clock. */
bool upkeep_retention_is_warmed_up(const struct store_warmup *warmup);

/* The earliest time (epoch ms) at which a domain that is not warmed up at now could be, and is
   therefore checked again. Uses no clock. */
gint64 upkeep_retention_next_warmup(const struct store_warmup *warmup, gint64 now);

#endif
