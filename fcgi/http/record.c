/* SPDX-License-Identifier: MIT */
/* Writes replies to the web server as FastCGI records, and reads parameters of its requests. */
#include "fcgi/http/record.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <fastcgi.h>

#define RECORDS 16 /* sent with one call */
/* The headers of the records, their slices of parts, and the ending. */
#define VECTORS (RECORDS + RECORDS + RECORD_PARTS + 1)
#define HEAD_BYTES 4096 /* of a request, in which its method and the size of its body stand */
#define BEGIN_BYTES 16	/* of the record before the parameters, which may come by itself */
#define HEAD_LOOKS 10	/* for the head: the web server sends it as it connects */
#define HEAD_MS 1	/* the wait for the first byte */
#define HEAD_US 100	/* the wait for further ones */
#define STORED_BYTES (64 * 1024) /* the most of the body of a request that storers take */

struct sending {
	int socket;
	guint16 request;
	struct iovec vectors[VECTORS];
	FCGI_Header headers[RECORDS];
	guint vector_count, record_count;
};

/* The end of each reply. */
struct ending {
	FCGI_Header end_of_output;
	FCGI_EndRequestRecord end_of_request;
};

static FCGI_Header
record_header_of(guint8 type, guint16 request, gsize size)
{
	return (FCGI_Header){.version = FCGI_VERSION_1,
	    .type = type,
	    .requestIdB1 = (guint8)(request >> 8),
	    .requestIdB0 = (guint8)request,
	    .contentLengthB1 = (guint8)(size >> 8),
	    .contentLengthB0 = (guint8)size};
}

/* Takes what was sent off the vectors. */
static void
record_skip(struct msghdr *message, gsize sent)
{
	while (message->msg_iovlen > 0 && sent >= message->msg_iov->iov_len) {
		sent -= message->msg_iov->iov_len;
		message->msg_iov++;
		message->msg_iovlen--;
	}
	if (sent > 0) {
		message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + sent;
		message->msg_iov->iov_len -= sent;
	}
}

static bool
record_flush(struct sending *sending)
{
	struct msghdr message = {.msg_iov = sending->vectors, .msg_iovlen = sending->vector_count};

	while (message.msg_iovlen > 0) {
		ssize_t sent = sendmsg(sending->socket, &message, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return false;
		record_skip(&message, sent > 0 ? (gsize)sent : 0);
	}
	sending->vector_count = sending->record_count = 0;
	return true;
}

static void
record_add(struct sending *sending, const void *data, gsize size)
{
	g_assert(sending->vector_count < VECTORS);
	sending->vectors[sending->vector_count++] = (struct iovec){(void *)data, size};
}

/* Begins a record with so many bytes of content, which the caller adds. */
static bool
record_begin(struct sending *sending, gsize size)
{
	if (sending->record_count == RECORDS && !record_flush(sending))
		return false;
	FCGI_Header *header = &sending->headers[sending->record_count++];
	*header = record_header_of(FCGI_STDOUT, sending->request, size);
	record_add(sending, header, sizeof(*header));
	return true;
}

static bool
record_finish(struct sending *sending)
{
	guint16 request = sending->request;
	const struct ending ending = {record_header_of(FCGI_STDOUT, request, 0),
	    {record_header_of(FCGI_END_REQUEST, request, sizeof(FCGI_EndRequestBody)),
		{.protocolStatus = FCGI_REQUEST_COMPLETE}}};

	record_add(sending, &ending, sizeof(ending));
	return record_flush(sending);
}

bool
fcgi_record_send(int socket, guint16 request, const struct iovec *parts, guint count)
{
	struct sending sending = {.socket = socket, .request = request};
	gsize left = 0, room = 0; /* of the reply, and of the record */

	g_assert(count <= RECORD_PARTS);
	for (guint i = 0; i < count; i++)
		left += parts[i].iov_len;
	for (guint i = 0; i < count; i++) {
		const char *data = parts[i].iov_base;

		for (gsize rest = parts[i].iov_len; rest > 0;) {
			if (room == 0 && !record_begin(&sending, room = MIN(left, RECORD_CONTENT)))
				return false;
			gsize slice = MIN(rest, room);
			record_add(&sending, data, slice);
			data += slice;
			rest -= slice;
			room -= slice;
			left -= slice;
		}
	}
	return record_finish(&sending);
}

/* The content of the first record of parameters, as far as it is there. NULL: none is. */
static const guint8 *
record_params(const guint8 *bytes, gsize size, gsize *size_r)
{
	for (gsize at = 0; at + FCGI_HEADER_LEN <= size;) {
		const guint8 *header = bytes + at;
		gsize content = (gsize)header[4] << 8 | header[5];

		at += FCGI_HEADER_LEN;
		if (header[1] == FCGI_PARAMS) {
			*size_r = MIN(content, size - at);
			return bytes + at;
		}
		at += content + header[6];
	}
	return NULL;
}

/* Reads a length of one or four bytes. False when it is not all there. */
static bool
record_length(const guint8 **at, const guint8 *end, gsize *length_r)
{
	gsize bytes = *at < end && **at & 0x80 ? 4 : 1;

	if ((gsize)(end - *at) < bytes)
		return false;
	*length_r = **at & 0x7f;
	for (gsize i = 1; i < bytes; i++)
		*length_r = *length_r << 8 | (*at)[i];
	*at += bytes;
	return true;
}

const char *
fcgi_record_param(const guint8 *bytes, gsize size, const char *name, gsize *size_r)
{
	gsize left = 0, length;
	const guint8 *at = record_params(bytes, size, &left), *end = at ? at + left : NULL;

	while (at && record_length(&at, end, &length) && record_length(&at, end, size_r)) {
		left = (gsize)(end - at);
		if (length > left || *size_r > left - length)
			return NULL;
		if (length == strlen(name) && memcmp(at, name, length) == 0)
			return (const char *)at + length;
		at += length + *size_r;
	}
	return NULL;
}

/* Looks at the head of the request that arrives, and leaves it there. Returns its bytes. */
static gsize
record_peek(int connection, guint8 head[HEAD_BYTES])
{
	struct pollfd arrives = {connection, POLLIN, 0};
	ssize_t got = 0;

	for (guint i = 0; i < HEAD_LOOKS; i++) {
		got = recv(connection, head, HEAD_BYTES, MSG_PEEK | MSG_DONTWAIT);
		if (got == 0 || got > BEGIN_BYTES || (got < 0 && errno != EAGAIN))
			break;
		if (got > 0)
			g_usleep(HEAD_US);
		else if (poll(&arrives, 1, HEAD_MS) != 1)
			break;
	}
	return (gsize)MAX(got, 0);
}

bool
fcgi_record_may_store(int connection)
{
	static const char *const methods[] = {"POST", "PUT", "PATCH"};
	guint8 head[HEAD_BYTES];
	gsize got = record_peek(connection, head), size, length;

	const char *method = fcgi_record_param(head, got, "REQUEST_METHOD", &size);
	const char *body = fcgi_record_param(head, got, "CONTENT_LENGTH", &length);
	g_autofree char *digits = body && length < 10 ? g_strndup(body, length) : g_strdup("");
	guint64 bytes = g_ascii_strtoull(digits, NULL, 10);
	if (!method || bytes == 0 || bytes > STORED_BYTES)
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(methods); i++)
		if (size == strlen(methods[i]) && memcmp(method, methods[i], size) == 0)
			return true;
	return false;
}
