/* SPDX-License-Identifier: MIT */
/* Transactions: run again when the server asks for it, with three results: stored, not stored,
   unknown. */
#ifndef DB_TRANSACTION_H
#define DB_TRANSACTION_H

#include <glib.h>
#include <stdbool.h>

#include "db/failure.h"

struct db;
struct db_value;

/* The body of a transaction. It may run several times, so it must not change the input in context,
   and must set the results anew each time. It returns false with error set to roll back. If it
   wants to end the transaction after a failure that would otherwise be run again (a lock wait, by
   db_cause), it returns an error of its own that is not TEMPORARY. */
typedef bool (*db_body)(struct db *db, void *context, GError **error);

/* Runs body in a transaction. START TRANSACTION is sent with the first statement, COMMIT at the
   end.

   When the server has rolled the transaction back for another run (1213, 1205, 1020, Galera's 1047
   and 40001), body is run again after a random pause: at most 10 times, and not begun again after
   10 s. After a rollback by the server, or when the connection is lost, every further call of the
   body fails, and so does this run, whatever the body returns. When body fails for another reason,
   the transaction is rolled back and the error is body's.

   TEMPORARY: nothing has been stored. UNCERTAIN: COMMIT was sent and its answer was lost, so the
   changes may have been stored; the connection is then dead. If it matters, find out after
   db_ensure. A transaction inside a transaction is a programming error and ends the process. */
bool db_transact(struct db *db, db_body body, void *context, GError **error);

/* Has the transaction run again, as after a deadlock, when its body now returns false: it has seen
   the database as it is no more. Returns false with TEMPORARY and this message. */
bool db_transact_again(struct db *db, const char *message, GError **error);

/* A short transaction as one compound statement, in one round trip instead of four. It is run again
   like db_transact; otherwise like db_run. */
#define DB_BLOCK(statements)                                                                       \
	"BEGIN"                                                                                    \
	" DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;"                    \
	" START TRANSACTION; " statements " COMMIT; END"
/* A statement for it, or for db_defer, that ends the transaction: CONFLICT, with DB_CAUSE_REFUSED
   and this reason, a short word (db_cause_is_reason). */
#define DB_REFUSE(reason)                                                                          \
	"SIGNAL SQLSTATE '" DB_SQLSTATE_REFUSED "' SET MESSAGE_TEXT = '" reason "';"
bool db_transact_block(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

#endif
