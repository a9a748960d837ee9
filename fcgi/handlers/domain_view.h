/* How a sending domain looks from outside. */
#ifndef FCGI_HANDLERS_DOMAIN_VIEW_H
#define FCGI_HANDLERS_DOMAIN_VIEW_H

struct domain;
struct json_writer;
struct settings;

/* The three forms: names of records in the answer to a registration are relative to the domain, in
   the others to what one registers; the state of each record is in the whole form alone. */
enum domain_form { DOMAIN_CREATED, DOMAIN_LISTED, DOMAIN_WHOLE };

/* Of a domain that has been read with all that is known of it; for DOMAIN_CREATED its keys do. */
void domain_view_write(struct json_writer *writer, const struct settings *settings,
    const struct domain *domain, enum domain_form form);

#endif
