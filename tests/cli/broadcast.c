/* SPDX-License-Identifier: MIT */
/* Tests posthouse broadcast on a real database. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/cli/program.h"
#include "tests/support/mariadb.h"

static char *config;

static void
broadcast_begin(void)
{
	config = test_mariadb_file(NULL, NULL, NULL);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
	g_free(program_line(config, "domain add example.com"));
	g_free(program_line(config, "domain trust example.com"));
}

static void
broadcast_end(void)
{
	g_free(config);
}

TestSuite(broadcast, .init = broadcast_begin, .fini = broadcast_end, .timeout = 900);

/* The last word of the output. The caller owns it. */
static char *
broadcast_last_word(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *line = g_strdup_vprintf(format, args);
	va_end(args);
	g_autofree char *output = program_line(config, line);
	g_strchomp(output);
	return g_strdup(strrchr(output, ' ') + 1);
}

/* Stores a draft of this text. The caller owns its id. */
static char *
cli_broadcast_put(const char *text)
{
	g_autofree char *path = g_strconcat(config, ".draft", NULL);

	cr_assert(g_file_set_contents(path, text, -1, NULL));
	return broadcast_last_word("broadcast put %s", path);
}

static void
broadcast_expect(int status, const char *want, const char *verb, const char *id, const char *rest)
{
	g_autofree char *line = g_strdup_printf("broadcast %s %s%s", verb, id, rest);

	program_expect(config, line, status, want, NULL);
}

/* Runs the verb, and expects a JSON object that has this text. */
static void
expect_object(const char *want, const char *verb, const char *id, const char *rest)
{
	g_autofree char *line = g_strdup_printf("broadcast %s %s%s --json", verb, id, rest);
	g_autofree char *output = program_line(config, line);

	cr_expect(strstr(output, want), "%s: got %s, want %s", line, output, want);
}

/* A draft that can be sent. The caller owns its id. */
static char *
broadcast_whole(void)
{
	g_autofree char *audience = broadcast_last_word("audience create News");
	g_autofree char *text = g_strdup_printf(
	    "{\"from\": \"a@example.com\", \"subject\": \"S\", \"audiences\": [\"%s\"],"
	    " \"html\": \"<a href={{unsubscribe_url}}>-</a>\"}",
	    audience);

	return cli_broadcast_put(text);
}

Test(broadcast, is_put_changed_listed_shown_and_removed)
{
	program_expect(config, "broadcast list", 0, "There are no broadcasts yet.\n", NULL);
	g_autofree char *id = cli_broadcast_put("{\"name\": \"March\", \"preview_text\": \"P\"}");
	g_autofree char *change = g_strdup_printf("{\"id\": \"%s\", \"subject\": \"News\"}", id);
	g_autofree char *again = cli_broadcast_put(change);
	g_autofree char *removed = g_strdup_printf("Broadcast removed: %s\n", id);
	cr_expect_str_eq(id, again);
	expect_object("\"name\":\"March\",\"from\":null,\"reply_to\":[],\"subject\":\"News\","
		      "\"preview_text\":\"P\"",
	    "show", id, "");
	expect_object("{\"broadcasts\":[{\"id\":\"", "list", "", "");
	broadcast_expect(0, removed, "remove", id, "");
	program_expect(config, "broadcast list", 0, "There are no broadcasts yet.\n", NULL);
}

Test(broadcast, has_attachments)
{
	g_autofree char *path = g_strconcat(config, ".draft", NULL),
			*picture = g_strconcat(config, ".png", NULL),
			*name = g_path_get_basename(picture);
	static const char draft[] =
	    "{\"attachments\": [{\"filename\": \"a\", \"content\": \"aGk=\"}]}";

	cr_assert(g_file_set_contents(picture, "\211PNG\0", 5, NULL));
	cr_assert(g_file_set_contents(path, draft, -1, NULL));
	g_autofree char *id =
	    broadcast_last_word("broadcast put %s --attach %s --attach %s", path, picture, path);
	g_autofree char *want =
	    g_strdup_printf("\"filename\":\"%s\",\"content_type\":\"image/png\","
			    "\"content_id\":null,\"size\":5}",
		name);
	g_autofree char *missing = g_strdup_printf("broadcast put %s --attach /nowhere", path);
	expect_object(
	    "\"filename\":\"a\",\"content_type\":\"application/octet-stream\"", "show", id, "");
	expect_object(want, "show", id, "");
	program_expect(config, missing, 66, NULL, "*--attach*/nowhere*");
}

Test(broadcast, has_no_misspelled_members)
{
	static const struct {
		const char *draft, *want_error;
	} cases[] = {
	    {"{\"Subject\": \"S\"}",
		"*Subject is not a member that FILE may have; did you mean subject?*"},
	    {"{\"ID\": \"x\"}", "*ID is not a member that FILE may have; did you mean id?*"},
	    {"{\"variants\": [{}, {\"htm\": \"\"}]}",
		"*variants[1].htm is not *; did you mean html?*"},
	};
	g_autofree char *path = g_strconcat(config, ".draft", NULL);
	g_autofree char *line = g_strdup_printf("broadcast put %s", path);

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		cr_assert(g_file_set_contents(path, cases[i].draft, -1, NULL));
		program_expect(config, line, 65, NULL, cases[i].want_error);
	}
	g_free(
	    cli_broadcast_put("{\"name\": \"N\", \"colour\": 1, \"tags\": {\"Subject\": \"S\"}}"));
}

Test(broadcast, is_checked)
{
	g_autofree char *id = cli_broadcast_put("{}");

	broadcast_expect(65,
	    "error: sender: from is required (1)\nerror: subject: subject is required (1)\n"
	    "error: content: html or text is required when template_id is absent (1)\n"
	    "error: recipients: audiences or segments are required (0)\nrecipients: 0\n",
	    "check", id, "");
}

Test(broadcast, is_sent_and_moved_on)
{
	g_autofree char *id = broadcast_whole();
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autoptr(GDateTime) soon = g_date_time_add_hours(now, 1);
	g_autofree char *at = g_date_time_format(soon, " --at %Y-%m-%dT%H:%M:%SZ");
	static const char *const past[] = {"2020-12-24T18:00:00Z", "1970-01-01T00:00:00Z"};

	for (gsize i = 0; i < G_N_ELEMENTS(past); i++) {
		g_autofree char *line = g_strdup_printf("broadcast send %s --at %s", id, past[i]);

		program_expect(
		    config, line, 65, NULL, "posthouse: scheduled_at must not be in the past\n");
	}
	expect_object("\"status\":\"scheduled\"", "send", id, at);
	expect_object("\"status\":\"draft\"", "unschedule", id, "");
	expect_object("\"spread\":604800000", "send", id,
	    " --local 2020-12-24T18:00 --time-zone Europe/Berlin --spread 168");
	expect_object("\"status\":\"cancelled\"", "cancel", id, "");
	expect_object("\"name\":\"S (copy)\"", "duplicate", id, "");
	g_autofree char *test = g_strdup_printf("broadcast test %s t@example.net", id);
	program_expect(config, test, 0, "Test sent\n", NULL);
}

Test(broadcast, names_the_state_that_does_not_allow_it)
{
	static const char *const verbs[] = {"pause", "resume", "unschedule", "cancel"};
	g_autofree char *id = broadcast_whole();

	for (gsize i = 0; i < G_N_ELEMENTS(verbs); i++) {
		g_autofree char *line = g_strdup_printf("broadcast %s %s", verbs[i], id);

		program_expect(config, line, 73, NULL, "posthouse: Broadcast is draft\n");
	}
	g_autofree char *winner = g_strdup_printf("broadcast winner %s 1", id);
	program_expect(config, winner, 73, NULL, "posthouse: Broadcast is draft\n");
	program_expect(config, "broadcast show 01994f3e-7b6a-7c1d-9c43-4d0f6f2f8a11", 66, NULL,
	    "posthouse: Broadcast not found\n");
}

Test(broadcast, is_in_the_audit)
{
	g_autofree char *id = broadcast_whole();
	g_autofree char *change = g_strdup_printf("{\"id\": \"%s\", \"name\": \"N\"}", id);
	static const char *const verbs[] = {
	    "show", "send", "unschedule", "send", "cancel", "duplicate", "remove"};

	g_free(cli_broadcast_put(change));
	for (gsize i = 0; i < G_N_ELEMENTS(verbs); i++) {
		g_autofree char *line = g_strdup_printf("broadcast %s %s", verbs[i], id);

		program_expect(config, line, 0, "*", NULL);
	}
	g_autofree char *audit = test_mariadb_sql(NULL,
	    "SELECT GROUP_CONCAT(SUBSTR(action, 11) ORDER BY id SEPARATOR ' ') FROM test_%d.audit"
	    " WHERE action LIKE 'broadcast.%%' AND actor = 3",
	    (int)getpid());
	cr_expect_str_eq(g_strchomp(audit),
	    "created changed sent unscheduled sent cancelled created deleted", "%s", audit);
	g_autofree char *others = test_mariadb_sql(
	    NULL, "SELECT COUNT(*) FROM test_%d.audit WHERE target_id = '%s'", (int)getpid(), id);
	cr_expect_str_eq(g_strchomp(others), "7", "%s", others);
	g_autofree char *names = test_mariadb_sql(NULL,
	    "SELECT GROUP_CONCAT(DISTINCT target_name ORDER BY target_name) FROM test_%d.audit"
	    " WHERE target_id = '%s'",
	    (int)getpid(), id);
	cr_expect_str_eq(g_strchomp(names), "N,S", "%s", names);
}
