/* SPDX-License-Identifier: MIT */
/* Tests submission: the email that a message becomes, refusals, and repeated messages. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "base/limits/request.h"
#include "tests/smtpd/door.h"
#include "tests/support/db.h"

TestSuite(smtpd_submit, .timeout = 600);

#define QUEUED "250 2.0.0 queued as "
#define FROM "From: a@example.org\r\n"

static void
expect_reply(struct door *door, const char *sender, const char *recipients, const char *message,
    const char *want)
{
	g_autofree char *got = door_submit(door, sender, recipients, message);

	cr_expect(
	    g_str_has_suffix(want, " ") ? g_str_has_prefix(got, want) : strcmp(got, want) == 0,
	    "%s: got %s, want %s", message, got, want);
}

static void
expect_row(struct door *door, const char *sql, const char *want)
{
	g_autofree char *got = test_db_text(door->house->db, sql);

	cr_expect_str_eq(got ? got : "NULL", want, "%s: got %s", sql, got);
}

Test(smtpd_submit, makes_emails)
{
	AUTO(door) door = door_open(NULL);

	expect_reply(door, "bounce@example.org", "b@example.net c@example.net d@example.net",
	    FROM "To: B <b@example.net>\r\nCc: C@example.net\r\nSubject: Hi\r\n\r\nHello", QUEUED);
	expect_row(door, "SELECT CONCAT(sender, ' ', subject, ' ', type) FROM email",
	    "a@example.org Hi 1");
	expect_row(door, "SELECT GROUP_CONCAT(address ORDER BY number) FROM recipient",
	    "b@example.net,c@example.net,d@example.net");
	/* It is for the spool, though the mode is sync. */
	cr_expect_eq(test_db_number(door->house->db,
			 "SELECT COUNT(*) FROM outbox WHERE owner IS NULL AND attempts = 0"),
	    1);
}

Test(smtpd_submit, takes_the_reverse_path_for_a_missing_from)
{
	AUTO(door) door = door_open(NULL);

	expect_reply(door, "s@example.org", "b@example.net", "Subject: x\r\n\r\nHello", QUEUED);
	expect_row(door, "SELECT sender FROM email", "s@example.org");
}

static const struct {
	const char *message, *want;
} refusals[] = {
    {"From: a@example.com\r\n\r\nx", "550 5.7.1 Domain example.com is not registered"},
    {"From: a@pending.example\r\n\r\nx", "550 5.7.1 Domain pending.example is not verified"},
    {"\r\nno header", "554 5.6.0 the message has no header: its first line is no header field"},
    {"From: a@@example.org\r\n\r\nx", "554 5.6.0 "},
    {"From: root\r\n\r\nx", "554 5.6.0 from must be a valid email address: \"root\" has no domain"},
    {"From: Ann <ann>\r\n\r\nx",
	"554 5.6.0 from must be a valid email address: \"Ann <ann>\" has no domain"},
    {FROM "To: @@\r\n\r\nx",
	"554 5.6.0 to must be a valid email address: \"@@\" has nothing before the @"},
    {FROM "To: b@example.net\r\nCc: g: c@example.net, bad;\r\n\r\nx",
	"554 5.6.0 cc must be a valid email address: \"bad\" has no domain"},
    {FROM "X-Posthouse-Color: red\r\n\r\nx", "554 5.6.0 X-Posthouse-Color is not known"},
    {FROM "X-Mailgun-Drop-Message: yes\r\n\r\nx",
	"554 5.6.0 X-Mailgun-Drop-Message is not supported"},
    {FROM "X-SMTPAPI: {\"to\": [\"b@example.com\"]}\r\n\r\nx",
	"554 5.6.0 X-SMTPAPI with to is not supported"},
    {FROM "X-Posthouse-Send-At: tomorrow\r\n\r\nx",
	"554 5.6.0 X-Posthouse-Send-At must be epoch milliseconds or an ISO 8601 time"},
    {FROM "X-Posthouse-Send-At: 2999-01-01T00:00:00Z\r\n\r\nx",
	"554 5.6.0 scheduled_at must be at most 30 days ahead"},
    {FROM "Idempotency-Key:\r\n\r\nx",
	"554 5.6.0 Idempotency-Key must be 1 to 255 printable characters"},
};

Test(smtpd_submit, refuses)
{
	AUTO(door) door = door_open(NULL);

	test_house_domain(door->house, "pending.example");
	test_db_plain(door->house->db,
	    "UPDATE domain SET trusted = 0, status = 4 WHERE name = 'pending.example'");
	for (guint i = 0; i < G_N_ELEMENTS(refusals); i++)
		expect_reply(
		    door, "a@example.org", "b@example.net", refusals[i].message, refusals[i].want);
	cr_expect_eq(test_db_number(door->house->db, "SELECT COUNT(*) FROM email"), 0);
}

/* A list that is empty, and a group, are no fault. */
Test(smtpd_submit, takes_lists_of_nobody)
{
	AUTO(door) door = door_open(NULL);

	expect_reply(door, "a@example.org", "b@example.net",
	    FROM "To: undisclosed-recipients:;\r\nCc:\r\n\r\nx", QUEUED);
	expect_reply(door, "a@example.org", "b@example.net",
	    FROM "To: \"B, b\" <b@example.net>, g: c@example.net;,\r\n\r\nx", QUEUED);
}

Test(smtpd_submit, holds_quotas)
{
	AUTO(door) door = door_open("[limits]\nemails_per_hour = 1\n");

	expect_reply(door, "a@example.org", "b@example.net", FROM "\r\nx", QUEUED);
	expect_reply(door, "a@example.org", "b@example.net", FROM "\r\nx",
	    "451 4.7.1 Quota reached: at most 1 recipients per hour");
}

Test(smtpd_submit, checks_the_key_with_each_message)
{
	AUTO(door) door = door_open(NULL);
	g_autofree char *plain = door_plain(FULL);
	g_autofree char *begin =
	    g_strdup_printf("EHLO x\r\nAUTH PLAIN %s\r\n"
			    "MAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.net>\r\nDATA\r\n",
		plain);
	int fd = door_connect(door);

	door_send(fd, begin);
	g_free(door_read(fd, "<CRLF>.<CRLF>\r\n"));
	test_db_plain(door->house->db, "UPDATE api_key SET revoked = 1");
	door_send(fd, FROM "\r\nx\r\n.\r\n");
	g_autofree char *got = door_read(fd, "\r\n");
	cr_expect_str_eq(got, "554 5.7.8 Invalid API key\r\n");
	close(fd);
}

/* Sends twice; same: the second is the first. */
static void
expect_repeat(struct door *door, const char *name, const char *first, const char *again,
    const char *recipients, bool same)
{
	g_autofree char *one =
	    door_submit(door, "a@example.org", "b@example.net c@example.net", first);
	g_autofree char *two = door_submit(door, "a@example.org", recipients, again);

	cr_expect(g_str_has_prefix(one, QUEUED), "%s: got %s", name, one);
	cr_expect(g_str_has_prefix(two, QUEUED), "%s: got %s", name, two);
	cr_expect_eq(strcmp(one, two) == 0, same, "%s: %s, %s", name, one, two);
}

Test(smtpd_submit, takes_a_message_once)
{
	static const char both[] = "b@example.net c@example.net",
			  turned[] = "c@example.net b@example.net";
	AUTO(door) door = door_open(NULL);

	expect_repeat(door, "no key", FROM "\r\nx", FROM "\r\nx", both, false);
	expect_repeat(door, "Message-ID", FROM "Message-ID: <1@x>\r\n\r\nx",
	    FROM "Message-ID: <1@x>\r\n\r\nx", turned, true);
	expect_repeat(door, "other bytes", FROM "Message-ID: <2@x>\r\n\r\nx",
	    FROM "Message-ID: <2@x>\r\n\r\ny", both, false);
	expect_repeat(door, "other recipients", FROM "Message-ID: <3@x>\r\n\r\nx",
	    FROM "Message-ID: <3@x>\r\n\r\nx", "b@example.net", false);
	expect_repeat(door, "a key", FROM "Idempotency-Key: k1\r\n\r\nx",
	    FROM "Idempotency-Key: k1\r\n\r\nx", both, true);
	expect_repeat(door, "the other field", FROM "Resend-Idempotency-Key: k2\r\n\r\nx",
	    FROM "Resend-Idempotency-Key: k2\r\n\r\nx", both, true);
	expect_reply(door, "a@example.org", "b@example.net", FROM "Idempotency-Key: k1\r\n\r\nx",
	    "554 5.5.0 This Idempotency-Key was used for another request");
}

/* Once its time is over, a Message-ID is like a new one, also while its old row is there. */
Test(smtpd_submit, takes_a_message_again_after_a_day)
{
	static const char message[] = FROM "Message-ID: <1@x>\r\n\r\nx";
	AUTO(door) door = door_open(NULL);
	g_autofree char *first = door_submit(door, "a@example.org", "b@example.net", message);
	g_autofree char *sql = g_strdup_printf(
	    "UPDATE idempotency SET created = created - %lld", (long long)LIMIT_IDEMPOTENCY_MS);

	test_db_plain(door->house->db, sql);
	g_autofree char *second = door_submit(door, "a@example.org", "b@example.net", message);
	cr_expect(g_str_has_prefix(second, QUEUED), "got %s", second);
	cr_expect_str_neq(second, first);
	expect_reply(door, "a@example.org", "b@example.net", message, second);
	cr_expect_eq(test_db_number(door->house->db, "SELECT COUNT(*) FROM email"), 2);
}

static const struct {
	const char *fields, *tags;
} steering[] = {
    {"X-Posthouse-Tag: color=red\r\nX-Posthouse-Tag: plain\r\n",
	"{\"color\":\"red\",\"tag\":\"plain\"}"},
    {"X-PM-Tag: a\r\nX-Mailgun-Tag: b\r\nX-Mailin-Tag: c\r\n",
	"{\"tag\":\"a\",\"tag2\":\"b\",\"tag3\":\"c\"}"},
    {"X-PM-Metadata-Order: 7\r\nX-Mailgun-Variables: {\"a\": 1, \"b\": \"x\"}\r\n",
	"{\"Order\":\"7\",\"a\":\"1\",\"b\":\"x\"}"},
    {"X-SMTPAPI: {\"category\": [\"one\", \"two\"],\r\n \"unique_args\": {\"id\": \"9\"}}\r\n",
	"{\"tag\":\"one\",\"tag2\":\"two\",\"id\":\"9\"}"},
    {"X-SES-MESSAGE-TAGS: a=b, c=d\r\nX-SES-CONFIGURATION-SET: x\r\nX-PM-Message-Stream: y\r\n",
	"{\"a\":\"b\",\"c\":\"d\"}"},
};

Test(smtpd_submit, reads_fields_of_providers)
{
	AUTO(door) door = door_open(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(steering); i++) {
		g_autofree char *message =
		    g_strconcat(FROM, steering[i].fields, "Subject: s\r\n\r\nx", NULL);
		expect_reply(door, "a@example.org", "b@example.net", message, QUEUED);
		expect_row(
		    door, "SELECT tags FROM email ORDER BY id DESC LIMIT 1", steering[i].tags);
	}
	expect_reply(door, "a@example.org", "b@example.net",
	    FROM "X-SMTPAPI: {\"send_at\": 4000000000}\r\n\r\nx",
	    "554 5.6.0 scheduled_at must be at most 30 days ahead");
}
