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
	struct delivery *delivery;	 /* the attempt that still goes on; NULL: none */
};

/* Checks a submission, which may be freed then. idempotency: NULL without a key; the texts it
   borrows outlive the request. is_attempted: in sync mode, service_once_follow makes one attempt
   when the request is stored, or service_once_finish where it was stored with the work of another;
   the outbox entries are claimed for it from the start. Errors of service_once_find,
   email_draft_new and service_quota_check; service_once_store_one adds CONFLICT with
   DB_CAUSE_MISSING (db/connection.h) when other transactions keep removing a shared content, and
   LIMITED when the recipients do not fit into the workspace's quotas any more. The caller frees it
   with service_once_free. */
struct submit_sending *submit_send_check(struct service *service, const struct base_id *workspace,
    const struct email_submission *submission, const struct service_idempotency *idempotency,
    bool is_attempted, GError **error);

/* Sends an email that no client's request gives: stores the draft, which it takes, and makes one
   attempt in sync mode. Errors of service_quota_check and service_once_store_one. */
bool submit_send_draft(struct service *service, struct email_draft *draft, GError **error);

/* The recipients of drafts. */
guint submit_recipients(const struct email_draft *const *drafts, guint count);

/* Stores drafts of one workspace inside the caller's transaction, without a claim, an idempotency
   key or the repeats of service_once_store_one, and without counting recipients: the caller counts
   those of all emails at once, at the end (store_quota_add). CONFLICT with DB_CAUSE_MISSING
   (db/connection.h) when another transaction removed a shared content meanwhile: run the
   transaction again. */
bool submit_store(
    struct db *db, const struct email_draft *const *drafts, guint count, GError **error);

/* The same, and counts their recipients; comes last in the transaction. Also LIMITED as of
   store_quota_add. */
bool submit_store_counted(struct db *db, const struct email_draft *const *drafts, guint count,
    gint64 now, GError **error);

#endif
