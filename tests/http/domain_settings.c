/* SPDX-License-Identifier: MIT */
/* The settings of sending domains, and the hosts of their links (/v1/domains/{id}/settings). */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define MISSING "{'message':'Domain not found'}"
#define NOT_FOUND "{'message':'Not found'}"
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define LABEL63 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"
#define NO_LABEL "{'message':'custom_return_path must be a label of a host name'}"
#define NO_LABELS "{'message':'tracking_subdomain must be labels of a host name'}"
#define SAME "{'message':'tracking_subdomain must differ from custom_return_path'}"
#define NEEDS "{'message':'tracking_subdomain needs [service] tracking_host'}"
#define NO_TLS "{'message':'tls must be opportunistic or enforced'}"
#define NONE "'tracking':{'host':null,'status':'none','used':false,'checked':null,'error':null}}"

FIXTURE_SUITE(domain_settings, 300);

/* The path of a new domain's settings, which the caller owns. */
static char *
settings_register(const char *members)
{
	g_autofree char *body = g_strdup_printf("{%s}", members);
	const struct exchange exchange = {members, "POST", "/v1/domains", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup_printf("/v1/domains/%s/settings", answer_text(answer, "id"));
}

Test(domain_settings, are_read_and_changed)
{
	g_autofree char *path = settings_register("'name':'a.example.org'");
	g_autofree char *key = fixture_new_key(fixture, "read", NULL);
	g_autofree char *reader = g_strconcat("Authorization: Bearer ", key, NULL);
	const struct exchange exchanges[] = {
	    {"at first", "GET", path, NULL, 200,
		"{'tls':'opportunistic','tracking_subdomain':null,'custom_return_path':'send'"
		"," NONE,
		.headers = {reader}},
	    {"may not", "PATCH", path, "{'tls':'enforced'}", 403, .headers = {reader}},
	    {"TLS", "PATCH", path, "{'tls':'enforced'}", 200,
		"{'tls':'enforced','tracking_subdomain':null,'custom_return_path':'send'," NONE},
	    {"nothing", "PATCH", path, "{}", 200, .want = {"tls = 'enforced'"}},
	    {"no host", "PATCH", path, "{'tracking_subdomain':null}", 200,
		"{'tls':'enforced','tracking_subdomain':null,'custom_return_path':'send'," NONE},
	    {"other TLS", "PATCH", path, "{'tls':'none'}", 400, NO_TLS},
	    {"a number", "PATCH", path, "{'tls':7}", 400, "{'message':'tls must be a string'}"},
	    {"the return path", "PATCH", path, "{'custom_return_path':'send'}", 400,
		"{'message':'custom_return_path cannot be changed'}"},
	    {"no return path", "PATCH", path, "{'custom_return_path':null}", 200,
		.want = {"custom_return_path = 'send'", "tls = 'enforced'"}},
	    {"no labels", "PATCH", path, "{'tracking_subdomain':''}", 400, NO_LABELS},
	    {"an empty label", "PATCH", path, "{'tracking_subdomain':'a..b'}", 400, NO_LABELS},
	    {"a final dot", "PATCH", path, "{'tracking_subdomain':'a.'}", 400, NO_LABELS},
	    {"a hyphen", "PATCH", path, "{'tracking_subdomain':'-a'}", 400, NO_LABELS},
	    {"an underscore", "PATCH", path, "{'tracking_subdomain':'a_b'}", 400, NO_LABELS},
	    {"a line end", "PATCH", path, "{'tracking_subdomain':'a\\nb'}", 400, NO_LABELS},
	    {"no host of the service", "PATCH", path, "{'tracking_subdomain':'" LABEL63 "'}", 400,
		NEEDS},
	    {"64 characters", "PATCH", path, "{'tracking_subdomain':'l" LABEL63 "'}", 400,
		NO_LABELS},
	    {"the return path's", "PATCH", path, "{'tracking_subdomain':'Send'}", 400, SAME},
	    {"no domain", "GET", "/v1/domains/" UNKNOWN "/settings", NULL, 404, MISSING},
	    {"no domain to change", "PATCH", "/v1/domains/" UNKNOWN "/settings", "{}", 404,
		MISSING},
	    {"no id", "GET", "/v1/domains/x/settings", NULL, 404, MISSING},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(domain_settings, begin_with_the_domain)
{
	const struct exchange exchanges[] = {
	    {"all", "POST", "/v1/domains",
		"{'name':'b.example.org','tls':'enforced','custom_return_path':'Bounce'}", 200,
		.want = {"dns_records[2].type = 'MX'", "dns_records[2].name = 'bounce'",
		    "dns_records[3].name = 'bounce'", "dns_records[5] : null"}},
	    {"the reports, too", "POST", "/v1/domains",
		"{'name':'c.example.org','receiving':true,'override':true,"
		"'custom_return_path':'mail-1'}",
		200, .want = {"dns_records[6].for = 'TLS reports'"}},
	    {"nulls", "POST", "/v1/domains",
		"{'name':'d.example.org','tls':null,'tracking_subdomain':null,"
		"'custom_return_path':null}",
		200, .want = {"dns_records[2].name = 'send'", "dns_records[5] : null"}},
	    {"63", "POST", "/v1/domains",
		"{'name':'e.example.org','custom_return_path':'" LABEL63 "'}", 200},
	    {"64", "POST", "/v1/domains",
		"{'name':'f.example.org','custom_return_path':'l" LABEL63 "'}", 400, NO_LABEL},
	    {"empty", "POST", "/v1/domains", "{'name':'f.example.org','custom_return_path':''}",
		400, NO_LABEL},
	    {"two", "POST", "/v1/domains", "{'name':'f.example.org','custom_return_path':'a.b'}",
		400, NO_LABEL},
	    {"a hyphen", "POST", "/v1/domains",
		"{'name':'f.example.org','custom_return_path':'a-'}", 400, NO_LABEL},
	    {"TLS", "POST", "/v1/domains", "{'name':'f.example.org','tls':'x'}", 400, NO_TLS},
	    {"labels", "POST", "/v1/domains", "{'name':'f.example.org','tracking_subdomain':'*'}",
		400, NO_LABELS},
	    {"both alike", "POST", "/v1/domains",
		"{'name':'f.example.org','tracking_subdomain':'x','custom_return_path':'X'}", 400,
		SAME},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* A longer label leaves less room for the domain in the unsubscribe address. */
Test(domain_settings, leave_room_for_return_paths)
{
	for (gsize length = 191; length <= 192; length++) {
		g_autoptr(GString) name = g_string_new(NULL);
		while (name->len < length - strlen(".org"))
			g_string_append_c(name, name->len % 50 == 49 ? '.' : 'a');
		g_string_append(name, ".org");
		g_autofree char *body =
		    g_strdup_printf("{'name':'%s','custom_return_path':'sends'}", name->str);
		const struct exchange exchange = {"room", "POST", "/v1/domains", body,
		    length == 191 ? 200 : 400,
		    length == 191
			? NULL
			: "{'message':'name must be at most 191 characters in ASCII, where it "
			  "has 192: a longer one leaves no room for the return path'}"};
		answer_free(exchange_expect(fixture, &exchange));
	}
}

Test(domain_settings, prove_the_installation)
{
	const char *wide = "/health?proof=" LABEL63 "m", *wider = "/health?proof=" LABEL63 "mn";
	const struct exchange exchanges[] = {
	    {"without", "GET", "/health", NULL, 200, .want_header = {"X-Posthouse-Proof:"}},
	    {"empty", "GET", "/health?proof=", NULL, 200, .want_header = {"X-Posthouse-Proof:"}},
	    {"65", "GET", wider, NULL, 200, .want_header = {"X-Posthouse-Proof:"}},
	    {"a character", "GET", "/health?proof=a.b", NULL, 200,
		.want_header = {"X-Posthouse-Proof:"}},
	};
	const struct exchange asked[] = {
	    {"64", "GET", wide, NULL, 200, .headers = {"Host: a.example.org"}},
	    {"again, in capitals, with a port", "GET", wide, NULL, 200,
		.headers = {"Host: A.example.org:80"}},
	    {"another host", "GET", wide, NULL, 200, .headers = {"Host: b.example.org"}},
	    {"another question", "GET", "/health?proof=x", NULL, 200,
		.headers = {"Host: a.example.org"}},
	};
	char *proofs[G_N_ELEMENTS(asked)];

	EXPECT_ALL(fixture, exchanges);
	for (guint i = 0; i < G_N_ELEMENTS(asked); i++) {
		AUTO(answer) answer = exchange_expect(fixture, &asked[i]);
		proofs[i] = answer_header(answer, "X-Posthouse-Proof");
		cr_expect(proofs[i] && strlen(proofs[i]) == 43, "%s: %s", asked[i].name, proofs[i]);
		cr_expect((g_strcmp0(proofs[i], proofs[0]) == 0) == (i < 2), "%s", asked[i].name);
	}
	for (guint i = 0; i < G_N_ELEMENTS(asked); i++)
		g_free(proofs[i]);
}
