/* SPDX-License-Identifier: MIT */
/* The options that every command takes, and what parameters are called. */
#include "cli/grammar.h"

#include "base/limits.h"

const struct cli_parameter cli_global[GLOBAL_COUNT] = {
    [GLOBAL_CONFIG] = {"--config",
	"the settings file; without it $POSTHOUSE_CONFIG names one, else it is "
	"posthouse/posthouse.conf in the system's configuration folder",
	"FILE", PARAMETER_FILE},
    [GLOBAL_JSON] = {"--json", "answer, and complain, in JSON", NULL, PARAMETER_FLAG},
    [GLOBAL_HELP] = {"--help", "say what there is, or what a noun or verb takes", NULL,
	PARAMETER_FLAG},
    [GLOBAL_VERSION] = {"--version", "say which version of Posthouse this is", NULL,
	PARAMETER_FLAG},
};

const struct cli_parameter cli_workspace = {"--workspace",
    "the workspace; may be left out where there is only one", "NAME", .type = PARAMETER_TEXT,
    .max = LIMIT_NAME_LENGTH};

bool
cli_parameter_is_option(const struct cli_parameter *parameter)
{
	return g_str_has_prefix(parameter->name, "--");
}

char *
cli_parameter_label(const struct cli_parameter *parameter)
{
	g_autofree char *choices =
	    parameter->choices[0] ? g_strjoinv("|", (char **)parameter->choices) : NULL;
	const char *value = choices ? choices : parameter->value;
	bool bare = value && parameter->optional;

	return g_strconcat(parameter->name, value ? " " : "", bare ? "[" : "", value ? value : "",
	    bare ? "]" : "", parameter->repeated ? " ..." : "", NULL);
}
