/* SPDX-License-Identifier: MIT */
/* The files of a backup, for the commands that write and read it. */
#ifndef CLI_BACKUP_H
#define CLI_BACKUP_H

#include <glib.h>

#include "config/settings_file.h"

#define BACKUP_SETTINGS "settings"
#define BACKUP_JOURNALS "journals"
#define BACKUP_DATABASE "database.sql"
/* The table of the applied schema steps. It is restored last: until then every program takes the
   database for one that has to be migrated first. */
#define BACKUP_STEPS "steps.sql"
#define BACKUP_STEPS_TABLE "schema_version"

/* In the list: when the backup was begun and ended, epoch ms, and the version of the schema. */
#define BACKUP_BEGUN "begun"
#define BACKUP_ENDED "ended"
#define BACKUP_SCHEMA "schema"

/* Calls visit with each KEY_file of the settings: its name "SECTION.KEY_file", and the path that it
   gives. Stops when visit returns false with an error. */
bool cli_backup_files(const struct config_settings_file *settings,
    bool (*visit)(const char *name, const char *path, void *context, GError **error), void *context,
    GError **error);

#endif
