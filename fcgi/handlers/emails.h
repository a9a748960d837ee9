/* SPDX-License-Identifier: MIT */
/* /v1/emails: what each does is said in the API page. */
#ifndef FCGI_HANDLERS_EMAILS_H
#define FCGI_HANDLERS_EMAILS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;

bool fcgi_emails_post(struct fcgi_call *call, GError **error);
bool fcgi_emails_list(struct fcgi_call *call, GError **error);
bool fcgi_emails_get(struct fcgi_call *call, GError **error);
bool fcgi_emails_events(struct fcgi_call *call, GError **error);
bool fcgi_emails_delete(struct fcgi_call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_emails_body;

#endif
