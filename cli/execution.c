/* SPDX-License-Identifier: MIT */
/* posthouse execution: lists, shows and cancels the executions of workflows. */
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"

#include <string.h>

#include "automation/execution.h"
#include "automation/execution_view.h"
#include "automation/history.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/workflow_find.h"
#include "config/log.h"
#include "person/contact.h"
#include "store/person/person.h"
#include "store/workspace/workspace.h"

enum { LIST_WORKFLOW, LIST_CONTACT, LIST_STATUS, LIST_BEFORE, LIST_LIMIT };
static const struct cli_parameter list_parameters[] = {
    [LIST_WORKFLOW] = {"--workflow", "only those of this workflow: " WORKFLOW_HELP, "WORKFLOW",
	.max = LIMIT_NAME_LENGTH},
    [LIST_CONTACT] = {"--contact",
	"only those of this contact; if neither is given, all are listed", "EMAIL",
	PARAMETER_ADDRESS},
    [LIST_STATUS] = {"--status",
	"only those of this status: in_progress, waiting, completed, failed or cancelled", "STATUS",
	.max = LIMIT_NAME_LENGTH},
    [LIST_BEFORE] = PAGE_BEFORE,
    [LIST_LIMIT] = PAGE_LIMIT,
};

#define INDENT 4

static bool
execution_find_contact(
    const struct cli_call *call, const char *email, struct base_id *id_r, GError **error)
{
	g_autofree char *address = person_contact_address(email, error);

	return address && store_person_find(call->db, &call->workspace->id, address, id_r, error);
}

static bool
execution_read_status(const char *given, enum store_execution_status *status_r, GError **error)
{
	*status_r = 0;
	for (guint i = 0; given && store_execution_statuses[i]; i++)
		if (g_ascii_strcasecmp(store_execution_statuses[i], given) == 0)
			*status_r = (enum store_execution_status)(i + 1);
	if (!given || *status_r)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "--status must be in_progress, waiting, completed, failed or cancelled, not \"%s\"",
	    given);
	return false;
}

static bool
execution_read_filter(const struct cli_call *call, struct store_execution_filter *filter,
    struct base_id *owner, GError **error)
{
	const struct cli_value *values = call->values;
	const char *workflow = values[LIST_WORKFLOW].text, *contact = values[LIST_CONTACT].text;

	if (workflow && contact) {
		g_set_error(
		    error, PH_ERROR, PH_ERROR_INVALID, "give either --workflow or --contact");
		return false;
	}
	if (!execution_read_status(values[LIST_STATUS].text, &filter->status, error))
		return false;
	filter->before = cli_page_before(&values[LIST_BEFORE]);
	if (workflow)
		filter->workflow_id = owner;
	else if (contact)
		filter->contact_id = owner;
	if (workflow)
		return cli_workflow_find(call, workflow, owner, error);
	return !contact || execution_find_contact(call, contact, owner, error);
}

static gint64
wait_of(const struct store_execution *execution)
{
	return execution->status == EXECUTION_WAITING ? execution->wait_until : 0;
}

/* Describes an execution: contact, workflow, step, end of the wait, error. The caller owns the
 * text. */
static char *
execution_describe(const struct store_execution *execution)
{
	g_autoptr(GString) text = g_string_new(execution->email);
	gint64 wait = wait_of(execution);
	char time[CLOCK_ISO_SIZE];

	if (execution->workflow)
		g_string_append_printf(text, " in %s", execution->workflow);
	g_string_append_printf(text, " at %s", execution->step_id);
	if (wait)
		g_string_append_printf(text, " until %s", base_clock_format(wait, time));
	if (execution->error_message)
		g_string_append_printf(text, ": %s", execution->error_message);
	return config_log_escape(text->str);
}

static void
execution_show_row(struct cli_output *output, const struct store_execution *execution)
{
	const char *status = store_execution_statuses[execution->status - 1];
	g_autofree char *what = execution_describe(execution);
	g_autoptr(GString) text = g_string_new(NULL);
	char id[ID_TEXT_SIZE], created[CLOCK_ISO_SIZE];

	g_string_append_printf(text, "%s  %s  %s\n", base_id_format(&execution->id, id),
	    base_clock_format(execution->created, created), status);
	cli_wrap_words(text, INDENT, what);
	cli_output_item(output,
	    FIELDS(cli_id("id", &execution->id), cli_text("email", execution->email),
		cli_text("status", status), cli_text("step", execution->step_id),
		cli_time("wait_until", wait_of(execution)), cli_time("created", execution->created),
		cli_text("workflow", execution->workflow),
		cli_text("error", execution->error_message)),
	    text->str);
}

static bool
execution_list(struct cli_call *call, GError **error)
{
	guint limit = cli_page_limit(&call->values[LIST_LIMIT]);
	struct store_execution_filter filter = {.status = 0};
	struct base_id owner;

	if (!execution_read_filter(call, &filter, &owner, error))
		return false;
	g_autoptr(GPtrArray) executions =
	    store_execution_list(call->db, &call->workspace->id, &filter, limit + 1, error);
	if (!executions)
		return false;
	guint count = MIN(executions->len, limit);
	cli_output_list_begin(
	    call->output, "executions", count > 0 ? NULL : "There are no such executions.");
	for (guint i = 0; i < count; i++)
		execution_show_row(call->output, executions->pdata[i]);
	cli_output_list_end(call->output);
	if (executions->len > count)
		cli_page_rest(call->output,
		    &((const struct store_execution *)executions->pdata[count - 1])->id);
	return true;
}

enum { ID };
static const struct cli_parameter id_parameters[] = {
    [ID] = {"ID", "of the execution", .type = PARAMETER_ID},
};

static bool
execution_list_emails(struct cli_call *call, const struct base_id *execution, GError **error)
{
	g_autoptr(GPtrArray) emails =
	    store_execution_email_of(call->db, &call->workspace->id, execution, error);

	if (!emails)
		return false;
	cli_output_list_begin(call->output, "emails", "It has sent no email.");
	for (guint i = 0; i < emails->len; i++) {
		const struct store_execution_email *email = emails->pdata[i];
		const struct store_execution_email_event *last =
		    email->events->len == 0
			? NULL
			: &g_array_index(email->events, struct store_execution_email_event,
			      email->events->len - 1);

		cli_output_row(call->output,
		    FIELDS(cli_id("id", &email->email_id), cli_text("subject", email->subject),
			cli_text("status", last ? store_event_name(last->status) : NULL),
			cli_time("created", email->created)));
	}
	cli_output_list_end(call->output);
	return true;
}

/* A step for people: "2. pause (wait)  2026-11-20T08:00:00.000Z  waiting: until ...". The caller
   owns the text. */
static char *
describe_step(const struct store_execution_step *step)
{
	const char *result = automation_history_result(step->result);
	const char *why = step->error ? step->error : step->why;
	g_autoptr(GString) text = g_string_new(NULL);
	char time[CLOCK_ISO_SIZE];

	g_string_append_printf(text, "%u. %s (%s)  %s  %s", step->sequence,
	    step->step_id ? step->step_id : "?", step->type ? step->type : "unknown",
	    base_clock_format(step->entered, time), result ? result : "due");
	if (step->branch)
		g_string_append_printf(text, ", %s", step->branch);
	if (why)
		g_string_append_printf(text, ": %s", why);
	g_autofree char *escaped = config_log_escape(text->str);
	return g_strconcat(escaped, "\n", NULL);
}

static void
show_step(struct cli_output *output, const struct store_execution_step *step)
{
	g_autofree char *text = describe_step(step);

	cli_output_item(output,
	    FIELDS(cli_number("sequence", step->sequence), cli_text("step_id", step->step_id),
		cli_text("type", step->type), cli_time("entered_at", step->entered),
		cli_time("left_at", step->left),
		cli_text("result", automation_history_result(step->result)),
		cli_text("branch", step->branch), cli_text("why", step->why),
		step->has_email ? cli_id("email_id", &step->email_id) : cli_text("email_id", NULL),
		cli_time("wait_until", step->wait_until), cli_text("error", step->error)),
	    text);
}

static bool
list_steps(struct cli_call *call, const struct base_id *execution, GError **error)
{
	g_autoptr(GPtrArray) steps = automation_history_list(
	    call->db, &call->workspace->id, execution, 0, LIMIT_STEPS + 1, error);

	if (!steps)
		return false;
	cli_output_list_begin(call->output, "steps", NULL);
	for (guint i = 0; i < steps->len; i++)
		show_step(call->output, steps->pdata[i]);
	cli_output_list_next(call->output);
	return true;
}

#define MEMBER(name, member) cli_member(name, &automation_execution_list, member, execution)

static bool
execution_show(struct cli_call *call, GError **error)
{
	AUTO(store_execution) execution =
	    store_execution_get(call->db, &call->workspace->id, &call->values[ID].id, error);

	if (!execution)
		return false;
	cli_output_facts(call->output,
	    FIELDS(MEMBER("id", "execution_id"), MEMBER("workflow_id", "workflow_id"),
		MEMBER("email", "email"), MEMBER("version", "version_used"),
		MEMBER("status", "status"), MEMBER("step", "current_step_id"),
		MEMBER("steps", "step_count"), cli_time("wait_until", wait_of(execution)),
		MEMBER("created", "created_at"), MEMBER("updated", "updated_at"),
		MEMBER("completed", "completed_at"), MEMBER("reason", "cancellation_reason"),
		cli_text("error_step", execution->error_step),
		cli_text("error", execution->error_message)));
	return list_steps(call, &execution->id, error) &&
	       execution_list_emails(call, &execution->id, error);
}

static bool
cli_execution_cancel(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	const struct base_id *id = &call->values[ID].id;

	if (!automation_execution_cancel(service, &call->workspace->id, id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", id), cli_truth("cancelled", true)),
	    "The execution is cancelled.");
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List executions, newest first: those of a workflow, of a contact, or all.",
	NEED_WORKSPACE, PARAMETERS(list_parameters), .run = execution_list},
    {"show", "Show an execution, its steps and its emails.", NEED_WORKSPACE,
	PARAMETERS(id_parameters), .run = execution_show},
    {"cancel", "Cancel an execution that has not finished.", NEED_WORKSPACE,
	PARAMETERS(id_parameters), .audit = "execution.changed", .run = cli_execution_cancel},
};

const struct cli_noun cli_noun_execution = {"execution", commands, G_N_ELEMENTS(commands)};
