/* SPDX-License-Identifier: MIT */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* The version that this program was built for: the number of the last file in schema/. */
int store_schema_latest(void);

/* The version that the database has, the greatest of the files that it has been through; 0 when it
   is empty. Errors as in db/statement.h. */
bool store_schema_version(struct db *db, int *version_r, GError **error);

/* Takes the database through every file that it has not been through, in order, whichever others it
   has; done is called after each (it may be NULL). Every step can be run again, so a crash in the
   middle, or two of them at once, does no harm. FAILED when the database is newer than we are. */
bool store_schema_migrate(struct db *db, void (*done)(int version, const char *name, void *context),
    void *context, GError **error);

/* TEMPORARY, with a sentence that says what to do, unless the database has been through exactly our
   files: in an upgrade that is a matter of minutes. */
bool store_schema_check(struct db *db, GError **error);

#endif
