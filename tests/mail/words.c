/* SPDX-License-Identifier: MIT */
#include "mail/words.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

/* A text of so many units behind its front. The caller owns it. */
static char *
words_many(const char *front, const char *unit, guint count)
{
	GString *text = g_string_new(front);

	for (guint i = 0; i < count; i++)
		g_string_append(text, unit);
	return g_string_free(text, FALSE);
}

/* A header of many words takes no time that grows with its square. */
Test(words, are_read_in_linear_time, .timeout = 900)
{
	static const struct {
		const char *unit, *want; /* NULL: anything */
	} cases[] = {
	    {"=?a?q?x", "=?a?q?x"},
	    {"=?a?q?x ", "=?a?q?x "},
	    {"=?", "=?"},
	    {"=?utf-8?b?YWJj?= ", NULL},
	    {"=?utf-8?b?Y?= ", NULL},
	    {"=?utf-8?b?Y?= =?x", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = words_many("=?utf-8?q?y?= ", cases[i].unit, 1000000);
		g_autofree char *want = words_many("y ", cases[i].want ?: "", 1000000);
		g_autofree char *decoded = mail_words_decode(text);
		g_autofree char *phrase = mail_words_decode_phrase(text);

		cr_expect(!cases[i].want || strcmp(decoded, want) == 0, "%s", cases[i].unit);
		cr_expect(!cases[i].want || strcmp(phrase, want) == 0, "%s", cases[i].unit);
	}
}

/* A word of many pieces has one charset, since GMime opens iconv for each that is in another. */
Test(words, have_one_charset_in_many_pieces)
{
	for (guint more = 0; more < 2; more++) {
		g_autofree char *many = words_many("=?cp949?q?", "a\xc3\xa9", 32);
		g_autofree char *text = g_strconcat(many, more ? "a?=" : "?=", NULL);
		g_autofree char *want = words_many("", "a\xc3\xa9", 32);
		g_autofree char *repaired = mail_words_repair(text);
		g_autofree char *decoded = mail_words_decode(text);

		cr_expect_eq(strstr(repaired, "cp949") == NULL, more == 1, "%s", repaired);
		cr_expect(g_str_has_prefix(decoded, want), "%s", decoded);
		cr_expect_str_eq(decoded + strlen(want), more ? "a" : "", "%s", decoded);
	}
}
