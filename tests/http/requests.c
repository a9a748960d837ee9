/* SPDX-License-Identifier: MIT */
/* The newest requests of a workspace. */
#include <criterion/criterion.h>
#include <string.h>

#include "json/writer.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/http/person.h"

#define PATH "/v1/requests"
#define WAIT_MS 120000

FIXTURE_SUITE(requests, 900);

/* The list, once it has so many rows: they are stored after the answers. The caller owns it. */
static struct answer *
requests_list(const char *query, gint64 count)
{
	g_autofree char *path = g_strconcat(PATH, query, NULL);
	const struct exchange exchange = {path, "GET", path, NULL, 200};

	for (gint64 end = g_get_monotonic_time() / 1000 + WAIT_MS;; g_usleep(50000)) {
		struct answer *answer = exchange_expect(fixture, &exchange);

		if (json_integer(answer_at(answer, "count")) >= count ||
		    g_get_monotonic_time() / 1000 > end)
			return answer;
		answer_free(answer);
	}
}

static void
requests_expect(const struct answer *answer, const char *place, const char *want)
{
	const struct json *value = answer_at(answer, place);
	g_autofree char *got = value ? json_print(value) : g_strdup("null");
	g_autofree char *quoted = exchange_quoted(want);

	cr_expect_str_eq(got, quoted, "%s: got %s in %s", place, got, answer->body);
}

Test(requests, are_those_that_were_refused)
{
	const struct exchange exchanges[] = {
	    {"succeeds", "GET", "/v1/emails", NULL, 200},
	    {"no key", "GET", "/v1/emails", NULL, 401, .headers = {"Authorization:"}},
	    {"an unknown key", "GET", "/v1/emails", NULL, 403,
		.headers = {"Authorization: Bearer x"}},
	    {"unknown email", "GET", "/v1/emails/01890a5d-ac96-774b-bcce-b302099a8057", NULL, 404,
		.headers = {"X-Request-Id: mine-1"}},
	};
	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) answer = requests_list("", 1);
	requests_expect(answer, "count", "1");
	requests_expect(answer, "cursor", "null");
	requests_expect(answer, "requests[0].method", "'GET'");
	requests_expect(answer, "requests[0].route", "'/v1/emails/{id}'");
	requests_expect(answer, "requests[0].status", "404");
	requests_expect(answer, "requests[0].request_id", "'mine-1'");
	requests_expect(answer, "requests[0].message", "'Email not found'");
	requests_expect(answer, "requests[0].actor.type", "'key'");
	requests_expect(answer, "requests[0].address", "'127.0.0.1'");
	cr_expect(json_kind(answer_at(answer, "requests[0].ms")) == JSON_INTEGER);
	cr_expect(json_kind(answer_at(answer, "requests[0].timestamp")) == JSON_INTEGER);
}

/* Neither bodies nor addresses stand in the list, and of two workspaces each sees its own. */
Test(requests, show_nobodys_address)
{
	AUTO(fixture) other = fixture_open();
	const struct exchange refused[] = {
	    {"twice", "POST", "/v1/people", "{'email':'ada@x.org'}", 200},
	    {"twice", "POST", "/v1/people", "{'email':'ada@x.org'}", 409},
	    {"a bad sender", "POST", "/v1/emails",
		"{'from':'Ada <ada@strange.example>','to':'bob@x.org','subject':'secret',"
		"'html':'hidden'}",
		403},
	    {"an address of two", "POST", "/v1/emails",
		"{'from':'ada@x.org eve@x.org','to':'b@x.org','subject':'secret','html':'hidden'}",
		400},
	};
	EXPECT_ALL(fixture, refused);
	AUTO(answer) answer = requests_list("?result=refused", 3);
	requests_expect(answer, "count", "3");
	static const char *const words[] = {"ada@", "eve@", "bob@", "secret", "hidden"};
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		cr_expect_null(strstr(answer->body, words[i]), "%s in %s", words[i], answer->body);
	const struct exchange none[] = {
	    {"of another", "GET", PATH, NULL, 200, .want = {"count = 0"}}};
	EXPECT_ALL(other, none);
}

Test(requests, are_narrowed)
{
	g_autofree char *reader = fixture_new_key(fixture, "read", NULL);
	g_autofree char *header = g_strconcat("Authorization: Bearer ", reader, NULL);
	const struct exchange exchanges[] = {
	    {"reader", "POST", "/v1/audiences", "{'name':'N'}", 403, .headers = {header}},
	    {"reader lists", "GET", PATH, NULL, 403, .headers = {header}},
	    {"owner", "GET", "/v1/audiences/x", NULL, 404},
	    {"a word", "GET", PATH "?result=x", NULL, 400,
		"{'message':'result must be ok, refused or failed'}"},
	    {"cursor", "GET", PATH "?cursor=x", NULL, 400, "{'message':'cursor is malformed'}"},
	};
	const struct exchange wrong[] = {
	    {"no status", "GET", PATH "?status=x", NULL, 400,
		"{'message':'status must be a number from 100 to 599'}"},
	    {"below", "GET", PATH "?status=99", NULL, 400,
		"{'message':'status must be a number from 100 to 599'}"},
	    {"above", "GET", PATH "?status=600", NULL, 400,
		"{'message':'status must be a number from 100 to 599'}"},
	    {"no method", "GET", PATH "?method=get", NULL, 400,
		"{'message':'method must be one of GET, POST, PUT, PATCH, DELETE'}"},
	    {"no ASCII", "GET", PATH "?route=%C3%A4", NULL, 400,
		"{'message':'route must be of ASCII characters'}"},
	    {"no time", "GET", PATH "?since=x", NULL, 400, "{'message':'since must be a time'}"},
	    {"no end", "GET", PATH "?until=x", NULL, 400, "{'message':'until must be a time'}"},
	    {"the limits", "GET", PATH "?status=100&until=1&since=599&method=DELETE&route=x", NULL,
		200, .want = {"count = 0"}},
	    {"the last status", "GET", PATH "?status=599", NULL, 200, .want = {"count = 0"}},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++) {
		answer_free(exchange_expect(fixture, &exchanges[i]));
		exchange_next_moment();
	}
	AUTO(answer) all = requests_list("", 5);
	requests_expect(all, "count", "5");
	requests_expect(all, "requests[4].route", "'/v1/audiences'");
	g_autofree char *query =
	    g_strconcat("?actor=", answer_text(all, "requests[4].actor.id"), NULL);
	AUTO(answer) own = requests_list(query, 2);
	requests_expect(own, "count", "2");
	requests_expect(own, "requests[0].route", "'/v1/requests'");
	AUTO(answer) ok = requests_list("?result=ok", 0);
	requests_expect(ok, "count", "0");
	AUTO(answer) failed = requests_list("?result=failed", 0);
	requests_expect(failed, "count", "0");
	AUTO(answer) nobody = requests_list("?actor=x", 0);
	requests_expect(nobody, "count", "0");

	const gint64 middle = json_integer(answer_at(all, "requests[2].timestamp"));
	const struct {
		const char *query, *count;
	} cases[] = {
	    {"?status=403", "2"},
	    {"?status=403&result=failed", "0"},
	    {"?status=404&result=refused", "1"},
	    {"?method=POST", "1"},
	    {"?method=GET", "4"},
	    {"?route=/v1/requests", "3"},
	    {"?route=audiences", "2"},
	    {"?route=AUDIENCES", "0"},
	    {"?route=%25", "0"},
	    {"?method=POST&route=audiences&status=403", "1"},
	    {"?since=-1&until=9223372036854775807&status=403", "2"},
	    {"?until=281474976710656&status=403", "2"},
	    {"?since=281474976710656", "0"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer) some = requests_list(cases[i].query, 0);
		requests_expect(some, "count", cases[i].count);
	}
	g_autofree char *since = g_strdup_printf("?since=%" G_GINT64_FORMAT, middle);
	g_autofree char *until = g_strdup_printf("?until=%" G_GINT64_FORMAT, middle);
	g_autofree char *between = g_strdup_printf(
	    "?since=%" G_GINT64_FORMAT "&until=%" G_GINT64_FORMAT, middle, middle + 1);
	AUTO(answer) later = requests_list(since, 0);
	requests_expect(later, "count", "3");
	AUTO(answer) earlier = requests_list(until, 0);
	requests_expect(earlier, "count", "2");
	AUTO(answer) one = requests_list(between, 0);
	requests_expect(one, "count", "1");
	EXPECT_ALL(fixture, wrong);
}

Test(requests, come_in_pages)
{
	for (guint i = 0; i < 51; i++)
		audience_expect(fixture, "GET", NULL, 404, NULL, "/v1/audiences/%u", i);
	g_autofree char *query = NULL; /* of the second page, once the last one is stored */
	for (gint64 end = g_get_monotonic_time() / 1000 + WAIT_MS;
	     !query && g_get_monotonic_time() / 1000 < end; g_usleep(50000)) {
		AUTO(answer) page = requests_list("", 50);
		if (json_kind(answer_at(page, "cursor")) == JSON_STRING)
			query = g_strconcat("?cursor=", answer_text(page, "cursor"), NULL);
	}
	cr_assert(query, "there is no second page");
	AUTO(answer) second = requests_list(query, 1);
	requests_expect(second, "count", "1");
	requests_expect(second, "cursor", "null");
}

Test(requests, name_users)
{
	AUTO(person) person = person_open(fixture, "ann@example.com", NULL);
	const struct exchange exchanges[] = {{"session", "GET", "/v1/audiences/x", NULL, 404,
	    .headers = {"Authorization:", person->cookie, person->csrf, person->origin}}};

	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) answer = requests_list("", 1);
	requests_expect(answer, "requests[0].actor.type", "'user'");
	requests_expect(answer, "requests[0].actor.name", "'ann@example.com'");
}
