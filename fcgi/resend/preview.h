/* SPDX-License-Identifier: MIT */
/* The html of a broadcast under /resend, as it is given and as it is stored: with the link to
   unsubscribe by its name here, and the text that mail programs show beside the subject. */
#ifndef FCGI_RESEND_PREVIEW_H
#define FCGI_RESEND_PREVIEW_H

#include <stdbool.h>

/* Names the link in a text, as it is stored or else as it is given. NULL stays NULL. The caller
   owns it. */
char *fcgi_resend_preview_link(const char *text, bool stored);

/* Makes the html that is stored. preview: the text, NULL or "" for none. NULL for html NULL. The
   caller owns it. */
char *fcgi_resend_preview_put(const char *html, const char *preview);

/* The html as it was given, and its text, NULL when it has none. The caller owns both. */
char *fcgi_resend_preview_take(const char *stored, char **preview_r);

#endif
