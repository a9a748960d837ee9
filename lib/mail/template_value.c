/* SPDX-License-Identifier: MIT */
/* Finds values by their paths. */
#include "mail/template_value.h"

#include <string.h>

#include "base/limits.h"

#define THIS "this."

static const struct mail_template_value none = {VALUE_NONE, NULL, NULL, 0};

/* The length of a text as JavaScript counts: in units of UTF-16. */
static gsize
length_of(const struct mail_template_value *value)
{
	gsize length = 0;

	if (value->kind == VALUE_ARRAY)
		return value->count;
	for (const guchar *p = (const guchar *)value->text; *p; p++)
		length += ((*p & 0xc0) != 0x80) + (*p >= 0xf0);
	return length;
}

/* The element of an array that a name numbers. */
static struct mail_template_value
element(const struct mail_template_values *values, const struct mail_template_value *array,
    const char *name)
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

static struct mail_template_value
member(const struct mail_template_values *values, const struct mail_template_value *value,
    const char *name, char number_r[MAIL_TEMPLATE_NUMBER_SIZE])
{
	if (value->kind == VALUE_OBJECT)
		return values->member(value->node, name);
	if ((value->kind == VALUE_ARRAY || value->kind == VALUE_TEXT) &&
	    strcmp(name, "length") == 0) {
		g_snprintf(
		    number_r, MAIL_TEMPLATE_NUMBER_SIZE, "%" G_GSIZE_FORMAT, length_of(value));
		return (struct mail_template_value){VALUE_NUMBER, number_r, NULL, 0};
	}
	return value->kind == VALUE_ARRAY ? element(values, value, name) : none;
}

struct mail_template_value
mail_template_value_below(const struct mail_template_values *values,
    struct mail_template_value value, const char *path, char number_r[MAIL_TEMPLATE_NUMBER_SIZE])
{
	char part[LIMIT_VARIABLE_NAME_LENGTH + 1];
	const char *dot;

	for (; *path && value.kind != VALUE_NONE; path = dot + 1) {
		struct mail_template_value found = member(values, &value, path, number_r);
		if (found.kind != VALUE_NONE || !(dot = strchr(path, '.')))
			return found;
		memcpy(part, path, dot - path);
		part[dot - path] = '\0';
		value = member(values, &value, part, number_r);
	}
	return value;
}

struct mail_template_value
mail_template_value_find(const struct mail_template_values *values, const char *path,
    char number_r[MAIL_TEMPLATE_NUMBER_SIZE])
{
	struct mail_template_value value = values->variable(path, values->context);
	char part[LIMIT_VARIABLE_NAME_LENGTH + 1];

	if (value.kind != VALUE_NONE)
		return value;
	for (const char *dot = strchr(path, '.'); dot && value.kind == VALUE_NONE;
	     dot = strchr(dot + 1, '.')) {
		memcpy(part, path, dot - path);
		part[dot - path] = '\0';
		value = values->variable(part, values->context);
		if (value.kind != VALUE_NONE)
			value = mail_template_value_below(values, value, dot + 1, number_r);
	}
	if (value.kind == VALUE_NONE && *path == 't' && g_str_has_prefix(path, THIS))
		return mail_template_value_find(values, path + strlen(THIS), number_r);
	return value;
}

bool
mail_template_value_holds(const struct mail_template_value *value)
{
	switch (value->kind) {
	case VALUE_NONE:
	case VALUE_FALSE:
		return false;
	case VALUE_NUMBER:
		return g_ascii_strtod(value->text, NULL) != 0;
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
mail_template_value_text(const struct mail_template_value *value)
{
	return value->text ? value->text : value->kind == VALUE_NONE ? NULL : "";
}
