/* SPDX-License-Identifier: MIT */
/* Checks sending domains against DNS. */
#ifndef DOMAIN_DNS_CHECK_H
#define DOMAIN_DNS_CHECK_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct base_id;
struct config_settings;
struct store_domain;
struct store_turn;

/* Checks up to a batch of domains that are due, within LIMIT_DNS_MS. For each it looks up the
   records that the domain needs, and records the state of each record, the status, the next check,
   and which keys DNS shows; once DNS shows a new RSA key, the new keys become active and the active
   ones retire. *count_r is the number of domains claimed; 0 when none is due. Any number of workers
   and machines may call this at once: a claim gives each domain to one of them, and a claim that is
   not recorded runs out. turn is this worker's place in the round of the workspaces
   (store/common/turn.h).

   A result that cannot be stored holds back no other domain: that domain stays as it is until its
   next check, and *trouble_r (for the log; the caller frees it) says why; else it is NULL. Errors
   of db/transaction.h; FAILED when no DNS server can be asked. */
bool domain_dns_check_due(struct service *service, struct store_turn *turn, guint *count_r,
    GError **trouble_r, GError **error);

/* Checks one domain now, due or not. A trusted domain is checked too, and keeps its status. If
   another process changes or checks the domain meanwhile, this check's result is dropped.
   NOT_FOUND; errors as above. */
bool domain_dns_check_domain(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);

/* Looks up records (domain/zone.h) of a domain in DNS now, within LIMIT_DNS_MS, and sets their
   states; ZONE_UNKNOWN where DNS has not answered. Stores nothing. FAILED when no DNS server can be
   asked.
   */
bool domain_dns_check_look(const struct config_settings *settings,
    const struct store_domain *domain, const GPtrArray *records, GError **error);

/* The organizational domain of a name by DNS (RFC 9989), within LIMIT_DNS_MS; by the public suffix
   list where DNS has not answered. The caller owns it. FAILED when no DNS server can be asked. */
char *domain_dns_check_organization(
    const struct config_settings *settings, const char *name, GError **error);

/* The walk up the tree of names from a name (domain/dmarc.h), with the outcomes of its questions,
   and one question more, within LIMIT_DNS_MS. TEMPORARY where DNS has not answered for the name or
   a parent that may have a record of its own; FAILED when no DNS server can be asked. The caller
   owns the array. */
struct dns_question;
GPtrArray *domain_dns_check_tree(const struct config_settings *settings, const char *name,
    struct dns_question *more, GError **error);

#endif
