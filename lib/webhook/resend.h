/* SPDX-License-Identifier: MIT */
/* Events as webhooks that were made under /resend get them: Resend's names, and its {type,
   created_at, data}. */
#ifndef WEBHOOK_RESEND_H
#define WEBHOOK_RESEND_H

#include <glib.h>
#include <stdbool.h>

#include "store/webhook/webhook.h"

struct service;
struct json_writer;
struct store_webhook_event_data;

/* Reads Resend's names of events, NULL-terminated, as WEBHOOK_BIT of each type that they stand for.
   Names of events that this service does not have are taken, and never enqueued. INVALID "events[1]
   must be the name of an event". */
bool webhook_resend_events(const char *const *names, guint64 *events_r, GError **error);

/* Writes the names for these types as an array, in the order of Resend's documents. Types without a
   name there are left out. */
void webhook_resend_write_events(struct json_writer *writer, const char *key, guint64 events);

/* Resend's name of a type; our own where Resend has none. */
const char *webhook_resend_name(enum store_webhook_type type);

/* Writes the payload of an event of this type and time (epoch ms), whose data has been read. Errors
   of db/statement.h. */
bool webhook_resend_write(struct service *service, struct json_writer *writer,
    enum store_webhook_type type, gint64 created, const struct store_webhook_event_data *told,
    GError **error);

#endif
