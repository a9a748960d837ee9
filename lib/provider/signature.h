/* SPDX-License-Identifier: MIT */
/* For this room: the signatures of providers. */
#ifndef PROVIDER_SIGNATURE_H
#define PROVIDER_SIGNATURE_H

#include <glib.h>
#include <stdbool.h>

/* Whether two texts are equal; takes the same time wherever they differ. */
bool provider_signature_equal(const char *a, const char *b);

/* The HMAC-SHA-256 of parts, one after the other. parts ends with {NULL}. */
struct provider_part {
	const char *text;
	gssize size; /* -1: up to its NUL */
};
void provider_signature_hmac(
    const void *key, gsize key_size, const struct provider_part *parts, guint8 digest_r[32]);

/* Whether a time is signed at most age ms ago, and not more than 5 minutes ahead. Both epoch ms. */
bool provider_signature_is_fresh(gint64 signed_at, gint64 now, gint64 age);

/* Seconds since the epoch, as epoch ms; 0: the text is no whole number. */
gint64 provider_signature_time(const char *text);

/* Reads a public key on P-256, base64 of DER or PEM, and verifies a signature (base64 of DER) of
   the parts by ECDSA with SHA-256. signature NULL: only whether the key is one. */
bool provider_signature_ecdsa(
    const char *key, const struct provider_part *parts, const char *signature);

/* Whether a text in PEM is a certificate that is valid now (epoch ms). */
bool provider_signature_certificate(const char *pem, gint64 now);

/* Verifies a signature (base64) of a text by the RSA key of a certificate (PEM) that is valid now:
   version "1" with SHA-1, "2" with SHA-256. */
bool provider_signature_rsa(const char *certificate, gint64 now, const char *version,
    const char *text, const char *signature);

#endif
