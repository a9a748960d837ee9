/* SPDX-License-Identifier: MIT */
/* Makes TLS contexts for libesmtp. */
#include "smtp/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <time.h>

#include "smtp/failure.h"

/* The application data of an SSL_CTX. */
struct watch {
	const struct smtp_relay *relay;
	struct smtp_dialogue *dialogue;
	struct smtp_wire *wire;
	char *sni; /* NULL for an address */

	/* The first fault of each kind that the check of the certificate found; X509_V_OK: none. */
	int issuer, dates, name, other;
};

static void
free_watch(void *parent, void *pointer, CRYPTO_EX_DATA *data, int index, long argl, void *argp)
{
	struct watch *watch = pointer;

	if (!watch)
		return;
	g_free(watch->sni);
	g_free(watch);
}

static int
watch_index(void)
{
	static gsize index;

	if (g_once_init_enter(&index))
		g_once_init_leave(
		    &index, (gsize)SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_watch) + 1);
	return (int)index - 1;
}

static void
begin_handshake(SSL *ssl, const struct watch *watch)
{
	struct smtp_dialogue *dialogue = watch->dialogue;

	if (dialogue->secured || dialogue->step >= DIALOGUE_HANDSHAKE)
		return;
	smtp_wire_begin_tls(watch->wire);
	dialogue->injected = !smtp_dialogue_is_one_reply(dialogue);
	dialogue->step = DIALOGUE_HANDSHAKE;
	dialogue->over = dialogue->injected;
	if (dialogue->injected)
		shutdown(SSL_get_fd(ssl), SHUT_RDWR);
	if (watch->sni)
		SSL_set_tlsext_host_name(ssl, watch->sni);
}

static struct watch *
watch_of(const SSL *ssl)
{
	return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), watch_index());
}

/* In TLS 1.3 a relay checks our certificate after our part of the handshake is done, so its alert
   comes in place of a reply. */
static void
note_alert(const struct watch *watch, int alert)
{
	if (alert >> 8 == SSL3_AL_FATAL)
		watch->dialogue->alert = alert & 0xff;
}

static void
on_tls_event(const SSL *ssl, int where, int value)
{
	if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT)
		note_alert(watch_of(ssl), value);
	if (where & SSL_CB_HANDSHAKE_START)
		begin_handshake((SSL *)ssl, watch_of(ssl)); /* OpenSSL's own programs also set SNI
							       here, despite the const */
}

/* Sees the header of each record: three digits are the beginning of an SMTP reply. */
static void
on_record(int is_sent, int version, int type, const void *bytes, size_t size, SSL *ssl, void *arg)
{
	const char *header = bytes;

	if (!is_sent && type == SSL3_RT_HEADER && size >= 3 && g_ascii_isdigit(header[0]) &&
	    g_ascii_isdigit(header[1]) && g_ascii_isdigit(header[2]))
		((struct smtp_dialogue *)arg)->bare = true;
}

/* The place of a fault in watch. */
static int *
tls_place_of(struct watch *watch, int fault, int depth)
{
	switch (fault) {
	case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
	case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
	case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
	case X509_V_ERR_CERT_UNTRUSTED:
		return &watch->issuer;
	case X509_V_ERR_CERT_HAS_EXPIRED:
	case X509_V_ERR_CERT_NOT_YET_VALID:
		return depth == 0 ? &watch->dates : &watch->other;
	case X509_V_ERR_HOSTNAME_MISMATCH:
	case X509_V_ERR_IP_ADDRESS_MISMATCH:
		return &watch->name;
	default:
		return &watch->other;
	}
}

/* Notes a fault, and lets OpenSSL go on to find the others. */
static int
on_fault(int is_good, X509_STORE_CTX *store)
{
	const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
	int fault = X509_STORE_CTX_get_error(store);
	int *place = tls_place_of(watch_of(ssl), fault, X509_STORE_CTX_get_error_depth(store));

	if (!is_good && *place == X509_V_OK)
		*place = fault;
	return 1;
}

/* The common name of a certificate's subject or issuer, else the whole name. The caller owns it. */
static char *
common_name(const X509_NAME *name)
{
	char text[256] = "";

	if (X509_NAME_get_text_by_NID(name, NID_commonName, text, sizeof(text)) <= 0)
		X509_NAME_oneline(name, text, sizeof(text));
	return g_utf8_make_valid(text, -1);
}

static void
tls_add_name(GPtrArray *names, const GENERAL_NAME *name)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (name->type == GEN_DNS)
		g_ptr_array_add(
		    names, g_strndup((const char *)ASN1_STRING_get0_data(name->d.dNSName),
			       (gsize)ASN1_STRING_length(name->d.dNSName)));
	if (name->type != GEN_IPADD)
		return;
	int size = ASN1_STRING_length(name->d.iPAddress);
	if (inet_ntop(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress),
		text, sizeof(text)))
		g_ptr_array_add(names, g_strdup(text));
}

/* The names and addresses that a certificate is for. The caller owns the text. */
static char *
tls_names_of(const X509 *certificate)
{
	GENERAL_NAMES *all = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	for (int i = 0; i < sk_GENERAL_NAME_num(all); i++)
		tls_add_name(names, sk_GENERAL_NAME_value(all, i));
	GENERAL_NAMES_free(all);
	if (names->len == 0)
		g_ptr_array_add(names, common_name(X509_get_subject_name(certificate)));
	g_ptr_array_add(names, NULL);
	return g_strjoinv(", ", (char **)names->pdata);
}

static const char *
wanted_name(const struct smtp_relay *relay)
{
	return *relay->tls_name ? relay->tls_name : relay->host;
}

/* Says which of the faults counts, as the end of a sentence. The caller owns it. */
static char *
tls_describe(const struct watch *watch, const X509 *certificate)
{
	bool is_late = watch->dates == X509_V_ERR_CERT_HAS_EXPIRED;
	struct tm date = {0};

	if (watch->issuer == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT)
		return g_strdup("its certificate is self-signed; tls_ca can name it");
	if (watch->issuer) {
		g_autofree char *name = common_name(X509_get_issuer_name(certificate));
		return g_strdup_printf("its certificate was issued by %s, which is not trusted; "
				       "tls_ca can name it",
		    name);
	}
	if (watch->dates) {
		ASN1_TIME_to_tm(
		    is_late ? X509_get0_notAfter(certificate) : X509_get0_notBefore(certificate),
		    &date);
		return g_strdup_printf("its certificate %s %04d-%02d-%02d",
		    is_late ? "ended on" : "is valid from", date.tm_year + 1900, date.tm_mon + 1,
		    date.tm_mday);
	}
	if (watch->name) {
		g_autofree char *names = tls_names_of(certificate);
		return g_strdup_printf(
		    "its certificate is for %s, not for %s", names, wanted_name(watch->relay));
	}
	return g_strdup(X509_verify_cert_error_string(watch->other));
}

/* The end of a certificate in epoch ms. */
static gint64
tls_end_of(const X509 *certificate)
{
	struct tm end = {0};

	if (!certificate || !ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end))
		return 0;
	return (gint64)timegm(&end) * 1000;
}

/* Checks the relay's certificate in place of OpenSSL, which tells of the first fault alone. OpenSSL
   calls it for each certificate, also where none is checked. */
static int
check_certificate(X509_STORE_CTX *store, void *arg)
{
	struct watch *watch = arg;

	watch->dialogue->certificate_end = tls_end_of(X509_STORE_CTX_get0_cert(store));
	if (!watch->relay->verifies)
		return 1;
	watch->issuer = watch->dates = watch->name = watch->other = X509_V_OK;
	X509_STORE_CTX_set_verify_cb(store, on_fault);
	if (X509_verify_cert(store) <= 0 && !watch->other)
		watch->other = X509_STORE_CTX_get_error(store);
	if (!watch->issuer && !watch->dates && !watch->name && !watch->other) {
		X509_STORE_CTX_set_error(store, X509_V_OK);
		return 1;
	}
	X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
	g_free(watch->dialogue->refused);
	watch->dialogue->refused = tls_describe(watch, X509_STORE_CTX_get0_cert(store));
	return 0;
}

static bool
check_peer(SSL_CTX *tls, struct watch *watch, char **fault_r)
{
	const struct smtp_relay *relay = watch->relay;
	X509_VERIFY_PARAM *param = SSL_CTX_get0_param(tls);
	const char *name = wanted_name(relay);
	struct in_addr address;
	bool is_file = relay->tls_ca[0] != '\0';

	SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
	X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	/* tls_ca may name an issuer between the certificate and a root. */
	X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
	if (inet_pton(AF_INET, name, &address) == 1)
		X509_VERIFY_PARAM_set1_ip_asc(param, name);
	else
		X509_VERIFY_PARAM_set1_host(param, name, 0);
	if (is_file ? SSL_CTX_load_verify_locations(tls, relay->tls_ca, NULL)
		    : SSL_CTX_set_default_verify_paths(tls))
		return true;
	*fault_r = g_strdup_printf("tls_ca cannot be read: %s", relay->tls_ca);
	return false;
}

/* Gives the context our own certificate, if there is one. */
static bool
show_own(SSL_CTX *tls, const struct smtp_relay *relay, char **fault_r)
{
	const char *cert = relay->tls_cert, *key = relay->tls_key;

	if (!*cert)
		return true;
	if (SSL_CTX_use_certificate_chain_file(tls, cert) != 1)
		*fault_r = g_strdup_printf("tls_cert cannot be read: %s", cert);
	else if (SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) != 1 ||
		 SSL_CTX_check_private_key(tls) != 1)
		*fault_r =
		    g_strdup_printf("tls_key cannot be read, or is for another tls_cert: %s", key);
	return !*fault_r;
}

static SSL_CTX *
tls_new_context(struct watch *watch)
{
	SSL_CTX *tls = SSL_CTX_new(TLS_client_method());

	if (!tls)
		g_error("smtp: no memory for a TLS context");
	SSL_CTX_set_ex_data(tls, watch_index(), watch);
	SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
	SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_info_callback(tls, on_tls_event);
	SSL_CTX_set_msg_callback(tls, on_record);
	SSL_CTX_set_cert_verify_callback(tls, check_certificate, watch);
	return tls;
}

SSL_CTX *
smtp_tls_new(const struct smtp_relay *relay, struct smtp_dialogue *dialogue, struct smtp_wire *wire,
    GError **error)
{
	struct watch *watch = g_new0(struct watch, 1);
	SSL_CTX *tls = tls_new_context(watch);
	g_autofree char *fault = NULL;
	struct in_addr address;

	watch->relay = relay;
	watch->dialogue = dialogue;
	watch->wire = wire;
	SSL_CTX_set_msg_callback_arg(tls, dialogue);
	if (inet_pton(AF_INET, wanted_name(relay), &address) != 1)
		watch->sni = g_strdup(wanted_name(relay));
	if ((!relay->verifies || check_peer(tls, watch, &fault)) && show_own(tls, relay, &fault))
		return tls;
	smtp_failure_tls(relay, dialogue, fault, error);
	SSL_CTX_free(tls);
	return NULL;
}
