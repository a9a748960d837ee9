/* SPDX-License-Identifier: MIT */
#ifndef STORE_PERSON_H
#define STORE_PERSON_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "db/statement.h"

struct db;

/* A person: an email address of a workspace. To automation, which calls it a contact, it exists
   from the first event on: seen. Times are epoch ms. */
struct store_person {
	struct base_id id;
	struct base_id workspace_id;
	char *email;	  /* as first given */
	char *address;	  /* the form in which emails are compared */
	char *properties; /* JSON object; NULL in lists */
	gint64 first_seen, last_seen;
	char *last_event; /* its name */
	gint64 event_count;
	gint64 created, updated;
	bool seen;    /* it has had an event; true in lists */
	bool entered; /* it may have entered a workflow; read by store_person_lock alone
		       */
};

void store_person_free(struct store_person *contact);
DEFINE_AUTO(store_person, store_person_free)

/* Sets NOT_FOUND "Contact not found" and returns false. */
bool store_person_missing(GError **error);

/* The contact with this address (core/contact.h derives it from an email), with its properties.
   NOT_FOUND, also until its first event. The caller frees it. */
struct store_person *store_person_get(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* The id of the contact with this address. NOT_FOUND, also until its first event. */
bool store_person_find(struct db *db, const struct base_id *workspace, const char *address,
    struct base_id *id_r, GError **error);

/* The email of the contact of automation, or of an audience, with this id. NOT_FOUND. The caller
   owns it. */
char *store_person_email(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* A page of contacts, newest first, at most limit, older than before (NULL: from the newest on),
   as an array of struct store_person without properties. The caller owns it. */
GPtrArray *store_person_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* Inside a transaction: locks the contact with this address until the transaction ends.
 *contact_r is NULL when there is none; it may be one without an event. The caller frees it. */
bool store_person_lock(struct db *db, const struct base_id *workspace, const char *address,
    struct store_person **contact_r, GError **error);

/* The same as a query to run together with others (db_select_together). ask gives the query,
   with values as room for its values; read gives the contact of its rows, NULL when there is
   none. */
struct db_query store_person_ask(
    const struct base_id *workspace, const char *address, struct db_value values[2]);
struct store_person *store_person_read(struct db_rows *rows, const struct base_id *workspace);

/* Stores a new contact. CONFLICT when another process has just stored one with this address.
   Deferred (db_defer). */
bool store_person_insert(struct db *db, const struct store_person *contact, GError **error);

/* After an event: stores first_seen, last_seen, last_event, event_count, updated and, unless they
   are NULL, the properties. */
bool store_person_seen(
    struct db *db, const struct store_person *const *contacts, guint count, GError **error);

/* Stores the properties and updated. */
bool store_person_properties(
    struct db *db, const struct store_person *const *contacts, guint count, GError **error);

/* Removes the contact with its events and the rows that decide about re-entry. */
bool store_person_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

#endif
