/* SPDX-License-Identifier: MIT */
/* Decodes the character references of html. */
#include "mail/entity.h"

#include <stdbool.h>
#include <string.h>

#define NAME_SIZE 8
#define REPLACEMENT 0xfffd

/* The few dozen that are met; gumbo knows all two thousand, but only within its parser. */
static const struct {
	char name[NAME_SIZE];
	gunichar c;
} entities[] = {
    {"amp", '&'},
    {"lt", '<'},
    {"gt", '>'},
    {"quot", '"'},
    {"apos", '\''},
    {"nbsp", 0xa0},
    {"copy", 0xa9},
    {"reg", 0xae},
    {"trade", 0x2122},
    {"hellip", 0x2026},
    {"ndash", 0x2013},
    {"mdash", 0x2014},
    {"lsquo", 0x2018},
    {"rsquo", 0x2019},
    {"sbquo", 0x201a},
    {"ldquo", 0x201c},
    {"rdquo", 0x201d},
    {"bdquo", 0x201e},
    {"laquo", 0xab},
    {"raquo", 0xbb},
    {"lsaquo", 0x2039},
    {"rsaquo", 0x203a},
    {"bull", 0x2022},
    {"middot", 0xb7},
    {"larr", 0x2190},
    {"rarr", 0x2192},
    {"euro", 0x20ac},
    {"pound", 0xa3},
    {"yen", 0xa5},
    {"cent", 0xa2},
    {"sect", 0xa7},
    {"deg", 0xb0},
    {"plusmn", 0xb1},
    {"times", 0xd7},
    {"frac12", 0xbd},
    {"iexcl", 0xa1},
    {"iquest", 0xbf},
    {"agrave", 0xe0},
    {"aacute", 0xe1},
    {"acirc", 0xe2},
    {"atilde", 0xe3},
    {"auml", 0xe4},
    {"aring", 0xe5},
    {"aelig", 0xe6},
    {"ccedil", 0xe7},
    {"egrave", 0xe8},
    {"eacute", 0xe9},
    {"ecirc", 0xea},
    {"euml", 0xeb},
    {"iacute", 0xed},
    {"icirc", 0xee},
    {"iuml", 0xef},
    {"ntilde", 0xf1},
    {"oacute", 0xf3},
    {"ocirc", 0xf4},
    {"ouml", 0xf6},
    {"oslash", 0xf8},
    {"uacute", 0xfa},
    {"ucirc", 0xfb},
    {"uuml", 0xfc},
    {"szlig", 0xdf},
    {"Auml", 0xc4},
    {"Ouml", 0xd6},
    {"Uuml", 0xdc},
    {"Agrave", 0xc0},
    {"Eacute", 0xc9},
    {"ensp", 0x2002},
    {"emsp", 0x2003},
    {"thinsp", 0x2009},
    {"shy", 0xad},
    {"zwj", 0x200d},
    {"zwnj", 0x200c},
    {"lrm", 0x200e},
    {"rlm", 0x200f},
};

/* Reads the number after "&#" at *p and moves past it; 0 if there is none. */
static gunichar
read_number(const char **p, const char *end)
{
	const char *digit = *p;
	bool hex = digit < end && g_ascii_tolower(*digit) == 'x';
	guint value = 0;

	digit += hex;
	const char *first = digit;
	for (; digit < end && (hex ? g_ascii_isxdigit(*digit) : g_ascii_isdigit(*digit)); digit++)
		if (value <= 0x10ffff)
			value = value * (hex ? 16 : 10) + g_ascii_xdigit_value(*digit);
	if (digit == first)
		return 0;
	*p = digit < end && *digit == ';' ? digit + 1 : digit;
	return value != 0 && g_unichar_validate(value) ? value : REPLACEMENT;
}

/* Reads the name after "&" at *p, which must end in ";", and moves past it; 0 if it is unknown. */
static gunichar
read_name(const char **p, const char *end)
{
	const char *last = *p;

	while (last < end && last - *p < NAME_SIZE && g_ascii_isalnum(*last))
		last++;
	if (last == end || *last != ';')
		return 0;
	gsize size = last - *p;
	for (gsize i = 0; i < G_N_ELEMENTS(entities); i++) {
		if (strncmp(entities[i].name, *p, size) == 0 && !entities[i].name[size]) {
			*p = last + 1;
			return entities[i].c;
		}
	}
	return 0;
}

void
mail_entity_decode(GString *out, const char *text, gsize size)
{
	const char *end = text + size;
	const char *and;

	while (text < end && (and = memchr(text, '&', end - text))) {
		g_string_append_len(out, text, and-text);
		text = and+1;
		bool number = text < end && *text == '#';
		const char *rest = text + number;
		gunichar c = number ? read_number(&rest, end) : read_name(&rest, end);
		if (c) {
			g_string_append_unichar(out, c);
			text = rest;
		} else {
			g_string_append_c(out, '&');
		}
	}
	g_string_append_len(out, text, end - text);
}
