/* SPDX-License-Identifier: MIT */
/* The question who may use an operation, and the search for the one that a path and a method mean.
 */
#include "fcgi/api/routes.h"

#include <string.h>

#include "base/array.h"

enum store_key_scope
fcgi_route_scope_of(enum store_role role)
{
	return role == ROLE_VIEWER ? KEY_READ : KEY_FULL;
}

static bool
has_scope(enum store_key_scope has, enum store_key_scope needed)
{
	return has == needed || (needed == ROUTE_ANY && has != KEY_METRICS) ||
	       (has == KEY_FULL && needed != KEY_METRICS);
}

bool
fcgi_route_allows(const struct fcgi_route *route, const struct store_key *key, enum store_role role,
    enum fcgi_denial *denial_r)
{
	static const enum fcgi_denial too_small[] = {
	    [KEY_FULL] = DENIAL_NOT_METRICS,
	    [KEY_SEND] = DENIAL_SEND_ONLY,
	    [KEY_READ] = DENIAL_READ_ONLY,
	    [KEY_METRICS] = DENIAL_METRICS_ONLY,
	};
	bool fits = has_scope(key->scope, route->scope);

	if (key->is_session) {
		*denial_r = DENIAL_ROLE;
		return route->right == RIGHT_SESSION ||
		       (fits && (route->right != RIGHT_OWNER || role == ROLE_OWNER));
	}
	*denial_r = route->right == RIGHT_SESSION ? DENIAL_NO_SESSION : too_small[key->scope];
	return route->right != RIGHT_SESSION && fits;
}

bool
fcgi_route_shows_secrets(const struct store_key *key)
{
	return key->scope == KEY_FULL;
}

/* The length of the text that {email} takes: all but the length of the rest of the pattern. A local
   part may contain slashes. */
static gsize
email_length(const char *rest, const char *path)
{
	gsize behind = strlen(rest), length = strlen(path);

	return length > behind ? length - behind : 0;
}

/* Whether they differ before the pattern's first argument: most routes do, in their first word. */
static bool
differ(const char *pattern, const char *path)
{
	while (*pattern && *pattern == *path && *pattern != '{') {
		pattern++;
		path++;
	}
	return *pattern != '{' && (*pattern || *path);
}

/* The place of an argument in the path. */
struct span {
	const char *text;
	gsize length;
};

/* Compares pattern and path segment by segment, and tells where the arguments are. */
static bool
fits(const char *pattern, const char *path, struct span spans_r[ROUTE_ARGUMENTS])
{
	guint arguments = 0;

	if (differ(pattern, path))
		return false;
	base_array_clear(spans_r, ROUTE_ARGUMENTS, sizeof(*spans_r));
	while (*pattern == '/' && *path == '/') {
		pattern++;
		path++;
		gsize pattern_length = (gsize)(strchrnul(pattern, '/') - pattern);
		gsize length = (gsize)(strchrnul(path, '/') - path);

		if (*pattern == '{') {
			if (strncmp(pattern, "{email}", pattern_length) == 0)
				length = email_length(pattern + pattern_length, path);
			if (length == 0)
				return false;
			g_assert(arguments < ROUTE_ARGUMENTS);
			spans_r[arguments++] = (struct span){path, length};
		} else if (pattern_length != length || memcmp(pattern, path, length) != 0) {
			return false;
		}
		pattern += pattern_length;
		path += length;
	}
	return *pattern == '\0' && *path == '\0';
}

static void
copy_arguments(struct fcgi_route_match *match, const struct span *spans)
{
	for (guint i = 0; i < ROUTE_ARGUMENTS && spans[i].text; i++)
		match->arguments[i] = g_strndup(spans[i].text, spans[i].length);
}

static void
routes_allow(struct fcgi_route_match *match, enum fcgi_method method)
{
	if (match->allowed->len > 0)
		g_string_append(match->allowed, ", ");
	g_string_append(match->allowed, fcgi_request_method_name(method));
	if (method == METHOD_GET)
		g_string_append(match->allowed, ", HEAD");
}

/* The path behind the front's prefix, with its first word as the patterns have it. renamed_r: what
   the caller frees. */
static const char *
inside(const struct fcgi_front *front, const char *path, char **renamed_r)
{
	const char *text =
	    path && g_str_has_prefix(path, front->prefix) ? path + strlen(front->prefix) : "";
	const char *rest = NULL;

	*renamed_r = NULL;
	if (front->old_word && g_str_has_prefix(text, front->old_word))
		rest = text + strlen(front->old_word);
	if (!rest || (*rest && *rest != '/'))
		return text;
	return *renamed_r = g_strconcat(front->word, rest, NULL);
}

struct fcgi_route_match
fcgi_route_find(const struct fcgi_front *front, const char *path, enum fcgi_method method)
{
	struct fcgi_route_match match = {.allowed = g_string_new(NULL)};
	const guint8 *row = (const guint8 *)front->routes;
	g_autofree char *renamed = NULL;
	const char *text = inside(front, path, &renamed);
	const char *pattern = NULL; /* the first that fits; later ones are ignored */
	struct span spans[ROUTE_ARGUMENTS];

	for (guint i = 0; i < front->count; i++, row += front->row_size) {
		const struct fcgi_route *route = (const struct fcgi_route *)row;

		if ((pattern && strcmp(route->pattern, pattern) != 0) ||
		    !fits(route->pattern, text, spans))
			continue;
		if (!route->yields)
			pattern = route->pattern;
		if (route->method == method) {
			match.route = route;
			copy_arguments(&match, spans);
			return match;
		}
		routes_allow(&match, route->method);
	}
	return match;
}

void
fcgi_route_match_clear(struct fcgi_route_match *match)
{
	for (guint i = 0; i < ROUTE_ARGUMENTS; i++)
		g_free(match->arguments[i]);
	g_string_free(match->allowed, TRUE);
}
