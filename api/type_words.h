/* SPDX-License-Identifier: MIT */
/* Schemas of the description in words, for posthouse-api(7). */
#ifndef API_TYPE_WORDS_H
#define API_TYPE_WORDS_H

#include <stdbool.h>

struct json;

/* A member as text: a string, a number, true, false, or null; "": there is none, or it is none of
   these. */
const char *api_doc_value(const struct json *object, const char *key);

/* The description of a schema, or of the one that it refers to; "" where there is none. */
const char *api_doc_description(const struct json *document, const struct json *schema);

/* The type of a schema with its limits, and its default, behind words: "required; text of at most
   100 characters". Null is named in answers alone. The caller owns it. */
char *api_doc_summary(
    const struct json *document, const struct json *schema, const char *words, bool in_answer);

#endif
