/* SPDX-License-Identifier: MIT */
/* What clients see of emails to a person who was erased. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"

TENANT_SUITE(erased, 120);

static void
erase(const char *email)
{
	g_free(TEST_RUN(
	    tenant->instance, "posthouse", "contact", "erase", email, "--workspace", tenant->name));
}

Test(erased, people_are_in_no_email)
{
	g_autofree char *alone = email_send(tenant, "'to':'Gone <gone@x.org>'");
	g_autofree char *shared = email_send(
	    tenant, "'to':['Gone <gone@x.org>','here@x.org'],'cc':'GONE@x.org','tags':{'a':'b'}");
	g_autofree char *alone_path = g_strconcat("/v1/emails/", alone, NULL);
	g_autofree char *shared_path = g_strconcat("/v1/emails/", shared, NULL);
	const struct exchange exchanges[] = {
	    {"alone", "GET", alone_path, NULL, 404, "{'message':'Email not found'}"},
	    {"shared", "GET", shared_path, NULL, 200,
		.want = {"to = ['here@x.org']", "cc = []", "subject = ''", "html = ''", "text = ''",
		    "tags = {}", "recipient_statuses[0].recipient = 'here@x.org'",
		    "recipient_statuses[0].events[0].status = 'sent'",
		    "recipient_statuses[1] : null", "last_event.recipient = 'here@x.org'"}},
	    {"in a list", "GET", "/v1/emails", NULL, 200,
		.want = {"count = 1", "emails[0].to = ['here@x.org']",
		    "emails[0].recipient_statuses[0].recipient = 'here@x.org'",
		    "emails[0].recipient_statuses[1] : null"}},
	    {"looked for", "GET", "/v1/emails?to=gone@x.org", NULL, 200, .want = {"count = 0"}},
	    {"the other looked for", "GET", "/v1/emails?to=here@x.org", NULL, 200,
		.want = {"count = 1"}},
	};

	arrival_free(arrival_wait(tenant, shared));
	erase("gone@x.org");
	EXPECT_ALL(tenant, exchanges);
}

/* The hash that is left of a person keeps mail away, and shows no email. */
Test(erased, people_get_no_mail)
{
	erase("Gone@x.org");
	audience_expect(tenant, "POST", "{'email':'gone@x.org','scope':'automation'}", 200, NULL,
	    "/v1/suppressions");
	g_autofree char *id = email_send(tenant, "'to':'gone@x.org'");
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchanges[] = {
	    {"list", "GET", "/v1/suppressions", NULL, 200,
		.want = {"count = 1", "suppressions[0].email = null",
		    "suppressions[0].reason = 'manual'", "suppressions[0].scope = 'all'"}},
	    {"email", "GET", path, NULL, 200, .want = {"last_event.status = 'suppressed'"}},
	    {"deleted", "DELETE", "/v1/suppressions/gone@x.org", NULL, 200},
	    {"gone", "GET", "/v1/suppressions/gone@x.org", NULL, 404},
	};

	cr_expect_eq(arrival_count(tenant, id), 0u);
	EXPECT_ALL(tenant, exchanges);
}
