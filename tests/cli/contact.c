/* posthouse contact, run as an operator runs it. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "store/contact.h"
#include "tests/cli/program.h"
#include "tests/support/db.h"
#include "tests/support/program.h"

static char *config, *dir, *file;
static struct settings *settings;
static struct db *db;

static void
begin(void)
{
	config = test_mariadb_file(NULL, NULL, NULL);
	dir = g_dir_make_tmp("posthouse-contact.XXXXXX", NULL);
	file = g_build_filename(dir, "contacts.csv", NULL);
	settings = base_settings_load(config, NULL);
	db = test_db_open(settings);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
	g_free(program_line(config, "audience create News"));
}

static void
end(void)
{
	g_autofree char *command = g_strdup_printf("rm -r '%s'", dir);

	db_close(db);
	base_settings_free(settings);
	cr_expect_eq(system(command), 0);
	g_free(file);
	g_free(dir);
	g_free(config);
}

TestSuite(contact, .init = begin, .fini = end, .timeout = 120);

static void
put_bytes(const char *content, gsize size)
{
	cr_assert(g_file_set_contents(file, content, (gssize)size, NULL));
}

static void
put(const char *content)
{
	put_bytes(content, strlen(content));
}

/* posthouse contact VERB News FILE with these options. */
static void
expect(const char *verb, const char *options, int status, const char *output, const char *errors)
{
	g_autofree char *line = g_strdup_printf("contact %s News '%s' %s", verb, file, options);

	program_expect(config, line, status, output, errors);
}

/* All contacts, "email first last is_subscribed", separated by ";", after the counters. */
static char *
state(void)
{
	return test_db_text(db,
	    "SELECT CONCAT((SELECT CONCAT(SUM(contacts), '/', SUM(unsubscribers)) FROM"
	    " audience_counter), ' ', COALESCE((SELECT GROUP_CONCAT(CONCAT_WS(' ', email,"
	    " COALESCE(first_name, '-'), COALESCE(last_name, '-'), is_subscribed) ORDER BY address"
	    " SEPARATOR '; ') FROM contact), ''))");
}

static void
expect_state(const char *name, const char *want)
{
	g_autofree char *got = state();

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

static void
empty(void)
{
	test_db_plain(db, "DELETE FROM contact");
	test_db_plain(db, "UPDATE audience_counter SET contacts = 0, unsubscribers = 0");
}

#define SAID(created, updated, unchanged, skipped, bad)                                            \
	created " new, " updated " changed, " unchanged " just like that already, " skipped        \
		" skipped, " bad " bad lines.\n"
#define LINES(bad) "posthouse: lines that were no good: " bad "; all others are in\n"

Test(contact, come_out_of_a_file)
{
	static const struct {
		const char *name, *content, *options, *want;
	} cases[] = {
	    {"emails alone", "email\na@x.org\nB@x.org\n", "", "2/0 a@x.org - - 1; B@x.org - - 1"},
	    {"all columns", "email,first_name,last_name,is_subscribed\r\na@x.org,Ann,Lee,false\r\n",
		"", "1/1 a@x.org Ann Lee 0"},
	    {"other names and order",
		"\xef\xbb\xbfSurname,ID,Subscribed,E-Mail Address,First "
		"Name\nLee,7,NO,a@x.org,Ann\n",
		"", "1/1 a@x.org Ann Lee 0"},
	    {"names given", "Mail,To,Given,Unused\nz@x.org,a@x.org,Ann,\n",
		"--email to --first-name=Given", "1/0 a@x.org Ann - 1"},
	    {"empty fields", "email,first_name,last_name,is_subscribed\na@x.org,,,\n", "",
		"1/0 a@x.org - - 1"},
	    {"no header, in order", "a@x.org,Ann,Lee,0\n", "--no-header", "1/1 a@x.org Ann Lee 0"},
	    {"no header, one column", "a@x.org\n", "--no-header", "1/0 a@x.org - - 1"},
	    {"no header, by numbers", "1,Ann,x,a@x.org\n", "--no-header --email 4 --first-name 2",
		"1/0 a@x.org Ann - 1"},
	    {"every word of truth",
		"email,subscribed\na@x.org,True\nb@x.org,FALSE\nc@x.org,1\nd@x.org,0\ne@x.org,yes\n"
		"f@x.org,no\ng@x.org,Y\nh@x.org,n\n",
		"",
		"8/4 a@x.org - - 1; b@x.org - - 0; c@x.org - - 1; d@x.org - - 0; e@x.org - - 1; "
		"f@x.org - - 0; g@x.org - - 1; h@x.org - - 0"},
	    {"a formula that was guarded", "email,first_name\n'+a@x.org,'=1+1\n", "",
		"1/0 +a@x.org =1+1 - 1"},
	    {"as it stands", "email,first_name\n'+a@x.org,'=1+1\n", "--raw",
		"1/0 '+a@x.org '=1+1 - 1"},
	    {"domains in any script", "email\na@bücher.example\nb@XN--bcher-kva.example\n", "",
		"2/0 a@bücher.example - - 1; b@XN--bcher-kva.example - - 1"},
	    {"lines in quotes", "email,first_name\n\"a@x.org\",\"An\r\nn\"\n", "",
		"1/0 a@x.org An\r\nn - 1"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		empty();
		put(cases[i].content);
		expect("import", cases[i].options, 0, "* new, 0 changed, *, 0 bad lines.\n", NULL);
		expect_state(cases[i].name, cases[i].want);
	}
}

/* Those that are there, in the audience or earlier in the file. */
Test(contact, may_be_there_already)
{
	static const struct {
		const char *name, *content, *options, *said, *want;
	} cases[] = {
	    {"updated", "email,first_name,is_subscribed\nOLD@x.org,New,true\nnew@x.org,N,false\n",
		"", SAID("1", "1", "0", "0", "0"), "2/1 new@x.org N - 0; OLD@x.org New Last 1"},
	    {"skipped", "email,first_name,is_subscribed\nOLD@x.org,New,true\nnew@x.org,N,false\n",
		"--duplicates skip", SAID("1", "0", "0", "1", "0"),
		"2/2 new@x.org N - 0; old@x.org Old Last 0"},
	    {"what is not said stays", "email\nold@x.org\n", "--duplicates update",
		SAID("0", "0", "1", "0", "0"), "1/1 old@x.org Old Last 0"},
	    {"an empty name is none, an empty truth says nothing",
		"email,first_name,is_subscribed\nold@x.org,,\n", "", SAID("0", "1", "0", "0", "0"),
		"1/1 old@x.org - Last 0"},
	    {"the last line counts",
		"email,first_name\na@x.org,1\nA@x.org,2\na@x.org,3\na@x.org,3\n", "",
		SAID("1", "2", "1", "0", "0"), "2/1 a@x.org 3 - 1; old@x.org Old Last 0"},
	    {"the first line counts", "email,first_name\na@x.org,1\nA@x.org,2\n",
		"--duplicates skip", SAID("1", "0", "0", "1", "0"),
		"2/1 a@x.org 1 - 1; old@x.org Old Last 0"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		empty();
		put("email,first_name,last_name,is_subscribed\nold@x.org,Old,Last,false\n");
		expect("import", "", 0, SAID("1", "0", "0", "0", "0"), NULL);
		put(cases[i].content);
		for (guint again = 0; again < 2; again++) {
			expect("import", cases[i].options, 0, again ? "*" : cases[i].said, NULL);
			expect_state(cases[i].name, cases[i].want);
		}
	}
}

#define INVALID "email must be a valid email address: "

/* Each line that is no good, by its number; the others are in. */
Test(contact, are_told_of_where_they_are_no_good)
{
	g_autofree char *most = g_strnfill(LIMIT_NAME_LENGTH, 'n');
	g_autofree char *address = g_strnfill(LIMIT_ADDRESS_BYTES, 'a');
	g_autofree char *content = g_strdup_printf("email,first_name,is_subscribed\n"
						   "a@x.org,%s,true\n"
						   "b@x.org,%sn,true\n"
						   "\n"
						   "ann,,\n"
						   ",,\n"
						   "c@x.org\n"
						   "c@x.org,,,\n"
						   "c@x.org,,maybe\n"
						   "\"c@x.org\",\"two\nlines\",\"?\"\n"
						   "c\"@x.org,,\n"
						   "%s@,,\n"
						   "d@x.org,,\n"
						   "J\xf6rg@x.org,,\n",
	    most, most, address);

	put(content);
	expect("import", "", 65, SAID("2", "0", "0", "0", "10"),
	    "posthouse: line 3: first_name must be 1 to 100 characters\n"
	    "posthouse: line 5: " INVALID "\"ann\" has no domain\n"
	    "posthouse: line 6: email is required\n"
	    "posthouse: line 7: it has 1 fields, and the first line 3\n"
	    "posthouse: line 8: it has 4 fields, and the first line 3\n"
	    "posthouse: line 9: is_subscribed must be true or false\n"
	    "posthouse: line 10: is_subscribed must be true or false\n"
	    "posthouse: line 12: a quote stands where none may: *\n"
	    "posthouse: line 13: email must be at most 254 bytes\n"
	    "posthouse: line 15: it is not UTF-8\n" LINES("10"));
	g_autofree char *want = g_strdup_printf("2/0 a@x.org %s - 1; d@x.org - - 1", most);
	expect_state("bad lines", want);
	expect("import", "--json", 65,
	    "{\"id\":\"*\",\"created\":0,\"updated\":0,\"unchanged\":2,\"skipped\":0,\"bad\":10}\n",
	    "{\"line\":3,\"error\":\"first_name must be 1 to 100 characters\"}\n*{\"line\":15,*}\n"
	    "{\"error\":\"*\",\"code\":\"invalid\"}\n");
}

/* What no line can be read of. */
Test(contact, need_a_file_that_can_be_read)
{
	static const struct {
		const char *content;
		gsize size;
		const char *options, *errors;
	} cases[] = {
	    {"", 0, "", "posthouse: * is empty\n"},
	    {"\n\n", 0, "", "posthouse: * is empty\n"},
	    {"name\nAnn\n", 0, "", "posthouse: no column of the first line is the email: *\n"},
	    {"e-mail,mail\n,\n", 0, "",
		"posthouse: two columns may be the email, \"e-mail\" and \"mail\": say which with "
		"--email\n"},
	    {"email\n", 0, "--first-name Vorname",
		"posthouse: --first-name: the first line has no column \"Vorname\"\n"},
	    {"email,name\n", 0, "--first-name name --last-name NAME",
		"posthouse: one column is both the first_name and the last_name\n"},
	    {"a@x.org\n", 0, "--no-header --email 2",
		"posthouse: --email must be the number of a column, 1 to 1\n"},
	    {"a@x.org\n", 0, "--no-header --email email",
		"posthouse: --email must be the number of a column, 1 to 1\n"},
	    {"\xff\xfe"
	     "e\0",
		4, "", "posthouse: * is UTF-16: save it as UTF-8\n"},
	    {"email,\"x\n", 0, "", "posthouse: line 1: its quote is never closed\n"},
	    {"e\0mail\na@x.org\n", 15, "", "posthouse: line 1: a NUL byte stands in it\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		put_bytes(
		    cases[i].content, cases[i].size ? cases[i].size : strlen(cases[i].content));
		expect("import", cases[i].options, 65, NULL, cases[i].errors);
		expect_state(cases[i].errors, "0/0 ");
	}
	g_unlink(file);
	expect("import", "", 66, NULL, "posthouse: * cannot be read: No such file or directory\n");
	program_expect(config, "contact import Nobody x.csv", 66, NULL, "*no audience \"Nobody\"*");
	put("email\na@x.org\n");
	expect("import", "--duplicates keep", 64, NULL, "*must be one of update, skip*");
}

/* Runs it with output and errors gone; *peak_r is its greatest size in memory, KiB. */
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
		/* A sanitizer would hold on to what is freed. */
		g_setenv("ASAN_OPTIONS", "quarantine_size_mb=1", TRUE);
		execl(
		    program, program, "--config", config, "contact", "import", "News", file, NULL);
		_exit(99);
	}
	cr_assert_eq(wait4(pid, &status, 0, &usage), pid);
	*peak_r = usage.ru_maxrss;
	return WEXITSTATUS(status);
}

static void
write_long_line(const char *before, char fill, const char *after)
{
	FILE *stream = fopen(file, "w");
	g_autofree char *some = g_malloc(LIMIT_MIB);

	cr_assert(stream);
	memset(some, fill, LIMIT_MIB);
	fputs(before, stream);
	for (guint i = 0; i < 100; i++)
		cr_assert_eq(fwrite(some, 1, LIMIT_MIB, stream), (gsize)LIMIT_MIB);
	fputs(after, stream);
	cr_assert_eq(fclose(stream), 0);
}

/* 100 MiB in one line, outside of quotes, in them, and of nothing but commas. */
Test(contact, with_a_line_without_end_take_no_memory)
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

	put("email\nx@x.org\n");
	cr_assert_eq(run_measured(&usual), 0);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		empty();
		write_long_line(cases[i].before, cases[i].fill, cases[i].after);
		int status = run_measured(&peak);
		cr_expect_eq(status, 65, "%s: got %d", cases[i].name, status);
		cr_expect_lt(peak, usual + 32 * 1024, "%s: %ld KiB, and usually %ld", cases[i].name,
		    peak, usual);
		expect_state(cases[i].name, "2/0 a@x.org - - 1; b@x.org - - 1");
	}
}

#define MANY 30000

static void
put_many(void)
{
	GString *content = g_string_new("email,first_name,is_subscribed\n");

	for (guint i = 0; i < MANY; i++)
		g_string_append_printf(content, "user%u@x.org,Name %u,%s\n", i * 7919 % MANY, i,
		    i % 3 ? "true" : "false");
	put_bytes(content->str, content->len);
	g_string_free(content, TRUE);
}

#define CHECKSUM                                                                                   \
	"SELECT CONCAT(COUNT(*), ' ', SUM(1 - is_subscribed), ' ', SUM(CRC32(CONCAT(address,"      \
	" first_name, is_subscribed))), ' ', (SELECT CONCAT(SUM(contacts), '/',"                   \
	" SUM(unsubscribers)) FROM audience_counter)) FROM contact"

/* Broken off at several places by SIGKILL, and then run to its end. */
Test(contact, are_all_there_after_a_second_run)
{
	static const char *const duplicates[] = {"update", "skip"};

	put_many();
	expect("import", "", 0, SAID("30000", "0", "0", "0", "0"), NULL);
	g_autofree char *want = test_db_text(db, CHECKSUM);
	for (gsize d = 0; d < G_N_ELEMENTS(duplicates); d++) {
		empty();
		for (guint killed = 1; killed <= 3; killed++) {
			const char *argv[] = {"posthouse", "--config", config, "contact", "import",
			    "News", file, "--duplicates", duplicates[d], NULL};
			g_autofree char *reached = g_strdup_printf(
			    "SELECT COUNT(*) >= %u FROM contact", killed * MANY / 8);
			AUTO(test_program) program = test_program_start(argv, NULL, -1, -1);

			while (!test_db_number(db, reached) && test_program_wait(program, 0) == -1)
				g_usleep(500);
			test_program_signal(program, SIGKILL);
			cr_expect_eq(test_program_wait(program, 10000), 256 + SIGKILL,
			    "%s: it came to its end before it was killed", duplicates[d]);
			g_autofree char *counted = test_db_text(db,
			    "SELECT CONCAT((SELECT SUM(contacts) FROM audience_counter) = COUNT(*),"
			    " (SELECT SUM(unsubscribers) FROM audience_counter) = SUM(1 -"
			    " is_subscribed)) FROM contact");
			cr_expect_str_eq(counted, "11", "the counters are wrong after a kill");
		}
		g_autofree char *options = g_strdup_printf("--duplicates %s", duplicates[d]);
		expect("import", options, 0, "*, 0 bad lines.\n", NULL);
		g_autofree char *got = test_db_text(db, CHECKSUM);
		cr_expect_str_eq(got, want, "%s: got %s, want %s", duplicates[d], got, want);
	}
}

/* What another import puts in at the same time is found there. */
Test(contact, of_two_imports_at_once_are_counted_once)
{
	put_many();
	const char *argv[] = {
	    "posthouse", "--config", config, "contact", "import", "News", file, NULL};
	AUTO(test_program) one = test_program_start(argv, NULL, -1, -1);
	AUTO(test_program) two = test_program_start(argv, NULL, -1, -1);
	cr_expect_eq(test_program_wait(one, 60000), 0);
	cr_expect_eq(test_program_wait(two, 60000), 0);
	g_autofree char *got = test_db_text(db, CHECKSUM);
	cr_expect(g_str_has_prefix(got, "30000 10000 "), "got %s", got);
	cr_expect(g_str_has_suffix(got, " 30000/10000"), "got %s", got);
}

/* Export, import into another audience, export: the same file. */
Test(contact, come_back_from_an_export_as_they_were)
{
	g_autofree char *second = g_build_filename(dir, "second.csv", NULL);
	g_autofree char *into = g_strdup_printf("contact import Other '%s'", file);
	g_autofree char *again = g_strdup_printf("contact export Other '%s'", second);
	g_autofree char *first_text = NULL, *second_text = NULL;

	put("email,first_name,last_name,is_subscribed\n"
	    "\"Ann@X.org\",\" A \"\"n\"\" n \",\"=cmd|'/C calc'!A0\",true\n"
	    "'+a@x.org,'t Hooft,''=1,false\n"
	    "b@bücher.example,\"two\r\nlines, and a comma\",Ärger,\n"
	    "\"\"\"quoted part\"\"@x.org\",\t,\" \",false\n");
	expect("import", "", 0, SAID("4", "0", "0", "0", "0"), NULL);
	expect("export", "", 0, "Contacts written to *: 4.\n", NULL);
	g_free(program_line(config, "audience create Other"));
	program_expect(config, into, 0, SAID("4", "0", "0", "0", "0"), NULL);
	program_expect(config, again, 0, "Contacts written to *: 4.\n", NULL);
	cr_assert(g_file_get_contents(file, &first_text, NULL, NULL));
	cr_assert(g_file_get_contents(second, &second_text, NULL, NULL));
	cr_expect_str_eq(second_text, first_text);
	cr_expect(strstr(first_text, "\"'=cmd|'/C calc'!A0\",\"true\"\r\n"), "%s", first_text);
	expect("import", "", 0, SAID("0", "0", "4", "0", "0"), NULL);
	expect("export", "--raw", 0, "*", NULL);
	expect("import", "--raw", 0, SAID("0", "0", "4", "0", "0"), NULL);
	expect("export", "--json", 0, "{\"id\":\"*\",\"contacts\":4}\n", NULL);
}

Test(contact, are_exported_as_a_whole_or_not_at_all)
{
	g_autofree char *nowhere = g_strdup_printf("contact export News '%s/none/x.csv'", dir);
	GStatBuf st;

	program_expect(config, "contact export News", 0,
	    "\"email\",\"first_name\",\"last_name\",\"is_subscribed\"\r\n", NULL);
	program_expect(config, "contact export Nobody", 66, NULL, "*no audience*");
	program_expect(config, nowhere, 70, NULL, "posthouse: * cannot be written: *\n");
	put("email\na@x.org\n");
	expect("import", "", 0, "*", NULL);
	put("something old");
	expect("export", "", 0, "Contacts written to *: 1.\n", NULL);
	cr_assert_eq(g_stat(file, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600u, "got %o", (unsigned)st.st_mode & 0777);
	program_expect(config, "contact export News", 0,
	    "\"email\",*\r\n\"a@x.org\",\"\",\"\",\"true\"\r\n", NULL);
	g_autoptr(GDir) folder = g_dir_open(dir, 0, NULL);
	cr_expect_str_eq(g_dir_read_name(folder), "contacts.csv");
	cr_expect_null(g_dir_read_name(folder), "a draft is left");
}

/* More than a page of what is read at once. */
Test(contact, are_all_exported)
{
	g_autofree char *text = NULL;
	guint lines = 0;

	put_many();
	expect("import", "", 0, "*", NULL);
	expect("export", "", 0, "Contacts written to *: 30000.\n", NULL);
	cr_assert(g_file_get_contents(file, &text, NULL, NULL));
	for (const char *p = text; (p = strstr(p, "\r\n")); p += 2)
		lines++;
	cr_expect_eq(lines, MANY + 1, "got %u", lines);
	expect("import", "", 0, SAID("0", "0", "30000", "0", "0"), NULL);
}

Test(contact, are_of_their_workspace)
{
	g_autofree char *id = test_db_text(db,
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),"
	    " SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21))) FROM audience");
	g_autofree char *import =
	    g_strdup_printf("contact import %s '%s' --workspace Two", id, file);
	g_autofree char *export = g_strdup_printf("contact export %s --workspace Two", id);

	g_free(program_line(config, "workspace create Two"));
	put("email\na@x.org\n");
	program_expect(config, import, 66, NULL, "posthouse: Audience not found\n");
	program_expect(config, export, 66, NULL, "posthouse: Audience not found\n");
	program_expect(config, "contact export News --workspace Two", 66, NULL, "*no audience*");
	expect_state("another workspace", "0/0 ");
}

Test(contact, are_erased)
{
	g_free(program_line(config, "workspace create Two"));
	put("email,first_name,is_subscribed\nAda@x.org,Ada,false\nb@x.org,B,true\n");
	expect("import", "--workspace One", 0, "2 new*", NULL);
	program_expect(config, "contact erase ADA@x.org --workspace Two --json", 0,
	    "{\"contacts\":0,*}\n", NULL);
	expect_state("another workspace", "2/1 Ada@x.org Ada - 0; b@x.org B - 1");
	program_expect(config, "contact erase ADA@x.org --workspace One --json", 0,
	    "{\"contacts\":1,\"emails\":0,\"shared_emails\":0,\"events\":0,"
	    "\"waiting_messages\":0,\"leaving_messages\":0,\"automation_contacts\":0,"
	    "\"automation_events\":0,\"executions\":0}\n",
	    NULL);
	expect_state("erased", "1/0 b@x.org B - 1");
	program_expect(config, "contact erase b@x.org --workspace One", 0,
	    "Removed: 1 contacts, 0 emails, *. A hash of the address stands on the suppression "
	    "list.\n",
	    NULL);
	program_expect(config, "suppression export --workspace One", 0,
	    "*\r\n\"\",\"manual\",\"all\",\"????????????????????????????????????????????????????"
	    "????????????\"\r\n\"\",*",
	    NULL);
	program_expect(
	    config, "contact erase b --workspace One", 64, NULL, "*EMAIL must be an email*");
}

static void
run_with_errors_to(int output)
{
	const char *argv[] = {
	    "posthouse", "--config", config, "contact", "import", "News", file, NULL};
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

Test(contact, show_how_far_they_are_on_a_terminal_alone)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char text[4096];

	cr_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	put_many();
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
	expect("import", "", 0, "*", NULL);
}
