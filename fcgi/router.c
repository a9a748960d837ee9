/* From path and method to a row of the route table. */
#include "fcgi/router.h"

#include <string.h>

static void
clear_arguments(struct match *match)
{
	for (guint i = 0; i < ROUTE_ARGUMENTS; i++)
		g_clear_pointer(&match->arguments[i], g_free);
}

/* Walks pattern and path side by side, a segment at a time. */
static bool
fits(const char *pattern, const char *path, struct match *match)
{
	guint arguments = 0;

	clear_arguments(match);
	while (*pattern == '/' && *path == '/') {
		gsize pattern_length = strcspn(++pattern, "/");
		gsize length = strcspn(++path, "/");

		if (*pattern == '{') {
			if (pattern[pattern_length] == '\0' &&
			    strncmp(pattern, "{email}", pattern_length) == 0)
				length = strlen(path);
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
allow(struct match *match, enum method method)
{
	if (match->allowed->len > 0)
		g_string_append(match->allowed, ", ");
	g_string_append(match->allowed, request_method_name(method));
	if (method == METHOD_GET)
		g_string_append(match->allowed, ", HEAD");
}

struct match
router_find(const struct route *table, guint count, const char *path, enum method method)
{
	struct match match = {.allowed = g_string_new(NULL)};

	for (guint i = 0; i < count; i++) {
		if (!fits(table[i].pattern, path, &match))
			continue;
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
router_match_clear(struct match *match)
{
	clear_arguments(match);
	g_string_free(match->allowed, TRUE);
}
