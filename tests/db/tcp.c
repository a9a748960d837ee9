/* SPDX-License-Identifier: MIT */
/* Connections by TCP, with TLS and without. */
#include "db/connection.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/support/db.h"
#include "tests/support/settings.h"

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
make_certificate(const char *dir)
{
	g_autofree char *extension = g_build_filename(dir, "names", NULL);

	cr_assert(g_file_set_contents(extension, "subjectAltName = DNS:localhost\n", -1, NULL));
	use_openssl(dir, "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "
			 "/CN=localhost -keyout server.key -out server.csr");
	use_openssl(dir, "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial "
			 "-days 2 -extfile names -out server.pem");
}

static guint
free_port(void)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert(bind(fd, (struct sockaddr *)&address, size) == 0 &&
		  getsockname(fd, (struct sockaddr *)&address, &size) == 0);
	close(fd);
	return ntohs(address.sin_port);
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
check(const struct tcp_case *c, const char *dir, guint port)
{
	g_autofree char *ca = c->ca ? g_strdup_printf("tls_ca = %s/%s", dir, c->ca) : g_strdup("");
	g_autofree char *text = g_strdup_printf(
	    "[database]\nhost = %s\nport = %u\nuser = tcp\npassword = secret\nname = mysql\n"
	    "tls_required = %s\n%s\n",
	    c->host, port, c->required, ca);
	AUTO(base_settings) settings = test_settings_load(dir, "tcp", text);
	g_autoptr(GError) error = NULL;
	AUTO(db) db = db_open(settings, &error);
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
}

Test(tcp, with_tls)
{
	static const struct tcp_case cases[] = {
	    {"right authority", "localhost", "ca.pem", "yes", -1, true},
	    {"authority given", "localhost", "ca.pem", "no", -1, true},
	    {"not asked for", "localhost", NULL, "no", -1, false},
	    {"other authority", "localhost", "other.pem", "yes", PH_ERROR_FAILED, false},
	    {"other authority given", "localhost", "other.pem", "no", PH_ERROR_FAILED, false},
	    {"other name", "127.0.0.1", "ca.pem", "yes", PH_ERROR_FAILED, false},
	    {"system's authorities", "localhost", NULL, "yes", PH_ERROR_FAILED, false},
	    {"no such file", "localhost", "nothing.pem", "yes", PH_ERROR_FAILED, false},
	};
	const char *dir = test_mariadb_dir(NULL);
	guint port = free_port();

	make_authority(dir, "ca");
	make_authority(dir, "other");
	make_certificate(dir);
	AUTO(test_mariadb) server = start_server(dir, port);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		check(&cases[i], dir, port);
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
		check(&cases[i], test_mariadb_dir(server), port);
}

Test(tcp, nobody_listens)
{
	static const struct tcp_case cases[] = {
	    {"refused", "127.0.0.1", NULL, "no", PH_ERROR_TEMPORARY, false},
	    {"no such name", "nowhere.invalid", NULL, "no", PH_ERROR_TEMPORARY, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		check(&cases[i], test_mariadb_dir(NULL), free_port());
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
	check(&c, test_mariadb_dir(NULL), ntohs(address.sin_port));
	gint64 took = (g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
	cr_assert(took >= 4 && took < 15, "took %d s", (int)took);
	close(fd);
}
