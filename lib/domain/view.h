/* SPDX-License-Identifier: MIT */
/* Domains as the front /resend and its webhooks show them. */
#ifndef DOMAIN_VIEW_H
#define DOMAIN_VIEW_H

#include "store/domain/domain.h"

struct config_settings;
struct json_writer;

/* The word of Resend's API for a status. */
const char *domain_view_status(enum store_domain_status status);

/* Writes the member "records": those of the return path, then those of the keys, which have been
   read. DMARC is not among them. */
void domain_view_write_records(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain);

#endif
