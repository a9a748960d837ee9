/* SPDX-License-Identifier: MIT */
/* Changes one of many people, and tells whether that can be undone. */
#include "consent/bulk.h"

#include <string.h>

#include "base/error.h"
#include "consent/parts.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "json/value.h"
#include "person/contact.h"
#include "person/erase.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/consent/choice.h"
#include "store/consent/opt_in.h"
#include "store/consent/topic.h"
#include "store/person/membership.h"
#include "store/person/people.h"

const char *const consent_bulk_words[] = {
    "add", "remove", "join", "leave", "suppress", "unsuppress", NULL};

bool
consent_bulk_has_audience(enum consent_bulk_kind kind)
{
	return kind == BULK_ADD || kind == BULK_REMOVE;
}

bool
consent_bulk_has_topic(enum consent_bulk_kind kind)
{
	return kind == BULK_JOIN || kind == BULK_LEAVE;
}

bool
consent_bulk_check(struct service *service, const struct consent_bulk *bulk, GError **error)
{
	if (consent_bulk_has_audience(bulk->kind)) {
		AUTO(store_opt_in)
		opt_in = store_opt_in_get(service->db, bulk->workspace, bulk->target, error);
		return opt_in != NULL;
	}
	if (consent_bulk_has_topic(bulk->kind)) {
		AUTO(store_topic)
		topic = store_topic_get(service->db, bulk->workspace, bulk->target, error);
		return topic != NULL;
	}
	return true;
}

/* A change of one person in a transaction. */
struct work {
	struct service *service;
	const struct consent_bulk *bulk;
	const char *address;
	struct consent_bulk_outcome *outcome;
};

/* Refuses a change that an override does not lift here, unlike store_choice_refuse. */
static bool
bulk_refuse(GError **error)
{
	return base_fail(error, PH_ERROR_CONFLICT, "This person has unsubscribed");
}

/* Gives the person's audience or topic this value, as an operator. */
static bool
bulk_set(struct db *db, const struct work *work, const struct store_person *person,
    const char *value, GError **error)
{
	const struct consent_bulk *bulk = work->bulk;
	const struct consent_parts_person of = {bulk->workspace, person->email, person->address};
	char id[ID_TEXT_SIZE];
	g_autofree char *text =
	    g_strdup_printf("{\"%s\":%s}", base_id_format(bulk->target, id), value);
	AUTO(json) wanted = json_parse(text, strlen(text), error);
	const struct consent_parts parts = {
	    .topics = consent_bulk_has_topic(bulk->kind) ? wanted : NULL,
	    .audiences = consent_bulk_has_audience(bulk->kind) ? wanted : NULL,
	    .act = bulk->act};
	bool is_refused;

	return wanted && consent_parts_apply(db, work->service, &of, &parts, &is_refused, error) &&
	       (!is_refused || bulk_refuse(error));
}

/* The state of the membership in the audience; NULL: there is none. */
static const struct store_membership *
bulk_find_membership(const GPtrArray *memberships, const struct base_id *audience)
{
	for (guint i = 0; i < memberships->len; i++) {
		const struct store_membership *one = memberships->pdata[i];

		if (base_id_equal(&one->audience_id, audience))
			return one;
	}
	return NULL;
}

/* A person who is added again is subscribed or, where people confirm, asked. */
static bool
bulk_change_membership(
    struct db *db, const struct work *work, const struct store_person *person, GError **error)
{
	const struct consent_bulk *bulk = work->bulk;
	bool adds = bulk->kind == BULK_ADD;
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, bulk->workspace, person->address, false, error);
	AUTO(store_opt_in)
	opt_in = memberships ? store_opt_in_get(db, bulk->workspace, bulk->target, error) : NULL;

	if (!opt_in)
		return false;
	const struct store_membership *now = bulk_find_membership(memberships, bulk->target);
	if (adds == (now != NULL))
		return true;
	if (adds && !person->is_subscribed)
		return bulk_refuse(error);
	work->outcome->is_changed = true;
	work->outcome->is_reversible = adds || (now->is_subscribed && !opt_in->required);
	return bulk_set(db, work, person, adds ? "true" : "null", error);
}

static const struct store_topic_choice *
bulk_find_topic(const GPtrArray *topics, const struct base_id *id)
{
	for (guint i = 0; i < topics->len; i++) {
		const struct store_topic_choice *one = topics->pdata[i];

		if (base_id_equal(&one->topic.id, id))
			return one;
	}
	return NULL;
}

/* Joining would end the choice to get no mailings at all: that is no change for many at once. */
static bool
bulk_change_topic(
    struct db *db, const struct work *work, const struct store_person *person, GError **error)
{
	const struct consent_bulk *bulk = work->bulk;
	bool joins = bulk->kind == BULK_JOIN;
	AUTO(person_suppress_keys)
	keys = person_suppress_keys(work->service, (const char *const *)&person->address, 1);
	g_autoptr(GPtrArray) topics =
	    store_topic_choices(db, bulk->workspace, person_suppress_key(keys, 0), error);

	if (!topics)
		return false;
	const struct store_topic_choice *now = bulk_find_topic(topics, bulk->target);
	if (!now)
		return store_topic_missing(error);
	if (joins && !person->is_subscribed)
		return bulk_refuse(error);
	if (now->is_subscribed == joins)
		return true;
	work->outcome->is_changed = true;
	work->outcome->is_reversible = person->is_subscribed;
	return bulk_set(db, work, person, joins ? "true" : "false", error);
}

static bool
bulk_change(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	const struct consent_bulk *bulk = work->bulk;
	AUTO(store_person) person = store_people_lock(db, bulk->workspace, work->address, error);

	*work->outcome = (struct consent_bulk_outcome){false, false};
	return person && (consent_bulk_has_audience(bulk->kind)
				 ? bulk_change_membership(db, work, person, error)
				 : bulk_change_topic(db, work, person, error));
}

/* The entry of an address; NULL without an error: there is none. */
static struct store_suppression *
bulk_entry(const struct work *work, GError **error)
{
	GError *failure = NULL;
	struct store_suppression *entry =
	    person_suppress_get(work->service, work->bulk->workspace, work->address, &failure);

	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_clear_error(&failure);
	if (failure)
		g_propagate_error(error, failure);
	return entry;
}

static bool
bulk_is_manual(const struct store_suppression *entry)
{
	return entry->reason == SUPPRESSION_MANUAL && entry->scope == SUPPRESSION_ALL;
}

static bool
bulk_suppress(const struct work *work, GError **error)
{
	const struct consent_bulk *bulk = work->bulk;
	GError *failure = NULL;
	AUTO(store_suppression) before = bulk_entry(work, &failure);

	if (failure) {
		g_propagate_error(error, failure);
		return false;
	}
	if (bulk->kind == BULK_UNSUPPRESS) {
		work->outcome->is_changed = before != NULL;
		work->outcome->is_reversible = before && bulk_is_manual(before);
		return !before || person_suppress_remove(work->service, bulk->workspace,
				      work->address, bulk->act, NULL, error);
	}
	/* A wider entry takes the place of a narrow one, and its removal leaves that. */
	work->outcome->is_changed = !before || before->scope != SUPPRESSION_ALL;
	work->outcome->is_reversible = !before;
	AUTO(store_suppression)
	entry = person_suppress_add(work->service, bulk->workspace, work->address,
	    &(struct store_suppression_state){SUPPRESSION_MANUAL, SUPPRESSION_ALL}, bulk->act,
	    error);
	return entry != NULL;
}

static bool
bulk_erase(const struct work *work, GError **error)
{
	struct store_erasure erased;

	work->outcome->is_changed = true;
	return person_erase(work->service, work->bulk->workspace, work->address, &erased, error);
}

bool
consent_bulk_apply(struct service *service, const struct consent_bulk *bulk, const char *email,
    struct consent_bulk_outcome *outcome_r, GError **error)
{
	g_autofree char *address = person_contact_address(email, error);
	struct work work = {service, bulk, address, outcome_r};

	*outcome_r = (struct consent_bulk_outcome){false, false};
	if (!address)
		return false;
	if (bulk->kind == BULK_ERASE)
		return bulk_erase(&work, error);
	if (bulk->kind == BULK_SUPPRESS || bulk->kind == BULK_UNSUPPRESS)
		return bulk_suppress(&work, error);
	return db_transact(service->db, bulk_change, &work, error);
}
