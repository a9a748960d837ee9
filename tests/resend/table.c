/* SPDX-License-Identifier: MIT */
/* The table of operations under /resend: each row can be reached, and is whole. */
#include <criterion/criterion.h>
#include <string.h>

#include "fcgi/api/front.h"
#include "fcgi/api/request_log.h"
#include "fcgi/resend/front.h"
#include "fcgi/resend/handlers.h"

/* A path that fits the pattern: each {name} becomes x. */
static char *
table_sample(const char *pattern)
{
	GString *path = g_string_new("/resend");

	for (; *pattern; pattern++)
		if (*pattern == '{') {
			g_string_append_c(path, 'x');
			pattern = strchr(pattern, '}');
		} else {
			g_string_append_c(path, *pattern);
		}
	return g_string_free(path, FALSE);
}

Test(resend_table, has_rows_that_are_reached)
{
	const struct fcgi_resend_route *rows =
	    (const struct fcgi_resend_route *)fcgi_resend_front.routes;

	cr_assert_eq(fcgi_resend_front.row_size, sizeof(rows[0]));
	for (guint i = 0; i < fcgi_resend_front.count; i++) {
		const struct fcgi_route *route = &rows[i].route;
		g_autofree char *path = table_sample(route->pattern);
		struct fcgi_route_match match =
		    fcgi_route_find(&fcgi_resend_front, path, route->method);

		cr_expect_eq(match.route, route, "%s %s: an earlier row takes it",
		    fcgi_request_method_name(route->method), path);
		cr_expect(!route->handler != !route->storing, "%s: a column is empty", path);
		cr_expect(rows[i].methods && *rows[i].methods, "%s: no methods", path);
		cr_expect(route->scope == KEY_READ || route->method != METHOD_GET,
		    "%s: a key of scope read reads everything", path);
		fcgi_route_match_clear(&match);
	}
}

/* The word of doc/resend.md on the operation. */
static const char *
table_word_of(const struct fcgi_route *route)
{
	return route->handler == fcgi_resend_never ? "no" : "yes";
}

/* "`emails.send`, `emails.create`" of "emails.send, emails.create" */
static char *
table_quoted(const char *methods)
{
	g_auto(GStrv) names = g_strsplit(methods, ", ", -1);
	g_autofree char *joined = g_strjoinv("`, `", names);

	return g_strdup_printf("`%s`", joined);
}

Test(resend_table, is_that_of_the_document)
{
	g_autofree char *path = g_build_filename(g_getenv("srcdir"), "doc", "resend.md", NULL);
	const struct fcgi_resend_route *rows =
	    (const struct fcgi_resend_route *)fcgi_resend_front.routes;
	g_autofree char *document = NULL;
	guint lines = 0;

	cr_assert(g_file_get_contents(path, &document, NULL, NULL), "%s", path);
	for (guint i = 0; i < fcgi_resend_front.count; i++) {
		const struct fcgi_route *route = &rows[i].route;
		g_autofree char *methods = table_quoted(rows[i].methods);
		g_autofree char *want = g_strdup_printf("\n| %s | `%s %s` | %s |", methods,
		    fcgi_request_method_name(route->method), route->pattern, table_word_of(route));

		cr_expect(strstr(document, want), "there is no line: %s", want + 1);
	}
	for (const char *at = document; (at = strstr(at, " /")); at++)
		lines += g_str_has_prefix(at - strlen("| `GET"), "| `GET") ||
			 g_str_has_prefix(at - strlen("| `PUT"), "| `PUT") ||
			 g_str_has_prefix(at - strlen("| `POST"), "| `POST") ||
			 g_str_has_prefix(at - strlen("| `PATCH"), "| `PATCH") ||
			 g_str_has_prefix(at - strlen("| `DELETE"), "| `DELETE");
	cr_expect_eq(
	    lines, fcgi_resend_front.count, "%u lines for %u rows", lines, fcgi_resend_front.count);
}

Test(resend_table, is_chosen_by_its_prefix)
{
	static const struct {
		const char *path;
		const struct fcgi_front *want;
	} cases[] = {
	    {"/resend", &fcgi_resend_front},
	    {"/resend/", &fcgi_resend_front},
	    {"/resend/emails", &fcgi_resend_front},
	    {"/resend/\x01", &fcgi_resend_front},
	    {"/resends", &fcgi_front_main},
	    {"/Resend/emails", &fcgi_front_main},
	    {"/v1/resend/emails", &fcgi_front_main},
	    {"resend/emails", &fcgi_front_main},
	    {"/", &fcgi_front_main},
	    {"", &fcgi_front_main},
	    {NULL, &fcgi_front_main},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(fcgi_front_of(cases[i].path), cases[i].want, "%s", cases[i].path);
}

/* Logs and metrics name the operations of /resend apart from those of the other front. */
Test(resend_table, has_names_of_its_own_in_the_log)
{
	static const struct fcgi_front *const fronts[] = {&fcgi_front_main, &fcgi_resend_front};
	static const char *const want[] = {"/health", "/resend/emails/{id}"};
	static const char *const paths[] = {"/health", "/resend/emails/7"};

	for (guint i = 0; i < G_N_ELEMENTS(fronts); i++) {
		struct fcgi_route_match match = fcgi_route_find(fronts[i], paths[i], METHOD_GET);
		const char *got = fcgi_request_log_route(fronts[i], match.route);

		cr_expect_str_eq(got, want[i], "got %s, want %s", got, want[i]);
		fcgi_route_match_clear(&match);
	}
	const char *none = fcgi_request_log_route(fronts[1], NULL);
	cr_expect_str_eq(none, "none");
}
