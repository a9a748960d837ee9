/* SPDX-License-Identifier: MIT */
/* The zone file, the keys and the relays of a domain, and the rotation of its keys. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(domain_parts, 900);

static char *
domain_new(void)
{
	AUTO(answer) answer =
	    audience_ask(fixture, "POST", "{'name':'mail.example.net'}", "/v1/domains");

	return g_strdup(answer_text(answer, "id"));
}

Test(domain_parts, are_a_zone_file)
{
	g_autofree char *id = domain_new();
	AUTO(answer) answer = audience_ask(fixture, "GET", NULL, "/v1/domains/%s/zone", id);
	const char *zone = answer_text(answer, "zone");

	cr_expect_str_eq(answer_text(answer, "name"), "mail.example.net");
	g_auto(GStrv) lines = g_strsplit(zone, "\n", -1);
	cr_assert_eq(g_strv_length(lines), 6u, "got %s", zone);
	cr_expect(strstr(lines[0], "._domainkey.mail.example.net."), "got %s", lines[0]);
	cr_expect(g_str_has_prefix(lines[2], "send.mail.example.net."), "got %s", lines[2]);
	cr_expect(strstr(lines[2], " MX 10 "), "got %s", lines[2]);
	cr_expect(g_str_has_prefix(lines[4], "_dmarc.mail.example.net."), "got %s", lines[4]);
	cr_expect_str_eq(lines[5], "");
}

/* The selector of the key at a place, which has this state. The caller owns it. */
static char *
domain_parts_selector_of(const char *id, guint place, const char *state)
{
	AUTO(answer) answer = audience_ask(fixture, "GET", NULL, "/v1/domains/%s/keys", id);
	g_autofree char *at = g_strdup_printf("keys[%u].state", place);
	g_autofree char *selector = g_strdup_printf("keys[%u].selector", place);

	cr_expect_str_eq(answer_text(answer, at), state, "got %s", answer->body);
	return g_strdup(answer_text(answer, selector));
}

Test(domain_parts, have_new_keys_beside_the_old)
{
	g_autofree char *id = domain_new();
	g_autofree char *path = g_strdup_printf("/v1/domains/%s/keys", id);
	g_autofree char *rotate = g_strdup_printf("/v1/domains/%s/rotate", id);
	g_autofree char *target = g_strdup_printf(
	    "audit[0].target = {'type':'domain','id':'%s','name':'mail.example.net'}", id);
	const struct exchange before[] = {
	    {"two", "GET", path, NULL, 200,
		.want = {"count = 2", "cursor = null", "keys[0].algorithm = 'rsa'",
		    "keys[0].state = 'signs'", "keys[0].found = false", "keys[0].created : integer",
		    "keys[0].retired_at = null", "keys[1].algorithm = 'ed25519'"}},
	};
	EXPECT_ALL(fixture, before);
	g_autofree char *old = domain_parts_selector_of(id, 0, "signs");
	const struct exchange rotated[] = {
	    {"rotated", "POST", rotate, NULL, 200,
		.want = {"name = 'mail.example.net'", "dns_records[3].for = 'DKIM'",
		    "dns_records[2].required = false", "dns_records[4].type = 'MX'"}},
	    {"four", "GET", path, NULL, 200, .want = {"count = 4"}},
	    {"audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'domain.changed'", target}},
	};
	EXPECT_ALL(fixture, rotated);
	g_autofree char *still = domain_parts_selector_of(id, 0, "signs"),
			*first = domain_parts_selector_of(id, 2, "new");
	cr_expect_str_eq(still, old);
	/* Keys that never signed are not kept. */
	answer_free(exchange_expect(fixture, &rotated[0]));
	g_autofree char *second = domain_parts_selector_of(id, 2, "new");
	cr_expect_str_neq(second, first);
	answer_free(exchange_expect(fixture, &rotated[1]));
}

Test(domain_parts, leave_by_relays)
{
	g_autofree char *id = domain_new();
	g_autofree char *path = g_strdup_printf("/v1/domains/%s/relays", id);
	const struct exchange by_default[] = {{"default", "GET", path, NULL, 200,
	    .want = {"route = 'default'", "relays[0].relay : string",
		"relays[0].rests_until = null", "relays[0].reason = null", "relays[1] = null"}}};
	const struct exchange of_workspace[] = {{"of the workspace", "GET", path, NULL, 200,
	    .want = {"route = 'workspace'", "relays = [{'relay':'mine','rests_until':null,"
					    "'reason':'the settings do not have it'}]"}}};
	const struct exchange of_domain[] = {{"its own", "GET", path, NULL, 200,
	    .want = {"route = 'domain'", "relays[0].relay = 'own'", "relays[1] = null"}}};

	EXPECT_ALL(fixture, by_default);
	test_db_plain(fixture->db, "UPDATE workspace SET relays = 'mine' WHERE id = @workspace");
	EXPECT_ALL(fixture, of_workspace);
	test_db_plain(
	    fixture->db, "UPDATE domain SET relays = 'own' WHERE workspace_id = @workspace");
	EXPECT_ALL(fixture, of_domain);
}

Test(domain_parts, are_of_the_workspace)
{
	static const struct {
		const char *method, *part;
	} parts[] = {{"GET", "zone"}, {"GET", "keys"}, {"GET", "relays"}, {"POST", "rotate"}};
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = domain_new();
	g_autofree char *reader = fixture_new_key(fixture, "read", NULL);
	g_autofree char *header = g_strconcat("Authorization: Bearer ", reader, NULL);
	static const char *const missing = "{'message':'Domain not found'}";

	for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
		const char *method = parts[i].method;
		bool reads = strcmp(method, "GET") == 0;
		g_autofree char *path = g_strdup_printf("/v1/domains/%s/%s", id, parts[i].part);
		const struct exchange exchange = {
		    parts[i].part, method, path, NULL, reads ? 200 : 403, .headers = {header}};

		answer_free(exchange_expect(fixture, &exchange));
		audience_expect(
		    other, method, NULL, 404, missing, "/v1/domains/%s/%s", id, parts[i].part);
		audience_expect(fixture, method, NULL, 404, missing, "/v1/domains/" UNKNOWN "/%s",
		    parts[i].part);
		audience_expect(
		    fixture, method, NULL, 404, missing, "/v1/domains/x/%s", parts[i].part);
	}
}
