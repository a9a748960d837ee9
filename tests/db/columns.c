/* SPDX-License-Identifier: MIT */
/* Tests reading rows into structs by lists of columns. */
#include "db/columns.h"

#include <criterion/criterion.h>
#include <string.h>

#include "db/connection.h"
#include "db/statement.h"
#include "tests/support/mariadb.h"

enum columns_kind { COLUMNS_NO, COLUMNS_YES };

struct columns_row {
	char *text;
	struct base_id id, other;
	bool has_other, is_on;
	int number;
	guint count;
	gint64 created;
	guint64 bits;
	enum columns_kind kind;
	const char *borrowed;
	GBytes *bytes;
	struct {
		gint64 inner;
	} nested;
	guint8 array[4], lesser[4];
	bool has_array;
};

#define ROW_COLUMNS(FIRST, NEXT)                                                                   \
	FIRST(text, "t.a")                                                                         \
	NEXT(id, "t.b")                                                                            \
	NEXT(other, "t.c", has_other)                                                              \
	NEXT(is_on, "t.d")                                                                         \
	NEXT(number, "t.e")                                                                        \
	NEXT(count, "COALESCE(t.f, 0)")                                                            \
	NEXT(created, "t.g")                                                                       \
	NEXT(bits, "t.h")                                                                          \
	NEXT(kind, "t.i")                                                                          \
	NEXT(borrowed, "t.j")                                                                      \
	NEXT(bytes, "t.k")                                                                         \
	NEXT(nested.inner, "t.l")                                                                  \
	NEXT(array, "t.m", has_array)                                                              \
	NEXT(lesser, "t.n")
DB_COLUMNS_READER(columns_read, struct columns_row, ROW_COLUMNS)
#define ONE_COLUMN(FIRST, NEXT) FIRST(number, "1")
DB_COLUMNS_MAKER(columns_make, struct columns_row, ONE_COLUMN)

#define SELECT_ROW "SELECT 1, " DB_COLUMNS_SQL(ROW_COLUMNS) ", 'behind' FROM "
enum { COLUMNS_ROW = 1, COLUMNS_BEHIND = COLUMNS_ROW + DB_COLUMNS_END(ROW_COLUMNS) };

/* Reads the only row of a statement. The caller frees the rows. */
static struct db_rows *
columns_select(const char *sql, struct columns_row *row_r)
{
	GError *error = NULL;
	struct config_settings *settings = test_mariadb_database(NULL, NULL);
	AUTO(db) db = db_open(settings, &error);
	struct db_rows *rows = db ? db_select(db, sql, NULL, 0, &error) : NULL;

	cr_assert(rows && db_rows_next(rows), "%s", error ? error->message : "");
	*row_r = (struct columns_row){0};
	columns_read(rows, COLUMNS_ROW, row_r);
	config_settings_free(settings);
	return rows;
}

Test(columns, give_the_text_and_the_count)
{
	cr_expect_str_eq(DB_COLUMNS_SQL(ROW_COLUMNS),
	    "t.a, t.b, t.c, t.d, t.e, COALESCE(t.f, 0), t.g, t.h, t.i, t.j, t.k, t.l, t.m, t.n");
	cr_expect_str_eq(DB_COLUMNS_SQL(ONE_COLUMN), "1");
	cr_expect_eq(DB_COLUMNS_END(ROW_COLUMNS), 14);
	cr_expect_eq(DB_COLUMNS_END(ONE_COLUMN), 1);
}

Test(columns, are_read_by_the_types_of_the_members)
{
	struct columns_row row;
	AUTO(db_rows)
	rows = columns_select(SELECT_ROW
	    "(SELECT 'text' a, REPEAT('i', 16) b, REPEAT('o', 16) c, 7 d, -8 e, 4294967295 f,"
	    " -9000000000 g, 4611686018427387905 h, 1 i, 'lent' j, 'a\\0b' k, 12 l, 'bytes' m,"
	    " 'ab' n) t",
	    &row);

	cr_expect_str_eq(row.text, "text");
	cr_expect_eq(memcmp(row.id.bytes, "iiiiiiiiiiiiiiii", 16), 0);
	cr_expect_eq(memcmp(row.other.bytes, "oooooooooooooooo", 16), 0);
	cr_expect(row.has_other && row.is_on);
	cr_expect_eq(row.number, -8);
	cr_expect_eq(row.count, 4294967295U);
	cr_expect_eq(row.created, G_GINT64_CONSTANT(-9000000000));
	cr_expect_eq(row.bits, G_GUINT64_CONSTANT(4611686018427387905));
	cr_expect_eq(row.kind, COLUMNS_YES);
	cr_expect_eq(row.borrowed, db_rows_text(rows, COLUMNS_ROW + 9));
	cr_expect_eq(g_bytes_get_size(row.bytes), 3);
	cr_expect_eq(memcmp(g_bytes_get_data(row.bytes, NULL), "a\0b", 3), 0);
	cr_expect_eq(row.nested.inner, 12);
	cr_expect_eq(memcmp(row.array, "byte", 4), 0);
	cr_expect_eq(memcmp(row.lesser, "ab\0", 4), 0);
	cr_expect(row.has_array);
	cr_expect_str_eq(db_rows_text(rows, COLUMNS_BEHIND), "behind");
	g_free(row.text);
	g_bytes_unref(row.bytes);
}

Test(columns, of_null_are_nothing)
{
	struct columns_row row;
	static const struct columns_row nothing;
	AUTO(db_rows)
	rows = columns_select(SELECT_ROW
	    "(SELECT NULL a, NULL b, NULL c, NULL d, NULL e, NULL f, NULL g, NULL h, NULL i,"
	    " NULL j, NULL k, NULL l, NULL m, NULL n) t",
	    &row);

	cr_expect_eq(memcmp(&row, &nothing, sizeof(row)), 0);
	g_autofree struct columns_row *made = columns_make(rows);
	static const struct columns_row one = {.number = 1};
	cr_expect_eq(memcmp(made, &one, sizeof(one)), 0);
}
