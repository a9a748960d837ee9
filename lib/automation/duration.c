/* SPDX-License-Identifier: MIT */
/* Reads and formats durations. */
#include "automation/duration.h"

#include "base/limits/workflow.h"
#include "json/place.h"
#include "json/value.h"

static const struct {
	const char *name, *singular;
	gint64 ms;
} units[] = {
    {"weeks", "week", 7 * 24 * 60 * 60 * 1000LL},
    {"days", "day", 24 * 60 * 60 * 1000},
    {"hours", "hour", 60 * 60 * 1000},
    {"minutes", "minute", 60 * 1000},
    {"seconds", "second", 1000},
};
enum { UNITS_OF_DESIGNS = 4 };

static gint64
unit_ms(const char *name)
{
	for (gsize i = 0; i < UNITS_OF_DESIGNS; i++)
		if (g_strcmp0(units[i].name, name) == 0)
			return units[i].ms;
	return 0;
}

bool
automation_duration_read(
    const struct json *object, const struct json_place *place, gint64 *ms_r, GError **error)
{
	const struct json_place duration = {place, "duration", 0}, unit = {place, "unit", 0};
	gint64 ms = unit_ms(json_string(json_member_get(object, "unit"), NULL));
	gint64 number = json_integer(json_member_get(object, "duration"));
	gint64 most = ms ? LIMIT_WAIT_MS / ms : 0;

	if (ms == 0)
		return json_place_fail(&unit, error, "must be minutes, hours, days or weeks");
	if (number < 1 || number > most)
		return json_place_fail(
		    &duration, error, "must be a whole number from 1 to %" G_GINT64_FORMAT, most);
	*ms_r = number * ms;
	return true;
}

char *
automation_duration_format(gint64 ms)
{
	for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
		gint64 number = ms / units[i].ms;

		if (number > 0 && ms % units[i].ms == 0)
			return g_strdup_printf("%" G_GINT64_FORMAT " %s", number,
			    number == 1 ? units[i].singular : units[i].name);
	}
	return g_strdup_printf("%" G_GINT64_FORMAT ".%03d seconds", ms / 1000, (int)(ms % 1000));
}
