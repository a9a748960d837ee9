/* SPDX-License-Identifier: MIT */
/* posthouse user: adds and lists the users of a workspace. */
#include "base/error.h"
#include "base/limits.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/workspace.h"

enum { ADD_EMAIL, ADD_FIRST_NAME, ADD_LAST_NAME, ADD_PICTURE };
static const struct cli_parameter add_parameters[] = {
    [ADD_EMAIL] = {"EMAIL", "the person's address", .type = PARAMETER_ADDRESS},
    [ADD_FIRST_NAME] = {"--first-name", "first name", "NAME", .max = LIMIT_NAME_LENGTH},
    [ADD_LAST_NAME] = {"--last-name", "last name", "NAME", .max = LIMIT_NAME_LENGTH},
    [ADD_PICTURE] = {"--picture",
	"a picture of the person; if not given, initials are "
	"drawn",
	"URL", PARAMETER_URL, .max = LIMIT_URL_LENGTH},
};

static bool
add(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	struct store_user user = {
	    .email = values[ADD_EMAIL].text,
	    .first_name = values[ADD_FIRST_NAME].text,
	    .last_name = values[ADD_LAST_NAME].text,
	    .picture = values[ADD_PICTURE].text,
	};
	g_autoptr(GError) failure = NULL;

	if (store_workspace_add_user(call->db, &call->workspace->id, &user, &failure)) {
		cli_output_say(call->output,
		    FIELDS(cli_id("id", &user.id), cli_text("email", user.email),
			cli_text("first_name", user.first_name),
			cli_text("last_name", user.last_name), cli_text("picture", user.picture),
			cli_text("workspace", call->workspace->name)),
		    "%s is a user of workspace \"%s\".", user.email, call->workspace->name);
		return true;
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT,
		    "workspace \"%s\" has a user %s already", call->workspace->name, user.email);
	else
		g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static void
show(const struct store_user *user, gint64 created, void *context)
{
	const struct cli_call *call = context;

	cli_output_row(call->output,
	    FIELDS(cli_id("id", &user->id), cli_text("email", user->email),
		cli_text("first_name", user->first_name), cli_text("last_name", user->last_name),
		cli_text("picture", user->picture), cli_time("created", created)));
}

static bool
list(struct cli_call *call, GError **error)
{
	cli_output_list_begin(call->output, "users", "There are no users yet.");
	if (!store_workspace_list_users(call->db, &call->workspace->id, show, call, error))
		return false;
	cli_output_list_end(call->output);
	return true;
}

static const struct cli_command commands[] = {
    {"add", "Add a user to a workspace; each API key belongs to a user.", NEED_WORKSPACE,
	PARAMETERS(add_parameters), .run = add},
    {"list", "List the users of a workspace.", NEED_WORKSPACE, .run = list},
};

const struct cli_noun cli_noun_user = {"user", commands, G_N_ELEMENTS(commands)};
