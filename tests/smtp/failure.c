/* SPDX-License-Identifier: MIT */
/* Sessions that cannot be had: connections, greetings, EHLO, settings. */
#include "smtp/session.h"

#include <criterion/criterion.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/smtp/failure_case.h"

static const struct failure_case cases[] = {
    {.name = "greeting 4xx",
	.script = {.rules = {REPLY("CONNECT", 0, "421 4.3.2 too busy")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "relay test (127.0.0.1:*) refused the session: 421 4.3.2 too busy",
	.want_enhanced = "4.3.2",
	.want_stage = "greeting"},
    {.name = "greeting 5xx",
	.script = {.rules = {REPLY("CONNECT", 0, "554 5.7.1 go away")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 554 5.7.1 go away",
	.want_enhanced = "5.7.1"},
    {.name = "greeting of another protocol",
	.script = {.rules = {REPLY("CONNECT", 0, "SSH-2.0-OpenSSH")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or spoke no SMTP (greeting)"},
    {.name = "dropped before the greeting",
	.script = {.rules = {THEN(DROP, "CONNECT", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or spoke no SMTP (greeting)",
	.want_stage = "greeting"},
    {.name = "silent before the greeting",
	.script = {.rules = {THEN(HANG, "CONNECT", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* sent no greeting within 1 s",
	.want_enhanced = "4.4.1",
	.want_stage = "greeting"},
    {.name = "greeting 5xx about logins",
	.script = {.rules = {REPLY("CONNECT", 0, "554 4.7.5 no login here")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 554 4.7.5 no login here",
	.want_stage = "greeting"},
    {.name = "EHLO 4xx",
	.script = {.rules = {REPLY("EHLO*", 0, "450 4.3.2 later")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused the session: 450 4.3.2 later"},
    {.name = "EHLO 5xx",
	.script = {.rules = {REPLY("EHLO*", 0, "550 5.7.1 not you")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 550 5.7.1 not you",
	.want_stage = "greeting"},
    {.name = "EHLO 5xx that begins as an extension does",
	.script = {.rules = {REPLY("EHLO*", 0, "550 Client host rejected")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 550 Client host rejected"},
    {.name = "EHLO unknown, HELO known", .script = {.rules = {REPLY("EHLO*", 0, "502 what?")}}},
    {.name = "EHLO and HELO unknown",
	.script = {.rules = {REPLY("EHLO*", 0, "502 what?"), REPLY("HELO*", 0, "502 what?")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 502 what?"},
    {.name = "dropped at EHLO",
	.script = {.rules = {THEN(DROP, "EHLO*", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or spoke no SMTP (EHLO)"},
    {.name = "silent at EHLO",
	.script = {.rules = {THEN(HANG, "EHLO*", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* did not answer within 1 s (EHLO)"},
    {.name = "EHLO that does not end",
	.script = {.rules = {THEN(HANG, "EHLO*", 0, "250-a\r\n250-b")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* did not answer within 1 s (EHLO)"},

    {.name = "421 to the first MAIL",
	.script = {.rules = {REPLY("MAIL*", 0, "421 4.7.0 enough")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused the session: 421 4.7.0 enough",
	.want_enhanced = "4.7.0",
	.want_stage = "other"},
    {.name = "from an address of ours", .source = "127.0.0.9"},
    {.name = "from an address that is not ours",
	.source = "192.0.2.1",
	.want_code = PH_ERROR_TEMPORARY,
	.want = "relay test (127.0.0.1:*) could not be reached: Cannot assign requested address",
	.want_enhanced = "4.4.1",
	.want_stage = "connect"},
    {.name = "no such name",
	.host = "nosuch.invalid",
	.want_code = PH_ERROR_TEMPORARY,
	.want = "relay test: nosuch.invalid could not be resolved",
	.want_enhanced = "4.4.1",
	.want_stage = "connect"},
};

Test(failure, of_a_session_says_who_has_to_do_what)
{
	failure_check(cases, G_N_ELEMENTS(cases));
}

/* libesmtp stops at a home directory that it cannot search, and frees a client certificate that it
   finds in one twice. */
Test(failure, is_none_because_of_a_home_directory)
{
	struct smtp_script script = {.extensions = "STARTTLS"};
	struct sending sending;

	g_setenv("HOME", "/dev/null", TRUE);
	sending_start(&sending, &script, failure_two);
	sending.relay.tls = TLS_OPPORTUNISTIC;
	sending_run(&sending);
	cr_expect(sending.had, "got %s", sending.error ? sending.error->message : "");
	sending_stop(&sending);
	cr_expect_eq(smtp_server_count(sending.server), 2);
	sending_free(&sending);
}

/* A port that stays ours, at which nobody listens. */
static guint
failure_closed_port(void)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert_eq(bind(fd, (struct sockaddr *)&address, size), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	return ntohs(address.sin_port);
}

Test(failure, of_settings_comes_before_any_connection)
{
	g_autofree char *text255 = g_strnfill(255, 'p'), *text256 = g_strnfill(256, 'p');
	const struct {
		const char *name, *host, *user, *password, *helo;
		guint port;
		enum ph_error want_code;
		const char *want;
	} settings[] = {
	    {"nobody listens", "127.0.0.1", "", "", "", failure_closed_port(), PH_ERROR_TEMPORARY,
		"relay test (127.0.0.1:*) could not be reached: Connection refused"},
	    {"longest credentials", "127.0.0.1", text255, text255, "", failure_closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: Connection refused"},
	    {"user too long", "127.0.0.1", text256, "p", "", 25, PH_ERROR_FAILED,
		"* cannot be used: the user or the password is longer than 255 bytes"},
	    {"password too long", "127.0.0.1", "u", text256, "", 25, PH_ERROR_FAILED,
		"* cannot be used: the user or the password is longer than 255 bytes"},
	    {"password for another machine", "192.0.2.1", "u", "p", "", 25, PH_ERROR_FAILED,
		"* cannot be used: it cannot prove its name without TLS, so no password is sent*"},
	    {"password for another machine's name", "localhost.example", "u", "p", "", 25,
		PH_ERROR_FAILED, "* it cannot prove its name without TLS, so no password is sent*"},
	    {"password for this machine", "127.255.0.1", "u", "p", "", failure_closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: *"},
	    {"password for this machine's name", "LOCALHOST", "u", "p", "", failure_closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: *"},
	    {"IPv6 literal", "::1", "", "", "", 25, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port"},
	    {"port 0", "127.0.0.1", "", "", "", 0, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port"},
	    {"port 65536", "127.0.0.1", "", "", "", 65536, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port"},
	    {"helo with a command", "127.0.0.1", "", "", "x\r\nMAIL FROM:<>", 25, PH_ERROR_FAILED,
		"* cannot be used: the name for EHLO is not a domain name or an address literal"},
	    {"helo literal", "127.0.0.1", "", "", "[127.0.0.1]", failure_closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: *"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(settings); i++) {
		struct smtp_script script = {0};
		struct sending sending;
		sending_start(&sending, &script, failure_two);
		sending.relay.host = settings[i].host;
		sending.relay.port = settings[i].port;
		sending.relay.user = settings[i].user;
		sending.relay.password = settings[i].password;
		sending.relay.helo = settings[i].helo;
		sending_run(&sending);
		const char *got = sending.error ? sending.error->message : "(sent)";
		cr_expect(g_pattern_match_simple(settings[i].want, got),
		    "%s: got \"%s\", want \"%s\"", settings[i].name, got, settings[i].want);
		cr_expect(g_error_matches(sending.error, PH_ERROR, (int)settings[i].want_code),
		    "%s: want %d", settings[i].name, settings[i].want_code);
		sending_free(&sending);
	}
}

/* Gives this process a network of its own, in which it may listen at any port as root may. */
static bool
enter_network(void)
{
	struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = -1;
	bool entered = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
		       (fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) >= 0 &&
		       ioctl(fd, SIOCSIFFLAGS, &loopback) == 0;

	if (fd >= 0)
		close(fd);
	return entered;
}

/* A server that accepts and says nothing, as one that waits for TLS does. */
static int
listen_silently(guint16 port)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f0004d1), .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 4) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Returns whether the session fails soon, and with the right words. */
static bool
fails_at_port_465(void)
{
	struct smtp_script script = {0};
	struct sending sending;
	int listener = listen_silently(465);
	gint64 begin = g_get_monotonic_time();

	sending_start(&sending, &script, failure_two);
	sending.relay.host = "127.0.4.209";
	sending.relay.port = 465;
	sending.relay.timeout_s = 60;
	sending_run(&sending);
	bool soon = g_get_monotonic_time() - begin < 30 * G_USEC_PER_SEC;
	bool right = g_str_equal(sending.error->message,
			 "relay test (127.0.4.209:465) sent no greeting within 3 s: this port "
			 "speaks TLS at once, set tls = implicit") &&
		     g_str_equal(smtp_session_enhanced(sending.session), "4.4.1");
	g_printerr("%s\n", sending.error->message);
	close(listener);
	sending_stop(&sending);
	sending_free(&sending);
	return listener >= 0 && soon && right;
}

#define NO_NETWORK 77

/* Runs the test below as root; false where sudo asks for a password, or is missing. */
static bool
passes_as_root(bool *asked_r)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
	const char *const words[] = {
	    "sudo", "-n", program, "--filter", "failure/at_port_465_is_known_within_3_s", NULL};
	const char *const asks[] = {"sudo", "-n", "true", NULL};
	int status = -1;

	*asked_r = g_spawn_sync(NULL, (char **)asks, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		       NULL, &status, NULL) &&
		   status == 0;
	return *asked_r &&
	       g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
		   &status, NULL) &&
	       status == 0;
}

/* A network of its own is for a process without threads. */
Test(failure, at_port_465_is_known_within_3_s)
{
	int status;
	bool asked;

#ifdef __SANITIZE_THREAD__
	cr_skip("ThreadSanitizer knows no threads behind a fork");
#endif
	pid_t child = fork();
	if (child == 0)
		_exit(geteuid() != 0 && !enter_network() ? NO_NETWORK : !fails_at_port_465());
	cr_assert_eq(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NETWORK && passes_as_root(&asked))
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NETWORK && !asked)
		cr_skip("only root can listen at port 465, or make a network");
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
