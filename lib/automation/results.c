/* SPDX-License-Identifier: MIT */
/* Keeps the results of an execution's steps, and finds values in them by their paths. */
#include "automation/results.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/workflow.h"
#include "json/strict.h"
#include "json/writer.h"
#include "rule/properties.h"

struct automation_results {
	GHashTable *nodes;	   /* borrowed */
	GHashTable *given;	   /* id → struct result */
	gsize size;		   /* of all texts */
	const struct json *digest; /* of the last digest */
};

struct result {
	struct json *value;
	gsize size; /* of its text */
};

static void
results_free_result(void *data)
{
	struct result *result = data;

	json_free(result->value);
	g_free(result);
}

struct automation_results *
automation_results_new(GHashTable *nodes)
{
	struct automation_results *results = g_new0(struct automation_results, 1);

	results->nodes = nodes;
	results->given =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, results_free_result);
	return results;
}

void
automation_results_free(struct automation_results *results)
{
	g_hash_table_unref(results->given);
	g_free(results);
}

bool
automation_results_set(
    struct automation_results *results, const char *node, const char *text, GError **error)
{
	const struct result *before = g_hash_table_lookup(results->given, node);
	gsize others = results->size - (before ? before->size : 0), size = strlen(text);

	if (others + size > LIMIT_RESULTS_BYTES)
		return base_invalid(
		    error, "results of steps are larger than %d KiB", LIMIT_RESULTS_BYTES / 1024);
	struct json *value = json_parse_as("result", text, size, error);
	if (!value)
		return false;
	struct result *result = g_new(struct result, 1);
	*result = (struct result){value, size};
	g_hash_table_replace(results->given, g_strdup(node), result);
	results->size = others + size;
	/* No other node gives events. */
	if (json_member_get(value, "events"))
		results->digest = value;
	return true;
}

bool
automation_results_find(
    const struct automation_results *results, const char *path, const struct json **value_r)
{
	*value_r = NULL;
	if (!results || !g_str_has_prefix(path, AUTOMATION_RESULTS_PREFIX))
		return false;
	const char *rest = path + strlen(AUTOMATION_RESULTS_PREFIX);
	g_autofree char *id = g_strdup(rest);
	for (gsize length = strlen(id); length > 0; length--) {
		if (rest[length] && rest[length] != '.')
			continue;
		id[length] = '\0';
		if (!g_hash_table_contains(results->nodes, id))
			continue;
		const struct result *result = g_hash_table_lookup(results->given, id);
		if (result)
			*value_r = rest[length]
				       ? rule_properties_get(result->value, rest + length + 1)
				       : result->value;
		return true;
	}
	return false;
}

char *
automation_results_event(const struct json *properties, gint64 time)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	if (properties) {
		json_writer_value(writer, "event", properties);
	} else {
		json_writer_begin_object(writer, "event");
		json_writer_end_object(writer);
	}
	json_writer_integer(writer, "timestamp", time);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

const struct json *
automation_results_digest(const struct automation_results *results)
{
	return results->digest;
}
