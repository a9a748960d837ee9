/* SPDX-License-Identifier: MIT */
/* A new sending domain and its keys. */
#include "core/register.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hostname.h"
#include "base/limits.h"
#include "core/core.h"
#include "core/domain_keys.h"
#include "core/token.h"
#include "core/verdict.h"
#include "db/connection.h"
#include "store/domain.h"
#include "store/domain_key.h"

/* What stands below a sending domain has to be a name or an address all the same: its DKIM record,
   the return path, and the address to unsubscribe. */
#define BELOW(text) (sizeof(text) - 1 + LIMIT_SENDER_DOMAIN_LENGTH)
G_STATIC_ASSERT(BELOW("ph20261120-0a1b2c-ed._domainkey.") <= LIMIT_DOMAIN_LENGTH);
G_STATIC_ASSERT(BELOW("b+@send.") + TOKEN_HEX_SIZE - 1 <= LIMIT_ADDRESS_BYTES);
G_STATIC_ASSERT(BELOW("u+@send.") + TOKEN_HEX_SIZE - 1 == LIMIT_ADDRESS_BYTES);

static char *
check_name(const char *name, GError **error)
{
	glong length = g_utf8_strlen(name, -1);
	char *ascii = NULL;

	if (length < LIMIT_DOMAIN_MIN_LENGTH || length > LIMIT_SENDER_DOMAIN_LENGTH)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must be %d to %d characters",
		    LIMIT_DOMAIN_MIN_LENGTH, LIMIT_SENDER_DOMAIN_LENGTH);
	else if (!(ascii = base_hostname_ascii(name)))
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must be a valid domain name");
	else if (!base_hostname_registrable(ascii)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "name must not be a public suffix");
		g_clear_pointer(&ascii, g_free);
	} else if (strlen(ascii) > LIMIT_SENDER_DOMAIN_LENGTH) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "name must be at most %d characters in ASCII, where it has %d",
		    LIMIT_SENDER_DOMAIN_LENGTH, (int)strlen(ascii));
		g_clear_pointer(&ascii, g_free);
	}
	return ascii;
}

static void
free_key(void *key)
{
	store_domain_key_free(key);
}

static bool
store(struct core *core, struct store_domain *domain, const struct base_id *user, GError **error)
{
	struct store_domain_key *keys[DOMAIN_KEYS];
	gint64 now = base_clock_now();

	if (!core_domain_keys_new(core, domain->name, keys, error))
		return false;
	domain->keys = g_ptr_array_new_with_free_func(free_key);
	for (guint i = 0; i < DOMAIN_KEYS; i++)
		g_ptr_array_add(domain->keys, keys[i]);
	return store_domain_create(core->db, domain, user, keys, DOMAIN_KEYS,
	    domain->trusted ? 0 : core_verdict_next(now, now, g_random_double()), error);
}

struct store_domain *
core_register_domain(struct core *core, const struct base_id *workspace, const struct base_id *user,
    const char *name, bool trusted, GError **error)
{
	AUTO(store_domain) domain = g_new0(struct store_domain, 1);
	g_autoptr(GError) local = NULL;

	domain->workspace_id = *workspace;
	domain->trusted = trusted;
	domain->status = trusted ? DOMAIN_SUCCESS : DOMAIN_NOT_STARTED;
	domain->name = check_name(name, error);
	if (!domain->name)
		return NULL;
	if (store(core, domain, user, &local))
		return g_steal_pointer(&domain);
	if (g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT) &&
	    db_cause(core->db) != DB_CAUSE_NONE)
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "Domain %s is registered already",
		    domain->name);
	else
		g_propagate_error(error, g_steal_pointer(&local));
	return NULL;
}
