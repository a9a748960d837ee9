/* SPDX-License-Identifier: MIT */
/* Events of emails as JSON, as GET /v1/emails and webhooks show them. */
#ifndef CORE_EVENT_VIEW_H
#define CORE_EVENT_VIEW_H

#include <glib.h>
#include <stdbool.h>

struct json_writer;
struct store_event;

/* Whether it is an open or a click. */
bool core_event_view_is_engagement(const struct store_event *event);

/* Writes the members of an event into an object. */
void core_event_view_write(struct json_writer *writer, const struct store_event *event);

/* Writes the members that only some statuses have, but for ip and user_agent. */
void core_event_view_write_details(struct json_writer *writer, const struct store_event *event);

/* Writes a stored list of addresses (NULL: none) as an array, without names. */
bool core_event_view_write_addresses(
    struct json_writer *writer, const char *key, const char *list, GError **error);

#endif
