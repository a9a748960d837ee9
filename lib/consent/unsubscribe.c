/* SPDX-License-Identifier: MIT */
/* Shows what recipients want, and changes it as they wish. */
#include "consent/unsubscribe.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "link/token.h"
#include "mail/address.h"
#include "person/choose.h"
#include "person/snooze.h"
#include "person/suppress.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/broadcast/engagement.h"
#include "store/common/found.h"
#include "store/common/settle.h"
#include "store/email/event.h"
#include "store/person/contact.h"
#include "store/person/person.h"

void
consent_subscriber_free(struct consent_subscriber *subscriber)
{
	g_free(subscriber->address);
	g_free(subscriber->sender);
	g_free(subscriber->language);
	g_clear_pointer(&subscriber->topics, g_ptr_array_unref);
	g_clear_pointer(&subscriber->memberships, g_ptr_array_unref);
	g_free(subscriber);
}

/* Reads from the suppression list whether the address gets mailings. */
static bool
unsubscribe_read_state(const struct service *service, const struct store_engagement *reader,
    const struct store_suppression_key *key, enum consent_subscription *state_r, GError **error)
{
	g_autoptr(GError) local = NULL;
	AUTO(store_suppression)
	entry = store_suppression_get(service->db, &reader->workspace_id, key, &local);

	if (!entry && !g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	*state_r =
	    !entry ? SUBSCRIPTION_ON
	    : entry->reason == SUPPRESSION_UNSUBSCRIBED || entry->scope == SUPPRESSION_AUTOMATION
		? SUBSCRIPTION_OFF
		: SUBSCRIPTION_BLOCKED;
	return true;
}

static struct store_choice_link
link_of(const struct store_engagement *reader)
{
	return (struct store_choice_link){reader->email_id, reader->number};
}

static gint64
oldest_to_undo(void)
{
	return base_clock_now() - LIMIT_RESUBSCRIBE_MS;
}

/* Reads the ways back. */
static bool
read_returns(const struct service *service, const struct store_engagement *reader,
    const char *address, struct consent_subscriber *subscriber, GError **error)
{
	const struct store_choice_link link = link_of(reader);
	const struct store_choice_use use = {
	    &reader->workspace_id, address, &link, oldest_to_undo()};
	bool parts;

	if (subscriber->state == SUBSCRIPTION_OFF &&
	    !store_choice_view(
		service->db, &use, &subscriber->returns, &subscriber->elsewhere, error))
		return false;
	if (!store_choice_part_returns(service->db, &use, &parts, error))
		return false;
	subscriber->returns |= parts;
	return true;
}

/* The topic of the email; NULL when it has none, or the topic is gone. */
static const struct store_topic_choice *
topic_of(const struct store_engagement *reader, const GPtrArray *topics)
{
	for (guint i = 0; reader->has_topic && i < topics->len; i++) {
		const struct store_topic_choice *choice = topics->pdata[i];

		if (base_id_equal(&choice->topic.id, &reader->topic_id))
			return choice;
	}
	return NULL;
}

static struct consent_subscriber *
subscriber_of(const struct service *service, const struct store_engagement *reader, GError **error)
{
	AUTO(consent_subscriber) subscriber = g_new0(struct consent_subscriber, 1);
	const struct base_id *workspace = &reader->workspace_id;
	AUTO(person_suppress_keys)
	keys = person_suppress_keys(service, (const char *const *)&reader->address, 1);
	const struct store_suppression_key *key = person_suppress_key(keys, 0);

	struct store_snooze snooze;

	if (!store_snooze_get(service->db, workspace, key->address, false, &snooze, error) ||
	    !unsubscribe_read_state(service, reader, key, &subscriber->state, error) ||
	    !store_choice_stands(service->db, workspace, key, &subscriber->out, error) ||
	    !read_returns(service, reader, key->address, subscriber, error) ||
	    !(subscriber->topics = store_topic_choices(service->db, workspace, key, error)) ||
	    !(subscriber->memberships =
		    store_membership_list(service->db, workspace, key->address, false, error)) ||
	    !store_person_language(
		service->db, workspace, key->address, &subscriber->language, error))
		return NULL;
	subscriber->workspace_id = *workspace;
	subscriber->snoozed_until = snooze.until;
	subscriber->address = g_strdup(reader->address);
	subscriber->sender = g_strdup(reader->sender);
	subscriber->topic = topic_of(reader, subscriber->topics);
	return g_steal_pointer(&subscriber);
}

/* Reads the reader of a token, locked inside a transaction, also one whose email was removed. */
static struct store_engagement *
find_reader(struct db *db, const struct link_token *token, bool lock, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct store_engagement *reader = (lock ? store_engagement_lock : store_engagement_get)(
	    db, &token->email, token->recipient, &failure);

	if (reader)
		return reader;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return store_engagement_get_kept(db, &token->email, token->recipient, error);
	g_propagate_error(error, g_steal_pointer(&failure));
	return NULL;
}

struct consent_subscriber *
consent_unsubscribe_look(struct service *service, const struct link_token *token, GError **error)
{
	AUTO(store_engagement) reader = find_reader(service->db, token, false, error);

	return reader ? subscriber_of(service, reader, error) : NULL;
}

/* A change that a transaction makes. */
struct change {
	const struct service *service;
	const struct link_token *token;
	const struct consent_wish *wish;
	struct consent_subscriber *subscriber; /* the result */
	bool is_recorded;		       /* an event was stored */
};

static bool
record_event(struct db *db, const struct store_engagement *reader, GError **error)
{
	struct store_event event = {
	    .workspace_id = reader->workspace_id,
	    .email_id = reader->email_id,
	    .type = reader->type,
	    .recipient = reader->number,
	    .status = EVENT_UNSUBSCRIBED,
	    .timestamp = base_clock_now(),
	    .origin = &reader->origin,
	    .address = reader->address,
	};

	return store_event_insert(db, &event, 1, error);
}

/* Leaves the topic of the email, or all mailings. */
static bool
unsubscribe_leave(struct db *db, const struct person_chooser *chooser,
    const struct store_engagement *reader, bool *changed_r, GError **error)
{
	g_autoptr(GPtrArray) topics =
	    store_topic_choices(db, chooser->workspace, chooser->key, error);

	if (!topics)
		return false;
	const struct store_topic_choice *topic = topic_of(reader, topics);
	return topic ? person_choose_topic(db, chooser, topic, false, changed_r, error)
		     : person_choose_none(db, chooser, NULL, changed_r, error);
}

static bool
unsubscribe_is_among(const struct consent_wish *wish, const struct base_id *id)
{
	for (guint i = 0; i < wish->id_count; i++)
		if (base_id_equal(&wish->ids[i], id))
			return true;
	return false;
}

static bool
choose_topics(struct db *db, const struct person_chooser *chooser, const struct consent_wish *wish,
    GError **error)
{
	g_autoptr(GPtrArray) topics =
	    store_topic_choices(db, chooser->workspace, chooser->key, error);
	bool changed;

	for (guint i = 0; topics && i < topics->len; i++) {
		const struct store_topic_choice *now = topics->pdata[i];

		if (now->topic.is_public &&
		    !person_choose_topic(db, chooser, now,
			unsubscribe_is_among(wish, &now->topic.id), &changed, error))
			return false;
	}
	return topics != NULL;
}

/* A membership that waits to be confirmed, and is not chosen, goes on waiting. */
static bool
choose_audiences(struct db *db, const struct person_chooser *chooser,
    const struct consent_wish *wish, GError **error)
{
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, chooser->workspace, chooser->key->address, true, error);
	bool changed;

	for (guint i = 0; memberships && i < memberships->len; i++) {
		const struct store_membership *now = memberships->pdata[i];
		bool wanted = unsubscribe_is_among(wish, &now->audience_id);

		if ((wanted || !now->pending) &&
		    !person_choose_audience(db, chooser, now, wanted, &changed, error))
			return false;
	}
	return memberships != NULL;
}

/* Takes back that the link ended all mailings: subscribes the contacts that the choice has
   unsubscribed, then ends the choice. */
static bool
return_all(struct db *db, const struct person_chooser *chooser, GError **error)
{
	const struct store_choice_use use = {
	    chooser->workspace, chooser->key->address, chooser->link, oldest_to_undo()};
	const struct store_consent_turn turn = {true, CONSENT_OF_PERSON, chooser->act->source};
	bool last;
	guint count;

	if (!store_choice_return(db, &use, &last, error))
		return false;
	return !last ||
	       (store_contact_subscribe(db, use.workspace, use.address, &turn, &count, error) &&
		   person_choose_all(db, chooser, error));
}

/* Wants again a topic that the link left: by its default, or by choice where that is needed. */
static bool
return_topic(struct db *db, const struct person_chooser *chooser, const struct base_id *id,
    const GPtrArray *topics, GError **error)
{
	const struct store_consent_about about = {.topic = id};
	const struct store_choice_target target = {*id, true};
	bool is_opt_in = false;

	for (guint i = 0; i < topics->len; i++) {
		const struct store_topic_choice *now = topics->pdata[i];

		is_opt_in |= now->topic.is_opt_in && base_id_equal(&now->topic.id, id);
	}
	return store_choice_part_end(db, chooser->workspace, chooser->key, id, error) &&
	       (!is_opt_in ||
		   store_choice_part_put(db, chooser->workspace, chooser->key->address,
		       &(struct store_choice_part){&target, true, CONSENT_OF_PERSON}, error)) &&
	       store_consent_record(db,
		   &(struct store_consent_change){chooser->workspace, chooser->key->address,
		       CONSENT_TOPIC_JOINED, &about, chooser->act},
		   error);
}

/* Wants an audience again that the link left; while all mailings are ended, only the way to it is
   open. */
static bool
return_audience(struct db *db, const struct person_chooser *chooser, const struct base_id *id,
    const GPtrArray *memberships, bool out, GError **error)
{
	bool changed;

	if (!store_choice_part_end(db, chooser->workspace, chooser->key, id, error))
		return false;
	for (guint i = 0; !out && i < memberships->len; i++) {
		const struct store_membership *now = memberships->pdata[i];

		if (base_id_equal(&now->audience_id, id))
			return person_choose_audience(db, chooser, now, true, &changed, error);
	}
	return true;
}

/* Takes back which topics and audiences the link left. */
static bool
return_parts(struct db *db, const struct person_chooser *chooser, GError **error)
{
	const struct base_id *workspace = chooser->workspace;
	const struct store_choice_use use = {
	    workspace, chooser->key->address, chooser->link, oldest_to_undo()};
	struct store_choice choice;
	g_autoptr(GArray) targets = store_choice_part_return(db, &use, error);

	if (!targets || targets->len == 0)
		return targets != NULL;
	g_autoptr(GPtrArray) topics = store_topic_choices(db, workspace, chooser->key, error);
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, workspace, chooser->key->address, true, error);
	if (!topics || !memberships ||
	    !store_choice_find(db, workspace, chooser->key, NULL, &choice, error))
		return false;
	for (guint i = 0; i < targets->len; i++) {
		const struct store_choice_target *target =
		    &g_array_index(targets, struct store_choice_target, i);

		if (!(target->is_topic ? return_topic(db, chooser, &target->id, topics, error)
				       : return_audience(db, chooser, &target->id, memberships,
					     choice.all != 0, error)))
			return false;
	}
	return true;
}

#define WEEK_MS ((gint64)7 * 24 * 60 * 60 * 1000)
const guint consent_unsubscribe_weeks[] = {2, 4, 8, 13, 26, 52, 0};

/* Snoozes for some weeks, or ends that. */
static bool
unsubscribe_snooze(struct db *db, const struct person_chooser *chooser, guint weeks, GError **error)
{
	const struct person_snooze_change change = {.address = chooser->key->address,
	    .until = weeks ? base_clock_now() + weeks * WEEK_MS : 0,
	    .act = chooser->act};
	struct store_snooze now;
	bool changed;

	return person_snooze_within(db, chooser->workspace, &change, &now, &changed, error);
}

static bool
fulfil(struct db *db, const struct person_chooser *chooser, const struct consent_wish *wish,
    const struct store_engagement *reader, bool *changed_r, GError **error)
{
	*changed_r = false;
	switch (wish->action) {
	case CONSENT_WISH_LEAVE:
		return unsubscribe_leave(db, chooser, reader, changed_r, error);
	case CONSENT_WISH_NONE:
		return person_choose_none(db, chooser, NULL, changed_r, error);
	case CONSENT_WISH_CHOICES:
		return choose_topics(db, chooser, wish, error) &&
		       choose_audiences(db, chooser, wish, error);
	case CONSENT_WISH_SNOOZE:
		return unsubscribe_snooze(db, chooser, wish->weeks, error);
	case CONSENT_WISH_NOTHING:
		return true;
	case CONSENT_WISH_RETURN:
		return return_all(db, chooser, error) && return_parts(db, chooser, error);
	}
	return true;
}

/* Does what the person wishes. */
static bool
unsubscribe_choose(struct db *db, const struct service *service, const struct consent_wish *wish,
    const struct store_engagement *reader, bool *changed_r, GError **error)
{
	const struct store_choice_link link = link_of(reader);
	AUTO(person_suppress_keys)
	keys = person_suppress_keys(service, (const char *const *)&reader->address, 1);
	const struct store_consent_act act = {.source = wish->source,
	    .author = CONSENT_OF_PERSON,
	    .email = &reader->email_id,
	    .ip = wish->ip,
	    .user_agent = wish->user_agent};
	const struct person_chooser chooser = {
	    &reader->workspace_id, person_suppress_key(keys, 0), &act, false, &link};

	return fulfil(db, &chooser, wish, reader, changed_r, error);
}

bool
consent_unsubscribe_reader(struct db *db, const struct service *service,
    const struct store_engagement *reader, bool *changed_r, GError **error)
{
	const struct consent_wish wish = {.source = CONSENT_BY_REPORT};

	*changed_r = false;
	return reader->is_test || unsubscribe_choose(db, service, &wish, reader, changed_r, error);
}

/* The event comes last, because only then is it known whether anything has changed. */
static bool
apply_wish(
    struct db *db, struct change *change, const struct store_engagement *reader, GError **error)
{
	bool leaves =
	    change->wish->action == CONSENT_WISH_LEAVE || change->wish->action == CONSENT_WISH_NONE;
	bool was_recorded = true, changed;

	if (reader->is_test)
		return true;
	if (leaves && !reader->is_kept &&
	    !store_engagement_has(db, reader, EVENT_UNSUBSCRIBED, &was_recorded, error))
		return false;
	if (!unsubscribe_choose(db, change->service, change->wish, reader, &changed, error))
		return false;
	change->is_recorded = leaves && !reader->is_kept && (!was_recorded || changed);
	return !change->is_recorded || record_event(db, reader, error);
}

static bool
unsubscribe_apply(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	AUTO(store_engagement) reader = find_reader(db, change->token, true, error);

	g_clear_pointer(&change->subscriber, consent_subscriber_free);
	if (!reader || !apply_wish(db, change, reader, error))
		return false;
	change->subscriber = subscriber_of(change->service, reader, error);
	return change->subscriber != NULL;
}

struct consent_subscriber *
consent_unsubscribe(struct service *service, const struct link_token *token,
    const struct consent_wish *wish, GError **error)
{
	struct change made = {service, token, wish, NULL, false};
	const struct store_event event = {.email_id = token->email, .status = EVENT_UNSUBSCRIBED};

	/* If nothing was left to change, the COMMIT of an earlier wish may still wait for the
	   disk. */
	if (db_transact(service->db, unsubscribe_apply, &made, error) &&
	    (made.is_recorded || store_settle(service->db, error))) {
		service_metrics_events(&event, made.is_recorded);
		return made.subscriber;
	}
	g_clear_pointer(&made.subscriber, consent_subscriber_free);
	return NULL;
}

/* Reads the token at the beginning of text, which no letter or digit follows. */
static bool
unsubscribe_read_address(
    const struct service *service, const char *text, struct link_token *token_r)
{
	char word[TOKEN_HEX_SIZE];

	g_strlcpy(word, text, sizeof(word));
	return strlen(word) == TOKEN_HEX_SIZE - 1 && !g_ascii_isalnum(text[TOKEN_HEX_SIZE - 1]) &&
	       link_token_read_hex(
		   config_settings_secret(service->settings), TOKEN_UNSUBSCRIBE, word, token_r);
}

static bool
unsubscribe_find_address(
    const struct service *service, const char *text, struct link_token *token_r)
{
	for (const char *plus = text; (plus = strchr(plus, '+')); plus++)
		if (plus > text && g_ascii_tolower(plus[-1]) == 'u' &&
		    (plus - 1 == text || !g_ascii_isalnum(plus[-2])) &&
		    unsubscribe_read_address(service, plus + 1, token_r))
			return true;
	return false;
}

bool
consent_unsubscribe_read(
    const struct service *service, const char *text, struct link_token *token_r)
{
	static const char place[] = "/t/u/";

	if (unsubscribe_find_address(service, text, token_r))
		return true;
	for (const char *at = text; (at = strstr(at, place)); at++) {
		g_autofree char *token = g_strndup(at + strlen(place), TOKEN_TEXT_SIZE - 1);

		if (link_token_read(config_settings_secret(service->settings), TOKEN_UNSUBSCRIBE,
			token, NULL, token_r))
			return true;
	}
	return false;
}

bool
consent_unsubscribe_by_address(
    struct service *service, const char *text, bool *ours_r, GError **error)
{
	g_autoptr(GError) local = NULL;
	struct link_token token;

	*ours_r = false;
	if (!unsubscribe_find_address(service, text, &token))
		return true;
	const struct consent_wish wish = {.source = CONSENT_BY_MAIL};
	AUTO(consent_subscriber) subscriber = consent_unsubscribe(service, &token, &wish, &local);
	return store_found(g_steal_pointer(&local), ours_r, error);
}
