/* SPDX-License-Identifier: MIT */
/* Merges objects. */
#include "json/merge.h"

#include "json/value.h"
#include "json/writer.h"

static bool
is_object(const struct json *value)
{
	return json_kind(value) == JSON_OBJECT;
}

/* nulls: keep a null of the patch instead of deleting the member. */
static void
write_merged(struct json_writer *writer, const char *key, const struct json *base,
    const struct json *patch, bool nulls)
{
	struct json_iterator members;
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, key);
	members = json_members(is_object(base) ? base : NULL);
	while (json_iterator_next(&members, &name, &value)) {
		const struct json *change = json_member_get(patch, name);

		if (!json_member_has(patch, name))
			json_writer_value(writer, name, value);
		else if (is_object(change))
			write_merged(writer, name, value, change, nulls);
		else if (change || nulls)
			json_writer_value(writer, name, change);
	}
	members = json_members(patch);
	while (json_iterator_next(&members, &name, &value)) {
		if (json_member_has(base, name))
			continue;
		if (is_object(value))
			write_merged(writer, name, NULL, value, nulls);
		else if (value || nulls)
			json_writer_value(writer, name, value);
	}
	json_writer_end_object(writer);
}

char *
json_merge(const struct json *base, const struct json *patch, bool nulls)
{
	AUTO(json_writer) writer = json_writer_new();

	write_merged(writer, NULL, base, patch, nulls);
	return json_writer_take(writer, NULL);
}
