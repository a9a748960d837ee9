/* SPDX-License-Identifier: MIT */
/* Tests the senders and recipients of a submission. */
#include "email/submission.h"

#include <criterion/criterion.h>

#include "base/limits/email.h"
#include "mail/address.h"
#include "store/email/email.h"

#define TEXTS(...) ((const char *[]){__VA_ARGS__, NULL})

/* The lists, as they are stored, and the recipients: "to: ... | cc: ... | 0 to a@x.org". */
static char *
submission_show(const struct store_email *email)
{
	static const char *const kinds[] = {
	    [RECIPIENT_TO] = "to", [RECIPIENT_CC] = "cc", [RECIPIENT_BCC] = "bcc"};
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "from %s", email->sender);
	g_string_append_printf(text, "; to %s", email->to);
	if (email->cc)
		g_string_append_printf(text, "; cc %s", email->cc);
	if (email->bcc)
		g_string_append_printf(text, "; bcc %s", email->bcc);
	if (email->reply_to)
		g_string_append_printf(text, "; reply_to %s", email->reply_to);
	for (guint i = 0; i < email->recipients->len; i++) {
		const struct store_email_recipient *recipient = email->recipients->pdata[i];
		g_string_append_printf(
		    text, " | %s %s", kinds[recipient->kind], recipient->address);
	}
	return g_string_free(text, FALSE);
}

static char *
submission_read_envelope(const struct email_submission *submission)
{
	AUTO(store_email) email = store_email_new();
	AUTO(mail_address) from = NULL;
	g_autoptr(GError) error = NULL;

	if (!email_submission_read_addresses(submission, email, &from, &error))
		return g_strdup(error->message);
	cr_expect(from);
	return submission_show(email);
}

#define FROM .from = "f@e.org"

Test(envelope, takes_lists_and_arrays_and_each_address_once)
{
	const struct {
		const char *name;
		struct email_submission submission;
		const char *want;
	} cases[] = {
	    {"one", {FROM, .to = TEXTS("a@x.org")}, "from f@e.org; to a@x.org | to a@x.org"},
	    {"names", {.from = "\"F, G\" <f@E.org>", .to = TEXTS("Ann <a@X.org>")},
		"from \"F, G\" <f@e.org>; to Ann <a@x.org> | to a@x.org"},
	    {"a list", {FROM, .to = TEXTS("a@x.org, Bo <b@x.org>")},
		"from f@e.org; to a@x.org, Bo <b@x.org> | to a@x.org | to b@x.org"},
	    {"an array of lists", {FROM, .to = TEXTS("a@x.org, b@x.org", "c@x.org")},
		"from f@e.org; to a@x.org, b@x.org, c@x.org | to a@x.org | to b@x.org | to "
		"c@x.org"},
	    {"all lists",
		{FROM, .to = TEXTS("a@x.org"), .cc = TEXTS("b@x.org"), .bcc = TEXTS("c@x.org"),
		    .reply_to = TEXTS("d@x.org", "e@x.org")},
		"from f@e.org; to a@x.org; cc b@x.org; bcc c@x.org; reply_to d@x.org, e@x.org"
		" | to a@x.org | cc b@x.org | bcc c@x.org"},
	    {"each once, in any case",
		{FROM, .to = TEXTS("Ann@x.org, ann@X.ORG"), .cc = TEXTS("ANN@x.org, b@x.org"),
		    .bcc = TEXTS("B@x.org", "c@x.org")},
		"from f@e.org; to Ann@x.org, ann@x.org; cc ANN@x.org, b@x.org; bcc B@x.org, "
		"c@x.org | to Ann@x.org | cc b@x.org | bcc c@x.org"},
	    {"a domain in another script", {FROM, .to = TEXTS("a@B\303\274cher.example")},
		"from f@e.org; to a@xn--bcher-kva.example | to a@xn--bcher-kva.example"},
	    {"a line break", {FROM, .to = TEXTS("a@x.org\r\nBcc: b@x.org")},
		"to must be a valid email address: \"a@x.org??Bcc: b@x.org\" has control "
		"characters or "
		"line breaks"},
	    {"no from", {.from = "nobody", .to = TEXTS("a@x.org")},
		"from must be a valid email address: \"nobody\" has no domain"},
	    {"two in from", {.from = "a@e.org, b@e.org", .to = TEXTS("a@x.org")},
		"from must be a valid email address: \"a@e.org, b@e.org\" is a list"},
	    {"no to", {FROM}, "to is required"},
	    {"an empty array", {FROM, .to = (const char *[]){NULL}}, "to is required"},
	    {"an empty text", {FROM, .to = TEXTS("")},
		"to must be a valid email address: \"\" is empty"},
	    {"a bad one", {FROM, .to = TEXTS("foo")},
		"to must be a valid email address: \"foo\" has no domain"},
	    {"a bad one in a list", {FROM, .to = TEXTS("a@x.org, foo")},
		"to must be a valid email address: \"foo\" has no domain"},
	    {"a bad one in an array", {FROM, .to = TEXTS("a@x.org", "b@x.org", "foo")},
		"to[2] must be a valid email address: \"foo\" has no domain"},
	    {"quotes that say nothing", {FROM, .to = TEXTS("\"ann\"@x.org")},
		"from f@e.org; to ann@x.org | to ann@x.org"},
	    {"a quoted local part", {FROM, .to = TEXTS("a@x.org", "\"a b\"@x.org")},
		"to[1] must be a valid email address: \"\"a b\"@x.org\" has a local part (before "
		"the @) that needs quotes; such local parts cannot be sent"},
	    {"a bad cc", {FROM, .to = TEXTS("a@x.org"), .cc = TEXTS("a@x.org", "foo")},
		"cc[1] must be a valid email address: \"foo\" has no domain"},
	    {"a bad bcc", {FROM, .to = TEXTS("a@x.org"), .bcc = TEXTS("foo")},
		"bcc must be a valid email address: \"foo\" has no domain"},
	    {"a bad reply_to", {FROM, .to = TEXTS("a@x.org"), .reply_to = TEXTS("foo")},
		"reply_to must be a valid email address: \"foo\" has no domain"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = submission_read_envelope(&cases[i].submission);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got\n%s\nwant\n%s", cases[i].name, got, cases[i].want);
	}
}

/* count addresses, the first ones in one text, the last of each in a text of its own. */
static char **
texts(guint count, guint in_first)
{
	GPtrArray *texts = g_ptr_array_new();
	GString *first = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		if (i < in_first)
			g_string_append_printf(first, "%sa%u@x.org", i ? ", " : "", i);
		else
			g_ptr_array_add(texts, g_strdup_printf("a%u@x.org", i));
	}
	if (in_first > 0)
		g_ptr_array_insert(texts, 0, g_string_free(first, FALSE));
	else
		g_string_free(first, TRUE);
	g_ptr_array_add(texts, NULL);
	return (char **)g_ptr_array_free(texts, FALSE);
}

Test(envelope, has_at_most_50_in_each_list)
{
	static const char *const fields[] = {"to", "cc", "bcc", "reply_to"};
	static const guint in_first[] = {0, 1, 49, 50, 51};

	for (gsize field = 0; field < G_N_ELEMENTS(fields); field++) {
		for (gsize i = 0; i < G_N_ELEMENTS(in_first); i++) {
			for (guint count = 50; count <= 51; count++) {
				g_auto(GStrv) given = texts(count, MIN(in_first[i], count));
				struct email_submission submission = {FROM, .to = TEXTS("z@x.org")};
				const char ***const lists[] = {&submission.to, &submission.cc,
				    &submission.bcc, &submission.reply_to};
				*lists[field] = (const char **)given;
				g_autofree char *got = submission_read_envelope(&submission);
				g_autofree char *want = g_strdup_printf(
				    "%s must have at most 50 addresses", fields[field]);
				cr_expect_eq(g_strcmp0(got, want) == 0, count == 51,
				    "%s, %u of %u in the first text: %s", fields[field],
				    in_first[i], count, got);
				cr_expect_eq(
				    g_str_has_prefix(got, "from "), count == 50, "%s", got);
			}
		}
	}
}

/* Addresses and bytes of all texts of a list together, whatever is in them. */
Test(envelope, limits_lists_of_many_texts)
{
	g_autofree char *commas = g_strnfill(2 * LIMIT_RECIPIENTS, ',');
	g_autofree char *few = g_strconcat(commas, "a@x.org", commas, NULL);
	g_autofree char *blanks = g_strnfill(LIMIT_ADDRESS_LIST_BYTES - 16, ' ');
	g_autofree char *most = g_strconcat("a@x.org", blanks, NULL);
	g_autofree char *past = g_strconcat(most, " ", NULL);
	g_autofree const char **million = g_new0(const char *, 1000001);
	const struct {
		const char *name;
		const char **texts;
		const char *want; /* NULL: taken */
	} cases[] = {
	    {"commas alone do not count", TEXTS(few, few), NULL},
	    {"bytes at the limit", TEXTS(most, "b@x.org"), NULL},
	    {"bytes past it", TEXTS(past, "b@x.org"), "cc must be at most 65536 bytes"},
	    {"a million empty texts", million, "cc must be at most 65536 bytes"},
	};

	for (guint i = 0; i < 1000000; i++)
		million[i] = "";
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct email_submission submission = {
		    FROM, .to = TEXTS("z@x.org"), .cc = cases[i].texts};
		g_autofree char *got = submission_read_envelope(&submission);
		const char *want = cases[i].want ? cases[i].want : "from f@e.org; to z@x.org; cc ";

		cr_expect(g_str_has_prefix(got, want), "%s: got %s", cases[i].name, got);
	}
}

Test(envelope, has_50_in_all_lists_at_once)
{
	g_auto(GStrv) to = texts(50, 0);
	struct email_submission submission = {FROM, .to = (const char **)to};
	g_auto(GStrv) cc = texts(50, 0);
	g_auto(GStrv) bcc = texts(50, 0);

	for (guint i = 0; i < 50; i++) {
		cc[i][0] = 'b';
		bcc[i][0] = 'c';
	}
	submission.cc = (const char **)cc;
	submission.bcc = (const char **)bcc;
	AUTO(store_email) email = store_email_new();
	AUTO(mail_address) from = NULL;
	cr_assert(email_submission_read_addresses(&submission, email, &from, NULL));
	cr_expect_eq(email->recipients->len, 150);
}

Test(envelope, shows_the_addresses_of_a_stored_list)
{
	static const struct {
		const char *list, *want;
	} cases[] = {
	    {NULL, ""},
	    {"a@x.org", "a@x.org"},
	    {"\"A, B\" <a@x.org>, b@x.org", "a@x.org b@x.org"},
	    {"\"a b\"@x.org", "\"a b\"@x.org"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) got = email_envelope_addresses(cases[i].list, &error);

		cr_assert(got, "%s", error ? error->message : "");
		g_ptr_array_add(got, NULL);
		g_autofree char *joined = g_strjoinv(" ", (char **)got->pdata);
		cr_expect_str_eq(joined, cases[i].want, "got %s, want %s", joined, cases[i].want);
	}
	cr_expect_not(email_envelope_addresses("damaged", NULL));
}
