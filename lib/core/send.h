/* SPDX-License-Identifier: MIT */
#ifndef CORE_SEND_H
#define CORE_SEND_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct core_attempt;
struct core_delivery;
struct store_idempotency;
struct store_key;
struct core_submission;

/* What a client is told. */
struct core_send_result {
	char *answer;	 /* the body; the caller owns it */
	bool replayed;	 /* an earlier answer to the same Idempotency-Key */
	GError *trouble; /* why no attempt was made, for the log; NULL otherwise. The caller's */
	struct core_attempt *attempt; /* NULL; or the attempt to be made now: core_send_attempt */
};

/* Checks and stores a submission. idempotency: see core_submit_replay. Errors of that, of
   core_draft_new and of core_submit. */
bool core_send(struct core *core, const struct store_key *key,
    const struct core_submission *submission, struct store_idempotency *idempotency,
    struct core_send_result *sending_r, GError **error);

/* Makes the attempt of sync mode, which is taken, for at most LIMIT_SYNC_ATTEMPT_MS. The submission
   is not needed any more: composing takes memory of its own. Events tell what becomes of it. NULL
   when it is done; else its last reply is still awaited: core_deliver_free it once the client has
   its answer. */
struct core_delivery *core_send_attempt(struct core *core, struct core_attempt *attempt);

#endif
