/* SPDX-License-Identifier: MIT */
/* The web server's side: libfcgi, or the environment and standard streams of plain CGI. */
#include "fcgi/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <fcgiapp.h>

#include "base/error.h"
#include "fcgi/acceptor.h"

struct fcgi_io {
	bool fastcgi;
	bool accepted; /* CGI: it had its one request */
	FCGX_Request request;
	int source;	     /* yields connections */
	bool pooled;	     /* source is a pool's acceptor, not the web server's socket */
	int signals, events; /* a signalfd, and an epoll of it and the source */
};

bool
fcgi_io_is_fastcgi(void)
{
	return !FCGX_IsCGI();
}

bool
fcgi_io_is_cgi(void)
{
	return !fcgi_io_is_fastcgi() && getenv("REQUEST_METHOD");
}

static bool
watch(struct fcgi_io *io, int fd, guint32 events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return epoll_ctl(io->events, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Several processes may wait at the source. A connection wakes one of them; if another has taken it
   already, the woken one waits again. */
static void
open_source(struct fcgi_io *io, const sigset_t *stop)
{
	FCGX_Init();
	FCGX_InitRequest(&io->request, io->source, FCGI_FAIL_ACCEPT_ON_INTR);
	io->signals = signalfd(-1, stop, SFD_CLOEXEC);
	io->events = epoll_create1(EPOLL_CLOEXEC);
	if (io->signals < 0 || io->events < 0 || !watch(io, io->signals, EPOLLIN) ||
	    !watch(io, io->source, EPOLLIN | EPOLLEXCLUSIVE) ||
	    fcntl(io->source, F_SETFL, fcntl(io->source, F_GETFL) | O_NONBLOCK) != 0)
		g_error("cannot wait for requests: %s", g_strerror(errno));
}

struct fcgi_io *
fcgi_io_open(const sigset_t *stop, int source)
{
	struct fcgi_io *io = g_new0(struct fcgi_io, 1);

	io->pooled = source != IO_LISTENER;
	io->fastcgi = io->pooled || fcgi_io_is_fastcgi();
	io->source = source;
	if (io->fastcgi)
		open_source(io, stop);
	return io;
}

void
fcgi_io_close(struct fcgi_io *io)
{
	if (io->fastcgi) {
		close(io->signals);
		close(io->events);
	}
	g_free(io);
}

/* Waits for a connection: IO_REQUEST when one may have come. */
static enum fcgi_io_arrival
wait_for_request(struct fcgi_io *io, gint64 patience)
{
	struct epoll_event events[2];
	int count;

	do
		count = epoll_wait(io->events, events, G_N_ELEMENTS(events), (int)patience);
	while (count < 0 && errno == EINTR);
	for (int i = 0; i < count; i++)
		if (events[i].data.fd == io->signals)
			return IO_END;
	return count == 0 ? IO_IDLE : IO_REQUEST;
}

/* Takes a connection and reads the head of its request, as FCGX_Accept_r does: 0, or minus errno. A
   connection from the acceptor goes into the field where libfcgi keeps its own (ipcFd, "< 0 means
   no connection"). keepConnection is set so that FCGX_Accept_r, which first finishes the previous
   request, does not close it. If the head is malformed, libfcgi closes the connection and tries to
   accept another one; that fails, since the source is not a listening socket. */
static int
take_request(struct fcgi_io *io)
{
	if (!io->pooled)
		return FCGX_Accept_r(&io->request);
	int connection = fcgi_acceptor_take(io->source);
	if (connection < 0)
		return -errno;
	io->request.ipcFd = connection;
	io->request.keepConnection = 1;
	return FCGX_Accept_r(&io->request) == 0 ? 0 : -EAGAIN;
}

enum fcgi_io_arrival
fcgi_io_accept(struct fcgi_io *io, gint64 patience, GError **error)
{
	enum fcgi_io_arrival arrival = IO_REQUEST;
	int got = -EAGAIN;

	if (!io->fastcgi) {
		bool first = !io->accepted;
		io->accepted = true;
		return first ? IO_REQUEST : IO_END;
	}
	while (got == -EAGAIN) {
		arrival = wait_for_request(io, patience);
		if (arrival != IO_REQUEST)
			return arrival;
		got = take_request(io);
	}
	if (got >= 0)
		return IO_REQUEST;
	if (io->pooled)
		return IO_END;
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "the web server's socket accepts no more requests: %s", g_strerror(-got));
	return IO_FAILED;
}

const char *
fcgi_io_param(const struct fcgi_io *io, const char *name)
{
	return io->fastcgi ? FCGX_GetParam(name, io->request.envp) : getenv(name);
}

gsize
fcgi_io_read(struct fcgi_io *io, void *buffer, gsize size)
{
	if (io->fastcgi) {
		int got = FCGX_GetStr(buffer, (int)MIN(size, G_MAXINT), io->request.in);
		return got > 0 ? (gsize)got : 0;
	}
	for (;;) {
		ssize_t got = read(STDIN_FILENO, buffer, size);
		if (got >= 0)
			return (gsize)got;
		if (errno != EINTR)
			return 0;
	}
}

static void
write_all(const char *data, gsize size)
{
	while (size > 0) {
		ssize_t written = write(STDOUT_FILENO, data, size);

		if (written < 0 && errno != EINTR)
			return;
		if (written > 0) {
			data += written;
			size -= (gsize)written;
		}
	}
}

/* Closes standard output, which ends the reply. /dev/null takes its number, so that no later file
   gets it. */
static void
close_output(void)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nothing >= 0)
		dup2(nothing, STDOUT_FILENO);
	if (nothing > STDERR_FILENO)
		close(nothing);
}

void
fcgi_io_write(struct fcgi_io *io, const void *data, gsize size)
{
	if (!io->fastcgi) {
		write_all(data, size);
		return;
	}
	for (const char *p = data; size > 0;) {
		int written = FCGX_PutStr(p, (int)MIN(size, G_MAXINT), io->request.out);
		if (written <= 0)
			return;
		p += written;
		size -= (gsize)written;
	}
}

/* Closes the connection even when the web server asks to keep it: a process would otherwise serve
   only that connection, and other connections would wait. */
void
fcgi_io_finish(struct fcgi_io *io)
{
	if (io->fastcgi) {
		FCGX_Finish_r(&io->request);
		FCGX_Free(&io->request, 1);
	} else {
		close_output();
	}
}
