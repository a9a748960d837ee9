/* SPDX-License-Identifier: MIT */
/* Sorts the words of a command line by the grammar. */
#include "cli/words.h"

#include <string.h>

/* An option whose value may be left out: where it goes is told by its name. */
static gboolean
take_optional(const char *name, const char *value, void *data, GError **error)
{
	struct cli_words *words = data;

	for (guint i = 0; i < words->command->count; i++)
		if (strcmp(words->command->parameters[i].name, name) == 0) {
			g_free(words->values[i]);
			words->values[i] = g_strdup(value ? value : "true");
		}
	return TRUE;
}

static void
expect_optional(struct cli_words *words, const struct cli_parameter *parameter)
{
	words->entries[words->count++] = (GOptionEntry){
	    .long_name = parameter->name + strlen("--"),
	    .flags = G_OPTION_FLAG_OPTIONAL_ARG | G_OPTION_FLAG_FILENAME,
	    .arg = G_OPTION_ARG_CALLBACK,
	    .arg_data = (gpointer)take_optional,
	};
}

static void
expect(struct cli_words *words, const struct cli_parameter *parameter, char **value, char ***list,
    gboolean *flag)
{
	bool is_flag = parameter->type == PARAMETER_FLAG;
	GOptionArg one = is_flag ? G_OPTION_ARG_NONE : G_OPTION_ARG_FILENAME;

	words->entries[words->count++] = (GOptionEntry){
	    .long_name = parameter->name + strlen("--"),
	    /* As it stands: what comes out of it is checked, whatever the locale. */
	    .arg = parameter->repeated ? G_OPTION_ARG_FILENAME_ARRAY : one,
	    .arg_data = is_flag		      ? (gpointer)flag
			: parameter->repeated ? (gpointer)list
					      : (gpointer)value,
	};
}

static void
expect_all(struct cli_words *words, const struct cli_command *command)
{
	expect(words, &cli_global[GLOBAL_CONFIG], &words->config, NULL, NULL);
	expect(words, &cli_global[GLOBAL_JSON], NULL, NULL, &words->json);
	expect(words, &cli_global[GLOBAL_HELP], NULL, NULL, &words->help);
	expect(words, &cli_global[GLOBAL_VERSION], NULL, NULL, &words->version);
	if (!command)
		return;
	if (command->need == NEED_WORKSPACE)
		expect(words, &cli_workspace, &words->workspace, NULL, NULL);
	for (guint i = 0; i < command->count; i++)
		if (!cli_parameter_is_option(&command->parameters[i]))
			continue;
		else if (command->parameters[i].optional)
			expect_optional(words, &command->parameters[i]);
		else
			expect(words, &command->parameters[i], &words->values[i], &words->lists[i],
			    &words->flags[i]);
	words->entries[words->count++] = (GOptionEntry){
	    .long_name = G_OPTION_REMAINING,
	    .arg = G_OPTION_ARG_FILENAME_ARRAY,
	    .arg_data = &words->rest,
	};
}

void
cli_words_clear(struct cli_words *words)
{
	for (guint i = 0; i < COMMAND_PARAMETERS; i++) {
		g_free(words->values[i]);
		g_strfreev(words->lists[i]);
	}
	g_free(words->config);
	g_free(words->workspace);
	g_strfreev(words->rest);
}

bool
cli_words_read(
    struct cli_words *words, char ***argv, const struct cli_command *command, GError **error)
{
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);

	GOptionGroup *group = g_option_group_new(NULL, NULL, NULL, words, NULL);
	words->command = command;
	expect_all(words, command);
	g_option_group_add_entries(group, words->entries);
	g_option_context_set_main_group(context, group);
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_strict_posix(context, command == NULL);
	return g_option_context_parse_strv(context, argv, error);
}

const char *
cli_words_argument(const struct cli_words *words, guint i)
{
	return words->rest && i < g_strv_length(words->rest) ? words->rest[i] : NULL;
}
