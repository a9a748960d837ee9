/* SPDX-License-Identifier: MIT */
/* Batches: many emails that one request stores in one transaction, and leaves to the spool. */
#ifndef SUBMIT_BATCH_H
#define SUBMIT_BATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "service/once.h"

struct email_draft;
struct email_draft_cache;
struct email_submission;

/* One email of a batch. */
struct submit_batch_email {
	struct email_draft *draft; /* NULL: it is bad, */
	GError *fault;		   /* and this is why */
};

/* A request to store emails (service/once.h). */
struct submit_batch {
	struct service_once request;
	struct base_id workspace_id;
	GArray *emails; /* of struct submit_batch_email, in the order of the request */
	guint bad;	/* how many of them are bad */
	struct email_draft_cache *cache;
	guint recipients; /* of the good ones */
	gint64 now;	  /* when they were checked */
};

/* A batch without emails, or the replay of an earlier one. idempotency: NULL without a key; the
   texts it borrows outlive the request. Errors of service_once_find. The caller frees it with
   service_once_free. */
struct submit_batch *submit_batch_new(struct service *service, const struct base_id *workspace,
    const struct service_idempotency *idempotency, GError **error);

/* Adds the next email, which may be freed then. One that email_draft_new finds to be bad is added
   with its fault. False for errors that say nothing about the email: those of db/statement.h. */
bool submit_batch_add(struct service *service, struct submit_batch *batch,
    const struct email_submission *submission, GError **error);

/* Adds an email that is bad, for this reason, which it copies. */
void submit_batch_refuse(struct submit_batch *batch, const GError *fault);

/* After all emails were added: prepares the good ones to be stored. LIMITED
   when their recipients do not fit into the workspace's quotas (service/quota.h). A batch without a
   good one stores nothing but its Idempotency-Key. */
bool submit_batch_check(struct service *service, struct submit_batch *batch, GError **error);

/* The email at this place of the request. */
const struct submit_batch_email *submit_batch_at(const struct submit_batch *batch, guint place);

#endif
