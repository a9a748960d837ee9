/* SPDX-License-Identifier: MIT */
#ifndef CORE_KEYRING_H
#define CORE_KEYRING_H

#include <glib.h>

struct core;
struct db;
struct base_id;
struct base_secret;

/* The DKIM keys that this process has decrypted and parsed, by their ids. */
struct core_keyring;

struct core_keyring *core_keyring_new(void);
void core_keyring_free(struct core_keyring *keyring);

/* That of a process. core frees it. */
struct core_keyring *core_keyring_of(struct core *core);

/* Gives the keys that messages of this domain are signed with, as an array of struct mail_dkim_key.
   A process decrypts and parses each key once, and asks the database every few seconds which keys
   they are. NOT_FOUND when the domain has no key; FAILED when a key cannot be decrypted; errors of
   db/statement.h. The keyring owns the keys; the caller releases the array and must not change
   it. */
GPtrArray *core_keyring_select(struct core_keyring *keyring, struct db *db,
    const struct base_secret *secret, const struct base_id *domain, GError **error);

#endif
