/* SPDX-License-Identifier: MIT */
/* Reads certificates. */
#include "base/certificate.h"

#include <time.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/error.h"

bool
base_certificate_end(const char *path, gint64 *end_r, GError **error)
{
	BIO *file = BIO_new_file(path, "r");
	X509 *certificate = file ? PEM_read_bio_X509(file, NULL, NULL, NULL) : NULL;
	struct tm end;
	bool known = certificate && ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end);

	if (known)
		*end_r = (gint64)timegm(&end) * 1000;
	X509_free(certificate);
	BIO_free(file);
	ERR_clear_error();
	return known ||
	       base_fail(error, PH_ERROR_FAILED, "%s cannot be read as a certificate", path);
}
