/* SPDX-License-Identifier: MIT */
/* Tests which system calls a confined process has. */
#include "process/seccomp.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits/unit.h"
#include "process/isolate.h"

#define FILE_READ "/proc/self/status"
#define FILE_WRITTEN "/dev/null" /* a file that everybody may write to */

TestSuite(confine, .timeout = 300);

/* Each returns what a system call does: below 0 with errno on failure. */

static int
confine_start_program(void)
{
	char *const argv[] = {(char *)"true", NULL}, *const environment[] = {NULL};

	return execve("/bin/true", argv, environment);
}

static int
start_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	return child;
}

static int
make_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int
make_pair(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

static int
confine_write_file(void)
{
	return open(FILE_WRITTEN, O_WRONLY);
}

static int
change_file(void)
{
	return open(FILE_WRITTEN, O_RDWR | O_CLOEXEC);
}

static int
confine_make_file(void)
{
	return open("/tmp/confined", O_RDONLY | O_CREAT, 0600);
}

static int
empty_file(void)
{
	return open(FILE_WRITTEN, O_RDONLY | O_TRUNC);
}

static int
remove_file(void)
{
	return unlink("/nowhere/file");
}

static int
rename_file(void)
{
	return rename("/nowhere/a", "/nowhere/b");
}

static int
signal_parent(void)
{
	return kill(getppid(), 0);
}

static int
confine_trace(void)
{
	return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static int
confine_read_file(void)
{
	char bytes[16];
	int file = open(FILE_READ, O_RDONLY | O_CLOEXEC);
	ssize_t size = file < 0 ? -1 : read(file, bytes, sizeof(bytes));

	return size < 0 ? -1 : close(file);
}

static int
confine_look_at_file(void)
{
	struct stat st;

	return stat(FILE_READ, &st);
}

static int
take_memory(void)
{
	gsize size = 64 * (gsize)LIMIT_MIB;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? -1 : munmap(memory, size);
}

static int
ask_time(void)
{
	struct timespec now;

	return clock_gettime(CLOCK_REALTIME, &now);
}

static int
ask_chance(void)
{
	char bytes[16];

	return (int)getrandom(bytes, sizeof(bytes), 0);
}

/* The processes that may use a call. */
enum who { NOBODY, RENAMERS, ALL };

static const struct {
	const char *name;
	int (*call)(void);
	enum who who;
} calls[] = {
    {"starts a program", confine_start_program, NOBODY},
    {"starts a process", start_process, NOBODY},
    {"makes a socket", make_socket, NOBODY},
    {"makes a pair of sockets", make_pair, NOBODY},
    {"writes a file", confine_write_file, NOBODY},
    {"changes a file", change_file, NOBODY},
    {"makes a file", confine_make_file, NOBODY},
    {"empties a file", empty_file, NOBODY},
    {"removes a file", remove_file, NOBODY},
    {"renames a file", rename_file, RENAMERS},
    {"signals another process", signal_parent, NOBODY},
    {"changes itself", confine_trace, NOBODY},
    {"reads a file", confine_read_file, ALL},
    {"looks at a file", confine_look_at_file, ALL},
    {"takes memory", take_memory, ALL},
    {"asks for the time", ask_time, ALL},
    {"asks for chance", ask_chance, ALL},
};

/* Returns a byte for each call: 1, it was allowed, whether it failed or not. */
static GBytes *
try_calls(void *context, GError **error)
{
	const guint *rights = context;
	guint8 results[G_N_ELEMENTS(calls)];

	if (!process_seccomp(*rights, error))
		return NULL;
	for (gsize i = 0; i < G_N_ELEMENTS(calls); i++)
		results[i] = calls[i].call() >= 0 || errno != EPERM;
	return g_bytes_new(results, sizeof(results));
}

static void
expect_calls(guint rights)
{
	const struct process_isolate apart = {"The calls", try_calls, NULL, &rights, APART_LIMITS};
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) got = process_isolate(&apart, &error);

	cr_assert(got, "%s", error ? error->message : "");
	const guint8 *results = g_bytes_get_data(got, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(calls); i++) {
		bool want = calls[i].who == ALL || (calls[i].who == RENAMERS && rights != 0);

		cr_expect_eq(
		    (bool)results[i], want, "%s: got %d, want %d", calls[i].name, results[i], want);
	}
}

Test(confine, leaves_what_reading_needs)
{
	if (!process_seccomp_is_known())
		cr_skip_test("this kernel has no filters of system calls");
	expect_calls(0);
	expect_calls(CONFINE_RENAME);
}
