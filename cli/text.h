/* SPDX-License-Identifier: MIT */
/* Text for a terminal: counts in words, and lines that are wrapped or cut. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <glib.h>

#define WRAP_COLUMNS 80

/* Returns a count with its noun: "1 line", "0 lines". The caller owns it. */
char *cli_count(guint64 count, const char *one, const char *many);

/* Returns the number of characters in the last line of text. */
gsize cli_wrap_column(const GString *text);

/* Appends a word to the last line, or to a new one when there is no room; never left of indent. */
void cli_wrap_word(GString *text, gsize indent, const char *word);

/* Appends the words of a sentence, and a line feed. */
void cli_wrap_words(GString *text, gsize indent, const char *words);

/* Returns a text cut to so many columns, with ... at its end when it was longer. The caller owns
 * it. */
char *cli_wrap_cut(const char *text, guint columns);

#endif
