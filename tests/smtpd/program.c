/* SPDX-License-Identifier: MIT */
/* Tests the program: its sockets, pool, signals, certificate and log. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <unistd.h>

#include "tests/smtpd/door.h"
#include "tests/support/db.h"
#include "tests/support/manual.h"

TestSuite(smtpd, .timeout = 600);

#define END_MS 60000

/* Runs the program with these arguments; its status. *log_r: what it says. */
static int
run(const struct test_house *house, const char *one, const char *two, int input, char **log_r)
{
	const char *argv[] = {"posthouse-smtpd", "--config", house->config, one, two, NULL};
	AUTO(test_program) program = test_program_start(argv, NULL, input, -1);
	int status = test_program_wait(program, END_MS);

	*log_r = test_program_log(program);
	return status;
}

Test(smtpd, explains_itself)
{
	const char *argv[] = {"posthouse-smtpd", "--help", NULL};
	AUTO(test_program) program = test_program_start(argv, NULL, -1, -1);

	cr_assert_eq(test_program_wait(program, END_MS), 0);
	g_autofree char *help = test_program_output(program);
	test_manual_expect_options("posthouse-smtpd.8", help);
}

Test(smtpd, ends_with_a_reason)
{
	AUTO(test_house) house = test_house_open(NULL, "[smtpd]\nhostname = h.example\n");
	guint port = door_port();
	struct door taken = {.house = house, .port = port};
	g_autofree char *place = g_strdup_printf("127.0.0.1:%u", port);
	g_autofree char *tls = g_strdup_printf("127.0.0.1:%u/tls", door_port());
	const char *argv[] = {
	    "posthouse-smtpd", "--config", house->config, "--listen", place, NULL};
	char *log;

	cr_expect_eq(run(house, NULL, NULL, -1, &log), EX_USAGE);
	cr_expect(strstr(log, "standard input is no socket; use --listen"), "%s", log);
	cr_expect_eq(run(house, "--listen", "127.0.0.1", -1, &log), EX_USAGE);
	cr_expect_eq(run(house, "--listen", tls, -1, &log), EX_CONFIG);
	taken.program = test_program_start(argv, NULL, -1, -1);
	close(door_connect(&taken));
	cr_expect_eq(run(house, "--listen", place, -1, &log), EX_UNAVAILABLE);
	test_program_free(taken.program);
}

Test(smtpd, serves_one_session_on_standard_input)
{
	AUTO(test_house) house = test_house_open(NULL, "[smtpd]\nhostname = h.example\n");
	int ends[2];
	char *log;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	door_send(ends[0], "EHLO x\r\nQUIT\r\n");
	cr_expect_eq(run(house, NULL, NULL, ends[1], &log), 0);
	close(ends[1]);
	g_autofree char *got = door_read(ends[0], NULL);
	cr_expect(g_str_has_prefix(got, "220 h.example ESMTP Posthouse\r\n250-h.example\r\n") &&
		      g_str_has_suffix(got, "250 AUTH PLAIN LOGIN\r\n221 2.0.0 Bye\r\n"),
	    "got %s", got);
}

Test(smtpd, holds_sessions_to_their_number)
{
	AUTO(door) door = door_open("[smtpd]\nconnections = 3\nper_address = 1\n");
	int fds[3];

	/* Loopback has no limit of its own. */
	for (guint i = 0; i < G_N_ELEMENTS(fds); i++) {
		fds[i] = door_connect(door);
		g_autofree char *hello = door_read(fds[i], "\r\n");
		cr_expect(g_str_has_prefix(hello, "220 "), "got %s", hello);
	}
	int more = door_connect(door);
	g_autofree char *got = door_read(more, NULL);
	cr_expect_str_eq(got, "421 4.3.2 Too many sessions\r\n");
	close(more);
	for (guint i = 0; i < G_N_ELEMENTS(fds); i++)
		close(fds[i]);
}

/* An address of this machine that is not loopback; 0: it has none. */
static guint32
program_address(char text_r[INET_ADDRSTRLEN])
{
	struct ifaddrs *all = NULL;
	guint32 found = 0;

	cr_assert(getifaddrs(&all) == 0);
	for (const struct ifaddrs *one = all; one && !found; one = one->ifa_next) {
		const struct sockaddr_in *place = (const void *)one->ifa_addr;

		if (place && place->sin_family == AF_INET && (one->ifa_flags & IFF_UP) &&
		    !(one->ifa_flags & IFF_LOOPBACK))
			found = place->sin_addr.s_addr;
	}
	freeifaddrs(all);
	inet_ntop(AF_INET, &found, text_r, INET_ADDRSTRLEN);
	return found;
}

/* Clients from elsewhere have so many sessions at once and so many failed logins; loopback has any
   number. */
Test(smtpd, holds_addresses_to_their_limits)
{
	char text[INET_ADDRSTRLEN];
	guint32 address = program_address(text);
	static const char failed[] = "EHLO x\r\nAUTH PLAIN AHVzZXIAcGhfYmFk\r\nQUIT\r\n";
	static const char limited[] = "\r\n454 4.7.0 Too many failed logins. Try again later\r\n";

	if (!address)
		cr_skip_test("the machine has no address but loopback");
	AUTO(door)
	door = door_open("[smtpd]\nper_address = 2\nattempts = 2\nplain_auth = 0.0.0.0/0\n");
	struct door outside = {.house = door->house, .port = door_port(), .address = address};
	g_autofree char *place = g_strdup_printf("%s:%u", text, outside.port);
	const char *argv[] = {
	    "posthouse-smtpd", "--config", door->house->config, "--listen", place, NULL};
	outside.program = test_program_start(argv, NULL, -1, -1);
	g_autofree char *key = door_plain(FULL);
	g_autofree char *good = g_strdup_printf("EHLO x\r\nAUTH PLAIN %s\r\nQUIT\r\n", key);
	int fds[2];

	for (guint i = 0; i < G_N_ELEMENTS(fds); i++) {
		fds[i] = door_connect(&outside);
		g_autofree char *hello = door_read(fds[i], "\r\n");
		cr_expect(g_str_has_prefix(hello, "220 "), "got %s", hello);
	}
	int more = door_connect(&outside);
	g_autofree char *third = door_read(more, NULL);
	cr_expect_str_eq(third, "421 4.7.0 Too many sessions from your address\r\n");
	close(more);
	for (guint i = 0; i < G_N_ELEMENTS(fds); i++) {
		door_send(fds[i], "QUIT\r\n");
		g_free(door_read(fds[i], NULL));
		close(fds[i]);
	}
	for (guint i = 0; i < 3; i++) {
		g_autofree char *got = door_talk(&outside, failed, strlen(failed));
		cr_expect(strstr(got, i < 2 ? "\r\n535 5.7.8 Invalid API key\r\n" : limited),
		    "%u: got %s", i, got);
	}
	g_autofree char *refused = door_talk(&outside, good, strlen(good));
	cr_expect(strstr(refused, limited), "got %s", refused);
	for (guint i = 0; i < 3; i++)
		g_free(door_talk(door, failed, strlen(failed)));
	g_autofree char *taken = door_talk(door, good, strlen(good));
	cr_expect(strstr(taken, "\r\n235 2.7.0 Authenticated\r\n"), "got %s", taken);
	test_program_signal(outside.program, SIGTERM);
	cr_expect_eq(test_program_wait(outside.program, 60000), 0);
	test_program_free(outside.program);
}

Test(smtpd, stops_between_transactions)
{
	AUTO(door) door = door_open(NULL);
	g_autofree char *plain = door_plain(FULL);
	g_autofree char *begin =
	    g_strdup_printf("EHLO x\r\nAUTH PLAIN %s\r\nMAIL FROM:<a@example.org>\r\n", plain);
	int idle = door_connect(door), busy = door_connect(door);

	g_free(door_read(idle, "\r\n"));
	door_send(busy, begin);
	g_free(door_read(busy, "250 2.1.0 OK\r\n"));
	test_program_signal(door->program, SIGTERM);
	g_autofree char *got = door_read(idle, NULL);
	cr_expect_str_eq(got, "421 4.3.2 Service is shutting down\r\n");
	door_send(busy, "RCPT TO:<b@example.net>\r\nDATA\r\nFrom: a@example.org\r\n\r\nx\r\n.\r\n");
	g_autofree char *end = door_read(busy, NULL);
	cr_expect(strstr(end, "\r\n250 2.0.0 queued as ") &&
		      g_str_has_suffix(end, "421 4.3.2 Service is shutting down\r\n"),
	    "got %s", end);
	close(idle);
	close(busy);
}

Test(smtpd, reads_settings_anew)
{
	AUTO(door) door = door_open("[smtpd]\nhostname = one.example\n");
	g_autofree char *text = NULL;
	int before = door_connect(door);

	g_free(door_read(before, "\r\n"));
	cr_assert(g_file_get_contents(door->house->config, &text, NULL, NULL));
	g_auto(GStrv) parts = g_strsplit(text, "one.example", -1);
	g_autofree char *other = g_strjoinv("two.example", parts);
	cr_assert(g_file_set_contents(door->house->config, other, -1, NULL));
	test_program_signal(door->program, SIGHUP);
	/* A session that is open goes on with the old ones. The next one has the new ones, once the
	   signal is taken. */
	for (;;) {
		int after = door_connect(door);
		g_autofree char *got = door_read(after, "\r\n");
		close(after);
		if (g_str_has_prefix(got, "220 two.example "))
			break;
		cr_assert(g_str_has_prefix(got, "220 one.example "), "got %s", got);
	}
	door_send(before, "HELO x\r\nQUIT\r\n");
	g_autofree char *old = door_read(before, NULL);
	cr_expect_str_eq(old, "250 one.example\r\n221 2.0.0 Bye\r\n");
	close(before);
}

Test(smtpd, survives_workers_and_the_database)
{
	AUTO(door) door = door_open(NULL);
	g_autofree char *first =
	    door_submit(door, "a@example.org", "b@example.net", "From: a@example.org\r\n\r\nx");
	g_autoptr(GArray) children = test_program_children(door->program);

	cr_assert(g_str_has_prefix(first, "250 "), "got %s", first);
	cr_assert(children->len >= 1);
	for (guint i = 0; i < children->len; i++)
		kill(g_array_index(children, pid_t, i), SIGKILL);
	test_program_wait_log(door->program, "was ended by a signal");
	g_autofree char *second =
	    door_submit(door, "a@example.org", "b@example.net", "From: a@example.org\r\n\r\nx");
	cr_expect(g_str_has_prefix(second, "250 "), "got %s", second);
}

Test(smtpd, logs_without_keys)
{
	AUTO(door) door = door_open("[log]\nlevel = info\n");
	g_autofree char *got =
	    door_submit(door, "a@example.org", "b@example.net", "From: a@example.org\r\n\r\nx");
	static const char bad[] = "EHLO x\r\nAUTH PLAIN AHVzZXIAcGhfYmFk\r\nQUIT\r\n";
	g_autofree char *refused = door_talk(door, bad, strlen(bad));

	cr_assert(test_program_wait_log(door->program, "code=535"));
	g_autofree char *log = test_program_log(door->program);
	cr_expect(strstr(log, "event=smtp address=127.0.0.1 key=") && strstr(log, " email=") &&
		      strstr(log, " recipients=1 ") && strstr(log, " code=250 "),
	    "got %s", log);
	cr_expect(!strstr(log, "ph_"), "got %s", log);
}
