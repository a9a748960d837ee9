/* SPDX-License-Identifier: MIT */
/* Requests for people: their data, memberships and history. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"
#include "base/limits/workflow.h"
#include "json/value.h"
#include "tests/http/audience.h"
#include "tests/http/automation.h"
#include "tests/support/db.h"

FIXTURE_SUITE(people_requests, 900);

#define PEOPLE "/v1/people"
#define ADA "/v1/people/ada@x.org"
#define NOBODY "/v1/people/nobody@x.org"
#define MISSING "{'message':'Person not found'}"
#define LANGUAGE_FAULT "{'message':'language must be a BCP 47 language tag'}"
#define ZONE_FAULT "{'message':'time_zone must be an IANA time zone'}"
#define DEFINE(key, type)                                                                          \
	{                                                                                          \
		"define " key, "POST", "/v1/properties", "{'key':'" key "','type':'" type "'}",    \
		    200                                                                            \
	}

Test(people_requests, make_people_and_change_them)
{
	static const struct exchange exchanges[] = {
	    {"no email", "POST", PEOPLE, "{}", 400, "{'message':'email is required'}"},
	    {"none", "POST", PEOPLE, "{'email':'ada'}", 400, .want = {"message : string"}},
	    {"made", "POST", PEOPLE,
		"{'email':'Ada@X.org','first_name':'Ada','language':'de-AT',"
		"'time_zone':'Europe/Vienna','properties':{'plan':'pro','a':{'b':1,'c':null}}}",
		200,
		.want = {"id : string", "email = 'Ada@X.org'", "first_name = 'Ada'",
		    "last_name = null", "language = 'de-AT'", "time_zone = 'Europe/Vienna'",
		    "properties = {'plan':'pro','a':{'b':1}}", "subscribed = true",
		    "suppressed = null", "audiences = []", "topics = []", "created : integer",
		    "updated : integer"}},
	    {"again", "POST", PEOPLE, "{'email':'ada@x.org'}", 409,
		"{'message':'Person already exists'}"},
	    {"by another spelling", "GET", "/v1/people/ADA%40x.org", NULL, 200,
		.want = {"email = 'Ada@X.org'"}},
	    {"unknown", "GET", NOBODY, NULL, 404, MISSING},
	    {"no address", "GET", "/v1/people/x", NULL, 404, MISSING},
	    {"unknown", "PATCH", NOBODY, "{}", 404, MISSING},
	    {"unknown", "DELETE", NOBODY, NULL, 404, MISSING},
	    {"unknown", "GET", NOBODY "/history", NULL, 404, MISSING},
	    {"merged", "PATCH", ADA,
		"{'last_name':'L','first_name':null,'time_zone':null,'properties':"
		"{'a':{'d':[1]},'plan':null,'n':1.50}}",
		200,
		.want = {"first_name = null", "last_name = 'L'", "time_zone = null",
		    "language = 'de-AT'", "properties = {'a':{'b':1,'d':[1]},'n':1.50}"}},
	    {"all or nothing", "PATCH", ADA, "{'last_name':'M','language':'not a tag'}", 400,
		LANGUAGE_FAULT},
	    {"as before", "GET", ADA, NULL, 200, .want = {"last_name = 'L'"}},
	    {"deleted", "DELETE", ADA, NULL, 200, "{'message':'Person deleted'}"},
	    {"gone", "GET", ADA, NULL, 404, MISSING},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(people_requests, check_languages_and_time_zones)
{
	static const struct exchange exchanges[] = {
	    {"ada", "POST", PEOPLE, "{'email':'ada@x.org'}", 200},
	    {"script and region", "PATCH", ADA, "{'language':'zh-Hant-TW'}", 200,
		.want = {"language = 'zh-Hant-TW'"}},
	    {"variant", "PATCH", ADA, "{'language':'sl-rozaj-biske-1994'}", 200},
	    {"extension", "PATCH", ADA, "{'language':'de-DE-u-co-phonebk'}", 200},
	    {"private", "PATCH", ADA, "{'language':'x-pig-latin'}", 200},
	    {"irregular", "PATCH", ADA, "{'language':'i-klingon'}", 200},
	    {"empty", "PATCH", ADA, "{'language':''}", 400, LANGUAGE_FAULT},
	    {"underscore", "PATCH", ADA, "{'language':'de_AT'}", 400, LANGUAGE_FAULT},
	    {"one letter", "PATCH", ADA, "{'language':'d'}", 400, LANGUAGE_FAULT},
	    {"a hyphen", "PATCH", ADA, "{'language':'de-'}", 400, LANGUAGE_FAULT},
	    {"two regions", "PATCH", ADA, "{'language':'de-AT-DE'}", 400, LANGUAGE_FAULT},
	    {"empty extension", "PATCH", ADA, "{'language':'de-u'}", 400, LANGUAGE_FAULT},
	    {"35", "PATCH", ADA, "{'language':'de-x-345678-012345-789012-456789-12'}", 200},
	    {"36", "PATCH", ADA, "{'language':'de-x-345678-012345-789012-456789-123'}", 400,
		LANGUAGE_FAULT},
	    {"three letters", "PATCH", ADA, "{'language':'gsw-CH'}", 200},
	    {"regular", "PATCH", ADA, "{'language':'zh-min-nan'}", 200},
	    {"reserved", "PATCH", ADA, "{'language':'abcd'}", 400, LANGUAGE_FAULT},
	    {"a name", "PATCH", ADA, "{'language':'english'}", 400, LANGUAGE_FAULT},
	    {"a name and region", "PATCH", ADA, "{'language':'German-AT'}", 400, LANGUAGE_FAULT},
	    {"eight letters", "PATCH", ADA, "{'language':'estonian'}", 400, LANGUAGE_FAULT},
	    {"number", "PATCH", ADA, "{'language':1}", 400,
		"{'message':'language must be a string'}"},
	    {"UTC", "PATCH", ADA, "{'time_zone':'UTC'}", 200, .want = {"time_zone = 'UTC'"}},
	    {"three parts", "PATCH", ADA, "{'time_zone':'America/Argentina/Buenos_Aires'}", 200},
	    {"plus", "PATCH", ADA, "{'time_zone':'Etc/GMT+5'}", 200},
	    {"case", "PATCH", ADA, "{'time_zone':'europe/berlin'}", 400, ZONE_FAULT},
	    {"offset", "PATCH", ADA, "{'time_zone':'+02:00'}", 400, ZONE_FAULT},
	    {"up", "PATCH", ADA, "{'time_zone':'../../../etc/passwd'}", 400, ZONE_FAULT},
	    {"up inside", "PATCH", ADA, "{'time_zone':'Europe/../Europe/Berlin'}", 400, ZONE_FAULT},
	    {"absolute", "PATCH", ADA, "{'time_zone':'/etc/localtime'}", 400, ZONE_FAULT},
	    {"folder", "PATCH", ADA, "{'time_zone':'Europe'}", 400, ZONE_FAULT},
	    {"beside", "PATCH", ADA, "{'time_zone':'localtime'}", 400, ZONE_FAULT},
	    {"no zone", "PATCH", ADA, "{'time_zone':'zone.tab'}", 400, ZONE_FAULT},
	    {"unknown", "PATCH", ADA, "{'time_zone':'Europe/Atlantis'}", 400, ZONE_FAULT},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(people_requests, check_types_of_properties)
{
	static const struct exchange exchanges[] = {
	    DEFINE("age", "number"),
	    DEFINE("name", "string"),
	    DEFINE("vip", "boolean"),
	    DEFINE("born", "date"),
	    {"number", "POST", PEOPLE, "{'email':'ada@x.org','properties':{'age':'1'}}", 400,
		"{'message':'properties.age must be a number'}"},
	    {"right", "POST", PEOPLE,
		"{'email':'ada@x.org','properties':{'age':1,'name':'A','vip':true,"
		"'born':'1815-12-10','free':[]}}",
		200},
	    {"string", "PATCH", ADA, "{'properties':{'name':1}}", 400,
		"{'message':'properties.name must be a string'}"},
	    {"boolean", "PATCH", ADA, "{'properties':{'vip':1}}", 400,
		"{'message':'properties.vip must be a boolean'}"},
	    {"date", "PATCH", ADA, "{'properties':{'born':'soon'}}", 400,
		"{'message':'properties.born must be a date'}"},
	    {"null", "PATCH", ADA, "{'properties':{'age':null,'vip':null}}", 200,
		.want = {"properties = {'name':'A','born':'1815-12-10','free':[]}"}},
	    {"an event is not asked", "POST", "/v1/events",
		"{'event_name':'e','email':'ada@x.org','properties':{'age':'old'}}", 200},
	    {"seen here", "GET", ADA, NULL, 200, .want = {"properties.age = 'old'"}},
	    {"automation is not asked", "PATCH", "/v1/automation/contacts/ada@x.org",
		"{'properties':{'vip':'x'}}", 200},
	    {"seen here too", "GET", ADA, NULL, 200, .want = {"properties.vip = 'x'"}},
	    {"changed here", "PATCH", ADA, "{'properties':{'vip':false}}", 200},
	    {"seen there", "GET", "/v1/automation/contacts/ada@x.org", NULL, 200,
		.want = {"properties.vip = false"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(people_requests, limit_the_size_of_properties)
{
	static const struct exchange make = {"ada", "POST", PEOPLE, "{'email':'ada@x.org'}", 200};
	AUTO(answer) made = exchange_expect(fixture, &make);

	for (guint more = 0; more < 2; more++) {
		g_autofree char *text =
		    g_strnfill(LIMIT_CONTACT_PROPERTIES_BYTES - strlen("{'a':''}") + more, 'x');
		g_autofree char *body = g_strdup_printf("{'properties':{'a':'%s'}}", text);
		const struct exchange exchange = {"size", "PATCH", ADA, body, more ? 400 : 200,
		    more ? "{'message':'properties must be at most 262144 bytes'}" : NULL};

		AUTO(answer) answer = exchange_expect(fixture, &exchange);
	}
}

Test(people_requests, are_listed_newest_first)
{
	g_autofree char *audience = audience_new(fixture, "One");
	g_autofree char *cursor = NULL;

	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", audience);
	const char *const paths[] = {PEOPLE, "/v1/events", contacts};

	for (guint i = 0; i < 2 * LIMIT_PAGE + 1; i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'email':'p%03u@x.org'%s}", i, i % 3 == 1 ? ",'event_name':'e'" : "");
		const struct exchange exchange = {"make", "POST", paths[i % 3], body, 200};

		exchange_next_moment();
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
	}
	for (guint page = 0, i = 2 * LIMIT_PAGE + 1; page < 3; page++) {
		g_autofree char *path =
		    cursor ? g_strdup_printf(PEOPLE "?cursor=%s", cursor) : g_strdup(PEOPLE);
		const struct exchange exchange = {"page", "GET", path, NULL, 200,
		    .want = {page < 2 ? "count = 50" : "count = 1",
			page < 2 ? "cursor : string" : "cursor = null",
			"people[0].suppressed = null", "people[0].audiences : absent",
			"people[0].topics : absent"}};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		const struct json *rows = answer_at(answer, "people");

		for (gsize row = 0; row < json_array_length(rows); row++) {
			char want[20];

			g_snprintf(want, sizeof(want), "p%03u@x.org", --i);
			cr_expect_str_eq(
			    json_string(json_member_get(json_array_at(rows, row), "email"), NULL),
			    want);
		}
		g_free(cursor);
		cursor = page < 2 ? g_strdup(answer_text(answer, "cursor")) : NULL;
	}
	audience_expect(
	    fixture, "GET", NULL, 400, "{'message':'cursor is malformed'}", PEOPLE "?cursor=x");
}

Test(people_requests, show_audiences_and_suppression)
{
	g_autofree char *one = audience_new(fixture, "One"), *two = audience_new(fixture, "Two");
	g_autofree char *a = audience_add(fixture, one, "{'email':'ada@x.org'}");
	g_autofree char *b =
	    audience_add(fixture, two, "{'email':'ada@x.org','is_subscribed':false}");
	g_autofree char *first = g_strdup_printf("audiences[0].contact_id = '%s'", a);
	g_autofree char *second = g_strdup_printf("audiences[1].id = '%s'", two);
	const struct exchange exchanges[] = {
	    {"suppress", "POST", "/v1/suppressions", "{'email':'Ada@x.org','reason':'manual'}",
		200},
	    {"shown", "GET", ADA, NULL, 200,
		.want = {"suppressed = {'reason':'manual','scope':'all'}", first,
		    "audiences[0].name = 'One'", "audiences[0].status = 'subscribed'",
		    "audiences[0].source = 'api'", "audiences[0].created : integer", second,
		    "audiences[1].status = 'unsubscribed'"}},
	    {"in the list", "GET", PEOPLE, NULL, 200,
		.want = {"people[0].suppressed.reason = 'manual'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	audience_expect(fixture, "DELETE", NULL, 200, NULL, ADA);
	audience_expect_counts(fixture, one, 0, 0);
	audience_expect_counts(fixture, two, 0, 0);
}

Test(people_requests, keep_a_person_that_a_request_has_made)
{
	static const struct exchange exchanges[] = {
	    {"made", "POST", PEOPLE, "{'email':'ada@x.org','first_name':'Ada'}", 200},
	    {"no contact yet", "GET", "/v1/automation/contacts/ada@x.org", NULL, 404},
	    {"event", "POST", "/v1/events", "{'event_name':'e','email':'ada@x.org'}", 200},
	    {"history", "GET", ADA "/history?kind=event", NULL, 200,
		.want = {"count = 1", "history[0].type = 'event'",
		    "history[0].about = {'event_name':'e'}"}},
	    {"no contact any more", "DELETE", "/v1/automation/contacts/ada@x.org", NULL, 200},
	    {"the person stays", "GET", ADA, NULL, 200, .want = {"first_name = 'Ada'"}},
	    {"without events", "GET", ADA "/history", NULL, 200,
		.want = {"history = []", "count = 0", "cursor = null"}},
	    {"by an event alone", "POST", "/v1/events", "{'event_name':'e','email':'eve@x.org'}",
		200},
	    {"deleted there", "DELETE", "/v1/automation/contacts/eve@x.org", NULL, 200},
	    {"goes", "GET", "/v1/people/eve@x.org", NULL, 404},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Sends an email to ada, and returns its id. */
static char *
people_requests_send(void)
{
	const struct exchange exchange = {"send", "POST", "/v1/emails",
	    "{'from':'me@" FIXTURE_DOMAIN "','to':'ada@x.org','subject':'S','html':'<p>H</p>'}",
	    201};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

Test(people_requests, show_the_history_of_all_kinds)
{
	g_autofree char *audience = audience_new(fixture, "One");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'ada@x.org'}");
	g_autofree char *about = g_strdup_printf("history[0].about.audience_id = '%s'", audience);
	static const char event[] = "{'event_name':'e','email':'ada@x.org'}";

	exchange_next_moment();
	g_autofree char *email = people_requests_send();
	g_autofree char *of = g_strdup_printf("history[0].about.email_id = '%s'", email);
	exchange_next_moment();
	audience_expect(fixture, "POST", event, 200, NULL, "/v1/events");
	const struct exchange exchanges[] = {
	    {"consent", "GET", ADA "/history?kind=consent", NULL, 200,
		.want = {"history[0].type = 'joined'", "history[0].source = 'api'",
		    "history[0].by = 'operator'", "history[0].ip = null",
		    "history[0].user_agent = null", "history[0].reason = null",
		    "history[0].timestamp : integer", about, "count = 1", "cursor = null"}},
	    {"email", "GET", ADA "/history?kind=email", NULL, 200,
		.want = {"history[0].type = 'delivered'", of, "history[1].type = 'sent'",
		    "history[1].by = 'system'", "count = 2"}},
	    {"all", "GET", ADA "/history", NULL, 200,
		.want = {"history[0].type = 'event'", "history[2].type = 'sent'",
		    "history[3].type = 'joined'", "count = 4"}},
	    {"an empty kind", "GET", ADA "/history?kind=", NULL, 200, .want = {"count = 4"}},
	    {"kind", "GET", ADA "/history?kind=x", NULL, 400,
		"{'message':'kind must be one of consent, email, event'}"},
	    {"cursor", "GET", ADA "/history?cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	};
	EXPECT_ALL(fixture, exchanges);
}

/* All rows of the history as "TYPE TIME", by pages. */
static GPtrArray *
read_history(void)
{
	GPtrArray *rows = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *cursor = NULL;

	do {
		g_autofree char *path = cursor ? g_strdup_printf(ADA "/history?cursor=%s", cursor)
					       : g_strdup(ADA "/history");
		const struct exchange exchange = {"page", "GET", path, NULL, 200};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		const struct json *page = answer_at(answer, "history");
		const struct json *next = answer_at(answer, "cursor");

		for (gsize i = 0; i < json_array_length(page); i++) {
			const struct json *row = json_array_at(page, i);

			g_ptr_array_add(rows, g_strdup_printf("%s %" G_GINT64_FORMAT,
						  json_string(json_member_get(row, "type"), NULL),
						  json_integer(json_member_get(row, "timestamp"))));
		}
		cr_expect(!next || json_array_length(page) == LIMIT_PAGE);
		g_free(cursor);
		cursor = g_strdup(json_string(next, NULL));
	} while (cursor);
	return rows;
}

Test(people_requests, show_pages_of_history_in_one_order)
{
	gint64 last = G_MAXINT64;
	guint sent = 0, events = 0, joined = 0;

	for (guint i = 0; i < 40; i++) {
		g_autofree char *audience = audience_new(fixture, "A");
		g_autofree char *contact = audience_add(fixture, audience, "{'email':'ada@x.org'}");
		g_autofree char *email = i % 2 == 0 ? people_requests_send() : NULL;

		audience_expect(fixture, "POST", "{'event_name':'e','email':'ada@x.org'}", 200,
		    NULL, "/v1/events");
	}
	g_autoptr(GPtrArray) rows = read_history();
	for (guint i = 0; i < rows->len; i++) {
		const char *row = rows->pdata[i];
		gint64 time = g_ascii_strtoll(strchr(row, ' '), NULL, 10);

		cr_expect_leq(time, last);
		last = time;
		sent += g_str_has_prefix(row, "sent ");
		events += g_str_has_prefix(row, "event ");
		joined += g_str_has_prefix(row, "joined ");
	}
	cr_expect_eq(sent, 20);
	cr_expect_eq(events, 40);
	cr_expect_eq(joined, 40);
}

Test(people_requests, erase_a_person)
{
	static const struct exchange exchanges[] = {
	    {"made", "POST", PEOPLE, "{'email':'ada@x.org','properties':{'plan':'pro'}}", 200},
	    {"seen", "POST", "/v1/events", "{'event_name':'visit','email':'ada@x.org'}", 200},
	    {"no flag", "DELETE", ADA "?erase=yes", NULL, 400,
		"{'message':'erase must be true or false'}"},
	    {"no address", "DELETE", PEOPLE "/x?erase=true", NULL, 404, MISSING},
	    {"still there", "GET", ADA, NULL, 200},
	    {"erased", "DELETE", ADA "?erase=true", NULL, 200, "{'message':'Person erased'}"},
	    {"gone", "GET", ADA, NULL, 404, MISSING},
	    {"gone from automation", "GET", "/v1/automation/contacts/ada@x.org", NULL, 404},
	    {"its hash stays", "GET", "/v1/suppressions/ada@x.org", NULL, 200,
		.want = {"reason = 'manual'", "scope = 'all'"}},
	    {"again", "DELETE", ADA "?erase=true", NULL, 200, "{'message':'Person erased'}"},
	    {"unknown", "DELETE", NOBODY "?erase=true", NULL, 200, "{'message':'Person erased'}"},
	    {"deleted alone", "DELETE", NOBODY "?erase=false", NULL, 404, MISSING},
	};

	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM suppression WHERE address IS"
						 " NULL AND workspace_id = @workspace"),
	    2);
}

/* Newest first, 50 on a page. */
Test(people_requests, show_the_emails_by_pages)
{
	g_autoptr(GString) want = g_string_new(NULL);
	static const struct exchange exchanges[] = {
	    {"a row", "GET", ADA "/emails", NULL, 200,
		.want = {"emails[0].type = 'transactional'", "emails[0].broadcast_id = null",
		    "emails[0].workflow_id = null", "emails[0].subject = 'S'",
		    "emails[0].status = 'delivered'", "emails[0].timestamp : integer"}},
	    {"nobody", "GET", NOBODY "/emails", NULL, 404, MISSING},
	    {"cursor", "GET", ADA "/emails?cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	};

	audience_expect(fixture, "POST", "{'email':'ada@x.org'}", 200, NULL, PEOPLE);
	for (guint i = 0; i < LIMIT_PAGE + 1; i++) {
		g_autofree char *id = people_requests_send();

		exchange_next_moment();
		g_string_prepend(want, i > 0 ? " " : "");
		g_string_prepend(want, id);
	}
	g_autofree char *got = automation_walk(fixture, ADA "/emails", "", "emails", "email_id");
	cr_expect_str_eq(got, want->str, "got %s, want %s", got, want->str);
	EXPECT_ALL(fixture, exchanges);
}
