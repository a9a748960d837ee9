/* SPDX-License-Identifier: MIT */
/* Starts, replaces and ends a group of child processes. */
#include "process/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/log_line.h"

#define SHORT_LIFE_MS 1000
#define PAUSE_MIN_MS 100
#define PAUSE_MAX_MS 30000

struct child {
	pid_t pid; /* 0: not running */
	gint64 started;
};

struct run {
	const struct process_pool *pool;
	struct child *children;
	bool stopping;
	gint64 pause_ms; /* before the next start; grows while children fail at once */
	gint64 start_at;
	int worst;
	sigset_t signals, before;
};

G_GNUC_PRINTF(2, 3)
static void
pool_report(const struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *sentence = g_strdup_vprintf(format, args);
	va_end(args);
	run->pool->report(sentence);
}

static void
pool_delay(struct run *run, gint64 pause_ms)
{
	run->pause_ms = CLAMP(pause_ms, PAUSE_MIN_MS, PAUSE_MAX_MS);
	run->start_at = base_clock_boot() + run->pause_ms;
}

static void
pool_start(struct run *run, guint number)
{
	struct child *child = &run->children[number];
	pid_t parent = getpid();

	child->started = base_clock_boot();
	child->pid = fork();
	if (child->pid < 0) {
		pool_report(run, "cannot start a process: %s", g_strerror(errno));
		child->pid = 0;
		run->worst = MAX(run->worst, EX_OSERR);
		pool_delay(run, PAUSE_MAX_MS);
	}
	if (child->pid != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EX_TEMPFAIL);
	sigprocmask(SIG_SETMASK, &run->before, NULL);
	exit(run->pool->serve(number, run->pool->context));
}

static void
start_missing(struct run *run)
{
	if (run->stopping || base_clock_boot() < run->start_at)
		return;
	for (guint i = 0; i < run->pool->count; i++)
		if (run->children[i].pid == 0)
			pool_start(run, i);
}

/* The exit status that an ended child adds to the result; reports a failure. */
static int
pool_status_of(const struct run *run, const struct child *child, int status)
{
	if (WIFEXITED(status)) {
		if (WEXITSTATUS(status) != 0 && run->pool->keep)
			pool_report(run, "process %d ended with status %d", (int)child->pid,
			    WEXITSTATUS(status));
		return WEXITSTATUS(status);
	}
	/* stop() sent the signal before the child could handle it. */
	if (run->stopping && WTERMSIG(status) == SIGTERM)
		return EX_OK;
	pool_report(run, "process %d was ended by a signal: %s", (int)child->pid,
	    g_strsignal(WTERMSIG(status)));
	return EX_SOFTWARE;
}

/* Takes note of a child that has ended. Several children that fail during one pause make it grow
   only once. */
static void
note_end(struct run *run, struct child *child, int wait_status)
{
	int status = pool_status_of(run, child, wait_status);
	gint64 now = base_clock_boot();

	child->pid = 0;
	if (!run->pool->keep || run->stopping)
		run->worst = MAX(run->worst, status);
	else if (status != EX_OK && now - child->started < SHORT_LIFE_MS && now >= run->start_at)
		pool_delay(run, run->pause_ms * 2);
	else if (now - child->started >= SHORT_LIFE_MS)
		run->pause_ms = 0;
}

/* Collects the children that have ended. Returns whether any child is left. */
static bool
reap(struct run *run)
{
	bool any = false;

	for (guint i = 0; i < run->pool->count; i++) {
		struct child *child = &run->children[i];
		int status;

		if (child->pid > 0 && waitpid(child->pid, &status, WNOHANG) == child->pid)
			note_end(run, child, status);
		any = any || child->pid > 0;
	}
	return any;
}

/* Waits for a signal, at most until the next start is due. */
static int
wait_signal(const struct run *run)
{
	gint64 wait = run->start_at - base_clock_boot();
	struct timespec limit = {wait / 1000, wait % 1000 * 1000000};

	return sigtimedwait(&run->signals, NULL, wait > 0 ? &limit : NULL);
}

static void
pool_stop(struct run *run)
{
	if (run->pool->ending && !run->stopping)
		run->pool->ending(run->pool->context);
	run->stopping = true;
	run->start_at = 0;
	for (guint i = 0; i < run->pool->count; i++)
		if (run->children[i].pid > 0)
			kill(run->children[i].pid, SIGTERM);
}

/* SIGHUP was taken from this process: it and its children get it again. */
static void
reopen_logs(const struct run *run)
{
	raise(SIGHUP);
	config_log_line_reopen();
	for (guint i = 0; i < run->pool->count; i++)
		if (run->children[i].pid > 0)
			kill(run->children[i].pid, SIGHUP);
}

int
process_pool_run(const struct process_pool *pool)
{
	g_autofree struct child *children = g_new0(struct child, pool->count);
	struct run run = {.pool = pool, .children = children};

	/* If the caller ignored SIGCHLD, the kernel would not report ended children. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&run.signals);
	sigaddset(&run.signals, SIGTERM);
	sigaddset(&run.signals, SIGINT);
	sigaddset(&run.signals, SIGUSR1);
	sigaddset(&run.signals, SIGCHLD);
	if (config_log_line_is_elsewhere())
		sigaddset(&run.signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &run.signals, &run.before);
	start_missing(&run);
	while (reap(&run) || (pool->keep && !run.stopping)) {
		int signal = wait_signal(&run);

		if (signal == SIGHUP)
			reopen_logs(&run);
		if (signal == SIGTERM || signal == SIGINT || signal == SIGUSR1)
			pool_stop(&run);
		reap(&run);
		if (pool->keep)
			start_missing(&run);
	}
	sigprocmask(SIG_SETMASK, &run.before, NULL);
	return run.worst;
}
