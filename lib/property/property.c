/* SPDX-License-Identifier: MIT */
/* Checks definitions of properties and their values, and stores definitions. */
#include "property/property.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("key", VIEW_TEXT, struct store_property, key),
    JSON_VIEW_MEMBER("type", VIEW_WORD, struct store_property, type, store_property_types),
    JSON_VIEW_MEMBER("default", VIEW_JSON, struct store_property, value),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_property, created),
    JSON_VIEW_MEMBER("updated", VIEW_TIME, struct store_property, updated),
};
const struct json_view property_view = JSON_VIEW(members);

bool
property_check_key(const char *key, GError **error)
{
	gsize length = strlen(key);

	if (length > 0 && length <= LIMIT_PROPERTY_KEY_LENGTH && !g_ascii_isdigit(*key) &&
	    strspn(key, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") == length)
		return true;
	return base_invalid(error,
	    "key must be 1 to %d letters, digits or _, and not begin with a digit",
	    LIMIT_PROPERTY_KEY_LENGTH);
}

bool
property_read_type(const char *word, enum store_property_type *type_r, GError **error)
{
	for (guint i = 0; store_property_types[i]; i++)
		if (strcmp(word, store_property_types[i]) == 0) {
			*type_r = (enum store_property_type)(i + 1);
			return true;
		}
	g_autofree char *all = g_strjoinv(", ", (char **)store_property_types);
	return base_invalid(error, "type must be one of %s", all);
}

/* Whether a text is an ISO 8601 date, or date and time. */
static bool
property_is_date(const char *text)
{
	g_autofree char *begun = g_strconcat(text, "T00:00:00", NULL);
	gint64 time;

	return base_clock_parse(text, &time) ||
	       (strlen(text) == strlen("2026-01-31") && base_clock_parse(begun, &time));
}

static bool
property_is_of(enum store_property_type type, const struct json *value)
{
	enum json_kind kind = json_kind(value);
	gsize size;

	switch (type) {
	case PROPERTY_STRING:
		return kind == JSON_STRING;
	case PROPERTY_NUMBER:
		return kind == JSON_INTEGER || kind == JSON_NUMBER;
	case PROPERTY_BOOLEAN:
		return kind == JSON_BOOLEAN;
	case PROPERTY_DATE:
		return kind == JSON_STRING && property_is_date(json_string(value, &size));
	}
	return false;
}

bool
property_check_value(
    const char *what, enum store_property_type type, const struct json *value, GError **error)
{
	return json_kind(value) == JSON_NULL || property_is_of(type, value) ||
	       base_invalid(error, "%s must be a %s", what, store_property_types[type - 1]);
}

/* The JSON of a word for true or false; NULL for any other text. */
static const char *
property_truth_of(const char *text)
{
	static const char *const words[] = {"true", "false", "1", "0", "yes", "no", "y", "n"};

	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_ascii_strcasecmp(text, words[i]) == 0)
			return i % 2 == 0 ? "true" : "false";
	return NULL;
}

static char *
property_quote(const char *text)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_string(writer, NULL, text);
	return json_writer_take(writer, NULL);
}

char *
property_value(const char *what, enum store_property_type type, const char *text, GError **error)
{
	g_autofree char *written = type == PROPERTY_NUMBER    ? g_strdup(text)
				   : type == PROPERTY_BOOLEAN ? g_strdup(property_truth_of(text))
							      : property_quote(text);
	g_autofree char *object = g_strdup_printf("{\"v\":%s}", written ? written : "null");
	AUTO(json) parsed = json_parse(object, strlen(object), NULL);
	const struct json *value =
	    json_member_count(parsed) == 1 ? json_member_get(parsed, "v") : NULL;

	if (json_kind(value) != JSON_NULL)
		return property_check_value(what, type, value, error) ? g_steal_pointer(&written)
								      : NULL;
	base_invalid(error, "%s must be a %s", what, store_property_types[type - 1]);
	return NULL;
}

static bool
property_check_size(const char *what, const char *value, GError **error)
{
	return !value || strlen(value) <= LIMIT_PROPERTY_DEFAULT_BYTES ||
	       base_invalid(
		   error, "%s must be at most %d bytes", what, LIMIT_PROPERTY_DEFAULT_BYTES);
}

bool
property_check_default(const struct property_default *given, GError **error)
{
	g_autofree char *printed = given->value ? json_print(given->value) : NULL;

	return property_check_size(given->what, printed, error);
}

/* Makes the default of a definition, of JSON or of a text. */
static bool
property_take_default(
    struct store_property *property, const struct property_default *given, GError **error)
{
	g_autofree char *made = NULL;

	if (given->text)
		made = property_value(given->what, property->type, given->text, error);
	else if (!property_check_value(given->what, property->type, given->value, error))
		return false;
	else if (given->value)
		made = json_print(given->value);
	if ((given->text && !made) || !property_check_size(given->what, made, error))
		return false;
	g_free(property->value);
	property->value = g_steal_pointer(&made);
	return true;
}

struct store_property *
property_create(struct db *db, const struct base_id *workspace, const char *key, const char *type,
    const struct property_default *given, GError **error)
{
	AUTO(store_property) property = g_new0(struct store_property, 1);

	property->workspace_id = *workspace;
	property->key = g_strdup(key);
	if (!property_check_key(key, error) || !property_read_type(type, &property->type, error) ||
	    !property_take_default(property, given, error) ||
	    !store_property_create(db, property, error))
		return NULL;
	return g_steal_pointer(&property);
}

bool
property_change(struct db *db, struct store_property *property,
    const struct property_default *given, GError **error)
{
	return property_take_default(property, given, error) &&
	       store_property_change(db, property, error);
}
