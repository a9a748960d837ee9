/* The web server's side: libfcgi, or the environment and standard streams of plain CGI. */
#include "fcgi/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fcgiapp.h>

struct io {
	bool fastcgi;
	bool accepted; /* FastCGI: a request is open; CGI: it had its one */
	FCGX_Request request;
};

bool
io_is_fastcgi(void)
{
	return !FCGX_IsCGI();
}

struct io *
io_open(void)
{
	struct io *io = g_new0(struct io, 1);

	io->fastcgi = io_is_fastcgi();
	if (io->fastcgi) {
		FCGX_Init();
		FCGX_InitRequest(&io->request, 0, FCGI_FAIL_ACCEPT_ON_INTR);
	}
	return io;
}

void
io_close(struct io *io)
{
	if (io->fastcgi)
		FCGX_Free(&io->request, 1);
	g_free(io);
}

bool
io_accept(struct io *io, volatile int *stop)
{
	if (*stop || (!io->fastcgi && io->accepted))
		return false;
	io->accepted = true;
	return !io->fastcgi || FCGX_Accept_r(&io->request) >= 0;
}

void
io_stop_waiting(void)
{
	FCGX_ShutdownPending();
}

const char *
io_param(const struct io *io, const char *name)
{
	return io->fastcgi ? FCGX_GetParam(name, io->request.envp) : getenv(name);
}

gsize
io_read(struct io *io, void *buffer, gsize size)
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

void
io_write(struct io *io, const void *data, gsize size)
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

void
io_finish(struct io *io)
{
	if (io->fastcgi)
		FCGX_Finish_r(&io->request);
	else
		close(STDOUT_FILENO);
}
