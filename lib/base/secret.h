/* SPDX-License-Identifier: MIT */
/* Random bytes, digests, base64, and the signatures and encryption of the installation. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* Fills bytes_r with cryptographically random bytes (OpenSSL). Ends the process on failure. */
void base_secret_random(void *bytes_r, size_t size);

#define SHA256_SIZE 32

/* The SHA-256 digest of data (FIPS 180-4). */
void base_secret_sha256(const void *data, size_t size, guint8 digest_r[SHA256_SIZE]);

/* The secrets of the installation, one on each line of secret_file. The first one signs and
 * encrypts; all of them verify and decrypt. To change the secret, write a new line above the old.
 */
struct base_secret;

/* Reads the text of secret_file. Each line is a secret of at least LIMIT_SECRET_MIN_BYTES; white
   space around it and empty lines are ignored. INVALID when there is no secret or one is too short.
   The caller frees the result. */
struct base_secret *base_secret_parse(const char *lines, GError **error);
void base_secret_free(struct base_secret *secret);
DEFINE_AUTO(base_secret, base_secret_free)

/* Writes the first size bytes (at most SHA256_SIZE) of an HMAC-SHA-256 (RFC 2104) over data, keyed
   with the first secret. purpose ("return-path", "click", ...) is part of the signed text, so a tag
   for one purpose does not verify for another. */
void base_secret_sign(const struct base_secret *secret, const char *purpose, const void *data,
    size_t data_size, guint8 *tag_r, size_t size);

/* The whole tags with each of the secrets, in the order of the secrets. Use them to find a stored
   tag that was made with an older secret. The caller owns the array of guint8[SHA256_SIZE]. */
GArray *base_secret_sign_all(
    const struct base_secret *secret, const char *purpose, const void *data, size_t data_size);

/* Whether tag is the beginning of a tag made with any of the secrets; compares in constant time.
   Returns false for a size of 0 or above SHA256_SIZE. */
bool base_secret_verify(const struct base_secret *secret, const char *purpose, const void *data,
    size_t data_size, const guint8 *tag, size_t size);

/* Encrypts with AES-256-GCM and a key derived from the first secret (HKDF-SHA-256, RFC 5869). The
   result is the nonce (12 bytes), the ciphertext and the tag (16 bytes); the caller owns it.
   context (the id of the encrypted object) is authenticated, so a value cannot be moved to another
   row. */
GBytes *base_secret_encrypt(
    const struct base_secret *secret, GBytes *plain, const void *context, size_t context_size);

/* Decrypts a result of base_secret_encrypt with the secret that fits; the caller owns the result.
   FAILED when none fits: the value is damaged, or its secret is no longer in secret_file. */
GBytes *base_secret_decrypt(const struct base_secret *secret, GBytes *sealed, const void *context,
    size_t context_size, GError **error);

/* Encodes as base64url without padding (RFC 4648 section 5). The caller owns the result. */
char *base_secret_base64url(const void *data, size_t size);

/* Decodes base64url; the caller owns the bytes. Returns NULL unless text is exactly the output of
   base_secret_base64url: no padding, no white space, no stray bits after the last byte. */
GBytes *base_secret_base64url_decode(const char *text);

/* Decodes size bytes of ordinary base64 (RFC 4648 section 4) in one pass; the caller owns the
   bytes. Returns NULL unless the text is strictly valid: padded, no white space, no stray bits. */
GBytes *base_secret_base64_decode(const char *text, gsize size);

#endif
