/* SPDX-License-Identifier: MIT */
/* Imports of many contacts or people in one request. */
#include <criterion/criterion.h>

#include "base/limits/import.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define PEOPLE "/v1/people/import"
#define STRANGE "01890a5d-ac96-774b-bcce-b302099a8057"

FIXTURE_SUITE(imports, 900);

/* The answer of an import that says nothing else. */
#define RESULT(created, updated, unchanged, skipped, kept)                                         \
	"{'created':" #created ",'updated':" #updated ",'unchanged':" #unchanged                   \
	",'skipped':" #skipped ",'kept':" #kept ",'failed':[]}"

Test(imports, take_rows_once)
{
	g_autofree char *audience = audience_new(fixture, "N");
	static const char rows[] =
	    "{'rows':[{'email':'Ada@x.org','first_name':'Ada','language':'en','time_zone':"
	    "'Europe/Berlin','properties':{'plan':'pro','at':{'a':1}},'is_subscribed':true},"
	    "{'email':'bob@x.org','is_subscribed':false}]}";

	audience_expect(
	    fixture, "POST", rows, 200, RESULT(2, 0, 0, 0, 0), "/v1/audiences/%s/import", audience);
	audience_expect(
	    fixture, "POST", rows, 200, RESULT(0, 0, 2, 0, 0), "/v1/audiences/%s/import", audience);
	audience_expect_counts(fixture, audience, 2, 1);
	const struct exchange person[] = {
	    {"person", "GET", "/v1/people/ada@x.org", NULL, 200,
		.want = {"first_name = 'Ada'", "language = 'en'", "time_zone = 'Europe/Berlin'",
		    "properties = {'plan':'pro','at':{'a':1}}", "subscribed = true",
		    "audiences[0].status = 'subscribed'", "audiences[0].source = 'import'"}},
	};
	EXPECT_ALL(fixture, person);
	/* Null clears or removes, the rest stays. */
	audience_expect(fixture, "POST",
	    "{'rows':[{'email':'ada@x.org','language':null,"
	    "'properties':{'plan':null,'at':{'b':2}}},{'email':'ADA@x.org','last_name':'L'}]}",
	    200, NULL, "/v1/audiences/%s/import", audience);
	const struct exchange changed[] = {
	    {"changed", "GET", "/v1/people/ada@x.org", NULL, 200,
		.want = {"first_name = 'Ada'", "last_name = 'L'", "language = null",
		    "properties = {'at':{'a':1,'b':2}}"}},
	};
	EXPECT_ALL(fixture, changed);
}

Test(imports, take_people_without_audiences)
{
	const struct exchange exchanges[] = {
	    {"made", "POST", PEOPLE, "{'rows':[{'email':'a@x.org'},{'email':'b@x.org'}]}", 200,
		RESULT(2, 0, 0, 0, 0)},
	    {"skipped", "POST", PEOPLE,
		"{'rows':[{'email':'a@x.org','first_name':'A'},{'email':'c@x.org'}],"
		"'duplicates':'skip'}",
		200, RESULT(1, 0, 0, 1, 0)},
	    {"updated", "POST", PEOPLE, "{'rows':[{'email':'a@x.org','first_name':'A'}]}", 200,
		RESULT(0, 1, 0, 0, 0)},
	    {"left", "POST", PEOPLE, "{'rows':[{'email':'b@x.org','subscribed':false}]}", 200},
	    {"has left", "GET", "/v1/people/b@x.org", NULL, 200,
		.want = {"subscribed = false", "audiences = []"}},
	    {"the operation's name is no person", "GET", PEOPLE, NULL, 404,
		"{'message':'Person not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(imports, tell_the_rows_that_fail)
{
	static const char rows[] =
	    "{'rows':[{'email':'a@x.org'},{'email':'bob'},{},7,{'email':'c@x.org','first_name':''},"
	    "{'email':'d@x.org','language':'?'},{'email':'e@x.org','time_zone':'Mars'},"
	    "{'email':'f@x.org','properties':{'age':'old'}},{'email':'g@x.org','properties':7},"
	    "{'email':'h@x.org','firstName':'H'},{'email':'a@x.org'},{'email':'z@x.org'}],"
	    "'duplicates':'refuse'}";
	const struct exchange exchanges[] = {
	    {"property", "POST", "/v1/properties", "{'key':'age','type':'number'}", 200},
	    {"import", "POST", PEOPLE, rows, 200,
		.want = {"created = 2", "updated = 0", "failed[0].index = 1",
		    "failed[0].message : string",
		    "failed[1] = {'index':2,'message':'email is "
		    "required'}",
		    "failed[2] = {'index':3,'message':'must be an object'}", "failed[3].index = 4",
		    "failed[4] = {'index':5,'message':'language must be a BCP 47 language tag'}",
		    "failed[5] = {'index':6,'message':'time_zone must be an IANA time zone'}",
		    "failed[6] = {'index':7,'message':'properties.age must be a number'}",
		    "failed[7] = {'index':8,'message':'properties must be an object'}",
		    "failed[8] = {'index':9,'message':'firstName is not a field of this request; "
		    "did you mean first_name?'}",
		    "failed[9] = {'index':10,'message':'Person already exists'}",
		    "failed[10] = null"}},
	    {"taken", "GET", "/v1/people/z@x.org", NULL, 200},
	    {"not taken", "GET", "/v1/people/f@x.org", NULL, 404},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The person's own choice stands, unless it is overridden. */
Test(imports, keep_what_people_chose)
{
	g_autofree char *audience = audience_new(fixture, "N");
	static const char join[] = "{'rows':[{'email':'a@x.org','is_subscribed':true}]}";
	static const char all[] =
	    "{'rows':[{'email':'a@x.org','is_subscribed':true}],'override':'asked by phone'}";

	audience_expect(fixture, "POST", join, 200, NULL, "/v1/audiences/%s/import", audience);
	audience_expect(fixture, "PATCH", "{'subscribed':false}", 200, NULL, "/v1/people/a@x.org");
	test_db_plain(fixture->db, "UPDATE choice SET author = 1 WHERE workspace_id = @workspace");
	audience_expect(
	    fixture, "POST", join, 200, RESULT(0, 0, 1, 0, 1), "/v1/audiences/%s/import", audience);
	audience_expect_counts(fixture, audience, 1, 1);
	audience_expect(
	    fixture, "POST", all, 200, RESULT(0, 1, 0, 0, 0), "/v1/audiences/%s/import", audience);
	audience_expect_counts(fixture, audience, 1, 0);
	const struct exchange history[] = {{"history", "GET", "/v1/people/a@x.org/history", NULL,
	    200, .want = {"history[0].reason = 'asked by phone'"}}};
	EXPECT_ALL(fixture, history);
}

/* The operator brings the consent. */
Test(imports, ask_for_no_confirmation)
{
	g_autofree char *audience = audience_new(fixture, "N");

	audience_expect(fixture, "PUT", "{'required':true,'from':'a@" FIXTURE_DOMAIN "'}", 200,
	    NULL, "/v1/audiences/%s/opt-in", audience);
	audience_expect(fixture, "POST", "{'rows':[{'email':'a@x.org'}]}", 200,
	    RESULT(1, 0, 0, 0, 0), "/v1/audiences/%s/import", audience);
	audience_expect_counts(fixture, audience, 1, 0);
	cr_expect_eq(test_db_number(
			 fixture->db, "SELECT COUNT(*) FROM email WHERE workspace_id = @workspace"),
	    0);
}

/* A body with so many rows. */
static char *
imports_rows_of(guint count)
{
	GString *body = g_string_new("{'rows':[");

	for (guint i = 0; i < count; i++)
		g_string_append_printf(body, "%s{'email':'p%u@x.org'}", i ? "," : "", i);
	g_string_append(body, "]}");
	return g_string_free(body, FALSE);
}

Test(imports, check_their_fields)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *audience = audience_new(fixture, "N"), *strange = audience_new(other, "N");
	g_autofree char *most = imports_rows_of(LIMIT_IMPORT_ROWS),
			*past = imports_rows_of(LIMIT_IMPORT_ROWS + 1);
	g_autofree char *reader = fixture_new_key(fixture, "read", NULL);
	g_autofree char *header = g_strconcat("Authorization: Bearer ", reader, NULL);
	const struct exchange exchanges[] = {
	    {"none", "POST", PEOPLE, "{}", 400, "{'message':'rows is required'}"},
	    {"null", "POST", PEOPLE, "{'rows':null}", 400, "{'message':'rows is required'}"},
	    {"text", "POST", PEOPLE, "{'rows':'x'}", 400, "{'message':'rows must be an array'}"},
	    {"empty", "POST", PEOPLE, "{'rows':[]}", 400,
		"{'message':'rows must have 1 to 1000 elements'}"},
	    {"at the limit", "POST", PEOPLE, most, 200, RESULT(1000, 0, 0, 0, 0)},
	    {"past it", "POST", PEOPLE, past, 400,
		"{'message':'rows must have 1 to 1000 elements'}"},
	    {"duplicates", "POST", PEOPLE, "{'rows':[{}],'duplicates':'x'}", 400,
		"{'message':'duplicates must be update, skip or refuse'}"},
	    {"override", "POST", PEOPLE, "{'rows':[{}],'override':''}", 400,
		"{'message':'override must be true or a reason of 1 to 500 characters'}"},
	    {"reader", "POST", PEOPLE, "{'rows':[{}]}", 403, .headers = {header}},
	};

	EXPECT_ALL(fixture, exchanges);
	static const char *const missing = "{'message':'Audience not found'}";
	audience_expect(
	    fixture, "POST", "{'rows':[{}]}", 404, missing, "/v1/audiences/%s/import", strange);
	audience_expect(fixture, "POST", "{'rows':[{'email':'a@x.org'}]}", 404, missing,
	    "/v1/audiences/%s/import", STRANGE);
	audience_expect(fixture, "POST", "{'rows':[{}]}", 404, missing, "/v1/audiences/x/import");
	audience_expect(fixture, "POST", "{'rows':[]}", 400, NULL, "/v1/audiences/x/import");
	audience_expect_counts(fixture, audience, 0, 0);
}

Test(imports, are_in_the_audit)
{
	g_autofree char *audience = audience_new(fixture, "N");
	g_autofree char *target = g_strdup_printf(
	    "audit[0].target = {'type':'audience','id':'%s','name':null}", audience);

	audience_expect(fixture, "POST", "{'rows':[{'email':'a@x.org'}]}", 200, NULL,
	    "/v1/audiences/%s/import", audience);
	const struct exchange audit[] = {{"audit", "GET", "/v1/audit", NULL, 200,
	    .want = {"audit[0].action = 'audience.changed'", target}}};
	EXPECT_ALL(fixture, audit);
}
