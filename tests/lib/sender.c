/* SPDX-License-Identifier: MIT */
#include "delivery/sender.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "email/submission.h"
#include "json/strict.h"
#include "store/domain/domain.h"
#include "store/email/event.h"
#include "submit/submit.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

/* Kept by the one that waits: how long it took. */
static bool
sender_wait_for(struct delivery *delivery, gint64 ms, gint64 *took_r)
{
	gint64 begin = base_clock_boot();
	bool done = delivery_wait(delivery, begin + ms);

	*took_r = base_clock_boot() - begin;
	return done;
}

Test(sender, goes_to_the_next_relay_and_sends_nothing_twice)
{
	static const struct smtp_script refusing = {
	    .rules = {THEN(DROP, "CONNECT", 0, "554 5.3.2 no")}};
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(smtp_server) second = smtp_server_start(&good);
	g_autofree char *more =
	    g_strdup_printf("host = 127.0.0.1, 127.0.0.1:%u\n", smtp_server_port(second));
	AUTO(fixture) fixture = fixture_open(&refusing, more);
	struct base_id bad = posting_submit(fixture, "a@x.org"),
		       one = posting_submit(fixture, "b@x.org");

	/* Refused here already, whichever relay it is. */
	test_db_plain(
	    fixture->db, "UPDATE recipient SET address = 'a b' WHERE address = 'a@x.org'");
	posting_deliver(fixture);
	posting_expect(fixture, "refused here", &bad,
	    "0 bounced Permanent 5.1.3: 5.1.3 The address cannot be sent to a mail server.\n", "");
	posting_expect(fixture, "taken by the second", &one, "0 sent\n", "");
	smtp_server_stop(fixture->relay);
	smtp_server_stop(second);
	cr_expect_eq(smtp_server_connections(fixture->relay), 1);
	cr_expect_eq(smtp_server_count(second), 1);
}

Test(sender, returns_what_the_session_did_not_get_to)
{
	static const struct smtp_script script = {.rules = {THEN(DROP, "MAIL*", 2, NULL)}};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id one = posting_submit(fixture, "a@x.org"),
		       two = posting_submit(fixture, "b@x.org");

	posting_submit(fixture, "c@x.org");
	posting_deliver(fixture);
	posting_expect(
	    fixture, "first", &one, "0 sent\n", "0: 0 attempts, now\n0: 0 attempts, now\n");
	posting_expect(fixture, "second", &two, "", "0: 0 attempts, now\n0: 0 attempts, now\n");
}

Test(sender, leaves_a_relay_that_hangs_before_the_dot_in_time)
{
	static const struct {
		const char *name;
		struct smtp_rule rule;
		gint64 ms;
		const char *enhanced, *text; /* of the relay's rest; NULL: it does not rest */
		const char *deferred;	     /* of the message's event; NULL: it has none */
	} hangs[] = {
	    {"greeting", THEN(HANG, "CONNECT", 0, NULL), 1000, "4.4.1",
		"sent no greeting within 1 s"},
	    {"EHLO", THEN(HANG, "EHLO*", 0, NULL), 1000, "4.4.2",
		"did not answer within 1 s (EHLO)"},
	    {"MAIL", THEN(HANG, "MAIL*", 0, NULL), 1000, NULL, NULL,
		"The connection ended before the answer."},
	    {"RCPT", THEN(HANG, "RCPT*", 0, NULL), 1000, NULL, NULL,
		"The connection ended before the answer."},
	    {"DATA", THEN(HANG, "DATA", 0, NULL), 1000, NULL, NULL,
		"The connection ended before the message was sent."},
	    {"MAIL for a moment", THEN(HANG, "MAIL*", 0, NULL), 300, NULL, NULL},
	    {"RCPT for a moment", THEN(HANG, "RCPT*", 0, NULL), 300, NULL, NULL},
	    {"DATA for a moment", THEN(HANG, "DATA", 0, NULL), 300, NULL, NULL},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(hangs); i++) {
		struct smtp_script script = {.rules = {hangs[i].rule}};
		gint64 took;

		fixture_renew(fixture, &script, NULL);
		g_autofree char *place =
		    g_strdup_printf("127.0.0.1:%u", smtp_server_port(fixture->relay));
		g_autofree char *event =
		    hangs[i].text	? g_strdup_printf("0 delayed %s: relay %s (%s) %s\n",
					      hangs[i].enhanced, place, place, hangs[i].text)
		    : hangs[i].deferred ? g_strdup_printf("0 delayed: %s\n", hangs[i].deferred)
					: g_strdup("");
		struct base_id id = posting_submit(fixture, "a@x.org");
		struct delivery *delivery = posting_start(fixture);
		cr_expect(
		    sender_wait_for(delivery, hangs[i].ms, &took), "%s: not done", hangs[i].name);
		cr_expect_geq(
		    took, hangs[i].ms, "%s: took %" G_GINT64_FORMAT " ms", hangs[i].name, took);
		delivery_free(delivery);
		posting_expect(fixture, hangs[i].name, &id, event,
		    hangs[i].text	? "0: 0 attempts, in 1 min\n"
		    : hangs[i].deferred ? "0: 1 attempts, in 1 min\n"
					: "0: 0 attempts, now\n");
		test_db_plain(fixture->db, "DELETE FROM outbox");
	}
}

Test(sender, waits_for_the_answer_to_a_dot_and_no_more)
{
	static const struct smtp_script script = {.rules = {{".", 1, NULL, THEN_GO_ON, 600000}}};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id one = posting_submit(fixture, "a@x.org"),
		       two = posting_submit(fixture, "b@x.org");
	struct delivery *delivery = posting_start(fixture);
	gint64 took;

	cr_expect_not(sender_wait_for(delivery, 1000, &took), "it has left before the answer");
	cr_expect_geq(took, 1000, "took %" G_GINT64_FORMAT " ms", took);
	posting_expect(
	    fixture, "meanwhile", &one, "", "0: 0 attempts, claimed\n0: 0 attempts, claimed\n");
	smtp_server_release(fixture->relay);
	cr_assert(delivery_wait(delivery, 0));
	delivery_free(delivery);
	posting_expect(fixture, "after the answer", &one, "0 sent\n", "0: 0 attempts, now\n");
	posting_expect(fixture, "the next", &two, "", "0: 0 attempts, now\n");
}

/* A fixture whose relays are these servers, "one" and "two". */
static struct fixture *
open_two(const struct smtp_server *one, const struct smtp_server *two, const char *more)
{
	g_autofree char *text =
	    g_strdup_printf("[relay one]\nhost = 127.0.0.1\nport = %u\ntls = none\n"
			    "[relay two]\nhost = 127.0.0.1\nport = %u\ntls = none\n%s",
		smtp_server_port(one), smtp_server_port(two), more);

	return fixture_open(NULL, text);
}

/* The events of an email with their relays and texts, "sent one\n". The caller owns it. */
static char *
relays_of(struct fixture *fixture, const struct base_id *email)
{
	g_autoptr(GPtrArray) events = store_event_page(fixture->db, email, NULL, NULL, 100, NULL);
	GString *lines = g_string_new(NULL);

	for (guint i = events->len; i > 0; i--) {
		const struct store_event *event = events->pdata[i - 1];
		const char *text = event->smtp_response;
		g_string_append_printf(lines, "%s %s%s%s\n", store_event_name(event->status),
		    event->relay ? event->relay : "-", text ? ": " : "", text ? text : "");
	}
	return g_string_free(lines, FALSE);
}

static void
expect_relays(struct fixture *fixture, const struct base_id *email, const char *want)
{
	g_autofree char *got = relays_of(fixture, email);

	cr_expect(g_pattern_match_simple(want, got), "got\n%swant\n%s", got, want);
}

static void
pass_minutes(gint64 minutes)
{
	base_clock_set(base_clock_now() + minutes * 66000);
}

static const struct smtp_script good = {.extensions = NULL};

Test(relays, fail_over_within_one_delivery)
{
	static const struct smtp_script wrong = {.extensions = "AUTH PLAIN",
	    .user = "u",
	    .password = "secret",
	    .rules = {REPLY("MAIL*", 0, "421 4.7.0 too many")}};
	AUTO(smtp_server) one = smtp_server_start(&wrong);
	AUTO(smtp_server) two = smtp_server_start(&good);
	AUTO(fixture) fixture = open_two(one, two, "order = 2\nreturn_path = r@own.example\n");
	struct base_id first = posting_submit(fixture, "a@x.org"),
		       second = posting_submit(fixture, "b@x.org");

	posting_deliver(fixture);
	expect_relays(fixture, &first, "sent two\n");
	expect_relays(fixture, &second, "sent two\n");
	posting_submit(fixture, "c@x.org");
	posting_deliver(fixture);
	smtp_server_stop(one);
	smtp_server_stop(two);
	cr_expect_eq(smtp_server_connections(one), 1, "it rests a minute");
	cr_expect_eq(smtp_server_count(two), 3);
	cr_expect(g_str_has_prefix(smtp_server_mail(two, 0)->sender, "MAIL FROM:<r@own.example>"));
}

Test(relays, tell_once_in_a_row_why_they_take_no_mail)
{
	static const struct smtp_script wrong = {.extensions = "AUTH PLAIN",
	    .user = "u",
	    .password = "secret",
	    .rules = {REPLY("EHLO*", 3, "550 5.7.1 not you")}};
	AUTO(smtp_server) one = smtp_server_start(&wrong);
	AUTO(smtp_server) two = smtp_server_start(&good);
	AUTO(fixture) fixture = open_two(one, two, "default = no\n[smtp]\nhelo = a.example\n");
	g_autofree char *text = g_strdup_printf(
	    "[relay one]\nhost = 127.0.0.1\nport = %u\ntls = none\nuser = u\npassword = p\n",
	    smtp_server_port(one));
	fixture_renew(fixture, NULL, text);
	struct base_id id = posting_submit(fixture, "a@x.org");
#define LOGIN "delayed one: relay one (127.0.0.1:*) refused the login (PLAIN): 535 5.7.8 wrong\n"

	posting_deliver(fixture);
	expect_relays(fixture, &id, LOGIN);
	pass_minutes(1);
	posting_deliver(fixture);
	expect_relays(fixture, &id, LOGIN);
	pass_minutes(1);
	posting_deliver(fixture);
	expect_relays(fixture, &id,
	    LOGIN "delayed one: relay one (127.0.0.1:*) refused the session: 550 5.7.1 not you\n");
	pass_minutes(1);
	posting_deliver(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT attempts FROM outbox"), 0);
}

Test(relays, of_a_route_take_the_mail_of_its_domain)
{
	AUTO(smtp_server) one = smtp_server_start(&good);
	AUTO(smtp_server) two = smtp_server_start(&good);
	AUTO(fixture) fixture = open_two(one, two, "default = no\n");
	const struct base_id *workspace = &fixture->key.workspace_id,
			     *domain = &fixture->domain->id;
	static const struct {
		const char *of_workspace, *of_domain, *want;
	} cases[] = {
	    {NULL, NULL, "sent one\n"},
	    {"two", NULL, "sent two\n"},
	    {"two", "one", "sent one\n"},
	    {NULL, "old two", "sent two\n"},
	    {"one", "old",
		"delayed -: no relay: the route of example.com names only old, which the settings "
		"do "
		"not have\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		cr_assert(store_domain_set_relays(
		    fixture->db, workspace, NULL, 0, cases[i].of_workspace, NULL));
		cr_assert(store_domain_set_relays(
		    fixture->db, workspace, domain, 0, cases[i].of_domain, NULL));
		struct base_id id = posting_submit(fixture, "a@x.org");
		posting_deliver(fixture);
		expect_relays(fixture, &id, cases[i].want);
	}
}

/* The route of the first that is set: domain and stream, domain, workspace and stream, workspace,
   default. */
Test(relays, of_a_stream_go_before_those_of_all_mail)
{
	AUTO(smtp_server) one = smtp_server_start(&good);
	AUTO(smtp_server) two = smtp_server_start(&good);
	AUTO(fixture) fixture = open_two(one, two, "default = no\n");
	const struct base_id *workspace = &fixture->key.workspace_id,
			     *domain = &fixture->domain->id;
	static const struct {
		const char *of_workspace, *of_workspace_stream, *of_domain, *of_domain_stream;
		const char *want, *want_other; /* of the stream, and of another */
	} cases[] = {
	    {NULL, NULL, NULL, NULL, "sent one\n", "sent one\n"},
	    {NULL, "two", NULL, NULL, "sent two\n", "sent one\n"},
	    {"two", "one", NULL, NULL, "sent one\n", "sent two\n"},
	    {"one", "one", "two", NULL, "sent two\n", "sent two\n"},
	    {"two", "two", "two", "one", "sent one\n", "sent two\n"},
	    {NULL, NULL, NULL, "two", "sent two\n", "sent one\n"},
	};
	static const enum store_stream streams[] = {
	    STREAM_TRANSACTIONAL, STREAM_AUTOMATION, STREAM_BROADCAST};

	for (gsize i = 0; i < G_N_ELEMENTS(cases) * G_N_ELEMENTS(streams); i++) {
		gsize c = i / G_N_ELEMENTS(streams), s = i % G_N_ELEMENTS(streams);
		enum store_stream stream = streams[s],
				  other = streams[(s + 1) % G_N_ELEMENTS(streams)];
		struct email_submission submission = fixture_submission();

		cr_assert(store_domain_set_relays(
		    fixture->db, workspace, NULL, 0, cases[c].of_workspace, NULL));
		cr_assert(store_domain_set_relays(
		    fixture->db, workspace, NULL, stream, cases[c].of_workspace_stream, NULL));
		cr_assert(store_domain_set_relays(
		    fixture->db, workspace, domain, 0, cases[c].of_domain, NULL));
		cr_assert(store_domain_set_relays(
		    fixture->db, workspace, domain, stream, cases[c].of_domain_stream, NULL));
		submission.stream = store_stream_name(stream);
		struct base_id id = posting_store(fixture, &submission);
		submission.stream = store_stream_name(other);
		struct base_id of_other = posting_store(fixture, &submission);
		posting_deliver(fixture);
		expect_relays(fixture, &id, cases[c].want);
		expect_relays(fixture, &of_other, cases[c].want_other);
		cr_assert(
		    store_domain_set_relays(fixture->db, workspace, NULL, stream, NULL, NULL));
		cr_assert(
		    store_domain_set_relays(fixture->db, workspace, domain, stream, NULL, NULL));
	}
}

Test(relays, share_a_batch_by_weight_in_sessions_of_limited_length)
{
	AUTO(smtp_server) one = smtp_server_start(&good);
	AUTO(smtp_server) two = smtp_server_start(&good);
	AUTO(fixture) fixture = open_two(one, two, "weight = 300\nmessages = 5\n");

	for (guint i = 0; i < 40; i++)
		posting_submit(fixture, "a@x.org");
	posting_deliver(fixture);
	smtp_server_stop(one);
	smtp_server_stop(two);
	cr_expect_eq(smtp_server_count(one) + smtp_server_count(two), 40);
	cr_expect(smtp_server_count(two) >= 26 && smtp_server_count(two) <= 34, "got %u",
	    smtp_server_count(two));
	cr_expect_eq(smtp_server_connections(one), 1);
	cr_expect_eq(smtp_server_connections(two), (smtp_server_count(two) + 4) / 5);
}

Test(relays, of_a_provider_get_its_fields)
{
	static const struct {
		const char *provider, *want;
	} cases[] = {
	    {"ses", "X-Posthouse-Id: *-*-7*-*\r\nX-SES-MESSAGE-TAGS: posthouse-id=*-*-7*-*\r\n*"},
	    {"mailgun", "X-Posthouse-Id: *\r\nX-Mailgun-Variables: {\"posthouse-id\":\"*\"}\r\n*"},
	    {"postmark", "X-Posthouse-Id: *\r\nX-PM-Metadata-posthouse-id: *\r\n*"},
	    {"sendgrid",
		"X-Posthouse-Id: *\r\nX-SMTPAPI: {\"unique_args\":{\"posthouse-id\":\"*\"}}\r\n*"},
	    {"brevo", "X-Posthouse-Id: *\r\nX-Mailin-custom: {\"posthouse-id\":\"*\"}\r\n*"},
	    {"resend", "X-Posthouse-Id: *\r\n*"},
	};
	AUTO(smtp_server) one = smtp_server_start(&good);
	AUTO(fixture) fixture = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strdup_printf("[relay a]\nhost = 127.0.0.1\nport = %u\n"
							"tls = none\nprovider = %s\n",
		    smtp_server_port(one), cases[i].provider);
		if (fixture)
			fixture_renew(fixture, NULL, text);
		else
			fixture = fixture_open(NULL, text);
		posting_submit(fixture, "a@x.org");
		posting_deliver(fixture);
	}
	smtp_server_stop(one);
	cr_assert_eq(smtp_server_count(one), G_N_ELEMENTS(cases));
	for (guint i = 0; i < smtp_server_count(one); i++) {
		const char *got = smtp_server_mail(one, i)->bytes->str;
		cr_expect(g_pattern_match_simple(cases[i].want, got), "%s: got %.300s",
		    cases[i].provider, got);
	}
}

/* Stores an email with these header fields. */
static void
submit_with(struct fixture *fixture, const char *fields)
{
	AUTO(json) headers = json_parse(fields, strlen(fields), NULL);
	struct email_submission submission = fixture_submission();

	submission.headers = headers;
	posting_store(fixture, &submission);
}

/* Expects that the header has want lines that begin with text. */
static void
expect_fields(struct smtp_server *server, guint number, const char *text, guint want)
{
	const char *header = smtp_server_mail(server, number)->bytes->str;
	g_auto(GStrv) lines = g_strsplit(header, "\r\n", -1);
	guint got = 0;

	for (guint i = 0; lines[i] && *lines[i]; i++)
		got += g_ascii_strncasecmp(lines[i], text, strlen(text)) == 0;
	cr_expect_eq(got, want, "%s: got %u, want %u in\n%.600s", text, got, want, header);
}

#define STEERING "{\"X-SMTPAPI\": \"{}\", \"x-ses-message-tags\": \"a=b\", \"X-Mailer\": \"m\"}"

/* 1. A relay that takes such fields gets them, but ours in place of one that we write.
   2. One that does not take them gets none, not even of an email that was stored before. */
Test(relays, get_fields_that_steer_a_provider_only_if_they_take_them)
{
	AUTO(smtp_server) one = smtp_server_start(&good);
	AUTO(smtp_server) two = smtp_server_start(&good);
	g_autofree char *text = g_strdup_printf(
	    "[relay a]\nhost = 127.0.0.1\nport = %u\ntls = none\nprovider = ses\n"
	    "allow_provider_headers = yes\n"
	    "[relay b]\nhost = 127.0.0.1\nport = %u\ntls = none\nprovider = ses\ndefault = no\n",
	    smtp_server_port(one), smtp_server_port(two));
	AUTO(fixture) fixture = fixture_open(NULL, text);

	submit_with(fixture, STEERING);
	posting_deliver(fixture);
	submit_with(fixture, STEERING);
	test_db_plain(fixture->db, "UPDATE domain SET relays = 'b'");
	posting_deliver(fixture);
	smtp_server_stop(one);
	smtp_server_stop(two);
	cr_assert_eq(smtp_server_count(one), 1);
	cr_assert_eq(smtp_server_count(two), 1);
	expect_fields(one, 0, "X-SMTPAPI: {}", 1);
	expect_fields(one, 0, "X-SES-MESSAGE-TAGS:", 1);
	expect_fields(one, 0, "X-SES-MESSAGE-TAGS: posthouse-id=", 1);
	expect_fields(one, 0, "X-Mailer: m", 1);
	expect_fields(two, 0, "X-SMTPAPI:", 0);
	expect_fields(two, 0, "X-SES-MESSAGE-TAGS:", 1);
	expect_fields(two, 0, "X-SES-MESSAGE-TAGS: posthouse-id=", 1);
	expect_fields(two, 0, "X-Mailer: m", 1);
	for (guint i = 0; i < 2; i++) {
		const struct smtp_mail *mail = smtp_server_mail(i ? two : one, 0);
		posting_expect_signed(fixture, mail->bytes->str, mail->bytes->len);
	}
}

/* All relays of a domain's route have to take them. */
Test(relays, of_a_route_decide_on_fields_that_steer)
{
	static const struct {
		const char *name, *first, *second;
		const char *route; /* NULL: the default relays */
		bool want;
	} cases[] = {
	    {"default", "no", "no", NULL, false},
	    {"all", "yes", "yes", NULL, true},
	    {"one of two", "yes", "no", NULL, false},
	    {"the route's", "no", "yes", "'b'", true},
	    {"not the route's", "no", "yes", "'a'", false},
	    {"no relay", "yes", "yes", "'c'", false},
	};
	AUTO(json) headers = json_parse(STEERING, strlen(STEERING), NULL);
	AUTO(fixture) fixture = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
		    g_strdup_printf("allow_provider_headers = %s\n[relay a]\nhost = 127.0.0.1\n"
				    "[relay b]\nhost = 127.0.0.1\nallow_provider_headers = %s\n",
			cases[i].first, cases[i].second);
		struct email_submission submission = fixture_submission();
		g_autoptr(GError) error = NULL;

		if (fixture)
			fixture_renew(fixture, NULL, text);
		else
			fixture = fixture_open(NULL, text);
		g_autofree char *sql = g_strdup_printf(
		    "UPDATE domain SET relays = %s", cases[i].route ? cases[i].route : "NULL");
		test_db_plain(fixture->db, sql);
		submission.headers = headers;
		struct submit_sending *sending = submit_send_check(
		    fixture->service, &fixture->key.workspace_id, &submission, NULL, false, &error);
		AUTO(service_once) request = sending ? &sending->request : NULL;
		cr_expect_eq(request != NULL, cases[i].want, "%s", cases[i].name);
		if (!cases[i].want)
			cr_expect_str_eq(error ? error->message : "",
			    "headers.X-SMTPAPI is set by the service", "%s", cases[i].name);
	}
}

static const struct smtp_script defers = {
    .rules = {
	REPLY("RCPT TO:<*@slow.example>*", 0, "451 4.7.1 slow down"),
	REPLY("RCPT TO:<*@gone.example>*", 0, "421 4.3.2 not now"),
	REPLY("RCPT TO:<*@full.example>*", 0, "452 4.2.2 full"),
    }};

/* The number of lines of the log that begin with text. */
static guint
sender_count_lines(const struct smtp_server *server, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(smtp_server_log(server), "\n", -1);
	guint count = 0;

	for (guint i = 0; lines[i]; i++)
		count += g_str_has_prefix(lines[i], text);
	return count;
}

/* A relay that the settings call a, and more settings. */
static struct fixture *
open_paced(const struct smtp_server *server, const char *more)
{
	g_autofree char *text = g_strdup_printf(
	    "[relay a]\nhost = 127.0.0.1\nport = %u\ntls = none\n[dns]\nservers = 127.0.0.1:1\n%s",
	    smtp_server_port(server), more);

	return fixture_open(NULL, text);
}

static void
sender_expect_events(struct fixture *fixture, const struct base_id *email, const char *want)
{
	g_autofree char *got = fixture_events(fixture, email);

	cr_expect_str_eq(got, want, "got\n%swant\n%s", got, want);
}

/* Delivers what is due. Returns how many attempts a destination may get behind the one that it
   deferred: one, and on a slow machine one a second. */
static guint
sender_deliver_paced(struct fixture *fixture)
{
	gint64 begin = base_clock_boot();

	posting_deliver(fixture);
	return (guint)MAX((base_clock_boot() - begin) / 1000, 1);
}

Test(paces, hold_a_destination_that_defers_and_no_other)
{
	AUTO(smtp_server) server = smtp_server_start(&defers);
	AUTO(fixture) fixture = open_paced(server, "");
	struct base_id first = posting_submit(fixture, "a@slow.example"), last, both;

	for (guint i = 0; i < 40; i++) {
		last = posting_submit(fixture, "b@slow.example");
		posting_submit(fixture, "c@x.org");
	}
	both = posting_submit(fixture, "d@slow.example e@x.org");
	guint most = sender_deliver_paced(fixture);
	smtp_server_stop(server);
	cr_expect_eq(sender_count_lines(server, "RCPT TO:<c@x.org>"), 40);
	cr_expect_leq(sender_count_lines(server, "RCPT TO:<b@slow.example>"), most);
	sender_expect_events(fixture, &first, "0 delayed 4.7.1: 451 4.7.1 slow down\n");
	sender_expect_events(fixture, &last, "");
	sender_expect_events(fixture, &both, "1 sent\n");
	cr_expect_eq(
	    test_db_number(fixture->db,
		"SELECT COUNT(*) FROM outbox WHERE attempts = 0 AND ready_at > 0 AND reason "
		"LIKE 'paced: slow.example defers (451 4.7.1 slow down), % attempts a minute'"),
	    40 - sender_count_lines(server, "RCPT TO:<b@slow.example>") + 1);
	cr_expect_gt(test_db_number(fixture->db, "SELECT COUNT(DISTINCT ready_at) FROM outbox"), 30,
	    "each has its own turn");
}

/* A second delivery knows from the start which destination is slowed. */
Test(paces, let_others_go_before_a_slowed_destination)
{
	AUTO(smtp_server) server = smtp_server_start(&defers);
	AUTO(fixture) fixture = open_paced(server, "");

	posting_submit(fixture, "a@slow.example");
	posting_deliver(fixture);
	pass_minutes(5);
	for (guint i = 0; i < 10; i++) {
		posting_submit(fixture, "b@slow.example");
		posting_submit(fixture, "c@x.org");
	}
	posting_deliver(fixture);
	smtp_server_stop(server);
	const char *log = smtp_server_log(server);
	const char *slow = g_strrstr(log, "@slow.example>"), *other = g_strrstr(log, "<c@x.org>");
	cr_expect_eq(sender_count_lines(server, "RCPT TO:<c@x.org>"), 10);
	cr_expect(other && slow > other, "got\n%s", log);
}

Test(paces, go_on_in_another_session_after_a_421)
{
	AUTO(smtp_server) server = smtp_server_start(&defers);
	AUTO(fixture) fixture = open_paced(server, "");

	posting_submit(fixture, "a@gone.example");
	for (guint i = 0; i < 20; i++) {
		posting_submit(fixture, "b@gone.example");
		posting_submit(fixture, "c@x.org");
	}
	guint most = sender_deliver_paced(fixture);
	smtp_server_stop(server);
	cr_expect_eq(sender_count_lines(server, "RCPT TO:<c@x.org>"), 20);
	cr_expect_leq(sender_count_lines(server, "RCPT TO:<b@gone.example>"), most);
}

Test(paces, heed_no_other_replies)
{
	AUTO(smtp_server) server = smtp_server_start(&defers);
	AUTO(fixture) fixture = open_paced(server, "");

	for (guint i = 0; i < 20; i++)
		posting_submit(fixture, "a@full.example");
	posting_deliver(fixture);
	smtp_server_stop(server);
	cr_expect_eq(sender_count_lines(server, "RCPT TO:<a@full.example>"), 20);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox WHERE reason IS NULL"), 20);
}

Test(paces, of_the_settings_hold_from_the_start)
{
	AUTO(smtp_server) server = smtp_server_start(&good);
	AUTO(fixture) fixture =
	    open_paced(server, "[pace x.org]\nrate = 1/h\n[pace y.org]\nconnections = 1\n");
	struct base_id id = posting_submit(fixture, "a@x.org");

	id = posting_submit(fixture, "a@x.org");
	posting_submit(fixture, "b@y.org");
	posting_submit(fixture, "b@y.org");
	posting_deliver(fixture);
	smtp_server_stop(server);
	cr_expect_eq(sender_count_lines(server, "RCPT TO:<a@x.org>"), 1);
	cr_expect_eq(sender_count_lines(server, "RCPT TO:<b@y.org>"), 2);
	sender_expect_events(fixture, &id, "");
	g_autoptr(GPtrArray) list = store_outbox_list_waiting(fixture->db, 10, NULL);
	cr_assert_eq(list->len, 1);
	const struct store_outbox_waiting *waiting = list->pdata[0];
	cr_expect_str_eq(waiting->reason, "paced: x.org, 1 attempts an hour");
	cr_expect_eq(waiting->attempts, 0);
	cr_expect_gt(waiting->ready_at, base_clock_now());
}
