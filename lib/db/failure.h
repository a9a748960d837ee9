/* SPDX-License-Identifier: MIT */
/* The causes of database errors, translated from the numbers of the server and its library. */
#ifndef DB_FAILURE_H
#define DB_FAILURE_H

#include <glib.h>
#include <stdbool.h>

/* The cause of a failure, for callers that act on it. It tells more than the code of the GError. */
enum db_cause {
	DB_CAUSE_NONE,
	DB_CAUSE_OTHER,
	DB_CAUSE_DUPLICATE, /* CONFLICT: a unique key already has this value */
	DB_CAUSE_MISSING,   /* CONFLICT: a foreign key refers to a row that does not exist */
	DB_CAUSE_REFERRED,  /* CONFLICT: other rows refer to the row by a foreign key */
	DB_CAUSE_REFUSED,   /* CONFLICT: the statement itself has refused (DB_REFUSE) */
	DB_CAUSE_CHECK,	    /* LIMITED: a CHECK of the table forbids the row */
	DB_CAUSE_LOCK_WAIT, /* TEMPORARY: another transaction held a lock for too long */
	DB_CAUSE_DEADLOCK,  /* TEMPORARY: the server rolled back the transaction (deadlock, Galera
			       conflict), or db_transact_again is to */
	DB_CAUSE_UNREADY,   /* TEMPORARY: the node of a Galera cluster is not ready */
	DB_CAUSE_DENIED,    /* FORBIDDEN: a guard (db/precondition.h) does not hold */
	DB_CAUSE_LOST,	    /* TEMPORARY: there is no connection, or it was lost */
};

#define DB_KEY_SIZE 256

/* The SQLSTATE of a guard (db/precondition.h) that does not hold; nothing else uses it. */
#define DB_SQLSTATE_DENIED "45G00"

/* The SQLSTATE of a statement that refuses (DB_REFUSE); likewise. */
#define DB_SQLSTATE_REFUSED "45R00"

/* For this room: the last failure of a connection. */
struct db_failure {
	enum db_cause cause;
	bool dead;	       /* the connection cannot be used any more */
	bool unsent;	       /* the command could not be sent */
	bool unanswered;       /* the command was sent, and the server may have run it */
	char key[DB_KEY_SIZE]; /* the name of the key, for DB_CAUSE_DUPLICATE, or the reason, for
				  DB_CAUSE_REFUSED */
};

/* Translates an error of the server or the client library: fills *failure_r and sets error. Only
   this function knows error numbers. The message quotes sql if the fault may be in it; sql is NULL
   when no statement was run. */
void db_failure_read(struct db_failure *failure_r, guint code, const char *sqlstate,
    const char *message, const char *sql, GError **error);

/* Whether the whole transaction can be run again. */
bool db_failure_passes(const struct db_failure *failure);

#endif
