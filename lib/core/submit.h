/* SPDX-License-Identifier: MIT */
/* Accepts emails: stores them with their outbox entries, attempts them once in sync mode, and
   cancels scheduled ones. */
#ifndef CORE_SUBMIT_H
#define CORE_SUBMIT_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct core;
struct core_attempt;
struct core_delivery;
struct core_draft;
struct core_submission;
struct db;
struct store_idempotency;
struct store_key;
struct store_outbox_claim;

/* The answer to a client. */
struct core_submit_answer {
	char *text;    /* the body, which the caller owns; NULL = none yet */
	bool replayed; /* it answered an earlier request with the same Idempotency-Key */
};

/* Looks for the answer to an earlier request with this Idempotency-Key, whose workspace, name and
   request are set. CONFLICT when the earlier request was a different one. */
bool core_submit_replay(struct core *core, struct store_idempotency *idempotency,
    struct core_submit_answer *answer_r, GError **error);

/* Stores a draft as an email that is due. Once this returns true, the email reaches a final state.
   With a claim its outbox entries are claimed from the start, unless it is scheduled for later.
   idempotency: NULL = no key. If another request with the same key is being stored, this one waits
   for it and replays its answer. CONFLICT when that takes too long, or was a different request;
   LIMITED when the recipients do not fit into the workspace's quotas (core/quota.h); errors of
   db/transaction.h. After UNCERTAIN the email, and with it the claim, may or may not be stored. */
bool core_submit(struct core *core, const struct core_draft *draft,
    struct store_idempotency *idempotency, const struct store_outbox_claim *claim,
    struct core_submit_answer *answer_r, GError **error);

/* Stores a draft inside the caller's transaction, without a claim, an idempotency key or the
   repeats of core_submit, and without counting recipients: the caller counts those of all emails at
   once, at the end (store_quota_add). CONFLICT with DB_CAUSE_MISSING (db/connection.h) when another
   transaction removed a shared content meanwhile: run the transaction again. */
bool core_submit_store(struct db *db, const struct core_draft *draft, GError **error);

/* The result of one request to send. */
struct core_send_result {
	char *answer;	 /* the body; the caller owns it */
	bool replayed;	 /* it answered an earlier request with the same Idempotency-Key */
	GError *trouble; /* why no attempt is made, for the log; NULL otherwise. The caller's */
	struct core_attempt *attempt; /* to be made with core_send_attempt; NULL: none */
};

/* Checks and stores a submission. idempotency: see core_submit_replay. Errors of
   core_submit_replay, core_draft_new and core_submit. */
bool core_send(struct core *core, const struct store_key *key,
    const struct core_submission *submission, struct store_idempotency *idempotency,
    struct core_send_result *sending_r, GError **error);

/* Makes the attempt of sync mode, for at most LIMIT_SYNC_ATTEMPT_MS, and takes it. The submission
   may be freed before, since composing needs memory of its own. The outcome becomes events. NULL
   when the attempt is done; else the reply to its final dot is still awaited: call
   core_deliver_free after the client has its answer. */
struct core_delivery *core_send_attempt(struct core *core, struct core_attempt *attempt);

/* Cancels an email that is scheduled and has not been sent. NOT_FOUND; CONFLICT when it was not
   scheduled, is cancelled already, or has been sent. */
bool core_cancel(struct core *core, const struct base_id *workspace, const struct base_id *email,
    GError **error);

#endif
