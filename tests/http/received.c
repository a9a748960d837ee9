/* SPDX-License-Identifier: MIT */
/* Mail that came in, as clients list, read, forward and remove it. */
#include <criterion/criterion.h>
#include <string.h>

#include "json/value.h"
#include "json/writer.h"
#include "tests/http/email.h"
#include "tests/support/db.h"
#include "tests/support/incoming.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define ADDRESS "desk@received.example"

FIXTURE_SUITE(received, 900);

#define MISSING "{'message':'Received email not found'}"

static const char message[] =
    "From: =?utf-8?q?J=C3=B6rg?= <Joe@x.org>\r\nTo: desk@received.example\r\n"
    "Cc: \"C, c\" <c@x.org>, d@x.org\r\nReply-To: r@x.org\r\nSubject: Hi\r\n"
    "Message-ID: <1@x.org>\r\nIn-Reply-To: <0@x.org>\r\nReferences: <a@x.org> <0@x.org>\r\n"
    "Date: Fri, 14 Oct 2033 23:10:10 +0200\r\nMIME-Version: 1.0\r\n"
    "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nNew\r\n> old\r\n--b\r\n"
    "Content-Type: application/pdf; name=a.pdf\r\n\r\nPDF\r\n--b--\r\n";

/* Takes the message for an address of a domain that receives. The caller owns the mail's path. */
static char *
received_come(void)
{
	const struct exchange domain = {"domain", "POST", "/v1/domains",
	    "{'name':'received.example','receiving':true,'override':true}", 200};
	char text[ID_TEXT_SIZE];

	answer_free(exchange_expect(fixture, &domain));
	test_db_plain(fixture->db, "UPDATE domain SET trusted = 1 WHERE workspace_id = @workspace");
	const struct base_id id =
	    test_incoming_take(fixture->settings, &fixture->id, ADDRESS, message);
	return g_strconcat("/v1/received/", base_id_format(&id, text), NULL);
}

Test(received, is_listed_and_read)
{
	g_autofree char *path = received_come();
	g_autofree char *none = g_strconcat(path, "/attachments/" UNKNOWN, NULL);
	static const char together[] =
	    "/v1/received?to=DESK@received.example&from=joe@x.org&automatic=false"
	    "&since=-1&until=2999-01-01T00:00:00Z";
	const struct exchange exchanges[] = {
	    {"all", "GET", "/v1/received", NULL, 200,
		.want = {"count = 1", "cursor = null", "received[0].recipients = ['" ADDRESS "']",
		    "received[0].from = 'Jörg <Joe@x.org>'", "received[0].attachment_count = 1",
		    "received[0].text : absent"}},
	    {"together", "GET", together, NULL, 200, .want = {"count = 1"}},
	    {"the envelope's sender is no From", "GET", "/v1/received?from=env@x.org", NULL, 200,
		.want = {"count = 0"}},
	    {"of programs", "GET", "/v1/received?automatic=true", NULL, 200, .want = {"count = 0"}},
	    {"before all", "GET", "/v1/received?until=-1", NULL, 200, .want = {"count = 0"}},
	    {"a plus that is not escaped", "GET", "/v1/received?from=joe+news@x.org", NULL, 200,
		.want = {"count = 0"}},
	    {"empty ones ask for nothing", "GET",
		"/v1/received?to=&from=&domain_id=&email_id=&automatic=&since=", NULL, 200,
		.want = {"count = 1"}},
	    {"no boolean", "GET", "/v1/received?automatic=yes", NULL, 400,
		"{'message':'automatic must be true or false'}"},
	    {"no time", "GET", "/v1/received?since=x", NULL, 400,
		"{'message':'since must be a time'}"},
	    {"no address", "GET", "/v1/received?to=x", NULL, 400,
		"{'message':'to must be an email address'}"},
	    {"one", "GET", path, NULL, 200,
		.want = {"route_id : string", "from = 'Jörg <Joe@x.org>'", "to = ['" ADDRESS "']",
		    "cc = ['\\'C, c\\' <c@x.org>','d@x.org']", "reply_to = ['r@x.org']",
		    "subject = 'Hi'", "message_id = '1@x.org'", "in_reply_to = '0@x.org'",
		    "references = ['a@x.org','0@x.org']", "date = 2012937010000",
		    "automatic = null", "email_id = null", "spam_score = null",
		    "text = 'New\\n> old'", "html = null", "reply_text = 'New'",
		    "headers[0].name = 'From'", "attachments[0].filename = 'a.pdf'",
		    "attachments[0].size = 3", "attachments[0].content_disposition = null",
		    "attachments[0].download_url : string", "attachments[0].expires_at : integer",
		    "envelope = {'from':'env@x.org','to':['" ADDRESS
		    "'],'helo':null,'address':null,'tls':null}",
		    "authentication.by = 'posthouse'", "authentication.spf = null", "forwards = []",
		    "truncated = false", "error = null"}},
	    {"no such mail", "GET", "/v1/received/" UNKNOWN, NULL, 404, MISSING},
	    {"no id", "GET", "/v1/received/x/raw", NULL, 404, MISSING},
	    {"no such attachment", "GET", none, NULL, 404, "{'message':'Attachment not found'}"},
	};
	EXPECT_ALL(fixture, exchanges);
}

static struct answer *
received_ask(const char *method, const char *path, const char *body)
{
	const struct exchange exchange = {path, method, path, body, 200};

	return exchange_expect(fixture, &exchange);
}

/* The webhook has the row with the attachments and authentication, and nothing else. */
Test(received, is_told)
{
	AUTO(answer)
	hook = received_ask("POST", "/v1/webhooks",
	    "{'url':'https://nobody.invalid/','events':['email.received']}");
	g_autofree char *path = received_come();
	g_autofree char *list =
	    g_strdup_printf("/v1/webhooks/%s/deliveries", answer_text(hook, "id"));
	AUTO(answer) mail = received_ask("GET", path, NULL);
	AUTO(answer) deliveries = received_ask("GET", list, NULL);
	g_autofree char *one =
	    g_strconcat(list, "/", answer_text(deliveries, "deliveries[0].id"), NULL);
	AUTO(answer) delivery = received_ask("GET", one, NULL);
	g_autofree char *got = json_print(answer_at(delivery, "payload.data"));
	g_autofree char *authentication = json_print(answer_at(mail, "authentication"));
	g_autofree char *text = g_strdup_printf(
	    "{'id':'%s','domain_id':'%s','route_id':'%s','recipients':['" ADDRESS
	    "'],'from':'Jörg <Joe@x.org>','to':['" ADDRESS
	    "'],'cc':['\\'C, c\\' <c@x.org>','d@x.org'],'subject':'Hi','message_id':'1@x.org',"
	    "'date':2012937010000,'created':%" G_GINT64_FORMAT
	    ",'automatic':null,'email_id':null,'spam_score':null,'size':%zu,'attachment_count':1,"
	    "'attachments':[{'id':'%s','filename':'a.pdf','content_type':'application/pdf',"
	    "'content_disposition':null,'content_id':null,'size':3}],'authentication':%s}",
	    answer_text(mail, "id"), answer_text(mail, "domain_id"), answer_text(mail, "route_id"),
	    json_integer(answer_at(mail, "created")), strlen(message),
	    answer_text(mail, "attachments[0].id"), authentication);
	g_autofree char *want = exchange_quoted(text);

	cr_expect_str_eq(answer_text(delivery, "payload.type"), "email.received");
	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	cr_expect_eq(json_integer(answer_at(deliveries, "count")), 1);
}

Test(received, has_its_bytes)
{
	g_autofree char *path = received_come();
	g_autofree char *raw = g_strconcat(path, "/raw", NULL);
	const struct exchange exchange = {"the bytes", "GET", raw};
	AUTO(answer) answer = exchange_ask(fixture, &exchange);
	g_autofree char *type = answer_header(answer, "Content-Type");
	g_autofree char *disposition = answer_header(answer, "Content-Disposition");

	cr_expect_eq(answer->status, 200);
	cr_expect_str_eq(type, "message/rfc822");
	cr_expect_str_eq(disposition, "attachment; filename=\"message.eml\"");
	cr_expect_str_eq(answer->body, message);
}

#define TEN                                                                                        \
	"'a@y.org','b@y.org','c@y.org','d@y.org','e@y.org','f@y.org','g@y.org','h@y.org',"         \
	"'i@y.org','j@y.org'"

Test(received, is_forwarded_and_removed)
{
	g_autofree char *path = received_come();
	g_autofree char *forward = g_strconcat(path, "/forward", NULL);
	const struct exchange exchanges[] = {
	    {"to nobody", "POST", forward, "{}", 400, "{'message':'to is required'}"},
	    {"to none", "POST", forward, "{'to':[]}", 400, "{'message':'to is required'}"},
	    {"to eleven", "POST", forward, "{'to':[" TEN ",'k@y.org']}", 400,
		"{'message':'to must have at most 10 elements'}"},
	    {"from elsewhere", "POST", forward, "{'to':['a@y.org'],'from':'a@strange.example'}",
		403, "{'message':'Domain strange.example is not registered'}"},
	    {"to ten", "POST", forward, "{'to':[" TEN "]}", 200, .want = {"id : string"}},
	    {"it says so", "GET", path, NULL, 200,
		.want = {"forwards[0].to = [" TEN "]", "forwards[0].error = null",
		    "forwards[0].email_id : string"}},
	    {"gone", "DELETE", path, NULL, 200, "{'message':'Received email deleted'}"},
	    {"gone already", "DELETE", path, NULL, 404, MISSING},
	    {"nothing to forward", "POST", forward, "{'to':['a@y.org']}", 404, MISSING},
	};
	EXPECT_ALL(fixture, exchanges);
}
