/* SPDX-License-Identifier: MIT */
/* Certificates for servers of tests. */
#include "tests/support/certificate.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

static EVP_PKEY *
new_key(void)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
	EVP_PKEY *key = NULL;

	if (!context || EVP_PKEY_keygen_init(context) != 1 ||
	    EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) != 1 ||
	    EVP_PKEY_keygen(context, &key) != 1)
		g_error("no key");
	EVP_PKEY_CTX_free(context);
	return key;
}

static X509 *
new_certificate(EVP_PKEY *key, const char *names, long seconds)
{
	X509 *certificate = X509_new();
	X509_NAME *subject = X509_get_subject_name(certificate);
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);

	X509_set_version(certificate, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
	X509_gmtime_adj(X509_getm_notBefore(certificate), seconds < 0 ? -7200 : -3600);
	X509_gmtime_adj(X509_getm_notAfter(certificate), seconds);
	X509_NAME_add_entry_by_txt(
	    subject, "CN", MBSTRING_ASC, (const unsigned char *)"Posthouse test", -1, -1, 0);
	X509_set_issuer_name(certificate, subject);
	X509_set_pubkey(certificate, key);
	X509_add_ext(certificate, extension, -1);
	X509_EXTENSION_free(extension);
	if (!X509_sign(certificate, key, EVP_sha256()))
		g_error("no certificate");
	return certificate;
}

SSL_CTX *
test_certificate_context(const char *names, long seconds, char **pem_r)
{
	EVP_PKEY *key = new_key();
	X509 *certificate = new_certificate(key, names, seconds);
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	BIO *pem = BIO_new(BIO_s_mem());
	char *text;

	SSL_CTX_use_PrivateKey(context, key);
	SSL_CTX_use_certificate(context, certificate);
	PEM_write_bio_X509(pem, certificate);
	long size = BIO_get_mem_data(pem, &text);
	*pem_r = g_strndup(text, (gsize)size);
	BIO_free(pem);
	X509_free(certificate);
	EVP_PKEY_free(key);
	return context;
}
