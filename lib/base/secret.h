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
 * verify and decrypt. */
struct secret;

/* Lines of at least 32 bytes, each any text. INVALID when there is none or one is too short. */
struct secret *base_secret_parse(const char *lines, GError **error);
void base_secret_free(struct secret *secret);
DEFINE_AUTO(secret, base_secret_free)

/* The first size bytes (at most SHA256_SIZE) of HMAC-SHA-256 over data with the first secret.
   purpose ("return-path", "click", ...) separates the uses: a tag made for one is worth nothing for
   another. */
void base_secret_sign(const struct secret *secret, const char *purpose, const void *data,
    size_t data_size, guint8 *tag_r, size_t size);

/* In constant time, against each secret. */
bool base_secret_verify(const struct secret *secret, const char *purpose, const void *data,
    size_t data_size, const guint8 *tag, size_t size);

/* AES-256-GCM with a key derived from the first secret (HKDF-SHA-256, RFC 5869): nonce, ciphertext,
   tag. context (the id of what is encrypted) is authenticated, so a value cannot be moved to
   another row. The caller owns the result. */
GBytes *base_secret_encrypt(
    const struct secret *secret, GBytes *plain, const void *context, size_t context_size);

/* The opposite, with whichever secret fits. FAILED when none does: damaged, or encrypted with a
 * secret that is gone. */
GBytes *base_secret_decrypt(const struct secret *secret, GBytes *sealed, const void *context,
    size_t context_size, GError **error);

/* Base64url without padding (RFC 4648 section 5). The caller owns the result. */
char *base_secret_base64url(const void *data, size_t size);

#endif
