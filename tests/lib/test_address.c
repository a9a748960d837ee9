/* SPDX-License-Identifier: MIT */
#include "email/test_address.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "delivery/recover.h"
#include "email/draft.h"
#include "submit/submit.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define DOMAIN "@test.posthouse.invalid"

Test(test_address, behaves_as_its_name_says)
{
	static const struct {
		const char *address;
		enum email_test_address want, want_resend;
	} cases[] = {
	    {"delivered" DOMAIN, TEST_ADDRESS_DELIVERED, TEST_ADDRESS_DELIVERED},
	    {"delivered+a" DOMAIN, TEST_ADDRESS_DELIVERED, TEST_ADDRESS_DELIVERED},
	    {"Delivered+a+b" DOMAIN, TEST_ADDRESS_DELIVERED, TEST_ADDRESS_DELIVERED},
	    {"bounced" DOMAIN, TEST_ADDRESS_BOUNCED, TEST_ADDRESS_BOUNCED},
	    {"complained+" DOMAIN, TEST_ADDRESS_COMPLAINED, TEST_ADDRESS_COMPLAINED},
	    {"delayed" DOMAIN, TEST_ADDRESS_DELAYED, TEST_ADDRESS_DELAYED},
	    {"suppressed" DOMAIN, TEST_ADDRESS_SUPPRESSED, TEST_ADDRESS_SUPPRESSED},
	    {"deliver" DOMAIN, TEST_ADDRESS_BOUNCED, TEST_ADDRESS_BOUNCED},
	    {"delivered-a" DOMAIN, TEST_ADDRESS_BOUNCED, TEST_ADDRESS_BOUNCED},
	    {"+delivered" DOMAIN, TEST_ADDRESS_BOUNCED, TEST_ADDRESS_BOUNCED},
	    {"delivered@a.test.posthouse.invalid", TEST_ADDRESS_NONE, TEST_ADDRESS_NONE},
	    {"delivered@posthouse.invalid", TEST_ADDRESS_NONE, TEST_ADDRESS_NONE},
	    {"delivered@example.com", TEST_ADDRESS_NONE, TEST_ADDRESS_NONE},
	    {"delivered@resend.dev", TEST_ADDRESS_NONE, TEST_ADDRESS_DELIVERED},
	    {"bounced+a@resend.dev", TEST_ADDRESS_NONE, TEST_ADDRESS_BOUNCED},
	    {"complained@resend.dev", TEST_ADDRESS_NONE, TEST_ADDRESS_COMPLAINED},
	    {"suppressed@resend.dev", TEST_ADDRESS_NONE, TEST_ADDRESS_SUPPRESSED},
	    {"delayed@resend.dev", TEST_ADDRESS_NONE, TEST_ADDRESS_UNKNOWN},
	    {"onboarding@resend.dev", TEST_ADDRESS_NONE, TEST_ADDRESS_UNKNOWN},
	    {"delivered@mail.resend.dev", TEST_ADDRESS_NONE, TEST_ADDRESS_NONE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (int resend = 0; resend < 2; resend++) {
			enum email_test_address want =
						    resend ? cases[i].want_resend : cases[i].want,
						got = email_test_address(cases[i].address, resend);

			cr_expect_eq(got, want, "%s, resend %d: got %d, want %d", cases[i].address,
			    resend, got, want);
		}
}

static const struct smtp_script good = {.extensions = "PIPELINING"};

static void
test_address_expect_number(struct fixture *fixture, const char *sql, gint64 want)
{
	gint64 got = test_db_number(fixture->db, sql);

	cr_expect_eq(got, want, "%s: got %" G_GINT64_FORMAT, sql, got);
}

/* Neither the relay nor the counters have heard of it. */
static void
expect_no_trace(struct fixture *fixture, guint mails)
{
	smtp_server_stop(fixture->relay);
	cr_expect_eq(smtp_server_count(fixture->relay), mails);
	test_address_expect_number(fixture, "SELECT COUNT(*) FROM suppression", 0);
	test_address_expect_number(fixture, "SELECT COUNT(*) FROM domain_day", 0);
	test_address_expect_number(fixture,
	    "SELECT COUNT(*) FROM event JOIN recipient r ON r.email_id = event.email_id AND"
	    " r.number = event.recipient WHERE event.status IN (1, 3, 9, 10) AND"
	    " (relay = 'test') <> (r.address LIKE '%test.posthouse.invalid')",
	    0);
}

Test(test_address, has_the_events_of_its_name)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct base_id id =
	    posting_submit(fixture, "delivered" DOMAIN " bounced+a" DOMAIN " complained" DOMAIN
				    " delayed" DOMAIN " suppressed" DOMAIN " nobody" DOMAIN);

	posting_expect(fixture, "at once", &id, "4 suppressed\n", "0 1 2 3 5: 0 attempts, now\n");
	posting_deliver(fixture);
	posting_expect(fixture, "first attempt", &id,
	    "4 suppressed\n"
	    "0 sent\n0 delivered\n"
	    "1 bounced Permanent 5.1.1: 550 5.1.1 test address\n"
	    "2 sent\n2 delivered\n2 complained\n"
	    "5 bounced Permanent 5.1.1: 550 5.1.1 test address\n"
	    "3 delayed 4.2.0: 450 4.2.0 test address\n",
	    "3: 1 attempts, in 1 min\n");
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1");
	posting_deliver(fixture);
	g_autofree char *events = fixture_events(fixture, &id);
	cr_expect(g_str_has_suffix(
		      events, "3 delayed 4.2.0: 450 4.2.0 test address\n3 sent\n3 delivered\n"),
	    "got %s", events);
	test_address_expect_number(fixture, "SELECT COUNT(*) FROM outbox", 0);
	test_address_expect_number(fixture, "SELECT COUNT(*) FROM email WHERE sent >= created", 1);
	expect_no_trace(fixture, 0);
}

Test(test_address, goes_its_own_way_beside_others)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct email_submission submission = fixture_submission();

	submission.to = (const char *[]){"a@x.org", "bounced" DOMAIN, NULL};
	submission.cc = (const char *[]){"delivered" DOMAIN, NULL};
	submission.bcc = (const char *[]){"complained" DOMAIN, "b@x.org", NULL};
	struct base_id id = posting_store(fixture, &submission);
	posting_deliver(fixture);
	posting_expect(fixture, "mixed", &id,
	    "1 bounced Permanent 5.1.1: 550 5.1.1 test address\n2 sent\n2 delivered\n"
	    "3 sent\n3 delivered\n3 complained\n0 sent\n4 sent\n",
	    "");
	const struct smtp_mail *mail = smtp_server_mail(fixture->relay, 0);
	cr_assert(mail);
	cr_expect_eq(mail->recipients->len, 2);
	expect_no_trace(fixture, 1);
}

Test(test_address, is_a_message_of_its_own_where_mail_is_tracked)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct email_submission submission = fixture_submission();

	submission.purpose = EMAIL_PURPOSE_STEP_MAILING;
	submission.to = (const char *[]){"a@x.org", "delivered" DOMAIN, "complained" DOMAIN, NULL};
	struct base_id id = posting_store(fixture, &submission);
	test_address_expect_number(fixture, "SELECT COUNT(*) FROM outbox", 3);
	test_address_expect_number(fixture, "SELECT COUNT(*) FROM outbox WHERE is_test", 2);
	posting_deliver(fixture);
	posting_expect(fixture, "tracked", &id,
	    "1 sent\n1 delivered\n2 sent\n2 delivered\n2 complained\n0 sent\n", "");
	expect_no_trace(fixture, 1);
}

Test(test_address, is_done_again_when_its_process_ends)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct base_id id = posting_submit(fixture, "delivered" DOMAIN);

	/* The process has claimed the entry, and cannot record anything any more. */
	struct delivery *delivery = posting_start(fixture);
	test_db_plain(fixture->db, "RENAME TABLE event TO event_away");
	delivery_free(delivery);
	test_db_plain(fixture->db, "RENAME TABLE event_away TO event");
	cr_assert(delivery_recover(fixture->service, NULL, NULL));
	posting_expect(fixture, "recovered", &id, "", "0: 0 attempts, now\n");
	posting_deliver(fixture);
	posting_expect(fixture, "again", &id, "0 sent\n0 delivered\n", "");
	expect_no_trace(fixture, 0);
}

Test(test_address, is_held_by_no_lost_machine)
{
	AUTO(fixture) fixture = fixture_open(&good, "uncertain = hold\n");
	struct base_id id = posting_submit(fixture, "delivered" DOMAIN);

	posting_lose(fixture);
	base_clock_set(base_clock_now() + 3600 * 1000);
	posting_deliver(fixture);
	posting_expect(fixture, "lost", &id, "0 sent\n0 delivered\n", "");
	expect_no_trace(fixture, 0);
}

/* Sends as a request in sync mode does. */
static struct base_id
test_address_send(struct fixture *fixture, const struct email_submission *submission)
{
	g_autoptr(GError) error = NULL;
	struct submit_sending *sending = submit_send_check(
	    fixture->service, &fixture->key.workspace_id, submission, NULL, true, &error);

	cr_assert(sending, "%s", error ? error->message : "");
	AUTO(service_once) request = &sending->request;
	cr_assert(service_once_store_one(fixture->service, request, &error));
	service_once_follow(fixture->service, request, NULL);
	cr_assert_not(sending->delivery);
	return sending->id;
}

Test(test_address, is_there_with_the_answer_though_no_relay_is)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct email_submission submission = fixture_submission();
	struct base_id real = test_address_send(fixture, &submission);
	g_autofree char *events = fixture_events(fixture, &real);

	cr_expect(g_str_has_prefix(events, "0 delayed 4.4.1: "), "got %s", events);
	test_db_plain(fixture->db, "DELETE FROM outbox");
	/* The relay rests now. */
	submission.to = (const char *[]){"delivered" DOMAIN, NULL};
	struct base_id id = test_address_send(fixture, &submission);
	posting_expect(fixture, "resting", &id, "0 sent\n0 delivered\n", "");
}

Test(test_address, is_another_where_the_submission_says_so)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;

	submission.to = (const char *[]){"bounced+x@resend.dev", "delivered@resend.dev", NULL};
	struct base_id usual = posting_store(fixture, &submission);
	posting_deliver(fixture);
	posting_expect(fixture, "usual", &usual, "0 sent\n1 sent\n", "");
	submission.purpose = EMAIL_PURPOSE_COMPAT_REQUEST;
	struct base_id tests = posting_store(fixture, &submission);
	posting_deliver(fixture);
	posting_expect(fixture, "tests", &tests,
	    "0 sent\n0 bounced Permanent 5.1.1: 550 5.1.1 test address\n1 sent\n1 delivered\n", "");
	submission.to = (const char *[]){"a@x.org", NULL};
	submission.bcc = (const char *[]){"delayed@resend.dev", NULL};
	AUTO(email_draft) draft =
	    email_draft_new(fixture->service, &fixture->key.workspace_id, &submission, &error);
	cr_expect_not(draft);
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
	cr_expect_str_eq(
	    error->message, "Invalid `bcc` field. delayed@resend.dev is no test address.");
	smtp_server_stop(fixture->relay);
	cr_expect_eq(smtp_server_count(fixture->relay), 1);
	test_address_expect_number(fixture, "SELECT COUNT(*) FROM suppression", 0);
}
