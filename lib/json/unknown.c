/* SPDX-License-Identifier: MIT */
/* Finds the members of a document that no table knows. */
#include "json/unknown.h"

#include <string.h>

#include "base/limits.h"
#include "json/alike.h"
#include "json/place.h"

#define ELLIPSIS "..."

static void
append_encoded(GString *list, const char *path)
{
	gsize end = list->len + LIMIT_IGNORED_BYTES;

	for (; *path; path++) {
		bool plain = g_ascii_isalnum(*path) || strchr("_.-[]", *path);

		if (list->len + (plain ? 1 : 3) > end)
			return;
		if (plain)
			g_string_append_c(list, *path);
		else
			g_string_append_printf(list, "%%%02X", (guint8)*path);
	}
}

static void
ignore(struct json_unknown *unknown, const struct json_place *place)
{
	if (++unknown->ignored > LIMIT_IGNORED_MEMBERS + 1)
		return;
	if (!unknown->list)
		unknown->list = g_string_new(NULL);
	else
		g_string_append(unknown->list, ", ");
	if (unknown->ignored > LIMIT_IGNORED_MEMBERS) {
		g_string_append(unknown->list, ELLIPSIS);
		return;
	}
	g_autofree char *path = json_place_path(place);
	append_encoded(unknown->list, path);
}

/* Of several known names the nearest is meant, and of those the first. */
static void
compare(
    const struct json_folded *given, const char *known, enum json_alike *best, const char **meant)
{
	enum json_alike likeness = json_alike(given, known);

	if (likeness <= *best)
		return;
	*best = likeness;
	*meant = known;
}

static bool
refuse(
    const struct json_place *place, const char *meant, struct json_unknown *unknown, GError **error)
{
	g_autoptr(GError) fault = NULL;

	if (unknown->faults && unknown->faults->len >= LIMIT_IGNORED_MEMBERS)
		return true;
	if (meant)
		json_place_fail(place, &fault, "is not %s; did you mean %s?", unknown->noun, meant);
	else
		json_place_fail(place, &fault, "is not %s", unknown->noun);
	if (unknown->faults)
		g_ptr_array_add(unknown->faults, g_strdup(fault->message));
	else
		g_propagate_error(error, g_steal_pointer(&fault));
	return unknown->faults != NULL;
}

/* A name that nobody knows; meant: the known one that it is alike, or NULL. */
static bool
judge(
    const struct json_place *place, const char *meant, struct json_unknown *unknown, GError **error)
{
	if (meant || unknown->refuse)
		return refuse(place, meant, unknown, error);
	ignore(unknown, place);
	return true;
}

static const struct json_field *
find(const struct json_table *table, const char *name)
{
	for (gsize i = 0; i < table->count; i++)
		if (strcmp(table->fields[i].name, name) == 0)
			return &table->fields[i];
	return NULL;
}

static bool
check_member(const struct json_place *place, const struct json_table *table,
    struct json_unknown *unknown, GError **error)
{
	enum json_alike best = ALIKE_NOT;
	struct json_folded given;
	const char *meant = NULL;

	json_alike_fold(place->name, &given);
	for (gsize i = 0; i < table->count; i++)
		compare(&given, table->fields[i].name, &best, &meant);
	return judge(place, meant, unknown, error);
}

/* The object, or the objects in the array, that a field with a table of its own holds. */
static bool
check_below(const struct json *value, const struct json_field *field,
    const struct json_place *place, struct json_unknown *unknown, GError **error)
{
	const struct json_table table = {field->elements, field->element_count};
	struct json_place element = {place, NULL, 0};
	gsize length = json_array_length(value);

	for (; element.index < length; element.index++)
		if (!json_unknown_check(
			json_array_at(value, element.index), &table, &element, unknown, error))
			return false;
	return json_unknown_check(value, &table, place, unknown, error);
}

bool
json_unknown_check(const struct json *object, const struct json_table *table,
    const struct json_place *place, struct json_unknown *unknown, GError **error)
{
	struct json_iterator members = json_members(object);
	struct json_place below = {place, NULL, 0};
	const struct json *value;

	while (json_iterator_next(&members, &below.name, &value)) {
		const struct json_field *field = find(table, below.name);

		if (!field) {
			if (!check_member(&below, table, unknown, error))
				return false;
		} else if (field->elements && !check_below(value, field, &below, unknown, error)) {
			return false;
		}
	}
	return true;
}

bool
json_unknown_check_name(
    const char *name, const char *const *known, struct json_unknown *unknown, GError **error)
{
	const struct json_place place = {NULL, name, 0};
	enum json_alike best = ALIKE_NOT;
	struct json_folded given;
	const char *meant = NULL;

	json_alike_fold(name, &given);
	for (; known && *known; known++) {
		if (strcmp(*known, name) == 0)
			return true;
		compare(&given, *known, &best, &meant);
	}
	return judge(&place, meant, unknown, error);
}
