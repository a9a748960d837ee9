/* SPDX-License-Identifier: MIT */
/* /resend/domains */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/exchange.h"
#include "tests/http/tenant.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

TENANT_SUITE(resend_domains, 120);

/* Registers a domain, and returns its id, which the caller owns. */
static char *
add(const char *name)
{
	g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
	const struct exchange exchange = {name, "POST", "/v1/domains", body, 200};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(tenant, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

/* Expects the domains of a list to have these names, separated by blanks, and has_more. */
static void
expect_list(const char *query, const char *names, bool has_more)
{
	g_autofree char *path = g_strconcat("/resend/domains", query, NULL);
	const struct exchange exchange = {path, "GET", path, .want_status = 200,
	    .want = {"object = 'list'", has_more ? "has_more = true" : "has_more = false"}};
	AUTO(answer) answer = exchange_expect(tenant, &exchange);
	const struct json *data = answer_at(answer, "data");
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(data); i++)
		g_string_append_printf(got, "%s%s", i > 0 ? " " : "",
		    json_string(json_member_get(json_array_at(data, i), "name"), NULL));
	cr_expect_str_eq(got->str, names, "%s: got %s, want %s", path, got->str, names);
}

Test(resend_domains, are_listed)
{
	g_autofree char *c = add("c.example.net");
	g_autofree char *b = add("b.example.net");
	g_autofree char *a = add("a.example.net");
	g_autofree char *after_a = g_strconcat("?limit=2&after=", a, NULL);
	g_autofree char *after_b = g_strconcat("?after=", b, NULL);
	g_autofree char *before_c = g_strconcat("?limit=1&before=", c, NULL);
	g_autofree char *before_b = g_strconcat("?limit=1&before=", b, NULL);
	g_autofree char *gone = g_strconcat("/v1/domains/", b, NULL);
	const struct exchange delete = {"delete b", "DELETE", gone, .want_status = 200};

	expect_list("", "a.example.net b.example.net c.example.net " TENANT_DOMAIN, false);
	expect_list("?limit=2", "a.example.net b.example.net", true);
	expect_list("?limit=4", "a.example.net b.example.net c.example.net " TENANT_DOMAIN, false);
	expect_list(after_a, "b.example.net c.example.net", true);
	expect_list(after_b, "c.example.net " TENANT_DOMAIN, false);
	expect_list(before_c, "b.example.net", true);
	expect_list(before_b, "a.example.net", false);
	answer_free(exchange_expect(tenant, &delete));
	expect_list(after_b, "c.example.net " TENANT_DOMAIN, false);
	expect_list(before_b, "a.example.net", false);
}

#define INVALID(field, text)                                                                       \
	"{'statusCode':422,'name':'validation_error','message':'Invalid `" field "` field. " text  \
	".'}"
#define LIMIT INVALID("limit", "limit must be a number from 1 to 100")

Test(resend_domains, are_listed_within_limits)
{
	const struct exchange exchanges[] = {
	    {"0", "GET", "/resend/domains?limit=0", .want_status = 422, .want_body = LIMIT},
	    {"1", "GET", "/resend/domains?limit=1", .want_status = 200},
	    {"100", "GET", "/resend/domains?limit=100", .want_status = 200},
	    {"101", "GET", "/resend/domains?limit=101", .want_status = 422, .want_body = LIMIT},
	    {"a word", "GET", "/resend/domains?limit=all", .want_status = 422, .want_body = LIMIT},
	    {"empty", "GET", "/resend/domains?limit=", .want_status = 422, .want_body = LIMIT},
	    {"no UUID", "GET", "/resend/domains?after=x", .want_status = 422,
		.want_body = INVALID("after", "after must be a valid UUID")},
	    {"both", "GET", "/resend/domains?after=" UNKNOWN "&before=" UNKNOWN, .want_status = 422,
		.want_body = INVALID("before", "after and before cannot both be given")},
	    {"unknown", "GET", "/resend/domains?limt=7&nothing=1", .want_status = 200},
	};

	EXPECT_ALL(tenant, exchanges);
}

Test(resend_domains, are_shown)
{
	g_autofree char *id = add("d.example.net");
	g_autofree char *path = g_strconcat("/resend/domains/", id, NULL);
	const struct exchange exchanges[] = {
	    {"whole", "GET", path, .want_status = 200,
		.want = {"object = 'domain'", "id : string", "name = 'd.example.net'",
		    "status = 'not_started'", "created_at : string", "region = 'us-east-1'",
		    "open_tracking = false", "click_tracking = false", "tracking_subdomain : null",
		    "capabilities = {'sending':'enabled','receiving':'disabled'}",
		    "records[0].record = 'SPF'", "records[0].type = 'MX'",
		    "records[0].name = 'send.d'", "records[0].ttl = 'Auto'",
		    "records[0].priority = 10", "records[0].status = 'not_started'",
		    "records[1].record = 'SPF'", "records[1].type = 'TXT'",
		    "records[1].priority : absent", "records[2].record = 'DKIM'",
		    "records[2].type = 'TXT'", "records[3].record = 'DKIM'", "records[4] : null"}},
	    {"unknown", "GET", "/resend/domains/" UNKNOWN, .want_status = 404,
		.want_body = "{'statusCode':404,'name':'not_found',"
			     "'message':'Domain not found'}"},
	    {"no UUID", "GET", "/resend/domains/d.example.net", .want_status = 422,
		.want_body = "{'statusCode':422,'name':'invalid_parameter',"
			     "'message':'The `id` must be a valid UUID.'}"},
	};

	EXPECT_ALL(tenant, exchanges);
}
