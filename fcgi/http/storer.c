/* SPDX-License-Identifier: MIT */
/* Processes that serve alone give connections of requests that store something to one of them.

   No connection is served twice, or by nobody. Each process has a channel to the storer, and gives
   one connection at a time:
   1. It sends a copy of the connection, and keeps its own.
   2. The storer takes the copy out of the channel, and answers with a byte. If the byte cannot be
      sent, the storer closes the copy.
   3. The process reads the byte: the storer serves the connection.
   4. The storer has taken nothing from anybody for STORER_STUCK_MS: the process shuts the channel
      down. The kernel refuses a later byte, so an earlier one is there now; without one, the
      process serves the connection.
   5. The storer has ended: the process reads what was sent before the end, as in step 4.
   A storer that dies behind step 2 takes its requests along, as any process does.

   With many processes, one waits for long though the storer is quick. Therefore the storer counts
   what it takes, in memory that it shares with each process that connects. */
#include "fcgi/http/storer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/secret.h"
#include "fcgi/http/record.h"
#include "process/handover.h"
#include "process/lock.h"

#define LOCK_NAME "requests.storer"
#define PROGRAM "/proc/self/exe"
#define REST_MS 1000 /* the most */
#define PEERS 512    /* but no more than half of the files that a process may open */
#define READY 16     /* peers that are looked at with one system call */
#define TAKEN 1	     /* the byte of step 2 */
#define MEMORY 0     /* the byte that comes with the memory */

struct fcgi_storer {
	int folder;
	guint64 identity; /* of settings and program */
	char name[64];	  /* of the socket in the folder */
	guint *served;	  /* connections that the storer has taken, shared; NULL: not known */

	/* For a process that gives connections. */
	int channel; /* -1: none */
	gint64 rest_ms, rests_until;

	/* For the storer alone. */
	bool resigned;
	int lock, listener, memory; /* -1: it is another process */
	int events;		    /* an epoll of the listener and the peers */
	GArray *peers;		    /* int */
	struct epoll_event ready[READY];
	int ready_count, ready_at;
};

/* Adds the properties of a file that differ from those of another, and of another version. */
static bool
storer_add_file(GByteArray *identity, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	const gint64 fields[] = {(gint64)st.st_dev, (gint64)st.st_ino, st.st_size,
	    st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
	g_byte_array_append(identity, (const guint8 *)fields, sizeof(fields));
	return true;
}

static bool
storer_identify(struct fcgi_storer *storer, const char *settings)
{
	g_autoptr(GByteArray) identity = g_byte_array_new();
	guint8 digest[SHA256_SIZE];

	if (!storer_add_file(identity, settings) || !storer_add_file(identity, PROGRAM))
		return false;
	base_secret_sha256(identity->data, identity->len, digest);
	memcpy(&storer->identity, digest, sizeof(storer->identity));
	g_snprintf(storer->name, sizeof(storer->name), LOCK_NAME ".%016" G_GINT64_MODIFIER "x",
	    storer->identity);
	return true;
}

struct fcgi_storer *
fcgi_storer_open(const char *spool, const char *settings)
{
	AUTO(fcgi_storer) storer = g_new0(struct fcgi_storer, 1);

	storer->channel = storer->lock = storer->listener = storer->memory = -1;
	storer->peers = g_array_new(FALSE, FALSE, sizeof(int));
	storer->folder = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	storer->events = epoll_create1(EPOLL_CLOEXEC);
	if (storer->folder < 0 || storer->events < 0 || !storer_identify(storer, settings))
		return NULL;
	return g_steal_pointer(&storer);
}

static void
storer_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
storer_unmap(struct fcgi_storer *storer)
{
	if (storer->served)
		munmap(storer->served, sizeof(guint));
	storer->served = NULL;
}

static bool
storer_map(struct fcgi_storer *storer, int memory)
{
	void *map = mmap(NULL, sizeof(guint), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);

	storer_unmap(storer);
	storer->served = map == MAP_FAILED ? NULL : map;
	return storer->served;
}

void
fcgi_storer_free(struct fcgi_storer *storer)
{
	fcgi_storer_resign(storer);
	storer_unmap(storer);
	storer_close(&storer->channel);
	storer_close(&storer->folder);
	storer_close(&storer->events);
	g_array_unref(storer->peers);
	g_free(storer);
}

/* A socket, and its address. The path of the folder may be too long for an address, so it goes by
   its descriptor. */
static int
storer_socket(const struct fcgi_storer *storer, struct sockaddr_un *address_r)
{
	*address_r = (struct sockaddr_un){.sun_family = AF_UNIX};
	g_snprintf(address_r->sun_path, sizeof(address_r->sun_path), "/proc/self/fd/%d/%s",
	    storer->folder, storer->name);
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static bool
storer_watch(const struct fcgi_storer *storer, int operation, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(storer->events, operation, fd, &event) == 0;
}

/* The memory begins with 0. Only this user may connect: the socket is readable and writable for
   nobody else, and nobody else can put another one into the folder. */
static bool
storer_listen(struct fcgi_storer *storer)
{
	struct sockaddr_un address;

	unlinkat(storer->folder, storer->name, 0);
	storer->listener = storer_socket(storer, &address);
	storer->memory = memfd_create("storer", MFD_CLOEXEC);
	return storer->listener >= 0 && storer->memory >= 0 &&
	       ftruncate(storer->memory, sizeof(guint)) == 0 &&
	       storer_map(storer, storer->memory) &&
	       bind(storer->listener, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
	       fchmodat(storer->folder, storer->name, 0600, 0) == 0 &&
	       listen(storer->listener, SOMAXCONN) == 0 &&
	       storer_watch(storer, EPOLL_CTL_ADD, storer->listener);
}

static void
storer_give_up(struct fcgi_storer *storer)
{
	storer_close(&storer->listener);
	storer_close(&storer->memory);
	storer_close(&storer->lock);
	storer_unmap(storer);
}

/* Makes this process the storer, unless another one is. */
static void
storer_elect(struct fcgi_storer *storer)
{
	off_t byte = (off_t)(storer->identity >> 2);

	storer->lock =
	    openat(storer->folder, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (storer->resigned || storer->lock < 0 ||
	    !process_lock_byte(storer->lock, F_OFD_SETLK, F_WRLCK, byte) || !storer_listen(storer))
		storer_give_up(storer);
}

static bool
storer_connect(struct fcgi_storer *storer)
{
	struct sockaddr_un address;

	if (storer->channel >= 0)
		return true;
	storer->channel = storer_socket(storer, &address);
	if (connect(storer->channel, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return true;
	bool is_nobody = errno == ENOENT || errno == ECONNREFUSED;
	storer_close(&storer->channel);
	if (is_nobody)
		storer_elect(storer);
	return false;
}

static void
storer_disconnect(struct fcgi_storer *storer)
{
	storer_close(&storer->channel);
	storer_unmap(storer);
}

static guint
storer_served(const struct fcgi_storer *storer)
{
	return storer->served ? __atomic_load_n(storer->served, __ATOMIC_RELAXED) : 0;
}

enum storer_answer { ANSWER_NONE, ANSWER_TAKEN, ANSWER_ENDED };

/* Reads what the storer has sent. If it ended with something unread, the kernel tells an error
   first, then what it had sent, then the end. */
static enum storer_answer
storer_read(struct fcgi_storer *storer)
{
	guint ends = 0;

	while (ends < 2) {
		char note = MEMORY;
		int memory = process_handover_take(storer->channel, &note);

		if (note == TAKEN)
			return ANSWER_TAKEN;
		if (memory >= 0) {
			storer_map(storer, memory);
			close(memory);
		} else if (errno == EAGAIN)
			return ANSWER_NONE;
		else
			ends++;
	}
	return ANSWER_ENDED;
}

static bool
storer_await(struct fcgi_storer *storer)
{
	struct pollfd channel = {storer->channel, POLLIN, 0};
	enum storer_answer answer = ANSWER_NONE;

	while (answer == ANSWER_NONE) {
		guint served = storer_served(storer);

		if (poll(&channel, 1, STORER_STUCK_MS) > 0)
			answer = storer_read(storer);
		else if (served == storer_served(storer))
			break;
	}
	if (answer == ANSWER_TAKEN) {
		storer->rest_ms = 0;
		return true;
	}
	if (answer == ANSWER_NONE) {
		storer->rest_ms = CLAMP(2 * storer->rest_ms, STORER_STUCK_MS, REST_MS);
		storer->rests_until = base_clock_boot() + storer->rest_ms;
	}
	shutdown(storer->channel, SHUT_RDWR);
	return storer_read(storer) == ANSWER_TAKEN;
}

bool
fcgi_storer_give(struct fcgi_storer *storer, int connection)
{
	bool is_sent = false, is_taken = false;

	if (storer->listener >= 0 || base_clock_boot() < storer->rests_until ||
	    !fcgi_record_may_store(connection))
		return false;
	/* The storer that took the last one may have ended since. */
	for (guint i = 0; i < 2 && !is_sent && storer_connect(storer); i++) {
		is_sent = process_handover_give(storer->channel, connection, 0);
		is_taken = is_sent && storer_await(storer);
		if (!is_taken)
			storer_disconnect(storer);
	}
	if (is_taken)
		close(connection);
	return is_taken;
}

int
fcgi_storer_events(const struct fcgi_storer *storer)
{
	return storer->events;
}

/* Accepts a peer, and gives it the memory. Where there is no room for it, no more are accepted
   until one has left, and it takes its connection back. */
static void
storer_accept(struct fcgi_storer *storer)
{
	bool has_room = storer->peers->len < (guint)MIN(PEERS, sysconf(_SC_OPEN_MAX) / 2);
	int peer =
	    has_room ? accept4(storer->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;

	if (!has_room || (peer < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)))
		storer_watch(storer, EPOLL_CTL_DEL, storer->listener);
	else if (peer >= 0 && process_handover_give(peer, storer->memory, MEMORY) &&
		 storer_watch(storer, EPOLL_CTL_ADD, peer))
		g_array_append_val(storer->peers, peer);
	else
		storer_close(&peer);
}

static void
storer_drop(struct fcgi_storer *storer, int peer)
{
	guint i = 0;

	while (g_array_index(storer->peers, int, i) != peer)
		i++;
	g_array_remove_index_fast(storer->peers, i);
	close(peer);
	storer_watch(storer, EPOLL_CTL_ADD, storer->listener);
}

static int
storer_take_from(struct fcgi_storer *storer, int peer)
{
	const char taken = TAKEN;
	int connection = process_handover_take(peer, NULL);

	if (connection < 0 && errno == EAGAIN)
		return -1;
	if (connection >= 0 && send(peer, &taken, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) {
		__atomic_add_fetch(storer->served, 1, __ATOMIC_RELAXED);
		return connection;
	}
	storer_close(&connection);
	storer_drop(storer, peer);
	return -1;
}

int
fcgi_storer_take(struct fcgi_storer *storer)
{
	int connection = -1;

	while (connection < 0) {
		if (storer->ready_at >= storer->ready_count) {
			storer->ready_at = 0;
			storer->ready_count = epoll_wait(storer->events, storer->ready, READY, 0);
		}
		if (storer->ready_count <= 0) {
			errno = EAGAIN;
			return -1;
		}
		int fd = storer->ready[storer->ready_at++].data.fd;
		if (fd == storer->listener)
			storer_accept(storer);
		else
			connection = storer_take_from(storer, fd);
	}
	return connection;
}

void
fcgi_storer_resign(struct fcgi_storer *storer)
{
	storer->resigned = true;
	if (storer->listener < 0)
		return;
	unlinkat(storer->folder, storer->name, 0);
	storer_give_up(storer);
	for (guint i = 0; i < storer->peers->len; i++)
		close(g_array_index(storer->peers, int, i));
	g_array_set_size(storer->peers, 0);
	storer->ready_count = storer->ready_at = 0;
}
