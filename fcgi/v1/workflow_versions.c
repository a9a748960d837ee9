/* SPDX-License-Identifier: MIT */
/* The saved designs of a workflow (/v1/workflows/{id}/versions). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "automation/workflow.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/workflow.h"

/* The workflow of the path. The caller frees it. */
static struct store_workflow *
workflow_versions_find(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (base_id_parse(call->arguments[0], &id))
		return store_workflow_get(call->service->db, &call->key.workspace_id, &id, error);
	store_workflow_missing(error);
	return NULL;
}

static void
workflow_versions_write_head(struct json_writer *writer, const struct store_workflow *workflow,
    const struct store_workflow_version *version)
{
	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "version", version->version);
	json_writer_integer(writer, "created", version->created);
	json_writer_string(writer, "created_by", version->created_by);
	json_writer_boolean(writer, "current", version->version == workflow->current_version);
	json_writer_boolean(writer, "active", version->version == workflow->active_version);
}

/* The cursor has the number of the page's last version, and the id of the workflow. */
static void
workflow_versions_reply_list(
    struct fcgi_call *call, const struct store_workflow *workflow, const GPtrArray *versions)
{
	AUTO(json_writer) writer = json_writer_new();
	guint count = MIN(versions->len, LIMIT_PAGE);
	g_autofree char *cursor = NULL;

	fcgi_page_begin(writer, "versions");
	for (guint i = 0; i < count; i++) {
		workflow_versions_write_head(writer, workflow, versions->pdata[i]);
		json_writer_end_object(writer);
	}
	if (versions->len > count) {
		const struct store_workflow_version *last = versions->pdata[count - 1];

		cursor = fcgi_page_place_cursor(last->version, &workflow->id);
	}
	fcgi_page_end_text(call, writer, count, cursor);
}

bool
fcgi_workflow_versions_list(struct fcgi_call *call, GError **error)
{
	guint before;

	if (!fcgi_versions_before(call, &before, error))
		return false;
	AUTO(store_workflow) workflow = workflow_versions_find(call, error);
	if (!workflow)
		return false;
	g_autoptr(GPtrArray) versions = store_workflow_version_list(call->service->db,
	    &call->key.workspace_id, &workflow->id, before, LIMIT_PAGE + 1, error);
	if (!versions)
		return false;
	workflow_versions_reply_list(call, workflow, versions);
	return true;
}

/* The version of the path. The caller frees it. */
static struct store_workflow_version *
workflow_versions_find_one(
    struct fcgi_call *call, const struct store_workflow *workflow, GError **error)
{
	guint number = 0;

	return fcgi_versions_number(call, &number, error)
		   ? store_workflow_version_get(
			 call->service->db, &call->key.workspace_id, &workflow->id, number, error)
		   : NULL;
}

bool
fcgi_workflow_versions_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_workflow) workflow = workflow_versions_find(call, error);
	AUTO(store_workflow_version)
	version = workflow ? workflow_versions_find_one(call, workflow, error) : NULL;

	if (!version)
		return false;
	workflow_versions_write_head(writer, workflow, version);
	json_writer_string(writer, "design", version->design);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_workflow_versions_restore(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_read(call, error);
	AUTO(store_workflow) workflow = edit ? workflow_versions_find(call, error) : NULL;
	AUTO(store_workflow_version)
	version = workflow ? workflow_versions_find_one(call, workflow, error) : NULL;

	if (!version)
		return false;
	const struct automation_workflow_change change = {.design = version->design,
	    .design_size = strlen(version->design),
	    .form = version->form,
	    .edit = &edit->edit};
	return automation_workflow_change(
		   call->service, &call->key.workspace_id, &workflow->id, &change, error) &&
	       fcgi_workflows_get(call, error);
}
