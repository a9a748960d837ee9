/* SPDX-License-Identifier: MIT */
/* Decodes encoded words (RFC 2047) of header fields as the world writes them. */
#ifndef MAIL_WORDS_H
#define MAIL_WORDS_H

/* Text, and a phrase, in valid UTF-8 without its encoded words. Letters that are not ASCII within
   an encoded word, which no program may write and some do, stand for themselves, whatever its
   charset. The caller owns the result, which may have control characters. */
char *mail_words_decode(const char *text);
char *mail_words_decode_phrase(const char *phrase);

/* The same text with encoded words that GMime reads so, for fields that it takes apart itself. The
   caller owns it. */
char *mail_words_repair(const char *text);

#endif
