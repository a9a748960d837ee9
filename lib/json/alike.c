/* SPDX-License-Identifier: MIT */
/* Finds slips of the pen in names. */
#include "json/alike.h"

#include <glib.h>

#define FOLDED_LENGTH 64 /* of a known name; none is longer */
#define LEAST_LETTERS 4

/* Small letters without '_' and '-', one byte for each character. Its length, at most
   FOLDED_LENGTH: the rest of a longer name does not matter. */
static gsize
fold(const char *name, char *folded)
{
	gsize length = 0;

	for (; *name && length < FOLDED_LENGTH; name++)
		if (*name != '_' && *name != '-' && (*name & 0xc0) != 0x80)
			folded[length++] = g_ascii_tolower(*name);
	return length;
}

enum json_alike
json_alike(const char *given, const char *known)
{
	char a[FOLDED_LENGTH], b[FOLDED_LENGTH];
	gsize length_a = fold(given, a), length_b = fold(known, b), front = 0, back = 0;
	gsize shorter = MIN(length_a, length_b), longer = MAX(length_a, length_b);

	if (longer - shorter > 1)
		return ALIKE_NOT;
	while (front < shorter && a[front] == b[front])
		front++;
	while (back < shorter - front && a[length_a - 1 - back] == b[length_b - 1 - back])
		back++;
	if (front == longer)
		return ALIKE_SAME;
	return length_b >= LEAST_LETTERS && front + back + 1 >= longer ? ALIKE_LETTER : ALIKE_NOT;
}
