/* SPDX-License-Identifier: MIT */
/* Sending domains: registering, reading, checking, changing, listing, deleting. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/domain.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define MISSING "{'message':'Domain not found'}"
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

#define LABEL63 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"
#define LETTERS55                                                                                  \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" /* with ü in front, 63 in ASCII \
								   */

FIXTURE_SUITE(domains, 900);

/* A new domain's id, which the caller owns. */
static char *
domains_register_domain(const char *name)
{
	g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
	const struct exchange exchange = {name, "POST", "/v1/domains", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

static char *
domains_path_of(const char *id, const char *more)
{
	return g_strdup_printf("/v1/domains/%s%s", id, more);
}

/* Labels of 61 and one of the rest, then ".co". */
static char *
domains_name_of(gsize length)
{
	GString *name = g_string_new(NULL);

	while (length - name->len > 64) {
		for (guint i = 0; i < 61; i++)
			g_string_append_c(name, 'a');
		g_string_append_c(name, '.');
	}
	while (name->len < length - strlen(".co"))
		g_string_append_c(name, 'b');
	g_string_append(name, ".co");
	return g_string_free(name, FALSE);
}

Test(domains, check_their_names)
{
	g_autofree char *most = domains_name_of(LIMIT_SENDER_DOMAIN_LENGTH);
	g_autofree char *more = domains_name_of(LIMIT_SENDER_DOMAIN_LENGTH + 1);
	g_autofree char *described = domains_name_of(LIMIT_DOMAIN_LENGTH);
	g_autofree char *beyond = domains_name_of(LIMIT_DOMAIN_LENGTH + 1);
	g_autofree char *widest = g_strdup_printf("{'name':'%s'}", described);
	g_autofree char *past = g_strdup_printf("{'name':'%s'}", beyond);
	g_autofree char *longest = g_strdup_printf("{'name':'%s'}", most);
	g_autofree char *too_long = g_strdup_printf("{'name':'%s'}", more);
	g_autofree char *want = g_strdup_printf("name = '%s'", most);
	g_autofree char *wide = g_strdup_printf("{'name':'\u00fc%s'}", most + 8);
	g_autofree char *too_wide = g_strdup_printf("{'name':'\u00fc%s'}", most + 7);
	const struct exchange exchanges[] = {
	    {"none", "POST", "/v1/domains", "{}", 400, "{'message':'name is required'}"},
	    {"null", "POST", "/v1/domains", "{'name':null}", 400, "{'message':'name is required'}"},
	    {"a number", "POST", "/v1/domains", "{'name':7}", 400,
		"{'message':'name must be a string'}"},
	    {"3 characters", "POST", "/v1/domains", "{'name':'a.b'}", 400,
		"{'message':'name must be 4 to 253 characters'}"},
	    {"4 characters", "POST", "/v1/domains", "{'name':'x.co'}", 200,
		.want = {"name = 'x.co'"}},
	    {"192 characters", "POST", "/v1/domains", longest, 200, .want = {want}},
	    {"193 characters", "POST", "/v1/domains", too_long, 400,
		"{'message':'name must be at most 192 characters in ASCII, where it has 193: a "
		"longer "
		"one leaves no room for the return path'}"},
	    {"253 characters", "POST", "/v1/domains", widest, 400,
		"{'message':'name must be at most 192 characters in ASCII, where it has 253: a "
		"longer "
		"one leaves no room for the return path'}"},
	    {"254 characters", "POST", "/v1/domains", past, 400,
		"{'message':'name must be 4 to 253 characters'}"},
	    {"192 in ASCII", "POST", "/v1/domains", wide, 200},
	    {"193 in ASCII", "POST", "/v1/domains", too_wide, 400,
		"{'message':'name must be at most 192 characters in ASCII, where it has 193: a "
		"longer "
		"one leaves no room for the return path'}"},
	    {"a label of 63", "POST", "/v1/domains", "{'name':'" LABEL63 ".example.net'}", 200},
	    {"a label of 64", "POST", "/v1/domains", "{'name':'" LABEL63 "l.example.net'}", 400,
		"{'message':'name must be a valid domain name'}"},
	    {"a label of 63 in ASCII", "POST", "/v1/domains",
		"{'name':'\u00fc" LETTERS55 ".example.net'}", 200},
	    {"a label of 64 in ASCII", "POST", "/v1/domains",
		"{'name':'\u00fc" LETTERS55 "a.example.net'}", 400,
		"{'message':'name must be a valid domain name'}"},
	    {"one label", "POST", "/v1/domains", "{'name':'localhost'}", 400,
		"{'message':'name must be a valid domain name'}"},
	    {"an address", "POST", "/v1/domains", "{'name':'192.0.2.1'}", 400,
		"{'message':'name must be a valid domain name'}"},
	    {"a space", "POST", "/v1/domains", "{'name':'a b.example'}", 400,
		"{'message':'name must be a valid domain name'}"},
	    {"a hyphen in front", "POST", "/v1/domains", "{'name':'-a.example'}", 400,
		"{'message':'name must be a valid domain name'}"},
	    {"a public suffix", "POST", "/v1/domains", "{'name':'co.uk'}", 400,
		"{'message':'name must not be a public suffix'}"},
	    {"another script", "POST", "/v1/domains", "{'name':'Bücher.example.net'}", 200,
		.want = {"name = 'xn--bcher-kva.example.net'"}},
	    {"the same in ASCII", "POST", "/v1/domains", "{'name':'XN--bcher-kva.example.NET'}",
		409, "{'message':'Domain xn--bcher-kva.example.net is registered already'}"},
	    {"capitals", "POST", "/v1/domains", "{'name':'Mail.Example.NET.'}", 200,
		.want = {"name = 'mail.example.net'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The form of a provider takes a name relative to the registered domain. A record has the members
   of the service's description and no others. */
Test(domains, name_the_records_of_sub_domains)
{
	AUTO(answer) made =
	    audience_ask(fixture, "POST", "{'name':'shop.shop.example.org'}", "/v1/domains");
	g_autofree char *path = g_strconcat("/v1/domains/", answer_text(made, "id"), NULL);
	const struct exchange exchange = {"read", "GET", path, NULL, 200,
	    .want = {"dns_records[2].name = 'send.shop.shop'",
		"dns_records[4].name = '_dmarc.shop.shop'", "dns_records[4].full_name : absent"}};

	cr_expect_str_eq(answer_text(made, "dns_records[2].name"), "send");
	answer_free(exchange_expect(fixture, &exchange));
}

Test(domains, begin_with_their_records)
{
	const struct exchange exchange = {"registered", "POST", "/v1/domains",
	    "{'name':'a.b.example.net'}", 200,
	    .want = {"id : string", "name = 'a.b.example.net'", "status = 'NOT_STARTED'",
		"verification_info : absent", "created : absent", "created_by : absent",
		"dns_records[0].type = 'TXT'", "dns_records[0].for = 'DKIM'",
		"dns_records[0].required = true", "dns_records[0].priority : absent",
		"dns_records[0].status : absent", "dns_records[1].required = false",
		"dns_records[2].name = 'send'", "dns_records[3].name = 'send'",
		"dns_records[4].name = '_dmarc'", "dns_records[4].full_name : absent"}};
	const struct exchange again = {"records", "POST", "/v1/domains", "{'name':'c.example.net'}",
	    200,
	    .want = {"dns_records[1].type = 'TXT'", "dns_records[1].for = 'DKIM'",
		"dns_records[2].type = 'MX'", "dns_records[2].for = 'MAIL FROM domain'",
		"dns_records[2].priority = 10", "dns_records[2].required = true",
		"dns_records[2].value : string", "dns_records[3].type = 'TXT'",
		"dns_records[3].for = 'MAIL FROM domain'",
		"dns_records[3].value = 'v=spf1 mx ~all'", "dns_records[3].required = true",
		"dns_records[4].type = 'TXT'", "dns_records[4].required = false",
		"dns_records[4].value : string",
		"dns_records[4].for = 'DMARC (highly recommended)'"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const char *rsa = answer_text(answer, "dns_records[0].name");
	const char *ed25519 = answer_text(answer, "dns_records[1].name");

	cr_expect_eq(json_array_length(answer_at(answer, "dns_records")), 5);
	cr_expect(
	    g_regex_match_simple("^ph[0-9]{8}-[0-9a-f]{6}\\._domainkey$", rsa, 0, 0), "%s", rsa);
	cr_expect(g_regex_match_simple("^ph[0-9]{8}-[0-9a-f]{6}-ed\\._domainkey$", ed25519, 0, 0),
	    "%s", ed25519);
	cr_expect(g_str_has_prefix(
	    answer_text(answer, "dns_records[0].value"), "v=DKIM1; k=rsa; p=MIIB"));
	cr_expect(g_str_has_prefix(
	    answer_text(answer, "dns_records[1].value"), "v=DKIM1; k=ed25519; p="));
	answer_free(exchange_expect(fixture, &again));
}

Test(domains, show_all_their_fields)
{
	g_autofree char *id = domains_register_domain("a.b.example.net");
	g_autofree char *path = domains_path_of(id, "");
	const struct exchange exchanges[] = {
	    {"fields", "GET", path, NULL, 200,
		.want = {"name = 'a.b.example.net'", "status = 'NOT_STARTED'",
		    "verified_for_sending_status = false",
		    "verification_info = {'last_checked_timestamp':null,"
		    "'last_success_timestamp':null,'error_type':null,'soa_record':{}}",
		    "public_key : string", "dns_records : array", "created : integer",
		    "is_warmed_up = false", "warmed_up_at = null",
		    "created_by.email = 'ann@example.com'", "created_by.first_name = null",
		    "created_by.profile_picture : string", "created_by.type = 'user'",
		    "open_tracking_enabled = false", "click_tracking_enabled = false"}},
	    {"records", "GET", path, NULL, 200,
		.want = {"dns_records[2].name = 'send.a.b'", "dns_records[3].name = 'send.a.b'",
		    "dns_records[4].name = '_dmarc.a.b'", "dns_records[0].status = null",
		    "dns_records[0].found = null", "dns_records[2].priority = 10",
		    "dns_records[3].priority : absent"}},
	    {"in a list", "GET", "/v1/domains", NULL, 200,
		.want = {"count = 2", "cursor = null", "domains[0].name = 'a.b.example.net'",
		    "domains[1].name = '" FIXTURE_DOMAIN "'", "domains[1].status = 'SUCCESS'",
		    "domains[1].verified_for_sending_status = true",
		    "domains[1].created_by.email = 'ann@example.com'",
		    "domains[0].created_by.email = 'ann@example.com'",
		    "domains[0].dns_records[2].name = 'send.a.b'",
		    "domains[0].dns_records[0].status : absent",
		    "domains[0].verification_info.soa_record = {}",
		    "domains[0].public_key : string", "domains[0].created : integer",
		    "domains[0].created_by.type : absent",
		    "domains[0].open_tracking_enabled : absent"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The suite's DNS server never answers. */
Test(domains, are_checked_when_that_is_asked_for)
{
	g_autofree char *id = domains_register_domain("d.example.net");
	g_autofree char *path = domains_path_of(id, ""), *verify = domains_path_of(id, "/verify");
	const struct exchange exchanges[] = {
	    {"checked", "POST", verify, NULL, 200,
		.want = {"status = 'NOT_STARTED'",
		    "verification_info.last_checked_timestamp : string",
		    "verification_info.last_success_timestamp = null",
		    "verification_info.error_type = 'DNS_SERVER_ERROR'",
		    "dns_records[0].status = null", "open_tracking_enabled = false"}},
	    {"read", "GET", path, NULL, 200,
		.want = {"verification_info.error_type = 'DNS_SERVER_ERROR'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) answer = exchange_expect(fixture, &exchanges[1]);
	const char *time = answer_text(answer, "verification_info.last_checked_timestamp");
	cr_expect(g_regex_match_simple(
		      "^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z$", time, 0, 0),
	    "%s", time);
}

Test(domains, have_two_switches)
{
	g_autofree char *id = domains_register_domain("d.example.net");
	g_autofree char *path = domains_path_of(id, "");
	const struct exchange exchanges[] = {
	    {"one", "PATCH", path, "{'open_tracking_enabled':true}", 200,
		.want = {"open_tracking_enabled = true", "click_tracking_enabled = false"}},
	    {"the other", "PATCH", path, "{'click_tracking_enabled':true}", 200,
		.want = {"open_tracking_enabled = true", "click_tracking_enabled = true"}},
	    {"none", "PATCH", path, "{'name':'x.example','open_tracking_enabled':null}", 200,
		.want = {"open_tracking_enabled = true", "name = 'd.example.net'"}},
	    {"both", "PATCH", path,
		"{'open_tracking_enabled':false,'click_tracking_enabled':false}", 200,
		.want = {"open_tracking_enabled = false", "click_tracking_enabled = false"}},
	    {"no boolean", "PATCH", path, "{'open_tracking_enabled':1}", 400,
		"{'message':'open_tracking_enabled must be a boolean'}"},
	    {"the other, no boolean", "PATCH", path, "{'click_tracking_enabled':'yes'}", 400,
		"{'message':'click_tracking_enabled must be a boolean'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

static void
expect_missing(const char *name, const char *id)
{
	g_autofree char *path = domains_path_of(id, ""), *verify = domains_path_of(id, "/verify");
	const struct exchange exchanges[] = {
	    {name, "GET", path, NULL, 404, MISSING},
	    {name, "PATCH", path, "{}", 404, MISSING},
	    {name, "POST", verify, NULL, 404, MISSING},
	    {name, "DELETE", path, NULL, 404, MISSING},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(domains, are_those_of_the_workspace)
{
	AUTO(fixture) other = fixture_open();
	const struct exchange list = {"their list", "GET", "/v1/domains", NULL, 200};
	AUTO(answer) theirs = exchange_expect(other, &list);

	expect_missing("unknown", UNKNOWN);
	expect_missing("no id", "x");
	expect_missing("somebody else's", answer_text(theirs, "domains[0].id"));
	AUTO(answer) still = exchange_expect(other, &list);
	cr_expect_str_eq(still->body, theirs->body);
}

Test(domains, need_a_key_that_may)
{
	g_autofree char *id = domains_register_domain("d.example.net");
	g_autofree char *path = domains_path_of(id, ""), *verify = domains_path_of(id, "/verify");
	g_autofree char *read = fixture_new_key(fixture, "read", NULL);
	g_autofree char *send = fixture_new_key(fixture, "send", NULL);
	g_autofree char *as_read = g_strconcat("Authorization: Bearer ", read, NULL);
	g_autofree char *as_send = g_strconcat("Authorization: Bearer ", send, NULL);
	const struct exchange exchanges[] = {
	    {"list", "GET", "/v1/domains", NULL, 200, .headers = {as_read}},
	    {"read", "GET", path, NULL, 200, .headers = {as_read}},
	    {"register", "POST", "/v1/domains", "{'name':'e.example.net'}", 403,
		.headers = {as_read}},
	    {"check", "POST", verify, NULL, 403, .headers = {as_read}},
	    {"change", "PATCH", path, "{}", 403, .headers = {as_read}},
	    {"delete", "DELETE", path, NULL, 403, .headers = {as_read}},
	    {"list to send", "GET", "/v1/domains", NULL, 403, .headers = {as_send}},
	    {"register to send", "POST", "/v1/domains", "{'name':'e.example.net'}", 403,
		.headers = {as_send}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(domains, send_no_more_when_they_are_gone)
{
	g_autofree char *id = domains_register_domain("d.example.net");
	g_autofree char *path = domains_path_of(id, "");
	static const char email[] = "{'from':'a@d.example.net','to':'b@example.org',"
				    "'subject':'S','html':'<p>H'}";
	const struct exchange exchanges[] = {
	    {"not verified", "POST", "/v1/emails", email, 403,
		"{'message':'Domain d.example.net is not verified'}"},
	    {"deleted", "DELETE", path, NULL, 200, "{'message':'Domain deleted'}"},
	    {"deleted before", "DELETE", path, NULL, 404, MISSING},
	    {"gone", "POST", "/v1/emails", email, 403,
		"{'message':'Domain d.example.net is not registered'}"},
	    {"registered again", "POST", "/v1/domains", "{'name':'d.example.net'}", 200},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* As many more domains, without keys. */
static void
domains_make_domains(guint count)
{
	static const char sql[] =
	    "INSERT INTO domain (id, workspace_id, name, status, trusted, created) SELECT"
	    " UNHEX(CONCAT('00', SUBSTR(SHA2(CONCAT(HEX(?), seq), 256), 1, 30))), ?,"
	    " CONCAT('d', seq, '.example.net'), 1, 0, 1 FROM seq_1_to_1000 WHERE seq <= ?";
	g_autoptr(GError) error = NULL;

	cr_assert(
	    db_run(fixture->db, sql,
		DB_VALUES(db_id(&fixture->id), db_id(&fixture->id), db_int(count)), NULL, &error),
	    "%s", error ? error->message : "");
}

/* Counts the domains on all pages, each once, and the pages. */
static guint
count_pages(guint *pages_r)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *path = g_strdup("/v1/domains");

	for (*pages_r = 0; path; ++*pages_r) {
		const struct exchange exchange = {path, "GET", path, NULL, 200};
		AUTO(answer) page = exchange_expect(fixture, &exchange);
		guint count = (guint)json_array_length(answer_at(page, "domains"));
		const struct json *cursor = answer_at(page, "cursor");

		cr_expect_eq(json_integer(answer_at(page, "count")), count);
		for (guint i = 0; i < count; i++) {
			g_autofree char *place = g_strdup_printf("domains[%u].id", i);
			const char *id = answer_text(page, place);
			cr_expect(g_hash_table_add(seen, g_strdup(id)), "%s twice", id);
		}
		g_free(path);
		path = cursor ? g_strconcat("/v1/domains?cursor=", json_string(cursor, NULL), NULL)
			      : NULL;
	}
	return g_hash_table_size(seen);
}

Test(domains, are_listed_fifty_a_page)
{
	static const struct {
		guint more, want_pages;
	} cases[] = {{48, 1}, {49, 1}, {50, 2}, {120, 3}};
	guint pages;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_db_plain(fixture->db,
		    "DELETE FROM domain WHERE workspace_id = @workspace AND created = 1");
		domains_make_domains(cases[i].more);
		guint count = count_pages(&pages);
		cr_expect_eq(count, cases[i].more + 1, "%u: got %u", cases[i].more + 1, count);
		cr_expect_eq(pages, cases[i].want_pages, "%u: %u pages", count, pages);
	}
	const struct exchange wrong = {"cursor", "GET", "/v1/domains?cursor=x", NULL, 400,
	    "{'message':'cursor is malformed'}"};
	answer_free(exchange_expect(fixture, &wrong));
}

/* The picture of the user, below the address of the service. */
static const char *
avatar_path(const struct answer *list)
{
	const char *url = answer_text(list, "domains[0].created_by.profile_picture");

	cr_assert(g_str_has_prefix(url, fixture->instance->url), "%s", url);
	return url + strlen(fixture->instance->url);
}

static void
expect_avatar(const char *path, const char *name, const char *want)
{
	static const char sql[] = "UPDATE user SET first_name = ? WHERE workspace_id = ?";
	const struct exchange exchange = {name, "GET", path, NULL, 200,
	    .headers = {"Authorization:"},
	    .want_header = {"Content-Type: image/svg+xml", "Cache-Control: public, max-age=3600",
		"X-Content-Type-Options: nosniff", "Content-Security-Policy: default-src 'none'"}};

	cr_assert(
	    db_run(fixture->db, sql, DB_VALUES(db_text(name), db_id(&fixture->id)), NULL, NULL));
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	g_autofree char *text = g_strdup_printf(">%s</text>", want);
	cr_expect(strstr(answer->body, text), "%s: want %s in %s", name, want, answer->body);
}

Test(domains, lead_to_a_picture_of_who_made_them)
{
	static const struct {
		const char *name, *want;
	} cases[] = {{"Ann", "A"}, {"élise", "É"}, {"<script>", "&lt;"}, {"\"quoted\"", "&quot;"},
	    {" \1 ann", "A"}, {"\1", "A"}, {"", "A"}, {NULL, "A"}};
	const struct exchange list = {"list", "GET", "/v1/domains", NULL, 200};
	g_autofree char *id = domains_register_domain("d.example.net");
	AUTO(answer) answer = exchange_expect(fixture, &list);
	const char *path = avatar_path(answer);
	const struct exchange missing[] = {
	    {"unknown", "GET", "/avatar/" UNKNOWN ".svg", NULL, 404,
		"{'message':'User not found'}"},
	    {"no id", "GET", "/avatar/x.svg", NULL, 404, "{'message':'User not found'}"},
	    {"another type", "GET", "/avatar/" UNKNOWN ".png", NULL, 404,
		"{'message':'User not found'}"},
	    {"another method", "POST", "/avatar/x.svg", NULL, 405},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_avatar(path, cases[i].name, cases[i].want);
	EXPECT_ALL(fixture, missing);
}
