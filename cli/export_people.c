/* SPDX-License-Identifier: MIT */
/* Reads people twice: first to find the columns that they need, then to write them. */
#include "cli/export_people.h"

#include <string.h>

#include "cli/call.h"
#include "cli/export.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/property_text.h"
#include "store/person/people.h"
#include "store/workspace/workspace.h"

#define PAGE 1000

/* The columns. */
struct table {
	struct cli_export *export; /* NULL while the columns are being found */
	bool is_of_audience, has_language, has_time_zone;
	GHashTable *found;   /* keys of properties, owned */
	GPtrArray *keys;     /* in order, borrowed from found */
	GPtrArray *fields;   /* of a record */
	GPtrArray *released; /* texts of the record that are owned */
};

static void
export_people_note(
    struct table *table, const struct store_person *person, const struct json *properties)
{
	struct json_iterator members = json_members(properties);
	const struct json *value;
	const char *key;

	table->has_language |= person->language != NULL;
	table->has_time_zone |= person->time_zone != NULL;
	while (json_iterator_next(&members, &key, &value))
		if (!g_hash_table_contains(table->found, key))
			g_hash_table_add(table->found, g_strdup(key));
}

static void
export_people_add(struct table *table, const char *text)
{
	g_ptr_array_add(table->fields, (gpointer)text);
}

/* The text of a value, by which contact import reads it back. */
static const char *
export_people_text_of(struct table *table, const struct json *value)
{
	char *buffer;
	const char *text = person_property_text(value, &buffer);

	if (buffer)
		g_ptr_array_add(table->released, buffer);
	return text;
}

static bool
export_people_write_record(struct table *table, GError **error)
{
	bool done = cli_export_write(
	    table->export, (const char *const *)table->fields->pdata, table->fields->len, error);

	g_ptr_array_set_size(table->fields, 0);
	g_ptr_array_set_size(table->released, 0);
	return done;
}

/* The name of a property's column, which is no field's. */
static void
export_people_add_name(struct table *table, const char *key)
{
	char *name = g_strconcat("properties.", key, NULL);

	g_ptr_array_add(table->released, name);
	export_people_add(table, name);
}

static bool
export_people_write_header(struct table *table, GError **error)
{
	export_people_add(table, "email");
	export_people_add(table, "first_name");
	export_people_add(table, "last_name");
	export_people_add(table, table->is_of_audience ? "is_subscribed" : "subscribed");
	if (table->has_language)
		export_people_add(table, "language");
	if (table->has_time_zone)
		export_people_add(table, "time_zone");
	for (guint i = 0; i < table->keys->len; i++)
		export_people_add_name(table, table->keys->pdata[i]);
	return export_people_write_record(table, error);
}

static bool
export_people_write_person(struct table *table, const struct store_person *person,
    const struct json *properties, GError **error)
{
	export_people_add(table, person->email);
	export_people_add(table, person->first_name);
	export_people_add(table, person->last_name);
	export_people_add(table, person->is_subscribed ? "true" : "false");
	if (table->has_language)
		export_people_add(table, person->language);
	if (table->has_time_zone)
		export_people_add(table, person->time_zone);
	for (guint i = 0; i < table->keys->len; i++)
		export_people_add(table, export_people_text_of(table,
					     json_member_get(properties, table->keys->pdata[i])));
	return export_people_write_record(table, error);
}

static bool
export_people_visit(struct table *table, const GPtrArray *people, GError **error)
{
	for (guint i = 0; i < people->len; i++) {
		const struct store_person *person = people->pdata[i];
		AUTO(json) properties =
		    json_parse(person->properties, strlen(person->properties), NULL);

		if (!table->export)
			export_people_note(table, person, properties);
		else if (!export_people_write_person(table, person, properties, error))
			return false;
	}
	return true;
}

/* Goes through all people, page by page. */
static bool
visit_all(
    struct cli_call *call, const struct base_id *audience, struct table *table, GError **error)
{
	g_autofree char *after = g_strdup("");
	guint got = PAGE;

	while (got == PAGE) {
		g_autoptr(GPtrArray) people = store_people_by_address(
		    call->db, &call->workspace->id, audience, after, PAGE, error);

		if (!people || !export_people_visit(table, people, error))
			return false;
		got = people->len;
		g_free(after);
		after =
		    got > 0
			? g_strdup(((const struct store_person *)people->pdata[got - 1])->address)
			: NULL;
	}
	return true;
}

static int
export_people_by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Finds the columns. */
static bool
export_people_find(
    struct cli_call *call, const struct base_id *audience, struct table *table, GError **error)
{
	GHashTableIter iter;
	gpointer key;

	if (!visit_all(call, audience, table, error))
		return false;
	g_hash_table_iter_init(&iter, table->found);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		g_ptr_array_add(table->keys, key);
	g_ptr_array_sort(table->keys, export_people_by_text);
	return true;
}

bool
cli_export_people(
    struct cli_call *call, const struct cli_export_people *given, guint64 *count_r, GError **error)
{
	const struct base_id *audience = given->audience;
	g_autoptr(GHashTable) found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GPtrArray) keys = g_ptr_array_new(), fields = g_ptr_array_new();
	g_autoptr(GPtrArray) released = g_ptr_array_new_with_free_func(g_free);
	struct table table = {.is_of_audience = audience != NULL,
	    .found = found,
	    .keys = keys,
	    .fields = fields,
	    .released = released};

	if (!export_people_find(call, audience, &table, error))
		return false;
	AUTO(cli_export) export = cli_export_open(given->path, given->raw, given->total, error);
	table.export = export;
	if (!export || !export_people_write_header(&table, error) ||
	    !visit_all(call, audience, &table, error) || !cli_export_finish(export, error))
		return false;
	*count_r = cli_export_count(export);
	return true;
}
