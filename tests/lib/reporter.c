/* SPDX-License-Identifier: MIT */
/* A provider that reports to an endpoint. */
#include "tests/lib/reporter.h"

#include <criterion/criterion.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

#include "base/clock.h"
#include "json/writer.h"

static EVP_PKEY *
reporter_make_key(int type)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(type, NULL);
	EVP_PKEY *key = NULL;

	cr_assert_eq(EVP_PKEY_keygen_init(context), 1);
	if (type == EVP_PKEY_EC)
		cr_assert_eq(
		    EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1), 1);
	else
		cr_assert_eq(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048), 1);
	cr_assert_eq(EVP_PKEY_keygen(context, &key), 1);
	EVP_PKEY_CTX_free(context);
	return key;
}

static char *
reporter_make_certificate(EVP_PKEY *key)
{
	X509 *certificate = X509_new();
	BIO *bio = BIO_new(BIO_s_mem());
	char *text;

	ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
	X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
	X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
	X509_set_pubkey(certificate, key);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
	    (const unsigned char *)"sns.amazonaws.com", -1, -1, 0);
	cr_assert_gt(X509_sign(certificate, key, EVP_sha256()), 0);
	PEM_write_bio_X509(bio, certificate);
	long size = BIO_get_mem_data(bio, &text);
	char *pem = g_strndup(text, (gsize)size);
	BIO_free(bio);
	X509_free(certificate);
	return pem;
}

static char *
public_key(EVP_PKEY *key)
{
	unsigned char *der = NULL;
	int size = i2d_PUBKEY(key, &der);
	char *text = g_base64_encode(der, (gsize)size);

	OPENSSL_free(der);
	return text;
}

/* Serves the certificate, answers a confirmation, leads elsewhere from /elsewhere, and fails as
   some paths say. */
static void
reporter_serve(struct http_peer *peer, const char *request, void *data)
{
	static const struct {
		const char *path, *answer;
	} answers[] = {
	    {"/elsewhere", "302 Found\r\nLocation: /cert.pem\r\nContent-Length: 0\r\n\r\n"},
	    {"/missing.pem ", "404 Not Found\r\nContent-Length: 0\r\n\r\n"},
	    {"/gone.pem ", "410 Gone\r\nContent-Length: 0\r\n\r\n"},
	    {"/large.pem ", "200 OK\r\nContent-Length: 70000\r\n\r\n"},
	    {"/broken.pem ", "500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"},
	};
	const struct reporter *reporter = data;
	const char *body = strstr(request, "GET /cert.pem ")	? reporter->pem
			   : strstr(request, "GET /empty.pem ") ? "no certificate"
								: "<ok/>";
	g_autofree char *answer = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(answers) && !answer; i++)
		if (strstr(request, answers[i].path))
			answer = g_strconcat("HTTP/1.1 ", answers[i].answer, NULL);
	if (!answer)
		answer = g_strdup_printf(
		    "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
	http_peer_send(peer, answer, strlen(answer));
}

struct reporter *
reporter_new(enum provider_name provider)
{
	struct reporter *reporter = g_new0(struct reporter, 1);

	reporter->provider = provider;
	if (provider == PROVIDER_SES) {
		reporter->key = reporter_make_key(EVP_PKEY_RSA);
		reporter->pem = reporter_make_certificate(reporter->key);
		reporter->server = http_server_start("127.0.0.1", NULL, reporter_serve, reporter);
	}
	if (provider == PROVIDER_SENDGRID) {
		reporter->key = reporter_make_key(EVP_PKEY_EC);
		reporter->secret = public_key(reporter->key);
	}
	if (provider == PROVIDER_MAILGUN)
		reporter->secret = g_strdup("key-0123456789abcdef");
	if (provider == PROVIDER_RESEND)
		reporter->secret = g_strdup("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
	return reporter;
}

void
reporter_free(struct reporter *reporter)
{
	g_clear_pointer(&reporter->server, http_server_stop);
	g_clear_pointer(&reporter->endpoint, store_provider_free);
	EVP_PKEY_free(reporter->key);
	g_free(reporter->pem);
	g_free(reporter->secret);
	g_free(reporter->token);
	g_free(reporter);
}

void
reporter_add(struct reporter *reporter, struct service *service, const char *relay)
{
	struct feedback_provider_added added;
	g_autoptr(GError) error = NULL;

	cr_assert(feedback_provider_add(
		      service, reporter->provider, relay, reporter->secret, &added, &error),
	    "%s", error ? error->message : "");
	g_free(reporter->secret);
	reporter->secret = g_strdup(added.secret);
	g_free(reporter->token);
	reporter->token = g_strdup(strrchr(added.url, '/') + 1);
	feedback_provider_added_clear(&added);
	g_clear_pointer(&reporter->endpoint, store_provider_free);
	reporter->endpoint = feedback_provider_find(
	    service, provider_word(reporter->provider), reporter->token, &error);
	cr_assert(reporter->endpoint, "%s", error ? error->message : "");
}

/* A signature in base64. */
static char *
lib_reporter_sign(void *key, const EVP_MD *digest, const char *text)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	guchar bytes[512];
	size_t size = sizeof(bytes);

	cr_assert_eq(EVP_DigestSignInit(context, NULL, digest, NULL, key), 1);
	cr_assert_eq(EVP_DigestSign(context, bytes, &size, (const guchar *)text, strlen(text)), 1);
	EVP_MD_CTX_free(context);
	return g_base64_encode(bytes, size);
}

static char *
reporter_quoted(const char *text)
{
	return g_strdelimit(g_strdup(text), "'", '"');
}

static struct reporter_request *
request_new(char *body)
{
	struct reporter_request *request = g_new0(struct reporter_request, 1);

	request->body = body;
	request->headers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return request;
}

/* Takes the value. */
static void
set_header(struct reporter_request *request, const char *name, char *value)
{
	g_hash_table_insert(request->headers, g_strdup(name), value);
}

void
reporter_request_free(struct reporter_request *request)
{
	g_free(request->body);
	g_hash_table_unref(request->headers);
	g_free(request);
}

struct reporter_request *
reporter_notify(const struct reporter *reporter, const char *type, const char *message,
    const char *id, const char *version, const char *url)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *text = reporter_quoted(message);
	g_autofree char *host =
	    g_strdup_printf("http://127.0.0.1:%d", http_server_port(reporter->server));
	g_autofree char *confirmation = g_strconcat(host, "/confirm?Token=t", NULL);
	g_autofree char *certificate = url ? g_strdup(url) : g_strconcat(host, "/cert.pem", NULL);
	bool notification = strcmp(type, "Notification") == 0;
	char iso[CLOCK_ISO_SIZE];
	const struct {
		const char *name, *value;
		bool unsigned_too;
	} members[] = {
	    {"Message", text},
	    {"MessageId", id},
	    {notification ? "Subject" : "SubscribeURL", notification ? "Hello" : confirmation},
	    {"Timestamp", base_clock_format(base_clock_now() + reporter->shift, iso)},
	    {notification ? NULL : "Token", "t"},
	    {"TopicArn", REPORTER_TOPIC},
	    {"Type", type},
	};
	g_autoptr(GString) all = g_string_new(NULL);

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(members); i++) {
		if (!members[i].name)
			continue;
		json_writer_string(writer, members[i].name, members[i].value);
		g_string_append_printf(all, "%s\n%s\n", members[i].name, members[i].value);
	}
	bool first = version && strcmp(version, "1") == 0;
	g_autofree char *signature =
	    lib_reporter_sign(reporter->key, first ? EVP_sha1() : EVP_sha256(), all->str);
	json_writer_string(writer, "SignatureVersion", version ? version : "2");
	json_writer_string(writer, "Signature", signature);
	json_writer_string(writer, "SigningCertURL", certificate);
	json_writer_end_object(writer);
	return request_new(json_writer_take(writer, NULL));
}

static void
add_standard(struct reporter_request *request, const struct reporter *reporter, const char *prefix,
    const char *id, gint64 at)
{
	g_autofree char *timestamp = g_strdup_printf("%" G_GINT64_FORMAT, at / 1000);
	g_autofree char *text = g_strdup_printf("%s.%s.%s", id, timestamp, request->body);
	gsize size;
	g_autofree guchar *key = g_base64_decode(reporter->secret + strlen("whsec_"), &size);
	g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, key, size);
	guchar digest[32];
	gsize digest_size = sizeof(digest);

	g_hmac_update(hmac, (const guchar *)text, -1);
	g_hmac_get_digest(hmac, digest, &digest_size);
	g_autofree char *tag = g_base64_encode(digest, digest_size);
	bool svix = *prefix == 's';
	set_header(request, svix ? "svix-id" : "webhook-id", g_strdup(id));
	set_header(
	    request, svix ? "svix-timestamp" : "webhook-timestamp", g_steal_pointer(&timestamp));
	set_header(request, svix ? "svix-signature" : "webhook-signature",
	    g_strdup_printf("v1,AAAA v1,%s", tag));
}

static void
add_sendgrid(struct reporter_request *request, const struct reporter *reporter, gint64 at)
{
	g_autofree char *timestamp = g_strdup_printf("%" G_GINT64_FORMAT, at / 1000);
	g_autofree char *text = g_strconcat(timestamp, request->body, NULL);

	set_header(request, "X-Twilio-Email-Event-Webhook-Signature",
	    lib_reporter_sign(reporter->key, EVP_sha256(), text));
	set_header(request, "X-Twilio-Email-Event-Webhook-Timestamp", g_steal_pointer(&timestamp));
}

/* The body of Mailgun, around the data of an event. */
static char *
wrap_mailgun(const struct reporter *reporter, const char *data, const char *id, gint64 at)
{
	g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT "%s", at / 1000, id);
	g_autofree char *tag = g_compute_hmac_for_string(G_CHECKSUM_SHA256,
	    (const guchar *)reporter->secret, strlen(reporter->secret), text, -1);

	return g_strdup_printf("{\"signature\":{\"timestamp\":\"%" G_GINT64_FORMAT
			       "\",\"token\":\"%s\",\"signature\":\"%s\"},\"event-data\":%s}",
	    at / 1000, id, tag, data);
}

struct reporter_request *
reporter_sign(
    const struct reporter *reporter, const char *type, const char *body, const char *id, gint64 at)
{
	g_autofree char *text = reporter_quoted(body);
	struct reporter_request *request;

	if (reporter->provider == PROVIDER_SES)
		return reporter_notify(
		    reporter, type ? type : "Notification", body, id, NULL, NULL);
	if (reporter->provider == PROVIDER_MAILGUN)
		return request_new(wrap_mailgun(reporter, text, id, at));
	request = request_new(g_steal_pointer(&text));
	if (reporter->provider == PROVIDER_POSTMARK) {
		g_autofree char *user = g_strconcat("posthouse:", reporter->secret, NULL);
		g_autofree char *encoded = g_base64_encode((const guchar *)user, strlen(user));
		set_header(request, "Authorization", g_strconcat("Basic ", encoded, NULL));
	}
	if (reporter->provider == PROVIDER_BREVO)
		set_header(
		    request, "Authorization", g_strconcat("Bearer ", reporter->secret, NULL));
	if (reporter->provider == PROVIDER_SENDGRID)
		add_sendgrid(request, reporter, at);
	if (reporter->provider >= PROVIDER_RESEND)
		add_standard(request, reporter,
		    reporter->provider == PROVIDER_RESEND ? "svix" : "webhook", id, at);
	return request;
}

static const char *
reporter_header(const void *context, const char *name)
{
	return g_hash_table_lookup((GHashTable *)context, name);
}

GError *
reporter_take(const struct reporter *reporter, struct service *service,
    const struct reporter_request *request, struct feedback_provider_result *result_r)
{
	struct provider_request given = {.body = request->body,
	    .size = strlen(request->body),
	    .header = reporter_header,
	    .context = request->headers,
	    .now = base_clock_now()};
	GError *error = NULL;

	AUTO(store_provider) endpoint = feedback_provider_find(
	    service, provider_word(reporter->provider), reporter->token, &error);
	cr_assert(endpoint);
	bool done = feedback_provider_take(service, endpoint, &given, result_r, &error);
	cr_assert_eq(done, !error);
	return error;
}
