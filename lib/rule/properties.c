/* SPDX-License-Identifier: MIT */
/* Finds and merges properties. */
#include "rule/properties.h"

#include <string.h>

#include "base/limits/workflow.h"
#include "json/merge.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"

const struct json *
rule_properties_get(const struct json *properties, const char *path)
{
	return json_member_find(properties, path);
}

const char *
rule_properties_text(const struct json *value)
{
	switch (json_kind(value)) {
	case JSON_STRING:
		return json_string(value, NULL);
	case JSON_BOOLEAN:
		return json_boolean(value) ? "true" : "false";
	default:
		return json_number_text(value);
	}
}

char *
rule_properties_merge(const struct json *properties, const struct json *patch)
{
	return json_merge(properties, patch, false);
}

char *
rule_properties_overlay(const struct json *patch, const struct json *over)
{
	return json_merge(patch, over, true);
}

/* Returns {"a": {"b": value}} for the path a.b; NULL when the path is not valid. */
static char *
expand(const char *path, const struct json *value)
{
	g_auto(GStrv) parts = g_strsplit(path, ".", -1);
	guint count = g_strv_length(parts);
	AUTO(json_writer) writer = json_writer_new();

	if (count == 0 || count > LIMIT_PROPERTY_PARTS)
		return NULL;
	for (guint i = 0; i < count; i++) {
		if (!*parts[i])
			return NULL;
		json_writer_begin_object(writer, i ? parts[i - 1] : NULL);
	}
	json_writer_value(writer, parts[count - 1], value);
	for (guint i = 0; i < count; i++)
		json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

char *
rule_properties_patch(const struct json *set, const char **bad_r)
{
	g_autofree char *patch = g_strdup("{}");
	struct json_iterator members = json_members(set);
	const struct json *value;
	const char *path;

	while (json_iterator_next(&members, &path, &value)) {
		g_autofree char *single = expand(path, value);
		AUTO(json) base = json_parse(patch, strlen(patch), NULL);
		AUTO(json) added = single ? json_parse(single, strlen(single), NULL) : NULL;

		if (!added || !base) {
			*bad_r = path;
			return NULL;
		}
		g_free(patch);
		patch = json_merge(base, added, true);
	}
	return g_steal_pointer(&patch);
}
