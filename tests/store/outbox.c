/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "store/outbox/outbox.h"
#include "tests/store/emails.h"
#include "store/outbox/relay_copy.h"
#include "tests/store/outbox_entries.h"

FIXTURE_SUITE(outbox);

Test(outbox, keeps_all_that_an_entry_says)
{
	struct store_outbox_entry entries[] = {entry_make(fixture, 'a', 1),
	    entry_make(fixture, 'b', OUTBOX_ENTRY_RECIPIENTS)},
				  got[2];
	struct store_outbox_claim by = entry_claim_by("us", 7);
	guint count;

	entries[0].since = NOW - 5000;
	entries[1].workspace_id = fixture->other;
	MUST(store_outbox_insert(fixture->db, entries, 2, NOW, NULL, &error));
	MUST(entry_search(fixture->db, &by, 0, NOW, 2, got, &count, &error));
	cr_assert_eq(count, 2);
	for (guint i = 0; i < 2; i++) {
		const struct store_outbox_entry *want =
		    base_id_equal(&got[i].id, &entries[0].id) ? &entries[0] : &entries[1];

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

Test(outbox, finds_an_entry_by_its_token)
{
	struct store_outbox_claim by = {"us", 7, NOW};
	struct store_outbox_entry put_in = entry_make(fixture, 'a', 3), got;
	bool found;

	MUST(store_outbox_insert(fixture->db, &put_in, 1, 0, &by, &error));
	MUST(store_outbox_find(fixture->db, &put_in.email_id, &put_in.id, 7, &got, &found, &error));
	cr_assert(found);
	cr_expect_eq(got.count, 3);
	cr_expect(base_id_equal(&got.email_id, &put_in.email_id));
	MUST(store_outbox_find(fixture->db, &put_in.email_id, &put_in.id, 8, &got, &found, &error));
	cr_expect(!found, "another token");
	MUST(store_outbox_find(
	    fixture->db, &put_in.email_id, &put_in.email_id, 7, &got, &found, &error));
	cr_expect(!found, "another id");
	MUST(store_outbox_find(fixture->db, &put_in.id, &put_in.id, 7, &got, &found, &error));
	cr_expect(!found, "another email");
	MUST(store_outbox_find(fixture->db, NULL, &put_in.id, 7, &got, &found, &error));
	cr_expect(found, "an email that is not known");
}

Test(outbox, forgets_who_had_a_entry_that_was_put_back)
{
	struct store_outbox_entry got;
	struct store_outbox_claim by = entry_claim_by("us", 1);
	guint count, kept;

	entry_put(fixture, 'a', NOW, NULL);
	MUST(entry_search(fixture->db, &by, 0, NOW, 1, &got, &count, &error));
	got.attempts = 3;
	got.delayed = NOW + 5;
	got.count = 1;
	got.recipients[0] = 149;
	MUST(store_outbox_end(fixture->db, &by, &(struct store_outbox_end){&got, NOW + 60000, NULL},
	    1, &kept, &error));
	cr_expect_eq(kept, 1);
	entry_expect(fixture, "too early", 2, 0, NOW + 59999, 5, "");
	MUST(entry_search(fixture->db, &by, 0, NOW + 60000, 1, &got, &count, &error));
	cr_assert_eq(count, 1);
	cr_expect_eq(got.attempts, 3);
	cr_expect_eq(got.delayed, NOW + 5);
	cr_expect_eq(got.count, 1);
	cr_expect_eq(got.recipients[0], 149);
	cr_expect(!got.lost);
}

Test(outbox, holds_an_entry_until_somebody_releases_it)
{
	struct store_outbox_entry got;
	struct store_outbox_claim by = entry_claim_by("us", 1);
	guint count, kept;

	entry_put(fixture, 'a', NOW, NULL);
	MUST(entry_search(fixture->db, &by, 0, NOW, 1, &got, &count, &error));
	MUST(store_outbox_end(
	    fixture->db, &by, &(struct store_outbox_end){&got, 0, NULL}, 1, &kept, &error));
	cr_expect_eq(kept, 1);
	entry_expect(fixture, "held", 2, 0, G_MAXINT64 / 2, 5, "");
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM outbox WHERE ready_at IS NULL"), 1);
}

/* A process that slept past its lease writes nothing, neither in the new owner's row nor in a
   released one. */
Test(outbox, ignores_a_stale_token)
{
	struct store_outbox_claim first = entry_claim_by("first", 1),
				  second = entry_claim_by("second", 2);
	struct store_outbox_entry a, b;
	guint count, kept;
	const struct store_outbox_end ends[] = {{&a, NOW + 1, NULL}, {&b, 0, NULL}};

	entry_put(fixture, 'a', NOW, NULL);
	MUST(entry_search(fixture->db, &first, 0, NOW, 1, &a, &count, &error));
	entry_put(fixture, 'b', NOW, NULL);
	MUST(entry_search(fixture->db, &first, 0, NOW, 1, &b, &count, &error));
	b.count = 0;
	struct store_outbox_entry lost[2];
	second.until = NOW + 3 * LEASE;
	MUST(entry_search(fixture->db, &second, 0, NOW + LEASE, 2, lost, &count, &error));
	cr_assert_eq(count, 2);
	MUST(store_outbox_end(fixture->db, &first, ends, 2, &kept, &error));
	cr_expect_eq(kept, 0, "got %u", kept);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM outbox WHERE token = 2"), 2);
	MUST(store_outbox_end(fixture->db, &second, ends, 2, &kept, &error));
	cr_expect_eq(kept, 2, "got %u", kept);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM outbox"), 1);
	MUST(store_outbox_end(fixture->db, &second, ends, 2, &kept, &error));
	cr_expect_eq(kept, 0, "got %u", kept);
	MUST(store_outbox_end(fixture->db, &second, ends, 0, &kept, &error));
	cr_expect_eq(kept, 0);
}

/* One statement removes 50 entries. */
Test(outbox, removes_many_at_once)
{
	struct store_outbox_claim first = entry_claim_by("first", 1),
				  second = entry_claim_by("second", 2);

	for (guint total = 50; total <= 51; total++) {
		struct store_outbox_entry entries[52];
		struct store_outbox_end ends[52];
		guint count, kept;

		for (guint i = 0; i < 52; i++)
			entry_put(fixture, 'a', NOW, NULL);
		MUST(entry_search(fixture->db, &first, 0, NOW, total, entries, &count, &error));
		cr_assert_eq(count, total);
		MUST(entry_search(
		    fixture->db, &second, 0, NOW, 52 - total, entries + total, &count, &error));
		for (guint i = 0; i < 52; i++) {
			entries[i].count = 0;
			ends[i] = (struct store_outbox_end){&entries[i], 0, NULL};
		}
		MUST(store_outbox_end(fixture->db, &first, ends, total, &kept, &error));
		cr_expect_eq(kept, total, "%u: got %u", total, kept);
		cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM outbox"), 52 - total);
		MUST(store_outbox_end(fixture->db, &second, ends, 52, &kept, &error));
		cr_expect_eq(kept, 52 - total, "%u: got %u", total, kept);
	}
}

Test(outbox, says_when_the_next_is_due)
{
	gint64 next;
	struct store_outbox_entry got;
	struct store_outbox_claim by = entry_claim_by("us", 1);
	guint count, kept;

	MUST(store_outbox_next(fixture->db, &next, &error));
	cr_expect_eq(next, 0);
	entry_put(fixture, 'b', NOW + 7, NULL);
	entry_put(fixture, 'a', NOW + 5, NULL);
	MUST(store_outbox_next(fixture->db, &next, &error));
	cr_expect_eq(next, NOW + 5);
	MUST(entry_search(fixture->db, &by, 0, NOW + 5, 1, &got, &count, &error));
	MUST(store_outbox_end(
	    fixture->db, &by, &(struct store_outbox_end){&got, 0, NULL}, 1, &kept, &error));
	MUST(store_outbox_next(fixture->db, &next, &error));
	cr_expect_eq(next, NOW + 7, "held ones are never due");
}

/* One entry of each state, each of an email of its own: due, later, retried, claimed, held. */
static void
outbox_put_all(void)
{
	struct store_outbox_claim by = entry_claim_by("us", 9);

	entry_put(fixture, 'd', NOW, NULL);
	entry_put(fixture, 'l', NOW + 5, NULL);
	entry_put(fixture, 'r', NOW + 5, NULL);
	entry_put(fixture, 'c', 0, &by);
	entry_put(fixture, 'h', NOW, NULL);
	test_db_plain(fixture->db, "UPDATE outbox SET attempts = 1 WHERE email_id LIKE 'r%'");
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = NULL WHERE email_id LIKE 'h%'");
	test_db_plain(
	    fixture->db, "UPDATE outbox SET since = 1800000000005 WHERE email_id LIKE 'l%'");
}

static void
print_held(const struct store_outbox_entry *entry, void *letters)
{
	g_string_append_c(letters, (char)entry->email_id.bytes[0]);
}

static char *
held(const struct base_id *workspace)
{
	GString *letters = g_string_new(NULL);

	MUST(store_outbox_list_held(fixture->db, workspace, print_held, letters, &error));
	return g_string_free(letters, FALSE);
}

Test(outbox, obeys_its_operator)
{
	static const struct {
		const char *name, *hold, *release, *hasten;
	} want = {"the letters whose entries each may change", "dlrh", "h", "r"};
	static const char letters[] = "dlrch";

	for (const char *letter = letters; *letter; letter++) {
		struct base_id email = {{(guint8)*letter}};
		guint held_count, released, hastened, theirs;

		test_db_plain(fixture->db, "DELETE FROM outbox");
		outbox_put_all();
		MUST(store_outbox_hasten(
		    fixture->db, &fixture->workspace, &email, NOW, &hastened, &error));
		cr_expect_eq(hastened, strchr(want.hasten, *letter) ? 1 : 0, "hasten %c", *letter);
		MUST(store_outbox_release(
		    fixture->db, &fixture->workspace, &email, NOW, &released, &error));
		cr_expect_eq(
		    released, strchr(want.release, *letter) ? 1 : 0, "release %c", *letter);
		MUST(store_outbox_hold(
		    fixture->db, &fixture->workspace, &email, &held_count, &error));
		cr_expect_eq(held_count, strchr(want.hold, *letter) ? 1 : 0, "hold %c", *letter);
		MUST(store_outbox_hold(fixture->db, &fixture->other, &email, &theirs, &error));
		cr_expect_eq(theirs, 0, "another workspace, %c", *letter);
	}
}

Test(outbox, lets_go_what_was_held)
{
	struct base_id email = {{'h'}};
	guint count;

	outbox_put_all();
	g_autofree char *before = held(&fixture->workspace), *theirs = held(&fixture->other);
	cr_expect_str_eq(before, "h", "got %s", before);
	cr_expect_str_eq(theirs, "");
	MUST(store_outbox_release(fixture->db, &fixture->workspace, &email, NOW, &count, &error));
	g_autofree char *after = held(&fixture->workspace);
	cr_expect_str_eq(after, "", "got %s", after);
	email.bytes[0] = 'd';
	MUST(store_outbox_hold(fixture->db, &fixture->workspace, &email, &count, &error));
	entry_expect(fixture, "what is due", 1, 0, NOW, 5, "h");
}

/* An operator's release does not send a scheduled email early. */
Test(outbox, keeps_what_is_scheduled_until_then)
{
	static const struct {
		const char *name;
		gint64 scheduled_at, want;
	} cases[] = {
	    {"not scheduled", 0, NOW},
	    {"it was due meanwhile", NOW - 1, NOW},
	    {"its time has not come", NOW + 1, NOW + 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(store_email) email =
		    email_new(&fixture->workspace, (const char *const[]){"ada@x.org", NULL});
		guint count;

		email->scheduled_at = cases[i].scheduled_at;
		email_store(fixture, email);
		test_db_plain(fixture->db, "DELETE FROM outbox");
		entry_put(fixture, 'h', NOW, NULL);
		test_db_plain(
		    fixture->db, "UPDATE outbox SET email_id = (SELECT MAX(id) FROM email)");
		MUST(store_outbox_hold(
		    fixture->db, &fixture->workspace, &email->id, &count, &error));
		MUST(store_outbox_release(
		    fixture->db, &fixture->workspace, &email->id, NOW, &count, &error));
		cr_expect_eq(count, 1, "%s", cases[i].name);
		cr_expect_eq(test_db_number(fixture->db, "SELECT ready_at FROM outbox"),
		    cases[i].want, "%s", cases[i].name);
	}
}

Test(outbox, counts_its_copies)
{
	struct store_outbox_counts counts;

	MUST(store_outbox_count(fixture->db, NOW, &counts, &error));
	cr_expect_eq(counts.due + counts.later + counts.claimed + counts.held + counts.oldest, 0);
	outbox_put_all();
	MUST(store_outbox_count(fixture->db, NOW, &counts, &error));
	cr_expect_eq(counts.due, 1, "got %d due", (int)counts.due);
	cr_expect_eq(counts.later, 2, "got %d later", (int)counts.later);
	cr_expect_eq(counts.claimed, 1, "got %d claimed", (int)counts.claimed);
	cr_expect_eq(counts.held, 1, "got %d held", (int)counts.held);
	cr_expect_eq(counts.oldest, NOW);
}

#define EACH 60

/* Entries of emails of their own, in front of many others. */
static void
outbox_fill(struct store_outbox_entry *entries, const struct store_outbox_claim *by)
{
	for (guint i = 0; i < EACH; i++) {
		entries[i] = entry_make(fixture, 'a', 1);
		entries[i].email_id = base_id_new();
	}
	MUST(store_outbox_insert(fixture->db, entries, EACH, 0, by, &error));
	/* The first look at a table reads its statistics. */
	fixture_number(fixture, "SELECT COUNT(*) FROM email, recipient, event, workspace");
	test_db_plain(fixture->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT UNHEX(MD5(seq)), UNHEX(MD5(0)), UNHEX(MD5(-seq)), X'0000', 0, 1, 1"
	    " FROM seq_1_to_2000");
	test_db_plain(fixture->db, "ANALYZE TABLE outbox");
	fixture_work(fixture);
}

static void
outbox_expect_read(const char *name, gint64 most)
{
	struct fixture_work work = fixture_work(fixture);

	cr_expect_leq(work.read, most, "%s: read %d rows", name, (int)work.read);
}

static void
outbox_expect_cost(void)
{
	struct store_outbox_claim by = {"us", 7, NOW};
	struct store_outbox_entry entries[EACH], got;
	struct store_outbox_key keys[EACH];
	struct store_outbox_end ends[EACH];
	guint count;
	bool found;

	outbox_fill(entries, &by);
	for (guint i = 0; i < EACH; i++) {
		keys[i] = (struct store_outbox_key){entries[i].email_id, entries[i].id};
		ends[i] = (struct store_outbox_end){&entries[i], NOW + 9, NULL};
		entries[i].count = i < 3;
	}
	MUST(store_outbox_renew(fixture->db, &by, keys, EACH, &error));
	outbox_expect_read("renewed", 2 * EACH);
	MUST(store_outbox_permit(fixture->db, &by, keys, EACH, 1, &error));
	outbox_expect_read("permitted", 2 * EACH);
	MUST(store_outbox_find(
	    fixture->db, &keys[1].email_id, &keys[1].id, 7, &got, &found, &error));
	cr_expect(found);
	outbox_expect_read("found", 2);
	MUST(store_outbox_end(fixture->db, &by, ends, EACH, &count, &error));
	cr_expect_eq(count, EACH, "%u of them were ended", count);
	outbox_expect_read("ended", 3 * EACH);
	MUST(
	    store_outbox_hold(fixture->db, &fixture->workspace, &keys[1].email_id, &count, &error));
	outbox_expect_read("held", 4);
	MUST(store_outbox_release(
	    fixture->db, &fixture->workspace, &keys[1].email_id, NOW, &count, &error));
	cr_expect_eq(count, 1, "%u of them were released", count);
	outbox_expect_read("released", 6);
	g_ptr_array_unref(
	    store_outbox_list_of(fixture->db, &fixture->workspace, &keys[1].email_id, NULL));
	outbox_expect_read("listed", 10);
}

Test(outbox, reads_no_more_than_it_finds)
{
	outbox_expect_cost();
}

/* Until the last step of "schema migrate --finish" is taken, the primary key is the id alone. */
Test(outbox, reads_no_more_with_the_key_of_before)
{
	test_db_outbox_of_before(fixture->db);
	outbox_expect_cost();
}

static void
outbox_expect_coming(
    const char *name, const struct base_id *email, const struct base_id *id, gint64 now, bool want)
{
	g_autoptr(GPtrArray) emails = g_ptr_array_new(), copies = g_ptr_array_new();
	bool got;

	if (email)
		g_ptr_array_add(emails, (gpointer)email);
	if (id)
		g_ptr_array_add(copies, (gpointer)id);
	MUST(store_relay_copy_is_coming(fixture->db, emails, copies, now, &got, &error));
	cr_expect_eq(got, want, "%s", name);
}

static void
outbox_expect_all_coming(void)
{
	struct store_outbox_claim by = {"us", 7, NOW + LEASE};
	struct store_outbox_entry entries[EACH], waiting = entry_make(fixture, 'w', 1);
	const struct base_id *email = &entries[2].email_id, *id = &entries[2].id;

	outbox_fill(entries, &by);
	MUST(store_outbox_insert(fixture->db, &waiting, 1, NOW, NULL, &error));
	fixture_work(fixture);
	outbox_expect_coming("nothing", NULL, NULL, NOW, false);
	outbox_expect_coming("an email", email, NULL, NOW, true);
	outbox_expect_read("an email", 4);
	outbox_expect_coming("an entry", NULL, id, NOW, true);
	outbox_expect_coming("one of both", &waiting.email_id, id, NOW, true);
	outbox_expect_coming("after the lease", email, id, NOW + LEASE, false);
	outbox_expect_coming("one that waits", &waiting.email_id, &waiting.id, NOW, false);
	outbox_expect_coming("another", id, email, NOW, false);
}

/* Behind so many that are due, an entry may be under way that is not looked at. */
Test(outbox, takes_copies_for_coming_where_many_are_due)
{
	struct store_outbox_claim by = {"us", 7, NOW + LEASE};
	struct store_outbox_entry entries[EACH];
	const struct base_id unknown = base_id_new();

	outbox_fill(entries, &by);
	test_db_plain(fixture->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT LPAD(seq, 16, 'i'), '', LPAD(seq, 16, 'e'), '', 0, 1, 1 FROM seq_1_to_5000");
	outbox_expect_coming("unknown", NULL, &unknown, NOW, false);
	outbox_expect_coming("known", NULL, &entries[2].id, NOW, true);
	test_db_plain(fixture->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT LPAD(seq, 16, 'i'), '', LPAD(seq, 16, 'e'), '', 0, 1, 1"
	    " FROM seq_5001_to_10500");
	outbox_expect_coming("unknown, behind many", NULL, &unknown, NOW, true);
	outbox_expect_coming("known, behind many", NULL, &entries[2].id, NOW, true);
}

Test(outbox, tells_which_copies_are_coming)
{
	outbox_expect_all_coming();
}

Test(outbox, tells_which_copies_are_coming_with_the_key_of_before)
{
	test_db_outbox_of_before(fixture->db);
	outbox_expect_all_coming();
}
