/* SPDX-License-Identifier: MIT */
#ifndef CORE_REGISTER_H
#define CORE_REGISTER_H

#include <glib.h>
#include <stdbool.h>

struct store_domain;
struct base_id;
struct core;

/* Registers a sending domain in a workspace: makes its DKIM keys, RSA 2048 and Ed25519, and stores
   them encrypted. name in any script; user (NULL: none) is who did it; trusted: see store/domain.h.
   INVALID for a name that can be no sending domain, be it only for its length; CONFLICT when the
   workspace has it, or as many domains as it may. The caller frees the result, which has its keys.
 */
struct store_domain *core_register_domain(struct core *core, const struct base_id *workspace,
    const struct base_id *user, const char *name, bool trusted, GError **error);

#endif
