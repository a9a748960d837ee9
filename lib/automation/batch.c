/* SPDX-License-Identifier: MIT */
/* Claims the executions of a batch with all that their steps read, and stores all rows that the
   steps changed, with one statement for each kind of row. */
#include "automation/batch.h"

#include <string.h>

#include "automation/contact.h"
#include "automation/person.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "db/after_commit.h"
#include "email/draft.h"
#include "service/journal.h"
#include "service/metrics.h"
#include "service/quota.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/automation/feedback.h"
#include "store/automation/step_request.h"
#include "store/automation/workflow.h"
#include "store/consent/consent.h"
#include "store/email/email.h"
#include "store/person/person.h"
#include "submit/submit.h"

struct automation_batch *
automation_batch_new(struct service *service, gint64 now, GPtrArray *executions)
{
	struct automation_batch *batch = g_new0(struct automation_batch, 1);

	batch->service = service;
	batch->now = now;
	batch->claimed = executions;
	batch->states = g_array_new(FALSE, TRUE, sizeof(struct store_workflow_state));
	batch->contacts = automation_locked_contact_table();
	batch->waits = g_array_new(FALSE, FALSE, sizeof(struct store_execution_wait));
	batch->gone = g_array_new(FALSE, FALSE, sizeof(struct store_execution_wait));
	batch->unwatched = g_ptr_array_new();
	batch->answered = g_ptr_array_new();
	batch->steps = g_array_new(FALSE, FALSE, sizeof(struct store_execution_step));
	batch->drafts = g_ptr_array_new_with_free_func(email_draft_destroy);
	batch->sent = g_array_new(FALSE, FALSE, sizeof(struct store_sent_email));
	batch->texts = g_string_chunk_new(1024);
	batch->recipient_counts =
	    g_array_new(FALSE, FALSE, sizeof(struct automation_recipient_count));
	return batch;
}

void
automation_batch_free(struct automation_batch *batch)
{
	g_hash_table_unref(batch->contacts);
	g_array_unref(batch->states);
	g_array_unref(batch->waits);
	g_array_unref(batch->gone);
	g_ptr_array_unref(batch->unwatched);
	g_ptr_array_unref(batch->answered);
	g_array_unref(batch->steps);
	g_ptr_array_unref(batch->drafts);
	g_array_unref(batch->sent);
	g_string_chunk_free(batch->texts);
	g_array_unref(batch->recipient_counts);
	g_clear_pointer(&batch->claimed, g_ptr_array_unref);
	g_free(batch);
}

const struct store_workflow_state *
automation_batch_state(const struct automation_batch *batch, const struct base_id *workflow)
{
	for (guint i = 0; i < batch->states->len; i++) {
		const struct store_workflow_state *state =
		    &g_array_index(batch->states, struct store_workflow_state, i);

		if (base_id_equal(&state->id, workflow))
			return state;
	}
	return NULL;
}

static void
add_state(struct automation_batch *batch, const struct base_id *workflow)
{
	const struct store_workflow_state state = {.id = *workflow};

	if (!automation_batch_state(batch, workflow))
		g_array_append_val(batch->states, state);
}

/* claimed NULL: there is an error already. */
static struct automation_batch *
batch_of_claimed(struct service *service, gint64 now, GPtrArray *claimed, GError **error)
{
	if (!claimed)
		return NULL;
	AUTO(automation_batch) batch = automation_batch_new(service, now, claimed);
	for (guint i = 0; i < batch->claimed->len; i++)
		add_state(batch, &((struct store_execution_claimed *)batch->claimed->pdata[i])
				      ->execution.workflow_id);
	if (!store_workflow_states(service->db,
		(struct store_workflow_state *)(void *)batch->states->data, batch->states->len,
		error))
		return NULL;
	return g_steal_pointer(&batch);
}

struct automation_batch *
automation_batch_claim(
    struct service *service, struct store_execution_search *search, GError **error)
{
	return batch_of_claimed(
	    service, search->now, store_execution_claim(service->db, search, error), error);
}

struct automation_batch *
automation_batch_claim_one(
    struct service *service, const struct base_id *execution, gint64 now, GError **error)
{
	return batch_of_claimed(
	    service, now, store_execution_claim_one(service->db, execution, now, error), error);
}

struct automation_batch *
automation_batch_claim_asking(
    struct service *service, const struct base_id *const *executions, guint count, GError **error)
{
	return batch_of_claimed(service, base_clock_now(),
	    store_execution_claim_asking(service->db, executions, count, error), error);
}

void
automation_batch_mark(const struct automation_batch *batch, const struct base_id *execution)
{
	struct service_journal *journal = batch->service->process->journal;

	if (journal && execution)
		service_journal_step(journal, execution);
	else if (journal)
		service_journal_idle(journal);
}

struct automation_locked_contact *
automation_batch_contact(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error)
{
	const struct store_execution *execution = &claimed->execution;
	struct automation_locked_contact *locked =
	    g_hash_table_lookup(batch->contacts, &execution->contact_id);

	if (locked)
		return locked;
	struct store_person *contact = g_new0(struct store_person, 1);
	contact->id = execution->contact_id;
	contact->workspace_id = execution->workspace_id;
	contact->email = g_strdup(execution->email);
	contact->properties = g_steal_pointer(&claimed->properties);
	contact->last_seen = claimed->last_seen;
	contact->entered = true;
	locked = automation_locked_contact_new(batch->service, contact, error);
	if (locked)
		g_hash_table_insert(batch->contacts, &locked->contact->id, locked);
	return locked;
}

/* Returns the count of a workspace, a new one if there is none. */
static struct automation_recipient_count *
recipient_count_of(struct automation_batch *batch, const struct base_id *workspace)
{
	struct automation_recipient_count recipient_count = {.workspace = *workspace};

	for (guint i = 0; i < batch->recipient_counts->len; i++) {
		struct automation_recipient_count *there =
		    &g_array_index(batch->recipient_counts, struct automation_recipient_count, i);

		if (base_id_equal(&there->workspace, workspace))
			return there;
	}
	g_array_append_val(batch->recipient_counts, recipient_count);
	return &g_array_index(batch->recipient_counts, struct automation_recipient_count,
	    batch->recipient_counts->len - 1);
}

static bool
batch_count_recipients(
    struct automation_batch *batch, const struct email_draft *draft, GError **error)
{
	const struct store_email *email = draft->email;
	GError *failure = NULL;

	if (!store_quota_is_set(&draft->quota))
		return true;
	struct automation_recipient_count *recipient_count =
	    recipient_count_of(batch, &email->workspace_id);
	if (!service_quota_check(batch->service, &email->workspace_id, &draft->quota,
		recipient_count->recipients + email->recipients->len, batch->now, &failure)) {
		const struct base_error_excess *excess = base_error_excess(failure);

		if (excess)
			recipient_count->full_until = excess->end;
		g_propagate_error(error, failure);
		return false;
	}
	recipient_count->quota = draft->quota;
	recipient_count->recipients += email->recipients->len;
	return true;
}

gint64
automation_batch_full(const struct automation_batch *batch, const struct base_id *workspace)
{
	for (guint i = 0; i < batch->recipient_counts->len; i++) {
		const struct automation_recipient_count *recipient_count =
		    &g_array_index(batch->recipient_counts, struct automation_recipient_count, i);

		if (base_id_equal(&recipient_count->workspace, workspace))
			return recipient_count->full_until;
	}
	return 0;
}

bool
automation_batch_email(struct automation_batch *batch, struct email_draft *draft,
    const struct store_sent_email *sent, GError **error)
{
	if (!batch_count_recipients(batch, draft, error)) {
		email_draft_free(draft);
		return false;
	}
	g_ptr_array_add(batch->drafts, draft);
	g_array_append_val(batch->sent, *sent);
	return true;
}

void
automation_batch_step(struct automation_batch *batch, const struct store_execution_step *step)
{
	struct store_execution_step row = *step;

	if (row.why)
		row.why = g_string_chunk_insert(batch->texts, row.why);
	if (row.given)
		row.given = g_string_chunk_insert(batch->texts, row.given);
	g_array_append_val(batch->steps, row);
}

static gint
compare_recipient_counts(gconstpointer a, gconstpointer b)
{
	return memcmp(&((const struct automation_recipient_count *)a)->workspace,
	    &((const struct automation_recipient_count *)b)->workspace, sizeof(struct base_id));
}

/* All batches lock the workspaces' rows in the same order, so they cannot deadlock. */
static bool
store_recipient_counts(struct automation_batch *batch, GError **error)
{
	g_array_sort(batch->recipient_counts, compare_recipient_counts);
	for (guint i = 0; i < batch->recipient_counts->len; i++) {
		const struct automation_recipient_count *recipient_count =
		    &g_array_index(batch->recipient_counts, struct automation_recipient_count, i);

		if (recipient_count->recipients > 0 &&
		    !store_quota_add(batch->service->db, &recipient_count->workspace,
			&recipient_count->quota, recipient_count->recipients, batch->now, error))
			return false;
	}
	return true;
}

static bool
store_contacts(struct automation_batch *batch, GError **error)
{
	g_autoptr(GPtrArray) changed = g_ptr_array_new();
	GHashTableIter contacts;
	void *value;

	g_hash_table_iter_init(&contacts, batch->contacts);
	while (g_hash_table_iter_next(&contacts, NULL, &value)) {
		struct automation_locked_contact *locked = value;

		if (!locked->changed)
			continue;
		locked->contact->updated = batch->now;
		g_ptr_array_add(changed, locked->contact);
	}
	return store_person_properties(batch->service->db,
	    (const struct store_person *const *)changed->pdata, changed->len, error);
}

static bool
store_emails(struct automation_batch *batch, GError **error)
{
	for (guint i = 0; i < batch->drafts->len; i++) {
		automation_batch_mark(
		    batch, &g_array_index(batch->sent, struct store_sent_email, i).execution_id);
		if (!submit_store(batch->service->db,
			(const struct email_draft *const *)&batch->drafts->pdata[i], 1, error))
			return false;
		FAULT("step-sent");
	}
	automation_batch_mark(batch, NULL);
	return store_automation_feedback_sent(batch->service->db,
	    (const struct store_sent_email *)(void *)batch->sent->data, batch->sent->len, error);
}

static bool
store_waits(struct automation_batch *batch, GError **error)
{
	return store_execution_wait_remove(batch->service->db,
		   (const struct store_execution_wait *)(void *)batch->gone->data, batch->gone->len,
		   error) &&
	       store_execution_wait_insert(batch->service->db,
		   (const struct store_execution_wait *)(void *)batch->waits->data,
		   batch->waits->len, error);
}

/* Executions that a batch finishes. */
struct ended {
	guint completed, failed, cancelled;
};

static void
count_ended(void *data)
{
	const struct ended *ended = data;

	if (ended->completed > 0)
		service_metrics_add(METRIC_EXECUTIONS_ENDED, ended->completed, "completed", NULL);
	if (ended->failed > 0)
		service_metrics_add(METRIC_EXECUTIONS_ENDED, ended->failed, "failed", NULL);
	if (ended->cancelled > 0)
		service_metrics_add(METRIC_EXECUTIONS_ENDED, ended->cancelled, "cancelled", NULL);
}

/* Has them counted when the batch is stored. */
static void
note_ended(const struct automation_batch *batch, guint cancelled)
{
	struct ended ended = {.cancelled = cancelled};

	for (guint i = 0; i < batch->claimed->len; i++) {
		const struct store_execution_claimed *claimed = batch->claimed->pdata[i];

		ended.completed += claimed->execution.status == EXECUTION_COMPLETED;
		ended.failed += claimed->execution.status == EXECUTION_FAILED;
		ended.cancelled += claimed->execution.status == EXECUTION_CANCELLED;
	}
	if (ended.completed + ended.failed + ended.cancelled > 0)
		db_after_commit(
		    batch->service->db, count_ended, g_memdup2(&ended, sizeof(ended)), g_free);
}

/* Removes the people whom steps delete, once all rows of the batch are stored, so that it cancels
   their other executions too. */
static bool
remove_people(struct automation_batch *batch, guint *cancelled_r, GError **error)
{
	const struct store_consent_act act = {
	    .source = CONSENT_BY_WORKFLOW, .author = CONSENT_OF_OPERATOR};
	GHashTableIter contacts;
	void *value;

	*cancelled_r = 0;
	g_hash_table_iter_init(&contacts, batch->contacts);
	while (g_hash_table_iter_next(&contacts, NULL, &value)) {
		const struct automation_locked_contact *locked = value;
		guint cancelled = 0;

		if (!locked->is_deleted)
			continue;
		if (!automation_person_remove_by(batch->service->db, &locked->contact->workspace_id,
			&locked->contact->id, &act, &cancelled, error))
			return false;
		*cancelled_r += cancelled;
	}
	return true;
}

static bool
store_steps(const struct automation_batch *batch, GError **error)
{
	return store_execution_step_insert(batch->service->db,
	    (const struct store_execution_step *)(void *)batch->steps->data, batch->steps->len,
	    error);
}

bool
automation_batch_insert(struct automation_batch *batch, bool is_exclusive, GError **error)
{
	g_autofree struct store_execution *rows =
	    g_new(struct store_execution, batch->claimed->len);

	for (guint i = 0; i < batch->claimed->len; i++)
		rows[i] = ((struct store_execution_claimed *)batch->claimed->pdata[i])->execution;
	return store_execution_insert(
		   batch->service->db, rows, batch->claimed->len, is_exclusive, error) &&
	       store_waits(batch, error) && store_steps(batch, error);
}

bool
automation_batch_store(struct automation_batch *batch, GError **error)
{
	guint cancelled;

	if (!store_emails(batch, error) || !store_contacts(batch, error))
		return false;
	FAULT("step-effects");
	bool stored = store_waits(batch, error) &&
		      store_watch_end(batch->service->db,
			  (const struct base_id *const *)batch->unwatched->pdata,
			  batch->unwatched->len, error) &&
		      store_step_request_remove(batch->service->db,
			  (const struct base_id *const *)batch->answered->pdata,
			  batch->answered->len, error) &&
		      store_execution_put(batch->service->db,
			  (const struct store_execution_claimed *const *)batch->claimed->pdata,
			  batch->claimed->len, error) &&
		      store_steps(batch, error) && store_recipient_counts(batch, error) &&
		      remove_people(batch, &cancelled, error);
	FAULT("step-moved");
	if (stored)
		note_ended(batch, cancelled);
	return stored;
}
