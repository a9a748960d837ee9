/* SPDX-License-Identifier: MIT */
/* Broadcasts before they are sent: tests and checks. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

FIXTURE_SUITE(broadcast_trial, 900);

#define HTML                                                                                       \
	"<p>Hello {{first_name|there}}, {{plan}}</p><a "                                           \
	"href=\\u0022{{unsubscribe_url}}\\u0022>-</a>"

#define LINK "<a href={{unsubscribe_url}}>-</a>"

/* Writes a draft, and returns its path, which the caller owns. */
static char *
broadcast_trial_draft(const char *body)
{
	AUTO(answer) answer = audience_ask(fixture, "POST", body, "/v1/broadcasts");

	cr_assert_eq(answer->status, 200, "got %s", answer->body);
	return g_strconcat("/v1/broadcasts/", answer_text(answer, "id"), NULL);
}

/* A draft that can be sent to an audience, with more members. The caller owns its path. */
static char *
broadcast_trial_whole(const char *audience, const char *more)
{
	g_autofree char *body = g_strdup_printf(
	    "{'from':'a@" FIXTURE_DOMAIN "','subject':'News for {{first_name|you}}','html':'" HTML
	    "','audiences':['%s']%s}",
	    audience, more);

	return broadcast_trial_draft(body);
}

static void
broadcast_trial_act(
    const char *path, const char *operation, const char *body, guint status, const char *want)
{
	g_autofree char *whole_path = g_strconcat(path, "/", operation, NULL);
	const struct exchange exchange = {body, "POST", whole_path, body, status, .want = {want}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* The id of the newest test. The caller owns it. */
static char *
newest_test(void)
{
	return test_db_text(fixture->db,
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),"
	    " SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21))) FROM email"
	    " WHERE workspace_id = @workspace AND type = 3 AND tracking & 16 ORDER BY id DESC"
	    " LIMIT 1");
}

Test(broadcast_trial, sends_a_test_with_the_values_of_a_person)
{
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *path = broadcast_trial_whole(audience, "");

	audience_expect(fixture, "POST",
	    "{'email':'ann@example.net','first_name':'Ann','properties':{'plan':'gold'}}", 200,
	    NULL, "/v1/people");
	broadcast_trial_act(path, "test",
	    "{'to':['t@example.net','u@example.net'],'person':'Ann@example.net'}", 200,
	    "message = 'Test sent'");
	g_autofree char *id = newest_test();
	AUTO(arrival) first = arrival_wait_for(fixture, id, "t@example.net");
	AUTO(arrival) second = arrival_wait_for(fixture, id, "u@example.net");
	g_autofree char *html = tracking_html(first);
	cr_expect_str_eq(arrival_header(first, "Subject"), "[Test] News for Ann");
	cr_expect_str_eq(arrival_header(second, "Subject"), "[Test] News for Ann");
	cr_expect(strstr(html, "Hello Ann, gold"), "got %s", html);
	cr_expect_str_eq(
	    arrival_header(first, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
	audience_expect(
	    fixture, "GET", NULL, 200, "{'emails':[],'count':0,'cursor':null}", "/v1/emails");
	audience_expect(
	    fixture, "GET", NULL, 200, "{'stats':[],'count':0,'cursor':null}", "/v1/stats");
}

Test(broadcast_trial, has_a_link_to_unsubscribe_that_changes_nothing)
{
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *path = broadcast_trial_whole(audience, "");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'t@example.net'}");

	broadcast_trial_act(path, "test", "{'to':'t@example.net'}", 200, "message = 'Test sent'");
	g_autofree char *id = newest_test();
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *page = tracking_path(fixture, html, "a href", "/t/u/");
	cr_expect(strstr(html, "Hello there, <"), "got %s", html);
	const struct exchange exchanges[] = {
	    {"page", "GET", page, NULL, 200, .headers = {"Authorization:"}},
	    {"click", "POST", page, "List-Unsubscribe=One-Click", 200,
		.headers = {"Authorization:", "Content-Type: application/x-www-form-urlencoded"}},
	    {"person", "GET", "/v1/people/t@example.net", NULL, 200,
		.want = {"subscribed = true", "suppressed = null",
		    "audiences[0].status = 'subscribed'"}},
	};
	EXPECT_ALL(fixture, exchanges);
}

Test(broadcast_trial, names_what_is_wrong_with_a_test)
{
	static const char *const cases[][2] = {
	    {"{}", "to is required"},
	    {"{'to':[]}", "to is required"},
	    {"{'to':['a@b.org','b@b.org','c@b.org','d@b.org','e@b.org','f@b.org','g@b.org',"
	     "'h@b.org','i@b.org','j@b.org','k@b.org']}",
		"to must have at most 10 elements"},
	    {"{'to':['a@b.org,b@b.org,c@b.org,d@b.org,e@b.org,f@b.org','g@b.org,h@b.org,i@b.org,"
	     "j@b.org,k@b.org']}",
		"to must have at most 10 addresses"},
	    {"{'to':'t@example.net','person':'nobody@example.net'}", "Person not found"},
	    {"{'to':'t@example.net','person':'x'}", "Person not found"},
	    {"{'to':'t@example.net','variant':2}", "variant must be between 0 and 1"},
	    {"{'to':'t@example.net','variant':-1}", "variant must be between 0 and 1"},
	};
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *path = broadcast_trial_whole(audience, ",'variants':[{},{'subject':'B'}]");
	g_autofree char *empty = broadcast_trial_draft("{}");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *want = g_strdup_printf("message = '%s'", cases[i][1]);

		broadcast_trial_act(path, "test", cases[i][0], 400, want);
	}
	broadcast_trial_act(
	    empty, "test", "{'to':'t@example.net'}", 400, "message = 'from is required'");
	broadcast_trial_act("/v1/broadcasts/x", "test", "{'to':'t@example.net'}", 404,
	    "message = 'Broadcast not found'");
	cr_expect_eq(test_db_number(
			 fixture->db, "SELECT COUNT(*) FROM email WHERE workspace_id = @workspace"),
	    0);
	broadcast_trial_act(path, "test",
	    "{'to':['a@b.org','b@b.org','c@b.org','d@b.org','e@b.org','f@b.org','g@b.org',"
	    "'h@b.org','i@b.org','j@b.org'],'variant':1}",
	    200, "message = 'Test sent'");
}

Test(broadcast_trial, checks_an_empty_draft)
{
	g_autofree char *path = broadcast_trial_draft("{}");
	g_autofree char *check = g_strconcat(path, "/check", NULL);
	const struct exchange exchange = {"check", "POST", check, NULL, 200,
	    "{'ok':false,'recipients':0,'size':0,'spam_score':null,'findings':["
	    "{'level':'error','code':'sender','message':'from is required','count':1},"
	    "{'level':'error','code':'subject','message':'subject is required','count':1},"
	    "{'level':'error','code':'content','message':"
	    "'html or text is required when template_id is absent','count':1},"
	    "{'level':'error','code':'recipients','message':"
	    "'audiences or segments are required','count':0}]}"};

	answer_free(exchange_expect(fixture, &exchange));
	broadcast_trial_act(path, "check", "{'sample':10001}", 400,
	    "message = 'sample must be between 0 and 10000'");
	broadcast_trial_act(path, "check", "{'sample':10000}", 200, "ok = false");
	broadcast_trial_act(
	    "/v1/broadcasts/x", "check", NULL, 404, "message = 'Broadcast not found'");
}

Test(broadcast_trial, checks_sender_link_and_recipients)
{
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *path = broadcast_trial_whole(audience, "");
	g_autofree char *contact =
	    audience_add(fixture, audience, "{'email':'a@x.org','is_subscribed':false}");
	const struct exchange exchanges[] = {
	    {"change", "PATCH", path, "{'from':'a@nobody.example','html':'<p>Hi</p>'}", 200},
	};

	broadcast_trial_act(
	    path, "check", "{}", 200, "findings[0].message = 'nobody would get it'");
	EXPECT_ALL(fixture, exchanges);
	broadcast_trial_act(path, "check", "{}", 200,
	    "findings[0] = {'level':'error','code':'sender','message':"
	    "'Domain nobody.example is not registered','count':1}");
	broadcast_trial_act(path, "check", "{}", 200,
	    "findings[1] = {'level':'error','code':'unsubscribe_link','message':"
	    "'html must have {{unsubscribe_url}}','count':1}");
	broadcast_trial_act(path, "check", "{}", 200, "findings[2].code = 'recipients'");
}

Test(broadcast_trial, finds_all_with_which_it_would_not_be_sent)
{
	static const char *const cases[][3] = {
	    {"{'subject':'a\\nb'}", "subject", "subject must not contain control characters"},
	    {"{'template_id':'t'}", "content", "html is not allowed together with template_id"},
	    {"{'reply_to':'x'}", "sender",
		"reply_to must be a valid email address: \\\"x\\\" has no domain"},
	};
	g_autofree char *audience = audience_new(fixture, "A"), *gone = audience_new(fixture, "B");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'a@x.org'}");
	g_autofree char *lists = g_strdup_printf("{'audiences':['%s','%s']}", audience, gone);
	g_autofree char *old = broadcast_trial_whole(audience, "");
	AUTO(answer) topic = audience_ask(fixture, "POST", "{'name':'T'}", "/v1/topics");
	const char *topic_id = answer_text(topic, "id");
	g_autofree char *about = g_strdup_printf(",'topic_id':'%s'", topic_id);
	g_autofree char *topical = broadcast_trial_whole(audience, about);

	audience_expect(fixture, "POST", "{'id':'t','name':'T','html':'{{unsubscribe_url}}'}", 200,
	    NULL, "/v1/templates");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = broadcast_trial_whole(audience, "");
		g_autofree char *want = g_strdup_printf(
		    "findings[0] = {'level':'error','code':'%s','message':'%s','count':1}",
		    cases[i][1], cases[i][2]);
		g_autofree char *message = g_strdup_printf("message = '%s'", cases[i][2]);

		audience_expect(fixture, "PATCH", cases[i][0], 200, NULL, "%s", path);
		broadcast_trial_act(path, "check", "{}", 200, want);
		broadcast_trial_act(path, "send", "{}", 400, message);
	}
	audience_expect(fixture, "PATCH", lists, 200, NULL, "%s", old);
	audience_expect(fixture, "DELETE", NULL, 200, NULL, "/v1/audiences/%s", gone);
	broadcast_trial_act(old, "check", "{}", 200,
	    "findings[0] = {'level':'error','code':'recipients','message':"
	    "'audiences[1] is not an audience','count':1}");
	audience_expect(fixture, "DELETE", NULL, 200, NULL, "/v1/topics/%s", topic_id);
	broadcast_trial_act(topical, "check", "{}", 200,
	    "findings[0] = {'level':'error','code':'content','message':'Topic not "
	    "found','count':1}");
}

/* People of the audience: one with all values, one without a name, one who has left. */
static char *
fill_audience(void)
{
	char *audience = audience_new(fixture, "A");
	g_autofree char *ann =
	    audience_add(fixture, audience, "{'email':'ann@x.org','first_name':'Ann'}");
	g_autofree char *bob = audience_add(fixture, audience, "{'email':'bob@x.org'}");
	g_autofree char *cem =
	    audience_add(fixture, audience, "{'email':'cem@x.org','is_subscribed':false}");

	audience_expect(
	    fixture, "PATCH", "{'properties':{'plan':'gold'}}", 200, NULL, "/v1/people/ann@x.org");
	return audience;
}

Test(broadcast_trial, counts_recipients_and_missing_variables)
{
	g_autofree char *audience = fill_audience();
	g_autofree char *path = broadcast_trial_whole(audience, "");

	broadcast_trial_act(path, "check", "{}", 200, "ok = true");
	broadcast_trial_act(path, "check", "{}", 200, "recipients = 2");
	broadcast_trial_act(path, "check", "{}", 200,
	    "findings = [{'level':'warning','code':'fallback','message':"
	    "'{{first_name}} has no value','count':1},{'level':'warning','code':'fallback',"
	    "'message':'{{plan}} has no value','count':1}]");
	broadcast_trial_act(path, "check", "{'sample':0}", 200, "findings = []");
	broadcast_trial_act(path, "check", "{'sample':1}", 200, "recipients = 2");
}

#define NOBODY "{'level':'error','code':'recipients','message':'nobody would get it','count':0}"
/* The template alone shows them, where there is nobody to look at. */
Test(broadcast_trial, finds_unknown_variables_where_the_sample_is_empty)
{
	g_autofree char *audience = audience_new(fixture, "Empty");
	g_autofree char *path = broadcast_trial_whole(audience, "");
	static const char findings[] =
	    "findings = [" NOBODY
	    ",{'level':'warning','code':'fallback','message':'{{inner.x}} has no value',"
	    "'count':0},{'level':'warning','code':'fallback','message':'{{seen}} has no value',"
	    "'count':0}]";

	audience_expect(
	    fixture, "POST", "{'key':'defined','type':'string'}", 200, NULL, "/v1/properties");
	audience_expect(fixture, "PATCH",
	    "{'subject':'{{seen}}','html':'{{#if asked}}{{inner.x}}{{/if}}{{with|a fallback}}"
	    "{{defined}}{{first_name}}{{contact.email}}{{{seen}}}{{unsubscribe_url}}'}",
	    200, NULL, "%s", path);
	broadcast_trial_act(path, "check", "{}", 200, findings);
	/* A default of a template is a value. */
	audience_expect(fixture, "POST",
	    "{'id':'t','name':'T','subject':'S','html':'{{default}}{{none}}{{unsubscribe_url}}',"
	    "'variables':{'default':'x'}}",
	    200, NULL, "/v1/templates");
	audience_expect(fixture, "PATCH",
	    "{'subject':null,'html':null,'text':null,'template_id':'t'}", 200, NULL, "%s", path);
	broadcast_trial_act(path, "check", "{}", 200,
	    "findings = [" NOBODY
	    ",{'level':'warning','code':'fallback','message':'{{none}} has no value',"
	    "'count':0}]");
}

/* Names of items are no variables, and "{{else}}" is none in a block. */
Test(broadcast_trial, looks_for_variables_alone)
{
	g_autofree char *audience = fill_audience();
	g_autofree char *path = broadcast_trial_whole(audience, "");

	audience_expect(fixture, "PATCH",
	    "{'subject':'S','html':'{{#each a}}{{n}}{{#if m}}{{../b}}{{this.o}}{{@index}}{{else}}"
	    "{{@root.c}}{{/if}}{{#each "
	    "k}}{{../../d}}{{../l}}{{/each}}{{else}}{{e}}{{/each}}{{else}}"
	    "{{#if f}}-{{else if g}}{{unsubscribe_url}}{{/if}}'}",
	    200, NULL, "%s", path);
	AUTO(answer) answer = audience_ask(fixture, "POST", "{}", "%s/check", path);
	static const char *const names[] = {"a", "b", "c", "d", "e", "else", "f", "g"};
	cr_expect_eq(json_array_length(answer_at(answer, "findings")), 1 + G_N_ELEMENTS(names),
	    "%s", answer->body);
	cr_expect_str_eq(answer_text(answer, "findings[0].code"), "unsubscribe_link");
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *place = g_strdup_printf("findings[%zu].message", 1 + i);
		g_autofree char *want = g_strdup_printf("{{%s}} has no value", names[i]);

		cr_expect_str_eq(answer_text(answer, place), want);
	}
}

#define UNSEEN                                                                                     \
	"{'level':'warning','code':'unsubscribe_link','message':"                                  \
	"'no link to unsubscribe is visible; a footer with one is added','count':%d}"

/* The source has the link each time. */
Test(broadcast_trial, looks_for_the_link_as_people_see_it)
{
	static const struct {
		const char *name, *given, *body;
		int people; /* who see none; 0: there is no finding */
	} cases[] = {
	    {"shown", "{'html':'" LINK "'}", "{}", 0},
	    {"comment", "{'html':'<p>Hi</p><!-- " LINK " -->'}", "{}", 2},
	    {"hidden", "{'html':'<p>Hi</p><p hidden>" LINK "</p>'}", "{}", 2},
	    {"not displayed", "{'html':'Hi<p style=\\u0022display:none\\u0022>" LINK "</p>'}", "{}",
		2},
	    {"empty", "{'html':'Hi<a href={{unsubscribe_url}}></a>'}", "{}", 2},
	    {"condition", "{'html':'Hi{{#if plan}}" LINK "{{/if}}'}", "{}", 1},
	    {"condition, one person", "{'html':'Hi{{#if plan}}" LINK "{{/if}}'}", "{'sample':1}",
		0},
	    {"condition, nobody", "{'html':'Hi{{#if plan}}" LINK "{{/if}}'}", "{'sample':0}", 1},
	    {"text", "{'html':null,'text':'Hi {{unsubscribe_url}}'}", "{}", 0},
	    {"text, condition", "{'html':null,'text':'Hi {{#if plan}}{{unsubscribe_url}}{{/if}}'}",
		"{}", 1},
	    {"variants",
		"{'html':'" LINK "','text':null,'variants':[{},{'html':'{{#if plan}}" LINK
		"{{/if}}'}]}",
		"{}", 1},
	};
	g_autofree char *audience = fill_audience();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = broadcast_trial_whole(audience, "");
		g_autofree char *want = g_strdup_printf("findings[0] = " UNSEEN, cases[i].people);

		audience_expect(fixture, "PATCH", cases[i].given, 200, NULL, "%s", path);
		AUTO(answer) answer =
		    audience_ask(fixture, "POST", cases[i].body, "%s/check", path);
		cr_expect_eq(strstr(answer->body, "\"unsubscribe_link\"") != NULL,
		    cases[i].people > 0, "%s: %s", cases[i].name, answer->body);
		if (cases[i].people > 0)
			broadcast_trial_act(path, "check", cases[i].body, 200, want);
		broadcast_trial_act(path, "check", cases[i].body, 200, "ok = true");
	}
}

Test(broadcast_trial, counts_people_of_segments_less_those_left_out)
{
	g_autofree char *audience = fill_audience();
	AUTO(answer)
	segment = audience_ask(fixture, "POST",
	    "{'name':'S','rules':{'rules':[{'property':'plan','operator':'exists'}]}}",
	    "/v1/segments");
	AUTO(answer)
	topic = audience_ask(fixture, "POST", "{'name':'T','opt_in':true}", "/v1/topics");
	g_autofree char *left_out =
	    g_strdup_printf(",'exclude_segments':['%s']", answer_text(segment, "id"));
	g_autofree char *topical = g_strdup_printf(",'topic_id':'%s'", answer_text(topic, "id"));
	g_autofree char *both = g_strdup_printf(",'segments':['%s']", answer_text(segment, "id"));
	g_autofree char *less = broadcast_trial_whole(audience, left_out),
			*about = broadcast_trial_whole(audience, topical),
			*more = broadcast_trial_whole(audience, both);
	g_autofree char *empty = audience_new(fixture, "B");
	g_autofree char *only = broadcast_trial_whole(empty, both);

	broadcast_trial_act(less, "check", "{}", 200, "recipients = 1");
	broadcast_trial_act(about, "check", "{}", 200, "recipients = 0");
	broadcast_trial_act(more, "check", "{}", 200, "recipients = 2");
	broadcast_trial_act(only, "check", "{}", 200, "recipients = 1");
	audience_expect(fixture, "POST", "{'email':'ann@x.org'}", 200, NULL, "/v1/suppressions");
	broadcast_trial_act(more, "check", "{}", 200, "recipients = 1");
}

Test(broadcast_trial, warns_of_images_sizes_and_links)
{
	g_autofree char *audience = fill_audience();
	g_autofree char *path = broadcast_trial_whole(audience, "");
	g_autofree char *text = g_strnfill(102 * 1024 - strlen("<p></p>"), 'x');
	g_autofree char *large =
	    g_strdup_printf("{'subject':'S','html':'<p>%s</p>" LINK "'}", text);

	audience_expect(fixture, "PATCH",
	    "{'subject':'S','html':'<img src=a><img src=b alt=b><img src=c alt=>" LINK
	    "<a href=http://127.0.0.1:9/x>x</a>'}",
	    200, NULL, "%s", path);
	broadcast_trial_act(path, "check", "{}", 200,
	    "findings = [{'level':'warning','code':'image_alt','message':"
	    "'images have no alt text','count':1}]");
	broadcast_trial_act(path, "check", "{'links':true}", 200, "findings[1].code = 'links'");
	audience_expect(fixture, "PATCH", large, 200, NULL, "%s", path);
	broadcast_trial_act(path, "check", "{}", 200, "findings[0].code = 'size'");
	broadcast_trial_act(path, "check", "{}", 200, "ok = true");
}

/* The size that the check reports for html with so many characters of text. */
static gint64
size_with(const char *path, gsize length, bool *is_warned_r)
{
	g_autofree char *text = g_strnfill(length, 'x');
	g_autofree char *body = g_strdup_printf("{'html':'<p>%s</p>" LINK "'}", text);

	audience_expect(fixture, "PATCH", body, 200, NULL, "%s", path);
	AUTO(answer) answer = audience_ask(fixture, "POST", "{'sample':0}", "%s/check", path);
	*is_warned_r = strstr(answer->body, "\"size\",\"message\"") != NULL;
	return json_integer(answer_at(answer, "size"));
}

Test(broadcast_trial, takes_102_kilobytes_and_no_byte_more)
{
	const gint64 most = 102 * 1024;
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *path = broadcast_trial_whole(audience, "");
	bool is_warned;
	gsize length = (gsize)(most - size_with(path, 0, &is_warned));

	cr_expect_not(is_warned);
	cr_expect_eq(size_with(path, length, &is_warned), most);
	cr_expect_not(is_warned);
	cr_expect_eq(size_with(path, length + 1, &is_warned), most + 1);
	cr_expect(is_warned);
}

Test(broadcast_trial, counts_parameters_of_links_as_sent)
{
	static const char more[] = "?utm_source=news";
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *path = broadcast_trial_whole(audience, ",'utm':{}");
	gint64 sizes[2];

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		audience_expect(fixture, "PATCH",
		    i == 0 ? "{'html':'" LINK "<a href=https://x.org/>x</a>'}"
			   : "{'utm':{'source':'news'}}",
		    200, NULL, "%s", path);
		AUTO(answer) answer = audience_ask(fixture, "POST", NULL, "%s/check", path);
		sizes[i] = json_integer(answer_at(answer, "size"));
	}
	cr_expect_eq(
	    sizes[1] - sizes[0], (gint64)strlen(more), "got %d", (int)(sizes[1] - sizes[0]));
}

Test(broadcast_trial, is_no_change_for_the_audit)
{
	static const char changes[] = "SELECT COUNT(*) FROM audit WHERE workspace_id = @workspace"
				      " AND action LIKE 'broadcast.%'";
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *path = broadcast_trial_whole(audience, "");

	cr_expect_eq(test_db_number(fixture->db, changes), 1);
	broadcast_trial_act(path, "check", "{}", 200, NULL);
	broadcast_trial_act(path, "test", "{'to':'t@example.net'}", 200, NULL);
	cr_expect_eq(test_db_number(fixture->db, changes), 1);
	broadcast_trial_act(path, "duplicate", NULL, 200, NULL);
	broadcast_trial_act(path, "send", "{}", 200, NULL);
	g_autofree char *done = test_db_text(fixture->db,
	    "SELECT GROUP_CONCAT(CONCAT(action, ' ', b.id IS NOT NULL) ORDER BY a.id) FROM audit a"
	    " LEFT JOIN broadcast b ON LOWER(HEX(b.id)) = REPLACE(a.target_id, '-', '')"
	    " WHERE a.workspace_id = @workspace AND action LIKE 'broadcast.%'");
	cr_expect_str_eq(done, "broadcast.created 1,broadcast.created 1,broadcast.sent 1");
}

/* Under 100 people for each variant decide nothing. Without a winner there is nothing to decide. */
Test(broadcast_trial, warns_of_a_test_with_few_people)
{
	g_autofree char *audience = audience_new(fixture, "A");

	g_free(audience_add(fixture, audience, "{'email':'a@example.net'}"));
	g_autofree char *path = broadcast_trial_whole(audience,
	    ",'variants':[{},{'subject':'B'},{'subject':'C'}],'test_share':1,"
	    "'winner_by':'manual'");
	g_autofree char *check = g_strconcat(path, "/check", NULL);
	const struct exchange exchanges[] = {
	    {"warned", "POST", check, NULL, 200,
		.want = {"ok = true", "findings[0].level = 'warning'",
		    "findings[0].code = 'test_share'", "findings[0].count = 3",
		    "findings[0].message = 'test_share is too small to decide: about 1 people get "
		    "each variant, and it takes 100'"}},
	    {"all are split", "PATCH", path, "{'test_share':100}", 200},
	    {"not warned", "POST", check, NULL, 200, .want = {"findings[0].code = 'fallback'"}},
	};
	EXPECT_ALL(fixture, exchanges);
}
