/* SPDX-License-Identifier: MIT */
#include "relay/pace.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "tests/support/settings.h"

#define BEGIN ((gint64)1800000000000)

static char *dir;
static int owner; /* any pointer */

static void
pace_setup(void)
{
	dir = g_dir_make_tmp("posthouse-pace.XXXXXX", NULL);
	cr_assert(dir);
	base_clock_set(BEGIN);
}

static void
pace_teardown(void)
{
	test_folder_remove(dir);
}

TestSuite(pace, .init = pace_setup, .fini = pace_teardown);

static struct config_settings *
pace_load(const char *text)
{
	return test_settings_load(dir, "pace", text);
}

/* Tries for seconds, every ms of step, from now on. Returns the number of attempts. */
static guint
pace_count(
    struct relay_pace *pace, const char *relay, const char *destination, gint64 seconds, gint64 ms)
{
	gint64 begin = base_clock_now();
	struct relay_pace_wait wait;
	guint attempts = 0;

	for (gint64 i = 0; i < seconds * 1000; i += ms) {
		base_clock_set(begin + i);
		attempts += relay_pace_take(pace, relay, destination, &owner, &wait);
		relay_pace_end(pace, &owner);
	}
	base_clock_set(begin + seconds * 1000);
	return attempts;
}

Test(pace, falls_by_deferrals_and_recovers_by_ten_acceptances)
{
	static const guint ladder[] = {60, 30, 15, 8, 4, 2, 1, 1};
	AUTO(config_settings) settings = pace_load("");
	AUTO(relay_pace) pace = relay_pace_open(settings);
	AUTO(relay_pace) other = relay_pace_open(settings);
	struct relay_pace_wait wait;

	cr_expect(relay_pace_is_idle(pace));
	cr_expect(relay_pace_is_idle(other));
	for (gsize i = 0; i < G_N_ELEMENTS(ladder); i++) {
		g_autofree char *want =
		    g_strdup_printf("paced: x.org defers (421 4.7.%d slow), %u attempts a minute",
			(int)i, ladder[i]);
		g_autofree char *reply = g_strdup_printf("421 4.7.%d slow", (int)i);

		relay_pace_defer(i % 2 ? pace : other, "a", "x.org", reply);
		cr_expect_not(relay_pace_is_idle(pace));
		cr_expect_not(relay_pace_is_idle(other));
		cr_expect_not(relay_pace_take(pace, "a", "x.org", &owner, &wait));
		cr_expect_str_eq(wait.text, want);
		cr_expect(wait.until > base_clock_now() && wait.until <= base_clock_now() + 600010);
		guint got = pace_count(pace, "a", "x.org", 120, 50);
		cr_expect(got + 1 >= 2 * ladder[i] && got <= 2 * ladder[i] + 1,
		    "after %d deferrals: got %u attempts in two minutes", (int)i + 1, got);
		cr_expect(relay_pace_take(pace, "b", "x.org", &owner, &wait), "another relay");
		cr_expect(relay_pace_take(pace, "a", "y.org", &owner, &wait), "another one");
		cr_expect_eq(wait.until, 0);
	}
	for (gsize i = 7; i > 0; i--) {
		/* A busy machine lets a second pass between two, and then the second one may go. */
		for (guint j = 0; j < 100 && relay_pace_take(pace, "a", "x.org", &owner, &wait);
		     j++)
			;
		g_autofree char *want =
		    g_strdup_printf("paced: *, %u attempts a minute", ladder[i - 1]);
		cr_expect(g_pattern_match_simple(want, wait.text), "got %s", wait.text);
		for (guint j = 0; j < 10; j++)
			relay_pace_accept(other, "a", "x.org");
	}
	cr_expect(relay_pace_take(pace, "a", "x.org", &owner, &wait));
	cr_expect(relay_pace_take(pace, "a", "x.org", &owner, &wait), "no limit is left");
	AUTO(relay_pace) later = relay_pace_open(settings);
	cr_expect(relay_pace_is_idle(later));
}

Test(pace, a_deferral_ends_a_row_of_acceptances)
{
	AUTO(config_settings) settings = pace_load("");
	AUTO(relay_pace) pace = relay_pace_open(settings);
	struct relay_pace_wait wait;

	relay_pace_defer(pace, "a", "x.org", "421 no");
	for (guint i = 0; i < 9; i++)
		relay_pace_accept(pace, "a", "x.org");
	relay_pace_defer(pace, "a", "x.org", "421 no");
	relay_pace_accept(pace, "a", "x.org");
	cr_expect_not(relay_pace_take(pace, "a", "x.org", &owner, &wait));
	cr_expect_str_eq(wait.text, "paced: x.org defers (421 no), 30 attempts a minute");
}

Test(pace, books_a_turn_for_each_that_waits)
{
	AUTO(config_settings) settings = pace_load("");
	AUTO(relay_pace) pace = relay_pace_open(settings);
	struct relay_pace_wait wait;

	gint64 begin = base_clock_now();
	relay_pace_defer(pace, "a", "x.org", "421 no");
	relay_pace_defer(pace, "a", "x.org", "421 no"); /* one in 2 s */
	gint64 booked = base_clock_now() - begin;
	for (gint64 i = 1; i <= 30; i++) {
		gint64 asked = base_clock_now();
		cr_expect_not(relay_pace_take(pace, "a", "x.org", &owner, &wait));
		gint64 took = base_clock_now() - asked, ms = wait.until - begin;
		cr_expect(ms >= i * 2000 - 10 && ms <= i * 2000 + booked + took + 10, "%d: %d ms",
		    (int)i, (int)ms);
	}
	for (guint i = 0; i < 1000; i++) {
		cr_expect_not(relay_pace_take(pace, "a", "x.org", &owner, &wait));
		gint64 ms = wait.until - base_clock_now();
		cr_expect(ms >= 29000 && ms <= 60010, "looks again after %d ms", (int)ms);
	}
}

Test(pace, keeps_the_rate_of_the_settings)
{
	static const struct {
		const char *text, *destination, *unit;
		gint64 seconds, step;
		guint want, rate;
	} cases[] = {
	    {"[pace x.org]\nrate=5\n", "x.org", "a second", 10, 20, 50, 5},
	    {"[pace x.org]\nrate=5/s\n", "x.org", "a second", 10, 20, 50, 5},
	    {"[pace x.org]\nrate=30/m\n", "x.org", "a minute", 60, 100, 30, 30},
	    {"[pace x.org]\nrate=120/h\n", "x.org", "an hour", 3600, 1000, 120, 120},
	    {"[pace default]\nrate=30/m\n", "x.org", "a minute", 60, 100, 30, 30},
	    {"[pace default]\nrate=30/m\n[pace x.org]\nrate=60/m\n", "x.org", "a minute", 60, 100,
		60, 60},
	    {"[pace googlemail.com]\nrate=60/m\n", "gmail.com", "a minute", 60, 100, 60, 60},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(config_settings) settings = pace_load(cases[i].text);
		AUTO(relay_pace) pace = relay_pace_open(settings);
		g_autofree char *destination = g_strdup(cases[i].destination);
		g_autofree char *file = g_build_filename(dir, "pace.spool", "paces", NULL);
		struct relay_pace_wait wait;

		cr_expect_not(relay_pace_is_idle(pace));
		guint got = pace_count(pace, "a", destination, cases[i].seconds, cases[i].step);
		cr_expect(got >= cases[i].want && got <= cases[i].want + 1,
		    "%s: got %u attempts, want %u", cases[i].text, got, cases[i].want);
		relay_pace_take(pace, "b", destination, &owner, &wait);
		cr_expect_not(relay_pace_take(pace, "c", destination, &owner, &wait));
		g_autofree char *want = g_strdup_printf(
		    "paced: %s, %u attempts %s", destination, cases[i].rate, cases[i].unit);
		cr_expect_str_eq(wait.text, want);
		cr_assert_eq(remove(file), 0);
	}
}

Test(pace, keeps_the_connections_of_the_settings)
{
	AUTO(config_settings) settings = pace_load("[pace x.org]\nconnections=2\n");
	AUTO(relay_pace) pace = relay_pace_open(settings);
	AUTO(relay_pace) other = relay_pace_open(settings);
	struct relay_pace_wait wait;
	int owners[3];

	cr_expect(relay_pace_take(pace, "a", "x.org", &owners[0], &wait));
	cr_expect(relay_pace_take(other, "b", "x.org", &owners[1], &wait));
	cr_expect_not(relay_pace_take(pace, "a", "x.org", &owners[2], &wait));
	cr_expect_str_eq(wait.text, "paced: x.org, 2 messages at once");
	cr_expect_not(relay_pace_take(other, "a", "x.org", &owners[2], &wait));
	cr_expect(relay_pace_take(other, "a", "y.org", &owners[2], &wait));
	relay_pace_end(pace, &owners[0]);
	cr_expect(relay_pace_take(other, "a", "x.org", &owners[2], &wait));
	cr_expect_not(relay_pace_take(pace, "a", "x.org", &owners[0], &wait));
	relay_pace_end(other, NULL);
	cr_expect(relay_pace_take(pace, "a", "x.org", &owners[0], &wait));
}

Test(pace, forgets_what_another_boot_has_left)
{
	AUTO(config_settings) settings = pace_load("");
	g_autofree char *file = g_build_filename(dir, "pace.spool", "paces", NULL);
	g_autofree char *bytes = NULL;
	gsize size;

	AUTO(relay_pace) pace = relay_pace_open(settings);
	relay_pace_defer(pace, "a", "x.org", "421 no");
	cr_assert(g_file_get_contents(file, &bytes, &size, NULL));
	bytes[24] ^= 1;
	cr_assert(g_file_set_contents(file, bytes, (gssize)size, NULL));
	AUTO(relay_pace) later = relay_pace_open(settings);
	cr_expect(relay_pace_is_idle(later));
}
