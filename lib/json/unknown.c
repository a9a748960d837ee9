/* SPDX-License-Identifier: MIT */
/* Finds unknown members of a document, and known names that they may be misspellings of. */
#include "json/unknown.h"

#include <glib.h>
#include <string.h>

#include "base/limits/request.h"
#include "json/place.h"

#define LEAST_LETTERS 4
#define OTHER_LETTER (char)0x80

static bool
is_mark(char c)
{
	return c == '_' || c == '-';
}

/* One byte for a character. Letters outside ASCII get a byte that no known name has. */
static char
unknown_fold(const char *character)
{
	if (!(*character & 0x80))
		return g_ascii_tolower(*character);
	return g_unichar_isalpha(g_utf8_get_char(character)) ? OTHER_LETTER : '?';
}

static bool
unknown_is_letter(char folded)
{
	return g_ascii_isalpha(folded) || folded == OTHER_LETTER;
}

void
json_alike_fold(const char *given, struct json_folded *folded_r)
{
	guint length = 0;

	for (; *given && length < ALIKE_SIZE - 1; given = g_utf8_next_char(given))
		if (!is_mark(*given))
			folded_r->text[length++] = unknown_fold(given);
	folded_r->text[length] = '\0';
}

/* Skips marks. */
static const char *
letter(const char *known)
{
	while (is_mark(*known))
		known++;
	return known;
}

static bool
unknown_is_same(const char *given, const char *known)
{
	for (known = letter(known); *given && *given == *known; known = letter(known + 1))
		given++;
	return *given == *known;
}

/* Whether the rests are equal after one letter is skipped in either or in both of them. */
static bool
is_one_off(const char *given, const char *known)
{
	if (*known && unknown_is_same(given, known + 1))
		return true;
	return unknown_is_letter(*given) && (unknown_is_same(given + 1, known) ||
						(*known && unknown_is_same(given + 1, known + 1)));
}

enum json_alike
json_alike(const struct json_folded *folded, const char *known)
{
	const char *given = folded->text, *rest = known;
	guint letters = 0;

	for (rest = letter(rest); *given && *given == *rest; rest = letter(rest + 1))
		given++;
	if (*given == *rest)
		return ALIKE_SAME;
	if (!is_one_off(given, rest))
		return ALIKE_NOT;
	for (known = letter(known); *known; known = letter(known + 1))
		letters++;
	return letters >= LEAST_LETTERS ? ALIKE_LETTER : ALIKE_NOT;
}

#define ELLIPSIS "..."

static void
unknown_append_encoded(GString *list, const char *path)
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

void
json_unknown_ignore(struct json_unknown *unknown, const struct json_place *place)
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
	unknown_append_encoded(unknown->list, path);
}

/* Keeps the most similar known name; of equally similar ones the first. */
static void
unknown_compare(
    const struct json_folded *given, const char *known, enum json_alike *best, const char **meant)
{
	enum json_alike likeness = json_alike(given, known);

	if (likeness <= *best)
		return;
	*best = likeness;
	*meant = known;
}

static bool
unknown_refuse(
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

/* Refuses or ignores an unknown name. meant: the known name that it resembles, or NULL. */
static bool
unknown_judge(
    const struct json_place *place, const char *meant, struct json_unknown *unknown, GError **error)
{
	if (meant || unknown->refuse)
		return unknown->list_only || unknown_refuse(place, meant, unknown, error);
	json_unknown_ignore(unknown, place);
	return true;
}

static const struct json_field *
unknown_find(const struct json_table *table, const char *name)
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
		unknown_compare(&given, table->fields[i].name, &best, &meant);
	return unknown_judge(place, meant, unknown, error);
}

static bool
check_array(const struct json *array, const struct json_table *table,
    const struct json_place *place, struct json_unknown *unknown, GError **error)
{
	struct json_place element = {place, NULL, 0};
	gsize length = json_array_length(array);

	for (; element.index < length; element.index++)
		if (!json_unknown_check(
			json_array_at(array, element.index), table, &element, unknown, error))
			return false;
	return true;
}

static void
list_documents(const struct json *array, const struct json_table *table,
    const struct json_place *place, struct json_unknown *unknown)
{
	bool before = unknown->list_only;

	unknown->list_only = true;
	check_array(array, table, place, unknown, NULL);
	unknown->list_only = before;
}

/* Checks the object, or each object of the array, in a field with a table of its own. */
static bool
check_below(const struct json *value, const struct json_field *field,
    const struct json_place *place, struct json_unknown *unknown, GError **error)
{
	const struct json_table table = {field->elements, field->element_count, 0, false};

	if (field->documents)
		list_documents(value, field->documents, place, unknown);
	return !field->elements || (check_array(value, &table, place, unknown, error) &&
				       json_unknown_check(value, &table, place, unknown, error));
}

bool
json_unknown_check(const struct json *object, const struct json_table *table,
    const struct json_place *place, struct json_unknown *unknown, GError **error)
{
	struct json_iterator members = json_members(object);
	struct json_place below = {place, NULL, 0};
	const struct json *value;

	while (json_iterator_next(&members, &below.name, &value)) {
		const struct json_field *field = unknown_find(table, below.name);

		if (!field) {
			if (!check_member(&below, table, unknown, error))
				return false;
		} else if (!check_below(value, field, &below, unknown, error)) {
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
		unknown_compare(&given, *known, &best, &meant);
	}
	return unknown_judge(&place, meant, unknown, error);
}
