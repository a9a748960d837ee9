/* SPDX-License-Identifier: MIT */
/* Whose entries are claimed when there are more than a batch takes. */
#include "store/common/turn.h"

#include "store/workspace/workspace.h"
#include "tests/store/outbox_entries.h"

FIXTURE_SUITE(turn);

static struct store_turn turn;
static bool is_bulk; /* all is about entries of broadcasts */

static struct base_id
workspace(const char *name)
{
	struct base_id id;

	MUST(store_workspace_create(fixture->db, name, NULL, &id, &error));
	return id;
}

static void
turn_put(const struct base_id *workspace, char letter, guint count, gint64 ready_at)
{
	g_autofree struct store_outbox_entry *entries = g_new(struct store_outbox_entry, count);

	for (guint i = 0; i < count; i++) {
		entries[i] = entry_make(fixture, letter, 1);
		entries[i].workspace_id = *workspace;
		entries[i].is_bulk = is_bulk;
	}
	MUST(store_outbox_insert(fixture->db, entries, count, ready_at, NULL, &error));
}

/* The clock of searches: its time, or 0 where it is the real one, and the time that passes between
   two looks at it. room.mk has the linker put it in place. */
static gint64 stopped_ms, look_ms;

gint64 __real_base_clock_boot(void);
gint64 __wrap_base_clock_boot(void);

gint64
__wrap_base_clock_boot(void)
{
	if (!stopped_ms)
		return __real_base_clock_boot();
	return stopped_ms += look_ms;
}

/* A batch, as letters. Turns rest after searches that took long, as they may on a busy machine: so
   no time passes but look_ms. */
static char *
turn_claim(gint64 now, guint limit)
{
	static gint64 token = 1;
	struct answer answer = {TAKEOVER_CLAIM, ""};

	if (!stopped_ms)
		stopped_ms = __real_base_clock_boot();
	return entry_claim_as(fixture->db, token++,
	    (struct store_outbox_search){0, now, limit, LEASE, entry_ask, &answer, &turn, is_bulk});
}

static void
turn_expect(const char *name, gint64 now, guint limit, const char *want)
{
	g_autofree char *got = turn_claim(now, limit);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

Test(turn, comes_with_one_of_the_next_two_batches)
{
	turn_put(&fixture->workspace, 'a', 20, NOW - 2);
	turn_put(&fixture->other, 'b', 1, NOW);
	turn_expect("oldest first", NOW, 3, "aaa");
	turn_expect("then turns, filled with the oldest", NOW, 3, "baa");
	turn_put(&fixture->other, 'c', 1, NOW);
	turn_expect("oldest first again", NOW, 3, "aaa");
	turn_expect("and turns again", NOW, 3, "caa");
}

Test(turn, rests_after_two_searches_that_took_long)
{
	turn_put(&fixture->workspace, 'a', 60, NOW - 2);
	turn_put(&fixture->other, 'b', 20, NOW);
	look_ms = 101;
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("the first that is slow", NOW, 2, "bb");
	look_ms = 100;
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("one that is quick", NOW, 2, "bb");
	look_ms = 101;
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("the first again", NOW, 2, "bb");
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("the second", NOW, 2, "bb");
	look_ms = 1;
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("at rest", NOW, 2, "aa");
	look_ms = 1010;
	turn_expect("oldest first", NOW, 2, "aa");
	look_ms = 1;
	turn_expect("after it", NOW, 2, "bb");
}

Test(turn, comes_to_entries_of_broadcasts_too)
{
	turn_put(&fixture->workspace, 'x', 5, NOW - 3);
	is_bulk = true;
	turn_put(&fixture->workspace, 'a', 20, NOW - 2);
	turn_put(&fixture->other, 'b', 2, NOW);
	turn_expect("oldest first", NOW, 4, "aaaa");
	turn_expect("then turns", NOW, 4, "bbaa");
	is_bulk = false;
}

Test(turn, comes_to_batches_of_one_too)
{
	turn_put(&fixture->workspace, 'a', 20, NOW - 2);
	turn_put(&fixture->other, 'b', 3, NOW);
	turn_expect("oldest first", NOW, 1, "a");
	turn_expect("its turn", NOW, 1, "b");
	turn_expect("oldest first", NOW, 1, "a");
	turn_expect("its turn", NOW, 1, "b");
}

Test(turn, is_taken_only_where_a_batch_leaves_something)
{
	turn_put(&fixture->workspace, 'a', 3, NOW - 2);
	turn_put(&fixture->other, 'b', 2, NOW);
	turn_expect("all of it", NOW, 9, "aaabb");
	cr_expect_not(turn.next);
	turn_put(&fixture->workspace, 'a', 3, NOW - 2);
	turn_put(&fixture->other, 'b', 2, NOW - 5);
	turn_expect("oldest first", NOW, 9, "bbaaa");
}

Test(turn, comes_when_an_entry_is_due)
{
	turn_put(&fixture->workspace, 'a', 20, NOW - 2);
	turn_put(&fixture->other, 'h', 3, NOW);
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = NULL WHERE email_id LIKE 'h%'");
	turn_put(&fixture->other, 's', 3, NOW + 5);
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("nothing of the other is due", NOW, 2, "aa");
	turn_expect("oldest first", NOW + 4, 2, "aa");
	turn_expect("nor now", NOW + 4, 2, "aa");
	turn_expect("oldest first", NOW + 5, 2, "aa");
	turn_expect("now it is", NOW + 5, 2, "ss");
}

/* Mail of the service itself has no workspace in the table, and waits no longer than others. */
Test(turn, comes_to_mail_of_the_service)
{
	turn_put(&fixture->workspace, 'a', 20, NOW - 2);
	turn_put(&store_workspace_system, 's', 6, NOW);
	turn_put(&fixture->other, 'b', 1, NOW);
	turn_expect("oldest first", NOW, 8, "aaaaaaaa");
	turn_expect("then turns", NOW, 8, "sssssbaa");
	turn_expect("oldest first again", NOW, 1, "a");
	turn_expect("the last one", NOW, 1, "s");
}

/* Workspaces of one entry each come along beside those that have shares. */
Test(turn, goes_round)
{
	static const char letters[] = "bcdefghi";

	turn_put(&fixture->workspace, 'a', 90, NOW - 2);
	for (const char *p = letters; *p; p++) {
		struct base_id id = workspace((const char[]){*p, '\0'});

		turn_put(&id, *p, 9, NOW);
	}
	turn_expect("oldest first", NOW, 10, "aaaaaaaaaa");
	turn_expect("a share for two, one for six", NOW, 10, "bbccdefghi");
	turn_expect("oldest first", NOW, 4, "aaaa");
	turn_expect("behind the last share", NOW, 4, "defg");
	turn_expect("oldest first", NOW, 4, "aaaa");
	turn_expect("and on", NOW, 4, "fghi");
	turn_expect("oldest first", NOW, 4, "aaaa");
	turn_expect("around", NOW, 4, "hibc");
	turn_expect("oldest first", NOW, 4, "aaaa");
	turn_expect("whose place is free goes to the next", NOW, 2, "bc");
}

Test(turn, shares_among_few)
{
	turn_put(&fixture->workspace, 'a', 90, NOW - 2);
	turn_put(&fixture->other, 'b', 90, NOW - 1);
	struct base_id third = workspace("third");
	turn_put(&third, 'c', 3, NOW);
	turn_expect("oldest first", NOW, 10, "aaaaaaaaaa");
	turn_expect("half for each, what one leaves to the oldest", NOW, 10, "bbbbbcccaa");
}

/* 1. A worker has locked the other's entry. 2. We pass it over, and wait for nobody. 3. That worker
   gives it back. 4. It is found again. */
Test(turn, is_passed_over_while_somebody_has_it_in_hand)
{
	struct db *other = fixture_impatient(fixture);

	turn_put(&fixture->workspace, 'a', 20, NOW - 2);
	turn_put(&fixture->other, 'b', 1, NOW);
	test_db_plain(other, "START TRANSACTION");
	cr_assert_eq(test_db_number(
			 other, "SELECT ready_at FROM outbox WHERE email_id LIKE 'b%' FOR UPDATE"),
	    NOW);
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("its turn", NOW, 2, "aa");
	test_db_plain(other, "ROLLBACK");
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("its turn", NOW, 2, "ba");
	db_close(other);
}

Test(turn, gives_an_entry_once_that_is_among_the_oldest_too)
{
	turn_put(&fixture->workspace, 'a', 20, NOW - 2);
	turn_expect("oldest first", NOW, 3, "aaa");
	turn_put(&fixture->other, 'b', 2, NOW - 5);
	turn_expect("its turn, and the oldest behind it", NOW, 5, "bbaaa");
}

#define CROWD 4
#define BATCH 7

struct worker {
	gint64 token;
	guint claimed;
	GError *fault;
};

static gpointer
turn_claim_all(gpointer data)
{
	struct worker *worker = data;
	struct db *db = test_db_open(fixture->settings);
	struct store_outbox_claim by = {"crowd", worker->token, NOW + LEASE};
	struct answer answer = {TAKEOVER_CLAIM, ""};
	struct store_turn mine = {.next = false};
	struct store_outbox_search search = {
	    0, NOW, BATCH, LEASE, entry_ask, &answer, &mine, false};
	struct store_outbox_entry entries[BATCH];
	guint count = 1;

	while (count > 0 && store_outbox_claim(db, &by, &search, entries, &count, &worker->fault))
		worker->claimed += count;
	db_close(db);
	return NULL;
}

Test(turn, gives_each_entry_to_one_of_many_workers)
{
	struct worker workers[CROWD];
	GThread *threads[CROWD];
	guint total = 0;

	for (guint i = 0; i < 12; i++) {
		g_autofree char *name = g_strdup_printf("w%u", i);
		struct base_id id = workspace(name);

		turn_put(&id, 'a', 50, NOW - i % 3);
	}
	for (guint i = 0; i < CROWD; i++) {
		workers[i] = (struct worker){.token = i + 1};
		threads[i] = g_thread_new("worker", turn_claim_all, &workers[i]);
	}
	for (guint i = 0; i < CROWD; i++) {
		g_thread_join(threads[i]);
		cr_expect_null(
		    workers[i].fault, "%s", workers[i].fault ? workers[i].fault->message : "");
		total += workers[i].claimed;
	}
	cr_expect_eq(total, 12 * 50, "got %u", total);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM outbox WHERE token BETWEEN 1 AND 4"),
	    12 * 50);
}

/* Returns the number of rows that the server reads for two batches, one of them with turns. */
static gint64
rows_read(guint workspaces)
{
	turn = (struct store_turn){.next = false};
	test_db_plain(fixture->db, "DELETE FROM outbox");
	test_db_plain(fixture->db, "DELETE FROM workspace");
	g_autofree char *insert =
	    g_strdup_printf("INSERT INTO workspace (id, name, created) SELECT"
			    " UNHEX(LPAD(HEX(seq), 32, '0')), seq, 1 FROM seq_1_to_%u",
		workspaces);
	g_autofree char *fill = g_strdup_printf(
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(LPAD(HEX(1 + seq %% %u), 32, '0')),"
	    " REPEAT('a', 16), X'0000', 0, 1, seq FROM seq_1_to_3000",
	    workspaces);
	test_db_plain(fixture->db, insert);
	test_db_plain(fixture->db, fill);
	g_free(turn_claim(NOW, 10));
	g_free(turn_claim(NOW, 10)); /* prepares */
	fixture_work(fixture);
	g_free(turn_claim(NOW, 10));
	cr_expect(turn.next);
	g_free(turn_claim(NOW, 10));
	struct fixture_work work = fixture_work(fixture);
	cr_expect_eq(work.sorted, 0);
	return work.read;
}

static void
turn_expect_cost(void)
{
	gint64 one = rows_read(1), few = rows_read(30), many = rows_read(1000);

	/* Thirty are claimed by then, and each batch passes over them. */
	cr_expect_leq(one, 2 * 3 * 10 + 20 + 60, "read %d rows for one", (int)one);
	cr_expect_leq(few, 2 * 3 * 10 + 80, "read %d rows for a few", (int)few);
	cr_expect_leq(many, few + 5, "read %d rows for many, %d for a few", (int)many, (int)few);
}

Test(turn, reads_no_more_for_a_thousand_workspaces)
{
	turn_expect_cost();
}

/* Until the last step of "schema migrate --finish" is taken, the primary key is the id alone. */
Test(turn, reads_no_more_with_the_key_of_before)
{
	test_db_outbox_of_before(fixture->db);
	turn_expect_cost();
}

/* No workspace gets a share when the oldest entries belong to many alike. Such a round is faster.
 */
Test(turn, gives_one_each_where_many_wait_alike)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwx";
	struct base_id late = workspace("z"), ids[sizeof(letters) - 1];

	for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
		ids[i] = workspace((const char[]){letters[i], '\0'});
	for (guint i = 0; i < 3 * G_N_ELEMENTS(ids); i++)
		turn_put(
		    &ids[i % G_N_ELEMENTS(ids)], letters[i % G_N_ELEMENTS(ids)], 1, NOW - 100 + i);
	turn_put(&late, 'z', 3, NOW);
	turn_expect("oldest first", NOW, 20, "abcdefghijklmnopqrst");
	turn_expect("ten turns, and the oldest", NOW, 12, "abcdefghizuv");
	turn_expect("oldest first again", NOW, 20, "wxjklmnopqrstuvwxabc");
	turn_expect("the next ten", NOW, 12, "jklmnopqrsde");
}

/* Entries below the fixture where a search begins have been claimed. */
Test(turn, begins_where_the_search_begins)
{
	static gint64 token = 1;
	struct answer answer = {TAKEOVER_CLAIM, ""};

	turn_put(&fixture->workspace, 'a', 9, NOW - 2);
	turn_put(&fixture->other, 'b', 1, NOW - 5);
	turn_put(&fixture->other, 'c', 1, NOW - 1);
	turn.next = true;
	g_autofree char *got = entry_claim_as(fixture->db, token,
	    (struct store_outbox_search){NOW - 2, NOW, 3, LEASE, entry_ask, &answer, &turn, false});

	cr_expect_str_eq(got, "aca", "got %s", got);
}

/* A claim does not move an entry's turn: the key stays as it is. What others have claimed is passed
   over, however much it is. */
Test(turn, passes_over_what_others_have_claimed)
{
	turn_put(&fixture->workspace, 'a', 30, NOW - 2);
	turn_put(&fixture->other, 'b', 300, NOW - 1);
	turn_put(&fixture->other, 'c', 3, NOW);
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1900000000000, owner = 'else',"
				   " token = 7 WHERE email_id LIKE 'b%'");
	turn_expect("oldest first", NOW, 4, "aaaa");
	fixture_work(fixture);
	turn_expect("what is left of the other", NOW, 4, "ccca");
	cr_expect_leq(fixture_work(fixture).read, 2 * 300 + 100);
	cr_expect_eq(fixture_number(fixture,
			 "SELECT COUNT(*) FROM outbox WHERE turn_at BETWEEN 1799999999998"
			 " AND 1800000000000"),
	    333);
}

/* An older program stores entries without a turn, and moves ready_at alone. */
Test(turn, comes_to_entries_of_an_older_program)
{
	turn_put(&fixture->workspace, 'a', 30, NOW - 2);
	turn_put(&fixture->other, 'b', 2, NOW);
	test_db_plain(fixture->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients,"
	    " attempts, since, ready_at) SELECT REPEAT('x', 16), workspace_id,"
	    " REPEAT('o', 16), X'0000', 0, since, ready_at FROM outbox"
	    " WHERE email_id LIKE 'b%' LIMIT 1");
	test_db_plain(
	    fixture->db, "UPDATE outbox SET ready_at = 1800000000005 WHERE email_id LIKE 'b%'");
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("its turn", NOW, 2, "oa");
	turn_expect("oldest first", NOW, 2, "aa");
	turn_expect("put off", NOW + 4, 2, "aa");
	turn_expect("oldest first", NOW + 5, 2, "aa");
	turn_expect("its turn", NOW + 5, 2, "bb");
}

/* All that changes ready_at for good changes the turn, too. */
Test(turn, follows_an_entry_that_is_put_off)
{
	static const char of_all[] = "SELECT COALESCE(turn_at, 0) FROM outbox";
	struct store_outbox_entry entry = entry_make(fixture, 'a', 1);
	const struct store_outbox_claim by = entry_claim_by("me", 5);
	const struct store_outbox_end end = {&entry, NOW + 9, NULL};
	const struct base_id *workspace_id = &fixture->workspace, *email = &entry.email_id;
	guint count;

	MUST(store_outbox_insert(fixture->db, &entry, 1, 0, &by, &error));
	cr_expect_eq(fixture_number(fixture, of_all), entry.since);
	MUST(store_outbox_end(fixture->db, &by, &end, 1, &count, &error));
	cr_expect_eq(fixture_number(fixture, of_all), NOW + 9);
	MUST(store_outbox_hold(fixture->db, workspace_id, email, &count, &error));
	cr_expect_eq(fixture_number(fixture, of_all), 0);
	MUST(store_outbox_release(fixture->db, workspace_id, email, NOW + 3, &count, &error));
	cr_expect_eq(fixture_number(fixture, of_all), NOW + 3);
	test_db_plain(fixture->db, "UPDATE outbox SET attempts = 1");
	MUST(store_outbox_hasten(fixture->db, workspace_id, email, NOW + 1, &count, &error));
	cr_expect_eq(fixture_number(fixture, of_all), NOW + 1);
}
