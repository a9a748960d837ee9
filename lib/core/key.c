/* SPDX-License-Identifier: MIT */
/* Makes API keys. */
#include "core/key.h"

#include <string.h>

#include "base/error.h"
#include "core/core.h"

#define PREFIX "ph_"
#define RANDOM_BYTES 32

char *
core_key_text(guint8 hash_r[SHA256_SIZE])
{
	guint8 bytes[RANDOM_BYTES];

	base_secret_random(bytes, sizeof(bytes));
	g_autofree char *random = base_secret_base64url(bytes, sizeof(bytes));
	char *text = g_strconcat(PREFIX, random, NULL);
	base_secret_sha256(text, strlen(text), hash_r);
	return text;
}

bool
core_key_create(struct core *core, const struct store_key *maker, const struct core_key_wish *wish,
    struct base_id *id_r, char **text_r, GError **error)
{
	guint8 hash[SHA256_SIZE];

	if (maker->scope != KEY_FULL)
		return base_fail(error, PH_ERROR_FORBIDDEN, "Only a key of scope full makes keys");
	g_autofree char *text = core_key_text(hash);
	*id_r = base_id_new();
	if (!store_key_create_by(
		core->db, maker, id_r, hash, wish->scope, wish->name, wish->domain, error))
		return false;
	*text_r = g_steal_pointer(&text);
	return true;
}
