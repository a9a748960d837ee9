/* SPDX-License-Identifier: MIT */
/* Turns rows of values into what the client library binds: column by column, with an indicator for
   NULL. */
#include "db/batch.h"

#include "db/value.h"

/* Of a value beside its data: its length, its NULL indicator and its type. */
#define VALUE_OVERHEAD 12
#define PACKET_OVERHEAD 64

static gsize
row_size(const struct db_value *values, gsize columns)
{
	gsize size = 0;

	for (gsize i = 0; i < columns; i++)
		size += values[i].size + VALUE_OVERHEAD;
	return size;
}

gsize
db_batch_fill(const struct db_value *values, gsize columns, gsize rows)
{
	gsize size = PACKET_OVERHEAD + row_size(values, columns);
	gsize count = 1;

	while (count < rows) {
		size += row_size(&values[count * columns], columns);
		if (size > BATCH_SIZE)
			break;
		count++;
	}
	return count;
}

static enum enum_field_types
field_type(enum db_type type)
{
	switch (type) {
	case DB_TYPE_INT:
		return MYSQL_TYPE_LONGLONG;
	case DB_TYPE_TEXT:
		return MYSQL_TYPE_STRING;
	case DB_TYPE_BYTES:
		return MYSQL_TYPE_BLOB;
	default:
		return MYSQL_TYPE_NULL;
	}
}

static void
bind_value(MYSQL_BIND *bind, const struct db_value *value)
{
	bind->buffer_type = field_type(value->type);
	bind->buffer = value->type == DB_TYPE_INT ? (void *)&value->number : (void *)value->data;
	bind->buffer_length = value->size;
	bind->length_value = value->size;
	bind->length = &bind->length_value;
}

/* The type of a column: that of its first value which is not NULL. A column of nothing but NULLs
   is bound as some type too, for the indicators say all. */
static enum db_type
column_type(const struct db_value *first, gsize columns, gsize rows)
{
	for (gsize i = 0; i < rows; i++)
		if (first[i * columns].type != DB_TYPE_NULL)
			return first[i * columns].type;
	return DB_TYPE_BYTES;
}

static void
bind_column(MYSQL_BIND *bind, const struct db_value *first, gsize columns, gsize rows)
{
	enum db_type type = column_type(first, columns, rows);
	gint64 *numbers = type == DB_TYPE_INT ? g_new0(gint64, rows) : NULL;
	const void **data = type == DB_TYPE_INT ? NULL : g_new0(const void *, rows);

	bind->buffer_type = field_type(type);
	bind->buffer = numbers ? (void *)numbers : (void *)data;
	bind->length = g_new0(unsigned long, rows);
	bind->u.indicator = g_new0(char, rows);
	for (gsize i = 0; i < rows; i++) {
		const struct db_value *value = &first[i * columns];
		if (value->type == DB_TYPE_NULL) {
			bind->u.indicator[i] = STMT_INDICATOR_NULL;
			continue;
		}
		g_assert(value->type == type);
		bind->length[i] = value->size;
		if (numbers)
			numbers[i] = value->number;
		else
			data[i] = value->data;
	}
}

struct db_batch *
db_batch_new(const struct db_value *values, gsize columns, gsize rows)
{
	struct db_batch *batch = g_new0(struct db_batch, 1);

	batch->columns = columns;
	batch->rows = rows;
	batch->size = PACKET_OVERHEAD;
	for (gsize i = 0; i < rows; i++)
		batch->size += row_size(&values[i * columns], columns);
	batch->binds = g_new0(MYSQL_BIND, columns);
	for (gsize i = 0; i < columns; i++)
		if (rows == 1)
			bind_value(&batch->binds[i], &values[i]);
		else
			bind_column(&batch->binds[i], &values[i], columns, rows);
	return batch;
}

void
db_batch_free(struct db_batch *batch)
{
	if (!batch)
		return;
	for (gsize i = 0; i < batch->columns && batch->rows > 1; i++) {
		g_free(batch->binds[i].buffer);
		g_free(batch->binds[i].length);
		g_free(batch->binds[i].u.indicator);
	}
	g_free(batch->binds);
	g_free(batch);
}
