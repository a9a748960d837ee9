/* SPDX-License-Identifier: MIT */
/* Verifies our signatures with libopendkim. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
/* After stdio.h and sys/types.h, which it needs. */
#include <dkim.h>

#include "tests/mail/shapes.h"

static DKIM_LIB *
open_library(const char *records)
{
	DKIM_LIB *library = dkim_init(NULL, NULL);
	dkim_query_t method = DKIM_QUERY_FILE;

	dkim_options(library, DKIM_OP_SETOPT, DKIM_OPTS_QUERYMETHOD, &method, sizeof(method));
	dkim_options(
	    library, DKIM_OP_SETOPT, DKIM_OPTS_QUERYINFO, (void *)records, strlen(records));
	return library;
}

/* "rsa-sha256=pass ed25519-sha256=pass", in the order of the signatures. */
static char *
opendkim_judge(DKIM_LIB *library, GBytes *message)
{
	GString *verdict = g_string_new(NULL);
	DKIM_STAT status;
	DKIM *dkim = dkim_verify(library, (const unsigned char *)"test", NULL, &status);
	DKIM_SIGINFO **signatures;
	gsize size;
	const char *text = g_bytes_get_data(message, &size);
	int count = 0;

	dkim_chunk(dkim, (unsigned char *)text, size);
	dkim_chunk(dkim, NULL, 0);
	status = dkim_eom(dkim, NULL);
	if (dkim_getsiglist(dkim, &signatures, &count) != DKIM_STAT_OK)
		g_string_append_printf(verdict, "no signatures: %s", dkim_getresultstr(status));
	for (int i = 0; i < count; i++) {
		bool pass = (dkim_sig_getflags(signatures[i]) & DKIM_SIGFLAG_PASSED) &&
			    dkim_sig_getbh(signatures[i]) == DKIM_SIGBH_MATCH;
		g_string_append_printf(verdict, "%s%s=%s", i == 0 ? "" : " ",
		    dkim_sig_getselector(signatures[i]), pass ? "pass" : "fail");
	}
	dkim_free(dkim);
	return g_string_free(verdict, FALSE);
}

static char *folder, *records_path;
static DKIM_LIB *library;

static void
opendkim_setup(void)
{
	g_autofree char *records = shape_records();

	folder = g_dir_make_tmp("posthouse-dkim-XXXXXX", NULL);
	records_path = g_build_filename(folder, "records", NULL);
	g_file_set_contents(records_path, records, -1, NULL);
	library = open_library(records_path);
}

static void
opendkim_teardown(void)
{
	dkim_close(library);
	g_unlink(records_path);
	g_rmdir(folder);
}

TestSuite(opendkim, .init = opendkim_setup, .fini = opendkim_teardown);

Test(opendkim, verifies_every_shape)
{
	for (gsize i = 0; i < shape_count; i++) {
		g_autoptr(GBytes) message = shape_message(&shapes[i]);
		g_autoptr(GBytes) delivered = shape_delivered(message);
		g_autofree char *got = opendkim_judge(library, delivered);
		cr_expect(g_str_has_prefix(got, "s1=pass s1-ed=pass"),
		    "%s: got %s, want s1=pass s1-ed=pass", shapes[i].name, got);
	}
}

static char *
replaced(GBytes *bytes, const char *from, const char *to)
{
	g_autoptr(GString) text =
	    g_string_new_len(g_bytes_get_data(bytes, NULL), (gssize)g_bytes_get_size(bytes));

	cr_assert_eq(g_string_replace(text, from, to, 1), 1, "%s is not in it", from);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

Test(opendkim, notices_what_was_done_to_a_message)
{
	static const struct {
		const char *name;
		const char *from;
		const char *to;
		const char *want;
	} cases[] = {
	    {"nothing", "Bob.", "Bob.", "s1=pass s1-ed=pass"},
	    {"body byte", "Bob.", "Bub.", "s1=fail s1-ed=fail"},
	    {"body line", "Bye.\r\n", "Bye.\r\nBuy.\r\n", "s1=fail s1-ed=fail"},
	    {"Subject", "Subject: Hello", "Subject: Hallo", "s1=fail s1-ed=fail"},
	    {"To gone", "To: Bob <bob@example.org>\r\n", "", "s1=fail s1-ed=fail"},
	    {"time", "t=1700000000", "t=1700000001", "s1=fail s1-ed=pass"},
	    {"field not signed", "Subject: Hello", "X-Spam: no\r\nSubject: Hello",
		"s1=pass s1-ed=pass"},
	    {"white space", "Subject: Hello", "SUBJECT :  Hello ", "s1=pass s1-ed=pass"},
	    {"blank lines", "Bye.\r\n", "Bye.  \r\n\r\n\r\n", "s1=pass s1-ed=pass"},
	};
	g_autoptr(GBytes) message = shape_message(&shapes[0]);
	g_autoptr(GBytes) delivered = shape_delivered(message);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *text = replaced(delivered, cases[i].from, cases[i].to);
		g_autoptr(GBytes) tampered = g_bytes_new_take(text, strlen(text));
		g_autofree char *got = opendkim_judge(library, tampered);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

/* RFC 6376 section 8.15: adds each signed field once, whether the message has it or not. */
Test(opendkim, notices_a_field_that_was_added)
{
	static const char *const fields[] = {"From: Eve <e@x.org>", "Sender: e@x.org",
	    "Reply-To: e@x.org", "Subject: Buy", "Date: Thu, 1 Jan 1970 00:00:00 +0000",
	    "Message-ID: <e@x.org>", "To: e@x.org", "Cc: e@x.org", "MIME-Version: 1.0",
	    "Content-Type: text/html", "Content-Transfer-Encoding: base64",
	    "In-Reply-To: <e@x.org>", "References: <e@x.org>", "List-Unsubscribe: <https://x.org/>",
	    "List-Unsubscribe-Post: List-Unsubscribe=One-Click"};
	g_autoptr(GBytes) message = shape_message(&shapes[0]);
	g_autoptr(GBytes) delivered = shape_delivered(message);

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(fields); i++) {
		const char *field = fields[i / 2];
		bool in_front = i % 2;
		g_autofree char *added = in_front ? g_strdup_printf("%s\r\nFrom: Ann", field)
						  : g_strdup_printf("\r\n%s\r\n\r\n", field);
		char *text = replaced(delivered, in_front ? "From: Ann" : "\r\n\r\n", added);
		g_autoptr(GBytes) tampered = g_bytes_new_take(text, strlen(text));
		g_autofree char *got = opendkim_judge(library, tampered);

		cr_expect_str_eq(got, "s1=fail s1-ed=fail", "%s %s: got %s", field,
		    in_front ? "in front" : "at the end", got);
	}
}
