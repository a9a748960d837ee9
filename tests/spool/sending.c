/* SPDX-License-Identifier: MIT */
/* A cap holds with several spools at once. */
#include <criterion/criterion.h>

#include "tests/spool/mailing.h"

#define SPOOLS 4

TestSuite(sending, .timeout = 900);

Test(sending, is_exact_with_several_spools)
{
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(depot) depot = depot_open(NULL, &good, 10);
	struct test_program *programs[SPOOLS];

	mailing_sql(depot, "INSERT INTO sending_rule (workspace_id, topic_id, cap, capped_since)"
			   " SELECT id, REPEAT(CHAR(0), 16),"
			   " '{\"mailings\":5,\"days\":7,\"wait\":null}', 1 FROM workspace");
	mailing_sql(depot, "UPDATE workspace SET sending = 2");
	depot_submit_to(depot, "a@x.org", 100);
	mailing_sql(depot, "UPDATE email SET tracking = 4");
	for (guint i = 0; i < SPOOLS; i++)
		programs[i] = depot_start(depot, ARGUMENTS("--once"));
	for (guint i = 0; i < SPOOLS; i++)
		cr_expect_eq(test_program_wait(programs[i], 240000), 0);
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM event WHERE status = 1"), 5);
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM event WHERE smtp_response ="
					   " 'cap: at most 5 in 7 days'"),
	    95);
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM outbox"), 0);
	for (guint i = 0; i < SPOOLS; i++)
		test_program_free(programs[i]);
}
