#include "store/outbox.h"

#include <string.h>

#include "db/connection.h"
#include "tests/store/place.h"

#define NOW 1800000000000
#define LEASE 600000

PLACE_SUITE(outbox);

/* A copy whose email is known by a letter. */
static struct copy
make(char letter, guint recipients)
{
	struct copy copy = {.id = base_id_new(),
	    .workspace_id = place->workspace,
	    .email_id = {{(guint8)letter}},
	    .count = recipients,
	    .since = NOW};

	for (guint i = 0; i < recipients; i++)
		copy.recipients[i] = (guint16)(i * 300);
	return copy;
}

static struct id
put(char letter, gint64 ready_at, const struct claim *claim)
{
	struct copy copy = make(letter, 1);

	MUST(store_outbox_insert(place->db, &copy, 1, ready_at, claim, &error));
	return copy.id;
}

static struct claim
claim_by(const char *owner, gint64 token)
{
	return (struct claim){owner, token, NOW + LEASE};
}

/* What is said of owners whose claims have run out: the context points to it. asked notes whom. */
struct answer {
	enum takeover takeover;
	char asked[64];
};

static enum takeover
ask(const char *owner, void *context)
{
	struct answer *answer = context;

	g_strlcat(answer->asked, owner, sizeof(answer->asked));
	return answer->takeover;
}

static bool
search_due(struct db *db, const struct claim *by, gint64 low, gint64 now, guint limit,
    struct copy *copies, guint *count_r, GError **error)
{
	struct answer answer = {TAKEOVER_CLAIM, ""};
	struct search search = {low, now, limit, LEASE, ask, &answer};

	return store_outbox_claim(db, by, &search, copies, count_r, error);
}

/* Claims, and gives the letters of what was claimed, with ! behind what was lost. */
static char *
claim_as(struct db *db, gint64 token, struct search search)
{
	struct claim by = {"us", token, search.now + LEASE};
	struct copy copies[10];
	guint count;
	GString *letters = g_string_new(NULL);

	MUST(store_outbox_claim(db, &by, &search, copies, &count, &error));
	for (guint i = 0; i < count; i++)
		g_string_append_printf(
		    letters, "%c%s", copies[i].email_id.bytes[0], copies[i].lost ? "!" : "");
	return g_string_free(letters, FALSE);
}

static char *
claim(struct db *db, gint64 token, gint64 low, gint64 now, guint limit)
{
	struct answer answer = {TAKEOVER_CLAIM, ""};

	return claim_as(db, token, (struct search){low, now, limit, LEASE, ask, &answer});
}

static void
expect_claim(const char *name, gint64 token, gint64 low, gint64 now, guint limit, const char *want)
{
	g_autofree char *got = claim(place->db, token, low, now, limit);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

Test(outbox, gives_what_is_due_oldest_first)
{
	put('d', NOW + 1, NULL);
	put('c', NOW, NULL);
	put('a', NOW - 2, NULL);
	put('b', NOW - 1, NULL);
	expect_claim("two at most", 1, 0, NOW, 2, "ab");
	expect_claim("the rest of what is due", 2, 0, NOW, 2, "c");
	expect_claim("nothing more", 3, 0, NOW, 2, "");
	expect_claim("a moment later", 4, 0, NOW + 1, 2, "d");
}

Test(outbox, gives_nothing_below_the_low_water_mark)
{
	put('a', NOW - 3, NULL);
	put('b', NOW - 2, NULL);
	put('c', NOW - 1, NULL);
	expect_claim("from there on", 1, NOW - 2, NOW, 1, "b");
	expect_claim("past it", 2, NOW - 1, NOW, 5, "c");
	expect_claim("below", 3, NOW - 2, NOW, 5, "");
	expect_claim("from the beginning", 4, 0, NOW, 5, "a");
}

Test(outbox, keeps_all_that_a_copy_says)
{
	struct copy copies[] = {make('a', 1), make('b', COPY_RECIPIENTS)}, got[2];
	struct claim by = claim_by("us", 7);
	guint count;

	copies[0].since = NOW - 5000;
	copies[1].workspace_id = place->other;
	MUST(store_outbox_insert(place->db, copies, 2, NOW, NULL, &error));
	MUST(search_due(place->db, &by, 0, NOW, 2, got, &count, &error));
	cr_assert_eq(count, 2);
	for (guint i = 0; i < 2; i++) {
		const struct copy *want =
		    base_id_equal(&got[i].id, &copies[0].id) ? &copies[0] : &copies[1];

		cr_expect(base_id_equal(&got[i].id, &want->id));
		cr_expect(base_id_equal(&got[i].workspace_id, &want->workspace_id));
		cr_expect(base_id_equal(&got[i].email_id, &want->email_id));
		cr_assert_eq(got[i].count, want->count);
		cr_expect_arr_eq(
		    got[i].recipients, want->recipients, want->count * sizeof(guint16));
		cr_expect_eq(got[i].since, want->since);
		cr_expect_eq(got[i].attempts, 0);
		cr_expect_eq(got[i].delayed, 0);
		cr_expect(!got[i].lost);
	}
}

Test(outbox, gives_a_claimed_copy_to_nobody_until_the_lease_ends)
{
	struct claim by = claim_by("us", 1);

	put('a', NOW, NULL);
	put('b', 0, &by); /* claimed from the start */
	expect_claim("at first", 2, 0, NOW, 5, "a");
	expect_claim("before the end", 3, 0, NOW + LEASE - 1, 5, "");
	expect_claim("at the end", 4, 0, NOW + LEASE, 1, "a");
	expect_claim("the other", 5, 0, NOW + LEASE, 5, "b");
}

Test(outbox, asks_what_became_of_an_owner)
{
	static const struct {
		const char *name;
		gint64 after; /* the lease */
		enum takeover takeover;
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
	struct claim by = {"them", 1, NOW + LEASE};

	put('a', 0, &by);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct answer answer = {cases[i].takeover, ""};
		struct search search = {0, NOW + LEASE + cases[i].after, 5, LEASE, ask, &answer};
		g_autofree char *got = claim_as(place->db, (gint64)i + 2, search);

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
		cr_expect_str_eq(
		    answer.asked, cases[i].asked, "%s: asked %s", cases[i].name, answer.asked);
	}
}

Test(outbox, takes_over_from_a_doubted_owner_that_is_known_to_be_gone)
{
	struct claim by = {"them", 1, NOW};
	struct answer doubt = {TAKEOVER_DOUBT, ""}, gone = {TAKEOVER_CLAIM, ""};

	put('a', 0, &by);
	g_free(claim_as(place->db, 2, (struct search){0, NOW, 5, LEASE, ask, &doubt}));
	g_autofree char *got =
	    claim_as(place->db, 3, (struct search){0, NOW + LEASE, 5, LEASE, ask, &gone});
	cr_expect_str_eq(got, "a", "got %s", got);
}

/* An owner that was put off, or doubted, comes back: the rows are still its own. */
Test(outbox, leaves_a_claim_its_token_while_it_waits)
{
	static const enum takeover answers[] = {TAKEOVER_WAIT, TAKEOVER_DOUBT};

	for (gsize i = 0; i < G_N_ELEMENTS(answers); i++) {
		struct claim by = {"them", 10 + (gint64)i, NOW};
		struct answer answer = {answers[i], ""};
		struct id id = put('a', 0, &by);
		struct copy copy;
		bool found;
		guint kept;

		g_free(claim_as(place->db, 2, (struct search){0, NOW, 5, LEASE, ask, &answer}));
		MUST(store_outbox_find(place->db, &id, by.token, &copy, &found, &error));
		cr_expect(found, "answer %zu", i);
		copy.count = 0;
		MUST(store_outbox_end(
		    place->db, &by, &(struct copy_end){&copy, 0}, 1, &kept, &error));
		cr_expect_eq(kept, 1, "answer %zu", i);
	}
}

Test(outbox, renews_what_is_still_claimed)
{
	struct claim by = {"us", 1, NOW}, stale = {"us", 2, NOW + 5 * LEASE};
	struct id ids[] = {put('a', 0, &by), put('b', 0, &by)};

	by.until = NOW + 2 * LEASE;
	MUST(store_outbox_renew(place->db, &by, ids, 1, &error));
	MUST(store_outbox_renew(place->db, &by, ids, 0, &error));
	MUST(store_outbox_renew(place->db, &stale, ids, 2, &error));
	expect_claim("the one that was not", 3, 0, NOW + LEASE, 5, "b");
	expect_claim("before its end", 4, NOW + LEASE + 1, NOW + 2 * LEASE - 1, 5, "");
	expect_claim("at its end", 5, NOW + LEASE + 1, NOW + 2 * LEASE, 1, "a");
}

Test(outbox, finds_a_copy_by_its_token)
{
	struct claim by = {"us", 7, NOW};
	struct copy put_in = make('a', 3), got;
	bool found;

	MUST(store_outbox_insert(place->db, &put_in, 1, 0, &by, &error));
	MUST(store_outbox_find(place->db, &put_in.id, 7, &got, &found, &error));
	cr_assert(found);
	cr_expect_eq(got.count, 3);
	cr_expect(base_id_equal(&got.email_id, &put_in.email_id));
	MUST(store_outbox_find(place->db, &put_in.id, 8, &got, &found, &error));
	cr_expect(!found, "another token");
	MUST(store_outbox_find(place->db, &put_in.email_id, 7, &got, &found, &error));
	cr_expect(!found, "another id");
}

Test(outbox, forgets_who_had_a_copy_that_was_put_back)
{
	struct copy got;
	struct claim by = claim_by("us", 1);
	guint count, kept;

	put('a', NOW, NULL);
	MUST(search_due(place->db, &by, 0, NOW, 1, &got, &count, &error));
	got.attempts = 3;
	got.delayed = NOW + 5;
	got.count = 1;
	got.recipients[0] = 149;
	MUST(store_outbox_end(
	    place->db, &by, &(struct copy_end){&got, NOW + 60000}, 1, &kept, &error));
	cr_expect_eq(kept, 1);
	expect_claim("too early", 2, 0, NOW + 59999, 5, "");
	MUST(search_due(place->db, &by, 0, NOW + 60000, 1, &got, &count, &error));
	cr_assert_eq(count, 1);
	cr_expect_eq(got.attempts, 3);
	cr_expect_eq(got.delayed, NOW + 5);
	cr_expect_eq(got.count, 1);
	cr_expect_eq(got.recipients[0], 149);
	cr_expect(!got.lost);
}

Test(outbox, holds_a_copy_until_somebody_releases_it)
{
	struct copy got;
	struct claim by = claim_by("us", 1);
	guint count, kept;

	put('a', NOW, NULL);
	MUST(search_due(place->db, &by, 0, NOW, 1, &got, &count, &error));
	MUST(store_outbox_end(place->db, &by, &(struct copy_end){&got, 0}, 1, &kept, &error));
	cr_expect_eq(kept, 1);
	expect_claim("held", 2, 0, G_MAXINT64 / 2, 5, "");
	cr_expect_eq(place_number(place, "SELECT COUNT(*) FROM outbox WHERE ready_at IS NULL"), 1);
}

/* Whoever slept past the lease writes nothing any more, neither in the row of the new owner nor of
   none. */
Test(outbox, ignores_a_stale_token)
{
	struct claim first = claim_by("first", 1), second = claim_by("second", 2);
	struct copy a, b;
	guint count, kept;
	const struct copy_end ends[] = {{&a, NOW + 1}, {&b, 0}};

	put('a', NOW, NULL);
	MUST(search_due(place->db, &first, 0, NOW, 1, &a, &count, &error));
	put('b', NOW, NULL);
	MUST(search_due(place->db, &first, 0, NOW, 1, &b, &count, &error));
	b.count = 0;
	struct copy lost[2];
	second.until = NOW + 3 * LEASE;
	MUST(search_due(place->db, &second, 0, NOW + LEASE, 2, lost, &count, &error));
	cr_assert_eq(count, 2);
	MUST(store_outbox_end(place->db, &first, ends, 2, &kept, &error));
	cr_expect_eq(kept, 0, "got %u", kept);
	cr_expect_eq(place_number(place, "SELECT COUNT(*) FROM outbox WHERE token = 2"), 2);
	MUST(store_outbox_end(place->db, &second, ends, 2, &kept, &error));
	cr_expect_eq(kept, 2, "got %u", kept);
	cr_expect_eq(place_number(place, "SELECT COUNT(*) FROM outbox"), 1);
	MUST(store_outbox_end(place->db, &second, ends, 2, &kept, &error));
	cr_expect_eq(kept, 0, "got %u", kept);
	MUST(store_outbox_end(place->db, &second, ends, 0, &kept, &error));
	cr_expect_eq(kept, 0);
}

static gint64
lock_two(struct db *db)
{
	return test_db_number(db,
	    "SELECT COUNT(*) FROM (SELECT id FROM outbox WHERE ready_at <= 1800000000000"
	    " ORDER BY ready_at LIMIT 2 FOR UPDATE) locked");
}

/* What another process is about to claim is passed over, not waited for. */
Test(outbox, is_shared_by_processes_without_waiting)
{
	struct db *other = place_impatient(place);

	for (int i = 0; i < 5; i++)
		put((char)('a' + i), NOW - 5 + i, NULL);
	test_db_plain(other, "START TRANSACTION");
	cr_assert_eq(lock_two(other), 2);
	expect_claim("past the locked ones", 1, 0, NOW, 2, "cd");
	test_db_plain(other, "ROLLBACK");
	g_autofree char *got = claim(other, 2, 0, NOW, 5);
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
	struct claim by = {"crowd", worker->token, NOW + LEASE};
	struct copy copies[7];
	guint count = 1;

	while (count > 0 && worker->faults == 0) {
		if (!search_due(db, &by, 0, NOW, G_N_ELEMENTS(copies), copies, &count, NULL))
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

Test(outbox, gives_each_copy_to_one_of_many_workers)
{
	struct worker workers[CROWD];
	GThread *threads[CROWD];
	guint total = 0;

	for (int i = 0; i < CROWD_COPIES; i++)
		put('a', NOW - i, NULL);
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

Test(outbox, gives_back_what_nobody_has_claimed)
{
	struct id a = {{'a'}}, b = {{'b'}};
	struct claim by = claim_by("us", 1);
	guint count;

	put('a', NOW, NULL);
	put('a', NOW, NULL);
	put('b', NOW, &by);
	MUST(store_outbox_withdraw(place->db, &place->other, &a, &count, &error));
	cr_expect_eq(count, 0, "another workspace");
	MUST(store_outbox_withdraw(place->db, &place->workspace, &a, &count, &error));
	cr_expect_eq(count, 2);
	MUST(store_outbox_withdraw(place->db, &place->workspace, &b, &count, &error));
	cr_expect_eq(count, 0, "claimed");
	cr_expect_eq(place_number(place, "SELECT COUNT(*) FROM outbox"), 1);
}

/* One copy of each state, each of an email of its own: due, later, retried, claimed, held. */
static void
put_all(void)
{
	struct claim by = claim_by("us", 9);

	put('d', NOW, NULL);
	put('l', NOW + 5, NULL);
	put('r', NOW + 5, NULL);
	put('c', 0, &by);
	put('h', NOW, NULL);
	test_db_plain(place->db, "UPDATE outbox SET attempts = 1 WHERE email_id LIKE 'r%'");
	test_db_plain(place->db, "UPDATE outbox SET ready_at = NULL WHERE email_id LIKE 'h%'");
	test_db_plain(
	    place->db, "UPDATE outbox SET since = 1800000000005 WHERE email_id LIKE 'l%'");
}

static void
print_held(const struct copy *copy, void *letters)
{
	g_string_append_c(letters, (char)copy->email_id.bytes[0]);
}

static char *
held(const struct id *workspace)
{
	GString *letters = g_string_new(NULL);

	MUST(store_outbox_list_held(place->db, workspace, print_held, letters, &error));
	return g_string_free(letters, FALSE);
}

Test(outbox, obeys_its_operator)
{
	static const struct {
		const char *name, *hold, *release, *hasten;
	} want = {"the letters whose copies each may change", "dlrh", "h", "r"};
	static const char letters[] = "dlrch";

	for (const char *letter = letters; *letter; letter++) {
		struct id email = {{(guint8)*letter}};
		guint held_count, released, hastened, theirs;

		test_db_plain(place->db, "DELETE FROM outbox");
		put_all();
		MUST(store_outbox_hasten(
		    place->db, &place->workspace, &email, NOW, &hastened, &error));
		cr_expect_eq(hastened, strchr(want.hasten, *letter) ? 1 : 0, "hasten %c", *letter);
		MUST(store_outbox_release(
		    place->db, &place->workspace, &email, NOW, &released, &error));
		cr_expect_eq(
		    released, strchr(want.release, *letter) ? 1 : 0, "release %c", *letter);
		MUST(store_outbox_hold(place->db, &place->workspace, &email, &held_count, &error));
		cr_expect_eq(held_count, strchr(want.hold, *letter) ? 1 : 0, "hold %c", *letter);
		MUST(store_outbox_hold(place->db, &place->other, &email, &theirs, &error));
		cr_expect_eq(theirs, 0, "another workspace, %c", *letter);
	}
}

Test(outbox, lets_go_what_was_held)
{
	struct id email = {{'h'}};
	guint count;

	put_all();
	g_autofree char *before = held(&place->workspace), *theirs = held(&place->other);
	cr_expect_str_eq(before, "h", "got %s", before);
	cr_expect_str_eq(theirs, "");
	MUST(store_outbox_release(place->db, &place->workspace, &email, NOW, &count, &error));
	g_autofree char *after = held(&place->workspace);
	cr_expect_str_eq(after, "", "got %s", after);
	email.bytes[0] = 'd';
	MUST(store_outbox_hold(place->db, &place->workspace, &email, &count, &error));
	expect_claim("what is due", 1, 0, NOW, 5, "h");
}

Test(outbox, counts_its_copies)
{
	struct outbox_counts counts;

	MUST(store_outbox_count(place->db, NOW, &counts, &error));
	cr_expect_eq(counts.due + counts.later + counts.claimed + counts.held + counts.oldest, 0);
	put_all();
	MUST(store_outbox_count(place->db, NOW, &counts, &error));
	cr_expect_eq(counts.due, 1, "got %d due", (int)counts.due);
	cr_expect_eq(counts.later, 2, "got %d later", (int)counts.later);
	cr_expect_eq(counts.claimed, 1, "got %d claimed", (int)counts.claimed);
	cr_expect_eq(counts.held, 1, "got %d held", (int)counts.held);
	cr_expect_eq(counts.oldest, NOW);
}

Test(outbox, says_when_the_next_is_due)
{
	gint64 next;
	struct copy got;
	struct claim by = claim_by("us", 1);
	guint count, kept;

	MUST(store_outbox_next(place->db, &next, &error));
	cr_expect_eq(next, 0);
	put('b', NOW + 7, NULL);
	put('a', NOW + 5, NULL);
	MUST(store_outbox_next(place->db, &next, &error));
	cr_expect_eq(next, NOW + 5);
	MUST(search_due(place->db, &by, 0, NOW + 5, 1, &got, &count, &error));
	MUST(store_outbox_end(place->db, &by, &(struct copy_end){&got, 0}, 1, &kept, &error));
	MUST(store_outbox_next(place->db, &next, &error));
	cr_expect_eq(next, NOW + 7, "held ones are never due");
}

Test(outbox, looks_at_no_more_than_it_gives)
{
	enum { MANY = 1000 };
	g_autofree struct copy *copies = g_new(struct copy, MANY);

	for (guint i = 0; i < MANY; i++)
		copies[i] = make('a', 1);
	MUST(store_outbox_insert(place->db, copies, MANY / 2, NOW, NULL, &error));
	MUST(store_outbox_insert(place->db, copies + MANY / 2, MANY / 2, NOW + 1000, NULL, &error));
	test_db_plain(place->db, "ANALYZE TABLE outbox");
	place_work(place);
	g_free(claim(place->db, 1, 0, NOW, 10));
	struct place_work work = place_work(place);
	cr_expect_leq(work.read, 3 * 10 + 5, "read %d rows", (int)work.read);
	cr_expect_eq(work.sorted, 0);
	place_work(place);
	gint64 next;
	MUST(store_outbox_next(place->db, &next, &error));
	work = place_work(place);
	cr_expect_leq(work.read, 3, "read %d rows for the next", (int)work.read);
}
