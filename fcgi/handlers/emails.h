/* /v1/emails: what each does is said in the API page. */
#ifndef FCGI_HANDLERS_EMAILS_H
#define FCGI_HANDLERS_EMAILS_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;

bool emails_post(struct call *call, GError **error);
bool emails_list(struct call *call, GError **error);
bool emails_get(struct call *call, GError **error);
bool emails_events(struct call *call, GError **error);
bool emails_delete(struct call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table emails_body;

#endif
