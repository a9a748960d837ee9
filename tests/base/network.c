/* SPDX-License-Identifier: MIT */
/* Tests IP addresses and networks. */
#include "text/network.h"

#include <criterion/criterion.h>
#include <string.h>

#include "config/settings_table.h"

Test(network, reads_addresses)
{
	static const struct {
		const char *text, *want; /* NULL: none */
	} cases[] = {
	    {"192.0.2.1", "192.0.2.1"},
	    {"0.0.0.0", "0.0.0.0"},
	    {"255.255.255.255", "255.255.255.255"},
	    {"2001:DB8:0:0::1", "2001:db8::1"},
	    {"::1", "::1"},
	    {"::ffff:192.0.2.1", "192.0.2.1"},
	    {"::ffff:c000:201", "192.0.2.1"},
	    {"::192.0.2.1", "::192.0.2.1"},
	    {"", NULL},
	    {"192.0.2", NULL},
	    {"192.0.2.256", NULL},
	    {"192.0.2.1 ", NULL},
	    {"192.0.2.1/32", NULL},
	    {"[::1]", NULL},
	    {"fe80::1%eth0", NULL},
	    {"localhost", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct text_network_address address;
		char text[ADDRESS_TEXT_SIZE];
		const char *got = text_network_address(cases[i].text, &address)
				      ? text_network_format(&address, text)
				      : NULL;
		cr_expect_eq(g_strcmp0(got, cases[i].want), 0, "%s: got %s, want %s", cases[i].text,
		    got, cases[i].want);
	}
}

Test(network, knows_what_lies_in_it)
{
	static const struct {
		const char *networks[3], *address;
		bool want;
	} cases[] = {
	    {{NULL}, "192.0.2.1", false},
	    {{"192.0.2.1"}, "192.0.2.1", true},
	    {{"192.0.2.1"}, "192.0.2.2", false},
	    {{"::1"}, "::1", true},
	    {{"192.0.2.1/32"}, "192.0.2.1", true},
	    {{"192.0.2.1/32"}, "192.0.2.2", false},
	    {{"192.0.2.0/24"}, "192.0.2.255", true},
	    {{"192.0.2.0/24"}, "192.0.3.0", false},
	    {{"192.0.2.77/24"}, "192.0.2.1", true},
	    {{"10.8.0.0/13"}, "10.15.255.255", true},
	    {{"10.8.0.0/13"}, "10.16.0.0", false},
	    {{"10.8.0.0/13"}, "10.7.255.255", false},
	    {{"0.0.0.0/0"}, "203.0.113.9", true},
	    {{"0.0.0.0/0"}, "::1", false},
	    {{"::/0"}, "2001:db8::1", true},
	    {{"::/0"}, "192.0.2.1", false},
	    {{"2001:db8::/33"}, "2001:db8:7fff::1", true},
	    {{"2001:db8::/33"}, "2001:db8:8000::1", false},
	    {{"10.0.0.0/8", "fd00::/8"}, "fd12::1", true},
	    {{"10.0.0.0/8"}, "::ffff:10.1.2.3", true},
	    {{"::ffff:10.0.0.0/104"}, "10.1.2.3", true},
	    {{"::ffff:10.0.0.0/104"}, "11.1.2.3", false},
	    {{"::ffff:0:0/96"}, "11.1.2.3", true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct text_network_address address;

		for (gsize n = 0; cases[i].networks[n]; n++) {
			g_autofree char *entry = g_strdup(cases[i].networks[n]);
			cr_assert(config_settings_describe(SETTING_SMTPD_PLAIN_AUTH)->check(entry),
			    "%s", entry);
		}
		cr_assert(text_network_address(cases[i].address, &address));
		bool got = text_network_holds(cases[i].networks, &address);
		cr_expect_eq(got, cases[i].want, "%s in %s: got %d", cases[i].address,
		    cases[i].networks[0], got);
	}
}
