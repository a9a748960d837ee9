/* SPDX-License-Identifier: MIT */
/* Reads from and writes to a client. The socket does not block: all waiting is done by poll, which
   also watches for the signals that stop the service. */
#include "smtpd/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>

#include "base/clock.h"
#include "intake/host.h"

#define GRACE_MS 30000 /* for a transaction once the service stops */
#define STEP_MS (60 * 60 * 1000)

int
smtpd_wire_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Whether such a signal has come. */
static bool
wire_is_told_to_stop(int signals)
{
	struct pollfd poll_fd = {signals, POLLIN, 0};

	return poll(&poll_fd, 1, 0) == 1;
}

static void
wire_read_address(struct smtpd_wire *wire, const struct sockaddr_storage *peer)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (peer->ss_family == AF_INET)
		inet_ntop(
		    AF_INET, &((const struct sockaddr_in *)peer)->sin_addr, text, sizeof(text));
	else if (peer->ss_family == AF_INET6)
		inet_ntop(
		    AF_INET6, &((const struct sockaddr_in6 *)peer)->sin6_addr, text, sizeof(text));
	wire->has_address = *text && text_network_address(text, &wire->address);
	if (wire->has_address)
		text_network_format(&wire->address, wire->address_text);
}

bool
smtpd_wire_open(struct smtpd_wire *wire, int fd, int signals, gint64 timeout_s, gint64 longest_s)
{
	struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
	socklen_t size = sizeof(peer);
	int one = 1;

	*wire = (struct smtpd_wire){.fd = fd, .signals = signals};
	if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0)
		return false;
	wire_read_address(wire, &peer);
	if (wire->has_address)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	wire->timeout_ms = timeout_s * 1000;
	wire->end = base_clock_boot() + longest_s * 1000;
	return true;
}

void
smtpd_wire_close(struct smtpd_wire *wire)
{
	if (wire->ssl) {
		SSL_shutdown(wire->ssl);
		SSL_free(wire->ssl);
		ERR_clear_error();
	}
	/* The client can read the last reply, though it goes on sending. */
	shutdown(wire->fd, SHUT_WR);
	close(wire->fd);
}

enum wait { WAIT_READY, WAIT_LATE, WAIT_STOP };

/* Waits until the socket is ready, a signal comes, or a time on base_clock_boot. */
static enum wait
wire_wait(const struct smtpd_wire *wire, short events, gint64 until)
{
	struct pollfd fds[] = {{wire->fd, events, 0}, {wire->signals, POLLIN, 0}};
	const nfds_t count = wire->stop_end == 0 ? 2 : 1;

	for (;;) {
		gint64 left = until - base_clock_boot();

		if (left <= 0)
			return WAIT_LATE;
		int ready = poll(fds, count, (int)MIN(left, STEP_MS));
		if (ready > 0 && fds[0].revents)
			return WAIT_READY;
		if (ready > 0 && count == 2 && fds[1].revents)
			return WAIT_STOP;
	}
}

static void
wire_note_stop(struct smtpd_wire *wire)
{
	if (wire->stop_end == 0)
		wire->stop_end = base_clock_boot() + GRACE_MS;
}

/* The bytes that were read; 0: the client is gone; -1: wait for *events_r. */
static gssize
wire_try(struct smtpd_wire *wire, void *bytes, gsize size, short *events_r)
{
	*events_r = POLLIN;
	if (!wire->ssl) {
		ssize_t got = recv(wire->fd, bytes, size, MSG_DONTWAIT);

		return got >= 0 ? got : errno == EAGAIN || errno == EINTR ? -1 : 0;
	}
	ERR_clear_error();
	int got = SSL_read(wire->ssl, bytes, (int)MIN(size, G_MAXINT));
	if (got > 0)
		return got;
	int fault = SSL_get_error(wire->ssl, got);
	if (fault == SSL_ERROR_WANT_WRITE)
		*events_r = POLLOUT;
	return fault == SSL_ERROR_WANT_READ || fault == SSL_ERROR_WANT_WRITE ? -1 : 0;
}

gssize
smtpd_wire_read(struct smtpd_wire *wire, void *bytes, gsize size, const struct intake_place *place)
{
	if (!place->goes_on)
		wire->line_end = base_clock_boot() + wire->timeout_ms;
	for (;;) {
		gint64 end = wire->stop_end ? MIN(wire->end, wire->stop_end) : wire->end;
		gint64 now = base_clock_boot();
		short events;

		if (wire->stop_end == 0 && wire_is_told_to_stop(wire->signals))
			wire_note_stop(wire);
		if (wire->stop_end && (place->is_between || now >= wire->stop_end))
			return INTAKE_READ_STOP;
		gssize got = now >= wire->end ? -1 : wire_try(wire, bytes, size, &events);
		if (got > 0)
			return got;
		if (got == 0)
			return INTAKE_READ_END;
		if (now >= wire->end)
			return INTAKE_READ_TOO_LONG;
		if (now >= wire->line_end)
			return INTAKE_READ_SILENT;
		if (wire_wait(wire, events, MIN(end, wire->line_end)) == WAIT_STOP)
			wire_note_stop(wire);
	}
}

static gssize
wire_try_write(struct smtpd_wire *wire, const char *bytes, gsize size, short *events_r)
{
	*events_r = POLLOUT;
	if (!wire->ssl) {
		ssize_t put = send(wire->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		return put >= 0 ? put : errno == EAGAIN || errno == EINTR ? -1 : 0;
	}
	ERR_clear_error();
	int put = SSL_write(wire->ssl, bytes, (int)MIN(size, G_MAXINT));
	if (put > 0)
		return put;
	int fault = SSL_get_error(wire->ssl, put);
	if (fault == SSL_ERROR_WANT_READ)
		*events_r = POLLIN;
	return fault == SSL_ERROR_WANT_READ || fault == SSL_ERROR_WANT_WRITE ? -1 : 0;
}

bool
smtpd_wire_write(struct smtpd_wire *wire, const char *bytes, gsize size)
{
	gint64 until = base_clock_boot() + wire->timeout_ms;

	while (size > 0) {
		short events;
		gssize put = wire_try_write(wire, bytes, size, &events);

		if (put == 0)
			return false;
		if (put > 0) {
			bytes += put;
			size -= (gsize)put;
			continue;
		}
		enum wait wait = wire_wait(wire, events, until);
		if (wait == WAIT_LATE)
			return false;
		if (wait == WAIT_STOP)
			wire_note_stop(wire);
	}
	return true;
}

bool
smtpd_wire_waits(struct smtpd_wire *wire)
{
	char byte;

	return recv(wire->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool
smtpd_wire_start_tls(struct smtpd_wire *wire, SSL_CTX *context)
{
	gint64 until = MIN(base_clock_boot() + wire->timeout_ms, wire->end);

	wire->ssl = SSL_new(context);
	SSL_set_fd(wire->ssl, wire->fd);
	for (;;) {
		ERR_clear_error();
		int done = SSL_accept(wire->ssl);
		if (done == 1)
			return true;
		int fault = SSL_get_error(wire->ssl, done);
		if (fault != SSL_ERROR_WANT_READ && fault != SSL_ERROR_WANT_WRITE)
			break;
		enum wait wait =
		    wire_wait(wire, fault == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until);
		if (wait == WAIT_LATE)
			break;
		if (wait == WAIT_STOP)
			wire_note_stop(wire);
	}
	SSL_free(wire->ssl);
	wire->ssl = NULL;
	ERR_clear_error();
	return false;
}

bool
smtpd_wire_is_loopback(const struct smtpd_wire *wire)
{
	static const char *const loopback[] = {"127.0.0.0/8", "::1/128", NULL};

	return !wire->has_address || text_network_holds(loopback, &wire->address);
}
