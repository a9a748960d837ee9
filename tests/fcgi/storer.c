/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/http/storer.c: who serves a connection. */
#include "fcgi/http/storer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fcgi_client.h"

#define WAIT_MS 60000
/* So often a busy machine may take longer than a process waits for the storer. */
#define ATTEMPTS 20

/* A folder with a file of settings and a web server's socket. */
struct room {
	char *dir, *settings, *socket;
	int listener;
};

static struct room
room_open(const char *name)
{
	g_autofree char *dir = g_dir_make_tmp("storer-XXXXXX", NULL);
	struct room room = {.dir = g_build_filename(dir, name, NULL)};

	g_mkdir_with_parents(room.dir, 0700);
	room.settings = g_build_filename(room.dir, "settings", NULL);
	cr_assert(g_file_set_contents(room.settings, "", 0, NULL));
	room.socket = g_build_filename(dir, "socket", NULL);
	room.listener = fcgi_client_listen(room.socket);
	return room;
}

static void
room_close(struct room *room)
{
	g_autofree char *above = g_path_get_dirname(room->socket);
	const char *argv[] = {"rm", "-r", above, NULL};

	close(room->listener);
	cr_assert(g_spawn_sync(
	    NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
	g_free(room->dir);
	g_free(room->settings);
	g_free(room->socket);
}

static struct fcgi_storer *
room_process(const struct room *room)
{
	struct fcgi_storer *storer = fcgi_storer_open(room->dir, room->settings);

	cr_assert(storer);
	return storer;
}

static guint
room_sockets(const struct room *room)
{
	g_autoptr(GDir) dir = g_dir_open(room->dir, 0, NULL);
	const char *name;
	guint count = 0;

	while ((name = g_dir_read_name(dir)))
		count += g_str_has_prefix(name, "requests.storer.");
	return count;
}

/* A web server's connection with the head of a request, and its end here. */
struct passage {
	struct fcgi_client *client;
	int connection;
};

static struct passage
passage_open(const struct room *room, const char *method)
{
	g_autofree char *first = g_strconcat("REQUEST_METHOD=", method, NULL);
	const char *params[] = {"PATH_INFO=/v1/events", first, "CONTENT_LENGTH=2", NULL};
	struct passage passage = {.client = fcgi_client_connect(room->socket)};

	fcgi_client_begin(passage.client, false);
	fcgi_client_params(passage.client, params);
	passage.connection = accept4(room->listener, NULL, NULL, SOCK_CLOEXEC);
	cr_assert_geq(passage.connection, 0);
	return passage;
}

static void
passage_close(struct passage *passage)
{
	fcgi_client_free(passage->client);
	close(passage->connection);
}

/* Whether somebody has the request: its bytes are there. */
static bool
has_request(int connection)
{
	char bytes[64];

	return recv(connection, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) > 16;
}

/* Makes this process the storer. */
static void
become_storer(const struct room *room, struct fcgi_storer *storer)
{
	struct passage passage = passage_open(room, "POST");

	cr_assert_not(fcgi_storer_give(storer, passage.connection));
	cr_assert(has_request(passage.connection));
	passage_close(&passage);
}

/* A process that gives a connection, in a thread. */
struct giver {
	GThread *thread;
	struct fcgi_storer *process;
	int connection;
	int over; /* atomic */
};

static void *
giver_give(void *context)
{
	struct giver *giver = context;
	bool is_given = fcgi_storer_give(giver->process, giver->connection);

	g_atomic_int_set(&giver->over, true);
	return GINT_TO_POINTER(is_given);
}

static void
giver_start(struct giver *giver, struct fcgi_storer *process, int connection)
{
	*giver = (struct giver){.process = process, .connection = connection};
	giver->thread = g_thread_new("giver", giver_give, giver);
}

/* Whether the storer serves the connection. */
static bool
giver_end(struct giver *giver)
{
	return GPOINTER_TO_INT(g_thread_join(giver->thread));
}

static bool
has_events(const struct fcgi_storer *storer, int ms)
{
	struct pollfd fd = {fcgi_storer_events(storer), POLLIN, 0};

	return poll(&fd, 1, ms) == 1;
}

/* Takes what a process gives; -1: it has taken it back. */
static int
take_from(struct fcgi_storer *storer, struct giver *giver)
{
	int connection = -1;

	while (connection < 0 && !g_atomic_int_get(&giver->over))
		if (has_events(storer, 1))
			connection = fcgi_storer_take(storer);
	return connection >= 0 ? connection : fcgi_storer_take(storer);
}

#define NEVER (-1)

/* Gives a connection, which the storer takes after a pause, or when it is too late for sure.
   Expects that one of both has it. Returns whether the storer has. */
static bool
expect_served_once(const struct room *room, struct fcgi_storer *process, struct fcgi_storer *storer,
    gint64 pause_us)
{
	struct passage passage = passage_open(room, "POST");
	struct giver giver;

	giver_start(&giver, process, passage.connection);
	while (pause_us == NEVER && !g_atomic_int_get(&giver.over))
		g_usleep(1000);
	if (pause_us > 0 && has_events(storer, WAIT_MS))
		g_usleep((gulong)pause_us);
	int taken = take_from(storer, &giver);
	bool is_given = giver_end(&giver);
	cr_expect_eq(is_given, taken >= 0, "after %d us: given %d, taken %d", (int)pause_us,
	    is_given, taken >= 0);
	cr_expect(has_request(is_given ? taken : passage.connection));
	if (is_given) {
		cr_expect_lt(fcntl(passage.connection, F_GETFD), 0, "it is still open");
		passage.connection = taken;
	}
	passage_close(&passage);
	return is_given;
}

/* On a busy machine a process may wait for longer than it does for the storer. */
static void
expect_given(const struct room *room, struct fcgi_storer *storer)
{
	bool is_given = false;

	for (guint i = 0; i < ATTEMPTS && !is_given; i++) {
		AUTO(fcgi_storer) process = room_process(room);

		is_given = expect_served_once(room, process, storer, 0);
	}
	cr_expect(is_given, "the storer takes nothing");
}

Test(storer, takes_what_others_give)
{
	struct room room = room_open("spool");
	AUTO(fcgi_storer) storer = room_process(&room);

	become_storer(&room, storer);
	for (guint i = 0; i < 10; i++)
		expect_given(&room, storer);
	cr_expect_eq(room_sockets(&room), 1);
	room_close(&room);
}

Test(storer, has_a_folder_with_a_long_name)
{
	g_autofree char *name = g_strnfill(200, 'n');
	struct room room = room_open(name);
	AUTO(fcgi_storer) storer = room_process(&room);

	become_storer(&room, storer);
	expect_given(&room, storer);
	room_close(&room);
}

Test(storer, gives_only_what_may_be_stored)
{
	struct room room = room_open("spool");
	AUTO(fcgi_storer) storer = room_process(&room);
	AUTO(fcgi_storer) other = room_process(&room);
	struct passage passage = passage_open(&room, "GET");

	cr_expect_not(fcgi_storer_give(other, passage.connection));
	cr_expect_eq(room_sockets(&room), 0, "it has become the storer");
	become_storer(&room, storer);
	cr_expect_not(fcgi_storer_give(other, passage.connection));
	cr_expect_not(has_events(storer, 0));
	cr_expect(has_request(passage.connection));
	passage_close(&passage);
	room_close(&room);
}

/* The storer takes at about the moment when the other one's patience ends. */
Test(storer, serves_once_what_is_taken_late)
{
	struct room room = room_open("spool");
	AUTO(fcgi_storer) storer = room_process(&room);

	become_storer(&room, storer);
	for (guint i = 0; i < 20; i++) {
		AUTO(fcgi_storer) process = room_process(&room);

		expect_served_once(
		    &room, process, storer, (STORER_STUCK_MS - 2) * 1000 + (gint64)i * 200);
	}
	AUTO(fcgi_storer) process = room_process(&room);
	cr_expect_not(expect_served_once(&room, process, storer, NEVER));
	expect_given(&room, storer);
	room_close(&room);
}

/* A process that becomes the storer, takes some, and is killed when the next one comes. */
static pid_t
start_mortal(const struct room *room, guint takes)
{
	int ready[2];
	char byte;

	cr_assert_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct fcgi_storer *storer = room_process(room);

		become_storer(room, storer);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		while (takes > 0 && has_events(storer, WAIT_MS))
			takes -= fcgi_storer_take(storer) >= 0;
		has_events(storer, WAIT_MS);
		raise(SIGKILL);
	}
	close(ready[1]);
	cr_assert_eq(read(ready[0], &byte, 1), 1, "there is no storer");
	close(ready[0]);
	return pid;
}

Test(storer, is_replaced_when_it_is_killed)
{
	for (guint takes = 0; takes < 3; takes++) {
		struct room room = room_open("spool");
		AUTO(fcgi_storer) process = room_process(&room);
		AUTO(fcgi_storer) next = room_process(&room);
		pid_t pid = start_mortal(&room, takes);
		bool is_given = true;

		for (guint i = 0; i <= takes && is_given; i++) {
			struct passage passage = passage_open(&room, "POST");

			is_given = fcgi_storer_give(process, passage.connection);
			cr_expect(is_given ? i < takes : has_request(passage.connection));
			passage_close(&passage);
		}
		cr_expect_not(is_given);
		kill(pid, SIGKILL);
		cr_expect_eq(waitpid(pid, NULL, 0), pid);
		/* If it found that nobody listened any more, it has become the storer. */
		fcgi_storer_resign(process);
		become_storer(&room, next);
		expect_given(&room, next);
		room_close(&room);
	}
}

Test(storer, is_replaced_when_it_resigns)
{
	struct room room = room_open("spool");
	AUTO(fcgi_storer) first = room_process(&room);
	AUTO(fcgi_storer) next = room_process(&room);
	struct passage passage = passage_open(&room, "POST");
	struct giver giver;

	become_storer(&room, first);
	giver_start(&giver, next, passage.connection);
	cr_expect(has_events(first, WAIT_MS));
	fcgi_storer_resign(first);
	cr_expect_eq(room_sockets(&room), 0);
	cr_expect_not(giver_end(&giver));
	cr_expect(has_request(passage.connection));
	become_storer(&room, next);
	expect_given(&room, next);
	fcgi_storer_resign(next);
	become_storer(&room, next);
	cr_expect_eq(room_sockets(&room), 0, "it is the storer again");
	passage_close(&passage);
	room_close(&room);
}

Test(storer, serves_those_with_its_settings)
{
	struct room room = room_open("spool");
	AUTO(fcgi_storer) storer = room_process(&room);
	g_autofree char *path = g_build_filename(room.dir, "others", NULL);

	become_storer(&room, storer);
	cr_assert(g_file_set_contents(path, "", 0, NULL));
	AUTO(fcgi_storer) other = fcgi_storer_open(room.dir, path);
	become_storer(&room, other);
	cr_expect_eq(room_sockets(&room), 2);
	cr_assert(g_file_set_contents(room.settings, "#", 1, NULL));
	AUTO(fcgi_storer) changed = room_process(&room);
	become_storer(&room, changed);
	cr_expect_eq(room_sockets(&room), 3);
	cr_expect_not(has_events(storer, 0));
	expect_given(&room, changed);
	room_close(&room);
}

Test(storer, needs_its_folder_and_its_settings)
{
	struct room room = room_open("spool");

	cr_expect_null(fcgi_storer_open("/nowhere", room.settings));
	cr_expect_null(fcgi_storer_open(room.dir, "/nowhere"));
	room_close(&room);
}
