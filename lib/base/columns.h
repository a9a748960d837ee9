/* SPDX-License-Identifier: MIT */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <glib.h>

/* The number of terminal columns that a text takes. The text is UTF-8 without control characters.
 */
guint base_columns(const char *text);

/* UTF-8 as one line that moves no cursor: a space in the place of each control character. The
   caller owns it. */
char *base_columns_line(const char *text);

#endif
