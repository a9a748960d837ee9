/* SPDX-License-Identifier: MIT */
/* An email that has passed all checks and is ready to be stored, made of a submission. */
#ifndef EMAIL_DRAFT_H
#define EMAIL_DRAFT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "email/purpose.h"
#include "store/outbox/outbox.h"
#include "store/workspace/quota.h"

struct service;
struct store_domain;
struct store_email;
struct email_submission;

/* An email that has passed all checks and is not stored yet, with its outbox entries: one for all
   recipients, or one for each recipient when the email is tracked (enum store_email_tracking),
   since each message then differs. Test addresses have an entry of their own. Suppressed
   recipients, and those who have snoozed, are in no entry; so there may be no entry at all. */
struct email_draft {
	struct store_email *email;
	struct store_outbox_entry *entries;
	guint count;
	gint64 due;		  /* epoch ms: when the entries are due, their since */
	struct store_quota quota; /* the quotas that its recipients count for */
	enum email_purpose purpose;
	bool is_sent_now; /* unless it is scheduled: in its request or its step */
	bool suppressed[OUTBOX_ENTRY_RECIPIENTS];
	gint64 snoozed[OUTBOX_ENTRY_RECIPIENTS]; /* until when, epoch ms, for one who gets no
						    mailing until then; 0: not */
};

/* Begins the message of FORBIDDEN when the sender's domain is not submission->only_domain. */
#define EMAIL_DRAFT_OTHER_DOMAIN "This API key is not authorized to send emails from "

/* Makes a draft of a submission; fetches its attachments by URL, for at most LIMIT_FETCH_MS.
   INVALID, naming the field; NOT_FOUND for a published template; TOO_LARGE when html or text are
   too large with their variables; FORBIDDEN when the workspace, or the key, may not send from the
   sender's domain; errors of db/statement.h. The caller frees it. */
struct email_draft *email_draft_new(struct service *service, const struct base_id *workspace,
    const struct email_submission *submission, GError **error);

/* Looks up the recipients of drafts of one workspace on the suppression list, with few statements
   for all, and makes their outbox entries. email_draft_new does so itself, but not for an email of
   a batch. Errors of db/statement.h. */
bool email_draft_settle(
    struct service *service, struct email_draft *const *drafts, guint count, GError **error);

/* Makes a draft of a mail of the service itself (EMAIL_PURPOSE_SERVICE), which has neither tracking
   nor quotas. domain: that of the sender, or NULL for mail that is
   not signed. INVALID, naming the field. The caller frees it. */
struct email_draft *email_draft_service(struct service *service,
    const struct email_submission *submission, const struct store_domain *domain, GError **error);

void email_draft_free(struct email_draft *draft);
DEFINE_AUTO(email_draft, email_draft_free)

#endif
