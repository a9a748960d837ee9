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

GArray *
db_block_values(const struct db *db)
{
	GArray *values = g_array_new(FALSE, FALSE, sizeof(struct db_value));

	if (db->guard)
		g_array_append_vals(values, db->guard->values, (guint)db->guard->count);
	return values;
}

const char *
db_block_text(struct db *db, const char *const *statements, gsize count, bool begins, bool commits)
{
	GString *text = g_string_new("BEGIN NOT ATOMIC ");
	gpointer kept;

	if (db->guard)
		g_string_append_printf(text, "%s; ", db->guard->sql);
	if (begins)
		g_string_append(text, "START TRANSACTION; ");
	for (gsize i = 0; i < count; i++)
		g_string_append_printf(text, "%s; ", statements[i]);
	g_string_append(text, commits ? "COMMIT; END" : "END");
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
