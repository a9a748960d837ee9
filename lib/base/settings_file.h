/* SPDX-License-Identifier: MIT */
/* The settings file before its values are read, for base/settings.c. */
#ifndef BASE_SETTINGS_FILE_H
#define BASE_SETTINGS_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "base/settings_pace.h"
#include "base/settings_relay.h"
#include "base/settings_table.h"

/* Kinds of sections of which there may be several, each with a name of its own. */
enum base_settings_kind { SECTION_RELAY, SECTION_PACE, SECTION_KINDS };

/* The place of a setting in the file. */
struct base_settings_place {
	const struct base_setting_row *row;
	const char *section;
	guint line;	 /* of the setting, from 1; 0: it is not in the file */
	guint file_line; /* of KEY_file, likewise */
};

/* The places of a section [relay NAME] or [pace DOMAIN]. */
struct base_settings_section {
	enum base_settings_kind kind;
	char *section;
	const char *name; /* in it */
	guint line;
	struct base_settings_place places[RELAY_KEY_COUNT];
};
G_STATIC_ASSERT((int)PACE_KEY_COUNT <= (int)RELAY_KEY_COUNT);

/* A settings file with known sections and keys. */
struct base_settings_file {
	char *path;
	GKeyFile *keys;
	struct base_settings_place places[SETTING_COUNT];
	GPtrArray *sections[SECTION_KINDS]; /* struct base_settings_section */
};

/* Reads a file of known sections and keys, each key once. Does not read the values. Errors as of
   base_settings_load. The caller frees it. */
struct base_settings_file *base_settings_file_read(const char *path, GError **error);
void base_settings_file_free(struct base_settings_file *file);
DEFINE_AUTO(base_settings_file, base_settings_file_free)

/* Sets INVALID with "FILE:LINE: sentence" and returns false. */
bool base_settings_file_fault(const struct base_settings_file *file, GError **error, guint line,
    const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Puts "FILE:LINE: [section] key " in front of an error about a setting, KEY_file for one that is
   given so; without LINE if the setting is not in the file. section_line: that of its section; 0:
   not known. */
void base_settings_file_prefix(const struct base_settings_file *file,
    const struct base_settings_place *place, guint section_line, GError **error);

/* The text of a setting: from the file or from KEY_file, else the default or "". NULL with INVALID,
   the end of a sentence that begins with the name of the setting. The caller owns it. */
char *base_settings_file_text(
    const struct base_settings_file *file, const struct base_settings_place *place, GError **error);

/* The text of a file of secrets, which other users must not be able to read. NULL with INVALID, as
   above. The caller owns it. */
char *base_settings_file_secret(const char *path, GError **error);

#endif
