/* SPDX-License-Identifier: MIT */
/* Names that somebody may have meant. */
#ifndef JSON_ALIKE_H
#define JSON_ALIKE_H

#include <stdbool.h>

#define ALIKE_SIZE 64 /* known names are shorter, by more than one letter */

/* A name that is compared with known ones: small letters without '_' and '-', one byte for each
   character, and no more of a long name than ALIKE_SIZE - 1 of them. */
struct json_folded {
	char text[ALIKE_SIZE];
};

/* given is valid UTF-8. */
void json_alike_fold(const char *given, struct json_folded *folded_r);

/* How near a name is to a known one. */
enum json_alike {
	ALIKE_NOT,
	ALIKE_LETTER, /* the known name has four letters or more, and one letter is
			 added, left out or changed; case, '_' and '-' make no difference */
	ALIKE_SAME,   /* equal but for case, '_' and '-' */
};

/* The known name is ASCII in small letters. */
enum json_alike json_alike(const struct json_folded *given, const char *known);

#endif
