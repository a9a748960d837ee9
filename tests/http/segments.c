/* SPDX-License-Identifier: MIT */
/* Segments through HTTP: requests, faults, people, and frozen ones. */
#include <criterion/criterion.h>

#include "base/limits/list.h"
#include "base/limits/person.h"
#include "tests/http/audience.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

FIXTURE_SUITE(segments, 900);

#define PRO "{'match':'all','rules':[{'property':'plan','operator':'equals','value':'pro'}]}"

static char *
segments_make(const char *path, const char *body)
{
	const struct exchange exchange = {"make", "POST", path, body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

static void
segments_make_people(void)
{
	static const char *const bodies[] = {
	    "{'email':'Ann@example.org','properties':{'plan':'pro'}}",
	    "{'email':'bob@example.org','properties':{'plan':'free','age':10}}",
	    "{'email':'cid@example.org','properties':{'plan':'pro'},'subscribed':false}",
	};

	for (guint i = 0; i < G_N_ELEMENTS(bodies); i++)
		g_free(segments_make("/v1/people", bodies[i]));
}

/* A preview with a rule about a field of people, and the words about its value (NULL: good). */
#define FIELD(name, operator, value, status, want)                                                 \
	{                                                                                          \
		name " " operator" " value, "POST", "/v1/segments/preview",                        \
		    "{'rules':{'rules':[{'property':'contact." name "','operator':'"               \
		    operator"','value':" value "}]}}",                                             \
		    status, want                                                                   \
	}

Test(segments, are_checked)
{
	static const struct exchange exchanges[] = {
	    {"none", "POST", "/v1/segments", "{}", 400, "{'message':'name is required'}"},
	    {"no rules", "POST", "/v1/segments", "{'name':'a'}", 400,
		"{'message':'rules is required'}"},
	    {"empty name", "POST", "/v1/segments", "{'name':'','rules':{'rules':[]}}", 400,
		"{'message':'name is required'}"},
	    {"a list", "POST", "/v1/segments", "{'name':'a','rules':[]}", 400,
		"{'message':'rules must be an object'}"},
	    {"operator", "POST", "/v1/segments",
		"{'name':'a','rules':{'rules':[{'property':'a','operator':'exists'},"
		"{'email':'sent','operator':'exists'}]}}",
		400, "{'message':'rules[1].operator must be one of did, did_not'}"},
	    {"audience", "POST", "/v1/segments",
		"{'name':'a','rules':{'rules':[{'audience':'01890a5d-ac96-774b-bcce-b302099a8071',"
		"'operator':'member'}]}}",
		400, "{'message':'rules[0].audience is not an audience'}"},
	    {"topic", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'rules':[{'topic':'x','operator':'subscribed'}]}]}}", 400,
		"{'message':'rules[0].rules[0].topic is not a topic'}"},
	    {"broadcast", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'email':'opened','operator':'did',"
		"'broadcast':'01890a5d-ac96-774b-bcce-b302099a8071'}]}}",
		400, "{'message':'rules[0].broadcast is not a broadcast'}"},
	    {"unknown", "GET", "/v1/segments/x", NULL, 404, "{'message':'Segment not found'}"},
	    {"unknown count", "GET", "/v1/segments/x/count", NULL, 404,
		"{'message':'Segment not found'}"},
	    {"unknown people", "GET", "/v1/segments/x/people", NULL, 404,
		"{'message':'Segment not found'}"},
	    {"unknown change", "PATCH", "/v1/segments/x", "{'name':'a','rules':{'rules':[]}}", 404,
		"{'message':'Segment not found'}"},
	    {"rules first", "PATCH", "/v1/segments/x",
		"{'rules':{'rules':[{'topic':'x',"
		"'operator':'subscribed'}]}}",
		400, "{'message':'rules[0].topic is not a topic'}"},
	    {"name first", "PATCH", "/v1/segments/x", "{'name':''}", 400},
	    {"cursor", "GET", "/v1/segments?cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"method", "PUT", "/v1/segments/preview", "{}", 405},
	    FIELD("subscribed", "equals", "'true'", 400,
		"{'message':'rules[0].value must be true or false'}"),
	    FIELD("subscribed", "not_equals", "1", 400,
		"{'message':'rules[0].value must be true or false'}"),
	    FIELD("subscribed", "equals", "true", 200, NULL),
	    FIELD("created", "greater_than", "'yesterday'", 400,
		"{'message':'rules[0].value must be epoch milliseconds or an ISO 8601 time'}"),
	    FIELD("created", "greater_than", "false", 400,
		"{'message':'rules[0].value must be epoch milliseconds or an ISO 8601 time'}"),
	    FIELD("created", "greater_than", "1700000000000", 200, NULL),
	    FIELD("created", "greater_than", "'1700000000000'", 200, NULL),
	    FIELD("created", "greater_than", "'2026-01-01'", 200, NULL),
	    FIELD("created", "less_than", "'2026-01-01T00:00:00+01:00'", 200, NULL),
	    FIELD("language", "equals", "'english'", 400,
		"{'message':'rules[0].value must be a BCP 47 language tag'}"),
	    FIELD("language", "equals", "'DE-at'", 200, NULL),
	    FIELD("language", "begins_with", "'d'", 200, NULL),
	    FIELD("time_zone", "equals", "'Vienna'", 400,
		"{'message':'rules[0].value must be an IANA time zone'}"),
	    FIELD("time_zone", "equals", "'Europe/Vienna'", 200, NULL),
	    FIELD("time_zone", "begins_with", "'Europe/'", 200, NULL),
	    FIELD("email", "equals", "true", 400, "{'message':'rules[0].value must be a string'}"),
	    FIELD("first_name", "equals", "false", 400,
		"{'message':'rules[0].value must be a string'}"),
	    FIELD("last_name", "equals", "'5'", 200, NULL),
	    {"nested", "POST", "/v1/segments",
		"{'name':'n','rules':{'rules':[{'rules':[{'property':'contact.subscribed',"
		"'operator':'equals','value':'true'}]}]}}",
		400, "{'message':'rules[0].rules[0].value must be true or false'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(segments, name_broadcasts_of_the_workspace)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = segments_make("/v1/broadcasts", "{}");
	g_autofree char *body = g_strdup_printf("{'name':'Readers','rules':{'rules':["
						"{'email':'opened','operator':'did_not',"
						"'broadcast':'%s','within_days':30}]}}",
	    id);
	g_autofree char *segment = segments_make("/v1/segments", body);
	g_autofree char *count = g_strdup_printf("/v1/segments/%s/count", segment);
	g_autofree char *broadcast = g_strconcat("/v1/broadcasts/", id, NULL);
	const struct exchange own[] = {
	    {"nobody opened it", "GET", count, NULL, 200, "{'count':3,'reachable':2}"},
	    {"delete", "DELETE", broadcast, NULL, 200},
	    {"like one that nobody got", "GET", count, NULL, 200, "{'count':3,'reachable':2}"},
	    {"deleted", "POST", "/v1/segments", body, 400,
		"{'message':'rules[0].broadcast is not a broadcast'}"},
	};
	const struct exchange foreign[] = {{"of another workspace", "POST", "/v1/segments", body,
	    400, "{'message':'rules[0].broadcast is not a broadcast'}"}};

	segments_make_people();
	EXPECT_ALL(other, foreign);
	EXPECT_ALL(fixture, own);
}

Test(segments, have_a_long_name_at_most)
{
	for (guint more = 0; more < 2; more++) {
		g_autofree char *name = g_strnfill(LIMIT_NAME_LENGTH + more, 'x');
		g_autofree char *body = g_strdup_printf("{'name':'%s','rules':{'rules':[]}}", name);
		const struct exchange exchange = {
		    "name", "POST", "/v1/segments", body, more ? 400 : 200};

		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		cr_expect(answer);
	}
}

Test(segments, are_made_listed_changed_and_deleted)
{
	g_autofree char *id = segments_make("/v1/segments", "{'name':'Pro','rules':" PRO "}");
	g_autofree char *path = g_strconcat("/v1/segments/", id, NULL);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"name = 'Pro'", "rules = " PRO, "frozen_at = null", "count = null",
		    "created : integer", "updated : integer"}},
	    {"list", "GET", "/v1/segments", NULL, 200,
		.want = {"segments[0].name = 'Pro'", "count = 1", "cursor = null"}},
	    {"name", "PATCH", path, "{'name':'Paying'}", 200,
		.want = {"name = 'Paying'", "rules = " PRO}},
	    {"rules", "PATCH", path, "{'rules':{'rules':[]}}", 200,
		.want = {"name = 'Paying'", "rules = {'rules':[]}"}},
	    {"wrong", "PATCH", path, "{'rules':{'match':'none','rules':[]}}", 400,
		"{'message':'match must be all or any'}"},
	    {"delete", "DELETE", path, NULL, 200, "{'message':'Segment deleted'}"},
	    {"again", "DELETE", path, NULL, 404, "{'message':'Segment not found'}"},
	    {"gone", "GET", path, NULL, 404, "{'message':'Segment not found'}"},
	    {"unlisted", "GET", "/v1/segments", NULL, 200, .want = {"count = 0"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* A misspelled member would leave a condition out, and the segment would have more people. */
Test(segments, know_the_members_of_rules)
{
	static const struct exchange exchanges[] = {
	    {"misspelled", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'email':'sent','operator':'did','withinDays':1}]}}", 400,
		"{'message':'rules.rules[0].withinDays is not a field of this request; did you "
		"mean within_days?'}"},
	    {"below", "POST", "/v1/segments",
		"{'name':'S','rules':{'match':'any','rules':[{'rules':["
		"{'email':'sent','operator':'did','brodcast':'x'}]}]}}",
		400,
		"{'message':'rules.rules[0].rules[0].brodcast is not a field of this request; did "
		"you mean broadcast?'}"},
	    {"unknown", "POST", "/v1/segments/preview",
		"{'rules':{'id':1,'rules':[{'property':'a','operator':'exists','colour':1}]}}", 200,
		.want_header = {"Ignored-Members: rules.id, rules.rules[0].colour"}},
	    {"value", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'property':'a','operator':'equals','value':{'x':1}}]}}", 400,
		"{'message':'rules[0].value must be a string, a number or a boolean'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(segments, count_and_show_people)
{
	segments_make_people();
	g_autofree char *id = segments_make("/v1/segments", "{'name':'Pro','rules':" PRO "}");
	g_autofree char *count = g_strdup_printf("/v1/segments/%s/count", id);
	g_autofree char *people = g_strdup_printf("/v1/segments/%s/people", id);
	const struct exchange exchanges[] = {
	    {"count", "GET", count, NULL, 200, "{'count':2,'reachable':1}"},
	    {"people", "GET", people, NULL, 200,
		.want = {"people[0].email = 'Ann@example.org'", "people[0].subscribed = true",
		    "people[0].properties = {'plan':'pro'}", "people[0].suppressed = null",
		    "people[0].audiences : absent", "people[1].email = 'cid@example.org'",
		    "count = 2", "cursor = null"}},
	    {"preview", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'property':'contact.email','operator':'equals',"
		"'value':'ANN@example.org'}]}}",
		200, .want = {"count = 1", "reachable = 1", "people[0].email = 'Ann@example.org'"}},
	    {"nobody", "POST", "/v1/segments/preview", "{'rules':{'match':'any','rules':[]}}", 200,
		"{'count':0,'reachable':0,'people':[]}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(segments, are_frozen)
{
	segments_make_people();
	g_autofree char *id = segments_make("/v1/segments", "{'name':'Pro','rules':" PRO "}");
	g_autofree char *freeze = g_strdup_printf("/v1/segments/%s/freeze", id);
	g_autofree char *frozen = segments_make(freeze, "{'name':'Then'}");
	g_autofree char *path = g_strconcat("/v1/segments/", frozen, NULL);
	g_autofree char *count = g_strconcat(path, "/count", NULL);
	g_autofree char *people = g_strconcat(path, "/people", NULL);
	const struct exchange exchanges[] = {
	    {"frozen", "GET", path, NULL, 200,
		.want = {"name = 'Then'", "rules = " PRO, "frozen_at : integer", "count = 2"}},
	    {"change", "PATCH", "/v1/people/ann@example.org", "{'properties':{'plan':'free'}}",
		200},
	    {"people", "GET", people, NULL, 200,
		.want = {"people[0].email = 'Ann@example.org'", "count = 2"}},
	    {"a person goes", "DELETE", "/v1/people/ann@example.org", NULL, 200},
	    {"count", "GET", count, NULL, 200, "{'count':1,'reachable':0}"},
	    {"kept", "GET", path, NULL, 200, .want = {"count = 1"}},
	    {"name", "PATCH", path, "{'name':'Now'}", 200, .want = {"name = 'Now'"}},
	    {"rules", "PATCH", path, "{'rules':{'rules':[]}}", 400,
		"{'message':'rules cannot be changed'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(segments, have_pages)
{
	g_autofree char *id = segments_make("/v1/segments", "{'name':'All','rules':{'rules':[]}}");
	g_autofree char *path = g_strdup_printf("/v1/segments/%s/people", id);

	for (guint i = 0; i < LIMIT_PAGE + 1; i++) {
		g_autofree char *body = g_strdup_printf("{'email':'%u@example.org'}", i);

		g_free(segments_make("/v1/people", body));
	}
	const struct exchange first = {"first", "GET", path, NULL, 200,
	    .want = {"people[0].email = '0@example.org'", "count = 50", "cursor : string"}};
	AUTO(answer) answer = exchange_expect(fixture, &first);
	g_autofree char *next =
	    g_strdup_printf("%s?cursor=%s", path, answer_text(answer, "cursor"));
	const struct exchange second = {"second", "GET", next, NULL, 200,
	    .want = {"people[0].email = '50@example.org'", "count = 1", "cursor = null"}};
	AUTO(answer) rest = exchange_expect(fixture, &second);
	cr_expect(rest);
}

/* Nothing of another workspace is known here. */
Test(segments, keep_to_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *audience = audience_new(other, "Theirs");
	AUTO(answer) topic = audience_ask(other, "POST", "{'name':'T'}", "/v1/topics");
	AUTO(answer)
	foreign = audience_ask(other, "POST", "{'name':'a','rules':{'rules':[]}}", "/v1/segments");
	g_autofree char *path = g_strconcat("/v1/segments/", answer_text(foreign, "id"), NULL);
	g_autofree char *count = g_strconcat(path, "/count", NULL);
	g_autofree char *people = g_strconcat(path, "/people", NULL);
	g_autofree char *freeze = g_strconcat(path, "/freeze", NULL);
	g_autofree char *by_audience = g_strdup_printf(
	    "{'rules':{'rules':[{'audience':'%s','operator':'not_member'}]}}", audience);
	g_autofree char *by_topic =
	    g_strdup_printf("{'rules':{'rules':[{'topic':'%s','operator':'not_subscribed'}]}}",
		answer_text(topic, "id"));
	const struct exchange exchanges[] = {
	    {"audience", "POST", "/v1/segments/preview", by_audience, 400,
		"{'message':'rules[0].audience is not an audience'}"},
	    {"topic", "POST", "/v1/segments/preview", by_topic, 400,
		"{'message':'rules[0].topic is not a topic'}"},
	    {"read", "GET", path, NULL, 404, "{'message':'Segment not found'}"},
	    {"changed", "PATCH", path, "{'name':'x'}", 404},
	    {"removed", "DELETE", path, NULL, 404},
	    {"counted", "GET", count, NULL, 404},
	    {"people", "GET", people, NULL, 404},
	    {"frozen", "POST", freeze, "{'name':'x'}", 404},
	    {"list", "GET", "/v1/segments", NULL, 200, .want = {"count = 0"}},
	};

	segments_make_people();
	EXPECT_ALL(fixture, exchanges);
	const struct exchange theirs[] = {
	    {"theirs", "GET", count, NULL, 200, "{'count':0,'reachable':0}"},
	};
	EXPECT_ALL(other, theirs);
}

/* Dates as text, and languages in any case, are found. */
Test(segments, compare_dates_and_languages)
{
	static const struct exchange exchanges[] = {
	    {"person", "POST", "/v1/people", "{'email':'zoe@example.net','language':'DE-at'}", 200,
		.want = {"language = 'de-AT'"}},
	    {"language", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'property':'contact.language','operator':'equals',"
		"'value':'dE-AT'}]}}",
		200, .want = {"count = 1", "people[0].email = 'zoe@example.net'"}},
	    {"begin of a language", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'property':'contact.language','operator':'begins_with',"
		"'value':'DE'}]}}",
		200, .want = {"count = 1"}},
	    {"after", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'property':'contact.created','operator':'greater_than',"
		"'value':'2020-01-01'},{'property':'contact.language','operator':'exists'}]}}",
		200, .want = {"count = 1"}},
	    {"before", "POST", "/v1/segments/preview",
		"{'rules':{'rules':[{'property':'contact.created','operator':'less_than',"
		"'value':'2020-01-01'}]}}",
		200, .want = {"count = 0"}},
	};

	EXPECT_ALL(fixture, exchanges);
}
