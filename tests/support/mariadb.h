/* SPDX-License-Identifier: MIT */
/* Starts, kills and stops a private MariaDB, and makes databases in it. */
#ifndef TESTS_SUPPORT_MARIADB_H
#define TESTS_SUPPORT_MARIADB_H

#include <glib.h>

#include "base/scope.h"
#include "config/settings.h"

/* A private MariaDB server with data and socket in a temporary folder, without network, with the
   user root and no password. Errors end the process with a message. */
struct test_mariadb;

/* A suite's main: starts a server that its tests share, runs them, and stops it. 77, with a
   sentence, where MariaDB is not installed. The functions below take NULL for this server. */
int test_mariadb_main(int argc, char **argv);

/* A server for one test, which it may stop and kill. options, which may be NULL: more of its
   command line, NULL-terminated. It ends with the process, if not before. */
struct test_mariadb *test_mariadb_start(const char *const *options);

/* Kills the server with SIGKILL; committed data is kept. */
void test_mariadb_kill(struct test_mariadb *server);

/* Starts it again after test_mariadb_kill. */
void test_mariadb_restart(struct test_mariadb *server);

/* Stops it if it runs, and removes its folder. */
void test_mariadb_stop(struct test_mariadb *server);
DEFINE_AUTO(test_mariadb, test_mariadb_stop)

/* The folder, for other files of a test too, and the path of the socket in it. */
const char *test_mariadb_dir(const struct test_mariadb *server);
char *test_mariadb_socket(const struct test_mariadb *server);

/* Runs a statement as root on a connection of its own, in no database. Gives the first value of its
   result, to be freed, or NULL when there is none. */
char *test_mariadb_sql(const struct test_mariadb *server, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* Kills the connection with this CONNECTION_ID(), and waits until it is gone. */
void test_mariadb_disconnect(const struct test_mariadb *server, guint64 id);

/* Makes the database anew, empty, and writes a settings file for it. name NULL: one of the calling
   process, which is a test of its own among others that run at the same time. more: further lines
   of the file's [database] section and further sections, or NULL. The caller frees the path. */
char *test_mariadb_file(const struct test_mariadb *server, const char *name, const char *more);

/* The same, read. The caller frees the result. */
struct config_settings *test_mariadb_database(const struct test_mariadb *server, const char *name);

#endif
