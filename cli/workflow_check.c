/* SPDX-License-Identifier: MIT */
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
const struct cli_parameter cli_workflow_check_parameters[WORKFLOW_CHECK_PARAMETERS] = {
    [CHECK_FILE] = {"FILE", "the design, as an editor saves it: JSON", NULL, PARAMETER_FILE},
};

static GPtrArray *
find_faults(struct cli_call *call, const struct automation_design *design, GError **error)
{
	struct automation_design_store store = {
	    call->db, call->workspace ? &call->workspace->id : NULL};
	struct automation_design_world world = {
	    .template_find = automation_design_template,
	    .domain_find = automation_design_domain,
	    .context = &store,
	};

	if (call->workspace)
		world.sender = call->workspace->default_sender;
	else
		world = (struct automation_design_world){.sender = ""};
	return automation_design_faults(design, &world, error);
}

/* Those that are warnings, or those that are not. */
static void
tell_faults(struct cli_call *call, const GPtrArray *faults, bool warnings)
{
	for (guint i = 0; i < faults->len; i++) {
		const struct automation_design_fault *fault = faults->pdata[i];
		g_autofree char *line =
		    g_strconcat(warnings ? "Warning: " : "", fault->message, "\n", NULL);

		if (fault->of_sender == warnings)
			cli_output_item(call->output,
			    FIELDS(
				cli_text("node", fault->node), cli_text("message", fault->message)),
			    line);
	}
}

static guint
count_serious(const GPtrArray *faults)
{
	guint count = 0;

	for (guint i = 0; i < faults->len; i++)
		count += !((const struct automation_design_fault *)faults->pdata[i])->of_sender;
	return count;
}

static void
tell(struct cli_call *call, const struct automation_design *design, const GPtrArray *faults)
{
	guint nodes = automation_design_nodes(design)->len;
	guint edges = automation_design_edges(design)->len;
	bool valid = count_serious(faults) == 0;

	if (call->json)
		cli_output_facts(
		    call->output, FIELDS(cli_truth("valid", valid), cli_number("nodes", nodes),
				      cli_number("edges", edges),
				      cli_truth("templates_checked", call->workspace != NULL)));
	else if (valid)
		cli_output_progress(
		    call->output, "It may be active. Nodes: %u, edges: %u.", nodes, edges);
	cli_output_list_begin(call->output, "faults", NULL);
	tell_faults(call, faults, false);
	cli_output_list_next(call->output);
	cli_output_list_begin(call->output, "warnings", NULL);
	tell_faults(call, faults, true);
	cli_output_list_end(call->output);
	if (call->lack)
		cli_output_progress(call->output,
		    "Templates and the default sender were not looked at: %s.",
		    call->lack->message);
}

bool
cli_workflow_check(struct cli_call *call, GError **error)
{
	const char *path = call->values[CHECK_FILE].text;
	AUTO(automation_design)
	design = cli_workflow_read(&cli_workflow_check_parameters[CHECK_FILE], path, NULL, error);
	g_autoptr(GPtrArray) faults = design ? find_faults(call, design, error) : NULL;

	if (!faults)
		return false;
	tell(call, design, faults);
	guint serious = count_serious(faults);
	if (serious == 0)
		return true;
	g_autofree char *count = cli_count(serious, "fault", "faults");
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s has %s", path, count);
	return false;
}
