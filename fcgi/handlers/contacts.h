/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_CONTACTS_H
#define FCGI_HANDLERS_CONTACTS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;

/* /v1/audiences/{audience}/contacts */
bool fcgi_contacts_post(struct fcgi_call *call, GError **error);
bool fcgi_contacts_list(struct fcgi_call *call, GError **error);
bool fcgi_contacts_get(struct fcgi_call *call, GError **error);
bool fcgi_contacts_patch(struct fcgi_call *call, GError **error);
bool fcgi_contacts_delete(struct fcgi_call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_contacts_body;

#endif
