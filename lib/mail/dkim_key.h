/* SPDX-License-Identifier: MIT */
/* DKIM keys: RSA (RFC 6376) and Ed25519 (RFC 8463). */
#ifndef MAIL_DKIM_KEY_H
#define MAIL_DKIM_KEY_H

#include <glib.h>

#include "base/scope.h"

enum mail_dkim_algorithm {
	MAIL_DKIM_RSA2048,
	MAIL_DKIM_ED25519,
};

/* A private key, and the domain and selector of its DNS record. Parse it once to sign many
   messages; use it in one thread at a time. */
struct mail_dkim_key;

/* A new private key, as PKCS#8 DER (RFC 5958). FAILED when OpenSSL cannot. The caller owns it. */
GBytes *mail_dkim_generate(enum mail_dkim_algorithm algorithm, GError **error);

/* INVALID when der is no private key in PKCS#8, neither RSA of at least 1024 bits nor Ed25519, or
   when domain or selector are no A-label names. The caller frees the result. */
struct mail_dkim_key *mail_dkim_key_parse(
    GBytes *der, const char *domain, const char *selector, GError **error);

void mail_dkim_key_free(struct mail_dkim_key *key);
DEFINE_AUTO(mail_dkim_key, mail_dkim_key_free)

/* The public key in base64 as p= of its record has it: a SubjectPublicKeyInfo for RSA (RFC 6376
   section 3.6.1), the 32 bytes alone for Ed25519 (RFC 8463 section 4.2). The caller owns it. */
char *mail_dkim_public_base64(const struct mail_dkim_key *key);

/* The domain and the selector for d= and s= of a signature. They live as long as the key. */
const char *mail_dkim_key_domain(const struct mail_dkim_key *key);
const char *mail_dkim_key_selector(const struct mail_dkim_key *key);

/* The value of a= in a signature: "rsa-sha256", "ed25519-sha256". */
const char *mail_dkim_key_algorithm(const struct mail_dkim_key *key);

/* The signature of a SHA-256 digest (Ed25519 signs the digest as its message: RFC 8463 section
   3), in base64. FAILED when OpenSSL cannot. The caller owns it. */
char *mail_dkim_key_sign(const struct mail_dkim_key *key, const guint8 digest[32], GError **error);

#endif
