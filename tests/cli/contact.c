/* SPDX-License-Identifier: MIT */
/* Tests posthouse contact import, export and erase on a real database. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/person.h"
#include "tests/cli/news.h"

NEWS_SUITE(contact);

/* Export, import into another audience, export again: both files are equal. */
Test(contact, come_back_from_an_export_as_they_were)
{
	g_autofree char *second = g_build_filename(news->dir, "second.csv", NULL);
	g_autofree char *into = g_strdup_printf("contact import Other '%s'", news->file);
	g_autofree char *again = g_strdup_printf("contact export Other '%s'", second);
	g_autofree char *first_text = NULL, *second_text = NULL;

	news_put(news, "email,first_name,last_name,is_subscribed\n"
		       "\"Ann@X.org\",\" A \"\"n\"\" n \",\"=cmd|'/C calc'!A0\",true\n"
		       "'+a@x.org,'t Hooft,''=1,false\n"
		       "b@bücher.example,\"two\r\nlines, and a comma\",Ärger,\n"
		       "\"c@x.org\",\t,\" \",false\n");
	news_expect(news, "import", "", 0, SAID("4", "0", "0", "0", "0"), NULL);
	news_expect(news, "export", "", 0, "Contacts written to *: 4.\n", NULL);
	g_free(program_line(news->config, "audience create Other"));
	program_expect(news->config, into, 0, SAID("4", "0", "0", "0", "0"), NULL);
	program_expect(news->config, again, 0, "Contacts written to *: 4.\n", NULL);
	cr_assert(g_file_get_contents(news->file, &first_text, NULL, NULL));
	cr_assert(g_file_get_contents(second, &second_text, NULL, NULL));
	cr_expect_str_eq(second_text, first_text);
	cr_expect(strstr(first_text, "\"'=cmd|'/C calc'!A0\",\"true\"\r\n"), "%s", first_text);
	news_expect(news, "import", "", 0, SAID("0", "0", "4", "0", "0"), NULL);
	news_expect(news, "export", "--raw", 0, "*", NULL);
	news_expect(news, "import", "--raw", 0, SAID("0", "0", "4", "0", "0"), NULL);
	news_expect(news, "export", "--json", 0, "{\"id\":\"*\",\"contacts\":4}\n", NULL);
}

Test(contact, are_exported_as_a_whole_or_not_at_all)
{
	g_autofree char *nowhere =
	    g_strdup_printf("contact export News '%s/none/x.csv'", news->dir);
	GStatBuf st;

	program_expect(news->config, "contact export News -", 0, "\"email\",*\n", NULL);
	program_expect(news->config, "contact export News", 0,
	    "\"email\",\"first_name\",\"last_name\",\"is_subscribed\"\r\n", NULL);
	program_expect(news->config, "contact export Nobody", 66, NULL, "*no audience*");
	program_expect(news->config, nowhere, 70, NULL, "posthouse: * cannot be written: *\n");
	news_put(news, "email\na@x.org\n");
	news_expect(news, "import", "", 0, "*", NULL);
	news_put(news, "something old");
	news_expect(news, "export", "", 0, "Contacts written to *: 1.\n", NULL);
	cr_assert_eq(g_stat(news->file, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600u, "got %o", (unsigned)st.st_mode & 0777);
	program_expect(news->config, "contact export News", 0,
	    "\"email\",*\r\n\"a@x.org\",\"\",\"\",\"true\"\r\n", NULL);
	g_autoptr(GDir) folder = g_dir_open(news->dir, 0, NULL);
	cr_expect_str_eq(g_dir_read_name(folder), "contacts.csv");
	cr_expect_null(g_dir_read_name(folder), "a draft is left");
}

Test(contact, are_of_their_workspace)
{
	g_autofree char *id = test_db_text(news->db,
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),"
	    " SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21))) FROM audience");
	g_autofree char *import =
	    g_strdup_printf("contact import %s '%s' --workspace Two", id, news->file);
	g_autofree char *export = g_strdup_printf("contact export %s --workspace Two", id);

	g_free(program_line(news->config, "workspace create Two"));
	news_put(news, "email\na@x.org\n");
	program_expect(news->config, import, 66, NULL, "posthouse: Audience not found\n");
	program_expect(news->config, export, 66, NULL, "posthouse: Audience not found\n");
	program_expect(
	    news->config, "contact export News --workspace Two", 66, NULL, "*no audience*");
	news_expect_state(news, "another workspace", "0/0 ");
}

Test(contact, are_erased)
{
	g_free(program_line(news->config, "workspace create Two"));
	news_put(news, "email,first_name,is_subscribed\nAda@x.org,Ada,false\nb@x.org,B,true\n");
	news_expect(news, "import", "--workspace One", 0, "2 new*", NULL);
	program_expect(news->config, "contact erase ADA@x.org --workspace Two --json", 0,
	    "{\"contacts\":0,*}\n", NULL);
	news_expect_state(news, "another workspace", "2/1 Ada@x.org Ada - 0; b@x.org B - 1");
	program_expect(news->config, "contact erase ADA@x.org --workspace One --json", 0,
	    "{\"contacts\":1,\"emails\":0,\"shared_emails\":0,\"events\":0,"
	    "\"waiting_messages\":0,\"leaving_messages\":0,\"automation_contacts\":0,"
	    "\"automation_events\":0,\"executions\":0}\n",
	    NULL);
	news_expect_state(news, "erased", "1/0 b@x.org B - 1");
	program_expect(news->config, "contact erase b@x.org --workspace One", 0,
	    "Removed: 1 contact, 0 emails, *. 0 messages were just being sent. The suppression "
	    "list keeps a hash of the address.\n",
	    NULL);
	program_expect(news->config, "suppression export --workspace One", 0,
	    "*\r\n\"\",\"manual\",\"all\",\"????????????????????????????????????????????????????"
	    "????????????\"\r\n\"\",*",
	    NULL);
	program_expect(
	    news->config, "contact erase b --workspace One", 64, NULL, "*EMAIL must be an email*");
}

#define LINES(bad) "posthouse: invalid lines: " bad "; all others are stored\n"

Test(contact, come_out_of_a_file)
{
	static const struct {
		const char *name, *content, *options, *want;
		const char *unused; /* columns; NULL: none */
	} cases[] = {
	    {"emails alone", "email\na@x.org\nB@x.org\n", "", "2/0 a@x.org - - 1; B@x.org - - 1",
		NULL},
	    {"all columns", "email,first_name,last_name,is_subscribed\r\na@x.org,Ann,Lee,false\r\n",
		"", "1/1 a@x.org Ann Lee 0", NULL},
	    {"other names and order",
		"\xef\xbb\xbfSurname,ID,Subscribed,E-Mail Address,First "
		"Name\nLee,7,NO,a@x.org,Ann\n",
		"", "1/1 a@x.org Ann Lee 0", "\"ID\""},
	    {"names given", "Mail,To,Given,Unused\nz@x.org,a@x.org,Ann,\n",
		"--email to --first-name=Given", "1/0 a@x.org Ann - 1", "\"Mail\", \"Unused\""},
	    {"empty fields", "email,first_name,last_name,is_subscribed\na@x.org,,,\n", "",
		"1/0 a@x.org - - 1", NULL},
	    {"no header, in order", "a@x.org,Ann,Lee,0\n", "--no-header", "1/1 a@x.org Ann Lee 0",
		NULL},
	    {"no header, one column", "a@x.org\n", "--no-header", "1/0 a@x.org - - 1", NULL},
	    {"no header, by numbers", "1,Ann,x,a@x.org\n", "--no-header --email 4 --first-name 2",
		"1/0 a@x.org Ann - 1", "\"1\", \"3\""},
	    {"every word of truth",
		"email,subscribed\na@x.org,True\nb@x.org,FALSE\nc@x.org,1\nd@x.org,0\ne@x.org,yes\n"
		"f@x.org,no\ng@x.org,Y\nh@x.org,n\n",
		"",
		"8/4 a@x.org - - 1; b@x.org - - 0; c@x.org - - 1; d@x.org - - 0; e@x.org - - 1; "
		"f@x.org - - 0; g@x.org - - 1; h@x.org - - 0",
		NULL},
	    {"a formula that was guarded", "email,first_name\n'+a@x.org,'=1+1\n", "",
		"1/0 +a@x.org =1+1 - 1", NULL},
	    {"as it stands", "email,first_name\n'+a@x.org,'=1+1\n", "--raw",
		"1/0 '+a@x.org '=1+1 - 1", NULL},
	    {"domains in any script", "email\na@bücher.example\nb@XN--bcher-kva.example\n", "",
		"2/0 a@bücher.example - - 1; b@XN--bcher-kva.example - - 1", NULL},
	    {"lines in quotes", "email,first_name\n\"a@x.org\",\"An\r\nn\"\n", "",
		"1/0 a@x.org An\r\nn - 1", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *unused =
		    cases[i].unused
			? g_strdup_printf("posthouse: unused columns: %s\n", cases[i].unused)
			: NULL;
		news_empty(news);
		news_put(news, cases[i].content);
		news_expect(news, "import", cases[i].options, 0,
		    "* new, 0 changed, *, 0 bad lines.\n", unused);
		news_expect_state(news, cases[i].name, cases[i].want);
	}
}

/* Contacts that the audience has already, or an earlier line of the file. */
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
		news_empty(news);
		news_put(
		    news, "email,first_name,last_name,is_subscribed\nold@x.org,Old,Last,false\n");
		news_expect(news, "import", "", 0, SAID("1", "0", "0", "0", "0"), NULL);
		news_put(news, cases[i].content);
		for (guint again = 0; again < 2; again++) {
			news_expect(
			    news, "import", cases[i].options, 0, again ? "*" : cases[i].said, NULL);
			news_expect_state(news, cases[i].name, cases[i].want);
		}
	}
}

#define LEFT(count)                                                                                \
	" " count " stored as unsubscribed, since these people have unsubscribed themselves.\n"

/* An import does not subscribe people who have unsubscribed themselves. */
Test(contact, leaves_people_their_choice)
{
	static const char file[] =
	    "email,subscribed\nA@x.org,yes\nb@x.org,yes\nc@x.org,\nd@x.org,no\n";

	for (const char *person = "acd"; *person; person++) {
		g_autofree char *sql =
		    g_strdup_printf("INSERT INTO choice (workspace_id, person, created)"
				    " SELECT id, '%c@x.org', 1 FROM workspace",
			*person);
		test_db_plain(news->db, sql);
	}
	news_put(news, file);
	news_expect(news, "import", "", 0,
	    "4 new, 0 changed, 0 unchanged, 0 skipped, 0 bad lines." LEFT("2"),
	    "posthouse: 2 kept their own choice\n");
	news_expect_state(
	    news, "new", "4/3 A@x.org - - 0; b@x.org - - 1; c@x.org - - 0; d@x.org - - 0");
	news_expect(news, "import", "--json", 0, "{*\"unchanged\":4,*\"unsubscribed\":1,*}\n",
	    "{\"note\":\"1 kept their own choice\"}\n");
	news_expect(
	    news, "import", "--override='By contract'", 0, SAID("0", "1", "3", "0", "0"), NULL);
	news_expect_state(
	    news, "overridden", "4/2 A@x.org - - 1; b@x.org - - 1; c@x.org - - 0; d@x.org - - 0");
	g_autofree char *record = test_db_text(
	    news->db, "SELECT GROUP_CONCAT(DISTINCT CONCAT_WS(' ', person, reason)) FROM consent");
	cr_expect_str_eq(record, "a@x.org By contract");
	news_put(news, "email,subscribed\nc@x.org,yes\nd@x.org,maybe\n");
	news_expect(news, "import", "--json", 65, "{*\"unchanged\":1,*}\n",
	    "{\"line\":3,*}\n"
	    "{\"error\":\"invalid lines: 1; all others are stored\",\"code\":\"invalid\"}\n"
	    "{\"note\":\"1 kept their own choice\"}\n");
}

/* A contact that waits to be confirmed waits no more once an import says no. */
Test(contact, wait_no_more_when_they_are_not_wanted)
{
	news_put(news, "email,subscribed\na@x.org,no\nb@x.org,no\n");
	news_expect(news, "import", "", 0, SAID("2", "0", "0", "0", "0"), NULL);
	test_db_plain(news->db, "UPDATE contact SET pending = created");
	news_put(news, "email,subscribed\na@x.org,no\nb@x.org,\n");
	news_expect(news, "import", "", 0, SAID("0", "1", "1", "0", "0"), NULL);
	g_autofree char *waiting = test_db_text(
	    news->db, "SELECT GROUP_CONCAT(address) FROM contact WHERE pending IS NOT NULL");
	cr_expect_str_eq(waiting, "b@x.org");
	g_autofree char *record =
	    test_db_text(news->db, "SELECT GROUP_CONCAT(person, ' ', kind) FROM consent");
	cr_expect_str_eq(record, "a@x.org 7", "%s", record);
	news_expect_state(news, "withdrawn", "2/2 a@x.org - - 0; b@x.org - - 0");
}

#define INVALID "email must be a valid email address: "

/* Each refused line is reported with its number; the others are imported. */
Test(contact, are_told_of_where_they_are_no_good)
{
	g_autofree char *most = g_strnfill(LIMIT_NAME_LENGTH, 'n');
	g_autofree char *address = g_strnfill(LIMIT_ADDRESS_BYTES, 'a');
	g_autofree char *content = g_strdup_printf("email,first_name,is_subscribed\n"
						   "a@x.org,%s,true\n"
						   "b@x.org,%sn,true\n"
						   "\n"
						   "ann,,\n"
						   ",B,\n"
						   "c@x.org\n"
						   "c@x.org,,,\n"
						   "c@x.org,,maybe\n"
						   "\"c@x.org\",\"two\nlines\",\"?\"\n"
						   "c\"@x.org,,\n"
						   "%s@,,\n"
						   "d@x.org,,\n"
						   "J\xf6rg@x.org,,\n",
	    most, most, address);

	news_put(news, content);
	news_expect(news, "import", "", 65, SAID("2", "0", "0", "0", "10"),
	    "posthouse: line 3: first_name must be 1 to 100 characters\n"
	    "posthouse: line 5: " INVALID "\"ann\" has no domain\n"
	    "posthouse: line 6: email is required\n"
	    "posthouse: line 7: it has 1 field, and the first line 3\n"
	    "posthouse: line 8: it has 4 fields, and the first line 3\n"
	    "posthouse: line 9: is_subscribed must be true or false\n"
	    "posthouse: line 10: is_subscribed must be true or false\n"
	    "posthouse: line 12: it has a quote in a wrong place: *\n"
	    "posthouse: line 13: email must be at most 254 bytes\n"
	    "posthouse: line 15: it is not UTF-8: name the encoding of the file with "
	    "--encoding\n" LINES("10"));
	g_autofree char *want = g_strdup_printf("2/0 a@x.org %s - 1; d@x.org - - 1", most);
	news_expect_state(news, "bad lines", want);
	news_expect(news, "import", "--json", 65,
	    "{\"id\":\"*\",\"created\":0,\"updated\":0,\"unchanged\":2,\"skipped\":0,"
	    "\"unsubscribed\":0,\"bad\":10,\"unused_columns\":[]}\n",
	    "{\"line\":3,\"error\":\"first_name must be 1 to 100 characters\"}\n*{\"line\":15,*}\n"
	    "{\"error\":\"*\",\"code\":\"invalid\"}\n");
	news_put(news, "email\nann\n");
	news_expect(news, "import", "", 65, "0 new, *, 1 bad line.\n", "*" LINES("1"));
}

Test(contact, tells_of_columns_that_are_not_used)
{
	g_autoptr(GString) header = g_string_new("email");

	news_put(news, "First Name,Plan \033[2J,email,Subscribed at\nA,pro,a@x.org,2026\n");
	news_expect(news, "import", "", 0, "1 new, *",
	    "posthouse: unused columns: \"Plan \\u{1b}?2J\", \"Subscribed at\"\n");
	news_expect(news, "import", "--json", 0,
	    "{*,\"bad\":0,\"unused_columns\":[\"Plan \\u001b[2J\",\"Subscribed at\"]}\n", NULL);
	/* Unused columns are reported before the first refused line. */
	news_put(news, "email,x\nann,1\n");
	news_expect(news, "import", "", 65, "*",
	    "posthouse: unused columns: \"x\"\nposthouse: line 2: *" LINES("1"));
	for (guint i = 1; i <= 21; i++)
		g_string_append_printf(header, ",c%u", i);
	g_string_append(header, "\nann@x.org,,,,,,,,,,,,,,,,,,,,,\n");
	news_put(news, header->str);
	news_expect(news, "import", "", 0, "1 new*",
	    "posthouse: unused columns: \"c1\", *, \"c20\" and 1 more\n");
}

/* Files of which no line can be read. */
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
	    {"E-Mail;Name\n", 0, "--separator comma",
		"posthouse: no column of the first line is the email: *\n"},
	    {"Address,Name\n", 0, "",
		"posthouse: no column of the first line is the email: name it with --email, or "
		"give "
		"--no-header if the first line is no header\n"},
	    {"name;x,y\n", 0, "", "posthouse: no column of the first line is the email: *\n"},
	    {"e-mail,mail\n,\n", 0, "",
		"posthouse: two columns may be the email, \"e-mail\" and \"mail\": name one with "
		"--email\n"},
	    {"email\n", 0, "--first-name Vorname",
		"posthouse: --first-name: the first line has no column \"Vorname\"\n"},
	    {"email,name\n", 0, "--first-name name --last-name NAME",
		"posthouse: one column is both the first_name and the last_name\n"},
	    {"a@x.org\n", 0, "--no-header --email 2",
		"posthouse: --email must be the number of a column, 1 to 1\n"},
	    {"a@x.org\n", 0, "--no-header --email email",
		"posthouse: --email must be the number of a column, 1 to 1\n"},
	    {"\xff\xfe\0\xd8", 4, "", "posthouse: line 1: it is not UTF-16\n"},
	    {"email,Pr\xe9nom\n", 0, "",
		"posthouse: line 1: it is not UTF-8: name the encoding of the file with "
		"--encoding\n"},
	    {"email,FNAME,Vorname\n", 0, "",
		"posthouse: two columns may be the first_name, \"FNAME\" and \"Vorname\": name one "
		"with --first-name\n"},
	    {"email,opt_out,BLOCKLISTED\n", 0, "",
		"posthouse: two columns may be the unsubscribed, \"opt_out\" and \"BLOCKLISTED\": "
		"name one with --column NAME=unsubscribed\n"},
	    {"a,b\n", 0, "--column a=email --column b=email",
		"posthouse: two columns may be the email, \"a\" and \"b\": name one with "
		"--email\n"},
	    {"a,b\n", 0, "--email a --column a=ignore",
		"posthouse: one column is both the email and the ignore\n"},
	    {"a,A\n", 0, "--email 'A '",
		"posthouse: --email: two columns may be \"A \", \"a\" and \"A\"\n"},
	    {"email,b,c\n", 0, "--column b=properties.p --column c=properties.p",
		"posthouse: two columns are the property \"p\", \"b\" and \"c\"\n"},
	    {"email\n", 0, "--column Plan=ignore",
		"posthouse: --column: the first line has no column \"Plan\"\n"},
	    {"email\n", 0, "--column email",
		"posthouse: --column must be NAME=USE, not \"email\"\n"},
	    {"email\n", 0, "--column email=mail",
		"posthouse: --column: the use of \"email\" must be email, first_name, *, "
		"properties.KEY or ignore, not \"mail\"\n"},
	    {"email\n", 0, "--encoding ebcdic",
		"posthouse: --encoding must be utf-8, windows-1252 or latin1\n"},
	    {"email\n", 0, "--separator ,,",
		"posthouse: --separator must be comma, semicolon or tab\n"},
	    {"email,\"x\n", 0, "", "posthouse: line 1: its quote is never closed\n"},
	    {"e\0mail\na@x.org\n", 15, "", "posthouse: line 1: it has a NUL byte\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		news_put_bytes(news, cases[i].content,
		    cases[i].size ? cases[i].size : strlen(cases[i].content));
		news_expect(news, "import", cases[i].options, 65, NULL, cases[i].errors);
		news_expect_state(news, cases[i].errors, "0/0 ");
	}
	g_unlink(news->file);
	news_expect(news, "import", "", 66, NULL,
	    "posthouse: * cannot be read: No such file or directory\n");
	program_expect(news->config, "contact import News /", 66, NULL,
	    "posthouse: / cannot be read: Is a directory\n");
	program_expect(
	    news->config, "contact import Nobody x.csv", 66, NULL, "*no audience \"Nobody\"*");
	news_put(news, "email\na@x.org\n");
	news_expect(news, "import", "--duplicates keep", 64, NULL, "*must be one of update, skip*");
}
