/* SPDX-License-Identifier: MIT */
/* A header field on its way into a message: CRLF lines, folded at 78 columns where the field may be
   folded (RFC 5322 section 2.2.3). */
#ifndef MAIL_FIELD_H
#define MAIL_FIELD_H

#include <glib.h>
#include <stdbool.h>

struct mail_address;

#define MAIL_LINE_LENGTH 78	 /* RFC 5322 section 2.1.1: lines should not be longer */
#define MAIL_LINE_LENGTH_MAX 998 /* and must not be longer than this */

struct mail_field {
	GString *out;
	gsize line; /* where in out the present line begins */
	bool empty; /* nothing after the name yet: a fold there confuses readers */
};

/* Between begin and end, any of the others in the order of the field's grammar. No text given to
   them may have CR or LF in it. */
void mail_field_begin(struct mail_field *field, GString *out, const char *name);
void mail_field_end(struct mail_field *field);

/* A word, which stays whole however long it is. The gap before it, " " or "", is where the line may
   be broken. */
void mail_field_word(struct mail_field *field, const char *gap, const char *word);

/* Text that may be broken anywhere (base64), directly after what went before. */
void mail_field_fill(struct mail_field *field, const char *text);

/* Words with the white space between them as it is; white space at either end is left out. */
void mail_field_words(struct mail_field *field, const char *text);

/* Can the words of text be folded so that no line is longer than it must not be? */
bool mail_field_fits(const char *text);

/* Unstructured text (Subject): as it is where it is ASCII that reads as itself, else as encoded
   words (RFC 2047) of UTF-8, of at most 75 characters and never broken within a character. */
void mail_field_text(struct mail_field *field, const char *text);

/* A value in the words of whoever brings it along: ASCII as it is, encoded words of its own making
   too; anything else as mail_field_text. */
void mail_field_value(struct mail_field *field, const char *value);

/* Name <address>, the name as atoms, a quoted string or encoded words; a comma says that another
   one follows. */
void mail_field_address(struct mail_field *field, const struct mail_address *address, bool comma);

/* "; name=value" with the value as a quoted string or, where it is not all ASCII, as
   percent-encoded UTF-8, in several pieces where it is long (RFC 2231 sections 3 and 4). */
void mail_field_parameter(struct mail_field *field, const char *name, const char *value);

/* The same with encoded words in the quoted string, which no RFC provides for, but which readers
   older than RFC 2231 understand in the name parameter of Content-Type. */
void mail_field_parameter_words(struct mail_field *field, const char *name, const char *value);

/* Encoded words (RFC 2047), always of UTF-8. */
enum mail_encoded_word {
	MAIL_ENCODED_WORD_Q, /* readable */
	MAIL_ENCODED_WORD_B, /* base64 */
};

#define MAIL_ENCODED_WORD_MAX 75 /* RFC 2047 section 2 */
#define MAIL_ENCODED_WORD_MIN 24 /* room for any one character */

/* The form in which text comes out shorter. */
enum mail_encoded_word mail_encoded_word_choose(const char *text);

/* Appends one encoded word, in that form if it can be, at most room long, of as many of text's
   first characters as fit, at least one, and returns how many bytes of text that were. It may stand
   in a phrase too (RFC 2047 section 5). text is valid UTF-8 and not empty, room at least
   MAIL_ENCODED_WORD_MIN. */
gsize mail_encoded_word_append(
    GString *out, enum mail_encoded_word form, const char *text, gsize room);

#endif
