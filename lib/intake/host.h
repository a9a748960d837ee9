/* SPDX-License-Identifier: MIT */
/* The side of a session that its caller has: bytes in and out, and messages. */
#ifndef INTAKE_HOST_H
#define INTAKE_HOST_H

#include <glib.h>
#include <stdbool.h>

/* A message that has come. All is borrowed. */
struct intake_message {
	const char *sender;	 /* of MAIL, in its normal form; "" for none */
	char *const *recipients; /* of RCPT, in their order and normal form; NULL-terminated */
	const void *data;	 /* as it came, but for the dots in front of lines */
	gsize size;
};

/* The results of reading that are no number of bytes. */
enum {
	INTAKE_READ_END = 0,	  /* the client has closed its side, or reading fails */
	INTAKE_READ_SILENT = -1,  /* the client has said nothing for too long */
	INTAKE_READ_TOO_LONG = -2 /* the session takes too long */
};

/* The caller's side. */
struct intake_host {
	/* Reads up to size bytes. Their number, or one of INTAKE_READ. */
	gssize (*read)(void *context, void *bytes, gsize size);
	/* Writes all bytes. False ends the session. */
	bool (*write)(void *context, const char *bytes, gsize size);
	/* Takes a message. Writes the reply, a line without its end; one that begins with 2 says
	   that the message is stored. */
	void (*take)(void *context, const struct intake_message *message, GString *reply);
	void *context;
};

#endif
