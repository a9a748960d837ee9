/* SPDX-License-Identifier: MIT */
/* The entries of people into workflows whose trigger has a key: one for each value. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_KEYED_H
#define STORE_AUTOMATION_KEYED_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;
struct store_workflow_entry;

#define KEYED_HASH_SIZE 16

/* The last entry by a value. */
struct store_keyed_entry {
	char *event_name; /* NULL: there is none; the caller frees it */
	gint64 started;	  /* epoch ms */
	bool runs;	  /* its execution is not finished */
};

/* Inside a transaction that has locked the person: reads the last entry by the value of a hash
   (rule/operator.h). */
bool store_keyed_get(struct db *db, const struct base_id *workflow, const struct base_id *contact,
    const guint8 hash[KEYED_HASH_SIZE], struct store_keyed_entry *entry_r, GError **error);

/* Likewise: records an entry, which begins an execution. With entry->first, CONFLICT when there is
   one by this value. Deferred (db_defer). */
bool store_keyed_put(struct db *db, const struct store_workflow_entry *entry,
    const guint8 hash[KEYED_HASH_SIZE], const struct base_id *execution, GError **error);

#endif
