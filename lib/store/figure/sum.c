/* SPDX-License-Identifier: MIT */
/* Adds sums to the rows of the figures. */
#include "store/figure/sum.h"

#include <string.h>

#include "db/columns.h"
#include "db/statement.h"

#define FEW 5 /* rows whose values are bound one by one */

#define NAME(member, name) name,
const char *const store_figure_names[FIGURES] = {FIGURE_COLUMNS(NAME, NAME)};

/* Most transactions change figures of one of these sets alone. A statement for each set has fewer
   values, and all transactions of a kind have the same text. */
enum { SET_ACCEPTED, SET_ARRIVED, SET_READ, SET_ALL, SETS };
static const struct {
	guint first, end;
} sets[SETS] = {
    [SET_ACCEPTED] = {FIGURE_ACCEPTED, FIGURE_SENT},
    [SET_ARRIVED] = {FIGURE_SENT, FIGURE_OPENED},
    [SET_READ] = {FIGURE_OPENED, FIGURES},
    [SET_ALL] = {FIGURE_ACCEPTED, FIGURES},
};

#define KEY_COLUMNS 6
#define KEY "workspace_id, dimension, owner, name, day, stripe, "
#define ACCEPTED DB_COLUMNS_SQL(FIGURE_ACCEPTED_COLUMNS)
#define ARRIVED DB_COLUMNS_SQL(FIGURE_ARRIVED_COLUMNS)
#define READ DB_COLUMNS_SQL(FIGURE_READ_COLUMNS)
#define ALL DB_COLUMNS_SQL(FIGURE_COLUMNS)
/* Adds the new values of a list. */
#define MORE(LIST) LIST(MORE_FIRST, MORE_NEXT)
#define MORE_FIRST(member, name) name " = " name " + VALUES(" name ")"
#define MORE_NEXT(member, name) ", " MORE_FIRST(member, name)

/* A few rows. */
#define FEW_ROWS(columns, marks, more)                                                             \
	"INSERT INTO figure (" KEY columns ") VALUES (?, ?, ?, ?, ?, ?, " marks ")"                \
	" ON DUPLICATE KEY UPDATE " more

/* Any number of rows in one value: a statement with a list of each length would be prepared for
   each. */
#define COLUMN(n) ", c" #n " INT PATH '$[" #n "]'"
#define MANY_ROWS(columns, given, paths, more)                                                     \
	"INSERT INTO figure (" KEY columns ") SELECT UNHEX(t.w), t.d, UNHEX(t.o), UNHEX(t.n),"     \
	" t.y, ?, " given " FROM JSON_TABLE(?, '$[*]' COLUMNS (w CHAR(32) PATH '$[0]',"            \
	" d TINYINT PATH '$[1]', o CHAR(32) PATH '$[2]', n VARCHAR(4106) PATH '$[3]',"             \
	" y INT PATH '$[4]'" paths ")) t ON DUPLICATE KEY UPDATE " more
#define MANY_COLUMNS 2

static const char *const few_sql[SETS] = {
    [SET_ACCEPTED] = FEW_ROWS(ACCEPTED, "?", MORE(FIGURE_ACCEPTED_COLUMNS)),
    [SET_ARRIVED] = FEW_ROWS(ARRIVED, "?, ?, ?, ?", MORE(FIGURE_ARRIVED_COLUMNS)),
    [SET_READ] = FEW_ROWS(READ, "?, ?, ?, ?, ?, ?, ?, ?", MORE(FIGURE_READ_COLUMNS)),
    [SET_ALL] = FEW_ROWS(ALL, "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?", MORE(FIGURE_COLUMNS)),
};
#define FOUR COLUMN(5) COLUMN(6) COLUMN(7) COLUMN(8)
#define EIGHT FOUR COLUMN(9) COLUMN(10) COLUMN(11) COLUMN(12)
#define THIRTEEN EIGHT COLUMN(13) COLUMN(14) COLUMN(15) COLUMN(16) COLUMN(17)
#define C_FOUR "t.c5, t.c6, t.c7, t.c8"
#define C_EIGHT C_FOUR ", t.c9, t.c10, t.c11, t.c12"
#define C_THIRTEEN C_EIGHT ", t.c13, t.c14, t.c15, t.c16, t.c17"
static const char *const many_sql[SETS] = {
    [SET_ACCEPTED] = MANY_ROWS(ACCEPTED, "t.c5", COLUMN(5), MORE(FIGURE_ACCEPTED_COLUMNS)),
    [SET_ARRIVED] = MANY_ROWS(ARRIVED, C_FOUR, FOUR, MORE(FIGURE_ARRIVED_COLUMNS)),
    [SET_READ] = MANY_ROWS(READ, C_EIGHT, EIGHT, MORE(FIGURE_READ_COLUMNS)),
    [SET_ALL] = MANY_ROWS(ALL, C_THIRTEEN, THIRTEEN, MORE(FIGURE_COLUMNS)),
};

static guint
hash_sum(gconstpointer pointer)
{
	const struct store_figure_sum *sum = pointer;
	guint owner;

	memcpy(&owner, sum->owner.bytes + sizeof(sum->owner) - sizeof(owner), sizeof(owner));
	return g_str_hash(sum->name) ^ owner ^ (guint)sum->day << 4 ^ sum->dimension;
}

/* Every transaction takes its locks in this order. */
static int
sum_compare(const struct store_figure_sum *a, const struct store_figure_sum *b)
{
	int order = memcmp(&a->workspace_id, &b->workspace_id, sizeof(a->workspace_id));

	if (order == 0)
		order = (a->dimension > b->dimension) - (a->dimension < b->dimension);
	if (order == 0)
		order = memcmp(&a->owner, &b->owner, sizeof(a->owner));
	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order : (a->day > b->day) - (a->day < b->day);
}

static gboolean
equal_sums(gconstpointer a, gconstpointer b)
{
	return sum_compare(a, b) == 0;
}

static int
sum_by_lock(gconstpointer a, gconstpointer b)
{
	return sum_compare(
	    *(const struct store_figure_sum *const *)a, *(const struct store_figure_sum *const *)b);
}

static void
free_sum(void *pointer)
{
	struct store_figure_sum *sum = pointer;

	g_free(sum->name);
	g_free(sum);
}

GHashTable *
store_figure_sums_new(void)
{
	return g_hash_table_new_full(hash_sum, equal_sums, free_sum, NULL);
}

struct store_figure_sum *
store_figure_sum_of(GHashTable *sums, const struct store_figure_sum *row)
{
	struct store_figure_sum *sum = g_hash_table_lookup(sums, row);

	if (sum)
		return sum;
	sum = g_memdup2(row, sizeof(*row));
	sum->name = g_strdup(row->name);
	memset(sum->figures, 0, sizeof(sum->figures));
	g_hash_table_add(sums, sum);
	return sum;
}

static bool
has_all(guint set, const struct store_figure_sum *sum)
{
	for (guint f = 0; f < FIGURES; f++)
		if (sum->figures[f] != 0 && (f < sets[set].first || f >= sets[set].end))
			return false;
	return true;
}

/* The first set that has all figures of these sums. */
static guint
choose_set(const GPtrArray *rows)
{
	guint set = SET_ACCEPTED;

	for (guint i = 0; i < rows->len; i++)
		while (!has_all(set, rows->pdata[i]))
			set = set == SET_ACCEPTED || i == 0 ? set + 1 : SET_ALL;
	return set;
}

static bool
write_few(struct db *db, const GPtrArray *rows, guint set, guint stripe, GError **error)
{
	guint columns = KEY_COLUMNS + sets[set].end - sets[set].first;
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)columns * rows->len);
	struct db_value *value = values;

	for (guint i = 0; i < rows->len; i++) {
		const struct store_figure_sum *sum = rows->pdata[i];

		*value++ = db_id(&sum->workspace_id);
		*value++ = db_int(sum->dimension);
		*value++ = db_id(&sum->owner);
		*value++ = db_bytes(sum->name, strlen(sum->name));
		*value++ = db_int(sum->day);
		*value++ = db_int(stripe);
		for (guint f = sets[set].first; f < sets[set].end; f++)
			*value++ = db_int(sum->figures[f]);
	}
	return db_defer(db, few_sql[set], values, columns, rows->len, error);
}

static void
add_hex(GString *text, const void *data, gsize size, const char *end)
{
	const guint8 *bytes = data;

	g_string_append_c(text, '"');
	for (gsize i = 0; i < size; i++)
		g_string_append_printf(text, "%02x", bytes[i]);
	g_string_append_c(text, '"');
	g_string_append(text, end);
}

static bool
write_many(struct db *db, const GPtrArray *rows, guint set, guint stripe, GError **error)
{
	g_autoptr(GString) text = g_string_new("[");

	for (guint i = 0; i < rows->len; i++) {
		const struct store_figure_sum *sum = rows->pdata[i];

		g_string_append(text, i > 0 ? ",[" : "[");
		add_hex(text, &sum->workspace_id, sizeof(sum->workspace_id), ",");
		g_string_append_printf(text, "%u,", sum->dimension);
		add_hex(text, &sum->owner, sizeof(sum->owner), ",");
		add_hex(text, sum->name, strlen(sum->name), "");
		g_string_append_printf(text, ",%" G_GINT64_FORMAT, sum->day);
		for (guint f = sets[set].first; f < sets[set].end; f++)
			g_string_append_printf(text, ",%" G_GINT64_FORMAT, sum->figures[f]);
		g_string_append_c(text, ']');
	}
	g_string_append_c(text, ']');
	const struct db_value values[MANY_COLUMNS] = {db_int(stripe), db_text(text->str)};
	return db_defer(db, many_sql[set], values, MANY_COLUMNS, 1, error);
}

bool
store_figure_sums_write(struct db *db, GHashTable *sums, guint stripe, GError **error)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	GHashTableIter each;
	void *sum;

	g_hash_table_iter_init(&each, sums);
	while (g_hash_table_iter_next(&each, &sum, NULL))
		g_ptr_array_add(rows, sum);
	if (rows->len == 0)
		return true;
	g_ptr_array_sort(rows, sum_by_lock);
	guint set = choose_set(rows);
	return (rows->len <= FEW ? write_few : write_many)(db, rows, set, stripe, error);
}
