/* SPDX-License-Identifier: MIT */
/* Sending domains and their DKIM keys. */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct service;
struct store_domain;
struct store_domain_key;

/* Registers a sending domain in a workspace and makes its DKIM keys, which are stored encrypted.
   name: in any script. user: the user who registers it; NULL: none. trusted: see
   store/domain/domain.h. INVALID when mail cannot be sent from such a name, or the name is too
   long; CONFLICT when the workspace has the domain already, or as many domains as it may have. The
   caller frees the result, which includes its keys. */
struct store_domain *domain_register(struct service *service, const struct base_id *workspace,
    const struct base_id *user, const char *name, bool trusted, GError **error);

/* A registration. All borrowed. */
struct domain_registration {
	const struct base_id *user;	 /* NULL: none */
	const struct store_domain *wish; /* its name, switches, region, tls_enforced and return_path
					    (NULL: the usual one) count */
	const char *subdomain; /* labels of a tracking host (domain/settings.h); NULL: none */
	bool override;	       /* see domain/receiving.h; CONFLICT as there */
};

/* The same by a registration. */
struct store_domain *domain_register_as(struct service *service, const struct base_id *workspace,
    const struct domain_registration *registration, GError **error);

/* A domain has two keys at a time: RSA 2048 (RFC 6376) and Ed25519 (RFC 8463). */
#define DOMAIN_KEYS 2

/* Replaces the keys of a domain by new ones: see store_domain_key_rotate. NOT_FOUND. */
bool domain_keys_rotate(struct service *service, const struct base_id *workspace,
    const struct base_id *domain, GError **error);

#endif
