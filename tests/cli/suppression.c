/* SPDX-License-Identifier: MIT */
/* Tests posthouse suppression on a real database. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/cli/program.h"
#include "tests/support/db.h"

static char *config, *file;
static struct config_settings *settings;
static struct db *db;

static void
suppression_begin(void)
{
	config = test_mariadb_file(NULL, NULL, NULL);
	file = g_strconcat(config, ".csv", NULL);
	settings = config_settings_load(config, NULL);
	db = test_db_open(settings);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
}

static void
suppression_end(void)
{
	db_close(db);
	config_settings_free(settings);
	g_unlink(file);
	g_free(file);
	g_free(config);
}

TestSuite(suppression, .init = suppression_begin, .fini = suppression_end, .timeout = 900);
TestSuite(suppression_file, .init = suppression_begin, .fini = suppression_end, .timeout = 900);

static void
suppression_put(const char *content)
{
	cr_assert(g_file_set_contents(file, content, -1, NULL));
}

static void
suppression_expect(
    const char *verb, const char *options, int status, const char *output, const char *errors)
{
	g_autofree char *line = g_strdup_printf("suppression %s '%s' %s", verb, file, options);

	program_expect(config, line, status, output, errors);
}

/* Expects the list: email or the start of the hash, reason and scope. */
static void
suppression_expect_state(const char *want)
{
	g_autofree char *got = test_db_text(db,
	    "SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', COALESCE(email, LEFT(HEX(hash), 4)),"
	    " reason, scope) ORDER BY COALESCE(address, HEX(hash)) SEPARATOR '; '), '')"
	    " FROM suppression");

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"

Test(suppression_file, is_taken_in)
{
	suppression_put("Email,Reason,Scope,Hash\n"
			"A@x.org,bounced,,\n"
			"b@x.org,unsubscribed,,\n"
			"c@x.org,,automation,\n"
			"d@bücher.example,complained,all,\n"
			",manual,all," HASH "\n");
	for (guint again = 0; again < 2; again++) {
		suppression_expect(
		    "import", "", 0, "5 addresses are on the list now, 0 bad lines.\n", NULL);
		suppression_expect_state("0123 4 1; A@x.org 1 1; b@x.org 3 2; c@x.org 4 2; "
					 "d@bücher.example 2 1");
	}
	/* A wider scope replaces a narrower one, not the other way round. */
	suppression_put("b@x.org,bounced,all\nA@x.org,manual,automation\n");
	suppression_expect("import", "--no-header --json", 0,
	    "{\"suppressed\":2,\"bad\":0,\"unused_columns\":[]}\n", NULL);
	suppression_expect_state(
	    "0123 4 1; A@x.org 1 1; b@x.org 1 1; c@x.org 4 2; d@bücher.example 2 1");
}

Test(suppression_file, is_told_of_columns_that_are_not_used)
{
	suppression_put("Phone,email\n1,a@x.org\n");
	suppression_expect("import", "", 0, "1 address is on the list now, 0 bad lines.\n",
	    "posthouse: unused columns: \"Phone\"\n");
	suppression_expect("import", "--json", 0,
	    "{\"suppressed\":1,\"bad\":0,\"unused_columns\":[\"Phone\"]}\n", NULL);
	suppression_put("a@x.org,manual,all,,5\n");
	suppression_expect("import", "--no-header", 0,
	    "1 address is on the list now, 0 bad lines.\n", "posthouse: unused columns: \"5\"\n");
}

Test(suppression_file, is_told_of_where_it_is_no_good)
{
	suppression_put("email,reason,scope,hash\n"
			"ann,,,\n"
			",,,\n"
			"a@x.org,because,,\n"
			"a@x.org,,some,\n"
			",,,0123\n"
			",,," HASH "0\n"
			"a@x.org\n"
			"b@x.org,,,\n"
			"c@x.org,\xfc,,\n");
	suppression_expect("import", "", 65, "1 address is on the list now, 7 bad lines.\n",
	    "posthouse: line 2: email must be a valid email address: \"ann\" has no domain\n"
	    "posthouse: line 4: reason must be one of bounced, complained, unsubscribed, manual\n"
	    "posthouse: line 5: scope must be one of all, automation\n"
	    "posthouse: line 6: hash must be 64 hexadecimal digits\n"
	    "posthouse: line 7: hash must be 64 hexadecimal digits\n"
	    "posthouse: line 8: it has 1 field, and the first line 4\n"
	    "posthouse: line 10: it is not UTF-8: name the encoding of the file with --encoding\n"
	    "posthouse: invalid lines: 7; all others are stored\n");
	suppression_expect_state("b@x.org 4 1");
	suppression_put("email\nc@x.org\nd@x.org\nann\n");
	suppression_expect("import", "", 65, "2 addresses are on the list now, 1 bad line.\n", "*");
	suppression_put("name\nx\n");
	suppression_expect(
	    "import", "", 65, NULL, "posthouse: no column of the first line is the email: *\n");
}

Test(suppression_file, comes_back_from_an_export_as_it_was)
{
	static const char *const want = "'=a@x.org 3 2; +a@x.org 2 1; 0123 4 1; b@x.org 1 1";
	g_autofree char *first = NULL, *second = NULL;

	program_expect(
	    config, "suppression export", 0, "\"email\",\"reason\",\"scope\",\"hash\"\r\n", NULL);
	program_expect(config, "suppression export -", 0, "\"email\",*\"hash\"\r\n", NULL);
	suppression_put(
	    "email,reason,scope,hash\n''=a@x.org,unsubscribed,,\n'+a@x.org,complained,,\n"
	    "b@x.org,bounced,,\n,,," HASH "\n");
	suppression_expect("import", "", 0, "4 *", NULL);
	suppression_expect_state(want);
	suppression_expect("export", "", 0, "Entries written to *: 4.\n", NULL);
	cr_assert(g_file_get_contents(file, &first, NULL, NULL));
	test_db_plain(db, "DELETE FROM suppression");
	suppression_expect("import", "", 0, "4 *", NULL);
	suppression_expect_state(want);
	suppression_expect("export", "--raw --json", 0, "{\"entries\":4}\n", NULL);
	test_db_plain(db, "DELETE FROM suppression");
	suppression_expect("import", "--raw", 0, "4 *", NULL);
	suppression_expect_state(want);
}

/* The lists of other services, as they export them (made up), and the list that comes of each. */
static const struct {
	const char *name, *content, *options, *want;
} services[] = {
    {"Amazon SES, list-suppressed-destinations",
	"EmailAddress,Reason,LastUpdateTime\n"
	"a@x.org,BOUNCE,2026-01-05T10:00:00.123000+00:00\n"
	"b@x.org,COMPLAINT,2026-01-06T10:00:00.123000+00:00\n",
	"", "a@x.org 1 1; b@x.org 2 1"},
    {"SendGrid, bounces",
	"status,reason,email,created\n"
	"5.1.1,\"550 5.1.1 The email account that you tried to reach does not exist.\",a@x.org,"
	"1767607200\n"
	",Unable to resolve MX host,b@x.org,1767607200\n"
	"5.0.0,Mail domain unknown,c@x.org,1767607200\n",
	"--reason bounced", "a@x.org 1 1; b@x.org 1 1; c@x.org 1 1"},
    {"SendGrid, bounces without a reason for the file",
	"status,reason,email,created\n5.1.1,550 5.1.1 No such user,a@x.org,1767607200\n"
	"5.0.0,Mail domain unknown,c@x.org,1767607200\n",
	"", "a@x.org 1 1; c@x.org 1 1"},
    {"SendGrid, spam reports", "email,ip,created\na@x.org,192.0.2.1,1767607200\n",
	"--reason complained", "a@x.org 2 1"},
    {"SendGrid, global unsubscribes", "email,created\na@x.org,1767607200\n",
	"--reason unsubscribed", "a@x.org 3 2"},
    {"SendGrid, lists in one file",
	"email,type\na@x.org,global_unsubscribes\nb@x.org,spam_reports\nc@x.org,bounces\n"
	"d@x.org,invalid_emails\n",
	"", "a@x.org 3 2; b@x.org 2 1; c@x.org 1 1; d@x.org 1 1"},
    {"Postmark",
	"EmailAddress,SuppressionReason,Origin,CreatedAt\n"
	"a@x.org,HardBounce,Recipient,2026-01-05T10:00:00-05:00\n"
	"b@x.org,SpamComplaint,Recipient,2026-01-05T10:00:00-05:00\n"
	"c@x.org,ManualSuppression,Recipient,2026-01-05T10:00:00-05:00\n"
	"d@x.org,ManualSuppression,Customer,2026-01-05T10:00:00-05:00\n",
	"", "a@x.org 1 1; b@x.org 2 1; c@x.org 3 2; d@x.org 4 1"},
    {"Mailgun, bounces",
	"address,code,error,created_at\n"
	"a@x.org,550,No such mailbox,\"Mon, 05 Jan 2026 10:00:00 UTC\"\n"
	"b@x.org,605,Not delivering to previously bounced address,\"Mon, 05 Jan 2026 10:00:00 "
	"UTC\"\n",
	"", "a@x.org 1 1; b@x.org 1 1"},
    {"Mailgun, unsubscribes", "address,tags,created_at\na@x.org,*,2026\nb@x.org,news,2026\n", "",
	"a@x.org 3 2; b@x.org 3 2"},
    {"Mailgun, complaints", "address,created_at\na@x.org,2026\n", "--reason complained",
	"a@x.org 2 1"},
    {"Brevo, blocked contacts",
	"Email,Sender Email,Reason,Blocked At\n"
	"a@x.org,news@y.org,hardBounce,2026-01-05\n"
	"b@x.org,news@y.org,Contact flagged as spam,2026-01-05\n"
	"c@x.org,news@y.org,unsubscribedViaEmail,2026-01-05\n"
	"d@x.org,news@y.org,Admin blocked,2026-01-05\n",
	"", "a@x.org 1 1; b@x.org 2 1; c@x.org 3 2; d@x.org 4 1"},
    {"Brevo, blocked contacts in other words",
	"Email;Reason\na@x.org;Hard bounce\nb@x.org;Flagged as spam\n"
	"c@x.org;Unsubscribed via marketing automation\nd@x.org;Blocked by admin\n",
	"", "a@x.org 1 1; b@x.org 2 1; c@x.org 3 2; d@x.org 4 1"},
    {"Mailchimp, cleaned contacts", "Email Address,First Name,Address\na@x.org,Ann,1 Main Street\n",
	"--reason bounced", "a@x.org 1 1"},
    {"Amazon SES, a file for a job of imports", "a@x.org,BOUNCE\nb@x.org,COMPLAINT\n",
	"--no-header", "a@x.org 1 1; b@x.org 2 1"},
    {"windows-1252 with semicolons", "E-Mail-Adresse;Notiz\na@x.org;M\xfcller, Bo\n",
	"--encoding windows-1252", "a@x.org 4 1"},
    {"a separator that the first line hides", "email;\"a,b,c\"\na@x.org;x\n",
	"--separator semicolon", "a@x.org 4 1"},
    {"Resend",
	"id,email,origin,source_id,created_at\n"
	"e169aa45-1ecf-4183-9955-b1499d5701d3,a@x.org,bounce,"
	"4ef9a417-02e9-4d39-ad75-9611e0fcc33c,2026-10-07T08:12:03.412Z\n"
	"520784e2-887d-4c25-b53c-4ad46ad38100,b@x.org,complaint,,2026-10-07T08:12:03.412Z\n"
	"520784e2-887d-4c25-b53c-4ad46ad38101,c@x.org,manual,,2026-10-07T08:12:03.412Z\n",
	"", "a@x.org 1 1; b@x.org 2 1; c@x.org 4 1"},
    {"words of others",
	"email,reason\na@x.org,hard bounce\nb@x.org,Spam\nc@x.org,unsubscribe\n"
	"d@x.org,Opt-out\n",
	"", "a@x.org 1 1; b@x.org 2 1; c@x.org 3 2; d@x.org 3 2"},
    {"a scope for the file", "email,reason,scope\na@x.org,bounce,all\n", "--scope automation",
	"a@x.org 1 2"},
    {"a reason for the file", "email,reason\na@x.org,bounce\n", "--reason unsubscribed",
	"a@x.org 3 2"},
    {"two columns of addresses", "Email,Address\na@x.org,1 Main Street\n",
	"--column Address=ignore", "a@x.org 4 1"},
    {"named columns", "Who,Why,Email\na@x.org,complaint,b@x.org\n",
	"--column who=email --column Why=reason --column Email=ignore", "a@x.org 2 1"},
    {"an ignored reason", "email,reason\na@x.org,bounce\n", "--column reason=ignore",
	"a@x.org 4 1"},
    {"columns without a header", "5,a@x.org,bounce\n",
	"--no-header --column 2=email --column 3=reason", "a@x.org 1 1"},
};

Test(suppression_file, may_come_from_another_service)
{
	for (gsize i = 0; i < G_N_ELEMENTS(services); i++) {
		g_autofree char *options = g_strconcat(services[i].options, " --json", NULL);

		test_db_plain(db, "DELETE FROM suppression");
		suppression_put(services[i].content);
		suppression_expect("import", options, 0, "{\"suppressed\":*,\"bad\":0,*", NULL);
		g_autofree char *got = test_db_text(db,
		    "SELECT GROUP_CONCAT(CONCAT_WS(' ', email, reason, scope) ORDER BY address"
		    " SEPARATOR '; ') FROM suppression");
		cr_expect_str_eq(got, services[i].want, "%s: got %s", services[i].name, got);
	}
}

/* A temporary failure is no reason, and options that make no sense are refused before a line is. */
Test(suppression_file, is_refused_where_it_makes_no_sense)
{
	static const struct {
		const char *options, *errors;
	} cases[] = {
	    {"--reason because", "posthouse: reason must be one of *"},
	    {"--scope some", "posthouse: scope must be one of all, automation\n"},
	    {"--column reason", "posthouse: --column must be NAME=USE, not \"reason\"\n"},
	    {"--column =ignore", "posthouse: --column must be NAME=USE, not \"=ignore\"\n"},
	    {"--column reason=why",
		"posthouse: --column: USE must be email, reason, scope, hash or ignore, not "
		"\"why\"\n"},
	    {"--column reason=email --column email=email",
		"posthouse: two columns are given for the email, \"reason\" and \"email\"\n"},
	    {"--column phone=ignore",
		"posthouse: --column: the first line has no column \"phone\"\n"},
	    {"--encoding utf-9", "posthouse: --encoding must be utf-8, windows-1252 or latin1\n"},
	    {"--separator pipe", "posthouse: --separator must be comma, semicolon or tab\n"},
	    {"--column email=ignore", "posthouse: no column of the first line is the email: *"},
	};

	suppression_put("email,reason\na@x.org,SoftBounce\nb@x.org,450 4.2.2 Mailbox full\n");
	suppression_expect("import", "", 65, "0 addresses are on the list now, 2 bad lines.\n",
	    "posthouse: line 2: reason must be one of bounced, complained, unsubscribed, manual\n"
	    "posthouse: line 3: reason must be one of *");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		suppression_expect("import", cases[i].options, 65, NULL, cases[i].errors);
	suppression_expect_state("");
}

/* More entries than a batch of the import and a page of the export. */
Test(suppression_file, may_be_long)
{
	GString *content = g_string_new("email\n");

	for (guint i = 0; i < 2345; i++)
		g_string_append_printf(content, "user%u@x.org\n", i);
	suppression_put(content->str);
	g_string_free(content, TRUE);
	suppression_expect(
	    "import", "", 0, "2345 addresses are on the list now, 0 bad lines.\n", NULL);
	suppression_expect("export", "", 0, "Entries written to *: 2345.\n", NULL);
	test_db_plain(db, "DELETE FROM suppression");
	suppression_expect("import", "", 0, "2345 *", NULL);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(DISTINCT address) FROM suppression"), 2345);
}

Test(suppression_file, is_of_its_workspace)
{
	g_autofree char *there = g_strdup_printf("suppression import '%s' --workspace Two", file);

	g_free(program_line(config, "workspace create Two"));
	suppression_put("email\na@x.org\n");
	program_expect(config, there, 0, "1 *", NULL);
	program_expect(config, "suppression export --workspace One", 0,
	    "\"email\",\"reason\",\"scope\",\"hash\"\r\n", NULL);
	program_expect(config, "suppression export --workspace Two", 0, "*\"a@x.org\"*", NULL);
}

/* Command lines in their order, with the expected results. */
Test(suppression, is_added_shown_and_removed)
{
	static const struct {
		const char *line;
		int status;
		const char *output, *errors;
	} steps[] = {
	    {"list", 0, "The suppression list is empty.\n", NULL},
	    {"list --json", 0, "{\"suppressions\":[]}\n", NULL},
	    {"show a@x.org", 66, NULL, "posthouse: Suppression not found\n"},
	    {"add A@x.org", 0, "A@x.org gets no more mail: manual.\n", NULL},
	    {"show a@X.org", 0,
		"email      A@x.org\nreason     manual\nscope      all\ncreated    20*Z\n", NULL},
	    {"add b@x.org --reason unsubscribed", 0,
		"b@x.org gets no more mailings: unsubscribed.\n", NULL},
	    {"add b@x.org --reason bounced --json", 0,
		"{\"email\":\"b@x.org\",\"reason\":\"bounced\",\"scope\":\"all\","
		"\"created\":1*}\n",
		NULL},
	    {"add b@x.org --scope automation", 0, "b@x.org gets no more mail: bounced.\n", NULL},
	    {"show b@x.org --json", 0, "{\"email\":\"b@x.org\",\"reason\":\"bounced\",*}\n", NULL},
	    {"list", 0,
		"EMAIL    REASON   SCOPE  CREATED\nb@x.org  bounced  all    20*\n"
		"A@x.org  manual   all    20*\n",
		NULL},
	    {"remove B@x.org", 0,
		"B@x.org gets mail again, but no mailings: this person has unsubscribed.\n", NULL},
	    {"remove b@x.org", 0, "b@x.org gets mail again.\n", NULL},
	    {"remove b@x.org", 66, NULL, "posthouse: Suppression not found\n"},
	    {"remove a@x.org --json", 0, "{\"email\":\"a@x.org\",\"removed\":true}\n", NULL},
	    {"list", 0, "The suppression list is empty.\n", NULL},
	    {"add a@b@c", 65, NULL, "posthouse: email must be a valid email address: *\n"},
	    {"add a@x.org --reason because", 65, NULL,
		"posthouse: reason must be one of bounced, complained, unsubscribed, manual\n"},
	    {"add a@x.org --scope some", 65, NULL,
		"posthouse: scope must be one of all, automation\n"},
	    {"remove nobody", 66, NULL, "posthouse: Suppression not found\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autofree char *line = g_strconcat("suppression ", steps[i].line, NULL);

		program_expect(config, line, steps[i].status, steps[i].output, steps[i].errors);
	}
}

/* Removing the entry of an unsubscribed person without an override leaves the unsubscription. */
Test(suppression, keeps_people_who_have_unsubscribed)
{
	static const struct {
		const char *line;
		int status;
		const char *output, *errors, *want;
	} steps[] = {
	    {"remove a@x.org", 0,
		"a@x.org gets mail again, but no mailings: this person has unsubscribed.\n", NULL,
		"a@x.org 3 2"},
	    {"remove a@x.org", 73, NULL,
		"posthouse: This person has unsubscribed; override is required\n", "a@x.org 3 2"},
	    {"remove a@x.org --override=", 64, NULL, "posthouse: --override must not be empty*",
		"a@x.org 3 2"},
	    {"remove a@x.org '--override=Asked by phone'", 0, "a@x.org gets mail again.\n", NULL,
		""},
	    {"remove b@x.org --override", 0, "b@x.org gets mail again.\n", NULL, ""},
	};

	g_free(program_line(config, "suppression add a@x.org --reason bounced"));
	test_db_plain(db, "INSERT INTO choice (workspace_id, person, created)"
			  " SELECT id, 'a@x.org', 1 FROM workspace");
	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autofree char *line = g_strconcat("suppression ", steps[i].line, NULL);

		if (i + 1 == G_N_ELEMENTS(steps))
			g_free(program_line(config, "suppression add b@x.org"));
		program_expect(config, line, steps[i].status, steps[i].output, steps[i].errors);
		suppression_expect_state(steps[i].want);
	}
	g_autofree char *reason =
	    test_db_text(db, "SELECT GROUP_CONCAT(DISTINCT reason) FROM consent");
	cr_expect_str_eq(reason, "Asked by phone");
}

Test(suppression, is_listed_in_pages)
{
	suppression_put("email,reason,scope,hash\na@x.org,,,\nb@x.org,,,\n,,," HASH "\n");
	suppression_expect("import", "", 0, "3 *", NULL);
	g_autofree char *id = test_db_text(db,
	    "SELECT LOWER(CONCAT_WS('-', LEFT(HEX(id), 8), MID(HEX(id), 9, 4), MID(HEX(id), 13, 4),"
	    " MID(HEX(id), 17, 4), RIGHT(HEX(id), 12))) FROM suppression WHERE address = "
	    "'b@x.org'");
	g_autofree char *first =
	    g_strdup_printf("EMAIL *\n-        manual  all    20*\nb@x.org  manual  all    20*\n"
			    "There are more: --before %s\n",
		id);
	g_autofree char *next = g_strconcat("suppression list --limit 1 --before ", id, NULL);

	program_expect(config, "suppression list --limit 2", 0, first, NULL);
	program_expect(config, next, 0, "EMAIL *\na@x.org  manual  all    20*Z\n", NULL);
	program_expect(config, "suppression list --limit 1 --json", 0,
	    "{\"suppressions\":[{\"email\":null,\"reason\":\"manual\",\"scope\":\"all\","
	    "\"created\":1*,\"id\":\"*\"}]}\n",
	    NULL);
	g_free(program_line(config, "workspace create Two"));
	program_expect(
	    config, "suppression list --workspace Two", 0, "The suppression list is empty*", NULL);
	program_expect(config, "suppression show a@x.org --workspace Two", 66, NULL, "*");
	program_expect(config, "suppression remove a@x.org --workspace Two", 66, NULL, "*");
}
