/* /v1/domains: what each does is said in the API page. */
#ifndef FCGI_HANDLERS_DOMAINS_H
#define FCGI_HANDLERS_DOMAINS_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;

bool domains_post(struct call *call, GError **error);
bool domains_list(struct call *call, GError **error);
bool domains_get(struct call *call, GError **error);
bool domains_verify(struct call *call, GError **error);
bool domains_patch(struct call *call, GError **error);
bool domains_delete(struct call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table domains_body, domains_change;

#endif
