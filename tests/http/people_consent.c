/* SPDX-License-Identifier: MIT */
/* Consent as requests for people change and show it: topics, overrides, removals, and addresses
   that come again. */
#include <criterion/criterion.h>

#include "json/value.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

FIXTURE_SUITE(people_consent, 900);

#define PEOPLE "/v1/people"
#define ADA PEOPLE "/ada@x.org"
#define REFUSED "{'message':'This person has unsubscribed; override is required'}"
#define STRANGE "01890a5d-ac96-774b-bcce-b302099a8057"

static char *
topic_new(const struct fixture *owner, const char *body)
{
	AUTO(answer) answer = audience_ask(owner, "POST", body, "/v1/topics");

	cr_assert_eq(answer->status, 200u, "%s", answer->body);
	return g_strdup(answer_text(answer, "id"));
}

/* All choices of this workspace were the person's own doing. */
static void
make_own(void)
{
	test_db_plain(fixture->db, "UPDATE choice SET author = 1 WHERE workspace_id = @workspace");
	test_db_plain(
	    fixture->db, "UPDATE choice_part SET author = 1 WHERE workspace_id = @workspace");
}

Test(people_consent, is_chosen_by_topic)
{
	g_autofree char *news = topic_new(fixture, "{'name':'News'}");
	g_autofree char *offers = topic_new(fixture, "{'name':'Offers','opt_in':true}");
	g_autofree char *choose =
	    g_strdup_printf("{'topics':{'%s':false,'%s':true}}", news, offers);
	g_autofree char *half =
	    g_strdup_printf("{'first_name':'A','topics':{'%s':true,'" STRANGE "':true}}", news);
	g_autofree char *wrong = g_strdup_printf("{'topics':{'%s':null}}", news);
	g_autofree char *fault = g_strdup_printf("{'message':'topics.%s must be a boolean'}", news);
	g_autofree char *left = g_strdup_printf("history[0].about = {'topic_id':'%s'}", news);
	const struct exchange exchanges[] = {
	    {"made", "POST", PEOPLE, "{'email':'ada@x.org'}", 200,
		.want = {"topics[0].name = 'Offers'", "topics[0].subscribed = false",
		    "topics[0].chosen = false", "topics[1].name = 'News'",
		    "topics[1].subscribed = true", "topics[1].chosen = false"}},
	    {"chosen", "PATCH", ADA, choose, 200,
		.want = {"topics[0].subscribed = true", "topics[0].chosen = true",
		    "topics[1].subscribed = false", "topics[1].chosen = true",
		    "subscribed = true"}},
	    {"once more", "PATCH", ADA, choose, 200},
	    {"recorded once", "GET", ADA "/history", NULL, 200, .want = {"count = 2"}},
	    {"all or nothing", "PATCH", ADA, half, 400,
		"{'message':'topics." STRANGE " is not a topic'}"},
	    {"nothing", "GET", ADA, NULL, 200,
		.want = {"first_name = null", "topics[1].subscribed = false"}},
	    {"no id", "PATCH", ADA, "{'topics':{'x':true}}", 400,
		"{'message':'topics.x is not a topic'}"},
	    {"no boolean", "PATCH", ADA, wrong, 400, fault},
	    {"no object", "PATCH", ADA, "{'topics':[]}", 400,
		"{'message':'topics must be an object'}"},
	};

	EXPECT_ALL(fixture, exchanges);
	make_own();
	g_autofree char *back = g_strdup_printf("{'topics':{'%s':true}}", news);
	g_autofree char *with_reason =
	    g_strdup_printf("{'topics':{'%s':true},'override':'by phone'}", news);
	g_autofree char *leave = g_strdup_printf("{'topics':{'%s':false}}", news);
	const struct exchange own[] = {
	    {"the person's own", "PATCH", ADA, back, 409, REFUSED},
	    {"overridden", "PATCH", ADA, with_reason, 200, .want = {"topics[1].subscribed = true"}},
	    {"left again", "PATCH", ADA, leave, 200},
	    {"recorded", "GET", ADA "/history?kind=consent", NULL, 200,
		.want = {"history[0].type = 'topic_left'", left, "history[1].reason = 'by phone'",
		    "history[2].reason = 'by phone'", "count = 5"}},
	};
	EXPECT_ALL(fixture, own);
}

Test(people_consent, is_overridden_with_a_reason)
{
	g_autofree char *reason = g_strnfill(500, 'r');
	g_autofree char *at = g_strdup_printf("{'subscribed':true,'override':'%s'}", reason);
	g_autofree char *past = g_strdup_printf("{'subscribed':true,'override':'%sr'}", reason);
	const struct exchange leave[] = {
	    {"made", "POST", PEOPLE, "{'email':'ada@x.org'}", 200},
	    {"leaves", "PATCH", ADA, "{'subscribed':false}", 200,
		.want = {"suppressed = {'reason':'unsubscribed','scope':'automation'}"}},
	    {"an operator's", "PATCH", ADA, "{'subscribed':true}", 200,
		.want = {"subscribed = true", "suppressed = null"}},
	    {"leaves", "PATCH", ADA, "{'subscribed':false}", 200},
	};
	const struct exchange own[] = {
	    {"the person's own", "PATCH", ADA, "{'subscribed':true}", 409, REFUSED},
	    {"no override", "PATCH", ADA, "{'subscribed':true,'override':false}", 409, REFUSED},
	    {"empty", "PATCH", ADA, "{'subscribed':true,'override':''}", 400},
	    {"501", "PATCH", ADA, past, 400},
	    {"number", "PATCH", ADA, "{'subscribed':true,'override':1}", 400,
		"{'message':'override must be a string or a boolean'}"},
	    {"500", "PATCH", ADA, at, 200, .want = {"subscribed = true", "suppressed = null"}},
	    {"leaves", "PATCH", ADA, "{'subscribed':false}", 200},
	};
	const struct exchange made[] = {
	    {"deleted", "DELETE", ADA, NULL, 200},
	    {"made without a word", "POST", PEOPLE, "{'email':'ada@x.org'}", 200,
		.want = {"subscribed = false"}},
	    {"deleted", "DELETE", ADA, NULL, 200},
	    {"made with one", "POST", PEOPLE, "{'email':'ada@x.org','subscribed':true}", 409,
		REFUSED},
	    {"not made", "GET", ADA, NULL, 404},
	    {"made", "POST", PEOPLE, "{'email':'ada@x.org','subscribed':true,'override':true}", 200,
		.want = {"subscribed = true"}},
	};

	EXPECT_ALL(fixture, leave);
	make_own();
	EXPECT_ALL(fixture, own);
	make_own();
	EXPECT_ALL(fixture, made);
}

/* A membership that is removed leaves its joining and its end in the history. */
Test(people_consent, is_remembered_when_a_membership_goes)
{
	g_autofree char *first = audience_new(fixture, "One"),
			*second = audience_new(fixture, "Two");
	g_autofree char *a = audience_add(fixture, first, "{'email':'ada@x.org'}");
	exchange_next_moment();
	g_autofree char *b = audience_add(fixture, second, "{'email':'ada@x.org'}");
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts/%s", first, a);
	g_autofree char *about = g_strdup_printf("{'audience_id':'%s'}", first);
	g_autofree char *removed = g_strdup_printf("history[0].about = %s", about);
	g_autofree char *joined = g_strdup_printf("history[2].about = %s", about);
	const struct exchange exchanges[] = {
	    {"removed", "DELETE", path, NULL, 200},
	    {"recorded", "GET", ADA "/history?kind=consent", NULL, 200,
		.want = {"history[0].type = 'removed'", "history[0].source = 'api'",
		    "history[0].by = 'operator'", removed, "history[1].type = 'joined'",
		    "history[2].type = 'joined'", "history[2].source = 'api'",
		    "history[2].by = 'operator'", joined, "count = 3"}},
	    {"the person goes", "DELETE", ADA, NULL, 200},
	    {"and comes again", "POST", PEOPLE, "{'email':'ada@x.org'}", 200},
	    {"all of it", "GET", ADA "/history", NULL, 200,
		.want = {"history[0].type = 'removed'", "history[1].type = 'removed'",
		    "count = 4"}},
	};

	exchange_next_moment();
	EXPECT_ALL(fixture, exchanges);
}

/* Webhooks are told of each membership that goes with its person. */
Test(people_consent, is_told_when_a_person_goes)
{
	AUTO(answer) hook = audience_ask(fixture, "POST",
	    "{'url':'https://hooks.example/x','events':['contact.deleted']}", "/v1/webhooks");
	g_autofree char *first = audience_new(fixture, "One"),
			*second = audience_new(fixture, "Two");
	g_autofree char *a = audience_add(fixture, first, "{'email':'ada@x.org'}");
	g_autofree char *b = audience_add(fixture, second, "{'email':'ada@x.org'}");

	cr_assert_eq(hook->status, 200u, "%s", hook->body);
	audience_expect(fixture, "DELETE", NULL, 200, NULL, ADA);
	AUTO(answer) told = audience_ask(
	    fixture, "GET", NULL, "/v1/webhooks/%s/deliveries", answer_text(hook, "id"));
	cr_expect_eq(json_integer(answer_at(told, "count")), 2, "%s", told->body);
	cr_expect_str_eq(answer_text(told, "deliveries[0].type"), "contact.deleted");
	cr_expect_str_eq(answer_text(told, "deliveries[1].type"), "contact.deleted");
}

/* A person whom an event brings has left what the address left before. */
Test(people_consent, holds_when_an_event_brings_the_address_again)
{
	static const struct exchange exchanges[] = {
	    {"left", "POST", PEOPLE, "{'email':'ada@x.org','subscribed':false}", 200},
	    {"deleted", "DELETE", ADA, NULL, 200},
	    {"an event", "POST", "/v1/events", "{'event_name':'e','email':'Ada@X.org'}", 200},
	    {"still left", "GET", ADA, NULL, 200, .want = {"subscribed = false"}},
	    {"left unseen", "POST", "/v1/suppressions",
		"{'email':'eve@x.org','reason':'unsubscribed'}", 200},
	    {"an event", "POST", "/v1/events", "{'event_name':'e','email':'eve@x.org'}", 200},
	    {"left", "GET", "/v1/people/eve@x.org", NULL, 200, .want = {"subscribed = false"}},
	    {"somebody else", "POST", "/v1/events", "{'event_name':'e','email':'bob@x.org'}", 200},
	    {"not left", "GET", "/v1/people/bob@x.org", NULL, 200, .want = {"subscribed = true"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Only the choices that the person left in person hold when the address comes again. */
Test(people_consent, of_topics_goes_with_the_person)
{
	g_autofree char *yes = topic_new(fixture, "{'name':'Yes','opt_in':true}");
	g_autofree char *no = topic_new(fixture, "{'name':'No'}");
	g_autofree char *own = topic_new(fixture, "{'name':'Own'}");
	g_autofree char *left = g_strdup_printf("{'topics':{'%s':false}}", own);
	g_autofree char *choose = g_strdup_printf("{'topics':{'%s':true,'%s':false}}", yes, no);
	const struct exchange leaves[] = {
	    {"made", "POST", PEOPLE, "{'email':'ada@x.org'}", 200},
	    {"leaves", "PATCH", ADA, left, 200},
	};
	const struct exchange exchanges[] = {
	    {"chosen", "PATCH", ADA, choose, 200,
		.want = {"topics[1].chosen = true", "topics[2].chosen = true"}},
	    {"deleted", "DELETE", ADA, NULL, 200},
	    {"comes again", "POST", PEOPLE, "{'email':'Ada@x.org'}", 200,
		.want = {"topics[0].name = 'Own'", "topics[0].subscribed = false",
		    "topics[0].chosen = true", "topics[1].name = 'No'",
		    "topics[1].subscribed = true", "topics[1].chosen = false",
		    "topics[2].name = 'Yes'", "topics[2].subscribed = false",
		    "topics[2].chosen = false"}},
	};

	EXPECT_ALL(fixture, leaves);
	make_own();
	EXPECT_ALL(fixture, exchanges);
}

/* Nothing of another workspace is known here. */
Test(people_consent, is_of_one_workspace)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *topic = topic_new(other, "{'name':'Theirs'}");
	g_autofree char *audience = audience_new(other, "Theirs");
	g_autofree char *contact = audience_add(other, audience, "{'email':'ada@x.org'}");
	g_autofree char *body = g_strdup_printf("{'name':'F','audience_id':'%s'}", audience);
	AUTO(answer) made = audience_ask(other, "POST", body, "/v1/forms");
	const char *form = answer_text(made, "id");
	AUTO(answer)
	defined = audience_ask(other, "POST", "{'key':'age','type':'number'}", "/v1/properties");
	g_autofree char *topics = g_strdup_printf("{'topics':{'%s':true}}", topic);
	g_autofree char *fault = g_strdup_printf("{'message':'topics.%s is not a topic'}", topic);
	g_autofree char *before = fixture_rows(other);
	const struct exchange exchanges[] = {
	    {"person", "GET", ADA, NULL, 404, "{'message':'Person not found'}"},
	    {"change", "PATCH", ADA, "{'first_name':'A'}", 404, "{'message':'Person not found'}"},
	    {"delete", "DELETE", ADA, NULL, 404, "{'message':'Person not found'}"},
	    {"history", "GET", ADA "/history", NULL, 404, "{'message':'Person not found'}"},
	    {"none listed", "GET", PEOPLE, NULL, 200, "{'people':[],'count':0,'cursor':null}"},
	    {"no properties", "GET", "/v1/properties", NULL, 200, .want = {"count = 0"}},
	    {"property", "PATCH", "/v1/properties/age", "{'default':1}", 404,
		"{'message':'Property not found'}"},
	    {"property", "DELETE", "/v1/properties/age", NULL, 404,
		"{'message':'Property not found'}"},
	    {"no type", "POST", PEOPLE, "{'email':'bob@x.org','properties':{'age':'x'}}", 200},
	    {"topic of a person", "PATCH", "/v1/people/bob@x.org", topics, 400, fault},
	};

	cr_assert(made->status == 200 && defined->status == 200, "%s", made->body);
	EXPECT_ALL(fixture, exchanges);
#define TOPIC "{'message':'Topic not found'}"
#define FORM "{'message':'Form not found'}"
#define AUDIENCE "{'message':'Audience not found'}"
	audience_expect(fixture, "GET", NULL, 404, TOPIC, "/v1/topics/%s", topic);
	audience_expect(fixture, "PATCH", "{'name':'x'}", 404, TOPIC, "/v1/topics/%s", topic);
	audience_expect(fixture, "DELETE", NULL, 404, TOPIC, "/v1/topics/%s", topic);
	audience_expect(fixture, "GET", NULL, 404, FORM, "/v1/forms/%s", form);
	audience_expect(fixture, "PATCH", "{'name':'x'}", 404, FORM, "/v1/forms/%s", form);
	audience_expect(fixture, "DELETE", NULL, 404, FORM, "/v1/forms/%s", form);
	audience_expect(fixture, "GET", NULL, 404, AUDIENCE, "/v1/audiences/%s/opt-in", audience);
	audience_expect(fixture, "PUT", "{'required':false}", 404, AUDIENCE,
	    "/v1/audiences/%s/opt-in", audience);
	audience_expect(fixture, "POST", NULL, 404, AUDIENCE,
	    "/v1/audiences/%s/contacts/%s/confirm", audience, contact);
	g_autofree char *email = g_strdup_printf("{'from':'a@" FIXTURE_DOMAIN "','to':'b@x.org',"
						 "'subject':'S','html':'x','topic_id':'%s'}",
	    topic);
	audience_expect(fixture, "POST", email, 400, TOPIC, "/v1/emails");
	AUTO(answer) mine = audience_ask(fixture, "POST", body, "/v1/forms");
	cr_expect(mine->status == 404 || mine->status == 400, "%u %s", mine->status, mine->body);
	g_autofree char *after = fixture_rows(other);
	cr_expect_str_eq(after, before);
}

/* A mail is told by its topic, and a broadcast's part by the broadcast. */
Test(people_consent, is_beside_emails_of_topics_and_broadcasts)
{
	g_autofree char *news = topic_new(fixture, "{'name':'News'}");
	g_autofree char *change = g_strdup_printf("'to':'ada@x.org','topic_id':'%s'", news);
	static const struct exchange make = {"made", "POST", PEOPLE, "{'email':'ada@x.org'}", 200};

	answer_free(exchange_expect(fixture, &make));
	g_autofree char *id = email_send(fixture, change);
	g_autofree char *about =
	    g_strdup_printf("history[0].about = {'topic_id':'%s','email_id':'%s'}", news, id);
	g_autofree char *of = g_strdup_printf(
	    "history[0].about = {'topic_id':'%s','broadcast_id':'" STRANGE "'}", news);
	const struct exchange email = {
	    "email", "GET", ADA "/history?kind=email", NULL, 200, .want = {about}};
	const struct exchange part = {
	    "part", "GET", ADA "/history?kind=email", NULL, 200, .want = {of}};
	answer_free(exchange_expect(fixture, &email));
	test_db_plain(fixture->db,
	    "INSERT INTO broadcast_part (email_id, broadcast_id, workspace_id, variant, people)"
	    " SELECT id, UNHEX('01890a5dac96774bbcceb302099a8057'), workspace_id, 0, ''"
	    " FROM email WHERE workspace_id = @workspace");
	answer_free(exchange_expect(fixture, &part));
}
