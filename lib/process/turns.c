/* SPDX-License-Identifier: MIT */
/* Turns as locks in shared memory, which the kernel releases for a process that is killed.

   A process that waits sleeps until a turn is given back. It then tries all turns again: one that
   runs already may have been faster, which wastes no time of a processor. Only a turn that is given
   back wakes somebody.

   Each process has a place of its own where it notes that it rests, so one that is killed leaves
   nothing behind that its successor does not write anew. */
#include "process/turns.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

struct process_turns {
	gsize size; /* of this memory, in bytes */
	guint count;
	guint ended; /* atomic, a futex: how often a turn was given back */
	int vain_ms; /* atomic: a process has waited so long, and none was given back since */
	guint processes;
	guint *rests; /* atomic: for each process, since when it rests (turns_now); 0: it works */
	pthread_mutex_t locks[];
};

struct process_turns *
process_turns_new(guint count, guint processes)
{
	gsize size = sizeof(struct process_turns) + count * sizeof(pthread_mutex_t) +
		     processes * sizeof(guint);
	struct process_turns *turns =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;

	if (turns == MAP_FAILED)
		return NULL;
	turns->size = size;
	turns->count = count;
	turns->processes = processes;
	turns->rests = (guint *)(void *)&turns->locks[count];
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	for (guint i = 0; i < count; i++)
		pthread_mutex_init(&turns->locks[i], &attributes);
	pthread_mutexattr_destroy(&attributes);
	return turns;
}

void
process_turns_free(struct process_turns *turns)
{
	munmap(turns, turns->size);
}

/* Takes the turn, if it is free now. That of a process that has ended guards nothing that is left
   undone. */
static bool
turns_try_one(pthread_mutex_t *lock)
{
	int result = pthread_mutex_trylock(lock);

	if (result == EOWNERDEAD)
		pthread_mutex_consistent(lock);
	return result == 0 || result == EOWNERDEAD;
}

static int
turns_try(struct process_turns *turns)
{
	for (guint i = 0; i < turns->count; i++)
		if (turns_try_one(&turns->locks[i]))
			return (int)i;
	return PROCESS_TURNS_NONE;
}

/* The time in microseconds, of which the highest bits are left out, and never 0. */
static guint
turns_now(void)
{
	return (guint)(base_clock_boot_ns() / 1000) | 1;
}

static bool
turns_somebody_rests(const struct process_turns *turns)
{
	guint now = turns_now();

	for (guint i = 0; i < turns->processes; i++) {
		guint since = (guint)g_atomic_int_get(&turns->rests[i]);

		if (since != 0 && now - since >= PROCESS_TURNS_REST_US)
			return true;
	}
	return false;
}

/* Waits until more turns were given back than `seen`, for ms at most. */
static void
turns_wait(struct process_turns *turns, guint seen, gint64 ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	syscall(SYS_futex, &turns->ended, FUTEX_WAIT, seen, &time, NULL, 0);
}

int
process_turns_take(struct process_turns *turns, gint64 ms)
{
	gint64 now = base_clock_boot(), over = now + PROCESS_TURNS_LONGEST * ms, since = now;
	guint last = turns ? (guint)g_atomic_int_get(&turns->ended) : 0;

	if (turns && turns_somebody_rests(turns))
		return turns_try(turns);
	while (turns) {
		guint seen = (guint)g_atomic_int_get(&turns->ended);
		int turn = turns_try(turns);

		if (turn != PROCESS_TURNS_NONE || ms <= g_atomic_int_get(&turns->vain_ms))
			return turn;
		now = base_clock_boot();
		since = seen == last ? since : now;
		last = seen;
		if (now >= over)
			break;
		if (now - since >= ms) {
			g_atomic_int_set(&turns->vain_ms, (int)ms);
			break;
		}
		turns_wait(turns, seen, MIN(since + ms, over) - now);
	}
	return PROCESS_TURNS_NONE;
}

void
process_turns_rest(struct process_turns *turns, guint process, bool rests)
{
	if (turns)
		g_atomic_int_set(&turns->rests[process], rests ? turns_now() : 0);
}

void
process_turns_end(struct process_turns *turns, int turn)
{
	if (turn == PROCESS_TURNS_NONE)
		return;
	pthread_mutex_unlock(&turns->locks[turn]);
	g_atomic_int_set(&turns->vain_ms, 0);
	g_atomic_int_inc(&turns->ended);
	syscall(SYS_futex, &turns->ended, FUTEX_WAKE, 1, NULL, NULL, 0);
}
