/* SPDX-License-Identifier: MIT */
/* Tests whom reports suppress, and whom letters to the address in List-Unsubscribe unsubscribe. */
#include "feedback/report.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "link/tracking.h"
#include "store/consent/consent.h"
#include "tests/lib/posting.h"
#include "tests/lib/reporting.h"
#include "tests/support/db.h"

Test(report_suppress, suppresses_an_address_at_the_fifth_transient_bounce_in_30_days)
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
		AUTO(fixture) fixture = fixture_open(NULL, NULL);
		guint got = 0;

		for (guint bounce = 1; bounce <= 6 && got == 0; bounce++) {
			struct base_id id = posting_submit(fixture, "a@x.org b@x.org");

			reporting_take(fixture, &id, OWN, FULL);
			g_autofree char *list = reporting_suppressed(fixture);
			if (*list)
				got = bounce;
			base_clock_set(base_clock_now() + paces[i].apart);
		}
		cr_expect_eq(
		    got, paces[i].want, "%s: got %u want %u", paces[i].name, got, paces[i].want);
	}
}

/* Unproven reports, one after another; the case checks the last one. */
Test(report_suppress, of_several_recipients_suppresses_when_three_agree)
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
		AUTO(fixture) fixture = fixture_open(NULL, NULL);
		struct base_id ids[6];

		base_clock_set(base_clock_now() / DAY * DAY + DAY / 2);
		for (guint n = 0; n < rows[i].count; n++) {
			if (n < rows[i].emails)
				ids[n] = posting_submit(fixture, "a@x.org b@x.org");
			bool last = n + 1 == rows[i].count;
			g_autofree char *text = g_strdup_printf(
			    "%s\nReport: %u\n", last ? rows[i].text : rows[i].others, n);
			struct feedback_report_result got =
			    reporting_take(fixture, &ids[n % rows[i].emails], PATH, text);
			cr_expect_eq(got.outcome, REPORT_RECORDED, "%s: %u: got %d", rows[i].name,
			    n, (int)got.outcome);
			cr_expect_eq(got.events, 1, "%s", rows[i].name);
			base_clock_set(base_clock_now() + rows[i].apart);
		}
		g_autofree char *list = reporting_suppressed(fixture);
		cr_expect_str_eq(list, rows[i].want, "%s: got\n%s", rows[i].name, list);
	}
}

/* An address that an operator removed from the list does not come back with the next report. */
Test(report_suppress, that_agreed_counts_once)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (guint n = 1; n <= 5; n++) {
		struct base_id id = posting_submit(fixture, "a@x.org b@x.org");

		reporting_take(fixture, &id, PATH, GONE_B);
		g_autofree char *list = reporting_suppressed(fixture);
		cr_expect_str_eq(list, n == 3 ? "b@x.org bounced\n" : "", "%u: %s", n, list);
		test_db_plain(fixture->db, "DELETE FROM suppression");
		base_clock_set(base_clock_now() + DAY);
	}
}

/* Four unproven bounces do not count towards a fifth that is proven. */
Test(report_suppress, that_proves_too_little_is_no_transient_bounce)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (guint n = 1; n <= 5; n++) {
		struct base_id id = posting_submit(fixture, "a@x.org b@x.org");

		reporting_take(fixture, &id, n < 5 ? PATH : OWN, FULL);
	}
	g_autofree char *list = reporting_suppressed(fixture);
	cr_expect_str_eq(list, "");
}

/* Readers write to the address in List-Unsubscribe, at the same host. */
Test(report_suppress, to_the_address_in_list_unsubscribe_unsubscribes)
{
	static const struct {
		const char *name, *envelope, *text; /* WHOM: that address */
		enum feedback_report_outcome want;
	} letters[] = {
	    {"by the envelope", "WHOM", "Subject: unsubscribe\n\n", REPORT_UNSUBSCRIBED},
	    {"by To", "", "To: Shop <x@example.com>, <WHOM>\nSubject: unsubscribe\n\n",
		REPORT_UNSUBSCRIBED},
	    {"to somebody else", "x@example.com", "To: y@example.com\n\n", REPORT_NONE},
	    {"with a tag that is none of ours", "xWHOM", "Subject: unsubscribe\n\n", REPORT_NONE},
	    {"a report", "WHOM", HEAD("x@example.com") STATUS FAILED("a@x.org"), REPORT_STRANGE},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(letters); i++) {
		struct base_id id = posting_submit(fixture, "a@x.org");
		AUTO(store_email) email = fixture_email(fixture, &id);
		g_autofree char *address =
		    link_tracking_unsubscribe_address(fixture->service, email, 0);
		g_autoptr(GString) envelope = g_string_new(letters[i].envelope),
				   text = g_string_new(letters[i].text);
		bool done = letters[i].want == REPORT_UNSUBSCRIBED;

		g_string_replace(envelope, "WHOM", address, 0);
		g_string_replace(text, "WHOM", address, 0);
		struct feedback_report_result got =
		    reporting_take(fixture, &id, envelope->str, text->str);
		cr_expect_eq(
		    got.outcome, letters[i].want, "%s: got %d", letters[i].name, (int)got.outcome);
		reporting_expect(fixture, letters[i].name, &id, done ? "0 unsubscribed\n" : "",
		    done ? "a@x.org unsubscribed\n" : "");
		test_db_plain(fixture->db, "DELETE FROM suppression");
	}
}

/* An email about a topic: a mail to its address leaves the topic alone, a complaint is about all.
 */
Test(report_suppress, leaves_a_topic_by_mail_and_all_by_a_complaint)
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
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	fixture->is_altered = true;
	test_db_plain(fixture->db,
	    "INSERT INTO topic SELECT UNHEX(MD5('t')), id, 'T', '', 1, 0, 1, 1 FROM workspace");
	for (gsize i = 0; i < G_N_ELEMENTS(letters); i++) {
		struct base_id id = posting_submit(fixture, "a@x.org");
		AUTO(store_email) email = fixture_email(fixture, &id);
		g_autofree char *address =
		    link_tracking_unsubscribe_address(fixture->service, email, 0);
		g_autofree char *envelope =
		    g_strdup(strcmp(letters[i].envelope, "WHOM") == 0 ? address : "");

		test_db_plain(fixture->db, "UPDATE email SET topic_id = UNHEX(MD5('t'))");
		reporting_take(fixture, &id, envelope, letters[i].text);
		g_autofree char *list = reporting_suppressed(fixture);
		cr_expect_str_eq(list, letters[i].want_suppressed, "%s: %s", letters[i].name, list);
		cr_expect_eq(test_db_number(fixture->db,
				 "SELECT COUNT(*) FROM choice_part WHERE person = 'a@x.org'"
				 " AND target_id = UNHEX(MD5('t')) AND is_topic AND NOT is_chosen"
				 " AND author = 1"),
		    letters[i].want_topics, "%s: topic", letters[i].name);
		cr_expect_eq(test_db_number(fixture->db,
				 "SELECT COUNT(*) FROM choice WHERE person = 'a@x.org'"
				 " AND author = 1"),
		    letters[i].want_choices, "%s: all", letters[i].name);
		cr_expect_eq(test_db_number(fixture->db, "SELECT MAX(kind) FROM consent"),
		    letters[i].want_kind, "%s", letters[i].name);
		test_db_plain(fixture->db, "DELETE FROM suppression");
		test_db_plain(fixture->db, "DELETE FROM choice_part");
		test_db_plain(fixture->db, "DELETE FROM consent");
	}
}
