/* SPDX-License-Identifier: MIT */
/* Converts text of any charset that iconv knows. iconv loads a library for each, and some of these
   had faults: call it in a child process (process/isolate.h). */
#ifndef MAIL_CHARSET_H
#define MAIL_CHARSET_H

#include <glib.h>
#include <stdbool.h>

/* The charset that texts under a name are in: one with the letters that programs write though the
   named one lacks them, or iconv's name for the same; else the name itself. */
const char *mail_charset_real(const char *charset);

/* Whether text under this name is in UTF-8. NULL: no name. */
bool mail_charset_is_utf8(const char *charset);

/* The bytes as UTF-8, with LF and without a byte order mark, at least the first most bytes of it;
   what the charset does not have is U+FFFD. Programs write letters that the charset lacks: text in
   a small charset is read as in the larger one that has them. The order of bytes in UTF-16 and
   UTF-32 is that of the mark, else that which makes sense, else that of RFC 2781 section 4.3. NULL
   where iconv does not know the charset. The caller owns it. */
char *mail_charset_decode(const char *bytes, gsize size, const char *charset, gsize most);

#endif
