/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "base/limits/report.h"
#include "mail_report/report.h"
#include "process/isolate.h"
#include "process/seccomp.h"

static void
print_all(GString *lines, const char *name, const GPtrArray *texts)
{
	for (guint i = 0; i < texts->len; i++)
		g_string_append_printf(lines, "%s %s\n", name, (const char *)texts->pdata[i]);
}

static const char *
report_parse_or_none(const char *text)
{
	return text && *text ? text : "-";
}

/* The report as lines of text, one for each fact. The caller owns it. */
static char *
report_print(const struct mail_report *report)
{
	static const char *const kinds[] = {[MAIL_REPORT_NONE] = "none",
	    [MAIL_REPORT_DELIVERY] = "delivery",
	    [MAIL_REPORT_COMPLAINT] = "complaint"};
	static const char *const actions[] = {
	    [MAIL_REPORT_UNKNOWN] = "unknown",
	    [MAIL_REPORT_FAILED] = "failed",
	    [MAIL_REPORT_DELAYED] = "delayed",
	    [MAIL_REPORT_DELIVERED] = "delivered",
	    [MAIL_REPORT_RELAYED] = "relayed",
	    [MAIL_REPORT_EXPANDED] = "expanded",
	};
	GString *lines = g_string_new(NULL);

	g_string_append_printf(
	    lines, "%s %s\n", kinds[report->kind], report_parse_or_none(report->format));
	if (report->feedback)
		g_string_append_printf(lines, "feedback %s\n", report->feedback);
	for (guint i = 0; i < report->recipients->len; i++) {
		const struct mail_report_recipient *r = report->recipients->pdata[i];

		g_string_append_printf(lines, "%s %s %s %s %d %s\n", actions[r->action],
		    report_parse_or_none(r->original), report_parse_or_none(r->final),
		    report_parse_or_none(r->status), r->code, report_parse_or_none(r->diagnostic));
	}
	if (report->envid)
		g_string_append_printf(lines, "envid %s\n", report->envid);
	print_all(lines, "path", report->paths);
	print_all(lines, "message-id", report->message_ids);
	print_all(lines, "addressee", report->addressees);
	return g_string_free(lines, FALSE);
}

/* tests/mail/reports/table has the expected result for each message beside it. */
static char *
report_parse_path_of(const char *name)
{
	const char *folder = g_getenv("srcdir");

	return g_build_filename(folder ? folder : ".", "tests", "mail", "reports", name, NULL);
}

static char *
report_parse_read_file(const char *name, gsize *size_r)
{
	g_autofree char *path = report_parse_path_of(name);
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	cr_assert(
	    g_file_get_contents(path, &text, size_r, &error), "%s", error ? error->message : "");
	return text;
}

static void
report_parse_expect(const char *name, const void *message, gsize size, const char *want)
{
	AUTO(mail_report) report = mail_report_parse(message, size);
	g_autofree char *got = report_print(report);

	cr_expect_str_eq(got, want, "%s: got\n%swant\n%s", name, got, want);
}

/* The same text with CRLF line ends. */
static GString *
report_parse_with_crlf(const char *text, gsize size)
{
	GString *other = g_string_new(NULL);

	for (gsize i = 0; i < size; i++) {
		if (text[i] == '\n')
			g_string_append_c(other, '\r');
		g_string_append_c(other, text[i]);
	}
	return other;
}

static guint
count_messages(void)
{
	g_autofree char *path = report_parse_path_of(".");
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	guint count = 0;

	cr_assert(folder, "%s", path);
	for (const char *name; (name = g_dir_read_name(folder));)
		count += g_str_has_suffix(name, ".eml");
	return count;
}

Test(report, is_read_as_the_table_says)
{
	g_autofree char *table = report_parse_read_file("table", NULL);
	g_auto(GStrv) blocks = g_strsplit(table, "\n\n", -1);
	guint count = 0;

	for (char **block = blocks; *block; block++, count++) {
		char *want = strchr(*block, '\n');

		cr_assert(want, "%s", *block);
		*want++ = '\0';
		gsize size;
		g_autofree char *file = g_strconcat(*block, ".eml", NULL);
		g_autofree char *message = report_parse_read_file(file, &size);
		g_autofree char *lines = g_strconcat(g_strchomp(want), "\n", NULL);
		g_autoptr(GString) crlf = report_parse_with_crlf(message, size);
		report_parse_expect(*block, message, size, lines);
		report_parse_expect(file, crlf->str, crlf->len, lines);
	}
	cr_expect_eq(count, count_messages(), "the table has %u of %u", count, count_messages());
}

/* Reads all messages of the table. Returns what they say. */
static GBytes *
report_parse_read_all(void *context, GError **error)
{
	const bool *confines = context;
	GString *lines = g_string_new(NULL);

	if (*confines && !process_seccomp(0, error))
		return NULL;
	g_autofree char *table = report_parse_read_file("table", NULL);
	g_auto(GStrv) blocks = g_strsplit(table, "\n\n", -1);
	for (char **block = blocks; *block; block++) {
		g_autofree char *name = g_strndup(*block, strcspn(*block, "\n"));
		g_autofree char *file = g_strconcat(name, ".eml", NULL);
		gsize size;
		g_autofree char *message = report_parse_read_file(file, &size);
		AUTO(mail_report) report = mail_report_parse(message, size);
		g_autofree char *print = report_print(report);

		g_string_append_printf(lines, "%s\n%s", name, print);
	}
	return g_string_free_to_bytes(lines);
}

Test(report, is_read_by_a_confined_process)
{
	bool confines = true, confines_not = false;
	const struct process_isolate apart = {
	    "They", report_parse_read_all, NULL, &confines, APART_LIMITS};
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) want = report_parse_read_all(&confines_not, &error);

	if (!process_seccomp_is_known())
		cr_skip_test("this kernel has no filters of system calls");
	g_autoptr(GBytes) got = process_isolate(&apart, &error);
	cr_assert(got, "%s", error ? error->message : "");
	cr_expect(g_bytes_equal(got, want));
}

/* A report in front, so that the text behind it is not read alone. */
static const char status[] = "Content-Type: multipart/report; boundary=b\n\n--b\n"
			     "Content-Type: message/delivery-status\n\n"
			     "Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; joe@example.net\n"
			     "Action: failed\nStatus: 5.1.1\n\n";

static const struct hostile {
	const char *name, *begin, *again; /* begin, then again until it is full; %x is its number */
	const char *want;		  /* the start of its print */
} hostile[] = {
    {"parts in parts", "MIME-Version: 1.0\n",
	"Content-Type: multipart/mixed; boundary=%x\n\n--%x\n", "none"},
    {"parts side by side", "Content-Type: multipart/mixed; boundary=a\n\n", "--a\n\n", "none"},
    {"parts behind a report", status, "--b\n\n", "delivery RFC 3464\nfailed - joe@"},
    {"parts that each have a report", "Content-Type: multipart/mixed; boundary=a\n\n",
	"--a\nContent-Type: message/delivery-status\n\n"
	"Final-Recipient: rfc822; u%x@x.org\nAction: failed\n\n",
	"delivery RFC 3464\nfailed - u0@x.org"},
    {"messages in messages", "", "Content-Type: message/rfc822\n\n", "none"},
    {"fields", "", "a%x: b\n", "none"},
    {"fields without names", "", ":\n", "none"},
    {"a field that has no end", "Subject:", " x", "none"},
    {"a field of many lines", "Subject:", " x\n", "none"},
    {"encoded words", "Subject:", " =?utf-8?q?a?=\n", "none"},
    {"parameters", "Content-Type: text/plain", ";\n a*%x=b", "none"},
    {"groups in groups", "To: ", "a:", "none"},
    {"comments in comments", "To: ", "(", "none"},
    {"brackets", "To: x\nReferences: ", "<", "none"},
    {"message ids", "References:", " <a@b>", "none"},
    {"addressees", "Content-Type: message/rfc822\n\nTo: a@b.example", ", a%x@b.example", "none"},
    {"recipients", status, "Final-Recipient: rfc822; u%x@x.org\nAction: failed\n\n",
	"delivery RFC 3464\nfailed - joe@"},
    {"groups without an action", status, "Final-Recipient: rfc822; u%x@x.org\n\n",
	"delivery RFC 3464\nfailed - joe@"},
    {"a diagnostic",
	"Content-Type: message/delivery-status\n\nFinal-Recipient: x; a@x.org\n"
	"Action: failed\nDiagnostic-Code: smtp; ",
	"5.1.1.1 5", "delivery RFC 3464\nfailed - a@x.org - 0 5.1.1.1 5"},
    {"listed recipients", "\nThe following address(es) failed:\n", "u%x@x.org 5.1.1\n",
	"delivery Exim\nfailed - u0@x.org 5.1.1"},
    {"one that is listed again", "\nThe following address(es) failed:\n", "u@x.org 5.1.1\n",
	"delivery Exim\nfailed - u@x.org 5.1.1"},
    {"lists", "", "\nThe following address(es) failed:\nu%x@x.org\n", "delivery Exim\nfailed"},
    {"failed recipients", "X-Failed-Recipients: a@x.org", ", u%x@x.org",
	"delivery X-Failed-Recipients\nfailed - a@x.org"},
    {"xtext", "Content-Type: message/delivery-status\n\nAction: failed\nOriginal-Recipient: x;",
	"+2B", "delivery RFC 3464\nfailed - -"},
    {"base64", "Content-Transfer-Encoding: base64\n\n", "AAAA\n", "none"},
    {"base64 of one line", "Content-Transfer-Encoding: base64\n\n", "AAAA", "none"},
    {"quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\n", "=\n", "none"},
    {"words", "From: mailer-daemon\n\n", "not delivered: quota ", "delivery words\nfailed"},
    {"lines of words", "From: mailer-daemon\n\n", "not found\n", "delivery words\nfailed"},
    {"short lines", "From: mailer-daemon\n\nrefused\n", "a\n", "delivery words\nfailed"},
    {"addresses in words", "From: mailer-daemon\n\n550 ", "u%x@x.org ", "delivery words\nfailed"},
    {"at signs", "From: mailer-daemon\n\n550 ", "@", "delivery words\nfailed"},
    {"hosts", "From: mailer-daemon\n\n550 ", "a.b ", "delivery words\nfailed"},
    {"lost fields", "From: mailer-daemon\n\n", "\nFinal-Recipient: x; u%x@x.org\nAction: failed\n",
	"delivery RFC 3464\nfailed - u0@x.org"},
    {"lists to leave", "Content-Type: message/rfc822\n\n", "List-Unsubscribe: <u+%x@x.org>\n",
	"none"},
    {"UTF-7", "Content-Type: text/plain; charset=utf-7\n\n", "+AAA-", "none"},
    {"a charset that is none", "Content-Type: text/plain; charset=x\n\n", "\xff\xfe", "none"},
    {"html", "Content-Type: text/html\n\n", "<a><b><p>", "none"},
    {"attributes", "Content-Type: text/html\n\n<a", " a%x=b", "none"},
    {"NUL", "", "\1", "none"},
    {"line ends", "", "\r", "none"},
    {"nothing but a delimiter", "Content-Type: multipart/mixed; boundary=\"\"\n\n", "--\n", "none"},
};

static GString *
report_parse_fill(const struct hostile *c)
{
	GString *text = g_string_new(c->begin);

	for (guint i = 0; text->len < 2 * LIMIT_REPORT_BYTES; i++) {
		g_autofree char *number = g_strdup_printf("%x", i);
		g_autoptr(GString) piece = g_string_new(c->again);

		g_string_replace(piece, "%x", number, 0);
		g_string_append_len(text, piece->str, (gssize)piece->len);
	}
	for (gsize i = 0; strcmp(c->again, "\1") == 0 && i < text->len; i++)
		text->str[i] = '\0';
	return text;
}

/* Processor time, independent of the machine's load. */
static gint64
milliseconds(void)
{
	return (gint64)clock() * 1000 / CLOCKS_PER_SEC;
}

/* Most take some ten milliseconds, html of attributes alone half a second; the limit is for
   sanitizers. */
Test(report, of_hostile_input_costs_little_time)
{
	for (gsize i = 0; i < G_N_ELEMENTS(hostile); i++) {
		g_autoptr(GString) text = report_parse_fill(&hostile[i]);
		gint64 begin = milliseconds();

		AUTO(mail_report) report = mail_report_parse(text->str, text->len);
		gint64 took = milliseconds() - begin;
		g_autofree char *got = report_print(report);
		cr_expect(took < 10000, "%s took %d ms", hostile[i].name, (int)took);
		cr_expect(g_str_has_prefix(got, hostile[i].want), "%s: got %.200s want %s",
		    hostile[i].name, got, hostile[i].want);
		cr_expect_leq(report->recipients->len, LIMIT_REPORT_RECIPIENTS);
		cr_expect_leq(report->message_ids->len, LIMIT_REPORT_NAMES);
		cr_expect_leq(report->paths->len, LIMIT_REPORT_NAMES);
		cr_expect_leq(report->addressees->len, LIMIT_REPORT_NAMES);
		cr_expect_leq(report->mentioned->len, LIMIT_REPORT_NAMES);
		cr_expect_leq(report->lists->len, LIMIT_REPORT_NAMES);
	}
}

static GString *
with_recipients(guint count)
{
	GString *text = g_string_new("Content-Type: message/delivery-status\n\n");

	for (guint i = 0; i < count; i++)
		g_string_append_printf(
		    text, "Final-Recipient: rfc822; u%u@x.org\nAction: failed\n\n", i);
	return text;
}

Test(report, keeps_as_many_recipients_as_it_may)
{
	static const guint counts[][2] = {{0, 0}, {1, 1},
	    {LIMIT_REPORT_RECIPIENTS, LIMIT_REPORT_RECIPIENTS},
	    {LIMIT_REPORT_RECIPIENTS + 1, LIMIT_REPORT_RECIPIENTS}};

	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_autoptr(GString) text = with_recipients(counts[i][0]);
		AUTO(mail_report) report = mail_report_parse(text->str, text->len);

		cr_expect_eq(report->recipients->len, counts[i][1], "of %u: got %u want %u",
		    counts[i][0], report->recipients->len, counts[i][1]);
	}
}

Test(report, cuts_diagnostics)
{
	for (gsize length = LIMIT_REPORT_DIAGNOSTIC_LENGTH - 1;
	     length <= LIMIT_REPORT_DIAGNOSTIC_LENGTH + 1; length++) {
		g_autoptr(GString) text =
		    g_string_new("Content-Type: message/delivery-status\n\nAction: failed\n"
				 "Diagnostic-Code: ");
		for (gsize i = 0; i < length; i++)
			g_string_append(text, "ä");
		AUTO(mail_report) report = mail_report_parse(text->str, text->len);
		const struct mail_report_recipient *recipient = report->recipients->pdata[0];
		gsize got = (gsize)g_utf8_strlen(recipient->diagnostic, -1);

		cr_expect_eq(
		    got, MIN(length, LIMIT_REPORT_DIAGNOSTIC_LENGTH), "%zu: got %zu", length, got);
		cr_expect(g_utf8_validate(recipient->diagnostic, -1, NULL));
	}
}

/* Text beyond the limit is not read. */
Test(report, is_looked_at_as_far_as_the_limit)
{
	static const struct {
		const char *name;
		gsize before;
		guint want;
	} cases[] = {
	    {"within", LIMIT_REPORT_BYTES - 1000, 1},
	    {"beyond", LIMIT_REPORT_BYTES, 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *padding = g_strnfill(cases[i].before, 'x');
		g_autofree char *text =
		    g_strconcat("Content-Type: multipart/report; boundary=b\n\n", padding,
			"\n--b\nContent-Type: message/delivery-status\n\n"
			"Final-Recipient: x; a@x.org\nAction: failed\n",
			NULL);
		AUTO(mail_report) report = mail_report_parse(text, strlen(text));

		cr_expect_eq(report->recipients->len, cases[i].want, "%s: got %u", cases[i].name,
		    report->recipients->len);
	}
}

Test(report, digest_is_of_what_is_below_the_header)
{
	static const struct {
		const char *name, *a, *b;
		bool want_same;
	} cases[] = {
	    {"the same", "Subject: a\n\nx\n", "Subject: a\n\nx\n", true},
	    {"another way that it came", "Received: b\nSubject: a\n\nx\n", "Subject: a\n\nx\n",
		true},
	    {"other line ends", "Subject: a\r\n\r\nx\r\n", "Subject: a\n\nx\n", true},
	    {"other words", "Subject: a\n\nx\n", "Subject: a\n\ny\n", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(mail_report) a = mail_report_parse(cases[i].a, strlen(cases[i].a));
		AUTO(mail_report) b = mail_report_parse(cases[i].b, strlen(cases[i].b));

		cr_expect_eq(memcmp(a->digest, b->digest, sizeof(a->digest)) == 0,
		    cases[i].want_same, "%s", cases[i].name);
	}
}

Test(report, names_addresses_with_and_without_xtext)
{
	static const struct {
		const char *given, *address;
		bool want;
	} cases[] = {
	    {"a@x.org", "a@x.org", true},
	    {"A@x.org", "a@x.org", true},
	    {"a+2Bb+3D@x.org", "a+b=@x.org", true},
	    {"a+2Bb@x.org", "a+2bb@x.org", true},
	    {"a+b@x.org", "a+b@x.org", true},
	    {"b@x.org", "a@x.org", false},
	    {"a@x.org", "a@x.or", false},
	    {"a+2B@x.org", "a@x.org", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(mail_report_names(cases[i].given, cases[i].address), cases[i].want,
		    "%s %s", cases[i].given, cases[i].address);
}

/* Only one of the two kinds, without parts of the other. */
Test(report, is_what_its_first_part_says)
{
#define BOUNCE                                                                                     \
	"--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: x; a@x.org\nAction: "      \
	"failed\n"
#define COMPLAINT                                                                                  \
	"--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\n"                     \
	"Original-Rcpt-To: b@x.org\n"
#define BOTH(first, second) "Content-Type: multipart/report; boundary=b\n\n" first second
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
	    {"a bounce", BOTH(BOUNCE, COMPLAINT), "delivery RFC 3464\nfailed - a@x.org - 0 -\n"},
	    {"a complaint", BOTH(COMPLAINT, BOUNCE),
		"complaint ARF\nfeedback abuse\nunknown b@x.org - - 0 -\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		report_parse_expect(
		    cases[i].name, cases[i].text, strlen(cases[i].text), cases[i].want);
}
