/* SPDX-License-Identifier: MIT */
/* The web server's side: libfcgi, or the environment and standard streams of plain CGI. */
#include "fcgi/http/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fastcgi.h>
#include <fcgiapp.h>

#include "base/error.h"
#include "base/limits/request.h"
#include "config/log_line.h"
#include "fcgi/http/acceptor.h"
#include "fcgi/http/record.h"
#include "fcgi/http/storer.h"

#define OPEN (IO_REQUESTS + LIMIT_HEAVY_PARKED)
#define WHOLE_BYTES (64 * 1024) /* the most of a request that is taken without waiting */

struct fcgi_io {
	bool fastcgi, busy;
	bool shared;   /* another process may still have a copy of the connection */
	guint64 taken; /* bytes of the body that were read */
	struct iovec parts[IO_PARTS];
	guint part_count;
	FCGX_Request request;
};

struct fcgi_source {
	bool fastcgi;
	bool accepted; /* CGI: it had its one request */
	bool pooled;   /* connections come from a pool's acceptor */
	int listener;  /* yields connections */
	int stores;    /* yields those of requests that store; -1: this process has none */
	struct fcgi_storer *storer; /* it yields them, and takes them from here; NULL: none */
	const int *ending;	    /* whether the pool ends; NULL: there is none */
	int latest;		    /* of both: the one that yielded the last request */
	int signals, events;	    /* a signalfd, and an epoll of all these */
	int hangups;		    /* a signalfd of SIGHUP, which opens the log anew; -1: none */
	int kept;		    /* a connection, or -1 */
	bool alone;		    /* the last request was that of a kept connection */
	bool rests;		    /* takes none that others give */
	struct fcgi_io ios[OPEN];
	char whole[WHOLE_BYTES];
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
watch(const struct fcgi_source *source, int fd, guint32 events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return epoll_ctl(source->events, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int
watch_hangups(const struct fcgi_source *source)
{
	sigset_t hup;

	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	int fd = signalfd(-1, &hup, SFD_CLOEXEC);
	if (fd >= 0)
		watch(source, fd, EPOLLIN);
	return fd;
}

/* Several processes may wait at the listener. A connection wakes one of them; if another has taken
   it already, the woken one waits again. */
static void
open_listener(struct fcgi_source *source, const sigset_t *stop)
{
	int listener = source->listener;

	FCGX_Init();
	for (guint i = 0; i < OPEN; i++)
		FCGX_InitRequest(&source->ios[i].request, listener, FCGI_FAIL_ACCEPT_ON_INTR);
	source->signals = signalfd(-1, stop, SFD_CLOEXEC);
	source->events = epoll_create1(EPOLL_CLOEXEC);
	if (config_log_line_is_elsewhere())
		source->hangups = watch_hangups(source);
	if (source->signals < 0 || source->events < 0 || !watch(source, source->signals, EPOLLIN) ||
	    !watch(source, listener, EPOLLIN | EPOLLEXCLUSIVE) ||
	    (source->stores >= 0 &&
		!watch(source, source->stores, EPOLLIN | (source->pooled ? EPOLLEXCLUSIVE : 0))) ||
	    fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK) != 0)
		g_error("cannot wait for requests: %s", g_strerror(errno));
}

struct fcgi_source *
fcgi_source_open(const sigset_t *stop, const struct fcgi_queues *pool, struct fcgi_storer *storer)
{
	struct fcgi_source *source = g_new0(struct fcgi_source, 1);

	source->pooled = pool;
	source->fastcgi = source->pooled || fcgi_io_is_fastcgi();
	source->listener = source->latest = pool ? pool->common : IO_LISTENER;
	source->storer = storer;
	source->ending = pool ? pool->ending : NULL;
	source->stores = pool ? pool->stores : storer ? fcgi_storer_events(storer) : -1;
	source->kept = source->hangups = -1;
	for (guint i = 0; i < OPEN; i++)
		source->ios[i] = (struct fcgi_io){.fastcgi = source->fastcgi, .shared = storer};
	if (source->fastcgi)
		open_listener(source, stop);
	return source;
}

void
fcgi_source_close(struct fcgi_source *source)
{
	if (source->fastcgi) {
		close(source->signals);
		close(source->events);
		if (source->hangups >= 0)
			close(source->hangups);
	}
	g_free(source);
}

/* NULL when all are busy. */
static struct fcgi_io *
io_find_free(struct fcgi_source *source)
{
	for (guint i = 0; i < OPEN; i++)
		if (!source->ios[i].busy)
			return &source->ios[i];
	return NULL;
}

/* Waits for a connection: ARRIVAL_REQUEST when one may have come. */
static enum fcgi_arrival
wait_for_request(struct fcgi_source *source, gint64 patience)
{
	struct epoll_event events[4];
	bool listens = false, stores = false;
	int count;

	do
		count = epoll_wait(source->events, events, G_N_ELEMENTS(events), (int)patience);
	while (count < 0 && errno == EINTR);
	for (int i = 0; i < count; i++) {
		if (events[i].data.fd == source->signals)
			return ARRIVAL_END;
		listens |= events[i].data.fd == source->listener;
		stores |= events[i].data.fd == source->stores;
	}
	/* If both have one, they take turns. */
	source->latest = stores && (!listens || source->latest == source->listener)
			     ? source->stores
			     : source->listener;
	config_log_line_reopen();
	return count == 0 ? ARRIVAL_NONE : ARRIVAL_REQUEST;
}

/* Reads the head of the request of a connection: 0, or minus errno. The connection goes into the
   field where libfcgi keeps its own (ipcFd, "< 0 means no connection"). keepConnection is set so
   that FCGX_Accept_r, which first finishes the previous request, does not close it. If the head is
   malformed, libfcgi closes the connection and tries to accept another one; that fails, since the
   listener is not a listening socket. */
static int
io_begin(struct fcgi_io *io, int connection)
{
	io->request.ipcFd = connection;
	io->request.keepConnection = 1;
	return FCGX_Accept_r(&io->request) == 0 ? 0 : -EAGAIN;
}

/* Takes a connection of those that store something. */
static int
take_storing(struct fcgi_source *source)
{
	return source->storer ? fcgi_storer_take(source->storer)
			      : fcgi_acceptor_take(source->latest);
}

/* Takes a connection: -1 with errno when there is none. */
static int
io_take_connection(struct fcgi_source *source, bool *given_r)
{
	if (source->pooled || source->latest == source->stores)
		return take_storing(source);
	int connection = accept4(source->listener, NULL, NULL, SOCK_CLOEXEC);
	*given_r = connection >= 0 && fcgi_storer_give(source->storer, connection);
	if (*given_r || (connection < 0 && (errno == EINTR || errno == ECONNABORTED)))
		errno = EAGAIN;
	return *given_r ? -1 : connection;
}

/* Takes a connection that the pool's acceptor had accepted before the pool was to end. A worker
   that ends by itself leaves them to the others. */
static enum fcgi_arrival
take_left(struct fcgi_source *source, struct fcgi_io *io)
{
	const int queues[] = {source->listener, source->stores};

	if (!source->ending || !g_atomic_int_get(source->ending))
		return ARRIVAL_END;
	for (guint i = 0; i < G_N_ELEMENTS(queues); i++) {
		int connection;

		source->latest = queues[i];
		while (queues[i] >= 0 && (connection = fcgi_acceptor_take(queues[i])) >= 0)
			if (io_begin(io, connection) == 0)
				return ARRIVAL_REQUEST;
	}
	return ARRIVAL_END;
}

/* Takes a connection and begins its request, as FCGX_Accept_r does. */
static int
take_request(struct fcgi_source *source, struct fcgi_io *io, bool *given_r)
{
	if (!source->pooled && !source->storer)
		return FCGX_Accept_r(&io->request);
	int connection = io_take_connection(source, given_r);
	return connection < 0 ? -errno : io_begin(io, connection);
}

static bool
take_kept(struct fcgi_source *source, struct fcgi_io *io)
{
	int connection = source->kept;

	source->kept = -1;
	return connection >= 0 && io_begin(io, connection) == 0;
}

static enum fcgi_arrival
take_next(struct fcgi_source *source, gint64 patience, struct fcgi_io *io, GError **error)
{
	bool given = false;
	int got = -EAGAIN;

	while (got == -EAGAIN) {
		enum fcgi_arrival arrival = wait_for_request(source, patience);
		if (arrival == ARRIVAL_END)
			return take_left(source, io);
		if (arrival != ARRIVAL_REQUEST)
			return arrival;
		got = take_request(source, io, &given);
		if (given)
			return ARRIVAL_GIVEN;
	}
	if (got >= 0)
		return source->storer && source->latest == source->stores ? ARRIVAL_OTHERS
									  : ARRIVAL_REQUEST;
	if (source->pooled)
		return ARRIVAL_END;
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "the web server's socket accepts no more requests: %s", g_strerror(-got));
	return ARRIVAL_FAILED;
}

enum fcgi_arrival
fcgi_source_accept(
    struct fcgi_source *source, gint64 patience, struct fcgi_io **io_r, GError **error)
{
	struct fcgi_io *io = io_find_free(source);
	enum fcgi_arrival arrival = source->accepted ? ARRIVAL_END : ARRIVAL_REQUEST;

	source->alone = take_kept(source, io);
	if (source->fastcgi && !source->alone)
		arrival = take_next(source, patience, io, error);
	source->accepted = !source->fastcgi;
	io->busy = arrival <= ARRIVAL_OTHERS;
	*io_r = io->busy ? io : NULL;
	return arrival;
}

#define HEADER_BYTES                                                                               \
	8 /* of a record: version, type, id, size of content and padding (section 3.3) */

/* Whether the bytes are a whole request: an empty record ends its head, and one its body. */
static bool
io_is_whole(const guint8 *bytes, gsize size)
{
	bool head = false;

	for (gsize at = 0; at + HEADER_BYTES <= size;) {
		const guint8 *header = bytes + at;
		gsize content = (gsize)header[4] << 8 | header[5];

		if (header[1] == FCGI_STDIN && content == 0)
			return head;
		head |= header[1] == FCGI_PARAMS && content == 0;
		at += HEADER_BYTES + content + header[6];
	}
	return false;
}

/* A connection that is kept is served next, and alone, so that a stop signal is soon seen. */
struct fcgi_io *
fcgi_source_more(struct fcgi_source *source)
{
	struct fcgi_io *io = io_find_free(source);

	if ((!source->pooled && !source->storer) || source->alone || source->kept >= 0 || !io)
		return NULL;
	int connection = take_storing(source);
	if (connection < 0)
		return NULL;
	ssize_t size = recv(connection, source->whole, WHOLE_BYTES, MSG_PEEK | MSG_DONTWAIT);
	if (size <= 0 || !io_is_whole((const guint8 *)source->whole, (gsize)size)) {
		source->kept = connection;
		return NULL;
	}
	io->busy = io_begin(io, connection) == 0;
	return io->busy ? io : NULL;
}

void
fcgi_source_rest(struct fcgi_source *source, bool rests)
{
	struct epoll_event event = {.events = rests ? 0 : EPOLLIN, .data.fd = source->stores};

	if (source->storer && rests != source->rests &&
	    epoll_ctl(source->events, EPOLL_CTL_MOD, source->stores, &event) == 0)
		source->rests = rests;
}

bool
fcgi_source_keeps(const struct fcgi_source *source)
{
	return source->kept >= 0;
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
		io->taken += (guint64)MAX(got, 0);
		return (gsize)MAX(got, 0);
	}
	for (;;) {
		ssize_t got = read(STDIN_FILENO, buffer, size);
		if (got >= 0) {
			io->taken += (guint64)got;
			return (gsize)got;
		}
		if (errno != EINTR)
			return 0;
	}
}

static void
io_write_all(const char *data, gsize size)
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

/* Whether all of the body was read, which may have no length. */
static bool
io_is_taken(const struct fcgi_io *io)
{
	const char *length = fcgi_io_param(io, "CONTENT_LENGTH");
	guint64 size = length ? g_ascii_strtoull(length, NULL, 10) : 0;

	return io->taken >= size && (size > 0 || !fcgi_io_param(io, "HTTP_TRANSFER_ENCODING"));
}

/* Reads the rest of the body. Input and output may be one socket (mod_cgid): if it is closed while
   input waits there, the web server takes the reply for cut off. */
static void
drain_input(struct fcgi_io *io)
{
	char buffer[65536];

	while (!io_is_taken(io) && fcgi_io_read(io, buffer, sizeof(buffer)) > 0)
		continue;
}

/* Closes standard output, which ends the reply, and standard input, which may be the same socket.
   /dev/null takes their numbers, so that no later file gets them. */
static void
close_streams(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
	}
	if (nothing > STDERR_FILENO)
		close(nothing);
}

void
fcgi_io_write(struct fcgi_io *io, const void *data, gsize size)
{
	g_assert(io->part_count < IO_PARTS);
	io->parts[io->part_count++] = (struct iovec){(void *)data, size};
}

static void
finish_cgi(struct fcgi_io *io)
{
	for (guint i = 0; i < io->part_count; i++)
		io_write_all(io->parts[i].iov_base, io->parts[i].iov_len);
	drain_input(io);
	close_streams();
}

/* Whether nothing of the request is left to read: neither its body nor the record that ends it. */
static bool
is_read(struct fcgi_io *io)
{
	return FCGX_HasSeenEOF(io->request.in) ||
	       (io_is_taken(io) && FCGX_GetChar(io->request.in) < 0);
}

/* Closes the connection even when the web server asks to keep it: a process would otherwise serve
   only that connection, and other connections would wait. A connection on which more may arrive is
   closed by libfcgi, which first ends the output and reads on for a while: data that nobody reads
   would make the system discard the reply. One that this process has taken back from the storer,
   which has yet to close its copy, would stay open. */
static void
finish_request(struct fcgi_io *io)
{
	fcgi_record_send(
	    io->request.ipcFd, (guint16)io->request.requestId, io->parts, io->part_count);
	/* This waits for a body without a length that is still on its way: the reply goes first. */
	if (!io->request.keepConnection && is_read(io)) {
		if (io->shared)
			shutdown(io->request.ipcFd, SHUT_RDWR);
		FCGX_Detach(&io->request);
	}
	FCGX_Free(&io->request, 1);
}

void
fcgi_io_finish(struct fcgi_io *io)
{
	io->busy = false;
	if (io->fastcgi)
		finish_request(io);
	else
		finish_cgi(io);
	io->part_count = 0;
	io->taken = 0;
}
