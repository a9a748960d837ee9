/* SPDX-License-Identifier: MIT */
/* Attachments: the forms in which requests give them, and their downloads. */
#ifndef EMAIL_ATTACHMENT_H
#define EMAIL_ATTACHMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;
struct json;
struct link_token;
struct store_attachment;

/* The bytes of a text in base64 (RFC 4648), with white space in it and without padding, too. NULL
   for any other text. The caller owns them. */
GBytes *email_attachment_base64(const char *text, gsize size);

/* The bytes of a content: text in base64, as above or with - and _; a text that is none, as it is;
   an array of numbers from 0 to 255; or an object {"type": "Buffer", "data": array}. NULL for
   anything else. The caller owns them. */
GBytes *email_attachment_content(const struct json *given);

/* The media type for the ending of a file's name; application/octet-stream for one that is not
   known. */
const char *email_attachment_type(const char *filename);

/* The last part of a URL's path, decoded; "attachment" when it is empty or no text. The caller owns
   it. */
char *email_attachment_filename(const char *url);

/* The id of an email's attachment with this number: the same each time, and no other's. */
struct base_id email_attachment_id(const struct base_id *email, guint number);

/* The URL under which anybody can download an attachment until expires (epoch ms). The caller owns
   it. */
char *email_attachment_url(
    const struct service *service, const struct base_id *email, guint number, gint64 expires);

/* Reads token and expiry of such a URL. False when they do not belong together, or time has passed.
   token_r's recipient is the attachment's number. */
bool email_attachment_allowed(const struct service *service, const char *token, const char *expires,
    struct link_token *token_r);

/* The content of an attachment. Errors of store_body_get. The caller owns it. */
GBytes *email_attachment_read(
    struct service *service, const struct store_attachment *attachment, GError **error);

#endif
