#ifndef FCGI_HANDLERS_AUDIENCES_H
#define FCGI_HANDLERS_AUDIENCES_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;

/* /v1/audiences */
bool audiences_post(struct call *call, GError **error);
bool audiences_list(struct call *call, GError **error);
bool audiences_get(struct call *call, GError **error);
bool audiences_delete(struct call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table audiences_body;

#endif
