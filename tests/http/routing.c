/* SPDX-License-Identifier: MIT */
/* Routes: known and unknown paths and methods, and the order of checks. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/request.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define NOT_FOUND "{'message':'Not found'}"
#define NOT_ALLOWED "{'message':'Method not allowed'}"
#define NO_EMAIL "{'message':'Email not found'}"
#define NO_TEMPLATE "{'message':'Template not found'}"
#define NO_EMAILS "{'emails':[],'count':0,'cursor':null}"
#define MALFORMED "{'message':'cursor is malformed'}"

FIXTURE_SUITE(routing, 900);

Test(routing, knows_its_paths)
{
	const struct exchange exchanges[] = {
	    {"root", "GET", "/", NULL, 404, NOT_FOUND},
	    {"version alone", "GET", "/v1", NULL, 404, NOT_FOUND},
	    {"version and slash", "GET", "/v1/", NULL, 404, NOT_FOUND},
	    {"unknown collection", "GET", "/v1/nothing", NULL, 404, NOT_FOUND},
	    {"unknown version", "GET", "/v2/emails", NULL, 404, NOT_FOUND},
	    {"without a version", "GET", "/emails", NULL, 404, NOT_FOUND},
	    {"begins like one", "GET", "/v1x/emails", NULL, 404, NOT_FOUND},
	    {"other case", "GET", "/V1/Emails", NULL, 404, NOT_FOUND},
	    {"below an item", "GET", "/v1/emails/x/y", NULL, 404, NOT_FOUND},
	    {"a file", "GET", "/posthouse.fcgi", NULL, 404, NOT_FOUND},
	    {"health", "GET", "/health", NULL, 200, "{'status':'ok'}"},
	    {"ready", "GET", "/ready", NULL, 200, "{'status':'ok'}"},
	    {"health, final slash", "GET", "/health/", NULL, 200, "{'status':'ok'}"},
	    {"list", "GET", "/v1/emails", NULL, 200, NO_EMAILS},
	    {"list, final slash", "GET", "/v1/emails/", NULL, 200, NO_EMAILS},
	    {"item, final slash", "GET", "/v1/emails/x/", NULL, 404, NO_EMAIL},
	    {"encoded letters", "GET", "/v1/%65mails", NULL, 200, NO_EMAILS},
	    {"encoded twice", "GET", "/v1/%2565mails", NULL, 404, NOT_FOUND},
	    {"dots", "GET", "/v1/x/../emails", NULL, 200, NO_EMAILS},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(routing, takes_no_id_for_an_error)
{
	const struct exchange exchanges[] = {
	    {"a word", "GET", "/v1/emails/nothing", NULL, 404, NO_EMAIL},
	    {"a number", "GET", "/v1/emails/1", NULL, 404, NO_EMAIL},
	    {"an unknown id", "GET", "/v1/emails/01890a5d-ac96-774b-bcce-b302099a8057", NULL, 404,
		NO_EMAIL},
	    {"id of zeros", "GET", "/v1/emails/00000000-0000-0000-0000-000000000000", NULL, 404,
		NO_EMAIL},
	    {"cut", "GET", "/v1/emails/01890a5d-ac96-774b-bcce-b302099a805", NULL, 404, NO_EMAIL},
	    {"one more", "GET", "/v1/emails/01890a5d-ac96-774b-bcce-b302099a80577", NULL, 404,
		NO_EMAIL},
	    {"not hexadecimal", "GET", "/v1/emails/01890a5d-ac96-774b-bcce-b302099a805g", NULL, 404,
		NO_EMAIL},
	    {"without hyphens", "GET", "/v1/emails/01890a5dac96774bbcceb302099a8057", NULL, 404,
		NO_EMAIL},
	    {"in braces", "GET", "/v1/emails/%7B01890a5d-ac96-774b-bcce-b302099a8057%7D", NULL, 404,
		NO_EMAIL},
	    {"SQL", "GET", "/v1/emails/'%20OR%20''='", NULL, 404, NO_EMAIL},
	    {"other script", "GET", "/v1/emails/%E2%82%AC", NULL, 404, NO_EMAIL},
	    {"cancel", "DELETE", "/v1/emails/nothing", NULL, 404, NO_EMAIL},
	    {"cancel by POST", "POST", "/v1/emails/nothing/cancel", NULL, 404, NO_EMAIL},
	    {"move", "PATCH", "/v1/emails/nothing", "{'scheduled_at':1000000000000}", 404,
		NO_EMAIL},
	    {"template", "GET", "/v1/templates/no%20such", NULL, 404, NO_TEMPLATE},
	    {"template, other script", "GET", "/v1/templates/%E2%82%AC", NULL, 404, NO_TEMPLATE},
	    {"template, delete", "DELETE", "/v1/templates/%E2%82%AC", NULL, 404, NO_TEMPLATE},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define ITEM_OF_EMAILS "Allow: GET, HEAD, PATCH, DELETE"

Test(routing, names_the_methods_of_a_path)
{
	const struct exchange exchanges[] = {
	    {"emails", "PUT", "/v1/emails", "{}", 405, NOT_ALLOWED,
		.want_header = {"Allow: POST, GET, HEAD"}},
	    {"emails, DELETE", "DELETE", "/v1/emails", NULL, 405, NOT_ALLOWED,
		.want_header = {"Allow: POST, GET, HEAD"}},
	    {"an email", "POST", "/v1/emails/x", "{}", 405, NOT_ALLOWED,
		.want_header = {ITEM_OF_EMAILS}},
	    {"cancelling, GET", "GET", "/v1/emails/x/cancel", NULL, 405, NOT_ALLOWED,
		.want_header = {"Allow: POST"}},
	    {"an email, final slash", "PUT", "/v1/emails/x/", "{}", 405, NOT_ALLOWED,
		.want_header = {ITEM_OF_EMAILS}},
	    {"templates", "PATCH", "/v1/templates", "{}", 405, NOT_ALLOWED,
		.want_header = {"Allow: POST, GET, HEAD"}},
	    {"a template", "POST", "/v1/templates/x", "{}", 405, NOT_ALLOWED,
		.want_header = {"Allow: GET, HEAD, PATCH, DELETE"}},
	    {"health", "POST", "/health", "{}", 405, NOT_ALLOWED,
		.want_header = {"Allow: GET, HEAD"}},
	    {"OPTIONS", "OPTIONS", "/v1/emails/x", NULL, 405, NOT_ALLOWED,
		.want_header = {ITEM_OF_EMAILS}},
	    {"PROPFIND", "PROPFIND", "/v1/emails/x", NULL, 405, NOT_ALLOWED,
		.want_header = {ITEM_OF_EMAILS}},
	    {"without a key", "PUT", "/v1/emails", "{}", 405, NOT_ALLOWED,
		.headers = {"Authorization:"}, .want_header = {"Allow: POST, GET, HEAD"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(routing, answers_head_as_get_without_a_body)
{
	const struct exchange get = {"GET", "GET", "/v1/emails", NULL, 200, NO_EMAILS};
	const struct exchange heads[] = {
	    {"list", "HEAD", "/v1/emails", NULL, 200, "",
		.want_header = {"Content-Type: application/json", "Content-Length: 37"}},
	    {"unknown", "HEAD", "/v1/emails/x", NULL, 404, "",
		.want_header = {"Content-Length: 29"}},
	    {"no route", "HEAD", "/v1/nothing", NULL, 404, ""},
	    {"health", "HEAD", "/health", NULL, 200, "", .want_header = {"Content-Length: 15"}},
	    {"without a key", "HEAD", "/v1/emails", NULL, 401, "", .headers = {"Authorization:"},
		.want_header = {"WWW-Authenticate: Bearer"}},
	};

	answer_free(exchange_expect(fixture, &get));
	EXPECT_ALL(fixture, heads);
}

/* The web server decodes a path once; the rest of it is the address. */
Test(routing, takes_addresses_in_paths)
{
	static const struct {
		const char *email, *path;
	} cases[] = {
	    {"a@x.example", "a@x.example"},
	    {"a@x.example", "a%40x.example"},
	    {"a@x.example", "A@X.EXAMPLE"},
	    {"a@x.example", "a@x.example/"},
	    {"a+b@x.example", "a+b@x.example"},
	    {"a+b@x.example", "a%2Bb%40x.example"},
	    {"a/b@x.example", "a/b@x.example"},
	    {"a/b@x.example", "a%2Fb@x.example"},
	    {"a%b@x.example", "a%25b@x.example"},
	    {"a?b@x.example", "a%3Fb@x.example"},
	    {"a#b@x.example", "a%23b@x.example"},
	    {"a&b=c@x.example", "a&b=c@x.example"},
	    {"a\\u0027b@x.example", "a%27b@x.example"},
	    {"a{b}@x.example", "a%7Bb%7D@x.example"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf("{'email':'%s'}", cases[i].email);
		g_autofree char *path = g_strconcat("/v1/suppressions/", cases[i].path, NULL);
		const struct exchange exchanges[] = {
		    {cases[i].path, "POST", "/v1/suppressions", body, 200},
		    {cases[i].path, "GET", path, NULL, 200},
		    {cases[i].path, "DELETE", path, NULL, 200},
		    {cases[i].path, "GET", path, NULL, 404, "{'message':'Suppression not found'}"},
		};
		EXPECT_ALL(fixture, exchanges);
	}
}

/* The status is 404 from the service, or 400 or 404 from the web server, but never 500. */
Test(routing, survives_strange_paths)
{
	static const char *const paths[] = {"/v1/emails/%00", "/v1/emails/a%0Ab",
	    "/v1/emails/a%0Db", "/v1/emails/a%7Fb", "/v1/emails/%C2%85", "/v1/emails/%ff",
	    "/v1/emails/%C0%AF", "/v1/emails/%ED%A0%80", "/v1/emails/%zz", "/v1/emails/%",
	    "/v1/emails/%F4%90%80%80", "/%ff", "/v1/emails\\x", "//", "/v1//",
	    "/v1/templates/a%0Ab", "/v1/templates/%ff", "/v1/emails/..%2f..%2fetc",
	    "/v1/emails/%2e%2e%2f%2e%2e", "/resend/emails/%ff", "/resend/emails/a%0Ab"};

	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
		const struct exchange exchange = {paths[i], "GET", paths[i], NULL, 0, NULL};
		AUTO(answer) answer = exchange_ask(fixture, &exchange);
		cr_expect(answer->status == 404 || answer->status == 400, "%s: got %u: %s",
		    paths[i], answer->status, answer->body);
	}
}

Test(routing, holds_paths_to_their_limit)
{
	gsize room = LIMIT_PATH_BYTES - strlen("/v1/emails/");
	g_autofree char *most = g_strnfill(room, 'a'), *more = g_strnfill(room + 1, 'a');
	g_autofree char *fits = g_strconcat("/v1/emails/", most, NULL);
	g_autofree char *over = g_strconcat("/v1/emails/", more, NULL);
	const struct exchange exchanges[] = {
	    {"at the limit", "GET", fits, NULL, 404, NO_EMAIL},
	    {"past it", "GET", over, NULL, 404, NOT_FOUND},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(routing, reads_queries_as_forms_are_written)
{
	const struct exchange exchanges[] = {
	    {"empty", "GET", "/v1/emails?", NULL, 200, NO_EMAILS},
	    {"others are ignored", "GET", "/v1/emails?x=1&y&=&z=%C3%A9", NULL, 200, NO_EMAILS},
	    {"empty cursor", "GET", "/v1/emails?cursor=", NULL, 200, NO_EMAILS},
	    {"name alone", "GET", "/v1/emails?cursor", NULL, 200, NO_EMAILS},
	    {"empty filters", "GET", "/v1/emails?status=&to=", NULL, 200, NO_EMAILS},
	    {"the last counts", "GET", "/v1/emails?cursor=x&cursor=", NULL, 200, NO_EMAILS},
	    {"encoded name", "GET", "/v1/emails?c%75rsor=x", NULL, 400, MALFORMED},
	    {"encoded value", "GET", "/v1/emails?cursor=01890a5d%2Dac96-774b-bcce-b302099a8057",
		NULL, 200, NO_EMAILS},
	    {"plus is a space", "GET", "/v1/emails?cursor=+", NULL, 400, MALFORMED},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Web servers refuse or repair some of these themselves. No status may be 500. */
Test(routing, survives_strange_queries_and_methods)
{
	g_autofree char *most = g_strnfill(LIMIT_QUERY_BYTES - 2, 'a');
	g_autofree char *fits = g_strconcat("/v1/emails?x=", most, NULL);
	g_autofree char *over = g_strconcat("/v1/emails?x=", most, "a", NULL);
	const struct exchange exchanges[] = {
	    {"at the limit", "GET", fits},
	    {"past it", "GET", over},
	    {"no escape", "GET", "/v1/emails?x=%zz"},
	    {"cut escape", "GET", "/v1/emails?x=%2"},
	    {"NUL", "GET", "/v1/emails?x=%00"},
	    {"no UTF-8", "GET", "/v1/emails?x=%ff"},
	    {"control characters", "GET", "/v1/emails?to=%01%0a&status=%0d"},
	    {"unknown method", "FETCH", "/v1/emails"},
	    {"in small letters", "get", "/v1/emails"},
	};
	static const guint fine[] = {200, 400, 405, 414, 431, 501};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++) {
		AUTO(answer) answer = exchange_ask(fixture, &exchanges[i]);
		bool found = false;
		for (gsize j = 0; j < G_N_ELEMENTS(fine); j++)
			found = found || answer->status == fine[j];
		cr_expect(found, "%s: got %u: %s", exchanges[i].name, answer->status, answer->body);
	}
}

/* Each request would fail a later check, too. */
Test(routing, checks_in_order)
{
	g_autofree char *read = fixture_new_key(fixture, "read", NULL);
	g_autofree char *reader = g_strconcat("Authorization: Bearer ", read, NULL);
	const struct exchange exchanges[] = {
	    {"route", "PUT", "/v1/nothing", "[", 404, NOT_FOUND, .headers = {"Authorization:"}},
	    {"method", "PUT", "/v1/emails", "[", 405, NOT_ALLOWED, .headers = {"Authorization:"}},
	    {"key there", "POST", "/v1/emails", "[", 401,
		"{'message':'Missing API key','code':'api_key_missing'}",
		.headers = {"Authorization:"}},
	    {"key known", "POST", "/v1/emails", "[", 403,
		"{'message':'Invalid API key','code':'api_key_invalid'}",
		.headers = {"Authorization: Bearer x"}},
	    {"scope", "POST", "/v1/emails", "[", 403,
		"{'message':'This API key may only read','code':'api_key_forbidden'}",
		.headers = {reader}},
	    {"JSON", "PATCH", "/v1/templates/nothing", "{'name':7,}", 400,
		"{'message':'body is not valid JSON: expected a key in double quotes at byte 10'}"},
	    {"fields", "PATCH", "/v1/templates/nothing", "{'name':7}", 400,
		"{'message':'name must be a string'}"},
	    {"state", "PATCH", "/v1/templates/nothing", "{'name':'x'}", 404, NO_TEMPLATE},
	};

	EXPECT_ALL(fixture, exchanges);
}
