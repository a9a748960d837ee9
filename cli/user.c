/* SPDX-License-Identifier: MIT */
/* posthouse user: adds, lists, changes and removes the users of a workspace, and makes links that
   sign them in. */
#include "store/workspace/user.h"

#include <string.h>
#include <sysexits.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "cli/audit.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "service/service.h"
#include "service/user.h"
#include "store/workspace/workspace.h"
#include "submit/sign_in.h"

#define ROLES .type = PARAMETER_CHOICE, .choices = {"owner", "member", "viewer"}

/* Indexed like the choices of ROLES. */
static const enum store_role roles[] = {ROLE_OWNER, ROLE_MEMBER, ROLE_VIEWER};

enum { ADD_EMAIL, ADD_ROLE, ADD_FIRST_NAME, ADD_LAST_NAME, ADD_PICTURE };
static const struct cli_parameter add_parameters[] = {
    [ADD_EMAIL] = {"EMAIL", "the person's address", .type = PARAMETER_ADDRESS},
    [ADD_ROLE] = {"--role",
	"what the person may do: owner, member or viewer; if not given, owner for the first user "
	"of the workspace, else member",
	ROLES},
    [ADD_FIRST_NAME] = {"--first-name", "first name", "NAME", .max = LIMIT_NAME_LENGTH},
    [ADD_LAST_NAME] = {"--last-name", "last name", "NAME", .max = LIMIT_NAME_LENGTH},
    [ADD_PICTURE] = {"--picture",
	"a picture of the person; if not given, initials are "
	"drawn",
	"URL", PARAMETER_URL, .max = LIMIT_URL_LENGTH},
};

static bool
user_add(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	struct store_user user = {
	    .email = values[ADD_EMAIL].text,
	    .role = values[ADD_ROLE].text ? roles[values[ADD_ROLE].number] : 0,
	    .first_name = values[ADD_FIRST_NAME].text,
	    .last_name = values[ADD_LAST_NAME].text,
	    .picture = values[ADD_PICTURE].text,
	};
	struct store_audit audit = cli_audit_operator(&call->workspace->id, "user.added");
	g_autoptr(GError) failure = NULL;

	if (store_user_add(call->db, &call->workspace->id, &user, &audit, &failure)) {
		cli_output_say(call->output,
		    FIELDS(cli_id("id", &user.id), cli_text("email", user.email),
			cli_text("first_name", user.first_name),
			cli_text("last_name", user.last_name), cli_text("picture", user.picture),
			cli_text("workspace", call->workspace->name),
			cli_text("role", store_role_name(user.role))),
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

#define MEMBER(name) cli_member(name, &service_user_view, name, user)

/* The table of a terminal has the status beside the role. */
static void
user_show(const struct store_member *user, void *context)
{
	const struct cli_call *call = context;
	g_autofree char *role = g_strconcat(store_role_name(user->role),
	    user->is_invited && !call->json ? ", invited" : NULL, NULL);
	const struct cli_field fields[] = {MEMBER("id"), MEMBER("email"), MEMBER("first_name"),
	    MEMBER("last_name"), MEMBER("picture"), MEMBER("created"), cli_text("role", role),
	    MEMBER("last_seen"), MEMBER("status")};

	cli_output_row(call->output, fields, G_N_ELEMENTS(fields) - !call->json);
}

static bool
user_list(struct cli_call *call, GError **error)
{
	cli_output_list_begin(call->output, "users", "There are no users yet.");
	if (!store_user_list(call->db, &call->workspace->id, user_show, call, error))
		return false;
	cli_output_list_end(call->output);
	return true;
}

/* The options of commands that leave a user fewer rights. */
#define KEEP_KEYS                                                                                  \
	{                                                                                          \
		"--keep-keys", "leave the user's API keys as they are", .type = PARAMETER_FLAG     \
	}

enum { ROLE_EMAIL, ROLE_ROLE, ROLE_KEEP_KEYS };
static const struct cli_parameter role_parameters[] = {
    [ROLE_EMAIL] = {"EMAIL", "of the user", .type = PARAMETER_ADDRESS},
    [ROLE_ROLE] = {"ROLE", "owner, member or viewer", ROLES},
    [ROLE_KEEP_KEYS] = KEEP_KEYS,
};

static bool
set_role(struct cli_call *call, GError **error)
{
	const struct base_id *workspace = &call->workspace->id;
	const char *email = call->values[ROLE_EMAIL].text;
	const struct store_user_change change = {.role = roles[call->values[ROLE_ROLE].number],
	    .keys = {.are_kept = call->values[ROLE_KEEP_KEYS].number}};
	struct store_audit audit = cli_audit_operator(workspace, "user.changed");
	struct base_id id;

	if (!store_user_find_any(call->db, workspace, email, &id, error))
		return false;
	AUTO(store_member)
	member = store_user_change(call->db, workspace, &id, &change, &audit, error);
	if (!member)
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &id), cli_text("email", email),
		cli_text("role", store_role_name(member->role)),
		cli_text("workspace", call->workspace->name)),
	    "%s is %s of workspace \"%s\".", email, store_role_name(member->role),
	    call->workspace->name);
	return true;
}

enum { REMOVE_EMAIL, REMOVE_KEEP_KEYS };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_EMAIL] = {"EMAIL", "of the user", .type = PARAMETER_ADDRESS},
    [REMOVE_KEEP_KEYS] = KEEP_KEYS,
};

static bool
user_remove_user(struct cli_call *call, GError **error)
{
	const struct base_id *workspace = &call->workspace->id;
	const char *email = call->values[REMOVE_EMAIL].text;
	struct store_audit audit = cli_audit_operator(workspace, "user.removed");
	const struct store_user_keys keys = {.are_kept = call->values[REMOVE_KEEP_KEYS].number};
	struct base_id id;

	if (!store_user_find_any(call->db, workspace, email, &id, error) ||
	    !store_user_remove(call->db, workspace, &id, &keys, &audit, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &id), cli_text("email", email), cli_truth("removed", true)),
	    "%s is not a user of workspace \"%s\" any more.", email, call->workspace->name);
	return true;
}

enum { LINK_EMAIL };
static const struct cli_parameter link_parameters[] = {
    [LINK_EMAIL] = {"EMAIL", "of the user", .type = PARAMETER_ADDRESS},
};

/* The membership in the workspace of this name; the first one for NULL. */
static const struct store_user_workspace *
user_choose(const GPtrArray *memberships, const char *workspace)
{
	for (guint i = 0; i < memberships->len; i++) {
		const struct store_user_workspace *membership = memberships->pdata[i];

		if (!workspace || strcmp(membership->workspace, workspace) == 0)
			return membership;
	}
	return NULL;
}

static bool
user_make_link(struct cli_call *call, GError **error)
{
	const char *email = call->values[LINK_EMAIL].text;
	const char *workspace = call->workspace ? call->workspace->name : NULL;

	if (!submit_sign_in_is_safe(call->settings)) {
		call->status = EX_CONFIG;
		return base_fail(error, PH_ERROR_FAILED, SUBMIT_SIGN_IN_HTTPS);
	}
	g_autoptr(GPtrArray) memberships = store_user_workspaces(call->db, email, error);
	if (!memberships)
		return false;
	const struct store_user_workspace *here = user_choose(memberships, workspace);
	if (!here)
		return base_fail(error, PH_ERROR_NOT_FOUND, "there is no user %s%s%s%s", email,
		    workspace ? " in workspace \"" : "", workspace ? workspace : "",
		    workspace ? "\"" : "");
	g_autofree char *url = submit_sign_in_link(call->service, email, here, NULL, error);
	if (!url)
		return false;
	cli_output_say(call->output, FIELDS(cli_text("url", url)), "%s", url);
	return true;
}

static const struct cli_command commands[] = {
    {"add", "Add a user to a workspace; each API key belongs to a user.", NEED_WORKSPACE,
	PARAMETERS(add_parameters), .run = user_add},
    {"list", "List the users of a workspace.", NEED_WORKSPACE, .run = user_list},
    {"role",
	"Change what a user may do in a workspace. Who may do less from now on loses the "
	"sessions and API keys there.",
	NEED_WORKSPACE, PARAMETERS(role_parameters), .run = set_role},
    {"remove", "Remove a user from a workspace, and end the user's sessions and API keys there.",
	NEED_WORKSPACE, PARAMETERS(remove_parameters), .run = user_remove_user},
    {"link",
	"Make a link that signs a user in, once, in any browser. Without --workspace, the session "
	"begins in the user's first one.",
	NEED_WORKSPACE, .any_workspace = true, PARAMETERS(link_parameters), .run = user_make_link},
};

const struct cli_noun cli_noun_user = {"user", commands, G_N_ELEMENTS(commands)};
