/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_EMAIL_VIEW_H
#define FCGI_HANDLERS_EMAIL_VIEW_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct store_email;
struct store_event;
struct json_writer;

/* An email as GET /v1/emails/{id} shows it; its html and text have been read. */
bool fcgi_email_view_write(
    struct json_writer *writer, struct core *core, const struct store_email *email, GError **error);

/* An email as a row of GET /v1/emails. */
bool fcgi_email_view_write_row(
    struct json_writer *writer, const struct store_email *email, GError **error);

/* One of its events as GET /v1/emails/{id}/events lists it; recipient is the address. */
void fcgi_email_view_write_event(
    struct json_writer *writer, const char *recipient, const struct store_event *event);

#endif
