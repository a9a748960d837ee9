/* SPDX-License-Identifier: MIT */
/* Builds compound statements (MariaDB: BEGIN NOT ATOMIC, outside stored programs). */
#include "db/compound.h"

#include <string.h>

#include "db/guard.h"
#include "db/handle.h"

gsize
db_query_copy_size(const struct db_value *values, gsize count)
{
	gsize size = 0;

	for (gsize i = 0; i < count; i++)
		size += values[i].data ? values[i].size : 0;
	return size;
}

struct db_query_copy *
db_query_copy_new(const char *sql, const struct db_value *values, gsize count)
{
	gsize size = count * sizeof(*values);
	struct db_query_copy *copy =
	    g_malloc(sizeof(*copy) + size + db_query_copy_size(values, count) + 1);
	char *data = (char *)(copy->values + count);

	copy->query = (struct db_query){sql, copy->values, count};
	for (gsize i = 0; i < count; i++) {
		struct db_value *value = &copy->values[i];

		*value = values[i];
		if (!value->data)
			continue;
		value->data = data;
		data = mempcpy(data, values[i].data, value->size);
	}
	return copy;
}

/* For each connection: the server limits prepared statements, and each question mark takes 112
   bytes here. */
#define TEXTS_MAX 128
#define MARKS_MAX 4096

/* What is known of a text. */
struct use {
	gsize marks;
	guint64 last; /* the number of its last use */
};

/* Forgets the text that has not been used for the longest time. */
static void
forget_oldest(struct db *db)
{
	const struct use *oldest = NULL;
	const char *oldest_text = NULL;
	GHashTableIter texts;
	gpointer text, value;

	g_hash_table_iter_init(&texts, db->compounds);
	while (g_hash_table_iter_next(&texts, &text, &value)) {
		const struct use *use = value;

		if (oldest && oldest->last < use->last)
			continue;
		oldest = use;
		oldest_text = text;
	}
	db->compound_marks -= oldest->marks;
	g_hash_table_remove(db->statements, oldest_text);
	g_hash_table_remove(db->compounds, oldest_text);
}

static gsize
count_marks(const char *text, gsize size)
{
	gsize count = 0;

	for (gsize i = 0; i < size; i++)
		count += text[i] == '?';
	return count;
}

static bool
has_rows(const struct db_query *query)
{
	return query->count > count_marks(query->sql, strlen(query->sql));
}

#define LIST " VALUES ("

/* The list of values of an INSERT, with its parentheses; NULL when it has none. */
static const char *
find_list(const char *sql, gsize *size_r)
{
	const char *list = g_str_has_prefix(sql, "INSERT ") ? strstr(sql, LIST) : NULL;
	guint depth = 0;

	if (!list)
		return NULL;
	list += strlen(LIST) - 1;
	for (const char *p = list; *p; p++) {
		depth += *p == '(';
		if (*p == ')' && --depth == 0) {
			*size_r = (gsize)(p + 1 - list);
			return list;
		}
	}
	return NULL;
}

bool
db_compound_takes_rows(const char *sql)
{
	gsize size;
	const char *list = find_list(sql, &size);

	return list && count_marks(list, size) == count_marks(sql, strlen(sql));
}

/* Appends the statement of a query, which may have the values of several rows. */
static void
add_statement(GString *text, const struct db_query *query)
{
	gsize marks = count_marks(query->sql, strlen(query->sql)), size;
	const char *list = has_rows(query) ? find_list(query->sql, &size) : NULL;

	if (!list) {
		g_string_append(text, query->sql);
		return;
	}
	g_string_append_len(text, query->sql, list - query->sql);
	for (gsize row = 0; row < query->count / marks; row++) {
		g_string_append(text, row > 0 ? ", " : "");
		g_string_append_len(text, list, (gssize)size);
	}
	g_string_append(text, list + size);
}

static void
add(GString *text, GArray *values, const struct db_query *query, const char *before,
    const char *after)
{
	g_string_append(text, before);
	add_statement(text, query);
	g_string_append(text, after);
	g_array_append_vals(values, query->values, (guint)query->count);
}

/* The same text as db keeps it. Takes over text. */
static const char *
keep(struct db *db, GString *text)
{
	gpointer kept, known;

	db->compound_uses++;
	if (g_hash_table_lookup_extended(db->compounds, text->str, &kept, &known)) {
		((struct use *)known)->last = db->compound_uses;
		g_string_free(text, TRUE);
		return kept;
	}
	struct use use = {count_marks(text->str, text->len), db->compound_uses};
	while (g_hash_table_size(db->compounds) >= TEXTS_MAX ||
	       (db->compound_marks > 0 && db->compound_marks + use.marks > MARKS_MAX))
		forget_oldest(db);
	db->compound_marks += use.marks;
	kept = g_string_free(text, FALSE);
	g_hash_table_insert(db->compounds, kept, g_memdup2(&use, sizeof(use)));
	return kept;
}

const char *
db_compound_build(struct db *db, const struct db_query *queries, gsize count,
    enum db_compound parts, GArray *values)
{
	if (count == 1 && parts == 0 && !db->guard && !has_rows(queries)) {
		g_array_append_vals(values, queries->values, (guint)queries->count);
		return queries->sql;
	}
	GString *text = g_string_new("BEGIN NOT ATOMIC ");
	if (db->guard)
		add(text, values, &db->guard->query, "IF NOT ",
		    " THEN SIGNAL SQLSTATE '" DB_SQLSTATE_DENIED "'; END IF; ");
	if (parts & DB_COMPOUND_BEGINS)
		g_string_append(text, "START TRANSACTION; ");
	for (gsize i = 0; i < count; i++)
		add(text, values, &queries[i], "", "; ");
	g_string_append(text, parts & DB_COMPOUND_COMMITS ? "COMMIT; END" : "END");
	return keep(db, text);
}

#define SELECT "SELECT "

const char *
db_compound_column(struct db *db, const struct db_query *query, GArray *values)
{
	const struct db_query rest = {query->sql + strlen(SELECT), query->values, query->count};

	if (!g_str_has_prefix(query->sql, SELECT) || g_str_has_prefix(rest.sql, "DISTINCT ") ||
	    strstr(rest.sql, " UNION "))
		return NULL;
	GString *text = g_string_new(SELECT);
	add(text, values, &db->guard->query, "", ", ");
	add(text, values, &rest, "", "");
	return keep(db, text);
}

#define FROM " FROM "
#define WHERE " WHERE "

/* The word behind text, outside parentheses. */
static const char *
find_word(const char *text, const char *word)
{
	guint depth = 0;

	for (; *text; text++) {
		if (depth == 0 && g_str_has_prefix(text, word))
			return text;
		depth += *text == '(';
		depth -= *text == ')';
	}
	return NULL;
}

const char *
db_compound_join(struct db *db, const struct db_query *query, GArray *values)
{
	const struct db_guard_form *form = db->guard_form;

	if (!form->table)
		return NULL;
	const char *from = find_word(query->sql, FROM);
	const char *where = from ? find_word(from, WHERE) : NULL;
	g_assert(where && count_marks(query->sql, (gsize)(where - query->sql)) == 0);
	GString *text = g_string_new_len(query->sql, from - query->sql);
	g_string_append_printf(text, FROM "%s JOIN ", form->table);
	from += strlen(FROM);
	g_string_append_len(text, from, where - from);
	g_string_append_printf(text, WHERE "%s AND %s", form->row, where + strlen(WHERE));
	g_array_append_vals(values, db->guard->values, (guint)db->guard->query.count);
	g_array_append_vals(values, query->values, (guint)query->count);
	return keep(db, text);
}
