/* SPDX-License-Identifier: MIT */
#ifndef CORE_DOMAIN_KEYS_H
#define CORE_DOMAIN_KEYS_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct store_domain_key;
struct base_id;

#define DOMAIN_KEYS 2

/* New DKIM keys for a domain: RSA 2048 and Ed25519, encrypted, active. Their selectors,
   ph20261120-0a1b2c and ph20261120-0a1b2c-ed, say the day and a part of the RSA key's digest: so
   two pairs of one day differ, whoever made them, for a domain that was removed and registered
   again or that several workspaces have. FAILED when OpenSSL cannot. The caller frees each. */
bool core_domain_keys_new(struct core *core, const char *domain,
    struct store_domain_key *keys_r[DOMAIN_KEYS], GError **error);

/* Replaces a domain's keys: see store_domain_key_rotate. NOT_FOUND. */
bool core_domain_keys_rotate(struct core *core, const struct base_id *workspace,
    const struct base_id *domain, GError **error);

#endif
