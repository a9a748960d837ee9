/* SPDX-License-Identifier: MIT */
/* Reads all addresses for which facts hold. */
#include "segment/fact_set.h"

#include <string.h>

#include "base/clock.h"
#include "db/rows.h"
#include "store/person/people_scan.h"

#define BATCH 20000

struct segment_fact_set {
	GHashTable *addresses; /* a set of those that have facts */
	GStringChunk *texts;   /* each address, with the bits of its facts behind its NUL */
	GString *next;	       /* what is added to texts */
};

static struct segment_fact_set *
new_roll(void)
{
	struct segment_fact_set *roll = g_new0(struct segment_fact_set, 1);

	roll->addresses = g_hash_table_new(g_str_hash, g_str_equal);
	roll->texts = g_string_chunk_new(64 * 1024);
	roll->next = g_string_new(NULL);
	return roll;
}

void
segment_fact_set_free(struct segment_fact_set *roll)
{
	g_hash_table_unref(roll->addresses);
	g_string_chunk_free(roll->texts);
	g_string_free(roll->next, TRUE);
	g_free(roll);
}

/* The bits of the facts of an address in the roll. */
static guint32
bits_of(const char *address)
{
	guint32 bits;

	memcpy(&bits, address + strlen(address) + 1, sizeof(bits));
	return bits;
}

guint32
segment_fact_set_find(const struct segment_fact_set *roll, const char *address)
{
	const char *own = g_hash_table_lookup(roll->addresses, address);

	return own ? bits_of(own) : 0;
}

/* Adds an address without facts. Returns the roll's own copy. */
static char *
fact_set_add(struct segment_fact_set *roll, const char *address, gsize size)
{
	static const guint32 none;

	g_string_truncate(roll->next, 0);
	g_string_append_len(roll->next, address, (gssize)size);
	g_string_append_len(roll->next, (const char *)&none, sizeof(none));
	char *own =
	    g_string_chunk_insert_len(roll->texts, roll->next->str, (gssize)roll->next->len);
	g_hash_table_add(roll->addresses, own);
	return own;
}

/* Notes that a fact holds. Returns the roll's own copy of the address. */
static const char *
fact_set_note(struct segment_fact_set *roll, const char *address, guint32 bit)
{
	gsize size = strlen(address) + 1;
	char *own = g_hash_table_lookup(roll->addresses, address);

	if (!own)
		own = fact_set_add(roll, address, size);
	guint32 bits = bits_of(own) | bit;
	memcpy(own + size, &bits, sizeof(bits));
	return own;
}

static bool
fact_set_is_full(const struct segment_fact_set *roll, const struct segment_fact_set_plan *plan)
{
	return g_hash_table_size(roll->addresses) > plan->most ||
	       (plan->deadline > 0 && base_clock_boot_ns() >= plan->deadline);
}

/* Reads who holds the fact with this number, until the roll is full. */
static bool
read_fact(struct segment_fact_set *roll, struct db *db, const struct base_id *workspace,
    const struct segment_fact_set_plan *plan, guint number, GError **error)
{
	const char *after = "";
	guint count = BATCH;

	while (count == BATCH && !fact_set_is_full(roll, plan)) {
		AUTO(db_rows)
		rows = store_people_scan_holders(
		    db, workspace, &plan->facts[number], after, BATCH, error);

		if (!rows)
			return false;
		for (count = 0; db_rows_next(rows); count++)
			after = fact_set_note(roll, db_rows_text(rows, DB_ROWS_ONLY), 1u << number);
	}
	return true;
}

struct segment_fact_set *
segment_fact_set_read(struct db *db, const struct base_id *workspace,
    const struct segment_fact_set_plan *plan, bool *full_r, GError **error)
{
	AUTO(segment_fact_set) roll = new_roll();

	*full_r = false;
	for (guint i = 0; i < plan->count; i++)
		if (!read_fact(roll, db, workspace, plan, i, error))
			return NULL;
	*full_r = fact_set_is_full(roll, plan);
	return *full_r ? NULL : g_steal_pointer(&roll);
}
