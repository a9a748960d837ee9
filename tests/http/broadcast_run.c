/* SPDX-License-Identifier: MIT */
/* Broadcasts that leave: their messages, and what is known of them afterwards. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/broadcast.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

FIXTURE_SUITE(broadcast_run, 900);

Test(broadcast_run, name_their_lists_in_headers)
{
	char workspace[ID_TEXT_SIZE];

	ALONE_SET(fixture, NULL);
	base_id_format(&fixture->id, workspace);
	g_autofree char *audience =
	    broadcast_audience(fixture, "\\u0022All\\u0022", "{'email':'a@example.net'}");
	g_autofree char *other =
	    broadcast_audience(fixture, "Ot\\r\\nher", "{'email':'a@example.net'}");
	g_autofree char *topic =
	    broadcast_ask(fixture, "POST", "/v1/topics", "{'name':'News'}", 200, "id");
	g_autofree char *to_audience = g_strdup_printf(
	    "'subject':'S','html':'" OUT "','audiences':['%s','%s']", other, audience);
	g_autofree char *about_topic = g_strdup_printf("%s,'topic_id':'%s'", to_audience, topic);
	g_autofree char *first = broadcast_new(fixture, to_audience);
	g_autofree char *second = broadcast_new(fixture, about_topic);
	alone_spool(fixture, 0);
	AUTO(arrival) plain = broadcast_message(fixture, first, "a@example.net");
	AUTO(arrival) topical = broadcast_message(fixture, second, "a@example.net");
	broadcast_expect_header(plain, "Precedence", "bulk");
	broadcast_expect_header(
	    plain, "List-Id", "\"Ot  her\" <%s.list." FIXTURE_DOMAIN ">", other);
	broadcast_expect_header(
	    plain, "Feedback-ID", "%s:none:%s:posthouse", broadcast_id(first), workspace);
	broadcast_expect_header(topical, "Precedence", "bulk");
	broadcast_expect_header(topical, "List-Id", "\"News\" <%s.list." FIXTURE_DOMAIN ">", topic);
	broadcast_expect_header(
	    topical, "Feedback-ID", "%s:%s:%s:posthouse", broadcast_id(second), topic, workspace);
	cr_expect(arrival_has_line(plain, "List-Unsubscribe: <"));
	cr_expect(arrival_has_line(plain, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"));
}

Test(broadcast_run, fill_in_what_is_known_of_the_person)
{
	ALONE_SET(fixture, NULL);
	g_free(broadcast_ask(fixture, "POST", "/v1/properties",
	    "{'key':'plan','type':'string','default':'free'}", 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/people",
	    "{'email':'ada@example.net','first_name':'Ada','properties':"
	    "{'pet':{'name':'Rex'},'last_name':'own'}}",
	    200, NULL));
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'ada@example.net'}");
	g_autofree char *members = g_strdup_printf(
	    "'subject':'{{first_name}}, {{contact.last_name|friend}}','audiences':['%s'],"
	    "'html':'<p>{{pet.name}}/{{pet.age|old}}/{{plan}}/{{last_name}}/{{contact.email}}/"
	    "{{email}}/{{nothing|none}}/{{contact.plan|no field}}/"
	    "{{contact.subscribed}}</p>" OUT "'",
	    audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(arrival) arrival = broadcast_message(fixture, path, "ada@example.net");
	g_autofree char *html = tracking_html(arrival);
	cr_expect_str_eq(arrival_header(arrival, "Subject"), "Ada, friend");
	cr_expect(
	    strstr(html, "<p>Rex/old/free/own/ada@example.net/ada@example.net/none/no field/true<"),
	    "%s", html);
}

Test(broadcast_run, have_a_text_for_previews)
{
	ALONE_SET(fixture, NULL);
	g_free(broadcast_ask(fixture, "POST", "/v1/templates",
	    "{'id':'frame','name':'F','html':'<html><body>{{{body}}}</body></html>'}", 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/templates",
	    "{'id':'own','name':'O','layout':'frame','preview_text':'Own','html':'<p>x</p>" OUT
	    "'}",
	    200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/people",
	    "{'email':'ada@example.net','first_name':'<Ada>'}", 200, NULL));
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'ada@example.net'}");
	static const char *const cases[][2] = {
	    {"'preview_text':'A & B {{first_name}} {{default nothing \\u0022none\\u0022}}',"
	     "'html':'<body class=\\u0022c\\u0022><p>x</p>" OUT "</body>'",
		"<body class=\"c\"><!--preview--><div style=\"display:none;max-height:0;"
		"max-width:0;overflow:hidden;opacity:0\">A &amp; B &lt;Ada&gt; none</div>"},
	    {"'template_id':'own'", "opacity:0\">Own</div><!--/preview--><p>x</p>"},
	    {"'template_id':'own','preview_text':'Mine'",
		"<body><!--preview--><div style=\"display:none;max-height:0;"
		"max-width:0;overflow:hidden;opacity:0\">Mine</div><!--/preview--><p>x</p>"},
	    {"'template_id':'own','preview_text':''", "<body><p>x</p>"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *members =
		    g_strdup_printf("'subject':'S','audiences':['%s'],%s", audience, cases[i][0]);
		g_autofree char *path = broadcast_new(fixture, members);
		alone_spool(fixture, 0);
		AUTO(arrival) arrival = broadcast_message(fixture, path, "ada@example.net");
		g_autofree char *html = tracking_html(arrival);
		cr_expect(strstr(html, cases[i][1]), "%s: got %s", cases[i][0], html);
	}
}

Test(broadcast_run, take_the_defaults_of_their_template_first)
{
	ALONE_SET(fixture, NULL);
	g_free(broadcast_ask(fixture, "POST", "/v1/properties",
	    "{'key':'plan','type':'string','default':'free'}", 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/properties",
	    "{'key':'size','type':'string','default':'S'}", 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/people",
	    "{'email':'ada@example.net','properties':{'colour':'red'}}", 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/templates",
	    "{'id':'news','name':'N','subject':'{{plan}} {{size}} {{colour}}','html':'" OUT
	    "','variables':{'plan':'gold','colour':'blue'}}",
	    200, NULL));
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'ada@example.net'}");
	g_autofree char *members =
	    g_strdup_printf("'template_id':'news','audiences':['%s']", audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(arrival) arrival = broadcast_message(fixture, path, "ada@example.net");
	cr_expect_str_eq(arrival_header(arrival, "Subject"), "gold S red");
}

Test(broadcast_run, put_parameters_into_links)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'a@example.net'}");
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','audiences':['%s'],"
			    "'utm':{'source':'news letter','campaign':'x'},"
			    "'html':'<a href=http://x.org/?utm_source=own>1</a>"
			    "<a data-no-track href=http://x.org/2>2</a>" OUT "'",
		audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(arrival) arrival = broadcast_message(fixture, path, "a@example.net");
	g_autofree char *html = tracking_html(arrival);
	cr_expect(
	    strstr(html, "<a href=http://x.org/?utm_source=own&amp;utm_campaign=x>1"), "%s", html);
	cr_expect(strstr(html, "<a data-no-track href=http://x.org/2>"), "%s", html);
	g_autofree char *out = tracking_path(fixture, html, "a href", "/t/u/");
	cr_expect_not(strstr(out, "utm_"), "%s", out);
	cr_expect(strstr(html, "utm_source=own"));
}

/* The link of a tracked message with these words in it; its path, which the caller owns. */
static char *
broadcast_run_link_at(const char *html, guint number)
{
	const char *at = html;

	for (guint i = 0; i <= number; i++) {
		at = strstr(at + (i > 0), "/t/c/");
		cr_assert(at, "%s", html);
	}
	g_autofree char *escaped = g_strndup(at, strcspn(at, "\"' >"));
	g_auto(GStrv) parts = g_strsplit(escaped, "&amp;", -1);
	return g_strjoinv("&", parts);
}

static void
broadcast_run_visit(const char *path, guint status)
{
	const struct exchange exchange = {"visit", "GET", path, NULL, status,
	    .headers = {"Authorization:", "User-Agent: Mozilla/5.0 (X11; Linux) Firefox/128"}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* Waits until the instance has recorded so many events of opens and clicks. */
static void
wait_engagements(gint64 count)
{
	gint64 end = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;

	while (test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status IN (5, 6)"
					   " AND workspace_id = @workspace") < count) {
		cr_assert_lt(g_get_monotonic_time(), end, "not all are recorded");
		g_usleep(10000);
	}
}

/* Expects so many people for whom the broadcast did, or did not. */
static void
expect_segment(const char *path, const char *email, const char *operator, guint count)
{
	g_autofree char *body =
	    g_strdup_printf("{'rules':{'rules':[{'email':'%s','operator':'%s','broadcast':'%s'}]}}",
		email, operator, broadcast_id(path));
	g_autofree char *want = g_strdup_printf("count = %u", count);
	const struct exchange exchange = {
	    email, "POST", "/v1/segments/preview", body, 200, .want = {want}};

	answer_free(exchange_expect(fixture, &exchange));
}

#define PEOPLE 4

Test(broadcast_run, have_figures_and_marks)
{
	static const char *const people[PEOPLE] = {"reader@gmail.com", "quiet@gmx.net",
	    "bounced@test.posthouse.invalid", "complained@test.posthouse.invalid"};

	ALONE_SET(fixture, NULL);
	tracking_enable(fixture, true, true);
	g_autofree char *audience = audience_new(fixture, "A");
	for (guint i = 0; i < PEOPLE; i++) {
		g_autofree char *contact = g_strdup_printf("{'email':'%s'}", people[i]);

		g_free(audience_add(fixture, audience, contact));
	}
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','audiences':['%s'],'tags':{'kind':'news'},"
			    "'utm':{'term':'t'},'html':'<a href=\\u0022http://x.org/1\\u0022>1</a>"
			    "<a href=\\u0022http://x.org/2\\u0022>2</a><a "
			    "href=\\u0022http://x.org/3\\u0022>3</a>" OUT "'",
		audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	AUTO(arrival) arrival = broadcast_message(fixture, path, people[0]);
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *first = broadcast_run_link_at(html, 0);
	g_autofree char *second = broadcast_run_link_at(html, 1);
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");
	broadcast_run_visit(pixel, 200);
	broadcast_run_visit(first, 302);
	broadcast_run_visit(first, 302);
	broadcast_run_visit(second, 302);
	wait_engagements(4);
	g_autofree char *of_id = g_strdup_printf("&broadcast_id=%s", broadcast_id(path));
	g_autofree char *variants = g_strconcat("/v1/stats?group_by=variant", of_id, NULL);
	g_autofree char *links = g_strconcat("/v1/stats?group_by=link", of_id, NULL);
	g_autofree char *key = g_strdup_printf("stats[0].key = '%s'", broadcast_id(path));
	g_autofree char *recipients = g_strconcat(path, "/recipients", NULL);
#define RECIPIENTS                                                                                 \
	"count = 4", "recipients[0].email = 'reader@gmail.com'",                                   \
	    "recipients[0].status = 'delivered'", "recipients[0].sent_at : integer",               \
	    "recipients[0].opened_at : integer", "recipients[0].clicked_at : integer",             \
	    "recipients[1].status = 'delivered'", "recipients[1].opened_at = null",                \
	    "recipients[2].status = 'bounced'", "recipients[3].status = 'complained'"
#define FIGURES                                                                                    \
	"stats[0].accepted = 4", "stats[0].sent = 3", "stats[0].bounced = 1",                      \
	    "stats[0].complained = 1", "stats[0].opened = 1", "stats[0].opened_people = 1",        \
	    "stats[0].clicked = 3", "stats[0].clicked_people = 1", "stats[0].clicked_machine = 0"
	const struct exchange exchanges[] = {
	    {"broadcasts", "GET", "/v1/stats?group_by=broadcast", NULL, 200,
		.want = {"count = 1", key, FIGURES}},
	    {"variants", "GET", variants, NULL, 200,
		.want = {"count = 1", "stats[0].key = '0'", FIGURES}},
	    {"tags", "GET", "/v1/stats?group_by=tag", NULL, 200,
		.want = {"count = 1", "stats[0].key = 'kind:news'", FIGURES}},
	    {"providers", "GET", "/v1/stats?group_by=provider", NULL, 200,
		.want = {"count = 3", "stats[0].key = 'gmail'", "stats[0].accepted = 1",
		    "stats[1].key = 'gmx'", "stats[2].accepted = 2"}},
	    {"links", "GET", links, NULL, 200,
		.want = {"count = 2", "stats[0].key = 'http://x.org/1?utm_term=t'",
		    "stats[0].clicked = 2", "stats[0].clicked_people = 1", "stats[0].accepted = 0",
		    "stats[1].key = 'http://x.org/2?utm_term=t'", "stats[1].clicked = 1",
		    "stats[1].clicked_people = 1"}},
	    {"no emails", "GET", "/v1/emails", NULL, 200, .want = {"emails = []"}},
	    {"recipients", "GET", recipients, NULL, 200, .want = {RECIPIENTS}},
	    {"counts", "GET", path, NULL, 200,
		.want = {"counts = {'recipients':4,'excluded':0,'pending':0,'sent':3,'skipped':0,"
			 "'failed':1,'cancelled':0}"}},
	};
	EXPECT_ALL(fixture, exchanges);
	g_autofree char *marks = test_db_text(fixture->db,
	    "SELECT GROUP_CONCAT(marks ORDER BY person_id) FROM broadcast_recipient"
	    " WHERE workspace_id = @workspace");
	cr_expect_str_eq(marks, "3,0,4,8");
	/* As [retention] does. */
	test_db_plain(fixture->db, "DELETE FROM event WHERE workspace_id = @workspace");
	test_db_plain(fixture->db,
	    "UPDATE broadcast_recipient r JOIN recipient m USING (email_id, number)"
	    " SET r.outcome = m.status WHERE r.workspace_id = @workspace");
	test_db_plain(fixture->db, "DELETE FROM recipient WHERE workspace_id = @workspace");
	const struct exchange kept[] = {
	    {"recipients, kept", "GET", recipients, NULL, 200, .want = {RECIPIENTS}}};
	EXPECT_ALL(fixture, kept);
	expect_segment(path, "sent", "did", 3);
	expect_segment(path, "opened", "did", 1);
	expect_segment(path, "opened", "did_not", 3);
	expect_segment(path, "clicked", "did", 1);
	expect_segment(path, "bounced", "did", 1);
}

/* Sends a broadcast to 12 people whose mail meets the same fate. Its path, which the caller owns.
 */
static char *
broadcast_to_twelve(const char *fate)
{
	g_autofree char *audience = audience_new(fixture, "A");

	for (guint i = 0; i < 12; i++) {
		g_autofree char *contact =
		    g_strdup_printf("{'email':'%s+%u@test.posthouse.invalid'}", fate, i);

		g_free(audience_add(fixture, audience, contact));
	}
	g_autofree char *members = g_strdup_printf(
	    "'name':'N\\n& {{n}}','subject':'S','audiences':['%s'],'html':'" OUT "'", audience);
	return broadcast_new(fixture, members);
}

/* pending and failed: of the broadcast's counts. */
static void
broadcast_run_expect_state(const char *path, const char *status, const char *reason, guint pending,
    guint sent, guint failed)
{
	g_autofree char *want_status = g_strdup_printf("status = '%s'", status);
	g_autofree char *want_reason = g_strdup_printf("pause_reason = %s", reason);
	g_autofree char *want_counts =
	    g_strdup_printf("counts = {'recipients':12,'excluded':0,'pending':%u,'sent':%u,"
			    "'skipped':0,'failed':%u,'cancelled':0}",
		pending, sent, failed);
	const struct exchange exchange = {
	    status, "GET", path, NULL, 200, .want = {want_status, want_reason, want_counts}};

	answer_free(exchange_expect(fixture, &exchange));
}

static gint64
count_notices(void)
{
	return test_db_number(fixture->db,
	    "SELECT COUNT(*) FROM email WHERE workspace_id = @workspace"
	    " AND subject = 'Broadcast paused: N & {{n}}'");
}

Test(broadcast_run, pause_by_themselves)
{
	g_autofree char *user = g_strdup_printf("{'email':'%s@example.net'}", fixture->name);

	ALONE_SET(fixture, "mailings.pause_after=5", "spool.batch=5", "spool.jobs=1");
	g_free(broadcast_ask(fixture, "PATCH", "/v1/workspace",
	    "{'default_sender':'b@" FIXTURE_DOMAIN "'}", 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/users", user, 200, NULL));
	g_autofree char *path = broadcast_to_twelve("bounced");
	g_autofree char *resume = g_strconcat(path, "/resume", NULL);
	alone_spool(fixture, 0);
	broadcast_run_expect_state(path, "paused", "'bounces'", 7, 0, 5);
	cr_expect_eq(count_notices(), 2); /* one user comes with the fixture */
	/* Now what is tried from then on counts, after another five. */
	g_free(broadcast_ask(fixture, "POST", resume, NULL, 200, NULL));
	alone_spool(fixture, 0);
	broadcast_run_expect_state(path, "paused", "'bounces'", 2, 0, 10);
	cr_expect_eq(count_notices(), 4);
	g_free(broadcast_ask(fixture, "POST", resume, NULL, 200, NULL));
	alone_spool(fixture, 0);
	broadcast_run_expect_state(path, "sent", "null", 0, 0, 12);
	cr_expect_eq(count_notices(), 4);
}

Test(broadcast_run, pause_when_people_complain)
{
	ALONE_SET(fixture, "mailings.pause_after=5", "spool.batch=5", "spool.jobs=1");
	g_autofree char *path = broadcast_to_twelve("complained");
	alone_spool(fixture, 0);
	broadcast_run_expect_state(path, "paused", "'complaints'", 7, 5, 0);
}

/* All of them are not more than 100 %. */
Test(broadcast_run, go_on_at_the_limit)
{
	ALONE_SET(fixture, "mailings.pause_after=12", "mailings.pause_bounces=100",
	    "mailings.pause_complaints=100", "spool.batch=12", "spool.jobs=1");
	g_autofree char *path = broadcast_to_twelve("bounced");
	alone_spool(fixture, 0);
	broadcast_run_expect_state(path, "sent", "null", 0, 0, 12);
}

/* A contact gets another address while the broadcast is under way. */
Test(broadcast_run, reach_the_new_address_once)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = audience_new(fixture, "A"), *other = audience_new(fixture, "B");
	static const char *const names[] = {"ann", "bob", "cat"};
	static const struct exchange known = {"a person who has the new address", "POST",
	    "/v1/people", "{'email':'cat-2@example.net','first_name':'Own'}", 200};
	static const struct exchange gone = {
	    "nobody stays", "GET", "/v1/people/ann@example.net", NULL, 404};
	char *contacts[G_N_ELEMENTS(names)];

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *body =
		    g_strdup_printf("{'email':'%s@example.net','first_name':'F'}", names[i]);

		contacts[i] = audience_add(fixture, audience, body);
	}
	g_free(audience_add(fixture, other, "{'email':'bob@example.net'}"));
	answer_free(exchange_expect(fixture, &known));
	g_autofree char *members = g_strdup_printf("{'from':'a@" FIXTURE_DOMAIN "','subject':'S',"
						   "'html':'" OUT "','audiences':['%s']}",
	    audience);
	g_autofree char *id = broadcast_ask(fixture, "POST", "/v1/broadcasts", members, 200, "id");
	g_autofree char *send = g_strdup_printf("/v1/broadcasts/%s/send", id);
	g_free(broadcast_ask(fixture, "POST", send, "{'spread':3600000}", 200, NULL));
	alone_spool(fixture, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path =
		    g_strdup_printf("/v1/audiences/%s/contacts/%s", audience, contacts[i]);
		g_autofree char *body = g_strdup_printf("{'email':'%s-2@example.net'}", names[i]);

		g_free(broadcast_ask(fixture, "PATCH", path, body, 200, NULL));
		g_free(contacts[i]);
	}
	alone_spool(fixture, 2 * 3600000);
	g_autofree char *list = g_strdup_printf("/v1/broadcasts/%s/recipients", id);
	AUTO(answer) got = audience_ask(fixture, "GET", NULL, "%s", list);
	cr_expect(
	    got->status == 200 && json_integer(answer_at(got, "count")) == 3, "%s", got->body);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *email =
		    g_strdup_printf("\"%s-2@example.net\",\"status\":\"delivered\"", names[i]);
		g_autofree char *old = g_strdup_printf("\"%s@example.net", names[i]);

		cr_expect(strstr(got->body, email), "%s: %s", email, got->body);
		cr_expect_not(strstr(got->body, old), "%s: %s", old, got->body);
	}
	cr_expect_not(strstr(got->body, "skipped"), "%s", got->body);
	answer_free(exchange_expect(fixture, &gone));
	const struct exchange stays[] = {
	    {"for the other audience", "GET", "/v1/people/bob@example.net", NULL, 200,
		.want = {"first_name = 'F'", "audiences[0].name = 'B'"}},
	    {"keeps the own name", "GET", "/v1/people/cat-2@example.net", NULL, 200,
		.want = {"first_name = 'Own'", "audiences[0].status = 'subscribed'"}},
	};
	EXPECT_ALL(fixture, stays);
}

/* A segment does not bring back who has left an audience of the broadcast. */
Test(broadcast_run, leave_out_who_has_left_one_of_the_audiences)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = audience_new(fixture, "A"), *other = audience_new(fixture, "B");

	g_free(
	    audience_add(fixture, audience, "{'email':'ann@example.net','is_subscribed':false}"));
	g_free(audience_add(fixture, other, "{'email':'ann@example.net'}"));
	g_free(audience_add(fixture, other, "{'email':'bob@example.net'}"));
	g_free(broadcast_ask(fixture, "POST", "/v1/events",
	    "{'event_name':'e','email':'eve@example.net'}", 200, NULL));
	g_autofree char *segment = broadcast_ask(
	    fixture, "POST", "/v1/segments", "{'name':'All','rules':{'rules':[]}}", 200, "id");
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','html':'" OUT "','audiences':['%s'],'segments':['%s']",
		audience, segment);
	g_autofree char *path = broadcast_new(fixture, members);
	g_autofree char *check = g_strconcat(path, "/check", NULL);
	AUTO(answer) checked = audience_ask(fixture, "POST", "{}", "%s", check);
	cr_expect_eq(json_integer(answer_at(checked, "recipients")), 1, "%s", checked->body);
	alone_spool(fixture, 0);
	const struct exchange counts = {"counts", "GET", path, NULL, 200,
	    .want = {"counts.recipients = 1", "counts.excluded = 2", "counts.sent = 1"}};
	answer_free(exchange_expect(fixture, &counts));
	AUTO(arrival) arrival = broadcast_message(fixture, path, "bob@example.net");
}

/* By chance alone, a share of one percent of four people would be nobody. */
Test(broadcast_run, give_each_variant_somebody)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'a@example.net'}");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", audience);

	g_free(broadcast_ask(fixture, "POST", contacts, "{'email':'b@example.net'}", 200, "id"));
	g_free(broadcast_ask(fixture, "POST", contacts, "{'email':'c@example.net'}", 200, "id"));
	g_free(broadcast_ask(fixture, "POST", contacts, "{'email':'d@example.net'}", 200, "id"));
	g_autofree char *members = g_strdup_printf(
	    "'subject':'S','html':'" OUT "','audiences':['%s'],'variants':[{},{'subject':'B'},"
	    "{'subject':'C'}],'test_share':1,'winner_by':'manual'",
	    audience);
	g_autofree char *path = broadcast_new(fixture, members);
	alone_spool(fixture, 0);
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT GROUP_CONCAT(variant ORDER BY variant) FROM broadcast_recipient"
	    " WHERE workspace_id = @workspace");
	cr_expect_str_eq(got, "0,1,2,5", "%s: got %s", path, got);
}
