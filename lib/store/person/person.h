/* SPDX-License-Identifier: MIT */
/* People, one row for each address of a workspace. Errors that a function does not name are those
   of db/statement.h. */
#ifndef STORE_PERSON_PERSON_H
#define STORE_PERSON_PERSON_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "db/statement.h"
#include "db/value.h"
#include "store/consent/agreement.h"

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
	bool seen; /* it has had an event; true in lists */
	/* Read by store/person/people.h alone. The texts are NULL where there is none. */
	char *first_name, *last_name, *language, *time_zone;
	bool is_subscribed; /* to all mailings */
	bool is_made;	    /* by a request for a person: it stays without events and memberships */
	enum store_agreement agreed; /* of a new person */
	bool entered; /* it may have entered a workflow; read by store_person_lock alone
		       */
};

void store_person_free(struct store_person *contact);
DEFINE_AUTO(store_person, store_person_free)

/* Sets NOT_FOUND "Contact not found" and returns false. */
bool store_person_missing(GError **error);

/* The contact with this address (person/contact.h derives it from an email), with its properties.
   NOT_FOUND, also until its first event. The caller frees it. */
struct store_person *store_person_get(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* The id of the contact with this address. NOT_FOUND, also until its first event. */
bool store_person_find(struct db *db, const struct base_id *workspace, const char *address,
    struct base_id *id_r, GError **error);

/* The email of the person, or of the contact of an audience, with this id. NOT_FOUND. The caller
   owns it. */
char *store_person_email(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The language of the person with this address; *language_r is NULL where it is not known. The
   caller owns it. */
bool store_person_language(struct db *db, const struct base_id *workspace, const char *address,
    char **language_r, GError **error);

/* A page of contacts, newest first, at most limit, older than before (NULL: from the newest on),
   as an array of struct store_person without properties. The caller owns it. */
GPtrArray *store_person_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* Inside a transaction: locks the contact with this address until the transaction ends.
 *contact_r is NULL when there is none; it may be one without an event. The caller frees it. */
bool store_person_lock(struct db *db, const struct base_id *workspace, const char *address,
    struct store_person **contact_r, GError **error);

/* The same for 1 to PERSON_LOCK_MOST addresses, as a query to run together with others
   (db_select_together). ask gives the query, with values as room for its values; read gives the
   contact of its next row, NULL when there is none left. */
#define PERSON_LOCK_MOST 16
#define PERSON_LOCK_VALUES (1 + PERSON_LOCK_MOST)
struct db_query store_person_ask(const struct base_id *workspace, const char *const *addresses,
    guint count, struct db_value values[PERSON_LOCK_VALUES]);
struct store_person *store_person_read(struct db_rows *rows, const struct base_id *workspace);

/* Inside a transaction: locks any number of people, by their ids or addresses, in one round trip,
   as an array of struct store_person without those who are not there, in no order. ids: in order.
   The caller owns it. */
GPtrArray *store_person_lock_ids(struct db *db, const struct base_id *workspace,
    const struct base_id *ids, guint count, GError **error);
GPtrArray *store_person_lock_addresses(struct db *db, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error);

/* Stores a new contact. CONFLICT when another process has just stored one with this address.
   Deferred (db_defer). */
bool store_person_insert(struct db *db, const struct store_person *contact, GError **error);

/* After an event: stores first_seen, last_seen, last_event, event_count, updated and, unless they
   are NULL, the properties. Deferred (db_defer). */
bool store_person_seen(struct db *db, const struct store_person *contact, GError **error);

/* An event that many people are told at once: at time (epoch ms), or 1 ms after their last event if
   that is later. */
struct store_person_told {
	const struct base_id *workspace;
	const char *event_name;
	gint64 time;
};

/* After that event, in the transaction that has locked these people (ids): stores first_seen,
   last_seen, last_event, event_count, updated and entered. Sorts the ids. TEMPORARY, which undoes
   the transaction, when somebody has come between them meanwhile. */
bool store_person_told(
    struct db *db, const struct store_person_told *told, GArray *people, GError **error);

/* Stores the properties and updated. Deferred. */
bool store_person_properties(
    struct db *db, const struct store_person *const *contacts, guint count, GError **error);

/* Inside a transaction that has locked the contact: removes its events, and the rows that decide
   about re-entry; and the person, unless is_kept and it is in an audience or was made by a
   request: it stays without events then. */
bool store_person_remove(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool is_kept, GError **error);

/* A person as a contact brings it; the texts are borrowed. */
struct store_person_names {
	const char *address, *email;
	const char *first_name, *last_name; /* NULL: none */
	gint64 time;			    /* of the change, epoch ms */
	enum store_agreement agreed;	    /* that comes with it; AGREEMENT_NONE changes nothing */
	/* Stored by store_person_import alone; NULL: none. */
	const char *language, *time_zone, *properties;
	int source; /* enum store_consent_source, for own events (store/automation/own.h) */
};

/* The effect on a person that exists: */
enum store_person_way {
	PERSON_FILL, /* it gets the names that it lacks */
	PERSON_GIVE, /* it gets the email, and the names that are not NULL */
	PERSON_SET,  /* it gets the email and both names */
	PERSON_NEW,  /* none: CONFLICT; by store_person_import alone */
};

/* People of one workspace whom an import brings. */
struct store_person_imported {
	const struct base_id *workspace;
	bool is_made;
	const struct store_person_names *people;
	guint count; /* of people */
};

/* Stores people, new ones without events. Deferred. People of one call are sorted by address, so
   that two calls do not wait for each other. */
bool store_person_put(struct db *db, enum store_person_way way, const struct base_id *workspace,
    const struct store_person_names *people, guint count, GError **error);

/* The same for an import, which brings the rest of the person's data, too: PERSON_FILL keeps the
   properties that the person has, PERSON_GIVE merges them, PERSON_SET replaces all data. is_made:
   the people stay without memberships. */
bool store_person_import(struct db *db, enum store_person_way way,
    const struct store_person_imported *imported, GError **error);

/* Inside a transaction: removes a person whom nothing knows any more: no event, membership, request
   or reason to be mailed, and no data but names. */
bool store_person_forsake(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* Inside a transaction, deferred: a person's properties get those of a JSON object, unless that
   makes them too large. */
bool store_person_merge(struct db *db, const struct base_id *workspace, const char *address,
    const char *properties, GError **error);

/* For statements of lib/store: stores one person by PERSON_GIVE. store_person_ask_given gives the
   values; id is room for a new id. */
#define PERSON_VALUES 9
#define PERSON_GIVEN                                                                               \
	PERSON_INSERT PERSON_UPDATE(                                                               \
	    "VALUES(email)", PERSON_GIVEN_NAME("first_name"), PERSON_GIVEN_NAME("last_name"))
void store_person_ask_given(const struct base_id *workspace,
    const struct store_person_names *person, struct base_id *id,
    struct db_value values_r[PERSON_VALUES]);

/* For statements of lib/store: email and names of a contact c, in a statement that goes on with
   PERSON_OF_CONTACT behind c. A contact that the step of the schema has not reached yet
   (store/person/join.h) has its own; those of any other are the person's, and its own email is ''.
 */
#define PERSON_OF_CONTACT                                                                          \
	" LEFT JOIN person p ON p.workspace_id = c.workspace_id AND p.address = c.address"
#define PERSON_EMAIL "IF(c.email = '', COALESCE(p.email, c.address), c.email)"
#define PERSON_FIRST_NAME "IF(c.email = '', p.first_name, c.first_name)"
#define PERSON_LAST_NAME "IF(c.email = '', p.last_name, c.last_name)"

/* Texts of statements that the macros above use. The time of updated stays where nothing changes.
   The order matters: the assignments are made from left to right. */
#define PERSON_INSERT                                                                              \
	"INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen," \
	" last_event, event_count, entered, seen, created, updated, first_name, last_name, "       \
	"agreed)"                                                                                  \
	" VALUES (?, ?, ?, ?, '{}', 0, 0, '', 0, 0, 0, ?, ?, ?, ?, ?)"
#define PERSON_UPDATE(new_email, new_first, new_last)                                              \
	" ON DUPLICATE KEY UPDATE person.updated = IF(BINARY person.email <=> BINARY " new_email   \
	" AND BINARY person.first_name <=> BINARY " new_first                                      \
	" AND BINARY person.last_name <=> BINARY " new_last                                        \
	", person.updated, VALUES(updated)), person.email = " new_email                            \
	", person.first_name = " new_first ", person.last_name = " new_last ", " AGREEMENT_UPDATE
#define PERSON_GIVEN_NAME(name) "COALESCE(VALUES(" name "), person." name ")"

#endif
