/* SPDX-License-Identifier: MIT */
/* Reads the rows of a result into memory, and returns their columns, one by one or all that a
   struct has. */
#include "db/rows.h"

#include <mysql.h>
#include <string.h>

#include "db/columns.h"
#include "db/handle.h"

struct cell {
	enum { CELL_NULL, CELL_INT, CELL_BYTES } kind;
	union {
		gint64 number;
		const char *data;
	};
	gsize size; /* of data */
};

#define BLOCK 32768 /* bytes of rows that share their memory, if there are so many */

struct db_rows {
	guint columns;
	guint hidden;	   /* the number of columns in front of those that are counted */
	GPtrArray *rows;   /* each an array of cells, followed by their data, in a block */
	GPtrArray *blocks; /* the memory of the rows; NULL: it belongs to another result */
	gsize block;	   /* the size of the last one */
	char *room;	   /* the rest of it */
	gsize left;	   /* the size of the rest */
	guint next;
	const struct cell *row;
};

#define SHORT 64 /* bytes of data that are fetched with the row */

/* The buffer of the client library for a column: an integer, or the size and the begin of the data.
 */
struct column {
	bool is_int, is_unsigned;
	gint64 number;
	unsigned long size;
	my_bool is_null;
	char data[SHORT];
};

static bool
is_int(enum enum_field_types type)
{
	switch (type) {
	case MYSQL_TYPE_TINY:
	case MYSQL_TYPE_SHORT:
	case MYSQL_TYPE_INT24:
	case MYSQL_TYPE_LONG:
	case MYSQL_TYPE_LONGLONG:
	case MYSQL_TYPE_YEAR:
		return true;
	default:
		return false;
	}
}

/* Integers and short data are fetched with the row. Longer data is fetched later, by its size, so
   that the memory of the row has exactly the size it needs. */
static void
bind_columns(MYSQL_STMT *statement, struct column *columns, MYSQL_BIND *binds, guint count)
{
	MYSQL_RES *meta = mysql_stmt_result_metadata(statement);

	for (guint i = 0; i < count; i++) {
		const MYSQL_FIELD *field = mysql_fetch_field_direct(meta, i);
		struct column *column = &columns[i];

		column->is_int = is_int(field->type);
		column->is_unsigned = field->flags & UNSIGNED_FLAG;
		binds[i].buffer_type = column->is_int ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_STRING;
		binds[i].is_unsigned = column->is_unsigned;
		binds[i].buffer = column->is_int ? (void *)&column->number : (void *)column->data;
		binds[i].buffer_length = SHORT;
		binds[i].length = &column->size;
		binds[i].is_null = &column->is_null;
	}
	mysql_free_result(meta);
	mysql_stmt_bind_result(statement, binds);
}

/* Fetches data that did not come with the row. */
static void
rows_fetch(MYSQL_STMT *statement, guint i, gsize size, char *into)
{
	unsigned long length = 0;
	my_bool is_null = 0;
	MYSQL_BIND bind = {
	    .buffer_type = MYSQL_TYPE_STRING,
	    .buffer = into,
	    .buffer_length = size,
	    .length = &length,
	    .is_null = &is_null,
	};

	mysql_stmt_fetch_column(statement, &bind, i, 0);
}

static char *
rows_read_bytes(MYSQL_STMT *statement, guint i, const struct column *column, char *into)
{
	if (column->size <= SHORT)
		memcpy(into, column->data, column->size);
	else
		rows_fetch(statement, i, column->size, into);
	into[column->size] = '\0';
	return into;
}

/* Returns memory for a row. The first block has room for one row alone, since many results have no
   more; each one behind it is twice as large. */
static void *
take_room(struct db_rows *rows, gsize size)
{
	gsize aligned = (size + sizeof(gint64) - 1) & ~(sizeof(gint64) - 1);

	if (aligned > rows->left) {
		rows->block = MAX(aligned, MIN(2 * rows->block, BLOCK));
		rows->left = rows->block;
		rows->room = g_malloc(rows->block);
		g_ptr_array_add(rows->blocks, rows->room);
	}
	void *room = rows->room;
	rows->room += aligned;
	rows->left -= aligned;
	return room;
}

static struct cell *
rows_read_row(
    struct db_rows *rows, MYSQL_STMT *statement, const struct column *columns, guint count)
{
	gsize size = count * sizeof(struct cell);

	for (guint i = 0; i < count; i++)
		if (!columns[i].is_int && !columns[i].is_null)
			size += columns[i].size + 1;
	struct cell *row = take_room(rows, size);
	char *data = (char *)&row[count];
	for (guint i = 0; i < count; i++) {
		struct cell *cell = &row[i];

		*cell = (struct cell){.kind = CELL_NULL};
		if (columns[i].is_null)
			continue;
		if (columns[i].is_int) {
			cell->kind = CELL_INT;
			cell->number = columns[i].is_unsigned && columns[i].number < 0
					   ? G_MAXINT64
					   : columns[i].number;
			continue;
		}
		cell->kind = CELL_BYTES;
		cell->size = columns[i].size;
		cell->data = rows_read_bytes(statement, i, &columns[i], data);
		data += cell->size + 1;
	}
	return row;
}

struct db_rows *
db_rows_read(struct db *db, MYSQL_STMT *statement, const char *sql, guint hidden, GError **error)
{
	guint count = mysql_stmt_field_count(statement);
	g_autofree struct column *columns = g_new0(struct column, count);
	g_autofree MYSQL_BIND *binds = g_new0(MYSQL_BIND, count);
	AUTO(db_rows) rows = g_new0(struct db_rows, 1);
	int status;

	rows->columns = count - hidden;
	rows->hidden = hidden;
	rows->rows = g_ptr_array_new();
	rows->blocks = g_ptr_array_new_with_free_func(g_free);
	bind_columns(statement, columns, binds, count);
	while ((status = mysql_stmt_fetch(statement)) == 0 || status == MYSQL_DATA_TRUNCATED)
		g_ptr_array_add(rows->rows, rows_read_row(rows, statement, columns, count));
	if (status != MYSQL_NO_DATA) {
		db_handle_failed(db, statement, sql, error);
		return NULL;
	}
	db->on->row_count += rows->rows->len;
	return g_steal_pointer(&rows);
}

bool
db_rows_next(struct db_rows *rows)
{
	if (rows->next >= rows->rows->len) {
		rows->row = NULL;
		return false;
	}
	rows->row = g_ptr_array_index(rows->rows, rows->next++);
	return true;
}

static const struct cell *
cell_at(const struct db_rows *rows, guint column)
{
	g_assert(rows->row && column < rows->columns);
	return &rows->row[rows->hidden + column];
}

guint
db_rows_count(const struct db_rows *rows)
{
	return rows->rows->len;
}

struct db_rows *
db_rows_of(const struct db_rows *rows, const struct base_id *id, bool *last_r)
{
	struct db_rows *some = g_new0(struct db_rows, 1);

	some->columns = rows->columns;
	some->hidden = rows->hidden;
	some->rows = g_ptr_array_new();
	*last_r = true;
	for (guint i = 0; i < rows->rows->len; i++) {
		struct cell *row = rows->rows->pdata[i];
		const struct cell *first = &row[rows->hidden];
		bool is_of =
		    first->size == sizeof(*id) && memcmp(first->data, id, sizeof(*id)) == 0;

		if (is_of)
			g_ptr_array_add(some->rows, row);
		*last_r = is_of || some->rows->len == 0;
	}
	return some;
}

bool
db_rows_hidden(const struct db_rows *rows)
{
	const struct cell *first = rows->rows->pdata[0];

	return first->number != 0;
}

bool
db_rows_is_null(const struct db_rows *rows, guint column)
{
	return cell_at(rows, column)->kind == CELL_NULL;
}

static gint64
cell_int(const struct cell *cell)
{
	return cell->kind == CELL_BYTES ? g_ascii_strtoll(cell->data, NULL, 10) : cell->number;
}

gint64
db_rows_int(const struct db_rows *rows, guint column)
{
	return cell_int(cell_at(rows, column));
}

const char *
db_rows_text(const struct db_rows *rows, guint column)
{
	return db_rows_bytes(rows, column, NULL);
}

const void *
db_rows_bytes(const struct db_rows *rows, guint column, gsize *size_r)
{
	const struct cell *cell = cell_at(rows, column);

	g_assert(cell->kind != CELL_INT);
	if (size_r)
		*size_r = cell->size;
	return cell->data;
}

static bool
cell_id(const struct cell *cell, struct base_id *id_r)
{
	if (cell->size != sizeof(id_r->bytes))
		return false;
	memcpy(id_r->bytes, cell->data, sizeof(id_r->bytes));
	return true;
}

/* A copy, which the caller owns. NULL of SQL NULL. */
static char *
cell_text(const struct cell *cell)
{
	char *text;

	if (cell->kind == CELL_NULL)
		return NULL;
	text = g_malloc(cell->size + 1);
	memcpy(text, cell->data, cell->size + 1);
	return text;
}

bool
db_rows_id(const struct db_rows *rows, guint column, struct base_id *id_r)
{
	const struct cell *cell = cell_at(rows, column);

	g_assert(cell->kind != CELL_INT);
	return cell_id(cell, id_r);
}

/* The functions of db/rows.h for one column check the number of each; here it is checked once. */
void
db_columns_read(const struct db_rows *rows, guint first, const struct db_column *columns,
    gsize count, void *row)
{
	g_assert(rows->row && first + count <= rows->columns);
	const struct cell *cell = &rows->row[rows->hidden + first];

	for (const struct db_column *column = columns; column < columns + count; column++, cell++) {
		void *member = (char *)row + column->offset;
		bool found = cell->kind != CELL_NULL;

		g_assert(cell->kind != CELL_INT || column->kind >= DB_COLUMN_BOOL);
		switch (column->kind) {
		case DB_COLUMN_BOOL:
			*(bool *)member = cell_int(cell) != 0;
			break;
		case DB_COLUMN_INT:
			*(int *)member = (int)cell_int(cell);
			break;
		case DB_COLUMN_INT64:
			*(gint64 *)member = cell_int(cell);
			break;
		case DB_COLUMN_TEXT:
			*(char **)member = cell_text(cell);
			break;
		case DB_COLUMN_BORROWED:
			*(const char **)member = cell->data;
			break;
		case DB_COLUMN_BYTES:
			*(GBytes **)member = found ? g_bytes_new(cell->data, cell->size) : NULL;
			break;
		case DB_COLUMN_ARRAY:
			if (found)
				memcpy(member, cell->data, MIN(cell->size, column->size));
			break;
		case DB_COLUMN_ID:
			found = cell_id(cell, member);
			break;
		}
		if (column->has)
			*(bool *)((char *)row + column->has) = found;
	}
}

void
db_rows_free(struct db_rows *rows)
{
	if (!rows)
		return;
	g_ptr_array_unref(rows->rows);
	g_clear_pointer(&rows->blocks, g_ptr_array_unref);
	g_free(rows);
}

void
db_rows_free_all(struct db_rows **rows, gsize count)
{
	for (gsize i = 0; i < count; i++)
		g_clear_pointer(&rows[i], db_rows_free);
}
