/* SPDX-License-Identifier: MIT */
/* Splits a message that came from outside into parts (RFC 5322, RFC 2045, RFC 2046).
   The message may be hostile. GMime's own parser reads each address header with a recursion that
   a header of 200 KB drives out of the stack; so messages are split here, and GMime decodes
   single fields and contents. All calls are linear in the size of their input and not recursive,
   and their results point into the text or are bounded by it. */
#ifndef MAIL_PART_H
#define MAIL_PART_H

#include <glib.h>
#include <stdbool.h>

/* Borrowed text. */
struct mail_slice {
	const char *text;
	gsize size;
};

/* A message or a part of one. Each line ends in "\n". */
struct mail_part {
	struct mail_slice header; /* its fields, without the empty line behind them */
	struct mail_slice body;	  /* as it stands, encoded */
};

/* Converts bytes to text for the calls below: CR LF and a lone CR become LF, NUL a space. The
   caller owns it. */
char *mail_part_text(const void *data, gsize size, gsize *size_r);

/* Reads the next line of rest, without its LF, and moves rest behind it. False at the end. */
bool mail_part_line(struct mail_slice *rest, struct mail_slice *line_r);

/* Splits a message or part into header and body. */
struct mail_part mail_part_split(const char *text, gsize size);

/* The value of the first field of this name, unfolded and trimmed, as valid UTF-8, cut at
   LIMIT_FIELD_BYTES; NULL without such a field. Encoded words stay encoded. The caller owns it. */
char *mail_part_field(const struct mail_slice *header, const char *name);

/* Calls each for every field in order, name and value as above, until it returns false. */
void mail_part_fields(const struct mail_slice *header,
    bool (*each)(const char *name, const char *value, void *context), void *context);

/* The body without its transfer encoding, as Content-Transfer-Encoding names it; NULL: none. The
   caller owns it. */
char *mail_part_unpack(struct mail_slice body, const char *encoding, gsize *size_r);

/* The content without its transfer encoding. The caller owns it. */
char *mail_part_bytes(const struct mail_part *part, gsize *size_r);

/* The decoded content, as mail_part_text gives it. The caller owns it. */
char *mail_part_decode(const struct mail_part *part, gsize *size_r);

/* The same as valid UTF-8, converted from the charsets that are common in reports; any other
   charset is read as UTF-8. */
char *mail_part_decode_text(const struct mail_part *part);

/* Calls leaf for each part that is no multipart, in their order: at most LIMIT_PARTS, nested at
   most LIMIT_PART_DEPTH deep; leaves the rest out. Does not enter a part that is a message
   itself. A multipart whose boundary is missing or wrong has the parts between the lines that look
   like delimiters, else it is text/plain, as mail programs show it. A part of a multipart/digest
   that names no type is message/rfc822. */
void mail_part_walk(const struct mail_part *message,
    void (*leaf)(const struct mail_part *part, const char *type, void *context), void *context);

/* The same for a message of at most LIMIT_PARTS parts, beside itself, at most LIMIT_PART_DEPTH
   deep. False where it has more, or deeper ones: leaf was called for some parts then. */
bool mail_part_walk_whole(const struct mail_part *message,
    void (*leaf)(const struct mail_part *part, const char *type, void *context), void *context);

/* "type/subtype" of a message or part in lower case; text/plain for a missing or malformed one.
   *charset_r and *boundary_r, where they are not NULL, are set to NULL without such a parameter.
   The caller owns all. */
char *mail_part_type(const struct mail_part *part, char **charset_r, char **boundary_r);

/* Text in UTF-8: as it is where it is that; else converted from charset, if that is one of those
   known here (NULL: none), or from windows-1252 or iso-8859-1. The caller owns it. */
char *mail_part_to_utf8(const char *text, gsize size, const char *charset);

/* Makes GMime ready, once in a process. Any thread may call it, and again. */
void mail_gmime_use(void);

#endif
