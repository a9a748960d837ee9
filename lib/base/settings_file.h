/* SPDX-License-Identifier: MIT */
/* A settings file while it is read. For settings.c. */
#ifndef BASE_SETTINGS_FILE_H
#define BASE_SETTINGS_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "base/settings_table.h"

struct base_settings_file {
	char *path;
	GKeyFile *keys;
	guint line[SETTING_COUNT];	/* where the setting stands, from 1; 0: it does not */
	guint file_line[SETTING_COUNT]; /* the same of KEY_file */
};

/* A file of known sections and keys, each key once; the values are not looked at. The errors are
   those of base_settings_load. The caller frees the result. */
struct base_settings_file *base_settings_file_read(const char *path, GError **error);
void base_settings_file_free(struct base_settings_file *file);
DEFINE_AUTO(base_settings_file, base_settings_file_free)

/* Puts "FILE:LINE: section.key " in front of an error about a setting; no line where it has none.
 */
void base_settings_file_blame(
    const struct base_settings_file *file, enum base_setting setting, GError **error);

/* Whether people who are neither its owner nor of its group have any right to the file. */
bool base_settings_file_is_exposed(const char *path);

#endif
