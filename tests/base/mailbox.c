/* SPDX-License-Identifier: MIT */
#include "base/mailbox.h"

#include <criterion/criterion.h>
#include <glib.h>

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
		cr_expect_str_eq(base_mailbox_word(cases[i].address), cases[i].want, "%s: got %s",
		    cases[i].address, base_mailbox_word(cases[i].address));
}
