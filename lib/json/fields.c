/* SPDX-License-Identifier: MIT */
/* Reads declared fields and checks their limits; an error names the path of the field. */
#include "json/fields.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/unit.h"
#include "json/place.h"
#include "json/value.h"

/* INVALID: "PATH must be a string, a number or an object", for the accepted kinds. Returns false.
 */
static bool
fail_kind(const struct json_place *place, unsigned kinds, GError **error)
{
	static const struct {
		unsigned kinds;
		const char *name;
	} names[] = {
	    {JSON_KIND(JSON_STRING), "a string"},
	    {JSON_KIND(JSON_NUMBER), "a number"},
	    {JSON_KIND(JSON_INTEGER), "an integer"},
	    {JSON_KIND(JSON_BOOLEAN), "a boolean"},
	    {JSON_KIND(JSON_ARRAY), "an array"},
	    {JSON_KIND(JSON_OBJECT), "an object"},
	};
	g_autoptr(GString) text = g_string_new(NULL);

	if (kinds & JSON_KIND(JSON_NUMBER))
		kinds &= ~JSON_KIND(JSON_INTEGER);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		if (!(kinds & names[i].kinds))
			continue;
		kinds &= ~names[i].kinds;
		if (text->len > 0)
			g_string_append(text, kinds ? ", " : " or ");
		g_string_append(text, names[i].name);
	}
	return json_place_fail(place, error, "must be %s", text->str);
}

static bool
fields_is_within(const struct json_field *field, gsize extent)
{
	return extent >= (gsize)field->min && (field->max == 0 || extent <= (gsize)field->max);
}

/* Names the limits; verb is "be" or "have". A minimum of 1 is not named if an empty value counts as
   missing. */
static bool
fields_fail(const struct json_field *field, const struct json_place *place, const char *verb,
    const char *unit, GError **error)
{
	if (field->max == 0)
		return json_place_fail(place, error, "must %s at least %" G_GINT64_FORMAT " %s",
		    verb, field->min, unit);
	if (field->min == 0 || (field->min == 1 && field->required))
		return json_place_fail(place, error, "must %s at most %" G_GINT64_FORMAT " %s",
		    verb, field->max, unit);
	return json_place_fail(place, error,
	    "must %s %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " %s", verb, field->min, field->max,
	    unit);
}

static bool
fields_is_missing(const struct json_field *field, gsize extent)
{
	return extent == 0 && field->required && field->min > 0;
}

static bool
check_bytes(
    const struct json_field *field, const struct json_place *place, gsize size, GError **error)
{
	if (fields_is_within(field, size))
		return true;
	if (size >= (gsize)field->min && field->max % LIMIT_MIB == 0)
		return json_place_fail(
		    place, error, "must be at most %" G_GINT64_FORMAT "MB", field->max / LIMIT_MIB);
	return fields_fail(field, place, "be", "bytes", error);
}

/* The length in code points. If the text is far too long, a lower bound is enough: a code point
   takes at most four bytes. */
static gsize
fields_length_of(const struct json_field *field, const char *text, gsize size)
{
	if (field->max > 0 && size / 4 > (gsize)field->max)
		return size / 4;
	return (gsize)g_utf8_strlen(text, (gssize)size);
}

/* Checks the length of a string, which is valid UTF-8, against min and max. */
static bool
check_string(const struct json_field *field, const struct json_place *place, const char *text,
    gsize size, GError **error)
{
	if (fields_is_missing(field, size))
		return json_place_fail(place, error, "is required");
	if (field->bytes)
		return check_bytes(field, place, size, error);
	if (field->min == 0 && field->max == 0)
		return true;
	return fields_is_within(field, fields_length_of(field, text, size)) ||
	       fields_fail(field, place, "be", "characters", error);
}

/* Checks a number of things, such as elements (unit), against min and max. */
static bool
fields_check_count(const struct json_field *field, const struct json_place *place, gsize count,
    const char *unit, GError **error)
{
	if (fields_is_missing(field, count))
		return json_place_fail(place, error, "is required");
	return fields_is_within(field, count) || fields_fail(field, place, "have", unit, error);
}

#define TIME_MIN (-62135596800000LL) /* 0001-01-01T00:00:00Z */

static bool fields_read_all(const struct json *object, const struct json_field *fields, gsize count,
    void *out, const struct json_place *parent, GError **error);

static void *
fields_member(void *out, gsize offset)
{
	return (char *)out + offset;
}

static bool
fields_read_text(const struct json *value, const struct json_place *place, const char **text_r,
    gsize *size_r, GError **error)
{
	*text_r = json_string(value, size_r);
	if (!*text_r)
		return fail_kind(place, JSON_KIND(JSON_STRING), error);
	if (memchr(*text_r, '\0', *size_r))
		return json_place_fail(place, error, "must not contain the character U+0000");
	return true;
}

static bool
fields_read_string(const struct json *value, const struct json_field *field,
    const struct json_place *place, void *slot, GError **error)
{
	const char *text;
	gsize size;

	if (!fields_read_text(value, place, &text, &size, error) ||
	    !check_string(field, place, text, size, error))
		return false;
	*(const char **)slot = text;
	return true;
}

/* A single string is read like an array with one string, except that "" counts as missing, like [].
 */
static bool
read_strings(const struct json *value, const struct json_field *field,
    const struct json_place *place, void *slot, GError **error)
{
	bool is_array = json_kind(value) == JSON_ARRAY;
	gsize count = is_array ? json_array_length(value) : 1, size;
	const char **texts;

	if (!is_array && json_kind(value) != JSON_STRING)
		return json_place_fail(place, error, "must be a string or an array of strings");
	if (!fields_check_count(field, place, count, "elements", error))
		return false;
	*(const char ***)slot = texts = g_new0(const char *, count + 1);
	if (!is_array) {
		if (!fields_read_text(value, place, &texts[0], &size, error))
			return false;
		return *texts[0] || fields_check_count(field, place, 0, "elements", error);
	}
	for (gsize i = 0; i < count; i++) {
		struct json_place element = {place, NULL, i};
		if (!fields_read_text(json_array_at(value, i), &element, &texts[i], &size, error))
			return false;
	}
	return true;
}

static bool
read_boolean(const struct json *value, const struct json_field *field,
    const struct json_place *place, void *slot, GError **error)
{
	if (json_kind(value) != JSON_BOOLEAN)
		return fail_kind(place, JSON_KIND(JSON_BOOLEAN), error);
	*(bool *)slot = json_boolean(value);
	return true;
}

/* Whether the value is an integer that does not fit gint64. */
static bool
is_longer(const struct json *value)
{
	const char *text = json_kind(value) == JSON_NUMBER ? json_number_text(value) : NULL;

	return text && !strpbrk(text, ".eE");
}

static bool
fields_read_integer(const struct json *value, const struct json_field *field,
    const struct json_place *place, void *slot, GError **error)
{
	gint64 number = json_integer(value);
	bool limited = field->min != 0 || field->max != 0;
	gint64 min = limited ? field->min : G_MININT64, max = limited ? field->max : G_MAXINT64;
	bool is_beyond = is_longer(value);

	if (json_kind(value) != JSON_INTEGER && !is_beyond)
		return fail_kind(place, JSON_KIND(JSON_INTEGER), error);
	if (limited && max == G_MAXINT64 && number < min && !is_beyond)
		return json_place_fail(place, error, "must be at least %" G_GINT64_FORMAT, min);
	if (is_beyond || number < min || number > max)
		return json_place_fail(place, error,
		    "must be between %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, min, max);
	*(gint64 *)slot = number;
	return true;
}

static bool
parse_time(const struct json *value, gint64 *time_r)
{
	const char *text = json_string(value, NULL);

	if (json_kind(value) == JSON_INTEGER)
		*time_r = json_integer(value);
	else if (!text || !base_clock_parse(text, time_r))
		return false;
	return *time_r >= TIME_MIN && *time_r <= CLOCK_LAST;
}

static bool
fields_read_time(const struct json *value, const struct json_field *field,
    const struct json_place *place, void *slot, GError **error)
{
	const char *text;
	gsize size;
	gint64 time;

	if (json_kind(value) == JSON_STRING && !fields_read_text(value, place, &text, &size, error))
		return false;
	if (!parse_time(value, &time))
		return json_place_fail(
		    place, error, "must be epoch milliseconds or an ISO 8601 time");
	*(gint64 *)slot = time;
	return true;
}

bool
json_fields_check_texts(const struct json *value, const struct json_place *place, GError **error)
{
	struct json_iterator members = json_members(value);
	struct json_place below = {place, NULL, 0};
	gsize size, length = json_array_length(value);
	const struct json *child;
	const char *text;

	if (json_kind(value) == JSON_STRING)
		return fields_read_text(value, place, &text, &size, error);
	for (; below.index < length; below.index++)
		if (!json_fields_check_texts(json_array_at(value, below.index), &below, error))
			return false;
	while (json_iterator_next(&members, &below.name, &child))
		if (!json_fields_check_texts(child, &below, error))
			return false;
	return true;
}

static bool
read_kinds(const struct json *value, const struct json_field *field, unsigned kinds,
    const struct json_place *place, void *slot, GError **error)
{
	if (!(kinds & JSON_KIND(json_kind(value))))
		return fail_kind(place, kinds, error);
	if (json_kind(value) == JSON_OBJECT &&
	    !fields_check_count(field, place, json_member_count(value), "properties", error))
		return false;
	if (!json_fields_check_texts(value, place, error))
		return false;
	*(const struct json **)slot = value;
	return true;
}

static bool
fields_read_object(const struct json *value, const struct json_field *field,
    const struct json_place *place, void *slot, GError **error)
{
	return read_kinds(value, field, JSON_KIND(JSON_OBJECT), place, slot, error);
}

static bool
fields_read_json(const struct json *value, const struct json_field *field,
    const struct json_place *place, void *slot, GError **error)
{
	unsigned kinds = field->kinds;

	if (kinds & JSON_KIND(JSON_NUMBER))
		kinds |= JSON_KIND(JSON_INTEGER);
	return read_kinds(value, field, kinds, place, slot, error);
}

static bool
check_list_length(
    const struct json_field *field, const struct json_place *place, gsize count, GError **error)
{
	if (!field->above || field->max == 0 || count <= (gsize)field->max)
		return fields_check_count(field, place, count, "elements", error);

	g_autoptr(GString) text = g_string_new(field->above);
	g_autofree char *max = g_strdup_printf("%" G_GINT64_FORMAT, field->max);
	g_autofree char *given = g_strdup_printf("%" G_GSIZE_FORMAT, count);
	g_string_replace(text, "{max}", max, 0);
	g_string_replace(text, "{count}", given, 0);
	return base_invalid(error, "%s", text->str);
}

static bool
fields_read_list(const struct json *value, const struct json_field *field,
    const struct json_place *place, void *slot, GError **error)
{
	gsize count = json_array_length(value);
	GArray *list;

	if (json_kind(value) != JSON_ARRAY)
		return fail_kind(place, JSON_KIND(JSON_ARRAY), error);
	if (!check_list_length(field, place, count, error))
		return false;
	*(GArray **)slot = list = g_array_new(false, true, (guint)field->element_size);
	g_array_set_size(list, (guint)count);
	for (gsize i = 0; i < count; i++) {
		struct json_place element = {place, NULL, i};
		const struct json *object = json_array_at(value, i);
		if (json_kind(object) != JSON_OBJECT)
			return fail_kind(&element, JSON_KIND(JSON_OBJECT), error);
		if (!fields_read_all(object, field->elements, field->element_count,
			fields_member(list->data, i * field->element_size), &element, error))
			return false;
	}
	return true;
}

/* Whether it is "", or, for a list of strings, an array of nothing but "", or, for a list of
   objects, an empty array. */
static bool
fields_is_blank(const struct json *value, enum json_field_type type)
{
	gsize count = json_array_length(value), size = 0;
	const char *text = json_string(value, &size);

	if (type == FIELD_LIST)
		return json_kind(value) == JSON_ARRAY && count == 0;
	if (text || type != FIELD_STRINGS)
		return text && size == 0;
	for (gsize i = 0; i < count; i++) {
		text = json_string(json_array_at(value, i), &size);
		if (!text || size > 0)
			return false;
	}
	return count > 0;
}

static bool
fields_read_field(const struct json *object, const struct json_field *field, void *out,
    const struct json_place *parent, GError **error)
{
	static bool (*const readers[])(const struct json *, const struct json_field *,
	    const struct json_place *, void *, GError **) = {
	    [FIELD_STRING] = fields_read_string,
	    [FIELD_STRINGS] = read_strings,
	    [FIELD_BOOLEAN] = read_boolean,
	    [FIELD_INTEGER] = fields_read_integer,
	    [FIELD_TIME] = fields_read_time,
	    [FIELD_OBJECT] = fields_read_object,
	    [FIELD_LIST] = fields_read_list,
	    [FIELD_JSON] = fields_read_json,
	};
	const struct json *value = json_member_get(object, field->name);
	struct json_place place = {parent, field->name, 0};

	if (field->type == FIELD_KNOWN)
		return true;
	if (field->given != 0)
		*(bool *)fields_member(out, field->given) = json_member_has(object, field->name);
	if (value && !(field->blank && fields_is_blank(value, field->type)))
		return readers[field->type](
		    value, field, &place, fields_member(out, field->offset), error);
	return !field->required || json_place_fail(&place, error, "is required");
}

static bool
fields_read_all(const struct json *object, const struct json_field *fields, gsize count, void *out,
    const struct json_place *parent, GError **error)
{
	for (gsize i = 0; i < count; i++)
		if (!fields_read_field(object, &fields[i], out, parent, error))
			return false;
	return true;
}

bool
json_fields_read(const struct json *object, const struct json_field *fields, gsize count, void *out,
    GError **error)
{
	if (fields_read_all(object, fields, count, out, NULL, error))
		return true;
	json_fields_free(fields, count, out);
	return false;
}

static void
free_list(const struct json_field *field, GArray *list)
{
	for (guint i = 0; i < list->len; i++)
		json_fields_free(field->elements, field->element_count,
		    fields_member(list->data, i * field->element_size));
	g_array_unref(list);
}

void
json_fields_free(const struct json_field *fields, gsize count, void *out)
{
	for (gsize i = 0; i < count; i++) {
		void **slot = fields_member(out, fields[i].offset);

		if (fields[i].type == FIELD_STRINGS)
			g_clear_pointer(slot, g_free);
		else if (fields[i].type == FIELD_LIST && *slot)
			free_list(&fields[i], g_steal_pointer(slot));
	}
}
