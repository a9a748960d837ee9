/* SPDX-License-Identifier: MIT */
/* Finds slips of the pen in names. */
#include "json/alike.h"

#include <glib.h>

#define LEAST_LETTERS 4
#define OTHER_LETTER (char)0x80

static bool
is_mark(char c)
{
	return c == '_' || c == '-';
}

/* One byte for a character: other letters than ASCII's are equal to no known one. */
static char
fold(const char *character)
{
	if (!(*character & 0x80))
		return g_ascii_tolower(*character);
	return g_unichar_isalpha(g_utf8_get_char(character)) ? OTHER_LETTER : '?';
}

static bool
is_letter(char folded)
{
	return g_ascii_isalpha(folded) || folded == OTHER_LETTER;
}

void
json_alike_fold(const char *given, struct json_folded *folded_r)
{
	guint length = 0;

	for (; *given && length < ALIKE_SIZE - 1; given = g_utf8_next_char(given))
		if (!is_mark(*given))
			folded_r->text[length++] = fold(given);
	folded_r->text[length] = '\0';
}

/* The first letter at or behind the place. */
static const char *
letter(const char *known)
{
	while (is_mark(*known))
		known++;
	return known;
}

static bool
is_same(const char *given, const char *known)
{
	for (known = letter(known); *given && *given == *known; known = letter(known + 1))
		given++;
	return *given == *known;
}

/* Whether one more letter in the one, in the other or in both makes the rests the same. */
static bool
is_one_off(const char *given, const char *known)
{
	if (*known && is_same(given, known + 1))
		return true;
	return is_letter(*given) &&
	       (is_same(given + 1, known) || (*known && is_same(given + 1, known + 1)));
}

enum json_alike
json_alike(const struct json_folded *folded, const char *known)
{
	const char *given = folded->text, *rest = known;
	guint letters = 0;

	for (rest = letter(rest); *given && *given == *rest; rest = letter(rest + 1))
		given++;
	if (*given == *rest)
		return ALIKE_SAME;
	if (!is_one_off(given, rest))
		return ALIKE_NOT;
	for (known = letter(known); *known; known = letter(known + 1))
		letters++;
	return letters >= LEAST_LETTERS ? ALIKE_LETTER : ALIKE_NOT;
}
