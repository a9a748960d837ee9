/* SPDX-License-Identifier: MIT */
/* Contacts of an audience (/v1/audiences/{audience}/contacts). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "api/fields.h"
#include "audience/audience.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "consent/consent.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "json/fields.h"
#include "json/writer.h"
#include "person/contact.h"
#include "service/service.h"
#include "store/person/contact.h"

struct input {
	struct person_contact_fields fields;
	bool first_name_given, last_name_given;
	const struct json *is_subscribed; /* NULL: null, or not given */
	const struct json *override;	  /* likewise */
	char *address;			  /* of the email; owned */
};

/* These check only types; person/contact.h checks the limits. */
static const struct json_field fields[] = {FIELDS_CONTACT_CHANGE(struct input)};

const struct json_table fcgi_contacts_body = JSON_TABLE(fields);

/* Reads the ids in the path: the audience's and, unless contact_r is NULL, the contact's. NOT_FOUND
   when the first is not an id. */
static bool
contacts_read_ids(const struct fcgi_call *call, struct base_id *audience_r,
    struct base_id *contact_r, GError **error)
{
	if (!audience_id(call->arguments[0], audience_r, error))
		return false;
	/* No contact has the zero id, so the store reports whether audience or contact is missing.
	 */
	if (contact_r && !base_id_parse(call->arguments[1], contact_r))
		*contact_r = (struct base_id){{0}};
	return true;
}

static bool
v1_contacts_read_input(struct fcgi_call *call,
    bool (*check)(const struct person_contact_fields *, char **address_r, GError **),
    struct input *input, GError **error)
{
	return json_fields_read(call->json, fields, G_N_ELEMENTS(fields), input, error) &&
	       check(&input->fields, &input->address, error);
}

static struct service_once *
make_request(struct fcgi_call *call, const struct input *input, GError **error)
{
	AUTO(store_contact) contact = g_new0(struct store_contact, 1);
	const struct store_consent_override *given;
	struct store_consent_override override;

	contact->workspace_id = call->key.workspace_id;
	contact->email = g_strdup(input->fields.email);
	contact->address = g_strdup(input->address);
	contact->first_name = g_strdup(input->fields.first_name);
	contact->last_name = g_strdup(input->fields.last_name);
	contact->is_subscribed = !input->is_subscribed || json_boolean(input->is_subscribed);
	if (!fcgi_call_override(call, input->override, &override, &given, error) ||
	    !contacts_read_ids(call, &contact->audience_id, NULL, error))
		return NULL;
	const struct store_consent_act act = fcgi_call_act(call);
	return &consent_request(
	    g_steal_pointer(&contact), input->is_subscribed != NULL, &act, given)
		    ->request;
}

static struct service_once *
check(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct service_once *request =
	    v1_contacts_read_input(call, person_contact_check_new, &input, error)
		? make_request(call, &input, error)
		: NULL;

	g_free(input.address);
	return request;
}

static char *
write_new(const struct service_once *request)
{
	AUTO(json_writer) writer = json_writer_new();

	fcgi_write_id(writer, &((const struct consent_contact_request *)request)->contact->id);
	return json_writer_take(writer, NULL);
}

const struct fcgi_storing fcgi_contacts_storing = {200, check, write_new, NULL};

bool
fcgi_contacts_get(struct fcgi_call *call, GError **error)
{
	struct base_id audience, id;

	if (!contacts_read_ids(call, &audience, &id, error))
		return false;
	AUTO(store_contact) contact = store_contact_get_prefetched(
	    call->service->db, call->ahead, &call->key.workspace_id, &audience, &id, error);
	return fcgi_page_reply_view(call, &person_contact_view, contact);
}

bool
fcgi_contacts_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	const struct store_consent_override *given;
	struct store_consent_override override;
	struct base_id audience, id;
	bool done = v1_contacts_read_input(call, person_contact_check, &input, error) &&
		    fcgi_call_override(call, input.override, &override, &given, error) &&
		    contacts_read_ids(call, &audience, &id, error);
	const struct store_consent_act act = fcgi_call_act(call);
	const struct store_contact_change change = {
	    .act = &act,
	    .email = input.fields.email,
	    .address = input.address,
	    .first_name_given = input.first_name_given,
	    .last_name_given = input.last_name_given,
	    .first_name = input.fields.first_name,
	    .last_name = input.fields.last_name,
	    .is_subscribed_given = input.is_subscribed != NULL,
	    .is_subscribed = json_boolean(input.is_subscribed),
	};

	done = done && consent_change(call->service, &call->key.workspace_id, &audience, &id,
			   &change, given, error);
	g_free(input.address);
	if (done)
		fcgi_reply_message(call->reply, "Contact updated");
	return done;
}

bool
fcgi_contacts_delete(struct fcgi_call *call, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	struct base_id audience, id;

	if (!contacts_read_ids(call, &audience, &id, error) ||
	    !store_contact_remove(
		call->service->db, &call->key.workspace_id, &audience, &id, &act, error))
		return false;
	fcgi_reply_message(call->reply, "Contact deleted");
	return true;
}

/* The words of status, behind SEARCH_ANY of enum store_search_status. */
static const char *const statuses[] = {"subscribed", "unsubscribed", "pending", NULL};

static bool
contacts_read_status(struct fcgi_call *call, enum store_search_status *status_r, GError **error)
{
	guint number;
	bool done = fcgi_page_word(call, "status", statuses, &number, error);

	*status_r = (enum store_search_status)number;
	return done;
}

/* rest: the contacts behind it were not looked at; NULL: all were. */
static void
contacts_reply_list(struct fcgi_call *call, const GPtrArray *contacts, const char *rest)
{
	AUTO(json_writer) writer = json_writer_new();
	guint count = MIN(contacts->len, LIMIT_PAGE);
	const struct store_contact *last =
	    contacts->len > count ? contacts->pdata[count - 1] : NULL;

	fcgi_page_begin(writer, "contacts");
	for (guint i = 0; i < count; i++)
		json_view_write(writer, &person_contact_view, contacts->pdata[i], NULL);
	fcgi_page_end_text(call, writer, count, last ? last->email : rest);
}

bool
fcgi_contacts_list(struct fcgi_call *call, GError **error)
{
	struct db *db = call->service->db;
	g_autofree char *after = NULL, *rest = NULL;
	g_autoptr(GPtrArray) contacts = NULL;
	struct store_search sought;
	struct base_id audience;
	struct store_search_contacts search = {
	    .workspace = &call->key.workspace_id, .audience = &audience, .limit = LIMIT_PAGE + 1};
	bool is_search;

	if (!fcgi_page_address(call, &after, error) ||
	    !contacts_read_status(call, &search.status, error) ||
	    !contacts_read_ids(call, &audience, NULL, error) ||
	    !fcgi_page_search(call, &sought, &is_search, error))
		return false;
	search.search = is_search ? &sought : NULL;
	search.after = after;
	if (is_search || search.status != SEARCH_ANY)
		contacts = store_contact_search(db, &search, &rest, error);
	else
		contacts =
		    store_contact_list(db, search.workspace, &audience, after, search.limit, error);
	store_search_clear(&sought);
	if (!contacts)
		return false;
	contacts_reply_list(call, contacts, rest);
	return true;
}
