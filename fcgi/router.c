/* SPDX-License-Identifier: MIT */
/* From path and method to a row of the route table. */
#include "fcgi/router.h"

#include <string.h>

static void
clear_arguments(struct fcgi_match *match)
{
	for (guint i = 0; i < ROUTE_ARGUMENTS; i++)
		g_clear_pointer(&match->arguments[i], g_free);
}

/* What an {email} takes: all but what the rest of the pattern takes, for a local part may hold
   slashes. */
static gsize
email_length(const char *rest, const char *path)
{
	gsize behind = strlen(rest), length = strlen(path);

	return length > behind ? length - behind : 0;
}

/* Walks pattern and path side by side, a segment at a time. */
static bool
fits(const char *pattern, const char *path, struct fcgi_match *match)
{
	guint arguments = 0;

	clear_arguments(match);
	while (*pattern == '/' && *path == '/') {
		gsize pattern_length = strcspn(++pattern, "/");
		gsize length = strcspn(++path, "/");

		if (*pattern == '{') {
			if (strncmp(pattern, "{email}", pattern_length) == 0)
				length = email_length(pattern + pattern_length, path);
			if (length == 0)
				return false;
			g_assert(arguments < ROUTE_ARGUMENTS);
			match->arguments[arguments++] = g_strndup(path, length);
		} else if (pattern_length != length || strncmp(pattern, path, length) != 0) {
			return false;
		}
		pattern += pattern_length;
		path += length;
	}
	return *pattern == '\0' && *path == '\0';
}

static void
allow(struct fcgi_match *match, enum fcgi_method method)
{
	if (match->allowed->len > 0)
		g_string_append(match->allowed, ", ");
	g_string_append(match->allowed, fcgi_request_method_name(method));
	if (method == METHOD_GET)
		g_string_append(match->allowed, ", HEAD");
}

struct fcgi_match
fcgi_router_find(
    const struct fcgi_route *table, guint count, const char *path, enum fcgi_method method)
{
	struct fcgi_match match = {.allowed = g_string_new(NULL)};
	const char *pattern = NULL; /* the first that fits: what else fits is not meant */

	for (guint i = 0; i < count; i++) {
		if ((pattern && strcmp(table[i].pattern, pattern) != 0) ||
		    !fits(table[i].pattern, path, &match))
			continue;
		pattern = table[i].pattern;
		if (table[i].method == method) {
			match.route = &table[i];
			return match;
		}
		allow(&match, table[i].method);
	}
	clear_arguments(&match);
	return match;
}

void
fcgi_router_match_clear(struct fcgi_match *match)
{
	clear_arguments(match);
	g_string_free(match->allowed, TRUE);
}
