/* SPDX-License-Identifier: MIT */
/* Serves each connection of the receiver in a thread of its own. */
#include "tests/support/receiver.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct receiver {
	int listener;
	guint port;
	receiver_answer answer;
	void *data;
	GThread *thread;
	GMutex mutex; /* for the members below */
	GCond changed;
	GPtrArray *requests;
	guint connections, open, busy, most;
};

struct peer {
	struct receiver *receiver;
	int socket;
	guint number;
};

static void
free_request(void *data)
{
	struct receiver_request *request = data;

	g_free(request->head);
	g_free(request->body);
	g_free(request);
}

char *
receiver_header(const struct receiver_request *request, const char *name)
{
	g_auto(GStrv) lines = g_strsplit(request->head, "\r\n", -1);
	gsize size = strlen(name);

	for (char **line = lines; *line; line++)
		if (g_ascii_strncasecmp(*line, name, size) == 0 && (*line)[size] == ':')
			return g_strdup(g_strstrip(*line + size + 1));
	return NULL;
}

char *
receiver_say(guint status, const char *body)
{
	return g_strdup_printf(
	    "HTTP/1.1 %u Said\r\nContent-Length: %zu\r\n\r\n%s", status, strlen(body), body);
}

/* Reads a request out of buffer, which keeps what is behind it. NULL when the client is gone. */
static struct receiver_request *
receiver_read_request(const struct peer *peer, GString *buffer)
{
	struct receiver_request *request = g_new0(struct receiver_request, 1);
	char bytes[65536];
	gsize want = 0;

	while (want == 0 || buffer->len < want) {
		char *end = want == 0 ? strstr(buffer->str, "\r\n\r\n") : NULL;

		if (end) {
			request->head = g_strndup(buffer->str, (gsize)(end - buffer->str));
			g_autofree char *length = receiver_header(request, "Content-Length");
			want = (gsize)(end + 4 - buffer->str) +
			       (length ? g_ascii_strtoull(length, NULL, 10) : 0);
			continue;
		}
		ssize_t got = recv(peer->socket, bytes, sizeof(bytes), 0);
		if (got <= 0) {
			free_request(request);
			return NULL;
		}
		g_string_append_len(buffer, bytes, got);
	}
	gsize head = strlen(request->head) + 4;
	request->connection = peer->number;
	request->at = g_get_monotonic_time();
	request->size = want - head;
	request->body = g_strndup(buffer->str + head, request->size);
	g_string_erase(buffer, 0, (gssize)want);
	return request;
}

static void
count_busy(struct receiver *receiver, int change)
{
	g_mutex_lock(&receiver->mutex);
	receiver->busy += (guint)change;
	receiver->most = MAX(receiver->most, receiver->busy);
	g_mutex_unlock(&receiver->mutex);
}

static guint
receiver_keep(struct receiver *receiver, struct receiver_request *request)
{
	g_mutex_lock(&receiver->mutex);
	g_ptr_array_add(receiver->requests, request);
	guint number = receiver->requests->len - 1;
	g_mutex_unlock(&receiver->mutex);
	return number;
}

static void *
receiver_serve(void *data)
{
	struct peer *peer = data;
	struct receiver *receiver = peer->receiver;
	g_autoptr(GString) buffer = g_string_new(NULL);
	struct receiver_request *request;
	bool kept = true;

	while (kept && (request = receiver_read_request(peer, buffer))) {
		count_busy(receiver, 1);
		guint number = receiver_keep(receiver, request);
		g_autofree char *answer = receiver->answer
					      ? receiver->answer(number, request, receiver->data)
					      : receiver_say(200, "ok");
		count_busy(receiver, -1);
		kept = answer && send(peer->socket, answer, strlen(answer), MSG_NOSIGNAL) > 0;
	}
	close(peer->socket);
	g_mutex_lock(&receiver->mutex);
	receiver->open--;
	g_cond_broadcast(&receiver->changed);
	g_mutex_unlock(&receiver->mutex);
	g_free(peer);
	return NULL;
}

static void *
listen_all(void *data)
{
	struct receiver *receiver = data;
	int socket, on = 1;

	while ((socket = accept(receiver->listener, NULL, NULL)) >= 0) {
		struct peer *peer = g_new0(struct peer, 1);

		setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		peer->receiver = receiver;
		peer->socket = socket;
		g_mutex_lock(&receiver->mutex);
		peer->number = ++receiver->connections;
		receiver->open++;
		g_mutex_unlock(&receiver->mutex);
		g_thread_unref(g_thread_new("receiver", receiver_serve, peer));
	}
	return NULL;
}

struct receiver *
receiver_start(receiver_answer answer, void *data)
{
	struct receiver *receiver = g_new0(struct receiver, 1);
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	receiver->answer = answer;
	receiver->data = data;
	receiver->requests = g_ptr_array_new_with_free_func(free_request);
	receiver->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(receiver->listener, (struct sockaddr *)&address, size) != 0 ||
	    listen(receiver->listener, 100) != 0 ||
	    getsockname(receiver->listener, (struct sockaddr *)&address, &size) != 0)
		g_error("the receiver cannot listen: %m");
	receiver->port = ntohs(address.sin_port);
	receiver->thread = g_thread_new("receiver", listen_all, receiver);
	return receiver;
}

void
receiver_stop(struct receiver *receiver)
{
	shutdown(receiver->listener, SHUT_RDWR);
	g_thread_join(receiver->thread);
	close(receiver->listener);
	g_mutex_lock(&receiver->mutex);
	while (receiver->open > 0)
		g_cond_wait(&receiver->changed, &receiver->mutex);
	g_mutex_unlock(&receiver->mutex);
	g_ptr_array_unref(receiver->requests);
	g_free(receiver);
}

guint
receiver_port(const struct receiver *receiver)
{
	return receiver->port;
}

guint
receiver_count(struct receiver *receiver)
{
	g_mutex_lock(&receiver->mutex);
	guint count = receiver->requests->len;
	g_mutex_unlock(&receiver->mutex);
	return count;
}

const struct receiver_request *
receiver_get(struct receiver *receiver, guint number)
{
	g_mutex_lock(&receiver->mutex);
	const struct receiver_request *request = receiver->requests->pdata[number];
	g_mutex_unlock(&receiver->mutex);
	return request;
}

guint
receiver_most(struct receiver *receiver)
{
	g_mutex_lock(&receiver->mutex);
	guint most = receiver->most;
	g_mutex_unlock(&receiver->mutex);
	return most;
}

guint
receiver_connections(struct receiver *receiver)
{
	g_mutex_lock(&receiver->mutex);
	guint connections = receiver->connections;
	g_mutex_unlock(&receiver->mutex);
	return connections;
}
