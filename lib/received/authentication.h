/* SPDX-License-Identifier: MIT */
/* For this room: who wrote a message, as far as that can be proven. */
#ifndef RECEIVED_AUTHENTICATION_H
#define RECEIVED_AUTHENTICATION_H

#include <glib.h>
#include <stdbool.h>

struct json_writer;
struct received_session;
struct service;

/* Results are words of RFC 8601; NULL: nobody looked. */
struct received_authentication {
	char *by, *spf, *dkim, *dmarc;
};

/* Whether the fields Authentication-Results of the server in front are believed. */
bool received_authentication_believed(
    const struct service *service, const struct received_session *session);

/* Takes those fields out of a message that comes from elsewhere. The caller owns the bytes. */
GBytes *received_authentication_strip(const struct service *service, const void *data, gsize size);

/* Reads the results: those of the server in front where it is believed, else of our own look at
   DKIM, for at most LIMIT_RECEIVED_DNS_MS. from: the address of From; NULL: none. Clear the
   result. */
void received_authentication_read(const struct service *service,
    const struct received_session *session, const void *data, gsize size, const char *from,
    struct received_authentication *result_r);
void received_authentication_clear(struct received_authentication *result);

/* Writes {by, spf, dkim, dmarc}. */
void received_authentication_write(
    struct json_writer *writer, const struct received_authentication *result);

#endif
