/* SPDX-License-Identifier: MIT */
/* Runs the programs of the build folder. */
#ifndef TESTS_SUPPORT_PROGRAM_H
#define TESTS_SUPPORT_PROGRAM_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/scope.h"

/* A program of the build folder as a child process. It ends with the test. */
struct test_program;

/* Starts the program of the build folder, argv[0]; argv is NULL-terminated. input: what it gets as
   standard input, -1 for nothing; output: as standard output, -1 for test_program_output. Both stay
   the caller's. environment: "NAME=value", NULL-terminated, or NULL: all that it gets besides
   PATH. */
struct test_program *test_program_start(
    const char *const *argv, const char *const *environment, int input, int output);

pid_t test_program_pid(const struct test_program *program);
void test_program_signal(const struct test_program *program, int number);

/* Waits for its end, but for ms at most. Its exit status; 256 and the signal's number when a signal
   ended it; -1 when it goes on. */
int test_program_wait(struct test_program *program, guint ms);

/* Its standard output, or its standard error, so far; the caller frees it. */
char *test_program_output(const struct test_program *program);
char *test_program_log(const struct test_program *program);

/* Waits until that has text in it, for two minutes at most: false then. */
bool test_program_wait_log(const struct test_program *program, const char *text);

/* The process numbers of its children; the caller owns the array of pid_t. */
GArray *test_program_children(const struct test_program *program);

/* Waits until a process has ended. */
void test_program_wait_gone(pid_t pid);

/* Kills the program and its children, and waits until all of them have ended. */
void test_program_kill_all(struct test_program *program);

/* Ends the test where this, the standard error of a program, holds a report of a sanitizer. */
void test_program_check_log(const char *log);

/* Kills the program if it still runs, and checks its log so. */
void test_program_free(struct test_program *program);
DEFINE_AUTO(test_program, test_program_free)

/* Bytes that a process may have beyond its limit: AddressSanitizer keeps what was freed, 256 MiB of
   it, and puts room around each piece. */
#ifdef __SANITIZE_ADDRESS__
#define TEST_MEMORY_SPARE ((gsize)1 << 30)
#else
#define TEST_MEMORY_SPARE ((gsize)0)
#endif

/* Sets the peak of a process's resident memory (VmHWM) back to what it has now; 0: of this process.
 */
void test_program_reset_peak(pid_t pid);

#endif
