/* SPDX-License-Identifier: MIT */
/* Tests token buckets: their rates, their sharing by processes, and damaged files. */
#include "base/bucket.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/process.h"

#define START (1000 * CLOCK_SECOND_NS)

static char *dir, *path;
static struct base_buckets *buckets;

static void
bucket_begin(void)
{
	dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);
	path = g_build_filename(dir, "rates", NULL);
	buckets = base_bucket_open(path);
}

static void
bucket_end(void)
{
	base_bucket_close(buckets);
	g_unlink(path);
	g_rmdir(dir);
	g_free(path);
	g_free(dir);
}

TestSuite(bucket, .init = bucket_begin, .fini = bucket_end);

static bool
bucket_take_by(struct base_buckets *from, const struct base_bucket *bucket, gint64 now,
    struct base_bucket_state *state_r)
{
	g_autoptr(GError) error = NULL;
	bool taken = base_bucket_take(from, bucket, 1, now, state_r, &error);

	cr_assert_null(error, "%s", error->message);
	return taken;
}

static bool
bucket_take(const struct base_bucket *bucket, gint64 now, struct base_bucket_state *state_r)
{
	return bucket_take_by(buckets, bucket, now, state_r);
}

/* The number of tokens that the bucket gives at that time. */
static guint
drain(const struct base_bucket *bucket, gint64 now)
{
	struct base_bucket_state state;
	guint count = 0;

	while (bucket_take(bucket, now, &state))
		count++;
	return count;
}

Test(bucket, gives_its_burst_and_then_its_rate)
{
	const struct base_bucket bucket = {base_id_new(), 10, 20};
	struct base_bucket_state state;

	for (gint64 i = 1; i <= 20; i++) {
		cr_expect(bucket_take(&bucket, START, &state), "token %d", (int)i);
		cr_expect_eq(state.left, 20 - i);
		cr_expect_eq(state.full_ns, i * CLOCK_SECOND_NS / 10);
	}
	cr_expect_not(bucket_take(&bucket, START, &state), "one past the burst");
	cr_expect_eq(state.left, 0);
	cr_expect_eq(state.full_ns, 2 * CLOCK_SECOND_NS);
	cr_expect_eq(state.wait_ns, CLOCK_SECOND_NS / 10);
	cr_expect_not(bucket_take(&bucket, START + CLOCK_SECOND_NS / 10 - 1, &state), "too early");
	cr_expect_eq(state.wait_ns, 1);
	cr_expect_eq(drain(&bucket, START + CLOCK_SECOND_NS / 10), 1);
	cr_expect_eq(drain(&bucket, START + CLOCK_SECOND_NS), 9);
	cr_expect_eq(drain(&bucket, START + 100 * CLOCK_SECOND_NS), 20, "it holds no more");
}

Test(bucket, serves_all_rates_and_bursts)
{
	static const struct {
		gint64 rate, burst;
	} cases[] = {
	    {1, 1},
	    {1, 2},
	    {3, 6},
	    {7, 1},
	    {1000, 2000},
	    {1, LIMIT_OF_LIMITS},
	    {LIMIT_OF_LIMITS, 2},
	    {1, 2LL * LIMIT_OF_LIMITS},
	    {LIMIT_OF_LIMITS, 2LL * LIMIT_OF_LIMITS},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct base_bucket bucket = {base_id_new(), cases[i].rate, cases[i].burst};
		struct base_bucket_state state;

		cr_expect(bucket_take(&bucket, START, &state), "row %zu", i);
		cr_expect_eq(state.left, bucket.burst - 1, "row %zu: %d left", i, (int)state.left);
		cr_expect_gt(state.full_ns, 0, "row %zu", i);
		if (bucket.burst <= 2000)
			cr_expect_eq(drain(&bucket, START), bucket.burst - 1, "row %zu", i);
	}
}

Test(bucket, is_its_owners_alone)
{
	const struct base_bucket one = {base_id_new(), 1, 3}, other = {base_id_new(), 1, 3};

	cr_expect_eq(drain(&one, START), 3);
	cr_expect_eq(drain(&other, START), 3);
}

Test(bucket, follows_a_new_rate_and_burst)
{
	struct base_bucket bucket = {base_id_new(), 1, 1000};
	struct base_bucket_state state;

	cr_expect_eq(drain(&bucket, START), 1000);
	bucket.burst = 10;
	cr_expect_not(bucket_take(&bucket, START, &state));
	cr_expect_eq(state.wait_ns, CLOCK_SECOND_NS, "the larger burst is no debt");
	cr_expect_eq(drain(&bucket, START + 2 * CLOCK_SECOND_NS), 2);
	bucket.rate = 10;
	cr_expect_eq(drain(&bucket, START + 3 * CLOCK_SECOND_NS), 0);
	cr_expect_eq(drain(&bucket, START + 3 * CLOCK_SECOND_NS + CLOCK_SECOND_NS / 10), 1);
}

/* If one bucket is empty, nothing is taken from the others. */
Test(bucket, takes_from_all_or_none)
{
	const struct base_id workspace = base_id_new();
	const struct base_bucket both[2] = {{workspace, 1, 5}, {base_id_new(), 1, 2}};
	const struct base_bucket another[2] = {both[0], {base_id_new(), 1, 9}};
	struct base_bucket_state states[2];

	for (guint i = 0; i < 2; i++)
		cr_expect(base_bucket_take(buckets, both, 2, START, states, NULL));
	for (guint i = 0; i < 10; i++)
		cr_expect_not(base_bucket_take(buckets, both, 2, START, states, NULL));
	cr_expect(states[0].left == 3 && states[0].wait_ns == 0);
	cr_expect(states[1].left == 0 && states[1].wait_ns == CLOCK_SECOND_NS);
	for (guint i = 0; i < 3; i++)
		cr_expect(base_bucket_take(buckets, another, 2, START, states, NULL));
	cr_expect_eq(states[1].left, 6);
	cr_expect_not(base_bucket_take(buckets, another, 2, START, states, NULL));
	cr_expect(states[0].left == 0 && states[0].wait_ns == CLOCK_SECOND_NS);
	cr_expect(states[1].left == 6 && states[1].full_ns == 3 * CLOCK_SECOND_NS);
}

/* Far more owners than there are slots: those for whom there is none are not refused, and no other
   owner's tokens are taken. */
Test(bucket, never_refuses_one_for_another)
{
	enum { OWNERS = 40000 };
	struct base_bucket_state state;
	struct base_bucket bucket = {.rate = 1, .burst = 1};
	g_autofree struct base_id *owners = g_new(struct base_id, OWNERS);
	guint refused = 0;

	for (guint i = 0; i < OWNERS; i++) {
		bucket.owner = owners[i] = base_id_new();
		cr_assert(bucket_take(&bucket, START, &state), "owner %u", i);
	}
	for (guint i = 0; i < OWNERS; i++) {
		bucket.owner = owners[i];
		refused += !bucket_take(&bucket, START, &state);
	}
	cr_expect_gt(refused, 8000, "%u", refused);
	cr_expect_lt(refused, OWNERS);
	/* Other owners can take over slots that have been full for a while. */
	for (guint i = 0; i < 1000; i++) {
		bucket.owner = base_id_new();
		cr_assert_eq(drain(&bucket, START + 100 * CLOCK_SECOND_NS), 1, "owner %u", i);
	}
}

#define PROCESSES 4

/* Takes until it is killed, or as often as it is told; the exit status is how often it was let. */
static pid_t
fork_taker(const struct base_bucket *bucket, guint times)
{
	pid_t child = fork();

	if (child != 0)
		return child;
	AUTO(base_buckets) own = base_bucket_open(path);
	struct base_bucket_state state;
	guint count = 0;
	for (guint i = 0; times == 0 || i < times; i++)
		count += bucket_take_by(own, bucket, START, &state);
	_exit((int)count);
}

Test(bucket, is_exact_among_processes)
{
	const struct base_bucket bucket = {base_id_new(), 1, 200};
	pid_t children[PROCESSES];
	int status, sum = 0;

	for (guint i = 0; i < PROCESSES; i++)
		children[i] = fork_taker(&bucket, 20000);
	for (guint i = 0; i < PROCESSES; i++) {
		cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
		cr_assert(WIFEXITED(status));
		sum += WEXITSTATUS(status);
	}
	cr_expect_eq(sum, 200, "%d", sum);
}

Test(bucket, survives_those_who_are_killed)
{
	const struct base_bucket bucket = {base_id_new(), 1, 3}, other = {base_id_new(), 1, 3};

	for (guint i = 0; i < 20; i++) {
		pid_t child = fork_taker(&bucket, 0);

		g_usleep(500 * i);
		kill(child, SIGKILL);
		cr_assert_eq(waitpid(child, NULL, 0), child);
	}
	cr_expect_leq(drain(&bucket, START), 3);
	cr_expect_eq(drain(&bucket, START + 3 * CLOCK_SECOND_NS), 3);
	cr_expect_eq(drain(&other, START), 3);
}

static gsize
size_of_file(void)
{
	GStatBuf st;

	cr_assert_eq(g_stat(path, &st), 0);
	return (gsize)st.st_size;
}

/* Changes to the file by other processes, before or while this process has it mapped. */
Test(bucket, survives_what_becomes_of_its_file)
{
	static const char *const contents[] = {"", "short", "posthouse rates 0"};
	const struct base_bucket bucket = {base_id_new(), 1, 3};

	cr_expect_eq(drain(&bucket, START), 3);
	gsize size = size_of_file();
	for (guint i = 0; i < G_N_ELEMENTS(contents); i++) {
		cr_assert(g_file_set_contents(path, contents[i], -1, NULL));
		cr_expect_eq(drain(&bucket, START), 3, "replaced by \"%s\"", contents[i]);
		cr_expect_eq(size_of_file(), size);
		cr_assert_eq(truncate(path, (off_t)(100 * i)), 0);
		cr_expect_geq(drain(&bucket, START + 10 * CLOCK_SECOND_NS), 3, "cut");
		cr_expect_eq(size_of_file(), size);
	}
	g_unlink(path);
	cr_expect_eq(drain(&bucket, START), 3, "removed");
	g_autofree char *junk = g_strnfill(2 * size, 'x');
	cr_assert(g_file_set_contents(path, junk, -1, NULL));
	cr_expect_eq(drain(&bucket, START), 3, "junk");
	cr_expect_eq(size_of_file(), size);
}

/* Times of another boot are meaningless, so the table is made anew. */
Test(bucket, begins_anew_at_each_boot)
{
	const struct base_bucket bucket = {base_id_new(), 1, 3};
	g_autofree char *text = NULL;
	gsize size;

	cr_expect_eq(drain(&bucket, START), 3);
	cr_assert(g_file_get_contents(path, &text, &size, NULL));
	text[32] ^= 1;
	cr_assert(g_file_set_contents(path, text, (gssize)size, NULL));
	cr_expect_eq(drain(&bucket, START), 3);
}

Test(bucket, says_when_it_has_no_file)
{
	AUTO(base_buckets) nowhere = base_bucket_open("/nowhere/rates");
	const struct base_bucket bucket = {base_id_new(), 1, 3};
	struct base_bucket_state state;

	for (guint i = 0; i < 5; i++) {
		g_autoptr(GError) error = NULL;
		cr_expect_not(base_bucket_take(nowhere, &bucket, 1, START, &state, &error));
		cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED));
		cr_expect(strstr(error->message, "/nowhere/rates"), "%s", error->message);
	}
}
