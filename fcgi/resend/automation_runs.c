/* SPDX-License-Identifier: MIT */
/* Runs of automations under /resend, which are executions of workflows. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "automation/history.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/steps.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/automation/workflow.h"

#define OBJECT "automation_run"

static const char *const statuses[] = {
    [EXECUTION_IN_PROGRESS] = "running",
    [EXECUTION_WAITING] = "running",
    [EXECUTION_COMPLETED] = "completed",
    [EXECUTION_FAILED] = "failed",
    [EXECUTION_CANCELLED] = "cancelled",
};

static bool
automation_runs_is_over(const struct store_execution *e)
{
	return e->status != EXECUTION_IN_PROGRESS && e->status != EXECUTION_WAITING;
}

static void
automation_runs_write_members(
    struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_execution *e = row;
	fcgi_resend_write_id(writer, "id", &e->id);
	json_writer_string(writer, "status", statuses[e->status]);
	fcgi_resend_write_time(writer, "started_at", e->created);
	fcgi_resend_write_time(writer, "completed_at", e->completed);
	fcgi_resend_write_time(writer, "created_at", e->created);
}

/* Adds the statuses that a word stands for. */
static bool
add_statuses(const char *word, bool wanted[], GError **error)
{
	bool found = false;

	for (guint i = 1; i < G_N_ELEMENTS(statuses); i++)
		if (strcmp(statuses[i], word) == 0)
			found = wanted[i] = true;
	return found || fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `status` field. status must be running, completed, failed or "
			    "cancelled, or several of them with commas in between.");
}

/* Reads the filter; none means all. */
static bool
automation_runs_read_statuses(struct fcgi_call *call,
    enum store_execution_status statuses_r[EXECUTION_STATUSES], GError **error)
{
	bool wanted[G_N_ELEMENTS(statuses)] = {false};
	g_autofree char *text = NULL;
	guint count = 0;

	if (!fcgi_request_query_list(call->request, "status", &text, error))
		return false;
	g_auto(GStrv) words =
	    g_strsplit(text ? text : "running,completed,failed,cancelled", ",", -1);
	for (guint i = 0; words[i]; i++)
		if (!add_statuses(g_strstrip(words[i]), wanted, error))
			return false;
	for (guint i = 1; i < G_N_ELEMENTS(statuses); i++)
		if (wanted[i])
			statuses_r[count++] = (enum store_execution_status)i;
	return true;
}

bool
fcgi_resend_automation_runs_list(struct fcgi_call *call, GError **error)
{
	enum store_execution_status wanted[EXECUTION_STATUSES] = {0};
	AUTO(store_workflow) workflow = NULL;
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error) ||
	    !automation_runs_read_statuses(call, wanted, error) ||
	    !fcgi_resend_automations_find(call, &workflow, error))
		return false;
	g_autoptr(GPtrArray) executions = store_execution_page(
	    call->service->db, &call->key.workspace_id, &workflow->id, &page, wanted, error);
	return fcgi_resend_list(call, &page, executions, automation_runs_write_members);
}

/* Whether the execution has entered the step with this number. Executions start at the trigger. */
static bool
has_entered(const struct store_execution *e, gsize number, const char *type)
{
	return g_strcmp0(type, "trigger") == 0 ||
	       (number / 8 < EXECUTION_VISITED && e->visited[number / 8] >> number % 8 & 1);
}

static const char *
step_status(const struct store_execution *e, gsize number, const char *key, const char *type)
{
	bool is_current = g_strcmp0(key, e->step_id) == 0;

	if (is_current && e->status == EXECUTION_FAILED)
		return "failed";
	if (is_current && !automation_runs_is_over(e))
		return e->status == EXECUTION_WAITING ? "waiting" : "running";
	if (is_current && e->status == EXECUTION_CANCELLED)
		return "skipped";
	if (is_current || has_entered(e, number, type))
		return "completed";
	return automation_runs_is_over(e) ? "skipped" : "pending";
}

/* When a run entered a step, and left it (epoch ms); 0: not yet, or not kept. */
struct times {
	gint64 entered, left;
};

/* The times of the last visit. A run that is older than the history of steps has only those of the
   trigger and of the end. */
static struct times
times_of(const struct store_execution *e, const GPtrArray *visits, const char *key, bool is_trigger)
{
	bool is_last = automation_runs_is_over(e) && g_strcmp0(key, e->step_id) == 0;

	for (guint i = visits->len; i-- > 0;) {
		const struct store_execution_step *visit = visits->pdata[i];

		if (g_strcmp0(visit->step_id, key) == 0)
			return (struct times){visit->entered, is_last ? e->completed : visit->left};
	}
	return is_trigger ? (struct times){e->created, e->created} : (struct times){0};
}

static void
automation_runs_write_step(struct json_writer *writer, const struct store_execution *e,
    const GPtrArray *visits, const struct json *step, gsize number)
{
	const char *key = json_string(json_member_get(step, "key"), NULL);
	const char *type = json_string(json_member_get(step, "type"), NULL);
	const char *status = step_status(e, number, key, type);
	bool is_trigger = g_strcmp0(type, "trigger") == 0,
	     is_failed = strcmp(status, "failed") == 0;
	struct times times = times_of(e, visits, key, is_trigger);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "key", key);
	json_writer_string(writer, "type", type);
	json_writer_string(writer, "status", status);
	json_writer_null(writer, "output");
	if (is_failed) {
		json_writer_begin_object(writer, "error");
		json_writer_string(writer, "message", e->error_message);
		json_writer_end_object(writer);
	} else {
		json_writer_null(writer, "error");
	}
	fcgi_resend_write_time(writer, "started_at", times.entered);
	fcgi_resend_write_time(writer, "completed_at", times.left);
	/* Clients want a text, also for a step that was not entered. */
	fcgi_resend_write_time(writer, "created_at", times.entered ? times.entered : e->created);
	json_writer_end_object(writer);
}

/* The steps of the version that the execution runs. */
static struct json *
automation_runs_read_form(struct fcgi_call *call, const struct store_execution *e, GError **error)
{
	AUTO(store_workflow_version)
	version = store_workflow_version_form(
	    call->service->db, &call->key.workspace_id, &e->workflow_id, e->version, error);

	if (!version)
		return NULL;
	g_autofree char *text = version->form ? g_strdup(version->form)
					      : fcgi_resend_steps_names(version->design, error);
	return text ? json_parse_as("steps", text, strlen(text), error) : NULL;
}

static struct store_execution *
automation_runs_find(struct fcgi_call *call, const struct store_workflow *workflow, GError **error)
{
	GError *local = NULL;
	struct base_id id;

	if (!fcgi_resend_id(call, 1, &id, error))
		return NULL;
	AUTO(store_execution) execution =
	    store_execution_get(call->service->db, &call->key.workspace_id, &id, &local);
	if (execution && base_id_equal(&execution->workflow_id, &workflow->id))
		return g_steal_pointer(&execution);
	if (local && !g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, local);
		return NULL;
	}
	g_clear_error(&local);
	fcgi_resend_missing(error, "Automation run");
	return NULL;
}

bool
fcgi_resend_automation_runs_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_workflow) workflow = NULL;
	AUTO(json_writer) writer = json_writer_new();

	if (!fcgi_resend_automations_find(call, &workflow, error))
		return false;
	AUTO(store_execution) execution = automation_runs_find(call, workflow, error);
	AUTO(json) form = execution ? automation_runs_read_form(call, execution, error) : NULL;
	/* One visit more than the limit: the one with which a run failed that made too many. */
	g_autoptr(GPtrArray) visits =
	    form ? automation_history_list(call->service->db, &call->key.workspace_id,
		       &execution->id, 0, LIMIT_STEPS + 1, error)
		 : NULL;
	if (!visits)
		return false;
	const struct json *steps = json_member_get(form, "steps");
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	automation_runs_write_members(writer, call->service, execution);
	json_writer_begin_array(writer, "steps");
	for (gsize i = 0; i < json_array_length(steps); i++)
		automation_runs_write_step(writer, execution, visits, json_array_at(steps, i), i);
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
