/* SPDX-License-Identifier: MIT */
/* A TLS context of our own for each connection: libesmtp's is used after it was freed from the
   second session on, and checks neither the name nor the chain as we want it. */
#ifndef SMTP_TLS_H
#define SMTP_TLS_H

#include <glib.h>
#include <openssl/ssl.h>

#include "smtp/dialogue.h"
#include "smtp/relay.h"

/* TLS 1.2 or newer, SNI. Where the relay must prove its name (smtp/relay.h) the chain (against
   tls_ca or the system's store) and the name, or IPv4 address, are checked in the handshake (RFC
   6125); what is wrong goes to dialogue->refused. The handshake fails, and dialogue->injected is
   set, when anything but one reply came before it (RFC 3207 6). FAILED when the store cannot be
   read. The caller frees it; dialogue outlives it. */
SSL_CTX *smtp_tls_new(
    const struct smtp_relay *relay, struct smtp_dialogue *dialogue, GError **error);

#endif
