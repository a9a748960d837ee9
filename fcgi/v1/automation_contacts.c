/* SPDX-License-Identifier: MIT */
/* Contacts of automation and their events (/v1/automation/contacts). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "automation/contact.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "person/contact.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/person/person.h"

struct input {
	const struct json *properties;
};

static const struct json_field fields[] = {FIELDS_AUTOMATION_CONTACT_CHANGE(struct input)};

const struct json_table fcgi_automation_contacts_change = JSON_TABLE(fields);

/* Reads the email in the path, in the normal form that the store compares. NULL with NOT_FOUND when
   it is not an address. The caller owns it. */
static char *
automation_contacts_read_address(struct fcgi_call *call, GError **error)
{
	char *address = person_contact_address(call->arguments[0], NULL);

	if (!address)
		store_person_missing(error);
	return address;
}

bool
fcgi_automation_contacts_find(struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	g_autofree char *address = automation_contacts_read_address(call, error);

	return address &&
	       store_person_find(call->service->db, &call->key.workspace_id, address, id_r, error);
}

static void
automation_contacts_write_contact(
    struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_person *contact = row;
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&contact->id, id));
	json_writer_string(writer, "email", contact->email);
	json_writer_string(writer, "workspace_id", base_id_format(&contact->workspace_id, id));
	json_writer_integer(writer, "last_seen", contact->last_seen);
	json_writer_string(writer, "last_event", contact->last_event);
	json_writer_integer(writer, "event_count", contact->event_count);
	json_writer_integer(writer, "first_seen", contact->first_seen);
	json_writer_integer(writer, "created_at", contact->created);
	json_writer_integer(writer, "updated_at", contact->updated);
	if (contact->properties)
		json_writer_raw(
		    writer, "properties", contact->properties, strlen(contact->properties));
	json_writer_end_object(writer);
}

bool
fcgi_automation_contacts_get(struct fcgi_call *call, GError **error)
{
	g_autofree char *address = automation_contacts_read_address(call, error);

	if (!address)
		return false;
	AUTO(store_person) contact =
	    store_person_get(call->service->db, &call->key.workspace_id, address, error);
	return fcgi_page_reply_row(call, automation_contacts_write_contact, contact);
}

static void
reply_patch(struct fcgi_call *call, const char *email, const char *properties)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", "Contact updated");
	json_writer_string(writer, "email", email);
	json_writer_raw(writer, "updated_properties", properties, strlen(properties));
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

bool
fcgi_automation_contacts_patch(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	const char *email = call->arguments[0];
	g_autofree char *properties = NULL, *address = NULL;
	struct input input = {0};

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !(address = automation_contacts_read_address(call, error)) ||
	    !automation_contact_patch(
		call->service, workspace, email, input.properties, &properties, error))
		return false;
	AUTO(store_person) contact = store_person_get(call->service->db, workspace, address, error);
	if (!contact)
		return false;
	reply_patch(call, contact->email, properties);
	return true;
}

bool
fcgi_automation_contacts_delete(struct fcgi_call *call, GError **error)
{
	if (!automation_contact_remove(
		call->service, &call->key.workspace_id, call->arguments[0], error))
		return false;
	fcgi_reply_message(call->reply, "Contact deleted");
	return true;
}

bool
fcgi_automation_contacts_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) contacts = store_person_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"contacts", contacts, LIMIT_PAGE, true,
		offsetof(struct store_person, id), .write = automation_contacts_write_contact},
	    error);
}

static void
automation_contacts_write_event(
    struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_automation_event *event = row;
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "event_id", base_id_format(&event->id, id));
	json_writer_string(writer, "event_name", event->name);
	json_writer_string(writer, "email", event->email);
	json_writer_string(writer, "workspace_id", base_id_format(&event->workspace_id, id));
	json_writer_integer(writer, "timestamp", event->timestamp);
	json_writer_raw(writer, "properties", event->properties, strlen(event->properties));
	json_writer_integer(writer, "created_at", event->created);
	json_writer_end_object(writer);
}

bool
fcgi_automation_contacts_list_events(struct fcgi_call *call, GError **error)
{
	struct base_id contact, before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error) ||
	    !fcgi_automation_contacts_find(call, &contact, error))
		return false;
	g_autoptr(GPtrArray) events = store_automation_event_list(call->service->db,
	    &call->key.workspace_id, &contact, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"events", events, LIMIT_PAGE, true,
		offsetof(struct store_automation_event, id),
		.write = automation_contacts_write_event},
	    error);
}
