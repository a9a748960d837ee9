/* SPDX-License-Identifier: MIT */
#ifndef FCGI_REPLY_H
#define FCGI_REPLY_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_io;
struct json_writer;
struct fcgi_reply;

/* How an operation's failures look. */
struct fcgi_failure {
	const char *error;   /* NULL: {message}. Else {error: this, details: the message} */
	const char *missing; /* what a 404 says instead, {error: this}; NULL: nothing else */
	const char *fault;   /* the details of what is our fault (500, 503), "" for none; NULL: as
				every operation says it */
	void (*write)(struct fcgi_reply *reply, guint status); /* what is no JSON; NULL: it is */
};

extern const struct fcgi_failure fcgi_failure_message;

/* An answer, until it is written. */
struct fcgi_reply {
	guint status;
	GString *headers; /* whole lines */
	GBytes *body;
	const char *content_type;
	const char *cache; /* Cache-Control */
	GString *policies; /* of rates and quotas, as RateLimit-Policy */
	GString *limits;   /* and RateLimit take them */
	gint64 wait_s;	   /* of what is too much: when to come again */
};

void fcgi_reply_init(struct fcgi_reply *reply);
void fcgi_reply_clear(struct fcgi_reply *reply);

/* name and value must not hold what came from outside. */
void fcgi_reply_header(struct fcgi_reply *reply, const char *name, const char *value);

/* A rate or quota that the request fell under: burst tokens are there, or again, after window_s
   seconds; left of them are left, and it is as new after reset_s seconds. */
struct fcgi_reply_limit {
	const char *name;
	gint64 burst, window_s, left, reset_s;
};

/* Tells of one more limit (draft-ietf-httpapi-ratelimit-headers-08). */
void fcgi_reply_limit(struct fcgi_reply *reply, const struct fcgi_reply_limit *limit);

/* What the writer has written, or a text of JSON, which is taken. */
void fcgi_reply_json(struct fcgi_reply *reply, guint status, struct json_writer *writer);
void fcgi_reply_json_text(struct fcgi_reply *reply, guint status, char *json);

/* {message: ...} */
void fcgi_reply_message(struct fcgi_reply *reply, const char *text);

/* What is no JSON; the body is taken. cache: what to say in Cache-Control. */
void fcgi_reply_picture(
    struct fcgi_reply *reply, const char *content_type, GBytes *body, const char *cache);

/* 302 to a location, which has no line breaks in it. */
void fcgi_reply_redirect(struct fcgi_reply *reply, const char *location);

/* The answer to an error, in the operation's form. What an operator has to know, and a client must
 * not, is logged. */
void fcgi_reply_failure(
    struct fcgi_reply *reply, const struct fcgi_failure *failure, const GError *error);

/* The same of an authentication failure, which has one form on every route. */
void fcgi_reply_denied(
    struct fcgi_reply *reply, guint status, const char *message, const char *code);

void fcgi_reply_write(const struct fcgi_reply *reply, struct fcgi_io *io, bool head);

#endif
