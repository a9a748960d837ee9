/* SPDX-License-Identifier: MIT */
/* Messages that another program has composed, as sendmail(8) takes them. They stay as they are but
   for their line ends and a few fields, and what mail/wire.h does. They may be hostile, as those of
   mail/part.h. */
#ifndef MAIL_RAW_H
#define MAIL_RAW_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct mail_raw;

/* Reads a message. Each line end becomes CRLF: LF, CR, and LF behind any number of CRs. The last
   line gets one, too. A line in front that an mbox has ("From ") is left out. The header ends
   before the first line that is no part of it, be it empty or not. INVALID, with a sentence, when
   the first line is no header field, or a byte is NUL. The caller frees the result. */
struct mail_raw *mail_raw_read(const void *data, gsize size, GError **error);
void mail_raw_free(struct mail_raw *raw);
DEFINE_AUTO(mail_raw, mail_raw_free)

/* The addresses in all fields of this name, as a list for mail/address.h: on one line of valid
   UTF-8 without control characters, and without groups, whose members stay. NULL without such a
   field. Bytes that are no UTF-8 are read in the charset of the message's Content-Type, else as
   windows-1252, here and in what follows. The caller owns it. */
char *mail_raw_list(const struct mail_raw *raw, const char *name);

/* The subject on one line of valid UTF-8, its encoded words decoded; "" without one; cut at
   LIMIT_FIELD_BYTES before it is decoded. The caller owns it. */
char *mail_raw_subject(const struct mail_raw *raw);

/* The first html and the first text that are no attachments, as valid UTF-8 with LF; NULL without
   one. The caller owns them. */
void mail_raw_bodies(const struct mail_raw *raw, char **html_r, char **text_r);

/* The names of the fields that steer a provider (mail/steering.h), each once, and at most ten of
   them, with commas between; NULL: there is none. The caller owns the text. */
char *mail_raw_steering(const struct mail_raw *raw);

/* Whether the message has a field of this name. */
bool mail_raw_has(const struct mail_raw *raw, const char *name);

/* The message to be signed and sent: without Bcc, Resent-Bcc, Return-Path and DKIM-Signature, and
   with the fields of added, complete lines with CRLF, behind its own. Fields that a message must
   not have twice (RFC 5322 section 3.6, Content-* and List-*) become one: addresses are joined, of
   other fields the first stays. Blanks in front of a colon and lines of blanks go. from_is_added:
   added has a From, in place of its own. The caller owns it. */
GBytes *mail_raw_compose(const struct mail_raw *raw, const char *added, bool from_is_added);

#endif
