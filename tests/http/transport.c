/* SPDX-License-Identifier: MIT */
/* Bodies with and without a length, and the headers of each reply. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/unit.h"
#include "tests/http/email.h"

FIXTURE_SUITE(transport, 900);

#define NO_FROM "{'message':'from is required'}"

Test(transport, takes_bodies_of_any_type)
{
	static const struct exchange exchanges[] = {
	    {"JSON", "POST", "/v1/emails", EMAIL, 201,
		.headers = {"Content-Type: application/json"}},
	    {"with a charset", "POST", "/v1/emails", EMAIL, 201,
		.headers = {"Content-Type: application/json; charset=utf-8"}},
	    {"text", "POST", "/v1/emails", EMAIL, 201, .headers = {"Content-Type: text/plain"}},
	    {"form", "POST", "/v1/emails", EMAIL, 201,
		.headers = {"Content-Type: application/x-www-form-urlencoded"}},
	    {"none", "POST", "/v1/emails", EMAIL, 201, .headers = {"Content-Type:"}},
	    {"chunked", "POST", "/v1/emails", EMAIL, 201, .chunked = true},
	    {"chunked, empty object", "POST", "/v1/emails", "{}", 400, NO_FROM, .chunked = true},
	    {"a query besides", "POST", "/v1/emails?from=x", "{}", 400, NO_FROM},
	    {"asked to wait", "POST", "/v1/emails", EMAIL, 201,
		.headers = {"Expect: 100-continue"}},
	    {"accepting nothing of ours", "POST", "/v1/emails", EMAIL, 201,
		.headers = {"Accept: text/html", "Accept-Encoding: gzip"},
		.want_header = {"Content-Type: application/json", "Content-Encoding:"}},
	    {"a body where none is wanted", "DELETE", "/v1/emails/x", EMAIL, 404,
		"{'message':'Email not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* A body of 3 MiB and more arrives whole, with and without a length. */
Test(transport, takes_large_bodies)
{
	g_autofree char *html = g_strnfill(3 * LIMIT_MIB, 'x');
	g_autofree char *change = g_strdup_printf("'html':'%s'", html);
	g_autofree char *body = exchange_merged(EMAIL, change, NULL);
	g_autoptr(GBytes) bytes = g_bytes_new_static(body, strlen(body));
	const struct exchange exchanges[] = {
	    {"with a length", "POST", "/v1/emails", NULL, 201, .bytes = bytes},
	    {"chunked", "POST", "/v1/emails", NULL, 201, .bytes = bytes, .chunked = true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++) {
		AUTO(answer) sent = exchange_expect(fixture, &exchanges[i]);
		AUTO(answer) answer = email_get(fixture, answer_text(sent, "id"));
		cr_expect_str_eq(
		    answer_text(answer, "html"), html, "%s: other html", exchanges[i].name);
	}
}

#define ID "X-Request-Id: own.1"
#define HEADERS                                                                                    \
	{                                                                                          \
		"Content-Type: application/json", "Cache-Control: no-store",                       \
		    "X-Content-Type-Options: nosniff", "Set-Cookie:", "X-Request-Id: own.1"        \
	}

Test(transport, has_the_same_headers_on_each_answer)
{
	static const struct exchange exchanges[] = {
	    {"200", "GET", "/v1/emails", NULL, 200, .headers = {ID}, .want_header = HEADERS},
	    {"201", "POST", "/v1/emails", EMAIL, 201, .headers = {ID}, .want_header = HEADERS},
	    {"400", "POST", "/v1/emails", "{}", 400, .headers = {ID}, .want_header = HEADERS},
	    {"401", "GET", "/v1/emails", NULL, 401, .headers = {ID, "Authorization:"},
		.want_header = HEADERS},
	    {"403", "GET", "/v1/emails", NULL, 403, .headers = {ID, "Authorization: Bearer x"},
		.want_header = HEADERS},
	    {"404", "GET", "/v1/nothing", NULL, 404, .headers = {ID}, .want_header = HEADERS},
	    {"405", "PUT", "/v1/emails", "{}", 405, .headers = {ID}, .want_header = HEADERS},
	    {"health", "GET", "/health", NULL, 200, .headers = {ID}, .want_header = HEADERS},
	};

	EXPECT_ALL(fixture, exchanges);
}
