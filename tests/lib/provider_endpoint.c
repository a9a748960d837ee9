/* SPDX-License-Identifier: MIT */
/* Tests the secrets and signatures of endpoints for providers, and how the messages of Amazon SNS
   are verified. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "feedback/provider.h"
#include "provider/sns.h"
#include "tests/lib/provided.h"
#include "tests/support/db.h"

/* The age of a signature, at its limit and past it. */
Test(provider_endpoint, old_signatures_are_refused)
{
	static const struct {
		enum provider_name provider;
		int minutes;
	} cases[] = {{PROVIDER_MAILGUN, 12 * 60}, {PROVIDER_SENDGRID, 72 * 60},
	    {PROVIDER_RESEND, 5}, {PROVIDER_GENERIC, 5}};
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(fixture) fixture = provided_world(relay, "");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(reporter) reporter = reporter_new(cases[i].provider);
		gint64 now = base_clock_now(), age = cases[i].minutes * 60000LL;
		const struct {
			gint64 at;
			bool good;
		} times[] = {{now - age + 2000, true}, {now - age - 2000, false},
		    {now + 298000, true}, {now + 302000, false}};

		reporter_add(reporter, fixture->service, "a");
		for (gsize t = 0; t < G_N_ELEMENTS(times); t++) {
			struct feedback_provider_result result;
			AUTO(reporter_request) request =
			    reporter_sign(reporter, NULL, "{'event':'x'}", "1", times[t].at);
			g_autoptr(GError) error =
			    reporter_take(reporter, fixture->service, request, &result);
			cr_expect_eq(!error, times[t].good, "%s at %zu: %s",
			    provider_word(cases[i].provider), t, error ? error->message : "taken");
		}
	}
}

Test(provider_endpoint, secret_has_the_form_of_the_provider)
{
	static const struct {
		enum provider_name provider;
		const char *secret, *want;
	} cases[] = {
	    {PROVIDER_SES, "s", "ses has no secret"},
	    {PROVIDER_MAILGUN, NULL, "mailgun needs a secret"},
	    {PROVIDER_MAILGUN, "", "the secret is empty"},
	    {PROVIDER_POSTMARK, "s", "the secret of postmark is made, not given"},
	    {PROVIDER_SENDGRID, NULL, "sendgrid needs a secret"},
	    {PROVIDER_SENDGRID, "AAAA",
		"the public key must be base64 or PEM, of an elliptic curve key on P-256"},
	    {PROVIDER_BREVO, "s", "the secret of brevo is made, not given"},
	    {PROVIDER_RESEND, NULL, "resend needs a secret"},
	    {PROVIDER_RESEND, "MfKQ9r8G", "the secret must be whsec_ and base64 behind it"},
	    {PROVIDER_GENERIC, "whsec_%", "the secret must be whsec_ and base64 behind it"},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct feedback_provider_added added;
		g_autoptr(GError) error = NULL;

		cr_expect_not(feedback_provider_add(
		    fixture->service, cases[i].provider, "a", cases[i].secret, &added, &error));
		cr_expect_str_eq(error ? error->message : "", cases[i].want);
		feedback_provider_added_clear(&added);
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM provider_endpoint"), 0);
}

/* The token and the secrets cannot be read in the database. */
Test(provider_endpoint, endpoint_keeps_no_secret_in_the_clear)
{
	static const enum provider_name made[] = {
	    PROVIDER_POSTMARK, PROVIDER_BREVO, PROVIDER_GENERIC};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(made); i++) {
		AUTO(reporter) reporter = reporter_new(made[i]);
		reporter_add(reporter, fixture->service, "a");
		g_autofree char *query = g_strdup_printf(
		    "SELECT COUNT(*) FROM provider_endpoint WHERE CONCAT(token, secret)"
		    " LIKE '%%%s%%' OR secret LIKE '%%%s%%'",
		    reporter->token, reporter->secret);
		cr_expect_eq(strlen(reporter->token), 43);
		cr_expect_eq(test_db_number(fixture->db, query), 0);
	}
}

Test(provider_endpoint, addresses_of_sns_are_amazons)
{
	static const char *const hosts[] = {"127.0.0.1:8080", "sns.example:443", NULL};
	static const struct {
		const char *url;
		bool want;
	} cases[] = {
	    {"https://sns.us-east-1.amazonaws.com/a.pem", true},
	    {"https://sns.cn-north-1.amazonaws.com.cn/a.pem", true},
	    {"http://sns.us-east-1.amazonaws.com/a.pem", false},
	    {"https://sns.us-east-1.amazonaws.com:443/a.pem", false},
	    {"https://sns.us-east-1.amazonaws.com/a.crt", false},
	    {"https://sns.us-east-1.amazonaws.com/a?x=.pem", false},
	    {"https://sns.amazonaws.com/a.pem", false},
	    {"https://sns.a.b.amazonaws.com/a.pem", false},
	    {"https://sns.us-east-1.amazonaws.com.evil.example/a.pem", false},
	    {"https://evil.example/sns.us-east-1.amazonaws.com/a.pem", false},
	    {"https://s3.us-east-1.amazonaws.com/a.pem", false},
	    {"https://u@sns.us-east-1.amazonaws.com/a.pem", false},
	    {"https://sn\xef\xbb\xbfs.us-east-1.amazonaws.com/a.pem", false},
	    {"https://evilsns.us-east-1.amazonaws.com/a.pem", false},
	    {"http://127.0.0.1:8080/a.pem", true},
	    {"https://127.0.0.1:8080/a.pem", true},
	    {"http://127.0.0.1:8081/a.pem", false},
	    {"http://127.0.0.1/a.pem", false},
	    {"https://sns.example/a.pem", true},
	    {"http://sns.example/a.pem", false},
	    {"nonsense", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool ours;
		cr_expect_eq(provider_sns_is_trusted(cases[i].url, hosts, true, &ours),
		    cases[i].want, "%s", cases[i].url);
	}
}

/* A fixture for SNS, whose certificates and confirmations the reporter serves. */
static struct fixture *
open_sns(const struct smtp_server *relay, struct reporter *reporter)
{
	g_autofree char *text = g_strdup_printf(
	    "[providers]\nsns_hosts = 127.0.0.1:%d\n", http_server_port(reporter->server));
	struct fixture *fixture = provided_world(relay, text);

	reporter_add(reporter, fixture->service, "a");
	return fixture;
}

/* Takes a message of SNS. Returns 0 when it was taken, else 1 + the code of the error. */
static int
notify(struct reporter *reporter, struct fixture *fixture, const char *type, const char *version,
    const char *url)
{
	struct feedback_provider_result result;
	AUTO(reporter_request) request =
	    reporter_notify(reporter, type, "{'eventType':'Send'}", "1", version, url);
	g_autoptr(GError) error = reporter_take(reporter, fixture->service, request, &result);

	return error ? 1 + error->code : 0;
}

Test(provider_endpoint, sns_is_verified_by_a_kept_certificate)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_SES);
	AUTO(fixture) fixture = open_sns(relay, reporter);
	int port = http_server_port(reporter->server);
	g_autofree char *empty = g_strdup_printf("http://127.0.0.1:%d/empty.pem", port),
			*moved = g_strdup_printf("http://127.0.0.1:%d/elsewhere.pem", port),
			*other = g_strdup_printf("http://127.0.0.1:%d/cert.pem", port + 1);

	cr_expect_eq(notify(reporter, fixture, "Notification", "1", NULL), 0);
	cr_expect_eq(notify(reporter, fixture, "Notification", "2", NULL), 0);
	cr_expect_eq(notify(reporter, fixture, "UnsubscribeConfirmation", "2", NULL), 0);
	cr_expect_eq(notify(reporter, fixture, "Notification", "3", NULL), 1 + PH_ERROR_FORBIDDEN);
	cr_expect_eq(http_server_count(reporter->server), 1, "fetched %d times",
	    http_server_count(reporter->server));
	cr_expect_eq(notify(reporter, fixture, "Notification", "2", empty), 1 + PH_ERROR_FORBIDDEN);
	cr_expect_eq(notify(reporter, fixture, "Notification", "2", moved), 1 + PH_ERROR_TEMPORARY);
	cr_expect_eq(notify(reporter, fixture, "Notification", "2", other), 1 + PH_ERROR_FORBIDDEN);
	/* A day later it is fetched again. */
	int before = http_server_count(reporter->server);
	test_db_plain(fixture->db, "UPDATE provider_certificate SET fetched = fetched - 86300000");
	cr_expect_eq(notify(reporter, fixture, "Notification", "2", NULL), 0);
	cr_expect_eq(http_server_count(reporter->server), before);
	test_db_plain(fixture->db, "UPDATE provider_certificate SET fetched = fetched - 100000");
	cr_expect_eq(notify(reporter, fixture, "Notification", "2", NULL), 0);
	cr_expect_eq(http_server_count(reporter->server), before + 1);
}

/* If no certificate can ever come, the message is forged; if one may come, it is tried again. */
Test(provider_endpoint, sns_needs_a_certificate)
{
	static const struct {
		const char *path;
		enum ph_error want;
	} cases[] = {
	    {"missing.pem", PH_ERROR_FORBIDDEN},
	    {"gone.pem", PH_ERROR_FORBIDDEN},
	    {"large.pem", PH_ERROR_FORBIDDEN},
	    {"empty.pem", PH_ERROR_FORBIDDEN},
	    {"broken.pem", PH_ERROR_TEMPORARY},
	    {"elsewhere.pem", PH_ERROR_TEMPORARY},
	};
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_SES);
	AUTO(fixture) fixture = open_sns(relay, reporter);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *url = g_strdup_printf(
		    "http://127.0.0.1:%d/%s", http_server_port(reporter->server), cases[i].path);

		cr_expect_eq(notify(reporter, fixture, "Notification", "2", url),
		    1 + (int)cases[i].want, "%s", cases[i].path);
	}
}

Test(provider_endpoint, sns_signs_its_time)
{
	static const struct {
		const char *name;
		gint64 shift;
		int want;
	} cases[] = {
	    {"within the hour", -3595000, 0},
	    {"over an hour old", -3601000, 1 + PH_ERROR_FORBIDDEN},
	    {"a day old", -86400000, 1 + PH_ERROR_FORBIDDEN},
	    {"soon", 295000, 0},
	    {"later than in 5 minutes", 330000, 1 + PH_ERROR_FORBIDDEN},
	};
	static const char *const types[] = {
	    "Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"};
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_SES);
	AUTO(fixture) fixture = open_sns(relay, reporter);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (gsize t = 0; t < G_N_ELEMENTS(types); t++) {
			reporter->shift = cases[i].shift;
			cr_expect_eq(notify(reporter, fixture, types[t], "2", NULL), cases[i].want,
			    "%s, %s", cases[i].name, types[t]);
		}
}

Test(provider_endpoint, failure_tells_no_token_of_sns)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_SES);
	AUTO(fixture) fixture = open_sns(relay, reporter);
	struct feedback_provider_result result;
	g_autofree char *url = g_strdup_printf(
	    "http://127.0.0.1:%d/elsewhere.pem?Token=secret", http_server_port(reporter->server));
	AUTO(reporter_request) request =
	    reporter_notify(reporter, "Notification", "", "1", "1", url);
	g_autoptr(GError) error = reporter_take(reporter, fixture->service, request, &result);

	cr_assert(error);
	cr_expect(g_str_has_suffix(
		      error->message, "/elsewhere.pem could not be fetched: it leads elsewhere"),
	    "%s", error->message);
}

Test(provider_endpoint, subscription_is_confirmed_and_its_topic_kept)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_SES);
	AUTO(fixture) fixture = open_sns(relay, reporter);

	cr_expect_eq(notify(reporter, fixture, "SubscriptionConfirmation", "1", NULL), 0);
	g_autofree char *last = http_server_last(reporter->server);
	cr_expect(g_str_has_prefix(last, "GET /confirm?Token=t "), "%s", last);
	g_autofree char *topic = test_db_text(fixture->db, "SELECT topic FROM provider_endpoint");
	cr_expect_str_eq(topic, REPORTER_TOPIC);
	cr_expect_eq(notify(reporter, fixture, "SubscriptionConfirmation", "1", NULL), 0);
	cr_expect_eq(notify(reporter, fixture, "Notification", "1", NULL), 0);
	test_db_plain(fixture->db, "UPDATE provider_endpoint SET topic = 'arn:aws:sns:other'");
	cr_expect_eq(notify(reporter, fixture, "Notification", "1", NULL), 1 + PH_ERROR_FORBIDDEN);
	cr_expect_eq(notify(reporter, fixture, "SubscriptionConfirmation", "1", NULL),
	    1 + PH_ERROR_FORBIDDEN);
}
