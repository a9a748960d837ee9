/* SPDX-License-Identifier: MIT */
/* /resend/emails/receiving: mail that came in, in the types of Resend's package. */
#include <criterion/criterion.h>
#include <string.h>

#include "json/value.h"
#include "json/writer.h"
#include "tests/http/email.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/support/db.h"
#include "tests/support/incoming.h"

FIXTURE_SUITE(resend_receiving, 900);

#define ADDRESS "desk@received.example"

static const char full[] =
    "From: =?utf-8?q?J=C3=B6rg?= <joe@x.org>\r\nTo: " ADDRESS "\r\nCc: c@x.org\r\n"
    "Reply-To: r@x.org\r\nSubject: Hi\r\nMessage-ID: <1@x.org>\r\nX-A: 1\r\nX-A: 2\r\n"
    "Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n"
    "<img src=\"cid:p@x\">\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <p@x>\r\n\r\nPNG\r\n"
    "--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; "
    "filename=a.pdf\r\n\r\nPDF\r\n--b--\r\n";
static const char bare[] = "X: y\r\n\r\nHello";

/* The caller owns the id of the mail. */
static char *
receiving_come(const char *message)
{
	const struct base_id id =
	    test_incoming_take(fixture->settings, &fixture->id, ADDRESS, message);
	char text[ID_TEXT_SIZE];

	return g_strdup(base_id_format(&id, text));
}

static void
receiving_open(void)
{
	const struct exchange domain = {"domain", "POST", "/v1/domains",
	    "{'name':'received.example','receiving':true,'override':true}", 200};

	answer_free(exchange_expect(fixture, &domain));
	test_db_plain(fixture->db, "UPDATE domain SET trusted = 1 WHERE workspace_id = @workspace");
}

static struct answer *
receiving_ask(const char *method, const char *path, const char *body, guint status)
{
	const struct exchange exchange = {path, method, path, body, status};

	return exchange_expect(fixture, &exchange);
}

#define COMMON                                                                                     \
	"to = ['" ADDRESS "']", "from = 'Jörg <joe@x.org>'", "created_at : string",                \
	    "subject = 'Hi'", "bcc = []", "cc = ['c@x.org']", "reply_to = ['r@x.org']",            \
	    "received_for = ['" ADDRESS "']", "message_id = '<1@x.org>'"
/* As they came, in a mail. */
#define FILES(path)                                                                                \
	path "[0].filename : null", path "[0].size = 3", path "[0].content_type = 'image/png'",    \
	    path "[0].content_disposition : null", path "[0].content_id = 'p@x'",                  \
	    path "[0].download_url : absent", path "[1].filename = 'a.pdf'",                       \
	    path "[1].content_disposition = 'attachment'", path "[1].content_id : null"
/* By themselves. */
#define PICTURE(path)                                                                              \
	path "filename : absent", path "size = 3", path "content_type = 'image/png'",              \
	    path "content_disposition = 'inline'", path "content_id = 'p@x'",                      \
	    path "download_url : string", path "expires_at : string"

Test(resend_receiving, has_the_types_of_the_package)
{
	receiving_open();
	g_autofree char *id = receiving_come(full);
	g_autofree char *path = g_strconcat("/resend/emails/receiving/", id, NULL);
	g_autofree char *cid = g_strconcat(path, "?html_format=cid", NULL);
	g_autofree char *other = g_strconcat(path, "?html_format=x", NULL);
	g_autofree char *files = g_strconcat(path, "/attachments", NULL);
	g_autofree char *first = g_strconcat(files, "?limit=1", NULL);
	g_autofree char *same = g_strdup_printf("id = '%s'", id);
	AUTO(answer) listed = receiving_ask("GET", files, NULL, 200);
	const char *picture = answer_text(listed, "data[0].id");
	g_autofree char *file = g_strconcat(files, "/", picture, NULL);
	g_autofree char *picture_is = g_strdup_printf("id = '%s'", picture);
	g_autofree char *after = g_strconcat(files, "?after=", picture, NULL);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"object = 'email'", same, COMMON, FILES("attachments"),
		    "html = '<img src=\\'data:image/png;base64,UE5H\\'>'", "text : null",
		    "headers.x-a = '1'", "headers.subject = 'Hi'", "raw.download_url : string",
		    "raw.expires_at : string"}},
	    {"with cid", "GET", cid, NULL, 200, .want = {"html = '<img src=\\'cid:p@x\\'>'"}},
	    {"another form", "GET", other, NULL, 422},
	    {"list", "GET", "/resend/emails/receiving", NULL, 200,
		.want = {"object = 'list'", "has_more = false", "data[0].object : absent",
		    "data[0].html : absent", "data[0].raw : absent", "data[0].subject = 'Hi'",
		    "data[0].message_id = '<1@x.org>'", FILES("data[0].attachments")}},
	    {"attachments", "GET", files, NULL, 200,
		.want = {"object = 'list'", "has_more = false", PICTURE("data[0]."),
		    "data[1].filename = 'a.pdf'", "data[1].content_disposition = 'attachment'",
		    "data[1].content_id : absent"}},
	    {"the first", "GET", first, NULL, 200,
		.want = {"has_more = true", "data[0].content_id = 'p@x'"}},
	    {"the second", "GET", after, NULL, 200, .want = {"data[0].filename = 'a.pdf'"}},
	    {"attachment", "GET", file, NULL, 200,
		.want = {"object = 'attachment'", picture_is, PICTURE("")}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The package has no null for these. */
Test(resend_receiving, has_texts_for_absent_fields)
{
	receiving_open();
	g_autofree char *id = receiving_come(bare);
	g_autofree char *path = g_strconcat("/resend/emails/receiving/", id, NULL);
	const struct exchange exchange = {"bare", "GET", path, NULL, 200,
	    .want = {"from = ''", "subject = ''", "message_id = ''", "to = []", "cc = []",
		"reply_to = []", "html : null", "text = 'Hello'", "attachments = []"}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* The data of email.received, as the webhook has them. The caller owns them. */
static char *
receiving_told(const char *webhook, const char *message, char **id_r)
{
	g_autofree char *list = g_strdup_printf("/resend/webhooks/%s/events", webhook);

	*id_r = receiving_come(message);
	AUTO(answer) events = receiving_ask("GET", list, NULL, 200);
	g_autofree char *one = g_strconcat(list, "/", answer_text(events, "data[0].id"), NULL);
	AUTO(answer) event = receiving_ask("GET", one, NULL, 200);
	cr_expect_str_eq(answer_text(event, "payload.type"), "email.received");
	return json_print(answer_at(event, "payload.data"));
}

Test(resend_receiving, is_told)
{
	AUTO(answer)
	hook = receiving_ask("POST", "/resend/webhooks",
	    "{'endpoint':'https://nobody.invalid/','events':['email.received']}", 201);
	g_autofree char *id = NULL, *other = NULL;

	receiving_open();
	g_autofree char *got = receiving_told(answer_text(hook, "id"), full, &id);
	g_autofree char *path = g_strconcat("/resend/emails/receiving/", id, NULL);
	AUTO(answer) mail = receiving_ask("GET", path, NULL, 200);
	g_autofree char *text = g_strdup_printf(
	    "{'email_id':'%s','created_at':'%s','from':'Jörg <joe@x.org>','to':['" ADDRESS
	    "'],'bcc':[],'cc':['c@x.org'],'received_for':['" ADDRESS
	    "'],'message_id':'<1@x.org>','subject':'Hi','attachments':[{'id':'%s','filename':null,"
	    "'content_type':'image/png','content_disposition':null,'content_id':'p@x'},{'id':'%s',"
	    "'filename':'a.pdf','content_type':'application/pdf','content_disposition':"
	    "'attachment','content_id':null}]}",
	    id, answer_text(mail, "created_at"), answer_text(mail, "attachments[0].id"),
	    answer_text(mail, "attachments[1].id"));
	g_autofree char *want = exchange_quoted(text);
	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	exchange_next_moment();
	g_autofree char *empty = receiving_told(answer_text(hook, "id"), bare, &other);
	cr_expect(strstr(empty, "\"from\":\"\",\"to\":[]") &&
		      strstr(empty, "\"message_id\":\"\",\"subject\":\"\","),
	    "got %s", empty);
}

/* Clients have no word for a reply: the state is the one before, in the list, too. */
Test(resend_receiving, leaves_the_state_of_the_email_that_is_answered)
{
	receiving_open();
	AUTO(answer) sent = receiving_ask("POST", "/resend/emails", EMAIL, 200);
	g_autofree char *path = g_strconcat("/resend/emails/", answer_text(sent, "id"), NULL);
	g_autofree char *other = g_strconcat("/v1/emails/", answer_text(sent, "id"), NULL);
	AUTO(answer) before = receiving_ask("GET", path, NULL, 200);
	g_autofree char *state =
	    g_strdup_printf("last_event = '%s'", answer_text(before, "last_event"));
	g_autofree char *row = g_strconcat("data[0].", state, NULL);
	g_autofree char *reply =
	    g_strdup_printf("From: b@example.net\r\nTo: " ADDRESS "\r\nMessage-ID: <2@x.org>\r\n"
			    "In-Reply-To: %s\r\n\r\nYes",
		answer_text(before, "message_id"));
	const struct exchange exchanges[] = {
	    {"/v1", "GET", other, NULL, 200, .want = {"last_event.status = 'replied'"}},
	    {"get", "GET", path, NULL, 200, .want = {state}},
	    {"list", "GET", "/resend/emails", NULL, 200, .want = {row}},
	};

	g_free(receiving_come(reply));
	EXPECT_ALL(fixture, exchanges);
}
