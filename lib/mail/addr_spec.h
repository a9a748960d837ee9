/* SPDX-License-Identifier: MIT */
/* The addr-spec, as mail/address.h describes it: for that file, which is the one to ask. */
#ifndef MAIL_ADDR_SPEC_H
#define MAIL_ADDR_SPEC_H

#include <stdbool.h>

/* Of a local part that cannot be written without quotes: refused, for libesmtp cannot send it; or
   kept, in a list that was stored before such addresses were refused. */
enum mail_quotes { MAIL_QUOTES_REFUSED, MAIL_QUOTES_KEPT };

/* The normal form of a bare addr-spec, valid UTF-8 without control characters. NULL when it is
   none: then *why_r goes on from the text ("has no domain"). The caller owns the result. */
char *mail_addr_spec_normal(const char *addr_spec, enum mail_quotes quotes, const char **why_r);

/* A character of an atom (RFC 5322 section 3.2.3). */
bool mail_addr_spec_is_atext(char c);

/* The text as a quoted string (RFC 5322 section 3.2.4). The caller owns the result. */
char *mail_addr_spec_quote(const char *text);

#endif
