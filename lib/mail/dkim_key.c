/* SPDX-License-Identifier: MIT */
/* Generates and reads DKIM keys, gives their DNS records, and signs digests. */
#include "mail/dkim_key.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/domain.h"
#include "base/secret.h"

#define RSA_BITS 2048
#define RSA_BITS_MIN 1024 /* RFC 8301 section 3.2 */
#define ED25519_SIZE 32

struct mail_dkim_key {
	EVP_PKEY *key;
	EVP_PKEY_CTX *rsa; /* ready to sign digests; NULL for Ed25519 */
	char *domain;
	char *selector;
};

/* Clears OpenSSL's queue of errors, which TLS reads as well. */
static void
openssl_failed(GError **error, const char *what)
{
	ERR_clear_error();
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "OpenSSL could not %s", what);
}

static bool
dkim_key_invalid(GError **error, const char *why)
{
	ERR_clear_error();
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, why);
	return false;
}

static EVP_PKEY *
generate(enum mail_dkim_algorithm algorithm)
{
	bool rsa = algorithm == MAIL_DKIM_RSA2048;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(rsa ? EVP_PKEY_RSA : EVP_PKEY_ED25519, NULL);
	EVP_PKEY *key = NULL;

	if (context && EVP_PKEY_keygen_init(context) > 0 &&
	    (!rsa || EVP_PKEY_CTX_set_rsa_keygen_bits(context, RSA_BITS) > 0))
		EVP_PKEY_keygen(context, &key);
	EVP_PKEY_CTX_free(context);
	return key;
}

static void
free_der(gpointer der)
{
	OPENSSL_free(der);
}

GBytes *
mail_dkim_generate(enum mail_dkim_algorithm algorithm, GError **error)
{
	EVP_PKEY *key = generate(algorithm);
	PKCS8_PRIV_KEY_INFO *info = key ? EVP_PKEY2PKCS8(key) : NULL;
	unsigned char *der = NULL;
	int size = info ? i2d_PKCS8_PRIV_KEY_INFO(info, &der) : -1;

	PKCS8_PRIV_KEY_INFO_free(info);
	EVP_PKEY_free(key);
	if (size <= 0) {
		openssl_failed(error, "generate a DKIM key");
		return NULL;
	}
	return g_bytes_new_with_free_func(der, (gsize)size, free_der, der);
}

static EVP_PKEY *
parse_pkcs8(GBytes *der)
{
	gsize size;
	const unsigned char *data = g_bytes_get_data(der, &size);
	const unsigned char *end = data + size;
	PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &data, (long)size);
	EVP_PKEY *key = info && data == end ? EVP_PKCS82PKEY(info) : NULL;

	PKCS8_PRIV_KEY_INFO_free(info);
	return key;
}

/* Domain and selector must not add anything to the signature field. */
static bool
dkim_key_is_name(const char *text)
{
	gsize size = strlen(text);

	for (gsize i = 0; i < size; i++)
		if (!g_ascii_isalnum(text[i]) && !strchr("-_.", text[i]))
			return false;
	return size > 0 && size <= LIMIT_DOMAIN_LENGTH;
}

/* Keeps a context with the key: setting one up for each signature costs more. */
static bool
prepare_rsa(struct mail_dkim_key *key)
{
	key->rsa = EVP_PKEY_CTX_new(key->key, NULL);
	return key->rsa && EVP_PKEY_sign_init(key->rsa) > 0 &&
	       EVP_PKEY_CTX_set_rsa_padding(key->rsa, RSA_PKCS1_PADDING) > 0 &&
	       EVP_PKEY_CTX_set_signature_md(key->rsa, EVP_sha256()) > 0;
}

static bool
dkim_key_prepare(struct mail_dkim_key *key, GError **error)
{
	int type = key->key ? EVP_PKEY_base_id(key->key) : EVP_PKEY_NONE;

	if (type == EVP_PKEY_ED25519)
		return true;
	if (type != EVP_PKEY_RSA || EVP_PKEY_bits(key->key) < RSA_BITS_MIN)
		return dkim_key_invalid(
		    error, "a DKIM key must be RSA of 1024 bits or more, or Ed25519");
	if (!prepare_rsa(key)) {
		openssl_failed(error, "prepare a DKIM key");
		return false;
	}
	return true;
}

struct mail_dkim_key *
mail_dkim_key_parse(GBytes *der, const char *domain, const char *selector, GError **error)
{
	AUTO(mail_dkim_key) key = g_new0(struct mail_dkim_key, 1);
	struct mail_dkim_key *result = key;

	if (!dkim_key_is_name(domain) || !dkim_key_is_name(selector)) {
		dkim_key_invalid(error, "a DKIM key must have a domain and a selector in ASCII");
		return NULL;
	}
	key->domain = g_strdup(domain);
	key->selector = g_strdup(selector);
	key->key = parse_pkcs8(der);
	if (!dkim_key_prepare(key, error))
		return NULL;
	key = NULL;
	return result;
}

void
mail_dkim_key_free(struct mail_dkim_key *key)
{
	EVP_PKEY_CTX_free(key->rsa);
	EVP_PKEY_free(key->key);
	g_free(key->domain);
	g_free(key->selector);
	g_free(key);
}

char *
mail_dkim_public_base64(const struct mail_dkim_key *key)
{
	unsigned char raw[ED25519_SIZE];
	size_t raw_size = sizeof(raw);
	unsigned char *der = NULL;
	char *text;
	int size;

	if (!key->rsa) {
		EVP_PKEY_get_raw_public_key(key->key, raw, &raw_size);
		return g_base64_encode(raw, raw_size);
	}
	size = i2d_PUBKEY(key->key, &der);
	text = g_base64_encode(der, (gsize)MAX(size, 0));
	OPENSSL_free(der);
	return text;
}

const char *
mail_dkim_key_domain(const struct mail_dkim_key *key)
{
	return key->domain;
}

const char *
mail_dkim_key_selector(const struct mail_dkim_key *key)
{
	return key->selector;
}

const char *
mail_dkim_key_algorithm(const struct mail_dkim_key *key)
{
	return key->rsa ? "rsa-sha256" : "ed25519-sha256";
}

static bool
sign_ed25519(EVP_PKEY *key, const guint8 digest[SHA256_SIZE], guint8 *signature_r, size_t *size)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool ok = EVP_DigestSignInit(context, NULL, NULL, NULL, key) > 0 &&
		  EVP_DigestSign(context, signature_r, size, digest, SHA256_SIZE) > 0;

	EVP_MD_CTX_free(context);
	return ok;
}

char *
mail_dkim_key_sign(
    const struct mail_dkim_key *key, const guint8 digest[SHA256_SIZE], GError **error)
{
	size_t size = (size_t)EVP_PKEY_size(key->key);
	g_autofree guint8 *signature = g_malloc(size);
	bool ok = key->rsa ? EVP_PKEY_sign(key->rsa, signature, &size, digest, SHA256_SIZE) > 0
			   : sign_ed25519(key->key, digest, signature, &size);

	if (!ok) {
		openssl_failed(error, "sign a message");
		return NULL;
	}
	return g_base64_encode(signature, size);
}
