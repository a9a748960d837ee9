/* SPDX-License-Identifier: MIT */
/* Compares numbers by their texts. */
#include "automation/number.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static const char *
skip_digits(const char *at)
{
	while (g_ascii_isdigit(*at))
		at++;
	return at;
}

/* Behind the whole part; NULL where there is none. */
static const char *
skip_whole(const char *text)
{
	const char *at = text + (*text == '-');

	if (!g_ascii_isdigit(*at))
		return NULL;
	return *at == '0' ? at + 1 : skip_digits(at);
}

static bool
has_grammar(const char *text)
{
	const char *at = skip_whole(text), *digits;

	if (at && *at == '.') {
		digits = at + 1;
		at = skip_digits(digits);
		if (at == digits)
			return false;
	}
	if (at && (*at == 'e' || *at == 'E')) {
		digits = at + 1 + (at[1] == '+' || at[1] == '-');
		at = skip_digits(digits);
		if (at == digits)
			return false;
	}
	return at && !*at;
}

bool
automation_number_is(const char *text)
{
	return has_grammar(text) && isfinite(g_ascii_strtod(text, NULL));
}

static bool
is_whole(const char *text)
{
	const char *end = skip_whole(text);

	return end && !*end;
}

/* Of whole numbers: the sign, and the digits in *digits_r. */
static int
sign(const char *text, const char **digits_r)
{
	*digits_r = text + (*text == '-');
	if (strcmp(*digits_r, "0") == 0)
		return 0;
	return *text == '-' ? -1 : 1;
}

static int
compare_whole(const char *a, const char *b)
{
	const char *digits_a, *digits_b;
	int sign_a = sign(a, &digits_a), sign_b = sign(b, &digits_b);

	if (sign_a != sign_b)
		return sign_a - sign_b;
	gsize length_a = strlen(digits_a), length_b = strlen(digits_b);
	if (length_a != length_b)
		return length_a < length_b ? -sign_a : sign_a;
	return sign_a * strcmp(digits_a, digits_b);
}

int
automation_number_compare(const char *a, const char *b)
{
	if (is_whole(a) && is_whole(b))
		return compare_whole(a, b);
	double number_a = g_ascii_strtod(a, NULL), number_b = g_ascii_strtod(b, NULL);
	return (number_a > number_b) - (number_a < number_b);
}
