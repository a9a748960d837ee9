/* SPDX-License-Identifier: MIT */
/* The DMARC policy of a domain by DNS, and advice on what to publish next. */
#ifndef DMARC_POLICY_H
#define DMARC_POLICY_H

#include <glib.h>
#include <stdbool.h>

struct json_writer;
struct service;
struct store_domain;

/* Asks DNS for the policy of a domain that was read with its keys, looks at what its reports say,
   and writes the object of GET /v1/domains/{id}/policy. TEMPORARY when DNS does not answer; errors
   of db/statement.h; FAILED when no DNS server can be asked. */
bool dmarc_policy_write(struct json_writer *writer, struct service *service,
    const struct store_domain *domain, GError **error);

#endif
