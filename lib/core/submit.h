#ifndef CORE_SUBMIT_H
#define CORE_SUBMIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/email.h"
#include "store/idempotency.h"
#include "store/key.h"
#include "store/outbox.h"

struct core;
struct submission;

/* What came of it. */
struct submitted {
	bool replayed;	     /* an answer kept for the Idempotency-Key: only answer is set */
	char *answer;	     /* the body of the answer */
	struct email *email; /* as stored */
	struct copy copy;    /* its row of the outbox */
};

void core_submitted_clear(struct submitted *submitted);

/* Checks a submission and stores it as an email that is due: from when this returns true, it will
   reach a final state. With a claim, its row of the outbox is claimed from the start, unless it is
   scheduled for later. idempotency may be NULL; else its workspace, name and request are set.
   INVALID, naming the field; FORBIDDEN when the domain may not send; CONFLICT of the
   Idempotency-Key; errors of db/statement.h. */
bool core_submit(struct core *core, const struct key *key, const struct submission *submission,
    struct idempotency *idempotency, const struct claim *claim, struct submitted *submitted_r,
    GError **error);

#endif
