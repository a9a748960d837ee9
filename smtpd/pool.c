/* SPDX-License-Identifier: MIT */
/* Takes the connections of clients, and starts, feeds and ends the workers that serve them. */
#include "smtpd/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/log.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "process/handover.h"
#include "service/metrics.h"
#include "service/rates.h"
#include "service/service.h"
#include "smtpd/listen.h"
#include "smtpd/session.h"
#include "smtpd/tls.h"
#include "smtpd/wire.h"
#include "text/network.h"

#define IDLE_MS 60000 /* how long a worker waits for a session */
#define SHORTAGE_MS 100

#define TOO_MANY "421 4.3.2 Too many sessions\r\n"
#define TOO_MANY_OF_ADDRESS "421 4.7.0 Too many sessions from your address\r\n"

/* The client of a worker, as far as it is counted. */
struct group {
	guint8 bytes[16];
	guint size; /* 0: it is not counted */
};

struct worker {
	pid_t pid;
	int channel; /* -1: it is to end */
	bool is_busy;
	bool is_last;	   /* it ends after this session */
	gint64 idle_since; /* on base_clock_boot */
	struct group group;
};

struct pool {
	const struct config_settings *settings; /* owned if it is not first */
	const struct config_settings *first;
	const GArray *listeners;
	struct smtpd_tls *tls;
	GArray *workers; /* struct worker */
	int signals;
	guint lost; /* sessions of workers that were killed: they still count as open */
	bool stops;
};

static struct worker *
smtpd_pool_worker(const struct pool *pool, guint i)
{
	return &g_array_index(pool->workers, struct worker, i);
}

/* The worker's side: sessions until the channel ends or the service stops. */
static void
smtpd_pool_worker_serve(const struct smtpd_house *house, int channel)
{
	struct pollfd fds[] = {{channel, POLLIN, 0}, {house->signals, POLLIN, 0}};
	char is_tls;

	for (;;) {
		int ready = poll(fds, 2, (int)MIN(service_metrics_patience(), G_MAXINT));

		if (ready > 0 && fds[1].revents)
			return;
		if (ready > 0 && fds[0].revents) {
			int fd = process_handover_take(channel, &is_tls);
			if (fd < 0 && errno == ECONNRESET)
				return;
			if (fd >= 0 && !smtpd_session_run(house, fd, is_tls)) {
				smtpd_session_end(house);
				close(fd);
			}
		}
		service_metrics_flush(house->service, false);
		config_log_line_reopen();
	}
}

static void G_GNUC_NORETURN
smtpd_pool_worker_run(struct pool *pool, int channel)
{
	for (guint i = 0; i < pool->listeners->len; i++)
		close(g_array_index(pool->listeners, struct smtpd_listener, i).fd);
	for (guint i = 0; i < pool->workers->len; i++)
		if (smtpd_pool_worker(pool, i)->channel >= 0)
			close(smtpd_pool_worker(pool, i)->channel);
	close(pool->signals);
	service_metrics_forget();
	if (pool->lost > 0)
		service_metrics_add(METRIC_SMTP_SESSIONS, -(gint64)pool->lost, NULL);
	AUTO(service) service = service_open(pool->settings);
	AUTO(service_rates) rates = service_rates_new(pool->settings);
	const struct smtpd_house house = {service, rates, pool->tls, smtpd_wire_signals(), channel};
	smtpd_pool_worker_serve(&house, channel);
	service_metrics_flush(service, true);
	g_clear_pointer(&service, service_close);
	g_clear_pointer(&rates, service_rates_free);
	exit(EXIT_SUCCESS);
}

/* Starts a worker. NULL when none can be started. */
static struct worker *
smtpd_pool_start(struct pool *pool)
{
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		config_log("cannot make a socket pair: %s", g_strerror(errno));
		return NULL;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(EX_TEMPFAIL);
		smtpd_pool_worker_run(pool, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		config_log("cannot start a process: %s", g_strerror(errno));
		close(ends[0]);
		return NULL;
	}
	pool->lost = 0;
	const struct worker worker = {.pid = pid, .channel = ends[0]};
	g_array_append_val(pool->workers, worker);
	return smtpd_pool_worker(pool, pool->workers->len - 1);
}

/* A worker without a session, the one that had one last; a new one where there is none. */
static struct worker *
smtpd_pool_find_worker(struct pool *pool)
{
	struct worker *found = NULL;

	for (guint i = 0; i < pool->workers->len; i++) {
		struct worker *worker = smtpd_pool_worker(pool, i);

		if (!worker->is_busy && worker->channel >= 0 &&
		    (!found || worker->idle_since > found->idle_since))
			found = worker;
	}
	return found ? found : smtpd_pool_start(pool);
}

/* The address of a client, or the /64 of IPv6, where it is counted. */
static struct group
smtpd_pool_group_of(const struct sockaddr_storage *peer, int fd)
{
	struct smtpd_wire wire;
	struct group group = {.size = 0};

	if (peer->ss_family != AF_INET && peer->ss_family != AF_INET6)
		return group;
	if (!smtpd_wire_open(&wire, fd, -1, 1, 1) || smtpd_wire_is_loopback(&wire))
		return group;
	group.size = wire.address.size == 4 ? 4 : 8;
	memcpy(group.bytes, wire.address.bytes, group.size);
	return group;
}

/* The reply that refuses a client; NULL: there is room. */
static const char *
smtpd_pool_refusal(const struct pool *pool, const struct group *group)
{
	gint64 sessions = 0, own = 0;

	for (guint i = 0; i < pool->workers->len; i++) {
		const struct worker *worker = smtpd_pool_worker(pool, i);

		if (!worker->is_busy)
			continue;
		sessions++;
		own += group->size > 0 && worker->group.size == group->size &&
		       memcmp(worker->group.bytes, group->bytes, group->size) == 0;
	}
	if (sessions >= config_settings_number(pool->settings, SETTING_SMTPD_CONNECTIONS))
		return TOO_MANY;
	if (own >= config_settings_number(pool->settings, SETTING_SMTPD_PER_ADDRESS))
		return TOO_MANY_OF_ADDRESS;
	return NULL;
}

/* Refuses a client. In TLS it could not read the reply. */
static void
smtpd_pool_refuse(int fd, bool is_tls, const char *reply)
{
	if (!is_tls && send(fd, reply, strlen(reply), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		shutdown(fd, SHUT_WR);
}

static void
smtpd_pool_dismiss(struct worker *worker)
{
	close(worker->channel);
	worker->channel = -1;
}

/* A worker has ended its session, or has ended itself. */
static void
smtpd_pool_hear(struct worker *worker)
{
	char byte;

	if (recv(worker->channel, &byte, 1, MSG_DONTWAIT) == 1) {
		worker->is_busy = false;
		worker->idle_since = base_clock_boot();
		if (worker->is_last)
			smtpd_pool_dismiss(worker);
	}
}

static void
smtpd_pool_serve(struct pool *pool, int fd, const struct sockaddr_storage *peer, bool is_tls)
{
	const struct group group = smtpd_pool_group_of(peer, fd);

	/* A client that comes back has seen the end of its session, of which its worker told
	   before. */
	for (guint i = 0; smtpd_pool_refusal(pool, &group) && i < pool->workers->len; i++)
		if (smtpd_pool_worker(pool, i)->channel >= 0)
			smtpd_pool_hear(smtpd_pool_worker(pool, i));
	const char *reply = smtpd_pool_refusal(pool, &group);
	struct worker *worker = reply ? NULL : smtpd_pool_find_worker(pool);

	if (worker && process_handover_give(worker->channel, fd, is_tls)) {
		worker->is_busy = true;
		worker->group = group;
	} else {
		smtpd_pool_refuse(fd, is_tls, reply ? reply : TOO_MANY);
	}
	close(fd);
}

static void
smtpd_pool_accept(struct pool *pool, const struct smtpd_listener *listener)
{
	for (;;) {
		struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
		socklen_t size = sizeof(peer);
		int fd = accept4(listener->fd, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC);

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0) {
			if (errno != EAGAIN)
				g_usleep(SHORTAGE_MS * 1000);
			return;
		}
		smtpd_pool_serve(pool, fd, &peer, listener->is_tls);
	}
}

static void
smtpd_pool_reap(struct pool *pool)
{
	for (guint i = pool->workers->len; i-- > 0;) {
		struct worker *worker = smtpd_pool_worker(pool, i);
		int status;

		if (waitpid(worker->pid, &status, WNOHANG) != worker->pid)
			continue;
		if (worker->channel >= 0)
			smtpd_pool_hear(worker);
		if (WIFSIGNALED(status)) {
			config_log("process %d was ended by a signal: %s", (int)worker->pid,
			    g_strsignal(WTERMSIG(status)));
			pool->lost += worker->is_busy;
		}
		if (worker->channel >= 0)
			close(worker->channel);
		g_array_remove_index_fast(pool->workers, i);
	}
}

/* Ends the workers that have waited for long. Returns the time until the next one has, in ms; -1:
   none waits. */
static int
smtpd_pool_dismiss_idle(struct pool *pool)
{
	gint64 now = base_clock_boot(), next = -1;

	for (guint i = 0; i < pool->workers->len; i++) {
		struct worker *worker = smtpd_pool_worker(pool, i);
		gint64 left = worker->idle_since + IDLE_MS - now;

		if (worker->is_busy || worker->channel < 0)
			continue;
		if (left <= 0 || pool->stops)
			smtpd_pool_dismiss(worker);
		else if (next < 0 || left < next)
			next = left;
	}
	return (int)next;
}

static void
smtpd_pool_stop(struct pool *pool)
{
	pool->stops = true;
	for (guint i = 0; i < pool->listeners->len; i++)
		close(g_array_index(pool->listeners, struct smtpd_listener, i).fd);
	for (guint i = 0; i < pool->workers->len; i++)
		kill(smtpd_pool_worker(pool, i)->pid, SIGTERM);
}

static void
smtpd_pool_free_settings(struct pool *pool)
{
	if (pool->settings != pool->first)
		config_settings_free((struct config_settings *)pool->settings);
}

/* Reads settings and certificate anew. Workers with the old ones end after their session. The log
   line's room has the pointers of the first settings, so those stay. */
static void
smtpd_pool_renew(struct pool *pool)
{
	g_autoptr(GError) error = NULL;
	AUTO(config_settings)
	settings = config_settings_load(config_settings_source(pool->first), &error);
	struct smtpd_tls *tls;

	if (config_log_line_is_elsewhere())
		raise(SIGHUP);
	config_log_line_reopen();
	if (!settings || !smtpd_tls_open(settings, &tls, &error)) {
		config_log("%s; the settings stay as they were", error->message);
		return;
	}
	smtpd_tls_free(pool->tls);
	pool->tls = tls;
	smtpd_pool_free_settings(pool);
	pool->settings = g_steal_pointer(&settings);
	for (guint i = 0; i < pool->workers->len; i++) {
		struct worker *worker = smtpd_pool_worker(pool, i);

		kill(worker->pid, SIGHUP);
		worker->is_last = true;
		if (worker->channel >= 0 && !worker->is_busy)
			smtpd_pool_dismiss(worker);
	}
}

static void
smtpd_pool_take_signals(struct pool *pool)
{
	struct signalfd_siginfo info;

	while (read(pool->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP && !pool->stops)
			smtpd_pool_renew(pool);
		else if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGHUP && !pool->stops)
			smtpd_pool_stop(pool);
	}
	smtpd_pool_reap(pool);
}

/* Waits for something to do, and does it. */
static void
smtpd_pool_step(struct pool *pool)
{
	const guint listeners = pool->stops ? 0 : pool->listeners->len;
	const guint workers = pool->workers->len;
	g_autofree struct pollfd *fds = g_new0(struct pollfd, 1 + listeners + workers);
	int patience = smtpd_pool_dismiss_idle(pool);

	fds[0] = (struct pollfd){pool->signals, POLLIN, 0};
	for (guint i = 0; i < workers; i++)
		fds[1 + i] = (struct pollfd){smtpd_pool_worker(pool, i)->channel, POLLIN, 0};
	for (guint i = 0; i < listeners; i++)
		fds[1 + workers + i] = (struct pollfd){
		    g_array_index(pool->listeners, struct smtpd_listener, i).fd, POLLIN, 0};
	if (poll(fds, 1 + listeners + workers, patience) <= 0)
		return;
	for (guint i = 0; i < workers; i++)
		if (fds[1 + i].revents & POLLIN)
			smtpd_pool_hear(smtpd_pool_worker(pool, i));
	for (guint i = 0; i < listeners; i++)
		if (fds[1 + workers + i].revents)
			smtpd_pool_accept(
			    pool, &g_array_index(pool->listeners, struct smtpd_listener, i));
	if (fds[0].revents)
		smtpd_pool_take_signals(pool);
}

static int
smtpd_pool_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int
smtpd_pool_run(const struct config_settings *settings, const GArray *listeners)
{
	g_autoptr(GArray) workers = g_array_new(FALSE, TRUE, sizeof(struct worker));
	g_autoptr(GError) error = NULL;
	struct pool pool = {
	    .settings = settings, .first = settings, .listeners = listeners, .workers = workers};

	if (!smtpd_tls_open(settings, &pool.tls, &error)) {
		config_log_end(error->message);
		return EX_CONFIG;
	}
	signal(SIGCHLD, SIG_DFL);
	pool.signals = smtpd_pool_signals();
	service_load();
	while (!pool.stops || workers->len > 0)
		smtpd_pool_step(&pool);
	close(pool.signals);
	smtpd_tls_free(pool.tls);
	smtpd_pool_free_settings(&pool);
	return EXIT_SUCCESS;
}
