/* SPDX-License-Identifier: MIT */
/* A precondition of statements, checked by the server in the same round trip. */
#ifndef DB_PRECONDITION_H
#define DB_PRECONDITION_H

#include <glib.h>
#include <stdbool.h>

#include "db/guard.h"

struct db;
struct db_value;

/* A guard is a condition that must hold for statements, for example that the API key of the request
   is still valid. A handle to the connection carries it: it counts for the statements that go
   through this handle, and for no others.

   1. The server checks it in the round trip of the next statement through the handle. If that is
      db_select of a plain SELECT outside a transaction, the condition is read as a column of its
      rows. Else it is checked in front of the statement, in one compound statement.
   2. If it does not hold, the statement fails with FORBIDDEN, and so does every further call with
      the handle.
   3. If it holds and the statement succeeds, the handle has no guard any more. But a SELECT that
      finds no row has not read the condition: the next statement checks it, or
      db_precondition_settle.

   In a compound statement the check is a locking read: it waits for transactions that are changing
   the rows, but locks them only during the check. */

/* Another handle to the connection of db, with a guard. db has none and outlives it; both are not
   in a transaction at the same time. form is not copied, the values are. The caller closes it
   (db_close), which leaves the connection open. */
struct db *db_guarded(const struct db *db, const struct db_precondition_form *form,
    const struct db_value *values, gsize count);

/* Checks the guard now, unless a statement has already done so. FORBIDDEN when it does not hold;
   else errors as of db_run. */
bool db_precondition_settle(struct db *db, GError **error);

/* Whether the guard has still to be checked. */
bool db_precondition_waits(const struct db *db);

/* Takes the guard off the handle: its condition is known to hold. */
void db_precondition_drop(struct db *db);

#endif
