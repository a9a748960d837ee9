/* SPDX-License-Identifier: MIT */
/* Writes a header field of a message: CRLF lines, folded at 78 columns where the field may be
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
	gsize line; /* the offset in out at which the current line begins */
	bool empty; /* nothing follows the name yet: a fold there confuses readers */
};

/* Call begin, then any of the calls below in the order of the field's grammar, then end. No text
   passed to them may have CR or LF. */
void mail_field_begin(struct mail_field *field, GString *out, const char *name);
void mail_field_end(struct mail_field *field);

/* Writes a word, which stays whole at any length. The line may be broken at the gap before it, "
   " or "". */
void mail_field_word(struct mail_field *field, const char *gap, const char *word);

/* Writes text that may be broken anywhere (base64), directly behind the previous text. */
void mail_field_fill(struct mail_field *field, const char *text);

/* Writes words and keeps the white space between them; drops white space at both ends. */
void mail_field_words(struct mail_field *field, const char *text);

/* Whether the words of text can be folded into lines of at most MAIL_LINE_LENGTH_MAX. */
bool mail_field_fits(const char *text);

/* Writes unstructured text (Subject): unchanged if it is ASCII that no reader would decode, else
   as encoded words (RFC 2047) of UTF-8, of at most 75 characters and never broken within a
   character. */
void mail_field_text(struct mail_field *field, const char *text);

/* Writes a caller's value: ASCII unchanged, with any encoded words in it; anything else as
   mail_field_text. */
void mail_field_value(struct mail_field *field, const char *value);

/* Writes a phrase, such as a name: as atoms, a quoted string or encoded words. text is not empty.
 */
void mail_field_phrase(struct mail_field *field, const char *text);

/* Writes Name <address>, the name as atoms, a quoted string or encoded words; comma: another
   address follows. */
void mail_field_address(struct mail_field *field, const struct mail_address *address, bool comma);

/* Writes "; name=value" with the value as a quoted string or, if it is not all ASCII, as
   percent-encoded UTF-8, in several pieces if it is long (RFC 2231 sections 3 and 4). */
void mail_field_parameter(struct mail_field *field, const char *name, const char *value);

/* The same with encoded words in the quoted string. No RFC provides for that, but readers older
   than RFC 2231 understand it in the name parameter of Content-Type. */
void mail_field_parameter_words(struct mail_field *field, const char *name, const char *value);

/* Encoded words (RFC 2047), always of UTF-8. */
enum mail_encoded_word {
	MAIL_ENCODED_WORD_Q, /* readable */
	MAIL_ENCODED_WORD_B, /* base64 */
};

#define MAIL_ENCODED_WORD_MAX 75 /* RFC 2047 section 2 */
#define MAIL_ENCODED_WORD_MIN 24 /* room for any one character */

/* Appends one encoded word of at most room bytes, in this form if possible, of as many of text's
   first characters as fit, at least one. Returns the number of bytes of text used. The word may
   stand in a phrase too (RFC 2047 section 5). text is valid UTF-8 and not empty, room at least
   MAIL_ENCODED_WORD_MIN. */
gsize mail_encoded_word_append(
    GString *out, enum mail_encoded_word form, const char *text, gsize room);

#endif
