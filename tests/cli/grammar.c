/* SPDX-License-Identifier: MIT */
/* Tests all rows of the grammar, and the help made from them. */
#include "cli/grammar.h"

#include <criterion/criterion.h>
#include <string.h>

#include "cli/help.h"
#include "cli/text.h"

/* Calls see for each command. */
static void
each_command(void (*see)(const struct cli_noun *noun, const struct cli_command *command))
{
	for (const struct cli_noun *const *noun = cli_nouns; *noun; noun++)
		for (guint i = 0; i < (*noun)->count; i++)
			see(*noun, &(*noun)->commands[i]);
}

static bool
grammar_is_word(const char *text, const char *letters)
{
	return *text && text[strspn(text, letters)] == '\0';
}

#define LOWER "abcdefghijklmnopqrstuvwxyz-"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ="

static void
see_parameter(const char *name, const struct cli_parameter *parameter)
{
	bool is_option = cli_parameter_is_option(parameter);
	bool takes_value = parameter->type != PARAMETER_FLAG;

	bool is_letter = is_option && parameter->name[1] != '-';

	/* One letter, or -bs, as sendmail has it. */
	cr_expect(is_letter ? g_ascii_isalpha(parameter->name[1]) &&
				  (!parameter->name[2] || strcmp(parameter->name, "-bs") == 0)
			    : grammar_is_word(parameter->name, is_option ? LOWER : UPPER),
	    "%s: %s", name, parameter->name);
	if (is_option && takes_value)
		cr_expect(parameter->value || parameter->choices[0], "%s: %s has no value", name,
		    parameter->name);
	cr_expect(is_option || takes_value, "%s: %s", name, parameter->name);
	cr_expect_eq(parameter->choices[0] != NULL, parameter->type == PARAMETER_CHOICE, "%s: %s",
	    name, parameter->name);
	cr_expect_null(parameter->choices[PARAMETER_CHOICES], "%s: %s has too many choices", name,
	    parameter->name);
	cr_expect(!g_str_has_suffix(parameter->help, "."), "%s: %s: %s", name, parameter->name,
	    parameter->help);
	cr_expect(*parameter->help && !g_ascii_isupper(*parameter->help), "%s: %s: %s", name,
	    parameter->name, parameter->help);
	if (parameter->type == PARAMETER_TEXT || parameter->type == PARAMETER_NUMBER ||
	    parameter->type == PARAMETER_URL || parameter->type == PARAMETER_SENDER)
		cr_expect_gt(parameter->max, 0, "%s: %s has no limit", name, parameter->name);
}

static void
see_command(const struct cli_noun *noun, const struct cli_command *command)
{
	g_autofree char *name =
	    g_strdup_printf("%s %s", noun->name, command->verb ? command->verb : "");
	bool options = false;

	cr_expect(!command->verb || grammar_is_word(command->verb, LOWER), "%s", name);
	cr_expect_leq(command->count, COMMAND_PARAMETERS, "%s has too many parameters", name);
	cr_expect(g_ascii_isupper(command->help[0]) && g_str_has_suffix(command->help, "."),
	    "%s: %s", name, command->help);
	cr_expect_not_null(command->run, "%s", name);
	for (guint i = 0; i < command->count; i++) {
		const struct cli_parameter *parameter = &command->parameters[i];

		see_parameter(name, parameter);
		options |= cli_parameter_is_option(parameter);
		cr_expect(!options || cli_parameter_is_option(parameter),
		    "%s: %s comes after an option", name, parameter->name);
		for (guint j = 0; j < i; j++)
			cr_expect_str_neq(parameter->name, command->parameters[j].name, "%s", name);
		cr_expect_str_neq(parameter->name, cli_workspace.name, "%s", name);
		for (guint j = 0; j < GLOBAL_COUNT; j++)
			cr_expect_str_neq(parameter->name, cli_global[j].name, "%s", name);
	}
	cr_expect_eq(cli_command_find(noun, command->verb), command, "%s is there twice", name);
}

Test(grammar, is_well_formed)
{
	each_command(see_command);
	for (guint i = 0; i < GLOBAL_COUNT; i++)
		see_parameter("all", &cli_global[i]);
	see_parameter("all", &cli_workspace);
}

Test(grammar, has_each_noun_once)
{
	for (const struct cli_noun *const *noun = cli_nouns; *noun; noun++) {
		cr_expect(grammar_is_word((*noun)->name, LOWER), "%s", (*noun)->name);
		cr_expect_eq(cli_noun_find((*noun)->name), *noun, "%s", (*noun)->name);
		cr_expect_gt((*noun)->count, 0, "%s", (*noun)->name);
		if (!(*noun)->commands[0].verb)
			cr_expect_eq((*noun)->count, 1, "%s", (*noun)->name);
	}
	cr_expect_null(cli_noun_find("nobody"));
	cr_expect_null(cli_noun_find(""));
}

Test(grammar, guesses_what_was_meant)
{
	static const struct {
		const char *noun, *word, *want; /* noun NULL: word is a noun */
	} cases[] = {
	    {NULL, "usr", "user"},
	    {NULL, "keys", "key"},
	    {NULL, "worksapce", "workspace"},
	    {NULL, "wrkspc", NULL},
	    {NULL, "doktor", "doctor"},
	    {NULL, "", NULL},
	    {NULL, "xyz", NULL},
	    {"key", "crate", "create"},
	    {"key", "craete", "create"},
	    {"key", "lst", "list"},
	    {"key", "add", NULL},
	    {"doctor", "run", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct cli_noun *noun = cases[i].noun ? cli_noun_find(cases[i].noun) : NULL;
		const char *got = cli_grammar_suggest(noun, cases[i].word);

		cr_expect_str_eq(got ? got : "none", cases[i].want ? cases[i].want : "none",
		    "%s: got %s, want %s", cases[i].word, got, cases[i].want);
	}
}

static void
expect_clean(const char *name, const char *help)
{
	g_auto(GStrv) lines = g_strsplit(help, "\n", -1);

	cr_expect(g_str_has_suffix(help, "\n"), "%s", name);
	for (char **line = lines; *line; line++) {
		cr_expect_leq(g_utf8_strlen(*line, -1), WRAP_COLUMNS, "%s: %s", name, *line);
		cr_expect(!g_str_has_suffix(*line, " "), "%s: \"%s\"", name, *line);
		cr_expect_null(strchr(*line, '\t'), "%s: %s", name, *line);
	}
}

Test(grammar, lists_commands_by_their_first_clause)
{
	static const char *const wants[] = {
	    "  key list                                 List the API keys\n",
	    "webhook.test, and tell what it\n",
	    "OpenMetrics 1.0, for",
	    "  webhook rotate ID                        Give a webhook a new secret, and\n",
	};
	g_autofree char *all = cli_help(TOPIC_ALL, NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(wants); i++)
		cr_expect(strstr(all, wants[i]), "%s is missing:\n%s", wants[i], all);
}

static void
see_help(const struct cli_noun *noun, const struct cli_command *command)
{
	g_autofree char *help = cli_help(TOPIC_COMMAND, noun, command),
			*all = cli_help(TOPIC_ALL, NULL, NULL),
			*of_noun = cli_help(TOPIC_NOUN, noun, NULL);

	expect_clean(noun->name, help);
	cr_expect(strstr(of_noun, help), "the help of %s lacks\n%s", noun->name, help);
	for (guint i = 0; i < command->count; i++) {
		g_autofree char *label = cli_parameter_label(&command->parameters[i]);
		g_autofree char *line = g_strdup_printf("\n  %s ", label);

		cr_expect(strstr(help, line), "%s lacks %s:\n%s", noun->name, label, help);
	}
	cr_expect_eq(strstr(help, "\n  --workspace NAME ") != NULL, command->need == NEED_WORKSPACE,
	    "%s", help);
	g_autofree char *verb = g_strdup_printf(
	    "\n  %s%s%s", noun->name, command->verb ? " " : "", command->verb ? command->verb : "");
	cr_expect(strstr(all, verb), "the help lacks %s", verb);
}

Test(grammar, is_told_whole_in_80_columns)
{
	g_autofree char *all = cli_help(TOPIC_ALL, NULL, NULL);

	expect_clean("all", all);
	for (guint i = 0; i < GLOBAL_COUNT; i++)
		cr_expect(strstr(all, cli_global[i].name), "the help lacks %s", cli_global[i].name);
	each_command(see_help);
	for (const struct cli_noun *const *noun = cli_nouns; *noun; noun++) {
		g_autofree char *help = cli_help(TOPIC_NOUN, *noun, NULL);

		expect_clean((*noun)->name, help);
	}
}

Test(wrap, breaks_lines_where_they_are_full)
{
	char word[WRAP_COLUMNS + 2];
	static const struct {
		const char *name;
		gsize first, second; /* letters of the words */
		bool broken;
	} cases[] = {
	    {"just fits", 40, WRAP_COLUMNS - 4 - 41, false},
	    {"one too many", 40, WRAP_COLUMNS - 4 - 40, true},
	    {"longer than a line", 10, WRAP_COLUMNS + 1, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new("a:");

		memset(word, 'x', sizeof(word));
		word[cases[i].first] = '\0';
		cli_wrap_word(text, 4, word);
		memset(word, 'y', sizeof(word));
		word[cases[i].second] = '\0';
		cli_wrap_word(text, 4, word);
		cr_expect_eq(strchr(text->str, '\n') != NULL, cases[i].broken, "%s: got\n%s",
		    cases[i].name, text->str);
		cr_expect(strstr(text->str, cases[i].broken ? "\n    y" : "x y"), "%s: got\n%s",
		    cases[i].name, text->str);
	}
}

Test(wrap, cuts_what_has_no_room)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"", ""},
	    {"12345678", "12345678"},
	    {"123456789", "12345..."},
	    {"\u00fc\u00fc345678", "\u00fc\u00fc345678"},
	    {"\u00fc\u00fc3456789", "\u00fc\u00fc345..."},
	    {"\u6f22\u6f22\u6f22\u6f22", "\u6f22\u6f22\u6f22\u6f22"},
	    {"\u6f22\u6f22\u6f22\u6f229", "\u6f22\u6f22..."},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = cli_wrap_cut(cases[i].text, 8);

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].text, got, cases[i].want);
	}
}
