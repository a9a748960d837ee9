/* SPDX-License-Identifier: MIT */
/* The first process of a pool accepts the web server's connections and hands them to workers. */
#include "fcgi/http/acceptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/log.h"
#include "fcgi/http/record.h"
#include "process/handover.h"

#define LISTENER STDIN_FILENO
#define START_MS 1000
#define SHORTAGE_MS 100 /* pause after file descriptors or memory ran out */
#define ORPHAN_S 1
#define END_MS 1000
#define END_LOOK_US 1000
/* Room for about 40 connections that wait for a worker; more wait in the backlog. The queue of the
   storers counts as full with a quarter as many, and then all workers store, which costs more: so
   it has room for about 140. */
#define COMMON_BYTES (16 * 1024)
#define STORES_BYTES (208 * 1024)
#define WORKERS_OF_STORER 4
#define ACCEPTOR_STORERS 256

/* Shared by all processes of the pool, and atomic. Times are on base_clock_boot. */
struct shared {
	int ending;		       /* no more connections are accepted */
	guint served;		       /* how often a storer had requests */
	gint64 busy[ACCEPTOR_STORERS]; /* since when a storer has requests; 0: none */
};

/* A socket pair. */
struct queue {
	int giver; /* the first process's end, which no worker keeps */
	int taker; /* the workers' end */
};

struct fcgi_acceptor {
	struct queue common, stores;
	pid_t pid; /* the first process */
	guint workers;
	int over;	  /* atomic: the socket takes no connections any more */
	int held;	  /* atomic: a connection on its way to a queue; -1: none */
	GMutex accepting; /* held while one is accepted and handed on */
	struct shared *shared;

	/* The thread's own. */
	bool waits;   /* connections may wait in the queue of the storers */
	bool stuck;   /* the storers were, before the latest connection was accepted */
	guint served; /* of storers, when that was looked at last */
	gint64 since; /* when it changed, or when the first connection came that waits */
};

static bool
acceptor_open_queue(struct queue *queue, int size)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	*queue = (struct queue){ends[0], ends[1]};
	return true;
}

static void
acceptor_close_queue(const struct queue *queue)
{
	if (queue->giver >= 0)
		close(queue->giver);
	if (queue->taker >= 0)
		close(queue->taker);
}

struct fcgi_acceptor *
fcgi_acceptor_open(GError **error)
{
	AUTO(fcgi_acceptor) acceptor = g_new0(struct fcgi_acceptor, 1);

	acceptor->common = acceptor->stores = (struct queue){-1, -1};
	acceptor->pid = getpid();
	acceptor->held = -1;
	acceptor->shared = mmap(NULL, sizeof(*acceptor->shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (acceptor->shared != MAP_FAILED &&
	    acceptor_open_queue(&acceptor->common, COMMON_BYTES) &&
	    acceptor_open_queue(&acceptor->stores, STORES_BYTES))
		return g_steal_pointer(&acceptor);
	g_set_error(
	    error, PH_ERROR, PH_ERROR_FAILED, "cannot hand out connections: %s", g_strerror(errno));
	return NULL;
}

/* A started thread uses acceptor until it says that it is over, so before that nothing is freed. */
void
fcgi_acceptor_free(struct fcgi_acceptor *acceptor)
{
	if (acceptor->workers > 0 && !fcgi_acceptor_is_over(acceptor))
		return;
	acceptor_close_queue(&acceptor->common);
	acceptor_close_queue(&acceptor->stores);
	if (acceptor->shared != MAP_FAILED)
		munmap(acceptor->shared, sizeof(*acceptor->shared));
	g_free(acceptor);
}

static bool
is_shortage(int fault)
{
	return fault == EMFILE || fault == ENFILE || fault == ENOBUFS || fault == ENOMEM ||
	       fault == ETOOMANYREFS;
}

static void
acceptor_give(struct fcgi_acceptor *acceptor, const struct queue *queue, int connection)
{
	while (!process_handover_give(queue->giver, connection, 0) && is_shortage(errno))
		g_usleep(SHORTAGE_MS * 1000);
	g_atomic_int_set(&acceptor->held, -1);
	close(connection);
}

static bool
acceptor_is_ready(int fd, short events, gint64 timeout)
{
	struct pollfd poll_fd = {fd, events, 0};

	return poll(&poll_fd, 1, (int)timeout) == 1;
}

static guint
acceptor_storers(const struct fcgi_acceptor *acceptor)
{
	return CLAMP(acceptor->workers / WORKERS_OF_STORER, 1, ACCEPTOR_STORERS);
}

/* Whether a storer has been busy for a while, or none of them takes what waits. */
static bool
acceptor_is_stuck(struct fcgi_acceptor *acceptor)
{
	guint served = __atomic_load_n(&acceptor->shared->served, __ATOMIC_RELAXED);
	gint64 now = base_clock_boot(), since = now;

	for (guint i = 0; i < acceptor_storers(acceptor); i++) {
		gint64 busy = __atomic_load_n(&acceptor->shared->busy[i], __ATOMIC_RELAXED);

		since = busy != 0 ? MIN(since, busy) : since;
	}
	if (!acceptor->waits || served != acceptor->served)
		acceptor->since = now;
	acceptor->served = served;
	return now - MIN(since, acceptor->since) >= ACCEPTOR_STUCK_MS;
}

static void
acceptor_hand_on(struct fcgi_acceptor *acceptor, int connection)
{
	g_atomic_int_set(&acceptor->held, connection);
	if (!fcgi_record_may_store(connection) || acceptor->stuck ||
	    !acceptor_is_ready(acceptor->stores.giver, POLLOUT, 0)) {
		acceptor_give(acceptor, &acceptor->common, connection);
		return;
	}
	acceptor_give(acceptor, &acceptor->stores, connection);
	acceptor->waits = true;
}

/* All workers take what waits for storers that are stuck, before what comes later. */
static void
acceptor_rescue(struct fcgi_acceptor *acceptor)
{
	int connection;

	acceptor->stuck = acceptor_is_stuck(acceptor);
	if (!acceptor->waits || !acceptor->stuck)
		return;
	while ((connection = process_handover_take(acceptor->stores.taker, NULL)) >= 0) {
		g_atomic_int_set(&acceptor->held, connection);
		acceptor_give(acceptor, &acceptor->common, connection);
	}
	acceptor->waits = false;
}

/* A worker gives up the socket before it joins. Once all have joined, only this process holds the
   socket, and its death closes it. */
static void
wait_for_workers(const struct fcgi_acceptor *acceptor)
{
	gint64 end = base_clock_boot() + START_MS, left;
	guint joined = 0;
	char byte;

	while (joined < acceptor->workers && (left = end - base_clock_boot()) > 0)
		if (acceptor_is_ready(acceptor->common.giver, POLLIN, left) &&
		    recv(acceptor->common.giver, &byte, 1, 0) == 1)
			joined++;
}

/* Waits for a connection, and not for long while some wait for storers. False when the socket is
   shut down. */
static bool
acceptor_wait(const struct fcgi_acceptor *acceptor)
{
	struct pollfd listener = {LISTENER, POLLIN, 0};

	poll(&listener, 1, acceptor->waits ? ACCEPTOR_STUCK_MS : -1);
	return !(listener.revents & POLLHUP);
}

/* Accepts a connection and hands it on: 0, or errno when there was none. */
static int
accept_next(struct fcgi_acceptor *acceptor)
{
	acceptor_rescue(acceptor);
	int connection = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC);

	if (connection < 0)
		return errno;
	acceptor_hand_on(acceptor, connection);
	return 0;
}

/* Waits for what accept_next lacked. False when the socket cannot take connections any more. */
static bool
acceptor_pause(const struct fcgi_acceptor *acceptor, int fault)
{
	if (fault == EINVAL || fault == EBADF || fault == ENOTSOCK || fault == EOPNOTSUPP)
		return false;
	if (is_shortage(fault))
		g_usleep(SHORTAGE_MS * 1000);
	return fault != EAGAIN || acceptor_wait(acceptor);
}

static void *
acceptor_hand_out(void *context)
{
	struct fcgi_acceptor *acceptor = context;
	pid_t pid = acceptor->pid;
	bool goes_on = true;
	int fault = 0;

	wait_for_workers(acceptor);
	fcntl(LISTENER, F_SETFL, fcntl(LISTENER, F_GETFL) | O_NONBLOCK);
	while (goes_on && !g_atomic_int_get(&acceptor->shared->ending)) {
		g_mutex_lock(&acceptor->accepting);
		fault = g_atomic_int_get(&acceptor->shared->ending) ? 0 : accept_next(acceptor);
		g_mutex_unlock(&acceptor->accepting);
		goes_on = fault == 0 || acceptor_pause(acceptor, fault);
	}
	if (goes_on)
		return NULL;
	config_log("the web server's socket accepts no more requests: %s",
	    g_strerror(fault == EAGAIN ? EINVAL : fault));
	g_atomic_int_set(&acceptor->over, true); /* from here on acceptor may be freed */
	kill(pid, SIGTERM);
	return NULL;
}

void
fcgi_acceptor_end(struct fcgi_acceptor *acceptor)
{
	gint64 end = base_clock_boot() + END_MS;

	g_atomic_int_set(&acceptor->shared->ending, true);
	while (base_clock_boot() < end) {
		if (g_mutex_trylock(&acceptor->accepting)) {
			g_mutex_unlock(&acceptor->accepting);
			return;
		}
		g_usleep(END_LOOK_US);
	}
}

void
fcgi_acceptor_start(struct fcgi_acceptor *acceptor, guint workers)
{
	sigset_t all, before;

	acceptor->workers = workers;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	g_thread_unref(g_thread_new("acceptor", acceptor_hand_out, acceptor));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool
fcgi_acceptor_is_over(const struct fcgi_acceptor *acceptor)
{
	return g_atomic_int_get(&acceptor->over);
}

static void
end_soon(int signal_number)
{
	alarm(ORPHAN_S);
}

static void
end_with_pool(pid_t pool)
{
	struct sigaction action = {.sa_handler = end_soon, .sa_flags = SA_RESTART};
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR2);
	sigaddset(&signals, SIGALRM);
	sigaction(SIGUSR2, &action, NULL);
	signal(SIGALRM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR2);
	if (getppid() != pool)
		end_soon(SIGUSR2);
}

/* The last ones are: of workers that wait, the first ones get what comes to all. */
static bool
acceptor_is_storer(const struct fcgi_acceptor *acceptor, guint number)
{
	return number + acceptor_storers(acceptor) >= acceptor->workers;
}

struct fcgi_queues
fcgi_acceptor_join(struct fcgi_acceptor *acceptor, guint number)
{
	bool is_storer = acceptor_is_storer(acceptor, number);
	/* A copy would keep the connection open when the worker that gets it dies. */
	int held = g_atomic_int_get(&acceptor->held);
	if (held >= 0)
		close(held);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing >= 0)
		dup2(nothing, LISTENER);
	else
		close(LISTENER);
	if (nothing > STDERR_FILENO)
		close(nothing);
	close(acceptor->common.giver);
	close(acceptor->stores.giver);
	end_with_pool(acceptor->pid);
	fcgi_acceptor_note(acceptor, number, false);
	send(acceptor->common.taker, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	return (struct fcgi_queues){acceptor->common.taker, is_storer ? acceptor->stores.taker : -1,
	    &acceptor->shared->ending};
}

void
fcgi_acceptor_note(struct fcgi_acceptor *acceptor, guint number, bool has)
{
	if (!acceptor_is_storer(acceptor, number))
		return;
	gint64 *busy = &acceptor->shared->busy[acceptor->workers - 1 - number];
	if (has)
		__atomic_add_fetch(&acceptor->shared->served, 1, __ATOMIC_RELAXED);
	if (!has || __atomic_load_n(busy, __ATOMIC_RELAXED) == 0)
		__atomic_store_n(busy, has ? base_clock_boot() : 0, __ATOMIC_RELAXED);
}

int
fcgi_acceptor_take(int queue)
{
	return process_handover_take(queue, NULL);
}
