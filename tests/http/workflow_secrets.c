/* SPDX-License-Identifier: MIT */
/* Secrets that steps of workflows use. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/workflow.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/support/db.h"

FIXTURE_SUITE(workflow_secrets, 900);

#define PATH "/v1/secrets"
#define NAME_FAULT "{'message':'name must be 1 to 64 letters, digits, _ or -'}"
#define VALUE_FAULT "{'message':'value must be 1 to 4096 printable ASCII characters'}"
#define SIGNING_FAULT "{'message':'value must be whsec_ and base64'}"
#define NAME_64 "a23456789012345678901234567890123456789012345678901234567890-_64"

Test(workflow_secrets, are_checked)
{
	g_autofree char *longest = g_strnfill(LIMIT_SECRET_VALUE_LENGTH, '~');
	g_autofree char *at = g_strdup_printf("{'value':'%s'}", longest);
	g_autofree char *past = g_strdup_printf("{'value':' %s'}", longest);
	const struct exchange exchanges[] = {
	    {"a blank", "PUT", PATH "/a%20b", "{'value':'x'}", 400, NAME_FAULT},
	    {"a dot", "PUT", PATH "/a.b", "{'value':'x'}", 400, NAME_FAULT},
	    {"64", "PUT", PATH "/" NAME_64, "{'value':'x'}", 200, .want = {"name = '" NAME_64 "'"}},
	    {"65", "PUT", PATH "/" NAME_64 "5", "{'value':'x'}", 400, NAME_FAULT},
	    {"empty", "PUT", PATH "/a", "{'value':''}", 400, VALUE_FAULT},
	    {"4096", "PUT", PATH "/a", at, 200},
	    {"4097", "PUT", PATH "/a", past, 400, VALUE_FAULT},
	    {"a line feed", "PUT", PATH "/a", "{'value':'x\\n'}", 400, VALUE_FAULT},
	    {"no ASCII", "PUT", PATH "/a", "{'value':'ä'}", 400, VALUE_FAULT},
	    {"no text", "PUT", PATH "/a", "{'value':1}", 400,
		"{'message':'value must be a string'}"},
	    {"signing", "PUT", PATH "/signing", "{'value':'whsec_AAEC'}", 200},
	    {"no prefix", "PUT", PATH "/signing", "{'value':'AAEC'}", 400, SIGNING_FAULT},
	    {"no base64", "PUT", PATH "/signing", "{'value':'whsec_AA-C'}", 400, SIGNING_FAULT},
	    {"nothing behind", "PUT", PATH "/signing", "{'value':'whsec_'}", 400, SIGNING_FAULT},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(workflow_secrets, are_set_listed_and_removed)
{
	static const struct exchange exchanges[] = {
	    {"none", "GET", PATH, NULL, 200, "{'secrets':[],'count':0,'cursor':null}"},
	    {"given", "PUT", PATH "/crm", "{'value':'Bearer 1'}", 200,
		.want = {"name = 'crm'", "created : integer", "updated : integer",
		    "value : absent"}},
	    {"made", "PUT", PATH "/api", "{}", 200, .want = {"name = 'api'", "value : string"}},
	    {"made without a body", "PUT", PATH "/signing", NULL, 200, .want = {"value : string"}},
	    {"made for null", "PUT", PATH "/api", "{'value':null}", 200,
		.want = {"value : string"}},
	    {"by their names", "GET", PATH, NULL, 200,
		.want = {"secrets[0].name = 'api'", "secrets[1].name = 'crm'",
		    "secrets[2].name = 'signing'", "count = 3", "cursor = null",
		    "secrets[0].value : absent"}},
	    {"an unknown one", "DELETE", PATH "/CRM", NULL, 404, "{'message':'Secret not found'}"},
	    {"an unknown one in another alphabet", "DELETE", PATH "/€", NULL, 404,
		"{'message':'Secret not found'}"},
	    {"removed", "DELETE", PATH "/crm", NULL, 200, "{'message':'Secret deleted'}"},
	    {"gone", "DELETE", PATH "/crm", NULL, 404, "{'message':'Secret not found'}"},
	    {"in the audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'secret.deleted'", "audit[1].action = 'secret.changed'",
		    "audit[1].target.id = 'api'", "audit[2].action = 'secret.created'",
		    "audit[2].target.id = 'signing'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(workflow_secrets, are_encrypted)
{
	static const struct exchange exchange = {
	    "set", "PUT", PATH "/crm", "{'value':'Bearer 1'}", 200};

	exchange_expect_all(fixture, &exchange, 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM secret WHERE workspace_id = "
						 "@workspace AND value LIKE '%Bearer%'"),
	    0);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM secret WHERE workspace_id = @workspace"),
	    1);
}

Test(workflow_secrets, are_a_hundred_at_most)
{
	for (guint i = 0; i < LIMIT_SECRETS; i++) {
		g_autofree char *path = g_strdup_printf(PATH "/s%u", i);
		const struct exchange exchange = {path, "PUT", path, "{'value':'x'}", 200};

		exchange_expect_all(fixture, &exchange, 1);
	}
	static const struct exchange exchanges[] = {
	    {"101", "PUT", PATH "/more", "{'value':'x'}", 409,
		"{'message':'Limit reached: at most 100 secrets'}"},
	    {"one of them", "PUT", PATH "/s7", "{'value':'y'}", 200},
	    {"malformed", "GET", PATH "?cursor=zz", NULL, 400, "{'message':'cursor is malformed'}"},
	    {"no base64", "GET", PATH "?cursor=!", NULL, 400, "{'message':'cursor is malformed'}"},
	};
	static const struct exchange first = {"first page", "GET", PATH, NULL, 200,
	    .want = {"count = 50", "secrets[0].name = 's0'", "secrets[2].name = 's10'",
		"cursor : string"}};

	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) page = exchange_expect(fixture, &first);
	g_autofree char *path = g_strdup_printf(PATH "?cursor=%s", answer_text(page, "cursor"));
	const struct exchange second = {"last page", "GET", path, NULL, 200,
	    .want = {"count = 50", "secrets[49].name = 's99'", "cursor = null"}};
	exchange_expect_all(fixture, &second, 1);
}
