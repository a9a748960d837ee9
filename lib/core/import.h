/* SPDX-License-Identifier: MIT */
/* Imports contacts in large numbers, in batches, by the rules of core/contact.h. */
#ifndef CORE_IMPORT_H
#define CORE_IMPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "core/import_batch.h"

struct core;
struct base_id;

struct core_import;

/* Two: a third one brings nothing, since they wait for the same pages of the same tables. */
#define CORE_IMPORT_LANES 2

/* Begins an import into an audience of the workspace; audience NULL: of people, without
   memberships. The caller frees it. */
struct core_import *core_import_new(struct core *core, const struct base_id *workspace,
    const struct base_id *audience, const struct core_import_options *options);

/* Sets the keys, before the first contact. typed, for each key: its texts are those of
   core/property_text.h; NULL: none are. Both are borrowed. */
void core_import_set_keys(struct core_import *import, const char *const *keys, const bool *typed);

/* Adds a contact; stores a batch when it is full. INVALID: this contact is not imported; go on
   with the next one. Any other error concerns a batch and ends the import: NOT_FOUND "Audience
   not found", or errors of db/transaction.h. A text becomes the type of its property:
   "properties.age must be a number". */
bool core_import_add(
    struct core_import *import, const struct core_import_contact *contact, GError **error);

/* Stores the contacts added since the last batches. Errors as of core_import_add, except INVALID.
 */
bool core_import_flush(struct core_import *import, GError **error);

/* The tally of the contacts stored so far. The import owns it. */
const struct store_contact_tally *core_import_tally(const struct core_import *import);

void core_import_free(struct core_import *import);
DEFINE_AUTO(core_import, core_import_free)

#endif
