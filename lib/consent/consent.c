/* SPDX-License-Identifier: MIT */
/* Changes consent as operators say, unless people have left in person. */
#include "consent/consent.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "consent/opt_in.h"
#include "db/transaction.h"
#include "person/choose.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/consent/agreement.h"
#include "store/consent/snooze.h"
#include "store/webhook/enqueue.h"
#include "submit/submit.h"

bool
consent_read(const char *text, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error)
{
	*given_r = NULL;
	if (!text || strcmp(text, "false") == 0)
		return true;
	if (!*text || g_utf8_strlen(text, -1) > LIMIT_OVERRIDE_LENGTH) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "override must be true or a reason of 1 to %d characters",
		    LIMIT_OVERRIDE_LENGTH);
		return false;
	}
	override->reason = strcmp(text, "true") == 0 ? NULL : text;
	*given_r = override;
	return true;
}

/* The act of an operator, with the reason of an override. */
static struct store_consent_act
act_with(const struct store_consent_act *act, const struct store_consent_override *override)
{
	struct store_consent_act whole = *act;

	if (override) {
		whole.user = override->user;
		whole.key = override->key;
		whole.reason = override->reason;
	}
	return whole;
}

bool
consent_subscribe(struct db *db, const struct service *service,
    const struct consent_subject *subject, bool subscribed, GError **error)
{
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, &subject->address, 1);
	const struct store_consent_act whole = act_with(subject->act, subject->override);
	const struct person_chooser chooser = {subject->workspace, person_suppress_key(keys, 0),
	    &whole, subject->override != NULL, NULL};
	bool changed;

	return subscribed ? person_choose_all(db, &chooser, error) &&
				store_agreement_give(
				    db, subject->workspace, subject->address, AGREEMENT_SAID, error)
			  : person_choose_none(db, &chooser, NULL, &changed, error);
}

static const struct store_topic_choice *
find_topic(const GPtrArray *topics, const struct base_id *id, GError **error)
{
	char text[ID_TEXT_SIZE];

	for (guint i = 0; i < topics->len; i++) {
		const struct store_topic_choice *now = topics->pdata[i];

		if (base_id_equal(&now->topic.id, id))
			return now;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "topics.%s is not a topic",
	    base_id_format(id, text));
	return NULL;
}

bool
consent_topics(struct db *db, const struct service *service, const struct consent_subject *subject,
    const struct consent_topic *topics, guint count, GError **error)
{
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, &subject->address, 1);
	const struct store_consent_act whole = act_with(subject->act, subject->override);
	const struct person_chooser chooser = {subject->workspace, person_suppress_key(keys, 0),
	    &whole, subject->override != NULL, NULL};
	g_autoptr(GPtrArray) all = store_topic_choices(db, subject->workspace, chooser.key, error);
	bool changed;

	for (guint i = 0; all && i < count; i++) {
		const struct store_topic_choice *now = find_topic(all, &topics[i].id, error);

		if (!now ||
		    !person_choose_topic(db, &chooser, now, topics[i].wanted, &changed, error))
			return false;
	}
	return all != NULL;
}

bool
consent_flag(struct db *db, const struct service *service, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error)
{
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, addresses, count);

	return store_choice_flag_all(db, workspace, person_suppress_key(keys, 0), count, error);
}

/* A contact that is stored although its person has left, or refused. */
struct creation {
	struct store_contact *contact;
	struct person_chooser chooser;
	bool unconfirmed; /* although the audience wants a confirmation */
};

/* Records that no confirmation is asked for. */
static bool
record_unconfirmed(struct db *db, const struct creation *creation,
    const struct store_consent_about *about, GError **error)
{
	const struct person_chooser *chooser = &creation->chooser;

	return !creation->unconfirmed ||
	       store_consent_record(db,
		   &(struct store_consent_change){chooser->workspace, chooser->key->address,
		       CONSENT_OVERRIDE, about, chooser->act},
		   error);
}

static bool
create_against(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	struct store_contact *contact = creation->contact;
	const struct store_consent_about about = {
	    .contact = &contact->id, .audience = &contact->audience_id};

	return store_contact_insert(db, contact, error) &&
	       person_choose_open(db, &creation->chooser, &about, error) &&
	       record_unconfirmed(db, creation, &about, error) &&
	       store_webhook_enqueue_contact(
		   db, &contact->workspace_id, &contact->id, WEBHOOK_CONTACT_CREATED, 0, error);
}

/* mail_r: as of consent_opt_in_wait. */
static bool
consent_join(struct service *service, const struct consent_contact_request *request,
    struct submit_sending **mail_r, GError **error)
{
	struct store_contact *contact = request->contact;
	const struct store_consent_act *act = &request->act;
	const struct store_consent_override *override =
	    request->overrides ? &request->override : NULL;
	g_autoptr(GError) failure = NULL;
	enum store_contact_bar bar;
	AUTO(person_suppress_keys) keys =
	    person_suppress_keys(service, (const char *const *)&contact->address, 1);
	const struct store_suppression_key *key = person_suppress_key(keys, 0);

	contact->source = act->source;
	if (!contact->is_subscribed)
		return store_contact_create(service->db, contact, key, error);
	const struct store_consent_act whole = act_with(act, override);
	struct creation creation = {
	    contact, {&contact->workspace_id, key, &whole, override != NULL, NULL}, false};
	if (store_contact_create_subscribed(service->db, contact, key, &bar, &failure))
		return true;
	creation.unconfirmed = bar == CONTACT_BAR_OPT_IN;
	if (bar == CONTACT_BAR_OPT_IN && !override)
		return consent_opt_in_wait(service, contact, act, mail_r, error);
	if (bar && (request->said || override))
		return db_transact(service->db, create_against, &creation, error);
	if (bar) {
		contact->is_subscribed = false;
		return store_contact_create(service->db, contact, key, error);
	}
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static struct consent_contact_request
consent_request_of(struct store_contact *contact, bool said, const struct store_consent_act *act,
    const struct store_consent_override *override)
{
	struct consent_contact_request request = {
	    .contact = contact, .said = said, .act = *act, .overrides = override != NULL};

	if (override)
		request.override = *override;
	return request;
}

bool
consent_create(struct service *service, struct store_contact *contact, bool said,
    const struct store_consent_act *act, const struct store_consent_override *override,
    GError **error)
{
	const struct consent_contact_request request =
	    consent_request_of(contact, said, act, override);

	return consent_join(service, &request, NULL, error);
}

static struct consent_contact_request *
contact_request(const struct service_once *request)
{
	return (struct consent_contact_request *)request;
}

static bool
consent_store_alone(struct service *service, struct service_once *request, GError **error)
{
	struct consent_contact_request *r = contact_request(request);

	return consent_join(service, r, &r->mail, error);
}

/* By workspace, audience and address. */
static int
consent_by_lock(const void *a, const void *b)
{
	const struct store_contact *const *x = a, *const *y = b;
	int order = memcmp(&(*x)->workspace_id, &(*y)->workspace_id, sizeof(struct base_id));

	if (order == 0)
		order = memcmp(&(*x)->audience_id, &(*y)->audience_id, sizeof(struct base_id));
	return order ? order : strcmp((*x)->address, (*y)->address);
}

/* Stores contacts of one workspace. */
static bool
store_some(
    struct service *service, struct store_contact *const *contacts, guint count, GError **error)
{
	g_autofree const char **addresses = g_new(const char *, count);
	guint subscribed = 0, rest = count;

	for (guint i = 0; i < count; i++)
		addresses[contacts[i]->is_subscribed ? subscribed++ : --rest] =
		    contacts[i]->address;
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, addresses, count);
	return store_contact_insert_all(
	    service->db, contacts, count, person_suppress_key(keys, 0), subscribed, error);
}

static bool
consent_store_many(
    struct service *service, struct service_once *const *requests, guint count, GError **error)
{
	g_autofree struct store_contact **contacts = g_new(struct store_contact *, count);

	for (guint i = 0; i < count; i++)
		contacts[i] = contact_request(requests[i])->contact;
	base_array_sort(contacts, count, sizeof(*contacts), consent_by_lock);
	for (guint i = 0, same; i < count; i += same) {
		same = 1;
		while (i + same < count &&
		       base_id_equal(&contacts[i]->workspace_id, &contacts[i + same]->workspace_id))
			same++;
		if (!store_some(service, contacts + i, same, error))
			return false;
	}
	return true;
}

/* Sends the mail by which the person confirms. */
static bool
finish_contact_request(struct service *service, struct service_once *request, GError **error)
{
	struct submit_sending *mail = g_steal_pointer(&contact_request(request)->mail);

	return !mail || service_once_finish(service, &mail->request, error);
}

static void
free_contact_request(struct service_once *request)
{
	store_contact_free(contact_request(request)->contact);
	if (contact_request(request)->mail)
		service_once_free(&contact_request(request)->mail->request);
	g_free(request);
}

struct consent_contact_request *
consent_request(struct store_contact *contact, bool said, const struct store_consent_act *act,
    const struct store_consent_override *override)
{
	static const struct service_once_kind kind = {.store = consent_store_many,
	    .alone = consent_store_alone,
	    .finish = finish_contact_request,
	    .free = free_contact_request};
	struct consent_contact_request *request = g_new(struct consent_contact_request, 1);

	*request = consent_request_of(contact, said, act, override);
	request->request.kind = &kind;
	contact->source = act->source;
	return request;
}

struct settling {
	const struct service *service;
	const struct store_contact_change *change;
	const struct store_consent_override *override;
};

/* Two people are one now, and one of them has left audiences in which the other is subscribed. */
static bool
leave_audiences(struct db *db, const struct person_chooser *chooser,
    const struct store_contact *moved, GError **error)
{
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, chooser->workspace, chooser->key->address, true, error);
	struct store_choice choice;

	for (guint i = 0; memberships && i < memberships->len; i++) {
		const struct store_membership *now = memberships->pdata[i];
		const struct store_consent_about about = {
		    .contact = &now->contact_id, .audience = &now->audience_id};

		if (!now->is_subscribed || base_id_equal(&now->contact_id, &moved->id))
			continue;
		if (!store_choice_find(
			db, chooser->workspace, chooser->key, &now->audience_id, &choice, error))
			return false;
		if (choice.part &&
		    (!store_membership_set(db, chooser->workspace, now,
			 &(struct store_consent_turn){false, choice.part, chooser->act->source},
			 error) ||
			!store_consent_record(db,
			    &(struct store_consent_change){chooser->workspace,
				chooser->key->address, CONSENT_LEFT, &about, chooser->act},
			    error)))
			return false;
	}
	return memberships != NULL;
}

/* A contact that has another address. */
struct moved {
	const struct store_contact *contact;
	const char *from; /* the old address */
	bool is_new;	  /* nobody had the new one */
	bool said;	  /* the change subscribes the contact, which ends choices against it */
};

/* The choices of a person go along to another address. They stay at the old one, too, so that
   nothing goes to it. */
static bool
take_along(struct db *db, const struct service *service, const struct person_chooser *chooser,
    const struct moved *moved, GError **error)
{
	const struct store_contact *contact = moved->contact;
	const char *from = moved->from;
	bool is_new = moved->is_new;
	const struct store_consent_about about = {
	    .contact = &contact->id, .audience = &contact->audience_id};
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, &from, 1);
	struct person_chooser old = *chooser;
	struct store_choice choice;
	bool changed;

	old.key = person_suppress_key(keys, 0);
	if ((moved->said && !person_choose_open(db, &old, &about, error)) ||
	    !store_choice_find(db, old.workspace, old.key, NULL, &choice, error) ||
	    !store_choice_part_copy(db, old.workspace, from, contact->address, is_new, error) ||
	    !store_snooze_copy(db, old.workspace, from, contact->address, error))
		return false;
	struct store_consent_act act = *chooser->act;
	act.author = choice.all;
	struct person_chooser new = *chooser;
	new.act = &act;
	return (!choice.all || person_choose_none(db, &new, NULL, &changed, error)) &&
	       (is_new || leave_audiences(db, chooser, contact, error));
}

/* A contact that is said to be subscribed ends the choices against it; another one follows them. */
static bool
consent_settle(struct db *db, struct store_contact *contact, const char *from, bool is_new,
    void *context, GError **error)
{
	const struct settling *settling = context;
	const struct store_consent_about about = {
	    .contact = &contact->id, .audience = &contact->audience_id};
	AUTO(person_suppress_keys) keys =
	    person_suppress_keys(settling->service, (const char *const *)&contact->address, 1);
	const struct store_consent_act act = act_with(settling->change->act, settling->override);
	const struct person_chooser chooser = {&contact->workspace_id, person_suppress_key(keys, 0),
	    &act, settling->override != NULL, NULL};
	bool said =
	    contact->is_subscribed && (settling->change->is_subscribed_given || settling->override);
	struct store_choice choice;

	if (from && !take_along(db, settling->service, &chooser,
			&(struct moved){contact, from, is_new, said}, error))
		return false;
	if (said)
		return person_choose_open(db, &chooser, &about, error);
	if (!store_choice_find(db, chooser.workspace, chooser.key, about.audience, &choice, error))
		return false;
	contact->is_subscribed = contact->is_subscribed && !choice.all && !choice.part;
	return store_choice_flag(db, chooser.workspace, chooser.key, error);
}

bool
consent_change(struct service *service, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, const struct store_consent_override *override,
    GError **error)
{
	struct settling settling = {service, change, override};
	struct store_contact_change settled = *change;

	settled.settle = consent_settle;
	settled.settle_context = &settling;
	return store_contact_change(service->db, workspace, audience, id, &settled, error);
}
