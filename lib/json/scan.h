/* SPDX-License-Identifier: MIT */
/* A place in a JSON text that moves on over what it finds there. */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <glib.h>
#include <stdbool.h>

struct json_scan {
	const char *name; /* of the text, for the errors */
	const char *start, *at, *end;
	GError **error;
};

/* INVALID: "NAME is not valid JSON: PROBLEM at byte N", N from the start to at, with " (line M)"
   from the second line on. Returns false. */
bool json_scan_fail(struct json_scan *scan, const char *at, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Fails with "expected WHAT" at the place; at the end of the text the end is what is wrong. */
bool json_scan_expected(struct json_scan *scan, const char *what);

/* The next byte; NUL, which stands nowhere in JSON, at the end. */
char json_scan_next(const struct json_scan *scan);

/* Moves over the byte, if it is the next. */
bool json_scan_take(struct json_scan *scan, char byte);

void json_scan_space(struct json_scan *scan);

/* Each moves over one token of RFC 8259, or fails. A string from its first quote; its UTF-8 is not
   looked at, surrogates in escapes are. *is_integer_r tells of a number whether it is a whole one
   that fits gint64. A word is true, false or null. */
bool json_scan_string(struct json_scan *scan);
bool json_scan_number(struct json_scan *scan, bool *is_integer_r);
bool json_scan_word(struct json_scan *scan, const char *word);

#endif
