/* SPDX-License-Identifier: MIT */
/* The options of every command, the list of nouns, and the lookup of words among them. */
#include "cli/grammar.h"

#include <string.h>

#include "base/limits/person.h"

const struct cli_parameter cli_global[GLOBAL_COUNT] = {
    [GLOBAL_CONFIG] = {"--config",
	"the settings file; if not given, $POSTHOUSE_CONFIG names it, else it is "
	"posthouse/posthouse.conf in the system's configuration folder",
	"FILE", PARAMETER_FILE},
    [GLOBAL_JSON] = {"--json", "write answers and errors as JSON", NULL, PARAMETER_FLAG},
    [GLOBAL_HELP] = {"--help",
	"print all commands, those of a noun, or the arguments of one command", NULL,
	PARAMETER_FLAG},
    [GLOBAL_VERSION] = {"--version", "print the version of Posthouse", NULL, PARAMETER_FLAG},
};

const struct cli_parameter cli_workspace = {"--workspace",
    "the workspace; may be left out if there is only one", "NAME", .type = PARAMETER_TEXT,
    .max = LIMIT_NAME_LENGTH};

bool
cli_parameter_is_option(const struct cli_parameter *parameter)
{
	return parameter->name[0] == '-';
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

const struct cli_noun *const cli_nouns[] = {&cli_noun_schema, &cli_noun_workspace, &cli_noun_user,
    &cli_noun_key, &cli_noun_domain, &cli_noun_route, &cli_noun_dmarc, &cli_noun_template,
    &cli_noun_audience, &cli_noun_contact, &cli_noun_person, &cli_noun_property, &cli_noun_secret,
    &cli_noun_segment, &cli_noun_topic, &cli_noun_sending, &cli_noun_form, &cli_noun_broadcast,
    &cli_noun_suppression, &cli_noun_email, &cli_noun_webhook, &cli_noun_provider,
    &cli_noun_workflow, &cli_noun_start, &cli_noun_execution, &cli_noun_event, &cli_noun_report,
    &cli_noun_receive, &cli_noun_received, &cli_noun_sendmail, &cli_noun_stream, &cli_noun_spool,
    &cli_noun_stats, &cli_noun_metrics, &cli_noun_backup, &cli_noun_restore, &cli_noun_doctor,
    &cli_noun_demo, NULL};

const struct cli_noun *
cli_noun_find(const char *name)
{
	for (const struct cli_noun *const *noun = cli_nouns; *noun; noun++)
		if (strcmp((*noun)->name, name) == 0)
			return *noun;
	return NULL;
}

const struct cli_command *
cli_command_find(const struct cli_noun *noun, const char *verb)
{
	for (guint i = 0; i < noun->count; i++)
		if (g_strcmp0(noun->commands[i].verb, verb) == 0)
			return &noun->commands[i];
	return NULL;
}

/* Returns the number of letters to add, remove or exchange to turn one word into the other. */
static gsize
distance(const char *a, const char *b)
{
	gsize length = strlen(b);
	g_autofree gsize *row = g_new(gsize, length + 1);

	for (gsize j = 0; j <= length; j++)
		row[j] = j;
	for (gsize i = 0; a[i]; i++) {
		gsize diagonal = row[0];

		row[0] = i + 1;
		for (gsize j = 0; j < length; j++) {
			gsize exchanged = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			row[j + 1] = MIN(exchanged, MIN(diagonal, row[j]) + 1);
		}
	}
	return row[length];
}

const char *
cli_grammar_suggest(const struct cli_noun *noun, const char *word)
{
	const char *nearest = NULL;
	gsize least = 3;

	for (guint i = 0; noun ? i < noun->count : cli_nouns[i] != NULL; i++) {
		const char *known = noun ? noun->commands[i].verb : cli_nouns[i]->name;
		gsize far = known ? distance(word, known) : least;

		if (far < least && far < strlen(known)) {
			nearest = known;
			least = far;
		}
	}
	return nearest;
}
