/* SPDX-License-Identifier: MIT */
/* Tests posthouse-spool as cron runs it. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/settings.h"
#include "relay/relay.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "tests/spool/depot.h"
#include "tests/support/db.h"
#include "tests/support/manual.h"

#define END_MS 240000
#define HELD_MS 600000 /* longer than anybody waits */
#define HOUR_MS ((gint64)3600 * 1000)

TestSuite(spool, .timeout = 900);

static const struct smtp_script good = {.extensions = NULL};

Test(spool, drains_what_is_due)
{
	/* Also without any argument. */
	static const char *const arguments[][4] = {
	    {"--once"}, {NULL}, {"--once", "--jobs", "1"}, {"--jobs=3"}};
	AUTO(depot) depot = depot_open(NULL, &good, 3);

	for (gsize i = 0; i < G_N_ELEMENTS(arguments); i++) {
		depot_submit(depot, 10, 0);
		cr_expect_eq(depot_run(depot, arguments[i]), 0);
		cr_expect_eq(
		    depot_left(depot), 0, "run %zu: %d are left", i, (int)depot_left(depot));
	}
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_count(depot->relay), 10 * G_N_ELEMENTS(arguments));
}

/* Sends 100 emails of one workspace and one of another, which came last. Returns behind how many it
   left. */
static guint
program_place_of_other(
    struct depot *depot, const struct base_id *ours, const struct base_id *theirs)
{
	guint before = smtp_server_count(depot->relay), place = before;

	depot->house->workspace = *ours;
	depot_submit(depot, 100, 0);
	depot->house->workspace = *theirs;
	depot_submit(depot, 1, 0);
	test_db_plain(depot->house->db,
	    "UPDATE recipient SET address = 'other@example.net' WHERE email_id IN (SELECT id FROM"
	    " email WHERE workspace_id IN (SELECT id FROM workspace WHERE name = 'theirs'))");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once", "--jobs", "1")), 0);
	cr_assert_eq(smtp_server_count(depot->relay), before + 101);
	while (!strstr(smtp_server_mail(depot->relay, place)->recipients->pdata[0], "other@"))
		place++;
	return place - before;
}

/* One workspace has many older emails: the first batch of ten is oldest first, and the next one
   includes the other workspace's email. On a busy machine the search for turns may take so long
   that they rest for a second, but not each time. */
Test(spool, takes_turns_among_workspaces)
{
	AUTO(depot) depot = depot_open(NULL, &good, 10);
	struct base_id ours = depot->house->workspace, theirs;
	g_autoptr(GError) error = NULL;
	guint place = 0;

	cr_assert(store_workspace_create(depot->house->db, "theirs", NULL, &theirs, &error));
	depot->house->workspace = theirs;
	test_house_domain(depot->house, "example.org");
	for (guint tries = 0; tries < 10 && (place < 10 || place >= 20); tries++)
		place = program_place_of_other(depot, &ours, &theirs);
	depot->house->workspace = ours;
	cr_expect(place >= 10 && place < 20, "it came behind %u others", place);
}

Test(spool, ends_at_once_when_nothing_is_due)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	depot_submit(depot, 1, base_clock_now() + HOUR_MS);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(depot_left(depot), 1);
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_connections(depot->relay), 0);
}

Test(spool, takes_its_time_from_the_command_line)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	gint64 at = base_clock_now() + 24 * HOUR_MS;
	g_autofree char *early = g_strdup_printf("--now=%" G_GINT64_FORMAT, at - HOUR_MS);
	g_autofree char *late = g_strdup_printf("--now=%" G_GINT64_FORMAT, at + HOUR_MS);

	depot_submit(depot, 1, at);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once", early)), 0);
	cr_expect_eq(depot_left(depot), 1, "it left too early");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once", late)), 0);
	cr_expect_eq(depot_left(depot), 0, "it did not leave");
	gint64 sent = test_db_number(depot->house->db, "SELECT sent_at FROM recipient");
	cr_expect(sent >= at + HOUR_MS && sent < at + 2 * HOUR_MS,
	    "what it writes has another time: %d s after", (int)((sent - at) / 1000));
}

/* Opens an installation whose domain is not verified, and whose DNS refuses all queries. */
static struct test_house *
open_unverified(void)
{
	static const char more[] = "[smtp]\ntls = none\n[dns]\nservers = 127.0.0.1:9\n";
	struct test_house *house = test_house_open(NULL, more);

	for (guint i = 0; i < 30; i++) {
		g_autofree char *name = g_strdup_printf("d%u.example.org", i);
		test_house_domain(house, name);
	}
	test_db_plain(house->db, "UPDATE domain SET trusted = 0, status = 1");
	test_db_plain(house->db, "UPDATE domain_check SET next_check = series + 60000");
	return house;
}

static void
program_run_at(struct test_house *house, gint64 after_ms)
{
	g_autofree char *now =
	    g_strdup_printf("--now=%" G_GINT64_FORMAT, base_clock_now() + after_ms);
	g_autofree char *config = g_strconcat("--config=", house->config, NULL);
	const char *const argv[] = {"posthouse-spool", "--once", config, now, NULL};
	AUTO(test_program) program = test_program_start(argv, NULL, -1, -1);

	cr_assert_eq(test_program_wait(program, END_MS), 0);
}

Test(spool, checks_domains_that_are_due)
{
	static const char checked[] =
	    "SELECT COUNT(*) FROM domain_check WHERE last_checked > 0 AND error = 1";
	AUTO(test_house) house = open_unverified();

	program_run_at(house, 0);
	cr_expect_eq(test_db_number(house->db, checked), 0);
	program_run_at(house, HOUR_MS);
	cr_expect_eq(test_db_number(house->db, checked), 30);
}

Test(spool, goes_on_for_as_long_as_it_is_told)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "3600"));

	for (guint i = 0; i < 2; i++) {
		depot_submit(depot, 1, 0);
		depot_wait_left(depot, 0);
	}
	cr_expect_eq(test_program_wait(program, 0), -1);
	gint64 started = g_get_monotonic_time();
	cr_expect_eq(depot_run(depot, ARGUMENTS("--for", "2")), 0);
	cr_expect_geq(g_get_monotonic_time() - started, 2 * G_USEC_PER_SEC);
}

/* The message in hand is completed; the others are due for the next process at once. */
Test(spool, begins_nothing_after_its_time)
{
	static const struct smtp_script slow = {.rules = {{".", 0, NULL, THEN_GO_ON, 300}}};
	AUTO(depot) depot = depot_open(NULL, &slow, 100);

	depot_submit(depot, 30, 0);
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "1", "--jobs", "1"));
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	cr_expect_gt(depot_left(depot), 15, "%d are left", (int)depot_left(depot));
	cr_expect_eq(depot_claimed(depot), 0);
	cr_expect_eq(test_db_number(depot->house->db,
			 "SELECT COUNT(*) FROM outbox WHERE attempts > 0 OR ready_at > "
			 "UNIX_TIMESTAMP(NOW(3)) * 1000"),
	    0);
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_count(depot->relay), 30 - depot_left(depot));
}

Test(spool, leaves_at_once_when_idle)
{
	static const int signals[] = {SIGTERM, SIGINT};
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	for (gsize i = 0; i < G_N_ELEMENTS(signals); i++) {
		AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "0"));

		depot_submit(depot, 1, 0);
		depot_wait_left(depot, 0);
		test_program_signal(program, signals[i]);
		cr_expect_eq(test_program_wait(program, END_MS), 0, "signal %d", signals[i]);
	}
}

/* A hangup, which opens a log anew, ends nobody who has none, neither the first process nor one
   with a message in hand. */
Test(spool, stays_at_a_hangup)
{
	static const struct smtp_script held = {.rules = {{".", 1, NULL, THEN_GO_ON, HELD_MS}}};
	AUTO(depot) depot = depot_open(NULL, &held, 100);

	depot_submit(depot, 2, 0);
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "1"));
	cr_assert(smtp_server_wait(depot->relay, "."));
	g_autoptr(GArray) children = test_program_children(program);
	cr_assert_eq(children->len, 1);
	test_program_signal(program, SIGHUP);
	cr_assert_eq(kill(g_array_index(children, pid_t, 0), SIGHUP), 0);
	smtp_server_release(depot->relay);
	depot_wait_left(depot, 0);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_count(depot->relay), 2);
}

/* The relay accepts the connection and says nothing, or nothing more than its greeting. */
Test(spool, blames_no_relay_when_it_leaves_while_it_connects)
{
	static const struct {
		const char *name, *when; /* a line of the relay's log; NULL: there is none */
		struct smtp_script script;
	} cases[] = {
	    {"greeting", NULL, {.rules = {THEN(HANG, "CONNECT", 0, NULL)}}},
	    {"EHLO", "EHLO", {.rules = {THEN(HANG, "EHLO*", 0, NULL)}}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(depot) depot = depot_open(NULL, &cases[i].script, 100);
		const char *name = cases[i].name;

		depot_submit(depot, 1, 0);
		AUTO(test_program)
		program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "1"));
		depot_wait_claimed(depot, 1);
		cr_assert(
		    !cases[i].when || smtp_server_wait(depot->relay, cases[i].when), "%s", name);
		test_program_signal(program, SIGTERM);
		cr_expect_eq(test_program_wait(program, END_MS), 0, "%s", name);
		cr_expect_eq(test_db_number(depot->house->db,
				 "SELECT COUNT(*) FROM outbox WHERE owner IS NULL AND attempts = 0"
				 " AND delayed_at IS NULL AND told IS NULL AND ready_at <="
				 " UNIX_TIMESTAMP(NOW(3)) * 1000"),
		    1, "%s: it is not due", name);
		cr_expect_eq(test_db_number(depot->house->db, "SELECT COUNT(*) FROM event"), 0,
		    "%s: an event tells of it", name);
		cr_expect(relay_is_any_free(depot->house->service->settings, false, NULL),
		    "%s: the relay rests", name);
	}
}

Test(spool, leaves_after_the_message_in_hand)
{
	/* The first one is held until the signal is sent, the others are slow. */
	static const struct smtp_script slow = {
	    .rules = {{".", 1, NULL, THEN_GO_ON, HELD_MS}, {".", 0, NULL, THEN_GO_ON, 500}}};
	AUTO(depot) depot = depot_open(NULL, &slow, 100);

	depot_submit(depot, 20, 0);
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "1"));
	cr_assert(smtp_server_wait(depot->relay, "."));
	test_program_signal(program, SIGTERM);
	smtp_server_release(depot->relay);
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	/* One leaves, and few others before its process knows of the signal. */
	gint64 left = depot_left(depot);
	cr_expect(left > 0 && left < 20, "%d are left", (int)left);
	cr_expect_eq(depot_claimed(depot), 0);
	/* No email is lost or sent twice. */
	cr_expect_eq(test_db_number(depot->house->db, "SELECT COUNT(*) FROM event"), 20 - left);
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_count(depot->relay), 20 - left);
}

/* A relay that accepts connections and says nothing. */
Test(spool, leaves_a_relay_that_is_silent)
{
	static const struct smtp_script silent = {.rules = {THEN(HANG, "CONNECT", 0, NULL)}};
	AUTO(depot) depot = depot_open(NULL, &silent, 100);

	depot_submit(depot, 1, 0);
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "1"));
	depot_wait_claimed(depot, 1);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	cr_expect_eq(depot_left(depot), 1);
	cr_expect_eq(depot_claimed(depot), 0);
}

Test(spool, may_overlap)
{
	AUTO(depot) depot = depot_open(NULL, &good, 5);
	struct test_program *programs[4];

	depot_submit(depot, 100, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(programs); i++)
		programs[i] = depot_start(depot, ARGUMENTS("--once", "--jobs", "2"));
	for (gsize i = 0; i < G_N_ELEMENTS(programs); i++) {
		cr_expect_eq(test_program_wait(programs[i], END_MS), 0);
		test_program_free(programs[i]);
	}
	/* All processes have ended, so none is claimed. */
	cr_expect_eq(depot_left(depot), 0);
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_count(depot->relay), 100);
	cr_expect_eq(test_db_number(depot->house->db, "SELECT COUNT(*) FROM event"), 100);
}

/* The number of lines of the relay's log that begin with text. */
static guint
program_count_lines(const struct depot *depot, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(smtp_server_log(depot->relay), "\n", -1);
	guint count = 0;

	for (guint i = 0; lines[i]; i++)
		count += g_str_has_prefix(lines[i], text);
	return count;
}

Test(spool, paces_a_destination_that_defers_and_no_other)
{
	static const struct smtp_script defers = {
	    .rules = {REPLY("RCPT TO:<*@slow.example>*", 0, "451 4.7.1 slow down")}};
	AUTO(depot) depot = depot_open(NULL, &defers, 50);
	const guint jobs = 2;

	for (guint i = 0; i < 4; i++) {
		depot_submit_to(depot, "a@slow.example", 100);
		depot_submit(depot, 25, 0);
	}
	gint64 begin = base_clock_boot();
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "2"));
	depot_wait_left(depot, 400);
	depot_wait_decided(depot, 400);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	gint64 seconds = (base_clock_boot() - begin) / 1000 + 1;
	smtp_server_stop(depot->relay);
	cr_expect_eq(program_count_lines(depot, "RCPT TO:<b@"), 100, "the others have left");
	/* Two for each worker, and at the fastest pace one a second. */
	guint attempts = program_count_lines(depot, "RCPT TO:<a@");
	cr_expect(attempts >= 2 && attempts <= 2 * jobs + seconds, "%u attempts in %d s", attempts,
	    (int)seconds);
	cr_expect_eq(
	    test_db_number(depot->house->db, "SELECT SUM(attempts) FROM outbox"), attempts);
	/* Those whose turn had come when the program was told to end came back untried. */
	gint64 back = test_db_number(
	    depot->house->db, "SELECT COUNT(*) FROM outbox WHERE reason IS NULL AND attempts = 0");
	cr_expect_leq(back, seconds);
	cr_expect_eq(
	    test_db_number(depot->house->db,
		"SELECT COUNT(*) FROM outbox WHERE reason LIKE 'paced: slow.example defers (451 "
		"4.7.1 slow down), % attempts a minute'") +
		back,
	    400 - attempts);
}

static void
wait_for_children(const struct test_program *program, guint count)
{
	gint64 end = g_get_monotonic_time() + END_MS * 1000;

	for (;;) {
		g_autoptr(GArray) children = test_program_children(program);

		if (children->len == count)
			return;
		cr_assert(
		    g_get_monotonic_time() < end, "%u children, want %u", children->len, count);
		g_usleep(1000);
	}
}

Test(spool, works_with_as_many_processes_as_it_is_told)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "3"));
	AUTO(test_program) usual = depot_start(depot, ARGUMENTS("--for", "0"));

	wait_for_children(program, 3);
	wait_for_children(usual, 2);
	g_autoptr(GArray) children = test_program_children(program);
	kill(g_array_index(children, pid_t, 0), SIGKILL);
	cr_expect(test_program_wait_log(program, " was ended by a signal: Killed"));
	wait_for_children(program, 3);
	depot_submit(depot, 3, 0);
	depot_wait_left(depot, 0);
}

Test(spool, fails_for_now_without_a_database)
{
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	AUTO(depot) depot = depot_open(server, &good, 100);

	depot_submit(depot, 1, 0);
	test_mariadb_kill(server);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), EX_TEMPFAIL);
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--for", "0"));
	cr_expect(test_program_wait_log(program, "The database cannot be reached now"));
	test_mariadb_restart(server);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(depot_left(depot), 0);
}

/* With the log elsewhere, cron still gets the reason. */
Test(spool, tells_standard_error_why_it_ends)
{
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	AUTO(depot) depot = depot_open(server, &good, 100);
	g_autofree char *text = NULL;

	cr_assert(g_file_get_contents(depot->house->config, &text, NULL, NULL));
	g_autofree char *more = g_strconcat(text, "\n[log]\nto = /dev/null\n", NULL);
	cr_assert(g_file_set_contents(depot->house->config, more, -1, NULL));
	AUTO(test_program) good_run = depot_start(depot, ARGUMENTS("--once"));
	cr_expect_eq(test_program_wait(good_run, END_MS), 0);
	g_autofree char *nothing = test_program_log(good_run);
	cr_expect_str_empty(nothing, "%s", nothing);
	test_mariadb_kill(server);
	AUTO(test_program) bad_run = depot_start(depot, ARGUMENTS("--once", "--jobs", "1"));
	cr_expect_eq(test_program_wait(bad_run, END_MS), EX_TEMPFAIL);
	g_autofree char *why = test_program_log(bad_run);
	cr_expect(g_str_has_prefix(why, "posthouse-spool: The database cannot be reached now"),
	    "%s", why);
	cr_expect_str_eq(strchr(why, '\n'), "\n", "%s", why);
}

static void
program_expect_refusal(struct depot *depot, const char *name, const char *const *arguments,
    int want, const char *want_log)
{
	AUTO(test_program) program = depot_start(depot, arguments);
	int got = test_program_wait(program, END_MS);
	g_autofree char *log = test_program_log(program);
	const char *end = strchr(log, '\n');

	cr_expect_eq(got, want, "%s: exit status %d, want %d", name, got, want);
	cr_expect(strstr(log, want_log), "%s: said %s", name, log);
	cr_expect(end && end[1] == '\0', "%s: did not say it in one line: %s", name, log);
}

Test(spool, refuses_what_it_does_not_understand)
{
	static const struct {
		const char *arguments[3];
		const char *want;
	} cases[] = {
	    {{"deliver"}, "accepts options only"},
	    {{"--often"}, "Unknown option --often"},
	    {{"--once", "--for=1"}, "exclude each other"},
	    {{"--for"}, "--for"},
	    {{"--for=-1"}, "--for takes"},
	    {{"--for=soon"}, "soon"},
	    {{"--for=99999999999"}, "99999999999"},
	    {{"--jobs=0"}, "--jobs takes"},
	    {{"--jobs=-1"}, "--jobs takes"},
	    {{"--jobs=65"}, "--jobs takes"},
	    {{"--now=-1"}, "--now takes"},
	    {{"--now=today"}, "today"},
	};
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		program_expect_refusal(
		    depot, cases[i].arguments[0], cases[i].arguments, EX_USAGE, cases[i].want);
}

Test(spool, refuses_to_begin_without_what_it_needs)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	const char *dir = config_settings_text(depot->house->settings, SETTING_SPOOL_DIR);

	program_expect_refusal(depot, "no settings", ARGUMENTS("--config", "/nowhere/x.conf"),
	    EX_CONFIG, "/nowhere/x.conf");
	g_chmod(dir, 0777);
	program_expect_refusal(depot, "a folder of all", ARGUMENTS("--once"), EX_CONFIG, dir);
	cr_assert_eq(g_rmdir(dir), 0);
	program_expect_refusal(depot, "no folder", ARGUMENTS("--once"), EX_CONFIG, dir);
	g_file_set_contents(dir, "", 0, NULL);
	program_expect_refusal(depot, "a file", ARGUMENTS("--once"), EX_CONFIG, dir);
}

Test(spool, tells_its_version_and_its_options)
{
	static const struct {
		const char *option, *want;
	} cases[] = {
	    {"--version", "posthouse-spool " PACKAGE_VERSION "\n"},
	    {"--help", "--for=SECONDS"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *argv[] = {"posthouse-spool", cases[i].option, NULL};
		AUTO(test_program) program = test_program_start(argv, NULL, -1, -1);
		int got = test_program_wait(program, END_MS);
		g_autofree char *output = test_program_output(program);

		cr_expect_eq(got, 0, "%s: exit status %d", cases[i].option, got);
		cr_expect(strstr(output, cases[i].want), "%s: said %s", cases[i].option, output);
	}
}
