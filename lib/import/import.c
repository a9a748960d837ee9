/* SPDX-License-Identifier: MIT */
/* Checks the contacts of an import, and hands them to lanes, which store them in batches. */
#include "import/import.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/id.h"
#include "import/batch.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/person.h"
#include "person/property_text.h"
#include "property/property.h"
#include "service/service.h"
#include "text/language.h"

/* Contacts go to a lane by their address, so those with the same address are stored in their order,
   and lanes do not wait for each other's contacts. */
struct lane {
	struct service *service;
	struct import_batch *filling, *storing;
	GThread *thread; /* NULL: no batch is being stored */
	GError *failure; /* of the thread */
};

struct import {
	struct service *service;
	struct base_id audience_id;
	struct import_options options;
	struct import_goal goal;	 /* with pointers to the two above */
	GPtrArray *definitions;		 /* of properties; NULL: not read yet */
	enum store_property_type *types; /* of the keys, 0: not defined */
	const bool *typed;		 /* of the keys; NULL: none */
	GHashTable *time_zones;		 /* names that are known to be right */
	struct lane lanes[IMPORT_LANES];
	guint lane_count;
	struct store_contact_tally tally;
};

static bool
read_definitions(struct import *import, GError **error)
{
	if (!import->definitions)
		import->definitions =
		    store_property_list(import->service->db, &import->goal.workspace, error);
	return import->definitions != NULL;
}

/* Finds the types of the keys. */
static bool
read_types(struct import *import, GError **error)
{
	const char *const *keys = import->options.keys;
	guint count = keys ? g_strv_length((char **)keys) : 0;

	import->types = g_new0(enum store_property_type, count);
	if (count == 0)
		return true;
	if (import->options.types)
		base_array_copy(
		    import->types, import->options.types, count, sizeof(*import->types));
	if (!read_definitions(import, error))
		return false;
	for (guint i = 0; i < import->definitions->len; i++) {
		const struct store_property *property = import->definitions->pdata[i];

		for (guint k = 0; k < count; k++)
			if (strcmp(keys[k], property->key) == 0)
				import->types[k] = property->type;
	}
	return true;
}

struct import *
import_new(struct service *service, const struct base_id *workspace, const struct base_id *audience,
    const struct import_options *options)
{
	struct import *import = g_new0(struct import, 1);

	import->service = service;
	import->options = *options;
	import->goal.workspace = *workspace;
	import->goal.options = &import->options;
	if (audience) {
		import->audience_id = *audience;
		import->goal.audience = &import->audience_id;
	}
	import->time_zones = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	import->lane_count = options->in_threads ? IMPORT_LANES : 1;
	for (guint i = 0; i < import->lane_count; i++)
		import->lanes[i] =
		    (struct lane){.service = i == 0 ? service : service_open(service->settings),
			.filling = import_batch_new(&import->goal),
			.storing = import_batch_new(&import->goal)};
	return import;
}

void
import_set_keys(struct import *import, const char *const *keys, const bool *typed)
{
	import->options.keys = keys;
	import->typed = typed;
	g_clear_pointer(&import->types, g_free);
}

/* Waits for the batch that is being stored, and tells its results. */
static bool
import_finish(struct import *import, struct lane *lane, GError **error)
{
	if (!lane->thread)
		return true;
	bool stored = g_thread_join(lane->thread) != NULL;
	lane->thread = NULL;
	import_batch_tell(lane->storing, &import->tally);
	if (!stored)
		g_propagate_error(error, g_steal_pointer(&lane->failure));
	return stored;
}

void
import_free(struct import *import)
{
	for (guint i = 0; i < import->lane_count; i++) {
		struct lane *lane = &import->lanes[i];

		import_finish(import, lane, NULL);
		import_batch_free(lane->filling);
		import_batch_free(lane->storing);
		if (lane->service != import->service)
			service_close(lane->service);
	}
	g_hash_table_unref(import->time_zones);
	g_clear_pointer(&import->definitions, g_ptr_array_unref);
	g_free(import->types);
	g_free(import);
}

static bool
check_time_zone(struct import *import, const char *name, GError **error)
{
	if (!name || g_hash_table_contains(import->time_zones, name))
		return true;
	if (!person_check_time_zone(name, error))
		return false;
	g_hash_table_add(import->time_zones, g_strdup(name));
	return true;
}

/* A value does not fit. Returns whether the contact goes on without it; else the message names the
   remedy. */
static bool
import_leave_out(struct import *import, guint64 line, const char *example, GError **error)
{
	const struct import_options *options = &import->options;
	bool fits_not = g_error_matches(*error, PH_ERROR, PH_ERROR_INVALID);

	if (!fits_not || (!options->lenient && !options->dashes))
		return false;
	g_autofree char *fault = options->lenient
				     ? g_strdup_printf("%s: it is left out", (*error)->message)
				     : g_strdup_printf("%s: %s, or leave it out with %slenient",
					   (*error)->message, example, options->dashes);
	if (!options->lenient) {
		g_free((*error)->message);
		(*error)->message = g_steal_pointer(&fault);
		return false;
	}
	if (options->warn)
		options->warn(line, fault, options->context);
	g_clear_error(error);
	return true;
}

/* Makes the value, JSON, that a text means. The caller owns it. */
static char *
make_value(struct import *import, guint key, const char *text, GError **error)
{
	bool is_typed = import->typed && import->typed[key];
	enum store_property_type type = import->types[key];
	g_autofree char *what = g_strconcat("properties.", import->options.keys[key], NULL);
	g_autofree char *value = is_typed ? person_property_value(text) : NULL;

	if (value && type == 0)
		return g_steal_pointer(&value);
	/* A string of an export of ours is one also where it is like a number. */
	if (value && *text == '"') {
		g_autofree char *object = g_strdup_printf("{\"v\":%s}", value);
		AUTO(json) document = json_parse(object, strlen(object), error);

		return document && property_check_value(
				       what, type, json_member_get(document, "v"), error)
			   ? g_steal_pointer(&value)
			   : NULL;
	}
	return property_value(what, type, text, error);
}

/* Writes the value that a text means: null for an empty one. */
static bool
import_write_value(struct import *import, struct json_writer *writer, guint key, const char *text,
    guint64 line, GError **error)
{
	const char *name = import->options.keys[key];
	bool is_typed = import->typed && import->typed[key];
	enum store_property_type type = import->types[key];
	GError *failure = NULL;

	if (!*text) {
		json_writer_null(writer, name);
		return true;
	}
	if (!is_typed && (type == 0 || type == PROPERTY_STRING)) {
		json_writer_string(writer, name, text);
		return true;
	}
	g_autofree char *value = make_value(import, key, text, &failure);
	if (value)
		json_writer_raw(writer, name, value, strlen(value));
	else if (!import_leave_out(import, line, "correct it", &failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	return true;
}

/* Prints the properties that are given as values. The caller owns the text. */
static char *
print_values(struct import *import, const struct json *values, GError **error)
{
	return read_definitions(import, error) &&
		       person_check_defined(import->definitions, values, error)
		   ? json_print(values)
		   : NULL;
}

/* Writes the properties that are given as texts of the keys. The caller owns the text. */
static char *
import_write_texts(struct import *import, const struct import_contact *contact, GError **error)
{
	const char *const *keys = import->options.keys, *const *texts = contact->properties;
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; keys[i]; i++)
		if (texts[i] &&
		    !import_write_value(import, writer, i, texts[i], contact->line, error))
			return NULL;
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Makes the patch of the properties. *patch_r is NULL without values and keys; the caller owns it.
 */
static bool
make_patch(
    struct import *import, const struct import_contact *contact, char **patch_r, GError **error)
{
	const char *const *keys = import->options.keys;

	*patch_r = NULL;
	if (!contact->values && (!keys || !*keys))
		return true;
	g_autofree char *patch = contact->values ? print_values(import, contact->values, error)
						 : import_write_texts(import, contact, error);
	if (!patch || !person_check_size(patch, error))
		return false;
	*patch_r = g_steal_pointer(&patch);
	return true;
}

/* The thread of a lane. Not NULL: it has stored the batch. */
static void *
import_store(void *context)
{
	struct lane *lane = context;
	bool stored = service_ensure(lane->service, &lane->failure) &&
		      import_batch_store(lane->storing, lane->service, &lane->failure);

	return stored ? lane : NULL;
}

/* Stores the contacts of a lane, in a thread if the import has some: then the next call returns the
   errors. */
static bool
import_hand_over(struct import *import, struct lane *lane, GError **error)
{
	if (import->options.in_threads) {
		if (!import_finish(import, lane, error))
			return false;
		struct import_batch *full = lane->filling;
		lane->filling = lane->storing;
		lane->storing = full;
		lane->thread = g_thread_new("import", import_store, lane);
		return true;
	}
	bool stored = import_batch_store(lane->filling, lane->service, error);
	import_batch_tell(lane->filling, &import->tally);
	return stored;
}

/* Checks language and time zone; one that does not fit may be left out of *contact. */
static bool
check_person(struct import *import, struct import_contact *contact, GError **error)
{
	GError *failure = NULL;

	if (!person_check_language(contact->language, &failure) &&
	    import_leave_out(import, contact->line, "write one like de-AT", &failure)) {
		contact->language_given = false;
		contact->language = NULL;
	}
	if (!failure && !check_time_zone(import, contact->time_zone, &failure) &&
	    import_leave_out(import, contact->line, "write one like Europe/Vienna", &failure)) {
		contact->time_zone_given = false;
		contact->time_zone = NULL;
	}
	if (failure)
		g_propagate_error(error, failure);
	return !failure;
}

bool
import_add(struct import *import, const struct import_contact *contact, GError **error)
{
	g_autofree char *address = NULL, *patch = NULL;
	struct import_contact fit = *contact;

	if ((!import->types && !read_types(import, error)) ||
	    !person_contact_check_new(&contact->fields, &address, error) ||
	    !check_person(import, &fit, error) || !make_patch(import, &fit, &patch, error))
		return false;
	g_autofree char *language = text_language_standard(fit.language);
	fit.language = language;
	struct lane *lane = &import->lanes[g_str_hash(address) % import->lane_count];
	return !import_batch_add(lane->filling, &fit, g_steal_pointer(&address), patch) ||
	       import_hand_over(import, lane, error);
}

bool
import_flush(struct import *import, GError **error)
{
	bool done = true;

	for (guint i = 0; done && i < import->lane_count; i++)
		done = import_hand_over(import, &import->lanes[i], error);
	for (guint i = 0; done && i < import->lane_count; i++)
		done = import_finish(import, &import->lanes[i], error);
	return done;
}

const struct store_contact_tally *
import_tally(const struct import *import)
{
	return &import->tally;
}
