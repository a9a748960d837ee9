/* SPDX-License-Identifier: MIT */
/* /resend/broadcasts, from the draft to the inbox */
#include <criterion/criterion.h>
#include <string.h>

#include "fcgi/resend/limits.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/exchange.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

#define PATH "/resend/broadcasts"
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define GONE PATH "/" UNKNOWN
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define INVALID(message) FAILURE(422, "validation_error", message)
#define MISSING(field) FAILURE(422, "missing_required_field", "Missing `" field "` field.")
#define HTML                                                                                       \
	"<body><p>Hi {{{contact.first_name|you}}} <a href=\\\"{{{RESEND_UNSUBSCRIBE_URL}}}\\\">"

FIXTURE_SUITE(resend_broadcasts, 900);

static char *
resend_broadcasts_create(const char *path, const char *body)
{
	const struct exchange exchange = {body, "POST", path, body, 201};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

/* The body of a request for a broadcast, with these members more. The caller owns it. */
static char *
broadcasts_body_of(const char *segment, const char *more)
{
	return g_strdup_printf("{'segment_id':'%s','from':'Me <me@example.com>','subject':'News',"
			       "'html':'" HTML "leave</a>'%s}",
	    segment, more);
}

Test(resend_broadcasts, are_drafts_for_a_segment)
{
	g_autofree char *segment =
	    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
	g_autofree char *topic = resend_broadcasts_create(
	    "/resend/topics", "{'name':'T','default_subscription':'opt_in'}");
	g_autofree char *more = g_strdup_printf(",'name':'Spring','reply_to':'a@x.org',"
						"'preview_text':'A < B','text':'T','topic_id':'%s'",
	    topic);
	g_autofree char *body = broadcasts_body_of(segment, more);
	g_autofree char *id = resend_broadcasts_create(PATH, body);
	g_autofree char *path = g_strconcat(PATH "/", id, NULL);
	g_autofree char *main = g_strconcat("/v1/broadcasts/", id, NULL);
	g_autofree char *copy = g_strconcat(path, "/duplicate", NULL);
	g_autofree char *cancel = g_strconcat(path, "/cancel", NULL);
	g_autofree char *own = g_strdup_printf("{'id':'%s'}", id);
	g_autofree char *gone =
	    g_strdup_printf("{'object':'broadcast','id':'%s','deleted':true}", id);
	g_autofree char *of_segment = g_strdup_printf("segment_id = '%s'", segment);
	g_autofree char *of_audience = g_strdup_printf("audience_id = '%s'", segment);
	g_autofree char *of_topic = g_strdup_printf("topic_id = '%s'", topic);
	g_autofree char *audiences = g_strdup_printf("audiences = ['%s']", segment);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"object = 'broadcast'", "id : string", "name = 'Spring'", of_segment,
		    of_audience, of_topic, "from = 'Me <me@example.com>'", "subject = 'News'",
		    "reply_to = ['a@x.org']", "preview_text = 'A < B'", "status = 'draft'",
		    "created_at : string", "scheduled_at = null", "sent_at = null", "text = 'T'",
		    "html = '" HTML "leave</a>'"}},
	    {"in /v1", "GET", main, NULL, 200, .want = {audiences, "status = 'draft'"}},
	    {"change", "PATCH", path,
		"{'html':'<p>{{{RESEND_UNSUBSCRIBE_URL}}}','subject':null,'topic_id':null}", 200,
		own},
	    {"changed", "GET", path, NULL, 200,
		.want = {"html = '<p>{{{RESEND_UNSUBSCRIBE_URL}}}'", "subject = 'News'",
		    "preview_text = 'A < B'", "topic_id = null"}},
	    {"an empty text is none", "PATCH", path, "{'preview_text':''}", 200, own},
	    {"as before", "GET", path, NULL, 200,
		.want = {"html = '<p>{{{RESEND_UNSUBSCRIBE_URL}}}'", "preview_text = 'A < B'"}},
	    {"cancel a draft", "POST", cancel, NULL, 422, INVALID("Broadcast is draft")},
	    {"duplicate", "POST", copy, NULL, 200, .want = {"object = 'broadcast'", "id : string"}},
	    {"list", "GET", PATH, NULL, 200,
		.want = {"object = 'list'", "has_more = false", "data[0].name = 'Spring (copy)'",
		    "data[1].name = 'Spring'", "data[1].status = 'draft'", "data[1].html : absent",
		    "data[1].segment_id : string", "data[1].sent_at = null"}},
	    {"page", "GET", PATH "?limit=1", NULL, 200,
		.want = {"has_more = true", "data[0].name = 'Spring (copy)'"}},
	    {"remove", "DELETE", path, NULL, 200, gone},
	    {"gone", "GET", path, NULL, 404, FAILURE(404, "not_found", "Broadcast not found")},
	    {"remove again", "DELETE", path, NULL, 404},
	    {"no UUID", "GET", PATH "/x", NULL, 422, .want = {"name = 'invalid_parameter'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The answer to a new one has its id alone. */
Test(resend_broadcasts, have_names_in_the_audit)
{
	g_autofree char *segment =
	    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
	g_autofree char *body = broadcasts_body_of(segment, ",'name':'Spring'");
	g_autofree char *id = resend_broadcasts_create(PATH, body);
	g_autofree char *name = test_db_text(fixture->db,
	    "SELECT target_name FROM audit WHERE workspace_id = @workspace"
	    " AND action = 'broadcast.created'");

	cr_expect_str_eq(name, "Spring");
}

Test(resend_broadcasts, wait_for_their_time)
{
	g_autofree char *segment =
	    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
	g_autofree char *body =
	    broadcasts_body_of(segment, ",'send':true,'scheduled_at':'in 2 days'");
	g_autofree char *id = resend_broadcasts_create(PATH, body);
	g_autofree char *path = g_strconcat(PATH "/", id, NULL);
	g_autofree char *send = g_strconcat(path, "/send", NULL);
	g_autofree char *cancel = g_strconcat(path, "/cancel", NULL);
	g_autofree char *own = g_strdup_printf("{'id':'%s'}", id);
	g_autofree char *past =
	    broadcasts_body_of(segment, ",'send':true,'scheduled_at':'1970-01-01T00:00:00Z'");
	const struct exchange exchanges[] = {
	    {"scheduled", "GET", path, NULL, 200,
		.want = {"status = 'queued'", "scheduled_at : string", "sent_at = null"}},
	    {"send again", "POST", send, "{}", 422, INVALID("Broadcast is scheduled")},
	    {"change", "PATCH", path, "{'name':'n'}", 422, INVALID("Broadcast is scheduled")},
	    {"cancel", "POST", cancel, NULL, 200, .want = {"object = 'broadcast'"}},
	    {"a draft", "GET", path, NULL, 200,
		.want = {"status = 'draft'", "scheduled_at = null"}},
	    {"no time", "POST", send, "{'scheduled_at':'soon'}", 422,
		.want = {"name = 'validation_error'"}},
	    {"too late", "POST", send, "{'scheduled_at':'in 31 days'}", 422,
		INVALID(
		    "Invalid `scheduled_at` field. scheduled_at must be at most 30 days ahead.")},
	    {"past", "POST", send, "{'scheduled_at':'2020-01-01'}", 422,
		INVALID("Invalid `scheduled_at` field. scheduled_at must not be in the past.")},
	    {"past", "POST", PATH, past, 422,
		INVALID("Invalid `scheduled_at` field. scheduled_at must not be in the past.")},
	    {"send", "POST", send, "{'scheduled_at':'in 30 days'}", 200, own},
	    {"remove", "DELETE", path, NULL, 200, .want = {"deleted = true"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_broadcasts, reach_the_contacts_of_the_segment)
{
	g_autofree char *segment =
	    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
	g_autofree char *contacts = g_strdup_printf("/resend/audiences/%s/contacts", segment);
	g_free(
	    resend_broadcasts_create(contacts, "{'email':'ada@example.net','first_name':'Ada'}"));
	g_free(
	    resend_broadcasts_create(contacts, "{'email':'bo@example.net','unsubscribed':true}"));
	g_autofree char *body = broadcasts_body_of(segment, ",'preview_text':'Soon'");
	g_autofree char *id = resend_broadcasts_create(PATH, body);
	g_autofree char *path = g_strconcat(PATH "/", id, NULL);
	g_autofree char *send = g_strconcat(path, "/send", NULL);
	const struct exchange first[] = {{"send", "POST", send, NULL, 200}};
	const struct exchange last[] = {{"sent", "GET", path, NULL, 200,
	    .want = {"status = 'sent'", "sent_at : string", "scheduled_at = null"}}};

	ALONE_SET(fixture);
	EXPECT_ALL(fixture, first);
	alone_spool(fixture, 0);
	alone_spool(fixture, 1000);
	EXPECT_ALL(fixture, last);
	g_autofree char *part = test_db_text(fixture->db,
	    "SELECT LOWER(INSERT(INSERT(INSERT(INSERT(HEX(e.id), 21, 0, '-'), 17, 0, '-'), 13, 0,"
	    " '-'), 9, 0, '-')) FROM email e JOIN recipient r ON r.email_id = e.id"
	    " WHERE e.workspace_id = @workspace AND r.address = 'ada@example.net'");
	AUTO(arrival) arrival = arrival_wait(fixture, part);
	g_autofree char *html = arrival_content(arrival, 1, NULL);
	cr_expect(strstr(html, "Hi Ada <a href=\"http"), "%s", html);
	cr_expect(strstr(html, ">Soon</div>"), "%s", html);
}

/* The id of the email to this address. */
static char *
email_to(const char *address)
{
	g_autofree char *query = g_strdup_printf(
	    "SELECT LOWER(INSERT(INSERT(INSERT(INSERT(HEX(e.id), 21, 0, '-'), 17, 0, '-'), 13, 0,"
	    " '-'), 9, 0, '-')) FROM email e JOIN recipient r ON r.email_id = e.id"
	    " WHERE e.workspace_id = @workspace AND r.address = '%s'",
	    address);

	return test_db_text(fixture->db, query);
}

/* Html and text have a link each; the footer is not shown. */
Test(resend_broadcasts, get_a_footer_where_there_is_no_link)
{
	g_autofree char *segment =
	    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
	g_autofree char *contacts = g_strdup_printf("/resend/audiences/%s/contacts", segment);
	g_free(
	    resend_broadcasts_create(contacts, "{'email':'ada@example.net','first_name':'Ada'}"));
	g_autofree char *body = g_strdup_printf(
	    "{'segment_id':'%s','from':'me@example.com','subject':'Hi {{{FIRST_NAME|there}}}',"
	    "'html':'<html><body><p>{{{FIRST_NAME|there}}} {{{LAST_NAME|none}}} {{{EMAIL}}}</p>"
	    "</body></html>','text':'Hi {{{FIRST_NAME}}}','preview_text':'P'}",
	    segment);
	const struct exchange post = {
	    "create", "POST", PATH, body, 201, .want = {"warnings : absent"}};
	AUTO(answer) made = exchange_expect(fixture, &post);
	g_autofree char *path = g_strconcat(PATH "/", answer_text(made, "id"), NULL);
	g_autofree char *send = g_strconcat(path, "/send", NULL);
	g_autofree char *main = g_strconcat("/v1/broadcasts/", answer_text(made, "id"), NULL);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"html = '<html><body><p>{{{FIRST_NAME|there}}} {{{LAST_NAME|none}}} "
			 "{{{EMAIL}}}</p></body></html>'",
		    "text = 'Hi {{{FIRST_NAME}}}'", "preview_text = 'P'"}},
	    {"a change", "PATCH", path, "{'preview_text':'Q'}", 200},
	    {"send", "POST", send, "", 200, .want = {"id : string", "warnings : absent"}},
	};

	ALONE_SET(fixture);
	EXPECT_ALL(fixture, exchanges);
	alone_spool(fixture, 0);
	alone_spool(fixture, 1000);
	g_autofree char *id = email_to("ada@example.net");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = arrival_content(arrival, 1, NULL);
	g_autofree char *text = arrival_content(arrival, 0, NULL);
	cr_expect_str_eq(arrival_header(arrival, "Subject"), "Hi Ada");
	cr_expect(strstr(html, "<p>Ada none ada@example.net</p>"), "%s", html);
	cr_expect(strstr(html, "Unsubscribe</a></p><!--/footer--></body></html>"), "%s", html);
	cr_expect(strstr(html, "<a href=\"http"), "%s", html);
	cr_expect(g_str_has_prefix(text, "Hi Ada"), "%s", text);
	cr_expect(strstr(text, "Unsubscribe: http"), "%s", text);
}

/* Fields of the contact, fallbacks and properties are known; what else nobody has is told. */
Test(resend_broadcasts, warn_of_variables_that_nobody_has)
{
	static const struct {
		const char *html, *want;
	} cases[] = {
	    {"{{{FIRST_NAME}}} {{{contact.email}}} {{{RESEND_UNSUBSCRIBE_URL}}}", "absent"},
	    {"{{{NICK|you}}} {{#if x}}y{{/if}}", "absent"},
	    {"{{{plan}}} {{{colour}}}", "absent"},
	    {"{{{NICK}}} {{{contact.nick}}} {{NICK}}",
		"['{{NICK}} has no value','{{contact.nick}} has no value']"},
	};
	g_autofree char *segment =
	    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
	g_free(resend_broadcasts_create(
	    "/resend/contacts", "{'email':'a@x.org','properties':{'plan':'pro'}}"));
	g_free(resend_broadcasts_create(
	    "/resend/contact-properties", "{'key':'colour','type':'string'}"));
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool absent = strcmp(cases[i].want, "absent") == 0;
		g_autofree char *body = g_strdup_printf(
		    "{'segment_id':'%s','from':'me@example.com','subject':'s','html':'%s'}",
		    segment, cases[i].html);
		g_autofree char *change = g_strdup_printf("{'html':'%s'}", cases[i].html);
		g_autofree char *want =
		    g_strdup_printf("warnings %s %s", absent ? ":" : "=", cases[i].want);
		const struct exchange post = {
		    cases[i].html, "POST", PATH, body, 201, .want = {want}};
		AUTO(answer) made = exchange_expect(fixture, &post);
		g_autofree char *path = g_strconcat(PATH "/", answer_text(made, "id"), NULL);
		const struct exchange patch = {
		    cases[i].html, "PATCH", path, change, 200, .want = {want}};

		answer_free(exchange_expect(fixture, &patch));
	}
}

#define OF_ADDRESS(what, address)                                                                  \
	"SELECT " what " FROM email e JOIN recipient r ON r.email_id = e.id WHERE"                 \
	" e.workspace_id = @workspace AND r.address = '" address "'"

Test(resend_broadcasts, have_test_addresses)
{
	static const struct {
		const char *contact, *events;
	} cases[] = {
	    {"delivered@resend.dev", "sent,delivered"},
	    {"bounced+1@resend.dev", "sent,bounced 550 5.1.1 test address 5.1.1 Permanent"},
	    {"complained@resend.dev", "sent,delivered,complained"},
	    {"other@resend.dev", "bounced 550 5.1.1 test address 5.1.1 Permanent"},
	};
	g_autofree char *segment = resend_broadcasts_create("/resend/segments", "{'name':'Tests'}");
	g_autofree char *contacts = g_strdup_printf("/resend/audiences/%s/contacts", segment);
	g_autofree char *body = broadcasts_body_of(segment, "");
	g_autofree char *draft = resend_broadcasts_create(PATH, body);
	g_autofree char *copying = g_strconcat(PATH "/", draft, "/duplicate", NULL);

	ALONE_SET(fixture);
	g_free(resend_broadcasts_create(contacts, "{'email':'suppressed@resend.dev'}"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *contact = g_strdup_printf("{'email':'%s'}", cases[i].contact);

		g_free(resend_broadcasts_create(contacts, contact));
	}
	const struct exchange duplicate = {"copy", "POST", copying, NULL, 200};
	AUTO(answer) copy = exchange_expect(fixture, &duplicate);
	g_autofree char *path = g_strconcat(PATH "/", answer_text(copy, "id"), NULL);
	g_autofree char *send = g_strconcat(path, "/send", NULL);
	const struct exchange exchange = {"send", "POST", send, NULL, 200};
	answer_free(exchange_expect(fixture, &exchange));
	alone_spool(fixture, 0);
	alone_spool(fixture, 1000);
	g_autofree char *part = test_db_text(fixture->db,
	    "SELECT LOWER(INSERT(INSERT(INSERT(INSERT(HEX(e.id), 21, 0, '-'), 17, 0, '-'), 13, 0,"
	    " '-'), 9, 0, '-')) FROM email e JOIN recipient r ON r.email_id = e.id"
	    " WHERE e.workspace_id = @workspace AND r.address = 'delivered@resend.dev'");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *query =
		    g_strdup_printf(OF_ADDRESS("r.number", "%s"), cases[i].contact);

		alone_expect_events(fixture, cases[i].contact, part,
		    (guint)test_db_number(fixture->db, query), cases[i].events);
	}
	cr_expect_eq(
	    test_db_number(fixture->db, OF_ADDRESS("COUNT(*)", "suppressed@resend.dev")), 0);
	const struct exchange last[] = {
	    {"sent", "GET", path, NULL, 200, .want = {"status = 'sent'"}},
	    {"no suppressions", "GET", "/resend/suppressions", NULL, 200, .want = {"data = []"}}};
	EXPECT_ALL(fixture, last);
}

static void
broadcasts_visit(const char *path, guint status)
{
	const struct exchange exchange = {"visit", "GET", path, NULL, status,
	    .headers = {"Authorization:", "User-Agent: Mozilla/5.0 (X11; Linux) Firefox/128"}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* Waits until so many opens and clicks are recorded. */
static void
wait_for_visits(gint64 count)
{
	gint64 end = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;

	while (test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status IN (5, 6)"
					   " AND workspace_id = @workspace") < count &&
	       g_get_monotonic_time() < end)
		g_usleep(10000);
}

/* Sends a broadcast with three links to a segment, whose first contact opens it, and clicks the
   first link twice and the second once: who clicks all would be a program. The caller owns its id.
 */
static char *
send_and_read(const char *segment)
{
	g_autofree char *body = g_strdup_printf(
	    "{'segment_id':'%s','from':'me@example.com','subject':'News','send':true,'html':'"
	    "<a href=\\\"http://x.org/1\\\">1</a><b><a href=\\\"http://x.org/3\\\">3</a></b>"
	    "<i><a href=\\\"http://x.org/2\\\">2</a></i>"
	    "<a href=\\\"{{{RESEND_UNSUBSCRIBE_URL}}}\\\">leave</a>'}",
	    segment);
	char *id = resend_broadcasts_create(PATH, body);

	alone_spool(fixture, 0);
	g_autofree char *part = test_db_text(fixture->db,
	    "SELECT LOWER(INSERT(INSERT(INSERT(INSERT(HEX(e.id), 21, 0, '-'), 17, 0, '-'), 13, 0,"
	    " '-'), 9, 0, '-')) FROM email e JOIN recipient r ON r.email_id = e.id"
	    " WHERE e.workspace_id = @workspace AND r.address = 'ada@example.net'");
	AUTO(arrival) arrival = arrival_wait_for(fixture, part, "ada@example.net");
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");
	g_autofree char *first = tracking_path(fixture, html, "a href", "/t/c/");
	g_autofree char *second = tracking_path(fixture, strstr(html, "<i>"), "a href", "/t/c/");
	broadcasts_visit(pixel, 200);
	broadcasts_visit(first, 302);
	broadcasts_visit(first, 302);
	broadcasts_visit(second, 302);
	wait_for_visits(4);
	return id;
}

/* The metrics of a broadcast that was sent to two people, and of its domain. */
static void
expect_crossed(const char *id)
{
#define CROSSED "/resend/emails/metrics?metrics=sent&broadcast_id="
	g_autofree char *domain = test_db_text(fixture->db,
	    "SELECT LOWER(INSERT(INSERT(INSERT(INSERT(HEX(id), 21, 0, '-'),"
	    " 17, 0, '-'), 13, 0, '-'), 9, 0, '-')) FROM domain"
	    " WHERE workspace_id = @workspace");
	g_autofree char *both = g_strconcat(CROSSED, id, "&dimensions=domain,broadcast", NULL);
	g_autofree char *one = g_strconcat(CROSSED, id, "&dimensions=domain", NULL);
	g_autofree char *own = g_strconcat(CROSSED, id, "&domain_id=", domain, NULL);
	g_autofree char *other = g_strconcat(CROSSED, id, "&domain_id=" UNKNOWN, NULL);
	g_autofree char *row = g_strdup_printf("data = [{'domain_id':'%s','domain_name':'%s',"
					       "'broadcast_id':'%s','broadcast_name':'News',"
					       "'sent':2}]",
	    domain, FIXTURE_DOMAIN, id);
	g_autofree char *of_domain = g_strdup_printf(
	    "data = [{'domain_id':'%s','domain_name':'%s','sent':2}]", domain, FIXTURE_DOMAIN);
	const struct exchange exchanges[] = {
	    {"by both", "GET", both, NULL, 200, .want = {"totals.sent = 2", row}},
	    {"by domain", "GET", one, NULL, 200, .want = {"totals.sent = 2", of_domain}},
	    {"of its domain", "GET", own, NULL, 200, .want = {"totals.sent = 2"}},
	    {"of another", "GET", other, NULL, 200, .want = {"totals.sent = 0"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_broadcasts, tell_results)
{
	ALONE_SET(fixture);
	tracking_enable(fixture, true, true);
	g_autofree char *segment =
	    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
	g_autofree char *contacts = g_strdup_printf("/resend/audiences/%s/contacts", segment);
	g_free(resend_broadcasts_create(contacts, "{'email':'ada@example.net'}"));
	g_free(resend_broadcasts_create(contacts, "{'email':'bo@example.net'}"));
	g_free(resend_broadcasts_create(contacts, "{'email':'bounced@test.posthouse.invalid'}"));
	g_autofree char *id = send_and_read(segment);
	g_autofree char *recipients = g_strdup_printf(PATH "/%s/recipients?type=", id);
	g_autofree char *links = g_strdup_printf(PATH "/%s/clicked-links", id);
#define TYPE(text) g_autofree char *text = g_strconcat(recipients, #text, NULL)
	TYPE(opened);
	TYPE(clicked);
	TYPE(bounced);
	TYPE(complained);
	TYPE(suppressed);
	TYPE(unsubscribed);
	g_autofree char *sent = g_strconcat(recipients, "sent&limit=1", NULL);
	g_autofree char *one = g_strconcat(recipients, "sent&email=BO@example.net", NULL);
	g_autofree char *nobody = g_strconcat(recipients, "sent&email=x@example.net", NULL);
	g_autofree char *host = g_strconcat(recipients, "sent&email=%40Example.net", NULL);
	g_autofree char *word = g_strconcat(recipients, "sent&email=da%40", NULL);
	g_autofree char *none = g_strconcat(recipients, "sent&email=a%25", NULL);
	g_autofree char *transient = g_strconcat(bounced, "&bounce_type=transient", NULL);
	g_autofree char *lasting = g_strconcat(bounced, "&bounce_type=permanent", NULL);
	g_autofree char *untyped = g_strconcat(opened, "&bounce_type=permanent", NULL);
	g_autofree char *first = g_strconcat(links, "?limit=1", NULL);
	g_autofree char *metrics = g_strdup_printf(
	    "/resend/emails/metrics?broadcast_id=%s&dimensions=period,broadcast", id);
	g_autofree char *of_id = g_strdup_printf("data[0].broadcast_id = '%s'", id);
	const struct exchange exchanges[] = {
	    {"opened", "GET", opened, NULL, 200,
		.want = {"object = 'list'", "has_more = false", "data[0].id : string",
		    "data[0].contact_id : string", "data[0].email = 'ada@example.net'",
		    "data[0].count = 1", "data[0].clicked_links : absent", "data[1] = null"}},
	    {"clicked", "GET", clicked, NULL, 200,
		.want = {"data[0].email = 'ada@example.net'", "data[0].count = 3",
		    "data[0].clicked_links = [{'url':'http://x.org/1','clicks':2},"
		    "{'url':'http://x.org/2','clicks':1}]",
		    "data[1] = null"}},
	    {"bounced", "GET", bounced, NULL, 200,
		.want = {"data[0].bounce_type = 'permanent'", "data[1] = null"}},
	    {"for good", "GET", lasting, NULL, 200, .want = {"data[0].email : string"}},
	    {"for now", "GET", transient, NULL, 200, .want = {"data = []"}},
	    {"no bounce", "GET", untyped, NULL, 422,
		INVALID("Invalid `bounce_type` field. bounce_type needs type to be bounced.")},
	    {"complained", "GET", complained, NULL, 200, .want = {"data = []"}},
	    {"suppressed", "GET", suppressed, NULL, 200, .want = {"data = []"}},
	    {"unsubscribed", "GET", unsubscribed, NULL, 200, .want = {"data = []"}},
	    {"newest first", "GET", sent, NULL, 200,
		.want = {"has_more = true", "data[0].email = 'bo@example.net'",
		    "data[0].count : absent", "data[1] = null"}},
	    {"one", "GET", one, NULL, 200,
		.want = {"data[0].email = 'bo@example.net'", "data[1] = null"}},
	    {"nobody", "GET", nobody, NULL, 200, .want = {"data = []", "has_more = false"}},
	    {"part of two", "GET", host, NULL, 200,
		.want = {"data[0].email = 'bo@example.net'", "data[1].email = 'ada@example.net'",
		    "data[2] = null"}},
	    {"part of one", "GET", word, NULL, 200,
		.want = {"data[0].email = 'ada@example.net'", "data[1] = null"}},
	    {"no pattern", "GET", none, NULL, 200, .want = {"data = []"}},
	    {"links", "GET", links, NULL, 200,
		.want = {"has_more = false", "data[0].url = 'http://x.org/1'", "data[0].clicks = 2",
		    "data[0].unique_clicks = 1", "data[1].url = 'http://x.org/2'",
		    "data[1].clicks = 1", "data[2] = null"}},
	    {"metrics", "GET", metrics, NULL, 200,
		.want = {"totals.sent = 2", "totals.bounced = 1", "totals.opened = 1",
		    "totals.clicked = 3", "totals.open_rate = 50.0", "data[0].period : string",
		    of_id, "data[0].broadcast_name = 'News'", "data[0].unique_clicked = 1"}},
	};
	EXPECT_ALL(fixture, exchanges);
	expect_crossed(id);
	const struct exchange page = {"first link", "GET", first, NULL, 200,
	    .want = {"has_more = true", "data[0].url = 'http://x.org/1'", "data[1] = null"}};
	AUTO(answer) link = exchange_expect(fixture, &page);
	g_autofree char *after =
	    g_strdup_printf("%s&after=%s", first, answer_text(link, "data[0].id"));
	const struct exchange next[] = {{"next link", "GET", after, NULL, 200,
	    .want = {"has_more = false", "data[0].url = 'http://x.org/2'", "data[1] = null"}}};
	EXPECT_ALL(fixture, next);
}

Test(resend_broadcasts, may_have_long_senders_and_subjects)
{
	for (guint more = 0; more < 2; more++) {
		g_autofree char *subject = g_strnfill(LIMIT_RESEND_SUBJECT_LENGTH + more, 'x');
		g_autofree char *name =
		    g_strnfill(LIMIT_RESEND_FROM_LENGTH - strlen(" <a@example.com>") + more, 'y');
		g_autofree char *segment =
		    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
		g_autofree char *long_subject =
		    g_strdup_printf("{'segment_id':'%s','from':'me@example.com','subject':'%s','"
				    "send':true,'html':'" HTML "leave</a>'}",
			segment, subject);
		g_autofree char *long_from = g_strdup_printf(
		    "{'segment_id':'%s','from':'%s <a@example.com>','subject':'s','html':'" HTML
		    "leave</a>'}",
		    segment, name);
		const struct exchange exchanges[] = {
		    {"subject", "POST", PATH, long_subject, more ? 422 : 201},
		    {"from", "POST", PATH, long_from, more ? 422 : 201},
		};

		EXPECT_ALL(fixture, exchanges);
	}
}

Test(resend_broadcasts, name_the_field_that_is_wrong)
{
	g_autofree char *segment =
	    resend_broadcasts_create("/resend/segments", "{'name':'Readers'}");
	g_autofree char *bare = g_strdup_printf(
	    "{'segment_id':'%s','from':'me@example.com','subject':'s','text':'t'}", segment);
	g_autofree char *foreign =
	    g_strdup_printf("{'segment_id':'%s','from':'me@other.org','subject':'s',"
			    "'text':'{{{RESEND_UNSUBSCRIBE_URL}}}','send':true}",
		segment);
	g_autofree char *unclosed = g_strdup_printf(
	    "{'segment_id':'%s','from':'me@example.com','subject':'s','html':'{{#if x}}'}",
	    segment);
	g_autofree char *early = broadcasts_body_of(segment, ",'scheduled_at':'in 1 hour'");
	g_autofree char *topic = broadcasts_body_of(segment, ",'topic_id':'" UNKNOWN "'");
	g_autofree char *sender =
	    g_strdup_printf("{'segment_id':'%s','from':'Me','subject':'s','html':'h'}", segment);
	g_autofree char *senders = g_strdup_printf(
	    "{'segment_id':'%s','from':'me@example.com, you@example.com','subject':'s','html':'h'}",
	    segment);
	g_autofree char *reply = broadcasts_body_of(segment, ",'reply_to':'x'");
	g_autofree char *replies = broadcasts_body_of(segment, ",'reply_to':['a@b.org','x']");
	const struct exchange exchanges[] = {
	    {"no sender", "POST", PATH, "{'subject':'s'}", 422, MISSING("from")},
	    {"no subject", "POST", PATH, "{'from':'me@example.com'}", 422, MISSING("subject")},
	    {"no segment", "POST", PATH, "{'from':'me@example.com','subject':'s','html':'h'}", 422,
		MISSING("segment_id")},
	    {"no content", "POST", PATH,
		"{'from':'me@example.com','subject':'s','audience_id':'" UNKNOWN "'}", 422,
		FAILURE(422, "missing_required_field", "Missing `html` or `text` field.")},
	    {"unknown segment", "POST", PATH,
		"{'from':'me@example.com','subject':'s','html':'h','audience_id':'" UNKNOWN "'}",
		404, FAILURE(404, "not_found", "Segment not found")},
	    {"no id", "POST", PATH,
		"{'from':'me@example.com','subject':'s','html':'h','segment_id':'x'}", 422,
		INVALID("Invalid `segment_id` field. segment_id must be a valid UUID.")},
	    {"unknown topic", "POST", PATH, topic, 422,
		INVALID("Invalid `topic_id` field. Topic not found.")},
	    {"no address", "POST", PATH, sender, 422,
		FAILURE(422, "invalid_from_address",
		    "Invalid `from` field. from must be a valid email address: \\\"Me\\\" has no "
		    "domain.")},
	    {"two senders", "POST", PATH, senders, 422,
		FAILURE(422, "invalid_from_address",
		    "Invalid `from` field. from must be a valid email address: "
		    "\\\"me@example.com, you@example.com\\\" is a list.")},
	    {"nobody to reply to", "POST", PATH, reply, 422,
		INVALID("Invalid `reply_to` field. reply_to must be a valid email address: "
			"\\\"x\\\" has no domain.")},
	    {"one of two to reply to", "POST", PATH, replies, 422,
		INVALID("Invalid `reply_to` field. reply_to[1] must be a valid email address: "
			"\\\"x\\\" has no domain.")},
	    {"a time without send", "POST", PATH, early, 422,
		INVALID("Invalid `scheduled_at` field. scheduled_at needs send to be true.")},
	    {"an open block", "POST", PATH, unclosed, 422,
		INVALID("Invalid `html` field. html: line 1: \\\"{{#if\\\" is not closed by "
			"\\\"{{/if}}\\\".")},
	    {"another domain", "POST", PATH, foreign, 403, .want = {"name = 'validation_error'"}},
	    {"none is kept", "GET", PATH, NULL, 200, .want = {"data = []"}},
	    {"an unknown one", "PATCH", GONE, "{'name':'n'}", 404,
		FAILURE(404, "not_found", "Broadcast not found")},
	    {"its segment", "PATCH", GONE, "{'segment_id':'x'}", 422,
		INVALID("Invalid `segment_id` field. segment_id must be a valid UUID.")},
	    {"its topic", "PATCH", GONE, "{'topic_id':'x'}", 422,
		INVALID("Invalid `topic_id` field. Topic not found.")},
	    {"its html", "PATCH", GONE, "{'html':'{{#if x}}'}", 422,
		INVALID("Invalid `html` field. html: line 1: \\\"{{#if\\\" is not closed by "
			"\\\"{{/if}}\\\".")},
	    {"its sender", "PATCH", GONE, "{'from':'x'}", 422,
		FAILURE(422, "invalid_from_address",
		    "Invalid `from` field. from must be a valid email address: \\\"x\\\" has no "
		    "domain.")},
	    {"whom to reply to", "PATCH", GONE, "{'reply_to':['x']}", 422,
		INVALID("Invalid `reply_to` field. reply_to must be a valid email address: "
			"\\\"x\\\" has no domain.")},
	    {"its reply address", "PATCH", GONE, "{'reply_to':1}", 422,
		.want = {"name = 'validation_error'"}},
	    {"a draft", "POST", PATH, bare, 201},
	};

	EXPECT_ALL(fixture, exchanges);
}
