/* SPDX-License-Identifier: MIT */
/* Reads all addresses for which facts hold. */
#include "segment/roll.h"

#include "db/rows.h"
#include "store/cohort.h"

#define BATCH 20000

struct segment_roll {
	GHashTable *facts; /* address to the bits of its facts */
	GStringChunk *texts;
};

static struct segment_roll *
new_roll(void)
{
	struct segment_roll *roll = g_new0(struct segment_roll, 1);

	roll->facts = g_hash_table_new(g_str_hash, g_str_equal);
	roll->texts = g_string_chunk_new(64 * 1024);
	return roll;
}

void
segment_roll_free(struct segment_roll *roll)
{
	g_hash_table_unref(roll->facts);
	g_string_chunk_free(roll->texts);
	g_free(roll);
}

guint32
segment_roll_find(const struct segment_roll *roll, const char *address)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(roll->facts, address));
}

/* Notes that a fact holds. Returns the roll's own copy of the address. */
static const char *
note(struct segment_roll *roll, const char *address, guint32 bit)
{
	gpointer own, bits;

	if (!g_hash_table_lookup_extended(roll->facts, address, &own, &bits)) {
		own = g_string_chunk_insert(roll->texts, address);
		bits = NULL;
	}
	g_hash_table_insert(roll->facts, own, GUINT_TO_POINTER(GPOINTER_TO_UINT(bits) | bit));
	return own;
}

/* Reads who holds a fact, until there are more than most addresses. */
static bool
read_fact(struct segment_roll *roll, struct db *db, const struct base_id *workspace,
    const struct store_cohort_fact *fact, guint32 bit, guint most, GError **error)
{
	const char *after = "";
	guint count = BATCH;

	while (count == BATCH && g_hash_table_size(roll->facts) <= most) {
		AUTO(db_rows)
		rows = store_cohort_holders(db, workspace, fact, after, BATCH, error);

		if (!rows)
			return false;
		for (count = 0; db_rows_next(rows); count++)
			after = note(roll, db_rows_text(rows, DB_ROWS_ONLY), bit);
	}
	return true;
}

struct segment_roll *
segment_roll_read(struct db *db, const struct base_id *workspace,
    const struct store_cohort_fact *facts, guint count, guint most, bool *full_r, GError **error)
{
	AUTO(segment_roll) roll = new_roll();

	*full_r = false;
	for (guint i = 0; i < count; i++)
		if (!read_fact(roll, db, workspace, &facts[i], 1u << i, most, error))
			return NULL;
	*full_r = g_hash_table_size(roll->facts) > most;
	return *full_r ? NULL : g_steal_pointer(&roll);
}
