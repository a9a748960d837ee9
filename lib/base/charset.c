/* SPDX-License-Identifier: MIT */
/* Decodes by hand: iconv stops at bytes that an encoding does not have, and some systems lack its
   tables. */
#include "base/charset.h"

#include <string.h>

#include "base/error.h"

#define NO_CHARACTER 0xFF /* in UTF-8 */

/* 0x80 to 0x9F of windows-1252 (https://encoding.spec.whatwg.org/index-windows-1252.txt). 0: none,
   where that list has control characters, which no file of people means. */
static const guint16 windows_1252[0x20] = {0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020,
    0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D,
    0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178};

enum base_charset
base_charset_find(const guint8 *bytes, gsize size, enum base_charset given, gsize *mark_r)
{
	static const struct {
		const char *mark;
		gsize size;
		enum base_charset charset;
	} marks[] = {{"\xef\xbb\xbf", 3, CHARSET_UTF_8}, {"\xff\xfe", 2, CHARSET_UTF_16LE},
	    {"\xfe\xff", 2, CHARSET_UTF_16BE}};

	for (guint i = 0; i < G_N_ELEMENTS(marks); i++)
		if (size >= marks[i].size && memcmp(bytes, marks[i].mark, marks[i].size) == 0) {
			*mark_r = marks[i].size;
			return marks[i].charset;
		}
	*mark_r = 0;
	return given;
}

static void
charset_append(GByteArray *text, gunichar character)
{
	char utf8[6];
	int size = g_unichar_to_utf8(character, utf8);

	g_byte_array_append(text, (const guint8 *)utf8, (guint)size);
}

static void
append_none(GByteArray *text)
{
	static const guint8 none = NO_CHARACTER;

	g_byte_array_append(text, &none, 1);
}

static gsize
charset_decode_bytes(enum base_charset charset, const guint8 *bytes, gsize size, GByteArray *text)
{
	for (gsize i = 0; i < size; i++) {
		gunichar character = bytes[i];

		if (charset == CHARSET_WINDOWS_1252 && character >= 0x80 && character < 0xA0)
			character = windows_1252[character - 0x80];
		if (character == 0 && bytes[i] != 0)
			append_none(text);
		else
			charset_append(text, character);
	}
	return size;
}

static gunichar
unit_at(enum base_charset charset, const guint8 *bytes)
{
	return charset == CHARSET_UTF_16LE ? bytes[0] | (gunichar)bytes[1] << 8
					   : bytes[1] | (gunichar)bytes[0] << 8;
}

/* Decodes the character at the begin of bytes, at least two. Returns its size; 0: it is not
   complete. */
static gsize
decode_unit(enum base_charset charset, const guint8 *bytes, gsize size, bool last, GByteArray *text)
{
	gunichar high = unit_at(charset, bytes);

	if (high < 0xD800 || high > 0xDFFF) {
		charset_append(text, high);
		return 2;
	}
	if (high < 0xDC00 && size < 4 && !last)
		return 0;
	gunichar low = size >= 4 ? unit_at(charset, bytes + 2) : 0;
	if (high < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF) {
		charset_append(text, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
		return 4;
	}
	append_none(text);
	return 2;
}

gsize
base_charset_decode(
    enum base_charset charset, const guint8 *bytes, gsize size, bool last, GByteArray *text)
{
	gsize read = 0, step = 1;

	if (charset == CHARSET_UTF_8) {
		g_byte_array_append(text, bytes, (guint)size);
		return size;
	}
	if (charset == CHARSET_WINDOWS_1252 || charset == CHARSET_LATIN_1)
		return charset_decode_bytes(charset, bytes, size, text);
	while (size - read >= 2 && step > 0) {
		step = decode_unit(charset, bytes + read, size - read, last, text);
		read += step;
	}
	if (!last || read == size)
		return read;
	append_none(text); /* half a unit */
	return size;
}

GBytes *
base_charset_text(GBytes *bytes, enum base_charset given)
{
	gsize size, mark;
	const guint8 *data = g_bytes_get_data(bytes, &size);
	enum base_charset charset = base_charset_find(data, size, given, &mark);

	if (charset == CHARSET_UTF_8)
		return g_bytes_ref(bytes);
	GByteArray *text = g_byte_array_sized_new((guint)size);
	base_charset_decode(charset, data + mark, size - mark, true, text);
	return g_byte_array_free_to_bytes(text);
}

bool
base_charset_read(const char *what, const char *name, enum base_charset *charset_r, GError **error)
{
	static const struct {
		const char *name; /* letters and digits */
		enum base_charset charset;
	} names[] = {{"utf8", CHARSET_UTF_8}, {"windows1252", CHARSET_WINDOWS_1252},
	    {"cp1252", CHARSET_WINDOWS_1252}, {"latin1", CHARSET_LATIN_1},
	    {"iso88591", CHARSET_LATIN_1}};
	g_autoptr(GString) folded = g_string_new(NULL);

	for (const char *c = name; *c; c++)
		if (*c != '-' && *c != '_')
			g_string_append_c(folded, g_ascii_tolower(*c));
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(folded->str, names[i].name) == 0) {
			*charset_r = names[i].charset;
			return true;
		}
	return base_invalid(error, "%s must be utf-8, windows-1252 or latin1", what);
}
