/* SPDX-License-Identifier: MIT */
/* API keys that clients make. */
#ifndef CORE_KEY_H
#define CORE_KEY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/secret.h"
#include "store/key.h"

struct core;

/* Makes the text of a new key, ph_ and 43 characters, and its hash. The caller owns it. */
char *core_key_text(guint8 hash_r[SHA256_SIZE]);

/* A key to be made. */
struct core_key_wish {
	const char *name;
	enum store_key_scope scope;
	const struct base_id *domain; /* for KEY_SEND: the only one to send from; NULL: any */
};

/* Makes a key that belongs to the user and the workspace of maker, and ends when maker does.
   *text_r is the key, which cannot be read again; the caller owns it. FORBIDDEN when maker may not
   do everything itself; NOT_FOUND "Domain not found"; errors of db/statement.h. */
bool core_key_create(struct core *core, const struct store_key *maker,
    const struct core_key_wish *wish, struct base_id *id_r, char **text_r, GError **error);

#endif
