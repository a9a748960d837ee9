/* SPDX-License-Identifier: MIT */
/* Collects requests, and stores them together. */
#include "service/request_history.h"

#include "base/clock.h"
#include "base/limits/request.h"
#include "config/log.h"
#include "service/service.h"
#include "store/workspace/request_history.h"

#define AGE_MS 1000
#define WAITING_MAX (5 * LIMIT_CALLS_WAITING) /* of all workspaces */
#define TRIM_EACH 100 /* about each so many requests, those that are too many are removed */

static guint
request_history_count_of(const GPtrArray *waiting, const struct base_id *workspace)
{
	guint count = 0;

	for (guint i = 0; i < waiting->len; i++)
		count += base_id_equal(
		    &((const struct store_request_history *)waiting->pdata[i])->workspace_id,
		    workspace);
	return count;
}

void
service_request_history_add(struct service *service, struct store_request_history *call)
{
	struct service_calls *calls = &service->process->calls;

	if (!calls->waiting)
		calls->waiting = g_ptr_array_new_with_free_func(store_request_history_destroy);
	if (calls->waiting->len >= WAITING_MAX ||
	    request_history_count_of(calls->waiting, &call->workspace_id) >= LIMIT_CALLS_WAITING) {
		store_request_history_free(call);
		return;
	}
	if (calls->waiting->len == 0)
		calls->first = base_clock_boot();
	g_ptr_array_add(calls->waiting, call);
}

gint64
service_request_history_patience(const struct service *service)
{
	const struct service_calls *calls = &service->process->calls;

	if (!calls->waiting || calls->waiting->len == 0)
		return -1;
	return MAX(calls->first + AGE_MS - base_clock_boot(), 0);
}

/* Each request has the same chance to be the one after which its workspace is looked at, so that
   no count has to be kept. */
static bool
request_history_trim(struct service *service, const GPtrArray *waiting, GError **error)
{
	for (guint i = 0; i < waiting->len; i++) {
		const struct store_request_history *call = waiting->pdata[i];
		guint removed;

		if (g_random_int_range(0, TRIM_EACH) == 0 &&
		    !store_request_history_trim(service->db, &call->workspace_id, &removed, error))
			return false;
	}
	return true;
}

void
service_request_history_flush(struct service *service)
{
	GPtrArray *waiting = service->process->calls.waiting;
	g_autoptr(GError) error = NULL;

	if (!waiting || waiting->len == 0)
		return;
	if (!service_ensure(service, &error) ||
	    !store_request_history_add(service->db,
		(struct store_request_history *const *)waiting->pdata, waiting->len, &error))
		config_log("%u requests are not in the list: %s", waiting->len, error->message);
	else if (!request_history_trim(service, waiting, &error))
		config_log("old requests are still in the list: %s", error->message);
	g_ptr_array_set_size(waiting, 0);
}
