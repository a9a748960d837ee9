/* SPDX-License-Identifier: MIT */
#ifndef SUPPORT_CERTIFICATE_H
#define SUPPORT_CERTIFICATE_H

#include <glib.h>
#include <openssl/ssl.h>

/* A server's TLS context with a new key and a certificate that signs itself: names as in
   "DNS:localhost,IP:127.0.0.1", valid from an hour ago (two, if seconds is negative) for seconds
   from now. pem_r gets the certificate, which the caller frees with g_free. */
SSL_CTX *test_certificate_context(const char *names, long seconds, char **pem_r);

#endif
