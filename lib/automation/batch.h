/* SPDX-License-Identifier: MIT */
/* A batch: the executions that one transaction steps together, the rows that it has read for them,
   and the rows that it is going to write. */
#ifndef AUTOMATION_BATCH_H
#define AUTOMATION_BATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/automation/execution.h"
#include "store/workspace/quota.h"

struct service;
struct email_draft;
struct automation_locked_contact;
struct store_execution_step;
struct store_sent_email;
struct store_workflow_state;

struct automation_batch {
	struct service *service;
	gint64 now;		  /* epoch ms, when the executions were claimed */
	GPtrArray *claimed;	  /* of struct store_execution_claimed */
	GArray *states;		  /* of struct store_workflow_state: the executions' workflows */
	GHashTable *contacts;	  /* struct base_id → struct automation_locked_contact */
	GArray *waits;		  /* of struct store_execution_wait: rows to insert */
	GArray *gone;		  /* of struct store_execution_wait: rows to remove */
	GPtrArray *unwatched;	  /* of struct base_id: executions that ended and had watches */
	GPtrArray *answered;	  /* of struct base_id: executions whose requests are done with */
	GArray *steps;		  /* of struct store_execution_step: rows to insert */
	bool is_of_start;	  /* a start begins them: their triggers need no rows */
	GPtrArray *drafts;	  /* of struct email_draft: emails to put into the outbox */
	GArray *sent;		  /* of struct store_sent_email: one for each draft */
	GStringChunk *texts;	  /* of sent and steps */
	GArray *recipient_counts; /* of struct automation_recipient_count: one for each workspace
				     that has a quota */
};

/* The number of recipients that the emails of a batch have in one workspace that has a quota. */
struct automation_recipient_count {
	struct base_id workspace;
	struct store_quota quota;
	gint64 recipients;
	gint64 full_until; /* epoch ms: the quota has room again then; 0: it was not full */
};

/* A batch of executions that are not stored yet: an array of struct store_execution_claimed, which
   it takes over. The states of their workflows are not known. The caller frees the batch. */
struct automation_batch *automation_batch_new(
    struct service *service, gint64 now, GPtrArray *executions);

/* Claims the executions that the search finds. Runs inside a transaction. NULL with errors of
   db/statement.h. The caller frees the batch. */
struct automation_batch *automation_batch_claim(
    struct service *service, struct store_execution_search *search, GError **error);

/* Claims one execution. The batch is empty when the execution is not due at now (epoch ms), or when
   another transaction holds it. Otherwise like automation_batch_claim. */
struct automation_batch *automation_batch_claim_one(
    struct service *service, const struct base_id *execution, gint64 now, GError **error);

/* Claims executions that stand at a request, at most EXECUTIONS_ASKING, whether they are due or
   not; those that another transaction holds are left out. Otherwise like automation_batch_claim. */
struct automation_batch *automation_batch_claim_asking(
    struct service *service, const struct base_id *const *executions, guint count, GError **error);

void automation_batch_free(struct automation_batch *batch);
DEFINE_AUTO(automation_batch, automation_batch_free)

/* Names in the journal the execution that is being stepped (NULL: none). If this process dies, its
   death is counted against that execution (service/journal.h). */
void automation_batch_mark(const struct automation_batch *batch, const struct base_id *execution);

/* Returns the contact of a claimed execution; the batch owns it. NULL with FAILED when the
   contact's properties cannot be read. */
struct automation_locked_contact *automation_batch_contact(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error);

/* Adds an email to the batch, and the row that says which execution sent it. Takes over the draft,
   also on failure. LIMITED when its recipients, added to those of the batch, exceed the workspace's
   quota (service/quota.h). */
bool automation_batch_email(struct automation_batch *batch, struct email_draft *draft,
    const struct store_sent_email *sent, GError **error);

/* Adds the row of a step that an execution leaves. Its ids and its type are borrowed from the
   design; why and given are copied. */
void automation_batch_step(struct automation_batch *batch, const struct store_execution_step *step);

/* Returns the time (epoch ms) until which a workspace's quota is full, as an earlier email of the
   batch found; 0 when none found it full. */
gint64 automation_batch_full(const struct automation_batch *batch, const struct base_id *workspace);

/* Returns the state of a workflow, which stays the same until the transaction ends. NULL when no
   execution of the batch belongs to that workflow. */
const struct store_workflow_state *automation_batch_state(
    const struct automation_batch *batch, const struct base_id *workflow);

/* Stores executions that are new, with the rows of the steps that they have taken by
   automation_execution_begin. is_exclusive: as in store_execution_insert. */
bool automation_batch_insert(struct automation_batch *batch, bool is_exclusive, GError **error);

/* Stores the emails, contacts, waits, executions and steps of the batch, in the transaction that
   claimed them. LIMITED, also from a later call in the transaction, when another transaction has
   used up a quota meanwhile: run the transaction again. */
bool automation_batch_store(struct automation_batch *batch, GError **error);

#endif
