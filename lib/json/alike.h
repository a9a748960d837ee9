/* SPDX-License-Identifier: MIT */
/* Names that somebody may have meant. */
#ifndef JSON_ALIKE_H
#define JSON_ALIKE_H

#include <stdbool.h>

/* How near a name is to a known one. The known one is ASCII. */
enum json_alike {
	ALIKE_NOT,
	ALIKE_LETTER, /* the known name has four letters or more, and one letter (any character) is
			 added, left out or changed; case, '_' and '-' make no difference */
	ALIKE_SAME,   /* equal but for case, '_' and '-' */
};

enum json_alike json_alike(const char *given, const char *known);

#endif
