/* SPDX-License-Identifier: MIT */
/* Unknown names: Ignored-Members, and [service] unknown_members = refuse. */
#include <criterion/criterion.h>

#include "tests/http/alone.h"
#include "tests/http/email.h"

FIXTURE_SUITE(unknown, 900);

#define BODY(more) "{'from':'a@example.com','to':'b@example.net','subject':'S','html':'x'" more "}"
#define FILE(more) "'attachments':[{'filename':'a.txt','content':'YQ=='" more "}]"

Test(unknown, ignores_or_refuses)
{
	static const struct exchange ignored[] = {
	    {"in their order", "POST", "/v1/emails?zz=1&b=2&zz=3",
		BODY(",'colour':1," FILE(",'size':1,'x y':2") ",'\xc3\xa9':null"), 201,
		.want_header = {"Ignored-Members: colour, attachments[0].size, "
				"attachments[0].x%20y, %C3%A9, zz, b"}},
	    {"none", "POST", "/v1/emails", BODY(""), 201, .want_header = {"Ignored-Members:"}},
	    {"what may hold anything", "POST", "/v1/emails",
		BODY(",'variables':{'Html':'1','v':{'value':1,'Default':2}},'tags':{'Tags':'1'},"
		     "'headers':{'X-Header':'1'}"),
		201, .want_header = {"Ignored-Members:"}},
	    {"properties", "POST", "/v1/events",
		"{'event_name':'e','email':'a@example.net','properties':{'eMail':1}}", 200,
		.want_header = {"Ignored-Members:"}},
	    {"a draft", "POST", "/v1/workflows",
		"{'name':'N','design':{'nodes':[{'id':'a','type':'trigger','Data':1,"
		"'data':{'re_entry':1}}],'edges':[],'Nodes':1}}",
		200, .want_header = {"Ignored-Members:"}},
	    {"a batch, in its order", "POST", "/v1/emails/batch?zz=1",
		"{'a':1,'emails':[" BODY(",'colour':1," FILE(",'size':1")) "],'b':2}", 201,
		.want_header = {"Ignored-Members: a, emails[0].colour, "
				"emails[0].attachments[0].size, b, zz"}},
	    {"a batch with a bad one", "POST", "/v1/emails/batch",
		"{'mode':'permissive','emails':[{'colour':1,'Html':'x'}," BODY("") "]}", 201,
		.want_header = {"Ignored-Members: emails[0].colour"}},
	    {"a batch", "POST", "/v1/emails/batch", "{'emails':[" BODY(",'colour':1") "]}", 201,
		.headers = {"Idempotency-Key: once"},
		.want_header = {"Ignored-Members: emails[0].colour"}},
	    {"a batch again", "POST", "/v1/emails/batch", "{'emails':[" BODY(",'colour':1") "]}",
		201, .headers = {"Idempotency-Key: once"},
		.want_header = {"Ignored-Members: emails[0].colour"}},
	    {"HEAD", "HEAD", "/v1/emails?limit=5", NULL, 200,
		.want_header = {"Ignored-Members: limit"}},
	    {"not on a failure", "GET", "/v1/templates/none?limit=5", NULL, 404,
		.want_header = {"Ignored-Members:"}},
	    {"misspelled", "POST", "/v1/emails", BODY(",'colour':1,'scheduledAt':1"), 400,
		"{'message':'scheduledAt is not a field of this request; did you mean "
		"scheduled_at?'}"},
	    {"misspelled below", "POST", "/v1/emails", BODY("," FILE(",'contentType':'a/b'")), 400,
		"{'message':'attachments[0].contentType is not a field of this request; did you "
		"mean content_type?'}"},
	    {"before what is required", "POST", "/v1/emails", "{'Html':'x'}", 400,
		"{'message':'Html is not a field of this request; did you mean html?'}"},
	    {"parameter", "GET", "/v1/emails?Status=sent", NULL, 400,
		"{'message':'Status is not a parameter of this request; did you mean status?'}"},
	    {"error form", "GET", "/v1/automation/contacts?cursors=x", NULL, 400,
		"{'error':'Failed to list contacts','details':'cursors is not a parameter of this "
		"request; did you mean cursor?'}"},
	    {"not of a template that is there", "PATCH", "/v1/templates/none", "{'id':'x'}", 404},
	};
	static const struct exchange refused[] = {
	    {"member", "POST", "/v1/emails", BODY(",'colour':1,'scheduledAt':1"), 400,
		"{'message':'colour is not a field of this request'}"},
	    {"member below", "POST", "/v1/emails", BODY("," FILE(",'size':1")), 400,
		"{'message':'attachments[0].size is not a field of this request'}"},
	    {"misspelled", "POST", "/v1/emails", BODY(",'scheduledAt':1,'colour':1"), 400,
		"{'message':'scheduledAt is not a field of this request; did you mean "
		"scheduled_at?'}"},
	    {"in a batch", "POST", "/v1/emails/batch", "{'emails':[" BODY(",'colour':1") "]}", 400,
		"{'message':'1 of 1 emails are not valid; none was stored','errors':[{'index':0,"
		"'message':'colour is not a field of this request'}]}"},
	    {"parameter", "GET", "/v1/emails?limit=5", NULL, 400,
		"{'message':'limit is not a parameter of this request'}"},
	    {"parameter where there is none", "DELETE", "/v1/templates/none?force", NULL, 400,
		"{'message':'force is not a parameter of this request'}"},
	    {"public", "GET", "/health?now", NULL, 200},
	    {"nothing unknown", "POST", "/v1/emails", BODY(",'variables':{'x':1}"), 201,
		.want_header = {"Ignored-Members:"}},
	};

	EXPECT_ALL(fixture, ignored);
	ALONE_SET(fixture, "service.unknown_members=refuse");
	EXPECT_ALL(fixture, refused);
	ALONE_SET(fixture, "service.unknown_members=");
}
