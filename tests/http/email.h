/* SPDX-License-Identifier: MIT */
/* Sending and reading back, for tests that are about emails. */
#ifndef TESTS_HTTP_EMAIL_H
#define TESTS_HTTP_EMAIL_H

#include <glib.h>

#include "tests/http/exchange.h"
#include "tests/http/tenant.h"

/* The email that requests begin with; what a test changes is given as members of an object, with '
 * in place of ": "'subject':'Other','text':'x'". */
#define EMAIL "{'from':'a@" TENANT_DOMAIN "','to':'b@example.net','subject':'S','html':'<p>Hi</p>'}"

/* Posts the email, changed, without the member of that name (may be NULL). The caller owns it. */
struct answer *email_post(const struct tenant *tenant, const char *change, const char *without);

/* The same, which must be accepted: its id, which the caller owns. */
char *email_send(const struct tenant *tenant, const char *change);

/* GET /v1/emails/{id}; must be answered 200. The caller owns it. */
struct answer *email_get(const struct tenant *tenant, const char *id);

/* A change that must be refused, and how. */
struct refusal {
	const char *name;
	const char *change;
	const char *want;    /* the message */
	guint want_status;   /* 0: 400 */
	const char *without; /* see email_post */
};

/* Posts each, and sees to it that all are refused and nothing at all has changed. */
void email_refuse_all(const struct tenant *tenant, const struct refusal *refusals, gsize count);
#define REFUSE_ALL(tenant, table) email_refuse_all(tenant, table, G_N_ELEMENTS(table))

/* A change that must be accepted, and what GET then shows (as in struct exchange). */
struct acceptance {
	const char *name;
	const char *change;
	const char *want[10];
	const char *without;
};

void email_accept_all(
    const struct tenant *tenant, const struct acceptance *acceptances, gsize count);
#define ACCEPT_ALL(tenant, table) email_accept_all(tenant, table, G_N_ELEMENTS(table))

#endif
