/* SPDX-License-Identifier: MIT */
/* Reads moments as people write them: "tomorrow at 9am", "in 1 hour". */
#include "email/moment.h"

#include <string.h>

#include "base/limits/email.h"
#include "text/time_zone.h"

#define SECOND_MS G_GINT64_CONSTANT(1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* The words of a text, in lower case, and what they are relative to. */
struct words {
	char **all;
	guint count, at;
	gint64 now;
	GTimeZone *zone;
	GDateTime *today; /* now in this zone */
};

struct time_of_day {
	int hour, minute;
	double second;
};

static const struct time_of_day noon = {12, 0, 0};

static const char *
peek(const struct words *words)
{
	return words->at < words->count ? words->all[words->at] : "";
}

static bool
moment_is_end(const struct words *words)
{
	return words->at == words->count;
}

/* Goes on behind the next word if it is this one. */
static bool
moment_take(struct words *words, const char *word)
{
	bool found = strcmp(peek(words), word) == 0;

	words->at += found;
	return found;
}

/* Goes on behind the next word if it is a number of 1 to most digits. */
static bool
take_number(struct words *words, gsize most, gint64 *number_r)
{
	const char *word = peek(words);
	gsize length = strlen(word);

	if (length < 1 || length > most || strspn(word, "0123456789") != length)
		return false;
	*number_r = g_ascii_strtoll(word, NULL, 10);
	words->at++;
	return true;
}

/* Reads so many digits; *text_r is behind them. */
static bool
moment_read_digits(const char **text_r, guint count, int *number_r)
{
	*number_r = 0;
	for (guint i = 0; i < count; i++, (*text_r)++) {
		if (!g_ascii_isdigit(**text_r))
			return false;
		*number_r = *number_r * 10 + **text_r - '0';
	}
	return true;
}

static bool
set_moment(GDateTime *time, gint64 *moment_r)
{
	g_autoptr(GDateTime) own = time;

	if (own)
		*moment_r =
		    g_date_time_to_unix(own) * 1000 + g_date_time_get_microsecond(own) / 1000;
	return own;
}

/* The time on a day that is so many days after that of day. */
static bool
set_day(const struct words *words, GDateTime *day, int days, const struct time_of_day *time,
    gint64 *moment_r)
{
	g_autoptr(GDateTime) other = g_date_time_add_days(day, days);
	int year, month, number;

	if (!other)
		return false;
	g_date_time_get_ymd(other, &year, &month, &number);
	return set_moment(g_date_time_new(words->zone, year, month, number, time->hour,
			      time->minute, time->second),
	    moment_r);
}

/* "am" or "pm", at the end of the word or as a word of its own. */
static bool
take_half(struct words *words, const char *rest, struct time_of_day *time)
{
	words->at++;
	if (!*rest && (strcmp(peek(words), "am") == 0 || strcmp(peek(words), "pm") == 0))
		rest = words->all[words->at++];
	if (!*rest)
		return false;
	if ((strcmp(rest, "am") != 0 && strcmp(rest, "pm") != 0) || time->hour < 1 ||
	    time->hour > 12)
		return false;
	time->hour = time->hour % 12 + (*rest == 'p' ? 12 : 0);
	return true;
}

/* 9am, 9:30 pm, 15:00, noon, midnight */
static bool
take_time(struct words *words, struct time_of_day *time_r)
{
	const char *text = peek(words);
	guint digits = (guint)strspn(text, "0123456789");
	bool has_minute = digits > 0 && text[digits] == ':';

	*time_r = noon;
	if (moment_take(words, "noon"))
		return true;
	*time_r = (struct time_of_day){0, 0, 0};
	if (moment_take(words, "midnight"))
		return true;
	if (digits < 1 || digits > 2 || !moment_read_digits(&text, digits, &time_r->hour))
		return false;
	if (has_minute &&
	    (text++, !moment_read_digits(&text, 2, &time_r->minute) || time_r->minute > 59))
		return false;
	guint before = words->at;
	if (take_half(words, text, time_r))
		return true;
	return has_minute && !*text && words->at == before + 1 && time_r->hour < 24;
}

/* [at TIME], and then the end. *given_r tells whether there is a time; otherwise *time_r stays. */
static bool
moment_take_rest(struct words *words, bool *given_r, struct time_of_day *time_r)
{
	*given_r = moment_take(words, "at");
	return (!*given_r || take_time(words, time_r)) && moment_is_end(words);
}

static bool
read_unit(const char *word, gint64 *unit_r)
{
	static const struct {
		const char *names;
		gint64 unit;
	} units[] = {
	    {" s sec secs second seconds ", SECOND_MS},
	    {" m min mins minute minutes ", MINUTE_MS},
	    {" h hr hrs hour hours ", HOUR_MS},
	    {" d day days ", DAY_MS},
	    {" w week weeks ", 7 * DAY_MS},
	};
	g_autofree char *wanted = g_strdup_printf(" %s ", word);

	for (gsize i = 0; *word && i < G_N_ELEMENTS(units); i++)
		if (strstr(units[i].names, wanted)) {
			*unit_r = units[i].unit;
			return true;
		}
	return false;
}

/* in N UNIT, N UNIT from now */
static bool
read_span(struct words *words, gint64 *moment_r)
{
	bool in = moment_take(words, "in");
	bool half = moment_take(words, "half");
	gint64 number = 1, unit;

	if (!moment_take(words, "an") && (half || !moment_take(words, "a")) &&
	    (half || !take_number(words, 9, &number)))
		return false;
	if (!read_unit(peek(words), &unit) || (half && unit != HOUR_MS))
		return false;
	words->at++;
	*moment_r = words->now + number * unit / (half ? 2 : 1);
	return (in || (moment_take(words, "from") && moment_take(words, "now"))) &&
	       moment_is_end(words);
}

/* 08:00, with seconds and a fraction; *text_r is behind it. */
static bool
moment_read_clock(const char **text_r, struct time_of_day *time_r)
{
	int second = 0;

	*time_r = (struct time_of_day){0, 0, 0};
	if (!moment_read_digits(text_r, 2, &time_r->hour) || *(*text_r)++ != ':' ||
	    !moment_read_digits(text_r, 2, &time_r->minute))
		return false;
	if (**text_r == ':') {
		(*text_r)++;
		if (!moment_read_digits(text_r, 2, &second))
			return false;
		time_r->second = second;
		double unit = 1;
		if (**text_r == '.' && g_ascii_isdigit((*text_r)[1]))
			while (g_ascii_isdigit(*++*text_r))
				time_r->second += (**text_r - '0') * (unit /= 10);
	}
	return time_r->hour < 24 && time_r->minute < 60 && time_r->second < 60;
}

/* The rest of an ISO 8601 time: nothing, Z, or an offset. NULL for any other text. */
static GTimeZone *
read_clock_zone(const struct words *words, const char *text)
{
	if (!*text)
		return g_time_zone_ref(words->zone);
	if (strcmp(text, "z") == 0)
		return g_time_zone_new_utc();
	return *text == '+' || *text == '-' ? text_time_zone(text) : NULL;
}

/* 2026-11-20, with a time behind a T or a blank, or with [at TIME] */
static bool
read_iso(struct words *words, gint64 *moment_r)
{
	const char *text = peek(words);
	struct time_of_day time = noon;
	int year, month, day;
	bool given;

	if (!moment_read_digits(&text, 4, &year) || *text++ != '-' ||
	    !moment_read_digits(&text, 2, &month) || *text++ != '-' ||
	    !moment_read_digits(&text, 2, &day))
		return false;
	words->at++;
	if (!*text && (moment_is_end(words) || strcmp(peek(words), "at") == 0))
		return moment_take_rest(words, &given, &time) &&
		       set_moment(g_date_time_new(words->zone, year, month, day, time.hour,
				      time.minute, time.second),
			   moment_r);
	if (*text ? *text++ != 't' : !*(text = peek(words)))
		return false;
	words->at += !moment_is_end(words) && text == peek(words);
	if (!moment_read_clock(&text, &time) || !moment_is_end(words))
		return false;
	g_autoptr(GTimeZone) zone = read_clock_zone(words, text);
	return zone && set_moment(g_date_time_new(
				      zone, year, month, day, time.hour, time.minute, time.second),
			   moment_r);
}

/* The place of a word in a list of names, from 1 on, by the name or its first three letters; 0:
   none. */
static int
moment_place_of(const char *word, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (strcmp(word, names[i]) == 0 ||
		    (strlen(word) == 3 && strncmp(word, names[i], 3) == 0))
			return i + 1;
	return 0;
}

static int
take_month(struct words *words)
{
	static const char *const months[] = {"january", "february", "march", "april", "may", "june",
	    "july", "august", "september", "october", "november", "december", NULL};
	int month = moment_place_of(peek(words), months);

	words->at += month > 0;
	return month;
}

/* Four digits, so that "August 5 9" is no date. */
static bool
take_year(struct words *words, gint64 *year_r)
{
	return strlen(peek(words)) == 4 && take_number(words, 4, year_r);
}

/* The next time of a day without a year: the 29th of February is not in each year. */
static bool
set_next_date(
    const struct words *words, int month, int day, const struct time_of_day *time, gint64 *moment_r)
{
	int year = g_date_time_get_year(words->today);

	for (int i = 0; i <= 8; i++)
		if (set_moment(g_date_time_new(words->zone, year + i, month, day, time->hour,
				   time->minute, time->second),
			moment_r) &&
		    *moment_r > words->now)
			return true;
	return false;
}

/* August 5 [2027] [at TIME], 5 August ... */
static bool
read_date(struct words *words, gint64 *moment_r)
{
	struct time_of_day time = noon;
	gint64 day = 0, year;
	bool first = take_number(words, 2, &day), given;
	int month = take_month(words);

	if (!month || (!first && !take_number(words, 2, &day)))
		return false;
	bool has_year = take_year(words, &year);
	if (!moment_take_rest(words, &given, &time))
		return false;
	return has_year ? set_moment(g_date_time_new(words->zone, (int)year, month, (int)day,
					 time.hour, time.minute, time.second),
			      moment_r)
			: set_next_date(words, month, (int)day, &time, moment_r);
}

/* tomorrow, next day */
static bool
take_tomorrow(struct words *words)
{
	if (moment_take(words, "next") && moment_take(words, "day"))
		return true;
	words->at = 0;
	return moment_take(words, "tomorrow");
}

/* now; today, tonight, tomorrow, next day [at TIME] */
static bool
read_near(struct words *words, gint64 *moment_r)
{
	struct time_of_day time = {g_date_time_get_hour(words->today),
	    g_date_time_get_minute(words->today), g_date_time_get_seconds(words->today)};
	bool tomorrow = take_tomorrow(words), given;

	if (moment_take(words, "now")) {
		*moment_r = words->now;
		return !tomorrow && moment_is_end(words);
	}
	if (!tomorrow && moment_take(words, "tonight"))
		time = (struct time_of_day){20, 0, 0};
	else if (!tomorrow && !moment_take(words, "today"))
		return false;
	return moment_take_rest(words, &given, &time) &&
	       set_day(words, words->today, tomorrow, &time, moment_r);
}

/* [on|this|next] WEEKDAY [at TIME] */
static bool
read_weekday(struct words *words, gint64 *moment_r)
{
	static const char *const weekdays[] = {
	    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", NULL};
	struct time_of_day time = noon;
	bool next = moment_take(words, "next"), given;

	if (!next && !moment_take(words, "on"))
		moment_take(words, "this");
	int weekday = moment_place_of(peek(words), weekdays);
	words->at++;
	if (!weekday || !moment_take_rest(words, &given, &time))
		return false;
	int days = (weekday - g_date_time_get_day_of_week(words->today) + 7) % 7;
	if (days == 0 && next)
		days = 7;
	return set_day(words, words->today, days, &time, moment_r) &&
	       (*moment_r > words->now || set_day(words, words->today, days + 7, &time, moment_r));
}

static bool
moment_read_all(struct words *words, gint64 *moment_r)
{
	static bool (*const forms[])(struct words *, gint64 *) = {
	    read_iso, read_span, read_date, read_near, read_weekday};
	bool done = false;

	for (gsize i = 0; i < G_N_ELEMENTS(forms) && !done; i++) {
		words->at = 0;
		done = forms[i](words, moment_r);
	}
	return done;
}

/* The words of a text, in lower case; a blank is a space or a tab. */
static char **
moment_split(const char *text)
{
	g_autofree char *lower = g_ascii_strdown(text, -1);
	g_auto(GStrv) parts = g_strsplit_set(lower, " \t", -1);
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

	for (char **part = parts; *part; part++)
		if (**part)
			g_strv_builder_add(builder, *part);
	return g_strv_builder_end(builder);
}

bool
email_moment_read(const char *text, gint64 now, GTimeZone *zone, gint64 *moment_r)
{
	if (strlen(text) > LIMIT_MOMENT_BYTES)
		return false;
	g_auto(GStrv) all = moment_split(text);
	guint count = g_strv_length(all);
	g_autoptr(GTimeZone) named = count > 1 ? text_time_zone(all[count - 1]) : NULL;
	struct words words = {all, count - (named ? 1 : 0), 0, now, named ? named : zone, NULL};

	g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(now / 1000);
	g_autoptr(GDateTime) exact = g_date_time_add(utc, now % 1000 * 1000);
	g_autoptr(GDateTime) today = g_date_time_to_timezone(exact, words.zone);
	words.today = today;
	return words.count > 0 && moment_read_all(&words, moment_r);
}
