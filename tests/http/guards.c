/* SPDX-License-Identifier: MIT */
/* Each operation of each front asks for a key, and for its scope: a walk over the tables of routes.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "fcgi/api/routes.h"
#include "fcgi/resend/front.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

FIXTURE_SUITE(guards, 900);

/* Operations that everybody may use: the beginnings of patterns, and whole ones. */
static const char *const open_patterns[] = {
    "/openapi.json", "/health", "/ready", "/tls-ask", "/avatar/", "/t/", "/f/", "/in/"};
static const char *const open_posts[] = {"/v1/session/link", "/v1/session"};

static bool
guards_is_open(const struct fcgi_front *front, const struct fcgi_route *route)
{
	for (gsize i = 0; !*front->prefix && i < G_N_ELEMENTS(open_patterns); i++)
		if (g_str_has_prefix(route->pattern, open_patterns[i]))
			return true;
	for (gsize i = 0; !*front->prefix && i < G_N_ELEMENTS(open_posts); i++)
		if (route->method == METHOD_POST && strcmp(route->pattern, open_posts[i]) == 0)
			return true;
	return false;
}

/* The pattern's path, with "x" for each name, which no thing has. */
static char *
guards_path_of(const struct fcgi_front *front, const struct fcgi_route *route)
{
	g_autoptr(GRegex) names = g_regex_new("\\{[a-z_]+\\}", 0, 0, NULL);
	g_autofree char *path = g_regex_replace_literal(names, route->pattern, -1, 0, "x", 0, NULL);

	return g_strconcat(front->prefix, path, NULL);
}

struct visit {
	const char *name, *header;
	enum store_key_scope scope; /* of the key in header; ROUTE_PUBLIC: it has none */
	guint refused, allowed;
};

static bool
may(const struct visit *visit, const struct fcgi_front *front, const struct fcgi_route *route)
{
	if (guards_is_open(front, route))
		return true;
	if (visit->scope == ROUTE_PUBLIC || route->right == RIGHT_SESSION)
		return false;
	if (visit->scope == KEY_METRICS || route->scope == KEY_METRICS)
		return visit->scope == route->scope;
	return visit->scope == KEY_FULL || route->scope == ROUTE_ANY ||
	       route->scope == visit->scope;
}

/* The code of a refusal in each front, or its end. */
static const char *
refusal_of(
    const struct visit *visit, const struct fcgi_front *front, const struct fcgi_route *route)
{
	if (route->right == RIGHT_SESSION && visit->scope != ROUTE_PUBLIC)
		return "session_required";
	if (visit->scope == ROUTE_PUBLIC)
		return *front->prefix ? "missing_api_key" : "api_key_missing";
	return *front->prefix ? "_api_key" : "api_key_forbidden";
}

static void
guards_ask(struct visit *visit, const struct fcgi_front *front, const struct fcgi_route *route)
{
	g_autofree char *path = guards_path_of(front, route);
	const char *method = fcgi_request_method_name(route->method);
	bool has_body = route->method != METHOD_GET && route->method != METHOD_DELETE;
	const struct exchange exchange = {
	    path, method, path, has_body ? "{}" : NULL, .headers = {visit->header}};
	AUTO(answer) answer = exchange_ask(fixture, &exchange);
	bool is_refused = (answer->status == 401 || answer->status == 403) &&
			  strstr(answer->body, refusal_of(visit, front, route));

	cr_expect_eq(is_refused, !may(visit, front, route), "%s %s %s: %u %s", visit->name, method,
	    path, answer->status, answer->body);
	visit->refused += is_refused;
	visit->allowed += !is_refused;
}

static void
guards_walk(struct visit *visit, const struct fcgi_front *front)
{
	const guint8 *row = (const guint8 *)front->routes;

	for (guint i = 0; i < front->count; i++, row += front->row_size)
		guards_ask(visit, front, (const struct fcgi_route *)row);
}

static void
walk_with(const char *name, const char *header, enum store_key_scope scope)
{
	struct visit visit = {name, header, scope};

	guards_walk(&visit, &fcgi_front_main);
	guards_walk(&visit, &fcgi_resend_front);
	cr_expect_eq(
	    visit.refused + visit.allowed, fcgi_front_main.count + fcgi_resend_front.count);
	cr_expect_gt(visit.refused, 0u, "%s", name);
	cr_expect_gt(visit.allowed, 0u, "%s", name);
}

Test(guards, ask_for_a_key_on_every_route)
{
	walk_with("no key", "Authorization:", ROUTE_PUBLIC);
}

Test(guards, hold_keys_to_their_scopes_on_every_route)
{
	static const struct {
		const char *name;
		enum store_key_scope scope;
	} keys[] = {
	    {"send", KEY_SEND}, {"read", KEY_READ}, {"metrics", KEY_METRICS}, {"full", KEY_FULL}};

	for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
		g_autofree char *key = fixture_new_key(fixture, keys[i].name, NULL);
		g_autofree char *header = g_strconcat("Authorization: Bearer ", key, NULL);

		walk_with(keys[i].name, header, keys[i].scope);
	}
}
