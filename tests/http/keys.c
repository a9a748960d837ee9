/* SPDX-License-Identifier: MIT */
/* API keys over HTTP: made, listed, held to a domain, revoked. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/list.h"
#include "base/limits/person.h"
#include "tests/http/email.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/support/db.h"

#define KEYS "/v1/keys"
#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8057"
#define TOO_SMALL "code = 'api_key_forbidden'"
#define ENDED "code = 'api_key_invalid'"

FIXTURE_SUITE(keys, 900);

/* Makes a key. The caller owns the answer. */
static struct answer *
keys_make(const char *body)
{
	const struct exchange exchange = {body, "POST", KEYS, body, 200};

	return exchange_expect(fixture, &exchange);
}

static char *
bearer(const char *key)
{
	return g_strconcat("Authorization: Bearer ", key, NULL);
}

/* A member of the first row of the list, which is the newest key. */
static void
keys_expect_newest(const char *name, const char *want)
{
	const struct exchange exchange = {name, "GET", KEYS, NULL, 200, .want = {want}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(keys, are_made_and_shown_once)
{
	const struct exchange exchange = {"a key", "POST", KEYS, "{'name':'Shop'}", 200,
	    .want = {"id : string", "name = 'Shop'", "scope = 'full'", "domain_id = null",
		"user.id : string", "user.email = 'ann@example.com'", "created : integer",
		"expires_at = null", "revoked_at = null", "last_used_at = null", "key : string"}};
	AUTO(answer) made = exchange_expect(fixture, &exchange);
	g_autofree char *header = bearer(answer_text(made, "key"));
	const struct exchange uses = {
	    "it works", "GET", "/v1/domains", NULL, 200, .headers = {header}};

	cr_expect(g_str_has_prefix(answer_text(made, "key"), "ph_"));
	cr_expect_eq(strlen(answer_text(made, "key")), 46);
	answer_free(exchange_expect(fixture, &uses));
	g_autofree char *id = g_strdup_printf("keys[0].id = '%s'", answer_text(made, "id"));
	const struct exchange list = {"list", "GET", KEYS, NULL, 200,
	    .want = {id, "keys[0].key : absent", "keys[0].last_used_at : integer", "count = 2",
		"cursor = null"}};
	answer_free(exchange_expect(fixture, &list));
}

Test(keys, have_the_scope_that_they_are_given)
{
	static const struct {
		const char *body, *want;
		guint read, send, list;
	} cases[] = {
	    {"{'name':'n','scope':'full'}", "scope = 'full'", 200, 400, 200},
	    {"{'name':'n','scope':'read'}", "scope = 'read'", 200, 403, 403},
	    {"{'name':'n','scope':'send'}", "scope = 'send'", 403, 400, 403},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct exchange exchange = {
		    cases[i].body, "POST", KEYS, cases[i].body, 200, .want = {cases[i].want}};
		AUTO(answer) made = exchange_expect(fixture, &exchange);
		g_autofree char *header = bearer(answer_text(made, "key"));
		const struct exchange uses[] = {
		    {cases[i].body, "GET", "/v1/domains", NULL, cases[i].read, .headers = {header}},
		    {cases[i].body, "POST", "/v1/emails", "{}", cases[i].send, .headers = {header}},
		    {cases[i].body, "GET", KEYS, NULL, cases[i].list, .headers = {header}},
		    {cases[i].body, "POST", KEYS, "{}", cases[i].list == 200 ? 400 : 403,
			.headers = {header}},
		};
		EXPECT_ALL(fixture, uses);
	}
}

Test(keys, refuse_wrong_input)
{
	g_autofree char *most = g_strnfill(LIMIT_NAME_LENGTH, 'n');
	g_autofree char *fits = g_strdup_printf("{'name':'%s'}", most);
	g_autofree char *longer = g_strdup_printf("{'name':'%sn'}", most);
	const struct exchange exchanges[] = {
	    {"no name", "POST", KEYS, "{}", 400, "{'message':'name is required'}"},
	    {"empty name", "POST", KEYS, "{'name':''}", 400},
	    {"longest name", "POST", KEYS, fits, 200},
	    {"longer name", "POST", KEYS, longer, 400},
	    {"name of another type", "POST", KEYS, "{'name':1}", 400,
		"{'message':'name must be a string'}"},
	    {"scope", "POST", KEYS, "{'name':'n','scope':'write'}", 400,
		"{'message':'scope must be full, send or read'}"},
	    {"scope for metrics", "POST", KEYS, "{'name':'n','scope':'metrics'}", 400},
	    {"expired", "POST", KEYS, "{'name':'n','expires_at':1}", 400,
		"{'message':'expires_at must lie in the future'}"},
	    {"no time", "POST", KEYS, "{'name':'n','expires_at':'soon'}", 400},
	    {"domain of another scope", "POST", KEYS,
		"{'name':'n','scope':'read','domain_id':'" UNKNOWN "'}", 400,
		"{'message':'domain_id is for keys of scope send'}"},
	    {"domain of the default scope", "POST", KEYS, "{'name':'n','domain_id':'x'}", 400},
	    {"unknown domain", "POST", KEYS,
		"{'name':'n','scope':'send','domain_id':'" UNKNOWN "'}", 404,
		"{'message':'Domain not found'}"},
	    {"no id", "POST", KEYS, "{'name':'n','scope':'send','domain_id':'x'}", 404},
	    {"a misspelled member", "POST", KEYS, "{'name':'n','expires':1}", 200,
		.want_header = {"Ignored-Members: expires"}},
	    {"cursor", "GET", KEYS "?cursor=%21", NULL, 400},
	    {"another method", "PATCH", KEYS, "{}", 405, .want_header = {"Allow: POST, GET, HEAD"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(keys, end_when_they_expire)
{
	g_autofree char *body = g_strdup_printf(
	    "{'name':'n','expires_at':%" G_GINT64_FORMAT "}", base_clock_now() + 60 * 60 * 1000);
	AUTO(answer) made = keys_make(body);
	g_autofree char *header = bearer(answer_text(made, "key"));
	const struct exchange exchanges[] = {
	    {"before", "GET", "/v1/domains", NULL, 200, .headers = {header}}};
	const struct exchange after = {
	    "after", "GET", "/v1/domains", NULL, 403, .want = {ENDED}, .headers = {header}};

	EXPECT_ALL(fixture, exchanges);
	g_autofree char *expire = g_strdup_printf("UPDATE api_key SET expires = %" G_GINT64_FORMAT
						  " WHERE id = UNHEX(REPLACE('%s', '-', ''))",
	    base_clock_now(), answer_text(made, "id"));
	test_db_plain(fixture->db, expire);
	answer_free(exchange_expect(fixture, &after));
}

Test(keys, end_with_their_maker)
{
	g_autofree char *maker = fixture_new_key(fixture, "full", "2090-01-01T00:00:00Z");
	g_autofree char *header = bearer(maker);
	static const struct {
		const char *body, *want;
	} cases[] = {
	    {"{'name':'n'}", "expires_at = 3786912000000"},
	    {"{'name':'n','expires_at':'2091-01-01'}", "expires_at = 3786912000000"},
	    {"{'name':'n','expires_at':'2089-01-01'}", "expires_at = 3755376000000"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct exchange exchange = {cases[i].body, "POST", KEYS, cases[i].body, 200,
		    .want = {cases[i].want}, .headers = {header}};
		answer_free(exchange_expect(fixture, &exchange));
	}
}

Test(keys, are_revoked_at_once)
{
	AUTO(answer) made = keys_make("{'name':'n'}");
	g_autofree char *path = g_strconcat(KEYS "/", answer_text(made, "id"), NULL);
	g_autofree char *header = bearer(answer_text(made, "key"));
	const struct exchange exchanges[] = {
	    {"before", "GET", "/v1/domains", NULL, 200, .headers = {header}},
	    {"itself", "DELETE", path, NULL, 409, "{'message':'A key cannot revoke itself'}",
		.headers = {header}},
	    {"still good", "GET", "/v1/domains", NULL, 200, .headers = {header}},
	    {"revoke", "DELETE", path, NULL, 200, "{'message':'API key revoked'}"},
	    {"after", "GET", "/v1/domains", NULL, 403, .want = {ENDED}, .headers = {header}},
	    {"again", "DELETE", path, NULL, 200},
	    {"unknown", "DELETE", KEYS "/" UNKNOWN, NULL, 404, "{'message':'API key not found'}"},
	    {"no id", "DELETE", KEYS "/x", NULL, 404, "{'message':'API key not found'}"},
	    {"another method", "GET", path, NULL, 405, .want_header = {"Allow: DELETE"}},
	};

	EXPECT_ALL(fixture, exchanges);
	keys_expect_newest("is listed", "keys[0].revoked_at : integer");
}

Test(keys, of_other_workspaces_are_unknown)
{
	AUTO(fixture) other = fixture_open();
	const struct exchange exchange = {"other", "POST", KEYS, "{'name':'other'}", 200};
	AUTO(answer) made = exchange_expect(other, &exchange);
	g_autofree char *path = g_strconcat(KEYS "/", answer_text(made, "id"), NULL);
	const struct exchange exchanges[] = {
	    {"revoke", "DELETE", path, NULL, 404, "{'message':'API key not found'}"},
	    {"list", "GET", KEYS, NULL, 200, .want = {"count = 1"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(keys, come_in_pages)
{
	for (guint i = 0; i < LIMIT_PAGE; i++)
		answer_free(keys_make("{'name':'n'}"));
	const struct exchange first = {"first", "GET", KEYS, NULL, 200,
	    .want = {"count = 50", "cursor : string", "keys[0].name = 'n'"}};
	AUTO(answer) page = exchange_expect(fixture, &first);
	g_autofree char *rest = g_strconcat(KEYS "?cursor=", answer_text(page, "cursor"), NULL);
	const struct exchange second = {"second", "GET", rest, NULL, 200,
	    .want = {"count = 1", "cursor = null", "keys[0].last_used_at : integer"}};
	answer_free(exchange_expect(fixture, &second));
}

/* Adds a domain that may send, and returns its id; the caller owns it. */
static char *
keys_add_domain(const char *name)
{
	g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
	const struct exchange exchange = {name, "POST", "/v1/domains", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "domain", "trust", name, "--workspace", fixture->name));
	return g_strdup(answer_text(answer, "id"));
}

#define MAIL_OF(domain) "{'from':'a@" domain "','to':'b@example.net','subject':'s','html':'h'}"

Test(keys, send_from_their_domain_alone)
{
	g_autofree char *id = keys_add_domain("shop.example");
	g_autofree char *body = g_strdup_printf("{'name':'n','scope':'send','domain_id':'%s'}", id);
	g_autofree char *want = g_strdup_printf("domain_id = '%s'", id);
	const struct exchange exchange = {"held", "POST", KEYS, body, 200, .want = {want}};
	AUTO(answer) made = exchange_expect(fixture, &exchange);
	g_autofree char *header = bearer(answer_text(made, "key"));
	const struct exchange exchanges[] = {
	    {"its domain", "POST", "/v1/emails", MAIL_OF("shop.example"), 201, .headers = {header}},
	    {"a sub-domain", "POST", "/v1/emails", MAIL_OF("eu.shop.example"), 201,
		.headers = {header}},
	    {"another", "POST", "/v1/emails", MAIL_OF(FIXTURE_DOMAIN), 403, .headers = {header}},
	    {"in a batch", "POST", "/v1/emails/batch",
		"{'emails':[" MAIL_OF("shop.example") "," MAIL_OF(FIXTURE_DOMAIN) "]}", 400,
		.headers = {header}},
	    {"a batch of its own", "POST", "/v1/emails/batch",
		"{'emails':[" MAIL_OF("shop.example") "]}", 201, .headers = {header}},
	    {"under /resend", "POST", "/resend/emails", MAIL_OF(FIXTURE_DOMAIN), 401,
		.headers = {header}},
	    {"under /resend, its own", "POST", "/resend/emails", MAIL_OF("shop.example"), 200,
		.headers = {header}},
	    {"a full key", "POST", "/v1/emails", MAIL_OF(FIXTURE_DOMAIN), 201},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The first use is noted at once; tests/lib/metrics.c tries later ones. */
Test(keys, tell_when_they_were_used)
{
	AUTO(answer) made = keys_make("{'name':'n'}");
	g_autofree char *header = bearer(answer_text(made, "key"));
	g_autofree char *used = g_strdup_printf(
	    "SELECT last_used FROM api_key WHERE id = UNHEX(REPLACE('%s', '-', ''))",
	    answer_text(made, "id"));
	const struct exchange use = {"use", "GET", "/v1/domains", NULL, 200, .headers = {header}};
	gint64 begun = base_clock_now();

	answer_free(exchange_expect(fixture, &use));
	cr_expect_geq(test_db_number(fixture->db, used), begun - 1000);
}
