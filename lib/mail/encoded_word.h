/* SPDX-License-Identifier: MIT */
/* Encoded words (RFC 2047), always of UTF-8. */
#ifndef MAIL_ENCODED_WORD_H
#define MAIL_ENCODED_WORD_H

#include <glib.h>

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
