/* SPDX-License-Identifier: MIT */
/* Makes TLS contexts for libesmtp. */
#include "smtp/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include "base/error.h"

/* The application data of an SSL_CTX. */
struct watch {
	struct smtp_dialogue *dialogue;
	char *sni; /* NULL for an address */
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

	if (dialogue->step >= DIALOGUE_HANDSHAKE)
		return;
	dialogue->injected = !smtp_dialogue_is_one_reply(dialogue);
	dialogue->step = DIALOGUE_HANDSHAKE;
	dialogue->over = dialogue->injected;
	if (dialogue->injected)
		shutdown(SSL_get_fd(ssl), SHUT_RDWR);
	if (watch->sni)
		SSL_set_tlsext_host_name(ssl, watch->sni);
}

static void
on_tls_event(const SSL *ssl, int where, int value)
{
	const struct watch *watch = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), watch_index());

	if (where & SSL_CB_HANDSHAKE_START)
		begin_handshake((SSL *)ssl, watch); /* OpenSSL's own programs also set SNI
						       here, despite the const */
	if ((where & SSL_CB_WRITE_ALERT) == SSL_CB_WRITE_ALERT &&
	    SSL_get_verify_result(ssl) != X509_V_OK)
		watch->dialogue->refused =
		    X509_verify_cert_error_string(SSL_get_verify_result(ssl));
}

static bool
check_peer(SSL_CTX *tls, const struct smtp_relay *relay, GError **error)
{
	X509_VERIFY_PARAM *param = SSL_CTX_get0_param(tls);
	struct in_addr address;
	bool is_file = relay->tls_ca[0] != '\0';

	SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
	X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (inet_pton(AF_INET, relay->host, &address) == 1)
		X509_VERIFY_PARAM_set1_ip_asc(param, relay->host);
	else
		X509_VERIFY_PARAM_set1_host(param, relay->host, 0);
	if (is_file ? SSL_CTX_load_verify_locations(tls, relay->tls_ca, NULL)
		    : SSL_CTX_set_default_verify_paths(tls))
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "The CA certificates%s%s cannot be read.",
	    is_file ? " in " : "", relay->tls_ca);
	return false;
}

SSL_CTX *
smtp_tls_new(const struct smtp_relay *relay, struct smtp_dialogue *dialogue, GError **error)
{
	SSL_CTX *tls = SSL_CTX_new(TLS_client_method());
	struct in_addr address;

	if (!tls)
		g_error("smtp: no memory for a TLS context");
	struct watch *watch = g_new0(struct watch, 1);
	watch->dialogue = dialogue;
	if (inet_pton(AF_INET, relay->host, &address) != 1)
		watch->sni = g_strdup(relay->host);
	SSL_CTX_set_ex_data(tls, watch_index(), watch);
	SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
	SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_info_callback(tls, on_tls_event);
	if (!relay->verifies || check_peer(tls, relay, error))
		return tls;
	SSL_CTX_free(tls);
	return NULL;
}
