/* SPDX-License-Identifier: MIT */
#include "text/mailbox.h"

#include <criterion/criterion.h>
#include <glib.h>

#define LABEL63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LOCAL64 LABEL63 "a"

Test(mailbox, can_be_sent_to)
{
	static const struct {
		const char *address;
		bool want;
	} cases[] = {
	    {"a@x.org", true},
	    {"b+1f_2-3@send.x.org", true},
	    {"!#$%&'*+-/=?^_`{|}~@x.org", true},
	    {"a..b.@x.org", true},
	    {"a@xn--bcher-kva.example", true},
	    {"a@localhost", true},
	    {LOCAL64 "@x.org", true},
	    {LOCAL64 "a@x.org", false},
	    {"a@" LABEL63 ".org", true},
	    {"a@" LABEL63 "a.org", false},
	    {LOCAL64 "@" LABEL63 "." LABEL63
		     ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		     ".org",
		true},
	    {LOCAL64 "@" LABEL63 "." LABEL63
		     ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		     ".org",
		false},
	    {"", false},
	    {"a", false},
	    {"@x.org", false},
	    {"a@", false},
	    {"a@b@x.org", false},
	    {"-a@x.org", false},
	    {"a@-x.org", false},
	    {"a@x-.org", false},
	    {"a@x..org", false},
	    {"a@x.org.", false},
	    {"a@[127.0.0.1]", false},
	    {"\"a b\"@x.org", false},
	    {"a b@x.org", false},
	    {"a>b@x.org", false},
	    {"a@x.org>", false},
	    {"a@x.org\r\nRCPT TO:<c@x.org", false},
	    {"a\r\n@x.org", false},
	    {"a@x.org\n", false},
	    {"a\x01@x.org", false},
	    {"\xc3\xa4@x.org", false},
	    {"a@\xc3\xa4.org", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = text_mailbox_sendable(cases[i].address);
		cr_expect_eq(got, cases[i].want, "%s: got %d, want %d", cases[i].address, got,
		    cases[i].want);
	}
}

Test(mailbox, has_a_provider)
{
	static const struct {
		const char *address, *want;
	} cases[] = {
	    {"a@gmail.com", "gmail"},
	    {"a@GoogleMail.com", "gmail"},
	    {"a@gmail.de", "other"},
	    {"a@outlook.com", "microsoft"},
	    {"a@hotmail.co.uk", "microsoft"},
	    {"a@live.nl", "microsoft"},
	    {"a@live.example.com", "other"},
	    {"a@msn.com", "microsoft"},
	    {"a@yahoo.com.br", "yahoo"},
	    {"a@ymail.com", "yahoo"},
	    {"a@icloud.com", "apple"},
	    {"a@me.com", "apple"},
	    {"a@gmx.de", "gmx"},
	    {"a@gmx.net", "gmx"},
	    {"a@mail.gmx.net", "other"},
	    {"a@x.org", "other"},
	    {"a@yahoo", "other"},
	    {"a@yahoo.", "other"},
	    {"", "other"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_str_eq(text_mailbox_word(cases[i].address), cases[i].want, "%s: got %s",
		    cases[i].address, text_mailbox_word(cases[i].address));
}
