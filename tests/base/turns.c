/* SPDX-License-Identifier: MIT */
/* Tests the turns of processes. */
#include "process/turns.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define NONE PROCESS_TURNS_NONE

Test(turns, are_as_many_as_were_made)
{
	for (guint count = 1; count <= 3; count++) {
		AUTO(process_turns) turns = process_turns_new(count, 1);
		guint seen = 0;

		for (guint i = 0; i < count; i++)
			seen |= 1u << process_turns_take(turns, 0);
		cr_expect_eq(seen, (1u << count) - 1, "%u turns: %#x", count, seen);
		process_turns_end(turns, (int)count - 1);
		cr_expect_eq(process_turns_take(turns, 0), (int)count - 1, "%u turns", count);
	}
}

Test(turns, of_nobody)
{
	cr_expect_eq(process_turns_take(NULL, 1000), NONE);
	process_turns_rest(NULL, 0, true);
	process_turns_end(NULL, NONE);
}

/* A child that takes this turn, the next one, says so, and ends after a byte or when it is killed.
 */
static pid_t
turns_hold(struct process_turns *turns, int want, int *ends)
{
	int said[2], heard[2];
	char byte = 0;

	cr_assert(pipe(said) == 0 && pipe(heard) == 0);
	pid_t child = fork();
	cr_assert(child >= 0);
	if (child == 0) {
		int turn = process_turns_take(turns, 0);

		close(heard[1]);
		if (write(said[1], turn == want ? "+" : "-", 1) != 1 ||
		    read(heard[0], &byte, 1) < 0)
			_exit(1);
		process_turns_end(turns, turn);
		_exit(0);
	}
	close(heard[0]);
	cr_assert(read(said[0], &byte, 1) == 1 && byte == '+');
	close(said[0]);
	close(said[1]);
	*ends = heard[1];
	return child;
}

Test(turns, are_waited_for_until_another_process_gives_one_back)
{
	AUTO(process_turns) turns = process_turns_new(1, 1);
	int ends;
	pid_t child = turns_hold(turns, 0, &ends);

	gint64 begin = base_clock_boot();
	cr_expect_eq(process_turns_take(turns, 20), NONE, "it has the turn of another");
	cr_expect_geq(base_clock_boot() - begin, 19, "it does not wait");
	close(ends);
	cr_expect_eq(process_turns_take(turns, 60000), 0, "it gets none");
	waitpid(child, NULL, 0);
}

static gint64 now_us; /* 0: the clock is not set */

gint64 __real_base_clock_boot_ns(void);
gint64 __wrap_base_clock_boot_ns(void);

gint64
__wrap_base_clock_boot_ns(void)
{
	return now_us ? now_us * 1000 : __real_base_clock_boot_ns();
}

/* One that rests takes what comes, so who waits would find nothing more. */
Test(turns, are_not_waited_for_while_a_process_rests)
{
	/* The last one passes the highest value of the bits that are kept. */
	static const gint64 begins[] = {1, 1000000, ((gint64)1 << 32) - 100};
	AUTO(process_turns) turns = process_turns_new(1, G_N_ELEMENTS(begins));
	int ends;
	pid_t child = turns_hold(turns, 0, &ends);

	for (guint resting = 0; resting < G_N_ELEMENTS(begins); resting++) {
		gint64 begin = base_clock_boot();

		now_us = begins[resting];
		process_turns_rest(turns, resting, true);
		now_us += PROCESS_TURNS_REST_US;
		cr_expect_eq(process_turns_take(turns, 60000), NONE, "%u rests", resting);
		cr_expect_lt(base_clock_boot() - begin, 20000, "it waits while %u rests", resting);
		process_turns_rest(turns, resting, false);
	}
	process_turns_rest(turns, 2, true);
	now_us += PROCESS_TURNS_REST_US - 2;
	gint64 begin = base_clock_boot();
	cr_expect_eq(process_turns_take(turns, 20), NONE);
	cr_expect_geq(base_clock_boot() - begin, 19, "it does not wait while nobody rests yet");
	now_us += 2;
	close(ends);
	waitpid(child, NULL, 0);
	cr_expect_eq(process_turns_take(turns, 0), 0, "a free one is not taken while 2 rests");
}

/* Whichever becomes free, it is taken. */
Test(turns, are_waited_for_together)
{
	for (guint given = 0; given < 2; given++) {
		AUTO(process_turns) turns = process_turns_new(2, 1);
		int ends[2];
		pid_t children[2] = {
		    turns_hold(turns, 0, &ends[0]), turns_hold(turns, 1, &ends[1])};

		cr_assert_eq(write(ends[given], "", 1), 1);
		cr_expect_eq(process_turns_take(turns, 60000), (int)given);
		cr_assert_eq(write(ends[1 - given], "", 1), 1);
		for (guint i = 0; i < 2; i++) {
			waitpid(children[i], NULL, 0);
			close(ends[i]);
		}
	}
}

Test(turns, of_a_process_that_is_killed_are_free)
{
	AUTO(process_turns) turns = process_turns_new(1, 1);

	for (guint i = 0; i < 2; i++) {
		int ends;
		pid_t child = turns_hold(turns, 0, &ends);

		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(ends);
		cr_expect_eq(process_turns_take(turns, 0), 0, "killed %u", i);
		process_turns_end(turns, 0);
	}
}

/* Nobody is told of this one: who waits looks again at the end of its wait. */
Test(turns, of_a_process_that_is_killed_are_found_by_those_that_wait)
{
	AUTO(process_turns) turns = process_turns_new(1, 1);
	int ends, waits[2];
	char byte = 0;
	pid_t holder = turns_hold(turns, 0, &ends);

	cr_assert(pipe(waits) == 0);
	pid_t waiter = fork();
	cr_assert(waiter >= 0);
	if (waiter == 0)
		_exit(write(waits[1], "", 1) == 1 && process_turns_take(turns, 300) == 0 ? 0 : 1);
	cr_assert(read(waits[0], &byte, 1) == 1);
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
	int status;
	waitpid(waiter, &status, 0);
	cr_expect_eq(status, 0, "status %#x", (guint)status);
	close(ends);
	close(waits[0]);
	close(waits[1]);
}

/* Once a process has waited in vain, no other one waits until a turn is given back. */
Test(turns, are_not_waited_for_where_none_is_given_back)
{
	AUTO(process_turns) turns = process_turns_new(2, 1);
	int ends[2];
	pid_t children[2] = {turns_hold(turns, 0, &ends[0]), turns_hold(turns, 1, &ends[1])};

	cr_expect_eq(process_turns_take(turns, 200), NONE);
	gint64 begin = base_clock_boot();
	for (guint i = 0; i < 10; i++)
		cr_expect_eq(process_turns_take(turns, 200), NONE);
	cr_expect_lt(base_clock_boot() - begin, 1000, "each waits for itself");
	begin = base_clock_boot();
	cr_expect_eq(process_turns_take(turns, 250), NONE);
	cr_expect_geq(base_clock_boot() - begin, 249, "one that may wait longer does not");
	for (guint i = 0; i < 2; i++) {
		cr_assert_eq(write(ends[i], "", 1), 1);
		waitpid(children[i], NULL, 0);
		close(ends[i]);
		cr_expect_eq(process_turns_take(turns, 0), (int)i);
	}
	begin = base_clock_boot();
	process_turns_end(turns, 1);
	cr_expect_eq(process_turns_take(turns, 0), 1);
	cr_expect_eq(process_turns_take(turns, 50), NONE);
	cr_expect_geq(base_clock_boot() - begin, 49, "it does not wait after one was given back");
}
