/* SPDX-License-Identifier: MIT */
/* Formats the help from the grammar. */
#include "cli/help.h"

#include <string.h>

#include "cli/grammar.h"
#include "cli/text.h"

static void
help_add_parameter(GString *help, gsize indent, const struct cli_parameter *parameter)
{
	g_autofree char *label = cli_parameter_label(parameter);
	bool optional =
	    cli_parameter_is_option(parameter) ? !parameter->required : parameter->optional;
	g_autofree char *word = optional ? g_strdup_printf("[%s]", label) : g_strdup(label);

	cli_wrap_word(help, indent, word);
}

/* Appends the usage line of a command. */
static void
add_usage(GString *help, const struct cli_noun *noun, const struct cli_command *command)
{
	g_string_append_printf(help, "posthouse %s", noun->name);
	if (command->verb)
		g_string_append_printf(help, " %s", command->verb);
	gsize indent = cli_wrap_column(help) + 1;
	for (guint i = 0; i < command->count; i++)
		help_add_parameter(help, indent, &command->parameters[i]);
	if (command->need == NEED_WORKSPACE)
		help_add_parameter(help, indent, &cli_workspace);
	g_string_append_c(help, '\n');
}

static gsize
label_width(const struct cli_parameter *parameter, gsize width)
{
	g_autofree char *label = cli_parameter_label(parameter);

	return MAX(width, strlen(label));
}

static void
help_explain(GString *help, const struct cli_parameter *parameter, gsize width)
{
	g_autofree char *label = cli_parameter_label(parameter);

	g_string_append_printf(help, "  %s", label);
	cli_wrap_words(help, 2 + width + 2, parameter->help);
}

static void
explain_all(GString *help, const struct cli_command *command)
{
	gsize width = command->need == NEED_WORKSPACE ? label_width(&cli_workspace, 0) : 0;

	for (guint i = 0; i < command->count; i++)
		width = label_width(&command->parameters[i], width);
	for (guint i = 0; i < command->count; i++)
		help_explain(help, &command->parameters[i], width);
	if (command->need == NEED_WORKSPACE)
		help_explain(help, &cli_workspace, width);
}

static void
help_command(GString *help, const struct cli_noun *noun, const struct cli_command *command)
{
	add_usage(help, noun, command);
	cli_wrap_words(help, 4, command->help);
	explain_all(help, command);
}

static void
help_noun(GString *help, const struct cli_noun *noun)
{
	for (guint i = 0; i < noun->count; i++) {
		if (i > 0)
			g_string_append_c(help, '\n');
		help_command(help, noun, &noun->commands[i]);
	}
}

/* Returns noun, verb and arguments of a command. */
static char *
short_usage(const struct cli_noun *noun, const struct cli_command *command)
{
	GString *usage = g_string_new(noun->name);

	if (command->verb)
		g_string_append_printf(usage, " %s", command->verb);
	for (guint i = 0; i < command->count; i++)
		if (!cli_parameter_is_option(&command->parameters[i]))
			g_string_append_printf(usage,
			    command->parameters[i].optional ? " [%s]" : " %s",
			    command->parameters[i].name);
	return g_string_free(usage, FALSE);
}

#define CLAUSE_END ":;."

/* Returns the help up to the first colon, semicolon or full stop. One inside a word ends nothing.
 */
static char *
short_help(const struct cli_command *command)
{
	gsize length = strcspn(command->help, CLAUSE_END);

	while (
	    command->help[length] && command->help[length + 1] && command->help[length + 1] != ' ')
		length += 1 + strcspn(command->help + length + 1, CLAUSE_END);
	return g_strndup(command->help, length);
}

static void
list_commands(GString *help)
{
	gsize width = 0;

	for (int pass = 0; pass < 2; pass++)
		for (const struct cli_noun *const *noun = cli_nouns; *noun; noun++)
			for (guint i = 0; i < (*noun)->count; i++) {
				const struct cli_command *command = &(*noun)->commands[i];
				g_autofree char *usage = short_usage(*noun, command);
				g_autofree char *text = short_help(command);

				if (pass == 0) {
					width = MAX(width, strlen(usage));
					continue;
				}
				g_string_append_printf(help, "  %s", usage);
				cli_wrap_words(help, 2 + width + 2, text);
			}
}

static void
help_all(GString *help)
{
	gsize width = 0;

	g_string_append(
	    help, "Usage: posthouse [--config FILE] [--json] NOUN VERB [ARGUMENT...]\n\n");
	list_commands(help);
	g_string_append(help, "\nOptions of every command:\n");
	for (guint i = 0; i < GLOBAL_COUNT; i++)
		width = label_width(&cli_global[i], width);
	for (guint i = 0; i < GLOBAL_COUNT; i++)
		help_explain(help, &cli_global[i], width);
	g_string_append(
	    help, "\nposthouse NOUN --help shows the arguments of its verbs, posthouse(1) more.\n");
}

char *
cli_help(enum cli_topic topic, const struct cli_noun *noun, const struct cli_command *command)
{
	GString *help = g_string_new(NULL);

	if (topic == TOPIC_COMMAND)
		help_command(help, noun, command);
	else if (topic == TOPIC_NOUN)
		help_noun(help, noun);
	else
		help_all(help);
	return g_string_free(help, FALSE);
}
