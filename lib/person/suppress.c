/* SPDX-License-Identifier: MIT */
/* Reads and changes the suppression list. */
#include "person/suppress.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "mail/address.h"
#include "person/choose.h"
#include "person/contact.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/webhook/enqueue.h"
#include "store/workspace/workspace.h"

/* The purpose of the hashes on the list. With another purpose no stored hash would be found again.
 */
#define PURPOSE "suppression"

struct person_suppress_keys {
	struct store_suppression_key *keys;
	GPtrArray *addresses; /* char * */
	GPtrArray *hashes;    /* GArray of guint8[SHA256_SIZE] */
};

static struct json_view_value
suppress_read_origin(const void *row)
{
	const struct store_suppression *entry = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = store_suppression_origin(entry->reason)};
}

static struct json_view_value
suppress_read_source(const void *row)
{
	const struct store_suppression *entry = row;

	return (struct json_view_value){
	    .type = entry->has_source ? VIEW_ID : VIEW_NULL, .id = &entry->source_id};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("email", VIEW_TEXT, struct store_suppression, email),
    JSON_VIEW_MEMBER(
	"reason", VIEW_WORD, struct store_suppression, reason, store_suppression_reasons),
    JSON_VIEW_MEMBER("scope", VIEW_WORD, struct store_suppression, scope, store_suppression_scopes),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_suppression, created),
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_suppression, id, .is_apart = true),
    {"origin", VIEW_MADE, .read = suppress_read_origin, .is_apart = true},
    {"source_id", VIEW_MADE, .read = suppress_read_source, .is_apart = true},
};
const struct json_view person_suppress_view = JSON_VIEW(members);

struct person_suppress_keys *
person_suppress_keys(const struct service *service, const char *const *addresses, guint count)
{
	struct person_suppress_keys *keys = g_new0(struct person_suppress_keys, 1);
	const struct base_secret *secret = config_settings_secret(service->settings);

	keys->keys = g_new0(struct store_suppression_key, count);
	keys->addresses = g_ptr_array_new_with_free_func(g_free);
	keys->hashes = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i < count; i++) {
		char *address = mail_address_key(addresses[i]);
		GArray *hashes = base_secret_sign_all(secret, PURPOSE, address, strlen(address));

		g_ptr_array_add(keys->addresses, address);
		g_ptr_array_add(keys->hashes, hashes);
		keys->keys[i] = (struct store_suppression_key){
		    address, (const guint8(*)[SHA256_SIZE])(void *)hashes->data, hashes->len};
	}
	return keys;
}

const struct store_suppression_key *
person_suppress_key(const struct person_suppress_keys *keys, guint i)
{
	return &keys->keys[i];
}

void
person_suppress_keys_free(struct person_suppress_keys *keys)
{
	g_free(keys->keys);
	g_ptr_array_unref(keys->addresses);
	g_ptr_array_unref(keys->hashes);
	g_free(keys);
}

/* Adds the addresses whose topic is not wanted. */
static bool
match_topics(struct db *db, const struct store_suppression_people *people,
    const struct base_id *const *topics, bool *suppressed, GError **error)
{
	g_autofree bool *stopped = g_new(bool, people->count);

	if (!store_choice_part_stopped(db, people, topics, stopped, error))
		return false;
	for (guint i = 0; i < people->count; i++)
		suppressed[i] |= stopped[i];
	return true;
}

bool
person_suppress_match(struct service *service, const struct base_id *workspace,
    const struct person_suppress_search *search, bool *suppressed_r, gint64 *snoozed_r,
    GError **error)
{
	guint count = search->count;

	if (store_workspace_is_system(workspace)) {
		base_array_clear(suppressed_r, count, sizeof(*suppressed_r));
		if (snoozed_r)
			base_array_clear(snoozed_r, count, sizeof(*snoozed_r));
		return true;
	}
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, search->addresses, count);
	const struct store_suppression_people people = {workspace, keys->keys, count};
	if (!store_suppression_match(
		service->db, &people, search->mailing, suppressed_r, snoozed_r, error) ||
	    (search->topics &&
		!match_topics(service->db, &people, search->topics, suppressed_r, error)))
		return false;
	for (guint i = 0; snoozed_r && i < count; i++)
		snoozed_r[i] = suppressed_r[i] ? 0 : snoozed_r[i];
	return true;
}

/* An entry to put on the list, and its key. */
struct addition {
	struct store_suppression entry; /* its texts are borrowed */
	const struct store_suppression_key *key;
	const struct store_consent_act *act;
};

/* Whether an entry is the choice of somebody who gets no mailings. */
static bool
is_choice(const struct store_suppression *entry)
{
	return entry->reason == SUPPRESSION_UNSUBSCRIBED || entry->scope == SUPPRESSION_AUTOMATION;
}

static bool
suppress_put(struct db *db, void *context, GError **error)
{
	struct addition *addition = context;
	struct store_suppression *entry = &addition->entry;
	const struct person_chooser chooser = {
	    &entry->workspace_id, addition->key, addition->act, false, NULL};
	bool changed;

	if (addition->act && entry->address &&
	    (is_choice(entry) || addition->act->author == CONSENT_OF_PERSON))
		return person_choose_none(db, &chooser, entry, &changed, error);
	return store_suppression_put(db, entry, addition->key, error);
}

static struct store_suppression
suppress_entry_of(
    const struct person_suppress_addition *addition, const struct store_suppression_key *key)
{
	return (struct store_suppression){.workspace_id = addition->workspace_id,
	    .email = (char *)addition->address,
	    .address = (char *)key->address,
	    .reason = addition->reason,
	    .scope = SUPPRESSION_ALL,
	    .has_source = true,
	    .source_id = addition->email_id};
}

bool
person_suppress_put(
    const struct service *service, const struct person_suppress_addition *addition, GError **error)
{
	if (store_workspace_is_system(&addition->workspace_id))
		return true;
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, &addition->address, 1);
	const struct store_consent_act act = {
	    .source = CONSENT_BY_REPORT, .author = CONSENT_OF_PERSON, .email = &addition->email_id};
	struct addition put = {
	    .entry = suppress_entry_of(addition, keys->keys),
	    .key = keys->keys,
	    .act = addition->reason == SUPPRESSION_COMPLAINED ? &act : NULL,
	};

	return suppress_put(service->db, &put, error);
}

/* An addition with its key, and its place among the others. */
struct keyed {
	const struct person_suppress_addition *addition;
	const struct store_suppression_key *key;
	guint place;
};

static int
by_workspace_and_address(const void *a, const void *b)
{
	const struct keyed *one = a, *other = b;
	int order = memcmp(one->addition->workspace_id.bytes, other->addition->workspace_id.bytes,
	    sizeof(one->addition->workspace_id.bytes));

	if (order == 0)
		order = strcmp(one->key->address, other->key->address);
	return order ? order : (one->place > other->place) - (one->place < other->place);
}

/* The additions with their keys, sorted. The caller owns them. */
static struct keyed *
sort_additions(const struct person_suppress_addition *additions, guint count,
    const struct person_suppress_keys *keys)
{
	struct keyed *sorted = g_new(struct keyed, count);

	for (guint i = 0; i < count; i++)
		sorted[i] = (struct keyed){&additions[i], person_suppress_key(keys, i), i};
	base_array_sort(sorted, count, sizeof(*sorted), by_workspace_and_address);
	return sorted;
}

/* Puts the first additions, of one workspace, on the list. Their number is in *count_r. */
static bool
put_workspace(
    struct db *db, const struct keyed *sorted, guint count, guint *count_r, GError **error)
{
	const struct base_id *workspace = &sorted->addition->workspace_id;
	g_autofree struct store_suppression *entries = g_new(struct store_suppression, count);
	g_autofree const struct store_suppression_key **keys =
	    g_new(const struct store_suppression_key *, count);
	guint different = 0, i = 0;

	for (; i < count && base_id_equal(&sorted[i].addition->workspace_id, workspace); i++) {
		if (different > 0 && !strcmp(keys[different - 1]->address, sorted[i].key->address))
			continue;
		entries[different] = suppress_entry_of(sorted[i].addition, sorted[i].key);
		keys[different++] = sorted[i].key;
	}
	*count_r = i;
	return store_workspace_is_system(workspace) ||
	       store_suppression_put_all(db, workspace, entries, keys, different, error);
}

bool
person_suppress_put_all(const struct service *service,
    const struct person_suppress_addition *additions, guint count, GError **error)
{
	g_autofree const char **addresses = g_new(const char *, count);

	for (guint i = 0; i < count; i++)
		addresses[i] = additions[i].address;
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, addresses, count);
	g_autofree struct keyed *sorted = sort_additions(additions, count, keys);
	for (guint begin = 0, size; begin < count; begin += size)
		if (!put_workspace(service->db, sorted + begin, count - begin, &size, error))
			return false;
	return true;
}

struct store_suppression *
person_suppress_add(struct service *service, const struct base_id *workspace, const char *email,
    const struct store_suppression_state *state, const struct store_consent_act *act,
    GError **error)
{
	g_autofree char *address = person_contact_address(email, error);

	if (!address)
		return NULL;
	AUTO(person_suppress_keys) keys =
	    person_suppress_keys(service, (const char *const *)&address, 1);
	struct addition addition = {
	    .entry = {.workspace_id = *workspace,
		.email = (char *)email,
		.address = address,
		.reason = state->reason,
		.scope = state->scope},
	    .key = keys->keys,
	    .act = act,
	};
	if (!db_transact(service->db, suppress_put, &addition, error))
		return NULL;
	return store_suppression_get(service->db, workspace, keys->keys, error);
}

struct additions {
	struct addition *additions;
	guint count;
};

static bool
suppress_put_all(struct db *db, void *context, GError **error)
{
	const struct additions *all = context;

	for (guint i = 0; i < all->count; i++)
		if (!suppress_put(db, &all->additions[i], error))
			return false;
	return true;
}

/* The key of an entry whose address was erased. */
static struct store_suppression_key
key_of_hash(const struct store_suppression *entry)
{
	return (struct store_suppression_key){
	    NULL, (const guint8(*)[SHA256_SIZE]) & entry->hash, 1};
}

bool
person_suppress_add_all(
    struct service *service, const struct store_suppression *entries, guint count, GError **error)
{
	g_autofree struct addition *additions = g_new0(struct addition, count);
	g_autofree struct store_suppression_key *hashes =
	    g_new0(struct store_suppression_key, count);
	g_autofree const char **addresses = g_new0(const char *, count);
	g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func(g_free);
	static const struct store_consent_act import = {
	    .source = CONSENT_BY_IMPORT, .author = CONSENT_OF_OPERATOR};

	for (guint i = 0; i < count; i++) {
		char *address = entries[i].email ? person_contact_address(entries[i].email, error)
						 : g_strdup("");
		if (!address)
			return false;
		g_ptr_array_add(owned, address);
		addresses[i] = address;
	}
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, addresses, count);
	for (guint i = 0; i < count; i++) {
		hashes[i] = key_of_hash(&entries[i]);
		additions[i].entry = entries[i];
		additions[i].entry.address = entries[i].email ? (char *)addresses[i] : NULL;
		additions[i].entry.hashed = !entries[i].email;
		additions[i].entry.is_imported = true;
		additions[i].key = entries[i].email ? &keys->keys[i] : &hashes[i];
		additions[i].act = &import;
	}
	struct additions all = {additions, count};
	return db_transact(service->db, suppress_put_all, &all, error);
}

/* Finds a word and gives its number, from 1; fallback when none is given. */
static bool
suppress_read_word(const char *field, const char *given, const char *const *words, int fallback,
    int *number_r, GError **error)
{
	*number_r = fallback;
	if (!given)
		return true;
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], given) == 0) {
			*number_r = i + 1;
			return true;
		}
	g_autofree char *all = g_strjoinv(", ", (char **)words);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be one of %s", field, all);
	return false;
}

bool
person_suppress_words(const char *reason, const char *scope,
    enum store_suppression_reason *reason_r, enum store_suppression_scope *scope_r, GError **error)
{
	int number;

	if (!suppress_read_word(
		"reason", reason, store_suppression_reasons, SUPPRESSION_MANUAL, &number, error))
		return false;
	*reason_r = (enum store_suppression_reason)number;
	if (!suppress_read_word("scope", scope, store_suppression_scopes,
		*reason_r == SUPPRESSION_UNSUBSCRIBED ? SUPPRESSION_AUTOMATION : SUPPRESSION_ALL,
		&number, error))
		return false;
	*scope_r = (enum store_suppression_scope)number;
	return true;
}

static bool
suppress_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Suppression not found");
	return false;
}

struct store_suppression *
person_suppress_get(
    struct service *service, const struct base_id *workspace, const char *email, GError **error)
{
	g_autofree char *address = person_contact_address(email, NULL);

	if (!address) {
		suppress_missing(error);
		return NULL;
	}
	AUTO(person_suppress_keys) keys =
	    person_suppress_keys(service, (const char *const *)&address, 1);
	return store_suppression_get(service->db, workspace, keys->keys, error);
}

struct removal {
	const struct base_id *workspace;
	const struct store_suppression_key *key;
	const struct store_consent_act *act;
	const struct store_consent_override *override;
};

/* Leaves of a wider entry the choice, which is seen again. */
static bool
suppress_narrow(struct db *db, const struct store_suppression *entry, GError **error)
{
	return store_webhook_enqueue_unsuppressed(db, entry, error) &&
	       store_suppression_narrow(db, &entry->workspace_id, &entry->id, error);
}

/* Whether the entry shows no more than the choice. The entry of a person who was erased has no
   address. For the person's own choice, an entry of scope all or of another reason is wider. */
static bool
is_no_wider(const struct store_suppression *entry, enum store_consent_author author)
{
	if (author == CONSENT_OF_OPERATOR)
		return entry->hashed || is_choice(entry);
	return entry->hashed || (entry->reason == SUPPRESSION_UNSUBSCRIBED &&
				    entry->scope == SUPPRESSION_AUTOMATION);
}

static bool
end_choice(
    struct db *db, const struct removal *removal, const struct store_choice *choice, GError **error)
{
	const struct store_consent_override *override = removal->override;
	struct store_consent_act act = *removal->act;

	if (override)
		act.reason = override->reason;
	return !choice->all || store_choice_end(db, removal->key, choice,
				   &(struct store_consent_change){.workspace = removal->workspace,
				       .person = removal->key->address,
				       .about = &(struct store_consent_about){0},
				       .act = &act},
				   error);
}

/* Removes a locked entry, or narrows it to the choice. */
static bool
suppress_release(struct db *db, const struct removal *removal,
    const struct store_suppression *entry, GError **error)
{
	struct store_choice choice;
	guint count;

	if (!store_choice_find(db, removal->workspace, removal->key, NULL, &choice, error))
		return false;
	if (choice.all && !removal->override && !is_no_wider(entry, choice.all))
		return suppress_narrow(db, entry, error);
	if (choice.all == CONSENT_OF_PERSON && !removal->override)
		return store_choice_refuse(error);
	return store_webhook_enqueue_unsuppressed(db, entry, error) &&
	       store_suppression_remove(db, removal->workspace, removal->key, &count, error) &&
	       end_choice(db, removal, &choice, error);
}

static bool
suppress_remove_one(struct db *db, void *context, GError **error)
{
	const struct removal *removal = context;
	AUTO(store_suppression) entry =
	    store_suppression_lock(db, removal->workspace, removal->key, error);

	return entry && suppress_release(db, removal, entry, error);
}

bool
person_suppress_remove(struct service *service, const struct base_id *workspace, const char *email,
    const struct store_consent_act *act, const struct store_consent_override *override,
    GError **error)
{
	g_autofree char *address = person_contact_address(email, NULL);

	if (!address)
		return suppress_missing(error);
	AUTO(person_suppress_keys) keys =
	    person_suppress_keys(service, (const char *const *)&address, 1);
	struct removal removal = {workspace, keys->keys, act, override};
	return db_transact(service->db, suppress_remove_one, &removal, error);
}

/* The key by which an entry is stored. */
static const struct store_suppression_key *
suppress_key_of(const struct service *service, const struct store_suppression *entry,
    struct person_suppress_keys **keys_r, struct store_suppression_key *hash_r)
{
	*keys_r = NULL;
	*hash_r = key_of_hash(entry);
	if (entry->hashed)
		return hash_r;
	*keys_r = person_suppress_keys(service, (const char *const *)&entry->address, 1);
	return (*keys_r)->keys;
}

/* The entry with this name if its scope is all; NULL without an error if there is none. */
static struct store_suppression *
suppress_look_for(struct service *service, const struct base_id *workspace, const char *name,
    bool lock, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(store_suppression) entry = NULL;
	struct base_id id;

	if (base_id_parse(name, &id)) {
		entry = store_suppression_get_id(service->db, workspace, &id, lock, &failure);
	} else {
		g_autofree char *address = person_contact_address(name, NULL);
		AUTO(person_suppress_keys)
		keys =
		    person_suppress_keys(service, (const char *const *)&address, address ? 1 : 0);
		if (address)
			entry = (lock ? store_suppression_lock : store_suppression_get)(
			    service->db, workspace, keys->keys, &failure);
	}
	if (entry && entry->scope == SUPPRESSION_ALL)
		return g_steal_pointer(&entry);
	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&failure));
	return NULL;
}

struct store_suppression *
person_suppress_find(
    struct service *service, const struct base_id *workspace, const char *name, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct store_suppression *entry =
	    suppress_look_for(service, workspace, name, false, &failure);

	if (failure)
		g_propagate_error(error, g_steal_pointer(&failure));
	else if (!entry)
		suppress_missing(error);
	return entry;
}

/* Entries that one transaction adds or removes. */
struct several {
	struct service *service;
	const struct base_id *workspace;
	const char *const *names;
	const struct person_suppress_keys *keys; /* of the names, if they are added */
	guint count;
	struct base_id *ids;
	struct person_suppress_named *named; /* in place of names, if they are removed */
	const struct store_consent_act *act;
};

static bool
add_several(struct db *db, void *context, GError **error)
{
	const struct several *several = context;

	for (guint i = 0; i < several->count; i++) {
		const struct store_suppression_key *key = &several->keys->keys[i];
		struct store_suppression entry = {.workspace_id = *several->workspace,
		    .email = (char *)several->names[i],
		    .address = (char *)key->address,
		    .reason = SUPPRESSION_MANUAL,
		    .scope = SUPPRESSION_ALL};

		if (!store_suppression_put(db, &entry, key, error))
			return false;
		AUTO(store_suppression)
		now = store_suppression_get(db, several->workspace, key, error);
		if (!now)
			return false;
		several->ids[i] = now->id;
	}
	return true;
}

bool
person_suppress_add_emails(struct service *service, const struct base_id *workspace,
    const char *const *emails, guint count, struct base_id *ids_r, GError **error)
{
	g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < count; i++) {
		char *address = person_contact_address(emails[i], error);

		if (!address)
			return false;
		g_ptr_array_add(addresses, address);
	}
	AUTO(person_suppress_keys)
	keys = person_suppress_keys(service, (const char *const *)addresses->pdata, count);
	struct several several = {service, workspace, emails, keys, count, ids_r, NULL, NULL};
	return db_transact(service->db, add_several, &several, error);
}

static bool
remove_named(const struct several *several, struct person_suppress_named *named, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(store_suppression)
	entry =
	    suppress_look_for(several->service, several->workspace, named->name, true, &failure);
	struct person_suppress_keys *keys;
	struct store_suppression_key hash;

	named->is_removed = entry;
	if (failure)
		g_propagate_error(error, g_steal_pointer(&failure));
	if (!entry)
		return !failure;
	named->id = entry->id;
	const struct store_suppression_key *key =
	    suppress_key_of(several->service, entry, &keys, &hash);
	const struct removal removal = {several->workspace, key, several->act, NULL};
	bool done = suppress_release(several->service->db, &removal, entry, error);
	g_clear_pointer(&keys, person_suppress_keys_free);
	return done;
}

static bool
remove_several(struct db *db, void *context, GError **error)
{
	const struct several *several = context;

	for (guint i = 0; i < several->count; i++)
		if (!remove_named(several, &several->named[i], error))
			return false;
	return true;
}

bool
person_suppress_remove_names(struct service *service, const struct base_id *workspace,
    struct person_suppress_named *named, guint count, const struct store_consent_act *act,
    GError **error)
{
	struct several several = {service, workspace, NULL, NULL, count, NULL, named, act};

	return db_transact(service->db, remove_several, &several, error);
}
