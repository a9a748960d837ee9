/* SPDX-License-Identifier: MIT */
/* /v1/domains: what each does is said in the API page. */
#ifndef FCGI_HANDLERS_DOMAINS_H
#define FCGI_HANDLERS_DOMAINS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;

bool fcgi_domains_post(struct fcgi_call *call, GError **error);
bool fcgi_domains_list(struct fcgi_call *call, GError **error);
bool fcgi_domains_get(struct fcgi_call *call, GError **error);
bool fcgi_domains_verify(struct fcgi_call *call, GError **error);
bool fcgi_domains_patch(struct fcgi_call *call, GError **error);
bool fcgi_domains_delete(struct fcgi_call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_domains_body, fcgi_domains_change;

#endif
