/* SPDX-License-Identifier: MIT */
/* The filters of templates: their arguments, and what they make of a value. */
#include "template/filter.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits/email.h"
#include "template/date.h"
#include "template/value.h"

#define MOST_DECIMALS 6
#define MOST_DIGITS 400 /* of a number that is formatted */
#define MOST_TIME 100	/* bytes that no time has */

#define WRONG "a filter has an argument that it does not take"

bool
template_filter_named(const char *name, enum template_filter_kind *kind_r)
{
	static const char *const names[] = {[FILTER_UPPER] = "upper",
	    [FILTER_URL] = "url",
	    [FILTER_DEFAULT] = "default",
	    [FILTER_NUMBER] = "number",
	    [FILTER_DATE] = "date"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(name, names[i]) == 0) {
			*kind_r = (enum template_filter_kind)i;
			return true;
		}
	return false;
}

static bool
filter_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Skips white space, which has to be there in front of an argument. Returns false when there is no
   argument. */
static bool
next_argument(const char **p, const char *end)
{
	const char *at = *p;

	while (at < end && filter_is_space(*at))
		at++;
	if (at == *p || at == end || *at == '}' || *at == '~')
		return false;
	*p = at;
	return true;
}

/* Reads a text in quotes at *p. */
static bool
filter_read_text(const char **p, const char *end, const char **text_r, gsize *size_r)
{
	const char quote = *p < end ? **p : '\0';
	const char *from = *p + 1;
	const char *to = quote == '"' || quote == '\'' ? memchr(from, quote, end - from) : NULL;

	if (!to)
		return false;
	*text_r = from;
	*size_r = to - from;
	*p = to + 1;
	return true;
}

static const char *
set_language(struct template_filter *filter, const char *text, gsize size)
{
	static const char *const codes[] = {[LANGUAGE_EN] = "en",
	    [LANGUAGE_DE] = "de",
	    [LANGUAGE_FR] = "fr",
	    [LANGUAGE_ES] = "es",
	    [LANGUAGE_PT] = "pt"};

	for (guint i = 0; i < G_N_ELEMENTS(codes); i++)
		if (size == strlen(codes[i]) && memcmp(text, codes[i], size) == 0) {
			filter->language = (enum template_language)i;
			return NULL;
		}
	return "language must be one of \"en\", \"de\", \"fr\", \"es\" and \"pt\"";
}

static const char *
filter_set_zone(struct template_filter *filter, const char *text, gsize size)
{
	if (size >= 1 && size <= LIMIT_TIME_ZONE_BYTES) {
		memcpy(filter->zone, text, size);
		filter->zone[size] = '\0';
		if (template_date_is_zone(filter->zone))
			return NULL;
	}
	return "zone must be an IANA time zone";
}

/* Reads language="..." and zone="...". */
static const char *
read_option(const char **p, const char *end, struct template_filter *filter)
{
	static const char language[] = "language=", zone[] = "zone=";
	gsize left = end - *p, size;
	bool is_language = left > strlen(language) && memcmp(*p, language, strlen(language)) == 0;
	bool is_zone = left > strlen(zone) && memcmp(*p, zone, strlen(zone)) == 0;
	const char *text;

	if (!(is_language && filter->kind >= FILTER_NUMBER) &&
	    !(is_zone && filter->kind == FILTER_DATE))
		return WRONG;
	*p += is_language ? strlen(language) : strlen(zone);
	if (!filter_read_text(p, end, &text, &size))
		return "the value of an option is not in quotes";
	return is_language ? set_language(filter, text, size) : filter_set_zone(filter, text, size);
}

static const char *
read_decimals(const char **p, const char *end, struct template_filter *filter)
{
	filter->decimals = **p - '0';
	(*p)++;
	return filter->decimals > MOST_DECIMALS || (*p < end && g_ascii_isdigit(**p))
		   ? "number takes 0 to 6 decimals"
		   : NULL;
}

/* Reads the argument in front of the options. */
static const char *
filter_read_first(const char **p, const char *end, struct template_filter *filter)
{
	bool takes_text = filter->kind == FILTER_DEFAULT || filter->kind == FILTER_DATE;

	if (takes_text &&
	    (!next_argument(p, end) || !filter_read_text(p, end, &filter->text, &filter->size)))
		return filter->kind == FILTER_DATE ? "date takes a format in quotes"
						   : "default takes a text in quotes";
	if (filter->kind == FILTER_DATE && !template_date_format_known(filter->text, filter->size))
		return "the format of date has only %Y %m %d %e %H %M %S %B %b %A %a and %%";
	const char *at = *p;
	if (filter->kind != FILTER_NUMBER || !next_argument(&at, end) || !g_ascii_isdigit(*at))
		return NULL;
	*p = at;
	return read_decimals(p, end, filter);
}

const char *
template_filter_read(const char **p, const char *end, struct template_filter *filter)
{
	filter->decimals = -1;
	filter->language = LANGUAGE_EN;
	filter->zone[0] = '\0';
	const char *fault = filter_read_first(p, end, filter);
	while (!fault && next_argument(p, end))
		fault = read_option(p, end, filter);
	return fault;
}

/* A number in decimals: its digits, of which the first point stand in front of the point. */
struct digits {
	bool is_negative;
	char text[2 * MOST_DIGITS + MOST_DECIMALS + 8];
	gint64 size, point;
};

static const char *
take_digits(const char *p, struct digits *digits)
{
	for (; g_ascii_isdigit(*p) && digits->size <= MOST_DIGITS; p++)
		digits->text[digits->size++] = *p;
	return p;
}

static const char *
take_exponent(const char *p, gint64 *exponent_r)
{
	char *end;

	*exponent_r = 0;
	if (*p != 'e' && *p != 'E')
		return p;
	if (!g_ascii_isdigit(p[1]) && !((p[1] == '+' || p[1] == '-') && g_ascii_isdigit(p[2])))
		return NULL;
	*exponent_r = g_ascii_strtoll(p + 1, &end, 10);
	return end;
}

/* Reads a number as JSON writes it. Returns false for anything else, and for very long ones. */
static bool
filter_read_digits(const char *text, struct digits *digits_r)
{
	const char *p = text + (*text == '-');
	gint64 exponent = 0;

	digits_r->is_negative = *text == '-';
	digits_r->size = 0;
	if (!g_ascii_isdigit(*p) || (*p == '0' && g_ascii_isdigit(p[1])))
		return false;
	p = take_digits(p, digits_r);
	digits_r->point = digits_r->size;
	if (*p == '.' && !g_ascii_isdigit(p[1]))
		return false;
	if (*p == '.')
		p = take_digits(p + 1, digits_r);
	p = take_exponent(p, &exponent);
	if (!p || *p || digits_r->size > MOST_DIGITS || ABS(exponent) > MOST_DIGITS)
		return false;
	digits_r->point += exponent;
	return true;
}

/* Puts zeros in front, so that there is a digit in front of the point and one to carry to. */
static void
pad_front(struct digits *digits)
{
	gint64 zeros = 1 + MAX(1 - digits->point, 0);

	memmove(digits->text + zeros, digits->text, digits->size);
	memset(digits->text, '0', zeros);
	digits->size += zeros;
	digits->point += zeros;
}

/* Rounds, half away from zero, or adds zeros. */
static void
set_decimals(struct digits *digits, int decimals)
{
	gint64 size = digits->point + decimals;
	bool up = size < digits->size && digits->text[size] >= '5';

	if (size > digits->size)
		memset(digits->text + digits->size, '0', size - digits->size);
	digits->size = size;
	for (gint64 i = size - 1; up && i >= 0; i--) {
		up = digits->text[i] == '9';
		digits->text[i] = up ? '0' : (char)(digits->text[i] + 1);
	}
}

static void
append_digits(const struct digits *digits, enum template_language language, GString *out)
{
	const char *group = language == LANGUAGE_EN   ? ","
			    : language == LANGUAGE_FR ? "\342\200\257" /* U+202F */
						      : ".";
	gint64 first = 0;

	while (first + 1 < digits->point && digits->text[first] == '0')
		first++;
	for (gint64 i = 0; digits->is_negative && i < digits->size; i++)
		if (digits->text[i] != '0') {
			g_string_append_c(out, '-');
			break;
		}
	for (gint64 i = first; i < digits->size; i++) {
		if (i == digits->point)
			g_string_append_c(out, language == LANGUAGE_EN ? '.' : ',');
		else if (i > first && i < digits->point && (digits->point - i) % 3 == 0)
			g_string_append(out, group);
		g_string_append_c(out, digits->text[i]);
	}
}

static bool
filter_append_number(const struct template_filter *filter, const char *text, GString *out)
{
	struct digits digits;

	if (!filter_read_digits(text, &digits))
		return false;
	gint64 written = CLAMP(digits.size - digits.point, 0, MOST_DECIMALS);
	pad_front(&digits);
	set_decimals(&digits, filter->decimals >= 0 ? filter->decimals : (int)written);
	append_digits(&digits, filter->language, out);
	return true;
}

/* Whether a text that is a time names a day alone: it has no time of day. */
static bool
is_day(const char *text)
{
	return !strpbrk(text, "Tt :");
}

static bool
append_date(const struct template_filter *filter, GTimeZone *zone,
    const struct template_value *value, GString *out)
{
	g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
	gint64 time = 0;

	if (value->kind == VALUE_TEXT &&
	    (strnlen(value->text, MOST_TIME) == MOST_TIME || !base_clock_parse(value->text, &time)))
		return false;
	if (value->kind == VALUE_NUMBER) {
		char *end;
		time = g_ascii_strtoll(value->text, &end, 10);
		if (*end)
			return false;
	}
	/* A day is the same day in every zone. */
	if (value->kind == VALUE_TEXT && is_day(value->text))
		zone = utc;
	return template_date_append(filter->text, filter->size, filter->language, zone, time, out);
}

void
template_filter_append(const struct template_filter *filter, GTimeZone *zone,
    const struct template_value *value, GString *out)
{
	bool is_scalar = value->kind == VALUE_TEXT || value->kind == VALUE_NUMBER;
	const char *text = template_value_text(value);

	if (filter->kind == FILTER_DEFAULT && (!text || (value->text && !*text))) {
		g_string_append_len(out, filter->text, filter->size);
		return;
	}
	if (!text)
		return;
	if (filter->kind == FILTER_UPPER) {
		g_autofree char *upper =
		    g_str_is_ascii(text) ? g_ascii_strup(text, -1) : g_utf8_strup(text, -1);
		g_string_append(out, upper);
		return;
	}
	if (filter->kind == FILTER_URL) {
		g_autofree char *encoded = g_uri_escape_string(text, NULL, FALSE);
		g_string_append(out, encoded);
		return;
	}
	if (filter->kind == FILTER_NUMBER && is_scalar && filter_append_number(filter, text, out))
		return;
	if (filter->kind == FILTER_DATE && is_scalar && append_date(filter, zone, value, out))
		return;
	g_string_append(out, text);
}
