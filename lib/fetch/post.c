/* SPDX-License-Identifier: MIT */
/* Makes many POST requests at once, in a thread of its own, with kept connections. */
#include "fetch/post.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/limits/fetch.h"
#include "base/limits/webhook.h"
#include "fetch/curl.h"
#include "fetch/url.h"

#define POLL_MS 250

struct fetch_lane {
	char *host;
	/* The members below belong to the poster's thread. */
	GQueue waiting; /* of struct fetch_post */
	guint running;
	bool listed; /* among the poster's lanes */
	bool is_halted;
	guint halted; /* posts up to this generation do not begin */
};

/* A handle of curl, with the post that it makes. */
struct exchange {
	struct fetch_poster *poster;
	CURL *handle;
	struct fetch_post *post;
	struct curl_slist *headers;
	bool in_body; /* the header is complete */
	gsize header_bytes, body_bytes;
	gint64 headed;		    /* when the header was complete, on base_clock_boot */
	enum fetch_verdict verdict; /* on the last address that was not permitted */
	guint port;		    /* its port */
	const char *fault;	    /* why we ended the exchange, NULL: we did not */
	gint64 begun;		    /* on base_clock_boot */
};

struct fetch_poster {
	const struct fetch_rules *rules;
	guint connections, host_connections;
	char *tls_ca;
	GThread *thread;
	GAsyncQueue *incoming, *done; /* of struct fetch_post */
	CURLM *multi;
	int halted, ended; /* atomic */
	/* The members below belong to the thread. */
	GQueue lanes;	   /* of struct fetch_lane with waiting posts */
	GQueue idle;	   /* of struct exchange */
	GHashTable *hosts; /* host → number of posts under way */
	GPtrArray *busy;   /* of struct exchange */
	guint slow;
};

struct fetch_lane *
fetch_lane_new(const char *host)
{
	struct fetch_lane *lane = g_new0(struct fetch_lane, 1);

	lane->host = g_strdup(host);
	g_queue_init(&lane->waiting);
	return lane;
}

void
fetch_lane_free(struct fetch_lane *lane)
{
	g_free(lane->host);
	g_free(lane);
}

char *
fetch_post_host(const char *url)
{
	g_autofree char *parsed = fetch_url_parse(url);
	guint port;

	if (!parsed)
		return NULL;
	g_autofree char *host = fetch_url_host(parsed, &port);
	g_autofree char *lower = g_ascii_strdown(host, -1);
	return g_strdup_printf("%s:%u", lower, port);
}

void
fetch_post_free(struct fetch_post *post)
{
	g_free(post->url);
	g_strfreev(post->headers);
	g_clear_pointer(&post->body, g_bytes_unref);
	if (post->text)
		g_string_free(post->text, TRUE);
	g_free(post->error);
	g_free(post);
}

bool
fetch_post_succeeded(const struct fetch_post *post)
{
	return post->status >= 200 && post->status < 300;
}

/* Also of an address of this machine: tenants do not learn which ones it has. */
#define NOT_PUBLIC "The host has no public address"

/* Called by curl with the address to which it connects next. */
static curl_socket_t
post_open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct exchange *exchange = data;

	exchange->verdict =
	    purpose == CURLSOCKTYPE_IPCXN
		? fetch_address_policy_judge(&address->addr, exchange->poster->rules)
		: FETCH_PRIVATE;
	if (exchange->verdict == FETCH_PERMITTED)
		return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	exchange->port =
	    ntohs(((const struct sockaddr_in *)(const void *)&address->addr)->sin_port);
	return CURL_SOCKET_BAD;
}

#if LIBCURL_VERSION_NUM >= 0x075000
/* Called by curl after it has connected and before it sends the request. */
static int
post_check_connection(void *data, char *peer, char *local, int peer_port, int local_port)
{
	struct exchange *exchange = data;

	if (!fetch_address_policy_is_self(peer, local, exchange->poster->rules))
		return CURL_PREREQFUNC_OK;
	exchange->fault = NOT_PUBLIC;
	return CURL_PREREQFUNC_ABORT;
}
#endif

static guint
post_status_of(const struct exchange *exchange)
{
	long code = 0;

	fetch_curl()->easy_getinfo(exchange->handle, CURLINFO_RESPONSE_CODE, &code);
	return (guint)code;
}

/* The time that a value of Retry-After asks to wait: seconds, or a date (RFC 9110, 10.2.3). */
static gint64
post_read_retry(const char *value)
{
	struct tm date = {0};
	gint64 seconds;

	if (g_ascii_string_to_signed(value, 10, 0, G_MAXINT32, &seconds, NULL))
		return seconds * 1000;
	const char *end = strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &date);
	if (!end || *end)
		return 0;
	return MAX(0, (gint64)timegm(&date) * 1000 - base_clock_now());
}

static void
post_note_retry(struct fetch_post *post, const char *line, size_t size)
{
	static const char name[] = "Retry-After:";

	if (size <= strlen(name) || g_ascii_strncasecmp(line, name, strlen(name)) != 0)
		return;
	g_autofree char *value = g_strndup(line + strlen(name), size - strlen(name));
	post->retry_after = post_read_retry(g_strstrip(value));
}

static size_t
post_take_header(char *line, size_t unit, size_t count, void *data)
{
	struct exchange *exchange = data;
	size_t size = unit * count;

	exchange->header_bytes += size;
	if (exchange->header_bytes > LIMIT_FETCH_HEADER_BYTES) {
		exchange->fault = "The server sends too many headers";
		return 0;
	}
	if (!exchange->in_body)
		post_note_retry(exchange->post, line, size);
	if (exchange->in_body || (*line != '\r' && *line != '\n'))
		return size;
	guint status = post_status_of(exchange);
	exchange->in_body = status < 100 || status >= 200 || status == 101;
	exchange->headed = base_clock_boot();
	return size;
}

static gsize
post_most(const struct fetch_post *post)
{
	return post->most > 0 ? post->most : LIMIT_WEBHOOK_ANSWER_BYTES;
}

static size_t
post_take_body(char *bytes, size_t unit, size_t count, void *data)
{
	struct exchange *exchange = data;
	GString *text = exchange->post->text;
	size_t size = unit * count;

	exchange->body_bytes += size;
	g_string_append_len(text, bytes, (gssize)MIN(size, post_most(exchange->post) - text->len));
	return exchange->body_bytes < LIMIT_WEBHOOK_BODY_BYTES ? size : 0;
}

/* Sets the options that are the same for each post. */
static struct exchange *
new_exchange(struct fetch_poster *poster)
{
	const struct fetch_curl *curl = fetch_curl();
	struct exchange *exchange = g_new0(struct exchange, 1);
	CURL *handle = fetch_curl_new();

	exchange->poster = poster;
	exchange->handle = handle;
	/* Each new connection looks the name up. */
	curl->easy_setopt(handle, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
	if (poster->tls_ca)
		curl->easy_setopt(handle, CURLOPT_CAINFO, poster->tls_ca);
	curl->easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, post_open_socket);
	curl->easy_setopt(handle, CURLOPT_OPENSOCKETDATA, exchange);
#if LIBCURL_VERSION_NUM >= 0x075000
	curl->easy_setopt(handle, CURLOPT_PREREQFUNCTION, post_check_connection);
	curl->easy_setopt(handle, CURLOPT_PREREQDATA, exchange);
#endif
	curl->easy_setopt(handle, CURLOPT_HEADERFUNCTION, post_take_header);
	curl->easy_setopt(handle, CURLOPT_HEADERDATA, exchange);
	curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, post_take_body);
	curl->easy_setopt(handle, CURLOPT_WRITEDATA, exchange);
	curl->easy_setopt(handle, CURLOPT_PRIVATE, exchange);
	return exchange;
}

static void
post_free_exchange(struct exchange *exchange)
{
	fetch_curl_free(exchange->handle);
	g_free(exchange);
}

static void
count_host(struct fetch_poster *poster, const char *host, int change)
{
	guint count = GPOINTER_TO_UINT(g_hash_table_lookup(poster->hosts, host)) + (guint)change;

	if (count == 0)
		g_hash_table_remove(poster->hosts, host);
	else
		g_hash_table_replace(poster->hosts, g_strdup(host), GUINT_TO_POINTER(count));
}

static guint
post_timeout(const struct fetch_post *post)
{
	return post->timeout_ms > 0 ? post->timeout_ms : LIMIT_WEBHOOK_MS;
}

/* Sets the method, which the handle may have had another of before, and the body. */
static void
post_set_body(CURL *handle, const struct fetch_post *post)
{
	const struct fetch_curl *curl = fetch_curl();
	gsize size = 0;
	const void *body = post->body ? g_bytes_get_data(post->body, &size) : NULL;

	if (post->body || !post->method) {
		curl->easy_setopt(handle, CURLOPT_POST, 1L);
		curl->easy_setopt(handle, CURLOPT_POSTFIELDS, body ? body : "");
		curl->easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	} else {
		curl->easy_setopt(handle, CURLOPT_HTTPGET, 1L);
	}
	curl->easy_setopt(handle, CURLOPT_CUSTOMREQUEST, post->method);
}

static void
post_begin(struct fetch_poster *poster, struct fetch_post *post)
{
	const struct fetch_curl *curl = fetch_curl();
	struct exchange *exchange = g_queue_pop_head(&poster->idle);

	if (!exchange)
		exchange = new_exchange(poster);
	*exchange = (struct exchange){
	    .poster = poster, .handle = exchange->handle, .post = post, .begun = base_clock_boot()};
	for (char **header = post->headers; *header; header++)
		exchange->headers = curl->slist_append(exchange->headers, *header);
	/* Otherwise curl asks before it sends a large body. */
	exchange->headers = curl->slist_append(exchange->headers, "Expect:");
	curl->easy_setopt(exchange->handle, CURLOPT_URL, post->url);
	curl->easy_setopt(exchange->handle, CURLOPT_HTTPHEADER, exchange->headers);
	curl->easy_setopt(exchange->handle, CURLOPT_TIMEOUT_MS, (long)post_timeout(post));
	post_set_body(exchange->handle, post);
	post->text = g_string_new(NULL);
	post->begun = base_clock_now();
	post->lane->running++;
	count_host(poster, post->lane->host, 1);
	poster->slow += post->slow;
	g_ptr_array_add(poster->busy, exchange);
	curl->multi_add_handle(poster->multi, exchange->handle);
}

static char *
post_explain_no_connection(struct exchange *exchange)
{
	long number = 0;

	fetch_curl()->easy_getinfo(exchange->handle, CURLINFO_OS_ERRNO, &number);
	switch (exchange->verdict) {
	case FETCH_PORT:
		return g_strdup_printf("Port %u is not permitted", exchange->port);
	case FETCH_OWN:
	case FETCH_PRIVATE:
		return g_strdup(NOT_PUBLIC);
	case FETCH_PERMITTED:
		break;
	}
	exchange->post->reason = (int)number;
	return g_strdup(number == ECONNREFUSED ? "The server refuses connections"
					       : "The server cannot be reached");
}

static char *
post_explain(struct exchange *exchange, CURLcode result)
{
	guint seconds = post_timeout(exchange->post) / 1000;

	if (exchange->fault)
		return g_strdup(exchange->fault);
	switch (result) {
	case CURLE_OPERATION_TIMEDOUT:
		return g_strdup_printf(
		    "There was no answer within %u second%s", seconds, seconds == 1 ? "" : "s");
	case CURLE_COULDNT_CONNECT:
		return post_explain_no_connection(exchange);
	case CURLE_COULDNT_RESOLVE_HOST:
		return g_strdup("The host's name does not resolve");
	case CURLE_OK: /* HTTP/0.9, which curl before 7.66 accepts */
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		return g_strdup("The server does not answer in HTTP");
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		return g_strdup("The server ended the connection without an answer");
	case CURLE_PEER_FAILED_VERIFICATION:
		return g_strdup("TLS: the server's certificate is not trusted for this host");
	case CURLE_SSL_CONNECT_ERROR:
		return g_strdup("TLS: the server and we agree on no connection");
	default:
		return g_strdup_printf(
		    "The request failed: %s", fetch_curl()->easy_strerror(result));
	}
}

static void
hand_back(struct fetch_poster *poster, struct fetch_post *post, bool unsent)
{
	post->unsent = unsent;
	g_async_queue_push(poster->done, post);
}

/* The caller may free the lane as soon as its last post is handed back. */
static void
post_halt(struct fetch_poster *poster, struct fetch_lane *lane, guint generation)
{
	GQueue waiting = lane->waiting;
	struct fetch_post *post;

	g_queue_init(&lane->waiting);
	if (lane->listed)
		g_queue_remove(&poster->lanes, lane);
	lane->listed = false;
	lane->is_halted = true;
	lane->halted = MAX(lane->halted, generation);
	while ((post = g_queue_pop_head(&waiting)))
		hand_back(poster, post, true);
}

static void
post_finish(struct fetch_poster *poster, struct exchange *exchange, CURLcode result)
{
	struct fetch_post *post = exchange->post;

	post->ended = base_clock_now();
	post->status = exchange->in_body && !exchange->fault ? post_status_of(exchange) : 0;
	if (post->status == 0)
		post->error = post_explain(exchange, result);
	fetch_curl()->multi_remove_handle(poster->multi, exchange->handle);
	fetch_curl()->slist_free_all(exchange->headers);
	g_ptr_array_remove_fast(poster->busy, exchange);
	g_queue_push_head(&poster->idle, exchange);
	count_host(poster, post->lane->host, -1);
	poster->slow -= post->slow;
	post->lane->running--;
	post->halted =
	    !fetch_post_succeeded(post) || base_clock_boot() - exchange->begun > FETCH_PROMPT_MS;
	if (post->halted)
		post_halt(poster, post->lane, post->generation);
	hand_back(poster, post, false);
}

/* Puts a post that came in into its lane. */
static void
accept_post(struct fetch_poster *poster, struct fetch_post *post)
{
	struct fetch_lane *lane = post->lane;

	if (g_atomic_int_get(&poster->halted) ||
	    (lane->is_halted && post->generation <= lane->halted)) {
		hand_back(poster, post, true);
		return;
	}
	g_queue_push_tail(&lane->waiting, post);
	if (!lane->listed)
		g_queue_push_tail(&poster->lanes, lane);
	lane->listed = true;
}

static bool
may_begin(struct fetch_poster *poster, const struct fetch_lane *lane)
{
	const struct fetch_post *post = g_queue_peek_head((GQueue *)&lane->waiting);
	guint to_host = GPOINTER_TO_UINT(g_hash_table_lookup(poster->hosts, lane->host));

	return post && lane->running < post->width && to_host < poster->host_connections &&
	       (!post->slow || poster->slow < MAX(1, poster->connections / 2));
}

/* Begins posts, one of each lane in turn. */
static void
begin_some(struct fetch_poster *poster)
{
	guint refused = 0;

	while (refused < poster->lanes.length && poster->busy->len < poster->connections) {
		struct fetch_lane *lane = g_queue_pop_head(&poster->lanes);
		bool begins = may_begin(poster, lane);

		if (begins)
			post_begin(poster, g_queue_pop_head(&lane->waiting));
		refused = begins ? 0 : refused + 1;
		lane->listed = lane->waiting.length > 0;
		if (lane->listed)
			g_queue_push_tail(&poster->lanes, lane);
	}
}

/* Hands back the posts that wait in front of their lanes and cannot begin in time. */
static void
post_give_up_late(struct fetch_poster *poster)
{
	gint64 now = base_clock_boot();

	for (GList *link = poster->lanes.head, *next; link; link = next) {
		struct fetch_lane *lane = link->data;
		const struct fetch_post *post = g_queue_peek_head(&lane->waiting);

		next = link->next;
		if (post->begin_by == 0 || post->begin_by > now)
			continue;
		struct fetch_post *late = g_queue_pop_head(&lane->waiting);
		lane->listed = lane->waiting.length > 0;
		if (!lane->listed)
			g_queue_delete_link(&poster->lanes, link);
		hand_back(poster, late, true);
	}
}

static void
halt_all(struct fetch_poster *poster)
{
	struct fetch_lane *lane;

	while ((lane = g_queue_peek_head(&poster->lanes)))
		post_halt(poster, lane, lane->halted);
}

/* Ends bodies that do not end by themselves. */
static void
end_bodies(struct fetch_poster *poster)
{
	gint64 now = base_clock_boot();

	for (guint i = poster->busy->len; i > 0; i--) {
		struct exchange *exchange = poster->busy->pdata[i - 1];

		if (exchange->in_body && now - exchange->headed > FETCH_PROMPT_MS)
			post_finish(poster, exchange, CURLE_OK);
	}
}

static void
post_work(struct fetch_poster *poster)
{
	const struct fetch_curl *curl = fetch_curl();
	struct fetch_post *post;
	CURLMsg *message;
	int count;
	bool ended = false;

	while ((post = g_async_queue_try_pop(poster->incoming)))
		accept_post(poster, post);
	if (g_atomic_int_get(&poster->halted))
		halt_all(poster);
	post_give_up_late(poster);
	begin_some(poster);
	curl->multi_perform(poster->multi, &count);
	while ((message = curl->multi_info_read(poster->multi, &count))) {
		struct exchange *exchange = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
		post_finish(poster, exchange, message->data.result);
		ended = true;
	}
	end_bodies(poster);
	if (!ended)
		curl->multi_poll(poster->multi, NULL, 0, POLL_MS, NULL);
}

static void *
post_run(void *data)
{
	struct fetch_poster *poster = data;
	struct exchange *exchange;

	while (!g_atomic_int_get(&poster->ended))
		post_work(poster);
	while (poster->busy->len > 0) {
		exchange = poster->busy->pdata[0];
		exchange->fault = "The sender was ended";
		post_finish(poster, exchange, CURLE_OK);
	}
	g_atomic_int_set(&poster->halted, 1);
	halt_all(poster);
	while ((exchange = g_queue_pop_head(&poster->idle)))
		post_free_exchange(exchange);
	return NULL;
}

struct fetch_poster *
fetch_poster_new(
    const struct fetch_rules *rules, guint connections, guint host_connections, const char *tls_ca)
{
	struct fetch_poster *poster = g_new0(struct fetch_poster, 1);

	poster->rules = rules;
	poster->connections = connections;
	poster->host_connections = host_connections;
	poster->tls_ca = g_strdup(tls_ca);
	poster->incoming = g_async_queue_new_full(fetch_post_destroy);
	poster->done = g_async_queue_new_full(fetch_post_destroy);
	poster->hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	poster->busy = g_ptr_array_new();
	poster->multi = fetch_curl()->multi_init();
	if (!poster->multi)
		g_error("libcurl has no handle for us");
	/* Kept connections count too. */
	fetch_curl()->multi_setopt(
	    poster->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)connections);
	fetch_curl()->multi_setopt(
	    poster->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)host_connections);
	fetch_curl()->multi_setopt(poster->multi, CURLMOPT_MAXCONNECTS, (long)connections);
	poster->thread = g_thread_new("post", post_run, poster);
	return poster;
}

void
fetch_poster_send(struct fetch_poster *poster, struct fetch_post *post)
{
	bool was_empty = g_async_queue_length(poster->incoming) <= 0;

	g_async_queue_push(poster->incoming, post);
	if (was_empty)
		fetch_curl()->multi_wakeup(poster->multi);
}

struct fetch_post *
fetch_poster_take(struct fetch_poster *poster, gint64 wait_ms)
{
	if (wait_ms <= 0)
		return g_async_queue_try_pop(poster->done);
	return g_async_queue_timeout_pop(poster->done, (guint64)wait_ms * 1000);
}

void
fetch_poster_halt(struct fetch_poster *poster)
{
	g_atomic_int_set(&poster->halted, 1);
	fetch_curl()->multi_wakeup(poster->multi);
}

void
fetch_poster_free(struct fetch_poster *poster)
{
	g_atomic_int_set(&poster->ended, 1);
	fetch_curl()->multi_wakeup(poster->multi);
	g_thread_join(poster->thread);
	fetch_curl()->multi_cleanup(poster->multi);
	g_async_queue_unref(poster->incoming);
	g_async_queue_unref(poster->done);
	g_hash_table_unref(poster->hosts);
	g_ptr_array_unref(poster->busy);
	g_free(poster->tls_ca);
	g_free(poster);
}
