/* SPDX-License-Identifier: MIT */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include <glib.h>

#define WRAP_COLUMNS 80

/* How far the last line of text has come. */
gsize cli_wrap_column(const GString *text);

/* Appends a word where the last line is, or on a new one when that has no room for it; no word
   stands before indent. */
void cli_wrap_word(GString *text, gsize indent, const char *word);

/* The words of a sentence, and the end of its last line. */
void cli_wrap_words(GString *text, gsize indent, const char *words);

/* As much of a text as so many columns have room for, ... at its end where that is not all. The
   caller owns it. */
char *cli_wrap_cut(const char *text, guint columns);

#endif
