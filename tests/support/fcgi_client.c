/* SPDX-License-Identifier: MIT */
/* Speaks FastCGI 1.0 to a responder. */
#include "tests/support/fcgi_client.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PROTOCOL 1
#define RESPONDER 1
#define KEEP 1
#define REQUEST 1
#define PIECE 32768
#define ANSWER_S 120

enum record { BEGIN = 1, END = 3, PARAMS = 4, INPUT = 5, OUTPUT = 6, COMPLAINT = 7 };

struct header {
	guint8 version, type, request[2], size[2], padding, reserved;
};

struct fcgi_client {
	int fd;
};

static struct sockaddr_un
fcgi_client_address_of(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	g_assert(strlen(path) < sizeof(address.sun_path));
	strcpy(address.sun_path, path);
	return address;
}

int
fcgi_client_listen(const char *path)
{
	struct sockaddr_un address = fcgi_client_address_of(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(fd, 1024) != 0)
		g_error("%s: %s", path, g_strerror(errno));
	return fd;
}

struct fcgi_client *
fcgi_client_connect(const char *path)
{
	struct fcgi_client *client = g_new0(struct fcgi_client, 1);
	struct sockaddr_un address = fcgi_client_address_of(path);
	struct timeval limit = {.tv_sec = ANSWER_S};

	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(client->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		g_error("%s: %s", path, g_strerror(errno));
	return client;
}

void
fcgi_client_free(struct fcgi_client *client)
{
	close(client->fd);
	g_free(client);
}

static bool
fcgi_client_send_all(struct fcgi_client *client, const void *data, gsize size)
{
	for (const char *p = data; size > 0;) {
		ssize_t sent = send(client->fd, p, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return false;
		p += sent;
		size -= (gsize)sent;
	}
	return true;
}

/* data NULL: size 0. */
static bool
send_record(struct fcgi_client *client, enum record type, const void *data, gsize size)
{
	struct header header = {
	    PROTOCOL, (guint8)type, {0, REQUEST}, {(guint8)(size >> 8), (guint8)size}, 0, 0};

	g_assert(size <= G_MAXUINT16);
	return fcgi_client_send_all(client, &header, sizeof(header)) &&
	       (size == 0 || fcgi_client_send_all(client, data, size));
}

void
fcgi_client_begin(struct fcgi_client *client, bool keep)
{
	const guint8 body[8] = {0, RESPONDER, keep ? KEEP : 0};

	if (!send_record(client, BEGIN, body, sizeof(body)))
		g_error("FastCGI: %s", g_strerror(errno));
}

static void
append_length(GString *text, gsize length)
{
	if (length < 0x80) {
		g_string_append_c(text, (char)length);
		return;
	}
	for (int shift = 24; shift >= 0; shift -= 8)
		g_string_append_c(text, (char)(length >> shift | (shift == 24 ? 0x80 : 0)));
}

void
fcgi_client_params(struct fcgi_client *client, const char *const *params)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (; *params; params++) {
		gsize name = strcspn(*params, "="), value = strlen(*params + name + 1);

		append_length(text, name);
		append_length(text, value);
		g_string_append_len(text, *params, (gssize)name);
		g_string_append_len(text, *params + name + 1, (gssize)value);
	}
	if (!send_record(client, PARAMS, text->str, text->len) ||
	    !send_record(client, PARAMS, NULL, 0))
		g_error("FastCGI: %s", g_strerror(errno));
}

bool
fcgi_client_body(struct fcgi_client *client, const void *data, gsize size)
{
	const char *p = data;

	while (size > PIECE) {
		if (!send_record(client, INPUT, p, PIECE))
			return false;
		p += PIECE;
		size -= PIECE;
	}
	return send_record(client, INPUT, p, size);
}

void
fcgi_client_raw(struct fcgi_client *client, const void *data, gsize size)
{
	if (!fcgi_client_send_all(client, data, size))
		g_error("FastCGI: %s", g_strerror(errno));
}

void
fcgi_client_wait_read(struct fcgi_client *client)
{
	gint64 end = g_get_monotonic_time() + ANSWER_S * G_USEC_PER_SEC;
	int unread = 1;

	while (ioctl(client->fd, SIOCOUTQ, &unread) == 0 && unread > 0) {
		if (g_get_monotonic_time() > end)
			g_error("FastCGI: nobody reads");
		g_usleep(1000);
	}
}

/* False at the end of the connection. */
static bool
fcgi_client_read_all(struct fcgi_client *client, void *data, gsize size)
{
	for (char *p = data; size > 0;) {
		ssize_t got = recv(client->fd, p, size, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != ECONNRESET)
			g_error("FastCGI: %s", g_strerror(errno));
		if (got <= 0)
			return false;
		p += got;
		size -= (gsize)got;
	}
	return true;
}

void
fcgi_client_skip(struct fcgi_client *client, gsize size)
{
	g_autofree char *bytes = g_malloc(size);

	if (!fcgi_client_read_all(client, bytes, size))
		g_error("FastCGI: the connection has ended");
}

static void
fcgi_client_split(struct fcgi_answer *answer, const GString *output)
{
	const char *end = strstr(output->str, "\r\n\r\n");

	if (!end)
		return;
	answer->head = g_strndup(output->str, (gsize)(end - output->str) + 2);
	answer->body_size = output->len - (gsize)(end + 4 - output->str);
	answer->body = g_memdup2(end + 4, answer->body_size + 1);
	if (g_str_has_prefix(answer->head, "Status: "))
		answer->status = (guint)atoi(answer->head + strlen("Status: "));
}

struct fcgi_answer
fcgi_client_answer(struct fcgi_client *client)
{
	struct fcgi_answer answer = {0};
	g_autoptr(GString) output = g_string_new(NULL);
	g_autofree char *content = g_malloc(G_MAXUINT16 + G_MAXUINT8);
	struct header header;

	while (!answer.complete && fcgi_client_read_all(client, &header, sizeof(header))) {
		gsize size = (gsize)header.size[0] << 8 | header.size[1];

		if (!fcgi_client_read_all(client, content, size + header.padding))
			break;
		if (header.type == OUTPUT)
			g_string_append_len(output, content, (gssize)size);
		answer.complete = header.type == END;
	}
	fcgi_client_split(&answer, output);
	answer.closed = answer.complete && !fcgi_client_read_all(client, content, 1);
	/* As web servers do; libfcgi waits for it. */
	shutdown(client->fd, SHUT_RDWR);
	return answer;
}

void
fcgi_answer_clear(struct fcgi_answer *answer)
{
	g_free(answer->head);
	g_free(answer->body);
}

struct fcgi_answer
fcgi_client_request(
    const char *socket, const char *method, const char *path, const char *param, const char *body)
{
	struct fcgi_client *client = fcgi_client_connect(socket);
	gsize size = body ? strlen(body) : 0;
	g_autofree char *method_param = g_strconcat("REQUEST_METHOD=", method, NULL);
	g_autofree char *path_param = g_strconcat("PATH_INFO=", path, NULL);
	g_autofree char *size_param = g_strdup_printf("CONTENT_LENGTH=%zu", size);
	const char *params[] = {method_param, path_param, size_param, param, NULL};

	fcgi_client_begin(client, false);
	fcgi_client_params(client, params);
	if (size > 0)
		fcgi_client_body(client, body, size);
	fcgi_client_body(client, NULL, 0);
	struct fcgi_answer answer = fcgi_client_answer(client);
	fcgi_client_free(client);
	return answer;
}
