/* SPDX-License-Identifier: MIT */
/* The data of a request node: its rules, and the secrets that it names. */
#ifndef AUTOMATION_NODE_REQUEST_H
#define AUTOMATION_NODE_REQUEST_H

#include <glib.h>
#include <stdbool.h>

struct automation_node_request;

/* Sets the method where it was left out, and checks the rest, except whether the URL may be asked
   and the secrets exist. INVALID "data. ...". */
bool automation_node_request_check(struct automation_node_request *request, GError **error);

/* The URL up to its path, behind which alone it has variables. The caller owns it. */
char *automation_node_request_base(const struct automation_node_request *request);

/* Calls take with the name of each header and of each secret in it, until it returns false. Returns
   its last result. */
bool automation_node_request_each_secret(const struct automation_node_request *request,
    bool (*take)(const char *header, const char *secret, void *context, GError **error),
    void *context, GError **error);

#endif
