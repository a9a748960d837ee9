/* SPDX-License-Identifier: MIT */
/* Serves scripted SMTP to the tests. */
#include "tests/support/smtp_server.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/smtp_peer.h"

static EVP_PKEY *
smtp_server_new_key(void)
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

/* Makes a certificate; issuer NULL: signed by itself. */
static X509 *
smtp_server_new_certificate(EVP_PKEY *key, const char *name, const char *names, const char *from,
    const char *until, X509 *issuer, EVP_PKEY *issuer_key)
{
	X509 *certificate = X509_new();
	X509_NAME *subject = X509_get_subject_name(certificate);

	X509_set_version(certificate, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), issuer ? 2 : 1);
	ASN1_TIME_set_string(X509_getm_notBefore(certificate), from);
	ASN1_TIME_set_string(X509_getm_notAfter(certificate), until);
	X509_NAME_add_entry_by_txt(
	    subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer) : subject);
	X509_set_pubkey(certificate, key);
	X509_EXTENSION *extension =
	    names ? X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names)
		  : X509V3_EXT_conf_nid(NULL, NULL, NID_basic_constraints, "critical,CA:TRUE");
	X509_add_ext(certificate, extension, -1);
	X509_EXTENSION_free(extension);
	if (!X509_sign(certificate, issuer_key ? issuer_key : key, EVP_sha256()))
		g_error("no certificate");
	return certificate;
}

static int
trust_all(X509_STORE_CTX *store, void *unused)
{
	return 1;
}

/* Makes a context with a certificate, and in *pem_r what makes it trusted, with its key. */
static SSL_CTX *
certificate_context(const char *names, const char *from, const char *until, bool is_private,
    bool wants_certificate, char **pem_r)
{
	EVP_PKEY *key = smtp_server_new_key(), *ca_key = is_private ? smtp_server_new_key() : NULL;
	X509 *ca = is_private ? smtp_server_new_certificate(ca_key, "Posthouse CA", NULL,
				    "20000101000000Z", "20990101000000Z", NULL, NULL)
			      : NULL;
	X509 *certificate =
	    smtp_server_new_certificate(key, "Posthouse test", names, from, until, ca, ca_key);
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	BIO *pem = BIO_new(BIO_s_mem());
	char *text;

	SSL_CTX_use_PrivateKey(context, key);
	SSL_CTX_use_certificate(context, certificate);
	if (wants_certificate) {
		SSL_CTX_set_verify(
		    context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
		SSL_CTX_set_cert_verify_callback(context, trust_all, NULL);
	}
	PEM_write_bio_X509(pem, certificate);
	if (ca)
		PEM_write_bio_X509(pem, ca);
	PEM_write_bio_PrivateKey(pem, key, NULL, NULL, 0, NULL, NULL);
	long size = BIO_get_mem_data(pem, &text);
	*pem_r = g_strndup(text, (gsize)size);
	BIO_free(pem);
	X509_free(certificate);
	X509_free(ca);
	EVP_PKEY_free(key);
	EVP_PKEY_free(ca_key);
	return context;
}

struct smtp_server {
	int listener;
	guint port;
	char *ca;
	struct smtp_script *script; /* a copy: a test may change its own meanwhile */
	GThread *acceptor;
	GPtrArray *threads;
	bool stopped;
	guint connections; /* guarded by the lock of what is shared */
	struct smtp_shared shared;
};

static gpointer
accept_all(gpointer pointer)
{
	struct smtp_server *server = pointer;
	struct timeval patience = {PATIENCE_S, 0};
	int one = 1;

	for (;;) {
		int fd = accept(server->listener, NULL, NULL);
		if (fd < 0 && errno == EINTR)
			continue;
		if (fd < 0)
			return NULL;
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		struct smtp_peer *peer = g_new0(struct smtp_peer, 1);
		peer->shared = &server->shared;
		peer->fd = fd;
		peer->input = g_string_new(NULL);
		g_mutex_lock(&server->shared.lock);
		peer->number = ++server->connections;
		g_mutex_unlock(&server->shared.lock);
		g_ptr_array_add(
		    server->threads, g_thread_new("smtp peer", smtp_dialogue_serve, peer));
	}
}

static void
smtp_server_make_certificate(struct smtp_server *server)
{
#define HERE "DNS:localhost,IP:127.0.0.1"
#define OTHER "DNS:other.example,DNS:mx.other.example"
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autoptr(GDateTime) later = g_date_time_add_days(now, 10);
	g_autofree char *soon = g_date_time_format(later, "%Y%m%d%H%M%SZ");
	const struct {
		const char *names, *from, *until;
		bool is_private;
	} kinds[] = {
	    [CERTIFICATE_LOCALHOST] = {HERE, "20000101000000Z", "20990101000000Z", false},
	    [CERTIFICATE_OTHER_NAME] = {OTHER, "20000101000000Z", "20990101000000Z", false},
	    [CERTIFICATE_EXPIRED] = {HERE, "20000101000000Z", "20010203040506Z", false},
	    [CERTIFICATE_FUTURE] = {HERE, "20950203040506Z", "20990101000000Z", false},
	    [CERTIFICATE_SOON] = {HERE, "20000101000000Z", soon, false},
	    [CERTIFICATE_PRIVATE] = {HERE, "20000101000000Z", "20990101000000Z", true},
	    [CERTIFICATE_PRIVATE_EXPIRED] = {OTHER, "20000101000000Z", "20010203040506Z", true},
	};
	enum smtp_certificate kind = server->shared.script->certificate;
	g_autofree char *pem = NULL;
	int fd = g_file_open_tmp("posthouse-ca-XXXXXX", &server->ca, NULL);

	g_assert(fd >= 0);
	close(fd);
	server->shared.tls =
	    certificate_context(kinds[kind].names, kinds[kind].from, kinds[kind].until,
		kinds[kind].is_private, server->shared.script->wants_certificate, &pem);
	g_assert(g_file_set_contents(server->ca, pem, -1, NULL));
}

struct smtp_server *
smtp_server_start(const struct smtp_script *script)
{
	struct smtp_server *server = g_new0(struct smtp_server, 1);
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	sigset_t all, before;

	server->shared.script = server->script = g_memdup2(script, sizeof(*script));
	server->threads = g_ptr_array_new();
	server->shared.mails = g_ptr_array_new_with_free_func(smtp_mail_free);
	server->shared.log = g_string_new(NULL);
	g_mutex_init(&server->shared.lock);
	g_cond_init(&server->shared.changed);
	server->shared.end = eventfd(0, EFD_CLOEXEC);
	server->shared.release = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE | EFD_NONBLOCK);
	smtp_server_make_certificate(server);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_assert(bind(server->listener, (struct sockaddr *)&address, size) == 0);
	g_assert(listen(server->listener, 16) == 0);
	g_assert(getsockname(server->listener, (struct sockaddr *)&address, &size) == 0);
	server->port = ntohs(address.sin_port);
	/* Its threads take no signals: those are for the code under test. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	server->acceptor = g_thread_new("smtp server", accept_all, server);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return server;
}

guint
smtp_server_port(const struct smtp_server *server)
{
	return server->port;
}

const char *
smtp_server_ca(const struct smtp_server *server)
{
	return server->ca;
}

static bool
log_has(const struct smtp_server *server, const char *text)
{
	g_autofree char *anywhere = g_strdup_printf("\n%s", text);

	return g_str_has_prefix(server->shared.log->str, text) ||
	       strstr(server->shared.log->str, anywhere);
}

bool
smtp_server_wait(struct smtp_server *server, const char *text)
{
	gint64 end = g_get_monotonic_time() + PATIENCE_S * G_TIME_SPAN_SECOND;
	bool found;

	g_mutex_lock(&server->shared.lock);
	while (!(found = log_has(server, text)))
		if (!g_cond_wait_until(&server->shared.changed, &server->shared.lock, end))
			break;
	g_mutex_unlock(&server->shared.lock);
	return found;
}

void
smtp_server_release(struct smtp_server *server)
{
	eventfd_write(server->shared.release, 1);
}

void
smtp_server_stop(struct smtp_server *server)
{
	if (server->stopped)
		return;
	server->stopped = true;
	eventfd_write(server->shared.end, 1);
	shutdown(server->listener, SHUT_RDWR);
	g_thread_join(server->acceptor);
	close(server->listener);
	for (guint i = 0; i < server->threads->len; i++)
		g_thread_join(g_ptr_array_index(server->threads, i));
}

guint
smtp_server_connections(const struct smtp_server *server)
{
	return server->connections;
}

guint
smtp_server_count(struct smtp_server *server)
{
	g_mutex_lock(&server->shared.lock);
	guint count = server->shared.mails->len;
	g_mutex_unlock(&server->shared.lock);
	return count;
}

const struct smtp_mail *
smtp_server_mail(struct smtp_server *server, guint index)
{
	const GPtrArray *mails = server->shared.mails;

	g_mutex_lock(&server->shared.lock);
	const struct smtp_mail *mail = index < mails->len ? mails->pdata[index] : NULL;
	g_mutex_unlock(&server->shared.lock);
	return mail;
}

const char *
smtp_server_log(const struct smtp_server *server)
{
	return server->shared.log->str;
}

void
smtp_server_free(struct smtp_server *server)
{
	smtp_server_stop(server);
	close(server->shared.end);
	close(server->shared.release);
	g_ptr_array_unref(server->threads);
	g_ptr_array_unref(server->shared.mails);
	g_string_free(server->shared.log, TRUE);
	SSL_CTX_free(server->shared.tls);
	g_unlink(server->ca);
	g_free(server->ca);
	g_free(server->script);
	g_mutex_clear(&server->shared.lock);
	g_cond_clear(&server->shared.changed);
	g_free(server);
}
