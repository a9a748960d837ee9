/* SPDX-License-Identifier: MIT */
/* Several statements as one: MariaDB's compound statement outside a stored program. */
#include "db/block.h"

#include "db/handle.h"
#include "db/kept.h"

#define TEXTS_MAX 256 /* of a connection, for the server limits the statements that it prepares */

/* Those in use are soon there again; telling which they are would cost more. */
static void
forget_all(struct db *db)
{
	GHashTableIter texts;
	gpointer text;

	g_hash_table_iter_init(&texts, db->blocks);
	while (g_hash_table_iter_next(&texts, &text, NULL))
		g_hash_table_remove(db->statements, text);
	g_hash_table_remove_all(db->blocks);
}

static void
add(GString *text, GArray *values, const struct db_query *query)
{
	g_string_append_printf(text, "%s; ", query->sql);
	g_array_append_vals(values, query->values, (guint)query->count);
}

/* The text is consumed. */
static const char *
keep(struct db *db, GString *text)
{
	gpointer kept;

	if (g_hash_table_lookup_extended(db->blocks, text->str, &kept, NULL)) {
		g_string_free(text, TRUE);
		return kept;
	}
	if (g_hash_table_size(db->blocks) >= TEXTS_MAX)
		forget_all(db);
	kept = g_string_free(text, FALSE);
	g_hash_table_add(db->blocks, kept);
	return kept;
}

const char *
db_block_build(
    struct db *db, const struct db_query *queries, gsize count, enum db_block parts, GArray *values)
{
	if (count == 1 && parts == 0 && !db->guard) {
		g_array_append_vals(values, queries->values, (guint)queries->count);
		return queries->sql;
	}
	GString *text = g_string_new("BEGIN NOT ATOMIC ");
	if (db->guard)
		add(text, values, &db->guard->query);
	if (parts & DB_BLOCK_BEGINS)
		g_string_append(text, "START TRANSACTION; ");
	for (gsize i = 0; i < count; i++)
		add(text, values, &queries[i]);
	g_string_append(text, parts & DB_BLOCK_COMMITS ? "COMMIT; END" : "END");
	return keep(db, text);
}
