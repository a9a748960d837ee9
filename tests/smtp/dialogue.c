/* SPDX-License-Identifier: MIT */
#include "smtp/dialogue.h"

#include <criterion/criterion.h>
#include <string.h>

static void
dialogue_begin(struct smtp_dialogue *dialogue)
{
	*dialogue = (struct smtp_dialogue){0};
	smtp_dialogue_init(dialogue);
	dialogue->step = DIALOGUE_GREETING;
}

static void
dialogue_receive(struct smtp_dialogue *dialogue, GString *heard, const char *text, gsize step)
{
	for (gsize i = 0; i < strlen(text); i += step) {
		char piece[256];
		gsize size = MIN(step, strlen(text) - i);
		memcpy(piece, text + i, size);
		smtp_dialogue_receives(dialogue, piece, size);
		g_string_append_len(heard, piece, (gssize)size);
	}
}

static bool
dialogue_send(struct smtp_dialogue *dialogue, const char *command)
{
	return smtp_dialogue_sends(dialogue, command, strlen(command));
}

Test(dialogue, hides_what_the_library_does_not_survive_however_it_comes)
{
	static const struct {
		bool hides_pipelining;
		const char *said, *heard;
	} cases[] = {
	    {false, "250-x\r\n250-CHUNKING\r\n250-PIPELINING\r\n250 XUSR\r\n",
		"250-Z\r\n250-ZHUNKING\r\n250-PIPELINING\r\n250 ZUSR\r\n"},
	    {true, "250-x\r\n250-chunking\r\n250-pipelining\r\n250 SIZE 1\r\n",
		"250-Z\r\n250-Zhunking\r\n250-Zipelining\r\n250 SIZE 1\r\n"},
	    {true,
		"250-a.example\r\n250-DSN\r\n250-ENHANCEDSTATUSCODES\r\n250 AUTH PLAIN "
		"CRAM-MD5\r\n",
		"250-a.example\r\n250-DSN\r\n250-ZNHANCEDSTATUSCODES\r\n250 AUTH PLAIN "
		"CRAM-MD5\r\n"},
	    {true, "250-a.example\r\n250\r\n", "250-a.example\r\n250 \n"},
	    {true, "\r\n25\r\n", "\r\n25\r\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		for (gsize step = 1; step < 60; step++) {
			struct smtp_dialogue dialogue;
			GString *heard = g_string_new(NULL);
			dialogue_begin(&dialogue);
			dialogue.hides_pipelining = cases[i].hides_pipelining;
			cr_expect(dialogue_send(&dialogue, "EHLO me\r\n"));
			dialogue_receive(&dialogue, heard, cases[i].said, step);
			cr_expect_str_eq(heard->str, cases[i].heard,
			    "case %zu, %zu bytes at a time: got\n%swant\n%s", i, step, heard->str,
			    cases[i].heard);
			g_string_free(heard, TRUE);
			smtp_dialogue_clear(&dialogue);
		}
	}
}

Test(dialogue, changes_no_other_reply)
{
	struct smtp_dialogue dialogue;
	GString *heard = g_string_new(NULL);

	dialogue_begin(&dialogue);
	dialogue.hides_pipelining = true;
	dialogue_receive(&dialogue, heard, "220 Certainly\r\n", 1);
	dialogue_send(&dialogue, "MAIL FROM:<>\r\n");
	dialogue_receive(&dialogue, heard, "250 Perhaps\r\n550 Xes\r\n", 1);
	cr_expect_str_eq(heard->str, "220 Certainly\r\n250 Perhaps\r\n550 Xes\r\n");
	g_string_free(heard, TRUE);
	smtp_dialogue_clear(&dialogue);
}

Test(dialogue, knows_a_whole_reply)
{
	static const struct {
		const char *reply;
		int want_code;
		bool want_one;
	} cases[] = {
	    {"220 ok\r\n", 220, true},
	    {"220\r\n", 220, true},
	    {"220-a\r\n220 b\r\n", 220, true},
	    {"", 0, false},
	    {"220 ok", 0, false},
	    {"220-a\r\n", 0, false},
	    {"220 ok\r\n250 ok\r\n", 220, false},
	    {"220 ok\r\n2", 220, false},
	    {"220 ok\r\n\r\n", 220, false},
	    {"hello\r\n", 0, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_dialogue dialogue;
		GString *heard = g_string_new(NULL);
		dialogue_begin(&dialogue);
		dialogue_receive(&dialogue, heard, cases[i].reply, 3);
		cr_expect_eq(smtp_dialogue_code(&dialogue), cases[i].want_code,
		    "\"%s\": got %d, want %d", cases[i].reply, smtp_dialogue_code(&dialogue),
		    cases[i].want_code);
		cr_expect_eq(smtp_dialogue_is_one_reply(&dialogue), cases[i].want_one, "\"%s\"",
		    cases[i].reply);
		g_string_free(heard, TRUE);
		smtp_dialogue_clear(&dialogue);
	}
}

Test(dialogue, lets_nothing_out_without_what_is_wanted)
{
	static const struct {
		const char *name;
		bool wants_tls, wants_auth, secured;
		const char *auth_reply, *command;
		bool want;
	} cases[] = {
	    {"nothing wanted", false, false, false, NULL, "MAIL FROM:<>\r\n", true},
	    {"TLS missing at MAIL", true, false, false, NULL, "MAIL FROM:<>\r\n", false},
	    {"TLS missing at AUTH", true, true, false, NULL, "AUTH PLAIN x\r\n", false},
	    {"TLS missing at EHLO", true, true, false, NULL, "EHLO me\r\n", true},
	    {"TLS missing at QUIT", true, true, false, NULL, "QUIT\r\n", true},
	    {"TLS", true, false, true, NULL, "MAIL FROM:<>\r\n", true},
	    {"AUTH missing", false, true, false, NULL, "MAIL FROM:<>\r\n", false},
	    {"AUTH refused", false, true, false, "535 no\r\n", "MAIL FROM:<>\r\n", false},
	    {"AUTH half done", false, true, false, "334 go on\r\n", "MAIL FROM:<>\r\n", false},
	    {"AUTH", false, true, false, "235 yes\r\n", "MAIL FROM:<>\r\n", true},
	    {"TLS and AUTH", true, true, true, "235 yes\r\n", "MAIL FROM:<>\r\n", true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_dialogue dialogue;
		GString *heard = g_string_new(NULL);
		dialogue_begin(&dialogue);
		dialogue.wants_tls = cases[i].wants_tls;
		dialogue.wants_auth = cases[i].wants_auth;
		dialogue.secured = cases[i].secured;
		dialogue_send(&dialogue, "EHLO me\r\n");
		dialogue_receive(&dialogue, heard, "250 ok\r\n", 1);
		if (cases[i].auth_reply) {
			dialogue_send(&dialogue, "AUTH PLAIN x\r\n");
			dialogue_receive(&dialogue, heard, cases[i].auth_reply, 2);
		}
		bool got = dialogue_send(&dialogue, cases[i].command);
		cr_expect_eq(
		    got, cases[i].want, "%s: got %d, want %d", cases[i].name, got, cases[i].want);
		if (!got) {
			cr_expect_not(
			    dialogue_send(&dialogue, "MAIL FROM:<>\r\n"), "%s", cases[i].name);
			cr_expect(dialogue_send(&dialogue, "QUIT\r\n"), "%s", cases[i].name);
		}
		g_string_free(heard, TRUE);
		smtp_dialogue_clear(&dialogue);
	}
}
