/* SPDX-License-Identifier: MIT */
/* Imports of people, and of contacts into an audience, many in a request
   (/v1/audiences/{id}/import, /v1/people/import). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "api/fields.h"
#include "audience/audience.h"
#include "base/error.h"
#include "base/limits/import.h"
#include "fcgi/api/context.h"
#include "import/import.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/person/audience.h"

struct row {
	struct import_contact contact;
	const struct json *is_subscribed; /* NULL: null, or not given */
};

/* These check only types; import/import.h checks the limits. */
static const struct json_field contact_fields[] = {FIELDS_CONTACT_ROW(struct row)};
static const struct json_field person_fields[] = {FIELDS_PERSON_IMPORT_ROW(struct row)};
static const struct json_table contact_row = JSON_TABLE(contact_fields);
static const struct json_table person_row = JSON_TABLE(person_fields);

struct input {
	const char *duplicates;
	bool start_workflows;
	const struct json *override;
};

/* The rows are read one by one: each has faults of its own. */
static const struct json_field contacts_input[] = {
    JSON_DOCUMENTS("rows", &contact_row), FIELDS_CONTACT_ROWS(struct input)};
static const struct json_field people_input[] = {
    JSON_DOCUMENTS("rows", &person_row), FIELDS_PERSON_ROWS(struct input)};

const struct json_table fcgi_imports_contacts_body = JSON_TABLE(contacts_input);
const struct json_table fcgi_imports_people_body = JSON_TABLE(people_input);

/* A row that was not taken. */
struct failed {
	guint index;
	char *message;
};

static void
clear_failed(void *data)
{
	g_free(((struct failed *)data)->message);
}

static void
imports_refuse(guint64 index, const char *fault, void *context)
{
	const struct failed failed = {(guint)index, g_strdup(fault)};

	g_array_append_val((GArray *)context, failed);
}

bool
fcgi_imports_duplicates(const char *word, int *existing_r, GError **error)
{
	static const char *const words[] = {
	    [EXISTING_UPDATE] = "update", [EXISTING_SKIP] = "skip", [EXISTING_REFUSE] = "refuse"};

	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (strcmp(word, words[i]) == 0) {
			*existing_r = (int)i;
			return true;
		}
	return base_invalid(error, "duplicates must be update, skip or refuse");
}

static const struct json *
imports_read_rows(const struct fcgi_call *call, GError **error)
{
	const struct json *rows = json_member_get(call->json, "rows");
	gsize count = json_array_length(rows);

	if (!rows || json_kind(rows) == JSON_NULL)
		base_invalid(error, "rows is required");
	else if (json_kind(rows) != JSON_ARRAY)
		base_invalid(error, "rows must be an array");
	else if (count == 0 || count > LIMIT_IMPORT_ROWS)
		base_invalid(error, "rows must have 1 to %d elements", LIMIT_IMPORT_ROWS);
	else
		return rows;
	return NULL;
}

struct taking {
	struct fcgi_call *call;
	struct import *import;
	const struct json_table *table; /* of a row */
	GArray *failed;
};

/* Takes one row; one with a fault is refused. False when a batch could not be stored. */
static bool
imports_take(const struct taking *taking, const struct json *document, guint index, GError **error)
{
	struct row row = {.contact = {.line = index}};
	g_autoptr(GError) fault = NULL;

	if (fcgi_call_document(taking->call, document, taking->table, &row, &fault)) {
		row.contact.is_subscribed_given = row.is_subscribed != NULL;
		row.contact.is_subscribed = json_boolean(row.is_subscribed);
		if (import_add(taking->import, &row.contact, &fault))
			return true;
	}
	if (!g_error_matches(fault, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, g_steal_pointer(&fault));
		return false;
	}
	imports_refuse(index, fault->message, taking->failed);
	return true;
}

static int
by_index(const void *a, const void *b)
{
	const struct failed *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

static void
imports_reply(struct fcgi_call *call, const struct store_contact_tally *tally, GArray *failed)
{
	AUTO(json_writer) writer = json_writer_new();

	g_array_sort(failed, by_index);
	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "created", (gint64)tally->created);
	json_writer_integer(writer, "updated", (gint64)tally->updated);
	json_writer_integer(writer, "unchanged", (gint64)tally->unchanged);
	json_writer_integer(writer, "skipped", (gint64)tally->skipped);
	json_writer_integer(writer, "kept", (gint64)tally->left);
	json_writer_begin_array(writer, "failed");
	for (guint i = 0; i < failed->len; i++) {
		const struct failed *one = &g_array_index(failed, struct failed, i);

		json_writer_begin_object(writer, NULL);
		json_writer_integer(writer, "index", one->index);
		json_writer_string(writer, "message", one->message);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

/* Whether there is the audience of the path. An import that stores no row does not look for it. */
static bool
imports_find_audience(const struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	if (!audience_id(call->arguments[0], id_r, error))
		return false;
	AUTO(store_audience)
	audience = store_audience_get(call->service->db, &call->key.workspace_id, id_r, error);
	return audience != NULL;
}

/* Imports the rows of the body. into_audience: that of the path; else people without memberships.
 */
static bool
imports_run(struct fcgi_call *call, bool into_audience, const struct json_table *table,
    const struct json_table *row_table, GError **error)
{
	struct input input = {.duplicates = "update"};
	g_autoptr(GArray) failed = g_array_new(FALSE, FALSE, sizeof(struct failed));
	struct import_options options = {.refuse = imports_refuse, .context = failed};
	struct store_consent_override override;
	struct base_id audience;
	const struct json *rows;
	int existing = EXISTING_UPDATE;

	g_array_set_clear_func(failed, clear_failed);
	if (!json_fields_read(call->json, table->fields, table->count, &input, error) ||
	    !(rows = imports_read_rows(call, error)) ||
	    !fcgi_imports_duplicates(input.duplicates, &existing, error) ||
	    !fcgi_call_override(call, input.override, &override, &options.override, error) ||
	    (into_audience && !imports_find_audience(call, &audience, error)))
		return false;
	options.existing = (enum store_contact_existing)existing;
	options.start_workflows = input.start_workflows;
	AUTO(import)
	import = import_new(
	    call->service, &call->key.workspace_id, into_audience ? &audience : NULL, &options);
	const struct taking taking = {call, import, row_table, failed};
	for (guint i = 0; i < json_array_length(rows); i++)
		if (!imports_take(&taking, json_array_at(rows, i), i, error))
			return false;
	if (!import_flush(import, error))
		return false;
	imports_reply(call, import_tally(import), failed);
	return true;
}

bool
fcgi_imports_contacts(struct fcgi_call *call, GError **error)
{
	return imports_run(call, true, &fcgi_imports_contacts_body, &contact_row, error);
}

bool
fcgi_imports_people(struct fcgi_call *call, GError **error)
{
	return imports_run(call, false, &fcgi_imports_people_body, &person_row, error);
}
