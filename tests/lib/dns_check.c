/* SPDX-License-Identifier: MIT */
#include "domain/dns_check.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/fetch.h"
#include "domain/check_schedule.h"
#include "domain/domain.h"
#include "domain/zone.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "store/workspace/workspace.h"
#include "tests/lib/scene.h"
#include "tests/support/db.h"

#define DAY (24 * HOUR)

/* A domain as it was before a check, and after it. Times count from its creation. */
static const struct status_case {
	const char *name;
	enum store_domain_status status;
	gint64 failing_since;
	gint64 now;
	enum domain_dns_result verdict;
	enum store_domain_status want;
	gint64 want_failing_since;
	gint64 want_series;
} status_cases[] = {
    {"a new one is right", DOMAIN_NOT_STARTED, 0, MINUTE, DNS_RESULT_GOOD, DOMAIN_SUCCESS, 0, 0},
    {"a new one is not right", DOMAIN_NOT_STARTED, 0, MINUTE, DNS_RESULT_BAD, DOMAIN_PENDING, 0, 0},
    {"a new one cannot be asked for", DOMAIN_NOT_STARTED, 0, MINUTE, DNS_RESULT_UNKNOWN,
	DOMAIN_NOT_STARTED, 0, 0},
    {"a pending one gets right", DOMAIN_PENDING, 0, HOUR, DNS_RESULT_GOOD, DOMAIN_SUCCESS, 0, 0},
    {"a pending one is not right yet", DOMAIN_PENDING, 0, 72 * HOUR - 1, DNS_RESULT_BAD,
	DOMAIN_PENDING, 0, 0},
    {"a pending one is not right after 72 hours", DOMAIN_PENDING, 0, 72 * HOUR, DNS_RESULT_BAD,
	DOMAIN_FAILED, 0, 0},
    {"a pending one gets right after 72 hours", DOMAIN_PENDING, 0, 72 * HOUR, DNS_RESULT_GOOD,
	DOMAIN_SUCCESS, 0, 0},
    {"a pending one cannot be asked for after 72 hours", DOMAIN_PENDING, 0, 73 * HOUR,
	DNS_RESULT_UNKNOWN, DOMAIN_PENDING, 0, 0},
    {"a good one is still right", DOMAIN_SUCCESS, 0, 5 * DAY, DNS_RESULT_GOOD, DOMAIN_SUCCESS, 0,
	0},
    {"a good one is not right any more", DOMAIN_SUCCESS, 0, 5 * DAY, DNS_RESULT_BAD,
	DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 5 * DAY},
    {"a good one cannot be asked for", DOMAIN_SUCCESS, 0, 5 * DAY, DNS_RESULT_UNKNOWN,
	DOMAIN_SUCCESS, 0, 0},
    {"a failing one is right again", DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 6 * DAY, DNS_RESULT_GOOD,
	DOMAIN_SUCCESS, 0, 0},
    {"a failing one is not right yet", DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 8 * DAY - 1,
	DNS_RESULT_BAD, DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 0},
    {"a failing one is not right after 72 hours", DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 8 * DAY,
	DNS_RESULT_BAD, DOMAIN_FAILED, 5 * DAY, 0},
    {"a failing one cannot be asked for after 72 hours", DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 9 * DAY,
	DNS_RESULT_UNKNOWN, DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 0},
    {"a failed one is right after all", DOMAIN_FAILED, 5 * DAY, 20 * DAY, DNS_RESULT_GOOD,
	DOMAIN_SUCCESS, 0, 0},
    {"a failed one is not", DOMAIN_FAILED, 0, 20 * DAY, DNS_RESULT_BAD, DOMAIN_FAILED, 0, 0},
    {"a failed one cannot be asked for", DOMAIN_FAILED, 0, 20 * DAY, DNS_RESULT_UNKNOWN,
	DOMAIN_FAILED, 0, 0},
};

#define CREATED (1000 * DAY)

static gint64
since(gint64 time)
{
	return time ? time - CREATED : 0;
}

Test(dns_check, changes_the_status)
{
	for (gsize i = 0; i < G_N_ELEMENTS(status_cases); i++) {
		const struct status_case *c = &status_cases[i];
		gint64 now = CREATED + c->now;
		struct store_domain domain = {.created = CREATED, .status = c->status};

		domain.check.series = CREATED;
		domain.check.last_success = 1;
		domain.check.failing_since = c->failing_since ? CREATED + c->failing_since : 0;
		domain_check_schedule_apply(&domain, c->verdict, now, 0);
		cr_expect_eq(domain.status, c->want, "%s: got %s, want %s", c->name,
		    store_domain_status_name(domain.status), store_domain_status_name(c->want));
		cr_expect_eq(since(domain.check.failing_since), c->want_failing_since,
		    "%s: failing since %d s", c->name,
		    (int)(since(domain.check.failing_since) / 1000));
		cr_expect_eq(since(domain.check.series), c->want_series, "%s: series from %d s",
		    c->name, (int)(since(domain.check.series) / 1000));
		cr_expect_eq(domain.check.last_checked, now, "%s", c->name);
		cr_expect_eq(domain.check.last_success, c->verdict == DNS_RESULT_GOOD ? now : 1,
		    "%s", c->name);
		cr_expect_eq(domain.check.next_check,
		    domain_check_schedule_next(domain.check.series, now, 0), "%s", c->name);
	}
}

Test(dns_check, leaves_a_trusted_domain_alone)
{
	static const enum domain_dns_result verdicts[] = {
	    DNS_RESULT_GOOD, DNS_RESULT_BAD, DNS_RESULT_UNKNOWN};

	for (gsize i = 0; i < G_N_ELEMENTS(verdicts); i++) {
		struct store_domain domain = {
		    .created = CREATED, .status = DOMAIN_SUCCESS, .trusted = true};

		domain_check_schedule_apply(&domain, verdicts[i], CREATED + HOUR, 0);
		cr_expect_eq(domain.status, DOMAIN_SUCCESS);
		cr_expect_eq(domain.check.next_check, 0);
		cr_expect_eq(domain.check.last_checked, CREATED + HOUR);
	}
}

/* Minutes from the begin of a series: now, the next check, and the longest pause that is added. */
static const struct next_case {
	gint64 now, want;
	double want_most;
} next_cases[] = {
    {0, 1, 0.1},
    {1, 6, 0.5},
    {5, 6, 0.5},
    {6, 21, 1.5},
    {7, 21, 1.5},
    {21, 81, 6},
    {22, 81, 6},
    {81, 141, 6},
    {300, 321, 6},
    {72 * 60 - 1, 72 * 60 + 21, 6},
    {72 * 60, 96 * 60, 144},
    {90 * 24 * 60, 91 * 24 * 60, 144},
};

Test(dns_check, spaces_the_checks)
{
	for (gsize i = 0; i < G_N_ELEMENTS(next_cases); i++) {
		const struct next_case *c = &next_cases[i];
		gint64 now = CREATED + c->now * MINUTE;
		gint64 least = domain_check_schedule_next(CREATED, now, 0) - CREATED;
		gint64 most = domain_check_schedule_next(CREATED, now, 1) - CREATED;

		cr_expect_eq(least, c->want * MINUTE, "at %d min: got %.1f, want %d", (int)c->now,
		    (double)least / MINUTE, (int)c->want);
		cr_expect_eq(most - least, (gint64)(c->want_most * MINUTE),
		    "at %d min: added %.1f, want %.1f", (int)c->now,
		    (double)(most - least) / MINUTE, c->want_most);
	}
}

/* All checks of a domain's first 80 hours, each made when it is due. */
Test(dns_check, checks_seldom_enough)
{
	guint count = 0;

	for (gint64 at = CREATED; at < CREATED + 80 * HOUR; count++)
		at = domain_check_schedule_next(CREATED, at, 0.5);
	cr_expect(count >= 74 && count <= 76, "%u checks", count);
}

/* An include of s1 takes nine look-ups. */
#define NINE                                                                                       \
	"s1 IN TXT \"v=spf1 a:s3.example.org a:s3.example.org a:s3.example.org a:s3.example.org"   \
	" include:s2.example.org -all\"\n"                                                         \
	"s2 IN TXT \"v=spf1 a:s3.example.org a:s3.example.org a:s3.example.org ?all\"\n"           \
	"s3 IN A 192.0.2.1\n"

/* In the order of the records: RSA, Ed25519, MX, SPF, DMARC. */
static const struct zone_case {
	const char *name;
	const char *without; /* of what we print */
	const char *more;    /* {s} is the selector, {p} the RSA key in two strings */
	const char *want;
} cases[] = {
    {"nothing", "IN", "", "PENDING HOST_NOT_FOUND missing missing missing missing missing"},
    {"everything", NULL, "", "SUCCESS - found found found found found"},
    {"what is required", "-ed.", "", "SUCCESS - found missing found found found"},
    {"no policy", "_dmarc", "", "SUCCESS - found found found found missing"},
    {"no DKIM", "IN TXT \"v=DKIM1; k=rsa", "",
	"PENDING HOST_NOT_FOUND missing found found found found"},
    {"DKIM of another type", "IN TXT \"v=DKIM1; k=rsa", "{s}._domainkey IN MX 10 a\n",
	"PENDING TYPE_NOT_FOUND missing found found found found"},
    {"another DKIM key", "IN TXT \"v=DKIM1; k=rsa", "{s}._domainkey IN TXT \"p=MIIB\"\n",
	"PENDING INVALID_VALUE wrong found found found found"},
    {"DKIM as others write it", "IN TXT \"v=DKIM1; k=rsa", "{s}._domainkey IN TXT \"p=\" {p}\n",
	"SUCCESS - found found found found found"},
    {"DKIM beside another text", NULL, "{s}._domainkey IN TXT \"hello\"\n",
	"PENDING INVALID_VALUE wrong found found found found"},
    {"DKIM that is tried out", "IN TXT \"v=DKIM1; k=rsa",
	"{s}._domainkey IN TXT \"v=DKIM1; t=y; p=\" {p}\n",
	"PENDING INVALID_VALUE wrong found found found found"},
    {"DKIM by an alias", "IN TXT \"v=DKIM1; k=rsa",
	"{s}._domainkey IN CNAME there\nthere IN TXT \"k=rsa; p=\" {p}\n",
	"SUCCESS - found found found found found"},
    {"no MX", "IN MX", "", "PENDING TYPE_NOT_FOUND found found missing found found"},
    {"another MX", "IN MX", "send IN MX 10 mx.elsewhere.test.\n",
	"PENDING INVALID_VALUE found found wrong found found"},
    {"MX and a better one", NULL, "send IN MX 5 mx.elsewhere.test.\n",
	"PENDING INVALID_VALUE found found wrong found found"},
    {"no SPF but a text", "v=spf1", "send IN TXT \"hello\"\n",
	"PENDING TYPE_NOT_FOUND found found found missing found"},
    {"SPF with more", "v=spf1", "send IN TXT \"v=spf1 a include:relay.example mx -all\"\n",
	"SUCCESS - found found found found found"},
    {"SPF without us", "v=spf1", "send IN TXT \"v=spf1 a mx -all\"\n",
	"PENDING INVALID_VALUE found found found wrong found"},
    {"SPF with a syntax error", "v=spf1",
	"send IN TXT \"v=spf1 include:relay.example ip4:192.0.2.300 -all\"\n",
	"PENDING INVALID_VALUE found found found wrong found"},
    {"SPF that refuses all before us", "v=spf1",
	"send IN TXT \"v=spf1 -ip4:0.0.0.0/0 include:relay.example -all\"\n",
	"PENDING INVALID_VALUE found found found wrong found"},
    {"SPF with ten look-ups", "v=spf1",
	"send IN TXT \"v=spf1 include:s1.example.org include:relay.example -all\"\n" NINE,
	"SUCCESS - found found found found found"},
    {"SPF with eleven look-ups", "v=spf1",
	"send IN TXT \"v=spf1 include:s1.example.org a include:relay.example -all\"\n" NINE,
	"PENDING INVALID_VALUE found found found wrong found"},
    {"SPF with many look-ups behind us", "v=spf1",
	"send IN TXT \"v=spf1 include:relay.example include:s1.example.org mx a ptr\"\n" NINE,
	"SUCCESS - found found found found found"},
    {"SPF that includes us elsewhere", "v=spf1",
	"send IN TXT \"v=spf1 redirect=s3.example.org\"\n"
	"s3 IN TXT \"v=spf1 include:s4.example.org -all\"\n"
	"s4 IN TXT \"v=spf1 mx include:relay.example -all\"\n",
	"SUCCESS - found found found found found"},
    {"SPF that includes a name without SPF", "v=spf1",
	"send IN TXT \"v=spf1 include:s3.example.org include:relay.example -all\"\n",
	"PENDING INVALID_VALUE found found found wrong found"},
    {"SPF that includes itself", "v=spf1",
	"send IN TXT \"v=spf1 include:send.example.org include:relay.example -all\"\n",
	"PENDING INVALID_VALUE found found found wrong found"},
    {"SPF that includes a name that nobody answers for", "v=spf1",
	"send IN TXT \"v=spf1 include:not.served include:relay.example -all\"\n",
	"SUCCESS - found found found found found"},
    {"SPF without us, and an include without an answer", "v=spf1",
	"send IN TXT \"v=spf1 include:not.served -all\"\n",
	"NOT_STARTED DNS_SERVER_ERROR found found found - found"},
    {"SPF twice", NULL, "send IN TXT \"v=spf1 a -all\"\n",
	"PENDING INVALID_VALUE found found found wrong found"},
    {"neither MX nor SPF", "^send.", "",
	"PENDING HOST_NOT_FOUND found found missing missing found"},
    {"nobody to ask", "^send.", "send IN CNAME send.not.served.\n",
	"NOT_STARTED DNS_SERVER_ERROR found found - - found"},
    {"nobody to ask for one, another wrong", "^send.",
	"send IN CNAME send.not.served.\n{s}._domainkey IN TXT \"p=\"\n",
	"PENDING INVALID_VALUE wrong found - - found"},
};

/* Fills in {s} and {p}. */
static char *
dns_check_filled(const struct scene *scene, const char *text)
{
	const struct store_domain_key *key = scene->domain->keys->pdata[0];
	g_autofree char *halves =
	    g_strdup_printf("\"%.200s\" \"%s\"", key->public, key->public + 200);
	g_autoptr(GString) result = g_string_new(text);

	g_string_replace(result, "{s}", key->selector, 0);
	g_string_replace(result, "{p}", halves, 0);
	return g_strdup(result->str);
}

Test(dns_check, sees_what_is_published, .timeout = 900)
{
	AUTO(scene) scene = scene_open("example.org", false);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *more = dns_check_filled(scene, cases[i].more);

		test_db_plain(scene->fixture->db, "UPDATE domain SET status = 1");
		test_db_plain(scene->fixture->db, "UPDATE domain_check SET findings = NULL");
		scene_publish(scene, cases[i].without, more);
		scene_check(scene);
		scene_expect(scene, cases[i].name, cases[i].want);
	}
}

Test(dns_check, sees_what_a_sub_domain_has)
{
	AUTO(scene) scene = scene_open("a.b.example.org", false);

	scene_publish(scene, "_dmarc", "");
	scene_check(scene);
	scene_expect(scene, "no policy", "SUCCESS - found found found found missing");
	scene_publish(scene, "_dmarc", "_dmarc IN TXT \"v=DMARC1; p=reject\"\n");
	scene_check(scene);
	scene_expect(scene, "an inherited policy", "SUCCESS - found found found found found");
	const struct domain_zone_record *policy = scene->records->pdata[4];
	cr_expect_str_eq(policy->found, "v=DMARC1; p=reject");
	scene_publish(scene, "_dmarc",
	    "_dmarc IN TXT \"v=DMARC1; p=reject\"\n_dmarc.b IN TXT \"v=DMARC1; p=none; psd=n\"\n");
	scene_check(scene);
	scene_expect(scene, "a nearer policy", "SUCCESS - found found found found found");
	policy = scene->records->pdata[4];
	cr_expect_str_eq(policy->found, "v=DMARC1; p=none; psd=n");
	scene_publish(scene, "_dmarc",
	    "_dmarc IN TXT \"v=DMARC1; p=reject\"\n_dmarc.a.b IN TXT \"v=DMARC1\"\n");
	scene_check(scene);
	scene_expect(
	    scene, "a broken policy of its own", "SUCCESS - found found found found wrong");
	cr_expect_str_eq(scene->domain->check.soa_primary, "ns1.example.org");
	cr_expect_str_eq(scene->domain->check.soa_admin, "host.master@example.org");
	cr_expect(scene->domain->check.soa_serial > 0);
}

Test(dns_check, knows_no_zone_of_a_domain_that_is_not_there)
{
	AUTO(scene) scene = scene_open("missing.test", false);

	scene_check(scene);
	scene_expect(scene, "no such domain",
	    "PENDING HOST_NOT_FOUND missing missing missing missing missing");
	cr_expect_null(scene->domain->check.soa_primary, "%s", scene->domain->check.soa_primary);
}

Test(dns_check, shows_what_is_there_instead)
{
	AUTO(scene) scene = scene_open("example.org", false);

	scene_publish(
	    scene, "send.", "send IN MX 7 mx.elsewhere.test.\nsend IN TXT \"v=spf1 -all\"\n");
	scene_check(scene);
	const struct domain_zone_record *mx = scene->records->pdata[2],
					*spf = scene->records->pdata[3];
	cr_expect_str_eq(mx->found, "7 mx.elsewhere.test");
	cr_expect_str_eq(spf->found, "v=spf1 -all");
}

enum step_zone { EMPTY, WHOLE, AWAY };

/* A domain's life, from its registration on. */
static const struct life_step {
	gint64 at;
	enum step_zone zone; /* the zone from then on */
	guint want_checks;
	const char *want;
} life[] = {
    {0, EMPTY, 0, "NOT_STARTED -"},
    {MINUTE - 1, EMPTY, 0, "NOT_STARTED -"},
    {2 * MINUTE, EMPTY, 1, "PENDING HOST_NOT_FOUND"},
    {3 * MINUTE, WHOLE, 0, "PENDING HOST_NOT_FOUND"},
    {8 * MINUTE, WHOLE, 1, "SUCCESS -"},
    {3 * HOUR, WHOLE, 1, "SUCCESS -"},
    {100 * HOUR, WHOLE, 1, "SUCCESS -"},
    {101 * HOUR, EMPTY, 0, "SUCCESS -"},
    {130 * HOUR, EMPTY, 1, "TEMPORARY_FAILURE HOST_NOT_FOUND"},
    {130 * HOUR + 2 * MINUTE, AWAY, 1, "TEMPORARY_FAILURE DNS_SERVER_ERROR"},
    {130 * HOUR + 8 * MINUTE, WHOLE, 1, "SUCCESS -"},
    {140 * HOUR, AWAY, 1, "SUCCESS DNS_SERVER_ERROR"},
    {300 * HOUR, AWAY, 1, "SUCCESS DNS_SERVER_ERROR"},
    {400 * HOUR, EMPTY, 1, "TEMPORARY_FAILURE HOST_NOT_FOUND"},
    {471 * HOUR, EMPTY, 1, "TEMPORARY_FAILURE HOST_NOT_FOUND"},
    {473 * HOUR, EMPTY, 1, "FAILED HOST_NOT_FOUND"},
    {474 * HOUR, WHOLE, 0, "FAILED HOST_NOT_FOUND"},
    {500 * HOUR, WHOLE, 1, "SUCCESS -"},
};

static void
dns_check_set_zone(struct scene *scene, enum step_zone zone)
{
	if (zone == AWAY)
		test_nsd_end(scene->nsd);
	else
		scene_publish(scene, zone == EMPTY ? "IN" : NULL, "");
}

Test(dns_check, follows_a_domain_through_its_life, .timeout = 900)
{
	AUTO(scene) scene = scene_open("example.org", false);
	enum step_zone zone = WHOLE;

	for (gsize i = 0; i < G_N_ELEMENTS(life); i++) {
		const struct life_step *step = &life[i];
		g_autofree char *name = g_strdup_printf("after %.2f h", (double)step->at / HOUR);

		if (zone != step->zone)
			dns_check_set_zone(scene, zone = step->zone);
		guint checks = scene_check_due(scene, SOME_TIME + step->at);
		cr_expect_eq(checks, step->want_checks, "%s: %u checks", name, checks);
		g_autofree char *got = scene_summary(scene);
		cr_expect(g_str_has_prefix(got, step->want), "%s: got %s, want %s", name, got,
		    step->want);
	}
}

Test(dns_check, fails_a_domain_that_is_never_right)
{
	AUTO(scene) scene = scene_open("example.org", false);

	scene_check_due(scene, SOME_TIME + 2 * MINUTE);
	scene_check_due(scene, SOME_TIME + 71 * HOUR);
	scene_expect(
	    scene, "after 71 h", "PENDING HOST_NOT_FOUND missing missing missing missing missing");
	scene_check_due(scene, SOME_TIME + 73 * HOUR);
	scene_expect(
	    scene, "after 73 h", "FAILED HOST_NOT_FOUND missing missing missing missing missing");
}

/* An SPF record that was wrong by what it includes stays so while DNS does not answer for that. */
Test(dns_check, keeps_a_wrong_record_wrong_in_silence)
{
	static const char wrong[] =
	    "send IN TXT \"v=spf1 include:s.example.org include:relay.example -all\"\n";
	AUTO(scene) scene = scene_open("example.org", false);
	g_autofree char *silent = g_strconcat(wrong, "s IN CNAME not.served.\n", NULL);

	scene_publish(scene, "v=spf1", wrong);
	scene_check(scene);
	scene_expect(scene, "wrong", "PENDING INVALID_VALUE found found found wrong found");
	scene_publish(scene, "v=spf1", silent);
	scene_check(scene);
	scene_expect(scene, "silent", "PENDING INVALID_VALUE found found found wrong found");
	scene_publish(scene, "v=spf1",
	    "send IN TXT \"v=spf1 include:s.example.org include:relay.example ~all\"\n"
	    "s IN CNAME not.served.\n");
	scene_check(scene);
	scene_expect(scene, "another text", "SUCCESS - found found found found found");
}

/* A record keeps its state while DNS does not answer. */
Test(dns_check, forgets_nothing_in_silence)
{
	AUTO(scene) scene = scene_open("example.org", false);

	scene_publish(scene, "-ed.", "");
	scene_check(scene);
	test_nsd_end(scene->nsd);
	scene_check(scene);
	scene_expect(scene, "silence", "SUCCESS DNS_SERVER_ERROR found missing found found found");
	cr_expect_str_eq(scene->domain->check.soa_primary, "ns1.example.org");
	cr_expect(scene->domain->check.last_checked >= scene->domain->check.last_success);
}

Test(dns_check, leaves_a_trusted_domain_its_status)
{
	AUTO(scene) scene = scene_open("example.org", true);

	cr_expect_eq(scene_check_due(scene, SOME_TIME + 1000 * HOUR), 0);
	scene_check(scene);
	scene_expect(
	    scene, "trusted", "SUCCESS HOST_NOT_FOUND missing missing missing missing missing");
	cr_expect_eq(scene->domain->check.next_check, 0);
}

Test(dns_check, uses_a_check_of_its_own_alone)
{
	AUTO(scene) scene = scene_open("example.org", false);
	const struct base_id nobody = {{1}};
	g_autoptr(GError) error = NULL;

	cr_expect_not(domain_dns_check_domain(
	    scene->fixture->service, &scene->fixture->key.workspace_id, &nobody, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND));
}

/* Registers domains, whose check is due. */
static void
register_many(struct fixture *fixture, guint count, const char *prefix)
{
	for (guint i = 0; i < count; i++) {
		g_autofree char *name = g_strdup_printf("%s%u.example.org", prefix, i);
		g_autoptr(GError) error = NULL;
		AUTO(store_domain) domain = domain_register(
		    fixture->service, &fixture->key.workspace_id, NULL, name, false, &error);

		cr_assert(domain, "%s", error ? error->message : "");
	}
	test_db_plain(fixture->db, "UPDATE domain_check SET next_check = series");
}

/* The DNS answers for one domain cannot be stored: the others of its batch are checked all the
   same, and its next check comes when it would have come. */
Test(dns_check, stores_the_others_past_one_that_cannot_be_stored, .timeout = 900)
{
	AUTO(scene) scene = scene_open("example.org", false);

	register_many(scene->fixture, 18, "d");
	test_db_plain(scene->fixture->db,
	    "CREATE TRIGGER bad BEFORE UPDATE ON domain_check FOR EACH ROW IF NEW.domain_id ="
	    " (SELECT id FROM domain WHERE name = 'd0.example.org') AND NEW.last_checked > 0"
	    " THEN SIGNAL SQLSTATE '22001'; END IF");
	guint checked = scene_check_due(scene, SOME_TIME + MINUTE);
	cr_expect_eq(checked, 20, "checked %u", checked);
	cr_expect_eq(scene->troubles, 1);
	cr_expect_eq(test_db_number(scene->fixture->db,
			 "SELECT COUNT(*) FROM domain_check WHERE last_checked IS NOT NULL"),
	    19);
	cr_expect_eq(test_db_number(scene->fixture->db,
			 "SELECT COUNT(*) FROM domain_check WHERE token IS NULL AND next_check >"
			 " 1800000060000 AND last_checked IS NULL"),
	    1);
}

/* A batch is of 20. */
Test(dns_check, takes_turns_among_workspaces, .timeout = 900)
{
	static const char theirs[] = "SELECT COUNT(*) FROM domain_check WHERE last_checked IS NOT"
				     " NULL AND domain_id IN (SELECT id FROM domain WHERE name ="
				     " 'theirs0.example.org')";
	AUTO(scene) scene = scene_open("example.org", false);
	struct fixture *fixture = scene->fixture;
	g_autoptr(GError) error = NULL, trouble = NULL;
	struct base_id ours = fixture->key.workspace_id;
	guint count;

	register_many(fixture, 60, "d");
	cr_assert(store_workspace_create(
	    fixture->db, "theirs", NULL, &fixture->key.workspace_id, &error));
	register_many(fixture, 1, "theirs");
	fixture->key.workspace_id = ours;
	test_db_plain(fixture->db,
	    "UPDATE domain_check SET next_check = 1800000000000 - (domain_id <"
	    " (SELECT id FROM domain WHERE name = 'theirs0.example.org'))");
	base_clock_set(SOME_TIME + MINUTE);
	for (guint i = 0; i < 2; i++) {
		cr_expect_eq(test_db_number(fixture->db, theirs), 0);
		cr_assert(
		    domain_dns_check_due(fixture->service, &scene->turn, &count, &trouble, &error));
		cr_expect_eq(count, 20);
	}
	cr_expect_eq(test_db_number(fixture->db, theirs), 1);
}

/* A socket of UDP whose owner never answers. */
static int
open_silence(struct sockaddr_in *address_r)
{
	socklen_t size = sizeof(*address_r);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*address_r =
	    (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	cr_assert(fd >= 0 && bind(fd, (struct sockaddr *)address_r, size) == 0 &&
		  getsockname(fd, (struct sockaddr *)address_r, &size) == 0);
	return fd;
}

/* All questions together wait as long as one would. */
Test(dns_check, has_one_limit_for_all_look_ups, .timeout = 900)
{
	struct sockaddr_in address;
	int silence = open_silence(&address);
	g_autofree char *more =
	    g_strdup_printf("[dns]\nservers = 127.0.0.1:%u\n", ntohs(address.sin_port));
	AUTO(fixture) fixture = fixture_open(NULL, more);
	g_autoptr(GError) error = NULL;
	AUTO(store_domain) domain = domain_register(
	    fixture->service, &fixture->key.workspace_id, NULL, "a.example.org", false, &error);

	cr_assert(domain, "%s", error ? error->message : "");
	gint64 start = base_clock_boot();
	cr_assert(domain_dns_check_domain(
		      fixture->service, &fixture->key.workspace_id, &domain->id, &error),
	    "%s", error ? error->message : "");
	gint64 took = base_clock_boot() - start;
	cr_expect(took >= LIMIT_DNS_MS - 100 && took < 4 * LIMIT_DNS_MS, "took %d ms", (int)took);
	AUTO(store_domain) after =
	    store_domain_get(fixture->db, &fixture->key.workspace_id, &domain->id, &error);
	cr_expect_eq(after->status, DOMAIN_NOT_STARTED);
	cr_expect_eq(after->check.error, DOMAIN_DNS_SERVER_ERROR);
	close(silence);
}

/* 1,000 domains that are due, each with a key, and a log of each change that a check makes. */
static void
make_many(struct db *db)
{
	static const char *const statements[] = {
	    "INSERT INTO domain (id, workspace_id, name, status, trusted, created) SELECT"
	    " UNHEX(LPAD(HEX(seq), 32, '0')), w.id, CONCAT('d', seq, '.test'), 1, 0,"
	    " 1800000000000 FROM seq_1_to_1000, workspace w",
	    "INSERT INTO domain_key (id, workspace_id, domain_id, algorithm, selector, private,"
	    " public, state, created) SELECT id, workspace_id, id, 1, 's', '', 'p', 1, 0"
	    " FROM domain WHERE name LIKE '%.test'",
	    "INSERT INTO domain_check (domain_id, workspace_id, series, next_check) SELECT id,"
	    " workspace_id, created, created FROM domain WHERE name LIKE '%.test'",
	    "CREATE TABLE log (domain_id BINARY(16), what CHAR(1))",
	    "CREATE TRIGGER log_check AFTER UPDATE ON domain_check FOR EACH ROW INSERT INTO log"
	    " VALUES (NEW.domain_id, IF(NEW.token IS NULL, 'R', 'C'))",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(statements); i++)
		test_db_plain(db, statements[i]);
}

/* A worker: checks what is due until nothing is. Its exit status says whether that went well. */
static pid_t
start_worker(const struct config_settings *settings)
{
	pid_t pid = fork();
	guint count = 1;

	if (pid != 0)
		return pid;
	AUTO(service) service = service_open(settings);
	bool good = service_ensure(service, NULL);
	struct store_turn turn = {.next = false};
	GError *trouble = NULL;
	while (good && count > 0)
		good = domain_dns_check_due(service, &turn, &count, &trouble, NULL) && !trouble;
	_exit(good ? 0 : 1);
}

Test(dns_check, shares_a_thousand_domains_among_four_workers, .timeout = 900)
{
	enum { WORKERS = 4 };
	AUTO(scene) scene = scene_open("example.org", false);
	struct db *db = scene->fixture->db;
	pid_t workers[WORKERS];
	int status;

	make_many(db);
	for (guint i = 0; i < WORKERS; i++)
		workers[i] = start_worker(scene->fixture->settings);
	for (guint i = 0; i < WORKERS; i++) {
		cr_assert_eq(waitpid(workers[i], &status, 0), workers[i]);
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "worker %u", i);
	}
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM domain WHERE status = 2"), 1000);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM log WHERE what = 'C'"), 1000);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM log WHERE what = 'R'"), 1000);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(DISTINCT domain_id) FROM log"), 1000);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM domain_check WHERE error = 2"), 1000);
}
