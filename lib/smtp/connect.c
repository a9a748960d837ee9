/* SPDX-License-Identifier: MIT */
/* Gives libesmtp connect and poll with time limits and interruption, and a write that gathers. */
#include "smtp/connect.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int (*connect_call)(int, const struct sockaddr *, socklen_t);
typedef int (*poll_call)(struct pollfd *, nfds_t, int);

/* Defined by their symbols, since the C library's headers may define poll as a macro or inline. */
int wire_connect(int fd, const struct sockaddr *address, socklen_t size) __asm__("connect");
int wire_poll(struct pollfd *fds, nfds_t count, int timeout_ms) __asm__("poll");
int wire_poll_checked(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size) __asm__(
    "__poll_chk");
ssize_t wire_write(int fd, const void *bytes, size_t size) __asm__("write");

#define OUTPUT_BYTES (64 * 1024) /* are gathered before they are sent */

static _Thread_local struct smtp_wire *current;

static connect_call
next_connect(void)
{
	static gpointer found;

	if (!g_atomic_pointer_get(&found))
		g_atomic_pointer_set(&found, dlsym(RTLD_NEXT, "connect"));
	return (connect_call)g_atomic_pointer_get(&found);
}

static poll_call
next_poll(void)
{
	static gpointer found;

	if (!g_atomic_pointer_get(&found))
		g_atomic_pointer_set(&found, dlsym(RTLD_NEXT, "poll"));
	return (poll_call)g_atomic_pointer_get(&found);
}

void
smtp_wire_enter(struct smtp_wire *wire)
{
	current = wire;
}

void
smtp_wire_leave(void)
{
	current = NULL;
}

void
smtp_wire_progress(struct smtp_wire *wire)
{
	wire->deadline_us = 0;
}

/* Starts a time limit, and returns its end. */
static gint64
begin_wait(struct smtp_wire *wire, gint64 limit_us)
{
	wire->since_us = g_get_monotonic_time();
	return wire->since_us + limit_us;
}

/* Starts the time limit, unless it runs already. */
static gint64
deadline_of(struct smtp_wire *wire)
{
	if (!wire->deadline_us)
		wire->deadline_us = begin_wait(wire, wire->limit_us);
	return wire->deadline_us;
}

guint
smtp_wire_interrupted_s(const struct smtp_wire *wire)
{
	if (wire->fault != ECANCELED || !wire->since_us)
		return 0;
	return (
	    guint)((g_get_monotonic_time() - wire->since_us + G_USEC_PER_SEC / 2) / G_USEC_PER_SEC);
}

void
smtp_wire_check(struct smtp_wire *wire)
{
	if (g_get_monotonic_time() < deadline_of(wire) || wire->fd < 0)
		return;
	wire->fault = ETIMEDOUT;
	smtp_wire_shut(wire);
}

bool
smtp_wire_gone(const struct smtp_wire *wire)
{
	struct pollfd fd = {.fd = wire->fd, .events = POLLRDHUP};

	return next_poll()(&fd, 1, 0) > 0;
}

/* Nothing that was gathered is sent any more. */
static void
drop_output(const struct smtp_wire *wire)
{
	if (wire->output)
		g_byte_array_set_size(wire->output, 0);
}

void
smtp_wire_shut(struct smtp_wire *wire)
{
	drop_output(wire);
	if (wire->fd >= 0)
		shutdown(wire->fd, SHUT_RDWR);
}

void
smtp_wire_mute(struct smtp_wire *wire)
{
	drop_output(wire);
	if (wire->fd >= 0)
		shutdown(wire->fd, SHUT_WR);
}

/* Polls fds and the wake until deadline_us. -1 with errno ETIMEDOUT after the deadline, ECANCELED
   when woken. */
static int
wait_until(struct smtp_wire *wire, struct pollfd *fds, nfds_t count, gint64 deadline_us)
{
	struct pollfd all[4];
	int got;

	for (nfds_t i = 0; i < count; i++)
		all[i] = fds[i];
	all[count] = (struct pollfd){.fd = wire->wake, .events = POLLIN};
	do {
		gint64 left_us = deadline_us - g_get_monotonic_time();
		if (left_us <= 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		int left_ms = (int)MIN((left_us + 999) / 1000, G_MAXINT);
		got = next_poll()(all, count + 1, left_ms);
	} while (got == 0 || (got < 0 && errno == EINTR));
	if (got < 0)
		return -1;
	if (all[count].revents) {
		errno = ECANCELED;
		return -1;
	}
	for (nfds_t i = 0; i < count; i++)
		fds[i].revents = all[i].revents;
	return got;
}

/* Sends what was gathered. False with errno when it cannot be sent in time. If the relay has closed
   the connection, output that it does not take is dropped: it may have said why. */
static bool
send_output(struct smtp_wire *wire)
{
	struct pollfd fd = {.fd = wire->fd, .events = POLLOUT};
	gsize done = 0;

	while (wire->output && done < wire->output->len) {
		ssize_t some = send(
		    wire->fd, wire->output->data + done, wire->output->len - done, MSG_NOSIGNAL);

		if (some >= 0) {
			done += (gsize)some;
			wire->deadline_us = 0;
		} else if (errno == EAGAIN) {
			if (wait_until(wire, &fd, 1, deadline_of(wire)) < 0)
				return false;
		} else if (errno != EINTR) {
			break;
		}
	}
	drop_output(wire);
	return true;
}

/* Ends a connection that failed here. */
static void
connect_give_up(struct smtp_wire *wire)
{
	wire->fault = errno;
	smtp_wire_shut(wire);
	errno = wire->fault;
}

bool
smtp_wire_gather(struct smtp_wire *wire, bool gathers)
{
	wire->gathers = gathers;
	if (gathers || send_output(wire))
		return true;
	connect_give_up(wire);
	return false;
}

static bool
is_woken(const struct smtp_wire *wire)
{
	struct pollfd fd = {.fd = wire->wake, .events = POLLIN};

	return next_poll()(&fd, 1, 0) > 0;
}

/* Binds to the address to connect from. */
static bool
bind_source(const struct smtp_wire *wire, int fd, sa_family_t family)
{
	struct sockaddr_in source = {.sin_family = AF_INET};

	if (!*wire->source)
		return true;
	if (family != AF_INET) {
		errno = EAFNOSUPPORT;
		return false;
	}
	return inet_pton(AF_INET, wire->source, &source.sin_addr) == 1 &&
	       bind(fd, (const struct sockaddr *)&source, sizeof(source)) == 0;
}

static int
connect_within(struct smtp_wire *wire, int fd, const struct sockaddr *address, socklen_t size)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	int one = 1, fault = 0;
	socklen_t fault_size = sizeof(fault);

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (is_woken(wire)) {
		errno = ECANCELED;
		return -1;
	}
	if (!bind_source(wire, fd, address->sa_family))
		return -1;
	if (next_connect()(fd, address, size) == 0)
		return 0;
	if (errno != EINPROGRESS && errno != EINTR)
		return -1;
	if (wait_until(wire, &ready, 1, begin_wait(wire, wire->connect_us)) < 0)
		return -1;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &fault_size) < 0)
		return -1;
	errno = fault;
	return fault ? -1 : 0;
}

static bool
is_relay(const struct smtp_wire *wire, const struct sockaddr *address)
{
	/* sin_port and sin6_port have the same offset. */
	return (address->sa_family == AF_INET || address->sa_family == AF_INET6) &&
	       ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port) == wire->port;
}

void
smtp_wire_end(struct smtp_wire *wire)
{
	if (wire->relay >= 0)
		close(wire->relay);
	if (wire->prelude >= 0)
		close(wire->prelude);
	wire->relay = wire->prelude = -1;
	wire->gathers = false;
	g_clear_pointer(&wire->output, g_byte_array_unref);
}

void
smtp_wire_begin_tls(struct smtp_wire *wire)
{
	if (wire->relay >= 0)
		dup3(wire->relay, wire->fd, O_CLOEXEC);
	smtp_wire_end(wire);
}

/* Says a line of the prelude to libesmtp. It fits into the empty pair. */
static void
connect_say(const struct smtp_wire *wire, const char *text)
{
	if (send(wire->prelude, text, strlen(text), MSG_NOSIGNAL) < 0)
		shutdown(wire->fd, SHUT_RDWR);
}

/* Puts one end of a pair of sockets in the place of the connection fd. */
static bool
begin_prelude(struct smtp_wire *wire, int fd)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return false;
	wire->relay = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	wire->prelude = pair[1];
	bool done = wire->relay >= 0 && dup3(pair[0], fd, O_CLOEXEC) >= 0;
	close(pair[0]);
	if (done)
		connect_say(wire, "220 prelude\r\n");
	return done;
}

/* Answers libesmtp as a relay that offers nothing but STARTTLS. */
static void
answer_prelude(const struct smtp_wire *wire)
{
	char line[1024];
	gssize size = recv(wire->prelude, line, sizeof(line) - 1, 0);

	if (size <= 0)
		return;
	line[size] = '\0';
	if (g_str_has_prefix(line, "EHLO "))
		connect_say(wire, "250-prelude\r\n250 STARTTLS\r\n");
	else
		connect_say(wire, g_str_has_prefix(line, "STARTTLS") ? "220 go\r\n" : "500 no\r\n");
}

int
wire_connect(int fd, const struct sockaddr *address, socklen_t size)
{
	struct smtp_wire *wire = current;

	if (!wire || size < sizeof(struct sockaddr_in) || !is_relay(wire, address))
		return next_connect()(fd, address, size);
	smtp_wire_end(wire);
	wire->fd = -1;
	wire->fault = 0;
	if (connect_within(wire, fd, address, size) < 0) {
		wire->fault = errno;
		return -1;
	}
	if (wire->implicit && !begin_prelude(wire, fd)) {
		wire->fault = errno;
		return -1;
	}
	wire->fd = fd;
	wire->deadline_us = 0;
	return 0;
}

/* Answers a poll while output is gathered: it can be written, as far as libesmtp is concerned. It
   polls without waiting between two commands, where no reply can have come to the first. -1: to be
   answered by waiting. */
static int
poll_gathering(struct smtp_wire *wire, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	int ready = 0;

	for (nfds_t i = 0; i < count; i++) {
		fds[i].revents = fds[i].events & POLLOUT;
		ready += fds[i].revents != 0;
	}
	if (ready > 0)
		wire->deadline_us = 0;
	return ready > 0 || timeout_ms == 0 ? ready : -1;
}

int
wire_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct smtp_wire *wire = current;
	short ready = 0;

	if (!wire || wire->fd < 0 || (timeout_ms == 0 && !wire->gathers) || count < 1 ||
	    count > 3 || fds[0].fd != wire->fd)
		return next_poll()(fds, count, timeout_ms);
	if (wire->prelude >= 0)
		answer_prelude(wire);
	int got = wire->gathers ? poll_gathering(wire, fds, count, timeout_ms) : -1;
	if (got >= 0)
		return got;
	if (!send_output(wire) || (got = wait_until(wire, fds, count, deadline_of(wire))) < 0) {
		connect_give_up(wire);
		return -1;
	}
	for (nfds_t i = 0; i < count; i++)
		ready |= fds[i].revents;
	if (ready & POLLOUT) {
		wire->deadline_us = 0;
		for (nfds_t i = 0; i < count; i++)
			fds[i].revents &= ~POLLIN;
	}
	return got;
}

bool
smtp_wire_await(struct smtp_wire *wire, short events)
{
	struct pollfd fd = {.fd = wire->fd, .events = events};

	if (wait_until(wire, &fd, 1, deadline_of(wire)) >= 0)
		return true;
	connect_give_up(wire);
	return false;
}

/* Takes the place of poll in a libesmtp that was built with _FORTIFY_SOURCE. */
int
wire_poll_checked(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size)
{
	if (size / sizeof(*fds) < count)
		abort();
	return wire_poll(fds, count, timeout_ms);
}

/* This does not use dlsym, since write must be safe in signal handlers and after fork. */
ssize_t
wire_write(int fd, const void *bytes, size_t size)
{
	struct smtp_wire *wire = current;

	if (!wire || !wire->gathers || fd != wire->fd)
		return syscall(SYS_write, fd, bytes, size);
	if (!wire->output)
		wire->output = g_byte_array_new();
	g_byte_array_append(wire->output, bytes, (guint)size);
	if (wire->output->len < OUTPUT_BYTES || send_output(wire))
		return (ssize_t)size;
	connect_give_up(wire);
	return -1;
}
