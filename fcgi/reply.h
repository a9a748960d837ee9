/* SPDX-License-Identifier: MIT */
#ifndef FCGI_REPLY_H
#define FCGI_REPLY_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_io;
struct json_writer;
struct fcgi_reply;

/* The form of an operation's failures. They are JSON unless write is set: {message: ...}, or with
   error set {error: this text, details: the message}. */
struct fcgi_failure {
	const char *error;   /* see above, or NULL */
	const char *missing; /* a 404 is {error: this text} instead; NULL: as all failures */
	const char *fault; /* the details of a failure of the server (500, 503), "" for none; NULL:
			      the text that every operation has for it */
	void (*write)(struct fcgi_reply *reply, guint status); /* writes a failure in another
								  format; NULL: JSON */
};

/* {message: ...} for all failures. */
extern const struct fcgi_failure fcgi_failure_message;

/* The reply to a request, until it is written. */
struct fcgi_reply {
	guint status;
	GString *headers; /* whole lines */
	GBytes *body;
	const char *content_type;
	const char *cache; /* the value of Cache-Control */
	GString *policies; /* the value of RateLimit-Policy; empty without limits */
	GString *limits;   /* the value of RateLimit */
	gint64 wait_s;	   /* for Retry-After, when a rate or a quota is exceeded; otherwise 0 */
};

/* Starts with status 500 and no body. Clear it with fcgi_reply_clear. */
void fcgi_reply_init(struct fcgi_reply *reply);
void fcgi_reply_clear(struct fcgi_reply *reply);

/* Adds a header line. name and value must not contain text from outside. */
void fcgi_reply_header(struct fcgi_reply *reply, const char *name, const char *value);

/* A rate or quota that applies to the request: burst requests per window_s seconds, of which left
   remain, and all of them again after reset_s seconds. */
struct fcgi_reply_limit {
	const char *name;
	gint64 burst, window_s, left, reset_s;
};

/* Adds a limit to the RateLimit headers (draft-ietf-httpapi-ratelimit-headers-08). */
void fcgi_reply_limit(struct fcgi_reply *reply, const struct fcgi_reply_limit *limit);

/* Replies with the JSON that writer has written, or with a text of JSON, which the reply owns from
   now on. */
void fcgi_reply_json(struct fcgi_reply *reply, guint status, struct json_writer *writer);
void fcgi_reply_json_text(struct fcgi_reply *reply, guint status, char *json);

/* Replies with status 200 and {message: text}. */
void fcgi_reply_message(struct fcgi_reply *reply, const char *text);

/* Replies with status 200 and a document of any type. The reply owns body from now on; content_type
   and cache (the value of Cache-Control) must outlive it. */
void fcgi_reply_document(
    struct fcgi_reply *reply, const char *content_type, GBytes *body, const char *cache);

/* Replies with status 302 and a Location that leads to an absolute http or https URL. The URL may
   come from outside: spaces, controls and bytes beyond ASCII are percent-encoded, and a host in
   another script becomes A-labels (RFC 9110 section 10.2.2). */
void fcgi_reply_redirect(struct fcgi_reply *reply, const char *url);

/* Replies to an error in the operation's form. Failures of the server have a fixed text, and the
   error's own sentence is logged. */
void fcgi_reply_failure(
    struct fcgi_reply *reply, const struct fcgi_failure *failure, const GError *error);

/* Replies to a failed authentication, {message, code} on every route. */
void fcgi_reply_denied(
    struct fcgi_reply *reply, guint status, const char *message, const char *code);

/* Writes header and body; only the header when head is set. */
void fcgi_reply_write(const struct fcgi_reply *reply, struct fcgi_io *io, bool head);

#endif
