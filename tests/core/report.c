/* SPDX-License-Identifier: MIT */
#include "core/report.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/erase.h"
#include "core/return_path.h"
#include "core/suppress.h"
#include "core/tracking.h"
#include "store/consent.h"
#include "store/suppression.h"
#include "tests/core/posting.h"
#include "tests/support/db.h"

#define DAY ((gint64)24 * 60 * 60 * 1000)

/* In the texts of reports: TOKEN is the return path's local part, ENVID the envelope id, as the
   relay gets them; OWN and ENV-OWN those of a message to the first recipient alone, OLD and
   ENV-OLD those of earlier versions, which name no recipient; ID is the email's. */
#define HEAD(to)                                                                                   \
	"From: MAILER-DAEMON@mx.example.net\nTo: " to "\nSubject: report\n"                        \
	"Content-Type: multipart/report; boundary=b\n\n--b\n\nSorry.\n"
#define STATUS "--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n"
#define OF(original, final, action, status, diagnostic)                                            \
	"\nOriginal-Recipient: rfc822;" original "\nFinal-Recipient: rfc822;" final                \
	"\nAction: " action "\nStatus: " status "\nDiagnostic-Code: smtp; " diagnostic "\n"
#define FAILED(address) OF(address, address, "failed", "5.1.1", "550 5.1.1 no")
#define RETURNED(header) "--b\nContent-Type: text/rfc822-headers\n\n" header "\n--b--\n"
#define FEEDBACK "--b\nContent-Type: message/feedback-report\n\nVersion: 1\nFeedback-Type: "
#define MESSAGE_ID "Message-ID: <ID@example.com>\n"
#define PATH "TOKEN@send.example.com"
#define OWN "OWN@send.example.com"
#define ELSEWHERE HEAD("fbl@example.com")

#define A_BOUNCED "0 bounced Permanent 5.1.1: 550 5.1.1 no\n"

static const struct report_case {
	const char *name, *to, *envelope;
	const char *text;
	enum core_report_outcome want;
	const char *want_events, *want_suppressed;
} cases[] = {
    /* by what the email is known */
    {"the envelope's token", "a@x.org", PATH, ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"a local part", "a@x.org", "TOKEN", ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"the token in To", "a@x.org", "", HEAD(PATH) STATUS FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"the token in Delivered-To", "a@x.org", "",
	"Delivered-To: " PATH "\n" ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED, A_BOUNCED,
	"a@x.org bounced\n"},
    {"the returned return path", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org") RETURNED("Return-Path: <" PATH ">\n"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"the envelope id", "a@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ENVID\n" FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"a token without recipient, of an email to one", "a@x.org", "OLD",
	ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"an envelope id without recipient, of an email to one", "a@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ENV-OLD\n" FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"the Message-ID", "a@x.org", "", ELSEWHERE STATUS FAILED("a@x.org") RETURNED(MESSAGE_ID),
	REPORT_RECORDED, A_BOUNCED, ""},
    {"the Message-ID of a broadcast's recipient", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org") RETURNED("Message-ID: <I-D.12@example.com>\n"),
	REPORT_RECORDED, A_BOUNCED, ""},
    {"an answer to the Message-ID", "a@x.org", "",
	"References: <x@y> <ID@example.com>\n" ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, ""},
    /* by what it is not */
    {"nothing", "a@x.org", "", ELSEWHERE STATUS FAILED("a@x.org"), REPORT_STRANGE, "", ""},
    {"an id without a tag", "a@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ID\n" FAILED("a@x.org"), REPORT_STRANGE, "", ""},
    {"the Message-ID with another domain", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org") RETURNED("Message-ID: <ID@example.org>\n"),
	REPORT_STRANGE, "", ""},
    {"a Message-ID that is none of ours", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org")
	    RETURNED("Message-ID: <0199c2a4-6f10-7b3c-9d5e-2f8a1c4b7e60@example.com>\n"),
	REPORT_STRANGE, "", ""},
    {"the Message-ID, of somebody else", "a@x.org", "",
	ELSEWHERE STATUS FAILED("z@x.org") RETURNED(MESSAGE_ID), REPORT_NOBODY, "", ""},
    /* of whom it is */
    {"by the original address", "a@x.org b@x.org", PATH,
	ELSEWHERE STATUS OF("b@x.org", "z@y.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, "1 bounced Permanent 5.1.1: 550 5.1.1 no\n", ""},
    {"by the final address", "a@x.org b@x.org", PATH,
	ELSEWHERE STATUS OF("", "B@X.org", "failed", "5.1.1", "550 5.1.1 no"), REPORT_RECORDED,
	"1 bounced Permanent 5.1.1: 550 5.1.1 no\n", ""},
    {"in xtext", "a@x.org b+c@x.org", PATH,
	ELSEWHERE STATUS OF("b+2Bc@x.org", "z@y.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, "1 bounced Permanent 5.1.1: 550 5.1.1 no\n", ""},
    {"the only one", "a@x.org", PATH, ELSEWHERE STATUS FAILED("z@y.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"one of two", "a@x.org b@x.org", PATH, ELSEWHERE STATUS FAILED("z@y.org"), REPORT_NOBODY, "",
	""},
    {"several", "a@x.org b@x.org c@x.org d@x.org", PATH,
	ELSEWHERE STATUS FAILED("a@x.org") OF("b@x.org", "b@x.org", "delayed", "4.4.1", "no answer")
	    OF("c@x.org", "c@x.org", "delivered", "2.0.0", "250 ok") FAILED("z@x.org"),
	REPORT_RECORDED,
	A_BOUNCED "1 delayed 4.4.1: no answer\n"
		  "2 delivered\n",
	""},
    /* of a copy to the first recipient alone */
    {"of the one who had the copy", "a@x.org b@x.org", OWN, ELSEWHERE STATUS FAILED("a@x.org"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"of the one who had the copy, by the envelope id", "a@x.org b@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ENV-OWN\n" FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"of another one", "a@x.org b@x.org", OWN, ELSEWHERE STATUS FAILED("b@x.org"), REPORT_NOBODY,
	"", ""},
    {"of another one, by the envelope id", "a@x.org b@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ENV-OWN\n" FAILED("b@x.org"), REPORT_NOBODY, "",
	""},
    {"of another one, by the final address", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS OF("", "b@x.org", "failed", "5.1.1", "550 5.1.1 no"), REPORT_NOBODY, "",
	""},
    {"of another one, with the Message-ID", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS FAILED("b@x.org") RETURNED(MESSAGE_ID), REPORT_NOBODY, "", ""},
    {"of both", "a@x.org b@x.org", OWN, ELSEWHERE STATUS FAILED("b@x.org") FAILED("a@x.org"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"of a mailbox that forwards", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS OF("a@x.org", "z@y.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"of a mailbox that forwards to another one", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS OF("a@x.org", "b@x.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"of a mailbox that forwards, which does not tell", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS OF("", "z@y.org", "failed", "5.1.1", "550 5.1.1 no"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"a complaint of the one who had the copy", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" OWN ">\n" RETURNED("To: b@x.org\n"),
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"a complaint of another one", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" OWN ">\nOriginal-Rcpt-To: <b@x.org>\n",
	REPORT_NOBODY, "", ""},
    {"one by two addresses", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "y@x.org", "failed", "5.1.1", "550 5.1.1 no")
	    OF("a@x.org", "z@x.org", "failed", "5.2.2", "552 5.2.2 full"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    /* what became of it */
    {"delivered", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "delivered", "2.0.0", "250 ok"), REPORT_RECORDED,
	"0 delivered\n", ""},
    {"relayed", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "relayed", "2.0.0", "250 ok"), REPORT_RECORDED,
	"0 delivered\n", ""},
    {"expanded", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "expanded", "2.0.0", "250 ok"), REPORT_RECORDED,
	"0 delivered\n", ""},
    {"delayed", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "delayed", "4.4.1", "451 4.4.1 later"),
	REPORT_RECORDED, "0 delayed 4.4.1: 451 4.4.1 later\n", ""},
    {"full", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "5.2.2", "552 5.2.2 full"),
	REPORT_RECORDED, "0 bounced Transient 5.2.2: 552 5.2.2 full\n", ""},
    {"out of time", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "4.4.1", "no answer"), REPORT_RECORDED,
	"0 bounced Transient 4.4.1: no answer\n", ""},
    {"refused for another reason", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "5.7.1", "550 5.7.1 spam"),
	REPORT_RECORDED, "0 bounced Permanent 5.7.1: 550 5.7.1 spam\n", ""},
    {"a bare 550", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "5.0.0", "550 we do not like it"),
	REPORT_RECORDED, "0 bounced Permanent 5.0.0: 550 we do not like it\n", ""},
    {"in the words of qmail", "a@x.org", PATH,
	"Subject: failure notice\n\nHi. This is the qmail-send program at mx.example.net.\n"
	"I'm afraid I wasn't able to deliver your message to the following addresses.\n\n"
	"<a@x.org>:\nSorry, no mailbox here by that name. (#5.1.1)\n",
	REPORT_RECORDED,
	"0 bounced Permanent 5.1.1: Sorry, no mailbox here by that name. (#5.1.1)\n",
	"a@x.org bounced\n"},
    /* complaints */
    {"a complaint", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH ">\nOriginal-Rcpt-To: <b@x.org>\n",
	REPORT_RECORDED, "1 complained\n", ""},
    {"a complaint known by the Message-ID", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "fraud\nOriginal-Rcpt-To: <b@x.org>\n" RETURNED(MESSAGE_ID),
	REPORT_RECORDED, "1 complained\n", ""},
    {"a complaint of the only recipient", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH ">\n", REPORT_RECORDED,
	"0 complained\n", "a@x.org complained\n"},
    {"a complaint of the one whom it was addressed to", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH
			   ">\n" RETURNED("To: Bob <b@x.org>, c@x.org\n"),
	REPORT_RECORDED, "1 complained\n", ""},
    {"a complaint of one of two", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH
			   ">\n" RETURNED("To: a@x.org, b@x.org\n"),
	REPORT_NOBODY, "", ""},
    {"a complaint of nobody", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n" RETURNED(MESSAGE_ID "To: redacted\n"), REPORT_NOBODY, "", ""},
    {"praise", "a@x.org", PATH, ELSEWHERE FEEDBACK "not-spam\nOriginal-Rcpt-To: <a@x.org>\n",
	REPORT_NONE, "", ""},
    /* no reports */
    {"an answer", "a@x.org", PATH, "Subject: Re: Hello\n\nI am away.\n", REPORT_NONE, "", ""},
    {"nothing at all", "a@x.org", PATH, "", REPORT_NONE, "", ""},
};

static void
fill_tokens(struct world *world, const struct store_email *email, guint recipient, const char *path,
    const char *envid, GString *text)
{
	const struct core_return_path copy = {email->id, recipient};
	g_autofree char *address = core_return_path(world->core, email, recipient);
	char id[RETURN_PATH_ENVID_SIZE];

	*strchr(address, '@') = '\0';
	core_return_path_envid(world->core, &copy, id);
	g_string_replace(text, envid, id, 0);
	g_string_replace(text, path, address, 0);
}

static char *
fill(struct world *world, const struct base_id *id, const char *form)
{
	AUTO(store_email) email = world_email(world, id);
	bool one = email->recipients->len == 1;
	g_autoptr(GString) text = g_string_new(form);
	char plain[ID_TEXT_SIZE];

	g_string_replace(text, "<ID@", "<I-D@", 0);
	g_string_replace(text, "Envelope-Id: ID", "Envelope-Id: I-D", 0);
	fill_tokens(world, email, one ? 0 : RETURN_PATH_SHARED, "TOKEN", "ENVID", text);
	fill_tokens(world, email, 0, "OWN", "ENV-OWN", text);
	fill_tokens(world, email, RETURN_PATH_SHARED, "OLD", "ENV-OLD", text);
	g_string_replace(text, "I-D", base_id_format(id, plain), 0);
	return g_strdup(text->str);
}

static struct core_report_result
report(struct world *world, const struct base_id *id, const char *envelope, const char *form)
{
	g_autofree char *to = fill(world, id, envelope);
	g_autofree char *text = fill(world, id, form);
	const char *const recipients[] = {to, NULL};
	struct core_report_result result;
	g_autoptr(GError) error = NULL;

	cr_assert(core_report(world->core, text, strlen(text), recipients, &result, &error), "%s",
	    error ? error->message : "");
	return result;
}

/* "a@x.org bounced\n" for each, oldest first. */
static char *
suppressed(struct world *world)
{
	g_autoptr(GPtrArray) entries =
	    store_suppression_list(world->db, &world->key.workspace_id, NULL, 100, NULL);
	GString *text = g_string_new(NULL);

	for (guint i = entries->len; i > 0; i--) {
		const struct store_suppression *entry = entries->pdata[i - 1];

		g_string_append_printf(
		    text, "%s %s\n", entry->email, store_suppression_reasons[entry->reason - 1]);
	}
	return g_string_free(text, FALSE);
}

static void
expect(struct world *world, const char *name, const struct base_id *id, const char *want_events,
    const char *want_suppressed)
{
	g_autofree char *events = world_events(world, id);
	g_autofree char *list = suppressed(world);

	cr_expect_str_eq(events, want_events, "%s: got\n%swant\n%s", name, events, want_events);
	cr_expect_str_eq(list, want_suppressed, "%s: got\n%swant\n%s", name, list, want_suppressed);
}

static guint
count_lines(const char *text)
{
	guint count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

Test(report, is_recorded)
{
	AUTO(world) world = world_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct report_case *c = &cases[i];
		struct base_id id = posting_submit(world, c->to);
		struct core_report_result got = report(world, &id, c->envelope, c->text);

		cr_expect_eq(got.outcome, c->want, "%s: got outcome %d, want %d", c->name,
		    (int)got.outcome, (int)c->want);
		cr_expect_eq(
		    got.events, count_lines(c->want_events), "%s: %u", c->name, got.events);
		cr_expect_eq(got.suppressed, count_lines(c->want_suppressed), "%s: %u", c->name,
		    got.suppressed);
		expect(world, c->name, &id, c->want_events, c->want_suppressed);
		test_db_plain(world->db, "DELETE FROM suppression");
	}
}

/* The result of the first time; the second time adds nothing. */
Test(report, is_recorded_once)
{
	static const char text[] = HEAD(PATH) STATUS FAILED("a@x.org")
	    OF("b@x.org", "b@x.org", "delayed", "4.4.1", "no answer");
	static const char want[] = A_BOUNCED "1 delayed 4.4.1: no answer\n";
	AUTO(world) world = world_open(NULL, NULL);
	struct base_id id = posting_submit(world, "a@x.org b@x.org");

	cr_expect_eq(report(world, &id, PATH, text).outcome, REPORT_RECORDED);
	expect(world, "first", &id, want, "");
	cr_expect_eq(report(world, &id, PATH, text).outcome, REPORT_REPEATED);
	cr_expect_eq(report(world, &id, PATH,
			 "Received: by another way\n" HEAD(PATH) STATUS FAILED("a@x.org")
			     OF("b@x.org", "b@x.org", "delayed", "4.4.1", "no answer"))
			 .outcome,
	    REPORT_REPEATED);
	expect(world, "again", &id, want, "");
	/* The same is told anew: it happened again. */
	cr_expect_eq(report(world, &id, PATH,
			 ELSEWHERE STATUS OF("b@x.org", "b@x.org", "delayed", "4.4.1", "no"))
			 .outcome,
	    REPORT_RECORDED);
}

Test(report, of_one_email_is_not_taken_for_that_of_another)
{
	static const char text[] = ELSEWHERE STATUS FAILED("a@x.org");
	AUTO(world) world = world_open(NULL, NULL);
	struct base_id one = posting_submit(world, "a@x.org"),
		       two = posting_submit(world, "a@x.org");

	cr_expect_eq(report(world, &one, PATH, text).outcome, REPORT_RECORDED);
	cr_expect_eq(report(world, &two, PATH, text).outcome, REPORT_RECORDED);
	expect(world, "one", &one, A_BOUNCED, "a@x.org bounced\n");
	expect(world, "two", &two, A_BOUNCED, "a@x.org bounced\n");
}

Test(report, is_believed_for_30_days_where_only_the_message_id_speaks_for_it)
{
	static const struct {
		const char *name, *envelope;
		gint64 age;
		enum core_report_outcome want;
	} ages[] = {
	    {"30 days", "", 30 * DAY - 60000, REPORT_RECORDED},
	    {"more", "", 30 * DAY + 60000, REPORT_STRANGE},
	    {"more, with a token", PATH, 30 * DAY + 60000, REPORT_RECORDED},
	};
	gint64 now = base_clock_now();
	AUTO(world) world = world_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(ages); i++) {
		base_clock_set(now);
		struct base_id id = posting_submit(world, "a@x.org");
		base_clock_set(now + ages[i].age);
		struct core_report_result got = report(world, &id, ages[i].envelope,
		    ELSEWHERE STATUS FAILED("a@x.org") RETURNED(MESSAGE_ID));
		cr_expect_eq(
		    got.outcome, ages[i].want, "%s: got %d", ages[i].name, (int)got.outcome);
	}
}

#define FULL ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "5.2.2", "552 5.2.2 full")

Test(report, suppresses_an_address_at_the_fifth_transient_bounce_in_30_days)
{
	static const struct {
		const char *name;
		gint64 apart;
		guint want; /* the bounce that suppresses it; 0: none does */
	} paces[] = {
	    {"each hour", DAY / 24, 5},
	    {"within 30 days", 30 * DAY / 4 - 60000, 5},
	    {"in more than 30 days", 30 * DAY / 4 + 60000, 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(paces); i++) {
		AUTO(world) world = world_open(NULL, NULL);
		guint got = 0;

		for (guint bounce = 1; bounce <= 6 && got == 0; bounce++) {
			struct base_id id = posting_submit(world, "a@x.org b@x.org");

			report(world, &id, OWN, FULL);
			g_autofree char *list = suppressed(world);
			if (*list)
				got = bounce;
			base_clock_set(base_clock_now() + paces[i].apart);
		}
		cr_expect_eq(
		    got, paces[i].want, "%s: got %u want %u", paces[i].name, got, paces[i].want);
	}
}

/* Unproven reports, one after another; the case checks the last one. */
Test(report, of_several_recipients_suppresses_when_three_agree)
{
#define GONE_B ELSEWHERE STATUS FAILED("b@x.org") RETURNED(MESSAGE_ID)
#define COMPLAINT_B ELSEWHERE FEEDBACK "abuse\nOriginal-Rcpt-To: <b@x.org>\n" RETURNED(MESSAGE_ID)
#define FULL_B                                                                                     \
	ELSEWHERE STATUS OF("b@x.org", "b@x.org", "failed", "5.2.2", "552 5.2.2 full")             \
	    RETURNED(MESSAGE_ID)
	static const struct {
		const char *name, *text, *others; /* of the last report, of those before */
		guint count, emails;
		gint64 apart;
		const char *want;
	} rows[] = {
	    {"two", GONE_B, GONE_B, 2, 2, DAY, ""},
	    {"three", GONE_B, GONE_B, 3, 3, DAY, "b@x.org bounced\n"},
	    {"three complaints", COMPLAINT_B, COMPLAINT_B, 3, 3, DAY, "b@x.org complained\n"},
	    {"on one day", GONE_B, GONE_B, 6, 6, 60000, ""},
	    {"of two emails", GONE_B, GONE_B, 6, 2, DAY, ""},
	    {"that disagree", COMPLAINT_B, GONE_B, 3, 3, DAY, ""},
	    {"within 90 days", GONE_B, GONE_B, 3, 3, 45 * DAY - 60000, "b@x.org bounced\n"},
	    {"in more", GONE_B, GONE_B, 3, 3, 45 * DAY + 60000, ""},
	    {"of a full mailbox", FULL_B, FULL_B, 6, 6, DAY, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		AUTO(world) world = world_open(NULL, NULL);
		struct base_id ids[6];

		base_clock_set(base_clock_now() / DAY * DAY + DAY / 2);
		for (guint n = 0; n < rows[i].count; n++) {
			if (n < rows[i].emails)
				ids[n] = posting_submit(world, "a@x.org b@x.org");
			bool last = n + 1 == rows[i].count;
			g_autofree char *text = g_strdup_printf(
			    "%s\nReport: %u\n", last ? rows[i].text : rows[i].others, n);
			struct core_report_result got =
			    report(world, &ids[n % rows[i].emails], PATH, text);
			cr_expect_eq(got.outcome, REPORT_RECORDED, "%s: %u: got %d", rows[i].name,
			    n, (int)got.outcome);
			cr_expect_eq(got.events, 1, "%s", rows[i].name);
			base_clock_set(base_clock_now() + rows[i].apart);
		}
		g_autofree char *list = suppressed(world);
		cr_expect_str_eq(list, rows[i].want, "%s: got\n%s", rows[i].name, list);
	}
}

/* An address that an operator removed from the list does not come back with the next report. */
Test(report, that_agreed_counts_once)
{
	AUTO(world) world = world_open(NULL, NULL);

	for (guint n = 1; n <= 5; n++) {
		struct base_id id = posting_submit(world, "a@x.org b@x.org");

		report(world, &id, PATH, GONE_B);
		g_autofree char *list = suppressed(world);
		cr_expect_str_eq(list, n == 3 ? "b@x.org bounced\n" : "", "%u: %s", n, list);
		test_db_plain(world->db, "DELETE FROM suppression");
		base_clock_set(base_clock_now() + DAY);
	}
}

/* Four unproven bounces do not count towards a fifth that is proven. */
Test(report, that_proves_too_little_is_no_transient_bounce)
{
	AUTO(world) world = world_open(NULL, NULL);

	for (guint n = 1; n <= 5; n++) {
		struct base_id id = posting_submit(world, "a@x.org b@x.org");

		report(world, &id, n < 5 ? PATH : OWN, FULL);
	}
	g_autofree char *list = suppressed(world);
	cr_expect_str_eq(list, "");
}

Test(report, adds_no_more_to_an_email_than_it_may)
{
	AUTO(world) world = world_open(NULL, NULL);
	struct base_id id = posting_submit(world, "a@x.org");
	enum core_report_outcome want = REPORT_RECORDED;

	cr_assert(db_run(world->db,
	    "INSERT INTO report (email_id, digest, workspace_id, created)"
	    " SELECT ?, UNHEX(SHA2(seq, 256)), ?, 0 FROM seq_1_to_999",
	    DB_VALUES(db_id(&id), db_id(&world->key.workspace_id)), NULL, NULL));
	for (guint i = LIMIT_REPORTS; i <= LIMIT_REPORTS + 1; i++) {
		g_autofree char *text = g_strdup_printf("%s\nReport: %u\n", FULL, i);

		cr_expect_eq(report(world, &id, PATH, text).outcome, want, "%u", i);
		want = REPORT_TOO_MANY;
	}
}

/* A failure in the middle, and the result of the same report given again. */
Test(report, is_recorded_once_when_the_connection_breaks)
{
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		enum test_proxy_command command;
		const char *text;
		int want_code;
		enum core_report_outcome want;
	} faults[] = {
	    {"looking for it", TEST_PROXY_CUT_COMMAND, TEST_PROXY_PREPARE, "SELECT",
		PH_ERROR_TEMPORARY, REPORT_RECORDED},
	    {"noting it", TEST_PROXY_CUT_ANSWER, TEST_PROXY_PREPARE, "INSERT INTO event",
		PH_ERROR_TEMPORARY, REPORT_RECORDED},
	    {"COMMIT lost", TEST_PROXY_CUT_COMMAND, TEST_PROXY_COMMIT, "", PH_ERROR_UNCERTAIN,
		REPORT_RECORDED},
	    {"its answer lost", TEST_PROXY_CUT_ANSWER, TEST_PROXY_COMMIT, "", PH_ERROR_UNCERTAIN,
		REPORT_REPEATED},
	};
	AUTO(world) world = world_open(NULL, NULL);

	world_use_proxy(world);
	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		test_db_plain(world->db, "DELETE FROM suppression");
		world_renew(world, NULL, NULL);
		struct base_id id = posting_submit(world, "a@x.org");
		g_autofree char *text = fill(world, &id, HEAD(PATH) STATUS FAILED("a@x.org"));
		const char *const nobody[] = {NULL};
		struct core_report_result result;
		g_autoptr(GError) error = NULL;

		test_proxy_break(
		    world->proxy, faults[i].fault, faults[i].command, faults[i].text, 0);
		cr_assert_not(core_report(world->core, text, strlen(text), nobody, &result, &error),
		    "%s", faults[i].name);
		cr_expect_eq(error->code, faults[i].want_code, "%s: got %d: %s", faults[i].name,
		    error->code, error->message);
		world_renew(world, NULL, NULL);
		cr_expect_eq(report(world, &id, "", HEAD(PATH) STATUS FAILED("a@x.org")).outcome,
		    faults[i].want, "%s", faults[i].name);
		expect(world, faults[i].name, &id, A_BOUNCED, "a@x.org bounced\n");
	}
}

/* A report about an erased recipient is not taken for one about the remaining recipient. */
Test(report, of_an_erased_person_is_recorded_of_nobody)
{
	static const struct {
		const char *name, *text, *envelope;
		enum core_report_outcome want;
		const char *want_events;
	} cases_of_two[] = {
	    {"of the one who was erased", ELSEWHERE STATUS FAILED("a@x.org"), PATH, REPORT_NOBODY,
		""},
	    {"of a copy of one's own", ELSEWHERE STATUS FAILED("a@x.org"), OWN, REPORT_NOBODY, ""},
	    {"a complaint of a copy of one's own", ELSEWHERE FEEDBACK "abuse\n", OWN, REPORT_NOBODY,
		""},
	    {"of the other", ELSEWHERE STATUS FAILED("b@x.org"), PATH, REPORT_RECORDED,
		"1 bounced Permanent 5.1.1: 550 5.1.1 no\n"},
	};
	AUTO(world) world = world_open(NULL, NULL);
	struct base_id id = posting_submit(world, "a@x.org b@x.org");
	struct store_erasure erasure;
	g_autoptr(GError) error = NULL;

	cr_assert(core_erase(world->core, &world->key.workspace_id, "a@x.org", &erasure, &error),
	    "%s", error ? error->message : "");
	for (gsize i = 0; i < G_N_ELEMENTS(cases_of_two); i++) {
		struct core_report_result got =
		    report(world, &id, cases_of_two[i].envelope, cases_of_two[i].text);
		g_autofree char *events = world_events(world, &id);

		cr_expect_eq(got.outcome, cases_of_two[i].want, "%s: got %d", cases_of_two[i].name,
		    (int)got.outcome);
		cr_expect_str_eq(
		    events, cases_of_two[i].want_events, "%s: %s", cases_of_two[i].name, events);
	}
}

/* Return path and envelope id name the recipient of a message to one, also to the last remaining
 * one. */
Test(report, of_what_the_relay_was_shown)
{
	static const struct smtp_script script = {.extensions = "DSN"};
	static const struct {
		const char *to;
		guint want;
	} mails[] = {
	    {"a@x.org", 0},
	    {"a@x.org b@x.org", RETURN_PATH_SHARED},
	    {"gone@x.org b@x.org", 1},
	    {"gone@x.org b@x.org c@x.org", RETURN_PATH_SHARED},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(mails); i++) {
		AUTO(world) world = world_open(&script, NULL);
		struct base_id id = posting_submit(world, mails[i].to);
		struct core_return_path path = {.recipient = 1234}, envid = path;

		cr_assert_not_null(core_suppress_add(world->core, &world->key.workspace_id,
		    "gone@x.org", SUPPRESSION_MANUAL, SUPPRESSION_ALL, &posting_api, NULL));
		posting_deliver(world);
		smtp_server_stop(world->relay);
		const char *log = strstr(smtp_server_log(world->relay), "MAIL FROM:<");
		cr_assert(log, "%s", smtp_server_log(world->relay));
		g_auto(GStrv) words = g_strsplit_set(log, " \r\n", 16);
		cr_expect(core_return_path_read(world->core, log, &path), "%s", log);
		for (char **word = words; *word; word++)
			if (g_str_has_prefix(*word, "ENVID="))
				core_return_path_read_envid(world->core, *word + 6, &envid);
		cr_expect_eq(path.recipient, mails[i].want, "%s: %u", mails[i].to, path.recipient);
		cr_expect_eq(envid.recipient, mails[i].want, "%s: %u: %s", mails[i].to,
		    envid.recipient, log);
		cr_expect(base_id_equal(&path.email, &id) && base_id_equal(&envid.email, &id));
	}
}

Test(report, goes_with_the_only_recipient)
{
	AUTO(world) world = world_open(NULL, NULL);
	struct base_id id = posting_submit(world, "a@x.org");
	struct store_erasure erasure;

	world->is_altered = true;
	cr_expect_eq(report(world, &id, PATH, FULL).outcome, REPORT_RECORDED);
	cr_assert(core_erase(world->core, &world->key.workspace_id, "a@x.org", &erasure, NULL));
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM report"), 0);
}

/* Readers write to the address in List-Unsubscribe, at the same host. */
Test(report, to_the_address_in_list_unsubscribe_unsubscribes)
{
	static const struct {
		const char *name, *envelope, *text; /* WHOM: that address */
		enum core_report_outcome want;
	} letters[] = {
	    {"by the envelope", "WHOM", "Subject: unsubscribe\n\n", REPORT_UNSUBSCRIBED},
	    {"by To", "", "To: Shop <x@example.com>, <WHOM>\nSubject: unsubscribe\n\n",
		REPORT_UNSUBSCRIBED},
	    {"to somebody else", "x@example.com", "To: y@example.com\n\n", REPORT_NONE},
	    {"with a tag that is none of ours", "xWHOM", "Subject: unsubscribe\n\n", REPORT_NONE},
	    {"a report", "WHOM", HEAD("x@example.com") STATUS FAILED("a@x.org"), REPORT_STRANGE},
	};
	AUTO(world) world = world_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(letters); i++) {
		struct base_id id = posting_submit(world, "a@x.org");
		AUTO(store_email) email = world_email(world, &id);
		g_autofree char *address = core_tracking_unsubscribe_address(world->core, email, 0);
		g_autoptr(GString) envelope = g_string_new(letters[i].envelope),
				   text = g_string_new(letters[i].text);
		bool done = letters[i].want == REPORT_UNSUBSCRIBED;

		g_string_replace(envelope, "WHOM", address, 0);
		g_string_replace(text, "WHOM", address, 0);
		struct core_report_result got = report(world, &id, envelope->str, text->str);
		cr_expect_eq(
		    got.outcome, letters[i].want, "%s: got %d", letters[i].name, (int)got.outcome);
		expect(world, letters[i].name, &id, done ? "0 unsubscribed\n" : "",
		    done ? "a@x.org unsubscribed\n" : "");
		test_db_plain(world->db, "DELETE FROM suppression");
	}
}

/* An email about a topic: a mail to its address leaves the topic alone, a complaint is about all.
 */
Test(report, leaves_a_topic_by_mail_and_all_by_a_complaint)
{
	static const struct {
		const char *name, *envelope, *text, *want_suppressed;
		gint64 want_topics, want_choices;
		enum store_consent_kind want_kind;
	} letters[] = {
	    {"mail", "WHOM", "Subject: unsubscribe\n\n", "", 1, 0, CONSENT_TOPIC_LEFT},
	    {"complaint", "", ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH ">\n",
		"a@x.org complained\n", 0, 1, CONSENT_UNSUBSCRIBED},
	};
	AUTO(world) world = world_open(NULL, NULL);

	world->is_altered = true;
	test_db_plain(world->db,
	    "INSERT INTO topic SELECT UNHEX(MD5('t')), id, 'T', '', 1, 0, 1, 1 FROM workspace");
	for (gsize i = 0; i < G_N_ELEMENTS(letters); i++) {
		struct base_id id = posting_submit(world, "a@x.org");
		AUTO(store_email) email = world_email(world, &id);
		g_autofree char *address = core_tracking_unsubscribe_address(world->core, email, 0);
		g_autofree char *envelope =
		    g_strdup(strcmp(letters[i].envelope, "WHOM") == 0 ? address : "");

		test_db_plain(world->db, "UPDATE email SET topic_id = UNHEX(MD5('t'))");
		report(world, &id, envelope, letters[i].text);
		g_autofree char *list = suppressed(world);
		cr_expect_str_eq(list, letters[i].want_suppressed, "%s: %s", letters[i].name, list);
		cr_expect_eq(test_db_number(world->db,
				 "SELECT COUNT(*) FROM choice_part WHERE person = 'a@x.org'"
				 " AND target_id = UNHEX(MD5('t')) AND is_topic AND NOT is_chosen"
				 " AND author = 1"),
		    letters[i].want_topics, "%s: topic", letters[i].name);
		cr_expect_eq(
		    test_db_number(world->db, "SELECT COUNT(*) FROM choice WHERE person = 'a@x.org'"
					      " AND author = 1"),
		    letters[i].want_choices, "%s: all", letters[i].name);
		cr_expect_eq(test_db_number(world->db, "SELECT MAX(kind) FROM consent"),
		    letters[i].want_kind, "%s", letters[i].name);
		test_db_plain(world->db, "DELETE FROM suppression");
		test_db_plain(world->db, "DELETE FROM choice_part");
		test_db_plain(world->db, "DELETE FROM consent");
	}
}
