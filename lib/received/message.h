/* SPDX-License-Identifier: MIT */
/* For this room: a message as it was read in a confined child. */
#ifndef RECEIVED_MESSAGE_H
#define RECEIVED_MESSAGE_H

#include <glib.h>
#include <stdbool.h>

struct json;
struct base_id;
struct received_reader;
struct service;

/* Reads a message of a workspace: at most LIMIT_RECEIVED_PARSE_MS and LIMIT_RECEIVED_PARSE_BYTES in
   the child, which is that of the reader where the message is not large (reader NULL: none). The
   result is an object with the members from, from_address, to, cc, subject, message_id, date,
   reply_to, in_reply_to, references, text, html, reply_text, headers, parts, automatic (a number of
   mail/incoming.h), loops, truncated and error. Where the child gives up, it has what can be read
   without it. NULL with TEMPORARY where no child could be started. The caller frees it. */
struct json *received_message_read(const struct service *service, struct received_reader *reader,
    const struct base_id *workspace, const void *data, gsize size, const char *sender,
    GError **error);

/* The work of that child, in the process that calls it: the object as JSON. The message may be
   hostile. The caller owns the bytes. */
GBytes *received_message_parse(const void *data, gsize size, const char *sender);

/* The object where that child gave up: the message as far as its fields can be read without
   decoding anything. why: its error. */
GBytes *received_message_parse_plain(
    const void *data, gsize size, const char *sender, const char *why);

/* The text of a member; NULL: none. */
const char *received_message_text(const struct json *message, const char *name);

#endif
