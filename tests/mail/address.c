/* SPDX-License-Identifier: MIT */
#include "mail/address.h"

#include <criterion/criterion.h>
#include <gmime/gmime.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/unit.h"

#define A10 "aaaaaaaaaa"
#define A60 A10 A10 A10 A10 A10 A10
#define A63 A60 "aaa"
#define MUST "must be a valid email address: "
#define HYPHEN                                                                                     \
	"has a local part (before the @) that begins with a hyphen; such local parts cannot be "   \
	"sent"
#define QUOTED "has a local part (before the @) that needs quotes; such local parts cannot be sent"

Test(address, reads_one_mailbox)
{
	static const struct {
		const char *text;
		const char *want_name;
		const char *want_address;
	} cases[] = {
	    {"a@b.co", "", "a@b.co"},
	    {" a@b.co ", "", "a@b.co"},
	    {"<a@b.co>", "", "a@b.co"},
	    {"\"Jo Smith\" <a@b.co>", "Jo Smith", "a@b.co"},
	    {"Jo Smith <a@b.co>", "Jo Smith", "a@b.co"},
	    {"Jo Smith<a@b.co>", "Jo Smith", "a@b.co"},
	    {"Jo S. Smith <a@b.co>", "Jo S. Smith", "a@b.co"},
	    {"Jo \"the\" Smith <a@b.co>", "Jo the Smith", "a@b.co"},
	    {"Jo\"the\"Smith <a@b.co>", "Jo the Smith", "a@b.co"},
	    {"Jo (x) \"S.\" (y)\"Smith\" <a@b.co>", "Jo S. Smith", "a@b.co"},
	    {"Zoë <a@b.co>", "Zoë", "a@b.co"},
	    {"日本 語 <a@b.co>", "日本 語", "a@b.co"},
	    {"'Jo' <a@b.co>", "'Jo'", "a@b.co"},
	    {"O'Neil & Sons <a@b.co>", "O'Neil & Sons", "a@b.co"},
	    {"\"Smith, Jo\" <a@b.co>", "Smith, Jo", "a@b.co"},
	    {"\"a@b.co\" <c@d.co>", "a@b.co", "c@d.co"},
	    {"\"Jo \\\"X\\\\\" <a@b.co>", "Jo \"X\\", "a@b.co"},
	    {"\" a \" <a@b.co>", "a", "a@b.co"},
	    {"\"\" <a@b.co>", "", "a@b.co"},
	    {"\"a  b\" <a@b.co>", "a  b", "a@b.co"},
	    {"\"<x@y.co>\" <a@b.co>", "<x@y.co>", "a@b.co"},
	    {"\"a:b;\" <a@b.co>", "a:b;", "a@b.co"},
	    /* names that need quotes and have none */
	    {"Acme, Inc. <a@b.co>", "Acme, Inc.", "a@b.co"},
	    {"Acme: Sales <a@b.co>", "Acme: Sales", "a@b.co"},
	    {"Acme [x] <a@b.co>", "Acme [x]", "a@b.co"},
	    {"a@b.co <a@b.co>", "a@b.co", "a@b.co"},
	    {"Acme @ Home <a@b.co>", "Acme @ Home", "a@b.co"},
	    {"Acme; Co <a@b.co>  ", "Acme; Co", "a@b.co"},
	    {"Acme <x> <a@b.co>", "Acme <x>", "a@b.co"},
	    {"Smith, Jo <a@b.co>", "Smith, Jo", "a@b.co"},
	    {"\"Jo <a@b.co>", "\"Jo", "a@b.co"},
	    {"(Jo <a@b.co>", "(Jo", "a@b.co"},
	    {"Jo\\, S <a@b.co>", "Jo\\, S", "a@b.co"},
	    /* encoded words */
	    {"=?utf-8?q?Zo=C3=AB?= <a@b.co>", "Zoë", "a@b.co"},
	    {"=?iso-8859-1?q?Zo=EB?= =?utf-8?b?ZQ==?= <a@b.co>", "Zoëe", "a@b.co"},
	    {"=?utf-8?b?Wm8=?= =?utf-8?B?w6s=?= <a@b.co>", "Zoë", "a@b.co"},
	    {"=?utf-8?q?a=22=3Cb=3E?= <a@b.co>", "a\"<b>", "a@b.co"},
	    {"=?utf-8?q?_a_?= <a@b.co>", "a", "a@b.co"},
	    {"=?utf-8?b?YQBi?= <a@b.co>", "a?b", "a@b.co"}, /* a NUL */
	    /* comments */
	    {"a@b.co (Jo)", "", "a@b.co"},
	    {"(x) Jo (y (z) \\) ,) <a@b.co> (w)", "Jo", "a@b.co"},
	    {"(x)a@b.co", "", "a@b.co"},
	    {"a(x)@b.co", "", "a@b.co"},
	    {"a@(x)b.co", "", "a@b.co"},
	    {"a(x)(y)@b.co", "", "a@b.co"},
	    {"a@(x)(y(z))b.co", "", "a@b.co"},
	    {"Jo <a(x)()@(y)(\\))b.co> (v)(w)", "Jo", "a@b.co"},
	    {"Jo <a(x)@(y)b.co(z)>", "Jo", "a@b.co"},
	    /* the addr-spec's normal form */
	    {"Jo.Smith+Tag@EXAMPLE.Com", "", "Jo.Smith+Tag@example.com"},
	    {"!#$%&'*+-/=?^_`{|}~@b.co", "", "!#$%&'*+-/=?^_`{|}~@b.co"},
	    {"\"jo.smith\"@b.co", "", "jo.smith@b.co"},
	    {"\"a\\b\"@b.co", "", "ab@b.co"},
	    {"a@bücher.de", "", "a@xn--bcher-kva.de"},
	    {"a@BÜCHER.de", "", "a@xn--bcher-kva.de"},
	    {"a@xn--bcher-kva.de", "", "a@xn--bcher-kva.de"},
	    {"Jo <a@例え.jp>", "Jo", "a@xn--r8jz45g.jp"},
	    {A63 "a@b.co", "", A63 "a@b.co"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(mail_address) got = mail_address_parse(cases[i].text, &error);
		cr_expect(got, "%s: %s", cases[i].text, error ? error->message : "");
		if (!got)
			continue;
		cr_expect_str_eq(got->name, cases[i].want_name, "%s: got name %s, want %s",
		    cases[i].text, got->name, cases[i].want_name);
		cr_expect_str_eq(got->address, cases[i].want_address, "%s: got %s, want %s",
		    cases[i].text, got->address, cases[i].want_address);
	}
}

Test(address, refuses_and_says_why)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {
	    {"foo", MUST "\"foo\" has no domain"},
	    {"foo@", MUST "\"foo@\" has no domain"},
	    {"Jo <foo>", MUST "\"Jo <foo>\" has no domain"},
	    {"", MUST "\"\" has no domain"},
	    {"  ", MUST "\"\" has no domain"},
	    {"<>", MUST "\"<>\" has no domain"},
	    {"Jo <>", MUST "\"Jo <>\" has no domain"},
	    {"@b.co", MUST "\"@b.co\" has nothing before the @"},
	    {"\"jo smith\"@b.co", MUST "\"\"jo smith\"@b.co\" " QUOTED},
	    {"\"a@b\"@b.co", MUST "\"\"a@b\"@b.co\" " QUOTED},
	    {"\"a\\\"b\\\\\"@b.co", MUST "\"\"a\\\"b\\\\\"@b.co\" " QUOTED},
	    {"\"a,b\"@b.co", MUST "\"\"a,b\"@b.co\" " QUOTED},
	    {"\".a\"@b.co", MUST "\"\".a\"@b.co\" " QUOTED},
	    {"Jo <\"a>b\"@b.co>", MUST "\"Jo <\"a>b\"@b.co>\" " QUOTED},
	    {"ü@b.co",
		MUST "\"ü@b.co\" has a local part (before the @) that is not ASCII; such local "
		     "parts cannot be sent"},
	    {"Jo <jo.日本@b.co>",
		MUST "\"Jo <jo.日本@b.co>\" has a local part (before the @) that is not ASCII; "
		     "such local parts cannot be sent"},
	    {".a@b.co", MUST "\".a@b.co\" has no valid text before the @"},
	    {"a.@b.co", MUST "\"a.@b.co\" has no valid text before the @"},
	    {"a..b@b.co", MUST "\"a..b@b.co\" has no valid text before the @"},
	    {"a b@b.co", MUST "\"a b@b.co\" has no valid text before the @"},
	    {"a\"b\"@b.co", MUST "\"a\"b\"@b.co\" has no valid text before the @"},
	    {"a.\"b\"@b.co", MUST "\"a.\"b\"@b.co\" has no valid text before the @"},
	    {"\"\"@b.co", MUST "\"\"\"@b.co\" has no valid text before the @"},
	    {A63 "aa@b.co",
		MUST "\"" A63 "aa@b.co\" has a local part (before the @) of more than 64 bytes"},
	    {"a@b", MUST "\"a@b\" has no valid domain"},
	    {"a@localhost", MUST "\"a@localhost\" has no valid domain"},
	    {"a@-b.co", MUST "\"a@-b.co\" has no valid domain"},
	    {"a@b-.co", MUST "\"a@b-.co\" has no valid domain"},
	    {"a@b..co", MUST "\"a@b..co\" has no valid domain"},
	    {"a@.b.co", MUST "\"a@.b.co\" has no valid domain"},
	    {"a@b.co.", MUST "\"a@b.co.\" has no valid domain"},
	    {"a@b_c.co", MUST "\"a@b_c.co\" has no valid domain"},
	    {"a@1.2.3.4", MUST "\"a@1.2.3.4\" has no valid domain"},
	    {"a@[1.2.3.4]", MUST "\"a@[1.2.3.4]\" has an address literal in place of a domain"},
	    {"a@[IPv6:::1]", MUST "\"a@[IPv6:::1]\" has an address literal in place of a domain"},
	    {"a@b@c.co", MUST "\"a@b@c.co\" has no valid domain"},
	    {"a@b.co c.co", MUST "\"a@b.co c.co\" has no valid domain"},
	    {"a@b(x)c.co", MUST "\"a@b c.co\" has no valid domain"},
	    {"=?utf-8?q?a?=@b.co>", MUST "\"=?utf-8?q?a?=@b.co>\" is not one"},
	    {"a@=?utf-8?q?b?=.co", MUST "\"a@=?utf-8?q?b?=.co\" has no valid domain"},
	    /* structure */
	    {"Jo <a@b.co> junk", MUST "\"Jo <a@b.co> junk\" has text after the address"},
	    {"Jo <a@b.co>>", MUST "\"Jo <a@b.co>>\" has text after the address"},
	    {"Jo <a@b.co> <c@d.co>", MUST "\"Jo <a@b.co> <c@d.co>\" has text after the address"},
	    {"<a@b.co>\"x\"", MUST "\"<a@b.co>\"x\"\" has text after the address"},
	    {"<a@b.co>@c.co", MUST "\"<a@b.co>@c.co\" has text after the address"},
	    {"Jo <a@b.co", MUST "\"Jo <a@b.co\" is not one"},
	    {"<<a@b.co>>", MUST "\"<<a@b.co>>\" is not one"},
	    {"a@b.co>", MUST "\"a@b.co>\" is not one"},
	    {"a@b.co)", MUST "\"a@b.co)\" has no valid domain"},
	    {"<@x.co,@y.co:a@b.co>", MUST "\"<@x.co,@y.co:a@b.co>\" is not one"},
	    {"Jo <a@b.co,c@d.co>", MUST "\"Jo <a@b.co,c@d.co>\" is not one"},
	    {"g: a@b.co;",
		MUST "\"g: a@b.co;\" is a group; give its addresses, separated by commas"},
	    {"mailto:a@b.co",
		MUST "\"mailto:a@b.co\" is a group; give its addresses, separated by commas"},
	    {"a@b.co, c@d.co", MUST "\"a@b.co, c@d.co\" is a list"},
	    {"a@b.co,", MUST "\"a@b.co,\" is a list"},
	    /* a list with a fault in it is no name: its addresses would be lost */
	    {"Jo <a@b.co>, foo, Bo <c@d.co>", MUST "\"Jo <a@b.co>, foo, Bo <c@d.co>\" is a list"},
	    {"a@b.co, foo, Bo <c@d.co>", MUST "\"a@b.co, foo, Bo <c@d.co>\" is a list"},
	    {"g: Jo <a@b.co>, Bo <c@d.co>",
		MUST "\"g: Jo <a@b.co>, Bo <c@d.co>\" is a group; give its addresses, separated "
		     "by commas"},
	    {"Acme, Inc. <foo>", MUST "\"Acme, Inc. <foo>\" is a list"},
	    {"Acme, Inc. <-a@b.co>", MUST "\"Acme, Inc. <-a@b.co>\" is a list"},
	    {"-a@b.co", MUST "\"-a@b.co\" " HYPHEN},
	    {"Jo <-a@b.co>", MUST "\"Jo <-a@b.co>\" " HYPHEN},
	    {"\"-a\"@b.co", MUST "\"\"-a\"@b.co\" " HYPHEN},
	    /* control characters */
	    {"a@b.co\r\nBcc: x@y.co",
		MUST "\"a@b.co??Bcc: x@y.co\" has control characters or line breaks"},
	    {"a@b.co\n", MUST "\"a@b.co?\" has control characters or line breaks"},
	    {"\"a\tb\" <a@b.co>",
		MUST "\"\"a?b\" <a@b.co>\" has control characters or line breaks"},
	    {"\"a\x7f\" <a@b.co>",
		MUST "\"\"a?\" <a@b.co>\" has control characters or line breaks"},
	    {"\"a\xc2\x85\" <a@b.co>",
		MUST "\"\"a?\" <a@b.co>\" has control characters or line breaks"},
	    {"=?utf-8?q?a=0D=0Ab?= <a@b.co>", "must not have control characters in a name"},
	    {"a\xff@b.co", "must be valid UTF-8"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(mail_address) got = mail_address_parse(cases[i].text, &error);
		cr_expect_null(got, "%s: got %s", cases[i].text, got ? got->address : "");
		if (got)
			continue;
		cr_expect_str_eq(error->message, cases[i].want, "%s:\n got %s\nwant %s",
		    cases[i].text, error->message, cases[i].want);
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s: code %d",
		    cases[i].text, error->code);
	}
}

Test(address, echoes_no_more_than_100_characters)
{
	g_autofree char *text = g_strnfill(5000, 'x');
	g_autoptr(GError) error = NULL;
	char want[200];

	snprintf(want, sizeof(want), MUST "\"%.100s\" has no domain", text);
	cr_assert_null(mail_address_parse(text, &error));
	cr_assert_str_eq(error->message, want, "got %s", error->message);
}

Test(address, reads_lists)
{
	static const struct {
		const char *text;
		const char *want; /* the formatted result, or the error */
	} cases[] = {
	    {"a@b.co", "a@b.co"},
	    {"a@b.co,c@d.co", "a@b.co, c@d.co"},
	    {"a@b.co, Jo <c@d.co> , \"X, Y\" <e@f.co>", "a@b.co, Jo <c@d.co>, \"X, Y\" <e@f.co>"},
	    {"a@b.co,, c@d.co,", "a@b.co, c@d.co"},
	    {"a@b.co (x, y), c@d.co", "a@b.co, c@d.co"},
	    {"a@b.co, \"c,d\"@d.co", MUST "\"\"c,d\"@d.co\" " QUOTED},
	    {"A@B.co, a@b.co", "A@b.co, a@b.co"},
	    {"", MUST "\"\" is empty"},
	    {" , ,", MUST "\" , ,\" is empty"},
	    {"a@b.co, foo, c@d.co", MUST "\"foo\" has no domain"},
	    {"Smith, Jo <a@b.co>", "\"Smith, Jo\" <a@b.co>"},
	    {"c@d.co, Smith, Jo <a@b.co>", MUST "\"Smith\" has no domain"},
	    {", a@b.co , ,", "a@b.co"},
	    {"a@b.co, -c@d.co", MUST "\"-c@d.co\" " HYPHEN},
	    {"a@b.co; c@d.co",
		MUST "\"a@b.co; c@d.co\" is a group; give its addresses, separated by commas"},
	    {"a@b.co, g: c@d.co, e@f.co;",
		MUST "\"g: c@d.co, e@f.co;\" is a group; give its addresses, separated by "
		     "commas"},
	    {"undisclosed-recipients:;",
		MUST "\"undisclosed-recipients:;\" is a group; give its addresses, separated by "
		     "commas"},
	    {"a@b.co, c@d.co\r\n",
		MUST "\"a@b.co, c@d.co??\" has control characters or line breaks"},
	    {"a@b.co, \"c@d.co", MUST "\"\"c@d.co\" is not one"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) list = mail_address_parse_list(cases[i].text, &error);
		g_autofree char *got =
		    list ? mail_address_format_list(list) : g_strdup(error->message);
		cr_expect_str_eq(
		    got, cases[i].want, "%s:\n got %s\nwant %s", cases[i].text, got, cases[i].want);
	}
}

Test(address, reads_as_many_as_there_may_be)
{
	g_autoptr(GString) text = g_string_new("a@b.co");
	g_autoptr(GError) error = NULL;

	for (int i = 1; i < LIMIT_RECIPIENTS; i++)
		g_string_append(text, ", a@b.co");
	g_autoptr(GPtrArray) most = mail_address_parse_list(text->str, &error);
	cr_assert(most && most->len == LIMIT_RECIPIENTS);
	g_string_append(text, ", a@b.co");
	cr_assert_null(mail_address_parse_list(text->str, &error));
	cr_assert_str_eq(error->message, "must have at most 50 addresses");
}

/* An empty text between two commas, or at an end, is no address that counts. */
Test(address, counts_no_empty_elements)
{
	static const char *const patterns[] = {"a@b.co%s", "%sa@b.co", "a@b.co,%s", " ,%sa@b.co"};

	for (gsize i = 0; i < G_N_ELEMENTS(patterns); i++) {
		g_autofree char *commas = g_strnfill(2 * LIMIT_RECIPIENTS, ',');
		g_auto(GStrv) around = g_strsplit(patterns[i], "%s", 2);
		g_autofree char *text = g_strconcat(around[0], commas, around[1], NULL);
		g_autoptr(GPtrArray) list = mail_address_parse_list(text, NULL);

		cr_expect(list && list->len == 1, "%s", patterns[i]);
	}
}

/* Addresses that were stored before they were refused are read, and looked for. */
Test(address, knows_those_that_begin_with_a_hyphen)
{
	g_autofree char *normal = NULL;
	g_autoptr(GPtrArray) list = mail_address_reread_list("-a@b.co, Jo <-c@d.co>", NULL);
	AUTO(mail_address) one = mail_address_reread("Jo <-c@d.co>", NULL);

	cr_expect(mail_address_valid("-a@B.co", &normal));
	cr_expect_eq(g_strcmp0(normal, "-a@b.co"), 0);
	cr_expect(list && list->len == 2);
	cr_expect(one && strcmp(one->address, "-c@d.co") == 0);
}

Test(address, limits_the_size_of_a_list)
{
	for (gsize past = 0; past <= 1; past++) {
		g_autofree char *blanks = g_strnfill(LIMIT_ADDRESS_LIST_BYTES - 6 + past, ' ');
		g_autofree char *text = g_strconcat("a@b.co", blanks, NULL);
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) list = mail_address_parse_list(text, &error);
		g_autoptr(GPtrArray) stored = mail_address_reread_list(text, NULL);
		cr_expect_eq(list != NULL, past == 0);
		cr_expect(list || strcmp(error->message, "must be at most 65536 bytes") == 0);
		cr_expect(stored, "a stored list has no limit");
	}
}

/* Unlike new input, a stored list may have local parts in quotes. */
Test(address, rereads_what_was_stored)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"Jo <a@b.co>, c@d.co", "Jo <a@b.co>, c@d.co"},
	    {"\"a,b\"@b.co, c@d.co", "\"a,b\"@b.co, c@d.co"},
	    {"Jo+a-b_c@b.d.co", "Jo+a-b_c@b.d.co"},
	    {"a.b@x-y.co", "a.b@x-y.co"},
	    {"Jo <\"a>b\"@b.co>", "Jo <\"a>b\"@b.co>"},
	    {"\"" A60 " a\"@b.co", "\"" A60 " a\"@b.co"},
	    {"\"" A60 " aa\"@b.co", MUST
		"\"\"" A60 " aa\"@b.co\" has a local part (before the @) of more than 64 bytes"},
	    {"damaged", MUST "\"damaged\" has no domain"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) list = mail_address_reread_list(cases[i].text, &error);
		g_autofree char *got =
		    list ? mail_address_format_list(list) : g_strdup(error->message);
		cr_expect_str_eq(
		    got, cases[i].want, "%s:\n got %s\nwant %s", cases[i].text, got, cases[i].want);
	}
}

/* Name and address, with a name of so many characters. The caller owns it. */
static char *
named(int length)
{
	g_autoptr(GString) text = g_string_new("\"");

	for (int i = 0; i < length; i++)
		g_string_append(text, "ü");
	g_string_append(text, "\" <a@b.co>");
	return g_string_free(g_steal_pointer(&text), FALSE);
}

Test(address, limits_the_length_of_names)
{
	g_autofree char *most = named(LIMIT_SENDER_NAME_LENGTH);
	g_autofree char *more = named(LIMIT_SENDER_NAME_LENGTH + 1);
	g_autofree char *most_of_list = named(LIMIT_ADDRESS_NAME_LENGTH);
	g_autofree char *more_of_list = named(LIMIT_ADDRESS_NAME_LENGTH + 1);
	g_autoptr(GError) error = NULL, list_error = NULL;

	AUTO(mail_address) address = mail_address_parse(most, &error);
	cr_assert(address, "%s", error ? error->message : "");
	cr_assert_null(mail_address_parse(more, &error));
	cr_expect_str_eq(error->message, "must not have a name of more than 998 characters");
	g_autoptr(GPtrArray) list = mail_address_parse_list(most_of_list, &list_error);
	cr_assert(list, "%s", list_error ? list_error->message : "");
	cr_assert_null(mail_address_parse_list(more_of_list, &list_error));
	cr_expect_str_eq(list_error->message, "must not have a name of more than 256 characters");
}

Test(address, knows_a_bare_address)
{
	static const struct {
		const char *text;
		const char *want; /* NULL: it is none */
	} cases[] = {
	    {"a@b.co", "a@b.co"},
	    {"A.b@B.CO", "A.b@b.co"},
	    {"\"a\"@b.co", "a@b.co"},
	    {"\"a b\"@b.co", NULL},
	    {"a@bücher.de", "a@xn--bcher-kva.de"},
	    {"", NULL},
	    {"@", NULL},
	    {"a@", NULL},
	    {"\"", NULL},
	    {"\"\\", NULL},
	    {"\"a\\", NULL},
	    {"\"@b.co", NULL},
	    {"\"a\"b@b.co", NULL},
	    {"\"a\" @b.co", NULL},
	    {" a@b.co", NULL},
	    {"a@b.co ", NULL},
	    {"a @b.co", NULL},
	    {"a@ b.co", NULL},
	    {"<a@b.co>", NULL},
	    {"a@b.co (x)", NULL},
	    {"a@b.co,c@d.co", NULL},
	    {"a@b.co\n", NULL},
	    {"a@b.co\r\nRCPT TO:<x@y.co>", NULL},
	    {"\"a\nb\"@b.co", NULL},
	    {"\"a\\\nb\"@b.co", NULL},
	    {"a@b.co>", NULL},
	    {"ü@b.co", NULL},
	    {"\"ü\"@b.co", NULL},
	    {"a@\xff.co", NULL},
	    {"a@b", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *got = (char *)"untouched";
		bool valid = mail_address_valid(cases[i].text, &got);
		cr_expect_eq(valid, cases[i].want != NULL, "%s: got %d", cases[i].text, valid);
		cr_expect_eq(mail_address_valid(cases[i].text, NULL), valid);
		cr_expect(g_strcmp0(got, cases[i].want) == 0, "%s: got %s, want %s", cases[i].text,
		    got, cases[i].want);
		g_free(got);
		g_autoptr(GError) error = NULL;
		g_autofree char *normal =
		    mail_address_normal(cases[i].text, MAIL_LOCAL_SENDABLE, &error);
		cr_expect(g_strcmp0(normal, cases[i].want) == 0, "%s: got %s, want %s",
		    cases[i].text, normal, cases[i].want);
		cr_expect(normal || g_error_matches(error, PH_ERROR, PH_ERROR_INVALID),
		    "%s: no error", cases[i].text);
	}
}

Test(address, says_why_it_is_no_bare_address)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"foo", "must be a valid email address: \"foo\" has no domain"},
	    {"Ann <a@b.co>", "must be a valid email address: \"Ann <a@b.co>\" has no valid text "
			     "before the @"},
	    {"a@b.co\n", "must be a valid email address: \"a@b.co?\" has control characters or "
			 "line breaks"},
	    {"\xff", "must be valid UTF-8"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		cr_assert_null(mail_address_normal(cases[i].text, MAIL_LOCAL_SENDABLE, &error));
		cr_expect_str_eq(error->message, cases[i].want);
	}
}

Test(address, limits_the_length_of_the_whole)
{
	/* 64 bytes, @, and labels of 63, 63 and then 61 or 62. */
	g_autofree char *most = g_strconcat(A63 "a@" A63 "." A63 ".", A60 "a", NULL);
	g_autofree char *more = g_strconcat(A63 "a@" A63 "." A63 ".", A60 "aa", NULL);
	g_autoptr(GError) error = NULL;

	cr_assert_eq(strlen(most), LIMIT_ADDRESS_BYTES);
	cr_assert(mail_address_valid(most, NULL));
	cr_assert_not(mail_address_valid(more, NULL));
	cr_assert_null(mail_address_parse(more, &error));
	cr_assert(g_str_has_suffix(error->message, "\" is longer than 254 bytes"), "got %s",
	    error->message);
}

Test(address, gives_the_domain)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {
	    {"Jo <a@B.co>", "b.co"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(mail_address) address = mail_address_parse(cases[i].text, NULL);
		const char *got = mail_address_domain(address);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].text, got, cases[i].want);
	}
}

Test(address, compares_without_case)
{
	g_autofree char *key = mail_address_key("Jo.Smith@b.co");

	cr_assert_str_eq(key, "jo.smith@b.co");
}

Test(address, writes_what_it_reads_back)
{
	static const struct {
		const char *name;
		const char *want;
	} cases[] = {
	    {"", "a@b.co"},
	    {"Jo", "Jo <a@b.co>"},
	    {"Jo Smith", "Jo Smith <a@b.co>"},
	    {"Zoë 日本", "Zoë 日本 <a@b.co>"},
	    {"Jo S.", "\"Jo S.\" <a@b.co>"},
	    {"Smith, Jo", "\"Smith, Jo\" <a@b.co>"},
	    {"a  b", "\"a  b\" <a@b.co>"},
	    {"x@y.co", "\"x@y.co\" <a@b.co>"},
	    {"<x@y.co>", "\"<x@y.co>\" <a@b.co>"},
	    {"\"", "\"\\\"\" <a@b.co>"},
	    {"\\", "\"\\\\\" <a@b.co>"},
	    {"a\\\"b", "\"a\\\\\\\"b\" <a@b.co>"},
	    {"(c)", "\"(c)\" <a@b.co>"},
	    {"g:;", "\"g:;\" <a@b.co>"},
	    {"[x]", "\"[x]\" <a@b.co>"},
	    {"=?utf-8?q?x?=", "=?utf-8?b?PT91dGYtOD9xP3g/PQ==?= <a@b.co>"},
	    {"a =?x", "=?utf-8?b?YSA9P3g=?= <a@b.co>"},
	    {"👩‍👩‍👧", "👩‍👩‍👧 <a@b.co>"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mail_address address = {
		    .name = (char *)cases[i].name, .address = (char *)"a@b.co"};
		g_autofree char *got = mail_address_format(&address);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
		AUTO(mail_address) back = mail_address_parse(got, NULL);
		cr_expect(back && strcmp(back->name, cases[i].name) == 0 &&
			      strcmp(back->address, "a@b.co") == 0,
		    "%s came back as %s", got, back ? back->name : "nothing");
	}
}

/* GMime's parser must read the same name and address. */
static void
expect_same_to_gmime(const char *text, const struct mail_address *want)
{
	InternetAddressList *list = internet_address_list_parse(NULL, text);

	cr_assert(list && internet_address_list_length(list) == 1, "%s", text);
	InternetAddress *one = internet_address_list_get_address(list, 0);
	const char *name = internet_address_get_name(one);
	cr_expect_str_eq(name ? name : "", want->name, "%s: name %s", text, name);
	cr_expect_str_eq(internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(one)),
	    want->address, "%s", text);
	g_object_unref(list);
}

/* Random names and local parts (the same each time) of characters with a special meaning: the
   written form must read back the same. */
Test(address, writes_any_name_so_that_it_reads_back)
{
	static const char *const pieces[] = {"a", "B", " ", "  ", ",", ";", ":", "<", ">", "@", "(",
	    ")", "\"", "\\", ".", "=?", "?=", "=?utf-8?q?", "=22", "ü", "\xc2\xa0", "[", "]", "'",
	    "_", "\xe2\x80\x8d"};
	g_autoptr(GRand) rand = g_rand_new_with_seed(20261120);

	for (int i = 0; i < 20000; i++) {
		g_autoptr(GString) name = g_string_new(NULL);
		for (int n = g_rand_int_range(rand, 1, 8); n > 0; n--)
			g_string_append(
			    name, pieces[g_rand_int_range(rand, 0, G_N_ELEMENTS(pieces))]);
		g_strstrip(name->str);
		struct mail_address address = {.name = name->str, .address = (char *)"a@b.co"};
		g_autofree char *text = mail_address_format(&address);
		g_autoptr(GError) error = NULL;
		AUTO(mail_address) back = mail_address_parse(text, &error);
		cr_assert(back, "%s: %s", text, error->message);
		cr_assert_str_eq(
		    back->name, name->str, "%s: got [%s], want [%s]", text, back->name, name->str);
		expect_same_to_gmime(text, &address);
	}
}

/* No accepted address has a text that SMTP or a header would read as several addresses. */
Test(address, gives_nothing_but_clean_addresses)
{
	static const char *const pieces[] = {"a", "b.co", "@", "@", "<", ">", "\"", "\\", " ", ",",
	    "(", ")", ".", "..", "ü", ":", ";", "[", "]", "=?utf-8?q?=0A?=", "\r\n", "\t", "-"};
	g_autoptr(GRand) rand = g_rand_new_with_seed(5321);
	int read = 0;

	for (int i = 0; i < 100000; i++) {
		g_autoptr(GString) text = g_string_new(i % 2 ? "a@b.co" : "Jo <\"a\"@b.co>");
		for (int n = g_rand_int_range(rand, 1, 4); n > 0; n--)
			g_string_insert(text, g_rand_int_range(rand, 0, text->len + 1),
			    pieces[g_rand_int_range(rand, 0, G_N_ELEMENTS(pieces))]);
		AUTO(mail_address) got = mail_address_parse(text->str, NULL);
		if (!got)
			continue;
		read++;
		g_autofree char *normal = NULL;
		cr_assert(mail_address_valid(got->address, &normal), "%s gave %s", text->str,
		    got->address);
		cr_assert_str_eq(
		    normal, got->address, "%s gave %s, then %s", text->str, got->address, normal);
		for (const char *p = got->address; *p; p++)
			cr_assert(*p >= ' ' && *p < 0x7f, "%s gave %s", text->str, got->address);
		for (const char *p = got->name; *p; p++)
			cr_assert((guchar)*p >= ' ' && *p != 0x7f, "%s", text->str);
	}
	cr_assert(read > 1000, "only %d could be read", read);
}

Test(address, takes_long_text_in_linear_time, .timeout = 900)
{
	static const char *const patterns[] = {"(", "\"", "\\", "<", "a@b.co(", "((((x)", ",", "a ",
	    "a.", "@", "=?utf-8?q?", "\xc3\xbc", "[", "(\\"};

	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
		GString *text = g_string_sized_new(LIMIT_MIB);
		while (text->len < LIMIT_MIB - 20)
			g_string_append(text, patterns[i]);
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) list = mail_address_reread_list(text->str, &error);
		cr_expect(error && strlen(error->message) < 1000, "%s", patterns[i]);
		g_string_free(text, TRUE);
	}
}
