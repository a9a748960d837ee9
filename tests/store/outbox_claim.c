/* SPDX-License-Identifier: MIT */
/* Claims of outbox entries, and the list of waiting ones. */
#include <string.h>

#include "tests/store/emails.h"
#include "tests/store/outbox_entries.h"

FIXTURE_SUITE(outbox_claim);

Test(outbox_claim, gives_what_is_due_oldest_first)
{
	entry_put(fixture, 'd', NOW + 1, NULL);
	entry_put(fixture, 'c', NOW, NULL);
	entry_put(fixture, 'a', NOW - 2, NULL);
	entry_put(fixture, 'b', NOW - 1, NULL);
	entry_expect(fixture, "two at most", 1, 0, NOW, 2, "ab");
	entry_expect(fixture, "the rest of what is due", 2, 0, NOW, 2, "c");
	entry_expect(fixture, "nothing more", 3, 0, NOW, 2, "");
	entry_expect(fixture, "a moment later", 4, 0, NOW + 1, 2, "d");
}

Test(outbox_claim, gives_nothing_below_the_low_water_mark)
{
	entry_put(fixture, 'a', NOW - 3, NULL);
	entry_put(fixture, 'b', NOW - 2, NULL);
	entry_put(fixture, 'c', NOW - 1, NULL);
	entry_expect(fixture, "from there on", 1, NOW - 2, NOW, 1, "b");
	entry_expect(fixture, "past it", 2, NOW - 1, NOW, 5, "c");
	entry_expect(fixture, "below", 3, NOW - 2, NOW, 5, "");
	entry_expect(fixture, "from the beginning", 4, 0, NOW, 5, "a");
}

Test(outbox_claim, gives_a_claimed_entry_to_nobody_until_the_lease_ends)
{
	struct store_outbox_claim by = entry_claim_by("us", 1);

	entry_put(fixture, 'a', NOW, NULL);
	entry_put(fixture, 'b', 0, &by); /* claimed from the start */
	entry_expect(fixture, "at first", 2, 0, NOW, 5, "a");
	entry_expect(fixture, "before the end", 3, 0, NOW + LEASE - 1, 5, "");
	entry_expect(fixture, "at the end", 4, 0, NOW + LEASE, 1, "a");
	entry_expect(fixture, "the other", 5, 0, NOW + LEASE, 5, "b");
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

	entry_put(fixture, 'a', 0, &by);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct answer answer = {cases[i].takeover, ""};
		struct store_outbox_search search = {
		    0, NOW + LEASE + cases[i].after, 5, LEASE, entry_ask, &answer, NULL, false};
		g_autofree char *got = entry_claim_as(fixture->db, (gint64)i + 2, search);

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

	entry_put(fixture, 'a', 0, &by);
	g_free(entry_claim_as(fixture->db, 2,
	    (struct store_outbox_search){0, NOW, 5, LEASE, entry_ask, &doubt, NULL, false}));
	g_autofree char *got = entry_claim_as(fixture->db, 3,
	    (struct store_outbox_search){0, NOW + LEASE, 5, LEASE, entry_ask, &gone, NULL, false});
	cr_expect_str_eq(got, "a", "got %s", got);
}

/* An owner that was waited for, or doubted, comes back: the rows are still its own. */
Test(outbox_claim, leaves_a_claim_its_token_while_it_waits)
{
	static const enum store_outbox_takeover answers[] = {TAKEOVER_WAIT, TAKEOVER_DOUBT};

	for (gsize i = 0; i < G_N_ELEMENTS(answers); i++) {
		struct store_outbox_claim by = {"them", 10 + (gint64)i, NOW};
		struct answer answer = {answers[i], ""};
		struct store_outbox_key key = entry_put(fixture, 'a', 0, &by);
		struct store_outbox_entry entry;
		bool found;
		guint kept;

		g_free(entry_claim_as(fixture->db, 2,
		    (struct store_outbox_search){
			0, NOW, 5, LEASE, entry_ask, &answer, NULL, false}));
		MUST(store_outbox_find(
		    fixture->db, &key.email_id, &key.id, by.token, &entry, &found, &error));
		cr_expect(found, "answer %zu", i);
		entry.count = 0;
		MUST(store_outbox_end(fixture->db, &by, &(struct store_outbox_end){&entry, 0, NULL},
		    1, &kept, &error));
		cr_expect_eq(kept, 1, "answer %zu", i);
	}
}

Test(outbox_claim, renews_what_is_still_claimed)
{
	struct store_outbox_claim by = {"us", 1, NOW}, stale = {"us", 2, NOW + 5 * LEASE};
	struct store_outbox_key keys[] = {
	    entry_put(fixture, 'a', 0, &by), entry_put(fixture, 'b', 0, &by)};

	by.until = NOW + 2 * LEASE;
	MUST(store_outbox_renew(fixture->db, &by, keys, 1, &error));
	MUST(store_outbox_renew(fixture->db, &by, keys, 0, &error));
	MUST(store_outbox_renew(fixture->db, &stale, keys, 2, &error));
	entry_expect(fixture, "the one that was not", 3, 0, NOW + LEASE, 5, "b");
	entry_expect(fixture, "before its end", 4, 0, NOW + 2 * LEASE - 1, 5, "");
	entry_expect(fixture, "at its end", 5, 0, NOW + 2 * LEASE, 1, "a");
}

static void
put_bulk(char letter, gint64 ready_at)
{
	struct store_outbox_entry entry = entry_make(fixture, letter, 1);

	entry.is_bulk = true;
	MUST(store_outbox_insert(fixture->db, &entry, 1, ready_at, NULL, &error));
}

static void
expect_bulk(const char *name, gint64 token, gint64 now, const char *want)
{
	struct answer answer = {TAKEOVER_CLAIM, ""};
	struct store_outbox_search search = {0, now, 5, LEASE, entry_ask, &answer, NULL, true};
	g_autofree char *got = entry_claim_as(fixture->db, token, search);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

/* Entries of broadcasts stay apart when their claim has run out, too. */
Test(outbox_claim, gives_entries_of_broadcasts_apart)
{
	gint64 next;

	put_bulk('b', NOW - 5);
	put_bulk('c', NOW - 4);
	entry_put(fixture, 'a', NOW, NULL);
	MUST(store_outbox_next(fixture->db, &next, &error));
	cr_expect_eq(next, NOW - 5);
	entry_expect(fixture, "others", 1, 0, NOW, 5, "a");
	expect_bulk("of broadcasts", 2, NOW, "bc");
	entry_expect(fixture, "others, later", 3, 0, NOW + LEASE, 5, "a");
	expect_bulk("of broadcasts, later", 4, NOW + LEASE, "bc");
	MUST(store_outbox_next(fixture->db, &next, &error));
	cr_expect_eq(next, NOW + 2 * LEASE);
}

static gint64
lock_two(struct db *db)
{
	return test_db_number(db,
	    "SELECT COUNT(*) FROM (SELECT id FROM outbox FORCE INDEX (due) WHERE is_bulk = 0"
	    " AND due_at <= 1800000000000 ORDER BY due_at LIMIT 2 FOR UPDATE) locked");
}

/* Entries that another process is claiming are skipped, without a wait. */
Test(outbox_claim, is_shared_by_processes_without_waiting)
{
	struct db *other = fixture_impatient(fixture);

	for (int i = 0; i < 5; i++)
		entry_put(fixture, (char)('a' + i), NOW - 5 + i, NULL);
	test_db_plain(other, "START TRANSACTION");
	cr_assert_eq(lock_two(other), 2);
	entry_expect(fixture, "past the locked ones", 1, 0, NOW, 2, "cd");
	test_db_plain(other, "ROLLBACK");
	g_autofree char *got = entry_claim(other, 2, 0, NOW, 5);
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
outbox_claim_claim_all(gpointer data)
{
	struct worker *worker = data;
	struct db *db = test_db_open(fixture->settings);
	struct store_outbox_claim by = {"crowd", worker->token, NOW + LEASE};
	struct store_outbox_entry entries[7];
	guint count = 1;

	while (count > 0 && worker->faults == 0) {
		if (!entry_search(db, &by, 0, NOW, G_N_ELEMENTS(entries), entries, &count, NULL))
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
	AUTO(db_rows) rows = MUST_GIVE(db_select(fixture->db,
	    "SELECT COUNT(*) FROM outbox WHERE token = ?", DB_VALUES(db_int(token)), &error));

	db_rows_next(rows);
	return db_rows_int(rows, 0);
}

Test(outbox_claim, gives_each_entry_to_one_of_many_workers)
{
	struct worker workers[CROWD];
	GThread *threads[CROWD];
	guint total = 0;

	for (int i = 0; i < CROWD_COPIES; i++)
		entry_put(fixture, 'a', NOW - i, NULL);
	for (guint i = 0; i < CROWD; i++) {
		workers[i] = (struct worker){.token = i + 1};
		threads[i] = g_thread_new("worker", outbox_claim_claim_all, &workers[i]);
	}
	for (guint i = 0; i < CROWD; i++) {
		g_thread_join(threads[i]);
		cr_expect_eq(workers[i].faults, 0);
		cr_expect_eq(rows_with(i + 1), workers[i].claimed, "worker %u", i);
		total += workers[i].claimed;
	}
	cr_expect_eq(total, CROWD_COPIES, "got %u", total);
}

static void
claim_expect_cost(void)
{
	enum { MANY = 1000 };
	g_autofree struct store_outbox_entry *entries = g_new(struct store_outbox_entry, MANY);

	for (guint i = 0; i < MANY; i++)
		entries[i] = entry_make(fixture, 'a', 1);
	MUST(store_outbox_insert(fixture->db, entries, MANY / 2, NOW, NULL, &error));
	MUST(store_outbox_insert(
	    fixture->db, entries + MANY / 2, MANY / 2, NOW + 1000, NULL, &error));
	test_db_plain(fixture->db, "ANALYZE TABLE outbox");
	fixture_work(fixture);
	g_free(entry_claim(fixture->db, 1, 0, NOW, 10));
	struct fixture_work work = fixture_work(fixture);
	cr_expect_leq(work.read, 3 * 10 + 5, "read %d rows", (int)work.read);
	cr_expect_eq(work.sorted, 0);
	fixture_work(fixture);
	gint64 next;
	MUST(store_outbox_next(fixture->db, &next, &error));
	work = fixture_work(fixture);
	/* Ten are claimed, and passed over. */
	cr_expect_leq(work.read, 10 + 6, "read %d rows for the next", (int)work.read);
	fixture_work(fixture);
	g_free(entry_claim(fixture->db, 1, NOW, NOW, 10));
	work = fixture_work(fixture);
	cr_expect_leq(work.read, 10 + 3 * 10 + 5, "read %d rows", (int)work.read);
}

Test(outbox_claim, looks_at_no_more_than_it_gives)
{
	claim_expect_cost();
}

/* Until the last step of "schema migrate --finish" is taken, the primary key is the id alone. */
Test(outbox_claim, looks_at_no_more_with_the_key_of_before)
{
	test_db_outbox_of_before(fixture->db);
	claim_expect_cost();
}

#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

/* An entry of a new email to these addresses, for the recipients with these numbers. */
static struct base_id
outbox_claim_put(
    const struct base_id *workspace, const char *const *to, const char *numbers, gint64 ready_at)
{
	struct store_outbox_entry entry = entry_make(fixture, 'x', 0);

	entry.email_id = email_send(fixture, workspace, to);
	entry.workspace_id = *workspace;
	for (; *numbers; numbers++)
		entry.recipients[entry.count++] = (guint16)(*numbers - '0');
	MUST(store_outbox_insert(fixture->db, &entry, 1, ready_at, NULL, &error));
	return entry.email_id;
}

static void
outbox_claim_delay(const struct base_id *email, guint recipient, gint64 time, const char *response,
    const char *code)
{
	struct store_event event = {.workspace_id = fixture->workspace,
	    .email_id = *email,
	    .recipient = recipient,
	    .status = EVENT_DELAYED,
	    .timestamp = time,
	    .smtp_response = response,
	    .enhanced_code = code};

	MUST(store_event_insert(fixture->db, &event, 1, &error));
}

/* Each as "workspace +ready attempts recipients: reason", in lines. */
static char *
outbox_claim_print(const GPtrArray *waiting)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < waiting->len; i++) {
		const struct store_outbox_waiting *one = waiting->pdata[i];

		g_string_append_printf(text, "%s %+d%s %u", one->workspace,
		    one->ready_at ? (int)(one->ready_at - NOW) : -1, one->claimed ? "!" : "",
		    one->attempts);
		for (guint r = 0; r < one->recipients->len; r++)
			g_string_append_printf(text, " %s", (char *)one->recipients->pdata[r]);
		g_string_append_printf(text, ": %s\n", one->reason ? one->reason : "-");
		cr_expect_eq(one->since, NOW);
	}
	return g_string_free(text, FALSE);
}

static char *
outbox_claim_list(guint limit)
{
	g_autoptr(GPtrArray) waiting =
	    MUST_GIVE(store_outbox_list_waiting(fixture->db, limit, &error));

	return outbox_claim_print(waiting);
}

Test(outbox_claim, is_listed_with_the_last_reason)
{
	static const char all[] = "other -9 0 c@x.org: -\n"
				  "one +0 0 a@x.org b@x.org: 452 later\n"
				  "one +5 2 e@x.org: 4.4.1\n";
	struct store_outbox_claim by = entry_claim_by("us", 9);

	g_autofree char *nothing = outbox_claim_list(9);
	cr_expect_str_eq(nothing, "");
	struct base_id late =
	    outbox_claim_put(&fixture->workspace, TO("d@x.org", "e@x.org"), "1", NOW + 5);
	struct base_id due = outbox_claim_put(
	    &fixture->workspace, TO("a@x.org", "b@x.org", "gone@x.org"), "01", NOW);
	outbox_claim_put(&fixture->other, TO("c@x.org"), "0", NOW - 9);
	entry_put(fixture, 'c', 0, &by);
	entry_put(fixture, 'h', NOW, NULL);
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = NULL WHERE email_id LIKE 'h%'");
	test_db_plain(fixture->db, "UPDATE outbox SET attempts = 2 WHERE ready_at = 1800000000005");
	outbox_claim_delay(&due, 0, NOW - 1, "452 later", "4.2.2");
	outbox_claim_delay(&due, 1, NOW - 2, "451 before", NULL);
	outbox_claim_delay(&due, 2, NOW, "450 of another", NULL);
	outbox_claim_delay(&late, 1, NOW, NULL, "4.4.1");
	g_autofree char *got = outbox_claim_list(9), *first = outbox_claim_list(1);
	cr_expect_str_eq(got, all, "got\n%s", got);
	cr_expect_str_eq(first, "other -9 0 c@x.org: -\n", "got\n%s", first);
}

/* However long the queue, only the shown rows are read: entry, workspace, recipient and event. */
Test(outbox_claim, costs_what_it_shows)
{
	const guint shown = 5;

	outbox_claim_put(&fixture->workspace, TO("a@x.org"), "0", NOW);
	test_db_plain(fixture->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT UNHEX(LPAD(HEX(seq), 32, '0')), workspace_id, email_id, recipients, attempts,"
	    " since, ready_at + seq FROM outbox, seq_1_to_2000");
	test_db_plain(fixture->db, "ANALYZE TABLE outbox, email, recipient, event");
	g_free(outbox_claim_list(shown)); /* the first call prepares the statements */
	fixture_work(fixture);
	g_free(outbox_claim_list(shown));
	struct fixture_work work = fixture_work(fixture);
	cr_expect_leq(work.read, 12 * shown, "read %d rows", (int)work.read);
	cr_expect_leq(work.sorted, 2 * shown, "sorted %d rows", (int)work.sorted);
}

static char *
outbox_claim_list_of(const struct base_id *workspace, const struct base_id *email)
{
	g_autoptr(GPtrArray) entries =
	    MUST_GIVE(store_outbox_list_of(fixture->db, workspace, email, &error));

	return outbox_claim_print(entries);
}

/* In every state: held, claimed, waiting. */
Test(outbox_claim, is_told_of_one_email)
{
	struct base_id email = outbox_claim_put(
	    &fixture->workspace, TO("a@x.org", "b@x.org", "c@x.org"), "0", NOW + 5);
	struct store_outbox_claim by = entry_claim_by("us", 9);
	struct store_outbox_entry entry = entry_make(fixture, 'x', 1);

	outbox_claim_put(&fixture->workspace, TO("d@x.org"), "0", NOW);
	entry.email_id = email;
	entry.recipients[0] = 1;
	MUST(store_outbox_insert(fixture->db, &entry, 1, 0, &by, &error));
	entry.id = base_id_new();
	entry.recipients[0] = 2;
	MUST(store_outbox_insert(fixture->db, &entry, 1, NOW - 1, NULL, &error));
	test_db_plain(
	    fixture->db, "UPDATE outbox SET ready_at = NULL WHERE ready_at = 1799999999999");
	g_autofree char *got = outbox_claim_list_of(&fixture->workspace, &email);
	cr_expect_str_eq(got,
	    "one -1 0 c@x.org: -\none +5 0 a@x.org: -\none +600000! 0 b@x.org: -\n", "got\n%s",
	    got);
	g_autofree char *theirs = outbox_claim_list_of(&fixture->other, &email);
	cr_expect_str_eq(theirs, "");
}
