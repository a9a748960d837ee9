/* SPDX-License-Identifier: MIT */
/* The events of accepted emails, in each mode and with each kind of relay. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/support/db.h"
#include "tests/support/smtp_server.h"

#define MINUTE_MS 60000
#define HOUR_MS (60 * MINUTE_MS)

FIXTURE_SUITE(delivery, 900);

/* The relay is the last server, so the email is delivered when the reply comes. */
Test(delivery, is_done_when_it_is_answered)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *id = email_send(fixture, "'to':['b@example.net','c@example.net']");

	cr_expect_eq(arrival_count(fixture, id), 1);
	alone_expect_events(fixture, "final", id, 0, "sent,delivered");
	alone_expect_events(fixture, "final", id, 1, "sent,delivered");
}

Test(delivery, is_only_sent_by_a_relay_that_passes_on)
{
	const struct exchange list = {
	    "list", "GET", "/v1/emails?status=sent", NULL, 200, NULL, {"count = 1"}};

	ALONE_SET(fixture, "smtp.final=no");
	g_autofree char *id = email_send(fixture, NULL);
	cr_expect_eq(arrival_count(fixture, id), 1);
	alone_expect_events(fixture, "not final", id, 0, "sent");
	answer_free(exchange_expect(fixture, &list));
}

Test(delivery, is_the_spool_s_in_spool_mode)
{
	const struct exchange list = {"list", "GET", "/v1/emails", NULL, 200, NULL,
	    {"emails[0].last_event = null", "emails[0].recipient_statuses[0].status = null"}};

	ALONE_SET(fixture, "service.mode=spool");
	g_autofree char *id = email_send(fixture, NULL);
	alone_expect_events(fixture, "before", id, 0, "");
	cr_expect_eq(arrival_count(fixture, id), 0);
	answer_free(exchange_expect(fixture, &list));
	alone_spool(fixture, 0);
	alone_expect_events(fixture, "after", id, 0, "sent,delivered");
	cr_expect_eq(arrival_count(fixture, id), 1);
}

/* An email is accepted while the relay is down, and delivered when it is up. */
Test(delivery, waits_for_a_relay_that_is_down)
{
	const struct exchange list = {"list", "GET", "/v1/emails?status=delayed", NULL, 200, NULL,
	    {"count = 1", "emails[0].last_event.status = 'delayed'",
		"emails[0].last_event.smtp_response : string",
		"emails[0].recipient_statuses[0].status = 'delayed'"}};

	ALONE_SET(fixture, "smtp.port=1");
	g_autofree char *id = email_send(fixture, NULL);
	AUTO(answer) waiting = email_get(fixture, id);
	cr_expect_str_eq(answer_text(waiting, "last_event.status"), "delayed");
	cr_expect_eq(json_integer(answer_at(waiting, "email_sent_timestamp")),
	    json_integer(answer_at(waiting, "created")));
	answer_free(exchange_expect(fixture, &list));
	ALONE_SET(fixture, NULL);
	alone_spool(fixture, 10 * MINUTE_MS);
	AUTO(answer) sent = email_get(fixture, id);
	cr_expect_str_eq(answer_text(sent, "last_event.status"), "delivered");
	cr_expect_str_eq(answer_text(sent, "recipient_statuses[0].events[1].status"), "sent");
	cr_expect_eq(json_array_length(answer_at(sent, "recipient_statuses[0].events")), 3);
	cr_expect_gt(json_integer(answer_at(sent, "email_sent_timestamp")),
	    json_integer(answer_at(sent, "created")));
	cr_expect_eq(arrival_count(fixture, id), 1);
}

Test(delivery, is_refused_for_a_recipient)
{
	static const struct smtp_script script = {.extensions = "ENHANCEDSTATUSCODES",
	    .rules = {REPLY("RCPT TO:<bad@*", 0, "550 5.1.1 no such user"),
		REPLY("RCPT TO:<full@*", 0, "452 4.2.2 mailbox full")}};
	AUTO(smtp_server) relay = smtp_server_start(&script);

	alone_use_relay(fixture, smtp_server_port(relay), NULL);
	g_autofree char *id = email_send(
	    fixture, "'to':['good@example.net','bad@example.net'],'cc':'full@example.net'");
	alone_expect_events(fixture, "good", id, 0, "sent");
	alone_expect_events(
	    fixture, "bad", id, 1, "bounced 550 5.1.1 no such user 5.1.1 Permanent");
	alone_expect_events(fixture, "full", id, 2, "delayed 452 4.2.2 mailbox full 4.2.2");
	const struct exchange lists[] = {
	    {"bounced", "GET", "/v1/emails?status=bounced", NULL, 200, NULL,
		{"count = 1", "emails[0].recipient_statuses[1].status = 'bounced'"}},
	    {"of that address", "GET", "/v1/emails?status=bounced&to=bad@example.net", NULL, 200,
		NULL, {"count = 1"}},
	    {"of another", "GET", "/v1/emails?status=bounced&to=good@example.net", NULL, 200, NULL,
		{"count = 0"}},
	};
	EXPECT_ALL(fixture, lists);
	smtp_server_stop(relay);
	cr_expect_eq(smtp_server_count(relay), 1);
}

/* A refusal of the whole message is not the fault of a recipient. */
Test(delivery, is_refused_as_a_whole)
{
	static const struct {
		const char *name;
		struct smtp_script script;
		const char *want;
	} cases[] = {
	    {"sender", {.rules = {REPLY("MAIL*", 0, "550 5.7.1 not you")}},
		"failed 550 5.7.1 not you 5.7.1"},
	    {"message", {.rules = {REPLY(".", 0, "554 5.7.1 spam")}},
		"failed 554 5.7.1 spam 5.7.1"},
	    {"for now", {.rules = {REPLY(".", 0, "451 4.3.0 later")}},
		"delayed 451 4.3.0 later 4.3.0"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(smtp_server) relay = smtp_server_start(&cases[i].script);
		alone_use_relay(fixture, smtp_server_port(relay), NULL);
		g_autofree char *id = email_send(fixture, NULL);
		alone_expect_events(fixture, cases[i].name, id, 0, cases[i].want);
	}
}

/* The members of an event that has something to tell. */
Test(delivery, is_told_with_the_relay_s_words)
{
	static const struct smtp_script script = {
	    .rules = {REPLY("RCPT*", 0, "550 5.1.1 no \"such\" user \\ here")}};
	AUTO(smtp_server) relay = smtp_server_start(&script);

	alone_use_relay(fixture, smtp_server_port(relay), NULL);
	g_autofree char *id = email_send(fixture, NULL);
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchange = {"bounced", "GET", path, NULL, 200, NULL,
	    {"last_event.status = 'bounced'", "last_event.recipient = 'b@example.net'",
		"last_event.ip = null", "last_event.user_agent = null", "last_event.link : absent",
		"last_event.smtp_response = '550 5.1.1 no \\'such\\' user \\\\ here'",
		"last_event.enhanced_code = '5.1.1'", "last_event.type = 'Permanent'",
		"recipient_statuses[0].events[0].ip : absent",
		"recipient_statuses[0].events[0].user_agent : absent",
		"recipient_statuses[0].events[0].timestamp : integer"}};
	answer_free(exchange_expect(fixture, &exchange));
}

static char *
delivery_schedule(gint64 later_ms)
{
	g_autofree char *at = g_strdup_printf(
	    "'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + later_ms);

	return email_send(fixture, at);
}

static void
delivery_expect_cancel(const char *name, const char *id, guint status, const char *body)
{
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchange = {name, "DELETE", path, NULL, status, body};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(delivery, comes_at_its_time)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *early = delivery_schedule(HOUR_MS), *late = delivery_schedule(3 * HOUR_MS),
			*cancelled = delivery_schedule(HOUR_MS);

	delivery_expect_cancel("in time", cancelled, 200, "{'message':'Email cancelled'}");
	alone_spool(fixture, 0);
	alone_expect_events(fixture, "early, before", early, 0, "");
	alone_spool(fixture, 2 * HOUR_MS);
	alone_expect_events(fixture, "early", early, 0, "sent,delivered");
	alone_expect_events(fixture, "late", late, 0, "");
	alone_expect_events(fixture, "cancelled", cancelled, 0, "");
	cr_expect_eq(arrival_count(fixture, early), 1);
	cr_expect_eq(arrival_count(fixture, late) + arrival_count(fixture, cancelled), 0);
	delivery_expect_cancel("too late", early, 409, "{'message':'Email has left already'}");
	delivery_expect_cancel("not too late", late, 200, "{'message':'Email cancelled'}");
}

#define TESTS "@test.posthouse.invalid"
#define BOUNCED "bounced 550 5.1.1 test address 5.1.1 Permanent"
#define DELAYED "delayed 450 4.2.0 test address 4.2.0"

/* No relay is there; and it is not the one of another test, since it rests from now on. */
Test(delivery, of_test_addresses_is_done_when_it_is_answered)
{
	const struct exchange webhook = {"webhook", "POST", "/v1/webhooks",
	    "{'url':'https://hooks.example.org/x','events':['email.bounced','email.complained',"
	    "'email.delivered','email.delayed','email.suppressed']}",
	    200};
	const struct exchange suppressions = {
	    "suppressions", "GET", "/v1/suppressions", NULL, 200, NULL, {"count = 0"}};

	ALONE_SET(fixture, "smtp.port=2");
	answer_free(exchange_expect(fixture, &webhook));
	g_autofree char *id =
	    email_send(fixture, "'to':['delivered+1" TESTS "','bounced" TESTS "'],"
				"'cc':['complained" TESTS "','delayed" TESTS "'],"
				"'bcc':['suppressed" TESTS "','x" TESTS "','b@example.net']");
	alone_expect_events(fixture, "delivered", id, 0, "sent,delivered");
	alone_expect_events(fixture, "bounced", id, 1, BOUNCED);
	alone_expect_events(fixture, "complained", id, 2, "sent,delivered,complained");
	alone_expect_events(fixture, "delayed", id, 3, DELAYED);
	alone_expect_events(fixture, "suppressed", id, 4, "suppressed");
	alone_expect_events(fixture, "another name", id, 5, BOUNCED);
	AUTO(answer) answer = email_get(fixture, id);
	cr_expect_str_eq(answer_text(answer, "recipient_statuses[1].events[0].relay"), "test");
	cr_expect_str_eq(answer_text(answer, "recipient_statuses[6].events[0].status"), "delayed");
	ALONE_SET(fixture, NULL);
	alone_spool(fixture, 10 * MINUTE_MS);
	alone_expect_events(fixture, "delayed, later", id, 3, DELAYED ",sent,delivered");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	cr_expect_str_eq(arrival->recipients, "b@example.net");
	answer_free(exchange_expect(fixture, &suppressions));
	g_autofree char *told =
	    g_strdup_printf("SELECT COUNT(*) FROM webhook_delivery WHERE workspace_id"
			    " = (SELECT id FROM workspace WHERE name = '%s')",
		fixture->name);
	/* Two are about the usual recipient: delayed, delivered. */
	cr_expect_eq(test_db_number(fixture->db, told), 8 + 2);
}
