/* SPDX-License-Identifier: MIT */
/* Collects contacts, each email once, and stores them in batches. */
#include "core/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "core/core.h"
#include "core/suppress.h"

struct core_import {
	struct core *core;
	struct base_id workspace, audience;
	bool update;
	const struct store_consent_override *override;
	struct core_suppress_keys *keys; /* of contacts; NULL except while they are stored */
	struct store_contact_change contacts[STORE_CONTACT_BATCH]; /* their texts are owned */
	guint count;
	GHashTable *places; /* address, borrowed -> place in contacts */
	struct store_contact_tally tally;
};

struct core_import *
core_import_new(struct core *core, const struct base_id *workspace, const struct base_id *audience,
    bool update, const struct store_consent_override *override)
{
	struct core_import *import = g_new0(struct core_import, 1);

	import->core = core;
	import->workspace = *workspace;
	import->audience = *audience;
	import->update = update;
	import->override = override;
	import->places = g_hash_table_new(g_str_hash, g_str_equal);
	return import;
}

static void
clear_contact(struct store_contact_change *contact)
{
	g_free((char *)contact->email);
	g_free((char *)contact->address);
	g_free((char *)contact->first_name);
	g_free((char *)contact->last_name);
}

static void
clear(struct core_import *import)
{
	g_hash_table_remove_all(import->places);
	for (guint i = 0; i < import->count; i++)
		clear_contact(&import->contacts[i]);
	import->count = 0;
}

void
core_import_free(struct core_import *import)
{
	clear(import);
	g_hash_table_unref(import->places);
	g_free(import);
}

/* Replaces *slot by text if they differ. Returns whether they did. */
static bool
set_text(const char **slot, const char *text)
{
	if (g_strcmp0(*slot, text) == 0)
		return false;
	g_free((char *)*slot);
	*slot = g_strdup(text);
	return true;
}

static bool
overlay(struct store_contact_change *contact, const struct core_import_contact *by)
{
	bool differs = set_text(&contact->email, by->fields.email);

	if (by->first_name_given) {
		differs |= set_text(&contact->first_name, by->fields.first_name);
		contact->first_name_given = true;
	}
	if (by->last_name_given) {
		differs |= set_text(&contact->last_name, by->fields.last_name);
		contact->last_name_given = true;
	}
	if (by->is_subscribed_given) {
		differs |=
		    !contact->is_subscribed_given || contact->is_subscribed != by->is_subscribed;
		contact->is_subscribed_given = true;
		contact->is_subscribed = by->is_subscribed;
	}
	return differs;
}

/* A contact whose email is in this batch already. */
static void
repeat(struct core_import *import, struct store_contact_change *first,
    const struct core_import_contact *again)
{
	if (!import->update)
		import->tally.skipped++;
	else if (overlay(first, again))
		import->tally.updated++;
	else
		import->tally.unchanged++;
}

bool
core_import_add(
    struct core_import *import, const struct core_import_contact *contact, GError **error)
{
	g_autofree char *address = NULL;
	gpointer place;

	if (!core_contact_check_new(&contact->fields, &address, error))
		return false;
	if (g_hash_table_lookup_extended(import->places, address, NULL, &place)) {
		repeat(import, &import->contacts[GPOINTER_TO_UINT(place)], contact);
		return true;
	}
	struct store_contact_change *added = &import->contacts[import->count];
	*added = (struct store_contact_change){.address = g_steal_pointer(&address)};
	overlay(added, contact);
	g_hash_table_insert(
	    import->places, (gpointer)added->address, GUINT_TO_POINTER(import->count));
	import->count++;
	return import->count < STORE_CONTACT_BATCH || core_import_flush(import, error);
}

static int
by_address(const void *a, const void *b)
{
	const struct store_contact_change *x = a, *y = b;

	return strcmp(x->address, y->address);
}

static const struct store_suppression_key *
make_keys(void *context)
{
	struct core_import *import = context;
	const char *addresses[STORE_CONTACT_BATCH];

	for (guint i = 0; i < import->count; i++)
		addresses[i] = import->contacts[i].address;
	import->keys = core_suppress_keys(import->core, addresses, import->count);
	return core_suppress_key(import->keys, 0);
}

static bool
store(struct core_import *import, GError **error)
{
	const struct store_contact_putting how = {
	    import->update, make_keys, import, import->override};
	bool stored = store_contact_put(import->core->db, &import->workspace, &import->audience,
	    import->contacts, import->count, &how, &import->tally, error);

	g_clear_pointer(&import->keys, core_suppress_keys_free);
	return stored;
}

bool
core_import_flush(struct core_import *import, GError **error)
{
	if (import->count == 0)
		return true;
	/* All imports lock contacts in the same order, so that two imports do not deadlock. */
	qsort(import->contacts, import->count, sizeof(*import->contacts), by_address);
	bool stored = store(import, error);
	clear(import);
	return stored;
}

const struct store_contact_tally *
core_import_tally(const struct core_import *import)
{
	return &import->tally;
}
