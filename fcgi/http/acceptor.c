/* SPDX-License-Identifier: MIT */
/* The first process of a pool accepts the web server's connections and hands them to workers. */
#include "fcgi/http/acceptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/log.h"
#include "process/handover.h"

#define LISTENER STDIN_FILENO
#define START_MS 1000
#define SHORTAGE_MS 100 /* pause after file descriptors or memory ran out */
#define ORPHAN_S 1
#define QUEUE_BYTES                                                                                \
	(16 * 1024) /* room for about 20 connections that wait for a worker; more wait in the      \
		       backlog */

struct fcgi_acceptor {
	int giver;  /* the first process's end of the socket pair, which no worker keeps */
	int source; /* the workers' end */
	pid_t pid;  /* the first process */
	guint workers;
	int over; /* atomic: the socket takes no connections any more */
};

struct fcgi_acceptor *
fcgi_acceptor_open(GError **error)
{
	int ends[2], size = QUEUE_BYTES;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "cannot make a socket pair: %s",
		    g_strerror(errno));
		return NULL;
	}
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	struct fcgi_acceptor *acceptor = g_new0(struct fcgi_acceptor, 1);
	acceptor->giver = ends[0];
	acceptor->source = ends[1];
	acceptor->pid = getpid();
	return acceptor;
}

/* A started thread uses acceptor until it says that it is over, so before that nothing is freed. */
void
fcgi_acceptor_free(struct fcgi_acceptor *acceptor)
{
	if (acceptor->workers > 0 && !fcgi_acceptor_is_over(acceptor))
		return;
	close(acceptor->giver);
	close(acceptor->source);
	g_free(acceptor);
}

static bool
is_shortage(int fault)
{
	return fault == EMFILE || fault == ENFILE || fault == ENOBUFS || fault == ENOMEM ||
	       fault == ETOOMANYREFS;
}

static void
acceptor_give(const struct fcgi_acceptor *acceptor, int connection)
{
	while (!process_handover_give(acceptor->giver, connection, 0) && is_shortage(errno))
		g_usleep(SHORTAGE_MS * 1000);
	close(connection);
}

static bool
acceptor_is_ready(int fd, gint64 timeout)
{
	struct pollfd poll_fd = {fd, POLLIN, 0};

	return poll(&poll_fd, 1, (int)timeout) == 1;
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
		if (acceptor_is_ready(acceptor->giver, left) &&
		    recv(acceptor->giver, &byte, 1, 0) == 1)
			joined++;
}

/* Returns -1 with errno when the socket cannot take connections any more. */
static int
accept_next(void)
{
	for (;;) {
		int connection = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC);

		if (connection >= 0)
			return connection;
		if (errno == EINVAL || errno == EBADF || errno == ENOTSOCK || errno == EOPNOTSUPP)
			return -1;
		if (is_shortage(errno))
			g_usleep(SHORTAGE_MS * 1000);
		else if (errno == EAGAIN)
			acceptor_is_ready(LISTENER, -1);
	}
}

static void *
acceptor_hand_out(void *context)
{
	struct fcgi_acceptor *acceptor = context;
	pid_t pid = acceptor->pid;
	int connection;

	wait_for_workers(acceptor);
	while ((connection = accept_next()) >= 0)
		acceptor_give(acceptor, connection);
	config_log("the web server's socket accepts no more requests: %s", g_strerror(errno));
	g_atomic_int_set(&acceptor->over, true); /* from here on acceptor may be freed */
	kill(pid, SIGTERM);
	return NULL;
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

int
fcgi_acceptor_join(struct fcgi_acceptor *acceptor)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing >= 0)
		dup2(nothing, LISTENER);
	else
		close(LISTENER);
	if (nothing > STDERR_FILENO)
		close(nothing);
	close(acceptor->giver);
	end_with_pool(acceptor->pid);
	send(acceptor->source, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	return acceptor->source;
}

int
fcgi_acceptor_take(int source)
{
	return process_handover_take(source, NULL);
}
