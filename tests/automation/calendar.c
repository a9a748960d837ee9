/* SPDX-License-Identifier: MIT */
/* Tests the moments of dates and the ticks of schedules. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/calendar.h"
#include "base/clock.h"
#include "json/value.h"
#include "tests/automation/sample.h"

#define AN_ID "01890a5d-ac96-774b-bcce-b302099a8057"

static gint64
calendar_time(const char *text)
{
	gint64 time;

	cr_assert(base_clock_parse(text, &time), "%s", text);
	return time;
}

static void
calendar_append(GString *text, gint64 time)
{
	char iso[CLOCK_ISO_SIZE];

	g_string_append_printf(
	    text, "%s%.16s", text->len > 0 ? " " : "", base_clock_format(time, iso));
}

Test(calendar, finds_the_moments_of_a_date)
{
	static const struct {
		const char *date, *value, *zone, *from, *until, *want;
	} cases[] = {
	    {"", "2026-03-10", NULL, "2026-03-01", "2026-04-01", "2026-03-10T09:00"},
	    {"", "2026-03-10", NULL, "2026-03-10T09:00:00Z", "2026-04-01", ""},
	    {"", "2026-03-10", NULL, "2026-03-01", "2026-03-10T09:00:00Z", "2026-03-10T09:00"},
	    {", 'days': -366", "2027-03-11", NULL, "2026-03-01", "2026-04-01", "2026-03-10T09:00"},
	    {", 'at': '23:30'", "2026-03-10", "America/New_York", "2026-03-01", "2026-04-01",
		"2026-03-11T03:30"},
	    {", 'zone': 'Asia/Tokyo'", "2026-03-10", NULL, "2026-03-01", "2026-04-01",
		"2026-03-10T00:00"},
	    {"", "2026-03-10T23:30:00Z", "Asia/Tokyo", "2026-03-01", "2026-04-01",
		"2026-03-11T00:00"},
	    {", 'at': '02:30'", "2026-03-29", "Europe/Berlin", "2026-03-01", "2026-04-01",
		"2026-03-29T01:30"},
	    {", 'repeat': 'yearly'", "2000-02-29", NULL, "2026-01-01", "2028-12-31",
		"2026-02-28T09:00 2027-02-28T09:00 2028-02-29T09:00"},
	    {", 'repeat': 'yearly'", "2027-05-01", NULL, "2026-01-01", "2028-12-31",
		"2027-05-01T09:00 2028-05-01T09:00"},
	    {", 'repeat': 'yearly', 'days': -7", "--01-03", NULL, "2026-06-01", "2027-06-01",
		"2026-12-27T09:00"},
	    {"", "--01-03", NULL, "2026-01-01", "2028-01-01", ""},
	    {"", "2026-02-30", NULL, "2026-01-01", "2028-01-01", ""},
	    {"", "soon", NULL, "2026-01-01", "2028-01-01", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strdup_printf("{'property': 'p'%s}", cases[i].date);
		g_autofree char *value = g_strdup_printf("{'p': '%s'}", cases[i].value);
		AUTO(json) given = sample_json(text);
		AUTO(json) properties = sample_json(value);
		struct automation_date date;
		g_autoptr(GError) error = NULL;
		g_autoptr(GString) got = g_string_new(NULL);

		cr_assert(
		    automation_date_read(given, &date, &error), "%s", error ? error->message : "");
		g_autoptr(GArray) moments =
		    automation_date_moments(&date, json_member_get(properties, "p"), cases[i].zone,
			calendar_time(cases[i].from), calendar_time(cases[i].until), 100);
		for (guint k = 0; k < moments->len; k++)
			calendar_append(
			    got, g_array_index(moments, struct automation_moment, k).time);
		cr_expect_str_eq(got->str, cases[i].want, "%s %s: got %s, want %s", cases[i].date,
		    cases[i].value, got->str, cases[i].want);
	}
}

Test(calendar, finds_the_ticks_of_a_schedule)
{
	static const struct {
		const char *cron, *zone, *from, *until, *want;
	} cases[] = {
	    {"0 9 * * 1", "UTC", "2026-03-01", "2026-03-16", "2026-03-02T09:00 2026-03-09T09:00"},
	    {"0 9 * * mon", "UTC", "2026-03-02T09:00:00Z", "2026-03-10", "2026-03-09T09:00"},
	    {"0 9 * * 7", "UTC", "2026-03-01", "2026-03-02", "2026-03-01T09:00"},
	    {"30 8-10/2 1,15 jan-mar *", "UTC", "2026-03-01", "2026-03-16",
		"2026-03-01T08:30 2026-03-01T10:30 2026-03-15T08:30 2026-03-15T10:30"},
	    /* Where both days are restricted, either will do. */
	    {"0 9 15 * 1", "UTC", "2026-03-08", "2026-03-16", "2026-03-09T09:00 2026-03-15T09:00"},
	    /* A given hour that the clock skips is as much later; one that it has twice is the
	       first. */
	    {"30 2 * * *", "Europe/Berlin", "2026-03-28", "2026-03-30T12:00:00Z",
		"2026-03-28T01:30 2026-03-29T01:30 2026-03-30T00:30"},
	    {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z",
		"2026-10-25T00:30 2026-10-26T01:30"},
	    /* With * each real hour counts. */
	    {"0 */2 * * *", "Europe/Berlin", "2026-10-24T23:00:00Z", "2026-10-25T04:00:00Z",
		"2026-10-25T00:00 2026-10-25T01:00 2026-10-25T03:00"},
	    {"0 * * * *", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T02:00:00Z",
		"2026-03-29T00:00 2026-03-29T01:00 2026-03-29T02:00"},
	    {"0 0 29 2 *", "UTC", "2026-01-01", "2029-01-01", "2028-02-29T00:00"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
		    g_strdup_printf("{'cron': '%s', 'zone': '%s', 'audienceId': '" AN_ID "'}",
			cases[i].cron, cases[i].zone);
		AUTO(json) given = sample_json(text);
		struct automation_schedule schedule;
		g_autoptr(GError) error = NULL;
		g_autoptr(GString) got = g_string_new(NULL);

		cr_assert(automation_schedule_read(given, &schedule, &error), "%s",
		    error ? error->message : "");
		g_autoptr(GArray) ticks = automation_schedule_ticks(
		    &schedule, calendar_time(cases[i].from), calendar_time(cases[i].until), 100);
		for (guint k = 0; k < ticks->len; k++)
			calendar_append(got, g_array_index(ticks, gint64, k));
		cr_expect_str_eq(got->str, cases[i].want, "%s: got %s, want %s", cases[i].cron,
		    got->str, cases[i].want);
	}
}

#define FIVE "data.schedule.cron must have five fields, such as 0 9 * * 1"

Test(calendar, names_the_faults)
{
	static const struct {
		const char *data, *want;
	} cases[] = {
	    {"'cron': '0 0 30 2 *', 'audienceId': '" AN_ID "'", "data.schedule.cron never comes"},
	    {"'cron': '0 0 31 4,6,9,11 *', 'audienceId': '" AN_ID "'",
		"data.schedule.cron never comes"},
	    {"'cron': '0 0 30 2 1', 'audienceId': '" AN_ID "'", ""},
	    {"'cron': '0 9 * *', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '0 9 * * 1 2026', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '60 9 * * *', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '0 24 * * *', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '0 9 0 * *', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '0 9 * 13 *', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '0 9 * * 8', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '0 9 * * fri-mon', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '@daily', 'audienceId': '" AN_ID "'", FIVE},
	    {"'cron': '0 9 * * *'", "data.schedule must have one of audienceId, segmentId"},
	    {"'cron': '0 9 * * *', 'audienceId': '" AN_ID "', 'segmentId': '" AN_ID "'",
		"data.schedule must have one of audienceId, segmentId"},
	    {"'cron': '0 9 * * *', 'zone': 'Mars', 'audienceId': '" AN_ID "'",
		"data.schedule.zone must be an IANA time zone"},
	    {"'cron': '0 9 * * *', 'at': '09:00', 'audienceId': '" AN_ID "'",
		"data.schedule.at is not known here: remove it"},
	    {"'audienceId': '" AN_ID "'", "data.schedule.cron is required"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strdup_printf("{%s}", cases[i].data);
		AUTO(json) given = sample_json(text);
		struct automation_schedule schedule;
		g_autoptr(GError) error = NULL;

		automation_schedule_read(given, &schedule, &error);
		cr_expect_str_eq(error ? error->message : "", cases[i].want, "%s: %s",
		    cases[i].data, error ? error->message : "");
	}
}
