/* SPDX-License-Identifier: MIT */
#include "text/wall_clock.h"

#include <criterion/criterion.h>

#include "base/clock.h"

Test(wall_clock, gives_the_moment_of_a_local_time)
{
	static const struct {
		const char *local, *zone, *want;
	} cases[] = {
	    {"2026-12-01T09:00", "UTC", "2026-12-01T09:00:00.000Z"},
	    {"2026-12-01T09:00", "Europe/Berlin", "2026-12-01T08:00:00.000Z"},
	    {"2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"},
	    {"2026-12-01T09:00", "Pacific/Kiritimati", "2026-11-30T19:00:00.000Z"},
	    {"2026-12-01T09:00", "Pacific/Pago_Pago", "2026-12-01T20:00:00.000Z"},
	    {"2026-12-01T09:00", "Asia/Kathmandu", "2026-12-01T03:15:00.000Z"},
	    {"2026-12-01T09:00", "Nowhere/Else", "2026-12-01T14:00:00.000Z"},
	    {"2026-12-01T09:00", NULL, "2026-12-01T14:00:00.000Z"},
	    /* From 02:00 to 03:00 clocks in Berlin skip an hour, */
	    {"2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59:00.000Z"},
	    {"2026-03-29T02:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"},
	    {"2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"},
	    {"2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"},
	    /* and half a year later they have one twice. */
	    {"2026-10-25T01:59", "Europe/Berlin", "2026-10-24T23:59:00.000Z"},
	    {"2026-10-25T02:00", "Europe/Berlin", "2026-10-25T00:00:00.000Z"},
	    {"2026-10-25T02:59", "Europe/Berlin", "2026-10-25T00:59:00.000Z"},
	    {"2026-10-25T03:00", "Europe/Berlin", "2026-10-25T02:00:00.000Z"},
	    {"2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z"},
	    {"2027-03-14T02:30", "America/New_York", "2027-03-14T07:30:00.000Z"},
	    {"2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z"},
	    {"2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00.000Z"},
	    {"2026-10-25T01:30", "Europe/Dublin", "2026-10-25T00:30:00.000Z"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char got[CLOCK_ISO_SIZE];

		base_clock_format(
		    text_wall_clock_moment(cases[i].local, cases[i].zone, "America/New_York"), got);
		cr_expect_str_eq(got, cases[i].want, "%s in %s: got %s, want %s", cases[i].local,
		    cases[i].zone ? cases[i].zone : "-", got, cases[i].want);
	}
	cr_expect_eq(text_wall_clock_moment("soon", "UTC", "UTC"), 0);
}

#define WEEKDAYS 0x1FU
#define SUNDAY 0x40U

Test(wall_clock, gives_the_next_moment_of_a_time_of_day)
{
	static const struct {
		const char *from;
		struct text_wall_clock_time time;
		const char *zone, *want;
	} cases[] = {
	    {"2026-12-01T08:59:59.999Z", {540, 0x7F}, "UTC", "2026-12-01T09:00:00.000Z"},
	    {"2026-12-01T09:00:00.000Z", {540, 0x7F}, "UTC", "2026-12-01T09:00:00.000Z"},
	    {"2026-12-01T09:00:00.001Z", {540, 0x7F}, "UTC", "2026-12-02T09:00:00.000Z"},
	    {"2026-12-01T09:00:00.001Z", {540, 0x7F}, "Nowhere/Else", "2026-12-01T14:00:00.000Z"},
	    {"2026-12-01T09:00:00.001Z", {540, 0x7F}, NULL, "2026-12-01T14:00:00.000Z"},
	    /* 2026-12-04 is a Friday. */
	    {"2026-12-04T10:00:00.000Z", {540, WEEKDAYS}, "UTC", "2026-12-07T09:00:00.000Z"},
	    {"2026-12-04T10:00:00.000Z", {540, SUNDAY}, "UTC", "2026-12-06T09:00:00.000Z"},
	    {"2026-12-06T09:00:00.001Z", {540, SUNDAY}, "UTC", "2026-12-13T09:00:00.000Z"},
	    /* The day is that of the person's clock. */
	    {"2026-12-06T12:00:00.000Z", {0, 1}, "Pacific/Kiritimati", "2026-12-13T10:00:00.000Z"},
	    {"2026-12-06T09:00:00.000Z", {0, 1}, "Pacific/Kiritimati", "2026-12-06T10:00:00.000Z"},
	    /* A time that the clock skips, and one that it has twice. */
	    {"2026-03-29T00:00:00.000Z", {150, 0x7F}, "Europe/Berlin", "2026-03-29T01:30:00.000Z"},
	    {"2026-03-29T01:30:00.001Z", {150, 0x7F}, "Europe/Berlin", "2026-03-30T00:30:00.000Z"},
	    {"2026-10-25T00:00:00.000Z", {150, 0x7F}, "Europe/Berlin", "2026-10-25T00:30:00.000Z"},
	    {"2026-10-25T00:30:00.001Z", {150, 0x7F}, "Europe/Berlin", "2026-10-26T01:30:00.000Z"},
	    {"1969-12-31T23:00:00.000Z", {0, 8}, "UTC", "1970-01-01T00:00:00.000Z"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char got[CLOCK_ISO_SIZE];
		gint64 from;

		cr_assert(base_clock_parse(cases[i].from, &from));
		base_clock_format(
		    text_wall_clock_next(&cases[i].time, cases[i].zone, "America/New_York", from),
		    got);
		cr_expect_str_eq(got, cases[i].want, "%s from %s: got %s, want %s",
		    cases[i].zone ? cases[i].zone : "-", cases[i].from, got, cases[i].want);
	}
}

/* The first minute from a moment on at which a clock shows a minute of the day, found by reading
   the clock of each; of a time that the day skips, the moment with the offset of the day's begin.
 */
static gint64
wall_clock_search(GTimeZone *zone, gint64 from, guint minute)
{
	for (gint64 time = (from + 59999) / 60000 * 60;; time += 60) {
		g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(time);
		g_autoptr(GDateTime) local = g_date_time_to_timezone(utc, zone);
		guint shown =
		    (guint)g_date_time_get_hour(local) * 60 + (guint)g_date_time_get_minute(local);
		g_autoptr(GDateTime) before = g_date_time_new_from_unix_utc(time - 60);
		g_autoptr(GDateTime) last = g_date_time_to_timezone(before, zone);
		gint64 jump = g_date_time_get_utc_offset(local) - g_date_time_get_utc_offset(last);
		guint skipped = (guint)(jump > 0 ? jump / G_TIME_SPAN_MINUTE : 0);

		/* This clock showed it an hour ago, too. */
		g_autoptr(GDateTime) hour = g_date_time_new_from_unix_utc(time - 3600);
		g_autoptr(GDateTime) half = g_date_time_new_from_unix_utc(time - 1800);
		g_autoptr(GDateTime) hour_ago = g_date_time_to_timezone(hour, zone);
		g_autoptr(GDateTime) half_ago = g_date_time_to_timezone(half, zone);
		bool again =
		    (g_date_time_get_hour(hour_ago) == g_date_time_get_hour(local) &&
			g_date_time_get_minute(hour_ago) == g_date_time_get_minute(local)) ||
		    (g_date_time_get_hour(half_ago) == g_date_time_get_hour(local) &&
			g_date_time_get_minute(half_ago) == g_date_time_get_minute(local));

		if (shown == minute && !again)
			return time * 1000;
		/* Minutes from shown - skipped to shown do not exist today: they are as much later.
		 */
		if (skipped && minute < shown && minute + skipped >= shown)
			return (time + 60 * (gint64)(minute + skipped - shown)) * 1000;
	}
}

/* Every quarter of an hour of the days around the changes of clocks, each from the beginning of the
   day on and from a minute later than the last. */
Test(wall_clock, is_right_on_the_days_around_changes_in_six_zones)
{
	static const struct {
		const char *zone, *from;
	} cases[] = {
	    {"Europe/Berlin", "2026-03-27T23:00:00Z"},
	    {"Europe/Berlin", "2026-10-23T22:00:00Z"},
	    {"America/New_York", "2027-03-12T05:00:00Z"},
	    {"America/New_York", "2026-10-30T04:00:00Z"},
	    {"Australia/Lord_Howe", "2026-10-02T13:30:00Z"},
	    {"Australia/Lord_Howe", "2026-04-03T13:00:00Z"},
	    {"Europe/Dublin", "2026-03-28T00:00:00Z"},
	    {"Europe/Dublin", "2026-10-23T23:00:00Z"},
	    {"America/Santiago", "2026-09-05T04:00:00Z"},
	    {"America/Santiago", "2026-04-04T03:00:00Z"},
	    {"Pacific/Chatham", "2026-09-25T11:15:00Z"},
	    {"Pacific/Chatham", "2026-04-03T10:15:00Z"},
	};
	guint compared = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GTimeZone) zone = g_time_zone_new_identifier(cases[i].zone);
		gint64 begin;

		cr_assert(zone && base_clock_parse(cases[i].from, &begin), "%s", cases[i].zone);
		for (guint minute = 0; minute < 1440; minute += 15) {
			const struct text_wall_clock_time time = {minute, 0x7F};

			for (gint64 from = begin; from < begin + 2 * 86400000;) {
				gint64 got =
				    text_wall_clock_next(&time, cases[i].zone, "UTC", from);
				gint64 want = wall_clock_search(zone, from, minute);
				char texts[2][CLOCK_ISO_SIZE];

				cr_assert_eq(got, want, "%s %02u:%02u: got %s, want %s",
				    cases[i].zone, minute / 60, minute % 60,
				    base_clock_format(got, texts[0]),
				    base_clock_format(want, texts[1]));
				from = want + 60000;
				compared++;
			}
		}
	}
	cr_expect_geq(compared, G_N_ELEMENTS(cases) * 96 * 2);
}

Test(wall_clock, reads_times_and_days)
{
	static const char *const bad[] = {
	    "", "9:00", "24:00", "09:60", "09.00", "0900", "09:00 ", "-1:00", "09:0a"};
	guint minute;

	cr_expect(text_wall_clock_minute("00:00", &minute) && minute == 0);
	cr_expect(text_wall_clock_minute("23:59", &minute) && minute == 1439);
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
		cr_expect_not(text_wall_clock_minute(bad[i], &minute), "%s", bad[i]);
	cr_expect_eq(text_wall_clock_day("mon"), 1);
	cr_expect_eq(text_wall_clock_day("sun"), SUNDAY);
	cr_expect_eq(text_wall_clock_day("Mon"), 0);
	cr_expect_eq(text_wall_clock_day(""), 0);
}
