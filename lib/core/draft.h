/* SPDX-License-Identifier: MIT */
#ifndef CORE_DRAFT_H
#define CORE_DRAFT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/outbox.h"
#include "store/quota.h"

struct core;
struct store_domain;
struct store_email;
struct core_submission;

/* An email that has passed all checks and is not stored yet, with its outbox entries: one for all
   recipients, or one for each recipient when the email is tracked (enum store_email_tracking),
   since each message then differs. Test addresses have an entry of their own. Suppressed recipients
   are in no entry; so there may be no entry at all. */
struct core_draft {
	struct store_email *email;
	struct store_outbox_entry *entries;
	guint count;
	gint64 due;		  /* epoch ms: when the entries are due, their since */
	struct store_quota quota; /* the quotas that its recipients count for */
	bool resend_tests;	  /* as of its submission */
	bool leaves_now;	  /* unless it is scheduled: in its request or its step */
	bool suppressed[OUTBOX_ENTRY_RECIPIENTS];
};

/* Templates and domains that drafts of one workspace have read, so that those of a batch share
   them. */
struct core_draft_cache;
struct core_draft_cache *core_draft_cache_new(void);
void core_draft_cache_free(struct core_draft_cache *cache);
DEFINE_AUTO(core_draft_cache, core_draft_cache_free)

/* Begins the message of FORBIDDEN when the sender's domain is not submission->only_domain. */
#define CORE_DRAFT_OTHER_DOMAIN "This API key is not authorized to send emails from "

/* Makes a draft of a submission; fetches its attachments by URL, for at most LIMIT_FETCH_MS.
   INVALID, naming the field; NOT_FOUND for a published template; TOO_LARGE when html or text are
   too large with their variables; FORBIDDEN when the workspace, or the key, may not send from the
   sender's domain; errors of db/statement.h. The caller frees it. */
struct core_draft *core_draft_new(struct core *core, const struct base_id *workspace,
    const struct core_submission *submission, GError **error);

/* Looks up the recipients of drafts of one workspace on the suppression list, with few statements
   for all, and makes their outbox entries. core_draft_new does so itself, but not for an email of
   a batch. Errors of db/statement.h. */
bool core_draft_settle(
    struct core *core, struct core_draft *const *drafts, guint count, GError **error);

/* Makes a draft of a mail of the service itself (core/service_mail.h), which is verbatim and
   secret: it has neither tracking nor quotas. domain: that of the sender, or NULL for mail that is
   not signed. INVALID, naming the field. The caller frees it. */
struct core_draft *core_draft_service(struct core *core, const struct core_submission *submission,
    const struct store_domain *domain, GError **error);

void core_draft_free(struct core_draft *draft);
DEFINE_AUTO(core_draft, core_draft_free)

#endif
