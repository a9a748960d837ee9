/* SPDX-License-Identifier: MIT */
#ifndef BASE_LANGUAGE_H
#define BASE_LANGUAGE_H

#include <stdbool.h>

/* Whether a text is a well-formed language tag: RFC 5646 section 2.1, in any case. Subtags need not
   be registered. */
bool base_language_is_tag(const char *text);

#endif
