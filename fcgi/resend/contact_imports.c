/* SPDX-License-Identifier: MIT */
/* Imports of contacts under /resend: takes the form with the file, and shows what became of it. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/import.h"
#include "consent/consent.h"
#include "fcgi/api/context.h"
#include "fcgi/http/multipart.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/limits.h"
#include "import/contacts.h"
#include "import/view.h"
#include "json/fields.h"
#include "json/lenient.h"
#include "json/strict.h"
#include "json/writer.h"
#include "property/property.h"
#include "service/service.h"
#include "store/consent/topic.h"
#include "store/person/import.h"

#define OBJECT "contact_import"
#define WAIT_S 60 /* until a client that has too many imports asks again */

/* Reads the form from the body, which it borrows. */
static bool
contact_imports_read_form(
    struct fcgi_call *call, const char *body, struct fcgi_multipart_form *form, GError **error)
{
	if (!fcgi_multipart_form_read(
		fcgi_request_header(call->request, "CONTENT_TYPE"), body, call->body_size, form))
		return fcgi_resend_fail(
		    error, RESEND_NO_JSON, "The request body must be a multipart form.");
	if (!form->file)
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `file` field.");
	return form->size <= LIMIT_IMPORT_BYTES ||
	       fcgi_resend_fail(error, RESEND_TOO_LARGE,
		   "Invalid `file` field. file must be at most %d bytes.", LIMIT_IMPORT_BYTES);
}

struct element {
	const char *id, *subscription;
};

struct map {
	const char *email, *first_name, *last_name, *unsubscribed;
	const struct json *properties;
};

struct mapping {
	const char *column, *type;
};

struct input {
	const struct json *column_map;
	const char *on_conflict;
	const struct json *segments; /* ids, or objects with them; NULL: not given */
	GArray *topics;		     /* of struct element; NULL: not given */
};

/* clang-format off */
static const struct json_field topic_fields[] = {
	JSON_FIELD("id", FIELD_STRING, struct element, id, .required = true, .min = 1),
	JSON_FIELD("subscription", FIELD_STRING, struct element, subscription, .required = true, .min = 1),
};
#define ELEMENTS(name, table) JSON_FIELD(#name, FIELD_LIST, struct input, name, .max = LIMIT_RESEND_PARTS, .elements = table, .element_count = G_N_ELEMENTS(table), .element_size = sizeof(struct element))
static const struct json_field map_fields[] = {
	JSON_FIELD("email", FIELD_STRING, struct map, email, .min = 1),
	JSON_FIELD("first_name", FIELD_STRING, struct map, first_name, .min = 1),
	JSON_FIELD("last_name", FIELD_STRING, struct map, last_name, .min = 1),
	JSON_FIELD("unsubscribed", FIELD_STRING, struct map, unsubscribed, .min = 1),
	JSON_FIELD("properties", FIELD_OBJECT, struct map, properties, .max = LIMIT_RESEND_IMPORT_KEYS),
};
static const struct json_field fields[] = {
	JSON_FIELD("column_map", FIELD_OBJECT, struct input, column_map, JSON_MEMBERS(map_fields)),
	JSON_FIELD("on_conflict", FIELD_STRING, struct input, on_conflict, .min = 1),
	JSON_FIELD("segments", FIELD_JSON, struct input, segments, .max = LIMIT_RESEND_PARTS, .kinds = JSON_KIND(JSON_ARRAY)),
	ELEMENTS(topics, topic_fields),
};
static const struct json_field mapping_fields[] = {
	JSON_FIELD("column", FIELD_STRING, struct mapping, column, .required = true, .min = 1),
	JSON_FIELD("type", FIELD_STRING, struct mapping, type, .min = 1),
};
/* clang-format on */

static const struct json_table input_table = JSON_TABLE(fields), map_table = JSON_TABLE(map_fields),
			       mapping_table = JSON_TABLE(mapping_fields);

/* The text of a part, by its name or the camelCase form of it; NULL for none, and for an empty one.
 */
static const char *
find_text(const struct fcgi_multipart_form *form, const char *name)
{
	char twin[JSON_LENIENT_TWIN_SIZE];
	const char *text = g_hash_table_lookup(form->texts, name);

	if ((!text || !*text) && json_lenient_twin(name, twin))
		text = g_hash_table_lookup(form->texts, twin);
	return text && *text ? text : NULL;
}

/* The texts of the form as one object; all but on_conflict are JSON. The caller owns it. */
static struct json *
make_object(const struct fcgi_multipart_form *form, GError **error)
{
	static const char *const names[] = {"column_map", "on_conflict", "segments", "topics"};
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		const char *text = find_text(form, names[i]);
		bool plain = strcmp(names[i], "on_conflict") == 0;
		AUTO(json)
		value = text && !plain ? json_parse_any(text, strlen(text), NULL) : NULL;

		if (text && !plain && !value && strcmp(text, "null") != 0) {
			fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `%s` field. %s must be JSON.", names[i], names[i]);
			return NULL;
		}
		if (text && plain)
			json_writer_string(writer, names[i], text);
		else if (value)
			json_writer_value(writer, names[i], value);
	}
	json_writer_end_object(writer);
	g_autofree char *object = json_writer_take(writer, NULL);
	return json_parse(object, strlen(object), error);
}

/* The default is that of Resend's clients for Node, Python and Go. */
static bool
read_conflict(const char *word, bool *skips_r, GError **error)
{
	*skips_r = !word || strcmp(word, "skip") == 0;
	return *skips_r || strcmp(word, "upsert") == 0 ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `on_conflict` field. on_conflict must be upsert or skip.");
}

/* Reads an object within column_map. prefix: its path, with a final dot. */
static bool
read_within(const struct json *object, const struct json_table *table, const char *prefix,
    void *out, GError **error)
{
	GError *local = NULL;

	json_lenient_settle(object, table);
	if (json_fields_read(object, table->fields, table->count, out, &local))
		return true;
	g_prefix_error(&local, "%s", prefix);
	return fcgi_resend_invalid(local, error);
}

/* Reads the type of a property: a text where it says none. */
static bool
contact_imports_read_type(
    const char *key, const char *word, enum store_property_type *type_r, GError **error)
{
	*type_r = PROPERTY_STRING;
	return !word || (property_read_type(word, type_r, NULL) && *type_r != PROPERTY_DATE) ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `column_map` field. column_map.properties.%s.type must be string, "
		   "number or boolean.",
		   key);
}

/* Reads the properties of the map into wished, of struct import_contacts_property. */
static bool
contact_imports_read_properties(const struct json *properties, GArray *wished, GError **error)
{
	struct json_iterator members = json_members(properties);
	const struct json *value;
	const char *key;

	while (json_iterator_next(&members, &key, &value)) {
		struct import_contacts_property property = {.key = key};
		struct mapping mapping = {0};
		GError *failure = NULL;

		if (json_kind(value) != JSON_OBJECT)
			return fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `column_map` field. column_map.properties.%s must be an "
			    "object.",
			    key);
		if (!property_check_key(key, &failure)) {
			fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `column_map` field. column_map.properties.%s: %s.", key,
			    failure->message);
			g_error_free(failure);
			return false;
		}
		g_autofree char *prefix = g_strdup_printf("column_map.properties.%s.", key);
		if (!read_within(value, &mapping_table, prefix, &mapping, error) ||
		    !contact_imports_read_type(key, mapping.type, &property.type, error))
			return false;
		property.column = mapping.column;
		g_array_append_val(wished, property);
	}
	return true;
}

/* Reads choices of topics, which must exist, into wanted, of struct consent_topic. */
static bool
contact_imports_read_topics(
    struct fcgi_call *call, const GArray *topics, GArray *wanted, GError **error)
{
	for (guint i = 0; topics && i < topics->len; i++) {
		const struct element *element = &g_array_index(topics, struct element, i);
		struct consent_topic topic;

		if (!fcgi_resend_read_topic(element->id, element->subscription, i, &topic, error))
			return false;
		AUTO(store_topic)
		found =
		    store_topic_get(call->service->db, &call->key.workspace_id, &topic.id, NULL);
		if (!found)
			return fcgi_resend_fail(
			    error, RESEND_INVALID, "Invalid `topics` field. Topic not found.");
		g_array_append_val(wanted, topic);
	}
	return true;
}

/* The lists of an import that is asked for. */
struct lists {
	GArray *properties, *segments, *topics;
};

static bool
contact_imports_create(struct fcgi_call *call, const struct fcgi_multipart_form *form,
    const struct input *input, const struct lists *lists, GError **error)
{
	g_autoptr(GBytes) file = g_bytes_new_static(form->file, form->size);
	struct import_contacts_wish wish = {.file = file};
	struct map map = {0};
	GError *failure = NULL;
	struct base_id id;

	if (!read_conflict(input->on_conflict, &wish.skips, error) ||
	    (input->column_map &&
		!read_within(input->column_map, &map_table, "column_map.", &map, error)) ||
	    (map.properties &&
		!contact_imports_read_properties(map.properties, lists->properties, error)) ||
	    !fcgi_resend_read_segments(input->segments, lists->segments, error) ||
	    !fcgi_resend_find_segments(call, lists->segments, error) ||
	    !contact_imports_read_topics(call, input->topics, lists->topics, error))
		return false;
	wish.email = map.email;
	wish.first_name = map.first_name;
	wish.last_name = map.last_name;
	wish.unsubscribed = map.unsubscribed;
	wish.properties = (const struct import_contacts_property *)lists->properties->data;
	wish.property_count = lists->properties->len;
	wish.segments = (const struct base_id *)lists->segments->data;
	wish.segment_count = lists->segments->len;
	wish.topics = (const struct consent_topic *)lists->topics->data;
	wish.topic_count = lists->topics->len;
	if (!import_contacts_create(call->service, &call->key.workspace_id, &wish, &id, &failure)) {
		if (g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED))
			call->reply->wait_s = WAIT_S;
		return fcgi_resend_invalid(failure, error);
	}
	fcgi_resend_reply_id(call, 201, OBJECT, &id, false);
	return true;
}

static bool
take_form(struct fcgi_call *call, const struct fcgi_multipart_form *form, GError **error)
{
	AUTO(json) object = make_object(form, error);
	struct lists lists = {g_array_new(FALSE, FALSE, sizeof(struct import_contacts_property)),
	    g_array_new(FALSE, FALSE, sizeof(struct base_id)),
	    g_array_new(FALSE, FALSE, sizeof(struct consent_topic))};
	struct input input = {0};
	bool done = object && fcgi_resend_read(object, &input_table, &input, error) &&
		    contact_imports_create(call, form, &input, &lists, error);

	json_fields_free(fields, G_N_ELEMENTS(fields), &input);
	g_array_unref(lists.properties);
	g_array_unref(lists.segments);
	g_array_unref(lists.topics);
	return done;
}

bool
fcgi_resend_contact_imports_post(struct fcgi_call *call, GError **error)
{
	struct fcgi_multipart_form form;
	g_autofree char *body = NULL;

	if (!fcgi_call_body(call, LIMIT_IMPORT_BYTES + LIMIT_IMPORT_OPTIONS_BYTES, &body, error))
		return false;
	bool done =
	    contact_imports_read_form(call, body, &form, error) && take_form(call, &form, error);
	fcgi_multipart_form_clear(&form);
	return done;
}

static const char *const statuses[] = {[CONTACT_IMPORT_QUEUED] = "queued",
    [CONTACT_IMPORT_IN_PROGRESS] = "in_progress",
    [CONTACT_IMPORT_COMPLETED] = "completed",
    [CONTACT_IMPORT_FAILED] = "failed"};

static struct json_view_value
contact_imports_read_word(const void *row)
{
	const struct store_contact_import *import = row;

	return (struct json_view_value){.type = VIEW_TEXT, .text = statuses[import->status]};
}

/* The records of the file that are done. */
static struct json_view_value
contact_imports_read_counts(const void *row)
{
	const struct store_contact_import_counts *counts =
	    &((const struct store_contact_import *)row)->counts;
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "total",
	    counts->created + counts->updated + counts->same + counts->skipped + counts->failed);
	json_writer_integer(writer, "created", counts->created);
	json_writer_integer(writer, "updated", counts->updated + counts->same);
	json_writer_integer(writer, "skipped", counts->skipped);
	json_writer_integer(writer, "failed", counts->failed);
	json_writer_end_object(writer);
	char *text = json_writer_take(writer, NULL);
	return (struct json_view_value){.type = VIEW_JSON, .text = text, .made = text};
}

static const struct fcgi_resend_member members[] = {
    {"id"},
    {"status", .read = contact_imports_read_word},
    {"created_at", "created"},
    {"completed_at"},
    {"counts", .read = contact_imports_read_counts},
};

static void
contact_imports_write_members(
    struct json_writer *writer, const struct service *service, const void *row)
{
	fcgi_resend_write_view(writer, &import_view, members, G_N_ELEMENTS(members), row);
}

/* In lists too, a row says what it is. */
static void
contact_imports_write_row(
    struct json_writer *writer, const struct service *service, const void *row)
{
	json_writer_string(writer, "object", OBJECT);
	contact_imports_write_members(writer, service, row);
}

/* Reads the filter of the list. */
static bool
contact_imports_read_status(
    struct fcgi_call *call, enum store_contact_import_status *status_r, GError **error)
{
	const char *text;
	guint i = 1;

	*status_r = 0;
	if (!fcgi_resend_query(call, "status", &text, error))
		return false;
	while (text && i < G_N_ELEMENTS(statuses) && strcmp(statuses[i], text) != 0)
		i++;
	if (text && i == G_N_ELEMENTS(statuses))
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `status` field. status must be queued, in_progress, completed or "
		    "failed.");
	if (text)
		*status_r = (enum store_contact_import_status)i;
	return true;
}

bool
fcgi_resend_contact_imports_list(struct fcgi_call *call, GError **error)
{
	enum store_contact_import_status status;
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error) ||
	    !contact_imports_read_status(call, &status, error))
		return false;
	g_autoptr(GPtrArray) imports = store_contact_import_page(
	    call->service->db, &call->key.workspace_id, status, &page, error);
	return fcgi_resend_list(call, &page, imports, contact_imports_write_row);
}

bool
fcgi_resend_contact_imports_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	AUTO(store_contact_import)
	import = store_contact_import_get(
	    call->service->db, &call->key.workspace_id, CONTACT_IMPORT_MAPPED, &id, error);
	return fcgi_resend_reply_row(call, OBJECT, contact_imports_write_members, import);
}
