/* SPDX-License-Identifier: MIT */
/* Finds the end of what can be taken over unchanged, eight bytes at a time: strings are most of a
 * large body. */
#include "json/plain.h"

#include <stdbool.h>
#include <string.h>

#define ONES 0x0101010101010101ULL
#define TOPS 0x8080808080808080ULL

/* Whether some byte of the word is below limit (at most 0x80). */
static bool
has_below(guint64 word, guint64 limit)
{
	return (word - ONES * limit) & ~word & TOPS;
}

static bool
word_is_plain(guint64 word)
{
	return !(has_below(word, 0x20) | has_below(word ^ ONES * '"', 1) |
		 has_below(word ^ ONES * '\\', 1));
}

static bool
byte_is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\';
}

gsize
json_plain_length(const char *bytes, gsize size)
{
	gsize length = 0;

	for (guint64 word; length + sizeof(word) <= size; length += sizeof(word)) {
		memcpy(&word, bytes + length, sizeof(word));
		if (!word_is_plain(word))
			break;
	}
	while (length < size && byte_is_plain((unsigned char)bytes[length]))
		length++;
	return length;
}
