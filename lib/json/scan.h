/* SPDX-License-Identifier: MIT */
/* For this room: reading the tokens of a JSON text. */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <glib.h>
#include <stdbool.h>

/* The number of bytes at the beginning that can stand in a JSON string unescaped: all bytes except
   control characters below U+0020, '"' and '\' (RFC 8259 section 7). Bytes from 0x80 are accepted;
   UTF-8 is not checked. */
gsize json_plain_length(const char *bytes, gsize size);

/* Resolves the escapes of valid JSON text and writes the result to out, which may be source. The
   text may be a part of a string, but must not end inside an escape. Returns the size of the
   result, which is at most size. */
gsize json_escape_resolve(const char *source, gsize size, char *out);

/* A position in a JSON text. */
struct json_scan {
	const char *name; /* of the text, for the errors */
	const char *start, *at, *end;
	GError **error;
};

/* Sets INVALID and returns false: "NAME is not valid JSON: PROBLEM at byte N", where N counts from
   the start of the text to at; from the second line on " (line M)" follows. */
bool json_scan_fail(struct json_scan *scan, const char *at, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Fails at the current position with "expected ...", or, at the end of the text, "unexpected end".
 */
bool json_scan_expected(struct json_scan *scan, const char *expected);

/* The next byte. NUL at the end of the text; valid JSON has no NUL. */
static inline char
json_scan_next(const struct json_scan *scan)
{
	return scan->at < scan->end ? *scan->at : '\0';
}

/* Moves over the byte if it is the next one; returns whether it was. */
static inline bool
json_scan_take(struct json_scan *scan, char byte)
{
	if (json_scan_next(scan) != byte)
		return false;
	scan->at++;
	return true;
}

/* Moves over white space. */
static inline void
json_scan_space(struct json_scan *scan)
{
	while (scan->at < scan->end &&
	       (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
		scan->at++;
}

/* Each of these moves over one token of RFC 8259, or fails. A string begins with its first quote;
   its escapes and surrogates are checked, its UTF-8 is not. *is_integer_r: the number is an integer
   that fits gint64. A word is true, false or null. */
bool json_scan_string(struct json_scan *scan);
bool json_scan_number(struct json_scan *scan, bool *is_integer_r);
bool json_scan_word(struct json_scan *scan, const char *word);

#endif
