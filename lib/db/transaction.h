#ifndef DB_TRANSACTION_H
#define DB_TRANSACTION_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* The body of a transaction. It may be run several times, so it only reads context and sets results
 * in it anew. */
typedef bool (*db_body)(struct db *db, void *context, GError **error);

/* Runs body between START TRANSACTION and COMMIT. When the server chose it to be run again (1213,
   1205, 1020, Galera's 1047 and 40001) the whole is run again, after a pause with jitter, at most
   10 times. When body fails for another reason it is rolled back, and the error is body's.
   TEMPORARY: nothing has happened. UNCERTAIN: the connection was lost while COMMIT had no answer
   yet, so it may have happened; where it matters, look after db_ensure whether it did. */
bool db_transact(struct db *db, db_body body, void *context, GError **error);

#endif
