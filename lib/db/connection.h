#ifndef DB_CONNECTION_H
#define DB_CONNECTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct settings;

/* One connection to MariaDB and its prepared statements. Never shared by threads or processes. */
struct db;

/* Connects by the [database] settings; sets strict SQL mode, READ COMMITTED, utf8mb4 and UTC.
   TEMPORARY when the server cannot be reached or is not ready; FAILED when it refuses us (password,
   no such database, TLS). The caller frees it. */
struct db *db_open(const struct settings *settings, GError **error);

/* Between requests or batches: makes sure that the connection lives, and opens it again if a call
   found it dead since (the only reconnect there is; never inside a transaction). Costs no round
   trip while nothing has failed. Errors as db_open. */
bool db_ensure(struct db *db, GError **error);

/* True when the last failure was that of the connection. */
bool db_is_dead(const struct db *db);

void db_close(struct db *db);
DEFINE_AUTO(db, db_close)

#endif
