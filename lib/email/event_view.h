/* SPDX-License-Identifier: MIT */
/* Events of emails as JSON, as GET /v1/emails and webhooks show them. */
#ifndef EMAIL_EVENT_VIEW_H
#define EMAIL_EVENT_VIEW_H

#include <glib.h>
#include <stdbool.h>

struct json_writer;
struct store_event;

/* Whether it is an open or a click. */
bool email_event_view_is_engagement(const struct store_event *event);

/* Writes the members of an event into an object. */
void email_event_view_write(struct json_writer *writer, const struct store_event *event);

/* Writes the members that only some statuses have, but for ip and user_agent. */
void email_event_view_write_details(struct json_writer *writer, const struct store_event *event);

/* Writes a stored list of addresses (NULL: none) as an array, without names. */
bool email_event_view_write_addresses(
    struct json_writer *writer, const char *key, const char *list, GError **error);

#endif
