/* SPDX-License-Identifier: MIT */
/* For the files of contacts: parts of making a contact that a change of one needs, too. */
#ifndef STORE_PERSON_CONTACT_INNER_H
#define STORE_PERSON_CONTACT_INNER_H

#include <glib.h>
#include <stdbool.h>

#include "store/person/person.h"

struct base_id;
struct db;
struct store_contact;

/* The person that a contact brings. The texts are borrowed. */
struct store_person_names store_contact_person(const struct store_contact *contact);

/* Sets error to failure, of which it takes ownership, with our own message in place of the
   database's, and returns false. */
bool store_contact_refuse(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, GError *failure, GError **error);

#endif
