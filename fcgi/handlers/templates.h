/* /v1/templates: what each does is said in the API page. */
#ifndef FCGI_HANDLERS_TEMPLATES_H
#define FCGI_HANDLERS_TEMPLATES_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;

bool templates_post(struct call *call, GError **error);
bool templates_list(struct call *call, GError **error);
bool templates_get(struct call *call, GError **error);
bool templates_patch(struct call *call, GError **error);
bool templates_delete(struct call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table templates_body;

#endif
