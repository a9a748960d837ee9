/* SPDX-License-Identifier: MIT */
/* posthouse workflow start, posthouse start: begins workflows by hand, lists, shows and cancels
   such starts. */
#include "cli/start.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "cli/call.h"
#include "cli/event.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/workflow_find.h"
#include "json/strict.h"
#include "start/order.h"
#include "store/automation/workflow.h"
#include "store/workspace/workspace.h"

enum { BEGIN_WORKFLOW, BEGIN_EMAILS, BEGIN_AUDIENCE, BEGIN_SEGMENT, BEGIN_PROPERTY };
const struct cli_parameter cli_start_parameters[CLI_START_PARAMETERS] = {
    [BEGIN_WORKFLOW] = {"WORKFLOW", WORKFLOW_HELP, .max = LIMIT_NAME_LENGTH},
    [BEGIN_EMAILS] = {"EMAIL", "for whom", .type = PARAMETER_ADDRESS, .optional = true,
	.repeated = true},
    [BEGIN_AUDIENCE] = {"--audience", "for those who are subscribed in this audience", "ID",
	PARAMETER_ID},
    [BEGIN_SEGMENT] = {"--segment", "for those who are in this segment", "ID", PARAMETER_ID},
    [BEGIN_PROPERTY] = {"--property",
	"a property of the event; a value that is valid JSON is read as JSON, any other as text",
	"KEY=VALUE", .repeated = true, .max = LIMIT_EVENT_PROPERTIES_BYTES},
};

/* Reads the people: one address is begun at once. */
static void
start_read_people(const struct cli_call *call, struct start_order_input *input_r)
{
	char **emails = call->values[BEGIN_EMAILS].texts;

	input_r->audience_id = call->values[BEGIN_AUDIENCE].text;
	input_r->segment_id = call->values[BEGIN_SEGMENT].text;
	if (emails && emails[0] && !emails[1])
		input_r->email = emails[0];
	else if (emails && emails[0])
		input_r->emails = (const char **)emails;
}

static bool
start_check_count(const struct start_order_input *input, GError **error)
{
	guint count = input->emails ? g_strv_length((char **)input->emails) : 0;

	return count <= LIMIT_START_EMAILS ||
	       base_invalid(error, "at most %d EMAIL", LIMIT_START_EMAILS);
}

bool
cli_start_workflow(struct cli_call *call, GError **error)
{
	struct start_order_input input = {NULL};
	struct base_id workflow;
	char id[ID_TEXT_SIZE];
	AUTO(json)
	properties = cli_event_properties("--property", call->values[BEGIN_PROPERTY].texts, error);

	input.properties = properties;
	start_read_people(call, &input);
	if (!properties || !start_check_count(&input, error) ||
	    !cli_workflow_find(call, call->values[BEGIN_WORKFLOW].text, &workflow, error))
		return false;
	struct start_order *order = start_order_check(
	    call->service, &call->workspace->id, &workflow, START_CLI, &input, NULL, error);
	AUTO(service_once) request = order ? &order->request : NULL;
	if (!request || !service_once_store_one(call->service, request, error))
		return false;
	service_once_follow(call->service, request, NULL);
	cli_output_about(call->output, &order->start->id, NULL);
	cli_output_say_view(call->output, &(struct cli_thing){&start_order_view, order->start},
	    "The start is %s: %s", store_start_statuses[order->start->status - 1],
	    base_id_format(&order->start->id, id));
	return true;
}

enum { LIST_WORKFLOW };
static const struct cli_parameter list_parameters[] = {
    [LIST_WORKFLOW] = {"WORKFLOW", WORKFLOW_HELP, .max = LIMIT_NAME_LENGTH},
};

static bool
start_list(struct cli_call *call, GError **error)
{
	struct base_id workflow;

	if (!cli_workflow_find(call, call->values[LIST_WORKFLOW].text, &workflow, error))
		return false;
	g_autoptr(GPtrArray) starts =
	    store_start_list(call->db, &call->workspace->id, &workflow, NULL, G_MAXINT32, error);
	if (!starts)
		return false;
	cli_output_list_begin(call->output, "starts", "There are no starts yet.");
	for (guint i = 0; i < starts->len; i++)
		cli_output_row_view(
		    call->output, &(struct cli_thing){&start_order_view, starts->pdata[i]});
	cli_output_list_end(call->output);
	return true;
}

enum { START_ID };
static const struct cli_parameter id_parameters[] = {
    [START_ID] = {"ID", "of the start", .max = LIMIT_NAME_LENGTH},
};

/* Reads the id, and finds its workflow. */
static bool
start_find(
    const struct cli_call *call, struct base_id *workflow_r, struct base_id *id_r, GError **error)
{
	if (!base_id_parse(call->values[START_ID].text, id_r))
		return store_start_missing(error);
	return store_start_workflow_of(call->db, &call->workspace->id, id_r, workflow_r, error);
}

static bool
start_show(struct cli_call *call, GError **error)
{
	struct base_id workflow, id;

	if (!start_find(call, &workflow, &id, error))
		return false;
	AUTO(store_start)
	start = store_start_get(call->db, &call->workspace->id, &workflow, &id, error);
	if (!start)
		return false;
	cli_output_thing_view(call->output, &(struct cli_thing){&start_order_view, start});
	return true;
}

static bool
start_cancel(struct cli_call *call, GError **error)
{
	struct base_id workflow, id;
	char text[ID_TEXT_SIZE];

	if (!start_find(call, &workflow, &id, error))
		return false;
	AUTO(store_start)
	start = start_order_cancel(call->service, &call->workspace->id, &workflow, &id, error);
	if (!start)
		return false;
	cli_output_about(call->output, &start->id, NULL);
	cli_output_say_view(call->output, &(struct cli_thing){&start_order_view, start},
	    "Start cancelled: %s", base_id_format(&start->id, text));
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List the starts of a workflow, newest first.", NEED_WORKSPACE,
	PARAMETERS(list_parameters), .run = start_list},
    {"show", "Show a start.", NEED_WORKSPACE, PARAMETERS(id_parameters), .run = start_show},
    {"cancel", "Cancel a start; executions that it has made stay.", NEED_WORKSPACE,
	PARAMETERS(id_parameters), .audit = "start.changed", .run = start_cancel},
};

const struct cli_noun cli_noun_start = {"start", commands, G_N_ELEMENTS(commands)};
