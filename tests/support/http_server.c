/* SPDX-License-Identifier: MIT */
/* The accept loop and the connections of the test server. */
#include "tests/support/http_server.h"

#include <netdb.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct http_server {
	int listener, port;
	SSL_CTX *tls;
	void (*serve)(struct http_peer *peer, const char *request, void *data);
	void *data;
	GThread *thread;
	GMutex mutex; /* for what follows */
	int count;
	char *last;
};

struct http_peer {
	struct http_server *server;
	int socket;
	SSL *ssl; /* NULL without TLS */
};

static ssize_t
http_server_receive(struct http_peer *peer, void *buffer, size_t size)
{
	if (peer->ssl)
		return SSL_read(peer->ssl, buffer, (int)size);
	return recv(peer->socket, buffer, size, 0);
}

bool
http_peer_send(struct http_peer *peer, const char *bytes, gsize size)
{
	while (size > 0) {
		ssize_t sent = peer->ssl ? SSL_write(peer->ssl, bytes, (int)size)
					 : send(peer->socket, bytes, size, MSG_NOSIGNAL);
		if (sent <= 0)
			return false;
		bytes += sent;
		size -= (gsize)sent;
	}
	return true;
}

bool
http_peer_left(struct http_peer *peer, int timeout_ms)
{
	struct pollfd wait = {peer->socket, POLLIN, 0};
	char ignored[512];

	while (poll(&wait, 1, timeout_ms) > 0)
		if (recv(peer->socket, ignored, sizeof(ignored), 0) <= 0)
			return true;
	return false;
}

void
http_peer_reset(struct http_peer *peer)
{
	struct linger linger = {1, 0};

	setsockopt(peer->socket, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

static char *
http_server_read_request(struct http_peer *peer)
{
	GString *request = g_string_new(NULL);
	char buffer[4096];
	ssize_t size;

	while (!strstr(request->str, "\r\n\r\n") &&
	       (request->len == 0 || g_ascii_isupper(*request->str))) {
		size = http_server_receive(peer, buffer, sizeof(buffer));
		if (size <= 0)
			break;
		g_string_append_len(request, buffer, size);
	}
	return g_string_free(request, FALSE);
}

static void
http_server_answer(struct http_peer *peer)
{
	struct http_server *server = peer->server;
	g_autofree char *request = http_server_read_request(peer);

	if (!*request)
		return;
	g_mutex_lock(&server->mutex);
	g_free(server->last);
	server->last = g_strdup(request);
	g_mutex_unlock(&server->mutex);
	server->serve(peer, request, server->data);
}

static void *
run_peer(void *data)
{
	struct http_peer *peer = data;

	if (peer->server->tls) {
		peer->ssl = SSL_new(peer->server->tls);
		SSL_set_fd(peer->ssl, peer->socket);
	}
	if (!peer->ssl || SSL_accept(peer->ssl) == 1)
		http_server_answer(peer);
	if (peer->ssl)
		SSL_shutdown(peer->ssl);
	SSL_free(peer->ssl);
	close(peer->socket);
	g_free(peer);
	return NULL;
}

/* Until http_server_stop shuts the listener down. */
static void *
http_server_run(void *data)
{
	struct http_server *server = data;
	g_autoptr(GPtrArray) peers = g_ptr_array_new();
	int connection;

	while ((connection = accept(server->listener, NULL, NULL)) >= 0) {
		struct http_peer *peer = g_new0(struct http_peer, 1);
		peer->server = server;
		peer->socket = connection;
		g_mutex_lock(&server->mutex);
		server->count++;
		g_mutex_unlock(&server->mutex);
		g_ptr_array_add(peers, g_thread_new("peer", run_peer, peer));
	}
	for (guint i = 0; i < peers->len; i++)
		g_thread_join(g_ptr_array_index(peers, i));
	return NULL;
}

static void
http_server_listen_at(struct http_server *server, const char *address)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	struct sockaddr_storage name;
	socklen_t size = sizeof(name);
	char port[NI_MAXSERV];

	if (getaddrinfo(address, "0", &hints, &found) != 0)
		g_error("%s is no address", address);
	server->listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(server->listener, found->ai_addr, found->ai_addrlen) != 0 ||
	    listen(server->listener, 16) != 0)
		g_error("cannot listen at %s: %m", address);
	freeaddrinfo(found);
	getsockname(server->listener, (struct sockaddr *)&name, &size);
	getnameinfo((struct sockaddr *)&name, size, NULL, 0, port, sizeof(port), NI_NUMERICSERV);
	server->port = (int)g_ascii_strtoll(port, NULL, 10);
}

struct http_server *
http_server_start(const char *address, SSL_CTX *tls,
    void (*serve)(struct http_peer *peer, const char *request, void *data), void *data)
{
	struct http_server *server = g_new0(struct http_server, 1);

	server->tls = tls;
	server->serve = serve;
	server->data = data;
	server->last = g_strdup("");
	g_mutex_init(&server->mutex);
	http_server_listen_at(server, address);
	server->thread = g_thread_new("server", http_server_run, server);
	return server;
}

void
http_server_stop(struct http_server *server)
{
	shutdown(server->listener, SHUT_RDWR);
	g_thread_join(server->thread);
	close(server->listener);
	g_mutex_clear(&server->mutex);
	g_free(server->last);
	g_free(server);
}

int
http_server_port(struct http_server *server)
{
	return server->port;
}

int
http_server_count(struct http_server *server)
{
	int count;

	g_mutex_lock(&server->mutex);
	count = server->count;
	g_mutex_unlock(&server->mutex);
	return count;
}

char *
http_server_last(struct http_server *server)
{
	char *last;

	g_mutex_lock(&server->mutex);
	last = g_strdup(server->last);
	g_mutex_unlock(&server->mutex);
	return last;
}
