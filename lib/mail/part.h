/* SPDX-License-Identifier: MIT */
/* A message that came from outside, taken apart (RFC 5322, RFC 2045, RFC 2046).
 *
 * Whoever wrote it may mean harm. GMime's own parser reads each address header as it comes by, with
 * a recursion that a header of 200 KB drives out of the stack; so a message is split here, and
 * GMime asked for what is in one field or one content. All calls are linear in the size of what
 * they are given, nothing is recursive, and what comes back points into the text or is bounded by
 * it. */
#ifndef MAIL_PART_H
#define MAIL_PART_H

#include <glib.h>
#include <stdbool.h>

/* Text that somebody else owns. */
struct mail_slice {
	const char *text;
	gsize size;
};

/* A message or a part of one. Each line ends in "\n". */
struct mail_part {
	struct mail_slice header; /* its fields, without the empty line behind them */
	struct mail_slice body;	  /* as it stands, encoded */
};

/* The bytes as text that the calls below can work with: CR LF and a lone CR become LF, NUL a space.
   The caller owns it. */
char *mail_part_text(const void *data, gsize size, gsize *size_r);

/* The next line of rest, without its LF, which rest is moved behind. False at its end. */
bool mail_part_line(struct mail_slice *rest, struct mail_slice *line_r);

/* Where the header ends and the body begins. */
struct mail_part mail_part_split(const char *text, gsize size);

/* The value of the first field of this name, unfolded and trimmed, as valid UTF-8, cut at
   LIMIT_FIELD_BYTES; NULL where there is none. Encoded words stay as they are. The caller owns it.
 */
char *mail_part_field(const struct mail_slice *header, const char *name);

/* Calls each for one field after the other, name and value as above, until it says false. */
void mail_part_fields(const struct mail_slice *header,
    bool (*each)(const char *name, const char *value, void *context), void *context);

/* The content without its transfer encoding, as mail_part_text gives it. The caller owns it. */
char *mail_part_decode(const struct mail_part *part, gsize *size_r);

/* The same as valid UTF-8, from one of the charsets that reports come in; from any other as if it
   were UTF-8. */
char *mail_part_decode_text(const struct mail_part *part);

/* Calls leaf for each part of the message that is no multipart, in their order, of which there may
   be LIMIT_PARTS, nested in each other LIMIT_PART_DEPTH deep; what lies beyond is left out. What is
   in a message that is a part is not looked at. */
void mail_part_walk(const struct mail_part *message,
    void (*leaf)(const struct mail_part *part, const char *type, void *context), void *context);

void mail_gmime_use(void);

#endif
