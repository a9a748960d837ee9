/* SPDX-License-Identifier: MIT */
/* Gives contacts that were stored before people had a table their people. Errors that a function
   does not name are those of db/statement.h. */
#ifndef STORE_PERSON_JOIN_H
#define STORE_PERSON_JOIN_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* Joins all contacts of all workspaces, in short transactions; other processes may use and change
   contacts meanwhile. If names differ, the one of the contact that was updated last counts; a name
   that a person has already stays. May be interrupted, and called again. */
bool store_person_join(struct db *db, GError **error);

#endif
