/* SPDX-License-Identifier: MIT */
/* A webhook that this process tells its deliveries, because it has the webhook's lease. */
#ifndef WEBHOOK_LEASE_H
#define WEBHOOK_LEASE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/webhook/claim.h"

struct service;
struct fetch_post;
struct fetch_poster;

/* A lease lasts so long unless it is renewed, ms. */
#define WEBHOOK_LEASE_MS 60000

struct webhook_means {
	struct service *service;
	struct fetch_poster *poster;
	guint host_connections;
};

/* A webhook whose lease we have. */
struct webhook_lease {
	const struct webhook_means *means;
	struct store_webhook_state *state;
	gint64 token;
	char *host;
	struct fetch_lane *lane;
	guint generation; /* of the lane */
	GBytes *keys[2];
	guint key_count;
	guint failures; /* in a row, with those not recorded yet */
	bool proven;	/* an attempt has succeeded since we have it, and none failed after that */
	bool slow;
	gint64 since; /* on base_clock_boot */

	struct store_webhook_place place; /* where the next page begins */
	bool exhausted;			  /* the last page had all that was due */
	bool ended;			  /* make no more attempts */
	bool lost;			  /* the lease is another's, or in doubt */
	GHashTable *in_hand; /* ids of deliveries that are read and not recorded, as GBytes */
	GHashTable *last;    /* email → last unit whose first attempt has not ended */
	GQueue ready;	     /* of struct webhook_batch, by number */
	GQueue loose;	     /* those that are to be put into batches */
	GPtrArray *waiting;  /* all units but recorded ones; owns them */
	GPtrArray *done;     /* units with an outcome that is not recorded */
	gint64 done_since;   /* of the oldest one, on base_clock_boot */
	guint under_way;
	guint64 number; /* of the last unit */
};

/* A hold of a webhook whose lease was taken with this token. Takes state; means outlive it. The
   caller frees it when nothing is under way. */
struct webhook_lease *webhook_lease_new(
    const struct webhook_means *means, struct store_webhook_state *state, gint64 token);
void webhook_lease_free(struct webhook_lease *hold);
DEFINE_AUTO(webhook_lease, webhook_lease_free)

/* Takes over what a newer read of the row says (NULL: there is none), and reads the keys. Errors of
   webhook_secrets. */
bool webhook_lease_renew(
    struct webhook_lease *hold, struct store_webhook_state *state, GError **error);

/* Reads what is due when little is left, and hands over as many requests as may be under way. */
bool webhook_lease_serve(struct webhook_lease *hold, GError **error);

/* Takes a request of its lane that came back. */
void webhook_lease_take(struct webhook_lease *hold, const struct fetch_post *post);

/* Whether nothing is left to do but to record, and to give the lease back. */
bool webhook_lease_is_over(const struct webhook_lease *hold);

/* Records the outcomes, and gives the lease back when the hold is over. When the COMMIT may have
   stored them, or they cannot be stored, the webhook is given up (lost): what is still due is sent
   when the lease ends. *trouble_r: what went wrong apart from that, for the log; the caller frees
   it. Returns false only with TEMPORARY: to be called again. */
bool webhook_lease_record(struct webhook_lease *hold, GError **trouble_r, GError **error);

#endif
