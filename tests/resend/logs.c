/* SPDX-License-Identifier: MIT */
/* /resend/logs */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/exchange.h"
#include "tests/support/db.h"

static struct fixture *fixture;

static void
logs_begin(void)
{
	fixture = fixture_open();
}

static void
logs_end(void)
{
	fixture_close(fixture);
}

TestSuite(resend_logs, .init = logs_begin, .fini = logs_end, .timeout = 900);

#define NOT_FOUND "{'statusCode':404,'name':'not_found','message':'Log not found'}"
#define EMPTY "{'object':'list','has_more':false,'data':[]}"

static struct answer *
logs_ask(const char *method, const char *path, const char *body, guint status)
{
	const struct exchange exchange = {
	    path, method, path, body, status, .headers = {"User-Agent: logs/1"}};

	exchange_next_moment();
	return exchange_expect(fixture, &exchange);
}

/* The entry of an answer, as the log has it. The caller owns it. An entry is stored after the
   answer, so it may need a moment. */
static struct answer *
logs_entry_of(const struct answer *answer, const char *const *want)
{
	g_autofree char *id = answer_header(answer, "X-Request-Id");
	g_autofree char *path = g_strconcat("/resend/logs/", id, NULL);
	struct exchange exchange = {path, "GET", path, .want_status = 200};
	g_autofree char *count = g_strdup_printf(
	    "SELECT COUNT(*) FROM resend_log WHERE id = UNHEX(REPLACE('%s', '-', ''))", id);

	for (guint i = 0; i < 12000 && test_db_number(fixture->db, count) == 0; i++)
		g_usleep(10000);
	for (guint i = 0; want[i]; i++)
		exchange.want[i] = want[i];
	return exchange_expect(fixture, &exchange);
}
#define EXPECT_ENTRY(answer, ...)                                                                  \
	answer_free(logs_entry_of(answer, (const char *const[]){__VA_ARGS__, NULL}))

Test(resend_logs, are_off_by_default)
{
	ALONE_SET(fixture, "resend.logs=");
	AUTO(answer) made = logs_ask("POST", "/resend/segments", "{'name':'a'}", 201);
	g_autofree char *id = answer_header(made, "X-Request-Id");
	g_autofree char *path = g_strconcat("/resend/logs/", id, NULL);
	const struct exchange exchanges[] = {
	    {"list", "GET", "/resend/logs", .want_status = 200, .want_body = EMPTY},
	    {"get", "GET", path, .want_status = 404, .want_body = NOT_FOUND},
	};

	g_autofree char *count = g_strdup_printf(
	    "SELECT COUNT(*) FROM resend_log WHERE id = UNHEX(REPLACE('%s', '-', ''))", id);

	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(test_db_number(fixture->db, count), 0);
}

Test(resend_logs, have_requests_and_answers)
{
	ALONE_SET(fixture, "resend.logs=yes");
	AUTO(answer) sent = logs_ask("POST", "/resend/emails",
	    "{'from':'a@" FIXTURE_DOMAIN "','to':['delivered@resend.dev'],'subject':'S',"
	    "'html':'<p>secret</p>','text':'secret','attachments':[{'filename':'a.txt',"
	    "'content':'c2VjcmV0'}],'colour':{'text':1,'red':[{'html':1,'b':2}]}}",
	    200);
	g_autofree char *reply =
	    g_strdup_printf("response_body = {'id':'%s'}", answer_text(sent, "id"));
	EXPECT_ENTRY(sent, "object = 'log'", "id : string", "created_at : string",
	    "endpoint = '/emails'", "method = 'POST'", "response_status = 200",
	    "user_agent = 'logs/1'", reply,
	    "request_body = {'from':'a@" FIXTURE_DOMAIN "','to':['delivered@resend.dev'],"
	    "'subject':'S','attachments':[{'filename':'a.txt'}],'colour':{'red':[{'b':2}]}}");

	AUTO(answer) key = logs_ask("POST", "/resend/api-keys", "{'name':'k'}", 201);
	EXPECT_ENTRY(key, "request_body = {'name':'k'}", "response_body.id : string",
	    "response_body.token : absent", "response_status = 201");
	AUTO(answer) hook = logs_ask("POST", "/resend/webhooks",
	    "{'endpoint':'https://x.org/','events':['email.sent']}", 201);
	EXPECT_ENTRY(hook, "response_body.object = 'webhook'",
	    "response_body.signing_secret : absent", "request_body.endpoint = 'https://x.org/'");

	AUTO(answer) wrong = logs_ask("POST", "/resend/emails", "{'to':7}", 422);
	EXPECT_ENTRY(wrong, "response_status = 422", "request_body = {'to':7}",
	    "response_body.name : string");
	AUTO(answer) batch = logs_ask("POST", "/resend/emails/batch", "[]", 422);
	EXPECT_ENTRY(batch, "endpoint = '/emails/batch'", "request_body = []");
	AUTO(answer) none = logs_ask("POST", "/resend/emails", "{", 400);
	EXPECT_ENTRY(none, "request_body : null", "response_status = 400");
	AUTO(answer) list = logs_ask("GET", "/resend/domains?limit=1", NULL, 200);
	EXPECT_ENTRY(list, "endpoint = '/domains'", "method = 'GET'", "request_body : null",
	    "response_body.object = 'list'");
	/* /v1 has no log of this kind. */
	answer_free(logs_ask("GET", "/v1/domains", NULL, 200));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM resend_log"
						 " WHERE endpoint LIKE '%v1%'"),
	    0);
}

Test(resend_logs, are_listed_by_workspace)
{
	AUTO(fixture) other = fixture_open();
	ALONE_SET(fixture, "resend.logs=yes");
	g_autofree char *send_key = fixture_new_key(fixture, "send", NULL);
	g_autofree char *header = g_strconcat("Authorization: Bearer ", send_key, NULL);
	AUTO(answer) first = logs_ask("POST", "/resend/segments", "{'name':'a'}", 201);
	AUTO(answer) second = logs_ask("GET", "/resend/segments", NULL, 200);
	g_autofree char *id = answer_header(first, "X-Request-Id");
	g_autofree char *second_id = answer_header(second, "X-Request-Id");
	g_autofree char *path = g_strconcat("/resend/logs/", id, NULL);
	g_autofree char *after = g_strconcat("/resend/logs?after=", second_id, NULL);

	EXPECT_ENTRY(first, "endpoint = '/segments'", "method = 'POST'");
	EXPECT_ENTRY(second, "endpoint = '/segments'", "method = 'GET'");
	const struct exchange exchanges[] = {
	    {"after", "GET", after, .want_status = 200,
		.want = {"has_more = false", "data[0].method = 'POST'",
		    "data[0].endpoint = '/segments'", "data[0].response_status = 201",
		    "data[0].user_agent : string", "data[0].request_body : absent",
		    "data[0].response_body : absent", "data[1] : null"}},
	    {"send key", "GET", "/resend/logs", .want_status = 401, .headers = {header}},
	    {"no UUID", "GET", "/resend/logs/x", .want_status = 422},
	    {"limit", "GET", "/resend/logs?limit=0", .want_status = 422},
	};
	const struct exchange of_other = {
	    "other", "GET", path, .want_status = 404, .want_body = NOT_FOUND};
	EXPECT_ALL(fixture, exchanges);
	answer_free(exchange_expect(other, &of_other));
}
