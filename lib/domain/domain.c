/* SPDX-License-Identifier: MIT */
/* Registers sending domains and makes their DKIM keys. */
#include "domain/domain.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain.h"
#include "base/limits/email.h"
#include "base/secret.h"
#include "config/settings.h"
#include "db/connection.h"
#include "domain/check_schedule.h"
#include "domain/receiving.h"
#include "domain/settings.h"
#include "link/token.h"
#include "mail/dkim.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "text/hostname.h"

static char *
domain_selector_of(const struct store_domain_key *rsa)
{
	g_autoptr(GDateTime) made = g_date_time_new_from_unix_utc(rsa->created / 1000);
	g_autofree char *date = g_date_time_format(made, "%Y%m%d");
	guint8 digest[SHA256_SIZE];

	base_secret_sha256(rsa->public, strlen(rsa->public), digest);
	return g_strdup_printf("ph%s-%02x%02x%02x", date, digest[0], digest[1], digest[2]);
}

/* Makes a key, still without a selector. */
static struct store_domain_key *
domain_make(struct service *service, const char *domain, enum store_domain_key_algorithm algorithm,
    gint64 now, GError **error)
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
	    config_settings_secret(service->settings), private, &key->id, sizeof(key->id));
	return key;
}

/* Makes new active DKIM keys for a domain, encrypted. Their selectors, ph20261120-0a1b2c and
   ph20261120-0a1b2c-ed, hold the day and a part of the RSA key's digest. So two pairs of one day
   differ, even if the domain was removed and registered again, or several workspaces have it.
   FAILED when OpenSSL fails. The caller frees each key. */
static bool
domain_make_keys(struct service *service, const char *domain,
    struct store_domain_key *keys_r[DOMAIN_KEYS], GError **error)
{
	gint64 now = base_clock_now();
	AUTO(store_domain_key) rsa = domain_make(service, domain, DOMAIN_KEY_RSA, now, error);
	AUTO(store_domain_key) ed25519 =
	    rsa ? domain_make(service, domain, DOMAIN_KEY_ED25519, now, error) : NULL;

	if (!ed25519)
		return false;
	rsa->selector = domain_selector_of(rsa);
	ed25519->selector = g_strconcat(rsa->selector, "-ed", NULL);
	keys_r[0] = g_steal_pointer(&rsa);
	keys_r[1] = g_steal_pointer(&ed25519);
	return true;
}

bool
domain_keys_rotate(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	AUTO(store_domain) domain = store_domain_get(service->db, workspace, id, error);
	struct store_domain_key *keys[DOMAIN_KEYS];
	gint64 now = base_clock_now();

	if (!domain || !domain_make_keys(service, domain->name, keys, error))
		return false;
	bool done = store_domain_key_rotate(service->db,
	    &(struct store_domain_rotation){workspace, id, keys, DOMAIN_KEYS, now,
		domain_check_schedule_next(now, now, g_random_double())},
	    error);
	for (guint i = 0; i < DOMAIN_KEYS; i++)
		store_domain_key_free(keys[i]);
	return done;
}

/* The longest sending domain must leave room for the names and addresses below it: its DKIM record,
   the return path, and the unsubscribe address. */
#define BELOW(text) (sizeof(text) - 1 + LIMIT_SENDER_DOMAIN_LENGTH)
G_STATIC_ASSERT(BELOW("ph20261120-0a1b2c-ed._domainkey.") <= LIMIT_DOMAIN_LENGTH);
G_STATIC_ASSERT(BELOW("b+@send.") + TOKEN_HEX_SIZE - 1 <= LIMIT_ADDRESS_BYTES);
G_STATIC_ASSERT(BELOW("u+@send.") + TOKEN_HEX_SIZE - 1 == LIMIT_ADDRESS_BYTES);

/* return_path: the label of its return paths; a longer one leaves less room. */
static char *
domain_check_name(const char *name, const char *return_path, GError **error)
{
	int most = LIMIT_SENDER_DOMAIN_LENGTH + (int)strlen(STORE_DOMAIN_RETURN_PATH) -
		   MAX((int)strlen(return_path), (int)strlen(STORE_DOMAIN_RETURN_PATH));
	glong length = g_utf8_strlen(name, -1);
	char *ascii = NULL;

	if (length < LIMIT_DOMAIN_MIN_LENGTH || length > LIMIT_DOMAIN_LENGTH)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must be %d to %d characters",
		    LIMIT_DOMAIN_MIN_LENGTH, LIMIT_DOMAIN_LENGTH);
	else if (!(ascii = text_hostname_ascii(name)))
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must be a valid domain name");
	else if (!text_hostname_registrable(ascii)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must not be a public suffix");
		g_clear_pointer(&ascii, g_free);
	} else if ((int)strlen(ascii) > most) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "name must be at most %d characters in ASCII, where it has %d: a longer one "
		    "leaves no room for the return path",
		    most, (int)strlen(ascii));
		g_clear_pointer(&ascii, g_free);
	}
	return ascii;
}

static bool
domain_store(struct service *service, struct store_domain *domain, const struct base_id *user,
    GError **error)
{
	struct store_domain_key *keys[DOMAIN_KEYS];
	gint64 now = base_clock_now();

	if (!domain_make_keys(service, domain->name, keys, error))
		return false;
	domain->keys = g_ptr_array_new_with_free_func(store_domain_key_destroy);
	for (guint i = 0; i < DOMAIN_KEYS; i++)
		g_ptr_array_add(domain->keys, keys[i]);
	return store_domain_create(service->db, domain,
	    &(struct store_domain_creation){user, keys, DOMAIN_KEYS,
		domain->trusted && !domain->tracking_host
		    ? 0
		    : domain_check_schedule_next(now, now, g_random_double())},
	    error);
}

static bool
domain_fail_registered(const char *name, GError **error)
{
	return base_fail(error, PH_ERROR_CONFLICT, "Domain %s is registered already", name);
}

/* Looks into DNS for a new domain that is to receive, after a statement: the request's key is
   checked with it. */
static bool
domain_may_receive(
    struct service *service, const struct base_id *workspace, const char *name, GError **error)
{
	g_autoptr(GError) missing = NULL;
	AUTO(store_domain) known = store_domain_find(service->db, workspace, name, &missing);

	if (known)
		return domain_fail_registered(name, error);
	if (g_error_matches(missing, PH_ERROR, PH_ERROR_NOT_FOUND))
		return domain_receiving_check(service->settings, name, error);
	g_propagate_error(error, g_steal_pointer(&missing));
	return false;
}

struct store_domain *
domain_register_as(struct service *service, const struct base_id *workspace,
    const struct domain_registration *registration, GError **error)
{
	const struct store_domain *wish = registration->wish;
	const char *subdomain = registration->subdomain;
	AUTO(store_domain) domain = g_new0(struct store_domain, 1);
	g_autoptr(GError) local = NULL;

	domain->workspace_id = *workspace;
	domain->trusted = wish->trusted;
	domain->status = wish->trusted ? DOMAIN_SUCCESS : DOMAIN_NOT_STARTED;
	domain->open_tracking = wish->open_tracking;
	domain->click_tracking = wish->click_tracking;
	domain->receiving = wish->receiving;
	domain->reply_tracking = wish->reply_tracking;
	domain->region = g_strdup(wish->region);
	domain->tls_enforced = wish->tls_enforced;
	domain->return_path = domain_settings_return_path(
	    wish->return_path ? wish->return_path : STORE_DOMAIN_RETURN_PATH, error);
	domain->name =
	    domain->return_path ? domain_check_name(wish->name, domain->return_path, error) : NULL;
	if (!domain->name ||
	    (subdomain && !(domain->tracking_host = domain_settings_host(service->settings,
				subdomain, domain->name, domain->return_path, error))) ||
	    (wish->receiving && !registration->override &&
		!domain_may_receive(service, workspace, domain->name, error)))
		return NULL;
	if (domain_store(service, domain, registration->user, &local))
		return g_steal_pointer(&domain);
	if (g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT) &&
	    db_cause(service->db) != DB_CAUSE_NONE)
		domain_fail_registered(domain->name, error);
	else
		g_propagate_error(error, g_steal_pointer(&local));
	return NULL;
}

struct store_domain *
domain_register(struct service *service, const struct base_id *workspace,
    const struct base_id *user, const char *name, bool trusted, GError **error)
{
	const struct store_domain wish = {.name = (char *)name, .trusted = trusted};

	return domain_register_as(
	    service, workspace, &(struct domain_registration){user, &wish, NULL, false}, error);
}
