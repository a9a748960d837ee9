/* SPDX-License-Identifier: MIT */
#ifndef DB_TRANSACTION_H
#define DB_TRANSACTION_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct db_value;

/* The body of a transaction. It may be run several times, so it only reads context and sets results
   in it anew. False sets error. A failure that it wants to end the transaction for good although it
   would pass (a lock wait, by db_cause) it returns as an error of its own that is not TEMPORARY. */
typedef bool (*db_body)(struct db *db, void *context, GError **error);

/* Runs body between START TRANSACTION, which goes with the first statement, and COMMIT. When the
   server chose it to be run again (1213, 1205, 1020, Galera's 1047 and 40001) the whole is run
   again, after a pause with jitter, at most 10 times and not begun again after 10 s. When body
   fails for another reason it is rolled back, and the error is body's. After such a failure, or the
   loss of the connection, each further call of the body fails too, and so does the body, whatever
   it returns. TEMPORARY: nothing has happened. UNCERTAIN: COMMIT was sent and had no clear answer,
   so it may have happened; the connection is then dead; where it matters, look after db_ensure
   whether it did. A transaction in a transaction ends the process: that is a fault in the program.
 */
bool db_transact(struct db *db, db_body body, void *context, GError **error);

/* A short transaction in one round trip in place of four: a statement of this form, of which all
   else is as of db_run, and which is run again as above. */
#define DB_BLOCK(statements)                                                                       \
	"BEGIN"                                                                                    \
	" DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;"                    \
	" START TRANSACTION; " statements " COMMIT; END"
/* Among its statements: the same as a foreign key that refers to a row that is not there. */
#define DB_BLOCK_MISSING                                                                           \
	"SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1452, MESSAGE_TEXT = 'there is no such row';"
/* Likewise: the same as a unique key of this name that holds the value already. */
#define DB_BLOCK_DUPLICATE(key)                                                                    \
	"SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062,"                                          \
	" MESSAGE_TEXT = \"Duplicate entry for key '" key "'\";"
bool db_transact_block(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

#endif
