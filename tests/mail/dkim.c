/* SPDX-License-Identifier: MIT */
/* The form of signatures; opendkim.c and dkim_judge.py check that they verify. */
#include "mail/dkim.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "tests/mail/shapes.h"

static char *
dkim_sign(const char *text, guint keys, GError **error)
{
	g_autoptr(GBytes) message = g_bytes_new_static(text, strlen(text));

	return mail_dkim_sign(message, shape_keys(), keys, 1700000000999, error);
}

/* The value of a tag of the first signature, without the folding. */
static char *
tag(const char *signatures, const char *name)
{
	g_autoptr(GRegex) space = g_regex_new("\\s+", 0, 0, NULL);
	g_autofree char *flat = g_regex_replace_literal(space, signatures, -1, 0, "", 0, NULL);
	g_autofree char *start = g_strdup_printf(";%s=", name);
	const char *value = strstr(flat, start);

	if (!value)
		return g_strdup("none");
	value += strlen(start);
	return g_strndup(value, strcspn(value, ";"));
}

/* Once more than it occurs: h= also names fields that are missing. */
Test(dkim, names_what_it_signs)
{
#define OTHERS                                                                                     \
	"MIME-Version:Content-Type:Content-Transfer-Encoding:In-Reply-To:References:"              \
	"List-Unsubscribe:List-Unsubscribe-Post"
	static const struct {
		const char *header;
		const char *want;
	} cases[] = {
	    {"From: a\r\n", "From:From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:" OTHERS},
	    {"from: a\r\nFROM: b\r\n",
		"From:From:From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:" OTHERS},
	    {"Subject: a\r\nTo: b\r\nTo: c\r\nFrom: d\r\nX-A: e\r\n",
		"From:From:Sender:Reply-To:Subject:Subject:Date:Message-ID:To:To:To:Cc:" OTHERS},
	    {"List-Unsubscribe: a\r\nList-Unsubscribe-Post: b\r\nContent-Transfer-Encoding: c\r\n"
	     "Content-Type: d\r\nMIME-Version: e\r\nReferences: f\r\nIn-Reply-To: g\r\n"
	     "Reply-To: h\r\nMessage-ID: i\r\nDate: j\r\nSubject: k\r\nCc: l\r\nTo: m\r\n"
	     "From: n\r\nReceived: o\r\nBcc: p\r\nReturn-Path: q\r\nSender: r\r\n",
		"From:From:Sender:Sender:Reply-To:Reply-To:Subject:Subject:Date:Date:Message-ID:"
		"Message-ID:To:To:Cc:Cc:MIME-Version:MIME-Version:Content-Type:Content-Type:"
		"Content-Transfer-Encoding:Content-Transfer-Encoding:In-Reply-To:In-Reply-To:"
		"References:References:List-Unsubscribe:List-Unsubscribe:List-Unsubscribe-Post:"
		"List-Unsubscribe-Post"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat(cases[i].header, "\r\nHello\r\n", NULL);
		g_autofree char *signature = dkim_sign(text, 1, NULL);
		g_autofree char *got = tag(signature, "h");
		cr_expect_str_eq(got, cases[i].want, "got %s, want %s", got, cases[i].want);
	}
}

Test(dkim, writes_its_tags)
{
	static const struct {
		const char *name;
		const char *want;
	} cases[] = {
	    {"a", "rsa-sha256"},
	    {"c", "relaxed/relaxed"},
	    {"d", SHAPE_DOMAIN},
	    {"s", SHAPE_RSA_SELECTOR},
	    {"t", "1700000000"},
	    {"x", "none"},
	    {"l", "none"},
	    /* The body and its hash in RFC 8463 appendix A.3. */
	    {"bh", "2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8="},
	};
	g_autofree char *signatures =
	    dkim_sign("From: Joe SixPack <joe@football.example.com>\r\n\r\n"
		      "Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n"
		      "\r\nJoe.\r\n",
		2, NULL);

	cr_expect(g_str_has_prefix(signatures, "DKIM-Signature: v=1; a="), "got %s", signatures);
	cr_expect(strstr(signatures, "\r\nDKIM-Signature: v=1; a=ed25519-sha256; "), "got %s",
	    signatures);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = tag(signatures, cases[i].name);
		cr_expect_str_eq(
		    got, cases[i].want, "%s=: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

Test(dkim, folds_and_repeats_itself)
{
	g_autofree char *first = dkim_sign("From: a\r\nSubject: b\r\n\r\nc\r\n", 2, NULL);
	g_autofree char *second = dkim_sign("From: a\r\nSubject: b\r\n\r\nc\r\n", 2, NULL);
	g_autofree char *none = dkim_sign("From: a\r\n\r\n", 0, NULL);
	g_auto(GStrv) lines = g_strsplit(first, "\r\n", -1);
	guint count = g_strv_length(lines);

	cr_expect_str_eq(first, second, "both algorithms are deterministic");
	cr_expect_str_eq(none, "");
	cr_expect_str_eq(lines[count - 1], "", "the last line ends in CRLF");
	for (guint i = 0; i + 1 < count; i++) {
		cr_expect_leq(strlen(lines[i]), 78, "%s", lines[i]);
		cr_expect(*lines[i] == ' ' || g_str_has_prefix(lines[i], "DKIM-Signature: "), "%s",
		    lines[i]);
	}
}

Test(dkim, refuses_what_would_not_verify)
{
	static const struct {
		const char *name;
		const char *message;
	} cases[] = {
	    {"no From", "Subject: a\r\n\r\n"},
	    {"From in the body", "Subject: a\r\n\r\nFrom: b\r\n"},
	    {"empty", ""},
	    {"LF in the header", "From: a\nTo: b\r\n\r\n"},
	    {"LF in the body", "From: a\r\n\r\nb\nc\r\n"},
	    {"CR in the body", "From: a\r\n\r\nb\rc\r\n"},
	    {"CR at the end", "From: a\r\n\r\nb\r"},
	    {"a line that is no field", "From: a\r\nb\r\n\r\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *signature = dkim_sign(cases[i].message, 2, &error);
		cr_expect_null(signature, "%s: got %s", cases[i].name, signature);
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s: got %s",
		    cases[i].name, error ? error->message : "no error");
	}
}
