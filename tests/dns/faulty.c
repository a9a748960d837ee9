/* SPDX-License-Identifier: MIT */
/* A thread that answers DNS queries wrongly. */
#include "tests/dns/faulty.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADER 12
#define LAST_ALIAS 8

struct faulty {
	enum fault fault;
	int fd;
	char *address;
	GThread *thread;
	gint count;
};

/* The size of the query without what follows its question. */
static gsize
question_end(const guint8 *query, gsize size)
{
	gsize at = HEADER;

	while (at < size && query[at] != 0)
		at += query[at] + 1u;
	return at + 5;
}

/* query: "N.alias" */
static gsize
add_alias(guint8 *reply, gsize size)
{
	int number = reply[HEADER + 1] - '0';
	const guint8 record[] = {0xc0, HEADER, 0, 5, 0, 1, 0, 0, 0, 60, 0, 9, 1,
	    (guint8)(number + 1 + '0'), 5, 'a', 'l', 'i', 'a', 's', 0};

	if (number >= LAST_ALIAS)
		return size;
	reply[7] = 1;
	memcpy(reply + size, record, sizeof(record));
	return size + sizeof(record);
}

/* Makes the reply of the query, in its place. 0: none. */
static gsize
faulty_answer(enum fault fault, guint8 *message, gsize size)
{
	size = question_end(message, size);
	message[2] |= 0x80;
	message[3] = 0x80;
	memset(message + 6, 0, 6);
	switch (fault) {
	case FAULT_SILENT:
		return 0;
	case FAULT_SERVFAIL:
		message[3] |= 2;
		return size;
	case FAULT_REFUSED:
		message[3] |= 5;
		return size;
	case FAULT_GARBAGE:
		memset(message + 2, 0xff, size - 2);
		return size;
	case FAULT_CUT:
		message[7] = 1;
		return size;
	case FAULT_OTHER:
		message[HEADER + 1] ^= 1;
		return size;
	case FAULT_TRUNCATED:
		message[2] |= 2;
		return size;
	case FAULT_ALIASES:
		return add_alias(message, size);
	}
	return 0;
}

static gpointer
faulty_serve(gpointer data)
{
	struct faulty *faulty = data;
	guint8 message[1024];
	struct sockaddr_in from;

	for (;;) {
		socklen_t from_size = sizeof(from);
		ssize_t size =
		    recvfrom(faulty->fd, message, 512, 0, (struct sockaddr *)&from, &from_size);

		if (size < HEADER)
			return NULL;
		g_atomic_int_inc(&faulty->count);
		gsize reply = faulty_answer(faulty->fault, message, (gsize)size);
		if (reply > 0)
			sendto(faulty->fd, message, reply, 0, (struct sockaddr *)&from, from_size);
	}
}

struct faulty *
faulty_start(enum fault fault)
{
	struct faulty *faulty = g_new0(struct faulty, 1);
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	faulty->fault = fault;
	faulty->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool bound = bind(faulty->fd, (struct sockaddr *)&address, size) == 0 &&
		     getsockname(faulty->fd, (struct sockaddr *)&address, &size) == 0;
	g_assert(bound);
	faulty->address = g_strdup_printf("127.0.0.1:%u", ntohs(address.sin_port));
	faulty->thread = g_thread_new("faulty", faulty_serve, faulty);
	return faulty;
}

const char *
faulty_address(const struct faulty *faulty)
{
	return faulty->address;
}

guint
faulty_count(const struct faulty *faulty)
{
	return (guint)g_atomic_int_get(&faulty->count);
}

void
faulty_stop(struct faulty *faulty)
{
	/* Its receive ends with what is too short for a query. */
	struct sockaddr_in address;
	socklen_t size = sizeof(address);

	getsockname(faulty->fd, (struct sockaddr *)&address, &size);
	sendto(faulty->fd, "", 0, 0, (struct sockaddr *)&address, size);
	g_thread_join(faulty->thread);
	close(faulty->fd);
	g_free(faulty->address);
	g_free(faulty);
}
