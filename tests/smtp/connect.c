/* SPDX-License-Identifier: MIT */
#include "smtp/connect.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/smtp/sending.h"

static const char *const three[] = {"a@x.org", "b@x.org", "c@x.org", NULL};

/* Connects to port of 127.0.0.1 and tells whether the socket was treated as the relay's. */
static bool
is_treated(guint port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	    .sin_port = htons((guint16)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), no_delay = 0;
	socklen_t size = sizeof(no_delay);

	cr_assert_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
	bool flags = (fcntl(fd, F_GETFL) & O_NONBLOCK) && (fcntl(fd, F_GETFD) & FD_CLOEXEC);
	cr_expect_eq(flags, no_delay != 0);
	close(fd);
	return no_delay != 0;
}

Test(connect, treats_the_relays_connection_and_no_other)
{
	struct smtp_script script = {.rules = {THEN(DROP, "CONNECT", 0, NULL)}};
	struct smtp_server *relay = smtp_server_start(&script), *other = smtp_server_start(&script);
	struct smtp_wire wire = {.source = "",
	    .relay = -1,
	    .prelude = -1,
	    .port = (guint16)smtp_server_port(relay),
	    .connect_us = G_USEC_PER_SEC,
	    .wake = eventfd(0, 0)};

	cr_expect_not(is_treated(smtp_server_port(relay)), "no session");
	smtp_wire_enter(&wire);
	cr_expect(is_treated(smtp_server_port(relay)), "the relay");
	cr_expect_not(is_treated(smtp_server_port(other)), "another port");
	smtp_wire_leave();
	cr_expect_not(is_treated(smtp_server_port(relay)), "after the session");
	close(wire.wake);
	smtp_server_free(relay);
	smtp_server_free(other);
}

static void
connect_at(struct sending *sending, const char *event)
{
	cr_expect_not(is_treated(sending->relay.port), "%s", event);
}

/* The caller's own connections, to the same port at that, while it is asked for a message. */
Test(connect, is_the_callers_own_in_callbacks)
{
	struct smtp_script script = {0};
	struct sending sending;

	sending_start(&sending, &script, three);
	sending.hook = connect_at;
	sending_run(&sending);
	sending_stop(&sending);
	cr_expect_eq(smtp_server_count(sending.server), 3);
	sending_free(&sending);
}

/* libesmtp must get these functions from the executable. */
Test(connect, stands_in_the_executables_dynamic_symbols)
{
	static const char *const names[] = {"connect", "poll", "__poll_chk", "write"};
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	const char *argv[] = {"nm", "-D", "--defined-only", self, NULL};
	g_autofree char *symbols = NULL;

	cr_assert(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &symbols,
	    NULL, NULL, NULL));
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *line = g_strdup_printf(" T %s\n", names[i]);
		cr_expect(strstr(symbols, line), "no %s in\n%s", names[i], symbols);
	}
}

/* The number of bytes that have come at this end, at most size. */
static gssize
come(int fd, void *bytes, gsize size)
{
	return recv(fd, bytes, size, MSG_DONTWAIT);
}

/* A connection of which this process has both ends. */
struct line {
	int listener, fd, peer;
	struct smtp_wire wire;
};

static void
line_open(struct line *line)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	line->listener = socket(AF_INET, SOCK_STREAM, 0);
	cr_assert_eq(bind(line->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	cr_assert_eq(listen(line->listener, 1), 0);
	getsockname(line->listener, (struct sockaddr *)&address, &size);
	line->wire = (struct smtp_wire){.source = "",
	    .relay = -1,
	    .prelude = -1,
	    .port = ntohs(address.sin_port),
	    .connect_us = G_USEC_PER_SEC,
	    .limit_us = 20000,
	    .wake = eventfd(0, 0)};
	line->fd = socket(AF_INET, SOCK_STREAM, 0);
	smtp_wire_enter(&line->wire);
	cr_assert_eq(connect(line->fd, (struct sockaddr *)&address, sizeof(address)), 0);
	line->peer = accept(line->listener, NULL, NULL);
	smtp_wire_gather(&line->wire, true);
}

static void
line_close(struct line *line)
{
	smtp_wire_end(&line->wire);
	smtp_wire_leave();
	close(line->wire.wake);
	close(line->peer);
	close(line->fd);
	close(line->listener);
}

/* libesmtp writes pieces, and polls before each flush. */
Test(connect, gathers_what_is_written_until_a_reply_is_awaited)
{
	struct line line;
	char got[16] = "";

	line_open(&line);
	struct pollfd both[] = {
	    {.fd = line.fd, .events = POLLIN}, {.fd = line.fd, .events = POLLOUT}};
	cr_expect_eq(write(line.fd, "MAIL ", 5), 5);
	cr_expect_eq(poll(both, 1, 0), 0, "between two commands");
	cr_expect_eq(poll(both, 2, 1000), 1, "before a flush");
	cr_expect_eq(both[0].revents, 0);
	cr_expect_eq(both[1].revents, POLLOUT);
	cr_expect_eq(write(line.fd, "DATA", 4), 4);
	cr_expect_lt(come(line.peer, got, sizeof(got)), 0, "came too early: %s", got);
	cr_assert_eq(send(line.peer, "250", 3, 0), 3);
	cr_expect_eq(poll(both, 1, 1000), 1, "the reply");
	cr_expect_eq(come(line.peer, got, sizeof(got)), 9);
	cr_expect_str_eq(got, "MAIL DATA");
	cr_expect_eq(write(line.fd, "QUIT", 4), 4);
	cr_expect_lt(come(line.peer, got, sizeof(got)), 0);
	cr_expect(smtp_wire_gather(&line.wire, false));
	cr_expect_eq(come(line.peer, got, sizeof(got)), 4, "sent when it gathers no more");
	cr_expect_eq(write(line.fd, "bye", 3), 3);
	cr_expect_eq(come(line.peer, got, sizeof(got)), 3, "written at once");
	line_close(&line);
}

Test(connect, gathers_no_more_than_a_limit)
{
	const gsize limit = 64 * 1024;
	g_autofree char *bytes = g_malloc0(2 * limit);
	struct line line;
	gsize sum = 0;

	line_open(&line);
	cr_expect_eq(write(line.fd, bytes, limit - 1), (gssize)limit - 1);
	cr_expect_lt(come(line.peer, bytes, limit), 0);
	cr_expect_eq(write(line.fd, bytes, 1), 1);
	while (sum < limit) {
		gssize some = recv(line.peer, bytes, 2 * limit, 0);
		cr_assert_gt(some, 0);
		sum += (gsize)some;
	}
	cr_expect_eq(sum, limit);
	line_close(&line);
}

/* A relay that reads nothing. */
Test(connect, sends_what_was_gathered_within_the_time_limit)
{
	const gsize size = 64 * 1024;
	g_autofree char *bytes = g_malloc0(size);
	struct line line;
	gssize got = 0;

	line_open(&line);
	for (guint i = 0; i < 1000 && got >= 0; i++)
		got = write(line.fd, bytes, size);
	cr_expect_lt(got, 0);
	cr_expect_eq(line.wire.fault, ETIMEDOUT);
	line_close(&line);
}

/* The gathered bytes must not go out any more: the final dot is among it. */
Test(connect, drops_what_was_gathered_when_it_is_shut)
{
	struct line line;
	char got[16];

	for (int mutes = 0; mutes < 2; mutes++) {
		line_open(&line);
		struct pollfd reply = {.fd = line.fd, .events = POLLIN};
		cr_expect_eq(write(line.fd, "text", 4), 4);
		if (mutes)
			smtp_wire_mute(&line.wire);
		else
			smtp_wire_shut(&line.wire);
		cr_expect_eq(write(line.fd, ".", 1), 1);
		cr_assert_eq(send(line.peer, "421", 3, MSG_NOSIGNAL), 3);
		cr_expect_eq(poll(&reply, 1, 1000), 1);
		cr_expect_eq(recv(line.peer, got, sizeof(got), 0), 0, "mutes %d", mutes);
		line_close(&line);
	}
}

static gint64
run_ms(struct sending *sending)
{
	gint64 begin = g_get_monotonic_time();

	sending_run(sending);
	return (g_get_monotonic_time() - begin) / 1000;
}

/* If TCP_NODELAY were not set, each message after the first few would wait 40 ms for a delayed
   acknowledgement. */
Test(connect, costs_no_message_a_delayed_acknowledgement)
{
	const char *messages[SENDING_MESSAGES + 1] = {NULL};
	struct smtp_script script = {.extensions = "PIPELINING"};
	g_autofree char *bytes = sending_large_content(5000);
	gint64 best_ms = G_MAXINT64, end = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;

	for (int i = 0; i < SENDING_MESSAGES; i++)
		messages[i] = "a@x.org";
	/* Other work on the machine makes a run slow, but not each of them. */
	while (best_ms >= SENDING_MESSAGES * 20 && g_get_monotonic_time() < end) {
		struct sending sending;
		sending_start(&sending, &script, messages);
		sending.bytes = bytes;
		gint64 took_ms = run_ms(&sending);
		best_ms = MIN(best_ms, took_ms);
		sending_free(&sending);
	}
	cr_expect_lt(best_ms, SENDING_MESSAGES * 20, "took %d ms", (int)best_ms);
}

/* A relay that says one byte of its reply every now and then. */
Test(connect, waits_for_a_reply_as_long_as_was_said)
{
	struct smtp_script script = {.rules = {THEN(HANG, "MAIL*", 0, "25")}};
	struct sending sending;

	sending_start(&sending, &script, three);
	gint64 took_ms = run_ms(&sending);
	cr_expect_geq(took_ms, 900, "took %d ms", (int)took_ms);
	cr_expect_eq(sending.messages[0].recipients[0].outcome, SMTP_TEMPORARY);
	sending_stop(&sending);
	sending_free(&sending);
}

/* A relay whose reply never ends: its lines come one after the other, or now and then. */
Test(connect, waits_for_the_end_of_a_reply_not_for_its_lines, .timeout = 900)
{
	static const guint pauses_ms[] = {0, 300};

	for (gsize i = 0; i < G_N_ELEMENTS(pauses_ms); i++) {
		struct smtp_script script = {
		    .rules = {{"EHLO*", 0, "250-more", THEN_BABBLE, pauses_ms[i]}}};
		struct sending sending;

		sending_start(&sending, &script, three);
		gint64 took_ms = run_ms(&sending);
		cr_expect_geq(took_ms, 900, "pause %u ms: took %d ms", pauses_ms[i], (int)took_ms);
		cr_expect(
		    sending.error && strstr(sending.error->message, "did not answer within 1 s"),
		    "pause %u ms: got %s", pauses_ms[i],
		    sending.error ? sending.error->message : "no error");
		sending_stop(&sending);
		sending_free(&sending);
	}
}

/* The reply to the final dot gets a longer limit: giving up too early sends the message twice. */
Test(connect, waits_longer_for_the_reply_to_the_dot)
{
	struct smtp_script script = {.rules = {{".", 1, NULL, THEN_GO_ON, 4000}}};
	struct sending sending;

	sending_start(&sending, &script, three);
	sending.relay.timeout_s = 2;
	sending.relay.dot_timeout_s = 60;
	sending_run(&sending);
	for (int i = 0; i < 3; i++)
		cr_expect_eq(sending.messages[i].recipients[0].outcome, SMTP_SENT, "%d: got %d", i,
		    sending.messages[i].recipients[0].outcome);
	sending_stop(&sending);
	sending_free(&sending);
}

/* The reply to QUIT is not waited for. */
Test(connect, waits_for_no_farewell, .timeout = 900)
{
	struct smtp_script script = {.rules = {THEN(HANG, "QUIT", 0, NULL)}};
	struct sending sending;

	sending_start(&sending, &script, three);
	sending.relay.timeout_s = sending.relay.dot_timeout_s = 600;
	gint64 took_ms = run_ms(&sending);
	cr_expect_lt(took_ms, 60000, "took %d ms", (int)took_ms);
	sending_stop(&sending);
	sending_free(&sending);
}

static gpointer
connect_send_in_thread(gpointer pointer)
{
	for (int i = 0; i < 5; i++) {
		struct smtp_script script = {.extensions = "STARTTLS",
		    .extensions_tls = "DSN\nPIPELINING\nAUTH PLAIN LOGIN",
		    .user = "joe",
		    .password = "secret"};
		struct sending sending;
		sending_start(&sending, &script, three);
		sending.relay.tls = TLS_REQUIRED;
		sending.relay.tls_ca = smtp_server_ca(sending.server);
		sending.relay.user = "joe";
		sending.relay.password = "secret";
		sending.relay.timeout_s = sending.relay.dot_timeout_s = 20;
		sending_run(&sending);
		sending_stop(&sending);
		cr_expect_eq(smtp_server_count(sending.server), 3, "got %u mails (%s)",
		    smtp_server_count(sending.server), sending.error ? sending.error->message : "");
		sending_free(&sending);
	}
	return NULL;
}

Test(connect, serves_one_session_after_the_other_and_several_at_once)
{
	GThread *threads[4];

	for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
		threads[i] = g_thread_new("session", connect_send_in_thread, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
		g_thread_join(threads[i]);
}
