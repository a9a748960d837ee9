/* SPDX-License-Identifier: MIT */
/* People as operators see them, with their own data, memberships and topics (/v1/people). Errors
   that a function does not name are those of db/statement.h. */
#ifndef STORE_PERSON_PEOPLE_H
#define STORE_PERSON_PEOPLE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/person/person.h"

struct db;
struct store_page;
struct store_search_list;
struct store_search_page;

/* Sets NOT_FOUND "Person not found" and returns false. */
bool store_people_missing(GError **error);

/* The person with this address, or with this id. NOT_FOUND. The caller frees it. */
struct store_person *store_people_get(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);
struct store_person *store_people_get_id(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Inside a transaction: the same, locked until the transaction ends. */
struct store_person *store_people_lock(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* A page of people with their properties, newest first, at most limit, older than before (NULL:
   from the newest on), as an array of struct store_person. The caller owns it. */
GPtrArray *store_people_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The people with these ids, at most STORE_PEOPLE_MOST, in the order of their ids, as an array of
   struct store_person. Those who are gone are left out. The caller owns it. */
#define STORE_PEOPLE_MOST 64
GPtrArray *store_people_of(struct db *db, const struct base_id *workspace,
    const struct base_id *ids, guint count, GError **error);

/* The state of a person, as a list is narrowed to it. */
enum store_people_status {
	PEOPLE_ANY,
	PEOPLE_SUBSCRIBED,   /* gets mailings */
	PEOPLE_UNSUBSCRIBED, /* does not */
};

/* The same of those with this status. */
GPtrArray *store_people_among(struct db *db, const struct base_id *workspace,
    const struct base_id *ids, guint count, enum store_people_status status, GError **error);

/* A page of people with a status, as the ids that store_people_of takes; the search of the list is
   not looked at. A page looks at some people. The caller clears the page in any case. */
bool store_people_with(struct db *db, const struct store_search_list *list,
    enum store_people_status status, struct store_search_page *page_r, GError **error);

/* The next people, newest first, at most limit, older than before (NULL: from the newest on), with
   their ids and addresses alone, as an array of struct store_person. The caller owns it. */
GPtrArray *store_people_addresses(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* A page of people on either side of a cursor, as store_people_list. */
GPtrArray *store_people_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* A page of the people of the workspace, or, with audience, of its contacts, in the order of their
   addresses, behind after ("": from the first on). is_subscribed is the contact's then. The caller
   owns it. */
GPtrArray *store_people_by_address(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const char *after, guint limit, GError **error);

/* Inside a transaction: stores a new person, made by a request, and sets id, created and updated.
   CONFLICT "Person already exists". */
bool store_people_insert(struct db *db, struct store_person *person, GError **error);

/* Inside a transaction: stores names, language, time zone and properties, and sets updated. */
bool store_people_change(struct db *db, struct store_person *person, GError **error);

#endif
