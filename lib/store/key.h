/* SPDX-License-Identifier: MIT */
#ifndef STORE_KEY_H
#define STORE_KEY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/secret.h"

struct db;
struct store_limits;

/* What a key may do. Stored as number. */
enum store_key_scope { KEY_FULL = 1, KEY_SEND = 2, KEY_READ = 3 };

struct store_key {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id user_id;
	enum store_key_scope scope;
};

/* The key whose SHA-256 this is, unless it is revoked or has expired at now (epoch ms), and the
   limits of its workspace, in one round trip. NOT_FOUND. */
bool store_key_find(struct db *db, const guint8 hash[SHA256_SIZE], gint64 now,
    struct store_key *key_r, struct store_limits *limits_r, GError **error);

/* Of a key that was found before: lets what follows fail unless it is still good, at the price of
   no round trip (db/guard.h). To be confirmed afterwards: NOT_FOUND when it was not, and nothing
   has happened. Then nothing is guarded any more. */
void store_key_guard(struct db *db, const guint8 hash[SHA256_SIZE], gint64 now);
bool store_key_confirm(struct db *db, GError **error);

/* expires: epoch ms, 0 = never. key->id is set. */
bool store_key_create(struct db *db, struct store_key *key, const guint8 hash[SHA256_SIZE],
    const char *name, gint64 expires, GError **error);

/* A key as it is listed; texts live until the next one. Times are epoch ms, 0 = none. */
struct store_key_row {
	struct store_key key;
	const char *name, *user;
	gint64 created, expires, revoked;
};

/* Calls row for each key of the workspace, oldest first. */
bool store_key_list(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_key_row *row, void *context), void *context, GError **error);

/* Ends a key at once. NOT_FOUND. */
bool store_key_revoke(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

#endif
