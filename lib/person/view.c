/* SPDX-License-Identifier: MIT */
/* Writes people, with their states on the suppression list. */
#include "person/view.h"

#include <string.h>

#include "json/writer.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/consent/consent.h"
#include "store/consent/topic.h"
#include "store/person/membership.h"

static void
view_write_id(struct json_writer *writer, const char *key, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	json_writer_string(writer, key, base_id_format(id, text));
}

static void
person_view_write_state(struct json_writer *writer, const struct store_suppression_state *state)
{
	if (state->reason == 0) {
		json_writer_null(writer, "suppressed");
		return;
	}
	json_writer_begin_object(writer, "suppressed");
	json_writer_string(writer, "reason", store_suppression_reasons[state->reason - 1]);
	json_writer_string(writer, "scope", store_suppression_scopes[state->scope - 1]);
	json_writer_end_object(writer);
}

static void
write_front(struct json_writer *writer, const struct store_person *person,
    const struct store_suppression_state *state)
{
	view_write_id(writer, "id", &person->id);
	json_writer_string(writer, "email", person->email);
	json_writer_string(writer, "first_name", person->first_name);
	json_writer_string(writer, "last_name", person->last_name);
	json_writer_string(writer, "language", person->language);
	json_writer_string(writer, "time_zone", person->time_zone);
	json_writer_raw(writer, "properties", person->properties, strlen(person->properties));
	json_writer_boolean(writer, "subscribed", person->is_subscribed);
	person_view_write_state(writer, state);
}

static void
view_write_times(struct json_writer *writer, const struct store_person *person)
{
	json_writer_integer(writer, "created", person->created);
	json_writer_integer(writer, "updated", person->updated);
}

static void
view_write_memberships(struct json_writer *writer, const GPtrArray *memberships)
{
	json_writer_begin_array(writer, "audiences");
	for (guint i = 0; i < memberships->len; i++) {
		const struct store_membership *membership = memberships->pdata[i];

		json_writer_begin_object(writer, NULL);
		view_write_id(writer, "id", &membership->audience_id);
		json_writer_string(writer, "name", membership->audience);
		view_write_id(writer, "contact_id", &membership->contact_id);
		json_writer_string(writer, "status", store_membership_status(membership));
		json_writer_string(writer, "source",
		    membership->source == 0 ? NULL : store_consent_sources[membership->source - 1]);
		json_writer_integer(writer, "created", membership->created);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
view_write_topics(struct json_writer *writer, const GPtrArray *topics)
{
	json_writer_begin_array(writer, "topics");
	for (guint i = 0; i < topics->len; i++) {
		const struct store_topic_choice *choice = topics->pdata[i];

		json_writer_begin_object(writer, NULL);
		view_write_id(writer, "id", &choice->topic.id);
		json_writer_string(writer, "name", choice->topic.name);
		json_writer_boolean(writer, "subscribed", choice->is_subscribed);
		json_writer_boolean(writer, "chosen", choice->is_chosen);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* The keys of the first count people; at least one. */
static struct person_suppress_keys *
view_make_keys(struct service *service, const struct store_person *const *people, guint count)
{
	g_autofree const char **addresses = g_new(const char *, count);

	for (guint i = 0; i < count; i++)
		addresses[i] = people[i]->address;
	return person_suppress_keys(service, addresses, count);
}

/* Writes the members of a person, whose state is known, with those of a single person. */
static bool
view_write_whole(struct service *service, const struct store_person *person,
    const struct store_suppression_key *key, struct json_writer *writer, GError **error)
{
	const struct base_id *workspace = &person->workspace_id;
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(service->db, workspace, person->address, false, error);
	g_autoptr(GPtrArray) topics =
	    memberships ? store_topic_choices(service->db, workspace, key, error) : NULL;
	struct store_suppression_state state;

	if (!topics || !store_suppression_states(service->db,
			   &(struct store_suppression_people){workspace, key, 1}, &state, error))
		return false;
	json_writer_begin_object(writer, NULL);
	write_front(writer, person, &state);
	view_write_memberships(writer, memberships);
	view_write_topics(writer, topics);
	view_write_times(writer, person);
	json_writer_end_object(writer);
	return true;
}

bool
person_view_write(struct service *service, const struct store_person *person,
    struct json_writer *writer, GError **error)
{
	AUTO(person_suppress_keys) keys = view_make_keys(service, &person, 1);

	return view_write_whole(service, person, person_suppress_key(keys, 0), writer, error);
}

bool
person_view_write_rows(struct service *service, const GPtrArray *people, guint count,
    struct json_writer *writer, GError **error)
{
	const struct store_person *const *all = (const struct store_person *const *)people->pdata;
	g_autofree struct store_suppression_state *states =
	    g_new0(struct store_suppression_state, count);

	if (count == 0)
		return true;
	AUTO(person_suppress_keys) keys = view_make_keys(service, all, count);
	if (!store_suppression_states(service->db,
		&(struct store_suppression_people){
		    &all[0]->workspace_id, person_suppress_key(keys, 0), count},
		states, error))
		return false;
	for (guint i = 0; i < count; i++) {
		json_writer_begin_object(writer, NULL);
		write_front(writer, all[i], &states[i]);
		view_write_times(writer, all[i]);
		json_writer_end_object(writer);
	}
	return true;
}
