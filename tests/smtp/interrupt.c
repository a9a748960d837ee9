/* SPDX-License-Identifier: MIT */
#include "smtp/session.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/smtp/sending.h"

static const char *const three[] = {"a@x.org", "b@x.org", "c@x.org", NULL};

struct interruption {
	struct sending *sending;
	const char *when; /* a line of the server's log */
	bool got;
};

static gpointer
interrupt(gpointer pointer)
{
	struct interruption *interruption = pointer;

	cr_assert(smtp_server_wait(interruption->sending->server, interruption->when), "no %s",
	    interruption->when);
	interruption->got = smtp_session_interrupt(interruption->sending->session);
	smtp_server_release(interruption->sending->server);
	return NULL;
}

/* The server is silent, and would be for much longer than the test may take. */
Test(interrupt, ends_every_wait_but_that_for_the_dot, .timeout = 900)
{
	static const struct {
		const char *name, *when;
		struct smtp_rule rule;
		bool want;
		const char *want_outcomes;
	} cases[] = {
	    {"EHLO", "EHLO", THEN(HANG, "EHLO*", 0, NULL), true,
		"0 a@x.org not-tried session 0 - \n1 b@x.org not-tried session 0 - \n"
		"2 c@x.org not-tried session 0 - \n"},
	    {"MAIL", "MAIL", THEN(HANG, "MAIL*", 0, NULL), true,
		"0 a@x.org not-tried session 0 - \n1 b@x.org not-tried session 0 - \n"
		"2 c@x.org not-tried session 0 - \n"},
	    {"RCPT", "RCPT TO:<b", THEN(HANG, "RCPT*b@x*", 0, NULL), true,
		"0 a@x.org sent data 250 2.0.0 taken\n1 b@x.org not-tried session 0 - \n"
		"2 c@x.org not-tried session 0 - \n"},
	    {"DATA", "DATA", THEN(HANG, "DATA", 1, NULL), true,
		"0 a@x.org not-tried session 0 - \n1 b@x.org not-tried session 0 - \n"
		"2 c@x.org not-tried session 0 - \n"},
	    {"QUIT", "QUIT", THEN(HANG, "QUIT", 0, NULL), true,
		"0 a@x.org sent data 250 2.0.0 taken\n1 b@x.org sent data 250 2.0.0 taken\n"
		"2 c@x.org sent data 250 2.0.0 taken\n"},
	    {"the dot", ".", {".", 1, "250 2.0.0 taken", THEN_GO_ON, 60000}, false,
		"0 a@x.org sent data 250 2.0.0 taken\n1 b@x.org not-tried session 0 - \n"
		"2 c@x.org not-tried session 0 - \n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_script script = {.rules = {cases[i].rule}};
		struct sending sending;
		struct interruption interruption = {&sending, cases[i].when, false};
		sending_start(&sending, &script, three);
		sending.relay.timeout_s = sending.relay.dot_timeout_s = 600;
		sending_prepare(&sending);
		GThread *thread = g_thread_new("interrupt", interrupt, &interruption);
		sending_run(&sending);
		g_thread_join(thread);
		sending_stop(&sending);
		g_autofree char *got = sending_outcomes(&sending);
		cr_expect_eq(
		    interruption.got, cases[i].want, "%s: got %d", cases[i].name, interruption.got);
		cr_expect_str_eq(got, cases[i].want_outcomes, "%s: got\n%swant\n%s", cases[i].name,
		    got, cases[i].want_outcomes);
		bool had = strcmp(cases[i].name, "EHLO") != 0;
		cr_expect_eq(sending.had, had, "%s", cases[i].name);
		if (!had)
			cr_expect(g_error_matches(sending.error, PH_ERROR, PH_ERROR_TEMPORARY));
		sending_free(&sending);
	}
}

Test(interrupt, comes_before_and_after_the_run)
{
	struct smtp_script script = {0};
	struct sending sending;

	sending_start(&sending, &script, three);
	sending_prepare(&sending);
	cr_expect(smtp_session_interrupt(sending.session));
	sending_run(&sending);
	cr_expect(smtp_session_interrupt(sending.session));
	sending_stop(&sending);
	cr_expect_eq(smtp_server_connections(sending.server), 0);
	cr_expect_str_eq(sending.calls->str, "");
	sending_free(&sending);
}

static void
interrupt_at(struct sending *sending, const char *event)
{
	if (strcmp(event, "content 1") == 0)
		cr_expect(smtp_session_interrupt(sending->session));
	if (strcmp(event, "before_dot 1") == 0)
		cr_expect_fail("the session went on");
}

Test(interrupt, comes_while_a_message_is_made)
{
	struct smtp_script script = {0};
	struct sending sending;

	sending_start(&sending, &script, three);
	sending.hook = interrupt_at;
	sending_run(&sending);
	sending_stop(&sending);
	g_autofree char *got = sending_outcomes(&sending);
	cr_expect_str_eq(got,
	    "0 a@x.org sent data 250 2.0.0 taken\n1 b@x.org not-tried session 0 - \n"
	    "2 c@x.org not-tried session 0 - \n",
	    "got\n%s", got);
	sending_free(&sending);
}

/* A listener whose backlog is full: the kernel answers no SYN. */
struct deaf {
	int listener, callers[2];
	guint port;
};

static void
deaf_open(struct deaf *deaf)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	deaf->listener = socket(AF_INET, SOCK_STREAM, 0);
	cr_assert_eq(bind(deaf->listener, (struct sockaddr *)&address, size), 0);
	cr_assert_eq(listen(deaf->listener, 0), 0);
	cr_assert_eq(getsockname(deaf->listener, (struct sockaddr *)&address, &size), 0);
	deaf->port = ntohs(address.sin_port);
	for (int i = 0; i < 2; i++) {
		deaf->callers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(deaf->callers[i], (struct sockaddr *)&address, size);
	}
}

static void
deaf_close(struct deaf *deaf)
{
	close(deaf->listener);
	close(deaf->callers[0]);
	close(deaf->callers[1]);
}

/* How many sockets wait for an answer of the listener: of the state SYN_SENT in
 * proc_pid_net_tcp(5). */
static guint
deaf_count_callers(guint port)
{
	g_autofree char *table = NULL;
	g_autofree char *mark = g_strdup_printf(":%04X 02 ", port);
	guint count = 0;

	cr_assert(g_file_get_contents("/proc/self/net/tcp", &table, NULL, NULL));
	for (const char *at = table; (at = strstr(at, mark)); at += strlen(mark))
		count++;
	return count;
}

static guint callers_before;

static gpointer
interrupt_connecting(gpointer pointer)
{
	struct sending *sending = pointer;

	while (deaf_count_callers(sending->relay.port) == callers_before)
		g_usleep(1000);
	cr_expect(smtp_session_interrupt(sending->session));
	return NULL;
}

Test(interrupt, ends_connecting, .timeout = 900)
{
	struct smtp_script script = {0};
	struct sending sending;
	struct deaf deaf;

	deaf_open(&deaf);
	sending_start(&sending, &script, three);
	sending.relay.port = deaf.port;
	callers_before = deaf_count_callers(deaf.port);
	sending.relay.connect_timeout_s = 600;
	sending_prepare(&sending);
	GThread *thread = g_thread_new("interrupt", interrupt_connecting, &sending);
	sending_run(&sending);
	g_thread_join(thread);
	cr_expect(!sending.had && strstr(sending.error->message, "interrupted"), "got %s",
	    sending.error ? sending.error->message : "a session");
	sending_free(&sending);
	deaf_close(&deaf);
}

static volatile sig_atomic_t alarms;

static void
on_alarm(int signal)
{
	alarms++;
}

static void
storm(bool on)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval every = {{0, on ? 500 : 0}, {0, on ? 500 : 0}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Signals as a program gets them that is to end after this request: without SA_RESTART. */
Test(interrupt, is_not_what_signals_do, .timeout = 900)
{
	static const struct {
		const char *name;
		struct smtp_rule rule;
		bool is_deaf;
		enum smtp_outcome want;
	} cases[] = {
	    {"slow", {"*", 0, NULL, THEN_GO_ON, 20}, false, SMTP_SENT},
	    {"silent", THEN(HANG, "MAIL*", 0, NULL), false, SMTP_TEMPORARY},
	    {"silent at the dot", THEN(HANG, ".", 0, NULL), false, SMTP_UNCERTAIN},
	    {"deaf", {}, true, SMTP_NOT_TRIED},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_script script = {.extensions = "STARTTLS", .rules = {cases[i].rule}};
		struct sending sending;
		struct deaf deaf;
		deaf_open(&deaf);
		sending_start(&sending, &script, three);
		sending.relay.tls = TLS_OPPORTUNISTIC;
		if (cases[i].is_deaf) {
			sending.relay.port = deaf.port;
			sending.relay.connect_timeout_s = 1;
		}
		storm(true);
		sending_run(&sending);
		storm(false);
		enum smtp_outcome got = sending.messages[0].recipients[0].outcome;
		cr_expect_eq(got, cases[i].want, "%s: got %d (%s), want %d", cases[i].name, got,
		    sending.error ? sending.error->message : "", cases[i].want);
		cr_expect_gt(alarms, 5, "%s: %d signals", cases[i].name, (int)alarms);
		alarms = 0;
		sending_stop(&sending);
		sending_free(&sending);
		deaf_close(&deaf);
	}
}
