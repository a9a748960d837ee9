#ifndef JSON_ESCAPE_H
#define JSON_ESCAPE_H

#include <glib.h>

enum json_escape {
	ESCAPE_ALL,
	ESCAPE_PAIRS, /* only \uXXXX\uXXXX, a pair of surrogates */
};

/* Appends JSON text (any part of a checked one that cuts no escape in two) with the escapes of
   that sort replaced by what they mean. */
void json_escape_resolve(const char *source, gsize size, enum json_escape sort, GString *text);

#endif
