/* SPDX-License-Identifier: MIT */
/* Events under /resend: sends them, and declares, reads, changes and removes their names. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "automation/event.h"
#include "rule/event_name.h"
#include "automation/node_wait.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/limits.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/event_type.h"
#include "store/person/person.h"

#define OBJECT "event"
#define RESERVED "resend:"

struct declaration {
	const char *name;
	const struct json *schema;
};

struct sent {
	const char *event, *email, *contact_id;
	const struct json *payload;
};

/* clang-format off */
static const struct json_field new_fields[] = {
	JSON_FIELD("name", FIELD_STRING, struct declaration, name, .required = true, .min = 1),
	JSON_FIELD("schema", FIELD_OBJECT, struct declaration, schema, .max = LIMIT_RESEND_EVENT_FIELDS),
};

static const struct json_field change_fields[] = {
	JSON_FIELD("schema", FIELD_OBJECT, struct declaration, schema, .max = LIMIT_RESEND_EVENT_FIELDS),
};

static const struct json_field sent_fields[] = {
	JSON_FIELD("event", FIELD_STRING, struct sent, event, .required = true, .min = 1),
	JSON_FIELD("email", FIELD_STRING, struct sent, email),
	JSON_FIELD("contact_id", FIELD_STRING, struct sent, contact_id),
	JSON_FIELD("payload", FIELD_OBJECT, struct sent, payload),
};
/* clang-format on */

const struct json_table fcgi_resend_events_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_events_change = JSON_TABLE(change_fields);
const struct json_table fcgi_resend_events_sent = JSON_TABLE(sent_fields);

static bool
is_boolean(const struct json *value)
{
	return json_kind(value) == JSON_BOOLEAN;
}

static bool
events_is_number(const struct json *value)
{
	return json_number_text(value) != NULL;
}

static bool
is_string(const struct json *value)
{
	return json_kind(value) == JSON_STRING;
}

static bool
events_is_date(const struct json *value)
{
	gint64 time;

	return automation_node_data_time(value, &time);
}

/* The types of a schema. */
static const struct {
	const char *name, *noun;
	bool (*holds)(const struct json *value);
} member_types[] = {
    {"string", "a string", is_string},
    {"number", "a number", events_is_number},
    {"boolean", "a boolean", is_boolean},
    {"date", "an ISO 8601 date", events_is_date},
};

static guint
events_find_type(const struct json *value)
{
	const char *name = json_string(value, NULL);
	guint i = 0;

	while (i < G_N_ELEMENTS(member_types) && g_strcmp0(member_types[i].name, name) != 0)
		i++;
	return i;
}

static bool
check_schema(const struct json *schema, GError **error)
{
	struct json_iterator members = json_members(schema);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		if (!*name || g_utf8_strlen(name, -1) > LIMIT_NAME_LENGTH)
			return fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `schema` field. schema must have names of 1 to %d characters.",
			    LIMIT_NAME_LENGTH);
		if (events_find_type(value) == G_N_ELEMENTS(member_types))
			return fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `schema` field. schema.%s must be string, number, boolean or "
			    "date.",
			    name);
	}
	return true;
}

/* The normal form of a name; NULL, naming the field, when it has none or is reserved. The caller
   owns it. */
static char *
normal_name(const char *field, const char *given, GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *name = rule_event_name(field, given, &local);

	bool is_own = name && rule_event_name_is_own(name);
	if (name && !is_own && !rule_event_name_reserved(name) && !g_str_has_prefix(name, RESERVED))
		return g_steal_pointer(&name);
	if (is_own)
		fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `%s` field. %s %s is told by Posthouse itself", field, field, name);
	else if (name)
		fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `%s` field. %s must not begin with " RESERVED
		    " or " EVENT_NAME_RESERVED,
		    field, field);
	else
		fcgi_resend_fail(
		    error, RESEND_INVALID, "Invalid `%s` field. %s.", field, local->message);
	return NULL;
}

bool
fcgi_resend_events_post(struct fcgi_call *call, GError **error)
{
	struct declaration given = {0};
	GError *local = NULL;

	if (!fcgi_resend_read(call->json, &fcgi_resend_events_new, &given, error) ||
	    !check_schema(given.schema, error))
		return false;
	g_autofree char *name = normal_name("name", given.name, error);
	if (!name)
		return false;
	g_autofree char *title = g_strstrip(g_strdup(given.name));
	g_autofree char *fields = given.schema ? json_print(given.schema) : NULL;
	gint64 now = base_clock_now();
	const struct store_event_type type = {
	    base_id_new(), call->key.workspace_id, name, title, fields, now, now};
	if (store_event_type_insert(call->service->db, &type, &local)) {
		fcgi_resend_reply_id(call, 201, OBJECT, &type.id, false);
		return true;
	}
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_propagate_error(error, local);
		return false;
	}
	g_error_free(local);
	return fcgi_resend_fail(
	    error, RESEND_INVALID, "Invalid `name` field. Another event has this name.");
}

/* The event that the path names by its id or its name. */
static struct store_event_type *
events_find(struct fcgi_call *call, GError **error)
{
	const char *argument = call->arguments[0];
	struct base_id id;
	bool is_id = base_id_parse(argument, &id);
	g_autofree char *name = is_id ? NULL : rule_event_name("name", argument, NULL);

	if (is_id || name)
		return store_event_type_get(
		    call->service->db, &call->key.workspace_id, is_id ? &id : NULL, name, error);
	fcgi_resend_missing(error, "Event");
	return NULL;
}

static void
events_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_event_type *type = row;
	fcgi_resend_write_id(writer, "id", &type->id);
	json_writer_string(writer, "name", type->title);
	json_writer_raw(writer, "schema", type->fields, type->fields ? strlen(type->fields) : 0);
	fcgi_resend_write_time(writer, "created_at", type->created);
	fcgi_resend_write_time(writer, "updated_at", type->updated);
}

bool
fcgi_resend_events_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_event_type) type = events_find(call, error);

	return fcgi_resend_reply_row(call, OBJECT, events_write_members, type);
}

bool
fcgi_resend_events_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	g_autoptr(GPtrArray) types =
	    store_event_type_page(call->service->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, types, events_write_members);
}

/* A schema of null takes the schema back. */
bool
fcgi_resend_events_patch(struct fcgi_call *call, GError **error)
{
	struct declaration given = {0};

	if (!fcgi_resend_read(call->json, &fcgi_resend_events_change, &given, error))
		return false;
	if (!json_member_has(call->json, "schema"))
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `schema` field.");
	if (!check_schema(given.schema, error))
		return false;
	AUTO(store_event_type) type = events_find(call, error);
	if (!type)
		return false;
	g_free(type->fields);
	type->fields = given.schema ? json_print(given.schema) : NULL;
	type->updated = base_clock_now();
	if (!store_event_type_change(call->service->db, type, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &type->id, false);
	return true;
}

bool
fcgi_resend_events_delete(struct fcgi_call *call, GError **error)
{
	AUTO(store_event_type) type = events_find(call, error);

	if (!type || !store_event_type_remove(call->service->db, type, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &type->id, true);
	return true;
}

/* Members that the schema does not name, and those that are null or missing, are free. */
static bool
check_payload(const struct json *payload, const char *fields, GError **error)
{
	AUTO(json) schema = fields ? json_parse_as("schema", fields, strlen(fields), error) : NULL;
	struct json_iterator members = json_members(schema);
	const struct json *type;
	const char *name;

	if (fields && !schema)
		return false;
	while (json_iterator_next(&members, &name, &type)) {
		const struct json *value = json_member_get(payload, name);
		guint i = events_find_type(type);

		if (value && i < G_N_ELEMENTS(member_types) && !member_types[i].holds(value))
			return fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `payload` field. payload.%s must be %s.", name,
			    member_types[i].noun);
	}
	return true;
}

/* The email of the contact that is named by its id, which the caller owns. */
static bool
events_read_contact(struct fcgi_call *call, const struct sent *sent, char **email_r, GError **error)
{
	struct base_id id;

	if (!base_id_parse(sent->contact_id, &id))
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `contact_id` field. contact_id must be a valid UUID.");
	*email_r = store_person_email(call->service->db, &call->key.workspace_id, &id, error);
	return *email_r != NULL;
}

static bool
read_sent(struct fcgi_call *call, struct sent *sent, GError **error)
{
	if (!fcgi_resend_read(call->json, &fcgi_resend_events_sent, sent, error))
		return false;
	if (sent->email && !*sent->email)
		sent->email = NULL;
	if (!sent->email && !sent->contact_id)
		return fcgi_resend_fail(
		    error, RESEND_MISSING_FIELD, "Missing `email` or `contact_id` field.");
	if (sent->email && sent->contact_id)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `contact_id` field. email and contact_id cannot both be given.");
	return true;
}

/* Checks the name, and the payload by the schema of the name. */
static bool
events_check_event(struct fcgi_call *call, const struct sent *sent, GError **error)
{
	g_autofree char *name = normal_name("event", sent->event, error);
	g_autofree char *fields = NULL;

	return name &&
	       store_event_type_fields(
		   call->service->db, &call->key.workspace_id, name, &fields, error) &&
	       check_payload(sent->payload, fields, error);
}

/* The name as it was given. */
static char *
events_write_sent(const struct service_once *request)
{
	const struct automation_recording *event = (const struct automation_recording *)request;
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	json_writer_string(writer, "event", event->input.name);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static struct service_once *
events_check(struct fcgi_call *call, GError **error)
{
	struct sent sent = {0};
	g_autofree char *email = NULL;
	GError *local = NULL;

	if (!read_sent(call, &sent, error) || !events_check_event(call, &sent, error) ||
	    (sent.contact_id && !events_read_contact(call, &sent, &email, error)))
		return NULL;
	const struct automation_event_input input = {
	    sent.event, email ? email : sent.email, sent.payload};
	struct automation_recording *event =
	    automation_event_check(call->service, &call->key.workspace_id, &input, NULL, &local);
	if (event) {
		event->apart = true;
		event->only_domain = fcgi_call_only_domain(call);
		return &event->request;
	}
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, local);
		return NULL;
	}
	const char *rest = strchr(local->message, ' ');
	const char *field = g_str_has_prefix(local->message, "properties ") ? "payload" : "email";
	fcgi_resend_fail(error, RESEND_INVALID, "Invalid `%s` field. %s%s.", field, field,
	    rest ? rest : " is not valid");
	g_error_free(local);
	return NULL;
}

const struct fcgi_storing fcgi_resend_events_storing = {202, events_check, events_write_sent, NULL};
