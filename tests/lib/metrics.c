/* SPDX-License-Identifier: MIT */
/* Tests the metrics: what is counted, by several processes too, and the text that shows it. */
#include "service/metrics.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "person/suppress.h"
#include "service/key_use.h"
#include "store/common/metric.h"
#include "store/outbox/outbox.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "upkeep/metrics_text.h"

/* The metrics after all is flushed; the caller owns them. */
static char *
metrics_shown(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;

	service_metrics_flush(fixture->service, true);
	char *text = upkeep_metrics_text(fixture->service, &error);
	cr_assert(text, "%s", error ? error->message : "");
	return text;
}

static void
metrics_expect_lines(const char *text, const char *const *lines)
{
	for (; *lines; lines++) {
		g_autofree char *line = g_strconcat("\n", *lines, "\n", NULL);
		cr_expect(strstr(text, line), "no line %s in:\n%s", *lines, text);
	}
}

Test(metrics, counts_requests)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[metrics]\nbuckets = 0.5 1 2.5\n");
	static const char *const lines[] = {
	    "# HELP posthouse_requests Requests that were answered.",
	    "posthouse_requests_total{method=\"GET\",route=\"/v1/emails/{id}\",status=\"200\"} 2",
	    "posthouse_requests_total{method=\"GET\",route=\"/v1/emails/{id}\",status=\"404\"} 1",
	    "posthouse_request_duration_seconds_bucket{route=\"/v1/emails/{id}\",le=\"0.5\"} 1",
	    "posthouse_request_duration_seconds_bucket{route=\"/v1/emails/{id}\",le=\"1.0\"} 2",
	    "posthouse_request_duration_seconds_bucket{route=\"/v1/emails/{id}\",le=\"2.5\"} 2",
	    "posthouse_request_duration_seconds_bucket{route=\"/v1/emails/{id}\",le=\"+Inf\"} 3",
	    "posthouse_request_duration_seconds_count{route=\"/v1/emails/{id}\"} 3",
	    "posthouse_request_duration_seconds_sum{route=\"/v1/emails/{id}\"} 4.500001",
	    "posthouse_messages{state=\"waiting\"} 0",
	    "posthouse_executions{state=\"in_progress\"} 0",
	    "# TYPE posthouse_build info",
	    NULL,
	};

	service_metrics_request(fixture->service, "GET", "/v1/emails/{id}", 200, 500000);
	service_metrics_request(fixture->service, "GET", "/v1/emails/{id}", 200, 500001);
	service_metrics_request(fixture->service, "GET", "/v1/emails/{id}", 404, 3500000);
	g_autofree char *text = metrics_shown(fixture);
	metrics_expect_lines(text, lines);
	cr_expect(g_str_has_suffix(text, "\n# EOF\n"));
}

/* Gauges have what was said last, counters all. */
Test(metrics, tells_of_journeys)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	static const char *const lines[] = {
	    "# TYPE posthouse_starts counter",
	    "posthouse_starts_total{source=\"segment\"} 2",
	    "# TYPE posthouse_step_requests counter",
	    "posthouse_step_requests_total{result=\"ok\"} 0",
	    "posthouse_step_requests_total{result=\"retried\"} 3",
	    "posthouse_step_requests_total{result=\"failed\"} 0",
	    "posthouse_mailings_skipped_total{reason=\"ended\"} 1",
	    "# TYPE posthouse_look_duration_seconds gauge",
	    "posthouse_look_duration_seconds 0.250",
	    NULL,
	};

	service_metrics_add(METRIC_STARTS, 1, "segment", NULL);
	service_metrics_add(METRIC_STARTS, 1, "segment", NULL);
	service_metrics_add(METRIC_STEP_REQUESTS, 3, "retried", NULL);
	service_metrics_add(METRIC_MAILINGS_SKIPPED, 1, "ended", NULL);
	service_metrics_add(METRIC_LOOK_SECONDS, 1500, NULL);
	service_metrics_flush(fixture->service, true);
	service_metrics_add(METRIC_LOOK_SECONDS, 250, NULL);
	g_autofree char *text = metrics_shown(fixture);
	metrics_expect_lines(text, lines);
}

Test(metrics, adds_what_several_processes_count)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	static const char *const lines[] = {
	    "posthouse_webhook_deliveries_total{result=\"ok\"} 30",
	    NULL,
	};
	pid_t children[3];

	for (guint i = 0; i < G_N_ELEMENTS(children); i++) {
		children[i] = fork();
		if (children[i] != 0)
			continue;
		AUTO(service) service = service_open(fixture->settings);
		for (guint n = 0; n < 10; n++) {
			service_metrics_add(METRIC_WEBHOOK_DELIVERIES, 1, "ok", NULL);
			service_metrics_flush(service, true);
		}
		_exit(service_metrics_patience() == -1 ? 0 : 1);
	}
	for (guint i = 0; i < G_N_ELEMENTS(children); i++) {
		int status;
		cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
		cr_expect_eq(status, 0);
	}
	g_autofree char *text = metrics_shown(fixture);
	metrics_expect_lines(text, lines);
}

Test(metrics, keeps_what_it_cannot_store)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	static const char *const lines[] = {
	    "posthouse_webhook_deliveries_total{result=\"failed\"} 3",
	    NULL,
	};

	service_metrics_add(METRIC_WEBHOOK_DELIVERIES, 2, "failed", NULL);
	test_db_plain(fixture->db, "RENAME TABLE metric TO metric_away");
	service_metrics_flush(fixture->service, true);
	test_db_plain(fixture->db, "RENAME TABLE metric_away TO metric");
	service_metrics_add(METRIC_WEBHOOK_DELIVERIES, 1, "failed", NULL);
	g_autofree char *text = metrics_shown(fixture);
	metrics_expect_lines(text, lines);
}

/* Adds count attempts to as many destinations. */
static void
metrics_attempt(guint from, guint count)
{
	for (guint i = from; i < from + count; i++) {
		g_autofree char *destination = g_strdup_printf("d%u.org", i);
		service_metrics_add(METRIC_ATTEMPTS, 1, "r", destination, "sent", NULL);
	}
}

Test(metrics, limits_labels)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[metrics]\nlabels = 3\n");
	static const char *const lines[] = {
	    "posthouse_attempts_total{relay=\"r\",destination=\"d2.org\",result=\"sent\"} 1",
	    "posthouse_attempts_total{relay=\"r\",destination=\"other\",result=\"sent\"} 4",
	    NULL,
	};

	metrics_attempt(0, 3);
	service_metrics_flush(fixture->service, true);
	metrics_attempt(3, 3);
	service_metrics_flush(fixture->service, true);
	metrics_attempt(6, 1);
	g_autofree char *text = metrics_shown(fixture);
	metrics_expect_lines(text, lines);
	cr_expect_not(strstr(text, "d3.org"));
}

/* One label short of the limit, two destinations come: the first has metrics of its own. */
static void
metrics_expect_limit(guint most)
{
	static const char *const lines[] = {
	    "posthouse_attempts_total{relay=\"r\",destination=\"d0.org\",result=\"sent\"} 1",
	    "posthouse_attempts_total{relay=\"r\",destination=\"other\",result=\"sent\"} 1",
	    NULL,
	};
	g_autofree char *settings = g_strdup_printf("[metrics]\nlabels = %u\n", most);
	g_autofree char *fill = g_strdup_printf(
	    "INSERT INTO metric_label (kind, value, seen) SELECT %d, CONCAT('x', seq), 0"
	    " FROM seq_1_to_10000 WHERE seq < %u",
	    METRIC_KIND_DESTINATION, most);
	AUTO(fixture) fixture = fixture_open(NULL, settings);

	test_db_plain(fixture->db, fill);
	metrics_attempt(0, 1);
	g_autofree char *full = metrics_shown(fixture);
	cr_expect_not(strstr(full, "\"other\""), "%s", full);
	metrics_attempt(1, 1);
	g_autofree char *over = metrics_shown(fixture);
	metrics_expect_lines(over, lines);
}

Test(metrics, has_one_label_at_least)
{
	metrics_expect_limit(1);
}

Test(metrics, has_10000_labels_at_most)
{
	metrics_expect_limit(10000);
}

Test(metrics, counts_emails)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	g_autoptr(GError) error = NULL;
	static const char *const waiting[] = {"posthouse_messages{state=\"waiting\"} 1", NULL};
	static const char *const sent[] = {
	    "posthouse_messages{state=\"waiting\"} 0",
	    "posthouse_events_total{domain=\"example.com\",status=\"sent\"} 1",
	    NULL,
	};

	posting_submit(fixture, "a@X.org");
	g_autofree char *before = metrics_shown(fixture);
	metrics_expect_lines(before, waiting);
	struct delivery *delivery = posting_start(fixture);
	cr_assert(delivery_wait(delivery, 0));
	delivery_free(delivery);
	g_autofree char *after = metrics_shown(fixture);
	metrics_expect_lines(after, sent);
	cr_expect(strstr(after, "destination=\"x.org\",result=\"sent\"} 1\n"), "%s", after);
}

/* Makes the last count one that took long, and is not due again. */
static void
count_long_ago(struct fixture *fixture)
{
	test_db_plain(fixture->db,
	    "REPLACE INTO metric (name, labels, stripe, value) VALUES"
	    " (15, '', 0, 9000000000000), (15, 'pause', 0, 60000), (10, 'waiting', 0, 1000000),"
	    " (10, 'held', 0, 10), (12, 'in_progress', 0, 5)");
	G_STATIC_ASSERT(METRIC_COUNTED == 15 && METRIC_MESSAGES == 10 && METRIC_EXECUTIONS == 12);
}

Test(metrics, adds_changes_where_a_count_takes_long)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	static const char *const waiting[] = {
	    "posthouse_messages{state=\"held\"} 10",
	    "posthouse_messages{state=\"waiting\"} 1000002",
	    "posthouse_executions{state=\"in_progress\"} 5",
	    NULL,
	};
	static const char *const held[] = {
	    "posthouse_messages{state=\"held\"} 11",
	    "posthouse_messages{state=\"waiting\"} 1000001",
	    NULL,
	};
	static const char *const sent[] = {
	    "posthouse_messages{state=\"held\"} 11",
	    "posthouse_messages{state=\"waiting\"} 1000000",
	    NULL,
	};
	static const char *const counted[] = {
	    "posthouse_messages{state=\"held\"} 1",
	    "posthouse_messages{state=\"waiting\"} 0",
	    "posthouse_executions{state=\"in_progress\"} 0",
	    NULL,
	};
	g_autoptr(GError) error = NULL;
	guint count;

	count_long_ago(fixture);
	posting_submit(fixture, "a@x.org");
	struct base_id id = posting_submit(fixture, "b@x.org");
	g_autofree char *first = metrics_shown(fixture);
	metrics_expect_lines(first, waiting);
	cr_assert(store_outbox_hold(
	    fixture->service->db, &fixture->key.workspace_id, &id, &count, &error));
	g_autofree char *second = metrics_shown(fixture);
	metrics_expect_lines(second, held);
	posting_deliver(fixture);
	g_autofree char *third = metrics_shown(fixture);
	metrics_expect_lines(third, sent);
	test_db_plain(fixture->db, "UPDATE metric SET value = 0 WHERE name = 15 AND labels = ''");
	posting_submit(fixture, "a@x.org");
	posting_deliver(fixture);
	g_autofree char *last = metrics_shown(fixture);
	metrics_expect_lines(last, counted);
}

/* A process that serves requests leaves it to others for a minute. */
Test(metrics, lets_the_spool_count_where_it_takes_long)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	static const char *const left[] = {"posthouse_messages{state=\"waiting\"} 1000000", NULL};
	static const char *const counted[] = {"posthouse_messages{state=\"waiting\"} 0", NULL};

	service_metrics_serve();
	count_long_ago(fixture);
	test_db_plain(fixture->db, "UPDATE metric SET value = UNIX_TIMESTAMP() * 1000 - 5000"
				   " WHERE name = 15 AND labels = ''");
	g_autofree char *first = metrics_shown(fixture);
	metrics_expect_lines(first, left);
	test_db_plain(fixture->db, "UPDATE metric SET value = UNIX_TIMESTAMP() * 1000 - 65000"
				   " WHERE name = 15 AND labels = ''");
	g_autofree char *second = metrics_shown(fixture);
	metrics_expect_lines(second, counted);
}

Test(metrics, counts_who_is_suppressed_at_acceptance)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	g_autoptr(GError) error = NULL;
	static const char *const lines[] = {
	    "posthouse_events_total{domain=\"example.com\",status=\"suppressed\"} 2",
	    NULL,
	};

	AUTO(store_suppression) entry =
	    person_suppress_add(fixture->service, &fixture->key.workspace_id, "a@x.org",
		&(struct store_suppression_state){SUPPRESSION_MANUAL, SUPPRESSION_ALL},
		&posting_api, &error);
	cr_assert(entry, "%s", error ? error->message : "");
	posting_submit(fixture, "a@x.org b@x.org");
	posting_submit(fixture, "a@x.org");
	g_autofree char *text = metrics_shown(fixture);
	metrics_expect_lines(text, lines);
}

Test(metrics, tells_of_a_relay_that_rests)
{
	AUTO(fixture)
	fixture = fixture_open(NULL,
	    "[relay a]\nhost=127.0.0.1\n[relay b]\nhost=127.0.0.1\n[relay c]\nhost=127.0.0.1\n");
	const struct config_relay *a = config_settings_relay(fixture->settings, 0),
				  *b = config_settings_relay(fixture->settings, 1);
	struct config_relay moved = *config_settings_relay(fixture->settings, 2), gone = *a;
	static const char *const lines[] = {
	    "posthouse_relay_refusals_total{relay=\"a\",reason=\"connect\"} 1",
	    "posthouse_relay_refusals_total{relay=\"a\",reason=\"greeting\"} 1",
	    "posthouse_relay_refusals_total{relay=\"b\",reason=\"tls\"} 1",
	    "posthouse_relay_refusals_total{relay=\"b\",reason=\"login\"} 2",
	    "posthouse_relay_resting{relay=\"a\"} 1",
	    "posthouse_relay_resting{relay=\"b\"} 0",
	    "posthouse_relay_resting{relay=\"c\"} 0",
	    NULL,
	};
	gint64 now = base_clock_now();

	service_metrics_refused(a, "connect", now);
	service_metrics_refused(a, "greeting", now + 60000);
	service_metrics_refused(b, "tls", now - 1);
	service_metrics_refused(b, "login", now - 1);
	service_metrics_refused(b, "login", now - 1);
	moved.port++; /* as the settings had it before */
	service_metrics_refused(&moved, "connect", now + 60000);
	service_metrics_certificate(&moved, now);
	gone.name = "gone";
	service_metrics_refused(&gone, "connect", now + 60000);
	service_metrics_certificate(&gone, now);
	g_autofree char *text = metrics_shown(fixture);
	metrics_expect_lines(text, lines);
	cr_expect_not(strstr(text, "posthouse_relay_certificate_end_seconds{"),
	    "the certificate of a relay that the settings do not have");
	cr_expect_not(strstr(text, "posthouse_relay_resting{relay=\"gone\"}"));
}

Test(metrics, tells_when_certificates_end)
{
	static const struct smtp_script current = {.implicit = true};
	static const struct smtp_script expired = {
	    .extensions = "STARTTLS", .certificate = CERTIFICATE_EXPIRED};
	static const char *const lines[] = {
	    "posthouse_relay_certificate_end_seconds{relay=\"new\"} 4070908800",
	    "posthouse_relay_certificate_end_seconds{relay=\"old\"} 981173106",
	    NULL,
	};
	AUTO(smtp_server) new = smtp_server_start(&current);
	AUTO(smtp_server) old = smtp_server_start(&expired);
	g_autofree char *text = g_strdup_printf(
	    "[relay old]\nhost = 127.0.0.1\nport = %u\ntls = required\ntls_name = localhost\n"
	    "tls_ca = %s\n[relay new]\nhost = 127.0.0.1\nport = %u\ntls = implicit\n"
	    "tls_verify = no\norder = 2\n",
	    smtp_server_port(old), smtp_server_ca(old), smtp_server_port(new));
	AUTO(fixture) fixture = fixture_open(NULL, text);

	posting_submit(fixture, "a@x.org");
	posting_deliver(fixture);
	g_autofree char *got = metrics_shown(fixture);
	metrics_expect_lines(got, lines);
	cr_expect(strstr(got, "posthouse_relay_refusals_total{relay=\"old\",reason=\"tls\"} 1\n"));
}

Test(metrics, joins_destinations_that_are_known)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);

	posting_submit(fixture, "a@GoogleMail.com");
	posting_submit(fixture, "a@gmail.com b@msn.com c@own.example");
	posting_deliver(fixture);
	g_autofree char *text = metrics_shown(fixture);
	cr_expect(strstr(text, "destination=\"gmail.com\",result=\"sent\"} 2\n"), "%s", text);
	cr_expect(strstr(text, "destination=\"outlook.com\",result=\"sent\"} 1\n"), "%s", text);
	cr_expect(strstr(text, "destination=\"own.example\",result=\"sent\"} 1\n"), "%s", text);
	cr_expect_not(strstr(text, "googlemail"), "%s", text);
}

/* promtool knows the older format: other names of counters, and no info. */
Test(metrics, pleases_promtool)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	g_autofree char *tool = g_find_program_in_path("promtool");
	g_autoptr(GError) error = NULL;

	if (!tool)
		cr_skip_test("promtool is missing");
	service_metrics_request(fixture->service, "GET", "/v1/emails", 200, 1000);
	metrics_attempt(0, 2);
	service_metrics_observe(fixture->service, METRIC_ATTEMPT_SECONDS, "r", 1000);
	g_autofree char *text = metrics_shown(fixture);
	g_autoptr(GRegex) counter =
	    g_regex_new("^# (TYPE|HELP) (posthouse_(?:requests|attempts|"
			"relay_refusals|events|provider_events|"
			"executions_ended|webhook_deliveries|step_requests))(?= )",
		G_REGEX_MULTILINE, 0, NULL);
	g_autofree char *totals = g_regex_replace(counter, text, -1, 0, "# \\1 \\2_total", 0, NULL);
	g_autofree char *plain = g_strdup(strstr(totals, "# TYPE posthouse_build") ? totals : "");
	*strstr(plain, "# TYPE posthouse_build") = '\0';
	g_autofree char *path = NULL;
	close(g_file_open_tmp("metrics-XXXXXX", &path, NULL));
	cr_assert(g_file_set_contents(path, plain, -1, NULL));
	g_autofree char *command = g_strdup_printf("sh -c '%s check metrics <%s'", tool, path);
	g_autofree char *out = NULL, *err = NULL;
	int status;
	cr_assert(g_spawn_command_line_sync(command, &out, &err, &status, &error));
	cr_expect_eq(status, 0, "%s%s", out, err);
	unlink(path);
}

/* The first use of a key is noted at once (tests/http/keys.c), a later one with the counters, and
   once in an hour. */
Test(metrics, note_later_uses_of_keys)
{
	static const char used[] = "SELECT last_used FROM api_key";
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	gint64 begun = base_clock_now();

	service_metrics_serve();
	fixture->key.last_used = 1;
	test_db_plain(fixture->db, "UPDATE api_key SET last_used = 1");
	service_key_use(fixture->service, &fixture->key, true);
	cr_expect_eq(test_db_number(fixture->db, used), 1);
	service_metrics_flush(fixture->service, true);
	gint64 noted = test_db_number(fixture->db, used);
	cr_expect_geq(noted, begun);
	fixture->key.last_used = noted;
	test_db_plain(fixture->db, "UPDATE api_key SET last_used = 2");
	service_key_use(fixture->service, &fixture->key, true);
	service_metrics_flush(fixture->service, true);
	cr_expect_eq(test_db_number(fixture->db, used), 2);
}
