/* SPDX-License-Identifier: MIT */
/* Reads a message that came in, as people want to see it. The message may be hostile, and GMime
   reads single fields of it: call it in a child process (process/isolate.h). */
#ifndef MAIL_INCOMING_H
#define MAIL_INCOMING_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* The writer, as far as the header tells. */
enum mail_incoming_automatic {
	MAIL_INCOMING_PERSON,
	MAIL_INCOMING_REPLY,
	MAIL_INCOMING_BULK,
	MAIL_INCOMING_REPORT,
};

struct mail_incoming_field {
	char *name, *value; /* unfolded, decoded */
};

/* A part that is an attachment. */
struct mail_incoming_part {
	gsize begin, end;  /* where its encoded content stands in the bytes of the message */
	gsize size;	   /* of the decoded content */
	char *filename;	   /* NULL: none */
	char *type;	   /* type/subtype in lower case */
	char *disposition; /* "attachment", "inline", or another word; NULL: none */
	char *content_id;  /* without <>; NULL: none */
	char *encoding;	   /* its Content-Transfer-Encoding; NULL: none */
};

struct mail_incoming {
	char *from;	    /* with its name; NULL: none */
	char *from_address; /* the address alone, in its normal form; NULL: none */
	GPtrArray *to, *cc, *reply_to, *references; /* char * */
	char *subject, *message_id, *in_reply_to;
	gint64 date;	    /* epoch ms; 0: none */
	char *text, *html;  /* in UTF-8 with LF; NULL: none */
	bool truncated;	    /* text or html was longer */
	GPtrArray *headers; /* struct mail_incoming_field, the first LIMIT_RECEIVED_HEADERS */
	GPtrArray *parts;   /* struct mail_incoming_part */
	enum mail_incoming_automatic automatic;
	GPtrArray *loops; /* char *: the values of X-Loop */
	const char
	    *error; /* why text and html are NULL and there are no parts; NULL: all is read */
};

/* Reads a message. sender: of the envelope, "" for none; NULL: not known. Never fails: what is over
   a limit of base/limits/received.h is in error. The caller frees it. */
struct mail_incoming *mail_incoming_read(const void *data, gsize size, const char *sender);
void mail_incoming_free(struct mail_incoming *incoming);
DEFINE_AUTO(mail_incoming, mail_incoming_free)

/* The text of an unstructured value of a field, whose encoded words are decoded. The caller owns
 * it. */
char *mail_incoming_text(const char *value);

/* The content of a part, without its encoding (NULL: it has none). The caller owns it. */
GBytes *mail_incoming_decode(GBytes *encoded, const char *encoding);

/* The new part of a text, before the first quoted message and the signature. All of it
   where that is empty. The caller owns it. */
char *mail_incoming_reply(const char *text);

#endif
