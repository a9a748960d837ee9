#ifndef DB_STATEMENT_H
#define DB_STATEMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct db_rows;

/* One bound parameter. Made by the functions below; what it points to must live until the call
 * returns. */
struct db_value {
	enum db_type { DB_TYPE_NULL, DB_TYPE_INT, DB_TYPE_TEXT, DB_TYPE_BYTES } type;
	gint64 number;
	const void *data;
	gsize size;
};

struct db_value db_null(void);
struct db_value db_int(gint64 number);
struct db_value db_id(const struct id *id);		/* NULL is SQL NULL */
struct db_value db_text(const char *text);		/* UTF-8; NULL is SQL NULL */
struct db_value db_bytes(const void *data, gsize size); /* data NULL is SQL NULL */

/* The parameters of a statement, in its order: DB_VALUES(db_id(&id), db_int(3)) */
#define DB_VALUES(...)                                                                             \
	(const struct db_value[]){__VA_ARGS__},                                                    \
	    G_N_ELEMENTS(((const struct db_value[]){__VA_ARGS__}))

/* sql is a literal that lives as long as the process: its address is the key of the prepared
   statement.

   Errors of all calls: CONFLICT when a unique key or a foreign key forbids it (db_error_key tells
   which); TEMPORARY when the connection is lost, or the transaction was chosen to be run again
   (deadlock, lock wait, Galera); FAILED for all else. */

/* Runs a statement that gives no rows. affected_r may be NULL: rows changed, as matched by WHERE.
 */
bool db_run(struct db *db, const char *sql, const struct db_value *values, gsize count,
    guint64 *affected_r, GError **error);

/* Runs it once for each of rows sets of columns values, one after the other in values (row-major),
   in one round trip (array binding). A column has the same type in each row, or NULL. rows = 0 does
   nothing. */
bool db_run_rows(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    gsize rows, guint64 *affected_r, GError **error);

/* Runs a statement that gives rows, and reads them all. Never NULL without error. The caller frees
 * it. */
struct db_rows *db_select(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

/* Goes to the next row, at first to the first one. False after the last. */
bool db_rows_next(struct db_rows *rows);

/* Columns of the row, from 0. Of SQL NULL: 0, NULL, NULL with size 0, false. Pointers live until
   the next db_rows_next or free. */
bool db_rows_is_null(struct db_rows *rows, guint column);
gint64 db_rows_int(struct db_rows *rows, guint column);
const char *db_rows_text(struct db_rows *rows, guint column);
const void *db_rows_bytes(struct db_rows *rows, guint column, gsize *size_r);
bool db_rows_id(struct db_rows *rows, guint column, struct id *id_r);

void db_rows_free(struct db_rows *rows);
DEFINE_AUTO(db_rows, db_rows_free)

#endif
