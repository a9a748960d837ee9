/* SPDX-License-Identifier: MIT */
/* Prepares statements, once for each connection, binds values to them and executes them. */
#include "db/execute.h"

#include <mysqld_error.h>
#include <string.h>

#include "base/error.h"
#include "db/handle.h"
#include "db/value.h"

/* Bytes of a value besides its data: its length, its NULL indicator and its type. */
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

/* The type of a column is that of its first value that is not NULL. A column with only NULLs can
   have any type. */
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

/* If all connections together have prepared too many statements, closes those of this connection
   and tries again. */
static bool
execute_prepare(struct db *db, MYSQL_STMT *statement, const char *sql)
{
	if (mysql_stmt_prepare(statement, sql, strlen(sql)) == 0)
		return true;
	if (mysql_stmt_errno(statement) != ER_MAX_PREPARED_STMT_COUNT_REACHED)
		return false;
	g_hash_table_remove_all(db->on->statements);
	return mysql_stmt_prepare(statement, sql, strlen(sql)) == 0;
}

static MYSQL_STMT *
prepared(struct db *db, const char *sql, GError **error)
{
	MYSQL_STMT *statement = g_hash_table_lookup(db->on->statements, sql);

	if (statement)
		return statement;
	statement = mysql_stmt_init(db->on->mysql);
	if (!statement)
		g_error("out of memory");
	if (!execute_prepare(db, statement, sql)) {
		db_handle_failed(db, statement, sql, error);
		mysql_stmt_close(statement);
		return NULL;
	}
	g_hash_table_insert(db->on->statements, (gpointer)sql, statement);
	return statement;
}

/* The server closes the connection when a packet is too large. This would look like a network
   failure and be tried again forever, so the connection asks for max_allowed_packet before its
   first large statement. */
static bool
execute_fits(struct db *db, const struct db_batch *batch, GError **error)
{
	if (batch->size <= BATCH_SIZE)
		return true;
	if (db->on->packet_size == 0 &&
	    !db_handle_number(db, "SELECT @@max_allowed_packet", &db->on->packet_size, error))
		return false;
	if (batch->size <= db->on->packet_size)
		return true;
	db->on->failure = (struct db_failure){.cause = DB_CAUSE_OTHER};
	return base_fail(error, PH_ERROR_FAILED,
	    "The database takes %" G_GUINT64_FORMAT
	    " bytes at once, and this needs %" G_GSIZE_FORMAT
	    "; raise max_allowed_packet of the server",
	    db->on->packet_size, batch->size);
}

static bool
execute(MYSQL_STMT *statement, const struct db_batch *batch)
{
	guint rows = batch->rows > 1 ? (guint)batch->rows : 0;

	g_assert(mysql_stmt_param_count(statement) == batch->columns);
	mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &rows);
	if (batch->columns > 0 && mysql_stmt_bind_param(statement, batch->binds))
		return false;
	return mysql_stmt_execute(statement) == 0;
}

MYSQL_STMT *
db_execute(struct db *db, const char *sql, const struct db_batch *batch, db_execute_failed failed,
    GError **error)
{
	/* No answer leaves a doubt, but for those of reads. The queue changes rows, and ends with
	   COMMIT. */
	bool may_hurry =
	    failed == db_handle_failed && !db->on->in_transaction && db->on->deferred->len == 0;

	if (!db_handle_ready(db, error) || !execute_fits(db, batch, error))
		return NULL;
	db_handle_wait(db, may_hurry && db->on->reads_s > 0 ? db->on->reads_s : DB_ANSWER_S);
	for (bool again = false;; again = true) {
		MYSQL_STMT *statement = prepared(db, sql, error);
		if (!statement)
			return NULL;
		if (execute(statement, batch))
			return statement;
		guint code = mysql_stmt_errno(statement);
		if (again || (code != ER_NEED_REPREPARE && code != ER_UNKNOWN_STMT_HANDLER)) {
			failed(db, statement, sql, error);
			return NULL;
		}
		g_hash_table_remove(db->on->statements, sql);
	}
}
