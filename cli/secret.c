/* SPDX-License-Identifier: MIT */
/* posthouse secret: sets, lists and removes secrets that steps of workflows use. */
#include "automation/secret.h"

#include <string.h>

#include "base/limits/workflow.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/value.h"
#include "store/automation/secret.h"
#include "store/workspace/workspace.h"

enum { SET_NAME, SET_FILE };
static const struct cli_parameter set_parameters[] = {
    [SET_NAME] = {"NAME", "letters, digits, _ or -", .max = LIMIT_SECRET_NAME_LENGTH},
    [SET_FILE] = {"--file",
	"read the value from FILE, - for standard input; without it one is made", "FILE",
	PARAMETER_FILE},
};

/* Reads the value, without the line feed at its end. NULL without an error where no file is given.
   The caller owns it. */
static char *
secret_read(const char *path, GError **error)
{
	g_autoptr(GBytes) bytes = path ? cli_value_read_file(&set_parameters[SET_FILE], path,
					     LIMIT_SECRET_VALUE_LENGTH + 2, error)
				       : NULL;
	gsize size;

	if (!bytes)
		return NULL;
	const char *data = g_bytes_get_data(bytes, &size);
	return g_strchomp(g_strndup(data ? data : "", size));
}

static bool
secret_set(struct cli_call *call, GError **error)
{
	const char *path = call->values[SET_FILE].text;
	g_autofree char *value = secret_read(path, error);
	const struct automation_secret_input input = {
	    &call->workspace->id, call->values[SET_NAME].text, value, NULL};
	struct automation_secret_stored stored;

	if ((path && !value) || !automation_secret_put(call->service, &input, &stored, error))
		return false;
	call->audit = stored.is_new ? "secret.created" : "secret.changed";
	const struct store_secret *secret = stored.secret;
	const struct cli_field made = cli_text("value", stored.value);
	cli_output_say_view(call->output,
	    &(struct cli_thing){
		&automation_secret_view, secret, .more = stored.value ? &made : NULL},
	    "Secret set: %s%s%s", secret->name, stored.value ? ", " : "",
	    stored.value ? stored.value : "");
	store_secret_free(stored.secret);
	g_free(stored.value);
	return true;
}

static bool
secret_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) secrets =
	    store_secret_list(call->db, &call->workspace->id, "", LIMIT_SECRETS, error);

	if (!secrets)
		return false;
	cli_output_list_begin(call->output, "secrets", "There are no secrets yet.");
	for (guint i = 0; i < secrets->len; i++)
		cli_output_row_view(
		    call->output, &(struct cli_thing){&automation_secret_view, secrets->pdata[i]});
	cli_output_list_end(call->output);
	return true;
}

enum { REMOVE_NAME };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_NAME] = {"NAME", "of the secret", .max = LIMIT_NAME_LENGTH},
};

static bool
secret_remove(struct cli_call *call, GError **error)
{
	const char *name = call->values[REMOVE_NAME].text;

	if (!store_secret_remove(call->db, &call->workspace->id, name, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("name", name), cli_text("message", "Secret deleted")),
	    "Secret removed: %s", name);
	return true;
}

static const struct cli_command commands[] = {
    {"set", "Set a secret that steps of workflows use.", NEED_WORKSPACE, PARAMETERS(set_parameters),
	.audit = "secret.changed", .run = secret_set},
    {"list", "List the names of the secrets.", NEED_WORKSPACE, .run = secret_list},
    {"remove", "Remove a secret.", NEED_WORKSPACE, PARAMETERS(remove_parameters),
	.audit = "secret.deleted", .run = secret_remove},
};

const struct cli_noun cli_noun_secret = {"secret", commands, G_N_ELEMENTS(commands)};
