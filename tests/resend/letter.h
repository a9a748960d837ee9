/* SPDX-License-Identifier: MIT */
/* An email of POST /resend/emails. */
#ifndef TESTS_RESEND_LETTER_H
#define TESTS_RESEND_LETTER_H

#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define BASE "{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S','html':'<p>Hi</p>'}"
#define ERROR(status, name, message)                                                               \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define INVALID(field, text) ERROR(422, "validation_error", "Invalid `" field "` field. " text ".")
#define MISSING(field) ERROR(422, "missing_required_field", "Missing `" field "` field.")
#define WHEN                                                                                       \
	INVALID("scheduled_at",                                                                    \
	    "scheduled_at must be an ISO 8601 time, or a time such as in 1 hour or tomorrow at "   \
	    "9am")

/* Posts the email with a change and without one member (may be NULL). The caller owns the answer.
 */
struct answer *letter_post(const struct fixture *fixture, const char *change, const char *without,
    guint status, const char *want);

/* The same, and expects success. The caller owns the id. */
char *letter_send(const struct fixture *fixture, const char *change);

/* GET of an email, with what it shows. */
void letter_expect(const struct fixture *fixture, const char *id, const char *const *want);
#define EXPECT_EMAIL(fixture, id, ...)                                                             \
	letter_expect(fixture, id, (const char *const[]){__VA_ARGS__, NULL})

#endif
