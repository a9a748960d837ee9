/* SPDX-License-Identifier: MIT */
/* The clock of a process, which tests and --now can set. */
#include "base/clock.h"

#include <time.h>

#define MILLISECOND_NS 1000000

static gint64 offset_ms;

gint64
base_clock_now(void)
{
	return g_get_real_time() / 1000 + offset_ms;
}

void
base_clock_set(gint64 epoch_ms)
{
	offset_ms = epoch_ms - g_get_real_time() / 1000;
}

gint64
base_clock_shift(void)
{
	return offset_ms;
}

void
base_clock_read(gint64 *epoch_ms_r, gint64 *rest_ns_r)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	*epoch_ms_r = (gint64)ts.tv_sec * 1000 + ts.tv_nsec / MILLISECOND_NS + offset_ms;
	*rest_ns_r = ts.tv_nsec % MILLISECOND_NS;
}

static gint64
clock_read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (gint64)ts.tv_sec * CLOCK_SECOND_NS + ts.tv_nsec;
}

gint64
base_clock_boot_ns(void)
{
	return clock_read_clock(CLOCK_BOOTTIME);
}

gint64
base_clock_thread_ns(void)
{
	return clock_read_clock(CLOCK_THREAD_CPUTIME_ID);
}

gint64
base_clock_boot(void)
{
	return base_clock_boot_ns() / 1000000;
}

const char *
base_clock_format(gint64 epoch_ms, char text_r[CLOCK_ISO_SIZE])
{
	gint64 seconds = epoch_ms / 1000 - (epoch_ms % 1000 < 0);
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);
	g_autofree char *text = time ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%S") : NULL;

	g_snprintf(
	    text_r, CLOCK_ISO_SIZE, "%s.%03dZ", text ? text : "", (int)(epoch_ms - seconds * 1000));
	return text_r;
}

#define DATE "2026-11-20"
#define MINUTE DATE "T08:00"

/* The text with what GLib wants: the seconds, and T and Z as capitals (RFC 3339 takes both). */
static char *
clock_complete(const char *text)
{
	gsize length = strlen(text);
	g_autofree char *upper = g_ascii_strup(text, -1);

	if (length < strlen(DATE) || text[4] != '-' || text[7] != '-')
		return g_steal_pointer(&upper);
	if (length == strlen(DATE))
		return g_strconcat(text, "T00:00:00Z", NULL);
	if (length < strlen(MINUTE) || text[13] != ':' || text[strlen(MINUTE)] == ':')
		return g_steal_pointer(&upper);
	return g_strdup_printf("%.*s:00%s", (int)strlen(MINUTE), upper, upper + strlen(MINUTE));
}

bool
base_clock_parse(const char *text, gint64 *epoch_ms_r)
{
	g_autofree char *completed = clock_complete(text);
	g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
	g_autoptr(GDateTime) time = g_date_time_new_from_iso8601(completed, utc);

	if (!time || ABS(g_date_time_get_utc_offset(time)) >= G_TIME_SPAN_DAY)
		return false;
	*epoch_ms_r = g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000;
	return true;
}
