/* SPDX-License-Identifier: MIT */
/* Parses a command line by the grammar, and opens the resources that the command needs. */
#include "cli/call.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/domain.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/words.h"
#include "config/settings.h"
#include "config/startup.h"
#include "db/connection.h"
#include "json/unknown.h"
#include "service/service.h"
#include "store/common/schema.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"

/* The options and arguments of a command line, as GOption reads them. A text is NULL when it was
   not given. */
struct words {
	/* the options for GOption */
	const struct cli_command *command;
	GOptionEntry entries[GLOBAL_COUNT + COMMAND_PARAMETERS + 3];
	guint count;

	char *values[COMMAND_PARAMETERS];
	char **lists[COMMAND_PARAMETERS]; /* of repeated options */
	gboolean flags[COMMAND_PARAMETERS];
	char *config, *workspace;
	gboolean json, help, version;
	char **rest; /* the arguments */
};

/* Stores an option whose value may be left out; GOption passes only its name. */
static gboolean
take_optional(const char *name, const char *value, void *data, GError **error)
{
	struct words *words = data;

	for (guint i = 0; i < words->command->count; i++)
		if (strcmp(words->command->parameters[i].name, name) == 0) {
			g_free(words->values[i]);
			words->values[i] = g_strdup(value ? value : "true");
		}
	return TRUE;
}

static void
expect_optional(struct words *words, const struct cli_parameter *parameter)
{
	words->entries[words->count++] = (GOptionEntry){
	    .long_name = parameter->name + strlen("--"),
	    .flags = G_OPTION_FLAG_OPTIONAL_ARG | G_OPTION_FLAG_FILENAME,
	    .arg = G_OPTION_ARG_CALLBACK,
	    .arg_data = (gpointer)take_optional,
	};
}

/* The name of an option for GOption, which wants a long one beside one of a letter. */
static const char *
bare_name(const struct cli_parameter *parameter)
{
	return parameter->name + strspn(parameter->name, "-");
}

static bool
call_is_letter(const struct cli_parameter *parameter)
{
	return parameter->name[1] != '-' && !parameter->name[2];
}

static void
call_expect(struct words *words, const struct cli_parameter *parameter, char **value, char ***list,
    gboolean *flag)
{
	bool is_flag = parameter->type == PARAMETER_FLAG;
	GOptionArg one = is_flag ? G_OPTION_ARG_NONE : G_OPTION_ARG_FILENAME;

	words->entries[words->count++] = (GOptionEntry){
	    .long_name = bare_name(parameter),
	    .short_name = call_is_letter(parameter) ? *bare_name(parameter) : '\0',
	    /* A FILENAME is not converted from the locale; cli_value_read checks it. */
	    .arg = parameter->repeated ? G_OPTION_ARG_FILENAME_ARRAY : one,
	    .arg_data = is_flag		      ? (gpointer)flag
			: parameter->repeated ? (gpointer)list
					      : (gpointer)value,
	};
}

static void
call_expect_all(struct words *words, const struct cli_command *command)
{
	call_expect(words, &cli_global[GLOBAL_CONFIG], &words->config, NULL, NULL);
	call_expect(words, &cli_global[GLOBAL_JSON], NULL, NULL, &words->json);
	call_expect(words, &cli_global[GLOBAL_HELP], NULL, NULL, &words->help);
	words->entries[words->count - 1].short_name = 'h';
	call_expect(words, &cli_global[GLOBAL_VERSION], NULL, NULL, &words->version);
	if (!command)
		return;
	if (command->need == NEED_WORKSPACE)
		call_expect(words, &cli_workspace, &words->workspace, NULL, NULL);
	for (guint i = 0; i < command->count; i++)
		if (!cli_parameter_is_option(&command->parameters[i]))
			continue;
		else if (command->parameters[i].optional)
			expect_optional(words, &command->parameters[i]);
		else
			call_expect(words, &command->parameters[i], &words->values[i],
			    &words->lists[i], &words->flags[i]);
	words->entries[words->count++] = (GOptionEntry){
	    .long_name = G_OPTION_REMAINING,
	    .arg = G_OPTION_ARG_FILENAME_ARRAY,
	    .arg_data = &words->rest,
	};
}

static void
words_clear(struct words *words)
{
	for (guint i = 0; i < COMMAND_PARAMETERS; i++) {
		g_free(words->values[i]);
		g_strfreev(words->lists[i]);
	}
	g_free(words->config);
	g_free(words->workspace);
	g_strfreev(words->rest);
}

/* Parses the options of command, and those of every command, from any place in argv into words,
   which is zero. command NULL: only the options of every command, up to the first argument; argv
   keeps that and all that follows. Errors of GOptionContext; words must be cleared also then. */
static bool
words_read(struct words *words, char ***argv, const struct cli_command *command, GError **error)
{
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);

	GOptionGroup *group = g_option_group_new(NULL, NULL, NULL, words, NULL);
	words->command = command;
	call_expect_all(words, command);
	g_option_group_add_entries(group, words->entries);
	g_option_context_set_main_group(context, group);
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_strict_posix(context, command == NULL);
	return g_option_context_parse_strv(context, argv, error);
}

/* Returns an argument, from 0; NULL when there are fewer. */
static const char *
words_argument(const struct words *words, guint i)
{
	return words->rest && i < g_strv_length(words->rest) ? words->rest[i] : NULL;
}

static bool G_GNUC_PRINTF(4, 5)
    fault(struct cli_call *call, enum cli_topic topic, GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	call->topic = topic;
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return false;
}

static void
take_global(struct cli_call *call, struct words *words)
{
	if (words->config) {
		g_free(call->config);
		call->config = g_steal_pointer(&words->config);
	}
	call->json |= words->json;
	call->help |= words->help;
	call->version |= words->version;
}

/* Reads all values of a repeated parameter. The first becomes its text too. */
static bool
check_repeated(const struct cli_parameter *parameter, char *const *given, struct cli_value *value,
    GError **error)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	for (; *given; given++) {
		struct cli_value single;

		if (!cli_value_read(parameter, *given, &single, error))
			return false;
		g_ptr_array_add(texts, single.text);
	}
	value->text = g_strdup(texts->pdata[0]);
	g_ptr_array_add(texts, NULL);
	value->texts = (char **)g_ptr_array_free(g_steal_pointer(&texts), FALSE);
	return true;
}

static bool
is_required(const struct cli_parameter *parameter)
{
	return cli_parameter_is_option(parameter) ? parameter->required : !parameter->optional;
}

/* Reads the value of the command's parameter i. *arguments: how many arguments were read before. */
static bool
check_parameter(
    struct cli_call *call, const struct words *words, guint i, guint *arguments, GError **error)
{
	const struct cli_parameter *parameter = &call->command->parameters[i];
	bool is_option = cli_parameter_is_option(parameter);
	const char *given = is_option ? words->values[i] : words_argument(words, *arguments);
	char *const *list = is_option ? words->lists[i] : given ? &words->rest[*arguments] : NULL;

	if (words->flags[i])
		given = "yes";
	if (!is_option && given)
		*arguments += parameter->repeated ? g_strv_length((char **)list) : 1;
	if (parameter->repeated && list)
		return check_repeated(parameter, list, &call->values[i], error);
	if (given)
		return cli_value_read(parameter, given, &call->values[i], error);
	if (!is_required(parameter))
		return true;
	g_autofree char *label = cli_parameter_label(parameter);
	return fault(call, TOPIC_COMMAND, error, "%s is missing", label);
}

static bool
call_check(struct cli_call *call, const struct words *words, GError **error)
{
	guint arguments = 0;

	for (guint i = 0; i < call->command->count; i++)
		if (!check_parameter(call, words, i, &arguments, error))
			return false;
	if (words_argument(words, arguments))
		return fault(call, TOPIC_COMMAND, error, "\"%s\" is one word too many",
		    words_argument(words, arguments));
	struct cli_value workspace = {0};
	if (words->workspace &&
	    !cli_value_read(&cli_workspace, words->workspace, &workspace, error))
		return false;
	call->workspace_name = workspace.text;
	return true;
}

/* Parses the options and arguments of the command. */
static bool
read_command(struct cli_call *call, char ***argv, GError **error)
{
	struct words words = {0};
	g_autoptr(GError) failure = NULL;

	if (call->command->words) {
		char **plain = call->command->words(*argv);
		g_strfreev(*argv);
		*argv = plain;
	}
	bool done = words_read(&words, argv, call->command, &failure);

	if (done) {
		take_global(call, &words);
		done = call->help || call->version || call_check(call, &words, error);
	} else {
		fault(call, TOPIC_COMMAND, error, "%s", failure->message);
	}
	words_clear(&words);
	return done;
}

static bool
find_noun(struct cli_call *call, const char *word, GError **error)
{
	call->noun = cli_noun_find(word);
	if (call->noun)
		return true;
	const char *meant = cli_grammar_suggest(NULL, word);
	if (meant)
		return fault(call, TOPIC_ALL, error,
		    "there is no noun \"%s\"; did you mean \"%s\"?", word, meant);
	return fault(call, TOPIC_ALL, error, "there is no noun \"%s\"", word);
}

static bool
find_verb(struct cli_call *call, const char *word, GError **error)
{
	call->command = cli_command_find(call->noun, word);
	if (call->command)
		return true;
	const char *noun = call->noun->name;
	const char *meant = cli_grammar_suggest(call->noun, word);
	if (meant)
		return fault(call, TOPIC_NOUN, error, "%s has no verb \"%s\"; did you mean \"%s\"?",
		    noun, word, meant);
	return fault(call, TOPIC_NOUN, error, "%s has no verb \"%s\"", noun, word);
}

/* Parses the options before the next word: only those of every command. */
static bool
read_global(struct cli_call *call, char ***argv, enum cli_topic topic, GError **error)
{
	struct words words = {0};
	g_autoptr(GError) failure = NULL;
	bool done = words_read(&words, argv, NULL, &failure);

	if (done)
		take_global(call, &words);
	else
		fault(call, topic, error, "%s", failure->message);
	words_clear(&words);
	return done;
}

/* Removes the next word from the list and returns it; NULL when there is none. The caller owns it.
 */
static char *
take_word(char **argv)
{
	char *word = argv[1];

	for (guint i = 1; argv[i]; i++)
		argv[i] = argv[i + 1];
	return word;
}

/* Reports a missing word, unless help or the version is wanted. */
static bool
lack_word(struct cli_call *call, enum cli_topic topic, const char *what, GError **error)
{
	return call->help || call->version || fault(call, topic, error, "the %s is missing", what);
}

static bool
read_verb(struct cli_call *call, char ***argv, GError **error)
{
	call->command = cli_command_find(call->noun, NULL);
	if (call->command)
		return read_command(call, argv, error);
	if (!read_global(call, argv, TOPIC_NOUN, error))
		return false;
	g_autofree char *word = take_word(*argv);
	if (!word)
		return lack_word(call, TOPIC_NOUN, "verb", error);
	return find_verb(call, word, error) && read_command(call, argv, error);
}

static bool
read_noun(struct cli_call *call, char ***argv, GError **error)
{
	if (!read_global(call, argv, TOPIC_ALL, error))
		return false;
	g_autofree char *word = take_word(*argv);
	if (!word)
		return lack_word(call, TOPIC_ALL, "noun", error);
	return find_noun(call, word, error) && read_verb(call, argv, error);
}

static bool
asks_for_json(const char *const *argv)
{
	for (; *argv && strcmp(*argv, "--") != 0; argv++)
		if (strcmp(*argv, "--json") == 0)
			return true;
	return false;
}

bool
cli_call_read(struct cli_call *call, const char *const *argv, GError **error)
{
	g_auto(GStrv) rest = cli_words_link(argv);

	call->json = asks_for_json(argv);
	if (!read_noun(call, &rest, error))
		return false;
	if (call->help)
		call->topic = call->command ? TOPIC_COMMAND : call->noun ? TOPIC_NOUN : TOPIC_ALL;
	return true;
}

static bool
call_open_database(struct cli_call *call, enum cli_need need, GError **error)
{
	if (need < NEED_SETTINGS)
		return true;
	if (!(call->settings = config_startup_settings(call->config, error)))
		return false;
	call->service = service_open(call->settings);
	if (need < NEED_DATABASE)
		return true;
	call->db = call->service->db = db_open(call->settings, error);
	return call->db && (need < NEED_SCHEMA || store_schema_check(call->db, error));
}

static bool
open_all(struct cli_call *call, GError **error)
{
	call->ready = call_open_database(call, call->command->need, error);
	if (!call->ready || call->command->need < NEED_WORKSPACE ||
	    (call->command->any_workspace && !call->workspace_name))
		return call->ready;
	call->workspace = store_workspace_find(call->db, call->workspace_name, error);
	return call->workspace != NULL;
}

bool
cli_call_open(struct cli_call *call, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (open_all(call, &failure))
		return true;
	if (call->command->of_files && !call->config && !call->workspace_name) {
		call->lack = g_steal_pointer(&failure);
		return true;
	}
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

bool
cli_call_user(const struct cli_call *call, struct base_id *id_r, const struct base_id **user_r,
    GError **error)
{
	bool found;

	if (!store_user_first(call->db, &call->workspace->id, id_r, &found, error))
		return false;
	*user_r = found ? id_r : NULL;
	return true;
}

bool
cli_call_check_members(const struct cli_call *call, const struct json *object,
    const struct json_table *table, GError **error)
{
	struct json_unknown unknown = {
	    .noun = "a member that FILE may have",
	    .refuse =
		config_settings_choice(call->settings, SETTING_SERVICE_UNKNOWN) == UNKNOWN_REFUSE,
	};
	bool good = json_unknown_check(object, table, NULL, &unknown, error);

	if (unknown.list)
		g_string_free(unknown.list, TRUE);
	return good;
}

void
cli_call_clear(struct cli_call *call)
{
	for (guint i = 0; i < COMMAND_PARAMETERS; i++) {
		g_free(call->values[i].text);
		g_strfreev(call->values[i].texts);
	}
	g_free(call->workspace_name);
	g_free(call->audit_name);
	g_free(call->config);
	g_clear_error(&call->lack);
	g_clear_pointer(&call->workspace, store_workspace_free);
	g_clear_pointer(&call->service, service_close);
	g_clear_pointer(&call->settings, config_settings_free);
	g_clear_pointer(&call->output, cli_output_free);
}

static bool
has_relay(const struct config_settings *settings, const char *name)
{
	for (guint i = 0; i < config_settings_relay_count(settings); i++)
		if (strcmp(config_settings_relay(settings, i)->name, name) == 0)
			return true;
	return false;
}

enum store_stream
cli_call_stream(const struct cli_value *value)
{
	return value->text ? store_stream_find(value->text) : (enum store_stream)0;
}

bool
cli_call_route(const struct cli_call *call, char *const *names, char **route_r, GError **error)
{
	*route_r = NULL;
	if (!names || !*names)
		return true;
	for (char *const *name = names; *name; name++)
		if (!has_relay(call->settings, *name))
			return base_fail(
			    error, PH_ERROR_NOT_FOUND, "the settings have no relay \"%s\"", *name);
	*route_r = g_strjoinv(" ", (char **)names);
	if (strlen(*route_r) <= LIMIT_ROUTE_LENGTH)
		return true;
	g_clear_pointer(route_r, g_free);
	return base_invalid(error, "these are too many relays for a route");
}
