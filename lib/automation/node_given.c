/* SPDX-License-Identifier: MIT */
/* Holds the data of a node while it is read. */
#include "automation/node_given.h"

#include "base/error.h"
#include "base/limits/workflow.h"
#include "json/place.h"

const struct json_place automation_place_data = {NULL, "data", 0};

bool
automation_node_fail(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return false;
}

/* Editors save an empty string for a key that was left empty. */
bool
automation_node_read_key(const char *given, const char **key_r, GError **error)
{
	*key_r = given && *given ? given : NULL;
	return !*key_r || g_utf8_strlen(*key_r, -1) <= LIMIT_PROPERTY_LENGTH ||
	       automation_node_fail(
		   error, "data.key must be at most %d characters", LIMIT_PROPERTY_LENGTH);
}
