/* SPDX-License-Identifier: MIT */
/* How much of a domain's mail arrives, day by day, until it is known as a sender. */
#ifndef STORE_WARMUP_H
#define STORE_WARMUP_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct base_id;

/* That an email reached a recipient, or bounced. */
struct store_arrival {
	const struct base_id *email;
	gint64 at; /* epoch ms */
	bool bounced;
};

/* Inside a transaction, as its last change: counts them for the day (UTC) of each and the domain of
   its email, where that is not warmed up yet. Costs nothing where there are none. */
bool store_warmup_count(
    struct db *db, const struct store_arrival *arrivals, guint count, GError **error);

/* Inside a transaction: domains that are to be looked at by now, those that wait longest first, at
   most limit, and locked; those that another transaction has are passed over. */
bool store_warmup_due(struct db *db, gint64 now, guint limit, struct base_id *domains_r,
    guint *count_r, GError **error);

/* What a domain has done so far. */
struct store_warmup {
	gint64 days; /* on which something was delivered */
	gint64 delivered, bounced;
};

/* Inside that transaction: counts of a domain, after making one row of each day that is over since
   a day. */
bool store_warmup_sum(struct db *db, const struct base_id *domain, gint64 now,
    struct store_warmup *warmup_r, GError **error);

/* Inside that transaction: it is warmed up since now, and not counted any more. */
bool store_warmup_finish(struct db *db, const struct base_id *domain, gint64 now, GError **error);

/* Inside that transaction: when to look again. */
bool store_warmup_postpone(
    struct db *db, const struct base_id *domain, gint64 next, GError **error);

/* Inside a transaction: forgets the counts of a domain. */
bool store_warmup_forget(struct db *db, const struct base_id *domain, GError **error);

#endif
