/* SPDX-License-Identifier: MIT */
/* Starts of workflows (/v1/workflows/{id}/executions, /v1/workflows/{id}/starts). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "start/order.h"
#include "store/automation/workflow.h"

static const struct json_field fields[] = {FIELDS_NEW_START(struct start_order_input)};

const struct json_table fcgi_starts_body = JSON_TABLE(fields);

static char *
starts_write_order(const struct service_once *request)
{
	const struct start_order *order = (const struct start_order *)request;
	AUTO(json_writer) writer = json_writer_new();

	json_view_write(writer, &start_order_view, order->start, NULL);
	return json_writer_take(writer, NULL);
}

static struct service_once *
starts_check(struct fcgi_call *call, GError **error)
{
	struct start_order_input input = {NULL};
	struct service_idempotency key;
	struct start_order *order = NULL;
	struct base_id workflow;

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error))
		return NULL;
	if (!base_id_parse(call->arguments[0], &workflow))
		store_workflow_missing(error);
	else if (fcgi_call_idempotency(call, &key, starts_write_order, error))
		order = start_order_check(call->service, &call->key.workspace_id, &workflow,
		    START_API, &input, &key, error);
	json_fields_free(fields, G_N_ELEMENTS(fields), &input);
	return order ? &order->request : NULL;
}

const struct fcgi_storing fcgi_starts_storing = {200, starts_check, starts_write_order, NULL};

/* Reads the ids of the path, of the workflow and of the start. */
static bool
starts_read_path(
    struct fcgi_call *call, struct base_id *workflow_r, struct base_id *id_r, GError **error)
{
	if (!base_id_parse(call->arguments[0], workflow_r))
		return store_workflow_missing(error);
	if (!store_workflow_check(call->service->db, &call->key.workspace_id, workflow_r, error))
		return false;
	return base_id_parse(call->arguments[1], id_r) || store_start_missing(error);
}

bool
fcgi_starts_list(struct fcgi_call *call, GError **error)
{
	struct base_id workflow, before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	if (!base_id_parse(call->arguments[0], &workflow))
		return store_workflow_missing(error);
	if (!store_workflow_check(call->service->db, &call->key.workspace_id, &workflow, error))
		return false;
	g_autoptr(GPtrArray) starts = store_start_list(call->service->db, &call->key.workspace_id,
	    &workflow, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"starts", starts, LIMIT_PAGE, true,
		offsetof(struct store_start, id), .view = &start_order_view},
	    error);
}

bool
fcgi_starts_get(struct fcgi_call *call, GError **error)
{
	struct base_id workflow, id;

	if (!starts_read_path(call, &workflow, &id, error))
		return false;
	AUTO(store_start)
	start = store_start_get(call->service->db, &call->key.workspace_id, &workflow, &id, error);
	return fcgi_page_reply_view(call, &start_order_view, start);
}

bool
fcgi_starts_cancel(struct fcgi_call *call, GError **error)
{
	struct base_id workflow, id;

	if (!starts_read_path(call, &workflow, &id, error))
		return false;
	AUTO(store_start)
	start = start_order_cancel(call->service, &call->key.workspace_id, &workflow, &id, error);
	return fcgi_page_reply_view(call, &start_order_view, start);
}
