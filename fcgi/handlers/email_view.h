#ifndef FCGI_HANDLERS_EMAIL_VIEW_H
#define FCGI_HANDLERS_EMAIL_VIEW_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct email;
struct event;
struct json_writer;

/* An email as GET /v1/emails/{id} shows it; its html and text have been read. */
bool email_view_write(
    struct json_writer *writer, struct core *core, const struct email *email, GError **error);

/* An email as a row of GET /v1/emails. */
bool email_view_write_row(struct json_writer *writer, const struct email *email, GError **error);

/* One of its events as GET /v1/emails/{id}/events lists it; recipient is the address. */
void email_view_write_event(
    struct json_writer *writer, const char *recipient, const struct event *event);

#endif
