/* SPDX-License-Identifier: MIT */
/* The schema version of a database, and the migration that brings it up to date. */
#ifndef STORE_COMMON_SCHEMA_H
#define STORE_COMMON_SCHEMA_H

#include <glib.h>
#include <stdbool.h>

#include "store/common/schema_change.h"

struct db;

/* The version that this program was built for: the number of the last file in schema/,
   or of the last step that changes rows in batches. */
int store_schema_latest(void);

/* The version of the database: the greatest number of the files applied to it; 0 when it is
   empty. Errors as in db/statement.h. */
bool store_schema_version(struct db *db, int *version_r, GError **error);

/* Whether the database has no tables at all. Errors likewise. */
bool store_schema_is_empty(struct db *db, bool *empty_r, GError **error);

/* Whether the next migration makes a new installation: the database has no tables, or those of such
   a migration that was stopped. Errors likewise. */
bool store_schema_is_new(struct db *db, bool *new_r, GError **error);

/* Gives a new installation the tables of schema/now, and records every file as applied. Else it
   applies every file that has not been applied, in order, and then the steps that change rows in
   batches; calls done (may be NULL) after each; the name
   of a step in batches may have behind it what the step has changed. All of it can be run again,
   so a crash, or two calls at once, do no harm. FAILED when the database is newer than this
   program, and no program that works together with this one has made it so: one of the same minor
   version, from the last step on that older programs cannot work with (LINE_BEGIN in schema.c). */
bool store_schema_migrate(struct db *db, void (*done)(int version, const char *name, void *context),
    void *context, GError **error);

/* Does as much of it as older programs of the same minor version work with: keys by which they
   search stay. This program works with the result, and with that of store_schema_migrate, which
   does the rest once no older program runs. Errors likewise. */
bool store_schema_prepare(struct db *db, void (*done)(int version, const char *name, void *context),
    void *context, GError **error);

/* A statement of a migration that is still to come. */
struct store_schema_change {
	int version;
	const char *name; /* of the step, which may have several */
	const char *table;
	enum store_schema_work work;
	gint64 rows;	/* about so many does the table have now */
	gint64 seconds; /* about so long it takes */
	bool is_late;	/* store_schema_prepare leaves it out */
};

/* Calls visit with all that store_schema_migrate would do, in its order, and changes nothing.
   Errors likewise. */
bool store_schema_plan(struct db *db,
    void (*visit)(const struct store_schema_change *change, void *context), void *context,
    GError **error);

/* Checks that our files have been applied, and no others but those of later programs that work
   together with this one; the steps in batches may still run, and those that
   store_schema_prepare leaves out may be missing. TEMPORARY otherwise, with a sentence
   that says what to do: during an upgrade this lasts minutes. */
bool store_schema_check(struct db *db, GError **error);

#endif
