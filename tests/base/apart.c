/* SPDX-License-Identifier: MIT */
/* Tests work in a child process: its result, its errors and its limits. */
#include "process/isolate.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/process.h"
#include "base/limits/unit.h"

#define WHAT "The work could not be done"
#define DIED WHAT ": processes that tried it were killed, and a child process for it alone "
#define MARGIN (16 * (gsize)LIMIT_MIB) /* memory that a process needs besides */

TestSuite(apart, .timeout = 900);

struct task {
	gsize size;
	int number; /* of a signal, a code, an open file */
	guint ticks;
};

static GBytes *
apart_give(void *context, GError **error)
{
	const struct task *task = context;
	char *bytes = g_malloc(task->size + 1);

	memset(bytes, 'x', task->size);
	return g_bytes_new_take(bytes, task->size);
}

static GBytes *
apart_allocate(void *context, GError **error)
{
	const struct task *task = context;

	g_free(g_malloc(task->size));
	return g_bytes_new(NULL, 0);
}

static GBytes *
apart_refuse(void *context, GError **error)
{
	const struct task *task = context;

	g_set_error(error, PH_ERROR, task->number, "no");
	return NULL;
}

static GBytes *
apart_die(void *context, GError **error)
{
	const struct task *task = context;

	raise(task->number);
	return NULL;
}

static GBytes *
loop(void *context, GError **error)
{
	for (;;)
		__asm__ volatile("");
	return NULL;
}

static GBytes *
sleep_on(void *context, GError **error)
{
	for (;;)
		pause();
	return NULL;
}

static GBytes *
apart_look_at_file(void *context, GError **error)
{
	const struct task *task = context;
	const char *answer = fcntl(task->number, F_GETFD) < 0 && errno == EBADF ? "gone" : "there";

	return g_bytes_new(answer, strlen(answer));
}

static void
tick(void *context)
{
	((struct task *)context)->ticks++;
}

Test(apart, gives_back_what_the_child_did)
{
	static const gsize sizes[] = {0, 1, 4096, 150 * (gsize)LIMIT_MIB};

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct task task = {.size = sizes[i]};
		const struct process_isolate apart = {WHAT, apart_give, NULL, &task, APART_LIMITS};
		g_autoptr(GError) error = NULL;
		g_autoptr(GBytes) got = process_isolate(&apart, &error);

		cr_assert(got, "%zu bytes: %s", sizes[i], error ? error->message : "");
		cr_expect_eq(g_bytes_get_size(got), sizes[i]);
		cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
	}
}

Test(apart, gives_back_the_error_of_the_child)
{
	for (int code = PH_ERROR_INVALID; code <= PH_ERROR_FAILED; code++) {
		struct task task = {.number = code};
		const struct process_isolate apart = {
		    WHAT, apart_refuse, NULL, &task, APART_LIMITS};
		g_autoptr(GError) error = NULL;

		cr_expect_null(process_isolate(&apart, &error));
		cr_assert(g_error_matches(error, PH_ERROR, code), "code %d", code);
		cr_expect_str_eq(error->message, "no");
	}
}

/* NULL: it is done. */
static void
expect_death(const char *name, const struct process_isolate *apart, const char *want)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) got = process_isolate(apart, &error);

	if (!want) {
		cr_expect(got, "%s: %s", name, error ? error->message : "");
		return;
	}
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE), "%s: %s", name,
	    error ? error->message : "no error");
	cr_expect(g_str_has_prefix(error->message, DIED), "%s: got %s", name, error->message);
	cr_expect(strstr(error->message + strlen(DIED), want), "%s: got %s, want %s", name,
	    error->message, want);
}

Test(apart, survives_the_death_of_the_child)
{
	static const int numbers[] = {SIGKILL, SIGSEGV, SIGABRT};

	for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
		struct task task = {.number = numbers[i]};
		const struct process_isolate apart = {WHAT, apart_die, NULL, &task, APART_LIMITS};
		g_autofree char *want = g_strdup_printf("was ended by signal %d (", numbers[i]);

		signal(numbers[i], SIG_DFL);
		expect_death("signal", &apart, want);
	}
}

Test(apart, limits_memory)
{
	struct task below = {.size = LIMIT_APART_BYTES - MARGIN},
		    past = {.size = LIMIT_APART_BYTES};
	const struct process_isolate fits = {WHAT, apart_allocate, NULL, &below, APART_LIMITS};
	const struct process_isolate too_large = {WHAT, apart_allocate, NULL, &past, APART_LIMITS};

	expect_death("below", &fits, NULL);
	expect_death("past", &too_large, "failed to allocate 1073741824 bytes");
}

Test(apart, limits_processor_time)
{
	struct task task = {.number = 0};
	const struct process_isolate apart = {
	    WHAT, loop, tick, &task, .ms = LIMIT_APART_MS, .cpu_s = 1, .bytes = LIMIT_APART_BYTES};

	signal(SIGXCPU, SIG_DFL);
	expect_death("loop", &apart, "was ended by signal 24 (");
	cr_expect_gt(task.ticks, 10);
}

Test(apart, limits_time)
{
	gint64 begin = base_clock_boot();
	const struct process_isolate apart = {
	    WHAT, sleep_on, NULL, NULL, .ms = 1000, .cpu_s = 1, .bytes = LIMIT_APART_BYTES};

	expect_death("sleep", &apart, "did not end within 1 s");
	cr_expect_geq(base_clock_boot() - begin, 1000);
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "the child is left");
}

Test(apart, leaves_at_once_when_told_to_stop)
{
	static const int numbers[] = {SIGTERM, SIGINT};
	const struct process_isolate apart = {WHAT, sleep_on, NULL, NULL, APART_LIMITS};

	for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
		g_autoptr(GError) error = NULL;
		gint64 begin = base_clock_boot();
		sigset_t signals;

		sigemptyset(&signals);
		sigaddset(&signals, numbers[i]);
		sigprocmask(SIG_BLOCK, &signals, NULL);
		raise(numbers[i]);
		cr_expect_null(process_isolate(&apart, &error));
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY));
		cr_expect_lt(base_clock_boot() - begin, 45000);
		cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "the child is left");
		int got;
		sigwait(&signals, &got);
	}
}

/* The database's connection and the lock of a journal are the parent's alone. */
Test(apart, keeps_no_file_of_the_parent)
{
	struct task task = {.number = dup(STDERR_FILENO)};
	const struct process_isolate apart = {WHAT, apart_look_at_file, NULL, &task, APART_LIMITS};
	g_autoptr(GBytes) got = process_isolate(&apart, NULL);

	cr_assert(got);
	cr_expect_eq(g_bytes_get_size(got), strlen("gone"), "got %.5s",
	    (const char *)g_bytes_get_data(got, NULL));
}
