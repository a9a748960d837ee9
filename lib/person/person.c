/* SPDX-License-Identifier: MIT */
/* Checks properties of people, and their definitions. */
#include "person/person.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "text/language.h"
#include "text/time_zone.h"

bool
person_check_key(const char *key, GError **error)
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
person_read_type(const char *word, enum store_property_type *type_r, GError **error)
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
person_is_date(const char *text)
{
	g_autofree char *begun = g_strconcat(text, "T00:00:00", NULL);
	gint64 time;

	return base_clock_parse(text, &time) ||
	       (strlen(text) == strlen("2026-01-31") && base_clock_parse(begun, &time));
}

static bool
person_is_of(enum store_property_type type, const struct json *value)
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
		return kind == JSON_STRING && person_is_date(json_string(value, &size));
	}
	return false;
}

bool
person_check_value(
    const char *what, enum store_property_type type, const struct json *value, GError **error)
{
	return json_kind(value) == JSON_NULL || person_is_of(type, value) ||
	       base_invalid(error, "%s must be a %s", what, store_property_types[type - 1]);
}

/* The JSON of a word for true or false; NULL for any other text. */
static const char *
truth_of(const char *text)
{
	static const char *const words[] = {"true", "false", "1", "0", "yes", "no", "y", "n"};

	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_ascii_strcasecmp(text, words[i]) == 0)
			return i % 2 == 0 ? "true" : "false";
	return NULL;
}

static char *
person_quote(const char *text)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_string(writer, NULL, text);
	return json_writer_take(writer, NULL);
}

char *
person_value(const char *what, enum store_property_type type, const char *text, GError **error)
{
	g_autofree char *written = type == PROPERTY_NUMBER    ? g_strdup(text)
				   : type == PROPERTY_BOOLEAN ? g_strdup(truth_of(text))
							      : person_quote(text);
	g_autofree char *object = g_strdup_printf("{\"v\":%s}", written ? written : "null");
	AUTO(json) parsed = json_parse(object, strlen(object), NULL);
	const struct json *value =
	    json_member_count(parsed) == 1 ? json_member_get(parsed, "v") : NULL;

	if (json_kind(value) != JSON_NULL)
		return person_check_value(what, type, value, error) ? g_steal_pointer(&written)
								    : NULL;
	base_invalid(error, "%s must be a %s", what, store_property_types[type - 1]);
	return NULL;
}

bool
person_check_default(const char *what, const char *value, GError **error)
{
	return !value || strlen(value) <= LIMIT_PROPERTY_DEFAULT_BYTES ||
	       base_invalid(
		   error, "%s must be at most %d bytes", what, LIMIT_PROPERTY_DEFAULT_BYTES);
}

bool
person_check_language(const char *language, GError **error)
{
	return !language ||
	       (strlen(language) <= LIMIT_LANGUAGE_LENGTH && text_language_is_tag(language)) ||
	       base_invalid(error, "language must be a BCP 47 language tag");
}

bool
person_check_time_zone(const char *time_zone, GError **error)
{
	return !time_zone ||
	       (strlen(time_zone) <= LIMIT_TIME_ZONE_LENGTH && text_time_zone_is_name(time_zone)) ||
	       base_invalid(error, "time_zone must be an IANA time zone");
}

bool
person_check_defined(const GPtrArray *definitions, const struct json *properties, GError **error)
{
	for (guint i = 0; i < definitions->len; i++) {
		const struct store_property *property = definitions->pdata[i];
		g_autofree char *what = g_strconcat("properties.", property->key, NULL);

		if (!person_check_value(
			what, property->type, json_member_get(properties, property->key), error))
			return false;
	}
	return true;
}

bool
person_check_properties(struct service *service, const struct base_id *workspace,
    const struct json *properties, GError **error)
{
	if (json_member_count(properties) == 0)
		return true;
	g_autoptr(GPtrArray) definitions = store_property_list(service->db, workspace, error);
	return definitions && person_check_defined(definitions, properties, error);
}

bool
person_check_size(const char *properties, GError **error)
{
	return strlen(properties) <= LIMIT_CONTACT_PROPERTIES_BYTES ||
	       base_invalid(
		   error, "properties must be at most %d bytes", LIMIT_CONTACT_PROPERTIES_BYTES);
}
