/* SPDX-License-Identifier: MIT */
/* Where a link leads, as a reader of plain text is shown it. */
#ifndef MAIL_SHOWN_H
#define MAIL_SHOWN_H

#include <stdbool.h>

/* The href on one line, without the scheme of mailto, tel and sms. NULL where it says nothing
   outside of the html: empty, "#...", javascript and the like, or more than LIMIT_SHOWN_LINK_BYTES.
   The caller owns the result. */
char *mail_shown_url(const char *href);

/* Does the text of a link already say this url? Its scheme and a final slash may be missing. */
bool mail_shown_says(const char *text, const char *url);

#endif
