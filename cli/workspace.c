/* SPDX-License-Identifier: MIT */
/* posthouse workspace: makes and lists workspaces, and sets their sender and limits. */
#include "store/workspace/workspace.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/domain.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/domain/domain.h"
#include "store/workspace/limit.h"

enum { CREATE_NAME, CREATE_FROM };
static const struct cli_parameter create_parameters[] = {
    [CREATE_NAME] = {"NAME", "its name", .max = LIMIT_NAME_LENGTH},
    [CREATE_FROM] = {"--from",
	"the sender of workflow emails that name none, such as "
	"\"Ada <ada@example.com>\"",
	"ADDRESS", PARAMETER_SENDER, .max = LIMIT_FROM_LENGTH},
};

static bool
workspace_create(struct cli_call *call, GError **error)
{
	const char *name = call->values[CREATE_NAME].text, *from = call->values[CREATE_FROM].text;
	g_autoptr(GError) failure = NULL;
	struct base_id id;

	if (store_workspace_create(call->db, name, from, &id, &failure)) {
		cli_output_say(call->output,
		    FIELDS(cli_id("id", &id), cli_text("name", name), cli_text("from", from)),
		    "Workspace \"%s\" is created.", name);
		return true;
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT,
		    strcmp(failure->message, STORE_WORKSPACE_KEPT) == 0
			? "another workspace had the name \"%s\" less than a year ago"
			: "there is a workspace \"%s\" already",
		    name);
	else
		g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
workspace_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) workspaces = store_workspace_list(call->db, error);

	if (!workspaces)
		return false;
	cli_output_list_begin(call->output, "workspaces", "There are no workspaces yet.");
	for (guint i = 0; i < workspaces->len; i++) {
		const struct store_workspace *workspace = workspaces->pdata[i];

		cli_output_row(call->output,
		    FIELDS(cli_id("id", &workspace->id), cli_text("name", workspace->name),
			cli_text("from", workspace->default_sender),
			cli_time("created", workspace->created)));
	}
	cli_output_list_end(call->output);
	return true;
}

enum { SENDER_ADDRESS };
static const struct cli_parameter sender_parameters[] = {
    [SENDER_ADDRESS] = {"ADDRESS", "such as \"Ada <ada@example.com>\"", .type = PARAMETER_SENDER,
	.max = LIMIT_FROM_LENGTH},
};

static bool
workspace_set_sender(struct cli_call *call, GError **error)
{
	const struct store_workspace *workspace = call->workspace;
	const char *sender = call->values[SENDER_ADDRESS].text;

	if (!store_workspace_set_sender(call->db, &workspace->id, sender, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &workspace->id), cli_text("name", workspace->name),
		cli_text("from", sender)),
	    "%s sends the workflow emails of workspace \"%s\" that name no sender.", sender,
	    workspace->name);
	return true;
}

enum { LIMIT_WORKSPACE, LIMIT_VALUES };
static const struct cli_parameter limit_parameters[] = {
    [LIMIT_WORKSPACE] = {"NAME", "the workspace", .max = LIMIT_NAME_LENGTH},
    [LIMIT_VALUES] = {"LIMIT",
	"a limit and the workspace's own value, such as emails_per_hour=100; 0 is no limit, and "
	"default returns to the value of the settings",
	.type = PARAMETER_LIMIT, .optional = true, .repeated = true},
};

static bool
set_limits(
    struct cli_call *call, const struct base_id *workspace, char *const *texts, GError **error)
{
	guint count = g_strv_length((char **)texts);
	g_autofree enum config_setting *limits = g_new(enum config_setting, count);
	g_autofree gint64 *values = g_new(gint64, count);

	for (guint i = 0; i < count; i++)
		cli_value_limit(texts[i], &limits[i], &values[i]);
	return store_limit_set(call->db, workspace, limits, values, count, error);
}

static void
show_limits(struct cli_call *call, const struct store_limits *limits)
{
	cli_output_list_begin(call->output, "limits", NULL);
	for (guint i = 0; i < STORE_LIMIT_COUNT; i++)
		cli_output_row(call->output,
		    FIELDS(cli_text("name", config_settings_describe(STORE_LIMIT_FIRST + i)->key),
			cli_number("value", limits->values[i]),
			cli_text("source", limits->own[i] ? "workspace" : "settings")));
	cli_output_list_end(call->output);
}

static bool
limit(struct cli_call *call, GError **error)
{
	char *const *texts = call->values[LIMIT_VALUES].texts;
	struct store_limits limits;
	AUTO(store_workspace) workspace =
	    store_workspace_find(call->db, call->values[LIMIT_WORKSPACE].text, error);

	if (!workspace || (texts && !set_limits(call, &workspace->id, texts, error)) ||
	    !store_limit_read(call->db, &workspace->id, &limits, error))
		return false;
	call->only_read = !texts;
	show_limits(call, &limits);
	return true;
}

enum { RELAY_NAMES, RELAY_FOR };
static const struct cli_parameter relay_parameters[] = {
    [RELAY_NAMES] = {"RELAY", "a relay of the settings; without any, the route is taken away",
	.max = LIMIT_DOMAIN_LENGTH + 6, .optional = true, .repeated = true},
    [RELAY_FOR] = CLI_CALL_FOR_STREAM,
};

static bool
workspace_set_route(struct cli_call *call, GError **error)
{
	const struct store_workspace *workspace = call->workspace;
	enum store_stream stream = cli_call_stream(&call->values[RELAY_FOR]);
	g_autofree char *route = NULL;

	if (!cli_call_route(call, call->values[RELAY_NAMES].texts, &route, error) ||
	    !store_domain_set_relays(call->db, &workspace->id, NULL, stream, route, error))
		return false;
	if (stream) {
		const char *word = store_stream_name(stream);

		cli_output_say(call->output,
		    FIELDS(cli_id("id", &workspace->id), cli_text("name", workspace->name),
			cli_text("stream", word), cli_text("relays", route)),
		    route ? "Mail of stream %s of workspace \"%s\" leaves by %s from now on."
			  : "Stream %s of workspace \"%s\" has no route of its own any more.",
		    word, workspace->name, route);
		return true;
	}
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &workspace->id), cli_text("name", workspace->name),
		cli_text("relays", route)),
	    route ? "Mail of workspace \"%s\" leaves by %s from now on."
		  : "Workspace \"%s\" has no route of its own any more.",
	    workspace->name, route);
	return true;
}

static const struct cli_command commands[] = {
    {"create", "Make a workspace.", NEED_SCHEMA, PARAMETERS(create_parameters),
	.audit = "workspace.created", .run = workspace_create},
    {"list", "List the workspaces.", NEED_SCHEMA, .run = workspace_list},
    {"sender", "Change the sender of workflow emails that name none.", NEED_WORKSPACE,
	PARAMETERS(sender_parameters), .audit = "workspace.changed", .run = workspace_set_sender},
    {"relay",
	"Say by which relays the mail of a workspace leaves, but that of domains with a route of "
	"their own; without RELAY, take that back.",
	NEED_WORKSPACE, PARAMETERS(relay_parameters), .audit = "workspace.changed",
	.run = workspace_set_route},
    {"limit",
	"Show the limits of a workspace, after setting its own in place of those of the settings.",
	NEED_SCHEMA, PARAMETERS(limit_parameters), .audit = "workspace.changed", .run = limit},
};

const struct cli_noun cli_noun_workspace = {"workspace", commands, G_N_ELEMENTS(commands)};
