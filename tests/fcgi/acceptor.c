/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/http/acceptor.c: which queue a connection comes to. */
#include "fcgi/http/acceptor.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fcgi_client.h"

#define WORKERS 8 /* of which two are storers */
#define STORERS 2
#define WAIT_MS 60000

/* A pool whose workers take connections, say from which queue, and serve nothing. */
struct pool {
	char *socket;
	pid_t pid;
	int said; /* a byte for each connection: 's', 'c' */
};

enum takers { TAKE_ALL, TAKE_NO_STORES, TAKE_LATE, STAY_BUSY, PARK };

/* The connection stays open, since the client may still send. */
static void
acceptor_say(int said, const char *byte)
{
	if (write(said, byte, 1) != 1)
		_exit(1);
}

/* A worker, which ends with the pool. */
static void
acceptor_work(struct fcgi_acceptor *acceptor, guint number, enum takers takers, int said)
{
	struct fcgi_queues queues = fcgi_acceptor_join(acceptor, number);
	bool is_storer = queues.stores >= 0;
	struct pollfd fds[] = {{queues.stores, POLLIN, 0}, {queues.common, POLLIN, 0}};

	if (is_storer != (number >= WORKERS - STORERS))
		_exit(1);
	while (takers == TAKE_LATE || (is_storer && takers == TAKE_NO_STORES))
		pause();
	for (;;) {
		poll(fds, G_N_ELEMENTS(fds), -1);
		int stores = is_storer ? fcgi_acceptor_take(queues.stores) : -1;
		if (stores >= 0) {
			fcgi_acceptor_note(acceptor, number, true);
			acceptor_say(said, "s");
			while (takers == STAY_BUSY)
				pause();
		}
		fcgi_acceptor_note(acceptor, number, stores >= 0 && takers == PARK);
		if (stores < 0 && fcgi_acceptor_take(queues.common) >= 0)
			acceptor_say(said, "c");
	}
}

/* Waits for a signal, and starts a worker that takes connections and closes them. */
static void
acceptor_add(struct fcgi_acceptor *acceptor, const sigset_t *signals, int said)
{
	int got;

	sigwait(signals, &got);
	if (fork() != 0)
		return;
	struct fcgi_queues queues = fcgi_acceptor_join(acceptor, WORKERS - 1);
	struct pollfd fd = {queues.common, POLLIN, 0};
	while (poll(&fd, 1, -1) == 1) {
		close(fcgi_acceptor_take(queues.common));
		acceptor_say(said, "c");
	}
}

static void
acceptor_run(int listener, enum takers takers, int said)
{
	struct fcgi_acceptor *acceptor = fcgi_acceptor_open(NULL);
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!acceptor || dup2(listener, STDIN_FILENO) < 0)
		_exit(1);
	close(listener);
	fcgi_acceptor_start(acceptor, WORKERS);
	for (guint i = 0; i < WORKERS; i++)
		if (fork() == 0)
			acceptor_work(acceptor, i, takers, said);
	for (;;)
		acceptor_add(acceptor, &signals, said);
}

static struct pool
pool_open(enum takers takers)
{
	g_autofree char *folder = g_dir_make_tmp("acceptor-XXXXXX", NULL);
	struct pool pool = {.socket = g_build_filename(folder, "socket", NULL)};
	int ends[2], listener = fcgi_client_listen(pool.socket);

	cr_assert_eq(pipe(ends), 0);
	pool.said = ends[0];
	pool.pid = fork();
	if (pool.pid == 0)
		acceptor_run(listener, takers, ends[1]);
	close(listener);
	close(ends[1]);
	return pool;
}

static void
pool_close(struct pool *pool)
{
	g_autofree char *folder = g_path_get_dirname(pool->socket);

	kill(pool->pid, SIGKILL);
	waitpid(pool->pid, NULL, 0);
	close(pool->said);
	unlink(pool->socket);
	rmdir(folder);
	g_free(pool->socket);
}

/* Sends the head of a request; length: of its body, NULL: it has none. */
static struct fcgi_client *
pool_send(const struct pool *pool, const char *method, const char *length)
{
	struct fcgi_client *client = fcgi_client_connect(pool->socket);
	g_autofree char *first = g_strconcat("REQUEST_METHOD=", method, NULL);
	g_autofree char *second = g_strconcat("CONTENT_LENGTH=", length, NULL);
	const char *params[] = {"PATH_INFO=/v1/emails", first, length ? second : NULL, NULL};

	fcgi_client_begin(client, false);
	fcgi_client_params(client, params);
	return client;
}

/* The queue of the next connection that a worker took. */
static char
pool_heard(const struct pool *pool)
{
	struct pollfd fd = {pool->said, POLLIN, 0};
	char byte = 0;

	cr_assert_eq(poll(&fd, 1, WAIT_MS), 1, "no worker takes it");
	cr_assert_eq(read(pool->said, &byte, 1), 1);
	return byte;
}

static char
pool_queue_of(const struct pool *pool, const char *method, const char *length)
{
	struct fcgi_client *client = pool_send(pool, method, length);
	char queue = pool_heard(pool);

	fcgi_client_free(client);
	return queue;
}

/* On a busy machine a storer may take longer than others wait for it, so it has several attempts.
 */
Test(acceptor, gives_small_requests_that_may_store_to_storers)
{
	static const struct {
		const char *method, *length;
		char want;
	} cases[] = {{"POST", "1", 's'}, {"PUT", "10", 's'}, {"PATCH", "10", 's'},
	    {"POST", "65536", 's'}, {"POST", "65537", 'c'}, {"POST", "4294967297", 'c'},
	    {"POST", "0", 'c'}, {"POST", "", 'c'}, {"POST", NULL, 'c'}, {"GET", "10", 'c'},
	    {"DELETE", "10", 'c'}, {"POS", "10", 'c'}, {"POSTS", "10", 'c'}, {"", "10", 'c'}};
	struct pool pool = pool_open(TAKE_ALL);

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		char got = 'c';

		for (guint k = 0; k < 20 && got == 'c'; k++)
			got = pool_queue_of(&pool, cases[i].method, cases[i].length);
		cr_expect_eq(got, cases[i].want, "%s %s: %c", cases[i].method,
		    cases[i].length ? cases[i].length : "without a body", got);
	}
	pool_close(&pool);
}

/* The head of one that comes late says nothing in time. */
Test(acceptor, gives_what_says_nothing_to_all)
{
	struct pool pool = pool_open(TAKE_ALL);
	struct fcgi_client *client = fcgi_client_connect(pool.socket);

	cr_expect_eq(pool_heard(&pool), 'c');
	fcgi_client_free(client);
	pool_close(&pool);
}

static void
expect_rescue(enum takers takers, guint most)
{
	struct pool pool = pool_open(takers);
	struct fcgi_client *clients[40];
	guint stores = 0;

	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		clients[i] = pool_send(&pool, "POST", "10");
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		stores += pool_heard(&pool) == 's';
	cr_expect_leq(stores, most, "storers took %u", stores);
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		fcgi_client_free(clients[i]);
	pool_close(&pool);
}

/* As those that wait for a lock. */
Test(acceptor, gives_all_to_others_while_storers_are_busy)
{
	expect_rescue(STAY_BUSY, STORERS);
}

/* As those that park requests of a workspace that is heavy: there is room for few of them. */
Test(acceptor, gives_to_others_while_storers_take_but_keep)
{
	struct pool pool = pool_open(PARK);
	struct fcgi_client *clients[200];
	guint count = 0;

	for (char got = 's'; got == 's' && count < G_N_ELEMENTS(clients);) {
		clients[count++] = pool_send(&pool, "POST", "10");
		got = pool_heard(&pool);
		g_usleep(1000);
	}
	cr_expect_lt(count, G_N_ELEMENTS(clients), "storers took all");
	while (count > 0)
		fcgi_client_free(clients[--count]);
	pool_close(&pool);
}

/* As those that were killed while they waited. */
Test(acceptor, gives_all_to_others_where_storers_take_nothing)
{
	expect_rescue(TAKE_NO_STORES, 0);
}

static guint
pool_files(const struct pool *pool)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/fd", (int)pool->pid);
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	guint count = 0;

	while (folder && g_dir_read_name(folder))
		count++;
	return count;
}

/* Waits until the first process keeps more files open than the least that it had: it holds a
   connection for which there is no room in the queue. */
static void
pool_wait_full(const struct pool *pool, guint least)
{
	for (guint looks = 0; looks < 50; g_usleep(1000))
		looks = pool_files(pool) > least ? looks + 1 : 0;
}

/* Whether the responder has closed the connection, or does so soon. */
static bool
is_closed(struct fcgi_client *client)
{
	for (guint looks = 0; looks < WAIT_MS / 10; looks++) {
		if (!fcgi_client_body(client, NULL, 0))
			return true;
		g_usleep(10000);
	}
	return false;
}

/* A worker that starts then has a copy of it, and would keep it open. */
Test(acceptor, closes_what_it_holds_in_a_worker_that_starts)
{
	struct pool pool = pool_open(TAKE_LATE);
	struct fcgi_client *clients[100];
	guint least = G_MAXUINT;

	for (guint looks = 0; looks < 50; looks++)
		least = MIN(least, pool_files(&pool));
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		clients[i] = fcgi_client_connect(pool.socket);
	pool_wait_full(&pool, least);
	kill(pool.pid, SIGUSR1);
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		pool_heard(&pool);
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++) {
		cr_expect(is_closed(clients[i]), "%u is open", i);
		fcgi_client_free(clients[i]);
	}
	pool_close(&pool);
}
