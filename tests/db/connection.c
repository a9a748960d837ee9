/* SPDX-License-Identifier: MIT */
/* Tests connections by socket and by TCP, with TLS and without. */
#include <criterion/criterion.h>
#include <mysql.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "tests/support/db.h"
#include "tests/support/proxy.h"
#include "tests/support/settings.h"

static struct config_settings *settings;

static void
connection_begin(void)
{
	settings = test_mariadb_database(NULL, NULL);
}

static void
connection_end(void)
{
	config_settings_free(settings);
}

TestSuite(connection, .init = connection_begin, .fini = connection_end);

static bool
connection_sleep(struct db *db, void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(db, "SELECT SLEEP(1.5)", NULL, 0, error);

	return rows != NULL;
}

Test(connection, is_set_up)
{
	static const struct {
		const char *sql, *want;
	} cases[] = {
	    {"SELECT @@tx_isolation", "READ-COMMITTED"},
	    {"SELECT @@time_zone", "+00:00"},
	    {"SELECT CAST(@@autocommit = 1 AS CHAR)", "1"},
	    {"SELECT CAST(@@innodb_lock_wait_timeout AS CHAR)", "5"},
	    {"SELECT @@character_set_client", "utf8mb4"},
	    {"SELECT @@character_set_connection", "utf8mb4"},
	    {"SELECT @@character_set_results", "utf8mb4"},
	    {"SELECT CAST(@@sql_mode LIKE '%STRICT_ALL_TABLES%' AS CHAR)", "1"},
	    {"SELECT CAST(DATABASE() = 'mysql' AS CHAR)", "0"},
	};
	AUTO(db) db = test_db_open(settings);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = test_db_text(db, cases[i].sql);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].sql, got, cases[i].want);
	}
	cr_expect_eq((gint64)db_connection_id(db), test_db_number(db, "SELECT CONNECTION_ID()"));
}

/* With it, all that is done after a COMMIT would wait for another one. */
Test(connection, chains_no_transactions_though_the_server_would)
{
	AUTO(db) before = test_db_open(settings);

	test_db_plain(before, "SET GLOBAL completion_type = 'CHAIN'");
	AUTO(db) db = test_db_open(settings);
	test_db_plain(before, "SET GLOBAL completion_type = 'NO_CHAIN'");
	test_db_plain(db, "COMMIT");
	cr_expect_eq(test_db_number(db, "SELECT @@in_transaction"), 0);
}

/* Settings of the suite's server with some other text for [database]. */
static struct config_settings *
connection_load(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *lines = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_autofree char *text = g_strdup_printf("[database]\n%s", lines);
	g_autofree char *name = g_strdup_printf("other_%d", (int)getpid());
	return test_settings_load(test_mariadb_dir(NULL), name, text);
}

Test(connection, is_refused)
{
	g_autofree char *socket = test_mariadb_socket(NULL);
	g_autofree char *user = g_strdup_printf("user_%d", (int)getpid());
	const struct {
		const char *name, *socket, *user, *password, *database;
		int want_error; /* -1: none */
	} cases[] = {
	    {"right password", socket, user, "right-7Qx", "information_schema", -1},
	    {"wrong password", socket, user, "wrong-7Qx", "information_schema", PH_ERROR_FAILED},
	    {"no password", socket, user, "", "information_schema", PH_ERROR_FAILED},
	    {"unknown user", socket, "nobody-knows", "right-7Qx", "mysql", PH_ERROR_FAILED},
	    {"no right", socket, user, "right-7Qx", "mysql", PH_ERROR_FAILED},
	    {"no such database", socket, "root", "", "nowhere", PH_ERROR_FAILED},
	    {"no server", "/nonexistent/s", "root", "", "mysql", PH_ERROR_TEMPORARY},
	};

	g_free(
	    test_mariadb_sql(NULL, "CREATE USER `%s`@localhost IDENTIFIED BY 'right-7Qx'", user));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(config_settings) given =
		    connection_load("socket = %s\nuser = %s\npassword = %s\nname = %s\n",
			cases[i].socket, cases[i].user, cases[i].password, cases[i].database);
		AUTO(db) db = db_open(given, &error);
		int got = error ? error->code : -1;

		cr_expect(got == cases[i].want_error && !db == !!error, "%s: got %d, want %d: %s",
		    cases[i].name, got, cases[i].want_error, error ? error->message : "");
		cr_expect(!error || !strstr(error->message, "7Qx"), "%s: the password is told: %s",
		    cases[i].name, error->message);
	}
	g_free(test_mariadb_sql(NULL, "DROP USER `%s`@localhost", user));
}

Test(connection, takes_two_round_trips_to_set_up_and_none_to_ensure)
{
	struct config_settings *proxied;
	g_autoptr(GError) error = NULL;

	config_settings_free(settings);
	AUTO(test_proxy) proxy = test_proxied_database(&settings, &proxied);
	struct db *db = test_db_open(proxied);
	cr_expect_eq(
	    test_proxy_commands(proxy), 2, "%u commands to open", test_proxy_commands(proxy));
	guint64 id = db_connection_id(db);
	test_db_plain(db, "SELECT 1");
	cr_assert(db_ensure(db, &error) && db_ensure(db, &error));
	cr_expect_eq(
	    test_proxy_commands(proxy), 3, "%u commands in all", test_proxy_commands(proxy));
	cr_expect_eq(db_connection_id(db), id, "another connection");
	db_close(db);
	config_settings_free(proxied);
}

Test(connection, that_the_server_ended_while_idle_is_opened_again)
{
	g_autoptr(GError) error = NULL;
	AUTO(db) db = test_db_open(settings);
	guint64 id = db_connection_id(db);

	test_mariadb_disconnect(NULL, id);
	cr_assert(db_ensure(db, &error), "%s", error ? error->message : "");
	cr_assert_neq(db_connection_id(db), id);
	cr_assert_eq(test_db_number(db, "SELECT 1"), 1);
}

Test(connection, has_no_local_infile)
{
	g_autoptr(GError) error = NULL;
	AUTO(db) db = test_db_open(settings);

	test_db_plain(db, "CREATE TABLE t (line TEXT)");
	cr_assert_not(
	    db_run_plain(db, "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t", &error));
	cr_assert(db_ensure(db, NULL));
	cr_assert_eq(test_db_number(db, "SELECT COUNT(*) FROM t"), 0);
}

Test(connection, is_temporary_when_there_are_too_many)
{
	const char *options[] = {"--max-connections=10", "--extra-max-connections=1", NULL};
	AUTO(test_mariadb) server = test_mariadb_start(options);
	AUTO(config_settings) own = test_mariadb_database(server, NULL);
	struct db *open[12] = {NULL};
	g_autoptr(GError) error = NULL;
	gsize count = 0;

	/* One more is for an administrator, as which we come. */
	while (count < G_N_ELEMENTS(open) && (open[count] = db_open(own, &error)))
		count++;
	cr_expect_eq(count, 11, "got %zu connections", count);
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %s",
	    error ? error->message : "no error");
	for (gsize i = 0; i < count; i++)
		db_close(open[i]);
}

Test(connection, outlives_the_server)
{
	static const char select[] = "SELECT n FROM t WHERE n = ?";
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	AUTO(config_settings) own = test_mariadb_database(server, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(db) db = test_db_open(own);

	test_db_plain(db, "CREATE TABLE t (n INT)");
	test_db_plain(db, "INSERT INTO t VALUES (5)");
	AUTO(db_rows) before = db_select(db, select, DB_VALUES(db_int(5)), &error);
	cr_assert(before);
	test_mariadb_kill(server);
	cr_assert_not(db_ensure(db, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %s", error->message);
	cr_assert(db_is_dead(db));
	cr_assert_eq(db_connection_id(db), 0);
	g_clear_error(&error);
	AUTO(db_rows) during = db_select(db, select, DB_VALUES(db_int(5)), &error);
	cr_assert(!during && g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY));
	g_clear_error(&error);
	test_mariadb_restart(server);
	cr_assert(db_ensure(db, &error), "%s", error ? error->message : "");
	cr_assert_not(db_is_dead(db));
	AUTO(db_rows) after = db_select(db, select, DB_VALUES(db_int(5)), &error);
	cr_assert(after && db_rows_next(after), "%s", error ? error->message : "no row");
}

static void use_openssl(const char *dir, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void
use_openssl(const char *dir, const char *format, ...)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) argv = NULL;
	int status = 0;
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *rest = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_autofree char *line = g_strconcat("openssl ", rest, NULL);
	cr_assert(g_shell_parse_argv(line, NULL, &argv, &error), "%s", line);
	if (!g_spawn_sync(dir, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
		NULL, NULL, NULL, &status, &error) ||
	    !g_spawn_check_wait_status(status, &error))
		cr_assert_fail("%s: %s", line, error->message);
}

/* NAME.pem and NAME.key of an authority. */
static void
make_authority(const char *dir, const char *name)
{
	use_openssl(dir,
	    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=%s "
	    "-keyout %s.key -out %s.pem",
	    name, name, name);
}

/* server.pem and server.key, signed by the authority ca, for a server named localhost. */
static void
connection_make_certificate(const char *dir)
{
	g_autofree char *extension = g_build_filename(dir, "names", NULL);

	cr_assert(g_file_set_contents(extension, "subjectAltName = DNS:localhost\n", -1, NULL));
	use_openssl(dir, "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "
			 "/CN=localhost -keyout server.key -out server.csr");
	use_openssl(dir, "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial "
			 "-days 2 -extfile names -out server.pem");
}

/* A port that stays ours, at which nobody listens. */
static guint
connection_closed_port(void)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert(bind(fd, (struct sockaddr *)&address, size) == 0 &&
		  getsockname(fd, (struct sockaddr *)&address, &size) == 0);
	return ntohs(address.sin_port);
}

/* A port below those that the kernel gives to connections, which would be taken again before a
   server has started. */
static guint
free_port(void)
{
	for (guint port = 3000 + (guint)getpid() % 6000;; port++) {
		struct sockaddr_in address = {.sin_family = AF_INET,
		    .sin_port = htons((guint16)port),
		    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		bool is_free = bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

		close(fd);
		if (is_free)
			return port;
	}
}

/* A server that listens on 127.0.0.1 and has a user tcp; dir holds a certificate, or is NULL. */
static struct test_mariadb *
start_server(const char *dir, guint port)
{
	g_autofree char *listen_port = g_strdup_printf("--port=%u", port);
	g_autofree char *certificate = g_strdup_printf("--ssl-cert=%s/server.pem", dir);
	g_autofree char *key = g_strdup_printf("--ssl-key=%s/server.key", dir);
	const char *options[] = {"--skip-networking=0", "--bind-address=127.0.0.1",
	    "--skip-name-resolve", listen_port, dir ? certificate : NULL, key, NULL};
	struct test_mariadb *server = test_mariadb_start(options);

	g_free(test_mariadb_sql(server, "CREATE USER tcp@127.0.0.1 IDENTIFIED BY 'secret'"));
	g_free(test_mariadb_sql(server, "GRANT ALL ON *.* TO tcp@127.0.0.1"));
	return server;
}

struct tcp_case {
	const char *name, *host, *ca, *required;
	int want_error; /* -1: none */
	bool want_tls;
};

static void
connection_check(const struct tcp_case *c, const char *dir, guint port)
{
	g_autofree char *ca = c->ca ? g_strdup_printf("tls_ca = %s/%s", dir, c->ca) : g_strdup("");
	g_autofree char *text = g_strdup_printf(
	    "[database]\nhost = %s\nport = %u\nuser = tcp\npassword = secret\nname = mysql\n"
	    "tls_required = %s\n%s\n",
	    c->host, port, c->required, ca);
	AUTO(config_settings) by_tcp = test_settings_load(dir, "tcp", text);
	g_autoptr(GError) error = NULL;
	AUTO(db) db = db_open(by_tcp, &error);
	int got = error ? error->code : -1;

	cr_expect(got == c->want_error && !db == !!error, "%s: got %d, want %d: %s", c->name, got,
	    c->want_error, error ? error->message : "");
	if (!db)
		return;
	AUTO(db_rows) rows = db_select(db, "SHOW STATUS LIKE 'Ssl_cipher'", NULL, 0, &error);
	cr_assert(rows && db_rows_next(rows), "%s: %s", c->name, error ? error->message : "");
	const char *cipher = db_rows_text(rows, 1);
	cr_expect_eq(*cipher != '\0', c->want_tls, "%s: cipher '%s'", c->name, cipher);
	guint64 id = db_connection_id(db);
	cr_expect(db_ensure(db, &error) && db_connection_id(db) == id,
	    "%s: a living connection was opened again", c->name);
	if (!c->want_tls || strcmp(c->required, "yes") != 0)
		return;
	db_limit_reads(db, 1);
	cr_expect_not(connection_sleep(db, NULL, &error), "%s: no limit", c->name);
}

Test(tcp, with_tls)
{
	static const struct tcp_case cases[] = {
	    {"right authority", "localhost", "ca.pem", "yes", -1, true},
	    {"authority given", "localhost", "ca.pem", "no", -1, true},
	    {"not asked for", "localhost", NULL, "no", -1, false},
	    {"other authority", "localhost", "other.pem", "yes", PH_ERROR_FAILED, false},
	    {"other authority given", "localhost", "other.pem", "no", PH_ERROR_FAILED, false},
#ifndef MARIADB_TLS_VERIFY_OK /* a newer client library asks 127.0.0.1 for no name */
	    {"other name", "127.0.0.1", "ca.pem", "yes", PH_ERROR_FAILED, false},
#endif
	    {"system's authorities", "localhost", NULL, "yes", PH_ERROR_FAILED, false},
	    {"no such file", "localhost", "nothing.pem", "yes", PH_ERROR_FAILED, false},
	};
	const char *dir = test_mariadb_dir(NULL);
	guint port = free_port();

	make_authority(dir, "ca");
	make_authority(dir, "other");
	connection_make_certificate(dir);
	AUTO(test_mariadb) server = start_server(dir, port);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		connection_check(&cases[i], dir, port);
}

Test(tcp, without_tls)
{
	static const struct tcp_case cases[] = {
	    {"not asked for", "127.0.0.1", NULL, "no", -1, false},
	    {"authority given", "127.0.0.1", "ca.pem", "no", PH_ERROR_FAILED, false},
	    {"required", "127.0.0.1", NULL, "yes", PH_ERROR_FAILED, false},
	};
	guint port = free_port();
	AUTO(test_mariadb) server = start_server(NULL, port);

	make_authority(test_mariadb_dir(server), "ca");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		connection_check(&cases[i], test_mariadb_dir(server), port);
}

Test(tcp, nobody_listens)
{
	static const struct tcp_case cases[] = {
	    {"refused", "127.0.0.1", NULL, "no", PH_ERROR_TEMPORARY, false},
	    {"no such name", "nowhere.invalid", NULL, "no", PH_ERROR_TEMPORARY, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		connection_check(&cases[i], test_mariadb_dir(NULL), connection_closed_port());
}

/* A server that takes the connection and says nothing. */
Test(tcp, gives_up_on_a_server_that_hangs)
{
	static const struct tcp_case c = {
	    "hung", "127.0.0.1", NULL, "no", PH_ERROR_TEMPORARY, false};
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert(bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 8) == 0 &&
		  getsockname(fd, (struct sockaddr *)&address, &size) == 0);
	gint64 begun = g_get_monotonic_time();
	connection_check(&c, test_mariadb_dir(NULL), ntohs(address.sin_port));
	gint64 took = (g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
	cr_assert_geq(took, 4, "took %d s", (int)took);
	close(fd);
}

/* As the writes of a request, which go together with COMMIT. */
static bool
connection_sleep_at_commit(struct db *db, void *context, GError **error)
{
	return db_defer(db, "DO SLEEP(1.5)", NULL, 0, 1, error);
}

/* A read alone is given up; a change, and a read before one, is waited for. */
Test(connection, gives_reads_up_early)
{
	g_autoptr(GError) error = NULL;
	AUTO(db) db = test_db_open(settings);

	db_limit_reads(db, 1);
	cr_expect(db_run(db, "DO SLEEP(1.5)", NULL, 0, NULL, &error));
	cr_expect(db_transact(db, connection_sleep, NULL, &error));
	cr_expect(db_transact(db, connection_sleep_at_commit, NULL, &error), "%s",
	    error ? error->message : "");
	g_clear_error(&error);
	cr_expect(!connection_sleep(db, NULL, &error));
	cr_assert(error && error->code == PH_ERROR_TEMPORARY, "%s",
	    error ? error->message : "it was waited for");
	cr_expect(db_is_dead(db));
	g_clear_error(&error);
	cr_assert(db_ensure(db, &error));
	cr_expect(db_run(db, "DO SLEEP(1.5)", NULL, 0, NULL, &error));
	cr_expect(!connection_sleep(db, NULL, &error), "the limit holds for the new connection");
}
