/* SPDX-License-Identifier: MIT */
/* Accepts emails: stores them with their outbox entries, and attempts them once in sync mode. */
#ifndef SUBMIT_H
#define SUBMIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "service/once.h"
#include "store/outbox/outbox.h"

struct delivery;
struct email_draft;
struct email_submission;
struct db;

/* A request to send an email (service/once.h). Once it is stored, the email reaches a final state.
   The members from draft on are for this room. */
struct submit_sending {
	struct service_once request;
	struct base_id id; /* of the email; not set when the request is replayed */
	char *left_out;	   /* the header fields that were taken out of a whole message; or NULL */
	GError *trouble; /* for the log: why no attempt is made, or what the attempt met; or NULL */

	struct email_draft *draft;	 /* NULL when the request is replayed */
	gint64 now;			 /* when it was checked */
	bool is_due;			 /* an attempt is to be made */
	struct store_outbox_claim claim; /* of that attempt */
};

/* Checks a submission, which may be freed then. idempotency: NULL without a key; the texts it
   borrows outlive the request. Errors of service_once_find, email_draft_new and
   service_quota_check; service_once_store_one adds CONFLICT with DB_CAUSE_MISSING (db/connection.h)
   when other transactions keep removing a shared content, and LIMITED when the recipients do not
   fit into the workspace's quotas any more. The caller frees it with service_once_free. */
struct submit_sending *submit_send_check(struct service *service, const struct base_id *workspace,
    const struct email_submission *submission, const struct service_idempotency *idempotency,
    GError **error);

/* In sync mode, before the request is stored: takes what an attempt right after it needs, so that
   its outbox entries are claimed from the start. Sets trouble when there is to be an attempt and it
   is not possible. */
void submit_send_claim(struct service *service, struct submit_sending *sending);

/* Makes the attempt of a stored request, for at most LIMIT_SYNC_ATTEMPT_MS. The outcome becomes
   events. NULL when the attempt is done, or when none is to be made; else the reply to its final
   dot is still awaited: call delivery_free after the client has its answer. Sets trouble when
   the attempt is done and did not go well. */
struct delivery *submit_send_attempt(struct service *service, struct submit_sending *sending);

/* Sends an email that no client's request gives: stores the draft, which it takes, and makes one
   attempt in sync mode. Errors of service_quota_check and service_once_store_one. */
bool submit_send_draft(struct service *service, struct email_draft *draft, GError **error);

/* Stores drafts of one workspace inside the caller's transaction, without a claim, an idempotency
   key or the repeats of service_once_store_one, and without counting recipients: the caller counts
   those of all emails at once, at the end (store_quota_add). CONFLICT with DB_CAUSE_MISSING
   (db/connection.h) when another transaction removed a shared content meanwhile: run the
   transaction again. */
bool submit_store(
    struct db *db, const struct email_draft *const *drafts, guint count, GError **error);

#endif
