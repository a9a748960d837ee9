/* SPDX-License-Identifier: MIT */
/* Content transfer encodings (RFC 2045 section 6). */
#ifndef MAIL_ENCODING_H
#define MAIL_ENCODING_H

#include <glib.h>
#include <stdbool.h>

enum mail_encoding {
	MAIL_ENCODING_7BIT,
	MAIL_ENCODING_QUOTED_PRINTABLE,
	MAIL_ENCODING_BASE64,
};

/* The word for Content-Transfer-Encoding. */
const char *mail_encoding_name(enum mail_encoding encoding);

/* Appends the Content-Transfer-Encoding field with its CRLF. */
void mail_encoding_field(GString *out, enum mail_encoding encoding);

/* Whether all bytes of a text are 7 bit. */
bool mail_encoding_is_7bit(const char *text, gsize size);

/* Chooses the encoding for text: 7bit for ASCII without control characters, in lines of at most
   998 bytes, in which reserved (the prefix of the boundaries) does not occur; else the shorter
   one of the other two. *size_r is an estimate of the encoded size, not too small. */
enum mail_encoding mail_encoding_choose(
    const char *text, gsize size, const char *reserved, gsize *size_r);

/* Appends text in canonical form, CRLF for each CR, LF and CRLF, encoded in lines that end in
   CRLF; the last line ends so only if the text does. */
void mail_encoding_text(GString *out, enum mail_encoding encoding, const char *text, gsize size);

/* Appends the unchanged bytes in base64, in lines that end in CRLF, except the last one. */
void mail_encoding_bytes(GString *out, const void *data, gsize size);

/* The size that mail_encoding_bytes appends. */
gsize mail_encoding_bytes_size(gsize size);

#endif
