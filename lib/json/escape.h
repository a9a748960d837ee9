/* SPDX-License-Identifier: MIT */
#ifndef JSON_ESCAPE_H
#define JSON_ESCAPE_H

#include <glib.h>

/* Writes JSON text (any part of a checked one that cuts no escape in two) to out with its escapes
   replaced by what they mean, and returns how many bytes that are: never more than size. out may be
   source. */
gsize json_escape_resolve(const char *source, gsize size, char *out);

#endif
