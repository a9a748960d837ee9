/* SPDX-License-Identifier: MIT */
/* The stream of an email: the kind of mail that it is for its way and its figures. The number that
   is stored as the type of an email tells both. */
#ifndef STORE_EMAIL_STREAM_H
#define STORE_EMAIL_STREAM_H

#include <glib.h>
#include <stdbool.h>

#include "store/email/event.h"

/* Stored as number. */
enum store_stream { STREAM_TRANSACTIONAL = 1, STREAM_AUTOMATION = 2, STREAM_BROADCAST = 3 };
#define STORE_STREAMS 3 /* from 1 on */
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define STREAM_TRANSACTIONAL_SQL "1"
#define STREAM_AUTOMATION_SQL "2"
#define STREAM_BROADCAST_SQL "3"

/* The word of the API for it, and the stream of a word; 0 for an unknown one. */
const char *store_stream_name(enum store_stream stream);
enum store_stream store_stream_find(const char *name);

/* Reads the word of a stream; NULL: transactional. INVALID "stream must be transactional, broadcast
   or automation". */
bool store_stream_read(const char *name, enum store_stream *stream_r, GError **error);

/* The type and the stream of a row e in a SELECT. */
#define STORE_EMAIL_TYPE(e)                                                                        \
	"IF(" e ".type > " EMAIL_BROADCAST_SQL ", " EMAIL_TRANSACTIONAL_SQL ", " e ".type)"
#define STORE_EMAIL_STREAM(e)                                                                      \
	"CASE " e ".type WHEN " EMAIL_TRANSACTIONAL_SQL " THEN " STREAM_TRANSACTIONAL_SQL          \
	" WHEN " EMAIL_AUTOMATION_SQL " THEN IF(" e ".tracking & " TRACK_UNSUBSCRIBE_SQL           \
	", " STREAM_AUTOMATION_SQL ", " STREAM_TRANSACTIONAL_SQL ")"                               \
	" WHEN " EMAIL_BY_AUTOMATION_SQL " THEN " STREAM_AUTOMATION_SQL                            \
	" ELSE " STREAM_BROADCAST_SQL " END"

/* The route of a stream (an SQL expression) in a SELECT with a domain d and its workspace w. */
#define STORE_STREAM_ROUTE(stream)                                                                 \
	"COALESCE(ELT(" stream ", d.relays_transactional, d.relays_automation, "                   \
	"d.relays_broadcast), d.relays, ELT(" stream                                               \
	", w.relays_transactional, w.relays_automation, w.relays_broadcast), w.relays)"
/* Likewise, of the stream of this name: the server does not look for the column in each row. */
#define STORE_STREAM_ROUTE_OF(name)                                                                \
	"COALESCE(d.relays_" name ", d.relays, w.relays_" name ", w.relays)"

#endif
