/* Executions that one transaction steps together: what it has read, and what it is going to
   write. */
#ifndef AUTOMATION_BATCH_H
#define AUTOMATION_BATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/execution_write.h"

struct core;
struct draft;
struct id;
struct person;
struct workflow_state;

struct batch {
	struct core *core;
	gint64 now;
	GPtrArray *claimed;  /* struct claimed */
	GArray *states;	     /* struct workflow_state, of their workflows */
	GHashTable *persons; /* struct id → struct person, of their contacts */
	GArray *waits;	     /* struct execution_wait, to insert; */
	GArray *gone;	     /* to remove */
	GPtrArray *drafts;   /* struct draft, to put into the outbox, */
	GArray *sent;	     /* and, beside them, struct sent_email */
};

/* Inside a transaction: claims what is searched for. The caller frees it. */
struct batch *automation_batch_claim(
    struct core *core, struct execution_search *search, GError **error);
/* The same of one, if it is due and nobody has it in hand. */
struct batch *automation_batch_claim_one(
    struct core *core, const struct id *execution, gint64 now, GError **error);
void automation_batch_free(struct batch *batch);
DEFINE_AUTO(batch, automation_batch_free)

/* What of it is worked on from now on, for the journal: should this process die, it is counted of
   this execution; NULL: of none. */
void automation_batch_mark(const struct batch *batch, const struct id *execution);

/* The contact of an execution. FAILED when its properties cannot be read. */
struct person *automation_batch_person(
    struct batch *batch, struct claimed *claimed, GError **error);

/* The state of a workflow, which stays so until the transaction ends; NULL: none of its executions
   is of that one. */
const struct workflow_state *automation_batch_state(
    const struct batch *batch, const struct id *workflow);

/* Inside the same transaction: stores all that has become of them. */
bool automation_batch_store(struct batch *batch, GError **error);

#endif
