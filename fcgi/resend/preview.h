/* SPDX-License-Identifier: MIT */
/* Html and text of a broadcast under /resend, as they are given and as they are stored: with the
   link to unsubscribe by its name here, a footer with it where there is none, and the text that
   mail programs show beside the subject. */
#ifndef FCGI_RESEND_PREVIEW_H
#define FCGI_RESEND_PREVIEW_H

#include <stdbool.h>

/* The text as it is stored, or else as it was given. NULL stays NULL. The caller owns it. */
char *fcgi_resend_preview_text(const char *text, bool stored);

/* Makes the html that is stored. preview: the text, NULL or "" for none. NULL for html NULL. The
   caller owns it. */
char *fcgi_resend_preview_put(const char *html, const char *preview);

/* The html as it was given, and its text, NULL when it has none. The caller owns both. */
char *fcgi_resend_preview_take(const char *stored, char **preview_r);

#endif
