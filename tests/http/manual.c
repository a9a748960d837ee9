/* SPDX-License-Identifier: MIT */
/* Holds posthouse-api(7) against the routes, openapi.json and the running service. */
#include <criterion/criterion.h>
#include <string.h>

#include "fcgi/routes.h"
#include "json/strict.h"
#include "tests/http/email.h"
#include "tests/support/manual.h"

#define PAGE "posthouse-api.7"

static char *page;
static char *described; /* openapi.json */

static void
begin(void)
{
	const char *folder = g_getenv("builddir");
	g_autofree char *path =
	    g_build_filename(folder ? folder : ".", "api", "openapi.json", NULL);

	page = test_manual_read(PAGE);
	cr_assert(g_file_get_contents(path, &described, NULL, NULL), "%s", path);
}

static void
end(void)
{
	g_free(page);
	g_free(described);
}

TestSuite(manual, .init = begin, .fini = end, .timeout = 120);

Test(manual, has_each_route_once)
{
	g_auto(GStrv) lines = g_strsplit(page, "\n", -1);
	guint entries = 0;

	for (char **line = lines; *line; line++)
		entries += g_regex_match_simple("^\\.It Ic [A-Z]+ /", *line, 0, 0);
	cr_expect_eq(
	    entries, fcgi_route_count, "%u entries for %u fcgi_routes", entries, fcgi_route_count);
	for (guint i = 0; i < fcgi_route_count; i++) {
		g_autofree char *entry = g_strdup_printf("\n.It Ic %s %s\n",
		    fcgi_request_method_name(fcgi_routes[i].method), fcgi_routes[i].pattern);
		cr_expect(strstr(page, entry), "no entry%s", entry);
	}
}

/* The lines of the page that are answers, "400 to is required". */
static bool
is_answer(const char *line)
{
	return g_regex_match_simple("^[2-5][0-9][0-9] [A-Za-z]", line, 0, 0);
}

Test(manual, knows_the_answers_that_are_described)
{
	g_auto(GStrv) lines = g_strsplit(page, "\n", -1);
	g_autoptr(GRegex) regex =
	    g_regex_new("\"message\": (\"(?:[^\"\\\\]|\\\\.)*\")", 0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	for (char **line = lines; *line; line++) {
		g_autofree char *escaped = g_strescape(*line + MIN(strlen(*line), 4), NULL);
		g_autofree char *message = g_strdup_printf("\"%s\"", escaped);
		cr_expect(!is_answer(*line) || strstr(described, message),
		    "not in openapi.json: %s", *line);
	}
	for (g_regex_match(regex, described, 0, &match); g_match_info_matches(match);
	     g_match_info_next(match, NULL)) {
		g_autofree char *quoted = g_match_info_fetch(match, 1);
		g_autofree char *message = g_strcompress(quoted);
		message[strlen(message) - 1] = '\0';
		cr_expect(strstr(page, message + 1) || strstr(message, "Internal") ||
			      strstr(message, "not available"),
		    "not in the page: %s", message + 1);
	}
}

/* Whether an entry of the page is about this name. */
static bool
has_entry(const char *name)
{
	g_autofree char *pattern = g_strdup_printf("^\\.It Ic .*\\b%s\\b", name);

	return g_regex_match_simple(pattern, page, G_REGEX_MULTILINE, 0);
}

Test(manual, has_each_field)
{
	AUTO(json) document = json_parse(described, strlen(described), NULL);
	struct json_iterator schemas =
	    json_members(json_member_get(json_member_get(document, "components"), "schemas"));
	const struct json *schema, *field;
	const char *name;

	while (json_iterator_next(&schemas, &name, &schema)) {
		struct json_iterator fields = json_members(json_member_get(schema, "properties"));
		if (!g_str_has_prefix(name, "New") && strcmp(name, "Attachment") != 0 &&
		    strcmp(name, "Email") != 0)
			continue;
		while (json_iterator_next(&fields, &name, &field))
			cr_expect(has_entry(name), "no entry for %s", name);
	}
}

/* The displays that are commands, as one script. The caller owns it. */
static char *
examples(void)
{
	GString *script = g_string_new("set -e\ncurl() { command curl -q --noproxy '*' -sS "
				       "--fail-with-body \"$@\"; echo; }\n");
	g_auto(GStrv) displays = g_strsplit(page, ".Bd -literal -offset indent\n", -1);

	for (char **display = displays; *display; display++) {
		char *stop = strstr(*display, ".Ed\n");
		if (!stop || !g_regex_match_simple("^([A-Z]+=\\$\\()?curl ", *display, 0, 0))
			continue;
		*stop = '\0';
		g_string_append(script, *display);
	}
	g_string_replace(script, "\\e", "\\", 0);
	return g_string_free(script, FALSE);
}

Test(manual, has_examples_that_work)
{
	AUTO(tenant) tenant = tenant_open();
	g_autofree char *later =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + 3600000);
	g_autofree char *email = email_send(tenant, NULL), *scheduled = email_send(tenant, later);
	g_autofree char *script = examples();
	const char *argv[] = {"sh", "-c", script, NULL};
	g_autofree char *output = NULL, *complaint = NULL;
	g_autoptr(GError) error = NULL;
	int status = 0;

	g_setenv("URL", tenant->instance->url, TRUE);
	g_setenv("KEY", tenant->key, TRUE);
	g_setenv("EMAIL", email, TRUE);
	g_setenv("SCHEDULED", scheduled, TRUE);
	cr_assert(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output,
	    &complaint, &status, &error));
	cr_expect(g_spawn_check_wait_status(status, NULL), "%s%s", output, complaint);
	cr_expect(
	    strstr(output, "\"cancelled\"") || strstr(output, "Email cancelled"), "%s", output);
	cr_expect(strstr(output, "Template deleted"), "%s", output);
}
