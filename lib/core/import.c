/* SPDX-License-Identifier: MIT */
/* Collects contacts, each email once, and stores them in batches. */
#include "core/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "core/core.h"
#include "core/person.h"
#include "core/suppress.h"
#include "json/merge.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"

struct core_import {
	struct core *core;
	struct base_id workspace;
	const struct base_id *audience; /* NULL: people alone */
	struct base_id audience_id;
	struct core_import_options options;
	enum store_property_type *types; /* of the keys, 0: not defined */
	GHashTable *time_zones;		 /* names that are known to be right */
	struct core_suppress_keys *keys; /* of contacts; NULL except while they are stored */
	struct store_contact_change contacts[STORE_CONTACT_BATCH]; /* their texts are owned */
	guint64 lines[STORE_CONTACT_BATCH];			   /* by place before sorting */
	guint count;
	GHashTable *places; /* address, borrowed -> place in contacts */
	struct store_contact_tally tally;
};

/* Finds the types of the keys. */
static bool
read_types(struct core_import *import, GError **error)
{
	const char *const *keys = import->options.keys;
	guint count = keys ? g_strv_length((char **)keys) : 0;

	import->types = g_new0(enum store_property_type, count);
	if (count == 0)
		return true;
	g_autoptr(GPtrArray) properties =
	    store_property_list(import->core->db, &import->workspace, error);
	for (guint i = 0; properties && i < properties->len; i++) {
		const struct store_property *property = properties->pdata[i];

		for (guint k = 0; k < count; k++)
			if (strcmp(keys[k], property->key) == 0)
				import->types[k] = property->type;
	}
	return properties != NULL;
}

struct core_import *
core_import_new(struct core *core, const struct base_id *workspace, const struct base_id *audience,
    const struct core_import_options *options)
{
	struct core_import *import = g_new0(struct core_import, 1);

	import->core = core;
	import->workspace = *workspace;
	if (audience) {
		import->audience_id = *audience;
		import->audience = &import->audience_id;
	}
	import->options = *options;
	import->places = g_hash_table_new(g_str_hash, g_str_equal);
	import->time_zones = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return import;
}

void
core_import_set_keys(struct core_import *import, const char *const *keys)
{
	import->options.keys = keys;
	g_clear_pointer(&import->types, g_free);
}

static void
clear_contact(struct store_contact_change *contact)
{
	g_free((char *)contact->email);
	g_free((char *)contact->address);
	g_free((char *)contact->first_name);
	g_free((char *)contact->last_name);
	g_free((char *)contact->language);
	g_free((char *)contact->time_zone);
	g_free((char *)contact->patch);
	g_free((char *)contact->properties);
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
	g_hash_table_unref(import->time_zones);
	g_free(import->types);
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

/* The members of a patch that are not null. Most patches have no null. The caller owns it. */
static char *
without_nulls(const char *patch)
{
	if (!strstr(patch, ":null"))
		return g_strdup(patch);
	AUTO(json) parsed = json_parse(patch, strlen(patch), NULL);
	return json_merge(NULL, parsed, false);
}

/* Lays a patch of properties over the one that the contact has. */
static bool
overlay_patch(struct store_contact_change *contact, const char *patch)
{
	if (!patch || g_strcmp0(contact->patch, patch) == 0)
		return false;
	char *all = g_strdup(patch);
	if (contact->patch) {
		AUTO(json) now = json_parse(contact->patch, strlen(contact->patch), NULL);
		AUTO(json) then = json_parse(patch, strlen(patch), NULL);

		g_free(all);
		all = json_merge(now, then, true);
	}
	g_free((char *)contact->patch);
	g_free((char *)contact->properties);
	contact->patch = all;
	contact->properties = without_nulls(all);
	return true;
}

static bool
overlay(
    struct store_contact_change *contact, const struct core_import_contact *by, const char *patch)
{
	bool differs = set_text(&contact->email, by->fields.email);

	differs |= overlay_patch(contact, patch);
	if (by->language_given) {
		differs |= set_text(&contact->language, by->language);
		contact->language_given = true;
	}
	if (by->time_zone_given) {
		differs |= set_text(&contact->time_zone, by->time_zone);
		contact->time_zone_given = true;
	}

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

static void
refuse(struct core_import *import, guint64 line)
{
	import->options.refuse(line,
	    import->audience ? "Contact already exists" : "Person already exists",
	    import->options.context);
}

/* A contact whose email is in this batch already. */
static void
repeat(struct core_import *import, struct store_contact_change *first,
    const struct core_import_contact *again, const char *patch)
{
	switch (import->options.existing) {
	case EXISTING_SKIP:
		import->tally.skipped++;
		break;
	case EXISTING_REFUSE:
		import->tally.refused++;
		refuse(import, again->line);
		break;
	case EXISTING_UPDATE:
		if (overlay(first, again, patch))
			import->tally.updated++;
		else
			import->tally.unchanged++;
		break;
	}
}

static bool
check_time_zone(struct core_import *import, const char *name, GError **error)
{
	if (!name || g_hash_table_contains(import->time_zones, name))
		return true;
	if (!core_person_check_time_zone(name, error))
		return false;
	g_hash_table_add(import->time_zones, g_strdup(name));
	return true;
}

/* Writes the value that a text means: null for an empty one. */
static bool
write_value(struct json_writer *writer, const char *key, enum store_property_type type,
    const char *text, GError **error)
{
	if (!*text) {
		json_writer_null(writer, key);
		return true;
	}
	if (type == 0 || type == PROPERTY_STRING) {
		json_writer_string(writer, key, text);
		return true;
	}
	g_autofree char *what = g_strconcat("properties.", key, NULL);
	g_autofree char *value = core_person_value(what, type, text, error);
	if (value)
		json_writer_raw(writer, key, value, strlen(value));
	return value != NULL;
}

/* Makes the patch of the properties. *patch_r is NULL without keys; the caller owns it. */
static bool
make_patch(struct core_import *import, const struct core_import_contact *contact, char **patch_r,
    GError **error)
{
	const char *const *keys = import->options.keys;

	*patch_r = NULL;
	if (!keys || !*keys)
		return true;
	AUTO(json_writer) writer = json_writer_new();
	json_writer_begin_object(writer, NULL);
	for (guint i = 0; keys[i]; i++)
		if (!write_value(writer, keys[i], import->types[i], contact->properties[i], error))
			return false;
	json_writer_end_object(writer);
	*patch_r = json_writer_take(writer, NULL);
	if (core_person_check_size(*patch_r, error))
		return true;
	g_clear_pointer(patch_r, g_free);
	return false;
}

/* Adds a contact whose email is new in this batch. Takes the address over. */
static void
add(struct core_import *import, const struct core_import_contact *contact, char *address,
    const char *patch)
{
	struct store_contact_change *added = &import->contacts[import->count];

	*added = (struct store_contact_change){.address = address};
	overlay(added, contact, patch);
	import->lines[import->count] = contact->line;
	g_hash_table_insert(
	    import->places, (gpointer)added->address, GUINT_TO_POINTER(import->count));
	import->count++;
}

bool
core_import_add(
    struct core_import *import, const struct core_import_contact *contact, GError **error)
{
	g_autofree char *address = NULL, *patch = NULL;
	gpointer place;

	if ((!import->types && !read_types(import, error)) ||
	    !core_contact_check_new(&contact->fields, &address, error) ||
	    !core_person_check_language(contact->language, error) ||
	    !check_time_zone(import, contact->time_zone, error) ||
	    !make_patch(import, contact, &patch, error))
		return false;
	if (g_hash_table_lookup_extended(import->places, address, NULL, &place)) {
		repeat(import, &import->contacts[GPOINTER_TO_UINT(place)], contact, patch);
		return true;
	}
	add(import, contact, g_steal_pointer(&address), patch);
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

static char *
merge(const char *properties, const char *patch)
{
	AUTO(json) now = json_parse(properties, strlen(properties), NULL);
	AUTO(json) by = json_parse(patch, strlen(patch), NULL);
	char *merged = json_merge(now, by, false);

	if (strlen(merged) > LIMIT_CONTACT_PROPERTIES_BYTES)
		g_clear_pointer(&merged, g_free);
	return merged;
}

/* Tells the line of a contact, which has been moved by the sorting. */
static void
refuse_contact(const struct store_contact_change *contact, void *context)
{
	struct core_import *import = context;
	gpointer place = g_hash_table_lookup(import->places, contact->address);

	refuse(import, import->lines[GPOINTER_TO_UINT(place)]);
}

static bool
store(struct core_import *import, GError **error)
{
	const struct store_contact_putting how = {
	    .existing = import->options.existing,
	    .merge = merge,
	    .refuse = refuse_contact,
	    .keys = import->audience ? make_keys : NULL,
	    .context = import,
	    .override = import->options.override,
	};
	bool stored = store_contact_put(import->core->db, &import->workspace, import->audience,
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
