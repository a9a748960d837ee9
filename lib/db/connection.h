/* SPDX-License-Identifier: MIT */
#ifndef DB_CONNECTION_H
#define DB_CONNECTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "db/failure.h"

struct base_settings;

/* One connection to MariaDB and its prepared statements. Never shared by threads or processes. */
struct db;

/* Connects by the [database] settings, which must outlive the connection: to socket if set, else by
   TCP to host, else to the library's default socket. Sets strict SQL mode, READ COMMITTED, utf8mb4,
   UTC, and waits of at most 5 s for a row's lock; a server that says nothing for 60 s counts as
   lost. By TCP, tls_ca or tls_required mean TLS or FAILED; the certificate and its name are
   checked, against tls_ca or else the system's store. A socket needs no TLS. TEMPORARY when the
   server cannot be reached or is not ready; FAILED when it refuses us (password, no such database,
   TLS). The caller frees it. */
struct db *db_open(const struct base_settings *settings, GError **error);

/* Between requests or batches: makes sure that the connection lives, and opens it again if a call
   found it dead since or the server has hung up (the only reconnect there is; never inside a
   transaction). Costs no round trip while nothing has failed. Errors as db_open. */
bool db_ensure(struct db *db, GError **error);

/* The settings by which it was opened. */
const struct base_settings *db_settings(const struct db *db);

/* True when the connection was lost, and is not open again. */
bool db_is_dead(const struct db *db);

/* Why the last call that failed on this connection failed; no success clears it. */
enum db_cause db_cause(const struct db *db);

/* True when that was a duplicate in this unique key: PRIMARY, or its name in the schema. */
bool db_cause_is_key(const struct db *db, const char *key);

/* The server's number of the connection (CONNECTION_ID()), 0 while there is none. */
guint64 db_connection_id(const struct db *db);

void db_close(struct db *db);
DEFINE_AUTO(db, db_close)

#endif
