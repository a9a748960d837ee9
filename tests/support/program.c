/* SPDX-License-Identifier: MIT */
/* Runs the programs of the build folder. */
#include "tests/support/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOG_S 120

struct test_program {
	pid_t pid; /* 0 = has ended */
	int status;
	char *output, *log; /* paths */
};

static int
program_open_file(char **path_r)
{
	g_autoptr(GError) error = NULL;
	int fd = g_file_open_tmp("posthouse-test-XXXXXX", path_r, &error);

	if (fd < 0)
		g_error("%s", error->message);
	return fd;
}

static char **
environment_of(const char *const *environment)
{
	/* Settings of the sanitizers have to come along. */
	static const char *const kept[] = {
	    "PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"};
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

	for (gsize i = 0; i < G_N_ELEMENTS(kept); i++) {
		g_autofree char *entry = g_strconcat(kept[i], "=", g_getenv(kept[i]), NULL);
		if (g_getenv(kept[i]))
			g_strv_builder_add(builder, entry);
	}
	if (environment)
		g_strv_builder_addv(builder, (const char **)environment);
	return g_strv_builder_end(builder);
}

static void
become(
    const char *path, const char *const *argv, char **environment, int input, int output, int log)
{
	int nothing = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(input >= 0 ? input : nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execve(path, (char *const *)argv, environment);
	_exit(127);
}

struct test_program *
test_program_start(const char *const *argv, const char *const *environment, int input, int output)
{
	struct test_program *program = g_new0(struct test_program, 1);
	const char *folder = g_getenv("builddir");
	g_autofree char *path = g_build_filename(folder ? folder : ".", argv[0], NULL);
	g_auto(GStrv) variables = environment_of(environment);
	int own = program_open_file(&program->output), log = program_open_file(&program->log);

	program->pid = fork();
	if (program->pid < 0)
		g_error("%s", g_strerror(errno));
	if (program->pid == 0)
		become(path, argv, variables, input, output >= 0 ? output : own, log);
	close(own);
	close(log);
	return program;
}

pid_t
test_program_pid(const struct test_program *program)
{
	return program->pid;
}

void
test_program_signal(const struct test_program *program, int number)
{
	if (program->pid)
		kill(program->pid, number);
}

int
test_program_wait(struct test_program *program, guint ms)
{
	gint64 end = g_get_monotonic_time() + (gint64)ms * 1000;
	int status;

	while (program->pid) {
		if (waitpid(program->pid, &status, WNOHANG) == program->pid) {
			program->pid = 0;
			program->status =
			    WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
		} else if (g_get_monotonic_time() >= end) {
			return -1;
		} else {
			g_usleep(1000);
		}
	}
	return program->status;
}

static char *
program_read_file(const char *path)
{
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, &error))
		g_error("%s", error->message);
	return text;
}

char *
test_program_output(const struct test_program *program)
{
	return program_read_file(program->output);
}

char *
test_program_log(const struct test_program *program)
{
	return program_read_file(program->log);
}

bool
test_program_wait_log(const struct test_program *program, const char *text)
{
	gint64 end = g_get_monotonic_time() + LOG_S * G_USEC_PER_SEC;

	do {
		g_autofree char *log = test_program_log(program);

		if (strstr(log, text))
			return true;
		g_usleep(1000);
	} while (g_get_monotonic_time() < end);
	return false;
}

GArray *
test_program_children(const struct test_program *program)
{
	GArray *children = g_array_new(FALSE, FALSE, sizeof(pid_t));
	g_autofree char *path =
	    g_strdup_printf("/proc/%d/task/%d/children", (int)program->pid, (int)program->pid);
	g_autofree char *text = program_read_file(path);
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	for (char **word = words; *word; word++) {
		pid_t pid = (pid_t)atoi(*word);
		if (pid > 0)
			g_array_append_val(children, pid);
	}
	return children;
}

void
test_program_wait_gone(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autofree char *text = NULL;

	/* Nobody may ask after an orphan that has ended: its state is Z then. */
	while (g_file_get_contents(path, &text, NULL, NULL) &&
	       !g_str_has_prefix(strrchr(text, ')'), ") Z")) {
		g_clear_pointer(&text, g_free);
		g_usleep(1000);
	}
}

void
test_program_kill_all(struct test_program *program)
{
	g_autoptr(GArray) children = test_program_children(program);

	/* The parent first, which would start others in place of its children. */
	test_program_signal(program, SIGKILL);
	test_program_wait(program, G_MAXUINT);
	for (guint i = 0; i < children->len; i++) {
		kill(g_array_index(children, pid_t, i), SIGKILL);
		test_program_wait_gone(g_array_index(children, pid_t, i));
	}
}

void
test_program_check_log(const char *log)
{
	if (strstr(log, "Sanitizer") || strstr(log, "runtime error:"))
		g_error("a sanitizer reports: %s", log);
}

void
test_program_free(struct test_program *program)
{
	test_program_signal(program, SIGKILL);
	test_program_wait(program, 10000);
	g_autofree char *log = test_program_log(program);
	test_program_check_log(log);
	unlink(program->output);
	unlink(program->log);
	g_free(program->output);
	g_free(program->log);
	g_free(program);
}

/* g_file_set_contents writes there for root alone. */
void
test_program_reset_peak(pid_t pid)
{
	g_autofree char *path =
	    g_strdup_printf("/proc/%d/clear_refs", pid ? (int)pid : (int)getpid());
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "5", 1) != 1)
		g_error("%s: %s", path, g_strerror(errno));
	close(fd);
}
