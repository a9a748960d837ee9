/* A new sending domain and its keys. */
#include "core/register.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hostname.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "mail/dkim.h"
#include "store/domain.h"

static char *
check_name(const char *name, GError **error)
{
	glong length = g_utf8_strlen(name, -1);
	char *ascii = NULL;

	if (length < LIMIT_DOMAIN_MIN_LENGTH || length > LIMIT_DOMAIN_LENGTH)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must be %d to %d characters",
		    LIMIT_DOMAIN_MIN_LENGTH, LIMIT_DOMAIN_LENGTH);
	else if (!(ascii = base_hostname_ascii(name)))
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must be a valid domain name");
	else if (!base_hostname_registrable(ascii)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must not be a public suffix");
		g_clear_pointer(&ascii, g_free);
	}
	return ascii;
}

/* A selector that says when its key was made. */
static char *
selector(const char *suffix)
{
	g_autoptr(GDateTime) now = g_date_time_new_from_unix_utc(base_clock_now() / 1000);
	g_autofree char *date = g_date_time_format(now, "%Y%m%d");

	return g_strdup_printf("ph%s%s", date, suffix);
}

static struct domain_key *
make_key(struct core *core, const char *domain, enum domain_key_algorithm algorithm, GError **error)
{
	bool rsa = algorithm == DOMAIN_KEY_RSA;
	g_autoptr(GBytes) private =
	    mail_dkim_generate(rsa ? MAIL_DKIM_RSA2048 : MAIL_DKIM_ED25519, error);

	if (!private)
		return NULL;
	AUTO(domain_key) key = g_new0(struct domain_key, 1);
	key->id = base_id_new();
	key->algorithm = algorithm;
	key->selector = selector(rsa ? "" : "-ed");
	AUTO(mail_dkim_key) parsed = mail_dkim_key_parse(private, domain, key->selector, error);
	if (!parsed)
		return NULL;
	key->public = mail_dkim_public_base64(parsed);
	key->sealed = base_secret_encrypt(
	    base_settings_secret(core->settings), private, &key->id, sizeof(key->id));
	return g_steal_pointer(&key);
}

struct domain *
core_register_domain(struct core *core, const struct id *workspace, const struct id *user,
    const char *name, bool trusted, GError **error)
{
	AUTO(domain) domain = g_new0(struct domain, 1);

	domain->workspace_id = *workspace;
	domain->trusted = trusted;
	domain->status = trusted ? DOMAIN_SUCCESS : DOMAIN_NOT_STARTED;
	domain->name = check_name(name, error);
	if (!domain->name)
		return NULL;
	AUTO(domain_key) rsa = make_key(core, domain->name, DOMAIN_KEY_RSA, error);
	if (!rsa)
		return NULL;
	AUTO(domain_key) ed25519 = make_key(core, domain->name, DOMAIN_KEY_ED25519, error);
	if (!ed25519)
		return NULL;
	g_autoptr(GError) local = NULL;
	if (store_domain_create(
		core->db, domain, user, (struct domain_key *const[]){rsa, ed25519}, 2, &local))
		return g_steal_pointer(&domain);
	if (g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "Domain %s is registered already",
		    domain->name);
	else
		g_propagate_error(error, g_steal_pointer(&local));
	return NULL;
}
