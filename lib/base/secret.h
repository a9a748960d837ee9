/* SPDX-License-Identifier: MIT */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* Cryptographically random bytes (OpenSSL). Ends the process when there are none to be had. */
void base_secret_random(void *bytes_r, size_t size);

#define SHA256_SIZE 32

void base_secret_sha256(const void *data, size_t size, guint8 digest_r[SHA256_SIZE]);

/* The installation's secrets: one on each line of secret_file; the first signs and encrypts, all
 * verify and decrypt. So a secret is changed by writing a new line above the old one. */
struct base_secret;

/* Lines of at least LIMIT_SECRET_MIN_BYTES, each any text; white space around them and empty lines
   do not count. INVALID when there is none or one is too short. */
struct base_secret *base_secret_parse(const char *lines, GError **error);
void base_secret_free(struct base_secret *secret);
DEFINE_AUTO(base_secret, base_secret_free)

/* The first size bytes (at most SHA256_SIZE) of an HMAC-SHA-256 (RFC 2104) over data with the first
   secret. purpose ("return-path", "click", ...) separates the uses: a tag made for one is worth
   nothing for another. */
void base_secret_sign(const struct base_secret *secret, const char *purpose, const void *data,
    size_t data_size, guint8 *tag_r, size_t size);

/* The whole tags that each of the secrets gives, the first one's first: what was kept under an
   earlier first one is found by them. The caller owns the array, of guint8[SHA256_SIZE]. */
GArray *base_secret_sign_all(
    const struct base_secret *secret, const char *purpose, const void *data, size_t data_size);

/* In constant time, against each secret. False also for a size of 0 or over SHA256_SIZE. */
bool base_secret_verify(const struct base_secret *secret, const char *purpose, const void *data,
    size_t data_size, const guint8 *tag, size_t size);

/* AES-256-GCM with a key derived from the first secret (HKDF-SHA-256, RFC 5869): nonce (12 bytes),
   ciphertext, tag (16). context (the id of what is encrypted) is authenticated, so a value cannot
   be moved to another row. The caller owns the result. */
GBytes *base_secret_encrypt(
    const struct base_secret *secret, GBytes *plain, const void *context, size_t context_size);

/* The opposite, with whichever secret fits; the caller owns the result. FAILED when none does:
   damaged, or encrypted with a secret that is gone. */
GBytes *base_secret_decrypt(const struct base_secret *secret, GBytes *sealed, const void *context,
    size_t context_size, GError **error);

/* Base64url without padding (RFC 4648 section 5). The caller owns the result. */
char *base_secret_base64url(const void *data, size_t size);

/* The bytes of it, which the caller owns. NULL unless text is just what base_secret_base64url would
   write: no padding, no white space, no stray bits behind the last byte. */
GBytes *base_secret_base64url_decode(const char *text);

/* The bytes of ordinary base64 (RFC 4648 section 4), which the caller owns. NULL unless it is
   strictly valid: padded, no white space, no stray bits. One pass, for attachments. */
GBytes *base_secret_base64_decode(const char *text, gsize size);

#endif
