/* SPDX-License-Identifier: MIT */
#include "email/moment.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/email.h"
#include "text/time_zone.h"

/* A Friday. */
#define NOW "2026-11-20T10:20:30.400Z"

static void
moment_expect(const char *now_text, const char *zone_name, const char *text, const char *want)
{
	g_autoptr(GTimeZone) zone = text_time_zone(zone_name);
	char got[CLOCK_ISO_SIZE] = "";
	gint64 now, moment;

	cr_assert(zone, "no zone %s", zone_name);
	cr_assert(base_clock_parse(now_text, &now));
	if (email_moment_read(text, now, zone, &moment))
		base_clock_format(moment, got);
	cr_expect_str_eq(
	    got, want, "\"%s\" at %s in %s: got %s, want %s", text, now_text, zone_name, got, want);
}

Test(moment, iso)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"2026-11-20T12:00:00.000Z", "2026-11-20T12:00:00.000Z"},
	    {"2026-11-20T12:00:00.123456Z", "2026-11-20T12:00:00.123Z"},
	    {"2026-11-20t12:00:00z", "2026-11-20T12:00:00.000Z"},
	    {"2026-11-20T12:00Z", "2026-11-20T12:00:00.000Z"},
	    {"2026-11-20T12:00:00+02:00", "2026-11-20T10:00:00.000Z"},
	    {"2026-11-20T12:00:00-0530", "2026-11-20T17:30:00.000Z"},
	    {"2026-11-20T12:00", "2026-11-20T12:00:00.000Z"},
	    {"2026-11-20T12:00 Europe/Berlin", "2026-11-20T11:00:00.000Z"},
	    {"2026-11-20 08:00", "2026-11-20T08:00:00.000Z"},
	    {"2026-11-20 08:00 ET", "2026-11-20T13:00:00.000Z"},
	    {"2026-11-20 08:00:30.5+01:00", "2026-11-20T07:00:30.500Z"},
	    {"2026-11-20", "2026-11-20T12:00:00.000Z"},
	    {"2026-11-21 at 9am", "2026-11-21T09:00:00.000Z"},
	    {"2020-02-29", "2020-02-29T12:00:00.000Z"},
	    {"2026-02-29", ""},
	    {"2026-13-01", ""},
	    {"2026-11-20T", ""},
	    {"2026-11-20T8:00", ""},
	    {"2026-11-20T24:00", ""},
	    {"2026-11-20T12:60", ""},
	    {"2026-11-20T12:00:61Z", ""},
	    {"2026-11-20T12:00:00.Z", ""},
	    {"2026-11-20T12:00:00.5e1Z", ""},
	    {"2026-11-20T12:00ZZ", ""},
	    {"2026-11-20x12:00", ""},
	    {"26-11-20", ""},
	    {"20261120", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		moment_expect(NOW, "UTC", cases[i].text, cases[i].want);
}

Test(moment, spans)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"in 1 min", "2026-11-20T10:21:30.400Z"},
	    {"in 1 hour", "2026-11-20T11:20:30.400Z"},
	    {"IN  2   Hours ", "2026-11-20T12:20:30.400Z"},
	    {"in a minute", "2026-11-20T10:21:30.400Z"},
	    {"in an hour", "2026-11-20T11:20:30.400Z"},
	    {"in half an hour", "2026-11-20T10:50:30.400Z"},
	    {"half an hour from now", "2026-11-20T10:50:30.400Z"},
	    {"3 days from now", "2026-11-23T10:20:30.400Z"},
	    {"a week from now", "2026-11-27T10:20:30.400Z"},
	    {"in 0 minutes", "2026-11-20T10:20:30.400Z"},
	    {"in 30 days", "2026-12-20T10:20:30.400Z"},
	    {"in 1 s", "2026-11-20T10:20:31.400Z"},
	    {"in 1 sec", "2026-11-20T10:20:31.400Z"},
	    {"in 2 seconds", "2026-11-20T10:20:32.400Z"},
	    {"in 1 m", "2026-11-20T10:21:30.400Z"},
	    {"in 2 mins", "2026-11-20T10:22:30.400Z"},
	    {"in 1 h", "2026-11-20T11:20:30.400Z"},
	    {"in 2 hrs", "2026-11-20T12:20:30.400Z"},
	    {"in 1 d", "2026-11-21T10:20:30.400Z"},
	    {"in 1 w", "2026-11-27T10:20:30.400Z"},
	    {"in 2 weeks", "2026-12-04T10:20:30.400Z"},
	    {"in half an minute", ""},
	    {"in half a hour", ""},
	    {"in half hour", ""},
	    {"in 1.5 hours", ""},
	    {"in -1 hour", ""},
	    {"in two hours", ""},
	    {"in 1 month", ""},
	    {"in 1234567890 s", ""},
	    {"in 1 hour from", ""},
	    {"1 hour", ""},
	    {"1 hour from", ""},
	    {"in hour", ""},
	    {"in", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		moment_expect(NOW, "UTC", cases[i].text, cases[i].want);
}

Test(moment, days)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"now", "2026-11-20T10:20:30.400Z"},
	    {"today", "2026-11-20T10:20:30.400Z"},
	    {"today at 9am", "2026-11-20T09:00:00.000Z"},
	    {"tonight", "2026-11-20T20:00:00.000Z"},
	    {"tonight at 9:30 pm", "2026-11-20T21:30:00.000Z"},
	    {"tomorrow", "2026-11-21T10:20:30.400Z"},
	    {"tomorrow at 9am", "2026-11-21T09:00:00.000Z"},
	    {"Tomorrow AT 9 AM", "2026-11-21T09:00:00.000Z"},
	    {"tomorrow at 15:00", "2026-11-21T15:00:00.000Z"},
	    {"tomorrow at noon", "2026-11-21T12:00:00.000Z"},
	    {"tomorrow at midnight", "2026-11-21T00:00:00.000Z"},
	    {"tomorrow at 12am", "2026-11-21T00:00:00.000Z"},
	    {"tomorrow at 12:30pm", "2026-11-21T12:30:00.000Z"},
	    {"next day", "2026-11-21T10:20:30.400Z"},
	    {"next day at 9am PST", "2026-11-21T17:00:00.000Z"},
	    {"next", ""},
	    {"next tomorrow", ""},
	    {"next now", ""},
	    {"next day tomorrow", ""},
	    {"day", ""},
	    {"August 5", "2027-08-05T12:00:00.000Z"},
	    {"Nov 21", "2026-11-21T12:00:00.000Z"},
	    {"21 november", "2026-11-21T12:00:00.000Z"},
	    {"Nov 20", "2026-11-20T12:00:00.000Z"},
	    {"Nov 20 at 9am", "2027-11-20T09:00:00.000Z"},
	    {"December 1 at 9am", "2026-12-01T09:00:00.000Z"},
	    {"1 Dec at 9:15", "2026-12-01T09:15:00.000Z"},
	    {"August 5 2027", "2027-08-05T12:00:00.000Z"},
	    {"Aug 5 2020 at noon", "2020-08-05T12:00:00.000Z"},
	    {"February 29", "2028-02-29T12:00:00.000Z"},
	    {"February 30", ""},
	    {"August", ""},
	    {"August 5 9am", ""},
	    {"August 5 27", ""},
	    {"August 5th", ""},
	    {"Augu 5", ""},
	    {"tomorrow 9am", ""},
	    {"tomorrow at", ""},
	    {"tomorrow at 9", ""},
	    {"tomorrow at 13pm", ""},
	    {"tomorrow at 0am", ""},
	    {"tomorrow at 13:00 pm", ""},
	    {"tomorrow at 24:00", ""},
	    {"tomorrow at 9:5", ""},
	    {"tomorrow at 9:60", ""},
	    {"tomorrow at 9am sharp", ""},
	    {"tomorrow now", ""},
	    {"yesterday", ""},
	    {"soon", ""},
	    {"", ""},
	    {" ", ""},
	    {"UTC", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		moment_expect(NOW, "UTC", cases[i].text, cases[i].want);
}

Test(moment, weekdays)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"Friday", "2026-11-20T12:00:00.000Z"},
	    {"Friday at 9am", "2026-11-27T09:00:00.000Z"},
	    {"Friday at 3pm", "2026-11-20T15:00:00.000Z"},
	    {"Friday at 3pm ET", "2026-11-20T20:00:00.000Z"},
	    {"next Friday", "2026-11-27T12:00:00.000Z"},
	    {"next fri at 3pm", "2026-11-27T15:00:00.000Z"},
	    {"on Monday", "2026-11-23T12:00:00.000Z"},
	    {"this mon at noon", "2026-11-23T12:00:00.000Z"},
	    {"next Monday", "2026-11-23T12:00:00.000Z"},
	    {"Tue", "2026-11-24T12:00:00.000Z"},
	    {"wed", "2026-11-25T12:00:00.000Z"},
	    {"Thu", "2026-11-26T12:00:00.000Z"},
	    {"SAT", "2026-11-21T12:00:00.000Z"},
	    {"sunday at midnight", "2026-11-22T00:00:00.000Z"},
	    {"on next Friday", ""},
	    {"next", ""},
	    {"on", ""},
	    {"frid", ""},
	    {"Friday 3pm", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		moment_expect(NOW, "UTC", cases[i].text, cases[i].want);
}

Test(moment, zones)
{
	static const struct {
		const char *now, *zone, *text, *want;
	} cases[] = {
	    {NOW, "Europe/Berlin", "tomorrow at 9am", "2026-11-21T08:00:00.000Z"},
	    {NOW, "Europe/Berlin", "2026-11-20T12:00", "2026-11-20T11:00:00.000Z"},
	    {NOW, "Europe/Berlin", "2026-11-20T12:00Z", "2026-11-20T12:00:00.000Z"},
	    {NOW, "Europe/Berlin", "tomorrow at 9am UTC", "2026-11-21T09:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am GMT", "2026-11-21T09:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am ET", "2026-11-21T14:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am est", "2026-11-21T14:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am EDT", "2026-11-21T13:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am CT", "2026-11-21T15:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am CST", "2026-11-21T15:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am CDT", "2026-11-21T14:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am MT", "2026-11-21T16:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am MST", "2026-11-21T16:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am MDT", "2026-11-21T15:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am PT", "2026-11-21T17:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am PST", "2026-11-21T17:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am PDT", "2026-11-21T16:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am BST", "2026-11-21T08:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am CET", "2026-11-21T08:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am CEST", "2026-11-21T07:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am +02:00", "2026-11-21T07:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am EUROPE/berlin", "2026-11-21T08:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am America/New_York", "2026-11-21T14:00:00.000Z"},
	    {"2026-07-10T10:00:00Z", "UTC", "tomorrow at 9am ET", "2026-07-11T13:00:00.000Z"},
	    {"2026-07-10T10:00:00Z", "UTC", "tomorrow at 9am EST", "2026-07-11T14:00:00.000Z"},
	    {"2026-07-10T10:00:00Z", "UTC", "tomorrow at 9am PT", "2026-07-11T16:00:00.000Z"},
	    {"2026-07-10T10:00:00Z", "Europe/Berlin", "tomorrow", "2026-07-11T10:00:00.000Z"},
	    /* Over the change of the clocks: the same time of day, but exact hours. */
	    {"2026-10-24T10:00:00Z", "Europe/Berlin", "tomorrow", "2026-10-25T11:00:00.000Z"},
	    {"2026-10-24T10:00:00Z", "Europe/Berlin", "in 1 day", "2026-10-25T10:00:00.000Z"},
	    {"2026-11-01T03:00:00Z", "UTC", "in 4 hours ET", "2026-11-01T07:00:00.000Z"},
	    /* The day of now is that of the zone. */
	    {"2026-11-20T23:30:00Z", "Europe/Berlin", "today at 9am", "2026-11-21T08:00:00.000Z"},
	    {"2026-11-21T02:00:00Z", "UTC", "Friday at 11pm ET", "2026-11-21T04:00:00.000Z"},
	    {NOW, "UTC", "tomorrow at 9am XYZ", ""},
	    {NOW, "UTC", "tomorrow at 9am +25:00", ""},
	    {NOW, "UTC", "tomorrow at 9am +02", ""},
	    {NOW, "UTC", "tomorrow at 9am Europe/Nowhere", ""},
	    {NOW, "UTC", "tomorrow at 9am a/../../UTC", ""},
	    {NOW, "UTC", "tomorrow at 9am UTC UTC", ""},
	    {NOW, "UTC", "2026-11-20T12:00Z +02:00", "2026-11-20T12:00:00.000Z"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		moment_expect(cases[i].now, cases[i].zone, cases[i].text, cases[i].want);
}

Test(moment, length)
{
	char text[LIMIT_MOMENT_BYTES + 2];

	memset(text, ' ', sizeof(text));
	memcpy(text, "tomorrow", strlen("tomorrow"));
	text[LIMIT_MOMENT_BYTES] = '\0';
	moment_expect(NOW, "UTC", text, "2026-11-21T10:20:30.400Z");
	text[LIMIT_MOMENT_BYTES] = ' ';
	text[LIMIT_MOMENT_BYTES + 1] = '\0';
	moment_expect(NOW, "UTC", text, "");
}
