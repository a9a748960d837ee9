/* SPDX-License-Identifier: MIT */
/* Tests work in a child process that is kept: who does it, when it is replaced, its limits. */
#include "process/kept.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits/unit.h"

#define WHAT "The work could not be done"
#define WORKS 4
#define MOST (3 * (gsize)LIMIT_MIB)
#define MEMORY (64 * (gsize)LIMIT_MIB)

TestSuite(kept, .timeout = 900);

static guint works_done; /* in the child */

static GBytes *
kept_number(gint64 number)
{
	return g_bytes_new(&number, sizeof(number));
}

/* A work is a word, and a number behind it. */
static GBytes *
kept_work(const void *data, gsize size)
{
	g_autofree char *text = g_strndup(data, size);
	char *number = strchr(text, ' ');
	gint64 given = number ? atoll(number) : 0;
	bool is_used = works_done++ > 0;

	if (g_str_has_prefix(text, "die") || (g_str_has_prefix(text, "tire") && is_used))
		raise(SIGKILL);
	if (g_str_has_prefix(text, "sleep"))
		for (;;)
			pause();
	if (g_str_has_prefix(text, "take"))
		g_free(g_malloc((gsize)given));
	if (g_str_has_prefix(text, "file"))
		return kept_number(fcntl((int)given, F_GETFD) < 0 && errno == EBADF);
	if (g_str_has_prefix(text, "give"))
		return g_bytes_new_take(g_malloc0((gsize)given), (gsize)given);
	if (g_str_has_prefix(text, "size"))
		return kept_number((gint64)size);
	return kept_number(getpid());
}

static const struct process_kept_kind kind = {WHAT, NULL, kept_work, .ms = 60000, .bytes = MEMORY,
    .result_most = MOST, .works = WORKS, .idle_s = 600};

static const struct base_id one = {{1}}, other = {{2}};

static GBytes *
kept_do(struct process_kept *kept, const struct base_id *owner, const char *text, GError **error)
{
	const struct iovec parts[] = {{(char *)text, 1}, {(char *)text + 1, strlen(text + 1)}};

	return process_kept_do(kept, owner, parts, G_N_ELEMENTS(parts), error);
}

static gint64
kept_ask(struct process_kept *kept, const struct base_id *owner, const char *text)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) got = kept_do(kept, owner, text, &error);

	cr_assert(got, "%s: %s", text, error ? error->message : "");
	cr_assert_eq(g_bytes_get_size(got), sizeof(gint64), "%s", text);
	gint64 number;
	memcpy(&number, g_bytes_get_data(got, NULL), sizeof(number));
	return number;
}

static void
expect_failure(struct process_kept *kept, const char *text, const char *want)
{
	g_autoptr(GError) error = NULL;

	cr_assert_null(kept_do(kept, &one, text, &error), "%s", text);
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE), "%s", text);
	cr_expect_str_eq(error->message, want, "%s: got %s", text, error->message);
}

static void
expect_no_child(void)
{
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
}

Test(kept, has_one_child_for_works_of_one_owner)
{
	AUTO(process_kept) kept = process_kept_new(&kind, NULL);

	expect_no_child();
	gint64 first = kept_ask(kept, &one, "who");
	cr_expect_neq(first, getpid());
	cr_expect_eq(kept_ask(kept, &one, "who"), first);
	gint64 second = kept_ask(kept, &other, "who");
	cr_expect_neq(second, first, "two owners share a child");
	cr_expect_neq(kept_ask(kept, &one, "who"), second);
	g_clear_pointer(&kept, process_kept_free);
	expect_no_child();
}

Test(kept, replaces_a_child_after_some_works)
{
	AUTO(process_kept) kept = process_kept_new(&kind, NULL);
	gint64 first = kept_ask(kept, &one, "who");

	for (guint i = 1; i < WORKS; i++)
		cr_expect_eq(kept_ask(kept, &one, "who"), first, "work %u", i);
	expect_no_child();
	cr_expect_neq(kept_ask(kept, &one, "who"), first);
}

Test(kept, gives_data_and_result_of_any_size)
{
	static const gsize sizes[] = {0, 1, 65528, 65529, MOST};
	AUTO(process_kept) kept = process_kept_new(&kind, NULL);
	g_autofree char *data = g_malloc0(MOST);

	memset(data, 's', MOST);
	memcpy(data, "size ", strlen("size "));
	const struct iovec parts[] = {{data, MOST}};
	g_autoptr(GBytes) got = process_kept_do(kept, &one, parts, 1, NULL);
	cr_assert(got);
	cr_expect_eq(*(const gint64 *)g_bytes_get_data(got, NULL), (gint64)MOST);
	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autofree char *text = g_strdup_printf("give %zu", sizes[i]);
		g_autoptr(GBytes) result = kept_do(kept, &one, text, NULL);

		cr_assert(result, "%zu bytes", sizes[i]);
		cr_expect_eq(g_bytes_get_size(result), sizes[i]);
	}
}

Test(kept, fails_one_work_whose_child_dies)
{
	static const char died[] = WHAT ": the child process died";
	AUTO(process_kept) kept = process_kept_new(&kind, NULL);

	expect_failure(kept, "die", died);
	expect_no_child();
	gint64 first = kept_ask(kept, &one, "who");
	expect_failure(kept, "die", died);
	cr_expect_neq(kept_ask(kept, &one, "who"), first);
	expect_failure(kept, "give 3145729", died);
	expect_failure(kept, "take 134217728", died);
	cr_expect(kept_ask(kept, &one, "take 33554432"));
}

Test(kept, tries_again_by_a_new_child)
{
	AUTO(process_kept) kept = process_kept_new(&kind, NULL);
	gint64 first = kept_ask(kept, &one, "who"), second = kept_ask(kept, &one, "tire");

	cr_expect_neq(second, first);
	kill((pid_t)second, SIGKILL);
	cr_expect_neq(kept_ask(kept, &one, "who"), second);
}

Test(kept, ends_a_work_that_is_late)
{
	struct process_kept_kind quick = kind;
	quick.ms = 300;
	AUTO(process_kept) kept = process_kept_new(&quick, NULL);

	expect_failure(kept, "sleep", WHAT ": the child process took too long");
	expect_no_child();
}

Test(kept, replaces_a_child_that_waited_for_long)
{
	struct process_kept_kind brief = kind;
	siginfo_t info;
	brief.idle_s = 1;
	AUTO(process_kept) kept = process_kept_new(&brief, NULL);
	gint64 first = kept_ask(kept, &one, "who");

	cr_assert_eq(waitid(P_PID, (id_t)first, &info, WEXITED | WNOWAIT), 0);
	cr_expect_neq(kept_ask(kept, &one, "who"), first);
}

/* The database's connection and the client's socket are the parent's alone. */
Test(kept, keeps_no_file_of_the_parent)
{
	g_autofree char *text = g_strdup_printf("file %d", fcntl(STDERR_FILENO, F_DUPFD, 4));
	AUTO(process_kept) kept = process_kept_new(&kind, NULL);

	cr_expect_eq(kept_ask(kept, &one, text), 1);
}

/* A transaction of SMTP has its time after the signal. */
Test(kept, goes_on_when_told_to_stop)
{
	AUTO(process_kept) kept = process_kept_new(&kind, NULL);
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	raise(SIGTERM);
	cr_expect(kept_ask(kept, &one, "who"));
	int got;
	sigwait(&signals, &got);
}

static bool
kept_refuse(void *context, GError **error)
{
	return base_fail(error, PH_ERROR_FAILED, "no");
}

Test(kept, does_nothing_where_it_cannot_begin)
{
	struct process_kept_kind refused = kind;
	refused.begin = kept_refuse;
	AUTO(process_kept) kept = process_kept_new(&refused, NULL);
	g_autoptr(GError) error = NULL;

	cr_expect_null(kept_do(kept, &one, "who", &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY));
	cr_expect_str_eq(error->message, "A child process could not do the work: it cannot begin");
}
