/* SPDX-License-Identifier: MIT */
/* Texts in the encodings that files of people have, made UTF-8. */
#ifndef BASE_CHARSET_H
#define BASE_CHARSET_H

#include <glib.h>
#include <stdbool.h>

enum base_charset {
	CHARSET_UTF_8,
	CHARSET_WINDOWS_1252,
	CHARSET_LATIN_1,
	CHARSET_UTF_16LE,
	CHARSET_UTF_16BE,
};

/* The encoding of a text by the byte order mark at its begin, else the given one. *mark_r: the
   size of the mark in bytes. */
enum base_charset base_charset_find(
    const guint8 *bytes, gsize size, enum base_charset given, gsize *mark_r);

/* Appends bytes as UTF-8, but for a character at their end that is not complete, unless they are
   the last ones. A byte 0xFF, which UTF-8 never has, stands for each that the encoding does not
   have. At most three bytes for each are appended. Returns the number of bytes that were read. */
gsize base_charset_decode(
    enum base_charset charset, const guint8 *bytes, gsize size, bool last, GByteArray *text);

/* A whole text in UTF-8, as above. A mark decides before the given encoding, and only that of
   UTF-8 stays. The caller owns it. */
GBytes *base_charset_text(GBytes *bytes, enum base_charset given);

/* Reads the name of an encoding: "utf-8", "windows-1252" or "latin1", and their other usual names.
   INVALID "WHAT must be utf-8, windows-1252 or latin1". */
bool base_charset_read(
    const char *what, const char *name, enum base_charset *charset_r, GError **error);

#endif
