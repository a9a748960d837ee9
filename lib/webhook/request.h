/* SPDX-License-Identifier: MIT */
/* The requests to webhooks, as Standard Webhooks want them (standardwebhooks.com, version 1). Uses
   no clock. */
#ifndef WEBHOOK_REQUEST_H
#define WEBHOOK_REQUEST_H

#include <glib.h>

#include "base/id.h"

/* The header lines of a request, NULL-terminated: id is the webhook-id, at the time of the attempt
   (epoch ms), keys sign in their order. The caller frees them with g_strfreev. */
char **webhook_headers(
    const struct base_id *id, gint64 at, GBytes *body, GBytes *const *keys, guint count);

/* The signature of a body under this webhook-id and webhook-timestamp, in base64. The caller owns
   it. */
char *webhook_sign(const char *id, const char *timestamp, GBytes *body, GBytes *key);

/* The body of a batch: its id, which begins with its time, and the events as JSON. The caller owns
   it. */
GBytes *webhook_batch_body(const struct base_id *id, const GPtrArray *events);

#endif
