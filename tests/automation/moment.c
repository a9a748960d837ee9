/* SPDX-License-Identifier: MIT */
/* Tests the moments of dates. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/moment.h"
#include "automation/node.h"
#include "automation/trigger.h"
#include "base/clock.h"
#include "rule/event_name.h"
#include "tests/automation/sample.h"

static gint64
moment_parse(const char *text)
{
	gint64 time;

	cr_assert(base_clock_parse(text, &time), "%s", text);
	return time;
}

static void
moment_append(GString *text, gint64 time)
{
	char iso[CLOCK_ISO_SIZE];

	g_string_append_printf(
	    text, "%s%.16s", text->len > 0 ? " " : "", base_clock_format(time, iso));
}

Test(moment, finds_the_moments_of_a_date)
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
		AUTO(json) given = sample_json(text);
		char name[] = EVENT_NAME_DATE;
		struct automation_node_trigger trigger = {.event_name = name};
		const struct automation_trigger_given members = {.date = given};
		g_autoptr(GError) error = NULL;
		g_autoptr(GString) got = g_string_new(NULL);

		cr_assert(automation_trigger_read(&trigger, &members, &error), "%s",
		    error ? error->message : "");
		g_autoptr(GArray) moments = automation_moments(&trigger.date, cases[i].value,
		    cases[i].zone, moment_parse(cases[i].from), moment_parse(cases[i].until));
		for (guint k = 0; k < moments->len; k++)
			moment_append(
			    got, g_array_index(moments, struct automation_moment, k).time);
		cr_expect_str_eq(got->str, cases[i].want, "%s %s: got %s, want %s", cases[i].date,
		    cases[i].value, got->str, cases[i].want);
	}
}
