/* SPDX-License-Identifier: MIT */
/* Header fields that have a grammar of their own: where they may have other scripts, and how those
   are written. All other fields are text, which becomes encoded words (mail/field.h). */
#ifndef MAIL_STRUCTURED_H
#define MAIL_STRUCTURED_H

#include <glib.h>
#include <stdbool.h>

struct mail_field;
struct mail_header;

/* Whether a message may have several fields of this name. Ignores case. */
bool mail_structured_repeats(const char *name);

/* The text behind a quoted string or a comment, which begins at p and may hold comments; its end
   where it is not closed. */
const char *mail_structured_pass(const char *p);

/* Checks that a value in UTF-8 without line breaks can be written. A value in ASCII is written as
   it is. Else INVALID, with a message that continues the field's name, where the field has a
   grammar and the value does not follow it, or has other scripts where it must not. */
bool mail_structured_check(const struct mail_header *header, GError **error);

/* Writes a value: ASCII unchanged, with any encoded words in it; names and phrases as encoded
   words, hosts as A-labels and the rest of URLs with percent signs; text, and a value that would
   not pass the check, as mail_field_text. */
void mail_structured_write(struct mail_field *field, const struct mail_header *header);

#endif
