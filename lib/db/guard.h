/* SPDX-License-Identifier: MIT */
#ifndef DB_GUARD_H
#define DB_GUARD_H

#include <glib.h>
#include <stdbool.h>

#include "db/failure.h"

struct db;
struct db_value;

/* A condition that must hold for what follows, such as that whoever asks may still do so. The
   server looks at it in the round trip of the next statement, before that. Where it does not hold,
   that fails with FORBIDDEN, and so does each call of the connection, until db_guard_drop; once it
   has held and the statement has been done, it is not looked at again. It is a locking read: it
   waits for who changes the rows, and keeps them only while it looks. */
#define DB_GUARD(condition)                                                                        \
	"IF NOT " condition " THEN SIGNAL SQLSTATE '" DB_SQLSTATE_DENIED "'; END IF"

/* Outside a transaction. sql is a literal that DB_GUARD made; the values are copied. In place of
   one that was there. */
void db_guard(struct db *db, const char *sql, const struct db_value *values, gsize count);

/* Where no statement has come since: looks at it now. FORBIDDEN; else errors as of db_run. */
bool db_guard_settle(struct db *db, GError **error);

void db_guard_drop(struct db *db);

#endif
