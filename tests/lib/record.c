/* SPDX-License-Identifier: MIT */
#include "delivery/outcome.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
#define NOW ((gint64)1800000000000)

Test(retry, has_a_schedule)
{
	static const struct {
		guint attempts;
		gint64 want; /* after now */
	} cases[] = {
	    {0, MINUTE},
	    {1, MINUTE},
	    {2, 5 * MINUTE},
	    {3, 15 * MINUTE},
	    {4, 30 * MINUTE},
	    {5, HOUR},
	    {6, 2 * HOUR},
	    {7, 4 * HOUR},
	    {8, 8 * HOUR},
	    {9, 8 * HOUR},
	    {1000, 8 * HOUR},
	    {G_MAXUINT, 8 * HOUR},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		static const double jitters[] = {-1, -0.5, 0, 0.5, 1};

		for (gsize j = 0; j < G_N_ELEMENTS(jitters); j++) {
			gint64 want =
			    cases[i].want + (gint64)(jitters[j] * 10) * cases[i].want / 100;
			gint64 got =
			    delivery_outcome_retry_at(cases[i].attempts, NOW, NOW, jitters[j]) -
			    NOW;
			cr_expect_eq(got, want,
			    "after %u with jitter %g: got %" G_GINT64_FORMAT
			    ", want %" G_GINT64_FORMAT,
			    cases[i].attempts, jitters[j], got, want);
		}
	}
}

Test(retry, gives_up_after_48_hours)
{
	static const struct {
		const char *name;
		guint attempts;
		gint64 elapsed; /* since acceptance */
		double jitter;
		bool want_more;
	} cases[] = {
	    {"at the end", 9, 40 * HOUR, 0, true},
	    {"one past it", 9, 40 * HOUR + 1, 0, false},
	    {"at the end, by jitter", 9, 39 * HOUR + 12 * MINUTE, 1, true},
	    {"one past it, by jitter", 9, 39 * HOUR + 12 * MINUTE + 1, 1, false},
	    {"early attempts, at the end", 1, 48 * HOUR - MINUTE, 0, true},
	    {"early attempts, one past it", 1, 48 * HOUR - MINUTE + 1, 0, false},
	    {"no attempt, at the end", 0, 48 * HOUR - MINUTE, 0, true},
	    {"no attempt, one past it", 0, 48 * HOUR - MINUTE + 1, 0, false},
	    {"long past", 1, 1000 * HOUR, 0, false},
	    {"scheduled, and the clock set back", 1, -HOUR, 0, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 at = delivery_outcome_retry_at(
		    cases[i].attempts, NOW - cases[i].elapsed, NOW, cases[i].jitter);
		cr_expect_eq(
		    at != 0, cases[i].want_more, "%s: got %" G_GINT64_FORMAT, cases[i].name, at);
	}
}

Test(retry, tells_of_a_delay_every_4_hours)
{
	static const struct {
		gint64 since_last; /* -1: there was none */
		bool want;
	} cases[] = {{-1, true}, {0, false}, {4 * HOUR - 1, false}, {4 * HOUR, true}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 last = cases[i].since_last < 0 ? 0 : NOW - cases[i].since_last;
		cr_expect_eq(delivery_outcome_tells_delay(last, NOW), cases[i].want,
		    "%" G_GINT64_FORMAT " ms after the last", cases[i].since_last);
	}
}

#define UNKNOWN "550 5.1.1 no such user"
#define LATER "451 4.3.0 later"
#define LOST "The connection ended after the message was sent and before the answer."

static const struct outcome_case {
	const char *name;
	struct smtp_rule rules[3];
	const char *more; /* settings */
	const char *to;
	const char *want_events;
	const char *want_outbox;
} cases[] = {
    {"sent", {}, NULL, "a@x.org b@x.org", "0 sent\n1 sent\n", ""},
    {"sent to the final server", {}, "final = yes\n", "a@x.org", "0 sent\n0 delivered\n", ""},
    {"refused at RCPT", {REPLY("RCPT*", 0, UNKNOWN)}, NULL, "a@x.org",
	"0 bounced Permanent 5.1.1: " UNKNOWN "\n", ""},
    {"refused at RCPT without an enhanced code", {REPLY("RCPT*", 0, "550 no such user")}, NULL,
	"a@x.org", "0 bounced Permanent: 550 no such user\n", ""},
    {"refused at MAIL", {REPLY("MAIL*", 0, "550 5.7.1 not you")}, NULL, "a@x.org b@x.org",
	"0 failed 5.7.1: 550 5.7.1 not you\n1 failed 5.7.1: 550 5.7.1 not you\n", ""},
    {"refused at the dot", {REPLY(".", 0, "554 5.7.1 spam")}, NULL, "a@x.org",
	"0 failed 5.7.1: 554 5.7.1 spam\n", ""},
    {"refused at DATA", {REPLY("DATA", 0, "554 5.7.1 no data")}, NULL, "a@x.org",
	"0 failed 5.7.1: 554 5.7.1 no data\n", ""},
    {"deferred at MAIL", {REPLY("MAIL*", 0, LATER)}, NULL, "a@x.org",
	"0 delayed 4.3.0: " LATER "\n", "0: 1 attempts, in 1 min\n"},
    {"deferred at RCPT", {REPLY("RCPT*", 0, LATER)}, NULL, "a@x.org",
	"0 delayed 4.3.0: " LATER "\n", "0: 1 attempts, in 1 min\n"},
    {"deferred at the dot", {REPLY(".", 0, LATER)}, NULL, "a@x.org", "0 delayed 4.3.0: " LATER "\n",
	"0: 1 attempts, in 1 min\n"},
    {"one of each", {REPLY("RCPT*b@x*", 0, UNKNOWN), REPLY("RCPT*c@x*", 0, LATER)}, NULL,
	"a@x.org b@x.org c@x.org",
	"0 sent\n1 bounced Permanent 5.1.1: " UNKNOWN "\n2 delayed 4.3.0: " LATER "\n",
	"2: 1 attempts, in 1 min\n"},
    {"421 after the greeting", {THEN(DROP, "CONNECT", 0, "421 4.3.2 closed")}, NULL, "a@x.org",
	"0 delayed 4.3.2: relay 127.0.0.1:PORT (127.0.0.1:PORT) refused the session: 421 4.3.2 "
	"closed\n",
	"0: 0 attempts, in 1 min\n"},
    {"answer to the dot lost", {THEN(DROP, ".", 0, NULL)}, NULL, "a@x.org b@x.org",
	"0 delayed: " LOST "\n1 delayed: " LOST "\n", "0 1: 1 attempts, in 1 min\n"},
    {"answer to the dot lost, to be held", {THEN(DROP, ".", 0, NULL)}, "uncertain = hold\n",
	"a@x.org b@x.org", "0 delayed: " LOST "\n1 delayed: " LOST "\n", "0 1: 1 attempts, held\n"},
};

Test(record, records_what_became_of_each_recipient)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct outcome_case *c = &cases[i];
		struct smtp_script script = {.extensions = "ENHANCEDSTATUSCODES"};

		memcpy(script.rules, c->rules, sizeof(c->rules));
		fixture_renew(fixture, &script, c->more);
		struct base_id id = posting_submit(fixture, c->to);
		posting_deliver(fixture);
		g_autofree char *port = g_strdup_printf("%u", smtp_server_port(fixture->relay));
		g_autoptr(GString) want = g_string_new(c->want_events);
		g_string_replace(want, "PORT", port, 0);
		posting_expect(fixture, c->name, &id, want->str, c->want_outbox);
		test_db_plain(fixture->db, "DELETE FROM outbox");
		test_db_plain(fixture->db, "DELETE FROM suppression");
	}
}

/* As if so much time had passed. */
static void
record_pass(gint64 ms)
{
	base_clock_set(base_clock_now() + ms);
}

Test(record, tries_again_for_the_recipients_that_are_left)
{
	static const struct smtp_script some = {
	    .rules = {REPLY("RCPT*b@x*", 0, LATER), REPLY("RCPT*c@x*", 0, UNKNOWN)}};
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&some, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org b@x.org c@x.org d@x.org");

	posting_deliver(fixture);
	posting_expect(fixture, "first", &id,
	    "0 sent\n2 bounced Permanent 5.1.1: " UNKNOWN "\n3 sent\n1 delayed 4.3.0: " LATER "\n",
	    "1: 1 attempts, in 1 min\n");
	posting_deliver(fixture);
	record_pass(2 * 60 * 1000);
	fixture_renew(fixture, &good, NULL);
	posting_deliver(fixture);
	posting_expect(fixture, "second", &id,
	    "0 sent\n2 bounced Permanent 5.1.1: " UNKNOWN "\n3 sent\n1 delayed 4.3.0: " LATER
	    "\n1 sent\n",
	    "");
	smtp_server_stop(fixture->relay);
	cr_assert_eq(smtp_server_count(fixture->relay), 1);
	const struct smtp_mail *mail = smtp_server_mail(fixture->relay, 0);
	cr_expect_eq(mail->recipients->len, 1);
	cr_expect(strstr(mail->recipients->pdata[0], "<b@x.org>"));
}

/* All retries in 48 hours, without the jitter. */
Test(record, retries_for_48_hours_and_tells_every_4)
{
	static const struct smtp_script script = {.rules = {REPLY(".", 0, LATER)}};
	static const struct {
		const char *want_outbox;
		guint want_delayed;
		gint64 minutes;
	} steps[] = {
	    {"0: 1 attempts, in 1 min\n", 1, 1},
	    {"0: 2 attempts, in 5 min\n", 1, 5},
	    {"0: 3 attempts, in 15 min\n", 1, 15},
	    {"0: 4 attempts, in 30 min\n", 1, 30},
	    {"0: 5 attempts, in 60 min\n", 1, 60},
	    {"0: 6 attempts, in 120 min\n", 1, 120},
	    {"0: 7 attempts, in 240 min\n", 2, 240},
	    {"0: 8 attempts, in 480 min\n", 3, 480},
	    {"0: 9 attempts, in 480 min\n", 4, 480},
	};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");

	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autoptr(GString) want = g_string_new(NULL);
		g_autofree char *name = g_strdup_printf("attempt %zu", i + 1);

		posting_deliver(fixture);
		for (guint j = 0; j < steps[i].want_delayed; j++)
			g_string_append(want, "0 delayed 4.3.0: " LATER "\n");
		posting_expect(fixture, name, &id, want->str, steps[i].want_outbox);
		record_pass(steps[i].minutes * 66000); /* when it is due at the latest */
	}
	record_pass(24 * HOUR);
	posting_deliver(fixture);
	posting_expect(fixture, "the last one", &id,
	    "0 delayed 4.3.0: " LATER "\n0 delayed 4.3.0: " LATER "\n0 delayed 4.3.0: " LATER
	    "\n0 delayed 4.3.0: " LATER "\n0 failed 4.3.0: " LATER "\n",
	    "");
}

#define CLOSED(port)                                                                               \
	"relay 127.0.0.1:" port " (127.0.0.1:" port ") could not be reached: Connection refused"

Test(record, counts_no_attempt_where_there_is_no_relay)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org b@x.org");
#define DELAYED "0 delayed 4.4.1: " CLOSED("1") "\n1 delayed 4.4.1: " CLOSED("1") "\n"

	posting_deliver(fixture);
	posting_expect(fixture, "at first", &id, DELAYED, "0 1: 0 attempts, in 1 min\n");
	record_pass(4 * HOUR - 60000);
	posting_deliver(fixture);
	posting_expect(fixture, "within 4 hours", &id, DELAYED, "0 1: 0 attempts, in 1 min\n");
	record_pass(2 * 60000);
	posting_deliver(fixture);
	posting_expect(fixture, "after 4 hours", &id, DELAYED, "0 1: 0 attempts, in 1 min\n");
	/* It is not given up, although 8 hours would follow after so many attempts. */
	test_db_plain(fixture->db, "UPDATE outbox SET attempts = 9");
	record_pass(43 * HOUR);
	posting_deliver(fixture);
	g_autofree char *outbox = fixture_outbox(fixture);
	cr_expect_str_eq(outbox, "0 1: 9 attempts, in 1 min\n");
	record_pass(HOUR);
	posting_deliver(fixture);
	posting_expect(fixture, "after 48 hours", &id,
	    DELAYED "0 failed 4.4.1: " CLOSED("1") "\n1 failed 4.4.1: " CLOSED("1") "\n", "");
}

/* A message that came back while its relay still rests would wait for another minute. */
Test(record, is_due_when_the_rest_of_its_relay_is_over)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (guint i = 0; i < 20; i++)
		posting_submit(fixture, "a@x.org");
	gint64 before = base_clock_now();
	posting_deliver(fixture);
	gint64 after = base_clock_now();
	gint64 first = test_db_number(fixture->db, "SELECT MIN(ready_at) FROM outbox");
	gint64 last = test_db_number(fixture->db, "SELECT MAX(ready_at) FROM outbox");

	cr_expect_geq(first, before + 60000, "%" G_GINT64_FORMAT " ms", first - before);
	cr_expect_leq(last, after + 60000, "%" G_GINT64_FORMAT " ms", last - after);
}

/* The reply of a relay that is back is told at once, and again after 4 hours. */
Test(record, tells_of_an_attempt_after_no_attempt)
{
	static const struct smtp_script later = {.rules = {REPLY(".", 0, LATER)}};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");
#define REFUSED "0 delayed 4.4.1: " CLOSED("1") "\n"

	posting_deliver(fixture);
	posting_expect(fixture, "at first", &id, REFUSED, "0: 0 attempts, in 1 min\n");
	record_pass(2 * 60000);
	fixture_renew(fixture, &later, NULL);
	posting_deliver(fixture);
	posting_expect(fixture, "an attempt", &id, REFUSED "0 delayed 4.3.0: " LATER "\n",
	    "0: 1 attempts, in 1 min\n");
	record_pass(2 * 60000);
	posting_deliver(fixture);
	posting_expect(fixture, "another", &id, REFUSED "0 delayed 4.3.0: " LATER "\n",
	    "0: 2 attempts, in 5 min\n");
}

Test(record, gives_up_what_can_never_be_composed)
{
	static const struct smtp_script script = {.extensions = NULL};
	static const struct {
		const char *name, *sql, *want_events, *want_outbox;
	} faults[] = {
	    {"no key", "DELETE FROM domain_key",
		"0 failed: the sending domain has no DKIM key any more\n", ""},
	    {"no domain", "DELETE FROM domain",
		"0 failed: The sending domain is not registered any more\n", ""},
	};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id ids[G_N_ELEMENTS(faults)];

	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++)
		ids[i] = posting_submit(fixture, "a@x.org");
	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		test_db_plain(fixture->db, "UPDATE outbox SET ready_at = ready_at + 100000");
		cr_assert(db_run(fixture->db,
		    "UPDATE outbox SET ready_at = ready_at - 200000 WHERE email_id = ?",
		    DB_VALUES(db_id(&ids[i])), NULL, NULL));
		test_db_plain(fixture->db, faults[i].sql);
		posting_deliver(fixture);
		g_autofree char *events = fixture_events(fixture, &ids[i]);
		cr_expect_str_eq(
		    events, faults[i].want_events, "%s: got %s", faults[i].name, events);
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox"), 0);
}

Test(record, tries_again_what_an_operator_can_mend)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");

	test_db_plain(fixture->db, "UPDATE domain_key SET private = REVERSE(private)");
	posting_deliver(fixture);
	g_autofree char *events = fixture_events(fixture, &id);
	cr_expect(g_str_has_prefix(events, "0 delayed: the DKIM key ph"), "%s", events);
	g_autofree char *outbox = fixture_outbox(fixture);
	cr_expect_str_eq(outbox, "0: 1 attempts, in 1 min\n");
	test_db_plain(fixture->db, "UPDATE domain_key SET private = REVERSE(private)");
	record_pass(2 * 60000);
	posting_deliver(fixture);
	g_autofree char *later = fixture_events(fixture, &id);
	cr_expect(g_str_has_suffix(later, "\n0 sent\n"), "%s", later);
}

Test(record, doubts_what_another_machine_may_have_sent)
{
	static const struct smtp_script script = {.extensions = NULL};
	static const struct {
		const char *more, *want_events, *want_outbox;
	} cases_of_doubt[] = {
	    {"uncertain = retry\n", "0 sent\n", ""},
	    {"uncertain = hold\n",
		"0 delayed: Another machine, which was lost, may have sent the message.\n",
		"0: 1 attempts, held\n"},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases_of_doubt); i++) {
		fixture_renew(fixture, &script, cases_of_doubt[i].more);
		struct base_id id = posting_submit(fixture, "a@x.org");
		posting_lose(fixture);
		posting_deliver(fixture);
		posting_expect(fixture, cases_of_doubt[i].more, &id, cases_of_doubt[i].want_events,
		    cases_of_doubt[i].want_outbox);
	}
}
