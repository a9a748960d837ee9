/* SPDX-License-Identifier: MIT */
/* Tests how many rows go into one execution. */
#include <criterion/criterion.h>

#include "db/execute.h"
#include "db/value.h"

/* Rows of one value each, with data of these sizes. */
Test(batch, is_filled_up_to_its_size)
{
	static const struct {
		const char *name;
		gsize sizes[3]; /* of the rows' data */
		gsize want;
	} cases[] = {
	    {"small ones", {1, 1, 1}, 3},
	    {"one alone past the size", {2 * BATCH_SIZE, 1, 1}, 1},
	    {"the second past the size", {1, 2 * BATCH_SIZE, 1}, 1},
	    {"exactly the size", {1000, 1000, BATCH_SIZE - 2000 - 3 * 12 - 64}, 3},
	    {"one past the size", {1000, 1000, BATCH_SIZE - 2000 - 3 * 12 - 64 + 1}, 2},
	};
	g_autofree char *data = g_malloc0(2 * BATCH_SIZE);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct db_value values[3];
		for (gsize j = 0; j < 3; j++)
			values[j] = db_bytes(data, cases[i].sizes[j]);
		gsize got = db_batch_fill(values, 1, 3);
		cr_expect_eq(
		    got, cases[i].want, "%s: got %zu, want %zu", cases[i].name, got, cases[i].want);
		AUTO(db_batch) batch = db_batch_new(values, 1, got);
		cr_expect(got == 1 || batch->size <= BATCH_SIZE, "%s: %zu bytes", cases[i].name,
		    batch->size);
	}
}
