/* SPDX-License-Identifier: MIT */
/* Keeps the DKIM keys of a process, decrypted and parsed. */
#include "email/keyring.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/secret.h"
#include "mail/dkim.h"
#include "service/service.h"
#include "store/domain/key.h"

/* A choice of keys is used for so long before the database is asked again: a batch needs one query.
 */
#define CHOICE_MS 5000

struct choice {
	GPtrArray *keys;
	gint64 made; /* on base_clock_now */
};

struct email_keyring {
	GHashTable *keys;    /* id, as GBytes → struct mail_dkim_key */
	GHashTable *choices; /* id of a domain, as GBytes → struct choice */
};

static void
keyring_free_choice(void *data)
{
	struct choice *choice = data;

	g_ptr_array_unref(choice->keys);
	g_free(choice);
}

struct email_keyring *
email_keyring_new(void)
{
	struct email_keyring *keyring = g_new(struct email_keyring, 1);

	keyring->keys = g_hash_table_new_full(
	    g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, mail_dkim_key_destroy);
	keyring->choices = g_hash_table_new_full(
	    g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, keyring_free_choice);
	return keyring;
}

void
email_keyring_free(struct email_keyring *keyring)
{
	g_hash_table_unref(keyring->choices);
	g_hash_table_unref(keyring->keys);
	g_free(keyring);
}

static void *
make_keyring(void)
{
	return email_keyring_new();
}

struct email_keyring *
email_keyring_of(struct service *service)
{
	return service_cache(service, SERVICE_CACHE_KEYS, make_keyring, email_keyring_destroy);
}

static struct mail_dkim_key *
keyring_load(struct db *db, const struct base_secret *secret, const struct store_domain_key *stored,
    GError **error)
{
	g_autoptr(GBytes) sealed = store_domain_key_sealed(db, &stored->id, error);

	if (!sealed)
		return NULL;
	g_autoptr(GBytes) private =
	    base_secret_decrypt(secret, sealed, &stored->id, sizeof(stored->id), error);
	if (!private) {
		g_prefix_error(error, "the DKIM key %s of %s: ", stored->selector, stored->domain);
		return NULL;
	}
	return mail_dkim_key_parse(private, stored->domain, stored->selector, error);
}

static GPtrArray *
keyring_select_keys(struct email_keyring *keyring, struct db *db, const struct base_secret *secret,
    const struct base_id *domain, GError **error)
{
	g_autoptr(GPtrArray) stored = store_domain_key_signing(db, domain, error);

	if (!stored)
		return NULL;
	if (stored->len == 0) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
		    "the sending domain has no DKIM key any more");
		return NULL;
	}
	g_autoptr(GPtrArray) selected = g_ptr_array_new();
	for (guint i = 0; i < stored->len; i++) {
		const struct store_domain_key *key = stored->pdata[i];
		g_autoptr(GBytes) id = g_bytes_new(&key->id, sizeof(key->id));
		struct mail_dkim_key *parsed = g_hash_table_lookup(keyring->keys, id);

		if (!parsed) {
			parsed = keyring_load(db, secret, key, error);
			if (!parsed)
				return NULL;
			g_hash_table_insert(keyring->keys, g_steal_pointer(&id), parsed);
		}
		g_ptr_array_add(selected, parsed);
	}
	return g_steal_pointer(&selected);
}

GPtrArray *
email_keyring_select(struct email_keyring *keyring, struct db *db, const struct base_secret *secret,
    const struct base_id *domain, GError **error)
{
	g_autoptr(GBytes) id = g_bytes_new(domain, sizeof(*domain));
	struct choice *choice = g_hash_table_lookup(keyring->choices, id);

	if (!choice || ABS(base_clock_now() - choice->made) >= CHOICE_MS) {
		GPtrArray *keys = keyring_select_keys(keyring, db, secret, domain, error);

		if (!keys)
			return NULL;
		choice = g_new(struct choice, 1);
		*choice = (struct choice){keys, base_clock_now()};
		g_hash_table_replace(keyring->choices, g_steal_pointer(&id), choice);
	}
	return g_ptr_array_ref(choice->keys);
}
