/* SPDX-License-Identifier: MIT */
/* API keys that clients make. */
#ifndef SERVICE_KEY_H
#define SERVICE_KEY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/secret.h"
#include "json/view.h"
#include "store/workspace/key.h"

struct service;

#define SERVICE_KEY_PREFIX "ph_"

/* The words of enum store_key_scope, NULL-terminated; that of a scope stands at its number less
   one. */
extern const char *const service_key_scopes[];

/* The members of a key (struct store_key_row): id, name, scope, domain_id, user, created,
   expires_at, revoked_at, last_used_at; apart owner (the user's address) and domain (its name). */
extern const struct json_view service_key_view;

/* Makes the text of a new key, ph_ and 43 characters, and its hash. The caller owns it. */
char *service_key_text(guint8 hash_r[SHA256_SIZE]);

/* A key to be made. */
struct service_key_wish {
	const char *name;
	enum store_key_scope scope;
	gint64 expires;		      /* epoch ms; 0: when its maker ends */
	const struct base_id *domain; /* for KEY_SEND: the only one to send from; NULL: any */
};

/* Makes a key that belongs to the user and the workspace of maker, and ends with maker at the
   latest. *text_r is the key, which cannot be read again; the caller owns it. FORBIDDEN when maker
   may not do everything itself; NOT_FOUND "Domain not found"; errors of db/statement.h. */
bool service_key_create(struct service *service, const struct store_key *maker,
    const struct service_key_wish *wish, struct base_id *id_r, char **text_r, GError **error);

/* Revokes a key of the asker's workspace. NOT_FOUND "API key not found"; CONFLICT when it is asker,
   the key that asks. */
bool service_key_revoke(struct service *service, const struct store_key *asker,
    const struct base_id *id, GError **error);

#endif
