#ifndef FCGI_HANDLERS_WORKFLOWS_H
#define FCGI_HANDLERS_WORKFLOWS_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;

/* /v1/workflows */
bool workflows_post(struct call *call, GError **error);
bool workflows_list(struct call *call, GError **error);
bool workflows_get(struct call *call, GError **error);
bool workflows_patch(struct call *call, GError **error);
bool workflows_delete(struct call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table workflows_body;

#endif
