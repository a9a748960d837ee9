/* SPDX-License-Identifier: MIT */
/* Runs mariadb-dump. */
#include "cli/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "config/log.h"
#include "config/settings.h"

/* The option file has this descriptor in the program. */
#define OPTION_FD 3
#define COMPLAINT_SIZE 2000

/* A file in memory, which nobody else can read. */
static int
dump_make_file(const char *text, GError **error)
{
	int fd = memfd_create("posthouse", MFD_CLOEXEC);
	gsize size = strlen(text);

	if (fd >= 0 && fchmod(fd, 0600) == 0 && write(fd, text, size) == (ssize_t)size)
		return fd;
	base_fail(error, PH_ERROR_FAILED, "cannot make a file in memory: %s", g_strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Adds an option, quoted as option files are. */
static void
dump_add(GString *text, const char *name, const char *value)
{
	if (!*value)
		return;
	g_string_append_printf(text, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			g_string_append_c(text, '\\');
		g_string_append_c(text, *value);
	}
	g_string_append(text, "\"\n");
}

/* The option file. The caller owns the text. */
static char *
make_options(const struct config_settings *settings)
{
	GString *text = g_string_new("[client]\n");
	const char *socket = config_settings_text(settings, SETTING_DATABASE_SOCKET);

	if (*socket) {
		dump_add(text, "socket", socket);
	} else if (config_settings_given(settings, SETTING_DATABASE_HOST)) {
		dump_add(text, "host", config_settings_text(settings, SETTING_DATABASE_HOST));
		g_string_append_printf(text, "protocol=tcp\nport=%d\n",
		    (int)config_settings_number(settings, SETTING_DATABASE_PORT));
	}
	dump_add(text, "user", config_settings_text(settings, SETTING_DATABASE_USER));
	dump_add(text, "password", config_settings_text(settings, SETTING_DATABASE_PASSWORD));
	dump_add(text, "ssl-ca", config_settings_text(settings, SETTING_DATABASE_TLS_CA));
	if (*config_settings_text(settings, SETTING_DATABASE_TLS_CA) ||
	    config_settings_switch(settings, SETTING_DATABASE_TLS_REQUIRED))
		g_string_append(text, "ssl\nssl-verify-server-cert\n");
	return g_string_free(text, FALSE);
}

static char *
dump_find(const char *name, const char *old_name, GError **error)
{
	char *path = g_find_program_in_path(name);

	if (!path)
		path = g_find_program_in_path(old_name);
	if (!path)
		base_fail(error, PH_ERROR_FAILED,
		    "the program %s is not installed: it is one of MariaDB's client programs "
		    "(package "
		    "mariadb-client)",
		    name);
	return path;
}

/* Starts a program whose output is read. */
static bool
dump_start(struct cli_dump *dump, const struct config_settings *settings, const char *const *argv,
    GError **error)
{
	g_autofree char *text = make_options(settings);
	g_autoptr(GError) failure = NULL;
	int target = OPTION_FD, options = dump_make_file(text, error);

	explicit_bzero(text, strlen(text));
	if (options < 0)
		return false;
	dump->errors = dump_make_file("", error);
	bool done = dump->errors >= 0 &&
		    g_spawn_async_with_pipes_and_fds(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
			NULL, NULL, -1, -1, dump->errors, &options, &target, 1, &dump->pid, NULL,
			&dump->fd, NULL, &failure);
	close(options);
	if (failure)
		base_fail(error, PH_ERROR_FAILED, "%s", failure->message);
	if (!done && dump->errors >= 0)
		close(dump->errors);
	return done;
}

#define OPTIONS "--defaults-file=/proc/self/fd/" G_STRINGIFY(OPTION_FD)

bool
cli_dump_export(struct cli_dump *dump, const struct config_settings *settings,
    const char *const *options, const char *const *tables, GError **error)
{
	static const char *const always[] = {OPTIONS, "--single-transaction", "--quick",
	    "--hex-blob", "--skip-add-locks", "--no-tablespaces", "--skip-triggers",
	    "--skip-comments", "--default-character-set=utf8mb4", NULL};
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_autofree char *program = dump_find("mariadb-dump", "mysqldump", error);

	if (!program)
		return false;
	dump->name = "mariadb-dump";
	g_ptr_array_add(argv, program);
	for (const char *const *word = always; *word; word++)
		g_ptr_array_add(argv, (char *)*word);
	for (; *options; options++)
		g_ptr_array_add(argv, (char *)*options);
	g_ptr_array_add(argv, (char *)config_settings_text(settings, SETTING_DATABASE_NAME));
	for (; *tables; tables++)
		g_ptr_array_add(argv, (char *)*tables);
	g_ptr_array_add(argv, NULL);
	return dump_start(dump, settings, (const char *const *)argv->pdata, error);
}

/* The first line that the program complained with. The caller owns it. */
static char *
complaint_of(int fd)
{
	char text[COMPLAINT_SIZE];
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);

	text[MAX(size, 0)] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return *text ? config_log_escape(text) : g_strdup("it was ended");
}

bool
cli_dump_end(struct cli_dump *dump, GError **error)
{
	int status = 0;

	close(dump->fd);
	while (waitpid(dump->pid, &status, 0) < 0 && errno == EINTR)
		;
	g_spawn_close_pid(dump->pid);
	g_autofree char *complaint = complaint_of(dump->errors);
	close(dump->errors);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	return base_fail(error, PH_ERROR_FAILED, "%s failed: %s", dump->name, complaint);
}
