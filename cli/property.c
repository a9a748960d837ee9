/* SPDX-License-Identifier: MIT */
/* posthouse property: defines, lists and removes properties of people. */
#include "store/person/property.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "person/person.h"
#include "store/workspace/workspace.h"

enum { ADD_KEY, ADD_TYPE, ADD_DEFAULT };
static const struct cli_parameter add_parameters[] = {
    [ADD_KEY] = {"KEY", "letters, digits and _", .max = LIMIT_PROPERTY_KEY_LENGTH},
    [ADD_TYPE] = {"TYPE", "string, number, boolean or date", .max = LIMIT_NAME_LENGTH},
    [ADD_DEFAULT] = {"--default", "what templates show for a person without it", "VALUE", .min = -1,
	.max = LIMIT_PROPERTY_DEFAULT_BYTES},
};

static const char *
default_of(const struct store_property *property)
{
	return property->value ? property->value : "null";
}

static bool
property_add(struct cli_call *call, GError **error)
{
	AUTO(store_property) property = g_new0(struct store_property, 1);
	const char *given = call->values[ADD_DEFAULT].text;

	property->workspace_id = call->workspace->id;
	property->key = g_strdup(call->values[ADD_KEY].text);
	if (!person_check_key(property->key, error) ||
	    !person_read_type(call->values[ADD_TYPE].text, &property->type, error) ||
	    (given &&
		!(property->value = person_value("--default", property->type, given, error))) ||
	    !person_check_default("--default", property->value, error) ||
	    !store_property_create(call->db, property, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("key", property->key),
		cli_text("type", store_property_types[property->type - 1]),
		cli_json("default", default_of(property)), cli_number("created", property->created),
		cli_number("updated", property->updated)),
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
	for (guint i = 0; i < properties->len; i++) {
		const struct store_property *property = properties->pdata[i];

		cli_output_row(
		    call->output, FIELDS(cli_text("key", property->key),
				      cli_text("type", store_property_types[property->type - 1]),
				      cli_json("default", default_of(property)),
				      cli_time("created", property->created),
				      cli_time("updated", property->updated)));
	}
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
	cli_output_say(call->output, FIELDS(cli_text("key", key)), "Property removed: %s", key);
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
