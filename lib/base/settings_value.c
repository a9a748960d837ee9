/* SPDX-License-Identifier: MIT */
/* Turns the texts of settings into values, by their type. */
#include "base/settings_value.h"

#include <string.h>

#include "base/error.h"

static bool G_GNUC_PRINTF(2, 3) refuse(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return false;
}

static bool
read_number(const struct base_setting_row *row, struct base_setting_value *value, GError **error)
{
	return g_ascii_string_to_signed(
		   value->text, 10, row->min, row->max, &value->number, NULL) ||
	       refuse(error,
		   "is a number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", not '%s'",
		   row->min, row->max, value->text);
}

static bool
read_switch(const struct base_setting_row *row, struct base_setting_value *value, GError **error)
{
	static const char *const no[] = {"no", "false", "off", NULL};
	static const char *const yes[] = {"yes", "true", "on", NULL};

	value->number = g_strv_contains(yes, value->text);
	return value->number || g_strv_contains(no, value->text) ||
	       refuse(error, "is yes or no, not '%s'", value->text);
}

static bool
read_choice(const struct base_setting_row *row, struct base_setting_value *value, GError **error)
{
	g_autofree char *choices = g_strjoinv(", ", (char **)row->choices);

	for (int i = 0; row->choices[i]; i++) {
		value->number = i;
		if (!strcmp(row->choices[i], value->text))
			return true;
	}
	return refuse(error, "is one of %s, not '%s'", choices, value->text);
}

static bool
read_path(const struct base_setting_row *row, struct base_setting_value *value, GError **error)
{
	return g_path_is_absolute(value->text) ||
	       refuse(error, "is a path from the root (/...), not '%s'", value->text);
}

static bool
check_entry(const struct base_setting_row *row, char *entry, GError **error)
{
	g_autofree char *given = g_strdup(entry);

	return !row->check || row->check(entry) ||
	       refuse(error, "takes %s, not '%s'", row->form, given);
}

static bool
read_list(const struct base_setting_row *row, struct base_setting_value *value, GError **error)
{
	g_auto(GStrv) parts = g_strsplit_set(value->text, ", \t\r\n\f\v", -1);
	g_autoptr(GStrvBuilder) entries = g_strv_builder_new();

	for (guint i = 0; parts[i]; i++) {
		if (!*parts[i])
			continue;
		if (!check_entry(row, parts[i], error))
			return false;
		g_strv_builder_add(entries, parts[i]);
	}
	value->list = g_strv_builder_end(entries);
	return true;
}

bool
base_settings_value_read(
    const struct base_setting_row *row, struct base_setting_value *value, GError **error)
{
	if (row->type == SETTING_TYPE_LIST)
		return read_list(row, value, error);
	if (!*value->text)
		return true;
	switch (row->type) {
	case SETTING_TYPE_NUMBER:
		return read_number(row, value, error);
	case SETTING_TYPE_SWITCH:
		return read_switch(row, value, error);
	case SETTING_TYPE_CHOICE:
		return read_choice(row, value, error);
	case SETTING_TYPE_PATH:
		return read_path(row, value, error);
	default:
		return check_entry(row, value->text, error);
	}
}
