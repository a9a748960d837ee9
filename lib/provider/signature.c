/* SPDX-License-Identifier: MIT */
/* Verifies the signatures of providers. */
#include "provider/signature.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

#include "base/secret.h"

#define AHEAD_MS ((gint64)5 * 60 * 1000)

bool
provider_signature_equal(const char *a, const char *b)
{
	gsize size = strlen(a);

	return size == strlen(b) && CRYPTO_memcmp(a, b, size) == 0;
}

void
provider_signature_hmac(
    const void *key, gsize key_size, const struct provider_part *parts, guint8 digest_r[32])
{
	g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, key, key_size);
	gsize size = SHA256_SIZE;

	for (; parts->text; parts++)
		g_hmac_update(hmac, (const guchar *)parts->text, parts->size);
	g_hmac_get_digest(hmac, digest_r, &size);
}

bool
provider_signature_is_fresh(gint64 signed_at, gint64 now, gint64 age)
{
	return signed_at > 0 && signed_at >= now - age && signed_at <= now + AHEAD_MS;
}

gint64
provider_signature_time(const char *text)
{
	guint64 seconds;

	return text && g_ascii_string_to_unsigned(text, 10, 1, (guint64)1 << 40, &seconds, NULL)
		   ? (gint64)seconds * 1000
		   : 0;
}

/* Reads base64, in which white space may stand. NULL: it is none. */
static GBytes *
signature_decode(const char *text)
{
	g_autoptr(GString) dense = g_string_new(NULL);

	for (; *text; text++)
		if (!g_ascii_isspace(*text))
			g_string_append_c(dense, *text);
	return base_secret_base64_decode(dense->str, dense->len);
}

static EVP_PKEY *
signature_read_key(const char *text)
{
	EVP_PKEY *key = NULL;

	if (g_str_has_prefix(text, "-----BEGIN")) {
		BIO *bio = BIO_new_mem_buf(text, -1);
		key = PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
		BIO_free(bio);
	} else {
		g_autoptr(GBytes) bytes = signature_decode(text);
		gsize size = 0;
		const guint8 *der = bytes ? g_bytes_get_data(bytes, &size) : NULL;
		key = der ? d2i_PUBKEY(NULL, &der, (long)size) : NULL;
	}
	if (key && EVP_PKEY_base_id(key) == EVP_PKEY_EC && EVP_PKEY_bits(key) == 256)
		return key;
	EVP_PKEY_free(key);
	return NULL;
}

static bool
signature_verify(
    EVP_PKEY *key, const EVP_MD *digest, const struct provider_part *parts, GBytes *signature)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	gsize size;
	const guint8 *bytes = g_bytes_get_data(signature, &size);
	bool good = EVP_DigestVerifyInit(context, NULL, digest, NULL, key) == 1;

	for (; good && parts->text; parts++)
		good = EVP_DigestVerifyUpdate(context, parts->text,
			   parts->size < 0 ? strlen(parts->text) : (gsize)parts->size) == 1;
	good = good && EVP_DigestVerifyFinal(context, bytes, size) == 1;
	EVP_MD_CTX_free(context);
	return good;
}

bool
provider_signature_ecdsa(const char *key, const struct provider_part *parts, const char *signature)
{
	g_autoptr(GBytes) bytes = signature ? signature_decode(signature) : NULL;
	EVP_PKEY *public = signature_read_key(key);
	bool good = public &&
		    (!signature || (bytes && signature_verify(public, EVP_sha256(), parts, bytes)));

	EVP_PKEY_free(public);
	return good;
}

static bool
is_valid(const X509 *certificate, gint64 now)
{
	time_t at = (time_t)(now / 1000);

	return X509_cmp_time(X509_get0_notBefore(certificate), &at) < 0 &&
	       X509_cmp_time(X509_get0_notAfter(certificate), &at) > 0;
}

/* The certificate, if it is valid now; the caller frees it. NULL: it is not. */
static X509 *
signature_read_certificate(const char *pem, gint64 now)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);

	BIO_free(bio);
	if (certificate && is_valid(certificate, now))
		return certificate;
	X509_free(certificate);
	return NULL;
}

bool
provider_signature_certificate(const char *pem, gint64 now)
{
	X509 *certificate = signature_read_certificate(pem, now);

	X509_free(certificate);
	return certificate != NULL;
}

bool
provider_signature_rsa(const char *certificate, gint64 now, const char *version, const char *text,
    const char *signature)
{
	const struct provider_part parts[] = {{text, -1}, {NULL}};
	bool first = strcmp(version, "1") == 0;
	g_autoptr(GBytes) bytes = signature_decode(signature);
	X509 *x509 = signature_read_certificate(certificate, now);
	EVP_PKEY *key = x509 ? X509_get0_pubkey(x509) : NULL;
	bool good = bytes && key && (first || strcmp(version, "2") == 0) &&
		    EVP_PKEY_base_id(key) == EVP_PKEY_RSA &&
		    signature_verify(key, first ? EVP_sha1() : EVP_sha256(), parts, bytes);

	X509_free(x509);
	return good;
}
