/* SPDX-License-Identifier: MIT */
/* The child processes that read messages which came in. */
#ifndef RECEIVED_READER_H
#define RECEIVED_READER_H

#include <glib.h>

#include "base/scope.h"

struct base_id;
struct json;
struct service;

/* A child process that reads the messages of one session, one after the other; those of two
   workspaces by two. It is started when it is needed. */
struct received_reader;
struct received_reader *received_reader_new(const struct service *service);
void received_reader_free(struct received_reader *reader);
DEFINE_AUTO(received_reader, received_reader_free)

/* A message to be read. sender: of the envelope; NULL: none. All borrowed. */
struct received_reader_given {
	const struct base_id *workspace;
	const void *data;
	gsize size;
	const char *sender;
};

/* Reads a message of a workspace: at most LIMIT_RECEIVED_PARSE_MS and LIMIT_RECEIVED_PARSE_BYTES in
   the child, which is that of the reader where the message is not large (reader NULL: none). The
   result is an object with the members from, from_address, to, cc, subject, message_id, date,
   reply_to, in_reply_to, references, text, html, reply_text, headers, parts, automatic (a number of
   mail/incoming.h), loops, truncated and error. Where the child gives up, it has what can be read
   without it. NULL with TEMPORARY where no child could be started. The caller frees it. */
struct json *received_reader_read(const struct service *service, struct received_reader *reader,
    const struct received_reader_given *given, GError **error);

#endif
