/* SPDX-License-Identifier: MIT */
#include "delivery/bounce.h"

#include <criterion/criterion.h>

#include "tests/lib/posting.h"
#include "tests/lib/reporting.h"
#include "tests/support/db.h"

/* A reply's words decide where its code says little, and keep addresses off the list. */
Test(bounce, of_the_relay_is_read_by_code_and_words)
{
	static const struct smtp_script script = {.extensions = "ENHANCEDSTATUSCODES",
	    .rules = {REPLY("RCPT*<bare*", 0, "550 we do not know you"),
		REPLY("RCPT*<gone*", 0, "553 5.3.0 no such user here"),
		REPLY("RCPT*<spam*", 0, "550 5.1.1 your IP address is blacklisted"),
		REPLY("RCPT*<full*", 0, "550 5.2.0 mailbox is full"),
		REPLY("RCPT*<rate*", 0, "550 5.2.1 receiving mail at a rate that is too high"),
		REPLY("RCPT*<size*", 0, "552 message size exceeds the limit")}};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id id = posting_submit(
	    fixture, "bare@x.org gone@x.org spam@x.org full@x.org rate@x.org size@x.org");

	posting_deliver(fixture);
	reporting_expect(fixture, "replies", &id,
	    "0 bounced Permanent: 550 we do not know you\n"
	    "1 bounced Permanent 5.3.0: 553 5.3.0 no such user here\n"
	    "2 bounced Permanent 5.1.1: 550 5.1.1 your IP address is blacklisted\n"
	    "3 bounced Transient 5.2.0: 550 5.2.0 mailbox is full\n"
	    "4 bounced Transient 5.2.1: 550 5.2.1 receiving mail at a rate that is too high\n"
	    "5 bounced Permanent: 552 message size exceeds the limit\n",
	    "bare@x.org bounced\ngone@x.org bounced\n");
}

/* Bounces by the relay's replies count like those in reports. */
Test(bounce, of_the_relay_counts_too)
{
	static const struct smtp_script script = {
	    .extensions = "ENHANCEDSTATUSCODES", .rules = {REPLY("RCPT*", 0, "552 5.2.2 full")}};
	AUTO(fixture) fixture = fixture_open(&script, NULL);

	for (int i = 1; i <= 5; i++) {
		struct base_id id = posting_submit(fixture, "a@x.org");

		posting_deliver(fixture);
		g_autofree char *events = fixture_events(fixture, &id);
		cr_expect_str_eq(
		    events, "0 bounced Transient 5.2.2: 552 5.2.2 full\n", "%s", events);
		gint64 got = test_db_number(fixture->db, "SELECT COUNT(*) FROM suppression");
		cr_expect_eq(got, i == 5, "%d: %d on the list", i, (int)got);
	}
}
