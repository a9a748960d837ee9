/* SPDX-License-Identifier: MIT */
/* The suppression list: addresses that get no more mail. Errors that a function does not name are
   those of db/statement.h. */
#ifndef STORE_CONSENT_SUPPRESSION_H
#define STORE_CONSENT_SUPPRESSION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"
#include "store/consent/suppression_join.h"

struct db;
struct store_page;

struct store_suppression {
	struct base_id id;
	struct base_id workspace_id;
	char *email;   /* as given */
	char *address; /* the form in which emails are compared, ASCII; NULL, like email, for an
			  erased person, */
	bool hashed;   /* of whom only the hash is kept */
	guint8 hash[SHA256_SIZE];
	enum store_suppression_reason reason;
	enum store_suppression_scope scope;
	gint64 created;		  /* epoch ms */
	bool has_source;	  /* the email is known by which the address came onto the list */
	struct base_id source_id; /* if has_source */
	bool is_imported;	  /* webhooks are not notified; not stored */
};

void store_suppression_free(struct store_suppression *suppression);
DEFINE_AUTO(store_suppression, store_suppression_free)

/* Sets suppressed_r[i] where person i gets no mail; mailing tells which kind is to be sent.
   snoozed_r[i], unless it is NULL: until when person i has snoozed, epoch ms; 0: not. */
bool store_suppression_match(struct db *db, const struct store_suppression_people *people,
    bool mailing, bool *suppressed_r, gint64 *snoozed_r, GError **error);

/* Inside a transaction: puts an address on the list, and sets id and created. An entry that is
   there, under the address or a hash, stays as it is; only if the new scope is wider, it takes
   scope and reason. Tells webhooks of an address that is new in scope all. */
bool store_suppression_put(struct db *db, struct store_suppression *suppression,
    const struct store_suppression_key *key, GError **error);

/* Does the same for entries of one workspace, each with another address, in a few statements. */
bool store_suppression_put_all(struct db *db, const struct base_id *workspace,
    struct store_suppression *entries, const struct store_suppression_key *const *keys, guint count,
    GError **error);

/* The state of an address on the list; reason 0: it is not there. */
struct store_suppression_state {
	enum store_suppression_reason reason;
	enum store_suppression_scope scope;
};

/* Reads the states of many addresses: states_r[i] is that of person i. */
bool store_suppression_states(struct db *db, const struct store_suppression_people *people,
    struct store_suppression_state *states_r, GError **error);

/* The entry of an address. NOT_FOUND "Suppression not found". The caller frees it. */
struct store_suppression *store_suppression_get(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Inside a transaction: removes the address and its hashes from the list. *count_r: the number
   of removed entries. */
bool store_suppression_remove(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, guint *count_r, GError **error);

/* Inside a transaction: reads the entry of an address as store_suppression_get, and locks it
   until the transaction ends. */
struct store_suppression *store_suppression_lock(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Inside a transaction: reduces an entry to one of a person who has unsubscribed. */
bool store_suppression_narrow(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Inside a transaction: replaces the entries of the address by its first hash, in scope all;
   without an entry before, as manual. */
bool store_suppression_erase(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* A page of entries in the order of their addresses, behind after ("": from the first on), at most
   limit, as an array of struct store_suppression. Those of erased people have no address, and are
   not among them. The caller owns it. */
GPtrArray *store_suppression_by_address(
    struct db *db, const struct base_id *workspace, const char *after, guint limit, GError **error);

/* A page of entries, newest first, at most limit, older than before (NULL: from the newest on),
   as an array of struct store_suppression. The caller owns it. */
GPtrArray *store_suppression_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The same of those with a reason, a scope, or both; 0: any. */
GPtrArray *store_suppression_list_of(struct db *db, const struct base_id *workspace,
    const struct store_suppression_state *kind, const struct base_id *before, guint limit,
    GError **error);

/* The entries with these ids, at most STORE_SUPPRESSION_MOST, newest first. Those that are gone are
   left out. The caller owns the array. */
#define STORE_SUPPRESSION_MOST 64
GPtrArray *store_suppression_of(struct db *db, const struct base_id *workspace,
    const struct base_id *ids, guint count, GError **error);

/* The entry with this id; locked until the transaction ends if lock is true. NOT_FOUND as above. */
struct store_suppression *store_suppression_get_id(struct db *db, const struct base_id *workspace,
    const struct base_id *id, bool lock, GError **error);

/* A page of the entries of scope all that have an address, newest first. The caller owns the array,
   as above. */
enum store_suppression_filter {
	SUPPRESSION_ANY,
	SUPPRESSION_OF_BOUNCES,
	SUPPRESSION_OF_COMPLAINTS,
	SUPPRESSION_OF_PEOPLE, /* manual, and unsubscribed from all */
};
GPtrArray *store_suppression_page(struct db *db, const struct base_id *workspace,
    enum store_suppression_filter filter, const struct store_page *page, GError **error);

#endif
