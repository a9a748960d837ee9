#ifndef CORE_SEND_H
#define CORE_SEND_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct delivery;
struct idempotency;
struct key;
struct submission;

/* What a client is told. */
struct sending {
	char *answer;	 /* the body; the caller owns it */
	bool replayed;	 /* an earlier answer to the same Idempotency-Key */
	GError *trouble; /* why no attempt was made, for the log; NULL otherwise. The caller's */
	struct delivery *delivery; /* NULL; or an attempt whose last reply is still awaited:
				      core_deliver_free it once the client has its answer */
};

/* Checks and stores a submission, and in sync mode makes one attempt, for at most
   LIMIT_SYNC_ATTEMPT_MS. idempotency: see core_submit_replay. Errors of that, of core_draft_new and
   of core_submit: what becomes of the attempt is told by events, not here. */
bool core_send(struct core *core, const struct key *key, const struct submission *submission,
    struct idempotency *idempotency, struct sending *sending_r, GError **error);

#endif
