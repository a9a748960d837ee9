/* SPDX-License-Identifier: MIT */
/* libesmtp: its headers in the one order in which they work, with the tags of its structs out of
   the way of this room's own. */
#ifndef SMTP_ESMTP_H
#define SMTP_ESMTP_H

#include <stdio.h>
#include <stddef.h>
#include <openssl/ssl.h>
#include <auth-client.h>

#define smtp_session esmtp_session
#define smtp_message esmtp_message
#define smtp_recipient esmtp_recipient
#include <libesmtp.h>
#undef smtp_session
#undef smtp_message
#undef smtp_recipient

struct smtp_relay;
struct smtp_dialogue;

/* A session for relay, without callbacks and messages: timeouts, STARTTLS with tls unless that is
   NULL, AUTH with auth when dialogue wants it. The caller destroys it, then auth; tls may be freed
   before. relay stays as it is meanwhile. */
smtp_session_t smtp_esmtp_new(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue,
    SSL_CTX *tls, auth_context_t auth);

#endif
