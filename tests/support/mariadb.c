/* SPDX-License-Identifier: MIT */
/* Starts, kills and stops a private MariaDB, and makes databases in it. */
#include "tests/support/mariadb.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <mysql.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/keep.h"
#include "tests/support/settings.h"

#define START_S 300
#define STOP_S 60

struct test_mariadb {
	char *dir, *program;
	char **options;
	GPid pid;
};

static char *
mariadb_find_program(const char *name)
{
	static const char *const folders[] = {
	    "/usr/sbin", "/usr/libexec", "/usr/local/sbin", "/usr/local/libexec"};
	char *path = g_find_program_in_path(name);

	for (gsize i = 0; !path && i < G_N_ELEMENTS(folders); i++) {
		path = g_build_filename(folders[i], name, NULL);
		if (!g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
			g_clear_pointer(&path, g_free);
	}
	return path;
}

static void
run_program(const char *const *argv)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *output = NULL, *complaint = NULL;
	int status = 0;

	if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output,
		&complaint, &status, &error) ||
	    !g_spawn_check_wait_status(status, &error))
		g_error("%s: %s\n%s%s", argv[0], error->message, complaint ? complaint : "",
		    output ? output : "");
}

static void
mariadb_install(const char *dir)
{
	g_autofree char *data = g_strdup_printf("--datadir=%s/data", dir);
	g_autofree char *tmp = g_strdup_printf("--tmpdir=%s", dir);
	const char *argv[] = {"mariadb-install-db", "--no-defaults", data, tmp,
	    "--auth-root-authentication-method=normal", "--skip-test-db",
	    "--innodb-log-file-size=8M", geteuid() == 0 ? "--user=root" : NULL, NULL};

	run_program(argv);
}

static void
die_with_parent(gpointer nothing)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static bool
answers(const char *socket_path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_assert(strlen(socket_path) < sizeof(address.sun_path));
	strcpy(address.sun_path, socket_path);
	bool yes = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	close(fd);
	return yes;
}

static void
wait_until_ready(struct test_mariadb *server)
{
	g_autofree char *path = test_mariadb_socket(server);
	gint64 end = g_get_monotonic_time() + START_S * G_USEC_PER_SEC;

	while (!answers(path)) {
		if (waitpid(server->pid, NULL, WNOHANG) == 0 && g_get_monotonic_time() < end) {
			g_usleep(2000);
			continue;
		}
		g_autofree char *log_path = g_build_filename(server->dir, "error.log", NULL);
		g_autofree char *log = NULL;
		g_file_get_contents(log_path, &log, NULL, NULL);
		g_error("mariadbd did not start:\n%s", log ? log : "");
	}
}

static void
mariadb_start(struct test_mariadb *server)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GError) error = NULL;
	/* As small and quick as may be; commits still outlive the process, if not the machine. */
	static const char *const fixed[] = {"--no-defaults", "--skip-networking",
	    "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M",
	    "--innodb-log-buffer-size=2M", "--innodb-flush-log-at-trx-commit=2",
	    "--skip-innodb-doublewrite", "--innodb-file-per-table=0", "--performance-schema=0",
	    "--key-buffer-size=1M", "--aria-pagecache-buffer-size=1M", "--max-connections=64",
	    /* Else plans differ by whether a table was looked at in the background meanwhile. */
	    "--innodb-stats-auto-recalc=0"};

	g_ptr_array_add(argv, g_strdup(server->program));
	for (gsize i = 0; i < G_N_ELEMENTS(fixed); i++)
		g_ptr_array_add(argv, g_strdup(fixed[i]));
	if (geteuid() == 0)
		g_ptr_array_add(argv, g_strdup("--user=root"));
	g_ptr_array_add(argv, g_strdup_printf("--datadir=%s/data", server->dir));
	/* A server that starts removes temporary tables, those of another one in the same folder
	 * too. */
	g_ptr_array_add(argv, g_strdup_printf("--tmpdir=%s", server->dir));
	g_ptr_array_add(argv, g_strdup_printf("--socket=%s/s", server->dir));
	g_ptr_array_add(argv, g_strdup_printf("--pid-file=%s/pid", server->dir));
	g_ptr_array_add(argv, g_strdup_printf("--log-error=%s/error.log", server->dir));
	for (char **option = server->options; option && *option; option++)
		g_ptr_array_add(argv, g_strdup(*option));
	g_ptr_array_add(argv, NULL);
	if (!g_spawn_async(NULL, (char **)argv->pdata, NULL,
		G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, die_with_parent, NULL,
		&server->pid, &error))
		g_error("%s", error->message);
	wait_until_ready(server);
}

static struct test_mariadb *
mariadb_start_program(char *program, const char *const *options)
{
	struct test_mariadb *server = g_new0(struct test_mariadb, 1);

	server->program = program;
	server->options = g_strdupv((char **)options);
	server->dir = test_folder_make();
	mariadb_install(server->dir);
	mariadb_start(server);
	return server;
}

struct test_mariadb *
test_mariadb_start(const char *const *options)
{
	char *program = mariadb_find_program("mariadbd");

	if (!program)
		g_error("mariadbd is not installed");
	return mariadb_start_program(program, options);
}

static void
end(struct test_mariadb *server, int signal_number)
{
	gint64 patience = g_get_monotonic_time() + STOP_S * G_USEC_PER_SEC;

	if (server->pid == 0)
		return;
	kill(server->pid, signal_number);
	/* A server that has only just started may ignore a request to stop. */
	while (waitpid(server->pid, NULL, WNOHANG) == 0) {
		if (g_get_monotonic_time() > patience)
			kill(server->pid, SIGKILL);
		g_usleep(1000);
	}
	server->pid = 0;
}

void
test_mariadb_kill(struct test_mariadb *server)
{
	end(server, SIGKILL);
}

void
test_mariadb_restart(struct test_mariadb *server)
{
	mariadb_start(server);
}

void
test_mariadb_stop(struct test_mariadb *server)
{
	const char *remove[] = {"rm", "-rf", "--", server->dir, NULL};

	end(server, SIGTERM);
	run_program(remove);
	g_strfreev(server->options);
	g_free(server->program);
	g_free(server->dir);
	g_free(server);
}

const char *
test_mariadb_dir(const struct test_mariadb *server)
{
	const char *dir = server ? server->dir : g_getenv(TEST_MARIADB_DIR);

	if (!dir)
		g_error("this suite has no main with test_mariadb_main");
	return dir;
}

char *
test_mariadb_socket(const struct test_mariadb *server)
{
	return g_build_filename(test_mariadb_dir(server), "s", NULL);
}

char *
test_mariadb_sql(const struct test_mariadb *server, const char *format, ...)
{
	g_autofree char *socket_path = test_mariadb_socket(server);
	MYSQL *mysql = mysql_init(NULL);
	char *value = NULL;
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *sql = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	if (!mysql_real_connect(mysql, NULL, "root", NULL, NULL, 0, socket_path, 0) ||
	    mysql_query(mysql, sql) != 0)
		g_error("%s: %s", sql, mysql_error(mysql));
	MYSQL_RES *result = mysql_store_result(mysql);
	if (result) {
		MYSQL_ROW row = mysql_fetch_row(result);
		value = row ? g_strdup(row[0]) : NULL;
		mysql_free_result(result);
	}
	mysql_close(mysql);
	return value;
}

static bool
is_connected(const struct test_mariadb *server, guint64 id)
{
	g_autofree char *found = test_mariadb_sql(server,
	    "SELECT id FROM information_schema.processlist WHERE id = %" G_GUINT64_FORMAT, id);

	return found;
}

void
test_mariadb_disconnect(const struct test_mariadb *server, guint64 id)
{
	g_free(test_mariadb_sql(server, "KILL %" G_GUINT64_FORMAT, id));
	while (is_connected(server, id))
		g_usleep(1000);
}

#define OF_PROCESS "test_"

/* Tests leave their databases behind, and the server keeps those files in memory. */
static void
remove_databases_of_ended(const struct test_mariadb *server)
{
	g_autofree char *names = test_mariadb_sql(server,
	    "SELECT GROUP_CONCAT(schema_name) FROM information_schema.schemata"
	    " WHERE schema_name REGEXP '^" OF_PROCESS "[0-9]+$'");
	g_auto(GStrv) all = g_strsplit(names ? names : "", ",", -1);

	for (char **name = all; *name; name++) {
		pid_t pid = (pid_t)g_ascii_strtoll(*name + strlen(OF_PROCESS), NULL, 10);

		if (kill(pid, 0) != 0 && errno == ESRCH)
			g_free(test_mariadb_sql(server, "DROP DATABASE IF EXISTS `%s`", *name));
	}
}

static char *
make_database(const struct test_mariadb *server, const char *name, const char *more)
{
	remove_databases_of_ended(server);
	g_free(test_mariadb_sql(server, "DROP DATABASE IF EXISTS `%s`", name));
	g_free(test_mariadb_sql(server, "CREATE DATABASE `%s` CHARACTER SET utf8mb4", name));
	return g_strdup_printf("[database]\nsocket = %s/s\nuser = root\nname = %s\n%s",
	    test_mariadb_dir(server), name, more ? more : "");
}

static char *
name_of_process(void)
{
	return g_strdup_printf(OF_PROCESS "%d", (int)getpid());
}

char *
test_mariadb_file(const struct test_mariadb *server, const char *name, const char *more)
{
	g_autofree char *own = name ? g_strdup(name) : name_of_process();
	g_autofree char *text = make_database(server, own, more);

	return test_settings_write(test_mariadb_dir(server), own, text);
}

struct config_settings *
test_mariadb_database(const struct test_mariadb *server, const char *name)
{
	g_autofree char *own = name ? g_strdup(name) : name_of_process();
	g_autofree char *text = make_database(server, own, NULL);

	return test_settings_load(test_mariadb_dir(server), own, text);
}

int
test_mariadb_main(int argc, char **argv)
{
	struct criterion_test_set *tests = criterion_initialize();
	char *program = mariadb_find_program("mariadbd");
	int result = 0;

	if (!program) {
		g_printerr("MariaDB is not installed (mariadbd): skipped\n");
		return 77;
	}
	if (criterion_handle_args(argc, argv, true)) {
		AUTO(test_mariadb) server = mariadb_start_program(g_steal_pointer(&program), NULL);
		g_setenv(TEST_MARIADB_DIR, server->dir, TRUE);
		result = !criterion_run_all_tests(tests);
	}
	g_free(program);
	criterion_finalize(tests);
	return result;
}
