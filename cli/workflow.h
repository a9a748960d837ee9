#ifndef CLI_WORKFLOW_H
#define CLI_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct id;

/* How help explains an argument that names a workflow. */
#define WORKFLOW_HELP "its name, or its id where several have that name"

/* The workflow that an argument names, by name or id. NOT_FOUND; INVALID when several have the
   name. */
bool cli_workflow_find(const struct call *call, const char *given, struct id *id_r, GError **error);

/* workflow show, in a file of its own. */
bool cli_workflow_show(struct call *call, GError **error);

#endif
