/* SPDX-License-Identifier: MIT */
/* The steps of an execution (/v1/executions/{id}/steps). */
#include "fcgi/v1/handlers.h"

#include "automation/history.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"

static void
execution_steps_write_step(struct json_writer *writer, const struct store_execution_step *step)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "sequence", step->sequence);
	json_writer_string(writer, "step_id", step->step_id);
	json_writer_string(writer, "type", step->type);
	json_writer_integer(writer, "entered_at", step->entered);
	fcgi_write_time(writer, "left_at", step->left);
	json_writer_string(writer, "result", automation_history_result(step->result));
	json_writer_string(writer, "branch", step->branch);
	json_writer_string(writer, "why", step->why);
	json_writer_string(
	    writer, "email_id", step->has_email ? base_id_format(&step->email_id, id) : NULL);
	fcgi_write_time(writer, "wait_until", step->wait_until);
	json_writer_string(writer, "error", step->error);
	json_writer_end_object(writer);
}

/* The cursor has the sequence of the page's last row, and the id of the execution. */
static void
execution_steps_reply(
    struct fcgi_call *call, const GPtrArray *steps, const struct base_id *execution)
{
	AUTO(json_writer) writer = json_writer_new();
	guint count = MIN(steps->len, LIMIT_PAGE);
	g_autofree char *cursor = NULL;

	fcgi_page_begin(writer, "steps");
	for (guint i = 0; i < count; i++)
		execution_steps_write_step(writer, steps->pdata[i]);
	if (steps->len > count) {
		const struct store_execution_step *last = steps->pdata[count - 1];

		cursor = fcgi_page_place_cursor(last->sequence, execution);
	}
	fcgi_page_end_text(call, writer, count, cursor);
}

bool
fcgi_execution_steps_list(struct fcgi_call *call, GError **error)
{
	struct base_id id, of;
	gint64 after = 0;
	bool given;

	if (!fcgi_page_place(call, &after, &of, &given, error))
		return false;
	if (!base_id_parse(call->arguments[0], &id))
		return store_execution_missing(error);
	g_autoptr(GPtrArray) steps =
	    automation_history_list(call->service->db, &call->key.workspace_id, &id,
		(guint)CLAMP(after, 0, G_MAXINT32), LIMIT_PAGE + 1, error);
	if (steps)
		execution_steps_reply(call, steps, &id);
	return steps != NULL;
}
