/* SPDX-License-Identifier: MIT */
#include "core/spf.h"

#include <criterion/criterion.h>
#include <glib.h>

static const struct spf_case {
	const char *text, *ours;
	bool want;
} cases[] = {
    {"v=spf1 include:r.example ~all", "v=spf1 include:r.example ~all", true},
    {"v=spf1 include:r.example -all", "v=spf1 include:r.example ~all", true},
    {"v=spf1 include:r.example", "v=spf1 include:r.example ~all", true},
    {"V=SPF1 INCLUDE:R.Example ~ALL", "v=spf1 include:r.example ~all", true},
    {"v=spf1  +include:r.example.   ~all ", "v=spf1 include:r.example ~all", true},
    {"v=spf1 a mx include:other.example include:r.example ~all", "v=spf1 include:r.example ~all",
	true},
    {"v=spf1 include:r.example redirect=other.example", "v=spf1 include:r.example ~all", true},
    {"v=spf1 ip4:192.0.2.1 include:r.example ~all", "v=spf1 include:r.example ip4:192.0.2.1 ~all",
	true},
    {"v=spf1 include:r.example ~all", "v=spf1 include:r.example ip4:192.0.2.1 ~all", false},
    {"v=spf1 ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ~all include:r.example", "v=spf1 include:r.example ~all", false},
    {"v=spf1 -include:r.example ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ~include:r.example ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ?include:r.example ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 include:r.example.net ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 redirect=r.example", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ip4:192.0.2.0/24 ~all", "v=spf1 ip4:192.0.2.1 ~all", true},
    {"v=spf1 ip4:192.0.2.1/32 ~all", "v=spf1 ip4:192.0.2.1 ~all", true},
    {"v=spf1 ip4:192.0.2.0/31 ~all", "v=spf1 ip4:192.0.2.2 ~all", false},
    {"v=spf1 ip4:192.0.2.0/31 ~all", "v=spf1 ip4:192.0.2.0/30 ~all", false},
    {"v=spf1 ip4:0.0.0.0/0 ~all", "v=spf1 ip4:192.0.2.0/30 ~all", true},
    {"v=spf1 ip4:192.0.2.1/33 ~all", "v=spf1 ip4:192.0.2.1 ~all", false},
    {"v=spf1 ip4:192.0.2.1/ ~all", "v=spf1 ip4:192.0.2.1 ~all", false},
    {"v=spf1 ip4:bogus ~all", "v=spf1 ip4:192.0.2.1 ~all", false},
    {"v=spf1 ip6:2001:DB8::/32 ~all", "v=spf1 ip6:2001:db8:0:0::1 ~all", true},
    {"v=spf1 ip6:2001:db8::1 ~all", "v=spf1 ip4:192.0.2.1 ~all", false},
    {"v=spf1 mx ~all", "v=spf1 mx ~all", true},
    {"v=spf1 mx:send.example.com ~all", "v=spf1 mx ~all", true},
    {"v=spf1 MX:Send.Example.Com/24 ~all", "v=spf1 mx/24 ~all", true},
    {"v=spf1 mx:example.com ~all", "v=spf1 mx ~all", false},
    {"v=spf1 a:send.example.com ~all", "v=spf1 a ~all", true},
    {"v=spf1 mx ~all", "v=spf1 a ~all", false},
    {"v=spf1 a ~all", "v=spf1 all", true},
};

Test(spf, compares_what_is_allowed)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct spf_case *c = &cases[i];
		bool got = core_spf_allows(c->text, c->ours, "send.example.com");

		cr_expect_eq(got, c->want, "\"%s\" for \"%s\": got %d", c->text, c->ours, got);
	}
}

Test(spf, knows_its_records)
{
	static const struct {
		const char *text;
		bool want;
	} records[] = {
	    {"v=spf1", true},
	    {"v=spf1 -all", true},
	    {"V=SPF1 -all", true},
	    {"v=spf10 -all", false},
	    {"v=spf2.0/pra -all", false},
	    {" v=spf1 -all", false},
	    {"\"v=spf1 -all\"", false},
	    {"google-site-verification=v=spf1", false},
	    {"", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(records); i++)
		cr_expect_eq(core_spf_is_record(records[i].text), records[i].want, "\"%s\"",
		    records[i].text);
}
