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

/* As in Content-Transfer-Encoding. */
const char *mail_encoding_name(enum mail_encoding encoding);

/* Appends the whole field. */
void mail_encoding_field(GString *out, enum mail_encoding encoding);

/* The encoding for text: 7bit where it is ASCII without control characters, in lines of at most 998
   bytes, and reserved (what the boundaries begin with) does not occur in it; else whichever of the
   other two comes out smaller. *size_r is at least about what it comes to. */
enum mail_encoding mail_encoding_choose(
    const char *text, gsize size, const char *reserved, gsize *size_r);

/* Appends text in canonical form, CRLF for each CR, LF and CRLF, encoded in lines that end in CRLF;
   the last one ends so only where the text does. */
void mail_encoding_text(GString *out, enum mail_encoding encoding, const char *text, gsize size);

/* Appends the very bytes in base64, in lines that end in CRLF, except the last one. */
void mail_encoding_bytes(GString *out, const void *data, gsize size);

/* What mail_encoding_bytes comes to. */
gsize mail_encoding_bytes_size(gsize size);

#endif
