/* SPDX-License-Identifier: MIT */
#ifndef CORE_DRAFT_H
#define CORE_DRAFT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/outbox.h"
#include "store/quota.h"

struct core;
struct store_email;
struct core_submission;

/* An email that has passed all checks and is not stored yet, and its rows of the outbox: one for
   all recipients, or one for each of them where something of it is each one's own (enum
   store_email_tracking). Recipients that are on the suppression list are in none; there may be none
   left. */
struct core_draft {
	struct store_email *email;
	struct store_outbox_entry *copies;
	guint count;
	gint64 due;		  /* epoch ms: when they are */
	struct store_quota quota; /* that its recipients count for */
	bool suppressed[COPY_RECIPIENTS];
};

/* Makes a draft of a submission; gets its attachments by URL, for at most LIMIT_FETCH_MS. INVALID,
   naming the field; TOO_LARGE of html
   or text with their variables; FORBIDDEN when the sender's domain may not send; errors of
   db/statement.h. The caller frees it. */
struct core_draft *core_draft_new(struct core *core, const struct base_id *workspace,
    const struct core_submission *submission, GError **error);

void core_draft_free(struct core_draft *draft);
DEFINE_AUTO(core_draft, core_draft_free)

#endif
