/* SPDX-License-Identifier: MIT */
/* Events that are declared, with the types of their payloads' members. Errors that a function does
   not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_EVENT_TYPE_H
#define STORE_AUTOMATION_EVENT_TYPE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_page;

struct store_event_type {
	struct base_id id;
	struct base_id workspace_id;
	char *name;   /* in normal form (rule/event_name.h) */
	char *title;  /* the name as it was given */
	char *fields; /* JSON object, the types by name; NULL: any payload */
	gint64 created, updated;
};

void store_event_type_free(struct store_event_type *type);
DEFINE_AUTO(store_event_type, store_event_type_free)

/* Stores a new one. CONFLICT when the workspace has the name. */
bool store_event_type_insert(struct db *db, const struct store_event_type *type, GError **error);

/* A declared event is found by its id or, where that is NULL, by its name in normal form. NOT_FOUND
   "Event not found". The caller frees it. */
struct store_event_type *store_event_type_get(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const char *name, GError **error);

/* The fields of the event with this name; NULL also when it is not declared. The caller owns them.
 */
bool store_event_type_fields(struct db *db, const struct base_id *workspace, const char *name,
    char **fields_r, GError **error);

/* A page of them, newest first, as an array of struct store_event_type. The caller owns it. */
GPtrArray *store_event_type_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* Sets fields and updated of one that was read. NOT_FOUND. */
bool store_event_type_change(struct db *db, const struct store_event_type *type, GError **error);

/* Removes one that was read. NOT_FOUND. */
bool store_event_type_remove(struct db *db, const struct store_event_type *type, GError **error);

#endif
