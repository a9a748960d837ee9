/* SPDX-License-Identifier: MIT */
/* Tests header lines, and certificates over TLS. */
#include <criterion/criterion.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits/fetch.h"
#include "base/limits/webhook.h"
#include "fetch/post.h"
#include "fetch/transfer.h"
#include "tests/fetch/names.h"
#include "tests/support/http_server.h"

Test(headers, keeps_what_decides)
{
	static const struct {
		const char *lines[3], *location, *coding;
		guint64 length;
	} cases[] = {
	    {{"Location: /a\r\n"}, "/a", NULL, 0},
	    {{"location:/a"}, "/a", NULL, 0},
	    {{"LOCATION: \t/a b \r\n"}, "/a b", NULL, 0},
	    {{"Location: http://a:1/\r\n"}, "http://a:1/", NULL, 0},
	    {{"Location: /a\r\n", "Location: /b\r\n"}, "/b", NULL, 0},
	    {{"Location:\r\n"}, "", NULL, 0},
	    {{"Content-Location: /a\r\n"}, NULL, NULL, 0},
	    {{"Location\r\n"}, NULL, NULL, 0},
	    {{"Content-Encoding: gzip\r\n"}, NULL, "gzip", 0},
	    {{"Content-Encoding: Identity\r\n"}, NULL, NULL, 0},
	    {{"Content-Encoding:\r\n"}, NULL, NULL, 0},
	    {{"Content-Encoding: identity, br\r\n"}, NULL, "identity, br", 0},
	    {{"Content-Encoding: chunked\r\n"}, NULL, "chunked", 0},
	    {{"Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n"}, NULL, "gzip", 0},
	    {{"Transfer-Encoding: Chunked\r\n"}, NULL, NULL, 0},
	    {{"Transfer-Encoding: gzip, chunked\r\n"}, NULL, "gzip, chunked", 0},
	    {{"Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n"}, NULL, "gzip", 0},
	    {{"Content-Length: 12\r\n"}, NULL, NULL, 12},
	    {{"Content-Length: 18446744073709551615\r\n"}, NULL, NULL, G_MAXUINT64},
	    {{"Content-Length: 18446744073709551616\r\n"}, NULL, NULL, G_MAXUINT64},
	    {{"Content-Type: text/plain\r\n"}, NULL, NULL, 0},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct fetch_headers got = {0};
		for (size_t j = 0; cases[i].lines[j]; j++) {
			gsize size = strlen(cases[i].lines[j]);
			g_autofree char *line = g_memdup2(cases[i].lines[j], size);
			fetch_headers_note(&got, line, size);
		}
		cr_expect(g_strcmp0(got.location, cases[i].location) == 0 &&
			      g_strcmp0(got.coding, cases[i].coding) == 0 &&
			      got.length == cases[i].length,
		    "%s: got %s, %s, %" G_GUINT64_FORMAT ", want %s, %s, %" G_GUINT64_FORMAT,
		    cases[i].lines[0], got.location, got.coding, got.length, cases[i].location,
		    cases[i].coding, cases[i].length);
		fetch_headers_clear(&got);
		cr_expect(!got.location && !got.coding && !got.length);
	}
}

static EVP_PKEY *
transfer_new_key(void)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
	EVP_PKEY *key = NULL;

	EVP_PKEY_keygen_init(context);
	EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1);
	EVP_PKEY_keygen(context, &key);
	EVP_PKEY_CTX_free(context);
	return key;
}

/* Signed by itself, for these names, up to seconds from now. */
static X509 *
transfer_new_certificate(EVP_PKEY *key, const char *names, long seconds)
{
	X509 *certificate = X509_new();
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);

	X509_set_version(certificate, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
	X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
	X509_gmtime_adj(X509_getm_notAfter(certificate), seconds);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
	    (const unsigned char *)"a\nb", -1, -1, 0);
	X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
	X509_set_pubkey(certificate, key);
	X509_add_ext(certificate, extension, -1);
	X509_EXTENSION_free(extension);
	X509_sign(certificate, key, EVP_sha256());
	return certificate;
}

static char server_name[256];

static int
note_name(SSL *ssl, int *alert, void *data)
{
	const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);

	g_strlcpy(server_name, name ? name : "", sizeof(server_name));
	return SSL_TLSEXT_ERR_OK;
}

static void
transfer_serve(struct http_peer *peer, const char *request, void *data)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

	http_peer_send(peer, answer, strlen(answer));
}

/* "" when the file came, else the error. */
static char *
transfer_outcome(struct http_server *server, const char *host, const char *tls_ca)
{
	static const char *const allow[] = {"127.0.0.1", NULL};
	gint64 now = base_clock_boot();
	struct fetch_rules rules = {allow, NULL};
	struct fetch_limits limits = {&rules, 10, now, now + LIMIT_FETCH_MS, tls_ca};
	g_autofree char *url = g_strdup_printf("https://%s:%d/", host, http_server_port(server));
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) got = NULL;
	g_autofree char *location = NULL;

	fetch_transfer_run(url, &limits, &got, &location, &error);
	return g_strdup(error ? error->message : "");
}

/* The same of a post, whose errors name no address. */
static char *
post_outcome(struct http_server *server, const char *host, const char *tls_ca)
{
	static const char *const allow[] = {"127.0.0.1", NULL};
	const struct fetch_rules rules = {allow, NULL};
	AUTO(fetch_poster) poster = fetch_poster_new(&rules, 1, 1, tls_ca);
	struct fetch_lane *lane = fetch_lane_new(host);
	struct fetch_post *post = g_new0(struct fetch_post, 1);
	AUTO(fetch_post) done = NULL;

	post->lane = lane;
	post->width = 1;
	post->url = g_strdup_printf("https://%s:%d/", host, http_server_port(server));
	post->headers = g_new0(char *, 1);
	post->body = g_bytes_new("{}", 2);
	fetch_poster_send(poster, post);
	done = fetch_poster_take(poster, 2 * LIMIT_WEBHOOK_MS);
	fetch_lane_free(lane);
	cr_assert_not_null(done);
	return g_strdup(done->error ? done->error : "");
}

static SSL_CTX *
transfer_new_context(EVP_PKEY *key, X509 *certificate, int version)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	SSL_CTX_set_security_level(context, 0); /* which TLS 1.1 needs */
	SSL_CTX_set_max_proto_version(context, version);
	SSL_CTX_use_certificate(context, certificate);
	SSL_CTX_use_PrivateKey(context, key);
	SSL_CTX_set_tlsext_servername_callback(context, note_name);
	return context;
}

/* A temporary file, which the caller removes and frees. */
static char *
write_certificate(X509 *certificate)
{
	char *path = NULL;
	int file = g_file_open_tmp("certificate-XXXXXX", &path, NULL);
	FILE *stream = fdopen(file, "w");

	PEM_write_X509(stream, certificate);
	fclose(stream);
	return path;
}

Test(tls, believes_the_right_certificate_alone, .timeout = 900)
{
	static const struct {
		const char *name, *names;
		long seconds;
		const char *trust; /* "setting", "environment", or nothing trusts it */
		int version;
		const char *host, *want;
	} cases[] = {
	    {"an address", "IP:127.0.0.1", 3600, "setting", 0, "127.0.0.1", ""},
	    {"a name", "DNS:tls.test", 3600, "setting", 0, "tls.test", ""},
	    {"TLS 1.2", "DNS:tls.test", 3600, "setting", TLS1_2_VERSION, "tls.test", ""},
	    {"TLS 1.1", "DNS:tls.test", 3600, "setting", TLS1_1_VERSION, "tls.test", "TLS: *"},
	    {"another name", "DNS:other.test", 3600, "setting", 0, "tls.test", "TLS: *tls.test*"},
	    {"another address", "IP:127.0.0.2", 3600, "setting", 0, "127.0.0.1",
		"TLS: *127.0.0.1*"},
	    {"unknown", "DNS:tls.test", 3600, "", 0, "tls.test", "TLS: *certificate*"},
	    {"SSL_CERT_FILE", "DNS:tls.test", 3600, "environment", 0, "tls.test", ""},
	    {"expired", "DNS:tls.test", -1, "setting", 0, "tls.test", "TLS: *expired*"},
	};
	EVP_PKEY *key = transfer_new_key();

	signal(SIGPIPE, SIG_IGN);
	names_add("tls.test", "127.0.0.1", NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		X509 *certificate = transfer_new_certificate(key, cases[i].names, cases[i].seconds);
		SSL_CTX *context = transfer_new_context(key, certificate, cases[i].version);
		g_autofree char *tls_ca = write_certificate(certificate);
		struct http_server *server =
		    http_server_start("127.0.0.1", context, transfer_serve, NULL);
		const char *set = g_str_equal(cases[i].trust, "setting") ? tls_ca : NULL;

		*server_name = '\0';
		if (g_str_equal(cases[i].trust, "environment"))
			g_setenv("SSL_CERT_FILE", tls_ca, TRUE);
		g_autofree char *got = transfer_outcome(server, cases[i].host, set);
		g_autofree char *posted = post_outcome(server, cases[i].host, set);
		g_unsetenv("SSL_CERT_FILE");
		http_server_stop(server);
		cr_expect(g_pattern_match_simple(*cases[i].want ? "TLS: the server*" : "", posted),
		    "%s: posted, got \"%s\"", cases[i].name, posted);
		cr_expect(g_pattern_match_simple(cases[i].want, got), "%s: got \"%s\", want \"%s\"",
		    cases[i].name, got, cases[i].want);
		if (*cases[i].want == '\0' && g_str_equal(cases[i].host, "tls.test"))
			cr_expect_str_eq(server_name, "tls.test", "%s: asked for the name \"%s\"",
			    cases[i].name, server_name);
		unlink(tls_ca);
		SSL_CTX_free(context);
		X509_free(certificate);
	}
	EVP_PKEY_free(key);
}

Test(tls, is_not_spoken_by_every_server, .timeout = 900)
{
	struct http_server *server = http_server_start("127.0.0.1", NULL, transfer_serve, NULL);
	g_autofree char *got = transfer_outcome(server, "127.0.0.1", NULL);

	cr_expect(g_str_has_prefix(got, "TLS: "), "got %s", got);
	g_autofree char *posted = post_outcome(server, "127.0.0.1", NULL);
	cr_expect(g_str_has_prefix(posted, "TLS: "), "posted, got %s", posted);
	http_server_stop(server);
}
