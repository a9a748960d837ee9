/* SPDX-License-Identifier: MIT */
/* For template_outline.c: marks in html, in place of values that are known later. */
#ifndef HTML_SLOTS_H
#define HTML_SLOTS_H

#include <glib.h>
#include <stdbool.h>

struct html;

#define HTML_SLOTS_MARK_SIZE 24

/* Makes a mark that nobody can guess: letters and digits. */
void html_slots_mark(char mark_r[HTML_SLOTS_MARK_SIZE]);

/* Appends the mark with a number. */
void html_slots_append(GString *out, const char *mark, guint number);

/* The first mark in a text: where it starts, or where it ends, and its number. NULL: there is
   none. */
const char *html_slots_start(const char *text, const char *mark);
const char *html_slots_next(const char *text, const char *mark, guint *number_r);

/* Whether all marks, so many, stand where escaped values are text and no more: in text,
   in comments, and in quoted attributes that name something (a URL there has to be one that plain
   text shows as it is). */
bool html_slots_are_safe(const struct html *html, const char *mark, guint count);

#endif
