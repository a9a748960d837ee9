/* SPDX-License-Identifier: MIT */
/* The attachments of broadcasts: as requests give them, and as messages have them. */
#ifndef BROADCAST_ATTACHMENTS_H
#define BROADCAST_ATTACHMENTS_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct broadcast_content;
struct service;
struct json_writer;
struct store_email;

/* Checks the attachments of a content, which are given by content or by the id of any broadcast's
   attachment, and makes of them what the broadcast stores (array of struct
   store_broadcast_attachment; none: empty). Those that are its own keep their ids. INVALID, naming
   the field. The caller owns it. */
GPtrArray *broadcast_attachments_make(struct service *service, const struct base_id *workspace,
    const struct base_id *broadcast, const struct broadcast_content *given, GError **error);

/* Writes the member "attachments" of a stored content. */
void broadcast_attachments_write(struct json_writer *writer, const GPtrArray *attachments);

/* The attachments of a stored content, with their contents; likewise. The caller owns it. */
GPtrArray *broadcast_attachments_read(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error);

/* Adds them to an email. */
void broadcast_attachments_add(const GPtrArray *attachments, struct store_email *email);

/* About how many bytes a message grows by the attachments of a stored content, which are sent in
   base64. */
gsize broadcast_attachments_sent_size(const struct broadcast_content *content);

#endif
