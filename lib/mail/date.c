/* SPDX-License-Identifier: MIT */
/* Writes dates as messages have them. */
#include "mail/date.h"

char *
mail_date_format(gint64 epoch_ms)
{
	/* Not g_date_time_format, whose names follow the locale. */
	static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
	static const char *const months[] = {
	    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	gint64 seconds = epoch_ms / 1000 - (epoch_ms % 1000 < 0);
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);

	if (!time)
		return NULL;
	return g_strdup_printf("%s, %02d %s %04d %02d:%02d:%02d +0000",
	    days[g_date_time_get_day_of_week(time) - 1], g_date_time_get_day_of_month(time),
	    months[g_date_time_get_month(time) - 1], g_date_time_get_year(time),
	    g_date_time_get_hour(time), g_date_time_get_minute(time), g_date_time_get_second(time));
}
