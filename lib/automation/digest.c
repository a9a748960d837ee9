/* SPDX-License-Identifier: MIT */
/* Writes the events of digests. */
#include "automation/digest.h"

#include <string.h>

#include "base/limits/workflow.h"
#include "json/value.h"
#include "json/writer.h"

char *
automation_digest_event(const struct json *properties, gint64 time)
{
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(properties);
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &name, &value))
		if (value || strcmp(name, "timestamp") != 0)
			json_writer_value(writer, name, value);
	if (!json_member_get(properties, "timestamp"))
		json_writer_integer(writer, "timestamp", time);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* The place of the first event that is given. */
static guint
digest_first(const GPtrArray *events)
{
	guint first = events->len;
	gsize size = 0;

	while (first > 0 && events->len - first < LIMIT_DIGEST_EVENTS) {
		size += strlen(events->pdata[first - 1]);
		if (size > LIMIT_DIGEST_BYTES)
			break;
		first--;
	}
	return first;
}

char *
automation_digest_result(const GPtrArray *events, guint count)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "events");
	for (guint i = digest_first(events); i < events->len; i++)
		json_writer_raw(writer, NULL, events->pdata[i], strlen(events->pdata[i]));
	json_writer_end_array(writer);
	json_writer_integer(writer, "count", count);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}
