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
is_pair(const char *escape)
{
	return escape[1] == 'u' && g_ascii_tolower(escape[2]) == 'd' && strchr("89abAB", escape[3]);
}

/* Appends what the escape at the backslash means; where it ends. */
static const char *
resolve(const char *at, GString *text)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *letter = strchr(letters, at[1]);

	if (at[1] != 'u') {
		g_string_append_c(text, letter ? meanings[letter - letters] : at[1]);
		return at + 2;
	}
	gunichar code = hexadecimal(at + 2);
	if (is_pair(at)) {
		code = 0x10000 + ((code - 0xd800) << 10) + (hexadecimal(at + 8) - 0xdc00);
		at += 6;
	}
	if (code == 0)
		g_string_append_c(text, '\0');
	else
		g_string_append_unichar(text, code);
	return at + 6;
}

void
json_escape_resolve(const char *source, gsize size, enum json_escape sort, GString *text)
{
	const char *end = source + size;

	for (const char *at = source; at < end;) {
		const char *escape = memchr(at, '\\', (gsize)(end - at));
		g_string_append_len(text, at, (escape ? escape : end) - at);
		if (!escape)
			break;
		if (sort == ESCAPE_ALL || is_pair(escape)) {
			at = resolve(escape, text);
		} else {
			g_string_append_len(text, escape, 2);
			at = escape + 2;
		}
	}
}
