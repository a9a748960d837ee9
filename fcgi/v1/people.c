/* SPDX-License-Identifier: MIT */
/* People (/v1/people). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "automation/person.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "consent/consent.h"
#include "delivery/part.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "json/fields.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/contact.h"
#include "person/erase.h"
#include "person/history.h"
#include "person/suppressed.h"
#include "person/view.h"
#include "service/service.h"
#include "store/common/listing.h"
#include "store/common/search.h"
#include "store/email/email.h"
#include "store/person/email.h"
#include "store/person/people.h"
#include "store/person/property.h"

struct input {
	const char *email;
	struct automation_person_data data;
	const struct json *subscribed, *override; /* NULL: null, or not given */
	const struct json *topics;
	struct store_consent_act act;
	GArray *wanted; /* of struct consent_topic; NULL: none */
};

static const struct json_field fields[] = {FIELDS_NEW_PERSON(struct input)};
static const struct json_field change_fields[] = {FIELDS_PERSON_CHANGE(struct input)};

const struct json_table fcgi_people_body = JSON_TABLE(fields);
const struct json_table fcgi_people_change = JSON_TABLE(change_fields);

/* Reads {id: true | false}. */
static bool
v1_people_read_topics(struct input *input, GError **error)
{
	struct json_iterator members = json_members(input->topics);
	const struct json *value;
	const char *id;

	input->wanted = g_array_new(FALSE, FALSE, sizeof(struct consent_topic));
	while (json_iterator_next(&members, &id, &value)) {
		struct consent_topic topic = {.wanted = json_boolean(value)};

		if (!base_id_parse(id, &topic.id))
			return base_invalid(error, "topics.%s is not a topic", id);
		if (json_kind(value) != JSON_BOOLEAN)
			return base_invalid(error, "topics.%s must be a boolean", id);
		g_array_append_val(input->wanted, topic);
	}
	input->data.topics = (const struct consent_topic *)input->wanted->data;
	input->data.topic_count = input->wanted->len;
	return true;
}

static bool
v1_people_read_input(struct fcgi_call *call, const struct json_table *table, struct input *input,
    struct store_consent_override *override, GError **error)
{
	if (!json_fields_read(call->json, table->fields, table->count, input, error) ||
	    !fcgi_call_override(call, input->override, override, &input->data.override, error))
		return false;
	input->data.subscribed_given = input->subscribed != NULL;
	input->data.subscribed = json_boolean(input->subscribed);
	input->act = fcgi_call_act(call);
	input->data.act = &input->act;
	return v1_people_read_topics(input, error);
}

/* Replies with a person. False when it is NULL; the error is set then. */
static bool
people_reply(struct fcgi_call *call, const struct store_person *person, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!person || !person_view_write(call->service, person, writer, error))
		return false;
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_people_post(struct fcgi_call *call, GError **error)
{
	struct store_consent_override override;
	struct input input = {0};
	AUTO(store_person)
	person = v1_people_read_input(call, &fcgi_people_body, &input, &override, error)
		     ? automation_person_create(
			   call->service, &call->key.workspace_id, input.email, &input.data, error)
		     : NULL;

	g_clear_pointer(&input.wanted, g_array_unref);
	return people_reply(call, person, error);
}

static bool
people_reply_list(
    struct fcgi_call *call, const GPtrArray *people, const struct base_id *rest, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	guint count = MIN(people->len, LIMIT_PAGE);
	const struct store_person *last = people->len > count ? people->pdata[count - 1] : NULL;

	fcgi_page_begin(writer, "people");
	if (!person_view_write_rows(call->service, people, count, writer, error))
		return false;
	fcgi_page_end(call, writer, true, count, last ? &last->id : rest);
	return true;
}

/* Which people a list has. */
struct people_list {
	enum store_people_status status;
	bool is_suppressed; /* those on the suppression list */
	bool by_address;
	const struct base_id *before;	   /* NULL: from the newest on */
	const struct store_search *search; /* NULL: none */
};

/* Finds the page by search or status. */
static bool
people_find_page(struct fcgi_call *call, const struct people_list *list,
    struct store_search_page *page, GError **error)
{
	struct db *db = call->service->db;
	const struct store_search_list search = {
	    &call->key.workspace_id, list->search, list->before, LIMIT_PAGE + 1};

	if (list->search)
		return store_search_people(db, &search, page, error);
	return list->is_suppressed ? person_suppressed_page(call->service, &search, page, error)
				   : store_people_with(db, &search, list->status, page, error);
}

static bool
people_list_found(struct fcgi_call *call, const struct people_list *list,
    struct store_search_page *page, GError **error)
{
	if (!people_find_page(call, list, page, error))
		return false;
	fcgi_page_cut(page);
	g_autoptr(GPtrArray) people = store_people_among(call->service->db, &call->key.workspace_id,
	    (const struct base_id *)(void *)page->ids->data, page->ids->len, list->status, error);
	if (!people || (list->is_suppressed && !person_suppressed_keep(call->service,
						   &call->key.workspace_id, people, error)))
		return false;
	store_listing_reverse(people);
	return people_reply_list(call, people, page->has_rest ? &page->rest : NULL, error);
}

static bool
people_list_newest(struct fcgi_call *call, const struct people_list *list, GError **error)
{
	g_autoptr(GPtrArray) people = store_people_list(
	    call->service->db, &call->key.workspace_id, list->before, LIMIT_PAGE + 1, error);

	return people && people_reply_list(call, people, NULL, error);
}

/* Lists people in the order of their addresses. */
static bool
people_list_sorted(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *after = NULL;

	if (!fcgi_page_address(call, &after, error))
		return false;
	g_autoptr(GPtrArray) people = store_people_by_address(call->service->db,
	    &call->key.workspace_id, NULL, after ? after : "", LIMIT_PAGE + 1, error);
	guint count = people ? MIN(people->len, LIMIT_PAGE) : 0;
	fcgi_page_begin(writer, "people");
	if (!people || !person_view_write_rows(call->service, people, count, writer, error))
		return false;
	const struct store_person *last = people->len > count ? people->pdata[count - 1] : NULL;
	fcgi_page_end_text(call, writer, count, last ? last->address : NULL);
	return true;
}

static bool
people_read_list(struct fcgi_call *call, struct people_list *list, GError **error)
{
	static const char *const statuses[] = {"subscribed", "unsubscribed", "suppressed", NULL};
	static const char *const orders[] = {"created", "email", NULL};
	guint status, order;

	if (!fcgi_page_word(call, "status", statuses, &status, error) ||
	    !fcgi_page_word(call, "sort", orders, &order, error))
		return false;
	list->is_suppressed = status == 3;
	list->status = list->is_suppressed ? PEOPLE_ANY : (enum store_people_status)status;
	list->by_address = order == 2;
	return !list->by_address || (!list->search && !status) ||
	       base_invalid(error, "sort by email does not go with search or status");
}

static bool
people_list(struct fcgi_call *call, const struct store_search *search, GError **error)
{
	struct store_search_page page = {.ids = NULL};
	struct people_list list = {.search = search};
	struct base_id before;
	bool given;

	if (!people_read_list(call, &list, error))
		return false;
	if (list.by_address)
		return people_list_sorted(call, error);
	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	list.before = given ? &before : NULL;
	bool done = search || list.status || list.is_suppressed
			? people_list_found(call, &list, &page, error)
			: people_list_newest(call, &list, error);
	store_search_page_clear(&page);
	return done;
}

bool
fcgi_people_list(struct fcgi_call *call, GError **error)
{
	struct store_search sought;
	bool is_search;
	bool done = fcgi_page_search(call, &sought, &is_search, error) &&
		    people_list(call, is_search ? &sought : NULL, error);

	store_search_clear(&sought);
	return done;
}

static struct store_person *
v1_people_find(struct fcgi_call *call, GError **error)
{
	return automation_person_get(
	    call->service, &call->key.workspace_id, call->arguments[0], error);
}

bool
fcgi_people_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_person) person = v1_people_find(call, error);

	return people_reply(call, person, error);
}

bool
fcgi_people_patch(struct fcgi_call *call, GError **error)
{
	struct store_consent_override override;
	struct input input = {0};
	AUTO(store_person)
	person = v1_people_read_input(call, &fcgi_people_change, &input, &override, error)
		     ? automation_person_change(call->service, &call->key.workspace_id,
			   call->arguments[0], &input.data, error)
		     : NULL;

	g_clear_pointer(&input.wanted, g_array_unref);
	return people_reply(call, person, error);
}

/* Reads the parameter erase. */
static bool
read_erase(struct fcgi_call *call, bool *erase_r, GError **error)
{
	const char *text;

	if (!fcgi_page_text(call, "erase", &text, error))
		return false;
	*erase_r = g_strcmp0(text, "true") == 0;
	return !text || *erase_r || strcmp(text, "false") == 0 ||
	       base_invalid(error, "erase must be true or false");
}

/* Erases an address, also one that nobody has any more. Sessions of owners may; keys by their
 * scope.
 */
static bool
people_erase(struct fcgi_call *call, GError **error)
{
	g_autofree char *address = person_contact_address(call->arguments[0], NULL);
	struct store_erasure erased;

	if (call->key.is_session && call->session.role != ROLE_OWNER) {
		call->reply->form->denied(call->reply, DENIAL_ROLE);
		return true;
	}
	if (!address)
		return store_people_missing(error);
	if (!person_erase(call->service, &call->key.workspace_id, address, &erased, error))
		return false;
	fcgi_reply_message(call->reply, "Person erased");
	return true;
}

bool
fcgi_people_delete(struct fcgi_call *call, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	bool is_erasure;

	if (!read_erase(call, &is_erasure, error))
		return false;
	if (is_erasure)
		return people_erase(call, error);
	if (!automation_person_remove(
		call->service, &call->key.workspace_id, call->arguments[0], &act, error))
		return false;
	fcgi_reply_message(call->reply, "Person deleted");
	return true;
}

static bool
read_place(
    struct fcgi_call *call, struct person_history_place *place_r, bool *given_r, GError **error)
{
	const char *text;

	if (!fcgi_request_query(call->request, "cursor", &text, error))
		return false;
	*given_r = text && *text;
	return !*given_r || person_history_read(text, place_r, error);
}

bool
fcgi_people_history(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct person_history_page page = {.limit = LIMIT_PAGE};
	struct person_history_place before;
	struct person_history_end end;
	const char *word;
	bool given;

	if (!fcgi_page_text(call, "kind", &word, error) ||
	    !person_history_kind(word, &page.kind, error) ||
	    !read_place(call, &before, &given, error))
		return false;
	AUTO(store_person) person = v1_people_find(call, error);
	if (!person)
		return false;
	page.before = given ? &before : NULL;
	fcgi_page_begin(writer, "history");
	if (!person_history_write(call->service, person, &page, writer, &end, error))
		return false;
	g_autofree char *cursor = end.more ? person_history_print(&end.after) : NULL;
	fcgi_page_end_text(call, writer, end.count, cursor);
	return true;
}

/* The status of the latest event or, while there is none, that of the email. */
static const char *
people_email_status(const struct store_person_email *email)
{
	if (email->status)
		return store_event_name(email->status);
	if (email->cancelled)
		return "cancelled";
	return email->scheduled_at > base_clock_now() ? "scheduled" : "queued";
}

static void
people_write_id(struct json_writer *writer, const char *key, bool has, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	json_writer_string(writer, key, has ? base_id_format(id, text) : NULL);
}

/* The part of a broadcast that a person got is none of the emails of /v1/emails. */
static void
people_write_email(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_person_email *email = row;

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "type", store_email_type_name(email->type));
	people_write_id(writer, "email_id", !email->has_broadcast, &email->id);
	people_write_id(writer, "broadcast_id", email->has_broadcast, &email->broadcast_id);
	people_write_id(writer, "workflow_id", email->has_workflow, &email->workflow_id);
	json_writer_string(writer, "subject", email->subject);
	json_writer_string(writer, "status", people_email_status(email));
	json_writer_integer(writer, "timestamp", email->created);
	json_writer_end_object(writer);
}

/* Fills the subjects of broadcasts with what is known of the person now. One that cannot be filled
   stays as it is written. */
static bool
people_fill_subjects(
    struct fcgi_call *call, const struct store_person *person, GPtrArray *emails, GError **error)
{
	g_autoptr(GPtrArray) properties = NULL;

	for (guint i = 0; i < emails->len; i++) {
		struct store_person_email *email = emails->pdata[i];

		if (!email->variables)
			continue;
		if (!properties && !(properties = store_property_list(
					 call->service->db, &call->key.workspace_id, error)))
			return false;
		char *subject = delivery_part_subject(
		    properties, person, email->subject, email->variables, NULL);
		if (subject) {
			g_free(email->subject);
			email->subject = subject;
		}
	}
	return true;
}

bool
fcgi_people_emails(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	AUTO(store_person) person = v1_people_find(call, error);
	if (!person)
		return false;
	g_autoptr(GPtrArray) emails =
	    store_person_email_list(call->service->db, &call->key.workspace_id, person->address,
		given ? &before : NULL, LIMIT_PAGE + 1, error);
	if (emails && !people_fill_subjects(call, person, emails, error))
		return false;
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"emails", emails, LIMIT_PAGE, true,
		offsetof(struct store_person_email, id), .write = people_write_email},
	    error);
}
