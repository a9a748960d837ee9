/* SPDX-License-Identifier: MIT */
#ifndef STORE_AUTOMATION_CONTACT_H
#define STORE_AUTOMATION_CONTACT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "db/statement.h"

struct db;

/* Somebody to whom events happen. Times are epoch ms. */
struct store_automation_contact {
	struct base_id id;
	struct base_id workspace_id;
	char *email;	  /* as first given */
	char *address;	  /* the form in which emails are compared */
	char *properties; /* JSON object; NULL in lists */
	gint64 first_seen, last_seen;
	char *last_event; /* its name */
	gint64 event_count;
	gint64 created, updated;
	bool entered; /* it may have been in a workflow; only as it is locked */
};

void store_automation_contact_free(struct store_automation_contact *contact);
DEFINE_AUTO(store_automation_contact, store_automation_contact_free)

/* NOT_FOUND "Contact not found". Returns false. */
bool store_automation_contact_missing(GError **error);

/* The one with this address (core/contact.h makes it of an email), with its properties. Else
   as store_automation_contact_missing. The caller frees it. */
struct store_automation_contact *store_automation_contact_get(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* The same, of which only the id is wanted. */
bool store_automation_contact_find(struct db *db, const struct base_id *workspace,
    const char *address, struct base_id *id_r, GError **error);

/* Newest first, at most limit, older than before (NULL: from the newest on), as an array of struct
   store_automation_contact without their properties. The caller owns it. */
GPtrArray *store_automation_contact_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The contact with this address, which nobody else changes until the transaction ends; *contact_r
   is NULL when there is none. The caller frees it. */
bool store_automation_contact_lock(struct db *db, const struct base_id *workspace,
    const char *address, struct store_automation_contact **contact_r, GError **error);

/* The same together with other queries (db_select_together): what to ask, with room for its values,
   and who it gave, NULL when there is none. */
struct db_query store_automation_contact_ask(
    const struct base_id *workspace, const char *address, struct db_value values[2]);
struct store_automation_contact *store_automation_contact_read(
    struct db_rows *rows, const struct base_id *workspace);

/* CONFLICT when somebody else has just stored one with this address. Put off (db_defer). */
bool store_automation_contact_insert(
    struct db *db, const struct store_automation_contact *contact, GError **error);

/* After an event: last_seen, last_event, event_count and updated, and the properties, unless these
   are NULL: then they stay. */
bool store_automation_contact_seen(struct db *db,
    const struct store_automation_contact *const *contacts, guint count, GError **error);

/* The properties alone, and updated. */
bool store_automation_contact_properties(struct db *db,
    const struct store_automation_contact *const *contacts, guint count, GError **error);

/* Removes it with its events and with what re-entry is decided by. */
bool store_automation_contact_remove(struct db *db, const struct base_id *id, GError **error);

#endif
