/* SPDX-License-Identifier: MIT */
/* Loads a dump of a database, as mariadb-dump writes it, through a connection of ours.

   A dump comes from a place where others may have written: the folder of a backup. So it is not
   given to the program mariadb, whose commands run programs and read files (\!, source), and not
   all of its statements are run. Run are

	CREATE TABLE `name` (...)	an InnoDB table, which is not made from a query
	INSERT INTO `name` VALUES ...	literals alone

   Passed over are SET, LOCK TABLES, UNLOCK TABLES, DROP TABLE IF EXISTS, COMMIT, and comments,
   also those that a server runs: this room sets what they would. All else is refused, before it is
   run: other statements, names of other databases, comments inside a statement, and lines that
   begin with a backslash. */
#ifndef STORE_COMMON_LOAD_H
#define STORE_COMMON_LOAD_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct db;
struct store_load;

/* Begins on a connection, which is good for nothing else from now on, and has to outlive the
   result. Errors of db/statement.h. The caller frees the result. */
struct store_load *store_load_new(struct db *db, GError **error);
void store_load_free(struct store_load *load);
DEFINE_AUTO(store_load, store_load_free)

/* Takes the next bytes of the dump, and runs the statements that are complete. INVALID, with the
   statement, when one is refused; errors of db/statement.h. */
bool store_load_take(struct store_load *load, const void *bytes, gsize size, GError **error);

/* At the end of the dump. INVALID when it ends inside a statement. */
bool store_load_end(struct store_load *load, GError **error);

#endif
