/* SPDX-License-Identifier: MIT */
/* The value of one setting. For settings.c. */
#ifndef BASE_SETTINGS_VALUE_H
#define BASE_SETTINGS_VALUE_H

#include "base/settings_table.h"

struct base_setting_value {
	char *text;
	gint64 number; /* also of switches and choices */
	char **list;
};

/* Makes of value->text what the row's type serves. INVALID with the end of a sentence that begins
   with the setting's name ("is yes or no, not 'x'"). */
bool base_settings_value_read(
    const struct base_setting_row *row, struct base_setting_value *value, GError **error);

#endif
