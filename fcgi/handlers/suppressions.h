#ifndef FCGI_HANDLERS_SUPPRESSIONS_H
#define FCGI_HANDLERS_SUPPRESSIONS_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;

/* /v1/suppressions */
bool suppressions_post(struct call *call, GError **error);
bool suppressions_list(struct call *call, GError **error);
bool suppressions_get(struct call *call, GError **error);
bool suppressions_delete(struct call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table suppressions_body;

#endif
