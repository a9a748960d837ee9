/* SPDX-License-Identifier: MIT */
/* Tests ids: their order, their text form, and their times. */
#include "base/id.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

Test(id, increases_strictly_even_when_the_clock_goes_back)
{
	struct base_id last = base_id_new();

	for (int i = 0; i < 20000; i++) {
		if (i == 10000)
			base_clock_set(base_clock_now() - 60000);
		struct base_id next = base_id_new();
		cr_assert(memcmp(&last, &next, sizeof(last)) < 0,
		    "id %d is not greater than the one before", i);
		last = next;
	}
}

/* Two processes make ids in turns, many in one millisecond. */
Test(id, increases_from_one_process_to_the_next)
{
	int there[2], back[2];
	struct base_id last = base_id_new();

	cr_assert_eq(pipe(there), 0);
	cr_assert_eq(pipe(back), 0);
	pid_t child = fork();
	cr_assert(child >= 0);
	if (child == 0) {
		struct base_id id;
		close(there[1]);
		while (read(there[0], &id, sizeof(id)) == sizeof(id)) {
			id = base_id_new();
			if (write(back[1], &id, sizeof(id)) != sizeof(id))
				break;
		}
		_exit(0);
	}
	close(there[0]);
	for (int i = 0; i < 2000; i++) {
		struct base_id next;
		cr_assert_eq(write(there[1], &last, sizeof(last)), sizeof(last));
		cr_assert_eq(read(back[0], &next, sizeof(next)), sizeof(next));
		cr_assert(memcmp(&last, &next, sizeof(last)) < 0, "the other's id %d", i);
		last = base_id_new();
		cr_assert(memcmp(&next, &last, sizeof(last)) < 0, "our id %d", i);
	}
	close(there[1]);
	cr_assert_eq(waitpid(child, NULL, 0), child);
}

Test(id, is_a_version_7_of_the_time)
{
	char text[ID_TEXT_SIZE];

	base_clock_set(0x0123456789abLL);
	struct base_id id = base_id_new();
	base_id_format(&id, text);
	cr_assert_eq(strncmp(text, "01234567-8", 10), 0, "got %s", text);
	cr_assert(base_id_time(&id) >= 0x0123456789abLL && base_id_time(&id) <= base_clock_now(),
	    "time: got %s", text);
	cr_assert_eq(text[14], '7', "version: got %s", text);
	cr_assert(strchr("89ab", text[19]), "variant: got %s", text);
}

/* A time of which an id cannot tell is not that of another one. */
Test(id, keeps_times_without_room_at_its_ends)
{
	const gint64 last = ((gint64)1 << 48) - 1;
	const struct {
		gint64 time, want;
	} cases[] = {{G_MININT64, 0}, {-1, 0}, {0, 0}, {1, 1}, {last, last}, {last + 1, last},
	    {G_MAXINT64, last}};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_id floor = base_id_floor(cases[i].time), id = base_id_at(cases[i].time);

		cr_expect_eq(base_id_time(&floor), cases[i].want, "floor %zu", i);
		cr_expect_eq(base_id_time(&id), cases[i].want, "id %zu", i);
	}
}

Test(id, reads_back_what_it_writes_and_nothing_else)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {
	    {"0190a5b0-7c3e-7d00-8000-0123456789ab", true},
	    {"0190A5B0-7C3E-7D00-8000-0123456789AB", true},
	    {"", false},
	    {"0190a5b0-7c3e-7d00-8000-0123456789a", false},
	    {"0190a5b0-7c3e-7d00-8000-0123456789abc", false},
	    {"0190a5b0-7c3e-7d00-8000-0123456789ag", false},
	    {"0190a5b07c3e-7d00-8000-0123456789ab--", false},
	    {"0190a5b0-7c3e-7d00-80000-123456789ab", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_id id = {0};
		char text[ID_TEXT_SIZE];
		bool got = base_id_parse(cases[i].text, &id);
		cr_expect_eq(
		    got, cases[i].want, "%s: got %d, want %d", cases[i].text, got, cases[i].want);
		if (got)
			cr_expect(g_ascii_strcasecmp(base_id_format(&id, text), cases[i].text) == 0,
			    "%s came back as %s", cases[i].text, text);
	}
}

Test(id, begins_with_its_time)
{
	static const gint64 times[] = {0, 1, 1800000000123, ((gint64)1 << 48) - 1};

	for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
		struct base_id id = base_id_at(times[i]), floor = base_id_floor(times[i]);

		cr_expect_eq(base_id_time(&id), times[i]);
		cr_expect_eq(base_id_time(&floor), times[i]);
	}
}

Test(id, has_a_next_one)
{
	struct base_id id = {{0}}, last;

	memset(&last, 0xff, sizeof(last));
	id.bytes[14] = 7;
	id.bytes[15] = 0xff;
	struct base_id next = base_id_next(&id);
	cr_expect_eq(next.bytes[14], 8);
	cr_expect_eq(next.bytes[15], 0);
	next = base_id_next(&last);
	cr_expect(base_id_equal(&next, &last));
}

/* Its random bytes are drawn for several ids at once. */
Test(id, of_a_child_process_has_other_random_bytes)
{
	struct base_id own[2], others[2];
	int ends[2], status;

	base_id_new();
	cr_assert(pipe(ends) == 0);
	pid_t child = fork();
	if (child == 0) {
		others[0] = base_id_new();
		others[1] = base_id_at(1);
		_exit(write(ends[1], others, sizeof(others)) == sizeof(others) ? 0 : 1);
	}
	cr_assert(waitpid(child, &status, 0) == child && status == 0);
	cr_assert(read(ends[0], others, sizeof(others)) == sizeof(others));
	own[0] = base_id_new();
	own[1] = base_id_at(1);
	for (guint i = 0; i < 2; i++)
		cr_expect(memcmp(own[i].bytes + 9, others[i].bytes + 9, 7) != 0, "%u", i);
	close(ends[0]);
	close(ends[1]);
}

static void *
make_ids(void *context)
{
	atomic_bool *ended = context;

	while (!*ended)
		base_id_new();
	return NULL;
}

/* A child that is born while another thread makes an id would wait for that thread for ever. */
Test(id, is_made_by_a_child_that_another_thread_does_not_hold_up)
{
	atomic_bool ended = false;

	base_id_new();
	GThread *thread = g_thread_new("ids", make_ids, &ended);
	for (guint i = 0; i < 200; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			alarm(20);
			base_id_new();
			_exit(0);
		}
		cr_assert(waitpid(child, &status, 0) == child);
		cr_assert_eq(status, 0, "child %u: status %d", i, status);
	}
	ended = true;
	g_thread_join(thread);
}
