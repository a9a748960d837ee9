/* SPDX-License-Identifier: MIT */
/* Tests pools: children are replaced and ended, and do not outlive the pool. */
#include "process/pool.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"

#define CHILDREN 4
#define STARTS 32
#define WAIT_MS 120000

/* Memory that all processes of a test share. */
static struct {
	gint starts;		    /* children so far */
	gint pids[STARTS];	    /* their process ids */
	gint64 times[STARTS];	    /* their start times */
	struct base_id ids[STARTS]; /* an id made by each child */
	gint masked[STARTS];	    /* whether SIGTERM was blocked in it */
	gint release;		    /* the children may end */
	gint reports;
	char report[200];
	int statuses[CHILDREN]; /* their exit statuses */
} * shared;

static void
pool_begin(void)
{
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert(shared != MAP_FAILED);
	/* The pool's children become ours when it dies. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

TestSuite(pool, .init = pool_begin, .timeout = 900);

static void
report(const char *text)
{
	g_strlcpy(shared->report, text, sizeof(shared->report));
	g_atomic_int_inc(&shared->reports);
}

static guint
note_start(void)
{
	guint place = (guint)g_atomic_int_add(&shared->starts, 1);
	sigset_t mask;

	if (place >= STARTS)
		_exit(EX_SOFTWARE);
	/* No process survives a failed test. */
	alarm(600);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	shared->masked[place] = sigismember(&mask, SIGTERM);
	shared->ids[place] = base_id_new();
	shared->times[place] = base_clock_boot();
	g_atomic_int_set(&shared->pids[place], getpid());
	return place;
}

static volatile sig_atomic_t told;

static void
on_term(int number)
{
	told = 1;
}

/* Lives until it is told to end, and then until it may. */
static int
pool_live(guint number, void *context)
{
	signal(SIGTERM, on_term);
	note_start();
	while (!told || !g_atomic_int_get(&shared->release))
		g_usleep(1000);
	return 0;
}

/* Lives until a signal ends it. */
static int
live_without_a_handler(guint number, void *context)
{
	note_start();
	while (!told)
		pause();
	return 0;
}

static int
fail_at_once(guint number, void *context)
{
	note_start();
	return 7;
}

/* Some may end at once, and the others stay. */
static int
end_well_at_once(guint number, void *context)
{
	if (note_start() < 8)
		return 0;
	return pool_live(number, context);
}

static int
return_status(guint number, void *context)
{
	g_atomic_int_inc(&shared->starts);
	if (shared->statuses[number] < 0)
		raise(SIGKILL);
	return shared->statuses[number];
}

static pid_t
start_pool(guint count, bool keep, int (*serve)(guint number, void *context))
{
	const struct process_pool pool = {count, keep, serve, NULL, report};
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(process_pool_run(&pool));
	}
	return pid;
}

#define WAIT_FOR(condition)                                                                        \
	do {                                                                                       \
		gint64 limit = base_clock_boot() + WAIT_MS;                                        \
		bool is_so;                                                                        \
		while (!(is_so = (condition)) && base_clock_boot() < limit)                        \
			g_usleep(1000);                                                            \
		cr_assert(is_so, "in vain: %s", #condition);                                       \
	} while (0)

static bool
has_ended(pid_t pid, int *status_r)
{
	return waitpid(pid, status_r, WNOHANG) == pid;
}

/* The pool's exit status; -1 when a signal ended it. */
static int
pool_end_of(pid_t pool)
{
	int status = 0;

	WAIT_FOR(has_ended(pool, &status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
wait_for_starts(guint count)
{
	for (guint i = 0; i < count; i++)
		WAIT_FOR(g_atomic_int_get(&shared->pids[i]) != 0);
}

static bool
pool_is_gone(pid_t pid)
{
	return kill(pid, 0) != 0;
}

Test(pool, replaces_a_child_that_is_killed)
{
	pid_t pool = start_pool(3, true, pool_live);

	wait_for_starts(3);
	kill(shared->pids[1], SIGKILL);
	wait_for_starts(4);
	kill(shared->pids[3], SIGKILL);
	wait_for_starts(5);
	cr_expect_eq(shared->starts, 5, "%d children", shared->starts);
	cr_expect_eq(shared->reports, 2, "%d reports", shared->reports);
	cr_expect(g_str_has_suffix(shared->report, " was ended by a signal: Killed"),
	    "reported: %s", shared->report);
	cr_expect(
	    !pool_is_gone(shared->pids[0]) && !pool_is_gone(shared->pids[2]), "others were ended");
	shared->release = 1;
	kill(pool, SIGTERM);
	cr_expect_eq(pool_end_of(pool), 0);
}

Test(pool, ends_all_children_and_waits_for_them)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGUSR1};

	for (gsize i = 0; i < G_N_ELEMENTS(signals); i++) {
		memset(shared, 0, sizeof(*shared));
		pid_t pool = start_pool(CHILDREN, true, pool_live);
		int status;

		wait_for_starts(CHILDREN);
		kill(pool, signals[i]);
		kill(pool, signals[i]);
		/* They have something in hand, and so has the pool. */
		kill(shared->pids[0], SIGKILL);
		WAIT_FOR(g_atomic_int_get(&shared->reports) == 1);
		cr_expect(!has_ended(pool, &status), "signal %d: it has not waited", signals[i]);
		shared->release = 1;
		cr_expect_eq(pool_end_of(pool), EX_SOFTWARE, "one was killed");
		cr_expect_eq(shared->starts, CHILDREN, "signal %d: one was replaced", signals[i]);
		for (guint j = 0; j < CHILDREN; j++)
			cr_expect(pool_is_gone(shared->pids[j]), "child %u lives", j);
	}
}

Test(pool, takes_it_well_when_a_child_could_not_listen_yet)
{
	pid_t pool = start_pool(CHILDREN, true, live_without_a_handler);

	wait_for_starts(CHILDREN);
	kill(pool, SIGTERM);
	cr_expect_eq(pool_end_of(pool), 0);
	cr_expect_eq(shared->reports, 0, "reported: %s", shared->report);
}

Test(pool, pauses_longer_and_longer_when_they_fail_at_once)
{
	pid_t pool = start_pool(1, true, fail_at_once);

	wait_for_starts(5);
	kill(pool, SIGTERM);
	pool_end_of(pool);
	for (guint i = 1; i < 5; i++) {
		gint64 got = shared->times[i] - shared->times[i - 1], want = 100 << (i - 1);

		cr_expect_geq(got, want, "pause %u was %d ms, want %d", i, (int)got, (int)want);
	}
	cr_expect(g_str_has_suffix(shared->report, " ended with status 7"), "reported: %s",
	    shared->report);
}

/* If each of them doubled the pause, it would be 12.8 s for eight, and 30 s for the next ones. */
Test(pool, counts_those_that_fail_together_once)
{
	gint64 started = base_clock_boot();
	pid_t pool = start_pool(8, true, fail_at_once);

	wait_for_starts(24);
	cr_expect_lt(base_clock_boot() - started, 40000);
	kill(pool, SIGTERM);
	pool_end_of(pool);
}

/* Eight in a row would take 25 s with pauses. */
Test(pool, replaces_a_child_that_ends_well_at_once)
{
	gint64 started = base_clock_boot();
	pid_t pool = start_pool(1, true, end_well_at_once);

	wait_for_starts(10);
	cr_expect_lt(base_clock_boot() - started, 24000);
	cr_expect_eq(shared->reports, 0, "reported: %s", shared->report);
	shared->release = 1;
	kill(pool, SIGTERM);
	cr_expect_eq(pool_end_of(pool), 0);
}

Test(pool, does_not_leave_children_behind_when_it_is_killed)
{
	pid_t pool = start_pool(CHILDREN, true, pool_live);
	int status = -1;

	wait_for_starts(CHILDREN);
	shared->release = 1;
	kill(pool, SIGKILL);
	cr_expect_eq(pool_end_of(pool), -1);
	for (guint i = 0; i < CHILDREN; i++) {
		WAIT_FOR(has_ended(shared->pids[i], &status));
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		    "child %u was not asked to end, but made to", i);
	}
}

Test(pool, gives_the_worst_status_of_those_it_does_not_keep)
{
	static const struct {
		const char *name;
		guint count;
		int statuses[CHILDREN]; /* -1: killed */
		int want;
	} cases[] = {
	    {"one, well", 1, {0}, 0},
	    {"one, failed", 1, {EX_TEMPFAIL}, EX_TEMPFAIL},
	    {"all well", 4, {0, 0, 0, 0}, 0},
	    {"the first", 4, {3, 0, 0, 0}, 3},
	    {"the last", 4, {0, 0, 0, 3}, 3},
	    {"the worst", 4, {3, EX_TEMPFAIL, 1, 0}, EX_TEMPFAIL},
	    {"killed", 2, {0, -1}, EX_SOFTWARE},
	    {"killed, and worse", 2, {EX_TEMPFAIL, -1}, EX_TEMPFAIL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		memset(shared, 0, sizeof(*shared));
		memcpy(shared->statuses, cases[i].statuses, sizeof(shared->statuses));
		int got = pool_end_of(start_pool(cases[i].count, false, return_status));

		cr_expect_eq(
		    got, cases[i].want, "%s: got %d, want %d", cases[i].name, got, cases[i].want);
		cr_expect_eq(shared->starts, (gint)cases[i].count, "%s: %d starts, want %u",
		    cases[i].name, shared->starts, cases[i].count);
	}
}

Test(pool, is_not_misled_by_ignored_signals)
{
	signal(SIGCHLD, SIG_IGN);
	pid_t pool = fork();
	if (pool == 0) {
		const struct process_pool two = {2, true, pool_live, NULL, report};
		_exit(process_pool_run(&two));
	}
	signal(SIGCHLD, SIG_DFL);
	wait_for_starts(2);
	kill(shared->pids[0], SIGKILL);
	wait_for_starts(3);
	shared->release = 1;
	kill(pool, SIGTERM);
	cr_expect_eq(pool_end_of(pool), 0);
}

/* A generator of ids or random bytes that a fork copies would give the same in each child. */
Test(pool, starts_children_that_differ)
{
	struct base_id before = base_id_new();
	pid_t pool = start_pool(CHILDREN, true, pool_live);

	wait_for_starts(CHILDREN);
	for (guint i = 0; i < CHILDREN; i++) {
		cr_expect_eq(shared->masked[i], 0, "child %u has SIGTERM blocked", i);
		cr_expect(memcmp(&shared->ids[i], &before, sizeof(before)) != 0,
		    "child %u has the pool's id", i);
		for (guint j = 0; j < i; j++)
			/* Bytes 8 to 15 are random. */
			cr_expect(
			    memcmp(shared->ids[i].bytes + 8, shared->ids[j].bytes + 8, 8) != 0,
			    "children %u and %u have the same random bytes", i, j);
	}
	shared->release = 1;
	kill(pool, SIGTERM);
	cr_expect_eq(pool_end_of(pool), 0);
}
