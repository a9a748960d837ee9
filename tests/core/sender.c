/* SPDX-License-Identifier: MIT */
#include "core/sender.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "tests/core/posting.h"
#include "tests/support/db.h"

/* Kept by the one that waits: how long it took. */
static bool
wait_for(struct core_delivery *delivery, gint64 ms, gint64 *took_r)
{
	gint64 begin = base_clock_boot();
	bool done = core_deliver_wait(delivery, begin + ms);

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
	AUTO(world) world = world_open(&refusing, more);
	struct base_id bad = posting_submit(world, "a@x.org"),
		       one = posting_submit(world, "b@x.org");

	/* Refused here already, whichever relay it is. */
	test_db_plain(world->db, "UPDATE recipient SET address = 'a b' WHERE address = 'a@x.org'");
	posting_deliver(world);
	posting_expect(world, "refused here", &bad,
	    "0 bounced Permanent 5.1.3: 5.1.3 The address cannot be sent to a mail server.\n", "");
	posting_expect(world, "taken by the second", &one, "0 sent\n", "");
	smtp_server_stop(world->relay);
	smtp_server_stop(second);
	cr_expect_eq(smtp_server_connections(world->relay), 1);
	cr_expect_eq(smtp_server_count(second), 1);
}

Test(sender, returns_what_the_session_did_not_get_to)
{
	static const struct smtp_script script = {.rules = {THEN(DROP, "MAIL*", 2, NULL)}};
	AUTO(world) world = world_open(&script, NULL);
	struct base_id one = posting_submit(world, "a@x.org"),
		       two = posting_submit(world, "b@x.org");

	posting_submit(world, "c@x.org");
	posting_deliver(world);
	posting_expect(
	    world, "first", &one, "0 sent\n", "0: 0 attempts, now\n0: 0 attempts, now\n");
	posting_expect(world, "second", &two, "", "0: 0 attempts, now\n0: 0 attempts, now\n");
}

Test(sender, leaves_a_relay_that_hangs_before_the_dot_in_time)
{
	static const struct {
		const char *name;
		struct smtp_rule rule;
	} hangs[] = {
	    {"greeting", THEN(HANG, "CONNECT", 0, NULL)},
	    {"EHLO", THEN(HANG, "EHLO*", 0, NULL)},
	    {"MAIL", THEN(HANG, "MAIL*", 0, NULL)},
	    {"RCPT", THEN(HANG, "RCPT*", 0, NULL)},
	    {"DATA", THEN(HANG, "DATA", 0, NULL)},
	};
	AUTO(world) world = world_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(hangs); i++) {
		struct smtp_script script = {.rules = {hangs[i].rule}};
		gint64 took;

		world_renew(world, &script, NULL);
		struct base_id id = posting_submit(world, "a@x.org");
		struct core_delivery *delivery = posting_start(world);
		cr_expect(wait_for(delivery, 300, &took), "%s: not done", hangs[i].name);
		cr_expect(took >= 300 && took < 1500, "%s: took %" G_GINT64_FORMAT " ms",
		    hangs[i].name, took);
		core_deliver_free(delivery);
		posting_expect(world, hangs[i].name, &id, "", "0: 0 attempts, now\n");
		test_db_plain(world->db, "DELETE FROM outbox");
	}
}

Test(sender, waits_for_the_answer_to_a_dot_and_no_more)
{
	static const struct smtp_script script = {.rules = {{".", 1, NULL, THEN_GO_ON, 2000}}};
	AUTO(world) world = world_open(&script, NULL);
	struct base_id one = posting_submit(world, "a@x.org"),
		       two = posting_submit(world, "b@x.org");
	struct core_delivery *delivery = posting_start(world);
	gint64 took;

	cr_expect_not(wait_for(delivery, 1000, &took), "it has left before the answer");
	cr_expect(took >= 1000 && took < 1900, "took %" G_GINT64_FORMAT " ms", took);
	posting_expect(
	    world, "meanwhile", &one, "", "0: 0 attempts, claimed\n0: 0 attempts, claimed\n");
	cr_assert(core_deliver_wait(delivery, 0));
	core_deliver_free(delivery);
	posting_expect(world, "after the answer", &one, "0 sent\n", "0: 0 attempts, now\n");
	posting_expect(world, "the next", &two, "", "0: 0 attempts, now\n");
}
