/* SPDX-License-Identifier: MIT */
/* A person with a browser who signs in. */
#ifndef TESTS_HTTP_PERSON_H
#define TESTS_HTTP_PERSON_H

#include <glib.h>

#include "base/scope.h"
#include "tests/http/exchange.h"

struct fixture;

struct person {
	char *cookie, *csrf, *origin; /* header lines of a request */
	char *id, *session;	      /* of the user and of the session */
	char *token;		      /* of the cookie */
};

/* The token of a link that the terminal makes for a user. The caller owns it. */
char *person_link(const struct fixture *fixture, const char *email);

/* Adds a user to the fixture's workspace (role NULL: it is there), and signs the user in by a link
   of the terminal. A failure ends the test. The caller frees the person. */
struct person *person_open(const struct fixture *fixture, const char *email, const char *role);
void person_free(struct person *person);
DEFINE_AUTO(person, person_free)

/* Sends a request with the person's session. The caller owns the answer. */
struct answer *person_ask(const struct fixture *fixture, const struct person *person,
    const char *method, const char *path, const char *body);

/* The same, with the status expected. */
struct answer *person_expect(const struct fixture *fixture, const struct person *person,
    const char *method, const char *path, const char *body, guint want);

/* Waits for the mail to this address with a link to sign in, and gives its token; with several, any
   that is not among the NULL-terminated list. The caller owns it. */
char *person_mailed(const struct fixture *fixture, const char *email, char *const *known);

/* Waits for a mail to this address with this subject, and gives the whole message. The caller owns
   it. */
char *person_mail(const struct fixture *fixture, const char *email, const char *subject);

/* The value of a cookie that an answer sets; NULL when it sets none. The caller owns it. */
char *person_cookie(const struct answer *answer, const char *name);

#endif
