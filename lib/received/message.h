/* SPDX-License-Identifier: MIT */
/* For this room: a message as it was read in a confined child. */
#ifndef RECEIVED_MESSAGE_H
#define RECEIVED_MESSAGE_H

#include <glib.h>
#include <stdbool.h>

struct json;

/* The work of the child (received/reader.h), in the process that calls it: the object as JSON. The
   message may be hostile. The caller owns the bytes. */
GBytes *received_message_parse(const void *data, gsize size, const char *sender);

/* The object where that child gave up: the message as far as its fields can be read without
   decoding anything. why: its error. */
GBytes *received_message_parse_plain(
    const void *data, gsize size, const char *sender, const char *why);

/* The text of a member; NULL: none. */
const char *received_message_text(const struct json *message, const char *name);

#endif
