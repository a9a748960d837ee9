/* SPDX-License-Identifier: MIT */
/* Received mail as answers show it, and its downloads. */
#ifndef RECEIVED_VIEW_H
#define RECEIVED_VIEW_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct json;
struct json_writer;
struct service;
struct store_received;

/* Writes a whole mail: its row, what it has besides, and by which emails it was forwarded. Errors
   of db/statement.h. */
bool received_view_write(struct json_writer *writer, struct service *service,
    const struct store_received *received, GError **error);

/* Writes one attachment with its URL. NOT_FOUND "Attachment not found". */
bool received_view_write_attachment(struct json_writer *writer, const struct service *service,
    const struct store_received *received, const char *attachment, GError **error);

/* The form in which addresses are compared; NULL for a text that is none. The caller owns it. */
char *received_view_key(const char *address);

/* The URL under which anybody can download an attachment until expires (epoch ms); with
   LINK_RECEIVED_RAW as number the message. The caller owns it. */
char *received_view_url(
    const struct service *service, const struct base_id *received, guint number, gint64 expires);

/* A file of a download. */
struct received_file {
	GBytes *content;
	char *filename; /* NULL: none */
};

/* Reads the file of a URL's token and expiry. NOT_FOUND "Not found" where they do not belong
   together, time has passed, or the mail is gone. Clear it. */
bool received_view_download(struct service *service, const char *token, const char *expires,
    struct received_file *file_r, GError **error);
void received_file_clear(struct received_file *file);

/* The content of an attachment, given as it stands in the content of a mail. The caller owns it. */
GBytes *received_view_read(struct service *service, const struct store_received *received,
    const struct json *attachment, GError **error);

#endif
