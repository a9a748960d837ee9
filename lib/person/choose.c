/* SPDX-License-Identifier: MIT */
/* Changes what a person wants, and keeps the suppression list, contacts and history in step. The
   lock order: the choice comes first (store/consent/choice.h), and contacts come last, since
   writers wait for each other at their audiences' counters. */
#include "person/choose.h"

#include "store/automation/own.h"
#include "store/person/contact.h"

static bool
choose_is_own(const struct store_choice *choice)
{
	return choice->all == CONSENT_OF_PERSON || choice->part == CONSENT_OF_PERSON;
}

static bool
is_person(const struct person_chooser *chooser)
{
	return chooser->act->author == CONSENT_OF_PERSON;
}

static bool
choose_record(struct db *db, const struct person_chooser *chooser, enum store_consent_kind kind,
    const struct store_consent_about *about, GError **error)
{
	return store_consent_record(db,
	    &(struct store_consent_change){
		chooser->workspace, chooser->key->address, kind, about, chooser->act},
	    error);
}

/* Puts the address on the suppression list. */
static bool
choose_suppress(struct db *db, const struct person_chooser *chooser,
    struct store_suppression *given, GError **error)
{
	struct store_suppression own = {.workspace_id = *chooser->workspace,
	    .email = (char *)chooser->key->address,
	    .address = (char *)chooser->key->address,
	    .reason = SUPPRESSION_UNSUBSCRIBED,
	    .scope = SUPPRESSION_AUTOMATION};

	return store_suppression_put(db, given ? given : &own, chooser->key, error);
}

bool
person_choose_none(struct db *db, const struct person_chooser *chooser,
    struct store_suppression *entry, bool *changed_r, GError **error)
{
	const struct store_consent_turn turn = {false, chooser->act->author, chooser->act->source};
	struct store_choice choice;
	guint count = 0;

	if (!store_choice_find(db, chooser->workspace, chooser->key, NULL, &choice, error))
		return false;
	bool is_new = !choice.all || (is_person(chooser) && !choose_is_own(&choice));
	if (!store_choice_leave(
		db, chooser->workspace, chooser->key->address, turn.author, chooser->link, error) ||
	    !choose_suppress(db, chooser, entry, error) ||
	    !store_contact_subscribe(
		db, chooser->workspace, chooser->key->address, &turn, &count, error))
		return false;
	*changed_r = is_new || count > 0;
	return !is_new || choose_record(db, chooser, CONSENT_UNSUBSCRIBED, NULL, error);
}

bool
person_choose_open(struct db *db, const struct person_chooser *chooser,
    const struct store_consent_about *about, GError **error)
{
	const struct base_id *target = about->topic ? about->topic : about->audience;
	struct store_choice choice;

	if (!store_choice_find(db, chooser->workspace, chooser->key, target, &choice, error))
		return false;
	if (choose_is_own(&choice) && !is_person(chooser) && !chooser->overrides)
		return store_choice_refuse(error);
	return store_choice_end(db, chooser->key, &choice,
	    &(struct store_consent_change){.workspace = chooser->workspace,
		.person = chooser->key->address,
		.about = about,
		.act = chooser->act},
	    error);
}

bool
person_choose_all(struct db *db, const struct person_chooser *chooser, GError **error)
{
	return person_choose_open(db, chooser, &(struct store_consent_about){0}, error);
}

/* Stores a choice of a target that is not wanted, and the way back. was_on: it was not left.
 *changed_r: it is left now, or was left by an operator before. */
static bool
leave_part(struct db *db, const struct person_chooser *chooser,
    const struct store_choice_target *target, bool was_on, bool *changed_r, GError **error)
{
	const char *address = chooser->key->address;
	struct store_choice choice;

	if (!store_choice_find(db, chooser->workspace, chooser->key, &target->id, &choice, error))
		return false;
	bool is_mine = is_person(chooser) && choice.part == CONSENT_OF_OPERATOR;
	*changed_r = was_on || is_mine;
	return ((choice.part && !is_mine) ||
		   store_choice_part_put(db, chooser->workspace, address,
		       &(struct store_choice_part){target, false, chooser->act->author}, error)) &&
	       (!chooser->link || store_choice_part_note(db,
				      &(struct store_choice_use){.workspace = chooser->workspace,
					  .address = address,
					  .link = chooser->link},
				      &target->id, was_on, error));
}

/* Whether the person gets nothing at all. */
static bool
choose_is_out(struct db *db, const struct person_chooser *chooser, bool *out_r, GError **error)
{
	struct store_choice choice;
	bool done = store_choice_find(db, chooser->workspace, chooser->key, NULL, &choice, error);

	*out_r = choice.all != 0;
	return done;
}

static bool
want_topic(struct db *db, const struct person_chooser *chooser,
    const struct store_topic_choice *now, bool *changed_r, GError **error)
{
	const struct store_consent_about about = {.topic = &now->topic.id};
	const struct store_choice_target target = {now->topic.id, true};
	bool out;

	if (!choose_is_out(db, chooser, &out, error))
		return false;
	bool is_new = !now->is_chosen || !now->is_subscribed;
	*changed_r = is_new || out;
	return !*changed_r ||
	       (person_choose_open(db, chooser, &about, error) &&
		   store_choice_part_put(db, chooser->workspace, chooser->key->address,
		       &(struct store_choice_part){&target, true, chooser->act->author}, error) &&
		   (!is_new || choose_record(db, chooser, CONSENT_TOPIC_JOINED, &about, error)));
}

bool
person_choose_topic(struct db *db, const struct person_chooser *chooser,
    const struct store_topic_choice *now, bool wanted, bool *changed_r, GError **error)
{
	const struct store_consent_about about = {.topic = &now->topic.id};
	const struct store_choice_target target = {now->topic.id, true};

	if (wanted)
		return want_topic(db, chooser, now, changed_r, error);
	return leave_part(db, chooser, &target, now->is_subscribed, changed_r, error) &&
	       (!*changed_r || choose_record(db, chooser, CONSENT_TOPIC_LEFT, &about, error));
}

static bool
choose_join(struct db *db, const struct person_chooser *chooser, const struct store_membership *now,
    const struct store_consent_about *about, bool *changed_r, GError **error)
{
	*changed_r = !now->is_subscribed;
	/* An address that nobody has confirmed is known from now on. */
	return (!now->pending || now->is_subscribed ||
		   store_own_confirm(db, chooser->workspace, now->address,
		       (enum store_consent_source)now->source, error)) &&
	       person_choose_open(db, chooser, about, error) &&
	       (!*changed_r || (store_membership_set(db, chooser->workspace, now,
				    &(struct store_consent_turn){
					true, chooser->act->author, chooser->act->source},
				    error) &&
				   choose_record(db, chooser, CONSENT_JOINED, about, error)));
}

bool
person_choose_audience(struct db *db, const struct person_chooser *chooser,
    const struct store_membership *now, bool wanted, bool *changed_r, GError **error)
{
	const struct store_consent_about about = {
	    .contact = &now->contact_id, .audience = &now->audience_id};
	const struct store_choice_target target = {now->audience_id, false};

	if (wanted)
		return choose_join(db, chooser, now, &about, changed_r, error);
	*changed_r = now->is_subscribed;
	if (now->is_subscribed &&
	    !store_membership_set(db, chooser->workspace, now,
		&(struct store_consent_turn){false, chooser->act->author, chooser->act->source},
		error))
		return false;
	/* An operator's choice stands in the membership alone. */
	return (!is_person(chooser) ||
		   leave_part(db, chooser, &target, now->is_subscribed, changed_r, error)) &&
	       (!*changed_r || choose_record(db, chooser, CONSENT_LEFT, &about, error));
}
