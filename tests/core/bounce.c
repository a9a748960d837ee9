/* SPDX-License-Identifier: MIT */
#include "core/bounce.h"

#include <criterion/criterion.h>

#include "tests/core/posting.h"
#include "tests/support/db.h"

Test(bounce, is_transient_where_another_day_may_help)
{
	static const struct {
		int code;
		const char *enhanced;
		enum store_bounce_type want;
	} cases[] = {
	    {0, NULL, BOUNCE_PERMANENT},
	    {0, "", BOUNCE_PERMANENT},
	    {550, NULL, BOUNCE_PERMANENT},
	    {552, "", BOUNCE_PERMANENT},
	    {399, NULL, BOUNCE_PERMANENT},
	    {400, NULL, BOUNCE_TRANSIENT},
	    {499, "", BOUNCE_TRANSIENT},
	    {500, NULL, BOUNCE_PERMANENT},
	    {550, "4.4.7", BOUNCE_TRANSIENT},
	    {452, "5.1.1", BOUNCE_PERMANENT},
	    {550, "5.1.1", BOUNCE_PERMANENT},
	    {552, "5.2.1", BOUNCE_PERMANENT},
	    {552, "5.2.2", BOUNCE_TRANSIENT},
	    {552, "5.2.22", BOUNCE_PERMANENT},
	    {552, "5.2.3", BOUNCE_PERMANENT},
	    {550, "5.3.1", BOUNCE_TRANSIENT},
	    {550, "5.4.5", BOUNCE_TRANSIENT},
	    {550, "5.4.7", BOUNCE_TRANSIENT},
	    {550, "5.7.1", BOUNCE_PERMANENT},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		enum store_bounce_type got = core_bounce_type(cases[i].code, cases[i].enhanced);

		cr_expect_eq(got, cases[i].want, "%d %s: got %d", cases[i].code,
		    cases[i].enhanced ? cases[i].enhanced : "none", (int)got);
	}
}

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
