/* SPDX-License-Identifier: MIT */
/* Domains as JSON: for clients, webhooks and operators. */
#ifndef DOMAIN_VIEW_H
#define DOMAIN_VIEW_H

#include "json/view.h"
#include "store/domain/domain.h"

struct config_settings;
struct json_writer;

/* The members of a domain (struct store_domain): id, name, status, trusted, may_send, error_type,
   checked, success, next_check, warmed_up, created; apart stage (domain_view_status), region,
   open_tracking, click_tracking. A list is without those from may_send to warmed_up. */
extern const struct json_view domain_view, domain_view_list;

/* The three forms of a domain. Record names are relative to the domain itself in the reply to a
   registration, and to the registered domain (the apex) in the others. Only the whole form has the
   state of each record. */
enum domain_view_form { DOMAIN_VIEW_CREATED, DOMAIN_VIEW_LISTED, DOMAIN_VIEW_WHOLE };

/* Writes a domain with its records. DOMAIN_VIEW_CREATED needs only the keys of the domain; the
   other forms need all that is stored. */
void domain_view_write(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain, enum domain_view_form form);

/* The word of the compatible form (webhook/compat.h) for a status. */
const char *domain_view_status(enum store_domain_status status);

/* Writes the member "capabilities" of the compatible form. */
void domain_view_write_capabilities(struct json_writer *writer, bool receiving);

/* Writes the member "records": those of the return path, then those of the keys, which have been
   read. DMARC is not among them. */
void domain_view_write_records(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain);

#endif
