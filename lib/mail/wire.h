/* SPDX-License-Identifier: MIT */
/* Makes a message that another program has composed fit for SMTP: lines of at most 998 octets (RFC
   5321 section 4.5.3.1.6), and of 7 bit in its fields and, for a relay without 8BITMIME (RFC 6152),
   in its body. It re-encodes only the fields and parts that do not fit, and leaves the others byte
   for byte. The message may be hostile, as those of mail/part.h; all is linear in its size. */
#ifndef MAIL_WIRE_H
#define MAIL_WIRE_H

#include <glib.h>
#include <stdbool.h>

#include "mail/part.h"

/* The message, whose lines end in CRLF and whose header ends in an empty line, as it can be sent;
   eight_bit: to a relay with 8BITMIME. The same bytes where they fit already.

   Text becomes quoted-printable, other content base64; lines of these two are broken anew. Text
   without a Content-Type gets one where its bytes are not ASCII. Parts of a multipart and of a
   message/rfc822 are re-encoded one by one; a message/rfc822 keeps 8 bit in its fields for a relay
   with 8BITMIME, since they are its content. In front of the first part and behind the last one of
   a multipart, where no reader looks, bytes are replaced and lines cut.

   INVALID, with a sentence, when a field cannot be written in ASCII, when the first part of a
   multipart/signed does not fit, which must not be changed (RFC 1847 section 2.1), or when a part
   does not fit whose content may not be encoded (RFC 2045 section 6.4). The caller owns the
   result. */
GBytes *mail_wire_fit(GBytes *message, bool eight_bit, GError **error);

/* Appends a header field in ASCII, folded: encoded words in phrases, comments and unstructured text
   (RFC 2047), A-labels in domains, percent signs in URLs, and RFC 2231 in parameters. field is all
   its lines, name_size the length of its name, charset that of its bytes where they are no UTF-8
   (NULL: not known). INVALID when that is not possible. */
bool mail_wire_field(GString *out, const struct mail_slice *field, gsize name_size,
    const char *charset, GError **error);

#endif
