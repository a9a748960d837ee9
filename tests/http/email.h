/* SPDX-License-Identifier: MIT */
/* Sending and reading back, for tests that are about emails. */
#ifndef TESTS_HTTP_EMAIL_H
#define TESTS_HTTP_EMAIL_H

#include <glib.h>

#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

/* The body that tests start from. They give changes as members of an object, in which ' stands for
   ":
   "'subject':'Other','text':'x'". */
#define EMAIL                                                                                      \
	"{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S','html':'<p>Hi</p>'}"

/* Posts the email with a change and without one member (may be NULL). The caller owns the answer.
 */
struct answer *email_post(const struct fixture *fixture, const char *change, const char *without);

/* The same, and expects success. The caller owns the id. */
char *email_send(const struct fixture *fixture, const char *change);

/* GET /v1/emails/{id}, and expects 200. The caller owns the answer. */
struct answer *email_get(const struct fixture *fixture, const char *id);

/* A change that must be refused, and the expected reply. */
struct refusal {
	const char *name;
	const char *change;
	const char *want;    /* the message */
	guint want_status;   /* 0: 400 */
	const char *without; /* see email_post */
};

/* Posts each, and expects that all are refused and no table has changed. */
void email_refuse_all(const struct fixture *fixture, const struct refusal *refusals, gsize count);
#define REFUSE_ALL(fixture, table) email_refuse_all(fixture, table, G_N_ELEMENTS(table))

/* A change that must be accepted, and the members that GET then shows (as in struct exchange). */
struct acceptance {
	const char *name;
	const char *change;
	const char *want[10];
	const char *without;
};

void email_accept_all(
    const struct fixture *fixture, const struct acceptance *acceptances, gsize count);
#define ACCEPT_ALL(fixture, table) email_accept_all(fixture, table, G_N_ELEMENTS(table))

#endif
