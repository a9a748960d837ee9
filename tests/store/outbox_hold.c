/* SPDX-License-Identifier: MIT */
/* What an operator sees of the outbox, and does with it. */
#include <string.h>

#include "tests/store/copies.h"
#include "tests/store/letters.h"

PLACE_SUITE(outbox_hold);

/* One copy of each state, each of an email of its own: due, later, retried, claimed, held. */
static void
put_all(void)
{
	struct store_outbox_claim by = copies_claim_by("us", 9);

	copies_put(place, 'd', NOW, NULL);
	copies_put(place, 'l', NOW + 5, NULL);
	copies_put(place, 'r', NOW + 5, NULL);
	copies_put(place, 'c', 0, &by);
	copies_put(place, 'h', NOW, NULL);
	test_db_plain(place->db, "UPDATE outbox SET attempts = 1 WHERE email_id LIKE 'r%'");
	test_db_plain(place->db, "UPDATE outbox SET ready_at = NULL WHERE email_id LIKE 'h%'");
	test_db_plain(
	    place->db, "UPDATE outbox SET since = 1800000000005 WHERE email_id LIKE 'l%'");
}

static void
print_held(const struct store_outbox_entry *copy, void *letters)
{
	g_string_append_c(letters, (char)copy->email_id.bytes[0]);
}

static char *
held(const struct base_id *workspace)
{
	GString *letters = g_string_new(NULL);

	MUST(store_outbox_list_held(place->db, workspace, print_held, letters, &error));
	return g_string_free(letters, FALSE);
}

Test(outbox_hold, obeys_its_operator)
{
	static const struct {
		const char *name, *hold, *release, *hasten;
	} want = {"the letters whose copies each may change", "dlrh", "h", "r"};
	static const char letters[] = "dlrch";

	for (const char *letter = letters; *letter; letter++) {
		struct base_id email = {{(guint8)*letter}};
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

Test(outbox_hold, lets_go_what_was_held)
{
	struct base_id email = {{'h'}};
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
	copies_expect(place, "what is due", 1, 0, NOW, 5, "h");
}

/* An operator's release is not what the sender asked for. */
Test(outbox_hold, keeps_what_is_scheduled_until_then)
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
		AUTO(store_email)
		email = letter_new(&place->workspace, (const char *const[]){"ada@x.org", NULL});
		guint count;

		email->scheduled_at = cases[i].scheduled_at;
		letter_store(place, email);
		test_db_plain(place->db, "DELETE FROM outbox");
		copies_put(place, 'h', NOW, NULL);
		test_db_plain(
		    place->db, "UPDATE outbox SET email_id = (SELECT MAX(id) FROM email)");
		MUST(store_outbox_hold(place->db, &place->workspace, &email->id, &count, &error));
		MUST(store_outbox_release(
		    place->db, &place->workspace, &email->id, NOW, &count, &error));
		cr_expect_eq(count, 1, "%s", cases[i].name);
		cr_expect_eq(test_db_number(place->db, "SELECT ready_at FROM outbox"),
		    cases[i].want, "%s", cases[i].name);
	}
}

Test(outbox_hold, counts_its_copies)
{
	struct store_outbox_counts counts;

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
