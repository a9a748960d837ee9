/* SPDX-License-Identifier: MIT */
/* Resolves the escapes of JSON text that is known to be right. */
#include "json/escape.h"

#include <stdbool.h>
#include <string.h>

static gunichar
hexadecimal(const char *digits)
{
	gunichar code = 0;

	for (int i = 0; i < 4; i++)
		code = code << 4 | (gunichar)g_ascii_xdigit_value(digits[i]);
	return code;
}

static bool
is_surrogate(gunichar code)
{
	return code >= 0xd800 && code < 0xe000;
}

/* Writes what the escape at the backslash means, and moves *out behind it; where the escape ends.
   An escape is longer than what it means. */
static const char *
resolve(const char *at, char **out)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *letter = strchr(letters, at[1]);

	if (at[1] != 'u') {
		*(*out)++ = letter ? meanings[letter - letters] : at[1];
		return at + 2;
	}
	gunichar code = hexadecimal(at + 2);
	if (is_surrogate(code)) {
		code = 0x10000 + ((code - 0xd800) << 10) + (hexadecimal(at + 8) - 0xdc00);
		at += 6;
	}
	*out += g_unichar_to_utf8(code, *out);
	return at + 6;
}

gsize
json_escape_resolve(const char *source, gsize size, char *out)
{
	const char *end = source + size, *start = out;

	for (const char *at = source; at < end;) {
		const char *escape = memchr(at, '\\', (gsize)(end - at));
		gsize plain = (gsize)((escape ? escape : end) - at);
		memmove(out, at, plain);
		out += plain;
		if (!escape)
			break;
		at = resolve(escape, &out);
	}
	return (gsize)(out - start);
}
