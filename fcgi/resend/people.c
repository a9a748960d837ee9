/* SPDX-License-Identifier: MIT */
/* Contacts under /resend that are not of one segment: people, by id or email, with their segments
   and topics. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "automation/person.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "consent/consent.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/limits.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/contact.h"
#include "person/suppress.h"
#include "segment/segment.h"
#include "service/service.h"
#include "store/broadcast/segment.h"
#include "store/common/listing.h"
#include "store/consent/topic.h"
#include "store/person/audience.h"
#include "store/person/contact.h"
#include "store/person/membership.h"
#include "store/person/people.h"

#define OBJECT "contact"

struct input {
	const char *email;
	struct automation_person_data data;
	const struct json *unsubscribed; /* NULL: not given */
	const struct json *segments;	 /* ids, or objects with them; NULL: not given */
	const char *audience_id;	 /* of older clients: one more segment; NULL: not given */
	GArray *topics;			 /* of struct element; NULL: not given */
	GArray *wanted;			 /* of struct consent_topic; NULL: none */
	struct store_consent_act act;
};

struct element {
	const char *id, *subscription;
};

/* clang-format off */
static const struct json_field topic_fields[] = {
	JSON_FIELD("id", FIELD_STRING, struct element, id, .required = true, .min = 1),
	JSON_FIELD("subscription", FIELD_STRING, struct element, subscription, .required = true, .min = 1),
};
#define ELEMENTS(name, table) JSON_FIELD(#name, FIELD_LIST, struct input, name, .max = LIMIT_RESEND_PARTS, .elements = table, .element_count = G_N_ELEMENTS(table), .element_size = sizeof(struct element))
#define DATA_FIELDS \
	JSON_FIELD("first_name", FIELD_STRING, struct input, data.first_name, .max = LIMIT_NAME_LENGTH), \
	JSON_FIELD("last_name", FIELD_STRING, struct input, data.last_name, .max = LIMIT_NAME_LENGTH), \
	JSON_FIELD("unsubscribed", FIELD_JSON, struct input, unsubscribed, .kinds = JSON_KIND(JSON_BOOLEAN)), \
	JSON_FIELD("properties", FIELD_OBJECT, struct input, data.properties)
static const struct json_field new_fields[] = {
	JSON_FIELD("email", FIELD_STRING, struct input, email, .required = true, .min = 1),
	DATA_FIELDS,
	JSON_FIELD("segments", FIELD_JSON, struct input, segments, .max = LIMIT_RESEND_PARTS, .kinds = JSON_KIND(JSON_ARRAY)),
	JSON_FIELD("audience_id", FIELD_STRING, struct input, audience_id),
	ELEMENTS(topics, topic_fields),
};
static const struct json_field fields[] = {
	DATA_FIELDS,
};
static const struct json_field choice_fields[] = {
	ELEMENTS(topics, topic_fields),
};
/* clang-format on */

const struct json_table fcgi_resend_people_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_people_body = JSON_TABLE(fields);
const struct json_table fcgi_resend_people_choices = JSON_TABLE(choice_fields);

static void
people_clear(struct input *input)
{
	g_clear_pointer(&input->topics, g_array_unref);
	g_clear_pointer(&input->wanted, g_array_unref);
}

/* Turns the errors of lib. Returns false. */
static bool
people_fail(GError *failure, GError **error)
{
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND) &&
	    strcmp(failure->message, "Person not found") == 0) {
		g_error_free(failure);
		return fcgi_resend_missing(error, "Contact");
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_error_free(failure);
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `unsubscribed` field. The person has unsubscribed, and alone can take "
		    "it back.");
	}
	return fcgi_resend_invalid(failure, error);
}

bool
fcgi_resend_read_topic(const char *id, const char *subscription, guint number,
    struct consent_topic *topic_r, GError **error)
{
	topic_r->wanted = strcmp(subscription, "opt_in") == 0;
	if (!base_id_parse(id, &topic_r->id))
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `topics` field. topics[%u].id must be the id of a topic.", number);
	return topic_r->wanted || strcmp(subscription, "opt_out") == 0 ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `topics` field. topics[%u].subscription must be opt_in or opt_out.",
		   number);
}

/* Reads the choices of topics. */
static bool
people_read_topics(struct input *input, GError **error)
{
	input->wanted = g_array_new(FALSE, FALSE, sizeof(struct consent_topic));
	for (guint i = 0; input->topics && i < input->topics->len; i++) {
		const struct element *element = &g_array_index(input->topics, struct element, i);
		struct consent_topic topic;

		if (!fcgi_resend_read_topic(element->id, element->subscription, i, &topic, error))
			return false;
		g_array_append_val(input->wanted, topic);
	}
	input->data.topics = (const struct consent_topic *)input->wanted->data;
	input->data.topic_count = input->wanted->len;
	return true;
}

/* Checks the values, before anything is looked up. */
static bool
people_check(struct fcgi_call *call, const struct input *input, GError **error)
{
	GError *failure = NULL;
	g_autofree char *address =
	    input->email ? person_contact_recipient(input->email, &failure) : NULL;

	return ((address || !input->email) &&
		   automation_person_check(
		       call->service, &call->key.workspace_id, &input->data, &failure)) ||
	       people_fail(failure, error);
}

static bool
people_read_input(
    struct fcgi_call *call, const struct json_table *table, struct input *input, GError **error)
{
	if (!fcgi_resend_read(call->json, table, input, error) || !people_read_topics(input, error))
		return false;
	/* null clears a name: the client's types say so. */
	input->data.first_name_given = json_member_has(call->json, "first_name");
	input->data.last_name_given = json_member_has(call->json, "last_name");
	input->data.subscribed_given = input->unsubscribed != NULL;
	input->data.subscribed = input->unsubscribed && !json_boolean(input->unsubscribed);
	input->act = fcgi_call_act(call);
	input->data.act = &input->act;
	return people_check(call, input, error);
}

/* Finds the person of the path, by its email, its id, or the id of a contact. Errors of lib. */
static struct store_person *
people_look_up(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	const char *name = call->arguments[0];
	struct db *db = call->service->db;
	g_autofree char *email = NULL;
	struct base_id id;

	if (base_id_parse(name, &id)) {
		struct store_person *person = store_people_get_id(db, workspace, &id, NULL);

		if (person)
			return person;
		email = store_person_email(db, workspace, &id, NULL);
	} else if (strchr(name, '@')) {
		email = g_strdup(name);
	} else {
		fcgi_resend_fail(error, RESEND_INVALID_PARAMETER,
		    "The `id` must be a valid UUID or an email address.");
		return NULL;
	}
	return automation_person_get(call->service, workspace, email ? email : "", error);
}

static struct store_person *
people_find(struct fcgi_call *call, GError **error)
{
	GError *failure = NULL;
	struct store_person *person = people_look_up(call, &failure);

	if (!person)
		people_fail(failure, error);
	return person;
}

/* Changes the person that has this address already: given names and properties, and only to
   unsubscribe. */
static struct store_person *
people_update(struct fcgi_call *call, struct input *input, GError **error)
{
	input->data.first_name_given = input->data.first_name != NULL;
	input->data.last_name_given = input->data.last_name != NULL;
	input->data.subscribed_given = input->data.subscribed_given && !input->data.subscribed;
	return automation_person_change(
	    call->service, &call->key.workspace_id, input->email, &input->data, error);
}

static struct store_person *
people_create(struct fcgi_call *call, struct input *input, GError **error)
{
	GError *failure = NULL;
	bool wanted = input->data.subscribed_given && input->data.subscribed;

	/* A person who has unsubscribed stays so, without an error. */
	input->data.subscribed_given = input->data.subscribed_given && !wanted;
	struct store_person *person = automation_person_create(
	    call->service, &call->key.workspace_id, input->email, &input->data, &failure);
	if (!person && g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_clear_error(&failure);
		person = people_update(call, input, &failure);
	}
	if (!person)
		people_fail(failure, error);
	return person;
}

/* Puts the person into a segment; nothing where it is there. */
static bool
people_join(struct fcgi_call *call, const struct store_person *person,
    const struct base_id *segment, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	AUTO(store_contact) contact = g_new0(struct store_contact, 1);
	GError *failure = NULL;

	contact->workspace_id = call->key.workspace_id;
	contact->audience_id = *segment;
	contact->email = g_strdup(person->email);
	contact->address = g_strdup(person->address);
	contact->is_subscribed = true;
	if (consent_create(call->service, contact, false, &act, NULL, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_error_free(failure);
		return true;
	}
	return fcgi_resend_segments_fail_change(call, segment, failure, error);
}

/* Adds the id of an element of segments to ids. */
static bool
people_add_segment(const struct json *element, guint number, GArray *ids, GError **error)
{
	const struct json *given =
	    json_kind(element) == JSON_OBJECT ? json_member_get(element, "id") : element;
	const char *text = json_string(given, NULL);
	struct base_id id;

	if (json_kind(element) == JSON_OBJECT && (!text || !*text))
		return fcgi_resend_fail(
		    error, RESEND_MISSING_FIELD, "Missing `segments[%u].id` field.", number);
	if (!text)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `segments` field. segments[%u] must be an object or a string.",
		    number);
	if (!base_id_parse(text, &id))
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `segments` field. segments[%u].id must be a valid UUID.", number);
	g_array_append_val(ids, id);
	return true;
}

bool
fcgi_resend_read_segments(const struct json *segments, GArray *ids, GError **error)
{
	for (guint i = 0; i < json_array_length(segments); i++)
		if (!people_add_segment(json_array_at(segments, i), i, ids, error))
			return false;
	return true;
}

bool
fcgi_resend_find_segments(struct fcgi_call *call, const GArray *ids, GError **error)
{
	GError *failure = NULL;

	for (guint i = 0; i < ids->len; i++) {
		const struct base_id *id = &g_array_index(ids, struct base_id, i);
		AUTO(store_audience)
		audience =
		    store_audience_get(call->service->db, &call->key.workspace_id, id, &failure);
		if (!audience)
			return fcgi_resend_segments_fail_change(call, id, failure, error);
	}
	return true;
}

/* Reads the ids of all segments, before anything is stored. */
static bool
people_read_segments(struct fcgi_call *call, const struct input *input, GArray *ids, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_read_segments(input->segments, ids, error))
		return false;
	if (input->audience_id && !base_id_parse(input->audience_id, &id))
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `audience_id` field. audience_id must be a valid UUID.");
	if (input->audience_id)
		g_array_append_val(ids, id);
	return fcgi_resend_find_segments(call, ids, error);
}

static bool
people_post(struct fcgi_call *call, struct input *input, GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));

	if (!people_read_segments(call, input, ids, error))
		return false;
	AUTO(store_person) person = people_create(call, input, error);
	for (guint i = 0; person && i < ids->len; i++)
		if (!people_join(call, person, &g_array_index(ids, struct base_id, i), error))
			return false;
	if (person)
		fcgi_resend_reply_id(call, 201, OBJECT, &person->id, false);
	return person != NULL;
}

bool
fcgi_resend_people_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	bool done = people_read_input(call, &fcgi_resend_people_new, &input, error) &&
		    people_post(call, &input, error);

	people_clear(&input);
	return done;
}

static void
people_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_person *person = row;
	fcgi_resend_write_id(writer, "id", &person->id);
	json_writer_string(writer, "email", person->email);
	json_writer_string(writer, "first_name", person->first_name);
	json_writer_string(writer, "last_name", person->last_name);
	fcgi_resend_write_time(writer, "created_at", person->created);
	json_writer_boolean(writer, "unsubscribed", !person->is_subscribed);
}

void
fcgi_resend_write_properties(struct json_writer *writer, const char *properties)
{
	static const char *const types[] = {[JSON_BOOLEAN] = "boolean",
	    [JSON_INTEGER] = "number",
	    [JSON_NUMBER] = "number",
	    [JSON_STRING] = "string"};
	AUTO(json) all = json_parse(properties, strlen(properties), NULL);
	struct json_iterator members = json_members(all);
	const struct json *value;
	const char *key;

	json_writer_begin_object(writer, "properties");
	while (json_iterator_next(&members, &key, &value)) {
		enum json_kind kind = json_kind(value);

		if (kind >= G_N_ELEMENTS(types) || !types[kind])
			continue;
		json_writer_begin_object(writer, key);
		json_writer_string(writer, "type", types[kind]);
		json_writer_value(writer, "value", value);
		json_writer_end_object(writer);
	}
	json_writer_end_object(writer);
}

bool
fcgi_resend_people_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_person) person = people_find(call, error);

	if (!person)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	people_write_members(writer, call->service, person);
	fcgi_resend_write_properties(writer, person->properties);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_resend_people_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error))
		return false;
	g_autoptr(GPtrArray) people =
	    store_people_page(call->service->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, people, people_write_members);
}

/* Reads the people with ids, which are in order, in the opposite order. The caller owns them. */
static GPtrArray *
people_read_people(struct fcgi_call *call, const struct base_id *ids, guint count, GError **error)
{
	g_autoptr(GPtrArray) people = g_ptr_array_new_with_free_func(store_person_destroy);

	for (guint i = 0; i < count; i += STORE_PEOPLE_MOST) {
		GPtrArray *some = store_people_of(call->service->db, &call->key.workspace_id,
		    ids + i, MIN(count - i, STORE_PEOPLE_MOST), error);

		if (!some)
			return NULL;
		g_ptr_array_extend_and_steal(people, some);
	}
	store_listing_reverse(people);
	return g_steal_pointer(&people);
}

bool
fcgi_resend_people_of(struct fcgi_call *call, const struct store_segment *segment,
    const struct store_page *page, GError **error)
{
	g_autoptr(GArray) ids = segment_page(call->service, segment, page, error);
	g_autoptr(GPtrArray) people =
	    ids ? people_read_people(
		      call, (const struct base_id *)(void *)ids->data, ids->len, error)
		: NULL;

	return people && fcgi_resend_list(call, page, people, people_write_members);
}

static bool
people_change(struct fcgi_call *call, const struct input *input, GError **error)
{
	AUTO(store_person) person = people_find(call, error);
	GError *failure = NULL;

	if (!person)
		return false;
	AUTO(store_person)
	changed = automation_person_change(
	    call->service, &call->key.workspace_id, person->email, &input->data, &failure);
	if (!changed)
		return people_fail(failure, error);
	fcgi_resend_reply_id(call, 200, OBJECT, &changed->id, false);
	return true;
}

bool
fcgi_resend_people_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	bool done = people_read_input(call, &fcgi_resend_people_body, &input, error) &&
		    people_change(call, &input, error);

	people_clear(&input);
	return done;
}

bool
fcgi_resend_people_delete(struct fcgi_call *call, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	AUTO(json_writer) writer = json_writer_new();
	GError *failure = NULL;
	AUTO(store_person) person = people_look_up(call, &failure);

	if (person)
		automation_person_remove(
		    call->service, &call->key.workspace_id, person->email, &act, &failure);
	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_clear_error(&failure);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	json_writer_string(writer, "contact", call->arguments[0]);
	json_writer_boolean(writer, "deleted", true);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

static void
people_write_segment(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_membership *membership = row;

	fcgi_resend_write_id(writer, "id", &membership->audience_id);
	json_writer_string(writer, "name", membership->audience);
	fcgi_resend_write_time(writer, "created_at", membership->audience_created);
}

/* Keeps the rows of a page in a list that was read whole, oldest first, by the ids at this offset.
 */
static GPtrArray *
people_cut(const GPtrArray *all, gsize offset, const struct store_page *page)
{
	GPtrArray *rows = g_ptr_array_new();
	bool is_newer = page->side == STORE_PAGE_NEWER;

	for (guint i = 0; i < all->len && rows->len < page->limit; i++) {
		gpointer row = all->pdata[is_newer ? i : all->len - 1 - i];
		int order =
		    page->side == STORE_PAGE_FIRST
			? 0
			: memcmp((guint8 *)row + offset, &page->cursor, sizeof(page->cursor));

		if (page->side == STORE_PAGE_FIRST || (is_newer ? order > 0 : order < 0))
			g_ptr_array_add(rows, row);
	}
	if (is_newer)
		store_listing_reverse(rows);
	return rows;
}

bool
fcgi_resend_people_segments(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	AUTO(store_person) person = people_find(call, error);
	g_autoptr(GPtrArray) all = person
				       ? store_membership_list(call->service->db,
					     &call->key.workspace_id, person->address, false, error)
				       : NULL;
	if (!all)
		return false;
	g_autoptr(GPtrArray) rows =
	    people_cut(all, offsetof(struct store_membership, audience_id), &page);
	return fcgi_resend_list(call, &page, rows, people_write_segment);
}

bool
fcgi_resend_people_join(struct fcgi_call *call, GError **error)
{
	struct base_id segment;

	if (!fcgi_resend_id(call, 1, &segment, error))
		return false;
	AUTO(store_person) person = people_find(call, error);
	if (!person || !people_join(call, person, &segment, error))
		return false;
	fcgi_resend_reply_id(call, 200, NULL, &segment, false);
	return true;
}

/* The package's type wants the segment twice. */
static void
reply_left(struct fcgi_call *call, const struct base_id *segment)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	fcgi_resend_write_id(writer, "id", segment);
	fcgi_resend_write_id(writer, "audienceId", segment);
	json_writer_boolean(writer, "deleted", true);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

/* Removes the person from a segment; nothing where it is not there. */
bool
fcgi_resend_people_leave(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	const struct store_consent_act act = fcgi_call_act(call);
	GError *failure = NULL;
	struct base_id segment;

	if (!fcgi_resend_id(call, 1, &segment, error))
		return false;
	AUTO(store_person) person = people_find(call, error);
	if (!person)
		return false;
	AUTO(store_contact)
	contact =
	    store_contact_find(call->service->db, workspace, &segment, person->address, &failure);
	if (contact)
		store_contact_remove(
		    call->service->db, workspace, &segment, &contact->id, &act, &failure);
	AUTO(store_segment) rules = fcgi_resend_segments_rules(call, &segment, &failure);
	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_clear_error(&failure);
	if (rules)
		return fcgi_resend_segments_refuse(error);
	reply_left(call, &segment);
	return true;
}

static void
people_write_topic(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_topic_choice *choice = row;

	fcgi_resend_write_id(writer, "id", &choice->topic.id);
	json_writer_string(writer, "name", choice->topic.name);
	json_writer_string(
	    writer, "description", *choice->topic.description ? choice->topic.description : NULL);
	json_writer_string(writer, "subscription", choice->is_subscribed ? "opt_in" : "opt_out");
}

bool
fcgi_resend_people_topics(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	AUTO(store_person) person = people_find(call, error);
	if (!person)
		return false;
	AUTO(person_suppress_keys)
	keys = person_suppress_keys(call->service, (const char *const *)&person->address, 1);
	g_autoptr(GPtrArray) all = store_topic_choices(
	    call->service->db, &call->key.workspace_id, person_suppress_key(keys, 0), error);
	if (!all)
		return false;
	store_listing_reverse(all);
	g_autoptr(GPtrArray) rows = people_cut(all,
	    offsetof(struct store_topic_choice, topic) + offsetof(struct store_topic, id), &page);
	return fcgi_resend_list(call, &page, rows, people_write_topic);
}

bool
fcgi_resend_people_choose(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	/* The topics alone, in an array, are the same. */
	g_autofree char *topics =
	    json_kind(call->json) == JSON_ARRAY ? json_print(call->json) : NULL;
	g_autofree char *object = g_strconcat("{\"topics\":", topics, "}", NULL);

	if (topics) {
		json_free(call->json);
		call->json = json_parse(object, strlen(object), NULL);
	}
	bool done = people_read_input(call, &fcgi_resend_people_choices, &input, error) &&
		    people_change(call, &input, error);

	people_clear(&input);
	return done;
}
