/* SPDX-License-Identifier: MIT */
/* Checks and stores batches of emails. */
#include "submit/batch.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/precondition.h"
#include "email/draft.h"
#include "email/draft_cache.h"
#include "email/submission.h"
#include "service/quota.h"
#include "service/service.h"
#include "store/email/email.h"
#include "submit/submit.h"

static struct submit_batch *
submit_batch_batch_of(const struct service_once *request)
{
	return (struct submit_batch *)request;
}

const struct submit_batch_email *
submit_batch_at(const struct submit_batch *batch, guint place)
{
	return &g_array_index(batch->emails, struct submit_batch_email, place);
}

/* The drafts of the good emails. The caller owns the array. */
static GPtrArray *
good_ones(const struct submit_batch *batch)
{
	GPtrArray *drafts = g_ptr_array_new();

	for (guint i = 0; i < batch->emails->len; i++)
		if (submit_batch_at(batch, i)->draft)
			g_ptr_array_add(drafts, submit_batch_at(batch, i)->draft);
	return drafts;
}

/* The quota of the workspace, which each draft has. */
static const struct store_quota *
quota_of(const GPtrArray *drafts)
{
	return &((const struct email_draft *)drafts->pdata[0])->quota;
}

static bool
batch_store_one(struct service *service, const struct submit_batch *batch, GError **error)
{
	g_autoptr(GPtrArray) drafts = good_ones(batch);

	return submit_store_counted(service->db, (const struct email_draft *const *)drafts->pdata,
	    drafts->len, batch->now, error);
}

static bool
batch_store(
    struct service *service, struct service_once *const *requests, guint count, GError **error)
{
	bool done = service_once_take(service, requests, count, error);

	for (guint i = 0; done && i < count; i++)
		done = batch_store_one(service, submit_batch_batch_of(requests[i]), error);
	return done;
}

static void
batch_failed(struct service *service, struct service_once *request)
{
	const struct submit_batch *batch = submit_batch_batch_of(request);
	g_autoptr(GPtrArray) drafts = good_ones(batch);

	if (!g_error_matches(request->error, PH_ERROR, PH_ERROR_LIMITED))
		return;
	g_clear_error(&request->error);
	service_quota_refuse(service, &batch->workspace_id, quota_of(drafts), batch->recipients,
	    batch->now, &request->error);
}

static void
clear_email(void *data)
{
	struct submit_batch_email *email = data;

	g_clear_pointer(&email->draft, email_draft_free);
	g_clear_error(&email->fault);
}

static void
free_batch(struct service_once *request)
{
	struct submit_batch *batch = submit_batch_batch_of(request);

	g_array_unref(batch->emails);
	email_draft_cache_free(batch->cache);
	g_free(batch);
}

static const struct service_once_kind kind = {
    .store = batch_store,
    .fixed_ids = true,
    .failed = batch_failed,
    .free = free_batch,
};

struct submit_batch *
submit_batch_new(struct service *service, const struct base_id *workspace,
    const struct service_idempotency *idempotency, GError **error)
{
	struct submit_batch *batch = g_new0(struct submit_batch, 1);
	AUTO(service_once) request = &batch->request;

	request->kind = &kind;
	batch->workspace_id = *workspace;
	batch->cache = email_draft_cache_new(true);
	batch->emails = g_array_new(FALSE, FALSE, sizeof(struct submit_batch_email));
	g_array_set_clear_func(batch->emails, clear_email);
	if (idempotency)
		request->idempotency = *idempotency;
	/* An API key that is not valid must not look like a fault of an email. */
	if (!db_precondition_settle(service->db, error) ||
	    !service_once_find(service, request, error))
		return NULL;
	request = NULL;
	return batch;
}

void
submit_batch_refuse(struct submit_batch *batch, const GError *fault)
{
	const struct submit_batch_email email = {NULL, g_error_copy(fault)};

	g_array_append_val(batch->emails, email);
	batch->bad++;
}

/* Whether an error of email_draft_new is about the email. */
static bool
batch_is_fault(const GError *error)
{
	return g_error_matches(error, PH_ERROR, PH_ERROR_INVALID) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN);
}

bool
submit_batch_add(struct service *service, struct submit_batch *batch,
    const struct email_submission *submission, GError **error)
{
	struct email_submission one = *submission;
	g_autoptr(GError) local = NULL;

	one.cache = batch->cache;
	const struct submit_batch_email email = {
	    email_draft_new(service, &batch->workspace_id, &one, &local), NULL};
	if (!email.draft && !batch_is_fault(local)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	if (email.draft)
		g_array_append_val(batch->emails, email);
	else
		submit_batch_refuse(batch, local);
	return true;
}

bool
submit_batch_check(struct service *service, struct submit_batch *batch, GError **error)
{
	g_autoptr(GPtrArray) drafts = good_ones(batch);

	batch->now = base_clock_now();
	batch->recipients =
	    submit_recipients((const struct email_draft *const *)drafts->pdata, drafts->len);
	return drafts->len == 0 ||
	       (email_draft_settle(
		    service, (struct email_draft *const *)drafts->pdata, drafts->len, error) &&
		   service_quota_check(service, &batch->workspace_id, quota_of(drafts),
		       batch->recipients, batch->now, error));
}
