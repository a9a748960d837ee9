/* SPDX-License-Identifier: MIT */
/* Header fields by which a client steers its email: those of Posthouse, and those of other
   providers that mean the same. They are read and taken out of the message. */
#ifndef SMTPD_FIELDS_H
#define SMTPD_FIELDS_H

#include <glib.h>
#include <stdbool.h>

struct json;

struct smtpd_fields {
	GByteArray *message; /* without these fields */
	char *key;	     /* the Idempotency-Key; NULL: none */
	char *message_id;    /* with its brackets; NULL: none */
	struct json *tags;   /* an object; NULL: none */
	gint64 scheduled_at; /* epoch ms; 0: at once */
};

/* Reads the fields of a message, whose lines may end in CR, LF or CRLF. INVALID, naming the field,
   where one is bad, not known or not supported. The caller clears the result in either case. */
bool smtpd_fields_read(const void *data, gsize size, struct smtpd_fields *fields_r, GError **error);
void smtpd_fields_clear(struct smtpd_fields *fields);

#endif
