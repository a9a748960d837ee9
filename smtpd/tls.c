/* SPDX-License-Identifier: MIT */
/* Reads the certificate of the service, again when it changes. */
#include "smtpd/tls.h"

#include <string.h>
#include <sys/stat.h>

#include <openssl/err.h>

#include "base/array.h"
#include "base/error.h"
#include "config/log.h"
#include "config/settings.h"

/* By which a changed file is known. */
struct mark {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec time;
};

struct smtpd_tls {
	const char *cert, *key; /* paths */
	struct mark marks[2];
	SSL_CTX *context;
};

static void
tls_mark(const struct smtpd_tls *tls, struct mark marks_r[2])
{
	const char *const paths[] = {tls->cert, tls->key};

	base_array_clear(marks_r, 2, sizeof(*marks_r));
	for (guint i = 0; i < 2; i++) {
		struct stat st;

		if (stat(paths[i], &st) != 0)
			continue;
		marks_r[i].dev = st.st_dev;
		marks_r[i].ino = st.st_ino;
		marks_r[i].size = st.st_size;
		marks_r[i].time = st.st_mtim;
	}
}

static SSL_CTX *
tls_fail(SSL_CTX *context, const char *path, GError **error)
{
	const char *reason = ERR_reason_error_string(ERR_peek_error());

	base_fail(error, PH_ERROR_FAILED,
	    "%s cannot be used for TLS: %s ([smtpd] tls_cert, tls_key)", path,
	    reason ? reason : "it cannot be read");
	ERR_clear_error();
	SSL_CTX_free(context);
	return NULL;
}

static SSL_CTX *
tls_read(const struct smtpd_tls *tls, GError **error)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	ERR_clear_error();
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
				      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
				      SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	if (SSL_CTX_use_certificate_chain_file(context, tls->cert) != 1)
		return tls_fail(context, tls->cert, error);
	if (SSL_CTX_use_PrivateKey_file(context, tls->key, SSL_FILETYPE_PEM) != 1 ||
	    SSL_CTX_check_private_key(context) != 1)
		return tls_fail(context, tls->key, error);
	return context;
}

bool
smtpd_tls_open(const struct config_settings *settings, struct smtpd_tls **tls_r, GError **error)
{
	const char *cert = config_settings_text(settings, SETTING_SMTPD_TLS_CERT);
	const char *key = config_settings_text(settings, SETTING_SMTPD_TLS_KEY);

	*tls_r = NULL;
	if (!*cert)
		return true;
	struct smtpd_tls *tls = g_new0(struct smtpd_tls, 1);
	tls->cert = cert;
	tls->key = key;
	tls_mark(tls, tls->marks);
	tls->context = tls_read(tls, error);
	if (tls->context)
		*tls_r = tls;
	else
		g_free(tls);
	return *tls_r != NULL;
}

void
smtpd_tls_free(struct smtpd_tls *tls)
{
	if (!tls)
		return;
	SSL_CTX_free(tls->context);
	g_free(tls);
}

SSL_CTX *
smtpd_tls_context(struct smtpd_tls *tls)
{
	g_autoptr(GError) error = NULL;
	struct mark marks[2];

	tls_mark(tls, marks);
	if (memcmp(marks, tls->marks, sizeof(marks)) == 0)
		return tls->context;
	SSL_CTX *context = tls_read(tls, &error);
	/* The two files may change one after the other. */
	if (!context) {
		config_log("%s", error->message);
		return tls->context;
	}
	memcpy(tls->marks, marks, sizeof(marks));
	SSL_CTX_free(tls->context);
	tls->context = context;
	return context;
}
