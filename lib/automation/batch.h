/* SPDX-License-Identifier: MIT */
/* Executions that one transaction steps together: what it has read, and what it is going to
   write. */
#ifndef AUTOMATION_BATCH_H
#define AUTOMATION_BATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/execution_write.h"
#include "store/quota.h"

struct core;
struct core_draft;
struct automation_locked_contact;
struct store_sent_email;
struct store_workflow_state;

struct automation_batch {
	struct core *core;
	gint64 now;
	GPtrArray *claimed; /* struct store_execution_claimed */
	GArray *states;	    /* struct store_workflow_state, of their workflows */
	GHashTable
	    *persons;  /* struct base_id → struct automation_locked_contact, of their contacts */
	GArray *waits; /* struct store_execution_wait, to insert; */
	GArray *gone;  /* to remove */
	GPtrArray *drafts; /* struct core_draft, to put into the outbox, */
	GArray *sent;	   /* and, beside them, struct store_sent_email */
	GArray *tallies;   /* struct automation_tally, of their workspaces that have a quota */
};

/* The recipients of a batch's emails, of a workspace that has a quota. */
struct automation_tally {
	struct base_id workspace;
	struct store_quota quota;
	gint64 recipients;
	gint64 full_until; /* epoch ms: when there is room again; 0: there was */
};

/* Inside a transaction: claims what is searched for. The caller frees it. */
struct automation_batch *automation_batch_claim(
    struct core *core, struct store_execution_search *search, GError **error);
/* The same of one, if it is due and nobody has it in hand. */
struct automation_batch *automation_batch_claim_one(
    struct core *core, const struct base_id *execution, gint64 now, GError **error);
void automation_batch_free(struct automation_batch *batch);
DEFINE_AUTO(automation_batch, automation_batch_free)

/* What of it is worked on from now on, for the journal: should this process die, it is counted of
   this execution; NULL: of none. */
void automation_batch_mark(const struct automation_batch *batch, const struct base_id *execution);

/* The contact of an execution. FAILED when its properties cannot be read. */
struct automation_locked_contact *automation_batch_person(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error);

/* Adds an email to those of the batch, as what it was sent for; the draft is taken. LIMITED where
   its recipients do not fit into the workspace's quotas beside those of the batch (core/quota.h):
   then it is freed. */
bool automation_batch_email(struct automation_batch *batch, struct core_draft *draft,
    const struct store_sent_email *sent, GError **error);

/* Until when a workspace's quotas have no room, as an email of the batch has found; 0: none has. */
gint64 automation_batch_full(const struct automation_batch *batch, const struct base_id *workspace);

/* The state of a workflow, which stays so until the transaction ends; NULL: none of its executions
   is of that one. */
const struct store_workflow_state *automation_batch_state(
    const struct automation_batch *batch, const struct base_id *workflow);

/* Inside the same transaction: stores all that has become of them. LIMITED, from a later call too,
   where somebody else has used up a quota meanwhile: the transaction is to be run again. */
bool automation_batch_store(struct automation_batch *batch, GError **error);

#endif
