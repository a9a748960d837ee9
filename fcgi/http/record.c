/* SPDX-License-Identifier: MIT */
/* Sends a reply to the web server as FastCGI records. */
#include "fcgi/http/record.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <fastcgi.h>

#define RECORDS 16 /* sent with one call */
/* The headers of the records, their slices of parts, and the ending. */
#define VECTORS (RECORDS + RECORDS + RECORD_PARTS + 1)

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
