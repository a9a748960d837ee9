/* SPDX-License-Identifier: MIT */
/* Includes libesmtp's headers, in the only order that works, with its struct tags renamed, since
   this room uses the same ones. */
#ifndef SMTP_ESMTP_H
#define SMTP_ESMTP_H

#include <stdio.h>
#include <stddef.h>
#include <openssl/ssl.h>

#define smtp_session esmtp_session
#define smtp_message esmtp_message
#define smtp_recipient esmtp_recipient
#include <libesmtp.h>
#undef smtp_session
#undef smtp_message
#undef smtp_recipient

struct smtp_relay;
struct smtp_dialogue;

/* Makes a session for relay with its timeouts, and STARTTLS with tls (NULL: without); without
   callbacks and messages. The caller destroys it; tls may be freed before. relay must not change
   meanwhile. */
smtp_session_t smtp_esmtp_new(
    const struct smtp_relay *relay, const struct smtp_dialogue *dialogue, SSL_CTX *tls);

#endif
