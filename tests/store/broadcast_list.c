/* SPDX-License-Identifier: MIT */
/* Pages of the recipients of a broadcast: where they end. */
#include "store/broadcast/list.h"

#include <string.h>

#include "base/limits/list.h"
#include "store/broadcast/recipient.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(broadcast_list);

#define PAGE 50
#define ANY_TIME 0
#define NO_TIME 1

static struct store_broadcast broadcast = {.status = BROADCAST_SENDING};

/* Fills the broadcast with recipients of whom those from skipped on were skipped, all others were
   sent a message. */
static void
broadcast_list_fill(guint count, guint skipped)
{
	broadcast.workspace_id = fixture->workspace;
	memset(&broadcast.id, 1, sizeof(broadcast.id));
	test_db_plain(fixture->db, "DELETE FROM broadcast_recipient");
	MUST(db_run(fixture->db,
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant, "
	    "queue,"
	    " status, reason, due) SELECT ?, UNHEX(LPAD(HEX(seq), 32, '0')), ?, 0, NULL,"
	    " IF(seq < ?, 2, 4), IF(seq < ?, 0, 3), 5 FROM seq_1_to_60000 WHERE seq <= ?",
	    DB_VALUES(db_id(&broadcast.id), db_id(&broadcast.workspace_id), db_int(skipped),
		db_int(skipped), db_int(count)),
	    NULL, &error));
}

/* Expects pages of one status (NULL: all) to have so many recipients, and to be all. */
static void
broadcast_list_expect_pages(
    const char *name, const char *status, gint64 ns, const guint *want, guint count)
{
	const struct store_broadcast_filter filter = {.status = status};
	struct base_id cursor = {{0}};
	bool more = true;

	for (guint i = 0; i < count; i++) {
		const struct base_id after = cursor;

		cr_assert(more, "%s: there are only %u pages", name, i);
		g_autoptr(GPtrArray) rows = MUST_GIVE(store_broadcast_rows(fixture->db, &broadcast,
		    &(struct store_broadcast_page){
			status ? &filter : NULL, i == 0 ? NULL : &after, PAGE, ns},
		    &cursor, &more, &error));
		cr_expect_eq(rows->len, want[i], "%s, page %u: got %u", name, i, rows->len);
	}
	cr_expect_not(more, "%s: more pages follow", name);
}

#define PAGES(...) (const guint[]){__VA_ARGS__}, G_N_ELEMENTS(((const guint[]){__VA_ARGS__}))

Test(broadcast_list, ends_with_a_page_that_is_full)
{
	broadcast_list_fill(PAGE, 1);
	broadcast_list_expect_pages("all", NULL, ANY_TIME, PAGES(PAGE));
	broadcast_list_expect_pages("skipped", "skipped", ANY_TIME, PAGES(PAGE));
	broadcast_list_expect_pages("sent", "sent", ANY_TIME, PAGES(0));
	broadcast_list_fill(PAGE + 1, 1);
	broadcast_list_expect_pages("all and one more", NULL, ANY_TIME, PAGES(PAGE, 1));
	broadcast_list_expect_pages("skipped and one more", "skipped", ANY_TIME, PAGES(PAGE, 1));
	broadcast_list_fill(3 * PAGE, PAGE + 1);
	broadcast_list_expect_pages("others follow", "sent", ANY_TIME, PAGES(PAGE));
	broadcast_list_expect_pages("others went before", "skipped", ANY_TIME, PAGES(PAGE, PAGE));
}

Test(broadcast_list, looks_at_so_many_for_a_status)
{
	broadcast_list_fill(LIMIT_BROADCAST_LOOKED, LIMIT_BROADCAST_LOOKED);
	broadcast_list_expect_pages("the last that is looked at", "skipped", ANY_TIME, PAGES(1, 0));
	broadcast_list_fill(LIMIT_BROADCAST_LOOKED + 1, LIMIT_BROADCAST_LOOKED + 1);
	broadcast_list_expect_pages("the one past it", "skipped", ANY_TIME, PAGES(0, 1));
	broadcast_list_fill(2 * LIMIT_BROADCAST_LOOKED + 100, 2 * LIMIT_BROADCAST_LOOKED + 1);
	broadcast_list_expect_pages("pages", "skipped", ANY_TIME, PAGES(0, 0, PAGE, PAGE));
}

Test(broadcast_list, looks_at_some_when_no_time_is_left)
{
	broadcast_list_fill(LIMIT_LOOK_LEAST + 1, LIMIT_LOOK_LEAST);
	broadcast_list_expect_pages("the last that is looked at", "skipped", NO_TIME, PAGES(1, 1));
	broadcast_list_fill(LIMIT_LOOK_LEAST + 1, LIMIT_LOOK_LEAST + 1);
	broadcast_list_expect_pages("the one past it", "skipped", NO_TIME, PAGES(0, 1));
	broadcast_list_fill(2 * PAGE, 1);
	broadcast_list_expect_pages("all", NULL, NO_TIME, PAGES(PAGE, PAGE));
}

/* Where the audience has few members, they alone are read; the counters do not decide alone. */
Test(broadcast_list, reads_members_where_they_are_few)
{
	static const struct {
		const char *name;
		guint members, counted, want; /* want: people behind the first 6 */
	} cases[] = {
	    {"few", 3, 3, 0},
	    {"more", 4, 4, 3},
	    {"counted too low", 4, 0, 3},
	    {"counted too high", 3, 4, 3},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *members = g_strdup_printf(
		    "INSERT INTO contact (audience_id, address, id, workspace_id, email,"
		    " is_subscribed, created, updated, source, left_by) SELECT"
		    " UNHEX(LPAD('a', 32, '0')), CONCAT('u', seq, '@example.net'),"
		    " UNHEX(LPAD(HEX(seq), 32, '0')), @workspace, '', 1, 1, 1, 1, 0"
		    " FROM seq_1_to_9 WHERE seq <= %u",
		    cases[i].members);
		g_autofree char *counters =
		    g_strdup_printf("INSERT INTO audience_counter (audience_id, stripe,"
				    " workspace_id, contacts, unsubscribers) VALUES"
				    " (UNHEX(LPAD('a', 32, '0')), 0, @workspace, %u, 0)",
			cases[i].counted);
		struct base_id sixth = {{0}};

		broadcast.workspace_id = fixture->workspace;
		memset(&broadcast.id, 1, sizeof(broadcast.id));
		sixth.bytes[sizeof(sixth.bytes) - 1] = 6;
		MUST(db_run(fixture->db, "SET @workspace = ?, @broadcast = ?",
		    DB_VALUES(db_id(&broadcast.workspace_id), db_id(&broadcast.id)), NULL, &error));
		test_db_plain(fixture->db, "SET foreign_key_checks = 0");
		test_db_plain(fixture->db, "DELETE FROM contact");
		test_db_plain(fixture->db, "DELETE FROM audience_counter");
		test_db_plain(fixture->db, "DELETE FROM broadcast_audience");
		test_db_plain(fixture->db, "DELETE FROM person");
		test_db_plain(fixture->db,
		    "INSERT INTO broadcast_audience (broadcast_id, audience_id, workspace_id)"
		    " VALUES (@broadcast, UNHEX(LPAD('a', 32, '0')), @workspace)");
		test_db_plain(fixture->db,
		    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
		    " last_seen, last_event, event_count, entered, seen, created, updated)"
		    " SELECT UNHEX(LPAD(HEX(seq), 32, '0')), @workspace, CONCAT('u', seq,"
		    " '@example.net'), CONCAT('u', seq, '@example.net'), '{}', 0, 0, '', 0, 0, 0,"
		    " 1, 1 FROM seq_1_to_9");
		test_db_plain(fixture->db, members);
		test_db_plain(fixture->db, counters);
		AUTO(db_rows) rows = MUST_GIVE(
		    store_broadcast_people(fixture->db, &broadcast, &sixth, 3, false, &error));
		guint got = 0;
		while (db_rows_next(rows))
			got++;
		cr_expect_eq(got, cases[i].want, "%s: got %u", cases[i].name, got);
	}
}
