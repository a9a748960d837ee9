/* posthouse workflow check. */
#include "automation/design.h"
#include "automation/design_check.h"
#include "automation/design_store.h"
#include "base/error.h"
#include "cli/call.h"
#include "cli/count.h"
#include "cli/output.h"
#include "cli/workflow_file.h"
#include "store/workspace.h"

enum { CHECK_FILE };
const struct parameter cli_workflow_check_parameters[WORKFLOW_CHECK_PARAMETERS] = {
    [CHECK_FILE] = {"FILE", "the design, as an editor saves it: JSON", NULL, PARAMETER_FILE},
};

static GPtrArray *
find_faults(struct call *call, const struct design *design, GError **error)
{
	struct design_store store = {call->db, call->workspace ? &call->workspace->id : NULL};
	struct design_world world = {
	    .template_find = automation_design_template, .context = &store};

	if (call->workspace)
		world.has_sender = call->workspace->default_sender != NULL;
	else
		world = (struct design_world){.has_sender = true};
	return automation_design_faults(design, &world, error);
}

static void
tell_faults(struct call *call, const GPtrArray *faults)
{
	cli_output_list_begin(call->output, "faults", NULL);
	for (guint i = 0; i < faults->len; i++) {
		const struct design_fault *fault = faults->pdata[i];
		g_autofree char *line = g_strconcat(fault->message, "\n", NULL);

		cli_output_item(call->output,
		    FIELDS(cli_text("node", fault->node), cli_text("message", fault->message)),
		    line);
	}
	cli_output_list_end(call->output);
}

static void
tell(struct call *call, const struct design *design, const GPtrArray *faults)
{
	guint nodes = automation_design_nodes(design)->len;
	guint edges = automation_design_edges(design)->len;
	bool valid = faults->len == 0;

	if (call->json)
		cli_output_facts(
		    call->output, FIELDS(cli_truth("valid", valid), cli_number("nodes", nodes),
				      cli_number("edges", edges),
				      cli_truth("templates_checked", call->workspace != NULL)));
	else if (valid)
		cli_output_progress(
		    call->output, "It may be active. Nodes: %u, edges: %u.", nodes, edges);
	tell_faults(call, faults);
	if (call->lack)
		cli_output_progress(call->output,
		    "Templates and the default sender were not looked at: %s.",
		    call->lack->message);
}

bool
cli_workflow_check(struct call *call, GError **error)
{
	const char *path = call->values[CHECK_FILE].text;
	AUTO(design)
	design = cli_workflow_read(&cli_workflow_check_parameters[CHECK_FILE], path, NULL, error);
	g_autoptr(GPtrArray) faults = design ? find_faults(call, design, error) : NULL;

	if (!faults)
		return false;
	tell(call, design, faults);
	if (faults->len == 0)
		return true;
	g_autofree char *count = cli_count(faults->len, "fault", "faults");
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s has %s", path, count);
	return false;
}
