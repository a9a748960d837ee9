/* SPDX-License-Identifier: MIT */
/* The news of broadcasts for others: mail programs, webhooks, figures, spam filters, and links. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/broadcast.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"
#include "tests/support/http_server.h"

FIXTURE_SUITE(broadcast_told, 900);

/* An audience of people NAME+0@test.posthouse.invalid and so on. The caller owns its id. */
static char *
audience_at(const char *name, guint count)
{
	char *audience = audience_new(fixture, "A");

	for (guint i = 0; i < count; i++) {
		g_autofree char *contact =
		    g_strdup_printf("{'email':'%s+%u@test.posthouse.invalid'}", name, i);

		g_free(audience_add(fixture, audience, contact));
	}
	return audience;
}

/* Messages with words of their own have ids of their own. */
Test(broadcast_told, gives_each_message_an_id)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'a@example.net'}");
	g_free(audience_add(fixture, audience, "{'email':'b@example.net'}"));
	g_autofree char *members = g_strdup_printf(
	    "'subject':'S {{email}}','html':'" OUT "','audiences':['%s']", audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(arrival) first = broadcast_message(fixture, path, "a@example.net");
	AUTO(arrival) second = broadcast_message(fixture, path, "b@example.net");
	const char *one = arrival_header(first, "Message-ID");
	const char *two = arrival_header(second, "Message-ID");
	cr_expect_str_eq(arrival_header(first, "Subject"), "S a@example.net");
	cr_expect(
	    g_regex_match_simple("^<?[0-9a-f-]{36}\\.0@" FIXTURE_DOMAIN, one, 0, 0), "%s", one);
	cr_expect(
	    g_regex_match_simple("^<?[0-9a-f-]{36}\\.1@" FIXTURE_DOMAIN, two, 0, 0), "%s", two);
}

/* Names are of any characters, those of header fields are not. */
Test(broadcast_told, keeps_names_on_one_line)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = broadcast_audience(
	    fixture, "A\\tB", "{'email':'a@example.net','first_name':'C\\nD','last_name':'E'}");
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','html':'" OUT "','audiences':['%s']", audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(arrival) arrival = broadcast_message(fixture, path, "a@example.net");
	cr_expect_str_eq(arrival_header(arrival, "To"), "C D E <a@example.net>");
	broadcast_expect_header(
	    arrival, "List-Id", "\"A B\" <%s.list." FIXTURE_DOMAIN ">", audience);
}

/* A broadcast to segments alone, about no topic, is a list by itself. */
Test(broadcast_told, may_be_a_list_of_its_own)
{
	ALONE_SET(fixture, NULL);
	g_free(
	    broadcast_ask(fixture, "POST", "/v1/people", "{'email':'a@example.net'}", 200, NULL));
	g_autofree char *segment = broadcast_ask(fixture, "POST", "/v1/segments",
	    "{'name':'S','rules':{'match':'all','rules':[]}}", 200, "id");
	g_autofree char *members = g_strdup_printf(
	    "'name':'March','subject':'S','html':'" OUT "','segments':['%s']", segment);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(arrival) arrival = broadcast_message(fixture, path, "a@example.net");
	broadcast_expect_header(
	    arrival, "List-Id", "\"March\" <%s.list." FIXTURE_DOMAIN ">", broadcast_id(path));
}

/* The payload of a webhook's newest delivery. The caller frees it. */
static struct answer *
newest_payload(const char *webhook)
{
	g_autofree char *list = g_strdup_printf("/v1/webhooks/%s/deliveries", webhook);
	g_autofree char *id = broadcast_ask(fixture, "GET", list, NULL, 200, "deliveries[0].id");
	g_autofree char *path = g_strconcat(list, "/", id, NULL);
	const struct exchange exchange = {path, "GET", path, NULL, 200};

	return exchange_expect(fixture, &exchange);
}

Test(broadcast_told, tells_webhooks_of_each_recipient)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *webhook = broadcast_ask(fixture, "POST", "/v1/webhooks",
	    "{'url':'https://nobody.invalid/','events':['email.bounced']}", 200, "id");
	g_autofree char *audience = audience_at("bounced", 1);
	g_autofree char *members = g_strdup_printf("'subject':'S {{email}}','html':'" OUT
						   "','tags':{'a':'b'},'audiences':['%s']",
	    audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(answer) told = newest_payload(webhook);
	cr_expect_str_eq(answer_text(told, "payload.type"), "email.bounced");
	cr_expect_str_eq(answer_text(told, "payload.data.email_id"), broadcast_id(path));
	cr_expect_str_eq(answer_text(told, "payload.data.email_type"), "broadcast");
	cr_expect_str_eq(
	    answer_text(told, "payload.data.recipient"), "bounced+0@test.posthouse.invalid");
	cr_expect_str_eq(
	    answer_text(told, "payload.data.to[0]"), "bounced+0@test.posthouse.invalid");
	cr_expect_eq(json_array_length(answer_at(told, "payload.data.to")), 1);
	cr_expect_str_eq(answer_text(told, "payload.data.tags.a"), "b");
	cr_expect_str_eq(answer_text(told, "payload.data.event.status"), "bounced");
}

/* An erased person's messages were sent all the same. */
Test(broadcast_told, keeps_its_counts_when_a_person_is_erased)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = audience_at("delivered", 3);
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','html':'" OUT "','audiences':['%s']", audience);
	g_autofree char *path = broadcast_new(fixture, members);
	g_autofree char *recipients = g_strconcat(path, "/recipients", NULL);
	alone_spool(fixture, 0);
	g_free(TEST_RUN(fixture->instance, "posthouse", "contact", "erase",
	    "delivered+1@test.posthouse.invalid", "--workspace", fixture->name));
	const struct exchange exchanges[] = {
	    {"counts", "GET", path, NULL, 200,
		.want = {"counts = {'recipients':3,'excluded':0,'pending':0,'sent':3,'skipped':0,"
			 "'failed':0,'cancelled':0}"}},
	    {"figures", "GET", "/v1/stats?group_by=broadcast", NULL, 200,
		.want = {"stats[0].accepted = 3", "stats[0].sent = 3", "stats[0].delivered = 3"}},
	    {"recipients", "GET", recipients, NULL, 200,
		.want = {"recipients[0].email = 'delivered+0@test.posthouse.invalid'",
		    "recipients[0].status = 'delivered'"}},
	};
	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) rows = audience_ask(fixture, "GET", NULL, "%s", recipients);
	cr_expect_not(strstr(rows->body, "delivered+1@"), "%s", rows->body);
}

/* The hash of somebody who was erased bars the address when it comes again. */
Test(broadcast_told, leaves_out_who_was_erased_and_came_back)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = audience_at("delivered", 3);
	g_free(TEST_RUN(fixture->instance, "posthouse", "contact", "erase",
	    "delivered+1@test.posthouse.invalid", "--workspace", fixture->name));
	g_free(audience_add(fixture, audience, "{'email':'delivered+1@test.posthouse.invalid'}"));
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','html':'" OUT "','audiences':['%s']", audience);
	g_autofree char *path = broadcast_new(fixture, members);
	g_autofree char *check = g_strconcat(path, "/check", NULL);
	alone_spool(fixture, 0);
	const struct exchange exchanges[] = {
	    {"check", "POST", check, "{}", 200, .want = {"recipients = 2"}},
	    {"counts", "GET", path, NULL, 200,
		.want = {"counts = {'recipients':2,'excluded':1,'pending':0,'sent':2,'skipped':0,"
			 "'failed':0,'cancelled':0}"}},
	};
	EXPECT_ALL(fixture, exchanges);
}

#define MOST 40

/* The rest counts for the variant that won. */
Test(broadcast_told, counts_the_rest_for_the_winner)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = audience_at("delivered", MOST);
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','html':'" OUT "','audiences':['%s'],'test_share':50,"
			    "'winner_by':'manual','variants':[{'subject':'A'},{'subject':'B'}]",
		audience);
	g_autofree char *path = broadcast_new(fixture, members);
	g_autofree char *winner = g_strconcat(path, "/winner", NULL);
	g_autofree char *stats =
	    g_strdup_printf("/v1/stats?group_by=variant&broadcast_id=%s", broadcast_id(path));
	alone_spool(fixture, 0);
	AUTO(answer) before = audience_ask(fixture, "GET", NULL, "%s", stats);
	gint64 first = json_integer(answer_at(before, "stats[0].sent"));
	gint64 second = json_integer(answer_at(before, "stats[1].sent"));
	cr_expect(first > 0 && second > 0 && first + second < MOST, "%s", before->body);
	g_free(broadcast_ask(fixture, "POST", winner, "{'variant':1}", 200, NULL));
	alone_spool(fixture, 0);
	g_autofree char *loser_sent = g_strdup_printf("stats[0].sent = %d", (int)first);
	g_autofree char *loser = g_strdup_printf("stats[0].accepted = %d", (int)first);
	g_autofree char *won_sent = g_strdup_printf("stats[1].sent = %d", MOST - (int)first);
	g_autofree char *won = g_strdup_printf("stats[1].accepted = %d", MOST - (int)first);
	g_autofree char *delivered = g_strdup_printf("stats[1].delivered = %d", MOST - (int)first);
	const struct exchange exchanges[] = {
	    {"variants", "GET", stats, NULL, 200,
		.want = {"count = 2", loser, loser_sent, won, won_sent, delivered}},
	    {"whole", "GET", "/v1/stats?group_by=broadcast", NULL, 200,
		.want = {"count = 1", "stats[0].accepted = 40", "stats[0].sent = 40"}},
	    {"state", "GET", path, NULL, 200, .want = {"status = 'sent'", "winner = 1"}},
	};
	EXPECT_ALL(fixture, exchanges);
}

/* A person who leaves by the button of a message is known to have done so by the broadcast. */
Test(broadcast_told, is_named_in_the_history_of_who_leaves)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'a@example.net'}");
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','html':'" OUT "','audiences':['%s']", audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(arrival) arrival = broadcast_message(fixture, path, "a@example.net");
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *page = tracking_path(fixture, html, "a href", "/t/u/");
	g_autofree char *about =
	    g_strdup_printf("history[0].about = {'broadcast_id':'%s'}", broadcast_id(path));
	const struct exchange exchanges[] = {
	    {"click", "POST", page, "List-Unsubscribe=One-Click", 200,
		.headers = {"Authorization:", "Content-Type: application/x-www-form-urlencoded"}},
	    {"history", "GET", "/v1/people/a@example.net/history?kind=consent", NULL, 200,
		.want = {"history[0].type = 'unsubscribed'", "history[0].by = 'person'", about}},
	};
	EXPECT_ALL(fixture, exchanges);
}

/* A draft. The caller owns the path of its check. */
static char *
broadcast_told_draft(const char *html)
{
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'a@example.net'}");
	g_autofree char *body = g_strdup_printf("{'from':'a@" FIXTURE_DOMAIN
						"','subject':'S','audiences':['%s'],'html':'%s'}",
	    audience, html);
	g_autofree char *id = broadcast_ask(fixture, "POST", "/v1/broadcasts", body, 200, "id");

	return g_strdup_printf("/v1/broadcasts/%s/check", id);
}

static void
broadcast_told_expect_check(
    const char *check, const char *body, const char *score, const char *findings)
{
	g_autofree char *want_score = g_strconcat("spam_score = ", score, NULL);
	g_autofree char *want_findings = g_strconcat("findings = ", findings, NULL);
	const struct exchange exchange = {
	    check, "POST", check, body, 200, .want = {"ok = true", want_score, want_findings}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* A program in place of spamc, which the caller removes and frees. */
static char *
write_spamc(const char *script)
{
	char *path = g_strconcat(fixture->instance->maildir, ".spamc", NULL);

	cr_assert(g_file_set_contents(path, script, -1, NULL));
	cr_assert(g_chmod(path, 0755) == 0);
	return path;
}

Test(broadcast_told, asks_spamc)
{
	/* Each prints SCORE/THRESHOLD. The first has to be given the message. */
	g_autofree char *path = write_spamc("#!/bin/sh\n[ \"$1\" = -c ] || exit 64\n"
					    "grep -q '^Subject: S' && echo 1.5/5.0\n");
	g_autofree char *setting = g_strconcat("mailings.spamc=", path, NULL);

	ALONE_SET(fixture, setting);
	g_autofree char *check = broadcast_told_draft(OUT);
	broadcast_told_expect_check(check, NULL, "1.5", "[]");
	g_free(write_spamc("#!/bin/sh\ncat >/dev/null; echo 7.5/5.0; exit 1\n"));
	broadcast_told_expect_check(check, NULL, "7.5",
	    "[{'level':'warning','code':'spam','message':'spamc says 7.5/5.0','count':1}]");
	g_free(write_spamc("#!/bin/sh\necho 0/0; exit 1\n"));
	broadcast_told_expect_check(check, NULL, "null",
	    "[{'level':'warning','code':'spam','message':'spamc gave no score','count':1}]");
	g_unlink(path);
	AUTO(answer) missing = audience_ask(fixture, "POST", NULL, "%s", check);
	cr_expect(strstr(missing->body, "\"spamc did not run: "), "%s", missing->body);
}

/* Answers as rspamd with what the test wants. */
static void
answer_rspamd(struct http_peer *peer, const char *request, void *data)
{
	const char *text = data;
	g_autofree char *answer =
	    g_strdup_printf("HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(text), text);

	if (g_str_has_prefix(request, "POST /checkv2 "))
		http_peer_send(peer, answer, strlen(answer));
}

Test(broadcast_told, asks_rspamd)
{
	char text[100] = "{\"score\": -0.1, \"action\": \"no action\"}";
	struct http_server *server = http_server_start("127.0.0.1", NULL, answer_rspamd, text);
	g_autofree char *setting =
	    g_strdup_printf("mailings.rspamd=http://127.0.0.1:%d", http_server_port(server));

	ALONE_SET(fixture, setting);
	g_autofree char *check = broadcast_told_draft(OUT);
	broadcast_told_expect_check(check, NULL, "-0.1", "[]");
	g_strlcpy(text, "{\"score\": 16, \"action\": \"reject\"}", sizeof(text));
	broadcast_told_expect_check(check, NULL, "16",
	    "[{'level':'warning','code':'spam','message':"
	    "'rspamd says \\\"reject\\\" at a score of 16','count':1}]");
	http_server_stop(server);
	AUTO(answer) gone = audience_ask(fixture, "POST", NULL, "%s", check);
	cr_expect(strstr(gone->body, "\"rspamd did not answer: "), "%s", gone->body);
}

/* Counts the requests, and answers no but to the first. */
static void
count_request(struct http_peer *peer, const char *request, void *data)
{
	static const char found[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	static const char lost[] = "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno";
	const char *answer = strstr(request, " /0 ") ? found : lost;

	g_atomic_int_inc((int *)data);
	http_peer_send(peer, answer, strlen(answer));
}

#define LINKS 101

Test(broadcast_told, asks_a_hundred_links)
{
	int asked = 0;
	struct http_server *server = http_server_start("127.0.0.2", NULL, count_request, &asked);
	int port = http_server_port(server);
	g_autoptr(GString) html = g_string_new(OUT);

	ALONE_SET(fixture, "fetch.allow=127.0.0.2/32");
	for (guint i = 0; i < LINKS; i++)
		g_string_append_printf(html,
		    "<a href=http://127.0.0.2:%d/%u>-</a><a href=http://127.0.0.2:%d/%u>-</a>",
		    port, i, port, i);
	g_autofree char *check = broadcast_told_draft(html->str);
	AUTO(answer) answer = audience_ask(fixture, "POST", "{'links':true}", "%s", check);
	cr_expect_eq(answer->status, 200);
	http_server_stop(server);
	cr_expect_eq(asked, 100, "%d", asked);
	cr_expect_eq(json_array_length(answer_at(answer, "findings")), 99);
	cr_expect_str_eq(answer_text(answer, "findings[0].code"), "links");
	cr_expect_eq(json_integer(answer_at(answer, "findings[98].count")), 1);
	cr_expect(strstr(answer->body, "/1 could not be fetched"), "%s", answer->body);
}

/* All mail of a person in one list: of a program, a workflow and a broadcast. */
Test(broadcast_told, stands_among_the_emails_of_a_person)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'ada@example.net'}");
	g_autofree char *email = email_send(fixture, "'to':'Ada@example.net'");
	g_autofree char *workflow = broadcast_ask(fixture, "POST", "/v1/workflows",
	    "{'name':'W','status':'active','design':{'nodes':[{'id':'t','type':'trigger','data':"
	    "{'eventName':'k'}},{'id':'m','type':'send_email','data':{'from':'a@" FIXTURE_DOMAIN
	    "','subject':'Two','html':'x'}}],'edges':[{'id':'a','source':'t','target':'m'}]}}",
	    200, "workflow_id");

	exchange_next_moment();
	g_free(broadcast_ask(fixture, "POST", "/v1/events",
	    "{'event_name':'k','email':'ada@example.net'}", 200, NULL));
	alone_spool(fixture, 0);
	exchange_next_moment();
	g_autofree char *members = g_strdup_printf(
	    "'subject':'S {{email}}','html':'" OUT "','audiences':['%s']", audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	g_autofree char *a = g_strdup_printf("emails[0].broadcast_id = '%s'", broadcast_id(path));
	g_autofree char *b = g_strdup_printf("emails[1].workflow_id = '%s'", workflow);
	g_autofree char *c = g_strdup_printf("emails[2].email_id = '%s'", email);
	const struct exchange exchange = {"all", "GET", "/v1/people/ADA@example.net/emails", NULL,
	    200,
	    .want = {"count = 3", "cursor = null", "emails[0].type = 'broadcast'",
		"emails[0].email_id = null", "emails[0].workflow_id = null", a,
		"emails[0].subject = 'S ada@example.net'", "emails[1].type = 'automation'",
		"emails[1].email_id : string", "emails[1].broadcast_id = null", b,
		"emails[2].type = 'transactional'", c, "emails[2].workflow_id = null"}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* A subject is that of the person, with the defaults of properties and templates; one that cannot
   be filled stays as it is written. */
Test(broadcast_told, fills_the_subject_for_a_person)
{
#define PERSON "/v1/people/ada@example.net"
#define WRITTEN "{{first_name|you}}{{#if plan}} {{plan}}{{/if}}, {{city}}"
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'ada@example.net'}");
	g_autofree char *members = g_strdup_printf(
	    "'subject':'" WRITTEN "','html':'" OUT "','audiences':['%s']", audience);
	g_autofree char *plan = g_strnfill(70000, 'p');
	g_autofree char *long_plan = g_strdup_printf("{'properties':{'plan':'%s'}}", plan);
	const struct exchange exchanges[] = {
	    {"default", "POST", "/v1/properties", "{'key':'city','type':'string','default':'Wien'}",
		200},
	    {"no values", "GET", PERSON "/emails", NULL, 200,
		.want = {"emails[0].subject = 'you, Wien'"}},
	    {"values", "PATCH", PERSON, "{'first_name':'Ada','properties':{'plan':'pro'}}", 200},
	    {"filled", "GET", PERSON "/emails", NULL, 200,
		.want = {"emails[0].subject = 'Ada pro, Wien'"}},
	    {"too long", "PATCH", PERSON, long_plan, 200},
	    {"as written", "GET", PERSON "/emails", NULL, 200,
		.want = {"emails[0].subject = '" WRITTEN "'"}},
	};

	g_free(broadcast_new(fixture, members));
	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, exchanges);
#undef PERSON
#undef WRITTEN
}
