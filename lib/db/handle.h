/* SPDX-License-Identifier: MIT */
/* The members of a connection, for the files of this room alone. */
#ifndef DB_HANDLE_H
#define DB_HANDLE_H

#include <glib.h>
#include <mysql.h>
#include <stdbool.h>

#include "db/failure.h"
#include "db/guard.h"
#include "db/note.h"

struct config_settings;
struct db_after_commit;
struct db_before_commit;
struct db_texts;

/* For this room: the state of a connection, which all handles to it share. */
struct db_connection {
	const struct config_settings *settings;
	MYSQL *mysql;		   /* NULL without a connection; dead is then set too */
	GHashTable *statements;	   /* address of the SQL text -> MYSQL_STMT, closed when removed */
	struct db_failure failure; /* the last one */
	guint64 packet_size;	   /* the server's max_allowed_packet; 0: not asked yet */
	guint reads_s;		   /* db_limit_reads; 0: DB_ANSWER_S */
	guint wait_s;		   /* how long the client library waits for an answer now */
	bool galera;		   /* the server is a Galera node (db/galera.h) */
	struct db_note note;	   /* zeros without a connection */
	guint64 row_count;	   /* rows that it has returned */
	bool dead;		   /* only db_ensure may use mysql */
	bool in_transaction;	   /* the body of a transaction is running */
	bool touched;		   /* a statement of the transaction was sent */
	bool begun;		   /* START TRANSACTION was sent and answered */
	bool undone;		   /* the server has ended the transaction, its body still runs */
	GPtrArray *deferred;	   /* of struct db_query_copy: the queue of db/deferred.h */
	gsize deferred_size;	   /* bytes of its values */
	struct db_texts *texts;	   /* that db/compound.h has built */
	struct db_before_commit *before; /* what is written before COMMIT (db/before_commit.h) */
	struct db_after_commit *after;	 /* what follows transactions (db/after_commit.h) */
};

/* For this room: a handle to a connection, and functions on both that several files use. */
struct db {
	struct db_connection *on;
	bool is_guarded;	/* made by db_guarded: the connection is another handle's */
	struct db_guard *guard; /* NULL: none, or it has held (db/precondition.h) */
	bool denied;		/* the guard did not hold */
};

/* Seconds after which a server that does not answer counts as lost. */
#define DB_ANSWER_S 60

/* Sets for how many seconds the client library waits for each part of the next answers. */
void db_handle_wait(struct db *db, guint seconds);

/* Returns true when the connection can be used. Else TEMPORARY when it is dead or its transaction
   is undone, and FORBIDDEN when the guard did not hold. */
bool db_handle_ready(struct db *db, GError **error);

/* Records a failure of the statement, or of the connection (statement NULL), and sets error. Always
   returns false. */
bool db_handle_failed(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error);

/* Does the same for a statement that may have changed something: UNCERTAIN when it was sent outside
   a transaction and not answered. */
bool db_handle_doubted(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error);

/* Runs a command given as text, which gives no rows. */
bool db_handle_command(struct db *db, const char *sql, GError **error);

/* Runs a query for one whole number, such as a variable of the server; NULL is read as 0. */
bool db_handle_number(struct db *db, const char *sql, guint64 *number_r, GError **error);

/* Sends ROLLBACK if the transaction's first statement was sent but did not succeed. The next
   statement brings its own START TRANSACTION, which would commit the rest of an interrupted one. */
bool db_handle_clear(struct db *db, GError **error);

#endif
