/* SPDX-License-Identifier: MIT */
/* Requests as the clients for PHP, Python and Go write them, byte by byte. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(resend_clients, 900);

/* The headers of each client besides the key. Python sends a body with every request, also with GET
 * and DELETE. */
#define PHP "User-Agent: resend-php/1.2.0", "Content-Type: application/json"
#define PYTHON                                                                                     \
	"User-Agent: resend-python:2.19.0", "Accept: application/json",                            \
	    "Content-Type: application/json"
#define GO                                                                                         \
	"User-Agent: resend-go/3.1.0", "Accept: application/json", "Content-Type: application/json"

#define FROM "Acme <onboarding@" FIXTURE_DOMAIN ">"

/* Go's encoder ends with a line feed, and escapes <, > and &. Zero values of members that are
   always written are "", null and 0. */
Test(resend_clients, for_go_are_served)
{
	const struct exchange exchanges[] = {
	    {"send", "POST", "/resend/emails",
		"{'from':'Acme \\u003conboarding@" FIXTURE_DOMAIN
		"\\u003e','to':['b@example.net'],'subject':'Tom \\u0026 "
		"Ada','cc':['c@example.net'],"
		"'reply_to':'r@example.net','html':'\\u003cp\\u003eHi\\u003c/p\\u003e','text':'Hi',"
		"'tags':[{'name':'category','value':'confirm_email'}],"
		"'attachments':[{'content':[104,101,108,108,111],'filename':'a.txt'}],"
		"'headers':{'X-Entity-Ref-ID':'1'},'scheduled_at':'in 1 hour'}\n",
		200, .want = {"id : string"}, .headers = {GO, "Idempotency-Key: go"}},
	    {"attachment by type", "POST", "/resend/emails",
		"{'from':'" FROM "','to':['b@example.net'],'subject':'S','text':'T',"
		"'attachments':[{'content':[137,80,78,71],'filename':'l.png',"
		"'content_type':'image/png','content_id':'logo'}]}\n",
		200, .headers = {GO}},
	    {"no recipients", "POST", "/resend/emails",
		"{'from':'" FROM "','to':null,'subject':'','text':'T'}\n", 422,
		.want = {"name = 'missing_required_field'", "statusCode = 422"}, .headers = {GO}},
	    {"batch", "POST", "/resend/emails/batch",
		"[{'from':'" FROM "','to':['b@example.net'],'subject':'S','html':'H'},"
		"{'from':'" FROM "','to':[],'subject':'S','html':'H'}]\n",
		200,
		.want = {"data[0].id : string",
		    "errors = [{'index':1,'message':'Missing `to` field.'}]"},
		.headers = {GO, "x-batch-validation: permissive"}},
	    {"cancel", "POST", "/resend/emails/" UNKNOWN "/cancel", NULL, 404,
		.want = {"message = 'Email not found'"}, .headers = {GO}},
	    {"domain", "POST", "/resend/domains", "{'name':'gone.example.net','region':''}\n", 201,
		.want = {"region = 'us-east-1'"}, .headers = {GO}},
	    {"domain without region", "POST", "/resend/domains", "{'name':'go.example.net'}\n", 201,
		.headers = {GO}},
	    {"key", "POST", "/resend/api-keys", "{'name':'go','permission':'sending_access'}\n",
		201, .want = {"id : string", "token : string"}, .headers = {GO}},
	    {"list", "GET", "/resend/emails?limit=2", NULL, 200, .want = {"object = 'list'"},
		.headers = {GO}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_clients, for_python_are_served)
{
	const struct exchange exchanges[] = {
	    {"send", "POST", "/resend/emails",
		"{'from': '" FROM
		"', 'to': ['b@example.net'], 'subject': 'Gr\\u00fc\\u00dfe \\ud83d\\ude00',"
		" 'html': '<strong>Hi</strong>', 'reply_to': 'r@example.net',"
		" 'bcc': 'd@example.net', 'tags': [{'name': 'tag1', 'value': 'v1'}],"
		" 'attachments': [{'filename': 'invoice.pdf', 'content': [37, 80, 68, 70]}]}",
		200, .want = {"id : string"}, .headers = {PYTHON, "Idempotency-Key: python"}},
	    {"list", "GET", "/resend/emails", "{}", 200,
		.want = {"data[0].subject = 'Gr\u00fc\u00dfe \U0001f600'",
		    "data[0].reply_to = ['r@example.net']", "data[0].bcc = ['d@example.net']"},
		.headers = {PYTHON}},
	    {"list, no parameters", "GET", "/resend/domains", "null", 200, .headers = {PYTHON}},
	    {"batch", "POST", "/resend/emails/batch",
		"[{'from': '" FROM "', 'to': ['b@example.net'], 'subject': 'S', 'html': 'H'}]", 200,
		.want = {"data[0].id : string"}, .headers = {PYTHON}},
	    {"update", "PATCH", "/resend/emails/" UNKNOWN,
		"{'id': '" UNKNOWN "', 'scheduled_at': '2030-01-01T00:00:00Z'}", 422,
		.headers = {PYTHON}},
	    {"cancel", "POST", "/resend/emails/" UNKNOWN "/cancel", "{}", 404, .headers = {PYTHON}},
	    {"segment", "POST", "/resend/segments", "{'name': 'Python'}", 201, .headers = {PYTHON}},
	    {"remove", "DELETE", "/resend/segments/" UNKNOWN, "{}", 200, .want = {"deleted = true"},
		.headers = {PYTHON}},
	    {"key", "POST", "/resend/api-keys", "{'name': 'python'}", 201, .headers = {PYTHON}},
	    {"verify", "POST", "/resend/domains/" UNKNOWN "/verify", "{}", 404,
		.headers = {PYTHON}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* PHP escapes slashes and what is no ASCII. */
Test(resend_clients, for_php_are_served)
{
	const struct exchange exchanges[] = {
	    {"send", "POST", "/resend/emails",
		"{'from':'" FROM
		"','to':'b@example.net','subject':'\\u00dcber','html':'<p>Hi<\\/p>',"
		"'reply_to':['r@example.net'],'tags':[{'name':'category','value':'confirm'}],"
		"'headers':{'X-Entity-Ref-ID':'1'},"
		"'attachments':[{'filename':'a.txt','content':'aGVsbG8='}]}",
		200, .want = {"id : string"}, .headers = {PHP, "Idempotency-Key: php"}},
	    {"Laravel", "POST", "/resend/emails",
		"{'bcc':[],'cc':[],'from':'\\u0022Acme\\u0022 <a@" FIXTURE_DOMAIN
		">','headers':[],'html':'<p>Hi<\\/p>','reply_to':[],'subject':'S','text':null,"
		"'to':['b@example.net'],'attachments':[]}",
		200, .want = {"id : string"}, .headers = {PHP}},
	    {"shown", "GET", "/resend/emails", NULL, 200,
		.want = {"data[1].subject = '\u00dcber'", "data[0].cc = []"}, .headers = {PHP}},
	    {"batch", "POST", "/resend/emails/batch",
		"[{'from':'" FROM "','to':['b@example.net'],'subject':'S','html':'<h1>Hi<\\/h1>'}]",
		200, .want = {"data[0].id : string"}, .headers = {PHP}},
	    {"cancel", "POST", "/resend/emails/" UNKNOWN "/cancel", "{}", 404, .headers = {PHP}},
	    {"domain", "POST", "/resend/domains", "{'name':'php.example.net','region':'eu-west-1'}",
		201, .headers = {PHP}},
	    {"contact", "POST", "/resend/audiences/" UNKNOWN "/contacts",
		"{'email':'a@example.org','first_name':'A','unsubscribed':false}", 404,
		.headers = {PHP}},
	    {"template", "POST", "/resend/templates",
		"{'name':'php','html':'<p>{{{NAME}}}<\\/p>','variables':[{'key':'NAME',"
		"'type':'string','fallback_value':'you'}]}",
		201, .headers = {PHP}},
	};

	EXPECT_ALL(fixture, exchanges);
}
