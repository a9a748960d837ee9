/* SPDX-License-Identifier: MIT */
/* Holds lengths and numbers of elements against a field's limits, and words what is wrong. */
#include "json/extent.h"

#include "base/limits.h"
#include "json/field.h"
#include "json/place.h"

static bool
is_within(const struct json_field *field, gsize extent)
{
	return extent >= (gsize)field->min && (field->max == 0 || extent <= (gsize)field->max);
}

/* verb is "be" or "have". Where empty is said to be missing, there is no use in naming 1. */
static bool
fail(const struct json_field *field, const struct json_place *place, const char *verb,
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
is_missing(const struct json_field *field, gsize extent)
{
	return extent == 0 && field->required && field->min > 0;
}

static bool
check_bytes(
    const struct json_field *field, const struct json_place *place, gsize size, GError **error)
{
	if (is_within(field, size))
		return true;
	if (size >= (gsize)field->min && field->max % LIMIT_MIB == 0)
		return json_place_fail(
		    place, error, "must be at most %" G_GINT64_FORMAT "MB", field->max / LIMIT_MIB);
	return fail(field, place, "be", "bytes", error);
}

/* No code point takes more than four bytes, so what is far too long need not be counted. */
static gsize
length_of(const struct json_field *field, const char *text, gsize size)
{
	if (field->max > 0 && size / 4 > (gsize)field->max)
		return size / 4;
	return (gsize)g_utf8_strlen(text, (gssize)size);
}

bool
json_extent_string(const struct json_field *field, const struct json_place *place, const char *text,
    gsize size, GError **error)
{
	if (is_missing(field, size))
		return json_place_fail(place, error, "is required");
	if (field->bytes)
		return check_bytes(field, place, size, error);
	if (field->min == 0 && field->max == 0)
		return true;
	return is_within(field, length_of(field, text, size)) ||
	       fail(field, place, "be", "characters", error);
}

bool
json_extent_count(const struct json_field *field, const struct json_place *place, gsize count,
    const char *unit, GError **error)
{
	if (is_missing(field, count))
		return json_place_fail(place, error, "is required");
	return is_within(field, count) || fail(field, place, "have", unit, error);
}
