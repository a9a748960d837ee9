/* SPDX-License-Identifier: MIT */
/* Bodies as clients of many languages write them: zero values, camelCase, display names without
   quotes, fields of the service among headers, and contents that are not quite base64. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/resend/letter.h"

FIXTURE_SUITE(resend_habits, 900);

/* The id of what a request creates. The caller owns it. */
static char *
habits_create(const char *path, const char *body)
{
	const struct exchange exchange = {path, "POST", path, body, 201};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

/* Sends a request to prefix, id and rest, and expects what want says. */
static void
habits_expect(const char *method, const char *prefix, const char *id, const char *body,
    guint status, const char *const *want)
{
	g_autofree char *path = g_strconcat(prefix, id, NULL);
	struct exchange exchange = {path, method, path, body, status};

	for (guint i = 0; want && want[i]; i++)
		exchange.want[i] = want[i];
	answer_free(exchange_expect(fixture, &exchange));
}
#define WANT(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(resend_habits, may_leave_fields_empty)
{
	static const char *const changes[] = {
	    "'cc':''",
	    "'cc':['']",
	    "'bcc':''",
	    "'bcc':['']",
	    "'reply_to':''",
	    "'reply_to':['']",
	    "'scheduled_at':''",
	    "'topic_id':''",
	    "'text':''",
	    "'template':''",
	    "'headers':''",
	    "'headers':[]",
	    "'tags':''",
	    "'tags':{}",
	    "'attachments':''",
	    "'attachments':[]",
	    "'attachments':[{'filename':'a','content':'YQ==','path':'','content_type':'',"
	    "'content_id':'','inline_content_id':''}]",
	    "'cc':'','bcc':[''],'reply_to':'','scheduled_at':'','topic_id':'','template':'',"
	    "'replyTo':'','scheduledAt':''",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
		g_autofree char *id = letter_send(fixture, changes[i]);

		EXPECT_EMAIL(fixture, id, "cc = []", "bcc = []", "reply_to = []",
		    "scheduled_at : null", "topic_id : null", "tags = []");
	}
	answer_free(letter_post(fixture, "'to':['']", NULL, 422, MISSING("to")));
	answer_free(letter_post(fixture, "'from':''", NULL, 422, MISSING("from")));
}

Test(resend_habits, may_leave_other_things_empty)
{
	const struct exchange creates[] = {
	    {"domain", "POST", "/resend/domains",
		"{'name':'empty.example.net','region':'','custom_return_path':'','tls':'',"
		"'tracking_subdomain':'','capabilities':[],'open_tracking':''}",
		201, .want = {"region = 'us-east-1'"}},
	    {"key", "POST", "/resend/api-keys", "{'name':'','permission':'','domain_id':''}", 201},
	    {"property", "POST", "/resend/contact-properties",
		"{'key':'empty','type':'string','fallback_value':''}", 201},
	    {"contact", "POST", "/resend/contacts",
		"{'email':'a@example.net','first_name':'','last_name':'','unsubscribed':'',"
		"'properties':[],'segments':'','topics':[]}",
		201},
	    {"event", "POST", "/resend/events", "{'name':'empty','schema':''}", 201},
	    {"event sent", "POST", "/resend/events/send",
		"{'event':'empty','email':'a@example.net','contact_id':'','payload':[]}", 202},
	    {"topic", "POST", "/resend/topics",
		"{'name':'t','default_subscription':'opt_in','description':'','visibility':''}",
		201},
	    {"template", "POST", "/resend/templates",
		"{'name':'t','html':'<p>{{{A}}}</p>','text':'','subject':'','from':'','alias':'',"
		"'reply_to':[''],'variables':[{'key':'A','type':'string','fallback_value':''}]}",
		201},
	    {"no name", "POST", "/resend/segments", "{'name':''}", 422, MISSING("name")},
	};
	const struct exchange reads[] = {
	    {"page", "GET", "/resend/emails?after=&before=", NULL, 200},
	    {"both, one empty", "GET", "/resend/emails?after=&before=" UNKNOWN, NULL, 200},
	    {"origin", "GET", "/resend/suppressions?origin=", NULL, 200},
	    {"status", "GET", "/resend/automations?status=", NULL, 200},
	    {"imports", "GET", "/resend/contacts/imports?status=", NULL, 200},
	    {"a number", "GET", "/resend/emails?limit=", NULL, 422},
	};

	EXPECT_ALL(fixture, creates);
	EXPECT_ALL(fixture, reads);
}

/* Each changes nothing. */
Test(resend_habits, may_update_with_empty_texts)
{
	g_autofree char *segment = habits_create("/resend/segments", "{'name':'S'}");
	g_autofree char *key = habits_create("/resend/api-keys", "{'name':'K'}");
	g_autofree char *contact =
	    habits_create("/resend/contacts", "{'email':'a@example.net','first_name':'A'}");
	g_autofree char *topic =
	    habits_create("/resend/topics", "{'name':'T','default_subscription':'opt_in'}");
	g_autofree char *template =
	    habits_create("/resend/templates", "{'name':'T','html':'<p>Hi</p>','subject':'S'}");
	g_autofree char *webhook = habits_create(
	    "/resend/webhooks", "{'endpoint':'https://example.net/hook','events':['email.sent']}");
	g_autofree char *body = g_strdup_printf(
	    "{'from':'a@" FIXTURE_DOMAIN "','subject':'S','name':'B','text':'T "
	    "{{{RESEND_UNSUBSCRIBE_URL}}}','segment_id':'%s','scheduled_at':'','topic_id':'',"
	    "'reply_to':[''],'preview_text':'','audience_id':''}",
	    segment);
	g_autofree char *broadcast = habits_create("/resend/broadcasts", body);

	habits_expect("PATCH", "/resend/segments/", segment, "{'name':''}", 200, NULL);
	habits_expect("GET", "/resend/segments/", segment, NULL, 200, WANT("name = 'S'"));
	habits_expect("PATCH", "/resend/segments/", UNKNOWN, "{'name':''}", 404, NULL);
	habits_expect("PATCH", "/resend/api-keys/", key, "{'name':''}", 200, NULL);
	habits_expect("PATCH", "/resend/api-keys/", UNKNOWN, "{'name':''}", 404, NULL);
	habits_expect("GET", "/resend/api-keys", "", NULL, 200, WANT("data[0].name = 'K'"));
	habits_expect(
	    "PATCH", "/resend/contacts/", contact, "{'first_name':'','last_name':''}", 200, NULL);
	habits_expect("GET", "/resend/contacts/", contact, NULL, 200, WANT("first_name = 'A'"));
	habits_expect("PATCH", "/resend/contacts/", contact, "{'first_name':null}", 200, NULL);
	habits_expect("GET", "/resend/contacts/", contact, NULL, 200, WANT("first_name : null"));
	habits_expect("PATCH", "/resend/topics/", topic, "{'name':'','description':''}", 200, NULL);
	habits_expect("GET", "/resend/topics/", topic, NULL, 200, WANT("name = 'T'"));
	habits_expect("PATCH", "/resend/templates/", template,
	    "{'name':'','html':'','subject':'','alias':''}", 200, NULL);
	habits_expect("GET", "/resend/templates/", template, NULL, 200,
	    WANT("name = 'T'", "html = '<p>Hi</p>'", "subject = 'S'"));
	habits_expect("PATCH", "/resend/webhooks/", webhook,
	    "{'endpoint':'','events':[''],'status':''}", 200, NULL);
	habits_expect("GET", "/resend/webhooks/", webhook, NULL, 200,
	    WANT("endpoint = 'https://example.net/hook'", "events = ['email.sent']",
		"status = 'enabled'"));
	habits_expect("PATCH", "/resend/broadcasts/", broadcast,
	    "{'name':'','from':'','subject':'','segment_id':'','topic_id':''}", 200, NULL);
	habits_expect("GET", "/resend/broadcasts/", broadcast, NULL, 200,
	    WANT("name = 'B'", "subject = 'S'"));
}

Test(resend_habits, may_name_members_in_camel_case)
{
	g_autofree char *id = letter_send(fixture,
	    "'replyTo':'r@example.net','scheduledAt':'in 1 hour','tags':[],"
	    "'attachments':[{'filename':'a.txt','content':'YQ==','contentType':'x/y',"
	    "'contentId':'<c>'}]");
	g_autofree char *both = letter_send(fixture,
	    "'scheduledAt':'soon','scheduled_at':'in 1 hour','replyTo':'a@example.net',"
	    "'reply_to':'b@example.net'");
	g_autofree char *path = g_strconcat("/resend/emails/", id, "/attachments", NULL);
	const struct exchange exchanges[] = {
	    {"attachment", "GET", path, NULL, 200,
		.want = {"data[0].content_type = 'x/y'", "data[0].content_id = 'c'"}},
	    {"batch", "POST", "/resend/emails/batch",
		"[{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S','text':'T',"
		"'scheduledAt':'in 1 hour'}]",
		200},
	    {"batched", "GET", "/resend/emails?limit=1", NULL, 200,
		.want = {"data[0].last_event = 'scheduled'"}},
	    {"bad", "POST", "/resend/emails",
		"{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S','text':'T',"
		"'scheduledAt':'soon'}",
		422, WHEN},
	    {"domain", "POST", "/resend/domains",
		"{'name':'camel.example.net','openTracking':true,'clickTracking':true,"
		"'customReturnPath':'send'}",
		201, .want = {"open_tracking = true", "click_tracking = true"}},
	    {"return path", "POST", "/resend/domains",
		"{'name':'camels.example.net','customReturnPath':'x'}", 201,
		.want = {"custom_return_path = 'x'"}},
	    {"contact", "POST", "/resend/contacts",
		"{'email':'camel@example.net','firstName':'F','lastName':'L'}", 201},
	    {"contact shown", "GET", "/resend/contacts/camel@example.net", NULL, 200,
		.want = {"first_name = 'F'", "last_name = 'L'"}},
	    {"property", "POST", "/resend/contact-properties",
		"{'key':'camel','type':'string','fallbackValue':'f'}", 201},
	    {"property shown", "GET", "/resend/contact-properties", NULL, 200,
		.want = {"data[0].fallback_value = 'f'"}},
	    {"key", "POST", "/resend/api-keys",
		"{'name':'k','permission':'sending_access','domainId':'" UNKNOWN "'}", 404},
	    {"topic", "POST", "/resend/topics", "{'name':'t','defaultSubscription':'opt_in'}", 201},
	    {"event", "POST", "/resend/events/send", "{'event':'e','contactId':'" UNKNOWN "'}",
		404},
	    {"template", "POST", "/resend/templates",
		"{'name':'t','html':'<p>{{{A}}}</p>','replyTo':'r@example.net',"
		"'variables':[{'key':'A','type':'string','fallbackValue':'f'}]}",
		201},
	    {"broadcast", "POST", "/resend/broadcasts",
		"{'from':'a@" FIXTURE_DOMAIN "','subject':'S','text':'T "
		"{{{RESEND_UNSUBSCRIBE_URL}}}','segmentId':'" UNKNOWN "'}",
		404},
	};

	EXPECT_EMAIL(fixture, id, "reply_to = ['r@example.net']", "last_event = 'scheduled'");
	EXPECT_EMAIL(fixture, both, "reply_to = ['b@example.net']", "last_event = 'scheduled'");
	EXPECT_ALL(fixture, exchanges);
}

Test(resend_habits, may_name_members_of_steps_in_camel_case)
{
	g_autofree char *template = habits_create("/resend/templates",
	    "{'name':'t','html':'<p>{{{A}}}</p>','from':'a@" FIXTURE_DOMAIN
	    "','subject':'S','variables':[{'key':'A','type':'string','fallbackValue':'f'}]}");
	g_autofree char *shown = g_strconcat("/resend/templates/", template, NULL);
	const struct exchange exchanges[] = {
	    {"template", "GET", shown, NULL, 200, .want = {"variables[0].fallback_value = 'f'"}},
	    {"automation", "POST", "/resend/automations",
		"{'name':'a','status':'enabled','steps':["
		"{'key':'t','type':'trigger','config':{'eventName':'signup'}},"
		"{'key':'w','type':'wait_for_event','config':{'eventName':'paid','timeout':'1 day',"
		"'filterRule':{'type':'rule','field':'event.x','operator':'eq','value':''}}},"
		"{'key':'u','type':'contact_update','config':{'firstName':'F','properties':[]}}],"
		"'connections':[{'from':'t','to':'w'},{'from':'w','to':'u','type':'timeout'},"
		"{'from':'w','to':'u','type':'event_received'}]}",
		201},
	};

	EXPECT_ALL(fixture, exchanges);
	g_autofree char *id = habits_create("/resend/automations",
	    "{'name':'b','steps':[{'key':'t','type':'trigger','config':{'eventName':'signup'}},"
	    "{'key':'w','type':'wait_for_event','config':{'event_name':'paid','filterRule':"
	    "{'type':'rule','field':'event.x','operator':'eq','value':''}}}],'connections':[]}");
	habits_expect("GET", "/resend/automations/", id, NULL, 200,
	    WANT(
		"steps[0].config.event_name = 'signup'", "steps[1].config.filter_rule.value = ''"));
}

/* Values that clients own keep their names. */
Test(resend_habits, leave_names_of_values_alone)
{
	const struct exchange exchanges[] = {
	    {"property", "POST", "/resend/contact-properties",
		"{'key':'camelCase','type':'string'}", 201},
	    {"contact", "POST", "/resend/contacts",
		"{'email':'own@example.net','properties':{'camelCase':'x'}}", 201},
	    {"shown", "GET", "/resend/contacts/own@example.net", NULL, 200,
		.want = {"properties.camelCase.value = 'x'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_habits, write_names_without_quotes)
{
	static const struct {
		const char *given, *want;
	} names[] = {
	    {"Acme, Inc. <a@" FIXTURE_DOMAIN ">", "Acme, Inc."},
	    {"Acme: Sales <a@" FIXTURE_DOMAIN ">", "Acme: Sales"},
	    {"Acme [x] <a@" FIXTURE_DOMAIN ">", "Acme [x]"},
	    {"a@" FIXTURE_DOMAIN " <a@" FIXTURE_DOMAIN ">", "a@" FIXTURE_DOMAIN},
	    {"Acme @ Home <a@" FIXTURE_DOMAIN ">", "Acme @ Home"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *change =
		    g_strdup_printf("'from':'%s','to':['Doe, J. <b@example.net>','c@example.net'],"
				    "'reply_to':['%s']",
			names[i].given, names[i].given);
		g_autofree char *id = letter_send(fixture, change);
		g_autofree char *from = g_strdup_printf("from = '%s'", names[i].given);
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		InternetAddressList *list = g_mime_message_get_from(arrival->message);
		const char *name =
		    internet_address_get_name(internet_address_list_get_address(list, 0));

		cr_expect_str_eq(name, names[i].want, "%s: got %s", names[i].given, name);
		cr_expect_str_eq(arrival->recipients, "b@example.net c@example.net");
		EXPECT_EMAIL(fixture, id, from, "to = ['b@example.net','c@example.net']",
		    "reply_to = ['a@" FIXTURE_DOMAIN "']");
	}
	/* A list of valid addresses in one text stays a list. */
	g_autofree char *list = letter_send(fixture, "'to':'b@example.net, c <c@example.net>'");
	EXPECT_EMAIL(fixture, list, "to = ['b@example.net','c@example.net']");
	answer_free(letter_post(fixture,
	    "'from':'a@" FIXTURE_DOMAIN ", Acme <a@" FIXTURE_DOMAIN ">'", NULL, 422, NULL));
}

Test(resend_habits, write_names_without_quotes_elsewhere)
{
#define SENDER "Acme, Inc. <a@" FIXTURE_DOMAIN ">"
	g_autofree char *segment = habits_create("/resend/segments", "{'name':'S'}");
	g_autofree char *broadcast = g_strdup_printf("{'from':'" SENDER "','reply_to':['" SENDER
						     "'],'subject':'S','text':'T "
						     "{{{RESEND_UNSUBSCRIBE_URL}}}',"
						     "'segment_id':'%s'}",
	    segment);
	g_autofree char *template = habits_create("/resend/templates",
	    "{'name':'n','html':'<p>Hi</p>','subject':'S','from':'" SENDER "','reply_to':['" SENDER
	    "']}");
	g_autofree char *publish = g_strdup_printf("/resend/templates/%s/publish", template);
	g_autofree char *steps = g_strdup_printf(
	    "{'name':'a','status':'enabled','steps':["
	    "{'key':'t','type':'trigger','config':{'event_name':'signup'}},"
	    "{'key':'m','type':'send_email','config':{'template':{'id':'%s'},'from':'" SENDER
	    "','subject':'S','reply_to':['" SENDER "']}}],'connections':[{'from':'t','to':'m'}]}",
	    template);
	const struct exchange exchanges[] = {
	    {"batch", "POST", "/resend/emails/batch",
		"[{'from':'" SENDER "','to':['" SENDER "'],'subject':'S','text':'T'}]", 200},
	    {"broadcast", "POST", "/resend/broadcasts", broadcast, 201},
	    {"publish", "POST", publish, "{}", 200},
	    {"automation", "POST", "/resend/automations", steps, 201},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Posts headers, and expects these members to be ignored (NULL: none). The caller owns the id. */
static char *
send_headers(const char *change, const char *ignored)
{
	g_autofree char *body = exchange_merged(BASE, change, NULL);
	g_autofree char *line = g_strconcat("Ignored-Members:", ignored ? " " : "", ignored, NULL);
	const struct exchange exchange = {change, "POST", "/resend/emails", body, 200,
	    .want = {"id : string"}, .want_header = {line}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

Test(resend_habits, set_fields_of_the_service)
{
	g_autofree char *id = send_headers("'headers':{'Reply-To':'R <r@example.net>, "
					   "s@example.net','Message-ID':'<1.2.habits@x.org>',"
					   "'date':'Sun, 22 Nov 2026 08:00:00 +0100','X-A':'b'}",
	    NULL);
	/* Messages are found by their Message-ID. */
	AUTO(arrival) arrival = arrival_wait(fixture, "1.2.habits@x.org");

	cr_expect(arrival_has_line(arrival, "Message-ID: <1.2.habits@x.org>"));
	cr_expect(arrival_has_line(arrival, "Date: Sun, 22 Nov 2026 08:00:00 +0100"));
	cr_expect(arrival_has_line(arrival, "X-A: b"));
	cr_expect_str_eq(arrival_header(arrival, "Reply-To"), "R <r@example.net>, s@example.net");
	EXPECT_EMAIL(fixture, id, "reply_to = ['r@example.net','s@example.net']",
	    "message_id = '<1.2.habits@x.org>'");
	g_autofree char *named =
	    send_headers("'reply_to':'a@example.net','headers':{'reply-to':'b@example.net'}",
		"headers.reply-to");
	EXPECT_EMAIL(fixture, named, "reply_to = ['a@example.net']");
	answer_free(letter_post(fixture, "'headers':{'Reply-To':'nobody'}", NULL, 422, NULL));
}

Test(resend_habits, have_other_fields_left_out)
{
	static const struct {
		const char *headers, *want;
	} cases[] = {
	    {"'Return-Path':'<a@x.org>'", "headers.Return-Path"},
	    {"'Subject':'x','sender':'s@x.org','To':'t@x.org','From':'f@x.org'",
		"headers.Subject, headers.sender, headers.To, headers.From"},
	    {"'X-A':'b','MIME-Version':'1.0','Content-Type':'text/plain','Bcc':'t@x.org'",
		"headers.MIME-Version, headers.Content-Type, headers.Bcc"},
	    {"'DKIM-Signature':'v=1','Received':['a','b']",
		"headers.DKIM-Signature, headers.Received"},
	    {"'X-SMTPAPI':'{}','x-ses-configuration-set':'c'",
		"headers.X-SMTPAPI, headers.x-ses-configuration-set"},
	    {"'Message-ID':'1.2@x.org'", "headers.Message-ID"},
	    {"'Message-ID':'<1 2@x.org>'", "headers.Message-ID"},
	    {"'Message-ID':'<x>'", "headers.Message-ID"},
	    {"'Message-ID':7", "headers.Message-ID"},
	    {"'Date':'yesterday'", "headers.Date"},
	    {"'Date':'Sun, 31 Feb 2026 08:00:00 +0100'", "headers.Date"},
	    {"'Date':'2026-11-22T08:00:00Z'", "headers.Date"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change = g_strdup_printf("'headers':{%s}", cases[i].headers);
		g_autofree char *id = send_headers(change, cases[i].want);
		AUTO(arrival) arrival = arrival_wait(fixture, id);

		cr_expect_str_eq(arrival_header(arrival, "Subject"), "S", "%s", change);
		cr_expect_str_eq(arrival->recipients, "b@example.net", "%s", change);
		cr_expect_null(arrival_header(arrival, "X-SMTPAPI"), "%s", change);
	}
	answer_free(letter_post(fixture, "'headers':{'X A':'b'}", NULL, 422, NULL));
	answer_free(letter_post(fixture, "'headers':{'X-A':7}", NULL, 422, NULL));
}

Test(resend_habits, may_have_null_among_headers)
{
	g_autofree char *id = send_headers(
	    "'headers':{'X-A':null,'Reply-To':null,'Message-ID':null,'X-B':'b'}", NULL);
	AUTO(arrival) arrival = arrival_wait(fixture, id);

	cr_expect(arrival_has_line(arrival, "X-B: b"));
	cr_expect_null(arrival_header(arrival, "X-A"));
	EXPECT_EMAIL(fixture, id, "reply_to = []");
}

Test(resend_habits, have_fields_left_out_of_a_batch)
{
#define EMAIL(headers)                                                                             \
	"{'from':'a@" FIXTURE_DOMAIN                                                               \
	"','to':'b@example.net','subject':'S','text':'T','headers':{" headers "}}"
	const struct exchange exchanges[] = {
	    {"batch", "POST", "/resend/emails/batch",
		"[" EMAIL("'X-A':'b'") "," EMAIL("'Sender':'x','Date':'x'") "]", 200,
		.want_header = {"Ignored-Members: [1].headers.Sender, [1].headers.Date"}},
	    {"none", "POST", "/resend/emails/batch", "[" EMAIL("'X-A':'b'") "]", 200,
		.want_header = {"Ignored-Members:"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_habits, write_contents_in_many_ways)
{
	static const struct {
		const char *given, *want;
	} cases[] = {
	    {"aGVsbG8=", "hello"},
	    {"aGVsbG8", "hello"},
	    {"  aGVsbG8=  ", "hello"},
	    {"aGVs\\r\\nbG8=\\r\\n", "hello"},
	    {"aGVs bG8=", "hello"},
	    {"Pz8_Pj4-", "??\?>>>"},
	    {"Pz8/Pj4+", "??\?>>>"},
	    {"fn5-fg", "~~~~"},
	    {"BEGIN:VCALENDAR\\r\\nEND:VCALENDAR\\r\\n", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"},
	    {"hello", "hello"},
	    {"Hello World", "Hello World"},
	    {"aGVsbG8=x", "aGVsbG8=x"},
	    {"a+b-c", "a+b-c"},
	    {"", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change = g_strdup_printf(
		    "'attachments':[{'filename':'a.bin','content':'%s'}]", cases[i].given);
		g_autofree char *id = letter_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		g_autofree char *got = arrival_content(arrival, 2, NULL);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].given, got);
	}
}

Test(resend_habits, write_tags_as_an_object)
{
	g_autofree char *id = letter_send(fixture, "'tags':{'a':'b','c-d':'e_f'}");

	EXPECT_EMAIL(fixture, id, "tags = [{'name':'a','value':'b'},{'name':'c-d','value':'e_f'}]");
	answer_free(letter_post(fixture, "'tags':{'a':'b c'}", NULL, 422,
	    INVALID("tags",
		"tags[0] must have 1 to 256 ASCII letters, digits, _ and - in name and value")));
	answer_free(letter_post(fixture, "'tags':{'a':7}", NULL, 422,
	    INVALID("tags", "tags[0] must have a name and a value")));
	g_autofree char *symfony =
	    letter_send(fixture, "'tags':[{'X-Tag':'category'},{'name':'a','value':'b'}]");
	EXPECT_EMAIL(fixture, symfony,
	    "tags = [{'name':'X-Tag','value':'category'},{'name':'a','value':'b'}]");
	static const char *const halves[] = {"[{'name':'a'}]", "[{'value':'a'}]", "[{}]"};
	for (gsize i = 0; i < G_N_ELEMENTS(halves); i++) {
		g_autofree char *tags = g_strconcat("'tags':", halves[i], NULL);

		answer_free(letter_post(fixture, tags, NULL, 422,
		    INVALID("tags", "tags[0] must have a name and a value")));
	}
}

Test(resend_habits, write_empty_maps_as_arrays)
{
	g_autofree char *template = habits_create(
	    "/resend/templates", "{'name':'t','html':'<p>Hi</p>','subject':'S','alias':'maps'}");
	g_autofree char *publish = g_strdup_printf("/resend/templates/%s/publish", template);
	const struct exchange exchanges[] = {
	    {"publish", "POST", publish, "{}", 200},
	    {"variables", "POST", "/resend/emails",
		"{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net',"
		"'template':{'alias':'maps','variables':[]},'headers':[]}",
		200},
	    {"not empty", "POST", "/resend/emails",
		"{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net',"
		"'template':{'alias':'maps','variables':['x']}}",
		422, INVALID("template", "template.variables must be an object")},
	    {"schema", "POST", "/resend/events", "{'name':'maps','schema':[]}", 201},
	    {"payload", "POST", "/resend/events/send",
		"{'event':'maps','email':'a@example.net','payload':[]}", 202},
	    {"properties", "POST", "/resend/contacts",
		"{'email':'maps@example.net','properties':[]}", 201},
	    {"capabilities", "POST", "/resend/domains",
		"{'name':'maps.example.net','capabilities':[]}", 201},
	    {"not an object", "POST", "/resend/contacts",
		"{'email':'maps@example.net','properties':[1]}", 422,
		INVALID("properties", "properties must be an object")},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* On both fronts, in both headers. */
Test(resend_habits, put_re_in_front_of_a_key)
{
	g_autofree char *bearer = g_strconcat("Authorization: Bearer re_", fixture->key, NULL);
	g_autofree char *header = g_strconcat("X-API-Key: re_", fixture->key, NULL);
	g_autofree char *twice = g_strconcat("X-API-Key: re_re_", fixture->key, NULL);
	g_autofree char *other = g_strconcat("X-API-Key: re_", fixture->key + strlen("ph_"), NULL);
	const struct exchange exchanges[] = {
	    {"bearer", "GET", "/resend/emails", NULL, 200, .headers = {bearer}},
	    {"X-API-Key", "GET", "/resend/emails", NULL, 200, .headers = {header}},
	    {"/v1", "GET", "/v1/emails", NULL, 200, .headers = {bearer}},
	    {"/v1, X-API-Key", "GET", "/v1/emails", NULL, 200, .headers = {header}},
	    {"twice", "GET", "/resend/emails", NULL, 403, .headers = {twice}},
	    {"another", "GET", "/resend/emails", NULL, 403, .headers = {other}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The Go and Ruby examples take the id of a contact for good on either path, and Ruby's have a
   template with fields of the reader. */
Test(resend_habits, know_one_id_of_a_contact)
{
	g_autofree char *segment = habits_create("/resend/segments", "{'name':'Here'}");
	g_autofree char *empty = habits_create("/resend/segments", "{'name':'Empty'}");
	g_autofree char *body =
	    g_strdup_printf("{'email':'one@example.net','segments':[{'id':'%s'}]}", segment);
	g_autofree char *id = habits_create("/resend/contacts", body);
	g_autofree char *here = g_strdup_printf("/resend/audiences/%s/contacts/%s", segment, id);
	g_autofree char *none = g_strdup_printf("/resend/audiences/%s/contacts/%s", empty, id);
	const struct exchange exchanges[] = {
	    {"get", "GET", here, NULL, 200, .want = {"email = 'one@example.net'"}},
	    {"change", "PATCH", here, "{'first_name':'Ada'}", 200, .want = {"id : string"}},
	    {"changed", "GET", here, NULL, 200, .want = {"first_name = 'Ada'"}},
	    {"not in it", "GET", none, NULL, 404, .want = {"message = 'Contact not found'"}},
	    {"change elsewhere", "PATCH", none, "{'first_name':'Eve'}", 404},
	    {"remove", "DELETE", here, NULL, 200, .want = {"deleted = true"}},
	    {"removed", "GET", here, NULL, 404},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_habits, give_templates_fields_of_the_reader)
{
	g_autofree char *template = habits_create("/resend/templates",
	    "{'name':'t','subject':'S {{FIRST_NAME}}','html':'<p>Hi {{{FIRST_NAME|there}}} "
	    "{{{LAST_NAME}}}{{{TIER}}}</p>','variables':[{'key':'TIER','type':'string',"
	    "'fallback_value':'!'}]}");
	g_autofree char *publish = g_strdup_printf("/resend/templates/%s/publish", template);
	g_autofree char *without = g_strdup_printf("'template':{'id':'%s'}", template);
	g_autofree char *with = g_strdup_printf(
	    "'template':{'id':'%s','variables':{'FIRST_NAME':'Ada','LAST_NAME':7}}", template);
	const struct exchange published = {"publish", "POST", publish, "{}", 200};

	answer_free(exchange_expect(fixture, &published));
	const struct {
		const char *template, *want;
	} cases[] = {{without, "html = '<p>Hi there !</p>'"}, {with, "html = '<p>Hi Ada 7!</p>'"}};
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net',%s}", cases[i].template);
		const struct exchange sent = {"send", "POST", "/resend/emails", body, 200};
		AUTO(answer) answer = exchange_expect(fixture, &sent);
		g_autofree char *path =
		    g_strconcat("/resend/emails/", answer_text(answer, "id"), NULL);
		const struct exchange shown = {
		    "shown", "GET", path, NULL, 200, .want = {cases[i].want}};

		answer_free(exchange_expect(fixture, &shown));
	}
}
