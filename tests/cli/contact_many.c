/* SPDX-License-Identifier: MIT */
/* Tests imports of thousands of contacts and of endless lines. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits/unit.h"
#include "tests/cli/news.h"
#include "tests/support/program.h"

NEWS_SUITE(contact_many);

/* Runs the import without output. *peak_r: its greatest resident size, KiB. */
static int
run_measured(long *peak_r)
{
	const char *folder = g_getenv("builddir");
	g_autofree char *program = g_build_filename(folder ? folder : ".", "posthouse", NULL);
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		cr_assert(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr));
		/* A sanitizer otherwise keeps freed memory. */
		g_setenv("ASAN_OPTIONS", "quarantine_size_mb=1", TRUE);
		execl(program, program, "--config", news->config, "contact", "import", "News",
		    news->file, NULL);
		_exit(99);
	}
	cr_assert_eq(wait4(pid, &status, 0, &usage), pid);
	*peak_r = usage.ru_maxrss;
	return WEXITSTATUS(status);
}

static void
write_long_line(const char *before, char fill, const char *after)
{
	FILE *stream = fopen(news->file, "w");
	g_autofree char *some = g_malloc(LIMIT_MIB);

	cr_assert(stream);
	memset(some, fill, LIMIT_MIB);
	fputs(before, stream);
	for (guint i = 0; i < 100; i++)
		cr_assert_eq(fwrite(some, 1, LIMIT_MIB, stream), (gsize)LIMIT_MIB);
	fputs(after, stream);
	cr_assert_eq(fclose(stream), 0);
}

/* A line of 100 MiB: outside quotes, in quotes, and only commas. */
Test(contact_many, with_a_line_without_end_take_no_memory)
{
	static const struct {
		const char *name, *before;
		char fill;
		const char *after;
	} cases[] = {
	    {"plain", "email\na@x.org\n", 'x', "\nb@x.org\n"},
	    {"in quotes", "email\na@x.org\n\"", 'x', "\"\nb@x.org\n"},
	    {"commas", "email\na@x.org\n", ',', "\nb@x.org\n"},
	    {"lines in quotes", "email\na@x.org\n\"", '\n', "\"\nb@x.org\n"},
	    {"NULs", "email\na@x.org\n", '\0', "\nb@x.org\n"},
	};
	long usual, peak;

	news_put(news, "email\nx@x.org\n");
	cr_assert_eq(run_measured(&usual), 0);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		news_empty(news);
		write_long_line(cases[i].before, cases[i].fill, cases[i].after);
		int status = run_measured(&peak);
		cr_expect_eq(status, 65, "%s: got %d", cases[i].name, status);
		cr_expect_lt(peak, usual + 32 * 1024 + (long)(TEST_MEMORY_SPARE / 1024),
		    "%s: %ld KiB, and usually %ld", cases[i].name, peak, usual);
		news_expect_state(news, cases[i].name, "2/0 a@x.org - - 1; b@x.org - - 1");
	}
}

#define MANY 30000

static void
contact_many_put_many(void)
{
	GString *content = g_string_new("email,first_name,is_subscribed\n");

	for (guint i = 0; i < MANY; i++)
		g_string_append_printf(content, "user%u@x.org,Name %u,%s\n", i * 7919 % MANY, i,
		    i % 3 ? "true" : "false");
	news_put_bytes(news, content->str, content->len);
	g_string_free(content, TRUE);
}

#define CHECKSUM                                                                                   \
	"SELECT CONCAT(COUNT(*), ' ', SUM(1 - contact.is_subscribed), ' ', "                       \
	"SUM(CRC32(CONCAT(address,"                                                                \
	" person.first_name, contact.is_subscribed))), ' ', (SELECT CONCAT(SUM(contacts), '/',"    \
	" SUM(unsubscribers)) FROM audience_counter)) FROM contact JOIN person USING "             \
	"(workspace_id, address)"

/* The import is killed at several points, and then run to its end. */
Test(contact_many, are_all_there_after_a_second_run)
{
	static const char *const duplicates[] = {"update", "skip"};
	guint kills = 0;

	contact_many_put_many();
	news_expect(news, "import", "", 0, SAID("30000", "0", "0", "0", "0"), NULL);
	g_autofree char *want = test_db_text(news->db, CHECKSUM);
	for (gsize d = 0; d < G_N_ELEMENTS(duplicates); d++) {
		news_empty(news);
		for (guint killed = 1; killed <= 3; killed++) {
			const char *argv[] = {"posthouse", "--config", news->config, "contact",
			    "import", "News", news->file, "--duplicates", duplicates[d], NULL};
			g_autofree char *reached = g_strdup_printf(
			    "SELECT COUNT(*) >= %u FROM contact", killed * MANY / 8);
			AUTO(test_program) program = test_program_start(argv, NULL, -1, -1);

			while (!test_db_number(news->db, reached) &&
			       test_program_wait(program, 0) == -1)
				g_usleep(500);
			test_program_signal(program, SIGKILL);
			int status = test_program_wait(program, 60000);
			cr_expect(status == 0 || status == 256 + SIGKILL, "%s: status %d",
			    duplicates[d], status);
			kills += status != 0;
			g_autofree char *counted = test_db_text(news->db,
			    "SELECT CONCAT((SELECT SUM(contacts) FROM audience_counter) = COUNT(*),"
			    " (SELECT SUM(unsubscribers) FROM audience_counter) = SUM(1 -"
			    " is_subscribed)) FROM contact");
			cr_expect_str_eq(counted, "11", "the counters are wrong after a kill");
		}
		g_autofree char *options = g_strdup_printf("--duplicates %s", duplicates[d]);
		news_expect(news, "import", options, 0, "*, 0 bad lines.\n", NULL);
		g_autofree char *got = test_db_text(news->db, CHECKSUM);
		cr_expect_str_eq(got, want, "%s: got %s, want %s", duplicates[d], got, want);
	}
	cr_expect_gt(kills, 0, "each came to its end before it was killed");
}

/* An import counts contacts that another one adds at the same time as existing. */
Test(contact_many, of_two_imports_at_once_are_counted_once)
{
	contact_many_put_many();
	const char *argv[] = {
	    "posthouse", "--config", news->config, "contact", "import", "News", news->file, NULL};
	AUTO(test_program) one = test_program_start(argv, NULL, -1, -1);
	AUTO(test_program) two = test_program_start(argv, NULL, -1, -1);
	cr_expect_eq(test_program_wait(one, 600000), 0);
	cr_expect_eq(test_program_wait(two, 600000), 0);
	g_autofree char *got = test_db_text(news->db, CHECKSUM);
	cr_expect(g_str_has_prefix(got, "30000 10000 "), "got %s", got);
	cr_expect(g_str_has_suffix(got, " 30000/10000"), "got %s", got);
}

/* More contacts than one page of the export. */
Test(contact_many, are_all_exported)
{
	g_autofree char *text = NULL;
	guint lines = 0;

	contact_many_put_many();
	news_expect(news, "import", "", 0, "*", NULL);
	news_expect(news, "export", "", 0, "Contacts written to *: 30000.\n", NULL);
	cr_assert(g_file_get_contents(news->file, &text, NULL, NULL));
	for (const char *p = text; (p = strstr(p, "\r\n")); p += 2)
		lines++;
	cr_expect_eq(lines, MANY + 1, "got %u", lines);
	news_expect(news, "import", "", 0, SAID("0", "0", "30000", "0", "0"), NULL);
}

static void
run_with_errors_to(int output)
{
	const char *argv[] = {
	    "posthouse", "--config", news->config, "contact", "import", "News", news->file, NULL};
	const char *folder = g_getenv("builddir");
	g_autofree char *program = g_build_filename(folder ? folder : ".", "posthouse", NULL);
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		cr_assert(dup2(output, STDERR_FILENO) >= 0 && freopen("/dev/null", "w", stdout));
		execv(program, (char *const *)argv);
		_exit(99);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(WEXITSTATUS(status), 0);
}

Test(contact_many, show_how_far_they_are_on_a_terminal_alone)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char text[4096];

	cr_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	contact_many_put_many();
	run_with_errors_to(terminal);
	gsize size = 0;
	gssize got;
	cr_assert_eq(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	while ((got = read(master, text + size, sizeof(text) - 1 - size)) > 0)
		size += (gsize)got;
	text[size] = '\0';
	cr_expect(g_pattern_match_simple("\r[*] * %  *a second*\r\033[K", text), "got %s", text);
	close(terminal);
	close(master);
	news_expect(news, "import", "", 0, "*", NULL);
}
