/* SPDX-License-Identifier: MIT */
/* Language tags by the grammar of RFC 5646. */
#ifndef TEXT_LANGUAGE_H
#define TEXT_LANGUAGE_H

#include <stdbool.h>

/* Whether a text is a well-formed language tag: RFC 5646 section 2.1, in any case. Subtags need not
   be registered, but a language of 4 to 8 letters, as in english, is refused: none is registered
   (section 2.2.1). */
bool text_language_is_tag(const char *text);

/* A well-formed tag as RFC 5646 section 2.1.1 writes it, de-AT or zh-Hant-TW: regions in upper
   case, scripts with one capital, all else in lower case. NULL for NULL. The caller owns it. */
char *text_language_standard(const char *tag);

#endif
