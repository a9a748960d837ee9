/* SPDX-License-Identifier: MIT */
/* Reads the tokens of JSON, and resolves the escapes of its strings. */
#include "json/scan.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

#define ONES 0x0101010101010101ULL
#define TOPS 0x8080808080808080ULL

/* No byte of the word is a control, a quote or a backslash. A subtraction sets the top bit of a
   byte that is below; ~word leaves bytes that had it before. */
static bool
word_is_plain(guint64 word)
{
	guint64 control = word - ONES * 0x20, quote = (word ^ ONES * '"') - ONES,
		backslash = (word ^ ONES * '\\') - ONES;

	return !((control | quote | backslash) & ~word & TOPS);
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

static gunichar
hexadecimal(const char *digits)
{
	gunichar code = 0;

	for (int i = 0; i < 4; i++)
		code = code << 4 | (gunichar)g_ascii_xdigit_value(digits[i]);
	return code;
}

/* Writes the meaning of the escape at the backslash to *out and moves *out on; returns the end of
   the escape. An escape is always longer than its meaning. */
static const char *
scan_resolve(const char *at, char **out)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *letter = strchr(letters, at[1]);

	if (at[1] != 'u') {
		*(*out)++ = letter ? meanings[letter - letters] : at[1];
		return at + 2;
	}
	gunichar code = hexadecimal(at + 2);
	if (code >= 0xd800 && code < 0xe000) {
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
		at = scan_resolve(escape, &out);
	}
	return (gsize)(out - start);
}

/* The line number as " (line M)"; "" on the first line. The caller owns it. */
static char *
scan_line_of(const struct json_scan *scan, const char *at)
{
	gsize line = 1;

	for (const char *p = scan->start; p < at; p++)
		line += *p == '\n';
	return line > 1 ? g_strdup_printf(" (line %" G_GSIZE_FORMAT ")", line) : g_strdup("");
}

bool
json_scan_fail(struct json_scan *scan, const char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *problem = g_strdup_vprintf(format, args);
	va_end(args);
	g_autofree char *line = scan_line_of(scan, at);
	g_set_error(scan->error, PH_ERROR, PH_ERROR_INVALID,
	    "%s is not valid JSON: %s at byte %" G_GSIZE_FORMAT "%s", scan->name, problem,
	    (gsize)(at - scan->start), line);
	return false;
}

bool
json_scan_expected(struct json_scan *scan, const char *expected)
{
	if (scan->at == scan->end)
		return json_scan_fail(scan, scan->at, "unexpected end");
	return json_scan_fail(scan, scan->at, "expected %s", expected);
}

/* The code of \uXXXX at the place; -1 if there is no such escape. */
static int
code_unit(const struct json_scan *scan, const char *at)
{
	int code = 0;

	if (scan->end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		if (!g_ascii_isxdigit(at[i]))
			return -1;
		code = code << 4 | g_ascii_xdigit_value(at[i]);
	}
	return code;
}

static bool
is_surrogate(int code, int first)
{
	return code >= first && code < first + 0x400;
}

static bool
check_pair(struct json_scan *scan, int first)
{
	int second = code_unit(scan, scan->at + 6);

	if (!is_surrogate(first, 0xd800) || !is_surrogate(second, 0xdc00))
		return json_scan_fail(scan, scan->at, "surrogate without its other half");
	scan->at += 12;
	return true;
}

static bool
check_unicode(struct json_scan *scan)
{
	int code = code_unit(scan, scan->at);

	if (code < 0)
		return json_scan_fail(scan, scan->at, "\\u without four hexadecimal digits");
	if (code >= 0xd800 && code < 0xe000)
		return check_pair(scan, code);
	scan->at += 6;
	return true;
}

static bool
check_escape(struct json_scan *scan)
{
	if (scan->end - scan->at < 2)
		return json_scan_fail(scan, scan->end, "unexpected end");
	if (memchr("\"\\/bfnrt", scan->at[1], 8)) {
		scan->at += 2;
		return true;
	}
	if (scan->at[1] != 'u')
		return json_scan_fail(scan, scan->at, "unknown escape");
	return check_unicode(scan);
}

bool
json_scan_string(struct json_scan *scan)
{
	scan->at++;
	for (;;) {
		scan->at += json_plain_length(scan->at, (gsize)(scan->end - scan->at));
		if (scan->at == scan->end)
			return json_scan_fail(scan, scan->at, "unexpected end");
		if (json_scan_take(scan, '"'))
			return true;
		if (*scan->at != '\\')
			return json_scan_fail(
			    scan, scan->at, "control character that is not escaped");
		if (!check_escape(scan))
			return false;
	}
}

static bool
digits(struct json_scan *scan)
{
	const char *start = scan->at;

	while (g_ascii_isdigit(json_scan_next(scan)))
		scan->at++;
	return scan->at > start;
}

/* Whether an integer fits gint64. GLib reads until a byte that is not part of a number, so one must
   follow. */
static bool
scan_fits(const char *start, gsize size)
{
	if (size < sizeof("999999999999999999"))
		return true;
	errno = 0;
	g_ascii_strtoll(start, NULL, 10);
	return errno != ERANGE;
}

bool
json_scan_number(struct json_scan *scan, bool *is_integer_r)
{
	const char *start = scan->at;
	bool whole = true;

	json_scan_take(scan, '-');
	if (!json_scan_take(scan, '0') && !digits(scan))
		return json_scan_expected(scan, "a digit");
	if (json_scan_take(scan, '.')) {
		whole = false;
		if (!digits(scan))
			return json_scan_expected(scan, "a digit");
	}
	if (json_scan_take(scan, 'e') || json_scan_take(scan, 'E')) {
		whole = false;
		if (!json_scan_take(scan, '+'))
			json_scan_take(scan, '-');
		if (!digits(scan))
			return json_scan_expected(scan, "a digit");
	}
	if (scan->at == scan->end)
		return json_scan_fail(scan, scan->at, "unexpected end");
	*is_integer_r = whole && scan_fits(start, (gsize)(scan->at - start));
	return true;
}

bool
json_scan_word(struct json_scan *scan, const char *word)
{
	gsize size = strlen(word);

	if ((gsize)(scan->end - scan->at) < size || memcmp(scan->at, word, size) != 0)
		return json_scan_expected(scan, "a value");
	scan->at += size;
	return true;
}
