/* SPDX-License-Identifier: MIT */
/* Runs work that has killed processes before in a child with limits on memory and time. */
#include "process/isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "process/limit.h"

/* AddressSanitizer otherwise ends a process whose memory has an end, and looks at each call of
   memmem at all that is searched, which makes a scan of many short steps quadratic. */
#ifdef WITH_ASAN
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1:intercept_memmem=0";
}
#endif

#define POLL_MS 5
#define RESULT_FD 3 /* the result file, in the child */

/* Exit statuses of the child. Its result file then holds the result, or an error message. */
enum { DONE = 0, DIED = 1, FAILED = 2 /* plus the code of PH_ERROR */ };

static bool
isolate_write_all(int fd, const void *data, gsize size)
{
	const guint8 *at = data;

	while (size > 0) {
		ssize_t written = write(fd, at, size);

		if (written < 0 && errno != EINTR)
			return false;
		at += MAX(written, 0);
		size -= (gsize)MAX(written, 0);
	}
	return true;
}

/* Passes on GLib's last message before it ends the process, most often about missing memory. */
static void
on_fatal(const char *domain, GLogLevelFlags level, const char *message, void *context)
{
	if (!(level & (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL)))
		return;
	isolate_write_all(RESULT_FD, message, strlen(message));
	_exit(DIED);
}

G_NORETURN static void
isolate_serve(const struct process_isolate *apart, int result, pid_t parent)
{
	g_autoptr(GError) error = NULL;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(result, RESULT_FD) < 0)
		_exit(DIED);
	/* An inherited descriptor would keep a lock of the parent after its death. */
	close_range(RESULT_FD + 1, ~0U, 0);
	g_log_set_default_handler(on_fatal, NULL);
	process_limit(apart->cpu_s, apart->bytes);
	GBytes *bytes = apart->work(apart->context, &error);
	if (bytes) {
		gsize size;
		const void *data = g_bytes_get_data(bytes, &size);
		_exit(isolate_write_all(RESULT_FD, data, size) ? DONE : DIED);
	}
	isolate_write_all(RESULT_FD, error->message, strlen(error->message));
	_exit(FAILED + (error->domain == PH_ERROR ? error->code : PH_ERROR_FAILED));
}

static bool
isolate_is_told_to_stop(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT);
}

static bool
isolate_fail(GError **error, const char *why)
{
	return base_fail(
	    error, PH_ERROR_TEMPORARY, "A child process could not do the work: %s", why);
}

/* Waits for the end of the child, but not for long, since a signal that is blocked does not end the
   wait. ended is a descriptor of the child that is ready once it has; -1: the kernel
   has none. */
static void
isolate_wait(int ended)
{
	struct pollfd fd = {ended, POLLIN, 0};

	poll(&fd, 1, POLL_MS);
}

/* Waits until the child has ended. *late_r: it was killed because its time was over. */
static bool
await(const struct process_isolate *apart, pid_t child, int *status_r, bool *late_r, GError **error)
{
	int ended = (int)syscall(SYS_pidfd_open, child, 0);
	gint64 end = base_clock_boot() + apart->ms;
	bool stopped = false;
	pid_t gone;

	*late_r = false;
	while ((gone = waitpid(child, status_r, WNOHANG)) == 0) {
		*late_r = base_clock_boot() >= end;
		stopped = !*late_r && !apart->finishes && isolate_is_told_to_stop();
		if (*late_r || stopped)
			break;
		if (apart->tick)
			apart->tick(apart->context);
		isolate_wait(ended);
	}
	if (ended >= 0)
		close(ended);
	if (gone == 0) {
		kill(child, SIGKILL);
		gone = waitpid(child, status_r, 0);
	}
	if (stopped)
		return isolate_fail(error, "this process is about to end");
	return gone == child || isolate_fail(error, g_strerror(errno));
}

static GBytes *
isolate_read_result(int result, GError **error)
{
	g_autoptr(GError) local = NULL;
	GMappedFile *file = g_mapped_file_new_from_fd(result, FALSE, &local);

	if (!file) {
		isolate_fail(error, local->message);
		return NULL;
	}
	GBytes *bytes = g_mapped_file_get_bytes(file);
	g_mapped_file_unref(file);
	return bytes;
}

/* The end of the sentence about a child that died. */
static char *
isolate_end_of(const struct process_isolate *apart, int status, bool late, const char *said)
{
	if (late)
		return g_strdup_printf(
		    "did not end within %" G_GINT64_FORMAT " s", apart->ms / 1000);
	if (WIFSIGNALED(status))
		return g_strdup_printf(
		    "was ended by signal %d (%s)", WTERMSIG(status), g_strsignal(WTERMSIG(status)));
	return g_strdup_printf("gave up: %s", *said ? said : "it could not tell the result");
}

static GBytes *
isolate_judge(
    const struct process_isolate *apart, int status, bool late, GBytes *result, GError **error)
{
	gsize size;
	const char *text = g_bytes_get_data(result, &size);
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : DIED;

	if (code == DONE && !late)
		return g_bytes_ref(result);
	g_autofree char *said = g_strndup(text ? text : "", size);
	if (code >= FAILED && !late) {
		base_fail(error, code - FAILED, "%s", said);
		return NULL;
	}
	g_autofree char *end = isolate_end_of(apart, status, late, WIFSIGNALED(status) ? "" : said);
	base_fail(error, PH_ERROR_TOO_LARGE,
	    "%s: processes that tried it were killed, and a child process for it alone %s",
	    apart->what, end);
	return NULL;
}

static GBytes *
isolate_run(const struct process_isolate *apart, int result, GError **error)
{
	pid_t parent = getpid(), child = fork();
	int status = 0;
	bool late;

	if (child < 0) {
		isolate_fail(error, g_strerror(errno));
		return NULL;
	}
	if (child == 0)
		isolate_serve(apart, result, parent);
	if (!await(apart, child, &status, &late, error))
		return NULL;
	g_autoptr(GBytes) bytes = isolate_read_result(result, error);
	return bytes ? isolate_judge(apart, status, late, bytes, error) : NULL;
}

GBytes *
process_isolate(const struct process_isolate *apart, GError **error)
{
	/* A file in memory: the parent maps a large result instead of copying it. */
	int result = memfd_create("posthouse", MFD_CLOEXEC);

	if (result < 0) {
		isolate_fail(error, g_strerror(errno));
		return NULL;
	}
	GBytes *bytes = isolate_run(apart, result, error);
	close(result);
	return bytes;
}
