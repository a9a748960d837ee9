/* SPDX-License-Identifier: MIT */
/* API keys, as stored: created, found by their hash, listed and revoked. Errors that a function
   does not name are those of db/statement.h. */
#ifndef STORE_WORKSPACE_KEY_H
#define STORE_WORKSPACE_KEY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"

struct db;
struct store_page;
struct store_limits;

/* The rights of a key. Stored as number. A key for the metrics is good for nothing else, and no
   other key is good for them. */
enum store_key_scope { KEY_FULL = 1, KEY_SEND = 2, KEY_READ = 3, KEY_METRICS = 4 };

struct store_key {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id user_id;
	enum store_key_scope scope;
	bool has_domain;	  /* of KEY_SEND: it sends from one domain alone, */
	struct base_id domain_id; /* this one */
	gint64 expires;		  /* epoch ms; 0: never */
	gint64 last_used;	  /* see store_key_use; 0: never */
	bool is_session; /* it stands for a session (store/workspace/session.h), whose id it has */
};

/* The key whose SHA-256 this is, unless it is revoked or has expired at now (epoch ms), and the
   limits of its workspace, in one round trip. NOT_FOUND. */
bool store_key_find(struct db *db, const guint8 hash[SHA256_SIZE], gint64 now,
    struct store_key *key_r, struct store_limits *limits_r, GError **error);

#define STORE_KEY_USE_MS (9LL * 60 * 1000)

/* Notes that a key was used at time (epoch ms), unless a use in the STORE_KEY_USE_MS before it, or
   later, is noted. Deferred in a transaction (db_defer). service/key_use.h tells when. */
bool store_key_use(struct db *db, const struct base_id *workspace, const struct base_id *id,
    gint64 time, GError **error);

#define STORE_KEYS_TOGETHER 16

/* For 1 to STORE_KEYS_TOGETHER keys that were found before, by their hashes, one behind the other
   and each once: a handle (db_guarded in db/precondition.h) whose statements fail unless all keys
   are still valid, without a round trip. Confirm afterwards: NOT_FOUND when one was not valid, and
   then nothing was written through the handle. The caller closes it. */
struct db *store_key_guard(const struct db *db, const guint8 *hashes, guint count, gint64 now);
bool store_key_confirm(struct db *guarded, GError **error);

/* Stores a new key and sets key->id. expires: epoch ms, 0 = never. */
bool store_key_create(struct db *db, struct store_key *key, const guint8 hash[SHA256_SIZE],
    const char *name, gint64 expires, GError **error);

/* A key in a page. Times are epoch ms, 0 = none. */
struct store_key_entry {
	struct base_id id;
	char *name;
	gint64 created, last_used;
};

/* A page (store/common/listing.h) of the keys that are not revoked, as an array of struct
   store_key_entry. The caller owns it. */
GPtrArray *store_key_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* Rename or revoke a key that is not revoked; *found_r tells whether there is one. name: NULL
   changes nothing. */
bool store_key_rename(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *name, bool *found_r, GError **error);
bool store_key_end(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool *found_r, GError **error);

/* A key with its user and its domain. Times are epoch ms, 0 = none. */
struct store_key_row {
	struct store_key key;
	char *name;
	char *user;   /* the address; NULL when the user is removed */
	char *domain; /* the name of key.domain_id; NULL when it is removed, or there is none */
	gint64 created, revoked;
};

void store_key_row_free(struct store_key_row *row);
DEFINE_AUTO(store_key_row, store_key_row_free)

/* The keys of a workspace, also those that are revoked or have expired, newest first, at most
   limit, older than before (NULL: from the newest on), as an array of struct store_key_row. The
   caller owns it. */
GPtrArray *store_key_newest(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* One of them. NOT_FOUND "API key not found". The caller frees it. */
struct store_key_row *store_key_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Calls row for each key of the workspace, newest first. */
bool store_key_list(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_key_row *row, void *context), void *context, GError **error);

/* Removes a key as if it had never been. */
bool store_key_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Revokes a key at once; one that is revoked stays as it is. NOT_FOUND "API key not found". */
bool store_key_revoke(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

#endif
