/* SPDX-License-Identifier: MIT */
/* Collects contacts of an import, each address once, and stores them in one transaction. */
#include "import/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits/workflow.h"
#include "consent/consent.h"
#include "json/merge.h"
#include "json/strict.h"
#include "json/value.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/person/contact.h"

struct import_batch {
	const struct import_goal *goal;
	struct store_contact_change contacts[STORE_CONTACT_BATCH]; /* their texts are owned */
	guint64 lines[STORE_CONTACT_BATCH];			   /* by place before sorting */
	guint count;
	GHashTable *places;		   /* address, borrowed -> place in contacts */
	struct service *service;	   /* NULL except while they are stored */
	struct person_suppress_keys *keys; /* of contacts; likewise */
	bool met;			   /* the last contacts that were stored had existed */

	struct store_contact_tally tally;
	GArray *refused; /* lines, guint64 */
};

struct import_batch *
import_batch_new(const struct import_goal *goal)
{
	struct import_batch *batch = g_new0(struct import_batch, 1);

	batch->goal = goal;
	batch->places = g_hash_table_new(g_str_hash, g_str_equal);
	batch->refused = g_array_new(FALSE, FALSE, sizeof(guint64));
	return batch;
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
import_batch_clear(struct import_batch *batch)
{
	g_hash_table_remove_all(batch->places);
	for (guint i = 0; i < batch->count; i++)
		clear_contact(&batch->contacts[i]);
	batch->count = 0;
}

void
import_batch_free(struct import_batch *batch)
{
	import_batch_clear(batch);
	g_hash_table_unref(batch->places);
	g_array_unref(batch->refused);
	g_free(batch);
}

/* Replaces *slot by text if they differ. Returns whether they did. */
static bool
batch_set_text(const char **slot, const char *text)
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
overlay(struct store_contact_change *contact, const struct import_contact *by, const char *patch)
{
	bool differs = batch_set_text(&contact->email, by->fields.email);

	differs |= overlay_patch(contact, patch);
	if (by->language_given) {
		differs |= batch_set_text(&contact->language, by->language);
		contact->language_given = true;
	}
	if (by->time_zone_given) {
		differs |= batch_set_text(&contact->time_zone, by->time_zone);
		contact->time_zone_given = true;
	}

	if (by->first_name_given) {
		differs |= batch_set_text(&contact->first_name, by->fields.first_name);
		contact->first_name_given = true;
	}
	if (by->last_name_given) {
		differs |= batch_set_text(&contact->last_name, by->fields.last_name);
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

/* A contact whose address is in this batch already. */
static void
batch_repeat(struct import_batch *batch, struct store_contact_change *first,
    const struct import_contact *again, const char *patch)
{
	switch (batch->goal->options->existing) {
	case EXISTING_SKIP:
		batch->tally.skipped++;
		if (batch->goal->options->skipped)
			batch->goal->options->skipped(again->line, batch->goal->options->context);
		break;
	case EXISTING_REFUSE:
		batch->tally.refused++;
		g_array_append_val(batch->refused, again->line);
		if (batch->goal->options->skipped)
			batch->goal->options->skipped(again->line, batch->goal->options->context);
		break;
	case EXISTING_UPDATE:
		if (overlay(first, again, patch))
			batch->tally.updated++;
		else
			batch->tally.unchanged++;
		break;
	}
}

bool
import_batch_add(struct import_batch *batch, const struct import_contact *contact, char *address,
    const char *patch)
{
	struct store_contact_change *added = &batch->contacts[batch->count];
	gpointer place;

	if (g_hash_table_lookup_extended(batch->places, address, NULL, &place)) {
		batch_repeat(batch, &batch->contacts[GPOINTER_TO_UINT(place)], contact, patch);
		g_free(address);
		return false;
	}
	*added = (struct store_contact_change){.address = address};
	overlay(added, contact, patch);
	batch->lines[batch->count] = contact->line;
	g_hash_table_insert(batch->places, address, GUINT_TO_POINTER(batch->count));
	batch->count++;
	return batch->count == STORE_CONTACT_BATCH;
}

static int
batch_by_address(const void *a, const void *b)
{
	const struct store_contact_change *x = a, *y = b;

	return strcmp(x->address, y->address);
}

static const struct store_suppression_key *
batch_make_keys(void *context)
{
	struct import_batch *batch = context;
	const char *addresses[STORE_CONTACT_BATCH];

	for (guint i = 0; i < batch->count; i++)
		addresses[i] = batch->contacts[i].address;
	batch->keys = person_suppress_keys(batch->service, addresses, batch->count);
	return person_suppress_key(batch->keys, 0);
}

static char *
batch_merge(const char *properties, const char *patch)
{
	AUTO(json) now = json_parse(properties, strlen(properties), NULL);
	AUTO(json) by = json_parse(patch, strlen(patch), NULL);
	char *merged = json_merge(now, by, false);

	if (strlen(merged) > LIMIT_CONTACT_PROPERTIES_BYTES)
		g_clear_pointer(&merged, g_free);
	return merged;
}

/* The line of a contact, which has been moved by the sorting. */
static guint64
batch_line_of(const struct import_batch *batch, const struct store_contact_change *contact)
{
	gpointer place = g_hash_table_lookup(batch->places, contact->address);

	return batch->lines[GPOINTER_TO_UINT(place)];
}

static void
batch_refuse(const struct store_contact_change *contact, void *context)
{
	struct import_batch *batch = context;
	guint64 line = batch_line_of(batch, contact);

	g_array_append_val(batch->refused, line);
}

static void
batch_skip(const struct store_contact_change *contact, void *context)
{
	const struct import_batch *batch = context;
	const struct import_options *options = batch->goal->options;

	options->skipped(batch_line_of(batch, contact), options->context);
}

static bool
also(struct db *db, const struct store_contact_tally *tally, void *context, GError **error)
{
	const struct import_batch *batch = context;
	const struct import_options *options = batch->goal->options;
	struct store_contact_tally all = batch->tally;

	store_contact_tally_add(tally, &all);
	return options->also(db, &all, options->context, error);
}

/* A person of the import begins or ends to get mailings at all. */
static bool
batch_choose(
    struct db *db, const struct store_contact_change *contact, void *context, GError **error)
{
	static const struct store_consent_act act = {
	    .source = CONSENT_BY_IMPORT, .author = CONSENT_OF_OPERATOR};
	const struct import_batch *batch = context;

	return consent_subscribe(db, batch->service,
	    &(struct consent_subject){
		&batch->goal->workspace, contact->address, &act, batch->goal->options->override},
	    contact->is_subscribed, error);
}

static bool
batch_put(struct import_batch *batch, GError **error)
{
	const struct import_goal *goal = batch->goal;
	struct store_contact_tally tally = {0};
	const struct store_contact_putting how = {
	    .workspace = &goal->workspace,
	    .audience = goal->audience,
	    .existing = goal->options->existing,
	    .look_first = batch->met,
	    .rehearse = goal->options->dry_run,
	    .tells = goal->options->start_workflows,
	    .merge = batch_merge,
	    .refuse = batch_refuse,
	    .choose = batch_choose,
	    .met = goal->options->skipped ? batch_skip : NULL,
	    .also = goal->options->also ? also : NULL,
	    .keys = batch_make_keys,
	    .context = batch,
	    .override = goal->options->override,
	};

	if (!store_contact_put(
		batch->service->db, batch->contacts, batch->count, &how, &tally, error))
		return false;
	batch->met = tally.created < batch->count;
	store_contact_tally_add(&tally, &batch->tally);
	return true;
}

bool
import_batch_store(struct import_batch *batch, struct service *service, GError **error)
{
	/* All imports lock contacts in the same order, so that two imports do not deadlock. */
	base_array_sort(batch->contacts, batch->count, sizeof(*batch->contacts), batch_by_address);
	batch->service = service;
	bool stored = batch_put(batch, error);
	g_clear_pointer(&batch->keys, person_suppress_keys_free);
	batch->service = NULL;
	import_batch_clear(batch);
	return stored;
}

static int
by_line(const void *a, const void *b)
{
	guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

	return x < y ? -1 : x > y;
}

void
import_batch_tell(struct import_batch *batch, struct store_contact_tally *tally)
{
	const struct import_options *options = batch->goal->options;

	g_array_sort(batch->refused, by_line);
	for (guint i = 0; i < batch->refused->len; i++)
		options->refuse(g_array_index(batch->refused, guint64, i),
		    batch->goal->audience ? "Contact already exists" : "Person already exists",
		    options->context);
	g_array_set_size(batch->refused, 0);
	store_contact_tally_add(&batch->tally, tally);
	batch->tally = (struct store_contact_tally){0};
}
