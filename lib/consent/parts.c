/* SPDX-License-Identifier: MIT */
/* Changes consent part by part, as far as the person's own choices let it. */
#include "consent/parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "consent/consent.h"
#include "consent/opt_in.h"
#include "json/value.h"
#include "person/choose.h"
#include "person/suppress.h"
#include "store/consent/confirmation.h"
#include "store/consent/opt_in.h"
#include "store/person/contact.h"
#include "store/webhook/enqueue.h"
#include "submit/submit.h"

/* A change on its way. */
struct change {
	struct db *db;
	struct service *service;
	const struct consent_parts_person *person;
	struct person_chooser chooser;
	bool is_refused; /* a part was left out */
};

/* Whether the person has left the target (NULL: all mailings) in person. */
static bool
parts_refuse(struct change *change, const struct base_id *target, bool *refused_r, GError **error)
{
	const struct person_chooser *chooser = &change->chooser;
	struct store_choice choice;
	bool done =
	    store_choice_find(change->db, chooser->workspace, chooser->key, target, &choice, error);

	*refused_r = done && (choice.all == CONSENT_OF_PERSON || choice.part == CONSENT_OF_PERSON);
	change->is_refused = change->is_refused || *refused_r;
	return done;
}

static bool
change_all(struct change *change, bool subscribed, GError **error)
{
	const struct person_chooser *chooser = &change->chooser;
	bool is_refused = false;

	if (subscribed && !parts_refuse(change, NULL, &is_refused, error))
		return false;
	return is_refused || consent_subscribe(change->db, change->service,
				 &(struct consent_subject){
				     chooser->workspace, chooser->key->address, chooser->act, NULL},
				 subscribed, error);
}

static const struct store_topic_choice *
parts_find_topic(const GPtrArray *topics, const struct base_id *id)
{
	for (guint i = 0; i < topics->len; i++) {
		const struct store_topic_choice *now = topics->pdata[i];

		if (base_id_equal(&now->topic.id, id))
			return now;
	}
	return NULL;
}

static bool
change_topic(
    struct change *change, const struct store_topic_choice *now, bool wanted, GError **error)
{
	bool is_refused = false, changed;

	if (wanted && !parts_refuse(change, &now->topic.id, &is_refused, error))
		return false;
	return is_refused ||
	       person_choose_topic(change->db, &change->chooser, now, wanted, &changed, error);
}

static bool
change_topics(struct change *change, const struct json *topics, GError **error)
{
	const struct person_chooser *chooser = &change->chooser;
	struct json_iterator members = json_members(topics);
	const struct json *value;
	struct base_id id;
	const char *text;

	if (json_member_count(topics) == 0)
		return true;
	g_autoptr(GPtrArray) all =
	    store_topic_choices(change->db, chooser->workspace, chooser->key, error);
	while (all && json_iterator_next(&members, &text, &value)) {
		const struct store_topic_choice *now =
		    base_id_parse(text, &id) ? parts_find_topic(all, &id) : NULL;

		if (!now)
			return base_invalid(error, "topics.%s is not a topic", text);
		if (!change_topic(change, now, json_boolean(value), error))
			return false;
	}
	return all != NULL;
}

/* Stores a membership of the person, and tells webhooks of it. */
static bool
parts_insert(struct change *change, const struct base_id *audience, bool pending,
    struct base_id *id_r, GError **error)
{
	AUTO(store_contact) contact = g_new0(struct store_contact, 1);

	contact->workspace_id = *change->person->workspace;
	contact->audience_id = *audience;
	contact->email = g_strdup(change->person->email);
	contact->address = g_strdup(change->person->address);
	contact->is_subscribed = !pending;
	contact->is_pending = pending;
	contact->source = change->chooser.act->source;
	if (!store_contact_insert(change->db, contact, error))
		return false;
	*id_r = contact->id;
	return store_webhook_enqueue_contact(
	    change->db, &contact->workspace_id, &contact->id, WEBHOOK_CONTACT_CREATED, 0, error);
}

/* Stores a membership that waits, and its mail. now NULL: there is none yet. */
static bool
store_pending(struct change *change, const struct base_id *audience,
    const struct store_membership *now, const struct base_id *id, struct submit_sending *mail,
    GError **error)
{
	struct store_confirmation confirmation = {
	    .id = *id,
	    .workspace_id = *change->person->workspace,
	    .audience_id = *audience,
	    .address = (char *)change->person->address,
	    .given = (char *)"{}",
	};

	if (now)
		confirmation.contact_id = now->contact_id;
	else if (!parts_insert(change, audience, true, &confirmation.contact_id, error))
		return false;
	/* Not before the membership began to wait. */
	confirmation.created = base_clock_now();
	return (!now || store_membership_wait(change->db, change->person->workspace,
			    &now->contact_id, confirmation.created, error)) &&
	       consent_opt_in_begin(change->db, &confirmation, change->chooser.act, error) &&
	       consent_opt_in_store(change->service, mail, error);
}

static bool
parts_ask(struct change *change, const struct base_id *audience, const struct store_opt_in *opt_in,
    const struct store_membership *now, GError **error)
{
	struct base_id id = base_id_new();
	const struct consent_opt_in_mail mail = {.workspace = change->person->workspace,
	    .opt_in = opt_in,
	    .to = change->person->email,
	    .id = &id,
	    .address = change->person->address};
	struct submit_sending *sending =
	    consent_opt_in_compose(change->service, &mail, false, error);

	if (!sending)
		return false;
	bool done = store_pending(change, audience, now, &id, sending, error);
	service_once_free(&sending->request);
	return done;
}

/* Makes a membership that is subscribed at once. */
static bool
parts_enter(struct change *change, const struct base_id *audience, GError **error)
{
	struct base_id id;

	if (!parts_insert(change, audience, false, &id, error))
		return false;
	const struct store_consent_about about = {.contact = &id, .audience = audience};
	return person_choose_open(change->db, &change->chooser, &about, error);
}

static bool
parts_no_audience(const char *id, GError **error)
{
	return base_invalid(error, "audiences.%s is not an audience", id);
}

/* The opt-in of an audience that has to exist. The caller frees it. */
static struct store_opt_in *
parts_opt_in(struct change *change, const struct base_id *audience, GError **error)
{
	GError *failure = NULL;
	struct store_opt_in *opt_in =
	    store_opt_in_get(change->db, change->person->workspace, audience, &failure);
	char text[ID_TEXT_SIZE];

	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_clear_error(&failure);
		parts_no_audience(base_id_format(audience, text), error);
	}
	if (failure)
		g_propagate_error(error, failure);
	return opt_in;
}

/* now: the membership; NULL: there is none. */
static bool
parts_join(struct change *change, const struct base_id *audience,
    const struct store_membership *now, GError **error)
{
	bool is_refused, changed;

	if (now && now->is_subscribed)
		return true;
	if (!parts_refuse(change, audience, &is_refused, error))
		return false;
	if (is_refused)
		return true;
	AUTO(store_opt_in) opt_in = parts_opt_in(change, audience, error);
	if (!opt_in)
		return false;
	if (opt_in->required)
		return (now && now->pending) || parts_ask(change, audience, opt_in, now, error);
	return now ? person_choose_audience(
			 change->db, &change->chooser, now, true, &changed, error)
		   : parts_enter(change, audience, error);
}

/* Unsubscribes a membership, which waits no more. */
static bool
parts_leave(struct change *change, const struct store_membership *now, GError **error)
{
	const struct store_contact_change off = {
	    .is_subscribed_given = true, .act = change->chooser.act};

	return (!now->is_subscribed && !now->pending) ||
	       store_contact_change_within(change->db, change->person->workspace, &now->audience_id,
		   &now->contact_id, &off, error);
}

static bool
change_audience(struct change *change, const struct base_id *audience,
    const struct store_membership *now, const struct json *value, GError **error)
{
	if (json_boolean(value))
		return parts_join(change, audience, now, error);
	if (!now)
		return true;
	return value ? parts_leave(change, now, error)
		     : store_contact_remove_within(change->db, change->person->workspace, audience,
			   &now->contact_id, change->chooser.act, error);
}

static const struct store_membership *
parts_find_membership(const GPtrArray *memberships, const struct base_id *audience)
{
	for (guint i = 0; i < memberships->len; i++) {
		const struct store_membership *now = memberships->pdata[i];

		if (base_id_equal(&now->audience_id, audience))
			return now;
	}
	return NULL;
}

/* Locks the choice before the memberships (store/consent/choice.h). */
static GPtrArray *
lock_memberships(struct change *change, GError **error)
{
	const struct person_chooser *chooser = &change->chooser;
	struct store_choice choice;

	return store_choice_find(change->db, chooser->workspace, chooser->key, NULL, &choice, error)
		   ? store_membership_list(
			 change->db, chooser->workspace, chooser->key->address, true, error)
		   : NULL;
}

static bool
change_audiences(struct change *change, const struct json *audiences, GError **error)
{
	struct json_iterator members = json_members(audiences);
	const struct json *value;
	struct base_id id;
	const char *text;

	if (json_member_count(audiences) == 0)
		return true;
	g_autoptr(GPtrArray) memberships = lock_memberships(change, error);
	while (memberships && json_iterator_next(&members, &text, &value)) {
		if (!base_id_parse(text, &id))
			return parts_no_audience(text, error);
		if (!change_audience(
			change, &id, parts_find_membership(memberships, &id), value, error))
			return false;
	}
	return memberships != NULL;
}

bool
consent_parts_apply(struct db *db, struct service *service,
    const struct consent_parts_person *person, const struct consent_parts *parts, bool *refused_r,
    GError **error)
{
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, &person->address, 1);
	struct change change = {db, service, person,
	    {person->workspace, person_suppress_key(keys, 0), parts->act, false, NULL}, false};
	bool done = (!parts->subscribed_given || change_all(&change, parts->subscribed, error)) &&
		    change_topics(&change, parts->topics, error) &&
		    change_audiences(&change, parts->audiences, error);

	*refused_r = change.is_refused;
	return done;
}
