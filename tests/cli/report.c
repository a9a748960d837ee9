/* SPDX-License-Identifier: MIT */
/* Tests posthouse report as mail servers and cron run it. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits/report.h"
#include "link/return_path.h"
#include "process/seccomp.h"
#include "submit/submit.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "tests/support/mariadb.h"
#include "tests/support/program.h"

#define STATUS                                                                                     \
	"Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; a@x.org\n"              \
	"Action: failed\nStatus: 5.1.1\n"
#define BOUNCED "0 bounced Permanent 5.1.1\n"

static struct fixture *fixture;
static struct base_id email;
static char *token, *config, *maildir;

static void
make_maildir(void)
{
	static const char *const folders[] = {"", "new", "cur", "tmp"};
	g_autoptr(GError) error = NULL;

	maildir = g_dir_make_tmp("report-XXXXXX", &error);
	cr_assert(maildir, "%s", error ? error->message : "");
	for (gsize i = 1; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *path = g_build_filename(maildir, folders[i], NULL);
		cr_assert_eq(g_mkdir(path, 0700), 0);
	}
}

static void
begin(void)
{
	fixture = fixture_open(NULL, NULL);
	email = posting_submit(fixture, "a@x.org");
	AUTO(store_email) stored = fixture_email(fixture, &email);
	token = link_return_path(fixture->service, stored, 0);
	config = g_strdup_printf("%s/core_%d.conf", test_mariadb_dir(NULL), (int)getpid());
	make_maildir();
}

static void
remove_maildir(void)
{
	static const char *const folders[] = {"new", "cur", "tmp"};

	for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *path = g_build_filename(maildir, folders[i], NULL);
		g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);

		for (const char *name; folder && (name = g_dir_read_name(folder));) {
			g_autofree char *file = g_build_filename(path, name, NULL);
			g_remove(file);
		}
		g_rmdir(path);
	}
	g_rmdir(maildir);
}

static void
report_end(void)
{
	remove_maildir();
	g_free(maildir);
	g_free(config);
	g_free(token);
	fixture_close(fixture);
}

TestSuite(report, .init = begin, .fini = report_end);

/* Returns an open file with this content, at its beginning. */
static int
report_input_of(const char *text, gsize size)
{
	char path[] = "/tmp/report-XXXXXX";
	int file = g_mkstemp(path);

	cr_assert(file >= 0);
	unlink(path);
	cr_assert_eq(write(file, text, size), (gssize)size);
	lseek(file, 0, SEEK_SET);
	return file;
}

struct run {
	int status;
	char *output, *log;
};

static void
run_clear(struct run *run)
{
	g_free(run->output);
	g_free(run->log);
}

/* environment: "NAME=value", or NULL. */
static struct run
run(const char *message, gsize size, const char *environment, const char *const *options)
{
	const char *argv[10] = {"posthouse", "--config", config, "report"};
	const char *const variables[] = {environment, NULL};
	int input = report_input_of(message, size);

	for (gsize i = 0; options && options[i]; i++)
		argv[4 + i] = options[i];
	AUTO(test_program) program =
	    test_program_start(argv, environment ? variables : NULL, input, -1);
	struct run got = {.status = test_program_wait(program, 240000),
	    .output = test_program_output(program),
	    .log = test_program_log(program)};
	close(input);
	return got;
}
#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void
report_expect_events(const char *name, const char *want)
{
	g_autofree char *got = fixture_events(fixture, &email);

	cr_expect_str_eq(got, want, "%s: got\n%swant\n%s", name, got, want);
}

/* The recipient comes in each way in which mail servers pass it. */
Test(report, is_taken_from_standard_input)
{
	g_autofree char *upper = g_ascii_strup(token, -1);
	g_autofree char *local = g_strndup(token, strcspn(token, "@"));
	g_autofree char *original = g_strconcat("ORIGINAL_RECIPIENT=", token, NULL);
	g_autofree char *recipient = g_strconcat("RECIPIENT=", upper, NULL);
	g_autofree char *part = g_strconcat("LOCAL_PART=", local, NULL);
	g_autofree char *delivered = g_strconcat("Delivered-To: ", token, "\n" STATUS, NULL);
	const struct {
		const char *name, *environment;
		const char *const *options;
		const char *message;
	} ways[] = {
	    {"--recipient", NULL, OPTIONS("--recipient", token), STATUS},
	    {"ORIGINAL_RECIPIENT", original, NULL, STATUS},
	    {"RECIPIENT", recipient, NULL, STATUS},
	    {"LOCAL_PART", part, NULL, STATUS},
	    {"Delivered-To", NULL, NULL, delivered},
	    {"an option that says nothing", original, OPTIONS("--recipient", ""), STATUS},
	    {"an option that says something else", original,
		OPTIONS("--recipient", "joe\x01\xff@x.org"), STATUS},
	};

	fixture->is_altered = true;
	for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
		struct run got = run(
		    ways[i].message, strlen(ways[i].message), ways[i].environment, ways[i].options);

		cr_expect_eq(got.status, 0, "%s: got %d: %s", ways[i].name, got.status, got.log);
		cr_expect(g_pattern_match_simple("Recorded for email *-*: 1 event, *", got.output),
		    "%s: %s", ways[i].name, got.output);
		cr_expect_str_eq(got.log, "", "%s: %s", ways[i].name, got.log);
		report_expect_events(ways[i].name, BOUNCED);
		test_db_plain(fixture->db, "DELETE FROM event");
		test_db_plain(fixture->db, "DELETE FROM report");
		run_clear(&got);
	}
}

Test(report, says_what_came_of_it)
{
	static const struct {
		const char *name, *message;
		bool ours;
		const char *want, *want_json;
	} cases[] = {
	    {"recorded", STATUS, true, "Recorded for email *: 1 event, 1 address suppressed.\n",
		"{\"file\":null,\"outcome\":\"recorded\",\"format\":\"RFC 3464\",\"email\":\"*\","
		"\"events\":1,\"suppressed\":1}\n"},
	    {"repeated", STATUS, true, "This report about email * is recorded already.\n",
		"{\"file\":null,\"outcome\":\"repeated\",*\"events\":0,\"suppressed\":0}\n"},
	    {"not ours", STATUS, false, "The report is about no email of this installation, or *\n",
		"{\"file\":null,\"outcome\":\"not ours\",\"format\":\"RFC 3464\",\"email\":null,"
		"\"events\":0,\"suppressed\":0}\n"},
	    {"no report", "Subject: \x1b[31mhello\n\nI am away\n", true,
		"The message is not a report of a known kind.\n",
		"{\"file\":null,\"outcome\":\"no report\",\"format\":null,\"email\":null,*}\n"},
	    {"nothing", "", true, "The message is not a report *\n",
		"{\"file\":null,\"outcome\":\"no report\",*}\n"},
	};

	for (int json = 0; json < 2; json++) {
		test_db_plain(fixture->db, "DELETE FROM report");
		for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
			const char *to = cases[i].ours ? token : "joe@x.org";
			struct run got = run(cases[i].message, strlen(cases[i].message), NULL,
			    json ? OPTIONS("--recipient", to, "--json")
				 : OPTIONS("--recipient", to));
			const char *want = json ? cases[i].want_json : cases[i].want;

			cr_expect_eq(got.status, 0, "%s: got %d", cases[i].name, got.status);
			cr_expect(g_pattern_match_simple(want, got.output), "%s: got %s want %s",
			    cases[i].name, got.output, want);
			run_clear(&got);
		}
	}
}

/* A writer can write a message that is too large to its end. */
Test(report, is_read_to_its_end)
{
	static const gsize size = 8 * LIMIT_REPORT_BYTES;
	g_autofree char *message = g_malloc(size);

	memset(message, 'x', size);
	memcpy(message, STATUS "\n", strlen(STATUS "\n"));
	int pipes[2];
	cr_assert_eq(pipe(pipes), 0);
	fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
	const char *argv[] = {
	    "posthouse", "--config", config, "report", "--recipient", token, NULL};
	AUTO(test_program) program = test_program_start(argv, NULL, pipes[0], -1);
	close(pipes[0]);
	signal(SIGPIPE, SIG_IGN);
	for (gsize done = 0; done < size;) {
		gssize written = write(pipes[1], message + done, size - done);

		cr_assert_gt(written, 0, "after %zu bytes", done);
		done += (gsize)written;
	}
	close(pipes[1]);
	cr_expect_eq(test_program_wait(program, 240000), 0);
	report_expect_events("long", BOUNCED);
}

static void
expect_failure(const char *name, const char *want_log)
{
	struct run got = run(STATUS, strlen(STATUS), NULL, OPTIONS("--recipient", token));

	cr_expect_eq(got.status, 75, "%s: got %d", name, got.status);
	cr_expect(g_pattern_match_simple(want_log, got.log), "%s: %s", name, got.log);
	run_clear(&got);
}

/* After any error the mail server has to keep the message. */
Test(report, is_to_be_tried_again_while_something_is_wrong)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;

	cr_assert(g_file_get_contents(config, &text, NULL, &error), "%s", error->message);
	g_autoptr(GString) away = g_string_new(text), wrong = g_string_new(text);
	g_string_replace(away, "socket = ", "socket = /nowhere", 1);
	g_string_append(wrong, "unknown = yes\n");
	cr_assert(g_file_set_contents(config, away->str, -1, NULL));
	g_chmod(config, 0600);
	expect_failure("no database", "posthouse: *\n");
	cr_assert(g_file_set_contents(config, wrong->str, -1, NULL));
	expect_failure("settings", "posthouse: *unknown*\n");
	cr_assert(g_file_set_contents(config, text, -1, NULL));
	g_chmod(config, 0600);
	test_db_plain(fixture->db, "DELETE FROM schema_version WHERE version = 40");
	expect_failure("schema", "posthouse: *posthouse schema migrate*\n");
	test_db_plain(fixture->db, "INSERT INTO schema_version VALUES (40, 'report', 0)");
	struct run got = run(STATUS, strlen(STATUS), NULL, OPTIONS("--recipient", token));
	cr_expect_eq(got.status, 0, "then: got %d: %s", got.status, got.log);
	run_clear(&got);
	report_expect_events("then", BOUNCED);
}

static void
report_put(const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(maildir, "new", name, NULL);

	cr_assert(g_file_set_contents(path, text, -1, NULL));
}

static int
cli_report_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the file names of a folder, sorted, each followed by a blank. */
static char *
cli_report_list(const char *folder)
{
	g_autofree char *path = g_build_filename(maildir, folder, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	GString *text = g_string_new(NULL);

	for (const char *name; (name = g_dir_read_name(dir));)
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, cli_report_compare);
	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(text, "%s ", (const char *)names->pdata[i]);
	return g_string_free(text, FALSE);
}

static void
expect_folders(const char *name, const char *want_new, const char *want_cur)
{
	g_autofree char *fresh = cli_report_list("new");
	g_autofree char *seen = cli_report_list("cur");

	cr_expect_str_eq(fresh, want_new, "%s: new: got %s want %s", name, fresh, want_new);
	cr_expect_str_eq(seen, want_cur, "%s: cur: got %s want %s", name, seen, want_cur);
}

Test(report, is_taken_from_a_maildir)
{
	g_autofree char *ours = g_strconcat("Delivered-To: ", token, "\n" STATUS, NULL);
	report_put("1.a.host", ours);
	report_put("2.b.host:2,", "Subject: hello\n\n");
	report_put("3.c.host", STATUS);
	report_put(".hidden", ours);
	struct run got = run("", 0, NULL, OPTIONS("--maildir", maildir));
	cr_expect_eq(got.status, 0, "%s", got.log);
	cr_expect(
	    g_pattern_match_simple("1.a.host: Recorded for *\n2.b.host:2,: The message is not "
				   "a report *\n3.c.host: The report is about no email *\n",
		got.output),
	    "%s", got.output);
	run_clear(&got);
	expect_folders("first", ".hidden ", "1.a.host:2,S 2.b.host:2, 3.c.host:2,S ");
	report_expect_events("first", BOUNCED);
	struct run again = run("", 0, NULL, OPTIONS("--maildir", maildir, "--json"));
	cr_expect_eq(again.status, 0);
	cr_expect_str_eq(again.output, "{\"reports\":[]}\n", "%s", again.output);
	run_clear(&again);
}

/* The program is killed after it recorded the report and before it moved the message. */
/* Its whole work, from the connection to the last message that is moved. */
Test(report, is_read_by_a_confined_process)
{
#ifdef WITH_ASAN
	cr_skip_test("the search for leaks starts a process");
#endif
	if (!process_seccomp_is_known())
		cr_skip_test("this kernel has no filters of system calls");
	g_autofree char *ours = g_strconcat("Delivered-To: ", token, "\n" STATUS, NULL);
	g_autofree char *text = NULL;
	cr_assert(g_file_get_contents(config, &text, NULL, NULL));
	g_autofree char *confining = g_strconcat(text, "[service]\nseccomp = yes\n", NULL);
	cr_assert(g_file_set_contents(config, confining, -1, NULL));
	g_chmod(config, 0600);
	report_put("1.a.host", "Subject: hello\n\n");
	report_put("2.b.host", ours);
	struct run got = run("", 0, NULL, OPTIONS("--maildir", maildir));
	cr_expect_eq(got.status, 0, "got %d: %s", got.status, got.log);
	expect_folders("confined", "", "1.a.host:2,S 2.b.host:2,S ");
	report_expect_events("confined", BOUNCED);
	run_clear(&got);
	got = run(STATUS, strlen(STATUS), NULL, OPTIONS("--recipient", token));
	cr_expect_eq(got.status, 0, "got %d: %s", got.status, got.log);
	cr_expect(
	    g_pattern_match_simple("* is recorded already.\n", got.output), "got %s", got.output);
	run_clear(&got);
}

Test(report, of_a_maildir_is_recorded_once)
{
	g_autofree char *ours = g_strconcat("Delivered-To: ", token, "\n" STATUS, NULL);

	for (int i = 0; i < 2; i++) {
		report_put("1.a.host", ours);
		struct run got = run("", 0, NULL, OPTIONS("--maildir", maildir));
		cr_expect_eq(got.status, 0, "%s", got.log);
		cr_expect(g_pattern_match_simple(
			      i ? "*is recorded already.\n" : "*: Recorded *", got.output),
		    "%s", got.output);
		run_clear(&got);
		expect_folders("taken", "", "1.a.host:2,S ");
		report_expect_events("taken", BOUNCED);
	}
}

Test(report, that_cannot_be_read_stays_in_the_maildir)
{
	g_autofree char *ours = g_strconcat("Delivered-To: ", token, "\n" STATUS, NULL);
	g_autofree char *folder = g_build_filename(maildir, "new", "1.folder", NULL);
	g_autofree char *link = g_build_filename(maildir, "new", "2.link", NULL);
	g_autofree char *fifo = g_build_filename(maildir, "new", "3.fifo", NULL);

	cr_assert_eq(g_mkdir(folder, 0700), 0);
	cr_assert_eq(symlink("/etc/passwd", link), 0);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	report_put("4.a.host", ours);
	struct run got = run("", 0, NULL, OPTIONS("--maildir", maildir));
	cr_expect_eq(got.status, 75);
	cr_expect(g_pattern_match_simple("posthouse: */1.folder is not a message\n", got.log), "%s",
	    got.log);
	run_clear(&got);
	expect_folders("some", "1.folder 2.link 3.fifo ", "4.a.host:2,S ");
	report_expect_events("some", BOUNCED);
}

Test(report, stays_in_the_maildir_while_the_database_is_away)
{
	g_autofree char *text = NULL;

	cr_assert(g_file_get_contents(config, &text, NULL, NULL));
	g_autoptr(GString) away = g_string_new(text);
	g_string_replace(away, "socket = ", "socket = /nowhere", 1);
	cr_assert(g_file_set_contents(config, away->str, -1, NULL));
	g_chmod(config, 0600);
	report_put("1.a.host", STATUS);
	report_put("2.b.host", STATUS);
	struct run got = run("", 0, NULL, OPTIONS("--maildir", maildir));
	cr_expect_eq(got.status, 75);
	run_clear(&got);
	expect_folders("away", "1.a.host 2.b.host ", "");
}

Test(report, wants_a_maildir_that_is_there)
{
	struct run got = run("", 0, NULL, OPTIONS("--maildir", "/nowhere"));

	cr_expect_eq(got.status, 75);
	cr_expect(g_pattern_match_simple("posthouse: /nowhere is not a maildir: *\n", got.log),
	    "%s", got.log);
	run_clear(&got);
}

#define MANY 40

/* Several programs run over the same messages at once. */
Test(report, may_be_run_several_times_at_once)
{
	struct test_program *programs[4];
	const char *argv[] = {
	    "posthouse", "--config", config, "report", "--maildir", maildir, NULL};

	for (guint i = 0; i < MANY; i++) {
		g_autofree char *name = g_strdup_printf("%02u.host", i);
		g_autofree char *text =
		    g_strdup_printf("Delivered-To: %s\n" STATUS "X: %u\n", token, i / 2);
		report_put(name, text);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(programs); i++)
		programs[i] = test_program_start(argv, NULL, -1, -1);
	for (gsize i = 0; i < G_N_ELEMENTS(programs); i++) {
		int status = test_program_wait(programs[i], 240000);
		g_autofree char *log = test_program_log(programs[i]);

		cr_expect_eq(status, 0, "got %d: %s", status, log);
		test_program_free(programs[i]);
	}
	g_autofree char *left = cli_report_list("new");
	cr_expect_str_eq(left, "", "%s", left);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), MANY / 2);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM report"), MANY / 2);
}

static void
kill_soon(const char *const *argv)
{
	struct test_program *program = test_program_start(argv, NULL, -1, -1);
	gint64 begin = g_get_monotonic_time();
	g_autofree char *before = cli_report_list("cur");

	/* Wait until one more message was moved, or the program has ended. */
	while (test_program_wait(program, 1) == -1 &&
	       g_get_monotonic_time() - begin < 30 * G_USEC_PER_SEC) {
		g_autofree char *now = cli_report_list("cur");

		if (strcmp(now, before) != 0)
			break;
	}
	test_program_signal(program, SIGKILL);
	test_program_wait(program, 240000);
	test_program_free(program);
}

/* Puts MANY reports into the maildir, no two of them alike. */
static void
report_put_many(void)
{
	for (guint i = 0; i < MANY; i++) {
		g_autofree char *name = g_strdup_printf("%02u.host", i);
		g_autofree char *text =
		    g_strdup_printf("Delivered-To: %s\n" STATUS "X: %u\n", token, i);
		report_put(name, text);
	}
}

Test(report, may_be_killed_at_any_time)
{
	const char *argv[] = {
	    "posthouse", "--config", config, "report", "--maildir", maildir, NULL};

	report_put_many();
	for (int i = 0; i < 8; i++)
		kill_soon(argv);
	struct run last = run("", 0, NULL, OPTIONS("--maildir", maildir));
	cr_expect_eq(last.status, 0, "%s", last.log);
	run_clear(&last);
	g_autofree char *left = cli_report_list("new");
	cr_expect_str_eq(left, "", "%s", left);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), MANY);
}

/* All messages share a transaction. The program is killed in its middle: none of them is recorded,
   and none is moved. */
Test(report, of_a_pass_that_is_killed_before_its_commit_stay_together)
{
	const char *argv[] = {
	    "posthouse", "--config", config, "report", "--maildir", maildir, NULL};

	report_put_many();
	test_db_plain(fixture->db, "START TRANSACTION");
	test_db_plain(fixture->db, "UPDATE recipient SET status_at = 1");
	AUTO(test_program) program = test_program_start(argv, NULL, -1, -1);
	test_db_wait_locked(fixture->db, 1);
	test_program_signal(program, SIGKILL);
	test_program_wait(program, 240000);
	test_db_plain(fixture->db, "ROLLBACK");
	g_autofree char *moved = cli_report_list("cur");
	cr_expect_str_eq(moved, "", "%s", moved);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 0);
	struct run last = run("", 0, NULL, OPTIONS("--maildir", maildir));
	cr_expect_eq(last.status, 0, "%s", last.log);
	run_clear(&last);
	g_autofree char *left = cli_report_list("new");
	cr_expect_str_eq(left, "", "%s", left);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), MANY);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM report"), MANY);
}

/* More messages than one transaction takes, with some between them that are no reports or cannot be
   read, have a line each, in their order. */
Test(report, of_several_transactions_are_told_in_order)
{
	g_autoptr(GString) want = g_string_new(NULL);

	for (guint i = 0; i < 120; i++) {
		g_autofree char *name = g_strdup_printf("%03u.host", i);
		g_autofree char *path = g_build_filename(maildir, "new", name, NULL);
		g_autofree char *text = g_strdup_printf("Delivered-To: %s\n%sX: %u\n", token,
		    i % 10 == 3 ? "Subject: away\n\n" : STATUS, i);

		if (i % 40 == 20)
			cr_assert_eq(g_mkdir(path, 0700), 0);
		else
			report_put(name, text);
		if (i % 40 != 20)
			g_string_append_printf(
			    want, "%s: %s*\n", name, i % 10 == 3 ? "The message" : "Recorded");
	}
	struct run got = run("", 0, NULL, OPTIONS("--maildir", maildir));
	cr_expect_eq(got.status, 75);
	cr_expect(g_pattern_match_simple(want->str, got.output), "%s", got.output);
	run_clear(&got);
	g_autofree char *left = cli_report_list("new");
	cr_expect_str_eq(left, "020.host 060.host 100.host ", "%s", left);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 105);
}
