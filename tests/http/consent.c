/* SPDX-License-Identifier: MIT */
/* Each way of having left against each way of sending, and topics. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"
#include "base/limits/person.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

FIXTURE_SUITE(consent, 900);

#define LINK "'html':'<p><a href=\\u0022{{unsubscribe_url}}\\u0022>out</a></p>'"

/* The topics and the audience of a test. */
static char *news, *secret, *audience;

static char *
consent_make_topic(const char *body)
{
	const struct exchange exchange = {"topic", "POST", "/v1/topics", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

static void
consent_prepare(void)
{
	news = consent_make_topic("{'name':'News'}");
	secret = consent_make_topic("{'name':'Secret','opt_in':true}");
	audience = audience_new(fixture, "first");
}

static void
consent_forget(void)
{
	g_clear_pointer(&news, g_free);
	g_clear_pointer(&secret, g_free);
	g_clear_pointer(&audience, g_free);
}

/* Sends a mailing, about a topic unless it is NULL; the path of its page, which the caller owns. */
static char *
page_of(const char *address, const char *topic)
{
	g_autofree char *change = g_strdup_printf(LINK ",'to':'%s'%s%s%s", address,
	    topic ? ",'topic_id':'" : "", topic ? topic : "", topic ? "'" : "");
	g_autofree char *id = email_send(fixture, change);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);

	return tracking_path(fixture, html, "a href", "/t/u/");
}

/* Posts a form to a page; the page, which the caller owns. */
static char *
consent_post(const char *page, const char *body)
{
	const struct exchange exchange = {body, "POST", page, body, 200,
	    .headers = {"Authorization:", "Content-Type: application/x-www-form-urlencoded"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer->body);
}

static void
use_page(const char *address, const char *topic, const char *body)
{
	g_autofree char *page = page_of(address, topic);

	g_free(consent_post(page, body));
}

static void
consent_suppress(const char *address, const char *reason, const char *scope)
{
	g_autofree char *body =
	    g_strdup_printf("{'email':'%s','reason':'%s','scope':'%s'}", address, reason, scope);
	const struct exchange exchange = {body, "POST", "/v1/suppressions", body, 200};

	answer_free(exchange_expect(fixture, &exchange));
}

static char *
http_consent_join(const char *address)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", address);

	return audience_add(fixture, audience, body);
}

static void
leave_nothing(const char *address)
{
}

static void
leave_by_button(const char *address)
{
	use_page(address, NULL, "List-Unsubscribe=One-Click");
}

static void
leave_all_by_page(const char *address)
{
	use_page(address, news, "action=choices&action=unsubscribe");
}

static void
leave_as_unsubscribed(const char *address)
{
	consent_suppress(address, "unsubscribed", "automation");
}

static void
leave_by_scope(const char *address)
{
	consent_suppress(address, "manual", "automation");
}

static void
leave_topic_by_button(const char *address)
{
	use_page(address, news, "List-Unsubscribe=One-Click");
}

static void
leave_topic_by_page(const char *address)
{
	use_page(address, news, "action=topic");
}

static void
leave_topic_by_choice(const char *address)
{
	use_page(address, NULL, "action=choices");
}

static void
leave_audience_by_page(const char *address)
{
	g_autofree char *body = g_strdup_printf("action=choices&topic=%s", news);

	g_free(http_consent_join(address));
	use_page(address, NULL, body);
}

static void
leave_audience_by_request(const char *address)
{
	g_autofree char *contact = http_consent_join(address);
	AUTO(answer) answer = audience_ask(fixture, "PATCH", "{'is_subscribed':false}",
	    "/v1/audiences/%s/contacts/%s", audience, contact);

	cr_expect_eq(answer->status, 200);
}

static void
block(const char *address)
{
	consent_suppress(address, "manual", "all");
}

static void
bounce(const char *address)
{
	consent_suppress(address, "bounced", "all");
}

static void
consent_complain(const char *address)
{
	consent_suppress(address, "complained", "all");
}

static void
leave_with_wider(const char *address)
{
	consent_suppress(address, "unsubscribed", "all");
}

enum way { PLAIN, LINKED, TOPIC, OPT_IN, WAYS };

/* want: a letter for each way, "g" where it goes and "s" where it stops. */
static const struct {
	const char *name;
	void (*leave)(const char *address);
	const char *want;
} cases[] = {
    {"nothing", leave_nothing, "gggs"},
    {"one-click", leave_by_button, "gsss"},
    {"page", leave_all_by_page, "gsss"},
    {"unsubscribed", leave_as_unsubscribed, "gsss"},
    {"scope automation", leave_by_scope, "gsss"},
    {"one-click of a topic", leave_topic_by_button, "ggss"},
    {"page of a topic", leave_topic_by_page, "ggss"},
    {"choices without the topic", leave_topic_by_choice, "ggss"},
    {"choices without the audience", leave_audience_by_page, "gggs"},
    {"is_subscribed", leave_audience_by_request, "gggs"},
    {"manual", block, "ssss"},
    {"bounced", bounce, "ssss"},
    {"complained", consent_complain, "ssss"},
    {"unsubscribed from all", leave_with_wider, "ssss"},
};

/* Sends one email; its id, which the caller owns. */
static char *
send_by(enum way way, const char *address)
{
	const char *topic = way == TOPIC ? news : way == OPT_IN ? secret : NULL;
	g_autofree char *change =
	    g_strdup_printf("'to':'%s'%s%s%s%s", address, way == LINKED ? "," LINK : "",
		topic ? ",'topic_id':'" : "", topic ? topic : "", topic ? "'" : "");

	return email_send(fixture, change);
}

/* Whether the only recipient has the event suppressed, once. */
static bool
is_stopped(const char *id)
{
	AUTO(answer) email = email_get(fixture, id);
	const struct json *events = answer_at(email, "recipient_statuses[0].events");
	guint count = 0;

	for (gsize i = 0; i < json_array_length(events); i++)
		count += g_strcmp0(
			     json_string(json_member_get(json_array_at(events, i), "status"), NULL),
			     "suppressed") == 0;
	cr_expect(count <= 1, "%u: %s", count, email->body);
	return count > 0;
}

Test(consent, decides_who_gets_what)
{
	consent_prepare();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *address = g_strdup_printf("p%zu@example.net", i);

		cases[i].leave(address);
		for (enum way way = 0; way < WAYS; way++) {
			g_autofree char *id = send_by(way, address);

			cr_expect_eq(is_stopped(id), cases[i].want[way] == 's', "%s, way %u",
			    cases[i].name, way);
		}
	}
	consent_forget();
}

/* Topics are stored, listed, changed and removed. */
Test(consent, has_topics)
{
	g_autofree char *longest = g_strnfill(LIMIT_NAME_LENGTH, 'n');
	g_autofree char *at = g_strdup_printf("{'name':'%s'}", longest);
	g_autofree char *past = g_strdup_printf("{'name':'%sn'}", longest);
	g_autofree char *text = g_strnfill(LIMIT_TOPIC_DESCRIPTION_LENGTH, 'd');
	g_autofree char *at_text = g_strdup_printf("{'name':'n','description':'%s'}", text);
	g_autofree char *past_text = g_strdup_printf("{'name':'n','description':'%sd'}", text);
	const struct exchange checks[] = {
	    {"none", "GET", "/v1/topics", NULL, 200, "{'topics':[],'count':0,'cursor':null}"},
	    {"nameless", "POST", "/v1/topics", "{}", 400, "{'message':'name is required'}"},
	    {"empty", "POST", "/v1/topics", "{'name':''}", 400, .want = {"message : string"}},
	    {"100", "POST", "/v1/topics", at, 200},
	    {"101", "POST", "/v1/topics", past, 400, .want = {"message : string"}},
	    {"500", "POST", "/v1/topics", at_text, 200},
	    {"501", "POST", "/v1/topics", past_text, 400, .want = {"message : string"}},
	    {"a line break", "POST", "/v1/topics", "{'name':'a\\nb'}", 400,
		.want = {"message : string"}},
	    {"unknown", "GET", "/v1/topics/0199c1a2-7f00-7000-8000-000000000001", NULL, 404,
		"{'message':'Topic not found'}"},
	    {"no id", "DELETE", "/v1/topics/x", NULL, 404, "{'message':'Topic not found'}"},
	};

	EXPECT_ALL(fixture, checks);
	consent_prepare();
	g_autofree char *path = g_strdup_printf("/v1/topics/%s", news);
	g_autofree char *opt_in = g_strdup_printf("/v1/topics/%s", secret);
	const struct exchange exchanges[] = {
	    {"defaults", "GET", path, NULL, 200,
		.want = {"name = 'News'", "description = ''", "public = true", "opt_in = false",
		    "created : integer", "updated : integer"}},
	    {"newest first", "GET", "/v1/topics", NULL, 200,
		.want = {"topics[0].name = 'Secret'", "topics[1].name = 'News'", "count = 4",
		    "cursor = null"}},
	    {"nulls", "PATCH", path, "{'name':null,'description':null,'public':null}", 200,
		.want = {"name = 'News'", "public = true"}},
	    {"opt_in null", "PATCH", opt_in, "{'opt_in':null}", 200, .want = {"opt_in = true"}},
	    {"change", "PATCH", path, "{'name':'N','description':'D','public':false}", 200,
		.want = {"name = 'N'", "description = 'D'", "public = false"}},
	    {"nothing", "PATCH", path, "{}", 200, .want = {"name = 'N'", "public = false"}},
	    {"opt_in", "PATCH", path, "{'opt_in':true}", 400,
		"{'message':'opt_in cannot be changed'}"},
	    {"remove", "DELETE", path, NULL, 200, "{'message':'Topic deleted'}"},
	    {"gone", "PATCH", path, "{}", 404, "{'message':'Topic not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
	consent_forget();
}

Test(consent, has_at_most_100_topics)
{
	for (guint i = 0; i < LIMIT_TOPICS; i++)
		g_free(consent_make_topic("{'name':'n'}"));
	const struct exchange past = {"101", "POST", "/v1/topics", "{'name':'n'}", 409,
	    "{'message':'Limit reached: at most 100 topics'}"};

	answer_free(exchange_expect(fixture, &past));
	AUTO(answer) page = audience_ask(fixture, "GET", NULL, "/v1/topics");
	const char *cursor = answer_text(page, "cursor");
	cr_expect_null(strchr(cursor, '-'), "%s is no opaque text", cursor);
	AUTO(answer) rest = audience_ask(fixture, "GET", NULL, "/v1/topics?cursor=%s", cursor);
	cr_expect_eq(json_integer(answer_at(rest, "count")), LIMIT_TOPICS - LIMIT_PAGE);
	cr_expect_null(answer_at(rest, "cursor"), "%s", rest->body);
}

Test(consent, names_topics_of_emails)
{
	static const struct refusal refusals[] = {
	    {"no id", "'topic_id':'x'", "Topic not found"},
	    {"unknown", "'topic_id':'0199c1a2-7f00-7000-8000-000000000001'", "Topic not found"},
	};
	char id[ID_TEXT_SIZE];

	REFUSE_ALL(fixture, refusals);
	consent_prepare();
	g_autofree char *spoken = consent_make_topic("{'name':'\\u0022Näwes\\u0022'}");
	const struct {
		const char *topic, *want;
	} rows[] = {{news, "\"News\" <%s.list." FIXTURE_DOMAIN ">"},
	    {spoken, "\"Näwes\" <%s.list." FIXTURE_DOMAIN ">"}};
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *change = g_strdup_printf("'topic_id':'%s'", rows[i].topic);
		g_autofree char *email = email_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, email);
		GString *list = g_string_new(rows[i].want);
		g_autofree char *feedback = g_strdup_printf(
		    "email:%s:%s:posthouse", rows[i].topic, base_id_format(&fixture->id, id));

		g_string_replace(list, "%s", rows[i].topic, 1);
		cr_expect_str_eq(arrival_header(arrival, "List-Id"), list->str);
		cr_expect_str_eq(arrival_header(arrival, "Feedback-ID"), feedback);
		cr_expect(arrival_has_line(arrival, "List-Unsubscribe: <"));
		cr_expect(
		    arrival_has_line(arrival, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"));
		cr_expect_not(arrival_header(arrival, "Precedence"));
		g_string_free(list, TRUE);
	}
	g_autofree char *plain = email_send(fixture, NULL);
	AUTO(arrival) without = arrival_wait(fixture, plain);
	cr_expect_not(arrival_header(without, "Feedback-ID"));
	cr_expect_not(arrival_header(without, "List-Id"));
	consent_forget();
}

/* An operator undoes what an operator did; a yes to one audience ends the state. */
Test(consent, is_one_state)
{
	consent_prepare();
	g_autofree char *contact = http_consent_join("a@example.net");
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts/%s", audience, contact);
	g_autofree char *second = audience_new(fixture, "second");
	g_autofree char *others = g_strdup_printf("/v1/audiences/%s/contacts", second);
#define ENTRY "/v1/suppressions/a@example.net"
	const struct exchange exchanges[] = {
	    {"leave", "POST", "/v1/suppressions",
		"{'email':'a@example.net','reason':'unsubscribed'}", 200},
	    {"off", "GET", path, NULL, 200, .want = {"is_subscribed = false"}},
	    {"on again", "PATCH", path, "{'is_subscribed':true}", 200},
	    {"on", "GET", path, NULL, 200, .want = {"is_subscribed = true"}},
	    {"off the list", "GET", ENTRY, NULL, 404},
	    {"leave", "POST", "/v1/suppressions",
		"{'email':'a@example.net','reason':'unsubscribed'}", 200},
	    {"wider", "POST", "/v1/suppressions",
		"{'email':'a@example.net','reason':'bounced','scope':'all'}", 200,
		.want = {"reason = 'bounced'"}},
	    {"lift the wider", "DELETE", ENTRY, NULL, 200},
	    {"narrow", "GET", ENTRY, NULL, 200,
		.want = {"reason = 'unsubscribed'", "scope = 'automation'"}},
	    {"lift", "DELETE", ENTRY, NULL, 200},
	    {"audiences stay", "GET", path, NULL, 200, .want = {"is_subscribed = false"}},
	    {"leave", "POST", "/v1/suppressions",
		"{'email':'a@example.net','reason':'manual','scope':'automation'}", 200},
	    {"a quiet one", "POST", others, "{'email':'a@example.net'}", 200},
	};

	EXPECT_ALL(fixture, exchanges);
	audience_expect_counts(fixture, second, 1, 1);
	consent_forget();
#undef ENTRY
}

/* Gets a page with an Accept-Language; the answer, which the caller owns. */
static struct answer *
consent_look(const char *page, const char *accepted)
{
	g_autofree char *line = g_strdup_printf("Accept-Language: %s", accepted);
	const struct exchange exchange = {
	    accepted, "GET", page, NULL, 200, .headers = {"Authorization:", line}};

	return exchange_expect(fixture, &exchange);
}

static const struct {
	const char *accepted, *want;
} languages[] = {
    {"", "en"},
    {"de", "de"},
    {"fr-CA, en;q=0.5", "fr"},
    {"ja, es;q=0.3, pt;q=0.7", "pt"},
    {"*", "en"},
    {"es-419", "es"},
    {"deu", "en"},
};

Test(consent, speaks_five_languages)
{
	g_autofree char *page = page_of("b@example.net", NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(languages); i++) {
		AUTO(answer) answer = consent_look(page, languages[i].accepted);
		g_autofree char *want = g_strdup_printf("<html lang=\"%s\">", languages[i].want);
		g_autofree char *got = answer_header(answer, "Content-Language");

		cr_expect_str_eq(got, languages[i].want, "%s", languages[i].accepted);
		cr_expect(strstr(answer->body, want), "%s", languages[i].accepted);
	}
}

/* The forms of a page, in their order. */
static void
expect_actions(const char *name, const char *page, const char *want)
{
	GString *got = g_string_new(NULL);

	for (const char *p = page; (p = strstr(p, "name=\"action\" value=\"")); p++) {
		p += strlen("name=\"action\" value=\"");
		g_string_append_len(got, p, strcspn(p, "\""));
		g_string_append_c(got, ' ');
	}
	cr_expect_str_eq(got->str, want, "%s: got %s in %s", name, got->str, page);
	g_string_free(got, TRUE);
}

/* Whether a checkbox of the page is checked. */
static bool
is_checked(const char *page, const char *id)
{
	g_autofree char *box = g_strdup_printf("value=\"%s\"", id);
	const char *at = strstr(page, box);

	cr_assert(at, "%s is not in %s", id, page);
	return g_str_has_prefix(at + strlen(box), " checked");
}

Test(consent, sets_exactly_what_is_chosen)
{
	consent_prepare();
	g_free(http_consent_join("b@example.net"));
	g_autofree char *page = page_of("b@example.net", news);
	AUTO(answer) first = consent_look(page, "en");
	g_autofree char *both =
	    g_strdup_printf("action=choices&topic=%s&audience=%s", secret, audience);

	expect_actions("first", first->body, "topic unsubscribe choices snooze ");
	cr_expect(strstr(first->body, "b@example.net") && strstr(first->body, ">No more of News<"));
	cr_expect(is_checked(first->body, news) && !is_checked(first->body, secret) &&
		  is_checked(first->body, audience));
	g_autofree char *chosen = consent_post(page, both);
	cr_expect(!is_checked(chosen, news) && is_checked(chosen, secret) &&
		  is_checked(chosen, audience));
	g_autofree char *none = consent_post(page, "action=choices");
	cr_expect(!is_checked(none, secret) && !is_checked(none, audience));
	g_autofree char *back = consent_post(page, "action=subscribe");
	cr_expect(is_checked(back, news) && is_checked(back, secret) && is_checked(back, audience),
	    "%s", back);
	g_autofree char *off = consent_post(page, "action=unsubscribe");
	cr_expect(!is_checked(off, news) && !is_checked(off, audience));
	g_autofree char *one = g_strdup_printf("action=choices&audience=%s&topic=x", audience);
	g_autofree char *yes = consent_post(page, one);
	cr_expect(is_checked(yes, audience) && !is_checked(yes, news));
	const struct exchange lifted = {
	    "lifted", "GET", "/v1/suppressions/b@example.net", NULL, 404};
	answer_free(exchange_expect(fixture, &lifted));
	consent_forget();
}

#define PAGE_BODY                                                                                  \
	"{'title':'<b>Shop</b>','text':{'en':'Hello & welcome','de':'Hallo'},"                     \
	"'colour':'#7a1fa2','logo_url':'https://static.example.com/l.png?a=1&b=2',"                \
	"'address':'Street 1'}"

Test(consent, has_looks)
{
	const struct exchange exchanges[] = {
	    {"none", "GET", "/v1/page", NULL, 200,
		"{'title':null,'text':{},'colour':null,'logo_url':null,'address':null}"},
	    {"colour", "PATCH", "/v1/page", "{'colour':'red'}", 400,
		"{'message':'colour must be #rrggbb'}"},
	    {"short", "PATCH", "/v1/page", "{'colour':'#12345'}", 400},
	    {"http", "PATCH", "/v1/page", "{'logo_url':'http://example.com/l.png'}", 400,
		"{'message':'logo_url must be an https URL'}"},
	    {"a policy", "PATCH", "/v1/page", "{'logo_url':'https://a; script-src *'}", 400},
	    {"a number", "PATCH", "/v1/page", "{'text':{'en':1}}", 400,
		"{'message':'text.en must be a string'}"},
	    {"a language", "PATCH", "/v1/page", "{'text':{'en':'a','it':'b'}}", 400,
		"{'message':'text.it is not a language of the page: en, de, fr, es, pt'}"},
	    {"all", "PATCH", "/v1/page", PAGE_BODY, 200,
		.want = {"title = '<b>Shop</b>'", "text.de = 'Hallo'", "colour = '#7a1fa2'"}},
	    {"one language", "PATCH", "/v1/page", "{'text':{'de':null}}", 200,
		.want = {"text = {'en':'Hello & welcome'}", "address = 'Street 1'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	g_autofree char *page = page_of("b@example.net", NULL);
	AUTO(answer) answer = consent_look(page, "de");
	g_autofree char *policy = answer_header(answer, "Content-Security-Policy");
	cr_expect(strstr(answer->body, "&lt;b&gt;Shop&lt;/b&gt;") &&
		  strstr(answer->body, "Hello &amp; welcome") &&
		  strstr(answer->body, "l.png?a=1&amp;b=2"));
	cr_expect(strstr(policy, "img-src https://static.example.com;") &&
		      g_str_has_prefix(policy, "default-src 'none'; style-src 'sha256-"),
	    "%s", policy);
}

/* The link of a mailing that was removed by age goes on to work; that of an erased person does not.
 */
Test(consent, outlives_its_email)
{
	consent_prepare();
	g_autofree char *page = page_of("b@example.net", news);

	test_db_plain(fixture->db,
	    "INSERT INTO reader_kept SELECT r.email_id, r.number, r.workspace_id, r.address,"
	    " e.sender, e.topic_id FROM recipient r JOIN email e ON e.id = r.email_id"
	    " WHERE r.workspace_id = @workspace AND r.address = 'b@example.net'");
	test_db_plain(fixture->db,
	    "DELETE FROM recipient WHERE workspace_id = @workspace AND address = 'b@example.net'");
	g_autofree char *off = consent_post(page, "List-Unsubscribe=One-Click");
	cr_expect(strstr(off, "gets nothing more about News"), "%s", off);
	g_autofree char *path = g_strdup_printf("/v1/topics/%s", news);
	const struct exchange remove = {"remove", "DELETE", path, NULL, 200};
	answer_free(exchange_expect(fixture, &remove));
	g_autofree char *all = consent_post(page, "action=topic");
	cr_expect(strstr(all, "gets no more mailings"), "the topic is gone: %s", all);
	test_db_plain(fixture->db, "DELETE FROM reader_kept WHERE workspace_id = @workspace AND "
				   "address = 'b@example.net'");
	const struct exchange gone = {
	    "gone", "GET", page, NULL, 404, .headers = {"Authorization:"}};
	answer_free(exchange_expect(fixture, &gone));
	consent_forget();
}
