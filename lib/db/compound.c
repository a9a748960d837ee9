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
	copy->when = (struct db_when){0};
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

/* The texts that are kept for each connection, those used last: the server limits prepared
   statements, and the client library takes memory for each of them and for each question mark. */
#define BYTES_MAX (640 * 1024) /* at most 63 texts */
#define STATEMENT_BYTES (10 * 1024)
#define MARK_BYTES 112

struct kept {
	char *text;
	gsize size;	    /* bytes, with those of its prepared statement */
	GList link;	    /* in the order of use */
	const char *joined; /* a text of db_compound_join: the SELECT, and the guard; else NULL */
	const char *row;    /* the condition of the guard */
};

struct db_texts {
	GHashTable *table; /* text -> struct kept */
	GHashTable *joins; /* address of a SELECT -> struct kept */
	GQueue order;	   /* of struct kept, the one used last in front */
	gsize size;
};

static void
free_kept(void *data)
{
	struct kept *kept = data;

	g_free(kept->text);
	g_free(kept);
}

struct db_texts *
db_texts_new(void)
{
	struct db_texts *texts = g_new0(struct db_texts, 1);

	texts->table = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_kept);
	texts->joins = g_hash_table_new(NULL, NULL);
	return texts;
}

void
db_texts_free(struct db_texts *texts)
{
	g_hash_table_unref(texts->joins);
	g_hash_table_unref(texts->table);
	g_free(texts);
}

static void
forget_oldest(struct db *db)
{
	struct kept *oldest = g_queue_peek_tail(&db->on->texts->order);

	g_queue_unlink(&db->on->texts->order, &oldest->link);
	db->on->texts->size -= oldest->size;
	g_hash_table_remove(db->on->statements, oldest->text);
	if (oldest->joined)
		g_hash_table_remove(db->on->texts->joins, oldest->joined);
	g_hash_table_remove(db->on->texts->table, oldest->text);
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
compound_add(GString *text, GArray *values, const struct db_query *query, const char *before,
    const char *after)
{
	g_string_append(text, before);
	add_statement(text, query);
	g_string_append(text, after);
	g_array_append_vals(values, query->values, (guint)query->count);
}

static bool
compound_is_same_fact(const struct db_query *fact, const struct db_query *other)
{
	bool same = fact->sql == other->sql && fact->count == other->count;

	for (gsize i = 0; same && i < fact->count; i++)
		same = db_value_equal(&fact->values[i], &other->values[i]);
	return same;
}

/* Appends the queries. A fact is asked for where the first query stands that needs it, and again
   only after another one. */
static void
compound_add_all(GString *text, GArray *values, const struct db_compound *compound)
{
	static const struct db_query none = {0};
	const struct db_query *known = &none;

	for (gsize i = 0; i < compound->count; i++) {
		const struct db_when *when = compound->whens ? &compound->whens[i] : NULL;

		if (!when || !when->fact.sql) {
			compound_add(text, values, &compound->queries[i], "", "; ");
			continue;
		}
		if (!compound_is_same_fact(&when->fact, known))
			compound_add(text, values, &when->fact, "", " INTO fact; ");
		known = &when->fact;
		g_string_append_printf(text, "IF fact & %u THEN ", when->mask);
		compound_add(text, values, &compound->queries[i], "", "; END IF; ");
	}
}

/* Whether a query depends on a fact. */
static bool
has_facts(const struct db_compound *compound)
{
	for (gsize i = 0; compound->whens && i < compound->count; i++)
		if (compound->whens[i].fact.sql)
			return true;
	return false;
}

static struct kept *
use(struct db_texts *texts, struct kept *kept)
{
	g_queue_unlink(&texts->order, &kept->link);
	g_queue_push_head_link(&texts->order, &kept->link);
	return kept;
}

/* The same text as db keeps it. Takes over text. */
static struct kept *
compound_keep(struct db *db, GString *text)
{
	struct db_texts *texts = db->on->texts;
	struct kept *kept = g_hash_table_lookup(texts->table, text->str);

	if (kept) {
		g_string_free(text, TRUE);
		return use(texts, kept);
	}
	gsize size = STATEMENT_BYTES + text->len + count_marks(text->str, text->len) * MARK_BYTES;
	while (texts->order.length > 0 && texts->size + size > BYTES_MAX)
		forget_oldest(db);
	kept = g_new0(struct kept, 1);
	/* A copy leaves out the room that the text had to grow, often as much again. */
	kept->text = g_strndup(text->str, text->len);
	g_string_free(text, TRUE);
	kept->size = size;
	kept->link.data = kept;
	g_queue_push_head_link(&texts->order, &kept->link);
	texts->size += size;
	g_hash_table_insert(texts->table, kept->text, kept);
	return kept;
}

const char *
db_compound_build(
    struct db *db, const struct db_guard *guard, const struct db_compound *compound, GArray *values)
{
	const struct db_query *queries = compound->queries;
	enum db_compound_parts parts = compound->parts;

	if (compound->count == 1 && parts == 0 && !guard && !has_rows(queries) &&
	    !has_facts(compound)) {
		g_array_append_vals(values, queries->values, (guint)queries->count);
		return queries->sql;
	}
	GString *text = g_string_new("BEGIN NOT ATOMIC ");
	if (has_facts(compound))
		g_string_append(text, "DECLARE fact BIGINT UNSIGNED; ");
	if (guard)
		compound_add(text, values, &guard->condition->query, "IF NOT ",
		    " THEN SIGNAL SQLSTATE '" DB_SQLSTATE_DENIED "'; END IF; ");
	if (parts & DB_COMPOUND_BEGINS)
		g_string_append(text, "START TRANSACTION; ");
	compound_add_all(text, values, compound);
	g_string_append(text, parts & DB_COMPOUND_COMMITS ? "COMMIT; END" : "END");
	return compound_keep(db, text)->text;
}

#define SELECT "SELECT "

const char *
db_compound_column(
    struct db *db, const struct db_guard *guard, const struct db_query *query, GArray *values)
{
	const struct db_query rest = {query->sql + strlen(SELECT), query->values, query->count};

	if (!g_str_has_prefix(query->sql, SELECT) || g_str_has_prefix(rest.sql, "DISTINCT ") ||
	    strstr(rest.sql, " UNION "))
		return NULL;
	GString *text = g_string_new(SELECT);
	compound_add(text, values, &guard->condition->query, "", ", ");
	compound_add(text, values, &rest, "", "");
	return compound_keep(db, text)->text;
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

static GString *
compound_join(const struct db_precondition_form *form, const char *sql)
{
	const char *from = find_word(sql, FROM);
	const char *where = from ? find_word(from, WHERE) : NULL;

	g_assert(where && count_marks(sql, (gsize)(where - sql)) == 0);
	GString *text = g_string_new_len(sql, from - sql);
	g_string_append_printf(text, FROM "%s JOIN ", form->table);
	from += strlen(FROM);
	g_string_append_len(text, from, where - from);
	g_string_append_printf(text, WHERE "%s AND %s", form->row, where + strlen(WHERE));
	return text;
}

const char *
db_compound_join(
    struct db *db, const struct db_guard *guard, const struct db_query *query, GArray *values)
{
	const struct db_precondition_form *form = guard->form;
	struct kept *kept = g_hash_table_lookup(db->on->texts->joins, query->sql);

	if (!form->table)
		return NULL;
	if (kept && kept->row == form->row) {
		use(db->on->texts, kept);
	} else {
		kept = compound_keep(db, compound_join(form, query->sql));
		if (kept->joined)
			g_hash_table_remove(db->on->texts->joins, kept->joined);
		kept->joined = query->sql;
		kept->row = form->row;
		g_hash_table_insert(db->on->texts->joins, (gpointer)query->sql, kept);
	}
	g_array_append_vals(values, guard->condition->values, (guint)guard->condition->query.count);
	g_array_append_vals(values, query->values, (guint)query->count);
	return kept->text;
}
