/* SPDX-License-Identifier: MIT */
/* Watches: the events of a person that an execution waits for by the value of a property, and those
   that are its goal or its exit. They are found by index, however many there are. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_WATCH_H
#define STORE_AUTOMATION_WATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

#define WATCH_HASH_SIZE 16

/* Stored as number. */
enum store_watch_kind {
	WATCH_WAIT = 1,
	WATCH_GOAL = 2,
	WATCH_EXIT = 3,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define WATCH_WAIT_SQL "1"
#define WATCH_GOAL_SQL "2"
#define WATCH_EXIT_SQL "3"

/* The event name of watches that concern every event. */
#define WATCH_EVERY ""

struct store_watch {
	const struct base_id *workspace, *contact, *execution;
	enum store_watch_kind kind;
	const char *event_name;
	const char *property;	      /* of the event; NULL: events of any values, */
	guint8 hash[WATCH_HASH_SIZE]; /* and that of its value (rule/operator.h) */
	gint64 until;		      /* epoch ms; 0: as long as the execution runs */
};

/* Inside a transaction: stores watches; one that is stored already stays. Deferred (db_defer). */
bool store_watch_insert(
    struct db *db, const struct store_watch *watches, guint count, GError **error);

/* Inside a transaction: removes the watches of an execution of a kind; of an execution that has
   ended, but for goals that still count; of a person. Deferred (db_defer). */
bool store_watch_remove(
    struct db *db, const struct base_id *execution, enum store_watch_kind kind, GError **error);
bool store_watch_end(
    struct db *db, const struct base_id *const *executions, guint count, GError **error);
bool store_watch_forget(struct db *db, const struct base_id *contact, GError **error);

#endif
