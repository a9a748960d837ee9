/* SPDX-License-Identifier: MIT */
/* posthouse audience: makes, lists and removes lists of contacts. */
#include "cli/audience.h"

#include "audience/audience.h"
#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/workspace/workspace.h"

enum { CREATE_NAME };
static const struct cli_parameter create_parameters[] = {
    [CREATE_NAME] = {"NAME", "its name", .max = LIMIT_NAME_LENGTH},
};

static bool
audience_create(struct cli_call *call, GError **error)
{
	const char *name = call->values[CREATE_NAME].text;
	struct base_id id, first;
	const struct base_id *user;
	char text[ID_TEXT_SIZE];

	if (!cli_call_user(call, &first, &user, error) ||
	    !store_audience_create(call->db, &call->workspace->id, user, name, &id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &id), cli_text("name", name)),
	    "Audience %s has the id %s", name, base_id_format(&id, text));
	return true;
}

static bool
audience_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) audiences =
	    store_audience_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!audiences)
		return false;
	cli_output_list_begin(call->output, "audiences", "There are no audiences yet.");
	for (guint i = 0; i < audiences->len; i++) {
		const struct store_audience *audience = audiences->pdata[i];

		cli_output_row(call->output,
		    FIELDS(cli_member("id", &audience_view, "id", audience),
			cli_member("name", &audience_view, "name", audience),
			cli_member("contacts", &audience_view, "contact_count", audience),
			cli_member("unsubscribers", &audience_view, "unsubscribers", audience),
			cli_member("created", &audience_view, "created", audience)));
	}
	cli_output_list_end(call->output);
	return true;
}

enum { REMOVE_AUDIENCE };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_AUDIENCE] = {"AUDIENCE", AUDIENCE_HELP, .max = LIMIT_NAME_LENGTH},
};

static bool
audience_remove_one(struct cli_call *call, GError **error)
{
	const char *given = call->values[REMOVE_AUDIENCE].text;
	struct base_id id;

	if (!audience_find(call->db, &call->workspace->id, given, &id, error) ||
	    !store_audience_remove(call->db, &call->workspace->id, &id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &id), cli_truth("removed", true)),
	    "Audience %s and all its contacts are removed.", given);
	return true;
}

static const struct cli_command commands[] = {
    {"create", "Make an audience: a list of contacts.", NEED_WORKSPACE,
	PARAMETERS(create_parameters), .audit = "audience.created", .run = audience_create},
    {"list", "List the audiences, with the number of their contacts.", NEED_WORKSPACE,
	.run = audience_list},
    {"remove", "Remove an audience and all its contacts.", NEED_WORKSPACE,
	PARAMETERS(remove_parameters), .audit = "audience.deleted", .run = audience_remove_one},
};

const struct cli_noun cli_noun_audience = {"audience", commands, G_N_ELEMENTS(commands)};
