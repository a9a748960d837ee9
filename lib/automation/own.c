/* SPDX-License-Identifier: MIT */
/* Finds what has changed about a person. */
#include "automation/own.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "base/limits/workflow.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/contact_field.h"

/* The differences that are found. */
struct own_difference {
	struct json_writer *changed, *from, *to; /* of an array and two objects */
	guint count;
};

static bool
own_is_same(const struct json *before, const struct json *after)
{
	if (!before || !after)
		return before == after;
	g_autofree char *left = json_print(before), *right = json_print(after);

	return strcmp(left, right) == 0;
}

/* Whether a value is missing, or an object with members. */
static bool
own_is_entered(const struct json *value)
{
	struct json_iterator members = json_members(value);
	const struct json *first;
	const char *key;

	return !value ||
	       (json_kind(value) == JSON_OBJECT && json_iterator_next(&members, &key, &first));
}

static void
own_note(struct own_difference *difference, const char *key, const char *path,
    const struct json *before, const struct json *after)
{
	difference->count++;
	json_writer_string(difference->changed, NULL, path);
	json_writer_value(difference->from, key, before);
	json_writer_value(difference->to, key, after);
}

static void own_compare(struct own_difference *difference, const char *prefix,
    const struct json *before, const struct json *after);

/* Compares the values of a member, which one of the two may not have. */
static void
own_compare_member(struct own_difference *difference, const char *prefix, const char *key,
    const struct json *before, const struct json *after)
{
	g_autofree char *path = g_strconcat(prefix, key, NULL);
	g_autofree char *inner = g_strconcat(path, ".", NULL);

	if (own_is_same(before, after))
		return;
	/* The members of an object that comes or goes are told: rules name their paths. */
	bool is_entered = own_is_entered(before) && own_is_entered(after);
	if (!is_entered && (!before || !after || json_kind(before) != JSON_OBJECT ||
			       json_kind(after) != JSON_OBJECT)) {
		own_note(difference, key, path, before, after);
		return;
	}
	json_writer_begin_object(difference->from, key);
	json_writer_begin_object(difference->to, key);
	own_compare(difference, inner, before, after);
	json_writer_end_object(difference->from);
	json_writer_end_object(difference->to);
}

/* Compares the members of two objects; prefix is their path with a dot behind it. */
static void
own_compare(struct own_difference *difference, const char *prefix, const struct json *before,
    const struct json *after)
{
	struct json_iterator members = json_members(before);
	const struct json *value;
	const char *key;

	while (json_iterator_next(&members, &key, &value))
		own_compare_member(difference, prefix, key, value, json_member_get(after, key));
	members = json_members(after);
	while (json_iterator_next(&members, &key, &value))
		if (!json_member_has(before, key))
			own_compare_member(difference, prefix, key, NULL, value);
}

/* Compares the fields that are no properties. */
static void
own_compare_fields(
    struct own_difference *difference, const struct json *before, const struct json *after)
{
	static const char *const fields[] = {
	    "first_name", "last_name", "language", "time_zone", "subscribed"};
	bool is_any = false;

	for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
		is_any |= !own_is_same(
		    json_member_get(before, fields[i]), json_member_get(after, fields[i]));
	if (!is_any)
		return;
	json_writer_begin_object(difference->from, "contact");
	json_writer_begin_object(difference->to, "contact");
	for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
		own_compare_member(difference, PERSON_CONTACT_PREFIX, fields[i],
		    json_member_get(before, fields[i]), json_member_get(after, fields[i]));
	json_writer_end_object(difference->from);
	json_writer_end_object(difference->to);
}

/* Puts the three together; without from and to where they are too large. */
static char *
own_print(const char *changed, const char *from, const char *to)
{
	AUTO(json_writer) writer = json_writer_new();
	gsize size = strlen(changed) + strlen(from) + strlen(to) + 64;

	json_writer_begin_object(writer, NULL);
	json_writer_raw(writer, "changed", changed, strlen(changed));
	if (size > LIMIT_EVENT_PROPERTIES_BYTES) {
		json_writer_boolean(writer, "truncated", true);
	} else {
		json_writer_raw(writer, "from", from, strlen(from));
		json_writer_raw(writer, "to", to, strlen(to));
	}
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

char *
automation_own_changed(const char *before, const char *after)
{
	AUTO(json) was = json_parse(before, strlen(before), NULL);
	AUTO(json) is = json_parse(after, strlen(after), NULL);
	AUTO(json_writer) changed = json_writer_new();
	AUTO(json_writer) from = json_writer_new();
	AUTO(json_writer) to = json_writer_new();
	struct own_difference difference = {changed, from, to, 0};

	json_writer_begin_array(changed, NULL);
	json_writer_begin_object(from, NULL);
	json_writer_begin_object(to, NULL);
	own_compare_fields(&difference, was, is);
	own_compare(
	    &difference, "", json_member_get(was, "properties"), json_member_get(is, "properties"));
	json_writer_end_array(changed);
	json_writer_end_object(from);
	json_writer_end_object(to);
	if (difference.count == 0)
		return NULL;
	g_autofree char *paths = json_writer_take(changed, NULL);
	g_autofree char *old = json_writer_take(from, NULL), *new = json_writer_take(to, NULL);
	return own_print(paths, old, new);
}
