/* SPDX-License-Identifier: MIT */
#ifndef CORE_SUBMIT_H
#define CORE_SUBMIT_H

#include <glib.h>
#include <stdbool.h>

struct store_outbox_claim;
struct core;
struct db;
struct core_draft;
struct store_idempotency;

/* What a client is told. */
struct core_submit_answer {
	char *text;    /* the body, which the caller owns; NULL = nothing yet */
	bool replayed; /* what an earlier request with the same Idempotency-Key was told */
};

/* Looks whether an earlier request with this Idempotency-Key has been answered; its workspace, name
   and request are set. CONFLICT when it was another request. */
bool core_submit_replay(struct core *core, struct store_idempotency *idempotency,
    struct core_submit_answer *answer_r, GError **error);

/* Stores a draft as an email that is due: from when this returns true, it will reach a final state.
   With a claim, its row of the outbox is claimed from the start, unless it is scheduled for later.
   Another request with the same idempotency key (NULL = none) that is about to do the same is
   waited for, and replayed. CONFLICT when that lasts too long, or was another request; LIMITED when
   its recipients do not fit into the workspace's quotas (core/quota.h); errors of
   db/transaction.h: after UNCERTAIN, a claim may or may not be there. */
bool core_submit(struct core *core, const struct core_draft *draft,
    struct store_idempotency *idempotency, const struct store_outbox_claim *claim,
    struct core_submit_answer *answer_r, GError **error);

/* Inside a transaction: what core_submit does in one of its own, without its precautions, and
   without counting recipients, which is done at the end and for all emails at once
   (store_quota_add). CONFLICT
   with DB_CAUSE_MISSING (db/connection.h) when a content that is shared was removed by somebody
   else in between: the transaction is to be run again. */
bool core_submit_store(struct db *db, const struct core_draft *draft, GError **error);

#endif
