/* SPDX-License-Identifier: MIT */
#ifndef CORE_KEYRING_H
#define CORE_KEYRING_H

#include <glib.h>

struct db;
struct base_id;
struct base_secret;

/* The DKIM keys that this process has parsed, by their ids. */
struct core_keyring;

struct core_keyring *core_keyring_new(void);
void core_keyring_free(struct core_keyring *keyring);

/* The keys that messages of this domain are signed with now, as an array of struct mail_dkim_key
   that the keyring owns; each is decrypted and parsed once in a process, and which they are is
   asked anew after a few seconds. NOT_FOUND when the domain has none. The caller releases the
   array, which it may not change. */
GPtrArray *core_keyring_select(struct core_keyring *keyring, struct db *db,
    const struct base_secret *secret, const struct base_id *domain, GError **error);

#endif
