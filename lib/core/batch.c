/* SPDX-License-Identifier: MIT */
/* Checks and stores batches of emails. */
#include "core/batch.h"

#include "base/clock.h"
#include "base/error.h"
#include "core/core.h"
#include "core/draft.h"
#include "core/quota.h"
#include "core/submission.h"
#include "core/submit.h"
#include "db/guard.h"
#include "store/email.h"

static struct core_batch *
batch_of(const struct core_request *request)
{
	return (struct core_batch *)request;
}

const struct core_batch_email *
core_batch_at(const struct core_batch *batch, guint place)
{
	return &g_array_index(batch->emails, struct core_batch_email, place);
}

/* The drafts of the good emails. The caller owns the array. */
static GPtrArray *
good_ones(const struct core_batch *batch)
{
	GPtrArray *drafts = g_ptr_array_new();

	for (guint i = 0; i < batch->emails->len; i++)
		if (core_batch_at(batch, i)->draft)
			g_ptr_array_add(drafts, core_batch_at(batch, i)->draft);
	return drafts;
}

/* The quota of the workspace, which each draft has. */
static const struct store_quota *
quota_of(const GPtrArray *drafts)
{
	return &((const struct core_draft *)drafts->pdata[0])->quota;
}

static bool
store_one(struct core *core, const struct core_batch *batch, GError **error)
{
	g_autoptr(GPtrArray) drafts = good_ones(batch);

	return drafts->len == 0 ||
	       (core_submit_store(core->db, (const struct core_draft *const *)drafts->pdata,
		    drafts->len, error) &&
		   store_quota_add(core->db, &batch->workspace_id, quota_of(drafts),
		       batch->recipients, batch->now, error));
}

static bool
store(struct core *core, struct core_request *const *requests, guint count, GError **error)
{
	bool done = core_request_take(core, requests, count, error);

	for (guint i = 0; done && i < count; i++)
		done = store_one(core, batch_of(requests[i]), error);
	return done;
}

static void
failed(struct core *core, struct core_request *request)
{
	const struct core_batch *batch = batch_of(request);
	g_autoptr(GPtrArray) drafts = good_ones(batch);

	if (!g_error_matches(request->error, PH_ERROR, PH_ERROR_LIMITED))
		return;
	g_clear_error(&request->error);
	core_quota_refuse(core, &batch->workspace_id, quota_of(drafts), batch->recipients,
	    batch->now, &request->error);
}

static void
clear_email(void *data)
{
	struct core_batch_email *email = data;

	g_clear_pointer(&email->draft, core_draft_free);
	g_clear_error(&email->fault);
}

static void
free_batch(struct core_request *request)
{
	struct core_batch *batch = batch_of(request);

	g_array_unref(batch->emails);
	core_draft_cache_free(batch->cache);
	g_free(batch);
}

static const struct core_request_kind kind = {
    .store = store,
    .fixed_ids = true,
    .failed = failed,
    .free = free_batch,
};

struct core_batch *
core_batch_new(struct core *core, const struct base_id *workspace,
    const struct core_idempotency *idempotency, GError **error)
{
	struct core_batch *batch = g_new0(struct core_batch, 1);
	AUTO(core_request) request = &batch->request;

	request->kind = &kind;
	batch->workspace_id = *workspace;
	batch->cache = core_draft_cache_new();
	batch->emails = g_array_new(FALSE, FALSE, sizeof(struct core_batch_email));
	g_array_set_clear_func(batch->emails, clear_email);
	if (idempotency)
		request->idempotency = *idempotency;
	/* An API key that is not valid must not look like a fault of an email. */
	if (!db_guard_settle(core->db, error) || !core_request_find(core, request, error))
		return NULL;
	request = NULL;
	return batch;
}

void
core_batch_refuse(struct core_batch *batch, const GError *fault)
{
	const struct core_batch_email email = {NULL, g_error_copy(fault)};

	g_array_append_val(batch->emails, email);
	batch->bad++;
}

/* Whether an error of core_draft_new is about the email. */
static bool
is_fault(const GError *error)
{
	return g_error_matches(error, PH_ERROR, PH_ERROR_INVALID) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN);
}

bool
core_batch_add(struct core *core, struct core_batch *batch,
    const struct core_submission *submission, GError **error)
{
	struct core_submission one = *submission;
	g_autoptr(GError) local = NULL;

	one.cache = batch->cache;
	one.in_batch = true;
	const struct core_batch_email email = {
	    core_draft_new(core, &batch->workspace_id, &one, &local), NULL};
	if (!email.draft && !is_fault(local)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	if (email.draft)
		g_array_append_val(batch->emails, email);
	else
		core_batch_refuse(batch, local);
	return true;
}

bool
core_batch_check(struct core *core, struct core_batch *batch, GError **error)
{
	g_autoptr(GPtrArray) drafts = good_ones(batch);

	batch->now = base_clock_now();
	batch->recipients = 0;
	for (guint i = 0; i < drafts->len; i++)
		batch->recipients +=
		    ((const struct core_draft *)drafts->pdata[i])->email->recipients->len;
	return drafts->len == 0 ||
	       (core_draft_settle(
		    core, (struct core_draft *const *)drafts->pdata, drafts->len, error) &&
		   core_quota_check(core, &batch->workspace_id, quota_of(drafts), batch->recipients,
		       batch->now, error));
}
