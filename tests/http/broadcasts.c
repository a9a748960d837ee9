/* SPDX-License-Identifier: MIT */
/* Broadcasts: drafts, what is checked before they are sent, and the states that allow each
   operation. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/broadcast.h"
#include "base/limits/list.h"
#include "store/email/event.h"
#include "tests/http/audience.h"
#include "tests/support/db.h"

FIXTURE_SUITE(broadcasts, 900);

#define UNKNOWN "01994f3e-7b6a-7c1d-9c43-4d0f6f2f8a11"
#define MISSING "{'message':'Broadcast not found'}"
#define HTML "<p>Hello {{first_name|there}}</p><a href={{unsubscribe_url}}>-</a>"

/* Writes a draft, and returns its path, which the caller owns. */
static char *
broadcasts_draft(const char *body)
{
	const struct exchange exchange = {
	    body, "POST", "/v1/broadcasts", body, 200, .want = {"id : string"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strconcat("/v1/broadcasts/", answer_text(answer, "id"), NULL);
}

/* A draft that can be sent, with more members. The caller owns its path. */
static char *
broadcasts_whole(const char *more)
{
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *body = g_strdup_printf(
	    "{'from':'a@" FIXTURE_DOMAIN "','subject':'S','html':'" HTML "','audiences':['%s']%s}",
	    audience, more);

	return broadcasts_draft(body);
}

static void
broadcasts_expect(const char *name, const char *method, const char *path, const char *body,
    guint status, const char *want)
{
	const struct exchange exchange = {name, method, path, body, status, .want = {want}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* Expects the answer to POST path/operation. */
static void
http_broadcasts_act(
    const char *path, const char *operation, const char *body, guint status, const char *want)
{
	g_autofree char *whole_path = g_strconcat(path, "/", operation, NULL);

	broadcasts_expect(operation, "POST", whole_path, body, status, want);
}

static void
set_status(const char *path, int status)
{
	g_autofree char *sql = g_strdup_printf(
	    "UPDATE broadcast SET status = %d WHERE id = UNHEX(REPLACE('%s', '-', ''))", status,
	    strrchr(path, '/') + 1);

	test_db_plain(fixture->db, sql);
}

Test(broadcasts, are_drafts_with_defaults)
{
	static const char *const want[] = {"name = 'Broadcast'", "from = null", "reply_to = []",
	    "subject = null", "preview_text = null", "html = null", "text = null",
	    "template_id = null", "topic_id = null", "audiences = []", "segments = []",
	    "exclude_segments = []", "utm = null", "tags = {}", "variants = []", "test_share = 100",
	    "winner_by = 'opens'", "decide_after = 14400000", "attachments = []",
	    "status = 'draft'", "pause_reason = null", "error = null", "warning = null",
	    "winner = null", "scheduled_at = null", "local_time = null", "time_zone = null",
	    "spread = 0", "started_at = null", "completed_at = null",
	    "counts = {'recipients':0,'excluded':0,'pending':0,'sent':0,'skipped':0,'failed':0,"
	    "'cancelled':0}"};
	/* An empty text is none, and takes back what was there. */
	g_autofree char *path =
	    broadcasts_draft("{'reply_to':[''],'topic_id':'','template_id':''}");

	for (gsize i = 0; i < G_N_ELEMENTS(want); i++)
		broadcasts_expect(want[i], "GET", path, NULL, 200, want[i]);
}

Test(broadcasts, come_back_as_they_were_given)
{
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *body = g_strdup_printf(
	    "{'name':'N','from':'Ann "
	    "<a@b.org>','reply_to':'r@b.org','subject':'S','preview_text':'P','html':'H',"
	    "'text':'T','audiences':'%s','utm':{'source':'news'},'tags':{'a':'b'},"
	    "'variants':[{},{'subject':'Q','html':'I','text':'U'}],'test_share':20,"
	    "'winner_by':'clicks','decide_after':3600000}",
	    audience);
	g_autofree char *path = broadcasts_draft(body);
	g_autofree char *audiences = g_strdup_printf("audiences = ['%s']", audience);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"name = 'N'", "from = 'Ann <a@b.org>'", "reply_to = ['r@b.org']",
		    "html = 'H'", "text = 'T'", "preview_text = 'P'", audiences,
		    "utm = {'source':'news'}", "tags = {'a':'b'}", "test_share = 20",
		    "winner_by = 'clicks'",
		    "variants[1] = {'subject':'Q','html':'I','text':'U','template_id':null}"}},
	    {"list", "GET", "/v1/broadcasts", NULL, 200,
		.want = {"count = 1", "broadcasts[0].name = 'N'", "broadcasts[0].html : absent",
		    "broadcasts[0].text : absent",
		    "broadcasts[0].variants[1] = {'subject':'Q','template_id':null}"}},
	    {"changed", "PATCH", path, "{'name':null,'subject':'R','variants':null}", 200,
		.want = {"name = 'R'", "html = 'H'", "variants = []", "test_share = 20"}},
	    {"variants again", "PATCH", path, "{'variants':[{},{'subject':'Q'}]}", 200,
		.want = {"variants[1].subject = 'Q'"}},
	    {"no variants, as they are shown", "PATCH", path, "{'variants':[]}", 200,
		.want = {"variants = []", "test_share = 20"}},
	    {"deleted", "DELETE", path, NULL, 200, "{'message':'Broadcast deleted'}"},
	    {"gone", "GET", path, NULL, 404, MISSING},
	    {"no id", "PATCH", "/v1/broadcasts/x", "{}", 404, MISSING},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

Test(broadcasts, name_what_is_wrong)
{
	static const char *const cases[][2] = {
	    {"{'name':''}", "name must be 1 to 100 characters"},
	    {"{'preview_text':'" HUNDRED HUNDRED "x'}",
		"preview_text must be at most 200 characters"},
	    {"{'preview_text':'{{#if x}}'}",
		"preview_text: line 1: \\\"{{#if\\\" is not closed by \\\"{{/if}}\\\""},
	    {"{'test_share':0}", "test_share must be between 1 and 100"},
	    {"{'test_share':101}", "test_share must be between 1 and 100"},
	    {"{'decide_after':3599999}", "decide_after must be between 3600000 and 604800000"},
	    {"{'decide_after':604800001}", "decide_after must be between 3600000 and 604800000"},
	    {"{'winner_by':'sales'}", "winner_by must be one of opens, clicks, manual"},
	    {"{'variants':[{}]}", "variants must have 2 to 5 elements"},
	    {"{'variants':''}", "variants must be an array"},
	    {"{'variants':[{},{},{},{},{},{}]}", "variants must have 2 to 5 elements"},
	    {"{'audiences':['x']}", "audiences[0] is not an audience"},
	    {"{'segments':['" UNKNOWN "']}", "segments[0] is not a segment"},
	    {"{'exclude_segments':'x'}", "exclude_segments[0] is not a segment"},
	    {"{'template_id':'nowhere'}", "Template not found"},
	    {"{'variants':[{},{'template_id':'nowhere'}]}", "Template not found"},
	    {"{'topic_id':'x'}", "Topic not found"},
	    {"{'topic_id':'" UNKNOWN "'}", "Topic not found"},
	    {"{'html':'{{> footer}}'}", "html: no template \\\"footer\\\""},
	    {"{'variants':[{},{'text':'{{> footer}}'}]}", "text: no template \\\"footer\\\""},
	    {"{'subject':'{{> footer}}'}", "subject: line 1: a subject cannot include a template"},
	    {"{'utm':{'source':1}}", "utm.source must be a string"},
	    {"{'utm':{'Source':'x'}}",
		"utm.Source is not a field of this request; did you mean source?"},
	};
	g_autofree char *path = broadcasts_draft("{'test_share':7}");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *want = g_strdup_printf("message = '%s'", cases[i][1]);

		broadcasts_expect(cases[i][0], "POST", "/v1/broadcasts", cases[i][0], 400, want);
		broadcasts_expect(cases[i][0], "PATCH", path, cases[i][0], 400, want);
	}
	broadcasts_expect("as it was", "GET", path, NULL, 200, "test_share = 7");
}

Test(broadcasts, leave_out_unknown_parameters_of_links)
{
	const struct exchange exchange = {"unknown", "POST", "/v1/broadcasts",
	    "{'utm':{'page':'x','source':'news','term':null}}", 200,
	    .want = {"utm = {'source':'news','term':null}"},
	    .want_header = {"Ignored-Members: utm.page"}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(broadcasts, are_checked_before_they_are_sent)
{
	static const char *const cases[][2] = {
	    {"{'from':null}", "from is required"},
	    {"{'subject':null}", "subject is required"},
	    {"{'subject':''}", "subject is required"},
	    {"{'html':null}", "html or text is required when template_id is absent"},
	    {"{'html':'<p>Hello</p>'}", "html must have {{unsubscribe_url}}"},
	    {"{'html':'<p>Hello</p>','text':'{{unsubscribe_url}}'}",
		"html must have {{unsubscribe_url}}"},
	    {"{'variants':[{},{'html':'<p>Hello</p>'}]}", "html must have {{unsubscribe_url}}"},
	    {"{'audiences':null}", "audiences or segments are required"},
	};
	static const char *const times[][2] = {
	    {"{'spread':604800001}", "spread must be between 0 and 604800000"},
	    {"{'local_time':'2026-12-01'}", "local_time must be a time YYYY-MM-DDTHH:MM"},
	    {"{'local_time':'2026-12-01 09:00'}", "local_time must be a time YYYY-MM-DDTHH:MM"},
	    {"{'local_time':'2026-12-01T09:00','time_zone':'Mars/Olympus'}",
		"time_zone must be an IANA time zone"},
	    {"{'local_time':'2026-12-01T09:00','time_zone':'+01:00'}",
		"time_zone must be an IANA time zone"},
	    {"{'time_zone':'Mars/Olympus'}", "time_zone must be an IANA time zone"},
	    {"{'scheduled_at':'2099-01-01'}", "scheduled_at must be at most 400 days ahead"},
	    {"{'local_time':'2099-01-01T09:00'}", "local_time must be at most 400 days ahead"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = broadcasts_whole("");
		g_autofree char *want = g_strdup_printf("message = '%s'", cases[i][1]);

		broadcasts_expect(cases[i][0], "PATCH", path, cases[i][0], 200, NULL);
		http_broadcasts_act(path, "send", NULL, 400, want);
	}
	g_autofree char *path = broadcasts_whole("");
	for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
		g_autofree char *want = g_strdup_printf("message = '%s'", times[i][1]);

		http_broadcasts_act(path, "send", times[i][0], 400, want);
	}
	broadcasts_expect("not ours", "PATCH", path, "{'from':'a@nobody.example'}", 200, NULL);
	http_broadcasts_act(
	    path, "send", "{}", 403, "message = 'Domain nobody.example is not registered'");
	broadcasts_expect("still", "GET", path, NULL, 200, "status = 'draft'");
}

Test(broadcasts, name_faults_of_a_request_before_their_state)
{
	static const char *const cases[][3] = {
	    {"", "{'winner_by':'sales'}", "winner_by must be one of opens, clicks, manual"},
	    {"", "{'audiences':['x']}", "audiences[0] is not an audience"},
	    {"", "{'html':'{{#if a}}'}",
		"html: line 1: \\\"{{#if\\\" is not closed by \\\"{{/if}}\\\""},
	    {"/send", "{'local_time':'x'}", "local_time must be a time YYYY-MM-DDTHH:MM"},
	    {"/send", "{'time_zone':'Mars/X'}", "time_zone must be an IANA time zone"},
	    {"/send", "{'scheduled_at':'2099-01-01'}",
		"scheduled_at must be at most 400 days ahead"},
	    {"/winner", "{'variant':5}", "variant must be between 0 and 4"},
	    {"/winner", "{'variant':-1}", "variant must be between 0 and 4"},
	};
	g_autofree char *path = broadcasts_whole("");

	http_broadcasts_act(path, "send", "{'spread':604800000}", 200, "status = 'scheduled'");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *method = *cases[i][0] ? "POST" : "PATCH";
		g_autofree char *whole_path = g_strconcat(path, cases[i][0], NULL);
		g_autofree char *want = g_strdup_printf("message = '%s'", cases[i][2]);

		broadcasts_expect(cases[i][1], method, whole_path, cases[i][1], 400, want);
	}
}

Test(broadcasts, may_be_changed_when_a_list_is_gone)
{
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *body = g_strdup_printf("{'audiences':['%s']}", audience);
	g_autofree char *path = broadcasts_draft(body);

	audience_expect(fixture, "DELETE", NULL, 200, NULL, "/v1/audiences/%s", audience);
	broadcasts_expect("name", "PATCH", path, "{'name':'N'}", 200, "name = 'N'");
	broadcasts_expect(
	    "list", "PATCH", path, body, 400, "message = 'audiences[0] is not an audience'");
	broadcasts_expect("no list", "PATCH", path, "{'audiences':null}", 200, "audiences = []");
}

Test(broadcasts, have_at_most_100_lists)
{
	g_autofree char *audience = audience_new(fixture, "A");
	g_autoptr(GString) many = g_string_new(NULL);

	for (int i = 0; i < 100; i++)
		g_string_append_printf(many, "%s'%s'", i > 0 ? "," : "", audience);
	g_autofree char *body = g_strdup_printf("{'audiences':[%s]}", many->str);
	g_autofree char *one =
	    g_strdup_printf("{'segments':['%s']}", "01994f3e-7b6a-7c1d-9c43-4d0f6f2f8a11");
	g_autofree char *more = g_strdup_printf("{'audiences':[%s,'%s']}", many->str, audience);
	static const char want[] = "message = 'audiences, segments and exclude_segments must have "
				   "at most 100 ids together'";
	AUTO(answer) segment =
	    audience_ask(fixture, "POST", "{'name':'S','rules':{'rules':[]}}", "/v1/segments");
	g_autofree char *other =
	    g_strdup_printf("{'exclude_segments':['%s']}", answer_text(segment, "id"));
	g_autofree char *path = broadcasts_draft(body);

	broadcasts_expect("101", "POST", "/v1/broadcasts", more, 400, want);
	broadcasts_expect("one more", "PATCH", path, other, 400, want);
	broadcasts_expect(
	    "unknown", "PATCH", path, one, 400, "message = 'segments[0] is not a segment'");
}

Test(broadcasts, name_what_they_lack_in_order)
{
	/* Each case has the fault of the one before it, and another. */
	static const char *const cases[][2] = {
	    {"{'from':'a@nobody.example'}", "Domain nobody.example is not registered"},
	    {"{'variants':[{},{'html':'<p>Hello</p>'}]}", "html must have {{unsubscribe_url}}"},
	    {"{'audiences':null}", "audiences or segments are required"},
	    {"{'variants':null,'html':null}",
		"html or text is required when template_id is absent"},
	    {"{'subject':null}", "subject is required"},
	    {"{'from':null}", "from is required"},
	};
	g_autofree char *path = broadcasts_whole("");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *want = g_strdup_printf("message = '%s'", cases[i][1]);

		broadcasts_expect(cases[i][0], "PATCH", path, cases[i][0], 200, NULL);
		http_broadcasts_act(path, "send", NULL, i == 0 ? 403 : 400, want);
	}
}

Test(broadcasts, are_sent_at_their_time)
{
	g_autofree char *now = broadcasts_whole(""), *later = broadcasts_whole(",'name':'N'"),
			*local = broadcasts_whole("");
	gint64 time = g_get_real_time() / 1000 + 3600000;
	g_autofree char *body =
	    g_strdup_printf("{'scheduled_at':%" G_GINT64_FORMAT ",'spread':604800000}", time);
	g_autofree char *want = g_strdup_printf("scheduled_at = %" G_GINT64_FORMAT, time);

	http_broadcasts_act(now, "send", NULL, 200, "status = 'scheduled'");
	http_broadcasts_act(later, "send", body, 200, want);
	broadcasts_expect("spread", "GET", later, NULL, 200, "spread = 604800000");
	http_broadcasts_act(local, "send", "{'local_time':'2020-12-24T18:00'}", 200,
	    "local_time = '2020-12-24T18:00'");
	broadcasts_expect("zone", "GET", local, NULL, 200, "time_zone = 'UTC'");
	broadcasts_expect(
	    "scheduled", "PATCH", later, "{'name':'x'}", 409, "message = 'Broadcast is scheduled'");
	http_broadcasts_act(later, "unschedule", NULL, 200, "status = 'draft'");
	broadcasts_expect("no time", "GET", later, NULL, 200, "scheduled_at = null");
	http_broadcasts_act(later, "duplicate", NULL, 200, "name = 'N (copy)'");
}

Test(broadcasts, are_not_sent_at_a_time_that_is_past)
{
	static const struct {
		gint64 ago_ms;
		guint want_status;
		const char *want;
	} cases[] = {
	    {LIMIT_BROADCAST_PAST_MS + 1000, 400,
		"message = 'scheduled_at must not be in the past'"},
	    /* The limit itself, but for the time that the request takes. */
	    {LIMIT_BROADCAST_PAST_MS - 30000, 200, "status = 'scheduled'"},
	};
	static const char *const long_past[] = {"{'scheduled_at':0}", "{'scheduled_at':1}",
	    "{'scheduled_at':'1970-01-01T00:00:00Z'}", "{'scheduled_at':1790000000}"};
	g_autofree char *past = broadcasts_whole("");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = broadcasts_whole("");
		g_autofree char *body = g_strdup_printf("{'scheduled_at':%" G_GINT64_FORMAT "}",
		    g_get_real_time() / 1000 - cases[i].ago_ms);

		http_broadcasts_act(path, "send", body, cases[i].want_status, cases[i].want);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(long_past); i++)
		http_broadcasts_act(past, "send", long_past[i], 400,
		    "message = 'scheduled_at must not be in the past'");
	broadcasts_expect("a draft", "GET", past, NULL, 200, "status = 'draft'");
	http_broadcasts_act(past, "send", "{'scheduled_at':null}", 200, "status = 'scheduled'");
}

Test(broadcasts, stand_in_the_audit_by_what_was_done)
{
	g_autofree char *path = broadcasts_whole(",'name':'News'");
	g_autofree char *later = g_strdup_printf(
	    "{'scheduled_at':%" G_GINT64_FORMAT "}", g_get_real_time() / 1000 + 3600000);
	static const char changes[] =
	    "SELECT GROUP_CONCAT(CONCAT(SUBSTR(action, 11), ' ', target_name) ORDER BY id"
	    " SEPARATOR ', ') FROM audit WHERE workspace_id = @workspace"
	    " AND action LIKE 'broadcast.%'";

	http_broadcasts_act(path, "send", later, 200, NULL);
	http_broadcasts_act(path, "unschedule", NULL, 200, NULL);
	http_broadcasts_act(path, "send", "{'local_time':'2020-01-01T00:00'}", 200, NULL);
	http_broadcasts_act(path, "unschedule", NULL, 200, NULL);
	http_broadcasts_act(path, "send", "{'scheduled_at':'','spread':1000}", 200, NULL);
	set_status(path, 3);
	http_broadcasts_act(path, "pause", NULL, 200, NULL);
	http_broadcasts_act(path, "resume", NULL, 200, NULL);
	http_broadcasts_act(path, "cancel", NULL, 200, NULL);
	g_autofree char *done = test_db_text(fixture->db, changes);
	cr_expect_str_eq(done,
	    "created News, scheduled News, unscheduled News, scheduled News, unscheduled News,"
	    " sent News, paused News, resumed News, cancelled News",
	    "%s", done);
}

/* The statuses that allow an operation; see enum store_broadcast_status. */
static const struct {
	const char *operation, *body, *want;
	unsigned allowed;
} operations[] = {
    {"send", NULL, "status = 'scheduled'", 1U << 1},
    {"unschedule", NULL, "status = 'draft'", 1U << 2},
    {"pause", NULL, "pause_reason = 'manual'", 1U << 3 | 1U << 4},
    {"resume", NULL, "pause_reason = null", 1U << 5},
    {"winner", "{'variant':1}", "winner = 1", 1U << 4},
    {"cancel", NULL, "status = 'cancelled'", 1U << 2 | 1U << 3 | 1U << 4 | 1U << 5},
};

Test(broadcasts, are_moved_where_their_state_allows_it)
{
	static const char *const names[] = {NULL, "draft", "scheduled", "sending", "testing",
	    "paused", "sent", "cancelled", "failed"};
	g_autofree char *path = broadcasts_whole(",'variants':[{},{'subject':'T'}]");

	for (gsize i = 0; i < G_N_ELEMENTS(operations); i++)
		for (int status = 1; status <= 8; status++) {
			g_autofree char *refused =
			    g_strdup_printf("message = 'Broadcast is %s'", names[status]);
			bool allowed = operations[i].allowed & 1U << status;

			set_status(path, status);
			http_broadcasts_act(path, operations[i].operation, operations[i].body,
			    allowed ? 200 : 409, allowed ? operations[i].want : refused);
		}
	set_status(path, 4);
	http_broadcasts_act(
	    path, "winner", "{'variant':2}", 400, "message = 'variant must be between 0 and 1'");
	http_broadcasts_act(path, "pause", NULL, 200, "status = 'paused'");
	http_broadcasts_act(path, "resume", NULL, 200, "status = 'testing'");
	broadcasts_expect("leaves", "DELETE", path, NULL, 409, "message = 'Broadcast is testing'");
}

/* The segment's own file has the other answers. */
Test(broadcasts, keep_their_segments_while_they_leave)
{
	AUTO(answer)
	segment = audience_ask(fixture, "POST",
	    "{'name':'S','rules':{'rules':[{'property':'plan','operator':'exists'}]}}",
	    "/v1/segments");
	g_autofree char *more = g_strdup_printf(",'exclude_segments':'%s','segments':['%s']",
	    answer_text(segment, "id"), answer_text(segment, "id"));
	g_autofree char *path = broadcasts_whole(more);
	g_autofree char *segment_path =
	    g_strconcat("/v1/segments/", answer_text(segment, "id"), NULL);

	for (int status = 2; status <= 5; status++) {
		set_status(path, status);
		broadcasts_expect(
		    "in use", "DELETE", segment_path, NULL, 409, "message = 'Segment is in use'");
	}
	set_status(path, 6);
	broadcasts_expect("over", "DELETE", segment_path, NULL, 200, "message = 'Segment deleted'");
	http_broadcasts_act(path, "duplicate", NULL, 200, "status = 'draft'");
}

Test(broadcasts, of_another_workspace_are_missing)
{
	g_autofree char *path = broadcasts_whole("");
	struct fixture *other = fixture_open();
	const struct exchange exchange = {"other", "GET", path, NULL, 404, MISSING};

	answer_free(exchange_expect(other, &exchange));
	fixture_close(other);
}

Test(broadcasts, are_listed_in_pages)
{
	g_autofree char *first = broadcasts_draft("{}");

	for (guint i = 0; i < LIMIT_PAGE; i++)
		g_free(broadcasts_draft("{}"));
	AUTO(answer) page = audience_ask(fixture, "GET", NULL, "/v1/broadcasts");
	const char *cursor = answer_text(page, "cursor");
	cr_expect_null(strchr(cursor, '-'), "%s is no opaque text", cursor);
	AUTO(answer) rest = audience_ask(fixture, "GET", NULL, "/v1/broadcasts?cursor=%s", cursor);
	cr_expect_eq(json_integer(answer_at(rest, "count")), 1);
	cr_expect(g_str_has_suffix(first, answer_text(rest, "broadcasts[0].id")));
	cr_expect_null(answer_at(rest, "cursor"), "%s", rest->body);
}

Test(broadcasts, list_their_recipients)
{
	g_autofree char *path = broadcasts_whole("");
	g_autofree char *list = g_strconcat(path, "/recipients", NULL);
	g_autofree char *some = g_strconcat(list, "?status=skipped", NULL);
	g_autofree char *wrong = g_strconcat(list, "?status=x", NULL);
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant,"
	    " queue, status, reason, due) SELECT id, UNHEX(LPAD(HEX(seq), 32, '0')), workspace_id,"
	    " 0, IF(seq < 60, 0, NULL), IF(seq < 60, 1, 4), IF(seq < 60, 0, 3), 5"
	    " FROM broadcast, seq_1_to_60 WHERE id = UNHEX(REPLACE('%s', '-', ''))",
	    strrchr(path, '/') + 1);

	test_db_plain(fixture->db, sql);
	const struct exchange exchanges[] = {
	    {"all", "GET", list, NULL, 200,
		.want = {"count = 50", "cursor : string",
		    "recipients[0] = {'email':null,'status':'pending','reason':null,'variant':0,"
		    "'due':5,'sent_at':null,'opened_at':null,'clicked_at':null}"}},
	    {"some", "GET", some, NULL, 200,
		.want = {"count = 1", "cursor = null", "recipients[0].status = 'skipped'",
		    "recipients[0].reason = 'audience'"}},
	    {"wrong", "GET", wrong, NULL, 400,
		"{'message':'status must be one of pending, sent, delivered, delayed, bounced,"
		" complained, failed, skipped, cancelled'}"},
	    {"unknown", "GET", "/v1/broadcasts/x/recipients", NULL, 404, MISSING},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Eight recipients: 1 waits, 2 was delivered, 3 opened, 4 clicked, 5 bounced, 6 complained, 7 has
   unsubscribed and opened afterwards, 8 was skipped. */
Test(broadcasts, list_recipients_by_what_they_did)
{
	static const struct {
		const char *query;
		const char *want; /* the last digits of the people */
	} cases[] = {
	    {"", "12345678"},
	    {"did=delivered", "23467"},
	    {"did=opened", "347"},
	    {"did=clicked", "4"},
	    {"did=bounced", "5"},
	    {"did=complained", "6"},
	    {"did=unsubscribed", "7"},
	    {"did_not=opened", "256"},
	    {"did_not=unsubscribed", "23456"},
	    {"did=delivered&did_not=opened", "26"},
	    {"did=opened&status=delivered", "347"},
	    {"did=opened&status=bounced", ""},
	    {"did=&did_not=", "12345678"},
	};
	g_autofree char *path = broadcasts_whole("");
	g_autofree char *recipients = g_strdup_printf(
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant,"
	    " queue, status, reason, marks, due, email_id, number, sent_at, opened_at, clicked_at,"
	    " outcome) SELECT id, UNHEX(LPAD(seq, 32, '0')), workspace_id, 0, IF(seq = 1, 0, NULL),"
	    " ELT(seq, 1, 2, 2, 2, 2, 2, 2, 4), 0, ELT(seq, 0, 0, 1, 3, 4, 8, 1, 0), seq, id, seq,"
	    " seq, IF(seq IN (3, 4, 7), 5, 0), IF(seq = 4, 5, 0),"
	    " ELT(seq, 0, @delivered, @opened, @clicked, @bounced, @complained, @opened, 0)"
	    " FROM broadcast, seq_1_to_8 WHERE id = UNHEX(REPLACE('%s', '-', ''))",
	    strrchr(path, '/') + 1);
	g_autofree char *event = g_strdup_printf(
	    "INSERT INTO event (id, workspace_id, email_id, recipient, status, timestamp)"
	    " SELECT UNHEX(LPAD(1, 32, '0')), workspace_id, id, 7, " EVENT_UNSUBSCRIBED_SQL ", 5"
	    " FROM broadcast WHERE id = UNHEX(REPLACE('%s', '-', ''))",
	    strrchr(path, '/') + 1);

	test_db_plain(fixture->db,
	    "SET @delivered = " EVENT_DELIVERED_SQL ", @opened = " EVENT_OPENED_SQL
	    ", @clicked = " EVENT_CLICKED_SQL ", @bounced = " EVENT_BOUNCED_SQL
	    ", @complained = " EVENT_COMPLAINED_SQL);
	test_db_plain(fixture->db, recipients);
	test_db_plain(fixture->db, event);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer) page =
		    audience_ask(fixture, "GET", NULL, "%s/recipients?%s", path, cases[i].query);
		g_autoptr(GString) got = g_string_new(NULL);
		gint64 count = json_integer(answer_at(page, "count"));

		for (gint64 k = 0; k < count; k++) {
			g_autofree char *due = g_strdup_printf("recipients[%d].due", (int)k);
			g_string_append_printf(
			    got, "%" G_GINT64_FORMAT, json_integer(answer_at(page, due)));
		}
		cr_expect_str_eq(got->str, cases[i].want, "%s: got %s", cases[i].query, got->str);
	}
	g_autofree char *wrong = g_strconcat(path, "/recipients?did=x", NULL);
	g_autofree char *not = g_strconcat(path, "/recipients?did_not=sent", NULL);
	const struct exchange exchanges[] = {
	    {"wrong", "GET", wrong, NULL, 400,
		"{'message':'did must be one of delivered, opened, clicked, bounced, complained,"
		" unsubscribed'}"},
	    {"not", "GET", not, NULL, 400,
		"{'message':'did_not must be one of delivered, opened, clicked, bounced,"
		" complained, unsubscribed'}"},
	};
	EXPECT_ALL(fixture, exchanges);
}
