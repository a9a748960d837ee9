/* SPDX-License-Identifier: MIT */
/* Text on a line of a terminal: its width in columns. */
#ifndef TEXT_WIDTH_H
#define TEXT_WIDTH_H

#include <glib.h>

/* The number of terminal columns that a text takes. The text is UTF-8 without control characters.
 */
guint text_width(const char *text);

/* UTF-8 as one line that moves no cursor: a space in the place of each control character. The
   caller owns it. */
char *text_width_line(const char *text);

#endif
