/* SPDX-License-Identifier: MIT */
/* How a sending domain looks from outside. */
#ifndef FCGI_HANDLERS_DOMAIN_VIEW_H
#define FCGI_HANDLERS_DOMAIN_VIEW_H

struct store_domain;
struct json_writer;
struct base_settings;

/* The three forms: names of records in the answer to a registration are relative to the domain, in
   the others to what one registers; the state of each record is in the whole form alone. */
enum fcgi_domain_form { DOMAIN_CREATED, DOMAIN_LISTED, DOMAIN_WHOLE };

/* Of a domain that has been read with all that is known of it; for DOMAIN_CREATED its keys do. */
void fcgi_domain_view_write(struct json_writer *writer, const struct base_settings *settings,
    const struct store_domain *domain, enum fcgi_domain_form form);

#endif
