/* SPDX-License-Identifier: MIT */
/* Domains that receive mail, and their routes. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/received.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(domain_routes, 900);

/* A domain that receives; the caller owns its path. */
static char *
domain_routes_new(void)
{
	AUTO(answer)
	answer = audience_ask(fixture, "POST",
	    "{'name':'mail.example.net','receiving':true,'override':true}", "/v1/domains");

	return g_strconcat("/v1/domains/", answer_text(answer, "id"), NULL);
}

Test(domain_routes, come_with_the_first_switch)
{
	const struct exchange plain = {"without", "POST", "/v1/domains", "{'name':'b.example.net'}",
	    200, .want = {"dns_records[5] = null"}};
	AUTO(answer) made = exchange_expect(fixture, &plain);
	g_autofree char *path = g_strconcat("/v1/domains/", answer_text(made, "id"), NULL);
	g_autofree char *routes = g_strconcat(path, "/routes", NULL);
	const struct exchange exchanges[] = {
	    {"off", "GET", path, NULL, 200,
		.want = {"receiving = false", "reply_tracking = false"}},
	    {"no route yet", "GET", routes, NULL, 200,
		.want_body = "{'routes':[],'count':0,'cursor':null}"},
	    {"on", "PATCH", path, "{'receiving':true,'reply_tracking':true,'override':true}", 200,
		.want = {"receiving = true", "reply_tracking = true", "dns_records[5].type = 'MX'",
		    "dns_records[5].name = 'b'", "dns_records[5].priority = 10",
		    "dns_records[5].required = false", "dns_records[5].for = 'Receiving'",
		    "dns_records[6].type = 'TXT'", "dns_records[6].name = '_smtp._tls.b'",
		    "dns_records[6].for = 'TLS reports'", "dns_records[6].required = false"}},
	    {"the route", "GET", routes, NULL, 200,
		.want = {"count = 1", "routes[0].match = '*'", "routes[0].action = 'store'",
		    "routes[0].forward_to = []", "routes[0].reason = null"}},
	    {"off again", "PATCH", path, "{'receiving':false}", 200,
		.want = {"receiving = false", "reply_tracking = true", "dns_records[5] = null"}},
	    {"it stays", "GET", routes, NULL, 200, .want = {"count = 1"}},
	    {"no boolean", "PATCH", path, "{'receiving':1}", 400,
		"{'message':'receiving must be a boolean'}"},
	    {"audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'domain.changed'", "audit[1].action = 'domain.changed'",
		    "audit[2].action = 'domain.created'"}},
	};
	EXPECT_ALL(fixture, exchanges);
	const struct exchange apex = {"at the top", "POST", "/v1/domains",
	    "{'name':'example.net','receiving':true,'override':true}", 200,
	    .want = {"dns_records[5].name = '@'", "dns_records[6].name = '_smtp._tls'"}};
	answer_free(exchange_expect(fixture, &apex));
}

#define MATCH "{'message':'match must be a local part, the start of one with *, or *'}"

Test(domain_routes, are_checked)
{
	g_autofree char *path = domain_routes_new();
	g_autofree char *routes = g_strconcat(path, "/routes", NULL);
	char longest[LIMIT_RECEIVED_MATCH + 2];
	memset(longest, 'x', sizeof(longest));
	longest[LIMIT_RECEIVED_MATCH + 1] = '\0';
	g_autofree char *past = g_strdup_printf("{'match':'%s'}", longest);
	g_autofree char *fits = g_strdup_printf("{'match':'%s*'}", longest + 1);
	const struct exchange exchanges[] = {
	    {"a route", "POST", routes,
		"{'match':'Sales+EU','action':'forward',"
		"'forward_to':['Boss@Example.COM']}",
		200,
		.want = {"match = 'sales+eu'", "action = 'forward'", "reason = null",
		    "forward_to = ['Boss@example.com']", "created : integer"}},
	    {"the same", "POST", routes, "{'match':'SALES+eu'}", 409,
		"{'message':'Route already exists'}"},
	    {"the same of all", "POST", routes, "{'match':'*'}", 409,
		"{'message':'Route already exists'}"},
	    {"a start", "POST", routes, "{'match':'a.*','action':'refuse','reason':'No'}", 200,
		.want = {"match = 'a.*'", "action = 'refuse'", "reason = 'No'"}},
	    {"the longest", "POST", routes, fits, 200},
	    {"longer", "POST", routes, past, 400, MATCH},
	    {"nothing", "POST", routes, "{}", 400, "{'message':'match is required'}"},
	    {"empty", "POST", routes, "{'match':''}", 400, MATCH},
	    {"two stars", "POST", routes, "{'match':'**'}", 400, MATCH},
	    {"a star in front", "POST", routes, "{'match':'*a'}", 400, MATCH},
	    {"a blank", "POST", routes, "{'match':'a b'}", 400, MATCH},
	    {"an address", "POST", routes, "{'match':'a@x.org'}", 400, MATCH},
	    {"a dot at the end", "POST", routes, "{'match':'a.'}", 400, MATCH},
	    {"no action", "POST", routes, "{'match':'x','action':'bounce'}", 400,
		"{'message':'action must be one of store, forward, drop, refuse'}"},
	    {"to nobody", "POST", routes, "{'match':'x','action':'forward'}", 400,
		"{'message':'forward_to is required'}"},
	    {"to none", "POST", routes, "{'match':'x','action':'forward','forward_to':[]}", 400,
		"{'message':'forward_to is required'}"},
	    {"back", "POST", routes,
		"{'match':'x','action':'forward','forward_to':['y@MAIL.example.net']}", 400,
		"{'message':'forward_to must not lead back to mail.example.net'}"},
	    {"eleven", "POST", routes,
		"{'match':'x','action':'forward','forward_to':['a@x.org','b@x.org','c@x.org',"
		"'d@x.org','e@x.org','f@x.org','g@x.org','h@x.org','i@x.org','j@x.org','k@x.org']}",
		400, "{'message':'forward_to must have at most 10 elements'}"},
	    {"no text", "POST", routes, "{'match':'x','action':'refuse','reason':''}", 400,
		"{'message':'reason must be 1 to 200 characters'}"},
	    {"no ASCII", "POST", routes, "{'match':'x','action':'refuse','reason':'\xc3\xa4'}", 400,
		"{'message':'reason must be printable ASCII'}"},
	    {"what means nothing goes", "POST", routes,
		"{'match':'y','forward_to':['a@x.org'],'reason':'No'}", 200,
		.want = {"action = 'store'", "forward_to = []", "reason = null"}},
	    {"no domain", "GET", "/v1/domains/" UNKNOWN "/routes", NULL, 404,
		"{'message':'Domain not found'}"},
	    {"no domain to add to", "POST", "/v1/domains/" UNKNOWN "/routes", "{'match':'x'}", 404,
		"{'message':'Domain not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(domain_routes, change_and_go)
{
	g_autofree char *path = domain_routes_new();
	g_autofree char *routes = g_strconcat(path, "/routes", NULL);
	const struct exchange add = {
	    "add", "POST", routes, "{'match':'x','action':'refuse','reason':'No'}", 200};
	AUTO(answer) made = exchange_expect(fixture, &add);
	g_autofree char *one = g_strconcat(routes, "/", answer_text(made, "id"), NULL);
	g_autofree char *none = g_strconcat(routes, "/" UNKNOWN, NULL);
	const struct exchange exchanges[] = {
	    {"no reason", "PATCH", one, "{'reason':null}", 200,
		.want = {"action = 'refuse'", "reason = null"}},
	    {"another match", "PATCH", one, "{'match':'z'}", 200,
		.want = {"match = 'z'", "action = 'refuse'"}},
	    {"that of another", "PATCH", one, "{'match':'*'}", 409,
		"{'message':'Route already exists'}"},
	    {"forwarded to nobody", "PATCH", one, "{'action':'forward'}", 400,
		"{'message':'forward_to is required'}"},
	    {"forwarded", "PATCH", one, "{'action':'forward','forward_to':['a@x.org']}", 200,
		.want = {"forward_to = ['a@x.org']"}},
	    {"dropped", "PATCH", one, "{'action':'drop'}", 200, .want = {"forward_to = []"}},
	    {"unknown", "PATCH", none, "{'action':'drop'}", 404, "{'message':'Route not found'}"},
	    {"gone", "DELETE", one, NULL, 200, "{'message':'Route deleted'}"},
	    {"gone already", "DELETE", one, NULL, 404, "{'message':'Route not found'}"},
	    {"of an unknown domain", "DELETE", "/v1/domains/" UNKNOWN "/routes/" UNKNOWN, NULL, 404,
		"{'message':'Domain not found'}"},
	    {"audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'route.deleted'", "audit[1].action = 'route.changed'",
		    "audit[5].action = 'route.created'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(domain_routes, are_so_many)
{
	g_autofree char *path = domain_routes_new();
	g_autofree char *routes = g_strconcat(path, "/routes", NULL);

	for (guint i = 1; i <= LIMIT_RECEIVED_ROUTES; i++) {
		g_autofree char *body = g_strdup_printf("{'match':'m%u'}", i);
		bool fits = i < LIMIT_RECEIVED_ROUTES;
		const struct exchange add = {"one more", "POST", routes, body, fits ? 200 : 409,
		    fits ? NULL : "{'message':'Limit reached: at most 100 routes'}"};

		answer_free(exchange_expect(fixture, &add));
	}
}

/* A cursor for a list that has one page is none that this list gave. */
Test(domain_routes, stand_on_one_page_as_other_lists)
{
	g_autofree char *domain = domain_routes_new();
	g_autofree char *routes = g_strconcat(domain, "/routes", NULL),
			*dmarc = g_strconcat(domain, "/dmarc", NULL);
	const char *const lists[] = {routes, dmarc, "/v1/properties", "/v1/streams"};

	for (guint i = 0; i < G_N_ELEMENTS(lists); i++) {
		g_autofree char *wrong = g_strconcat(lists[i], "?cursor=x", NULL),
				*empty = g_strconcat(lists[i], "?cursor=", NULL);
		const struct exchange exchanges[] = {
		    {wrong, "GET", wrong, NULL, 400, "{'message':'cursor is malformed'}"},
		    {empty, "GET", empty, NULL, 200, .want = {"cursor = null"}},
		};

		EXPECT_ALL(fixture, exchanges);
	}
}
