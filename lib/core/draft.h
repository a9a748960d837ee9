#ifndef CORE_DRAFT_H
#define CORE_DRAFT_H

#include <glib.h>

#include "base/scope.h"
#include "store/outbox.h"

struct core;
struct email;
struct submission;

/* An email that has passed all checks and is not stored yet, and its row of the outbox. Recipients
   that are on the suppression list are not in that; it may be left with none. */
struct draft {
	struct email *email;
	struct copy copy;
};

/* Makes a draft of a submission; gets its attachments by URL, for at most LIMIT_FETCH_MS. INVALID,
   naming the field; TOO_LARGE of html
   or text with their variables; FORBIDDEN when the sender's domain may not send; errors of
   db/statement.h. The caller frees it. */
struct draft *core_draft_new(struct core *core, const struct id *workspace,
    const struct submission *submission, GError **error);

void core_draft_free(struct draft *draft);
DEFINE_AUTO(draft, core_draft_free)

#endif
