/* SPDX-License-Identifier: MIT */
/* Turns as locks in shared memory, which the kernel releases for a process that is killed. */
#include "process/turns.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS 1 /* between two looks at all turns */

struct process_turns {
	gsize size; /* of this memory, in bytes */
	guint count;
	pthread_mutex_t locks[];
};

struct process_turns *
process_turns_new(guint count)
{
	gsize size = sizeof(struct process_turns) + count * sizeof(pthread_mutex_t);
	struct process_turns *turns =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;

	if (turns == MAP_FAILED)
		return NULL;
	turns->size = size;
	turns->count = count;
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

/* Whether the lock is ours now. One whose process has ended guards nothing that is left undone. */
static bool
turns_is_taken(pthread_mutex_t *lock, int result)
{
	if (result == EOWNERDEAD)
		pthread_mutex_consistent(lock);
	return result == 0 || result == EOWNERDEAD;
}

/* Takes a turn that is free now. */
static int
turns_try(struct process_turns *turns)
{
	for (guint i = 0; i < turns->count; i++)
		if (turns_is_taken(&turns->locks[i], pthread_mutex_trylock(&turns->locks[i])))
			return (int)i;
	return PROCESS_TURNS_NONE;
}

/* Waits for one turn for a while. */
static bool
turns_wait(pthread_mutex_t *lock)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += STEP_MS * 1000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	return turns_is_taken(lock, pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &end));
}

int
process_turns_take(struct process_turns *turns, gint64 ms)
{
	if (!turns || turns->count == 0)
		return PROCESS_TURNS_NONE;
	guint mine = (guint)getpid() % turns->count;
	int turn = turns_try(turns);
	for (gint64 waited = 0; turn == PROCESS_TURNS_NONE && waited < ms; waited += STEP_MS)
		turn = turns_wait(&turns->locks[mine]) ? (int)mine : turns_try(turns);
	return turn;
}

void
process_turns_end(struct process_turns *turns, int turn)
{
	if (turn != PROCESS_TURNS_NONE)
		pthread_mutex_unlock(&turns->locks[turn]);
}
