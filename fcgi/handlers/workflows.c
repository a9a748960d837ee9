/* Workflows. */
#include "fcgi/handlers/workflows.h"

#include "base/limits.h"
#include "core/core.h"
#include "fcgi/call.h"
#include "fcgi/handlers/page.h"
#include "json/writer.h"
#include "store/workflow.h"

static void
write_head(struct json_writer *writer, const struct workflow *workflow)
{
	char id[ID_TEXT_SIZE];

	json_writer_string(writer, "workflow_id", base_id_format(&workflow->id, id));
	json_writer_string(writer, "workspace_id", base_id_format(&workflow->workspace_id, id));
	json_writer_string(writer, "name", workflow->name);
	json_writer_string(writer, "status", store_workflow_status_name(workflow->status));
}

static void
write_tail(struct json_writer *writer, const struct workflow *workflow)
{
	json_writer_integer(writer, "created", workflow->created);
	json_writer_integer(writer, "updated", workflow->updated);
	json_writer_string(writer, "created_by", workflow->created_by);
	json_writer_string(
	    writer, "created_by_type", store_workflow_author_name(workflow->created_by_type));
}

/* Where the design would be if it were a file. */
static void
write_data(struct json_writer *writer, const struct workflow *workflow)
{
	bool active = workflow->current_version == workflow->active_version;
	char id[ID_TEXT_SIZE];
	g_autofree char *path = g_strdup_printf(
	    "workflows/%s/%s.json", base_id_format(&workflow->id, id), active ? "active" : "draft");

	json_writer_string(writer, "data", path);
}

static void
write_row(struct json_writer *writer, const struct workflow *workflow)
{
	json_writer_begin_object(writer, NULL);
	write_head(writer, workflow);
	write_data(writer, workflow);
	write_tail(writer, workflow);
	json_writer_end_object(writer);
}

static bool
reply_workflow(struct call *call, const struct workflow *workflow)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!workflow)
		return false;
	json_writer_begin_object(writer, NULL);
	write_head(writer, workflow);
	json_writer_integer(writer, "current_version", workflow->current_version);
	json_writer_integer(writer, "active_version", workflow->active_version);
	json_writer_string(writer, "design", workflow->design);
	write_tail(writer, workflow);
	json_writer_end_object(writer);
	reply_json(call->reply, 200, writer);
	return true;
}

bool
workflows_get(struct call *call, GError **error)
{
	struct id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_workflow_missing(error);
	AUTO(workflow)
	workflow = store_workflow_get(call->core->db, &call->key.workspace_id, &id, error);
	return reply_workflow(call, workflow);
}

bool
workflows_list(struct call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct id before;
	bool given;

	if (!page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) workflows = store_workflow_list(
	    call->core->db, &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	if (!workflows)
		return false;
	guint count = MIN(workflows->len, LIMIT_PAGE);
	page_begin(writer, "workflows");
	for (guint i = 0; i < count; i++)
		write_row(writer, workflows->pdata[i]);
	page_end(call, writer, false, count,
	    workflows->len > count ? &((const struct workflow *)workflows->pdata[count - 1])->id
				   : NULL);
	return true;
}
