/* SPDX-License-Identifier: MIT */
/* Contacts that come in large numbers: by the rules of core/contact.h, a batch at a time. */
#ifndef CORE_IMPORT_H
#define CORE_IMPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "core/contact.h"
#include "store/contact.h"

struct core;
struct base_id;
struct store_consent_override;

struct core_import;

/* Into an audience of the workspace. update: contacts that are there take what is given, else they
   stay as they are; of two with the same email the last counts then, else the first. Who has
   unsubscribed in person is not subscribed, but for an override, which is recorded; NULL: none. */
struct core_import *core_import_new(struct core *core, const struct base_id *workspace,
    const struct base_id *audience, bool update, const struct store_consent_override *override);

/* What is said of one. What is not given stays as it is, or as it is of a new contact. */
struct core_import_contact {
	struct core_contact_fields fields;
	bool first_name_given, last_name_given;
	bool is_subscribed_given, is_subscribed;
};

/* INVALID: nothing is made of this one; go on with the next. Any other error is that of a batch,
   and ends the import: NOT_FOUND "Audience not found", or the database's. */
bool core_import_add(
    struct core_import *import, const struct core_import_contact *contact, GError **error);

/* Stores what has not been stored yet. */
bool core_import_flush(struct core_import *import, GError **error);

/* So far, of what has been stored. */
const struct store_contact_tally *core_import_tally(const struct core_import *import);

void core_import_free(struct core_import *import);
DEFINE_AUTO(core_import, core_import_free)

#endif
