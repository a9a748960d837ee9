/* SPDX-License-Identifier: MIT */
/* A note about the database that the user of a connection takes, kept with the connection
   (connection.c). */
#ifndef DB_NOTE_H
#define DB_NOTE_H

#include <glib.h>

struct db;

/* All zero once the connection is opened, or opened again. */
struct db_note {
	gint64 number;
	gint64 time;
};

/* The note of the connection, which the caller may change. */
struct db_note *db_note(struct db *db);

#endif
