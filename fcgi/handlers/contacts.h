#ifndef FCGI_HANDLERS_CONTACTS_H
#define FCGI_HANDLERS_CONTACTS_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;

/* /v1/audiences/{audience}/contacts */
bool contacts_post(struct call *call, GError **error);
bool contacts_list(struct call *call, GError **error);
bool contacts_get(struct call *call, GError **error);
bool contacts_patch(struct call *call, GError **error);
bool contacts_delete(struct call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table contacts_body;

#endif
