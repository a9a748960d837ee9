/* SPDX-License-Identifier: MIT */
/* Opens connections to MariaDB, and reopens lost ones between requests. */
#include "db/connection.h"

#include <mysql.h>
#include <poll.h>
#include <string.h>

#include "base/error.h"
#include "config/settings.h"
#include "db/after_commit.h"
#include "db/before_commit.h"
#include "db/compound.h"
#include "db/deferred.h"
#include "db/galera.h"
#include "db/handle.h"
#include "db/precondition.h"

#define CONNECT_TIMEOUT_S 5

/* Error messages are in English because failure.c reads the name of a key from one.
   lock_wait_timeout is for tables that a schema change has locked; it is shorter than
   DB_ANSWER_S so that the error of the server comes before that of the client library. */
static const char session[] =
    "SET sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
    "ERROR_FOR_DIVISION_BY_ZERO', tx_isolation = 'READ-COMMITTED', time_zone = '+00:00', "
    "autocommit = 1, completion_type = 'NO_CHAIN', innodb_lock_wait_timeout = 5, "
    "lock_wait_timeout = 30, lc_messages = 'en_US'";

static void
close_statement(gpointer statement)
{
	mysql_stmt_close(statement);
}

static void
disconnect(struct db *db)
{
	/* Closing the connection first saves a message to the server for each statement. */
	g_clear_pointer(&db->on->mysql, mysql_close);
	g_hash_table_remove_all(db->on->statements);
	db->on->packet_size = 0;
	db->on->note = (struct db_note){0, 0};
	db->on->dead = true;
}

/* The text of a setting; NULL for "", which selects the client library's default. */
static const char *
text(const struct db *db, enum config_setting setting)
{
	const char *value = config_settings_text(db->on->settings, setting);

	return *value ? value : NULL;
}

static bool
wants_tls(const struct db *db)
{
	return text(db, SETTING_DATABASE_TLS_CA) ||
	       config_settings_switch(db->on->settings, SETTING_DATABASE_TLS_REQUIRED);
}

/* Sets every option, because the defaults differ between client libraries. */
static void
set_tls(struct db *db)
{
	const char *ca = text(db, SETTING_DATABASE_TLS_CA);
	my_bool wanted = wants_tls(db);

	if (ca)
		mysql_options(db->on->mysql, MYSQL_OPT_SSL_CA, ca);
	mysql_options(db->on->mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &wanted);
	mysql_options(db->on->mysql, MYSQL_OPT_SSL_ENFORCE, &wanted);
}

static void
connection_set_options(struct db *db, bool by_tcp)
{
	guint protocol = by_tcp ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
	guint connect_s = CONNECT_TIMEOUT_S, answer_s = DB_ANSWER_S, no = 0;

	mysql_options(db->on->mysql, MYSQL_OPT_PROTOCOL, &protocol);
	mysql_options(db->on->mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
	mysql_options(db->on->mysql, MYSQL_OPT_READ_TIMEOUT, &answer_s);
	mysql_options(db->on->mysql, MYSQL_OPT_WRITE_TIMEOUT, &answer_s);
	mysql_options(db->on->mysql, MYSQL_OPT_LOCAL_INFILE, &no);
	mysql_options(db->on->mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (by_tcp)
		set_tls(db);
}

/* From 3.4 on, the client library also accepts a certificate with another name or authority, if the
   server proves that it knows the password. */
static bool
certificate_trusted(struct db *db, GError **error)
{
#ifdef MARIADB_TLS_VERIFY_OK
	unsigned int status = MARIADB_TLS_VERIFY_OK;

	if (mariadb_get_infov(db->on->mysql, MARIADB_TLS_VERIFY_STATUS, &status) != 0 ||
	    status != MARIADB_TLS_VERIFY_OK)
		return base_fail(error, PH_ERROR_FAILED,
		    "The certificate of the database server is not trusted, or does not name it");
#endif
	return true;
}

static bool
connect_server(struct db *db, GError **error)
{
	const char *socket = text(db, SETTING_DATABASE_SOCKET);
	const char *host = socket ? NULL : text(db, SETTING_DATABASE_HOST);
	guint port = (guint)config_settings_number(db->on->settings, SETTING_DATABASE_PORT);

	db->on->mysql = mysql_init(NULL);
	if (!db->on->mysql)
		g_error("out of memory");
	connection_set_options(db, host != NULL);
	db->on->wait_s = DB_ANSWER_S;
	db->on->dead = false;
	if (!mysql_real_connect(db->on->mysql, host, text(db, SETTING_DATABASE_USER),
		text(db, SETTING_DATABASE_PASSWORD), text(db, SETTING_DATABASE_NAME), port, socket,
		CLIENT_FOUND_ROWS))
		db_handle_failed(db, NULL, NULL, error);
	else if ((!host || !wants_tls(db) || certificate_trusted(db, error)) &&
		 db_handle_command(db, session, error) && db_galera_ask(db, error))
		return true;
	disconnect(db);
	return false;
}

static struct db_connection *
connection_new(const struct config_settings *settings)
{
	struct db_connection *connection = g_new0(struct db_connection, 1);

	connection->settings = settings;
	connection->statements = g_hash_table_new_full(NULL, NULL, NULL, close_statement);
	connection->texts = db_texts_new();
	connection->deferred = db_deferred_new();
	connection->before = db_before_commit_new();
	connection->after = db_after_commit_new();
	return connection;
}

struct db *
db_open(const struct config_settings *settings, GError **error)
{
	AUTO(db) db = g_new0(struct db, 1);

	db->on = connection_new(settings);
	if (!connect_server(db, error))
		return NULL;
	return g_steal_pointer(&db);
}

/* Whether there is something to read although no command is pending: the end of the connection, or
   the server's message before it. */
static bool
hung_up(struct db *db)
{
	struct pollfd fd = {.fd = mysql_get_socket(db->on->mysql), .events = POLLIN};

	return poll(&fd, 1, 0) != 0;
}

bool
db_ensure(struct db *db, GError **error)
{
	g_assert(!db->on->in_transaction);
	if (!db->on->dead && !hung_up(db))
		return true;
	disconnect(db);
	return connect_server(db, error);
}

void
db_limit_reads(struct db *db, guint seconds)
{
	db->on->reads_s = seconds;
}

guint
db_read_limit(const struct db *db)
{
	return db->on->reads_s;
}

const struct config_settings *
db_settings(const struct db *db)
{
	return db->on->settings;
}

bool
db_is_dead(const struct db *db)
{
	return db->on->dead;
}

enum db_cause
db_cause(const struct db *db)
{
	return db->on->failure.cause;
}

bool
db_cause_is_key(const struct db *db, const char *key)
{
	return db->on->failure.cause == DB_CAUSE_DUPLICATE && strcmp(db->on->failure.key, key) == 0;
}

bool
db_cause_is_reason(const struct db *db, const char *reason)
{
	return db->on->failure.cause == DB_CAUSE_REFUSED &&
	       strcmp(db->on->failure.key, reason) == 0;
}

guint64
db_connection_id(const struct db *db)
{
	return db->on->mysql ? mysql_thread_id(db->on->mysql) : 0;
}

guint64
db_row_count(const struct db *db)
{
	return db->on->row_count;
}

void
db_count_rows(struct db *db, guint64 count)
{
	db->on->row_count += count;
}

struct db_note *
db_note(struct db *db)
{
	return &db->on->note;
}

static void
connection_free(struct db_connection *connection)
{
	g_hash_table_destroy(connection->statements);
	db_texts_free(connection->texts);
	g_ptr_array_unref(connection->deferred);
	db_before_commit_free(connection->before);
	db_after_commit_free(connection->after);
	g_free(connection);
}

void
db_close(struct db *db)
{
	if (!db)
		return;
	db_precondition_drop(db);
	if (!db->is_guarded) {
		disconnect(db);
		connection_free(db->on);
	}
	g_free(db);
}
