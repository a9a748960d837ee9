/* SPDX-License-Identifier: MIT */
/* A request through the web server and its expected reply: the row of most tables in these tests.
 */
#ifndef TESTS_HTTP_EXCHANGE_H
#define TESTS_HTTP_EXCHANGE_H

#include <glib.h>

#include "base/scope.h"
#include "json/value.h"

struct fixture;

struct exchange {
	const char *name;
	const char *method;
	const char *path; /* with its query, escaped */
	const char *body; /* with ' in place of "; NULL: none */
	guint want_status;
	const char *want_body; /* the whole body, with ' in place of "; NULL: any */
	const char *want[32]; /* of a body in JSON: "place = JSON" (with ' again), or "place : TYPE"
				 (string, integer, boolean, array, object, null, absent),
				 as
				 "emails[0].to = ['b@x.org']" */
	const char *headers[5];	    /* lines; one of Authorization or X-API-Key replaces the key.
				   "Name;" is     empty, "Name:" is not sent */
	const char *want_header[5]; /* lines; "Name:" alone must not be there */
	GBytes *bytes;		    /* in place of body, as it is */
	bool chunked;		    /* announce no length */
};

/* The reply. */
struct answer {
	guint status;
	char *head; /* the header lines */
	char *body; /* with a NUL behind it */
	gsize size;
	struct json *json; /* of an object, else NULL */
};

/* Sends the request with the fixture's key. A failure below HTTP fails the test. The caller owns
   the answer. */
struct answer *exchange_ask(const struct fixture *fixture, const struct exchange *exchange);
void answer_free(struct answer *answer);
DEFINE_AUTO(answer, answer_free)

/* A header's value without spaces around it, or NULL. The caller owns it. */
char *answer_header(const struct answer *answer, const char *name);

/* The value at "a.b[0].c"; NULL when it is null or not there. */
const struct json *answer_at(const struct answer *answer, const char *place);
/* The string at that place; a failure when there is none. */
const char *answer_text(const struct answer *answer, const char *place);

/* Sends the request and checks the reply. A difference fails the test, but lets it go on. The
   caller owns the answer. */
struct answer *exchange_expect(const struct fixture *fixture, const struct exchange *exchange);

/* The same for a table. */
void exchange_expect_all(
    const struct fixture *fixture, const struct exchange *exchanges, gsize count);
#define EXPECT_ALL(fixture, table) exchange_expect_all(fixture, table, G_N_ELEMENTS(table))

/* A text with " in place of '. The caller owns it. */
char *exchange_quoted(const char *text);

/* The object base with the members of change added or replaced, and without the member called
   without (may be NULL). In all three ' stands for ". The caller owns it. */
char *exchange_merged(const char *base, const char *change, const char *without);

/* Waits for the next millisecond, since ids that two processes make within one have no order. */
void exchange_next_moment(void);

#endif
