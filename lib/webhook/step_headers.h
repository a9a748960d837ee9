/* SPDX-License-Identifier: MIT */
/* The headers of workflows' requests: those of the step, with its secrets, and those that every
   request has, signed by the workspace's secret "signing". */
#ifndef WEBHOOK_STEP_HEADERS_H
#define WEBHOOK_STEP_HEADERS_H

#include <glib.h>

#include "base/scope.h"

struct service;
struct store_step_request;

/* Keys that sign, read once for many requests. The caller frees them soon, since keys change. */
struct webhook_step_keys;

/* None is read yet. service outlives them. */
struct webhook_step_keys *webhook_step_keys_new(struct service *service);
void webhook_step_keys_free(struct webhook_step_keys *keys);
DEFINE_AUTO(webhook_step_keys, webhook_step_keys_free)

/* The header lines of an attempt, NULL-terminated; the caller owns them. body: NULL for none. NULL
   with INVALID for a secret that does not exist, and with errors of db/statement.h. */
char **webhook_step_headers(struct webhook_step_keys *keys,
    const struct store_step_request *request, GBytes *body, GError **error);

#endif
