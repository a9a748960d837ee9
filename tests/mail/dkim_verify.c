/* SPDX-License-Identifier: MIT */
#include "mail/dkim_verify.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/received.h"
#include "mail/dkim.h"

#define MESSAGE                                                                                    \
	"From: Ann <ann@x.org>\r\nTo: b@y.org\r\nSubject: Hi\r\nDate: Fri, 20 Nov 2026 08:00:00 "  \
	"+0000\r\n\r\nHello\r\n\r\n"

/* A signed message, and the record of its key. */
struct signed_message {
	char *text, *record;
};

static struct signed_message
dkim_signed(enum mail_dkim_algorithm algorithm)
{
	g_autoptr(GBytes) der = mail_dkim_generate(algorithm, NULL);
	AUTO(mail_dkim_key) key = mail_dkim_key_parse(der, "x.org", "s1", NULL);
	struct mail_dkim_key *const keys[] = {key};
	g_autoptr(GBytes) message = g_bytes_new_static(MESSAGE, strlen(MESSAGE));
	g_autofree char *field =
	    mail_dkim_sign(message, keys, 1, G_GINT64_CONSTANT(1795158000000), NULL);
	g_autofree char *public = mail_dkim_public_base64(key);

	return (struct signed_message){g_strconcat(field, MESSAGE, NULL),
	    g_strdup_printf(
		"v=DKIM1; k=%s; p=%s", algorithm == MAIL_DKIM_RSA2048 ? "rsa" : "ed25519", public)};
}

/* The result of a message by a record; NULL: DNS gives no answer. */
static const char *
dkim_result(const char *text, const char *record)
{
	g_autoptr(GPtrArray) signatures = mail_dkim_signatures(text, strlen(text), 5);

	if (signatures->len == 0)
		return "none";
	struct mail_dkim_signature *signature = signatures->pdata[0];
	mail_dkim_signature_verify(signature, &record, record ? 1 : 0, record != NULL, 1795158000);
	return mail_dkim_result_name(signature->result);
}

/* The message with a text in place of another. */
static char *
dkim_changed(const char *text, const char *from, const char *to)
{
	g_auto(GStrv) parts = g_strsplit(text, from, 2);

	cr_assert(parts[1], "no %s", from);
	return g_strconcat(parts[0], to, parts[1], NULL);
}

Test(dkim_verify, judges_what_was_signed)
{
	static const enum mail_dkim_algorithm algorithms[] = {MAIL_DKIM_RSA2048, MAIL_DKIM_ED25519};
	static const struct {
		const char *name, *from, *to, *want;
	} cases[] = {
	    {"as it was", "Hello", "Hello", "pass"},
	    {"another body", "Hello", "Hallo", "fail"},
	    {"another subject", "Subject: Hi", "Subject: Ho", "fail"},
	    {"a second From", "To: b@y.org", "To: b@y.org\r\nFrom: c@x.org", "fail"},
	    {"blanks that mean nothing", "Subject: Hi", "subject:  Hi ", "pass"},
	    {"empty lines at the end", "Hello\r\n\r\n", "Hello\r\n", "pass"},
	    {"a length", "c=relaxed", "l=3; c=relaxed", "none"},
	    {"another version", "v=1;", "v=2;", "permerror"},
	    {"an old algorithm", "-sha256;", "-sha1;", "permerror"},
	    {"no From signed", "h=From:", "h=Xrom:", "fail"},
	    {"no signature", " b=", " b=; y=", "permerror"},
	    {"a signature that is no base64", " b=", " b=*", "permerror"},
	    {"too late", "c=relaxed", "x=1795157999; c=relaxed", "fail"},
	};

	for (gsize k = 0; k < G_N_ELEMENTS(algorithms); k++) {
		struct signed_message message = dkim_signed(algorithms[k]);

		for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
			g_autofree char *text =
			    dkim_changed(message.text, cases[i].from, cases[i].to);
			const char *got = dkim_result(text, message.record);

			cr_expect_str_eq(got, cases[i].want, "%s (%zu): got %s, want %s",
			    cases[i].name, k, got, cases[i].want);
		}
		g_auto(GStrv) lines = g_strsplit(message.text, "\r\n", -1);
		g_autofree char *bare = g_strjoinv("\n", lines);
		cr_expect_str_eq(dkim_result(bare, message.record), "pass");
		cr_expect_str_eq(dkim_result(message.text, NULL), "temperror");
		cr_expect_str_eq(dkim_result(message.text, "v=DKIM1; p="), "permerror");
		cr_expect_str_eq(dkim_result(message.text, "hello"), "permerror");
		cr_expect_str_eq(dkim_result(MESSAGE, message.record), "none");
		g_free(message.text);
		g_free(message.record);
	}
}

/* The message with a field in front, so that its header has this size with the empty line. The
   caller owns it. */
static char *
dkim_grown(const char *text, gsize size)
{
	gsize header = (gsize)(strstr(text, "\r\n\r\n") - text) + 4;
	g_autofree char *filler = g_strnfill(size - header - strlen("X: \r\n"), 'x');

	return g_strconcat("X: ", filler, "\r\n", text, NULL);
}

Test(dkim_verify, reads_a_header_up_to_its_limit)
{
	struct signed_message message = dkim_signed(MAIL_DKIM_ED25519);
	g_autofree char *fits = dkim_grown(message.text, LIMIT_RECEIVED_HEADER_BYTES);
	g_autofree char *large = dkim_grown(message.text, LIMIT_RECEIVED_HEADER_BYTES + 1);

	G_STATIC_ASSERT(LIMIT_RECEIVED_HEADER_BYTES == 262144);
	cr_expect_str_eq(dkim_result(fits, message.record), "pass");
	cr_expect_str_eq(dkim_result(large, message.record), "none");
	g_free(message.text);
	g_free(message.record);
}
