/* SPDX-License-Identifier: MIT */
/* Events in the form that clients of a compatible API know (WEBHOOK_FORM_COMPAT): its names, and
   its {type, created_at, data}. It stands here, not in a front, since the spool sends it, too. */
#ifndef WEBHOOK_COMPAT_H
#define WEBHOOK_COMPAT_H

#include <glib.h>
#include <stdbool.h>

#include "store/webhook/webhook.h"

struct service;
struct json_writer;
struct store_webhook_event_data;

/* Reads the form's names of events, NULL-terminated, as WEBHOOK_BIT of each type that they stand
   for. Names of events that this service does not have are taken, and never enqueued. INVALID
   "events[1] must be the name of an event". */
bool webhook_compat_events(const char *const *names, guint64 *events_r, GError **error);

/* Writes the names for these types as an array, in the order of its documents. Types without a
   name there are left out. */
void webhook_compat_write_events(struct json_writer *writer, const char *key, guint64 events);

/* The form's name of a type; our own where it has none. */
const char *webhook_compat_name(enum store_webhook_type type);

/* Writes the payload of an event of this type and time (epoch ms), whose data has been read. Errors
   of db/statement.h. */
bool webhook_compat_write(struct service *service, struct json_writer *writer,
    enum store_webhook_type type, gint64 created, const struct store_webhook_event_data *told,
    GError **error);

#endif
