/* SPDX-License-Identifier: MIT */
/* The certificate of the service. */
#ifndef SMTPD_TLS_H
#define SMTPD_TLS_H

#include <glib.h>
#include <openssl/ssl.h>
#include <stdbool.h>

#include "base/scope.h"

struct config_settings;
struct smtpd_tls;

/* Reads the certificate that the settings name. *tls_r is NULL when they name none; the caller
   frees it. settings outlive it. FAILED, with a sentence, when it cannot be read, or has no key. */
bool smtpd_tls_open(
    const struct config_settings *settings, struct smtpd_tls **tls_r, GError **error);
void smtpd_tls_free(struct smtpd_tls *tls);
DEFINE_AUTO(smtpd_tls, smtpd_tls_free)

/* The context for a session: TLS 1.2 or newer. A certificate that has changed is read anew; while
   it cannot be read, the one before stays, and the log says so. */
SSL_CTX *smtpd_tls_context(struct smtpd_tls *tls);

#endif
