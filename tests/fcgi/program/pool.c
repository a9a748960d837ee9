/* SPDX-License-Identifier: MIT */
/* posthouse.fcgi with children, which are replaced when they are killed and after [service] recycle
   requests. */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/fcgi/program/fixture.h"
#include "tests/support/db.h"

#define END_MS 120000
#define EVENT "{\"event_name\":\"E\",\"email\":\"a@example.net\"}"
#define HEALTHY "{\"status\":\"ok\"}"

TestSuite(fcgi_pool, .timeout = 900);

static void
expect_healthy(struct fixture *fixture, const char *name, guint requests)
{
	for (guint i = 0; i < requests; i++)
		fixture_expect(fixture, name, "GET", "/health", NULL, 200, HEALTHY);
}

/* Waits until the pool has this number of children, none of them in others (may be NULL). */
static GArray *
children(struct fixture *fixture, guint count, const GArray *others)
{
	gint64 end = g_get_monotonic_time() + END_MS * 1000;

	for (;;) {
		GArray *found = test_program_children(fixture->program);
		bool fits = found->len == count;

		for (guint i = 0; others && i < found->len; i++)
			for (guint j = 0; j < others->len; j++)
				fits = fits && g_array_index(found, pid_t, i) !=
						   g_array_index(others, pid_t, j);
		if (fits)
			return found;
		cr_assert(g_get_monotonic_time() < end, "there are %u children, want %u",
		    found->len, count);
		g_array_unref(found);
		g_usleep(1000);
	}
}

Test(fcgi_pool, goes_on_when_children_are_killed)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "3");
	g_autoptr(GArray) before = children(fixture, 3, NULL);

	expect_healthy(fixture, "before", 10);
	for (guint i = 0; i < before->len; i++)
		kill(g_array_index(before, pid_t, i), SIGKILL);
	/* One that is being killed may still take a request along. */
	for (guint i = 0; i < before->len; i++)
		test_program_wait_gone(g_array_index(before, pid_t, i));
	expect_healthy(fixture, "after", 10);
	g_autoptr(GArray) after = children(fixture, 3, before);
	expect_healthy(fixture, "with new ones", 10);
	cr_expect_eq(test_program_wait(fixture->program, 0), -1);
}

/* Takes the lines from a log in which LeakSanitizer says of a child, at its end, that the thread of
   its parent is not there. */
static char *
without_notes(const char *log)
{
	g_autoptr(GRegex) notes =
	    g_regex_new("^==[0-9]+==Running thread [0-9]+ was not suspended\\..*\n",
		G_REGEX_MULTILINE, 0, NULL);

	return g_regex_replace_literal(notes, log, -1, 0, "", 0, NULL);
}

Test(fcgi_pool, replaces_children_that_have_served_enough)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[service]\nrecycle = 3\n", "1");
	g_autoptr(GArray) first = children(fixture, 1, NULL);

	expect_healthy(fixture, "first", 2);
	g_autoptr(GArray) same = children(fixture, 1, NULL);
	cr_expect_eq(g_array_index(same, pid_t, 0), g_array_index(first, pid_t, 0), "too early");
	expect_healthy(fixture, "third", 1);
	g_autoptr(GArray) second = children(fixture, 1, first);
	/* A pause between restarts would make this take minutes. */
	expect_healthy(fixture, "many", 60);
	g_autofree char *all = test_program_log(fixture->program), *log = without_notes(all);
	cr_expect_str_eq(log, "");
}

/* How many connections to the fixture's socket the program has accepted. */
static guint
count_accepted(const struct fixture *fixture)
{
	g_autofree char *text = NULL;
	guint count = 0;

	cr_assert(g_file_get_contents("/proc/net/unix", &text, NULL, NULL));
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = g_strsplit_set(*line, " ", -1);
		g_autoptr(GPtrArray) full = g_ptr_array_new();

		for (char **word = words; *word; word++)
			if (**word)
				g_ptr_array_add(full, *word);
		count += full->len == 8 && g_strcmp0(full->pdata[5], "03") == 0 &&
			 g_strcmp0(full->pdata[7], fixture->socket) == 0;
	}
	return count;
}

/* Workers that stand still take nothing, and so all wait in the queues, those that read in one and
   those that store in the other. */
Test(fcgi_pool, serves_what_it_has_accepted_before_it_ends)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "2");
	g_autoptr(GArray) workers = children(fixture, 2, NULL);
	struct fcgi_client *clients[12];
	gint64 end = g_get_monotonic_time() + END_MS * 1000;

	expect_healthy(fixture, "before", 4);
	for (guint i = 0; i < workers->len; i++)
		kill(g_array_index(workers, pid_t, i), SIGSTOP);
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++) {
		bool stores = i % 2 == 1;

		clients[i] = fixture_begin(fixture, stores ? "POST" : "GET",
		    stores ? "/v1/templates" : "/health", stores ? 2 : 0);
		if (stores)
			fcgi_client_body(clients[i], "{}", 2);
		fcgi_client_body(clients[i], NULL, 0);
	}
	while (count_accepted(fixture) < G_N_ELEMENTS(clients)) {
		cr_assert(g_get_monotonic_time() < end, "%u are accepted", count_accepted(fixture));
		g_usleep(1000);
	}
	test_program_signal(fixture->program, SIGTERM);
	for (guint i = 0; i < workers->len; i++)
		kill(g_array_index(workers, pid_t, i), SIGCONT);
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++) {
		struct fcgi_answer answer = fcgi_client_answer(clients[i]);

		cr_expect(answer.complete && answer.status == (i % 2 == 1 ? 400 : 200),
		    "request %u: got %u, %s", i, answer.status, answer.body);
		fcgi_answer_clear(&answer);
		fcgi_client_free(clients[i]);
	}
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 0);
}

Test(fcgi_pool, leaves_when_it_alone_has_served_enough)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[service]\nrecycle = 2\n", NULL);

	expect_healthy(fixture, "first", 1);
	cr_expect_eq(test_program_wait(fixture->program, 200), -1);
	/* The web server gives it the next one at once; it leaves in a pause of a second. */
	struct fcgi_client *later[20];
	for (guint i = 0; i < G_N_ELEMENTS(later); i++) {
		later[i] = fixture_begin(fixture, "GET", "/health", 0);
		fcgi_client_body(later[i], NULL, 0);
	}
	gint64 begin = base_clock_boot();
	for (guint i = 0; i < G_N_ELEMENTS(later); i++)
		fixture_expect_ok(later[i], "second and later");
	int status = test_program_wait(fixture->program, 200);
	cr_expect(status == -1 || base_clock_boot() - begin >= 1000, "it has not waited");
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 0);
}

Test(fcgi_pool, serves_for_ever_where_nothing_is_said)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[service]\nrecycle = 0\n", NULL);

	expect_healthy(fixture, "all", 50);
	cr_expect_eq(test_program_wait(fixture->program, 0), -1);
}

Test(fcgi_pool, takes_its_children_along_when_it_is_killed)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "2");
	g_autoptr(GArray) left = children(fixture, 2, NULL);
	/* Each child serves one request, so both are ready. */
	struct fcgi_client *first = fixture_hold(fixture), *second = fixture_hold(fixture);

	/* Orphans become children of this process. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fixture_release(first);
	fixture_release(second);
	test_program_signal(fixture->program, SIGKILL);
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 256 + SIGKILL);
	for (guint i = 0; i < left->len; i++) {
		int status;

		cr_expect_eq(waitpid(g_array_index(left, pid_t, i), &status, 0),
		    g_array_index(left, pid_t, i));
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
	}
}

/* The result of connect: 0, or errno. */
static int
connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	int failed = connect(fd, (const struct sockaddr *)&address, sizeof(address)) ? errno : 0;
	close(fd);
	return failed;
}

/* lighttpd and spawn-fcgi start no pool while connections to the socket succeed, and lighttpd tries
   once, when its child has ended. So no process may hold the socket then, not even a worker that
   serves a request. */
Test(fcgi_pool, gives_the_socket_up_before_its_end_is_told)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "2");
	struct fcgi_client *first = fixture_hold(fixture), *second = fixture_hold(fixture);

	/* As lighttpd does, once the pool has the socket. */
	close(fixture->listener);
	fixture->listener = -1;
	fixture_release(first);
	cr_assert_eq(connect_to(fixture->socket), 0);
	test_program_signal(fixture->program, SIGKILL);
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 256 + SIGKILL);
	int got = connect_to(fixture->socket);
	cr_expect_eq(got, ECONNREFUSED, "got %s", g_strerror(got));
	fixture_release(second);
}

/* A request that does not end would keep lighttpd from starting the pool again. */
Test(fcgi_pool, leaves_a_request_in_hand_when_it_is_killed)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "1");
	struct fcgi_client *client = fixture_hold(fixture);

	test_program_signal(fixture->program, SIGKILL);
	struct fcgi_answer answer = fcgi_client_answer(client);
	cr_expect_not(answer.complete);
	fcgi_answer_clear(&answer);
	fcgi_client_free(client);
}

Test(fcgi_pool, ends_when_the_socket_is_of_no_use)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "2");

	expect_healthy(fixture, "before", 1);
	shutdown(fixture->listener, SHUT_RDWR);
	cr_expect_eq(test_program_wait(fixture->program, END_MS), EX_OSERR);
	cr_expect(test_program_wait_log(fixture->program, "accepts no more requests"));
}

/* Begins to send an event, and sends the first size bytes of its body; all of it if that is more.
 */
static struct fcgi_client *
begin_body(struct fixture *fixture, const char *body, gsize size)
{
	struct fcgi_client *client = fixture_begin(fixture, "POST", "/v1/events", strlen(body));

	fcgi_client_body(client, body, MIN(size, strlen(body)));
	if (size >= strlen(body))
		fcgi_client_body(client, NULL, 0);
	return client;
}

static struct fcgi_client *
begin_event(struct fixture *fixture, gsize size)
{
	return begin_body(fixture, EVENT, size);
}

static void
finish_event(struct fcgi_client *client, gsize sent)
{
	fcgi_client_body(client, EVENT + sent, strlen(EVENT) - sent);
	fcgi_client_body(client, NULL, 0);
	fixture_expect_ok(client, "the slow one");
}

/* Waits until those that have connected are in the pool's queue. It takes them one by one, so they
   are once it has accepted a further one. */
static void
wait_queued(struct fixture *fixture)
{
	struct pollfd listener = {fixture->listener, POLLIN, 0};

	fcgi_client_free(fcgi_client_connect(fixture->socket));
	while (poll(&listener, 1, 0) == 1)
		g_usleep(1000);
}

/* The only worker is busy while the others come. The slow request ends last. */
Test(fcgi_pool, lets_no_request_wait_for_a_slow_one_that_came_with_it)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "1");
	struct fcgi_client *busy = fixture_hold(fixture), *first[3];

	for (guint i = 0; i < G_N_ELEMENTS(first); i++)
		first[i] = begin_event(fixture, SIZE_MAX);
	struct fcgi_client *slow = begin_event(fixture, 5), *last = begin_event(fixture, SIZE_MAX);
	wait_queued(fixture);
	fixture_release(busy);
	for (guint i = 0; i < G_N_ELEMENTS(first); i++)
		fixture_expect_ok(first[i], "one before it");
	finish_event(slow, 5);
	fixture_expect_ok(last, "the one behind it");
	expect_healthy(fixture, "after", 3);
}

/* It has been taken with another one when the signal comes, or the number of requests is reached.
 */
Test(fcgi_pool, serves_a_slow_request_that_was_taken_before_its_end)
{
	static const char *const settings[] = {NULL, "[service]\nrecycle = 2\n"};

	for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
		AUTO(fixture) fixture = fixture_open(NULL, settings[i], "1");
		struct fcgi_client *busy = fixture_hold(fixture);
		struct fcgi_client *event = begin_event(fixture, SIZE_MAX);
		struct fcgi_client *slow = begin_event(fixture, 5);

		wait_queued(fixture);
		fixture_release(busy);
		fixture_expect_ok(event, "the one before it");
		if (!settings[i])
			test_program_signal(fixture->program, SIGTERM);
		finish_event(slow, 5);
		if (settings[i])
			expect_healthy(fixture, "after", 3);
		else
			cr_expect_eq(test_program_wait(fixture->program, END_MS), 0);
	}
}

/* The one that waits is stored by the worker that gets what is to be stored. */
Test(fcgi_pool, stores_while_one_waits_for_a_lock)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "4");
	struct db *locks = fixture->house->db;
	struct fcgi_client *clients[12];

	fixture_expect_ok(begin_event(fixture, SIZE_MAX), "an event of the person");
	test_db_plain(locks, "START TRANSACTION");
	test_db_plain(locks, "UPDATE person SET updated = updated + 1");
	struct fcgi_client *waits = begin_event(fixture, SIZE_MAX);
	test_db_wait_locked(locks, 1);
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++) {
		g_autofree char *other =
		    g_strdup_printf("{\"event_name\":\"E\",\"email\":\"%u@example.net\"}", i);
		clients[i] = begin_body(fixture, other, SIZE_MAX);
	}
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		fixture_expect_ok(clients[i], "an event of another person");
	test_db_plain(locks, "ROLLBACK");
	fixture_expect_ok(waits, "the one that waits");
}

/* Far more than a worker takes at once. */
Test(fcgi_pool, answers_each_of_many)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "2");
	struct fcgi_client *busy[] = {fixture_hold(fixture), fixture_hold(fixture)};
	struct fcgi_client *clients[60];

	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		clients[i] = begin_event(fixture, SIZE_MAX);
	fixture_release(busy[0]);
	fixture_release(busy[1]);
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		fixture_expect_ok(clients[i], "one of many");
	cr_expect_eq(
	    test_db_number(fixture->house->db, "SELECT COUNT(*) FROM automation_event"), 60);
}
