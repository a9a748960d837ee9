/* SPDX-License-Identifier: MIT */
/* Contacts of a segment under /resend, by id or email. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "automation/person.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "consent/consent.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/contact.h"
#include "person/person.h"
#include "service/service.h"
#include "store/broadcast/segment.h"
#include "store/person/people.h"

#define OBJECT "contact"

struct input {
	struct person_contact_fields fields;
	const struct json *unsubscribed; /* NULL: not given */
	const struct json *properties;
	char *address; /* of the email; owned */
};

/* clang-format off */
#define FIELDS(is_new) { \
	JSON_FIELD("email", FIELD_STRING, struct input, fields.email, .required = (is_new), .min = (is_new)), \
	JSON_FIELD("first_name", FIELD_STRING, struct input, fields.first_name, .max = LIMIT_NAME_LENGTH), \
	JSON_FIELD("last_name", FIELD_STRING, struct input, fields.last_name, .max = LIMIT_NAME_LENGTH), \
	JSON_FIELD("unsubscribed", FIELD_JSON, struct input, unsubscribed, .kinds = JSON_KIND(JSON_BOOLEAN)), \
	JSON_FIELD("properties", FIELD_OBJECT, struct input, properties), \
}
/* clang-format on */

static const struct json_field new_fields[] = FIELDS(1), fields[] = FIELDS(0);

const struct json_table fcgi_resend_contacts_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_contacts_body = JSON_TABLE(fields);

static bool
contacts_read_input(
    struct fcgi_call *call, const struct json_table *table, struct input *input, GError **error)
{
	GError *failure = NULL;

	if (!fcgi_resend_read(call->json, table, input, error))
		return false;
	if (!person_check_properties(
		call->service, &call->key.workspace_id, input->properties, &failure))
		return fcgi_resend_invalid(failure, error);
	if (table != &fcgi_resend_contacts_new)
		input->fields.email = NULL;
	if (person_contact_check(&input->fields, &input->address, &failure))
		return true;
	g_autofree char *field = g_strndup(failure->message, strcspn(failure->message, " "));
	fcgi_resend_fail(error, RESEND_INVALID, "Invalid `%s` field. %s.", field, failure->message);
	g_error_free(failure);
	return false;
}

/* Finds the contact of the path. A name that can be neither an id nor an email is an error. */
static struct store_contact *
contacts_find(struct fcgi_call *call, const struct base_id *audience, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	const char *name = call->arguments[1];
	struct store_contact *contact = NULL;
	GError *failure = NULL;
	struct base_id id = {{0}};

	if (!base_id_parse(name, &id) && !strchr(name, '@')) {
		fcgi_resend_fail(error, RESEND_INVALID_PARAMETER,
		    "The `id` must be a valid UUID or an email address.");
		return NULL;
	}
	g_autofree char *address = strchr(name, '@') ? person_contact_address(name, NULL) : NULL;
	/* No contact has the zero id, so an email that is none finds nobody. */
	if (!address)
		contact = store_contact_get(call->service->db, workspace, audience, &id, &failure);
	/* Clients know one id of a contact, also that which /contacts gave it. */
	if (!address && g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		address = store_person_email(call->service->db, workspace, &id, NULL);
	if (address && !contact) {
		g_clear_error(&failure);
		contact =
		    store_contact_find(call->service->db, workspace, audience, address, &failure);
	}
	if (!contact && call->request->method == METHOD_GET)
		fcgi_resend_segments_fail(call, failure, error);
	else if (!contact)
		fcgi_resend_segments_fail_change(call, audience, failure, error);
	return contact;
}

/* Refuses to subscribe a person who has unsubscribed. */
static bool
contacts_fail(
    struct fcgi_call *call, const struct base_id *audience, GError *failure, GError **error)
{
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return fcgi_resend_segments_fail_change(call, audience, failure, error);
	g_error_free(failure);
	return fcgi_resend_fail(error, RESEND_INVALID,
	    "Invalid `unsubscribed` field. The person has unsubscribed, and alone can take it "
	    "back.");
}

static bool
change(struct fcgi_call *call, const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	struct store_contact_change done = *change;
	GError *failure = NULL;

	done.act = &act;
	return consent_change(
		   call->service, &call->key.workspace_id, audience, id, &done, NULL, &failure) ||
	       contacts_fail(call, audience, failure, error);
}

/* Changes the contact that has this address already: names, and only to unsubscribe it. */
static bool
contacts_update(struct fcgi_call *call, const struct base_id *audience, const struct input *input,
    struct base_id *id_r, GError **error)
{
	GError *failure = NULL;
	AUTO(store_contact) contact = store_contact_find(
	    call->service->db, &call->key.workspace_id, audience, input->address, &failure);
	const struct store_contact_change given = {
	    .first_name_given = input->fields.first_name != NULL,
	    .first_name = input->fields.first_name,
	    .last_name_given = input->fields.last_name != NULL,
	    .last_name = input->fields.last_name,
	    .is_subscribed_given = json_boolean(input->unsubscribed),
	};

	if (!contact)
		return contacts_fail(call, audience, failure, error);
	*id_r = contact->id;
	return !(given.first_name_given || given.last_name_given || given.is_subscribed_given) ||
	       change(call, audience, id_r, &given, error);
}

/* Stores a new contact. A person who has unsubscribed stays so. */
static bool
contacts_create(struct fcgi_call *call, const struct base_id *audience, const struct input *input,
    struct base_id *id_r, GError **error)
{
	AUTO(store_contact) contact = g_new0(struct store_contact, 1);
	const struct store_consent_act act = fcgi_call_act(call);
	GError *failure = NULL;

	contact->workspace_id = call->key.workspace_id;
	contact->audience_id = *audience;
	contact->email = g_strdup(input->fields.email);
	contact->address = g_strdup(input->address);
	contact->first_name = g_strdup(input->fields.first_name);
	contact->last_name = g_strdup(input->fields.last_name);
	contact->is_subscribed = !json_boolean(input->unsubscribed);
	if (consent_create(call->service, contact, false, &act, NULL, &failure)) {
		*id_r = contact->id;
		return true;
	}
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return contacts_fail(call, audience, failure, error);
	g_error_free(failure);
	return contacts_update(call, audience, input, id_r, error);
}

/* Merges the properties into those of the person with this address. */
static bool
set_properties(
    struct fcgi_call *call, const struct json *properties, const char *address, GError **error)
{
	const struct automation_person_data data = {.properties = properties};
	GError *failure = NULL;

	if (json_member_count(properties) == 0)
		return true;
	AUTO(store_person)
	person = automation_person_change(
	    call->service, &call->key.workspace_id, address, &data, &failure);
	return person || fcgi_resend_invalid(failure, error);
}

bool
fcgi_resend_contacts_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct base_id audience, id;
	bool done = fcgi_resend_segments_id(call, &audience, error) &&
		    contacts_read_input(call, &fcgi_resend_contacts_new, &input, error) &&
		    contacts_create(call, &audience, &input, &id, error) &&
		    set_properties(call, input.properties, input.address, error);

	g_free(input.address);
	if (done)
		fcgi_resend_reply_id(call, 201, OBJECT, &id, false);
	return done;
}

static const struct fcgi_resend_member members[] = {
    {"id"},
    {"email"},
    {"first_name"},
    {"last_name"},
    {"created_at", "created"},
    {"unsubscribed"},
};

static void
contacts_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	fcgi_resend_write_view(writer, &person_contact_view, members, G_N_ELEMENTS(members), row);
}

/* Replies with a page of the contacts of a segment. */
static bool
contacts_list_of(struct fcgi_call *call, const struct base_id *segment,
    const struct store_page *page, GError **error)
{
	GError *failure = NULL;
	g_autoptr(GPtrArray) contacts =
	    store_contact_page(call->service->db, &call->key.workspace_id, segment, page, &failure);

	if (contacts)
		return fcgi_resend_list(call, page, contacts, contacts_write_members);
	AUTO(store_segment) rules = fcgi_resend_segments_rules(call, segment, &failure);
	if (!rules)
		return fcgi_resend_segments_fail(call, failure, error);
	g_error_free(failure);
	return fcgi_resend_people_of(call, rules, page, error);
}

bool
fcgi_resend_contacts_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;
	struct base_id segment;

	return fcgi_resend_segments_id(call, &segment, error) &&
	       fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error) &&
	       contacts_list_of(call, &segment, &page, error);
}

bool
fcgi_resend_contacts_list_all(struct fcgi_call *call, GError **error)
{
	struct store_page page;
	struct base_id segment;
	const char *name;

	if (!fcgi_resend_query(call, "segment_id", &name, error))
		return false;
	if (!name)
		return fcgi_resend_people_list(call, error);
	if (!base_id_parse(name, &segment))
		return fcgi_resend_fail(
		    error, RESEND_INVALID_PARAMETER, "The `segment_id` must be a valid UUID.");
	return fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error) &&
	       contacts_list_of(call, &segment, &page, error);
}

bool
fcgi_resend_contacts_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id audience;

	if (!fcgi_resend_segments_id(call, &audience, error))
		return false;
	AUTO(store_contact) contact = contacts_find(call, &audience, error);
	if (!contact)
		return false;
	/* A contact that is not joined yet has no person. */
	AUTO(store_person)
	person =
	    store_people_get(call->service->db, &call->key.workspace_id, contact->address, NULL);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	contacts_write_members(writer, call->service, contact);
	fcgi_resend_write_properties(writer, person ? person->properties : "{}");
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

/* null clears a name: the client's types say so. */
static bool
contacts_patch(
    struct fcgi_call *call, const struct input *input, struct base_id *id_r, GError **error)
{
	struct base_id audience;

	if (!fcgi_resend_segments_id(call, &audience, error))
		return false;
	AUTO(store_contact) contact = contacts_find(call, &audience, error);
	const struct store_contact_change given = {
	    .first_name_given = json_member_has(call->json, "first_name"),
	    .first_name = input->fields.first_name,
	    .last_name_given = json_member_has(call->json, "last_name"),
	    .last_name = input->fields.last_name,
	    .is_subscribed_given = input->unsubscribed != NULL,
	    .is_subscribed = input->unsubscribed && !json_boolean(input->unsubscribed),
	};
	if (!contact)
		return false;
	*id_r = contact->id;
	return change(call, &audience, id_r, &given, error) &&
	       set_properties(call, input->properties, contact->address, error);
}

bool
fcgi_resend_contacts_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct base_id id;
	bool done = contacts_read_input(call, &fcgi_resend_contacts_body, &input, error) &&
		    contacts_patch(call, &input, &id, error);

	g_free(input.address);
	if (done)
		fcgi_resend_reply_id(call, 200, OBJECT, &id, false);
	return done;
}

/* Removes the contact if there is one. */
static bool
contacts_remove_found(struct fcgi_call *call, const struct base_id *audience, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	GError *failure = NULL;
	AUTO(store_contact) contact = contacts_find(call, audience, &failure);

	if (contact && store_contact_remove(call->service->db, &call->key.workspace_id, audience,
			   &contact->id, &act, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_error_free(failure);
		return true;
	}
	g_propagate_error(error, failure);
	return false;
}

bool
fcgi_resend_contacts_delete(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id audience;

	if (!fcgi_resend_segments_id(call, &audience, error) ||
	    !contacts_remove_found(call, &audience, error))
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	json_writer_string(writer, "contact", call->arguments[1]);
	json_writer_boolean(writer, "deleted", true);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
