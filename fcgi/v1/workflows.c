/* SPDX-License-Identifier: MIT */
/* Workflows: create, list, read, change and delete them (/v1/workflows). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "automation/workflow.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/workflow.h"

struct input {
	const char *name, *status;
	const struct json *design; /* an object, or its text */
};

static const struct json_field fields[] = {FIELDS_WORKFLOW_CHANGE(struct input)};

const struct json_table fcgi_workflows_body = JSON_TABLE(fields);

static bool
reply_workflow(struct fcgi_call *call, const struct store_workflow *workflow)
{
	if (!fcgi_page_reply_view(call, &automation_workflow_view, workflow))
		return false;
	fcgi_edit_tag_time(call->reply, workflow->updated);
	return true;
}

bool
fcgi_workflows_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_workflow_missing(error);
	AUTO(store_workflow) workflow =
	    store_workflow_get(call->service->db, &call->key.workspace_id, &id, error);
	return reply_workflow(call, workflow);
}

const char *
fcgi_workflows_design(const struct json *design, gsize *size_r, char **printed_r)
{
	const char *text = json_string(design, size_r);

	if (!design || text)
		return text;
	*printed_r = json_print(design);
	*size_r = strlen(*printed_r);
	return *printed_r;
}

/* Reads the body into change, which borrows *design_r; the caller frees that. */
static bool
read_change(struct fcgi_call *call, struct automation_workflow_change *change, char **design_r,
    GError **error)
{
	struct input input = {0};
	gsize size;

	*design_r = NULL;
	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error))
		return false;
	const char *text = fcgi_workflows_design(input.design, &size, design_r);
	*change = (struct automation_workflow_change){
	    .name = input.name, .status = input.status, .design = text, .design_size = size};
	return true;
}

static bool
workflows_is_given(const char *field, const void *value, GError **error)
{
	if (!value)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s is required", field);
	return value != NULL;
}

bool
fcgi_workflows_post(struct fcgi_call *call, GError **error)
{
	struct automation_workflow_change change;
	g_autofree char *design = NULL;
	char key[ID_TEXT_SIZE];
	const struct automation_workflow_author author = fcgi_call_author(call, key);
	struct base_id id;

	if (!read_change(call, &change, &design, error) ||
	    !workflows_is_given("name", change.name, error) ||
	    !workflows_is_given("design", change.design, error) ||
	    !automation_workflow_create(
		call->service, &call->key.workspace_id, &author, &change, &id, error))
		return false;
	AUTO(store_workflow) workflow =
	    store_workflow_get(call->service->db, &call->key.workspace_id, &id, error);
	return reply_workflow(call, workflow);
}

bool
fcgi_workflows_patch(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_read(call, error);
	struct automation_workflow_change change;
	g_autofree char *design = NULL;
	struct base_id id = {{0}}; /* no workflow's, where the path has none */

	base_id_parse(call->arguments[0], &id);
	if (!edit || !read_change(call, &change, &design, error))
		return false;
	change.edit = &edit->edit;
	if (!automation_workflow_change(
		call->service, &call->key.workspace_id, &id, &change, error))
		return false;
	AUTO(store_workflow) workflow =
	    store_workflow_get(call->service->db, &call->key.workspace_id, &id, error);
	return reply_workflow(call, workflow);
}

bool
fcgi_workflows_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_workflow_missing(error);
	if (!automation_workflow_remove(call->service, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Workflow deleted");
	return true;
}

bool
fcgi_workflows_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) workflows = store_workflow_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"workflows", workflows, LIMIT_PAGE, false,
		offsetof(struct store_workflow, id), .view = &automation_workflow_list},
	    error);
}
