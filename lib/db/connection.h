/* SPDX-License-Identifier: MIT */
/* A connection to MariaDB: it is opened here, and reopened between requests when it is lost. */
#ifndef DB_CONNECTION_H
#define DB_CONNECTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "db/failure.h"

struct config_settings;

/* A handle to a connection to MariaDB with its prepared statements. Threads and processes must not
   share the connection. db_guarded (db/precondition.h) makes further handles to it. */
struct db;

/* Connects as the [database] settings say: to socket if it is set, else by TCP to host, else to the
   library's default socket. The settings must outlive the connection. The session has strict SQL
   mode, READ COMMITTED, utf8mb4 and UTC, and waits at most 5 s for a row lock; a server that does
   not answer for 60 s counts as lost. By TCP, tls_ca or tls_required demand TLS; the certificate
   and its name are then checked against tls_ca, or else the system's certificates. A socket needs
   no TLS. TEMPORARY when the server cannot be reached or is not ready; FAILED when it refuses the
   connection (password, unknown database, TLS). The caller closes the result. */
struct db *db_open(const struct config_settings *settings, GError **error);

/* Makes sure that the connection works; call it between requests or batches. Reconnects if a call
   has found the connection dead or the server has closed it. There is no other reconnect, and none
   inside a transaction. Takes no round trip while the connection works. Errors as of db_open. */
bool db_ensure(struct db *db, GError **error);

/* From now on, also after db_ensure, a read outside a transaction (db_select and the like) waits
   only so long for an answer of the server, which then counts as lost. It changes nothing, so it
   may be given up early; a change is waited for, since its outcome would be in doubt. */
void db_limit_reads(struct db *db, guint seconds);

/* The limit that db_limit_reads has set, in seconds; 0: it was not called. */
guint db_read_limit(const struct db *db);

/* The settings given to db_open. */
const struct config_settings *db_settings(const struct db *db);

/* Whether the connection is lost; db_ensure can open it again. */
bool db_is_dead(const struct db *db);

/* The cause of the last failed call on this connection; a successful call does not clear it. */
enum db_cause db_cause(const struct db *db);

/* Whether that cause was a duplicate in this unique key: PRIMARY, or its name in the schema. */
bool db_cause_is_key(const struct db *db, const char *key);

/* Whether that cause was a refusal with this reason (DB_REFUSE in db/transaction.h). */
bool db_cause_is_reason(const struct db *db, const char *reason);

/* The server's id of the connection (CONNECTION_ID()); 0 without a connection. */
guint64 db_connection_id(const struct db *db);

/* The number of rows that the connection has returned in all. */
guint64 db_row_count(const struct db *db);

/* Adds rows that another connection has returned for the user of this one. */
void db_count_rows(struct db *db, guint64 count);

/* Frees the handle. That of db_open ends the connection; a transaction that is open is rolled back.
   NULL: nothing. */
void db_close(struct db *db);
DEFINE_AUTO(db, db_close)

#endif
