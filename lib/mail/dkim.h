/* SPDX-License-Identifier: MIT */
/* DKIM signatures: RFC 6376 with rsa-sha256, RFC 8463 with ed25519-sha256. */
#ifndef MAIL_DKIM_H
#define MAIL_DKIM_H

#include <glib.h>

#include "mail/dkim_key.h"

/* Gives a DKIM-Signature field for each key, in their order, each folded and with its CRLF, to be
   put in front of the message. Signs relaxed/relaxed over the whole body, with t= in seconds of
   time_ms, without x= and l=. Signs From, Sender, Reply-To, Subject, Date, Message-ID, To, Cc,
   MIME-Version, Content-Type, Content-Transfer-Encoding, In-Reply-To, References, List-Unsubscribe
   and List-Unsubscribe-Post (RFC 8058 requires these two): each once more than it occurs, so that
   none can be added (RFC 6376 section 8.15).
   A message that does not end in CRLF is signed as if it did, since SMTP adds one. INVALID when
   the message has a CR or LF outside of a CRLF, a malformed header or no From; FAILED when
   OpenSSL cannot sign. The caller owns the result. */
char *mail_dkim_sign(GBytes *message, struct mail_dkim_key *const *keys, guint count,
    gint64 time_ms, GError **error);

#endif
