/* SPDX-License-Identifier: MIT */
/* Tests the lines of the log: their form, their targets, and what they must not show. */
#include "config/log_line.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "config/log.h"
#include "config/settings.h"

static char *dir, *path;

/* Opens the log with these lines in [log]; to a file unless they say otherwise. */
static struct config_settings *
open_log(const char *lines)
{
	g_autoptr(GError) error = NULL;

	dir = g_dir_make_tmp("log-XXXXXX", NULL);
	path = g_build_filename(dir, "log", NULL);
	g_autofree char *conf = g_build_filename(dir, "conf", NULL);
	g_autofree char *secret = g_build_filename(dir, "secret", NULL);
	g_autofree char *to =
	    strstr(lines, "to =") ? g_strdup("") : g_strdup_printf("to = %s\n", path);
	g_autofree char *text = g_strdup_printf("[service]\nsecret_file = %s\n[spool]\ndir = %s\n"
						"[log]\n%s%s",
	    secret, dir, to, lines);
	cr_assert(
	    g_file_set_contents(secret, "0123456789012345678901234567890123456789\n", -1, NULL));
	g_chmod(secret, 0600);
	cr_assert(g_file_set_contents(conf, text, -1, NULL));
	struct config_settings *settings = config_settings_load(conf, &error);
	cr_assert(settings, "%s", error ? error->message : "");
	config_log_line_open(settings, "posthouse-test", &error);
	cr_expect_not(error, "%s", error ? error->message : "");
	return settings;
}

static char *
log_line_logged(void)
{
	char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

/* The line without its first five fields. The caller owns it. */
static char *
log_line_written(const char *value)
{
	struct config_log_line line;

	g_unlink(path);
	raise(SIGHUP);
	cr_assert(config_log_line_begin(&line, LEVEL_ERROR, "test"));
	config_log_line_text(&line, "v", value);
	config_log_line_end(&line);
	g_autofree char *all = log_line_logged();
	const char *at = strstr(all, "event=test ");
	if (at)
		return g_strdup(at + strlen("event=test "));
	at = strstr(all, "\"event\":\"test\",");
	return g_strdup(at ? at + strlen("\"event\":\"test\",") : all);
}

Test(log_line, quotes_text)
{
	static const struct {
		const char *value, *want;
	} cases[] = {
	    {"abc", "v=abc\n"},
	    {"", "v=\"\"\n"},
	    {"a b", "v=\"a b\"\n"},
	    {"a=b", "v=\"a=b\"\n"},
	    {"a\\b", "v=a\\b\n"},
	    {"a\"\\b", "v=\"a\\\"\\\\b\"\n"},
	    {"a\nb", "v=\"a\\nb\"\n"},
	    {"a\rb\033", "v=\"a\\u{d}b\\u{1b}\"\n"},
	    {"\342\200\256", "v=\"\\u{202e}\"\n"},
	    {"/v1/emails/{id}", "v=/v1/emails/{id}\n"},
	    {"m\303\274ller", "v=m\303\274ller\n"},
	    {"\xff", "v=\357\277\275\n"},
	};
	struct config_settings *settings = open_log("");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = log_line_written(cases[i].value);
		cr_expect_str_eq(got, cases[i].want, "got %s, want %s", got, cases[i].want);
	}
	config_settings_free(settings);
}

Test(log_line, escapes_json)
{
	static const struct {
		const char *value, *want;
	} cases[] = {
	    {"", "\"v\":\"\"}\n"},
	    {"a b", "\"v\":\"a b\"}\n"},
	    {"a\"\\\n\t", "\"v\":\"a\\\"\\\\\\n\\u0009\"}\n"},
	    {"\363\240\200\201", "\"v\":\"\\udb40\\udc01\"}\n"},
	};
	struct config_settings *settings = open_log("format = json\n");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = log_line_written(cases[i].value);
		cr_expect_str_eq(got, cases[i].want, "got %s, want %s", got, cases[i].want);
	}
	config_settings_free(settings);
}

Test(log_line, begins_with_five_fields)
{
	struct config_settings *settings = open_log("format = json\n");
	struct config_log_line line;

	base_clock_set(1763798400123);
	cr_assert(config_log_line_begin(&line, LEVEL_WARNING, "relay"));
	config_log_line_number(&line, "code", 421);
	config_log_line_text(&line, "none", NULL);
	config_log_line_end(&line);
	g_autofree char *got = log_line_logged();
	g_autofree char *want =
	    g_strdup_printf("{\"time\":\"2025-11-22T08:00:00.12?Z\",\"level\":\"warning\","
			    "\"program\":\"posthouse-test\",\"pid\":%d,\"event\":\"relay\","
			    "\"code\":421}\n",
		getpid());
	cr_expect(g_pattern_match_simple(want, got), "got %s", got);
	config_settings_free(settings);
}

Test(log_line, has_the_levels_up_to_its_own)
{
	struct config_settings *settings = open_log("");
	struct config_log_line line;

	cr_expect_not(config_log_line_begin(&line, LEVEL_INFO, "request"));
	cr_assert(config_log_line_begin(&line, LEVEL_WARNING, "relay"));
	config_log_line_end(&line);
	config_settings_free(settings);
}

/* The line of an address and of a reply that names one. */
static char *
addressed(const char *lines)
{
	struct config_settings *settings = open_log(lines);
	struct config_log_line line;

	cr_assert(config_log_line_begin(&line, LEVEL_ERROR, "attempt"));
	config_log_line_address(&line, "to", "Ada@example.com");
	config_log_line_masked(&line, "reply", "<ada@EXAMPLE.com>: unknown", 500);
	config_log_line_end(&line);
	config_settings_free(settings);
	return log_line_logged();
}

Test(log_line, shows_addresses_whole)
{
	g_autofree char *got = addressed("addresses = whole\n");

	cr_expect(
	    strstr(got, " to=Ada@example.com reply=\"<ada@EXAMPLE.com>: unknown\"\n"), "%s", got);
}

Test(log_line, shows_addresses_hashed)
{
	g_autofree char *got = addressed("");
	const char *to = strstr(got, " to=h:"), *reply = strstr(got, "reply=\"<h:");

	cr_assert(to && reply, "%s", got);
	cr_expect_eq(strspn(to + 6, "0123456789abcdef"), 16);
	cr_expect_eq(strncmp(to + 6, reply + strlen("reply=\"<h:"), 16), 0);
	cr_expect_not(strstr(got, "@"));
}

Test(log_line, shows_no_addresses)
{
	g_autofree char *got = addressed("addresses = none\n");

	cr_expect_not(strstr(got, " to="), "%s", got);
	cr_expect(strstr(got, "reply=\"<->: unknown\"\n"), "%s", got);
}

Test(log_line, cuts_a_reply_between_characters)
{
	struct config_settings *settings = open_log("");
	struct config_log_line line;

	cr_assert(config_log_line_begin(&line, LEVEL_ERROR, "attempt"));
	config_log_line_masked(&line, "reply", "abc\303\274", 4);
	config_log_line_masked(&line, "whole", "abc\303\274", 5);
	config_log_line_end(&line);
	g_autofree char *got = log_line_logged();
	cr_expect(strstr(got, " reply=abc whole=abc\303\274\n"), "%s", got);
	config_settings_free(settings);
}

Test(log_line, makes_its_file_and_opens_it_anew)
{
	struct config_settings *settings = open_log("");
	g_autofree char *old = g_strconcat(path, ".1", NULL);
	struct stat st;

	umask(077);
	config_log("one");
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0640);
	cr_assert_eq(g_rename(path, old), 0);
	config_log("two");
	cr_expect_neq(stat(path, &st), 0);
	raise(SIGHUP);
	config_log_line_reopen();
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0640);
	config_log("three");
	g_autofree char *got = log_line_logged();
	cr_expect(g_str_has_suffix(got, " level=error program=posthouse-test pid=") == FALSE &&
		      strstr(got, " event=message text=three\n") && !strstr(got, "two"),
	    "%s", got);
	config_settings_free(settings);
}

/* A datagram socket at the path; the caller owns the path. */
static int
log_line_listen_at(char **path_r)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	g_autofree char *own = g_dir_make_tmp("syslog-XXXXXX", NULL);
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	*path_r = g_build_filename(own, "s", NULL);
	g_strlcpy(address.sun_path, *path_r, sizeof(address.sun_path));
	cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

Test(log_line, speaks_to_syslog)
{
	char got[2000] = "";
	g_autofree char *socket_path = NULL;
	int fd = log_line_listen_at(&socket_path);
	g_autofree char *lines = g_strdup_printf("to = syslog\nsocket = %s\n", socket_path);
	struct config_settings *settings = open_log(lines);

	config_log("a b");
	cr_assert(recv(fd, got, sizeof(got) - 1, 0) > 0);
	g_autofree char *want = g_strdup_printf("<19>1 *Z * posthouse-test %d "
						"message - time=*Z level=error "
						"program=posthouse-test pid=%d event=message "
						"text=\"a b\"",
	    getpid(), getpid());
	cr_expect(g_pattern_match_simple(want, got), "got %s, want %s", got, want);
	/* A syslog that is started again is found. */
	close(fd);
	g_unlink(socket_path);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	g_strlcpy(address.sun_path, socket_path, sizeof(address.sun_path));
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	config_log("again");
	cr_assert(recv(fd, got, sizeof(got) - 1, MSG_DONTWAIT) > 0);
	close(fd);
	config_settings_free(settings);
}
