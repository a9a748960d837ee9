/* SPDX-License-Identifier: MIT */
#ifndef DB_FAILURE_H
#define DB_FAILURE_H

#include <glib.h>
#include <stdbool.h>

/* Why the database did not do it, where a caller may act on it; finer than the GError's code. */
enum db_cause {
	DB_CAUSE_NONE,
	DB_CAUSE_OTHER,
	DB_CAUSE_DUPLICATE, /* CONFLICT: a unique key holds this value already */
	DB_CAUSE_MISSING,   /* CONFLICT: a foreign key refers to a row that is not there */
	DB_CAUSE_REFERRED,  /* CONFLICT: other rows refer to the row by a foreign key */
	DB_CAUSE_CHECK,	    /* LIMITED: a CHECK of the table forbids the row */
	DB_CAUSE_LOCK_WAIT, /* TEMPORARY: another transaction held a lock for too long */
	DB_CAUSE_DEADLOCK,  /* TEMPORARY: the server undid the transaction; Galera's conflict too */
	DB_CAUSE_UNREADY,   /* TEMPORARY: the node of a Galera cluster serves nobody now */
	DB_CAUSE_DENIED,    /* FORBIDDEN: a guard (db/guard.h) does not hold */
	DB_CAUSE_LOST,	    /* TEMPORARY: no connection, or not any more */
};

#define DB_KEY_SIZE 256

/* One that nobody else uses, which a guard (db/guard.h) that does not hold gives: FORBIDDEN. */
#define DB_SQLSTATE_DENIED "45G00"

/* What the files of this room remember of a failure. */
struct db_failure {
	enum db_cause cause;
	bool dead;	       /* the connection is of no use any more */
	bool unsent;	       /* the command could not be sent */
	bool unanswered;       /* a command was sent, and may have been obeyed */
	char key[DB_KEY_SIZE]; /* of DB_CAUSE_DUPLICATE: the key's name */
};

/* The one place that knows error numbers: fills *failure_r from what the server or the client
   library said, and sets error. sql, a text of our own, is quoted where the fault may lie in it;
   NULL when there was none. */
void db_failure_read(struct db_failure *failure_r, guint code, const char *sqlstate,
    const char *message, const char *sql, GError **error);

/* True when the whole transaction may simply be run again. */
bool db_failure_passes(const struct db_failure *failure);

#endif
