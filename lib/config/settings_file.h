/* SPDX-License-Identifier: MIT */
/* The settings file before its values are read, for config/settings.c. */
#ifndef CONFIG_SETTINGS_FILE_H
#define CONFIG_SETTINGS_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "config/settings_pace.h"
#include "config/settings_relay.h"
#include "config/settings_source.h"
#include "config/settings_table.h"

/* Kinds of sections of which there may be several, each with a name of its own. */
enum config_settings_kind { SECTION_RELAY, SECTION_SOURCE, SECTION_PACE, SECTION_KINDS };

/* The place of a setting in the file. */
struct config_settings_place {
	const struct config_setting_row *row;
	const char *section;
	guint line;	 /* of the setting, from 1; 0: it is not in the file */
	guint file_line; /* of KEY_file, likewise */
};

/* The places of a section [relay NAME], [source ADDRESS] or [pace DOMAIN]. */
struct config_settings_section {
	enum config_settings_kind kind;
	char *section;
	const char *name; /* in it */
	guint line;
	struct config_settings_place places[RELAY_KEY_COUNT];
};
G_STATIC_ASSERT((int)PACE_KEY_COUNT <= (int)RELAY_KEY_COUNT);
G_STATIC_ASSERT((int)SOURCE_KEY_COUNT <= (int)RELAY_KEY_COUNT);

/* A settings file with known sections and keys. */
struct config_settings_file {
	char *path;
	GKeyFile *keys;
	struct config_settings_place places[SETTING_COUNT];
	GPtrArray *sections[SECTION_KINDS]; /* struct config_settings_section */
};

/* Reads a file of known sections and keys, each key once. Does not read the values. Errors as of
   config_settings_load. The caller frees it. */
struct config_settings_file *config_settings_file_read(const char *path, GError **error);
void config_settings_file_free(struct config_settings_file *file);
DEFINE_AUTO(config_settings_file, config_settings_file_free)

/* Sets INVALID with "FILE:LINE: sentence" and returns false. */
bool config_settings_file_fault(const struct config_settings_file *file, GError **error, guint line,
    const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Puts "FILE:LINE: [section] key " in front of an error about a setting, KEY_file for one that is
   given so; without LINE if the setting is not in the file. section_line: that of its section; 0:
   not known. */
void config_settings_file_prefix(const struct config_settings_file *file,
    const struct config_settings_place *place, guint section_line, GError **error);

/* The text of a setting: from the file or from KEY_file, else the default or "". NULL with INVALID,
   the end of a sentence that begins with the name of the setting. The caller owns it. */
char *config_settings_file_text(const struct config_settings_file *file,
    const struct config_settings_place *place, GError **error);

/* The text of a file of secrets, which other users must not be able to read. NULL with INVALID, as
   above. The caller owns it. */
char *config_settings_file_secret(const char *path, GError **error);

#endif
