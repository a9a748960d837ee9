/* SPDX-License-Identifier: MIT */
/* Domains that receive mail. */
#ifndef DOMAIN_RECEIVING_H
#define DOMAIN_RECEIVING_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct config_settings;
struct service;

/* The hosts of a domain's MX records that are not ours (domain_zone_mx), by their preference, as
   DNS has them now, within LIMIT_DNS_MS; none where it does not answer. char *; the caller owns
   it. FAILED when no DNS server can be asked. */
GPtrArray *domain_receiving_elsewhere(
    const struct config_settings *settings, const char *name, GError **error);

/* Whether a domain may begin to receive, by the MX records that DNS has now, within LIMIT_DNS_MS.
   CONFLICT, with a sentence, where some lead to other hosts than ours: its mail goes there. No
   answer is no conflict. FAILED when no DNS server can be asked. */
bool domain_receiving_check(
    const struct config_settings *settings, const char *name, GError **error);

/* The same for a registered domain; one that receives already may. NOT_FOUND. */
bool domain_receiving_allowed(struct service *service, const struct base_id *workspace,
    const struct base_id *domain, GError **error);

#endif
