/* SPDX-License-Identifier: MIT */
#include "mail/encoded_word.h"

#include <criterion/criterion.h>

Test(encoded_word, takes_whole_characters_and_pads_the_last_word_alone)
{
	static const struct {
		enum mail_encoded_word form;
		const char *text;
		gsize room;
		const char *want;
		gsize want_size;
	} cases[] = {
	    {MAIL_ENCODED_WORD_Q, "a b?_=", 75, "=?utf-8?q?a_b=3F=5F=3D?=", 6},
	    {MAIL_ENCODED_WORD_Q, "\303\274\303\274\303\274", 24, "=?utf-8?q?=C3=BC=C3=BC?=", 4},
	    {MAIL_ENCODED_WORD_Q, "\360\237\230\200x", 24, "=?utf-8?q?=F0=9F=98=80?=", 4},
	    {MAIL_ENCODED_WORD_B, "\303\274", 75, "=?utf-8?b?w7w=?=", 2},
	    {MAIL_ENCODED_WORD_B, "\303\274abc\303\274\303\274\303\274", 24,
		"=?utf-8?b?w7xhYmPDvMO8?=", 9},
	    {MAIL_ENCODED_WORD_B, "abcdefghi", 24, "=?utf-8?b?YWJjZGVmZ2hp?=", 9},
	    {MAIL_ENCODED_WORD_B, "abcdefghij", 24, "=?utf-8?b?YWJjZGVmZ2hp?=", 9},
	    {MAIL_ENCODED_WORD_B, "x\346\227\245\346\227\245\346\227\245", 24,
		"=?utf-8?q?x=E6=97=A5?=", 4},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		GString *out = g_string_new(NULL);
		gsize size =
		    mail_encoded_word_append(out, cases[i].form, cases[i].text, cases[i].room);
		cr_expect_str_eq(out->str, cases[i].want, "%s: got %s, want %s", cases[i].text,
		    out->str, cases[i].want);
		cr_expect_eq(size, cases[i].want_size, "%s: took %zu, want %zu", cases[i].text,
		    size, cases[i].want_size);
		g_string_free(out, TRUE);
	}
}
