/* SPDX-License-Identifier: MIT */
#include "core/bounce.h"

#include <criterion/criterion.h>

#include "tests/core/posting.h"
#include "tests/support/db.h"

/* Bounces by the relay's replies count like those in reports. */
Test(bounce, of_the_relay_counts_too)
{
	static const struct smtp_script script = {
	    .extensions = "ENHANCEDSTATUSCODES", .rules = {REPLY("RCPT*", 0, "552 5.2.2 full")}};
	AUTO(world) world = world_open(&script, NULL);

	for (int i = 1; i <= 5; i++) {
		struct base_id id = posting_submit(world, "a@x.org");

		posting_deliver(world);
		g_autofree char *events = world_events(world, &id);
		cr_expect_str_eq(
		    events, "0 bounced Transient 5.2.2: 552 5.2.2 full\n", "%s", events);
		gint64 got = test_db_number(world->db, "SELECT COUNT(*) FROM suppression");
		cr_expect_eq(got, i == 5, "%d: %d on the list", i, (int)got);
	}
}
