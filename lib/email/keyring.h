/* SPDX-License-Identifier: MIT */
/* The DKIM keys that a process has decrypted and parsed, so that it does so once. */
#ifndef EMAIL_KEYRING_H
#define EMAIL_KEYRING_H

#include <glib.h>

#include "base/scope.h"

struct service;
struct db;
struct base_id;
struct base_secret;

/* The DKIM keys that this process has decrypted and parsed, by their ids. */
struct email_keyring;

/* An empty keyring. The caller frees it. */
struct email_keyring *email_keyring_new(void);
void email_keyring_free(struct email_keyring *keyring);
DEFINE_AUTO(email_keyring, email_keyring_free)

/* The keyring of the process, made by the first call. service frees it. */
struct email_keyring *email_keyring_of(struct service *service);

/* Gives the keys that messages of this domain are signed with, as an array of struct mail_dkim_key.
   A process decrypts and parses each key once, and asks the database every few seconds which keys
   they are. NOT_FOUND when the domain has no key; FAILED when a key cannot be decrypted; errors of
   db/statement.h. The keyring owns the keys; the caller releases the array and must not change
   it. */
GPtrArray *email_keyring_select(struct email_keyring *keyring, struct db *db,
    const struct base_secret *secret, const struct base_id *domain, GError **error);

#endif
