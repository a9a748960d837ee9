/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/api/heavy.c. */
#include "fcgi/api/heavy.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/limits/request.h"
#include "tests/support/house.h"

static struct test_house *house;
static struct fcgi_heavy_ledger *ledger;
static struct base_id one, other;

static void
heavy_begin(void)
{
	house = test_house_open(NULL, NULL);
	ledger = fcgi_heavy_ledger_new();
	one = base_id_new();
	other = base_id_new();
	/* Accounts and turns are those of the last bytes. */
	one.bytes[12] = 1;
	other.bytes[12] = 2;
}

static void
heavy_end(void)
{
	test_house_close(house);
}

TestSuite(heavy, .init = heavy_begin, .fini = heavy_end);

Test(heavy, is_a_workspace_that_has_taken_more_than_its_share)
{
	AUTO(fcgi_heavy) heavy = fcgi_heavy_new(house->settings, ledger, 1);

	for (guint i = 0; i < 1000; i++)
		fcgi_heavy_note(heavy, &one, HEAVY_CHECK, LIMIT_HEAVY_NS);
	cr_expect_not(fcgi_heavy_is(heavy, &one, HEAVY_CHECK), "by light requests");
	fcgi_heavy_note(heavy, &one, HEAVY_CHECK, LIMIT_HEAVY_BURST_NS);
	cr_expect_not(fcgi_heavy_is(heavy, &one, HEAVY_CHECK), "by the limit");
	fcgi_heavy_note(heavy, &one, HEAVY_CHECK, LIMIT_HEAVY_BURST_NS);
	cr_expect(fcgi_heavy_is(heavy, &one, HEAVY_CHECK), "past it");
	cr_expect_not(fcgi_heavy_is(heavy, &one, HEAVY_STORE), "in another phase");
	cr_expect_not(fcgi_heavy_is(heavy, &other, HEAVY_CHECK), "by another workspace");
}

/* The clock of the ledger goes on in these tests by this, from where it was stopped; see room.mk.
   0: it was not. */
static gint64 heavy_stopped_ns, heavy_shift_ns;

gint64 __real_base_clock_boot_ns(void);
gint64 __wrap_base_clock_boot_ns(void);

gint64
__wrap_base_clock_boot_ns(void)
{
	return heavy_stopped_ns ? heavy_stopped_ns + heavy_shift_ns : __real_base_clock_boot_ns();
}

Test(heavy, ends_by_rest)
{
	AUTO(fcgi_heavy) heavy = fcgi_heavy_new(house->settings, ledger, 1);

	heavy_stopped_ns = __real_base_clock_boot_ns();
	fcgi_heavy_note(heavy, &one, HEAVY_CHECK, LIMIT_HEAVY_BURST_NS + LIMIT_HEAVY_NS);
	cr_expect(fcgi_heavy_is(heavy, &one, HEAVY_CHECK));
	heavy_shift_ns += LIMIT_HEAVY_NS * LIMIT_HEAVY_SHARE;
	cr_expect_not(fcgi_heavy_is(heavy, &one, HEAVY_CHECK));
	/* Nobody rests for long, however much it was. */
	for (guint i = 0; i < 100; i++)
		fcgi_heavy_note(heavy, &other, HEAVY_CHECK, LIMIT_HEAVY_BURST_NS);
	cr_expect(fcgi_heavy_is(heavy, &other, HEAVY_CHECK));
	heavy_shift_ns += 20 * CLOCK_SECOND_NS;
	cr_expect_not(fcgi_heavy_is(heavy, &other, HEAVY_CHECK), "after 20 s");
}

Test(heavy, is_known_to_all_workers)
{
	AUTO(fcgi_heavy) heavy = fcgi_heavy_new(house->settings, ledger, 1);
	pid_t child = fork();

	if (child == 0) {
		fcgi_heavy_note(heavy, &one, HEAVY_CHECK, 2 * LIMIT_HEAVY_BURST_NS);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	cr_expect(fcgi_heavy_is(heavy, &one, HEAVY_CHECK));
}

struct turn {
	const char *name;
	bool is_other; /* of the other workspace */
	gint64 waited_ms;
	bool want;
	bool counts;
};

/* Each takes its turn in a process of its own, and those that got one keep it. */
static void
expect_turns(guint slots, const struct turn *turns, gsize count)
{
	g_autoptr(GPtrArray) kept =
	    g_ptr_array_new_with_free_func((GDestroyNotify)(void (*)(void))fcgi_heavy_free);

	for (gsize i = 0; i < count; i++) {
		struct fcgi_heavy *heavy = fcgi_heavy_new(house->settings, ledger, slots);

		bool got = fcgi_heavy_enter(
		    heavy, turns[i].is_other ? &other : &one, turns[i].counts, turns[i].waited_ms);
		cr_expect_eq(got, turns[i].want, "%u slots: %s", slots, turns[i].name);
		g_ptr_array_add(kept, heavy);
	}
}

Test(heavy, takes_turns)
{
	static const struct turn one_slot[] = {
	    {"first", false, 0, true},
	    {"second", false, 0, false},
	    {"second, for long", false, LIMIT_HEAVY_SLOT_MS + 1, false},
	    {"other", true, 0, false},
	    {"other, up to the limit", true, LIMIT_HEAVY_SLOT_MS, false},
	    {"other, for long", true, LIMIT_HEAVY_SLOT_MS + 1, true},
	    {"other, once more", true, LIMIT_HEAVY_SLOT_MS + 1, false},
	};
	static const struct turn three_slots[] = {
	    {"first", false, 0, true},
	    {"second", false, 0, false},
	    {"other", true, 0, true},
	};
	static const struct turn four_slots[] = {
	    {"first", false, 0, true},
	    {"second", false, 0, true},
	    {"third", false, LIMIT_HEAVY_SLOT_MS + 1, false},
	    {"other", true, 0, true},
	    {"other, with the last slot", true, 0, true},
	};
	/* One of a workspace goes without a slot at most. */
	static const struct turn no_slot_left[] = {
	    {"first", false, 0, true},
	    {"second", false, 0, true},
	    {"count", false, 0, true, true},
	    {"other count", true, 0, true, true},
	    {"other", true, LIMIT_HEAVY_SLOT_MS + 1, true},
	    {"other, second", true, LIMIT_HEAVY_SLOT_MS + 1, false},
	};
	static const struct turn counts[] = {
	    {"first count", false, 0, true, true},
	    {"second count", false, LIMIT_HEAVY_SLOT_MS + 1, false, true},
	    {"other count", true, 0, true, true},
	    {"no count", false, 0, true},
	};

	expect_turns(1, one_slot, G_N_ELEMENTS(one_slot));
	expect_turns(3, three_slots, G_N_ELEMENTS(three_slots));
	expect_turns(4, four_slots, G_N_ELEMENTS(four_slots));
	expect_turns(4, no_slot_left, G_N_ELEMENTS(no_slot_left));
	expect_turns(4, counts, G_N_ELEMENTS(counts));
}

Test(heavy, gives_its_turn_back)
{
	AUTO(fcgi_heavy) first = fcgi_heavy_new(house->settings, ledger, 1);
	AUTO(fcgi_heavy) second = fcgi_heavy_new(house->settings, ledger, 1);

	cr_expect(fcgi_heavy_enter(first, &one, false, 0));
	cr_expect_not(fcgi_heavy_enter(second, &other, false, 0));
	fcgi_heavy_leave(first);
	fcgi_heavy_leave(first);
	cr_expect(fcgi_heavy_enter(second, &other, false, 0));
	cr_expect_not(fcgi_heavy_enter(first, &one, false, 0));
}

Test(heavy, gives_its_turn_back_when_it_is_killed)
{
	AUTO(fcgi_heavy) heavy = fcgi_heavy_new(house->settings, ledger, 1);
	int ends[2];
	char byte;

	cr_assert_eq(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		struct fcgi_heavy *mine = fcgi_heavy_new(house->settings, ledger, 1);

		fcgi_heavy_enter(mine, &one, false, 0);
		close(ends[1]);
		pause();
	}
	close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 0, "the child has its turn");
	cr_expect_not(fcgi_heavy_enter(heavy, &one, false, 0));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cr_expect(fcgi_heavy_enter(heavy, &one, false, 0));
	close(ends[0]);
}
