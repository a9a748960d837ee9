/* SPDX-License-Identifier: MIT */
/* Who gets which copies of the outbox, and when. */
#include "tests/store/copies.h"

PLACE_SUITE(outbox_claim);

Test(outbox_claim, gives_what_is_due_oldest_first)
{
	copies_put(place, 'd', NOW + 1, NULL);
	copies_put(place, 'c', NOW, NULL);
	copies_put(place, 'a', NOW - 2, NULL);
	copies_put(place, 'b', NOW - 1, NULL);
	copies_expect(place, "two at most", 1, 0, NOW, 2, "ab");
	copies_expect(place, "the rest of what is due", 2, 0, NOW, 2, "c");
	copies_expect(place, "nothing more", 3, 0, NOW, 2, "");
	copies_expect(place, "a moment later", 4, 0, NOW + 1, 2, "d");
}

Test(outbox_claim, gives_nothing_below_the_low_water_mark)
{
	copies_put(place, 'a', NOW - 3, NULL);
	copies_put(place, 'b', NOW - 2, NULL);
	copies_put(place, 'c', NOW - 1, NULL);
	copies_expect(place, "from there on", 1, NOW - 2, NOW, 1, "b");
	copies_expect(place, "past it", 2, NOW - 1, NOW, 5, "c");
	copies_expect(place, "below", 3, NOW - 2, NOW, 5, "");
	copies_expect(place, "from the beginning", 4, 0, NOW, 5, "a");
}

Test(outbox_claim, gives_a_claimed_copy_to_nobody_until_the_lease_ends)
{
	struct store_outbox_claim by = copies_claim_by("us", 1);

	copies_put(place, 'a', NOW, NULL);
	copies_put(place, 'b', 0, &by); /* claimed from the start */
	copies_expect(place, "at first", 2, 0, NOW, 5, "a");
	copies_expect(place, "before the end", 3, 0, NOW + LEASE - 1, 5, "");
	copies_expect(place, "at the end", 4, 0, NOW + LEASE, 1, "a");
	copies_expect(place, "the other", 5, 0, NOW + LEASE, 5, "b");
}

Test(outbox_claim, asks_what_became_of_an_owner)
{
	static const struct {
		const char *name;
		gint64 after; /* the lease */
		enum store_outbox_takeover takeover;
		const char *want, *asked;
	} cases[] = {
	    {"nobody before the end", -1, TAKEOVER_CLAIM, "", ""},
	    {"its owner lives", 0, TAKEOVER_WAIT, "", "them"},
	    {"not again within a minute", 59999, TAKEOVER_CLAIM, "", ""},
	    {"it lives still", 60000, TAKEOVER_WAIT, "", "them"},
	    {"it may have died elsewhere", 120000, TAKEOVER_DOUBT, "", "them"},
	    {"one more lease", 120000 + LEASE - 1, TAKEOVER_DOUBT, "", ""},
	    {"it is lost", 120000 + LEASE, TAKEOVER_DOUBT, "a!", "them"},
	    {"and ours", 120000 + LEASE, TAKEOVER_DOUBT, "", ""},
	    {"until we are gone", 120000 + 2 * LEASE, TAKEOVER_CLAIM, "a", "us"},
	};
	struct store_outbox_claim by = {"them", 1, NOW + LEASE};

	copies_put(place, 'a', 0, &by);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct answer answer = {cases[i].takeover, ""};
		struct store_outbox_search search = {
		    0, NOW + LEASE + cases[i].after, 5, LEASE, copies_ask, &answer, NULL};
		g_autofree char *got = copies_claim_as(place->db, (gint64)i + 2, search);

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
		cr_expect_str_eq(
		    answer.asked, cases[i].asked, "%s: asked %s", cases[i].name, answer.asked);
	}
}

Test(outbox_claim, takes_over_from_a_doubted_owner_that_is_known_to_be_gone)
{
	struct store_outbox_claim by = {"them", 1, NOW};
	struct answer doubt = {TAKEOVER_DOUBT, ""}, gone = {TAKEOVER_CLAIM, ""};

	copies_put(place, 'a', 0, &by);
	g_free(copies_claim_as(place->db, 2,
	    (struct store_outbox_search){0, NOW, 5, LEASE, copies_ask, &doubt, NULL}));
	g_autofree char *got = copies_claim_as(place->db, 3,
	    (struct store_outbox_search){0, NOW + LEASE, 5, LEASE, copies_ask, &gone, NULL});
	cr_expect_str_eq(got, "a", "got %s", got);
}

/* An owner that was put off, or doubted, comes back: the rows are still its own. */
Test(outbox_claim, leaves_a_claim_its_token_while_it_waits)
{
	static const enum store_outbox_takeover answers[] = {TAKEOVER_WAIT, TAKEOVER_DOUBT};

	for (gsize i = 0; i < G_N_ELEMENTS(answers); i++) {
		struct store_outbox_claim by = {"them", 10 + (gint64)i, NOW};
		struct answer answer = {answers[i], ""};
		struct base_id id = copies_put(place, 'a', 0, &by);
		struct store_outbox_entry copy;
		bool found;
		guint kept;

		g_free(copies_claim_as(place->db, 2,
		    (struct store_outbox_search){0, NOW, 5, LEASE, copies_ask, &answer, NULL}));
		MUST(store_outbox_find(place->db, &id, by.token, &copy, &found, &error));
		cr_expect(found, "answer %zu", i);
		copy.count = 0;
		MUST(store_outbox_end(
		    place->db, &by, &(struct store_outbox_end){&copy, 0}, 1, &kept, &error));
		cr_expect_eq(kept, 1, "answer %zu", i);
	}
}

Test(outbox_claim, renews_what_is_still_claimed)
{
	struct store_outbox_claim by = {"us", 1, NOW}, stale = {"us", 2, NOW + 5 * LEASE};
	struct base_id ids[] = {copies_put(place, 'a', 0, &by), copies_put(place, 'b', 0, &by)};

	by.until = NOW + 2 * LEASE;
	MUST(store_outbox_renew(place->db, &by, ids, 1, &error));
	MUST(store_outbox_renew(place->db, &by, ids, 0, &error));
	MUST(store_outbox_renew(place->db, &stale, ids, 2, &error));
	copies_expect(place, "the one that was not", 3, 0, NOW + LEASE, 5, "b");
	copies_expect(place, "before its end", 4, NOW + LEASE + 1, NOW + 2 * LEASE - 1, 5, "");
	copies_expect(place, "at its end", 5, NOW + LEASE + 1, NOW + 2 * LEASE, 1, "a");
}

static gint64
lock_two(struct db *db)
{
	return test_db_number(db,
	    "SELECT COUNT(*) FROM (SELECT id FROM outbox WHERE ready_at <= 1800000000000"
	    " ORDER BY ready_at LIMIT 2 FOR UPDATE) locked");
}

/* What another process is about to claim is passed over, not waited for. */
Test(outbox_claim, is_shared_by_processes_without_waiting)
{
	struct db *other = place_impatient(place);

	for (int i = 0; i < 5; i++)
		copies_put(place, (char)('a' + i), NOW - 5 + i, NULL);
	test_db_plain(other, "START TRANSACTION");
	cr_assert_eq(lock_two(other), 2);
	copies_expect(place, "past the locked ones", 1, 0, NOW, 2, "cd");
	test_db_plain(other, "ROLLBACK");
	g_autofree char *got = copies_claim(other, 2, 0, NOW, 5);
	cr_expect_str_eq(got, "abe", "got %s", got);
	db_close(other);
}

#define CROWD 4
#define CROWD_COPIES 200

struct worker {
	gint64 token;
	guint claimed, faults;
};

static gpointer
claim_all(gpointer data)
{
	struct worker *worker = data;
	struct db *db = test_db_open(place->settings);
	struct store_outbox_claim by = {"crowd", worker->token, NOW + LEASE};
	struct store_outbox_entry copies[7];
	guint count = 1;

	while (count > 0 && worker->faults == 0) {
		if (!copies_search(db, &by, 0, NOW, G_N_ELEMENTS(copies), copies, &count, NULL))
			worker->faults++;
		else
			worker->claimed += count;
	}
	db_close(db);
	return NULL;
}

static gint64
rows_with(gint64 token)
{
	AUTO(db_rows)
	rows = MUST_GIVE(db_select(place->db, "SELECT COUNT(*) FROM outbox WHERE token = ?",
	    DB_VALUES(db_int(token)), &error));

	db_rows_next(rows);
	return db_rows_int(rows, 0);
}

Test(outbox_claim, gives_each_copy_to_one_of_many_workers)
{
	struct worker workers[CROWD];
	GThread *threads[CROWD];
	guint total = 0;

	for (int i = 0; i < CROWD_COPIES; i++)
		copies_put(place, 'a', NOW - i, NULL);
	for (guint i = 0; i < CROWD; i++) {
		workers[i] = (struct worker){.token = i + 1};
		threads[i] = g_thread_new("worker", claim_all, &workers[i]);
	}
	for (guint i = 0; i < CROWD; i++) {
		g_thread_join(threads[i]);
		cr_expect_eq(workers[i].faults, 0);
		cr_expect_eq(rows_with(i + 1), workers[i].claimed, "worker %u", i);
		total += workers[i].claimed;
	}
	cr_expect_eq(total, CROWD_COPIES, "got %u", total);
}

Test(outbox_claim, looks_at_no_more_than_it_gives)
{
	enum { MANY = 1000 };
	g_autofree struct store_outbox_entry *copies = g_new(struct store_outbox_entry, MANY);

	for (guint i = 0; i < MANY; i++)
		copies[i] = copies_make(place, 'a', 1);
	MUST(store_outbox_insert(place->db, copies, MANY / 2, NOW, NULL, &error));
	MUST(store_outbox_insert(place->db, copies + MANY / 2, MANY / 2, NOW + 1000, NULL, &error));
	test_db_plain(place->db, "ANALYZE TABLE outbox");
	place_work(place);
	g_free(copies_claim(place->db, 1, 0, NOW, 10));
	struct place_work work = place_work(place);
	cr_expect_leq(work.read, 3 * 10 + 5, "read %d rows", (int)work.read);
	cr_expect_eq(work.sorted, 0);
	place_work(place);
	gint64 next;
	MUST(store_outbox_next(place->db, &next, &error));
	work = place_work(place);
	cr_expect_leq(work.read, 3, "read %d rows for the next", (int)work.read);
}
