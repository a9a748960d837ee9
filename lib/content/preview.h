/* SPDX-License-Identifier: MIT */
/* The text that mail programs show beside the subject: hidden in front of the html of an email. */
#ifndef CONTENT_PREVIEW_H
#define CONTENT_PREVIEW_H

#include <glib.h>

/* Puts the text, which may have variables, first into the body of html. Nothing where it is NULL or
   "". The caller owns the result. */
char *content_preview_put(const char *html, gsize size, const char *text, gsize *size_r);

/* The html without its text, which is *text_r, NULL where there is none. The caller owns both. */
char *content_preview_take(const char *html, char **text_r);

#endif
