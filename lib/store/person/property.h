/* SPDX-License-Identifier: MIT */
/* Definitions of the properties of people. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_PERSON_PROPERTY_H
#define STORE_PERSON_PROPERTY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum store_property_type {
	PROPERTY_STRING = 1,
	PROPERTY_NUMBER = 2,
	PROPERTY_BOOLEAN = 3,
	PROPERTY_DATE = 4, /* a string: an ISO 8601 date or time */
};

/* The words of the API, NULL-terminated; the word of a number stands at that number less one. */
extern const char *const store_property_types[];

struct store_property {
	struct base_id workspace_id;
	char *key; /* see person_check_key */
	enum store_property_type type;
	char *value;		 /* the default, JSON; NULL: none */
	gint64 created, updated; /* epoch ms */
};

void store_property_free(struct store_property *property);
DEFINE_AUTO(store_property, store_property_free)

/* Stores a new definition, and sets created and updated. CONFLICT "Property already exists" or
   "Limit reached: at most 200 properties". */
bool store_property_create(struct db *db, struct store_property *property, GError **error);

/* All definitions of a workspace, in the order of their keys, as an array of struct store_property.
   The caller owns it. */
GPtrArray *store_property_list(struct db *db, const struct base_id *workspace, GError **error);

/* One definition. NOT_FOUND "Property not found". key is ASCII. The caller frees it. */
struct store_property *store_property_get(
    struct db *db, const struct base_id *workspace, const char *key, GError **error);

/* Stores another default and sets updated. NOT_FOUND "Property not found". */
bool store_property_change(struct db *db, struct store_property *property, GError **error);

/* Removes a definition; values of people stay. NOT_FOUND "Property not found". */
bool store_property_remove(
    struct db *db, const struct base_id *workspace, const char *key, GError **error);

#endif
