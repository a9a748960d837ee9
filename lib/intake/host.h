/* SPDX-License-Identifier: MIT */
/* The side of a session that its caller has: bytes in and out, the client's key, recipients and
   messages. */
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
	const char *hello;  /* the name that the client gave itself, */
	bool is_plain;	    /* by HELO */
	bool is_submission; /* the client has logged in, or need not */
};

/* The results of reading that are no number of bytes. */
enum {
	INTAKE_READ_END = 0,	   /* the client has closed its side, or reading fails */
	INTAKE_READ_SILENT = -1,   /* the client has said nothing for too long */
	INTAKE_READ_TOO_LONG = -2, /* the session takes too long */
	INTAKE_READ_STOP = -3	   /* the service stops */
};

/* The place in the session at which more bytes are needed. */
struct intake_place {
	bool is_between; /* no transaction is under way, and no command has begun */
	bool goes_on;	 /* a line has begun, and its time runs */
};

/* The caller's side. */
struct intake_host {
	/* Reads up to size bytes. Their number, or one of INTAKE_READ. */
	gssize (*read)(void *context, void *bytes, gsize size, const struct intake_place *place);
	/* Writes all bytes. False ends the session. */
	bool (*write)(void *context, const char *bytes, gsize size);
	/* Takes a message. Writes the reply, a line without its end; one that begins with 2 says
	   that the message is stored. */
	void (*take)(void *context, const struct intake_message *message, GString *reply);
	void *context;

	/* The rest may be NULL. Whether the client has sent more than what was read. */
	bool (*waits)(void *context);
	/* Begins TLS, once the reply to STARTTLS is written. False ends the session. */
	bool (*start_tls)(void *context);
	/* Looks at the password of a client and writes the reply, as above: 2 says that it has
	   logged in. */
	void (*login)(void *context, const char *password, GString *reply);
	/* Looks at a recipient of a client that has not logged in, and writes the reply, as
	   above. NULL: nobody is taken. */
	void (*recipient)(void *context, const char *address, GString *reply);
	/* A transaction begins or ends: what recipient noted of the one before may be forgotten. */
	void (*forget)(void *context);
	/* Called before more than INTAKE_LARGE bytes of a message are in memory. False: there is
	   no room for it. leave_large is called once the message is gone. */
	bool (*enter_large)(void *context);
	void (*leave_large)(void *context);
	/* A refusal that the host did not write itself, for its log: the whole reply. */
	void (*refused)(void *context, const char *sender, guint recipients, const char *reply);
};

#define INTAKE_LARGE (1024 * 1024)

#endif
