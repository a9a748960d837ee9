/* SPDX-License-Identifier: MIT */
/* Sends one HTTP request over and over at a fixed rate, and prints how many were answered and the
   median, the 99th percentile and the longest of the times that the answers took, in microseconds.
   A time counts from the moment at which the request was due, so that a server that stalls is not
   excused the requests that had to wait meanwhile. With the rate 0 each connection sends its next
   request as soon as it has its answer. Usage: paced PORT CONNECTIONS RATE SECONDS FILE, where FILE
   holds a whole HTTP/1.1 request. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib.h>

#define CONNECTIONS_MAX 1024
#define ANSWER_MAX 65536
#define PATIENCE 10000000 /* microseconds without any answer */

struct connection {
	gint64 due; /* of the request that it waits for; 0: it waits for none */
	size_t used;
	char answer[ANSWER_MAX];
};

struct load {
	struct pollfd *polls;
	struct connection *connections;
	int count, port;
	double rate;
	gint64 begin, end;
	gint64 sent;
	char *request;
	gsize size;
	GArray *times;
};

static void G_GNUC_NORETURN
paced_fail(const char *why)
{
	fprintf(stderr, "paced: %s\n", why);
	exit(1);
}

static int
open_connection(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	    .sin_port = htons((in_port_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		paced_fail("no server answers");
	return fd;
}

/* Whether the whole answer has come: its length is announced, or its body comes in chunks. */
static gboolean
answer_is_whole(const struct connection *c)
{
	const char *body = memmem(c->answer, c->used, "\r\n\r\n", 4);

	if (!body)
		return FALSE;
	body += 4;
	size_t head = (size_t)(body - c->answer), rest = c->used - head;
	g_autofree char *text = g_ascii_strdown(c->answer, (gssize)head);
	const char *length = strstr(text, "\r\ncontent-length:");

	if (!g_str_has_prefix(text, "http/1.1 2"))
		paced_fail(text);
	if (length)
		return rest >= strtoul(length + strlen("\r\ncontent-length:"), NULL, 10);
	return rest >= 5 && memcmp(c->answer + c->used - 5, "0\r\n\r\n", 5) == 0;
}

/* Sends the request, on a new connection where the server has closed the old one, as it does after
   some requests. */
static void
send_request(struct load *l, int i)
{
	struct pollfd *p = &l->polls[i];

	if (send(p->fd, l->request, l->size, MSG_NOSIGNAL) == (ssize_t)l->size)
		return;
	close(p->fd);
	p->fd = open_connection(l->port);
	if (send(p->fd, l->request, l->size, MSG_NOSIGNAL) != (ssize_t)l->size)
		paced_fail("a request cannot be sent");
}

/* When the next request is due; past the end there is none. */
static gint64
next_due(const struct load *l, gint64 now)
{
	gint64 due = l->rate > 0 ? l->begin + (gint64)((double)l->sent * 1e6 / l->rate) : now;

	return due < l->end ? due : G_MAXINT64;
}

/* Sends what is due, on connections that wait for nothing. Returns how many wait for an answer. */
static int
send_due(struct load *l, gint64 now)
{
	int waiting = 0;

	for (int i = 0; i < l->count; i++) {
		struct connection *c = &l->connections[i];
		gint64 due = next_due(l, now);

		if (c->due == 0 && due <= now) {
			send_request(l, i);
			c->due = due;
			l->sent++;
		}
		waiting += c->due != 0;
	}
	return waiting;
}

static void
paced_receive(struct load *l, int i)
{
	struct connection *c = &l->connections[i];
	ssize_t got = read(l->polls[i].fd, c->answer + c->used, ANSWER_MAX - c->used);

	if (got <= 0 && c->used > 0)
		paced_fail(
		    c->used == ANSWER_MAX ? "an answer is too long" : "an answer has no end");
	if (got <= 0) {
		close(l->polls[i].fd);
		l->polls[i].fd = open_connection(l->port);
		if (c->due != 0)
			send_request(l, i);
		return;
	}
	c->used += (size_t)got;
	if (!answer_is_whole(c))
		return;
	gint64 took = g_get_monotonic_time() - c->due;
	g_array_append_val(l->times, took);
	c->due = 0;
	c->used = 0;
}

static void
paced_run(struct load *l)
{
	for (;;) {
		gint64 now = g_get_monotonic_time();
		int waiting = send_due(l, now);
		gint64 due = next_due(l, now), wait = PATIENCE;

		if (waiting == 0 && due == G_MAXINT64)
			return;
		if (waiting < l->count && due != G_MAXINT64)
			wait = MAX(due - now, 0);
		struct timespec time = {wait / 1000000, wait % 1000000 * 1000};
		if (ppoll(l->polls, (nfds_t)l->count, &time, NULL) == 0 && wait == PATIENCE)
			paced_fail("no answer has come");
		for (int i = 0; i < l->count; i++)
			if (l->polls[i].revents != 0)
				paced_receive(l, i);
	}
}

static int
paced_compare(gconstpointer a, gconstpointer b)
{
	gint64 first = *(const gint64 *)a, second = *(const gint64 *)b;

	return (first > second) - (first < second);
}

int
main(int argc, char **argv)
{
	struct load l = {.times = g_array_new(FALSE, FALSE, sizeof(gint64))};

	if (argc != 6 || !g_file_get_contents(argv[5], &l.request, &l.size, NULL))
		return 64;
	l.port = atoi(argv[1]);
	l.count = CLAMP(atoi(argv[2]), 1, CONNECTIONS_MAX);
	l.rate = g_ascii_strtod(argv[3], NULL);
	l.polls = g_new0(struct pollfd, l.count);
	l.connections = g_new0(struct connection, l.count);
	for (int i = 0; i < l.count; i++)
		l.polls[i] = (struct pollfd){.fd = open_connection(l.port), .events = POLLIN};
	prctl(PR_SET_TIMERSLACK, 1);
	l.begin = g_get_monotonic_time();
	l.end = l.begin + (gint64)(g_ascii_strtod(argv[4], NULL) * 1e6);
	paced_run(&l);
	if (l.times->len == 0)
		paced_fail("nothing was sent");
	g_array_sort(l.times, paced_compare);
	const gint64 *times = (const gint64 *)(void *)l.times->data;
	printf("%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", l.times->len,
	    times[l.times->len / 2], times[(guint64)l.times->len * 99 / 100],
	    times[l.times->len - 1]);
	return 0;
}
