/* SPDX-License-Identifier: MIT */
/* Imports contacts in large numbers, in batches, by the rules of person/contact.h. */
#ifndef IMPORT_H
#define IMPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "import/batch.h"

struct service;
struct base_id;

struct import;

/* Two: a third one brings nothing, since they wait for the same pages of the same tables. */
#define IMPORT_LANES 2

/* Begins an import into an audience of the workspace; audience NULL: of people, without
   memberships. The caller frees it. */
struct import *import_new(struct service *service, const struct base_id *workspace,
    const struct base_id *audience, const struct import_options *options);

/* Sets the keys, before the first contact. typed, for each key: its texts are those of
   person/property_text.h; NULL: none are. Both are borrowed. */
void import_set_keys(struct import *import, const char *const *keys, const bool *typed);

/* Adds a contact; stores a batch when it is full. INVALID: this contact is not imported; go on
   with the next one. Any other error concerns a batch and ends the import: NOT_FOUND "Audience
   not found", or errors of db/transaction.h. A text becomes the type of its property:
   "properties.age must be a number". */
bool import_add(struct import *import, const struct import_contact *contact, GError **error);

/* Stores the contacts added since the last batches. Errors as of import_add, except INVALID.
 */
bool import_flush(struct import *import, GError **error);

/* The tally of the contacts stored so far. The import owns it. */
const struct store_contact_tally *import_tally(const struct import *import);

void import_free(struct import *import);
DEFINE_AUTO(import, import_free)

#endif
