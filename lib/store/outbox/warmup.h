/* SPDX-License-Identifier: MIT */
/* Warm-up: counts of a domain's delivered and bounced mail, day by day, until it is known as a
   sender. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_OUTBOX_WARMUP_H
#define STORE_OUTBOX_WARMUP_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct base_id;

/* An email that reached a recipient, or bounced. */
struct store_arrival {
	const struct base_id *email;
	gint64 at; /* epoch ms */
	bool bounced;
};

/* Inside a transaction, as its last change: counts arrivals on the day (UTC) of each, for the
   domain of its email, unless the domain is warmed up. Costs nothing without any. */
bool store_warmup_count(
    struct db *db, const struct store_arrival *arrivals, guint count, GError **error);

/* Inside a transaction: locks domains that are due for a look at their counts, longest waiting
   first, at most limit; skips those that another transaction has locked. */
bool store_warmup_due(struct db *db, gint64 now, guint limit, struct base_id *domains_r,
    guint *count_r, GError **error);

/* The counts of a domain so far. */
struct store_warmup {
	gint64 days; /* on which something was delivered */
	gint64 delivered, bounced;
};

/* Inside that transaction: sums a domain's counts, after joining the rows of each past day into
   one. */
bool store_warmup_sum(struct db *db, const struct base_id *domain, gint64 now,
    struct store_warmup *warmup_r, GError **error);

/* Inside that transaction: marks the domain as warmed up since now, and ends its counting. */
bool store_warmup_finish(struct db *db, const struct base_id *domain, gint64 now, GError **error);

/* Inside that transaction: sets the time of the next look. */
bool store_warmup_postpone(
    struct db *db, const struct base_id *domain, gint64 next, GError **error);

/* The limit of a domain on a day. */
struct store_warmup_limit {
	bool is_limited;   /* false: it is trusted, is warmed up, or has sent on all limited days */
	gint64 most;	   /* recipients */
	gint64 recipients; /* that have permission already */
};

/* Inside a transaction: reads the limit of a domain on a day (UTC, counted from 1970), and locks
   it. limits: numbers as text, of the first day on which it sends, of the second and so on;
   NULL-terminated. From then on the day counts as one on which it sends. */
bool store_warmup_limit(struct db *db, const struct base_id *domain, gint64 day,
    const char *const *limits, struct store_warmup_limit *limit_r, GError **error);

/* Inside that transaction: gives so many more recipients permission. */
bool store_warmup_permit(
    struct db *db, const struct base_id *domain, gint64 day, guint recipients, GError **error);

/* Inside a transaction: removes the counts of a domain. */
bool store_warmup_forget(struct db *db, const struct base_id *domain, GError **error);

#endif
