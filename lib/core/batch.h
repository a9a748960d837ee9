/* SPDX-License-Identifier: MIT */
/* Batches: many emails that one request stores in one transaction, and leaves to the spool. */
#ifndef CORE_BATCH_H
#define CORE_BATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "core/request.h"

struct core_draft;
struct core_draft_cache;
struct core_submission;

/* One email of a batch. */
struct core_batch_email {
	struct core_draft *draft; /* NULL: it is bad, */
	GError *fault;		  /* and this is why */
};

/* A request to store emails (core/request.h). */
struct core_batch {
	struct core_request request;
	struct base_id workspace_id;
	GArray *emails; /* of struct core_batch_email, in the order of the request */
	guint bad;	/* how many of them are bad */
	struct core_draft_cache *cache;
	guint recipients; /* of the good ones */
	gint64 now;	  /* when they were checked */
};

/* A batch without emails, or the replay of an earlier one. idempotency: NULL without a key; the
   texts it borrows outlive the request. Errors of core_request_find. The caller frees it with
   core_request_free. */
struct core_batch *core_batch_new(struct core *core, const struct base_id *workspace,
    const struct core_idempotency *idempotency, GError **error);

/* Adds the next email, which may be freed then. One that core_draft_new finds to be bad is added
   with its fault. False for errors that say nothing about the email: those of db/statement.h. */
bool core_batch_add(struct core *core, struct core_batch *batch,
    const struct core_submission *submission, GError **error);

/* Adds an email that is bad, for this reason, which it copies. */
void core_batch_refuse(struct core_batch *batch, const GError *fault);

/* After all emails were added: prepares the good ones to be stored. LIMITED
   when their recipients do not fit into the workspace's quotas (core/quota.h). A batch without a
   good one stores nothing but its Idempotency-Key. */
bool core_batch_check(struct core *core, struct core_batch *batch, GError **error);

/* The email at this place of the request. */
const struct core_batch_email *core_batch_at(const struct core_batch *batch, guint place);

#endif
