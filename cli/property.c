/* SPDX-License-Identifier: MIT */
/* posthouse property: defines, lists and removes properties of people. */
#include "property/property.h"

#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/workspace/workspace.h"

enum { ADD_KEY, ADD_TYPE, ADD_DEFAULT };
static const struct cli_parameter add_parameters[] = {
    [ADD_KEY] = {"KEY", "letters, digits and _", .max = LIMIT_PROPERTY_KEY_LENGTH},
    [ADD_TYPE] = {"TYPE", "string, number, boolean or date", .max = LIMIT_NAME_LENGTH},
    [ADD_DEFAULT] = {"--default", "what templates show for a person without it", "VALUE", .min = -1,
	.max = LIMIT_PROPERTY_DEFAULT_BYTES},
};

static bool
property_add(struct cli_call *call, GError **error)
{
	const struct property_default given = {"--default", .text = call->values[ADD_DEFAULT].text};
	AUTO(store_property)
	property = property_create(call->db, &call->workspace->id, call->values[ADD_KEY].text,
	    call->values[ADD_TYPE].text, &given, error);

	if (!property)
		return false;
	cli_output_say_view(call->output, &(struct cli_thing){&property_view, property},
	    "Property defined: %s", property->key);
	return true;
}

static bool
property_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) properties =
	    store_property_list(call->db, &call->workspace->id, error);

	if (!properties)
		return false;
	cli_output_list_begin(call->output, "properties", "There are no definitions yet.");
	for (guint i = 0; i < properties->len; i++)
		cli_output_row_view(
		    call->output, &(struct cli_thing){&property_view, properties->pdata[i]});
	cli_output_list_end(call->output);
	return true;
}

enum { REMOVE_KEY };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_KEY] = {"KEY", "of the property", .max = LIMIT_PROPERTY_KEY_LENGTH},
};

static bool
remove_property(struct cli_call *call, GError **error)
{
	const char *key = call->values[REMOVE_KEY].text;

	if (!store_property_remove(call->db, &call->workspace->id, key, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("key", key), cli_text("message", "Property deleted")),
	    "Property removed: %s", key);
	return true;
}

static const struct cli_command commands[] = {
    {"add", "Define a property of people.", NEED_WORKSPACE, PARAMETERS(add_parameters),
	.audit = "property.created", .run = property_add},
    {"list", "List the definitions.", NEED_WORKSPACE, .run = property_list},
    {"remove", "Remove a definition. The values of people stay.", NEED_WORKSPACE,
	PARAMETERS(remove_parameters), .audit = "property.deleted", .run = remove_property},
};

const struct cli_noun cli_noun_property = {"property", commands, G_N_ELEMENTS(commands)};
