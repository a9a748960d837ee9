/* SPDX-License-Identifier: MIT */
/* Properties of people as texts of a file that is read back unchanged. Most are written as people
   write them; a string that would be read as another value is written as a JSON string. */
#ifndef PERSON_PROPERTY_TEXT_H
#define PERSON_PROPERTY_TEXT_H

#include <glib.h>

struct json;

/* The text of a value; NULL for null. Borrows from value, or from *buffer_r, which the caller
   frees. */
const char *person_property_text(const struct json *value, char **buffer_r);

/* The JSON that a text means: a number, true, false, an array, an object or a JSON string stands as
   it is, and any other text is a string. The caller owns it. */
char *person_property_value(const char *text);

#endif
