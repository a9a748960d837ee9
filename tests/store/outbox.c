/* SPDX-License-Identifier: MIT */
#include "store/outbox.h"

#include "tests/store/copies.h"

PLACE_SUITE(outbox);

Test(outbox, keeps_all_that_a_copy_says)
{
	struct store_outbox_entry copies[] = {copies_make(place, 'a', 1),
	    copies_make(place, 'b', COPY_RECIPIENTS)},
				  got[2];
	struct store_outbox_claim by = copies_claim_by("us", 7);
	guint count;

	copies[0].since = NOW - 5000;
	copies[1].workspace_id = place->other;
	MUST(store_outbox_insert(place->db, copies, 2, NOW, NULL, &error));
	MUST(copies_search(place->db, &by, 0, NOW, 2, got, &count, &error));
	cr_assert_eq(count, 2);
	for (guint i = 0; i < 2; i++) {
		const struct store_outbox_entry *want =
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

Test(outbox, finds_a_copy_by_its_token)
{
	struct store_outbox_claim by = {"us", 7, NOW};
	struct store_outbox_entry put_in = copies_make(place, 'a', 3), got;
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
	struct store_outbox_entry got;
	struct store_outbox_claim by = copies_claim_by("us", 1);
	guint count, kept;

	copies_put(place, 'a', NOW, NULL);
	MUST(copies_search(place->db, &by, 0, NOW, 1, &got, &count, &error));
	got.attempts = 3;
	got.delayed = NOW + 5;
	got.count = 1;
	got.recipients[0] = 149;
	MUST(store_outbox_end(
	    place->db, &by, &(struct store_outbox_end){&got, NOW + 60000}, 1, &kept, &error));
	cr_expect_eq(kept, 1);
	copies_expect(place, "too early", 2, 0, NOW + 59999, 5, "");
	MUST(copies_search(place->db, &by, 0, NOW + 60000, 1, &got, &count, &error));
	cr_assert_eq(count, 1);
	cr_expect_eq(got.attempts, 3);
	cr_expect_eq(got.delayed, NOW + 5);
	cr_expect_eq(got.count, 1);
	cr_expect_eq(got.recipients[0], 149);
	cr_expect(!got.lost);
}

Test(outbox, holds_a_copy_until_somebody_releases_it)
{
	struct store_outbox_entry got;
	struct store_outbox_claim by = copies_claim_by("us", 1);
	guint count, kept;

	copies_put(place, 'a', NOW, NULL);
	MUST(copies_search(place->db, &by, 0, NOW, 1, &got, &count, &error));
	MUST(store_outbox_end(
	    place->db, &by, &(struct store_outbox_end){&got, 0}, 1, &kept, &error));
	cr_expect_eq(kept, 1);
	copies_expect(place, "held", 2, 0, G_MAXINT64 / 2, 5, "");
	cr_expect_eq(place_number(place, "SELECT COUNT(*) FROM outbox WHERE ready_at IS NULL"), 1);
}

/* Whoever slept past the lease writes nothing any more, neither in the row of the new owner nor of
   none. */
Test(outbox, ignores_a_stale_token)
{
	struct store_outbox_claim first = copies_claim_by("first", 1),
				  second = copies_claim_by("second", 2);
	struct store_outbox_entry a, b;
	guint count, kept;
	const struct store_outbox_end ends[] = {{&a, NOW + 1}, {&b, 0}};

	copies_put(place, 'a', NOW, NULL);
	MUST(copies_search(place->db, &first, 0, NOW, 1, &a, &count, &error));
	copies_put(place, 'b', NOW, NULL);
	MUST(copies_search(place->db, &first, 0, NOW, 1, &b, &count, &error));
	b.count = 0;
	struct store_outbox_entry lost[2];
	second.until = NOW + 3 * LEASE;
	MUST(copies_search(place->db, &second, 0, NOW + LEASE, 2, lost, &count, &error));
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

Test(outbox, gives_back_what_nobody_has_claimed)
{
	struct base_id a = {{'a'}}, b = {{'b'}};
	struct store_outbox_claim by = copies_claim_by("us", 1);
	guint count;

	copies_put(place, 'a', NOW, NULL);
	copies_put(place, 'a', NOW, NULL);
	copies_put(place, 'b', NOW, &by);
	MUST(store_outbox_withdraw(place->db, &place->other, &a, &count, &error));
	cr_expect_eq(count, 0, "another workspace");
	MUST(store_outbox_withdraw(place->db, &place->workspace, &a, &count, &error));
	cr_expect_eq(count, 2);
	MUST(store_outbox_withdraw(place->db, &place->workspace, &b, &count, &error));
	cr_expect_eq(count, 0, "claimed");
	cr_expect_eq(place_number(place, "SELECT COUNT(*) FROM outbox"), 1);
}

Test(outbox, says_when_the_next_is_due)
{
	gint64 next;
	struct store_outbox_entry got;
	struct store_outbox_claim by = copies_claim_by("us", 1);
	guint count, kept;

	MUST(store_outbox_next(place->db, &next, &error));
	cr_expect_eq(next, 0);
	copies_put(place, 'b', NOW + 7, NULL);
	copies_put(place, 'a', NOW + 5, NULL);
	MUST(store_outbox_next(place->db, &next, &error));
	cr_expect_eq(next, NOW + 5);
	MUST(copies_search(place->db, &by, 0, NOW + 5, 1, &got, &count, &error));
	MUST(store_outbox_end(
	    place->db, &by, &(struct store_outbox_end){&got, 0}, 1, &kept, &error));
	MUST(store_outbox_next(place->db, &next, &error));
	cr_expect_eq(next, NOW + 7, "held ones are never due");
}
