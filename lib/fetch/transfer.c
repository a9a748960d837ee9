/* SPDX-License-Identifier: MIT */
/* Performs one HTTP request, and ends it as soon as the answer is not acceptable. */
#include "fetch/transfer.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/fetch.h"
#include "fetch/address_policy.h"
#include "fetch/curl.h"
#include "fetch/url.h"

static void
note_coding(struct fetch_headers *headers, const char *value, const char *harmless)
{
	if (*value && !headers->coding && g_ascii_strcasecmp(value, harmless) != 0)
		headers->coding = g_strdup(value);
}

void
fetch_headers_note(struct fetch_headers *headers, const char *line, gsize size)
{
	g_autofree char *name = g_strndup(line, size);
	char *value = strchr(name, ':');

	if (!value)
		return;
	*value++ = '\0';
	g_strstrip(value);
	if (g_ascii_strcasecmp(name, "Location") == 0) {
		g_free(headers->location);
		headers->location = g_strdup(value);
	} else if (g_ascii_strcasecmp(name, "Content-Encoding") == 0) {
		note_coding(headers, value, "identity");
	} else if (g_ascii_strcasecmp(name, "Transfer-Encoding") == 0) {
		note_coding(headers, value, "chunked");
	} else if (g_ascii_strcasecmp(name, "Content-Length") == 0) {
		headers->length = g_ascii_strtoull(value, NULL, 10);
	}
}

void
fetch_headers_clear(struct fetch_headers *headers)
{
	g_free(headers->location);
	g_free(headers->coding);
	*headers = (struct fetch_headers){0};
}

/* The error of curl for a header line above its own limit, which is higher than ours. */
#if LIBCURL_VERSION_NUM >= 0x080600
#define LINE_TOO_LONG CURLE_TOO_LARGE
#else
#define LINE_TOO_LONG CURLE_OUT_OF_MEMORY
#endif

struct transfer {
	CURL *handle;
	const struct fetch_limits *limits;
	gsize header_bytes; /* of all headers, including those of interim answers */
	struct fetch_headers headers;
	bool in_body; /* the headers of the final answer have ended */
	GString *body;
	enum fetch_verdict verdict; /* on the last address that was not permitted */
	bool is_refused;	    /* there was one */
	guint port;		    /* its port */
	char trouble[CURL_ERROR_SIZE];
	GError *error; /* the reason if we ended the transfer, else NULL */
};

G_GNUC_PRINTF(3, 4)
static size_t
transfer_end(struct transfer *transfer, enum ph_error code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_clear_error(&transfer->error);
	transfer->error = g_error_new_valist(PH_ERROR, code, format, arguments);
	va_end(arguments);
	return 0; /* makes curl end the transfer */
}

/* Called by curl with the address to which it connects next. */
static curl_socket_t
transfer_open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct transfer *transfer = data;

	enum fetch_verdict verdict =
	    purpose == CURLSOCKTYPE_IPCXN
		? fetch_address_policy_judge(&address->addr, transfer->limits->rules)
		: FETCH_PRIVATE;

	if (verdict == FETCH_PERMITTED)
		return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	transfer->verdict = verdict;
	transfer->is_refused = true;
	transfer->port =
	    ntohs(((const struct sockaddr_in *)(const void *)&address->addr)->sin_port);
	return CURL_SOCKET_BAD;
}

/* A tenant does not learn to which inner address a name leads, nor the addresses of this machine.
 */
static size_t
transfer_refuse(struct transfer *transfer, enum fetch_verdict verdict)
{
	return verdict == FETCH_PORT
		   ? transfer_end(
			 transfer, PH_ERROR_INVALID, "port %u is not permitted", transfer->port)
		   : transfer_end(transfer, PH_ERROR_INVALID, "not a public address");
}

#if LIBCURL_VERSION_NUM >= 0x075000
/* Called by curl after it has connected and before it sends the request. */
static int
transfer_check_connection(void *data, char *peer, char *local, int peer_port, int local_port)
{
	struct transfer *transfer = data;

	if (!fetch_address_policy_is_self(peer, local, transfer->limits->rules))
		return CURL_PREREQFUNC_OK;
	transfer_refuse(transfer, FETCH_OWN);
	return CURL_PREREQFUNC_ABORT;
}
#endif

static long
transfer_status(struct transfer *transfer)
{
	long code = 0;

	fetch_curl()->easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &code);
	return code;
}

static bool
is_redirect(long code)
{
	return code == 301 || code == 302 || code == 303 || code == 307 || code == 308;
}

static size_t
transfer_too_large(struct transfer *transfer)
{
	return transfer_end(transfer, PH_ERROR_TOO_LARGE,
	    "it is larger than %" G_GSIZE_FORMAT " bytes", transfer->limits->max_bytes);
}

static size_t
too_many_headers(struct transfer *transfer)
{
	return transfer_end(transfer, PH_ERROR_INVALID,
	    "the server sends more than %d bytes of headers", LIMIT_FETCH_HEADER_BYTES);
}

/* Ends an unwanted answer before its body comes. */
static size_t
judge_headers(struct transfer *transfer, size_t size)
{
	long code = transfer_status(transfer);
	g_autofree char *coding = NULL;

	if (code >= 100 && code < 200 && code != 101)
		return size;
	transfer->in_body = true;
	if (is_redirect(code) && transfer->headers.location)
		return 0;
	if (code != 200)
		return transfer_end(transfer,
		    code == 404 || code == 410 ? PH_ERROR_NOT_FOUND : PH_ERROR_INVALID,
		    "the server answered %ld", code);
	if (transfer->headers.coding) {
		coding = fetch_url_show(transfer->headers.coding);
		return transfer_end(transfer, PH_ERROR_INVALID,
		    "the server sends it encoded (%s), which was not asked for", coding);
	}
	if (transfer->headers.length > transfer->limits->max_bytes)
		return transfer_too_large(transfer);
	return size;
}

static size_t
transfer_take_header(char *line, size_t unit, size_t count, void *data)
{
	struct transfer *transfer = data;
	size_t size = unit * count;

	transfer->header_bytes += size;
	if (transfer->header_bytes > LIMIT_FETCH_HEADER_BYTES)
		return too_many_headers(transfer);
	if (transfer->in_body) /* trailers */
		return size;
	if (*line == '\r' || *line == '\n')
		return judge_headers(transfer, size);
	if (size > 5 && strncmp(line, "HTTP/", 5) == 0)
		fetch_headers_clear(&transfer->headers); /* these were of an interim answer */
	else
		fetch_headers_note(&transfer->headers, line, size);
	return size;
}

static size_t
transfer_take_body(char *bytes, size_t unit, size_t count, void *data)
{
	struct transfer *transfer = data;
	size_t size = unit * count;

	if (size > transfer->limits->max_bytes - transfer->body->len)
		return transfer_too_large(transfer);
	g_string_append_len(transfer->body, bytes, (gssize)size);
	return size;
}

static void
transfer_set_options(struct transfer *transfer, const char *url, gint64 remaining)
{
	const struct fetch_curl *curl = fetch_curl();
	CURL *handle = transfer->handle;

	curl->easy_setopt(handle, CURLOPT_URL, url);
	curl->easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)MIN(remaining, G_MAXINT));
	if (transfer->limits->tls_ca)
		curl->easy_setopt(handle, CURLOPT_CAINFO, transfer->limits->tls_ca);
	curl->easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer->trouble);
	curl->easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, transfer_open_socket);
	curl->easy_setopt(handle, CURLOPT_OPENSOCKETDATA, transfer);
#if LIBCURL_VERSION_NUM >= 0x075000
	curl->easy_setopt(handle, CURLOPT_PREREQFUNCTION, transfer_check_connection);
	curl->easy_setopt(handle, CURLOPT_PREREQDATA, transfer);
#endif
	curl->easy_setopt(handle, CURLOPT_HEADERFUNCTION, transfer_take_header);
	curl->easy_setopt(handle, CURLOPT_HEADERDATA, transfer);
	curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, transfer_take_body);
	curl->easy_setopt(handle, CURLOPT_WRITEDATA, transfer);
}

static void
explain_lateness(struct transfer *transfer)
{
	gint64 given = transfer->limits->deadline - transfer->limits->started;

	if (given <= 0)
		transfer_end(transfer, PH_ERROR_INVALID, "there was no time left for it");
	else if (given < 2000)
		transfer_end(transfer, PH_ERROR_INVALID, "it took longer than %d ms", (int)given);
	else
		transfer_end(transfer, PH_ERROR_INVALID, "it took longer than %d seconds",
		    (int)MIN((given + 500) / 1000, G_MAXINT));
}

static void
transfer_explain_no_connection(struct transfer *transfer)
{
	long number = 0;

	fetch_curl()->easy_getinfo(transfer->handle, CURLINFO_OS_ERRNO, &number);
	if (transfer->is_refused)
		transfer_refuse(transfer, transfer->verdict);
	else if (number == ECONNREFUSED)
		transfer_end(transfer, PH_ERROR_INVALID, "the server refuses connections");
	else
		transfer_end(transfer, PH_ERROR_INVALID, "the server cannot be reached");
}

/* Sets an error for a result of curl; uses curl's own words only if there are no better ones. */
static void
transfer_explain(struct transfer *transfer, CURLcode result)
{
	g_autofree char *trouble = fetch_url_show(
	    *transfer->trouble ? transfer->trouble : fetch_curl()->easy_strerror(result));

	switch (result) {
	case CURLE_OPERATION_TIMEDOUT:
		explain_lateness(transfer);
		break;
	case CURLE_COULDNT_CONNECT:
		transfer_explain_no_connection(transfer);
		break;
	case CURLE_COULDNT_RESOLVE_HOST:
		transfer_end(transfer, PH_ERROR_INVALID, "the name does not resolve");
		break;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		transfer_end(transfer, PH_ERROR_INVALID, "the server does not answer in HTTP");
		break;
	case CURLE_GOT_NOTHING:
		transfer_end(transfer, PH_ERROR_INVALID, "the server gives no answer");
		break;
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
		transfer_end(
		    transfer, PH_ERROR_INVALID, "the connection ended before the file did");
		break;
	case LINE_TOO_LONG:
		too_many_headers(transfer);
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CONNECT_ERROR:
		transfer_end(transfer, PH_ERROR_INVALID, "TLS: %s", trouble);
		break;
	default:
		transfer_end(transfer, PH_ERROR_INVALID, "%s", trouble);
	}
}

static void
transfer_perform(struct transfer *transfer, const char *url)
{
	gint64 remaining = transfer->limits->deadline - base_clock_boot();
	CURLcode result;

	if (remaining <= 0) {
		explain_lateness(transfer);
		return;
	}
	transfer_set_options(transfer, url, remaining);
	result = fetch_curl()->easy_perform(transfer->handle);
	if (transfer->error || (transfer->in_body && is_redirect(transfer_status(transfer))))
		return;
	if (result != CURLE_OK)
		transfer_explain(transfer, result);
	else if (!transfer->in_body) /* HTTP/0.9, which curl before 7.66 accepts */
		transfer_end(transfer, PH_ERROR_INVALID, "the server does not answer in HTTP");
}

bool
fetch_transfer_run(const char *url, const struct fetch_limits *limits, GBytes **body_r,
    char **location_r, GError **error)
{
	g_autoptr(CURL) handle = fetch_curl_new();
	struct transfer transfer = {.handle = handle, .limits = limits, .body = g_string_new(NULL)};
	g_autoptr(GBytes) body = NULL;
	bool redirected;

	transfer_perform(&transfer, url);
	body = g_string_free_to_bytes(transfer.body);
	redirected = is_redirect(transfer_status(&transfer));
	*body_r = transfer.error || redirected ? NULL : g_steal_pointer(&body);
	*location_r = transfer.error || !redirected ? NULL : g_strdup(transfer.headers.location);
	fetch_headers_clear(&transfer.headers);
	if (transfer.error)
		g_propagate_error(error, transfer.error);
	return *body_r || *location_r;
}
