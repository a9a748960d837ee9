/* SPDX-License-Identifier: MIT */
/* Deliveries that are due: which webhooks have some, the right to tell them, and the results.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_WEBHOOK_CLAIM_H
#define STORE_WEBHOOK_CLAIM_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/webhook/webhook.h"

struct db;

/* One process at a time sends a webhook its deliveries, and holds a lease of the webhook's row; no
   row of a delivery is written before there is a result. So the order is kept in memory, and a dead
   process leaves nothing behind but its lease. */

/* A webhook that is on, does not rest and has a delivery that is due. */
struct store_webhook_due {
	struct base_id id;
	char *url;
	bool slow; /* its last answer took long or was a failure, or there was none yet */
	/* The lease: the journal of its owner, its number, its end in epoch ms. NULL, 0, 0: none.
	 */
	char *owner;
	gint64 token, lease_until;
};

void store_webhook_due_free(struct store_webhook_due *due);
DEFINE_AUTO(store_webhook_due, store_webhook_due_free)

/* The next such webhooks behind the id after, by id, at most limit, as an array of struct
   store_webhook_due. Reads one row of the queue for each webhook, and locks nothing. The caller
   owns it. */
GPtrArray *store_webhook_due_list(
    struct db *db, const struct base_id *after, gint64 now, guint limit, GError **error);

/* A lease. token: new for each one. until: epoch ms. */
struct store_webhook_lease {
	const char *owner;
	gint64 token, until;
};

/* Takes the lease of a webhook, if the row has still the token that due has. *taken_r: we have it.
 */
bool store_webhook_take(struct db *db, const struct store_webhook_due *due,
    const struct store_webhook_lease *lease, gint64 now, bool *taken_r, GError **error);

/* A webhook as its deliveries need it. Times are epoch ms, 0 = none. */
struct store_webhook_state {
	struct base_id id, workspace_id;
	char *url;
	bool enabled, batch, slow;
	GBytes *secret, *previous_secret; /* encrypted; the second one may be NULL */
	gint64 previous_expires;
	gint64 failing_since, rest_until;
	guint failures;
	enum store_webhook_reason reason; /* 0: none */
	enum store_webhook_form form;
};

void store_webhook_state_free(struct store_webhook_state *state);
DEFINE_AUTO(store_webhook_state, store_webhook_state_free)

/* The webhook, of any workspace (workspace NULL) or of this one. NOT_FOUND, "Webhook not found".
   The caller frees it. */
struct store_webhook_state *store_webhook_state_read(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Inside a transaction: locks the webhook. NULL without an error when it is gone or the lease has
   another token. The caller frees it. */
bool store_webhook_lock(struct db *db, const struct base_id *id, gint64 token,
    struct store_webhook_state **state_r, GError **error);

/* Inside a transaction, for a locked webhook: stores failures, failing_since, rest_until, slow,
   enabled and reason, and moves the end of the lease. lease NULL: gives the lease back. */
bool store_webhook_keep(struct db *db, const struct store_webhook_state *state,
    const struct store_webhook_lease *lease, GError **error);

/* Switches a webhook that is on off, since its receiver is gone. */
bool store_webhook_switch_off(
    struct db *db, const struct store_webhook_state *state, GError **error);

/* Gives a lease back. */
bool store_webhook_give_back(struct db *db, const struct base_id *id, gint64 token, GError **error);

/* A delivery that waits. */
struct store_delivery {
	struct base_id id, event_id;
	enum store_webhook_type type;
	struct base_id email_id; /* of an event of an email */
	bool has_email;
	int recipient; /* the number of the event's recipient; -1: it is not known */
	gint64 created;
	guint attempts; /* since it was created or replayed */
	guint made;	/* in all */
	gint64 next_attempt;
	struct base_id batch_id; /* of the deliveries that are sent together with it */
	bool has_batch;
};

/* A place in the queue of a webhook; all zero is in front of it. */
struct store_webhook_place {
	gint64 next_attempt;
	struct base_id id;
};

/* The deliveries behind a place that are due at now, first due first, at most limit, as an array of
   struct store_delivery, which the caller owns. */
GArray *store_webhook_page(struct db *db, const struct base_id *webhook,
    const struct store_webhook_place *place, gint64 now, guint limit, GError **error);

/* The deliveries of a batch that still wait, in their order; likewise. */
GArray *store_webhook_batch(
    struct db *db, const struct base_id *webhook, const struct base_id *batch, GError **error);

/* Inside a transaction, for a locked webhook: makes these deliveries a batch, at most
   LIMIT_WEBHOOK_BATCH. */
bool store_webhook_batch_make(struct db *db, const struct store_webhook_state *webhook,
    const struct base_id *batch, const struct store_delivery *deliveries, guint count,
    GError **error);

/* Inside a transaction: removes a batch that is done. */
bool store_webhook_batch_end(
    struct db *db, const struct base_id *webhook, const struct base_id *batch, GError **error);

/* The result of an attempt. */
struct store_attempt {
	gint64 timestamp;  /* epoch ms */
	guint status;	   /* of the answer, 0 = there was none */
	gint64 duration;   /* ms */
	const char *body;  /* valid UTF-8 */
	const char *error; /* NULL = there was an answer */
};

/* A delivery, as it was read, with what became of it. */
struct store_webhook_result {
	const struct store_delivery *delivery;
	const struct store_attempt *attempt;
	enum store_delivery_status status;
	guint attempts;
	gint64 next_attempt; /* epoch ms, 0 = none */
	bool stays;	     /* in its batch */
};

/* Inside a transaction: stores results. A delivery that was replayed meanwhile stays due, and only
   its attempt is added. */
bool store_webhook_results(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct store_webhook_result *results, guint count,
    GError **error);

/* A delivery that waits for nothing but its one attempt, webhook.test. NOT_FOUND, "Delivery not
   found". */
bool store_webhook_delivery(struct db *db, const struct base_id *webhook, const struct base_id *id,
    struct store_delivery *delivery_r, GError **error);

#endif
