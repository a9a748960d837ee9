/* SPDX-License-Identifier: MIT */
/* Tests the parser of command lines. */
#include "cli/call.h"

#include <criterion/criterion.h>
#include <string.h>

static struct cli_call call;

static void
call_clear(void)
{
	cli_call_clear(&call);
}

TestSuite(call, .fini = call_clear);

/* Splits a line as a shell does, and parses it. */
static bool
call_read_line(const char *line, GError **error)
{
	g_autofree char *whole = g_strconcat("posthouse ", line, NULL);
	g_auto(GStrv) argv = NULL;

	cli_call_clear(&call);
	call = (struct cli_call){0};
	cr_assert(g_shell_parse_argv(whole, NULL, &argv, NULL), "%s", line);
	return cli_call_read(&call, (const char *const *)argv, error);
}

Test(call, reads_arguments_and_options_in_any_place)
{
	static const char *const lines[] = {
	    "workspace create Name --from a@x.org",
	    "workspace create --from a@x.org Name",
	    "workspace create --from=a@x.org Name",
	    "workspace create --from a@x.org -- Name",
	    "--config f workspace create --from a@x.org Name",
	    "--config=f workspace --json create Name --from a@x.org",
	    "workspace create Name --from b@x.org --json --from a@x.org --config g --config f",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(GError) error = NULL;

		cr_assert(call_read_line(lines[i], &error), "%s: %s", lines[i],
		    error ? error->message : "");
		cr_expect_str_eq(call.noun->name, "workspace", "%s", lines[i]);
		cr_expect_str_eq(call.command->verb, "create", "%s", lines[i]);
		cr_expect_str_eq(call.values[0].text, "Name", "%s", lines[i]);
		cr_expect_str_eq(call.values[1].text, "a@x.org", "%s", lines[i]);
		cr_expect_eq(call.json, strstr(lines[i], "--json") != NULL, "%s", lines[i]);
		cr_expect_eq(
		    call.config != NULL, strstr(lines[i], "--config") != NULL, "%s", lines[i]);
		cr_expect(!call.config || strcmp(call.config, "f") == 0, "%s", lines[i]);
		cr_expect_eq(call.topic, TOPIC_NONE, "%s", lines[i]);
	}
}

Test(call, leaves_out_what_is_not_given)
{
	cr_assert(call_read_line("user add a@x.org", NULL));
	cr_expect_null(call.values[1].text);
	cr_expect_null(call.workspace_name);
	cr_expect_null(call.config);
	cr_assert(call_read_line("user add a@x.org --workspace W", NULL));
	cr_expect_str_eq(call.workspace_name, "W");
}

Test(call, reads_what_may_be_repeated)
{
	cr_assert(
	    call_read_line("workflow simulate F --event a --until 2030-01-01 --event=b", NULL));
	cr_expect_str_eq(call.values[2].text, "a");
	cr_expect_eq(g_strv_length(call.values[2].texts), 2);
	cr_expect_str_eq(call.values[2].texts[1], "b");
	cr_expect_null(call.values[0].texts);
	cr_expect_not(call_read_line("workflow simulate F --event a --event ''", NULL));
}

Test(call, asks_for_help)
{
	static const struct {
		const char *line;
		enum cli_topic topic;
		bool version;
	} cases[] = {
	    {"--help", TOPIC_ALL, false},
	    {"-h", TOPIC_ALL, false},
	    {"key create -h", TOPIC_COMMAND, false},
	    {"--json --help", TOPIC_ALL, false},
	    {"key --help", TOPIC_NOUN, false},
	    {"--help key", TOPIC_NOUN, false},
	    {"key create --help", TOPIC_COMMAND, false},
	    {"--help key create", TOPIC_COMMAND, false},
	    {"key create --user nonsense --help", TOPIC_COMMAND, false},
	    {"doctor --help", TOPIC_COMMAND, false},
	    {"--version", TOPIC_NONE, true},
	    {"key --version", TOPIC_NONE, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect(call_read_line(cases[i].line, &error), "%s: %s", cases[i].line,
		    error ? error->message : "");
		cr_expect_eq(call.topic, cases[i].topic, "%s: got %d, want %d", cases[i].line,
		    (int)call.topic, (int)cases[i].topic);
		cr_expect_eq(call.help, !cases[i].version, "%s", cases[i].line);
		cr_expect_eq(call.version, cases[i].version, "%s", cases[i].line);
	}
}

Test(call, says_what_is_wrong)
{
	static const struct {
		const char *line, *want;
		enum cli_topic topic;
	} cases[] = {
	    {"", "the noun is missing", TOPIC_ALL},
	    {"--json", "the noun is missing", TOPIC_ALL},
	    {"nobody", "there is no noun \"nobody\"", TOPIC_ALL},
	    {"usr", "there is no noun \"usr\"; did you mean \"user\"?", TOPIC_ALL},
	    {"--nope", "Unknown option --nope", TOPIC_ALL},
	    {"--config", "Missing argument for --config", TOPIC_ALL},
	    {"key", "the verb is missing", TOPIC_NOUN},
	    {"key --nope list", "Unknown option --nope", TOPIC_NOUN},
	    {"key lst", "key has no verb \"lst\"; did you mean \"list\"?", TOPIC_NOUN},
	    {"key sing", "key has no verb \"sing\"", TOPIC_NOUN},
	    {"key list more", "\"more\" is one word too many", TOPIC_COMMAND},
	    {"doctor more", "\"more\" is one word too many", TOPIC_COMMAND},
	    {"key create", "--user EMAIL is missing", TOPIC_COMMAND},
	    {"key create --user", "Missing argument for --user", TOPIC_COMMAND},
	    {"key create --usr a@x.org", "Unknown option --usr", TOPIC_COMMAND},
	    {"key revoke", "ID is missing", TOPIC_COMMAND},
	    {"workspace list --workspace W", "Unknown option --workspace", TOPIC_COMMAND},
	    {"key create --user x",
		"--user must be an email address such as ada@example.com, "
		"not \"x\"",
		TOPIC_NONE},
	    {"key list --workspace 'a\tb'", "--workspace must not contain control characters",
		TOPIC_NONE},
	    {"key list --workspace ''", "--workspace must not be empty", TOPIC_NONE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect(!call_read_line(cases[i].line, &error), "%s", cases[i].line);
		cr_expect_str_eq(error ? error->message : "none", cases[i].want,
		    "%s: got %s, want %s", cases[i].line, error ? error->message : "none",
		    cases[i].want);
		cr_expect_eq(call.topic, cases[i].topic, "%s: got topic %d, want %d", cases[i].line,
		    (int)call.topic, (int)cases[i].topic);
	}
}

Test(call, knows_early_that_json_is_wanted)
{
	cr_expect(!call_read_line("nobody --json", NULL));
	cr_expect(call.json);
	cr_expect(!call_read_line("nobody -- --json", NULL));
	cr_expect(!call.json);
}
