/* SPDX-License-Identifier: MIT */
#include "relay/source.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "service/metrics.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "tests/support/settings.h"
#include "tests/support/smtp_server.h"
#include "upkeep/metrics_text.h"

#define DAY_MS ((gint64)24 * 3600 * 1000)
#define DAY_1 (20833 * DAY_MS) /* 2027-01-15 */

static const struct smtp_script good = {.extensions = NULL};

/* A fixture with one relay, which is connected from these addresses. */
static struct fixture *
source_open(const struct smtp_server *server, const char *sources, const char *more)
{
	g_autofree char *text = g_strdup_printf(
	    "[relay one]\nhost = 127.0.0.1\nport = %u\ntls = none\nhelo = all.example\n"
	    "source = %s\n%s",
	    smtp_server_port(server), sources, more);

	base_clock_set(DAY_1 + DAY_MS / 2);
	return fixture_open(NULL, text);
}

static void
source_expect_sent(struct fixture *fixture, gint64 want)
{
	posting_deliver(fixture);
	gint64 got = test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status = 1");
	cr_expect_eq(got, want, "got %d, want %d", (int)got, (int)want);
}

/* The messages that came with this name of EHLO. */
static guint
source_named(const struct smtp_server *server, const char *helo)
{
	g_auto(GStrv) lines = g_strsplit(smtp_server_log(server), "\n", -1);
	bool is_named = false;
	guint count = 0;

	for (char **line = lines; *line; line++) {
		if (g_str_has_prefix(*line, "EHLO "))
			is_named = strcmp(*line + strlen("EHLO "), helo) == 0;
		count += is_named && strcmp(*line, ".") == 0;
	}
	return count;
}

Test(source, takes_turns_by_message)
{
	AUTO(smtp_server) server = smtp_server_start(&good);
	AUTO(fixture)
	fixture = source_open(server, "127.0.0.2, 127.0.0.3 127.0.0.4",
	    "[source 127.0.0.2]\nhelo = two.example\n[source 127.0.0.3]\nhelo = three.example\n");

	for (guint i = 0; i < 6; i++)
		posting_submit(fixture, "a@x.org");
	source_expect_sent(fixture, 6);
	for (guint i = 0; i < 3; i++)
		posting_submit(fixture, "a@x.org b@x.org");
	source_expect_sent(fixture, 12);
	smtp_server_stop(server);
	cr_expect_eq(source_named(server, "two.example"), 3);
	cr_expect_eq(source_named(server, "three.example"), 3);
	cr_expect_eq(source_named(server, "all.example"), 3);
}

Test(source, that_is_full_is_passed_over)
{
	AUTO(smtp_server) server = smtp_server_start(&good);
	AUTO(fixture)
	fixture = source_open(server, "127.0.0.2 127.0.0.3",
	    "[source 127.0.0.2]\nhelo = two.example\nwarmup = 1 2\n"
	    "[source 127.0.0.3]\nhelo = three.example\nwarmup = 3, 4\n");

	for (guint i = 0; i < 9; i++)
		posting_submit(fixture, "a@x.org");
	source_expect_sent(fixture, 4);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM outbox WHERE attempts = 0 AND since = ready_at AND"
			 " reason IN ('warm-up: 127.0.0.2 has sent 1 of 1 today, the rest leaves"
			 " from 2027-01-16', 'warm-up: 127.0.0.3 has sent 3 of 3 today, the rest"
			 " leaves from 2027-01-16')"),
	    5);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 4, "no event");
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT MIN(ready_at) FROM outbox"), DAY_1 + DAY_MS);
	/* A day without mail does not count, and nothing fails for the time that it waited. */
	base_clock_set(DAY_1 + 5 * DAY_MS);
	source_expect_sent(fixture, 9);
	for (guint i = 0; i < 3; i++)
		posting_submit(fixture, "a@x.org");
	source_expect_sent(fixture, 10);
	base_clock_set(DAY_1 + 6 * DAY_MS);
	source_expect_sent(fixture, 12);
	for (guint i = 0; i < 20; i++)
		posting_submit(fixture, "a@x.org");
	source_expect_sent(fixture, 32);
	smtp_server_stop(server);
	cr_expect_geq(source_named(server, "two.example"), 3 + 10);
}

/* posthouse_source_attempts_total by relay, address and result. */
Test(source, is_counted_in_metrics)
{
	static const struct smtp_script refuses = {
	    .rules = {REPLY("RCPT TO:<b@*", 1, "550 5.1.1 no")}};
	static const char *const lines[] = {
	    "\nposthouse_source_attempts_total{relay=\"one\",source=\"127.0.0.2\",result=\"sent\"} "
	    "2"
	    "\n",
	    "\nposthouse_source_attempts_total{relay=\"one\",source=\"127.0.0.3\",result=\"sent\"} "
	    "1"
	    "\n",
	    "\nposthouse_source_attempts_total{relay=\"one\",source=\"127.0.0.3\",result="
	    "\"bounced\"} "
	    "1\n",
	};
	AUTO(smtp_server) server = smtp_server_start(&refuses);
	AUTO(fixture) fixture = source_open(server, "127.0.0.2 127.0.0.3", "");

	posting_submit(fixture, "a@x.org c@x.org");
	posting_submit(fixture, "a@x.org b@x.org");
	source_expect_sent(fixture, 3);
	service_metrics_flush(fixture->service, true);
	g_autofree char *text = upkeep_metrics_text(fixture->service, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
		cr_expect(strstr(text, lines[i]), "no %s in %s", lines[i], text);
}

Test(source, counts_recipients)
{
	AUTO(smtp_server) server = smtp_server_start(&good);
	AUTO(fixture)
	fixture = source_open(server, "127.0.0.2", "[source 127.0.0.2]\nwarmup = 2 5\n");
	struct base_id id = posting_submit(fixture, "a@x.org b@x.org c@x.org");

	source_expect_sent(fixture, 2);
	g_autofree char *events = fixture_events(fixture, &id);
	cr_expect_str_eq(events, "0 sent\n1 sent\n", "%s", events);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM outbox WHERE attempts = 0 AND reason = 'warm-up:"
			 " 127.0.0.2 has sent 2 of 2 today, the rest leaves from 2027-01-16'"),
	    1);
	base_clock_set(DAY_1 + DAY_MS);
	source_expect_sent(fixture, 3);
}

Test(source, has_those_back_who_were_not_tried)
{
	static const struct smtp_script away = {.rules = {REPLY("EHLO*", 0, "421 4.3.2 later")}};
	AUTO(smtp_server) server = smtp_server_start(&away);
	AUTO(fixture)
	fixture = source_open(server, "127.0.0.2", "[source 127.0.0.2]\nwarmup = 1\n");

	posting_submit(fixture, "a@x.org");
	source_expect_sent(fixture, 0);
	smtp_server_stop(server);
	AUTO(smtp_server) better = smtp_server_start(&good);
	g_autofree char *text = g_strdup_printf("[relay one]\nhost = 127.0.0.1\nport = %u\n"
						"tls = none\nsource = 127.0.0.2\n"
						"[source 127.0.0.2]\nwarmup = 1\n",
	    smtp_server_port(better));
	base_clock_set(DAY_1 + DAY_MS / 2 + 120000);
	fixture_renew(fixture, NULL, text);
	source_expect_sent(fixture, 1);
}

Test(source, settings_are_checked)
{
	g_autoptr(GString) many = g_string_new(NULL);

	for (guint i = 1; i <= 32; i++)
		g_string_append_printf(many, "127.0.0.%u ", i);
	g_autofree char *fits = g_strdup_printf("source = %s\n", many->str),
			*past = g_strdup_printf("source = %s 127.0.0.33\n", many->str);
	const struct {
		const char *lines, *want; /* NULL: they are good */
	} cases[] = {
	    {"source = 127.0.0.1\n", NULL},
	    {fits, NULL},
	    {past, "*[relay one] source takes at most 32 addresses"},
	    {"source = 127.0.0.1 127.0.0.1\n", "*[relay one] source takes each address once"},
	    {"source = 127.0.0.1 ::1\n",
		"*[relay one] source takes an IPv4 address of this machine, not '::1'"},
	    {"[source x.example]\nhelo = a.example\n",
		"*[source x.example] names an IPv4 address of this machine*"},
	    {"[source 127.0.0.1]\nhelo = a b\n",
		"*[source 127.0.0.1] helo takes a host name or an [address], not 'a b'"},
	    {"[source 127.0.0.1]\nwarmup = 5 x\n",
		"*[source 127.0.0.1] warmup takes a number from 0 to 100000000, not 'x'"},
	    {"[source 127.0.0.1]\nwarmup = 100000000\n", NULL},
	    {"[source 127.0.0.1]\nwarmup = 100000001\n", "*warmup takes a number from 0 *"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);
		g_autofree char *text = g_strdup_printf(
		    "[database]\nuser = u\nname = d\n[relay one]\nhost = 127.0.0.1\ntls = none\n%s",
		    cases[i].lines);
		g_autofree char *path = test_settings_write(dir, "source", text);
		g_autoptr(GError) error = NULL;
		AUTO(config_settings) settings = config_settings_load(path, &error);

		cr_expect(cases[i].want
			      ? error && g_pattern_match_simple(cases[i].want, error->message)
			      : settings != NULL,
		    "%s: %s", cases[i].lines, error ? error->message : "good");
		test_folder_remove(dir);
	}
}
