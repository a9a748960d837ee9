/* SPDX-License-Identifier: MIT */
/* Requests that wait to be stored together. */
#include "service/request_history.h"

#include <criterion/criterion.h>

#include "base/limits/request.h"
#include "service/service.h"
#include "store/workspace/request_history.h"

static struct store_request_history *
calls_make(guint8 workspace)
{
	struct store_request_history *call = g_new0(struct store_request_history, 1);

	call->id = base_id_new();
	call->workspace_id = (struct base_id){{workspace}};
	call->actor = AUDIT_KEY;
	call->method = g_strdup("GET");
	call->route = g_strdup("/v1/emails");
	call->status = 404;
	call->request_id = g_strdup("r");
	return call;
}

Test(calls, wait_so_many_of_a_workspace)
{
	struct service_process process = {.journal = NULL};
	struct service service = {.process = &process};

	cr_expect_eq(service_request_history_patience(&service), -1);
	for (guint i = 0; i < LIMIT_CALLS_WAITING; i++)
		service_request_history_add(&service, calls_make(1));
	cr_expect_eq(process.calls.waiting->len, LIMIT_CALLS_WAITING);
	service_request_history_add(&service, calls_make(1));
	cr_expect_eq(process.calls.waiting->len, LIMIT_CALLS_WAITING, "one more");
	service_request_history_add(&service, calls_make(2));
	cr_expect_eq(process.calls.waiting->len, LIMIT_CALLS_WAITING + 1, "of another");
	cr_expect(service_request_history_patience(&service) >= 0 &&
		  service_request_history_patience(&service) <= 1000);
	g_ptr_array_unref(process.calls.waiting);
}
