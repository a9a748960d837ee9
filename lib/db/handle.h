/* SPDX-License-Identifier: MIT */
#ifndef DB_HANDLE_H
#define DB_HANDLE_H

#include <glib.h>
#include <mysql.h>
#include <stdbool.h>

#include "db/failure.h"

struct db_kept;
struct base_settings;

/* For the files of this room alone: what a connection is, and what they all do with it. */
struct db {
	const struct base_settings *settings;
	MYSQL *mysql;		   /* NULL when there is none; it is then dead too */
	GHashTable *statements;	   /* address of the SQL text -> MYSQL_STMT, closed when removed */
	struct db_failure failure; /* the last one */
	guint64 packet_size;	   /* what the server takes; 0 while not asked */
	bool galera;		   /* the server is a node of a cluster (db/galera.h) */
	bool dead;		   /* no call but db_ensure may use mysql */
	bool in_transaction;
	bool touched;	     /* something of the transaction was sent */
	bool begun;	     /* START TRANSACTION is among it, and was answered */
	bool undone;	     /* nothing more can be done in the transaction in which we still are */
	GPtrArray *deferred; /* what waits for the next statement or COMMIT (db/deferred.h) */
	gsize deferred_size; /* bytes of its values */
	struct db_kept *guard; /* NULL: nothing has to hold (db/guard.h) */
	bool denied;	       /* it does not */
	GHashTable *blocks;    /* the texts of blocks (db/block.h) that are kept */
};

/* True when calls may be made. Else TEMPORARY: the connection is dead, or its transaction undone.
 */
bool db_handle_ready(struct db *db, GError **error);

/* Takes in what mysql (statement NULL) or the statement failed of, and sets error. Always false. */
bool db_handle_failed(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error);

/* The same of a statement that was sent and may have changed something: UNCERTAIN where it had no
   answer and no transaction that is now undone for sure. */
bool db_handle_doubted(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error);

/* Runs one command given as text. */
bool db_handle_command(struct db *db, const char *sql, GError **error);

/* Asks for one whole number, such as a variable of the server's; NULL is 0. */
bool db_handle_number(struct db *db, const char *sql, guint64 *number_r, GError **error);

/* Before a statement that START TRANSACTION may go with: where an earlier one of the transaction
   failed, undoes what an interruption may have left of it, which would be committed by that. */
bool db_handle_clear(struct db *db, GError **error);

#endif
