/* SPDX-License-Identifier: MIT */
/* Sending domains with a DNS server of the test, from registration to a message that verifies. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/support/db.h"
#include "tests/support/nsd.h"

#define ZONE "example.org"
#define MINUTE_MS ((gint64)60 * 1000)
#define HOUR_MS (60 * MINUTE_MS)

static const char *const zones[] = {ZONE, NULL};

static struct fixture *fixture;
static struct test_nsd *nsd;

static void
domain_dns_begin(void)
{
	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	fixture = fixture_open();
	nsd = test_nsd_start(zones);
	g_autofree char *servers = g_strconcat("dns.servers=", test_nsd_address(nsd), NULL);
	ALONE_SET(fixture, servers, "service.mail_from_mx=mx.host.example",
	    "service.spf=include:relay.example");
}

static void
domain_dns_end(void)
{
	if (!fixture)
		return;
	test_nsd_stop(nsd);
	fixture_close(fixture);
}

TestSuite(domain_dns, .init = domain_dns_begin, .fini = domain_dns_end, .timeout = 900);

/* A new domain's path, which the caller owns. */
static char *
domain_dns_register_domain(const char *name)
{
	g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
	const struct exchange exchange = {name, "POST", "/v1/domains", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strconcat("/v1/domains/", answer_text(answer, "id"), NULL);
}

static struct answer *
get(const char *path)
{
	const struct exchange exchange = {path, "GET", path, NULL, 200};

	return exchange_expect(fixture, &exchange);
}

static const char *
domain_dns_text_of(const struct json *record, const char *name)
{
	return json_string(json_member_get(record, name), NULL);
}

/* A text in strings that DNS takes. */
static void
domain_dns_append_strings(GString *line, const char *text)
{
	for (gsize at = 0, size = strlen(text); at < size; at += 200)
		g_string_append_printf(line, " \"%.200s\"", text + at);
}

/* Publishes the DNS records that GET shows, except those whose name or value contains a text, and
   adds more lines. */
static void
domain_dns_publish(const char *path, const char *without, const char *more)
{
	AUTO(answer) answer = get(path);
	const struct json *records = answer_at(answer, "dns_records");
	g_autoptr(GString) zone = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(records); i++) {
		const struct json *record = json_array_at(records, i);
		const char *name = domain_dns_text_of(record, "name"),
			   *value = domain_dns_text_of(record, "value");

		if (without && (strstr(name, without) || strstr(value, without)))
			continue;
		g_string_append_printf(zone, "%s IN %s", name, domain_dns_text_of(record, "type"));
		if (strcmp(domain_dns_text_of(record, "type"), "MX") == 0)
			g_string_append_printf(zone, " %d %s.",
			    (int)json_integer(json_member_get(record, "priority")), value);
		else
			domain_dns_append_strings(zone, value);
		g_string_append_c(zone, '\n');
	}
	g_string_append(zone, more);
	test_nsd_set(nsd, ZONE, zone->str);
}

static void
verify(const char *path, const char *want)
{
	g_autofree char *verify = g_strconcat(path, "/verify", NULL);
	const struct exchange exchange = {want, "POST", verify, NULL, 200, .want = {want}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* Skips the test unless dkimpy and its modules for DNS and Ed25519 are installed. */
static void
need_judge(void)
{
	const char *const argv[] = {
	    "/usr/bin/python3", "-c", "import dkim, dns.resolver, nacl.signing", NULL};
	int status = 1;

	if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
		NULL, &status, NULL) ||
	    status != 0)
		cr_skip_test("dkimpy is not installed");
}

static char *
domain_dns_judge(const char *file)
{
	const char *top = g_getenv("srcdir");
	g_autofree char *script =
	    g_build_filename(top ? top : ".", "tests", "http", "dkim_dns.py", NULL);
	const char *const argv[] = {"/usr/bin/python3", script, test_nsd_address(nsd), file, NULL};
	char *output = NULL;
	g_autofree char *errors = NULL;
	g_autoptr(GError) error = NULL;

	cr_assert(
	    g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, &output, &errors, NULL, &error),
	    "%s", error ? error->message : "");
	cr_expect_str_eq(errors, "", "%s", errors);
	return output;
}

/* The result of dkimpy for a message. */
static void
expect_signatures(const char *name, GBytes *message, const char *want)
{
	g_autofree char *file = NULL;
	g_autoptr(GError) error = NULL;
	gsize size;
	const char *bytes = g_bytes_get_data(message, &size);
	int handle = g_file_open_tmp("posthouse-XXXXXX.eml", &file, &error);

	cr_assert(handle >= 0 && g_close(handle, NULL) &&
		      g_file_set_contents(file, bytes, (gssize)size, &error),
	    "%s", error ? error->message : "");
	g_autofree char *got = domain_dns_judge(file);
	g_remove(file);
	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

static void
domain_dns_refuse(const char *from, const char *want)
{
	g_autofree char *change = g_strdup_printf("'from':'%s'", from);
	const struct refusal refusal = {from, change, want, 403};

	email_refuse_all(fixture, &refusal, 1);
}

/* The stored keys match the published ones. The signing domain and the domain of the return path
   are those of From or above it: aligned, in the terms of DMARC (RFC 7489 section 3.1). */
/* The front /resend looks at once, too, and tells the result in get. */
Test(domain_dns, is_looked_at_under_resend)
{
	g_autofree char *path = domain_dns_register_domain(ZONE);
	const char *id = strrchr(path, '/') + 1;
	g_autofree char *get = g_strconcat("/resend/domains/", id, NULL);
	g_autofree char *look = g_strconcat(get, "/verify", NULL);
	g_autofree char *done = g_strdup_printf("{'object':'domain','id':'%s'}", id);
	const struct exchange exchanges[] = {
	    {"look", "POST", look, NULL, 200, done},
	    {"the result", "GET", get, .want_status = 200,
		.want = {"status = 'verified'", "records[0].status = 'verified'",
		    "records[1].status = 'verified'", "records[2].status = 'verified'",
		    "records[3].status = 'verified'"}},
	};

	domain_dns_publish(path, NULL, "");
	EXPECT_ALL(fixture, exchanges);
}

Test(domain_dns, lets_others_verify_what_is_sent)
{
	need_judge();
	g_autofree char *path = domain_dns_register_domain("mail." ZONE);

	domain_dns_refuse("a@mail." ZONE, "Domain mail." ZONE " is not verified");
	domain_dns_refuse("a@deep.er.mail." ZONE, "Domain deep.er.mail." ZONE " is not verified");
	domain_dns_publish(path, NULL, "");
	verify(path, "status = 'SUCCESS'");
	domain_dns_refuse("a@" ZONE, "Domain " ZONE " is not registered");
	domain_dns_refuse("a@other." ZONE, "Domain other." ZONE " is not registered");
	static const char *const senders[] = {"a@mail." ZONE, "a@deep.er.mail." ZONE};
	for (gsize i = 0; i < G_N_ELEMENTS(senders); i++) {
		g_autofree char *change = g_strdup_printf("'from':'%s'", senders[i]);
		g_autofree char *id = email_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);

		cr_expect(
		    g_str_has_suffix(arrival->sender, "@send.mail." ZONE), "%s", arrival->sender);
		expect_signatures(senders[i], arrival->bytes,
		    "good rsa-sha256 mail." ZONE "\ngood ed25519-sha256 mail." ZONE "\n");
		g_autofree char *place = g_strconcat("/v1/emails/", id, NULL);
		AUTO(answer) email = get(place);
		cr_expect_str_eq(answer_text(email, "domain_id"), path + strlen("/v1/domains/"));
	}
}

/* dkimpy does refuse a changed message, and a key that is not published any more. */
Test(domain_dns, lets_others_see_what_was_tampered_with)
{
	need_judge();
	g_autofree char *path = domain_dns_register_domain(ZONE);

	domain_dns_publish(path, NULL, "");
	verify(path, "status = 'SUCCESS'");
	g_autofree char *id = email_send(fixture, "'from':'a@" ZONE "'");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	expect_signatures("as it came", arrival->bytes,
	    "good rsa-sha256 " ZONE "\ngood ed25519-sha256 " ZONE "\n");
	g_autoptr(GString) changed = g_string_new_len(
	    g_bytes_get_data(arrival->bytes, NULL), (gssize)g_bytes_get_size(arrival->bytes));
	cr_assert_gt(g_string_replace(changed, "Hi", "Ho", 0), 0);
	g_autoptr(GBytes) tampered = g_bytes_new(changed->str, changed->len);
	expect_signatures("tampered with", tampered,
	    "bad (ValidationError) rsa-sha256 " ZONE "\nbad (ValidationError) ed25519-sha256 " ZONE
	    "\n");
	domain_dns_publish(path, "-ed", "");
	expect_signatures("without a key", arrival->bytes,
	    "good rsa-sha256 " ZONE "\nbad (False) ed25519-sha256 " ZONE "\n");
}

static const struct error_case {
	const char *name;
	const char *without, *more; /* see publish */
	const char *want[12];
} cases[] = {
    {"nothing", "", "",
	{"status = 'PENDING'", "verified_for_sending_status = false",
	    "verification_info.error_type = 'HOST_NOT_FOUND'",
	    "verification_info.last_checked_timestamp : string",
	    "verification_info.last_success_timestamp = null",
	    "verification_info.soa_record.primary_name_server = 'ns1.example.org'",
	    "verification_info.soa_record.admin_email = 'host.master@example.org'",
	    "verification_info.soa_record.serial_number : integer",
	    "dns_records[0].status = 'missing'", "dns_records[0].found = null"}},
    {"another type", "send", "send IN A 127.0.0.1\n",
	{"status = 'PENDING'", "verification_info.error_type = 'TYPE_NOT_FOUND'",
	    "dns_records[1].status = 'found'", "dns_records[2].status = 'missing'",
	    "dns_records[2].found = null", "dns_records[3].status = 'missing'"}},
    {"another value", "send", "send IN MX 5 mx.else.test.\nsend IN TXT \"v=spf1 -all\"\n",
	{"status = 'PENDING'", "verification_info.error_type = 'INVALID_VALUE'",
	    "dns_records[2].status = 'wrong'", "dns_records[2].found = '5 mx.else.test'",
	    "dns_records[3].status = 'wrong'", "dns_records[3].found = 'v=spf1 -all'"}},
    {"SPF that refuses all", "v=spf1",
	"send IN TXT \"v=spf1 -ip4:0.0.0.0/0 include:relay.example ~all\"\n",
	{"status = 'PENDING'", "verification_info.error_type = 'INVALID_VALUE'",
	    "dns_records[2].status = 'found'", "dns_records[3].status = 'wrong'",
	    "dns_records[3].found = 'v=spf1 -ip4:0.0.0.0/0 include:relay.example ~all'"}},
    {"SPF with an error", "v=spf1", "send IN TXT \"v=spf1 include:relay.example ipv4:1.2.3.4\"\n",
	{"status = 'PENDING'", "dns_records[3].status = 'wrong'"}},
    {"a policy with blanks", "v=DMARC1", "_dmarc IN TXT \"v = DMARC1 ; p = none\"\n",
	{"status = 'SUCCESS'", "dns_records[4].status = 'found'",
	    "dns_records[4].found = 'v = DMARC1 ; p = none'"}},
    {"all", NULL, "",
	{"status = 'SUCCESS'", "verified_for_sending_status = true",
	    "verification_info.error_type = null",
	    "verification_info.last_success_timestamp : string", "dns_records[0].status = 'found'",
	    "dns_records[0].found : string", "dns_records[2].found = '10 mx.host.example'",
	    "dns_records[4].status = 'found'", "dns_records[4].found : string"}},
    {"one is gone", "mx.host.example", "",
	{"status = 'TEMPORARY_FAILURE'", "verified_for_sending_status = true",
	    "verification_info.error_type = 'TYPE_NOT_FOUND'",
	    "verification_info.last_success_timestamp : string",
	    "dns_records[2].status = 'missing'"}},
};

Test(domain_dns, is_told)
{
	g_autofree char *path = domain_dns_register_domain(ZONE),
			*verify = g_strconcat(path, "/verify", NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct exchange exchange = {cases[i].name, "POST", verify, NULL, 200};

		memcpy(exchange.want, cases[i].want, sizeof(cases[i].want));
		domain_dns_publish(path, cases[i].without, cases[i].more);
		answer_free(exchange_expect(fixture, &exchange));
	}
	test_nsd_end(nsd);
	const struct exchange silent = {"silence", "POST", verify, NULL, 200,
	    .want = {"status = 'TEMPORARY_FAILURE'",
		"verification_info.error_type = 'DNS_SERVER_ERROR'",
		"verification_info.soa_record.primary_name_server = 'ns1.example.org'",
		"dns_records[2].status = 'missing'"}};
	answer_free(exchange_expect(fixture, &silent));
}

/* No request asks for the check. */
Test(domain_dns, is_looked_at_by_the_spool)
{
	g_autofree char *path = domain_dns_register_domain(ZONE);
	const struct exchange before = {
	    "before", "GET", path, NULL, 200, .want = {"status = 'NOT_STARTED'"}};
	const struct exchange after = {
	    "after", "GET", path, NULL, 200, .want = {"status = 'SUCCESS'"}};

	domain_dns_publish(path, NULL, "");
	alone_spool(fixture, 0);
	answer_free(exchange_expect(fixture, &before));
	alone_spool(fixture, 2 * MINUTE_MS);
	answer_free(exchange_expect(fixture, &after));
}

Test(domain_dns, fails_what_waits_when_the_domain_is_deleted)
{
	g_autofree char *path = domain_dns_register_domain(ZONE);
	g_autofree char *later = g_strdup_printf("'from':'a@" ZONE "','to':['b@x.org','c@x.org'],"
						 "'scheduled_at':%" G_GINT64_FORMAT,
	    g_get_real_time() / 1000 + HOUR_MS);
	const struct exchange exchanges[] = {
	    {"deleted", "DELETE", path, NULL, 200, "{'message':'Domain deleted'}"},
	    {"registered again", "POST", "/v1/domains", "{'name':'" ZONE "'}", 200},
	};

	domain_dns_publish(path, NULL, "");
	verify(path, "status = 'SUCCESS'");
	g_autofree char *id = email_send(fixture, later),
			*sent = email_send(fixture, "'from':'a@" ZONE "'");
	EXPECT_ALL(fixture, exchanges);
	alone_expect_events(fixture, "not yet", id, 0, "");
	alone_spool(fixture, 2 * HOUR_MS);
	for (guint i = 0; i < 2; i++)
		alone_expect_events(fixture, "deleted", id, i,
		    "failed The sending domain is not registered any more");
	cr_expect_eq(arrival_count(fixture, id), 0);
	alone_expect_events(fixture, "sent before", sent, 0, "sent,delivered");
	AUTO(answer) email = email_get(fixture, id);
	cr_expect_str_eq(answer_text(email, "domain_id"), path + strlen("/v1/domains/"));
}

/* Delivered emails count from the first one on; the rest takes days. */
Test(domain_dns, is_warmed_up_by_what_is_delivered)
{
	AUTO(answer) list = get("/v1/domains");
	g_autofree char *path =
	    g_strconcat("/v1/domains/", answer_text(list, "domains[0].id"), NULL);
	const struct exchange before[] = {
	    {"before", "GET", path, NULL, 200,
		.want = {"name = '" FIXTURE_DOMAIN "'", "is_warmed_up = false",
		    "warmed_up_at = null"}},
	};
	const struct exchange after[] = {
	    {"after", "GET", path, NULL, 200,
		.want = {"is_warmed_up = true", "warmed_up_at : integer"}},
	    {"in the list", "GET", "/v1/domains", NULL, 200,
		.want = {"domains[0].is_warmed_up = true", "domains[0].warmed_up_at : integer"}},
	};

	/* Only that of this fixture is new to the other days. */
	for (guint day = 0; day < 14; day++) {
		g_autofree char *at = g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT,
		    g_get_real_time() / 1000 + day * 24 * HOUR_MS + MINUTE_MS);
		g_free(email_send(fixture, at));
		alone_spool(fixture, day * 24 * HOUR_MS + 2 * MINUTE_MS);
	}
	EXPECT_ALL(fixture, before);
	test_db_plain(fixture->db, "UPDATE domain_day SET delivered = 100 * delivered");
	alone_spool(fixture, 13 * 24 * HOUR_MS + 20 * MINUTE_MS);
	EXPECT_ALL(fixture, after);
}

/* Nobody begins to receive the mail of another server, unless told so. */
Test(domain_dns, asks_where_the_mail_goes_before_it_receives)
{
	static const char body[] = "{'name':'" ZONE "','receiving':true}";
	static const char elsewhere[] =
	    "{'message':'" ZONE " has MX records that lead elsewhere (a.example, b.example): "
	    "receiving would take its mail away. Use a sub-domain, or override'}";
	const struct exchange taken = {"elsewhere", "POST", "/v1/domains", body, 409, elsewhere};

	test_nsd_set(
	    nsd, ZONE, "@ IN MX 20 b.example.\n@ IN MX 10 A.example.\n@ IN MX 5 mx.host.example.");
	answer_free(exchange_expect(fixture, &taken));
	g_autofree char *path = domain_dns_register_domain(ZONE);
	const struct exchange changes[] = {
	    {"no receiving yet", "PATCH", path, "{'receiving':true}", 409, elsewhere},
	    {"no override", "PATCH", path, "{'receiving':true,'override':false}", 409, elsewhere},
	    {"override", "PATCH", path, "{'receiving':true,'override':true}", 200,
		.want = {"receiving = true"}},
	    {"on already", "PATCH", path, "{'receiving':true}", 200},
	    {"off", "PATCH", path, "{'receiving':false}", 200, .want = {"receiving = false"}},
	};
	EXPECT_ALL(fixture, changes);
	const struct exchange on = {
	    "on", "PATCH", path, "{'receiving':true}", 200, .want = {"receiving = true"}};
	const struct exchange *off = &changes[4];
	static const char *const zones_of_ours[] = {
	    "", "@ IN MX 5 MX.host.example.", "@ IN MX 0 ."};
	for (guint i = 0; i < G_N_ELEMENTS(zones_of_ours); i++) {
		test_nsd_set(nsd, ZONE, zones_of_ours[i]);
		answer_free(exchange_expect(fixture, &on));
		answer_free(exchange_expect(fixture, off));
	}
	/* No answer is no conflict. */
	test_nsd_end(nsd);
	answer_free(exchange_expect(fixture, &on));
}
