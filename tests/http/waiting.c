/* SPDX-License-Identifier: MIT */
/* The mail of a workspace that waits, and the relays that it takes. */
#include <criterion/criterion.h>

#include "base/limits/list.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define PATH "/v1/waiting"

FIXTURE_SUITE(waiting, 900);

static char *
waiting_send_later(void)
{
	g_autofree char *at =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + 3600000);

	return email_send(fixture, at);
}

Test(waiting, is_read_by_those_who_read)
{
	static const struct {
		const char *scope;
		guint status;
	} cases[] = {{"full", 200}, {"read", 200}, {"send", 403}, {"metrics", 403}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *key = fixture_new_key(fixture, cases[i].scope, NULL);
		g_autofree char *header = g_strconcat("Authorization: Bearer ", key, NULL);
		const struct exchange exchanges[] = {
		    {cases[i].scope, "GET", PATH, NULL, cases[i].status, .headers = {header}},
		    {cases[i].scope, "POST", PATH, "{}", 405, .headers = {header}},
		};
		EXPECT_ALL(fixture, exchanges);
	}
}

Test(waiting, tells_that_nothing_waits)
{
	const struct exchange exchange = {"nothing", "GET", PATH, NULL, 200,
	    .want = {"messages = 0", "more = false", "held = 0", "oldest = null",
		"next_attempt = null", "reasons = []", "relays[0].relay : string",
		"relays[0].rests_until = null", "relays[0].reason = null", "relays[1] = null"}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* No process takes these up: their time does not come. */
Test(waiting, tells_reasons)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *one = waiting_send_later(), *two = waiting_send_later(),
			*three = waiting_send_later();
	g_autofree char *delay = g_strdup_printf(
	    "UPDATE outbox SET reason = 'paced: x.org, 1 attempts a minute', since = 5,"
	    " ready_at = 9000000000000, turn_at = ready_at WHERE workspace_id = @workspace"
	    " AND email_id <> UNHEX(REPLACE('%s', '-', ''))",
	    one);
	g_autofree char *hold = g_strdup_printf("UPDATE outbox SET ready_at = NULL, turn_at = NULL "
						"WHERE email_id = UNHEX(REPLACE('%s', '-', ''))",
	    three);
	g_autofree char *scheduled = g_strdup_printf("reasons[0].email_id = '%s'", one);
	const struct exchange exchanges[] = {
	    {"scheduled", "GET", PATH, NULL, 200,
		.want = {"messages = 3", "more = false", "held = 0", "oldest : integer",
		    "next_attempt : integer", "reasons[0].state = 'scheduled'",
		    "reasons[0].reason = null", "reasons[0].messages = 3", scheduled,
		    "reasons[0].next_attempt : integer", "reasons[1] = null"}},
	};
	EXPECT_ALL(fixture, exchanges);
	EXPECT_ALL(other, ((const struct exchange[]){
			      {"of another", "GET", PATH, NULL, 200, .want = {"messages = 0"}}}));
	test_db_plain(fixture->db, delay);
	const struct exchange delayed[] = {
	    {"delayed", "GET", PATH, NULL, 200,
		.want = {"messages = 3", "oldest = 5", "reasons[0].state = 'delayed'",
		    "reasons[0].reason = 'paced: x.org, 1 attempts a minute'",
		    "reasons[0].messages = 2", "reasons[0].oldest = 5",
		    "reasons[0].next_attempt = 9000000000000", "reasons[1].state = 'scheduled'",
		    "reasons[2] = null"}},
	};
	EXPECT_ALL(fixture, delayed);
	test_db_plain(fixture->db, hold);
	test_db_plain(
	    fixture->db, "UPDATE outbox SET reason = NULL WHERE workspace_id = @workspace");
	const struct exchange held[] = {
	    {"held", "GET", PATH, NULL, 200,
		.want = {"messages = 2", "held = 1", "reasons[0].state = 'scheduled'",
		    "reasons[0].messages = 2", "reasons[1].state = 'held'",
		    "reasons[1].next_attempt = null"}},
	};
	EXPECT_ALL(fixture, held);
}

Test(waiting, shows_so_many_reasons)
{
	test_db_plain(fixture->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since,"
	    " ready_at, reason) SELECT UNHEX(MD5(RAND())), @workspace, UNHEX(MD5(RAND())),"
	    " '\\0\\0', 0, 5, 9000000000000, seq FROM seq_1_to_50");
	const struct exchange fits = {"at the limit", "GET", PATH, NULL, 200,
	    .want = {"messages = 50", "reasons[49].messages = 1", "reasons[50] = null"}};
	answer_free(exchange_expect(fixture, &fits));
	test_db_plain(fixture->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since,"
	    " ready_at, reason) SELECT UNHEX(MD5(RAND())), @workspace, UNHEX(MD5(RAND())),"
	    " '\\0\\0', 0, 5, 9000000000000, seq FROM seq_50_to_51");
	const struct exchange past = {"one more", "GET", PATH, NULL, 200,
	    .want = {"messages = 52", "reasons[0].reason = '50'", "reasons[0].messages = 2",
		"reasons[49].messages = 1", "reasons[50] = null"}};
	answer_free(exchange_expect(fixture, &past));
	cr_expect_eq(LIMIT_QUEUE_REASONS, 50);
	test_db_plain(fixture->db, "DELETE FROM outbox WHERE workspace_id = @workspace");
}

Test(waiting, shows_the_relays_of_routes)
{
	test_db_plain(
	    fixture->db, "UPDATE domain SET relays = 'mine yours' WHERE workspace_id = @workspace");
	const struct exchange exchange = {"named", "GET", PATH, NULL, 200,
	    .want = {"relays[0] = {'relay':'mine','rests_until':null,"
		     "'reason':'the settings do not have it'}",
		"relays[1].relay = 'yours'", "relays[2] = null"}};
	answer_free(exchange_expect(fixture, &exchange));
}
