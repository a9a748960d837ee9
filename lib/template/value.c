/* SPDX-License-Identifier: MIT */
/* Finds values by their paths. */
#include "template/value.h"

#include <string.h>

#include "base/limits/template.h"

#define THIS "this."

#define SHORT 64 /* bytes of a text that is read again for each use */

static const struct template_value none = {VALUE_NONE, NULL, NULL, 0};

/* The facts that are known about a text. */
struct measure {
	gsize length;
	double number;
	bool has_length, has_number;
	bool is_number; /* as a whole */
};

void
template_measures_clear(struct template_measures *measures)
{
	g_clear_pointer(&measures->found, g_hash_table_unref);
}

/* The facts about a long text, which lives as long as the rendering; NULL for a short one. */
static struct measure *
measure_of(struct template_measures *measures, const char *text)
{
	if (strnlen(text, SHORT) < SHORT)
		return NULL;
	if (!measures->found)
		measures->found = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	struct measure *measure = g_hash_table_lookup(measures->found, text);
	if (!measure) {
		measure = g_new0(struct measure, 1);
		g_hash_table_insert(measures->found, (void *)text, measure);
	}
	return measure;
}

/* The length of a text as JavaScript counts: in units of UTF-16. */
static gsize
count_units(const char *text, struct template_measures *measures)
{
	const guchar *p = (const guchar *)text;
	gsize length = 0;

	for (; *p; p++)
		length += ((*p & 0xc0) != 0x80) + (*p >= 0xf0);
	measures->steps += ((const char *)p - text) / SHORT;
	return length;
}

static gsize
value_length_of(const struct template_value *value, struct template_measures *measures)
{
	if (value->kind == VALUE_ARRAY)
		return value->count;
	struct measure *measure = measure_of(measures, value->text);
	if (!measure)
		return count_units(value->text, measures);
	if (!measure->has_length)
		measure->length = count_units(value->text, measures);
	measure->has_length = true;
	return measure->length;
}

static bool
template_value_read_number(const char *text, struct template_measures *measures, double *number_r)
{
	char *end;

	*number_r = g_ascii_strtod(text, &end);
	measures->steps += (end - text) / SHORT;
	return !*end;
}

bool
template_value_number(
    const struct template_value *value, struct template_measures *measures, double *number_r)
{
	struct measure *measure = measure_of(measures, value->text);

	if (!measure)
		return template_value_read_number(value->text, measures, number_r);
	if (!measure->has_number)
		measure->is_number =
		    template_value_read_number(value->text, measures, &measure->number);
	measure->has_number = true;
	*number_r = measure->number;
	return measure->is_number;
}

/* The element of an array that a name numbers. */
static struct template_value
element(const struct template_values *values, const struct template_value *array, const char *name)
{
	gsize length = strlen(name), index = 0;
	const char *key;

	if (length < 1 || length > 9 || strspn(name, "0123456789") < length ||
	    (name[0] == '0' && length > 1))
		return none;
	for (gsize i = 0; i < length; i++)
		index = index * 10 + (gsize)(name[i] - '0');
	return index < array->count ? values->at(array->node, index, &key) : none;
}

static struct template_value
value_member(const struct template_values *values, const struct template_value *value,
    const char *name, struct template_measures *measures)
{
	measures->steps++;
	if (value->kind == VALUE_OBJECT)
		return values->member(value->node, name);
	if ((value->kind == VALUE_ARRAY || value->kind == VALUE_TEXT) &&
	    strcmp(name, "length") == 0) {
		g_snprintf(measures->number, sizeof(measures->number), "%" G_GSIZE_FORMAT,
		    value_length_of(value, measures));
		return (struct template_value){VALUE_NUMBER, measures->number, NULL, 0};
	}
	return value->kind == VALUE_ARRAY ? element(values, value, name) : none;
}

struct template_value
template_value_below(const struct template_values *values, struct template_value value,
    const char *path, struct template_measures *measures)
{
	char part[LIMIT_VARIABLE_NAME_LENGTH + 1];
	const char *dot;

	for (; *path && value.kind != VALUE_NONE; path = dot + 1) {
		struct template_value found = value_member(values, &value, path, measures);
		if (found.kind != VALUE_NONE || !(dot = strchr(path, '.')))
			return found;
		memcpy(part, path, dot - path);
		part[dot - path] = '\0';
		value = value_member(values, &value, part, measures);
	}
	return value;
}

struct template_value
template_value_find(
    const struct template_values *values, const char *path, struct template_measures *measures)
{
	struct template_value value = values->variable(path, values->context);
	char part[LIMIT_VARIABLE_NAME_LENGTH + 1];

	measures->steps++;
	if (value.kind != VALUE_NONE)
		return value;
	for (const char *dot = strchr(path, '.'); dot && value.kind == VALUE_NONE;
	     dot = strchr(dot + 1, '.')) {
		memcpy(part, path, dot - path);
		part[dot - path] = '\0';
		value = values->variable(part, values->context);
		measures->steps++;
		if (value.kind != VALUE_NONE)
			value = template_value_below(values, value, dot + 1, measures);
	}
	if (value.kind == VALUE_NONE && *path == 't' && g_str_has_prefix(path, THIS))
		return template_value_find(values, path + strlen(THIS), measures);
	return value;
}

bool
template_value_holds(const struct template_value *value, struct template_measures *measures)
{
	double number;

	switch (value->kind) {
	case VALUE_NONE:
	case VALUE_FALSE:
		return false;
	case VALUE_NUMBER:
		template_value_number(value, measures, &number);
		return number != 0;
	case VALUE_TEXT:
		return *value->text;
	case VALUE_ARRAY:
		return value->count > 0;
	case VALUE_TRUE:
	case VALUE_OBJECT:
		break;
	}
	return true;
}

const char *
template_value_text(const struct template_value *value)
{
	if (value->text)
		return value->text;
	return value->kind == VALUE_NONE || (value->kind == VALUE_OBJECT && value->count == 0)
		   ? NULL
		   : "";
}
