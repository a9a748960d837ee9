/* SPDX-License-Identifier: MIT */
/* Imports contacts in large numbers, in batches, by the rules of core/contact.h. */
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

struct core_import_options {
	/* EXISTING_UPDATE: existing contacts take the given fields, and of two contacts with the
	   same email in the import the last one counts. EXISTING_SKIP: they stay as they are, and
	   the first one counts. EXISTING_REFUSE: they and later ones are told to refuse. */
	enum store_contact_existing existing;
	/* A person who has unsubscribed in person is subscribed only by an override, which is
	   recorded; NULL: none. */
	const struct store_consent_override *override;
	const char *const *keys; /* of properties, NULL-terminated, or NULL; borrowed */
	void (*refuse)(guint64 line, const char *fault, void *context);
	void *context;
};

/* Begins an import into an audience of the workspace; audience NULL: of people, without
   memberships. The caller frees it. */
struct core_import *core_import_new(struct core *core, const struct base_id *workspace,
    const struct base_id *audience, const struct core_import_options *options);

/* Sets the keys, before the first contact. They are borrowed. */
void core_import_set_keys(struct core_import *import, const char *const *keys);

/* One contact of an import. Fields that are not given stay as they are, or have the defaults of a
   new contact. */
struct core_import_contact {
	struct core_contact_fields fields;
	bool first_name_given, last_name_given, language_given, time_zone_given;
	bool is_subscribed_given, is_subscribed;
	const char *language, *time_zone;
	const char *const *properties; /* the texts of the keys; "" removes a property */
	guint64 line;
};

/* Adds a contact; stores the batch when it is full. INVALID: this contact is not imported; go on
   with the next one. Any other error concerns the batch and ends the import: NOT_FOUND "Audience
   not found", or errors of db/transaction.h. A text becomes the type of its property:
   "properties.age must be a number". */
bool core_import_add(
    struct core_import *import, const struct core_import_contact *contact, GError **error);

/* Stores the contacts added since the last batch. Errors as of core_import_add, except INVALID. */
bool core_import_flush(struct core_import *import, GError **error);

/* The tally of the contacts stored so far. The import owns it. */
const struct store_contact_tally *core_import_tally(const struct core_import *import);

void core_import_free(struct core_import *import);
DEFINE_AUTO(core_import, core_import_free)

#endif
