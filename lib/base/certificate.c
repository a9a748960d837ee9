/* SPDX-License-Identifier: MIT */
/* Reads certificates. */
#include "base/certificate.h"

#include <time.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/error.h"

/* The first certificate in a PEM file; NULL without an error when it cannot be read. */
static X509 *
certificate_read(const char *path)
{
	BIO *file = BIO_new_file(path, "r");
	X509 *certificate = file ? PEM_read_bio_X509(file, NULL, NULL, NULL) : NULL;

	BIO_free(file);
	return certificate;
}

/* Gives an encrypted key no password, so that nobody is asked for it at the terminal. */
static int
certificate_no_password(char *buffer, int size, int writes, void *data)
{
	return 0;
}

static EVP_PKEY *
certificate_read_key(const char *path)
{
	BIO *file = BIO_new_file(path, "r");
	EVP_PKEY *key =
	    file ? PEM_read_bio_PrivateKey(file, NULL, certificate_no_password, NULL) : NULL;

	BIO_free(file);
	return key;
}

static bool
certificate_fail(const char *path, GError **error)
{
	return base_fail(error, PH_ERROR_FAILED, "%s cannot be read as a certificate", path);
}

bool
base_certificate_end(const char *path, gint64 *end_r, GError **error)
{
	X509 *certificate = certificate_read(path);
	struct tm end;
	bool known = certificate && ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end);

	if (known)
		*end_r = (gint64)timegm(&end) * 1000;
	X509_free(certificate);
	ERR_clear_error();
	return known || certificate_fail(path, error);
}

bool
base_certificate_fits(const char *path, const char *key_path, GError **error)
{
	X509 *certificate = certificate_read(path);
	EVP_PKEY *key = certificate_read_key(key_path);
	bool fits = certificate && key && X509_check_private_key(certificate, key) == 1;

	if (!certificate)
		certificate_fail(path, error);
	else if (!key)
		base_fail(error, PH_ERROR_FAILED, "%s cannot be read as a private key", key_path);
	else if (!fits)
		base_fail(
		    error, PH_ERROR_FAILED, "the key in %s is not that of %s", key_path, path);
	X509_free(certificate);
	EVP_PKEY_free(key);
	ERR_clear_error();
	return fits;
}
