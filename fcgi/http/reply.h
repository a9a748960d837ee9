/* SPDX-License-Identifier: MIT */
/* The reply to a request: its status, headers and body, and the forms of failures. */
#ifndef FCGI_HTTP_REPLY_H
#define FCGI_HTTP_REPLY_H

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

/* Why a key or a session is refused. */
enum fcgi_denial {
	DENIAL_MISSING,
	DENIAL_INVALID,
	DENIAL_SEND_ONLY, /* its scope is too small */
	DENIAL_READ_ONLY,
	DENIAL_METRICS_ONLY,
	DENIAL_NOT_METRICS, /* only a key for metrics may */
	/* Denials of sessions; they look the same on every front. */
	DENIAL_HTTPS, /* there are no sessions, since the service is not at an https URL */
	DENIAL_LINK,
	DENIAL_BROWSER,
	DENIAL_ENDED,
	DENIAL_CSRF,
	DENIAL_ROLE,
	DENIAL_WORKSPACE,  /* the person is not in the workspace that the request names */
	DENIAL_NO_SESSION, /* the operation is for sessions, and this is a key */
	DENIAL_LASTING,	   /* a key that expires may not make what stays */
};

/* The form of a front's replies (fcgi/api/routes.h), where they are not an operation's own. */
struct fcgi_form {
	const char *content_type; /* of all replies that set no other */
	/* Replies where there is no route: 405 when the path has other methods, else 404. */
	void (*lost)(struct fcgi_reply *reply, bool has_methods);
	/* Replies to a key or a session that is refused. */
	void (*denied)(struct fcgi_reply *reply, enum fcgi_denial denial);
	/* Replies to an error. failure: as in the route. */
	void (*failed)(
	    struct fcgi_reply *reply, const struct fcgi_failure *failure, const GError *error);
	/* Adds the header lines that tell reply->limits, of which there is at least one. */
	void (*limits)(const struct fcgi_reply *reply, GString *lines);
};

/* {message: ...}; the form of all paths without a front of their own. */
extern const struct fcgi_form fcgi_form_message;

/* A rate or quota that applies to the request: burst requests per window_s seconds, of which left
   remain, and all of them again after reset_s seconds. */
struct fcgi_reply_limit {
	const char *name;
	gint64 burst, window_s, left, reset_s;
	bool is_quota; /* of recipients, not a rate of requests */
};

#define REPLY_LIMITS 3 /* a workspace's and a key's rate, and a quota */

/* The reply to a request, until it is written. */
struct fcgi_reply {
	const struct fcgi_form *form;
	guint status;
	GString *headers; /* whole lines */
	GString *head;	  /* all lines before the body, once they are written */
	GBytes *body;
	const char *content_type;
	const char *cache; /* the value of Cache-Control */
	struct fcgi_reply_limit limits[REPLY_LIMITS];
	guint limit_count;
	gint64 wait_s; /* for Retry-After, when a rate or a quota is exceeded; otherwise 0 */
	const char *accepted_language; /* of a failure: Accept-Language, NULL: none; borrowed */
};

/* Starts with status 500 and no body. Clear it with fcgi_reply_clear. */
void fcgi_reply_init(struct fcgi_reply *reply, const struct fcgi_form *form);
void fcgi_reply_clear(struct fcgi_reply *reply);

/* Empties it, for another reply to the same request. */
void fcgi_reply_reset(struct fcgi_reply *reply);

/* Adds a header line. name and value must not contain text from outside. */
void fcgi_reply_header(struct fcgi_reply *reply, const char *name, const char *value);

/* Adds a limit to the headers that tell limits; its name is not copied. */
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

/* The status of an error, the sentence that a client may read (the error's own or, of the server's
   own failures, a fixed one), and Retry-After where there is one. Logs the error's own sentence
   where the client may not read it. */
struct fcgi_fault {
	guint status;
	const char *message; /* borrows from the error */
	bool is_hidden;
};
struct fcgi_fault fcgi_reply_fault(struct fcgi_reply *reply, const GError *error);

/* The status of an error; 200 for NULL. */
guint fcgi_reply_status(const GError *error);

/* Writes header and body; only the header when head is set. The reply must live until
   fcgi_io_finish. */
void fcgi_reply_write(struct fcgi_reply *reply, struct fcgi_io *io, bool head);

#endif
