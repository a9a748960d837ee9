/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/api/routes.c: the route of a path and method, and Allow where there is none. */
#include "fcgi/api/routes.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

/* clang-format off */
static const struct fcgi_route table[] = {
	{METHOD_GET, "/health", .body = NULL},
	{METHOD_GET, "/v1/things", .body = NULL},
	{METHOD_POST, "/v1/things", .body = NULL},
	{METHOD_GET, "/v1/things/{id}", .body = NULL},
	{METHOD_DELETE, "/v1/things/{id}", .body = NULL},
	{METHOD_GET, "/v1/things/{id}/parts", .body = NULL},
	{METHOD_POST, "/v1/things/{id}/check", .body = NULL},
	{METHOD_PATCH, "/v1/things/{id}/people/{email}", .body = NULL},
	{METHOD_DELETE, "/v1/things/{id}/people/{email}", .body = NULL},
	{METHOD_GET, "/v1/people/{email}/parts", .body = NULL},
	{METHOD_GET, "/v1/people/{email}", .body = NULL},
	{METHOD_DELETE, "/v1/people/{email}", .body = NULL},
};
/* clang-format on */

/* "number of the row, arguments" or "allow: methods" */
static char *
routes_find(
    const struct fcgi_route *routes_, guint count, const char *path, enum fcgi_method method)
{
	const struct fcgi_front front = {
	    .prefix = "", .routes = routes_, .row_size = sizeof(routes_[0]), .count = count};
	struct fcgi_route_match match = fcgi_route_find(&front, path, method);
	GString *found = g_string_new(NULL);

	if (match.route)
		g_string_append_printf(found, "%d", (int)(match.route - routes_));
	else
		g_string_append_printf(found, "allow: %s", match.allowed->str);
	for (guint i = 0; i < ROUTE_ARGUMENTS && match.arguments[i]; i++)
		g_string_append_printf(found, " [%s]", match.arguments[i]);
	fcgi_route_match_clear(&match);
	return g_string_free(found, FALSE);
}

Test(router, finds_routes)
{
	static const struct {
		enum fcgi_method method;
		const char *path, *want;
	} cases[] = {
	    {METHOD_GET, "/health", "0"},
	    {METHOD_GET, "/v1/things", "1"},
	    {METHOD_POST, "/v1/things", "2"},
	    {METHOD_GET, "/v1/things/7", "3 [7]"},
	    {METHOD_GET, "/v1/things/things", "3 [things]"},
	    {METHOD_GET, "/v1/things/a+b@x.org%41 \xc3\xa9", "3 [a+b@x.org%41 \xc3\xa9]"},
	    {METHOD_GET, "/v1/things/{id}", "3 [{id}]"},
	    {METHOD_DELETE, "/v1/things/7", "4 [7]"},
	    {METHOD_GET, "/v1/things/7/parts", "5 [7]"},
	    {METHOD_POST, "/v1/things/7/check", "6 [7]"},
	    {METHOD_PATCH, "/v1/things/7/people/a@x.org", "7 [7] [a@x.org]"},
	    {METHOD_DELETE, "/v1/things/7/people/a/b@x.org", "8 [7] [a/b@x.org]"},
	    {METHOD_PATCH, "/v1/things/7/people/a//b/", "7 [7] [a//b/]"},
	    {METHOD_GET, "/v1/people/a@x.org/parts", "9 [a@x.org]"},
	    {METHOD_GET, "/v1/people/a/b@x.org/parts", "9 [a/b@x.org]"},
	    {METHOD_GET, "/v1/people/a/parts@x.org/parts", "9 [a/parts@x.org]"},
	    {METHOD_GET, "/v1/people//parts", "10 [/parts]"},
	    {METHOD_GET, "/v1/people/parts", "10 [parts]"},
	    {METHOD_GET, "/v1/people/a@x.org", "10 [a@x.org]"},
	    {METHOD_GET, "/v1/people/a/parts@x.org", "10 [a/parts@x.org]"},
	    {METHOD_GET, "/v1/people/a@x.org/part", "10 [a@x.org/part]"},
	    {METHOD_GET, "/v1/people/a@x.org/parts/x", "10 [a@x.org/parts/x]"},
	    {METHOD_DELETE, "/v1/people/a/b@x.org", "11 [a/b@x.org]"},

	    {METHOD_POST, "/health", "allow: GET, HEAD"},
	    {METHOD_OTHER, "/health", "allow: GET, HEAD"},
	    {METHOD_DELETE, "/v1/things", "allow: GET, HEAD, POST"},
	    {METHOD_PATCH, "/v1/things/7", "allow: GET, HEAD, DELETE"},
	    {METHOD_GET, "/v1/things/7/check", "allow: POST"},
	    {METHOD_GET, "/v1/things/7/people/a/b@x.org", "allow: PATCH, DELETE"},
	    {METHOD_DELETE, "/v1/people/a@x.org/parts", "allow: GET, HEAD"},
	    {METHOD_PATCH, "/v1/people/a/b@x.org/parts", "allow: GET, HEAD"},
	    {METHOD_PATCH, "/v1/people/a/b@x.org", "allow: GET, HEAD, DELETE"},

	    {METHOD_GET, "", "allow: "},
	    {METHOD_GET, "/", "allow: "},
	    {METHOD_GET, "health", "allow: "},
	    {METHOD_GET, "//health", "allow: "},
	    {METHOD_GET, "/Health", "allow: "},
	    {METHOD_GET, "/healthy", "allow: "},
	    {METHOD_GET, "/healt", "allow: "},
	    {METHOD_GET, "/health/x", "allow: "},
	    {METHOD_GET, "/v1", "allow: "},
	    {METHOD_GET, "/v1/thing", "allow: "},
	    {METHOD_GET, "/v1//things", "allow: "},
	    {METHOD_GET, "/v1/things/", "allow: "},
	    {METHOD_GET, "/v1/things//parts", "allow: "},
	    {METHOD_GET, "/v1/things/7/parts/8", "allow: "},
	    {METHOD_PATCH, "/v1/things/7/people", "allow: "},
	    {METHOD_PATCH, "/v1/things/7/people/", "allow: "},
	    {METHOD_GET, "/v1/people/", "allow: "},
	    {METHOD_GET, "/v1/people", "allow: "},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    routes_find(table, G_N_ELEMENTS(table), cases[i].path, cases[i].method);

		cr_expect_str_eq(got, cases[i].want, "%s %s: got \"%s\", want \"%s\"",
		    cases[i].method == METHOD_OTHER ? "PUT"
						    : fcgi_request_method_name(cases[i].method),
		    cases[i].path, got, cases[i].want);
	}
}

Test(router, knows_no_path_without_routes)
{
	g_autofree char *got = routes_find(table, 0, "/health", METHOD_GET);

	cr_expect_str_eq(got, "allow: ", "got \"%s\"", got);
}

Test(router, takes_as_many_arguments_as_there_is_room_for)
{
	static const struct fcgi_route most[] = {{METHOD_GET, "/{a}/{b}/{c}", .body = NULL}};
	g_autofree char *got = routes_find(most, 1, "/1/2/3", METHOD_GET);

	cr_assert_eq(ROUTE_ARGUMENTS, 3);
	cr_expect_str_eq(got, "0 [1] [2] [3]", "got \"%s\"", got);
}

Test(router, dies_of_a_pattern_with_more_arguments, .signal = SIGABRT)
{
	static const struct fcgi_route too_many[] = {
	    {METHOD_GET, "/{a}/{b}/{c}/{d}", .body = NULL}};

	g_free(routes_find(too_many, 1, "/1/2/3/4", METHOD_GET));
}

static guint
count_arguments(const char *pattern)
{
	guint count = 0;

	while ((pattern = strchr(pattern, '{'))) {
		count++;
		pattern++;
	}
	return count;
}

Test(router, has_a_table_that_is_whole)
{
	for (guint i = 0; i < fcgi_front_main.count; i++) {
		const struct fcgi_route *route = &fcgi_routes[i];
		struct fcgi_route_match match =
		    fcgi_route_find(&fcgi_front_main, route->pattern, route->method);

		cr_expect(match.route == route, "%s %s: an earlier row takes it",
		    fcgi_request_method_name(route->method), route->pattern);
		cr_expect(!route->handler != !route->storing && route->failure,
		    "%s: a column is empty", route->pattern);
		cr_expect_leq(count_arguments(route->pattern), ROUTE_ARGUMENTS, "%s: %u arguments",
		    route->pattern, count_arguments(route->pattern));
		cr_expect(!g_str_has_suffix(route->pattern, "/"), "%s: ends with a slash",
		    route->pattern);
		fcgi_route_match_clear(&match);
	}
}
