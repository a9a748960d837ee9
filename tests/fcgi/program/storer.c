/* SPDX-License-Identifier: MIT */
/* Processes of posthouse.fcgi that serve alone, as mod_fcgid starts them: they give requests that
   store something to one of them. */
#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/fcgi/program/fixture.h"
#include "tests/support/db.h"

#define OTHERS 6
#define END_MS 120000
#define ATTEMPTS 200 /* a busy machine may take longer than a process waits for the storer */
#define SETTINGS "[service]\nmode = spool\n"
#define ROUNDS 40
#define KILLED_AFTER 10 /* rounds */

TestSuite(fcgi_storer, .timeout = 900);

/* Processes with a socket each. */
struct front {
	struct fixture *storer; /* with the house */
	struct fixture others[OTHERS];
};

/* Sends an event of person number n. key: an Idempotency-Key, or NULL. */
static struct fcgi_client *
begin_event_of(const char *socket, guint n, const char *key)
{
	g_autofree char *body = g_strdup_printf("{\"event_name\":\"E\",\"email\":\"%u@x.org\"}", n);
	g_autofree char *size = g_strdup_printf("CONTENT_LENGTH=%zu", strlen(body));
	g_autofree char *once = g_strconcat("HTTP_IDEMPOTENCY_KEY=", key, NULL);
	const char *params[] = {"REQUEST_METHOD=POST", "PATH_INFO=/v1/events", size, FIXTURE_KEY,
	    key ? once : NULL, NULL};
	struct fcgi_client *client = fcgi_client_connect(socket);

	fcgi_client_begin(client, false);
	fcgi_client_params(client, params);
	fcgi_client_body(client, body, strlen(body));
	fcgi_client_body(client, NULL, 0);
	return client;
}

/* The first process gets something to store first, so it is the storer. */
static struct front *
front_open(const struct test_mariadb *server)
{
	struct front *front = g_new0(struct front, 1);

	front->storer = fixture_open(server, SETTINGS, NULL);
	fixture_expect_ok(begin_event_of(front->storer->socket, 0, NULL), "the first");
	for (guint i = 0; i < OTHERS; i++) {
		struct fixture *other = &front->others[i];

		other->house = front->storer->house;
		other->socket = g_strdup_printf("%s.%u", front->storer->socket, i);
		other->listener = fcgi_client_listen(other->socket);
		fixture_start(other, NULL);
		fixture_expect(other, "health", "GET", "/health", NULL, 200, "{\"status\":\"ok\"}");
	}
	return front;
}

static void
front_close(struct front *front)
{
	for (guint i = 0; i < OTHERS; i++) {
		test_program_free(front->others[i].program);
		close(front->others[i].listener);
		unlink(front->others[i].socket);
		g_free(front->others[i].socket);
	}
	fixture_close(front->storer);
	g_free(front);
}
DEFINE_AUTO(front, front_close)

static gint64
front_events(const struct front *front)
{
	return test_db_number(front->storer->house->db, "SELECT COUNT(*) FROM automation_event");
}

static gint64
front_commits(const struct front *front)
{
	return test_db_number(front->storer->house->db,
	    "SELECT CAST(VARIABLE_VALUE AS INTEGER) FROM information_schema.GLOBAL_STATUS"
	    " WHERE VARIABLE_NAME = 'COM_COMMIT'");
}

/* Each of the others has accepted its connection. */
static void
wait_accepted(const struct front *front)
{
	for (guint i = 0; i < OTHERS; i++) {
		struct pollfd listener = {front->others[i].listener, POLLIN, 0};

		while (poll(&listener, 1, 0) == 1)
			g_usleep(1000);
	}
}

/* The COMMITs for one request of each of the others, which come while the storer is held. */
static gint64
commits_for_one_of_each(const struct front *front, guint round)
{
	struct fcgi_client *held = fixture_hold(front->storer), *clients[OTHERS];
	gint64 before = front_commits(front);

	for (guint i = 0; i < OTHERS; i++)
		clients[i] = begin_event_of(front->others[i].socket, 1 + OTHERS * round + i, NULL);
	wait_accepted(front);
	fixture_release(held);
	for (guint i = 0; i < OTHERS; i++)
		fixture_expect_ok(clients[i], "one of each");
	return front_commits(front) - before;
}

Test(fcgi_storer, stores_requests_of_several_processes_in_one_transaction)
{
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	AUTO(front) front = front_open(server);
	gint64 commits = OTHERS;
	guint rounds = 0;

	while (commits > 2 && rounds < ATTEMPTS)
		commits = commits_for_one_of_each(front, rounds++);
	cr_expect_leq(commits, 2, "there are %d", (int)commits);
	cr_expect_eq(front_events(front), 1 + OTHERS * rounds);
}

/* A client that repeats each of its requests, with its Idempotency-Key, until it is answered. */
struct sender {
	GThread *thread;
	struct front *front;
	guint number;
	gint *rounds; /* atomic, of all senders */
	guint repeated;
};

static void *
sender_send(void *context)
{
	struct sender *sender = context;
	const char *socket = sender->front->others[sender->number].socket;

	for (guint i = 0; i < ROUNDS; i++) {
		guint n = 1 + sender->number * ROUNDS + i;
		g_autofree char *key = g_strdup_printf("key-%u", n);
		bool is_answered = false;

		while (!is_answered) {
			struct fcgi_client *client = begin_event_of(socket, n, key);
			struct fcgi_answer answer = fcgi_client_answer(client);

			is_answered = answer.complete && answer.status == 200;
			cr_expect(is_answered || !answer.complete || answer.status == 409,
			    "got %u, %s", answer.status, answer.body);
			sender->repeated += !is_answered;
			fcgi_answer_clear(&answer);
			fcgi_client_free(client);
		}
		g_atomic_int_inc(sender->rounds);
	}
	return NULL;
}

/* Sends to all of the others, and the signal to the storer meanwhile. Returns the number of
   requests that had to be repeated. */
static guint
send_and_signal(struct front *front, int signal)
{
	struct sender senders[OTHERS];
	gint rounds = 0;
	guint repeated = 0;

	for (guint i = 0; i < OTHERS; i++) {
		senders[i] = (struct sender){.front = front, .number = i, .rounds = &rounds};
		senders[i].thread = g_thread_new("sender", sender_send, &senders[i]);
	}
	while (g_atomic_int_get(&rounds) < KILLED_AFTER * OTHERS)
		g_usleep(1000);
	test_program_signal(front->storer->program, signal);
	for (guint i = 0; i < OTHERS; i++) {
		g_thread_join(senders[i].thread);
		repeated += senders[i].repeated;
	}
	cr_expect_eq(front_events(front), 1 + OTHERS * ROUNDS);
	return repeated;
}

Test(fcgi_storer, loses_nothing_twice_or_for_ever_when_it_is_killed)
{
	AUTO(front) front = front_open(NULL);
	guint repeated = send_and_signal(front, SIGKILL);

	/* Those of a transaction. */
	cr_expect_leq(repeated, 8 + OTHERS, "%u were repeated", repeated);
	cr_expect_eq(test_program_wait(front->storer->program, END_MS), 256 + SIGKILL);
}

Test(fcgi_storer, answers_all_that_it_has_taken_before_it_ends)
{
	static const int signals[] = {SIGTERM, SIGUSR1};

	for (guint i = 0; i < G_N_ELEMENTS(signals); i++) {
		AUTO(front) front = front_open(NULL);

		cr_expect_eq(send_and_signal(front, signals[i]), 0);
		cr_expect_eq(test_program_wait(front->storer->program, END_MS), 0);
	}
}

/* Waits until a statement waits for a lock. The server tells that anew when nobody has asked for
   100 ms. */
static void
wait_locked(const struct front *front)
{
	while (test_db_number(front->storer->house->db,
		   "SELECT COUNT(*) FROM information_schema.INNODB_TRX t JOIN"
		   " information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id"
		   " WHERE t.trx_state = 'LOCK WAIT' AND p.DB = DATABASE()") == 0)
		g_usleep(150000);
}

Test(fcgi_storer, holds_up_nobody_while_it_waits_for_a_lock)
{
	AUTO(front) front = front_open(NULL);
	struct db *locks = front->storer->house->db;
	struct fcgi_client *clients[OTHERS];

	test_db_plain(locks, "START TRANSACTION");
	test_db_plain(locks, "UPDATE person SET updated = updated + 1");
	struct fcgi_client *waits = begin_event_of(front->storer->socket, 0, NULL);
	wait_locked(front);
	for (guint round = 0; round < 2; round++) {
		for (guint i = 0; i < OTHERS; i++)
			clients[i] =
			    begin_event_of(front->others[i].socket, 1 + OTHERS * round + i, NULL);
		for (guint i = 0; i < OTHERS; i++)
			fixture_expect_ok(clients[i], "an event of another person");
	}
	test_db_plain(locks, "ROLLBACK");
	fixture_expect_ok(waits, "the one that waits");
}
