/* SPDX-License-Identifier: MIT */
/* Text of posthouse-api(7), written as mdoc(7). */
#ifndef API_PROSE_H
#define API_PROSE_H

#include <glib.h>

/* A page that text is written to. Its owner frees the members. */
struct api_doc_prose {
	GString *out;
	GHashTable *names; /* of fields and parameters, which have the macro of names */
	GString *pending;  /* a line that is not complete */
};

/* Writes a description; NULL: nothing. The program ends where it is not written as prose.c tells.
 */
void api_doc_write_prose(struct api_doc_prose *prose, const char *text);

/* Writes a line of plain text. */
void api_doc_write_line(GString *out, const char *line);

/* A word or words as one argument of a macro. The caller owns it. */
char *api_doc_argument(const char *text);

#endif
