/* SPDX-License-Identifier: MIT */
/* DKIM keys of sending domains: new ones, and new ones in place of old ones. */
#include "core/domain_keys.h"

#include "base/clock.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/verdict.h"
#include "mail/dkim.h"
#include "store/domain.h"
#include "store/domain_key.h"

static char *
selector_of(const struct store_domain_key *rsa)
{
	g_autoptr(GDateTime) made = g_date_time_new_from_unix_utc(rsa->created / 1000);
	g_autofree char *date = g_date_time_format(made, "%Y%m%d");
	guint8 digest[SHA256_SIZE];

	base_secret_sha256(rsa->public, strlen(rsa->public), digest);
	return g_strdup_printf("ph%s-%02x%02x%02x", date, digest[0], digest[1], digest[2]);
}

/* Without a selector. */
static struct store_domain_key *
make(struct core *core, const char *domain, enum store_domain_key_algorithm algorithm, gint64 now,
    GError **error)
{
	g_autoptr(GBytes) private = mail_dkim_generate(
	    algorithm == DOMAIN_KEY_RSA ? MAIL_DKIM_RSA2048 : MAIL_DKIM_ED25519, error);

	if (!private)
		return NULL;
	AUTO(mail_dkim_key) parsed = mail_dkim_key_parse(private, domain, "new", error);
	if (!parsed)
		return NULL;
	struct store_domain_key *key = g_new0(struct store_domain_key, 1);
	key->id = base_id_new();
	key->algorithm = algorithm;
	key->state = DOMAIN_KEY_ACTIVE;
	key->created = now;
	key->domain = g_strdup(domain);
	key->public = mail_dkim_public_base64(parsed);
	key->sealed = base_secret_encrypt(
	    base_settings_secret(core->settings), private, &key->id, sizeof(key->id));
	return key;
}

bool
core_domain_keys_new(struct core *core, const char *domain,
    struct store_domain_key *keys_r[DOMAIN_KEYS], GError **error)
{
	gint64 now = base_clock_now();
	AUTO(store_domain_key) rsa = make(core, domain, DOMAIN_KEY_RSA, now, error);
	AUTO(store_domain_key)
	ed25519 = rsa ? make(core, domain, DOMAIN_KEY_ED25519, now, error) : NULL;

	if (!ed25519)
		return false;
	rsa->selector = selector_of(rsa);
	ed25519->selector = g_strconcat(rsa->selector, "-ed", NULL);
	keys_r[0] = g_steal_pointer(&rsa);
	keys_r[1] = g_steal_pointer(&ed25519);
	return true;
}

bool
core_domain_keys_rotate(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(store_domain) domain = store_domain_get(core->db, workspace, id, error);
	struct store_domain_key *keys[DOMAIN_KEYS];
	gint64 now = base_clock_now();

	if (!domain || !core_domain_keys_new(core, domain->name, keys, error))
		return false;
	bool done = store_domain_key_rotate(core->db, workspace, id, keys, DOMAIN_KEYS, now,
	    core_verdict_next(now, now, g_random_double()), error);
	for (guint i = 0; i < DOMAIN_KEYS; i++)
		store_domain_key_free(keys[i]);
	return done;
}
