/* SPDX-License-Identifier: MIT */
/* Unsubscribes recipients, and undoes it. */
#include "core/unsubscribe.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/metrics.h"
#include "core/suppress.h"
#include "core/token.h"
#include "db/transaction.h"
#include "mail/address.h"
#include "store/choice.h"
#include "store/contact.h"
#include "store/event.h"
#include "store/reader.h"

void
core_subscriber_free(struct core_subscriber *subscriber)
{
	g_free(subscriber->address);
	g_free(subscriber->sender);
	g_free(subscriber);
}

/* Reads from the suppression list whether the address gets mailings. */
static bool
read_state(const struct core *core, const struct store_reader *reader,
    enum core_subscription *state_r, GError **error)
{
	AUTO(core_suppress_keys) keys =
	    core_suppress_keys(core, (const char *const *)&reader->address, 1);
	g_autoptr(GError) local = NULL;
	AUTO(store_suppression) entry = store_suppression_get(
	    core->db, &reader->workspace_id, core_suppress_key(keys, 0), &local);

	if (!entry && !g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	*state_r = !entry				       ? SUBSCRIPTION_ON
		   : entry->reason == SUPPRESSION_UNSUBSCRIBED ? SUBSCRIPTION_OFF
							       : SUBSCRIPTION_BLOCKED;
	return true;
}

static struct store_choice_link
link_of(const struct store_reader *reader)
{
	return (struct store_choice_link){reader->email_id, reader->number};
}

static gint64
oldest_to_undo(void)
{
	return base_clock_now() - LIMIT_RESUBSCRIBE_MS;
}

static struct core_subscriber *
subscriber_of(const struct core *core, const struct store_reader *reader, GError **error)
{
	enum core_subscription state;
	bool own = false, others = false;

	if (!reader || !read_state(core, reader, &state, error))
		return NULL;
	const struct store_choice_link link = link_of(reader);
	g_autofree char *address = mail_address_key(reader->address);
	if (state == SUBSCRIPTION_OFF &&
	    !store_choice_view(core->db, &reader->workspace_id, address, &link, oldest_to_undo(),
		&own, &others, error))
		return NULL;
	struct core_subscriber *subscriber = g_new(struct core_subscriber, 1);
	*subscriber = (struct core_subscriber){
	    g_strdup(reader->address), g_strdup(reader->sender), state, own, others};
	return subscriber;
}

struct core_subscriber *
core_unsubscribe_look(struct core *core, const struct core_token *token, GError **error)
{
	AUTO(store_reader) reader =
	    store_reader_get(core->db, &token->email, token->recipient, error);

	return subscriber_of(core, reader, error);
}

/* A change that a transaction makes. */
struct change {
	const struct core *core;
	const struct core_token *token;
	bool subscribe;
	struct core_subscriber *subscriber; /* the result */
	bool told;			    /* an event was stored */
};

static bool
record_event(struct db *db, const struct store_reader *reader, GError **error)
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

/* Puts the address on the list. *made_r: it was not there. */
static bool
suppress(struct db *db, const struct core *core, const struct store_reader *reader,
    const struct store_suppression_key *key, bool *made_r, GError **error)
{
	struct store_suppression entry = {.workspace_id = reader->workspace_id,
	    .email = reader->address,
	    .address = (char *)key->address,
	    .reason = SUPPRESSION_UNSUBSCRIBED,
	    .scope = SUPPRESSION_AUTOMATION};

	if (!store_suppression_put(db, &entry, key, error))
		return false;
	AUTO(store_suppression) now = store_suppression_lock(db, &reader->workspace_id, key, error);
	*made_r = now && base_id_equal(&now->id, &entry.id);
	return now &&
	       (!*made_r || store_choice_entry(db, &reader->workspace_id, key, &entry.id, error));
}

/* The lock order: the choice comes first (store/choice.h), and contacts come last, since writers
   wait for each other at their audiences' counters. */
bool
core_unsubscribe_reader(struct db *db, const struct core *core, const struct store_reader *reader,
    bool *changed_r, GError **error)
{
	const struct store_choice_link link = link_of(reader);
	AUTO(core_suppress_keys) keys =
	    core_suppress_keys(core, (const char *const *)&reader->address, 1);
	const struct store_suppression_key *key = core_suppress_key(keys, 0);
	const struct base_id *workspace = &reader->workspace_id;
	bool made = false;
	guint count = 0;
	bool done = store_choice_leave(db, workspace, key->address, &link, error) &&
		    suppress(db, core, reader, key, &made, error) &&
		    store_contact_subscribe(db, workspace, key->address, false, &count, error);

	*changed_r = made || count > 0;
	return done;
}

/* The event comes last, because only then is it known whether anything has changed. */
static bool
unsubscribe(struct db *db, const struct core *core, const struct store_reader *reader,
    bool *tells_r, GError **error)
{
	bool told, changed;

	return store_reader_has(db, reader, EVENT_UNSUBSCRIBED, &told, error) &&
	       core_unsubscribe_reader(db, core, reader, &changed, error) &&
	       (!(*tells_r = !told || changed) || record_event(db, reader, error));
}

/* Subscribes the contacts that the choice has unsubscribed, then ends the choice. */
static bool
subscribe(struct db *db, const struct core *core, const struct store_reader *reader, GError **error)
{
	const struct store_choice_link link = link_of(reader);
	AUTO(core_suppress_keys) keys =
	    core_suppress_keys(core, (const char *const *)&reader->address, 1);
	const struct store_suppression_key *key = core_suppress_key(keys, 0);
	const struct base_id *workspace = &reader->workspace_id;
	bool last;
	guint count;

	if (!store_choice_return(
		db, workspace, key->address, &link, oldest_to_undo(), &last, error))
		return false;
	return !last ||
	       (store_contact_subscribe(db, workspace, key->address, true, &count, error) &&
		   store_choice_end(db, workspace, key, error));
}

static bool
apply(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	AUTO(store_reader) reader =
	    store_reader_lock(db, &change->token->email, change->token->recipient, error);

	g_clear_pointer(&change->subscriber, core_subscriber_free);
	if (!reader ||
	    !(change->subscribe ? subscribe(db, change->core, reader, error)
				: unsubscribe(db, change->core, reader, &change->told, error)))
		return false;
	change->subscriber = subscriber_of(change->core, reader, error);
	return change->subscriber != NULL;
}

static struct core_subscriber *
change(struct core *core, const struct core_token *token, bool subscribe_again, GError **error)
{
	struct change made = {core, token, subscribe_again, NULL, false};
	const struct store_event event = {.email_id = token->email, .status = EVENT_UNSUBSCRIBED};

	if (db_transact(core->db, apply, &made, error)) {
		core_metrics_events(&event, made.told);
		return made.subscriber;
	}
	g_clear_pointer(&made.subscriber, core_subscriber_free);
	return NULL;
}

struct core_subscriber *
core_unsubscribe(struct core *core, const struct core_token *token, GError **error)
{
	return change(core, token, false, error);
}

struct core_subscriber *
core_unsubscribe_undo(struct core *core, const struct core_token *token, GError **error)
{
	return change(core, token, true, error);
}

/* Reads the token at the beginning of text, which no letter or digit follows. */
static bool
read_address(const struct core *core, const char *text, struct core_token *token_r)
{
	char word[TOKEN_HEX_SIZE];

	g_strlcpy(word, text, sizeof(word));
	return strlen(word) == TOKEN_HEX_SIZE - 1 && !g_ascii_isalnum(text[TOKEN_HEX_SIZE - 1]) &&
	       core_token_read_hex(
		   base_settings_secret(core->settings), TOKEN_UNSUBSCRIBE, word, token_r);
}

static bool
find_address(const struct core *core, const char *text, struct core_token *token_r)
{
	for (const char *plus = text; (plus = strchr(plus, '+')); plus++)
		if (plus > text && g_ascii_tolower(plus[-1]) == 'u' &&
		    (plus - 1 == text || !g_ascii_isalnum(plus[-2])) &&
		    read_address(core, plus + 1, token_r))
			return true;
	return false;
}

bool
core_unsubscribe_by_address(struct core *core, const char *text, bool *ours_r, GError **error)
{
	g_autoptr(GError) local = NULL;
	struct core_token token;

	*ours_r = false;
	if (!find_address(core, text, &token))
		return true;
	AUTO(core_subscriber) subscriber = core_unsubscribe(core, &token, &local);
	*ours_r = subscriber != NULL;
	if (subscriber || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}
