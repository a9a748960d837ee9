/* SPDX-License-Identifier: MIT */
/* Makes a TLS context for each connection. libesmtp's own context is used after it was freed from
   the second session on, and checks neither the name nor the chain as we need. */
#ifndef SMTP_TLS_H
#define SMTP_TLS_H

#include <glib.h>
#include <openssl/ssl.h>

#include "smtp/connect.h"
#include "smtp/dialogue.h"
#include "smtp/relay.h"

/* Makes a context for TLS 1.2 or newer with SNI. If the relay must prove its name (smtp/relay.h),
   the handshake checks the chain, against tls_ca or the system's store, and the name or IPv4
   address (RFC 6125); the fault goes to dialogue->refused, as the end of a sentence: the issuer's,
   else that of the dates, else that of the name. The handshake fails with
   dialogue->injected set when anything but one reply came before it (RFC 3207 section 6).
   dialogue->bare is set when the relay speaks without TLS, dialogue->certificate_end by each
   certificate, trusted or not. FAILED when a file cannot be read. The
   caller frees the context; the others outlive it. */
SSL_CTX *smtp_tls_new(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    struct smtp_wire *wire, GError **error);

#endif
