/* SPDX-License-Identifier: MIT */
/* Forms behind a proxy: the networks to which submissions are counted. */
#include <criterion/criterion.h>

#include "tests/http/alone.h"
#include "tests/http/audience.h"
#include "tests/support/db.h"

FIXTURE_SUITE(forms_alone, 900);

/* Submits from an address. The caller owns the answer. */
static struct answer *
forms_alone_submit(const char *form, const char *address)
{
	g_autofree char *from = g_strdup_printf("X-Forwarded-For: %s", address);
	const struct exchange exchange = {address, "POST", form, "email=x",
	    .headers = {"Authorization:", "Content-Type: application/x-www-form-urlencoded", from}};

	return exchange_ask(fixture, &exchange);
}

/* Each network has two; a bad address counts as well. */
static const struct {
	const char *address;
	guint want;
} submissions[] = {
    {"192.0.2.1", 400},
    {"192.0.2.255", 400},
    {"192.0.2.3", 429},
    {"192.0.3.1", 400},
    {"192.0.1.255", 400},
    {"::ffff:192.0.2.9", 429},
    {"2001:db8:0:1::1", 400},
    {"2001:db8:0:1:ffff:ffff:ffff:ffff", 400},
    {"2001:db8:0:1:8000::", 429},
    {"2001:db8:0:2::1", 400},
    {"2001:db8::1", 400},
};

Test(forms_alone, count_networks)
{
	ALONE_SET(fixture, "service.trust_proxy=127.0.0.0/8");
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *body =
	    g_strdup_printf("{'name':'F','audience_id':'%s','per_network':2}", audience);
	AUTO(answer) one = audience_ask(fixture, "POST", body, "/v1/forms");
	AUTO(answer) other = audience_ask(fixture, "POST", body, "/v1/forms");
	g_autofree char *form = g_strconcat("/f/", answer_text(one, "id"), NULL);
	g_autofree char *second = g_strconcat("/f/", answer_text(other, "id"), NULL);

	for (guint i = 0; i < G_N_ELEMENTS(submissions); i++) {
		AUTO(answer) answer = forms_alone_submit(form, submissions[i].address);

		cr_expect_eq(answer->status, submissions[i].want, "%s: got %u",
		    submissions[i].address, answer->status);
	}
	AUTO(answer) answer = forms_alone_submit(second, "192.0.2.1");
	cr_expect_eq(answer->status, 400, "another form counts by itself: %u", answer->status);
}
