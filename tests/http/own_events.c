/* SPDX-License-Identifier: MIT */
/* Events that Posthouse tells by itself: each way in which one happens, at the doors. */
#include <criterion/criterion.h>
#include <string.h>

#include "db/statement.h"
#include "store/automation/execution.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/automation.h"
#include "tests/http/confirmation.h"
#include "tests/support/db.h"

FIXTURE_SUITE(own_events, 900);

static const char *const own_names[] = {"person.created", "contact.created", "contact.confirmed",
    "contact.updated", "contact.unsubscribed", "contact.deleted", "topic.joined", "topic.left",
    "form.submitted", "person.updated"};

/* Reads the events of one address, oldest first, and removes all: name{properties} of each, with ID
   in place of ids. The caller owns the text. */
static char *
own_take(const char *email)
{
	g_autoptr(GRegex) id = g_regex_new("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", 0, 0, NULL);
	g_autoptr(GString) all = g_string_new(NULL);

	alone_spool(fixture, 0);
	AUTO(db_rows)
	rows = db_select(fixture->db,
	    "SELECT e.name, e.properties FROM automation_event e JOIN person p"
	    " ON p.id = e.contact_id WHERE e.workspace_id = ? AND p.address = ?"
	    " ORDER BY e.timestamp, e.id",
	    DB_VALUES(db_id(&fixture->id), db_text(email)), NULL);
	cr_assert(rows);
	while (db_rows_next(rows))
		g_string_append_printf(all, "%s%s%s", all->len > 0 ? " " : "",
		    db_rows_text(rows, 0), db_rows_text(rows, 1));
	cr_assert(db_run(fixture->db, "DELETE FROM automation_event WHERE workspace_id = ?",
	    DB_VALUES(db_id(&fixture->id)), NULL, NULL));
	return g_regex_replace(id, all->str, -1, 0, "ID", 0, NULL);
}

static void
own_expect(const char *what, const char *email, const char *want)
{
	g_autofree char *got = own_take(email);
	g_autofree char *quoted = exchange_quoted(want);

	cr_expect_str_eq(got, quoted, "%s: got %s, want %s", what, got, quoted);
}

static char *
own_ask(const char *method, const char *path, const char *body, const char *member)
{
	const struct exchange exchange = {body ? body : path, method, path, body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return member ? g_strdup(answer_text(answer, member)) : NULL;
}

/* Lets a workflow hear each name. */
static void
own_listen(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(own_names); i++)
		g_free(automation_start(fixture, own_names[i]));
}

#define ANN "/v1/people/ann@example.net"
#define OPERATOR "'by':'operator','source':'api'"

Test(own_events, tell_of_people)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	g_autofree char *topic =
	    own_ask("POST", "/v1/topics", "{'name':'T','default_subscription':'opt_out'}", "id");
	g_autofree char *joins = g_strdup_printf("{'topics':{'%s':true}}", topic);
	g_autofree char *leaves = g_strdup_printf("{'topics':{'%s':false}}", topic);
	const struct {
		const char *name, *method, *path, *body, *want;
	} cases[] = {
	    {"made", "POST", "/v1/people", "{'email':'ann@example.net','properties':{'a':1}}",
		"person.created{'source':'api'}"},
	    {"nothing", "PATCH", ANN, "{'properties':{'a':1}}", ""},
	    {"properties", "PATCH", ANN,
		"{'first_name':'Ann','properties':{'a':2,'o':{'x':[1],'y':1}}}",
		"person.updated{'changed':['contact.first_name','a','o.x','o.y'],"
		"'from':{'contact':{'first_name':null},'a':1,'o':{'x':null,'y':null}},"
		"'to':{'contact':{'first_name':'Ann'},'a':2,'o':{'x':[1],'y':1}}}"},
	    {"inner", "PATCH", ANN, "{'properties':{'a':null,'o':{'x':[2]}}}",
		"person.updated{'changed':['a','o.x'],'from':{'a':2,'o':{'x':[1]}},"
		"'to':{'a':null,'o':{'x':[2]}}}"},
	    {"object gone", "PATCH", ANN, "{'properties':{'o':null}}",
		"person.updated{'changed':['o.x','o.y'],'from':{'o':{'x':[2],'y':1}},"
		"'to':{'o':{'x':null,'y':null}}}"},
	    {"value, empty object", "PATCH", ANN, "{'properties':{'v':1,'e':{}}}",
		"person.updated{'changed':['v','e'],'from':{'v':null,'e':null},"
		"'to':{'v':1,'e':{}}}"},
	    {"objects for them", "PATCH", ANN, "{'properties':{'v':{'w':1},'e':{'f':1}}}",
		"person.updated{'changed':['v','e.f'],'from':{'v':1,'e':{'f':null}},"
		"'to':{'v':{'w':1},'e':{'f':1}}}"},
	    {"language", "PATCH", ANN, "{'language':'de','time_zone':'Europe/Berlin'}",
		"person.updated{'changed':['contact.language','contact.time_zone'],"
		"'from':{'contact':{'language':null,'time_zone':null}},"
		"'to':{'contact':{'language':'de','time_zone':'Europe/Berlin'}}}"},
	    {"event", "POST", "/v1/events",
		"{'event_name':'seen','email':'ann@example.net','properties':{'b':true}}",
		"seen{'b':true} person.updated{'changed':['b'],'from':{'b':null},'to':{'b':true}}"},
	    {"automation", "PATCH", "/v1/automation/contacts/ann@example.net",
		"{'properties':{'c':1}}", ""},
	    {"topic", "PATCH", ANN, joins, "topic.joined{'topic_id':'ID'," OPERATOR "}"},
	    {"same topic", "PATCH", ANN, joins, ""},
	    {"left", "PATCH", ANN, leaves, "topic.left{'topic_id':'ID'," OPERATOR "}"},
	    {"all", "PATCH", ANN, "{'subscribed':false}",
		"person.updated{'changed':['contact.subscribed'],"
		"'from':{'contact':{'subscribed':true}},'to':{'contact':{'subscribed':false}}}"},
	    {"deleted topic", "DELETE", NULL, NULL, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/v1/topics/", topic, NULL);

		g_free(own_ask(
		    cases[i].method, cases[i].path ? cases[i].path : path, cases[i].body, NULL));
		own_expect(cases[i].name, "ann@example.net", cases[i].want);
	}
	g_free(own_ask("POST", "/v1/events", "{'event_name':'x','email':'bob@example.net'}", NULL));
	own_expect("by an event", "bob@example.net", "x{} person.created{'source':'event'}");
}

/* Several of one transaction stand in the order of the table of own events, not of the request. */
Test(own_events, of_topics_are_joined_before_left)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *first = own_ask("POST", "/v1/topics", "{'name':'T'}", "id");
	g_autofree char *second = own_ask("POST", "/v1/topics", "{'name':'U','opt_in':true}", "id");
	g_autofree char *both = g_strdup_printf("{'topics':{'%s':false,'%s':true}}", first, second);

	g_free(own_ask("POST", "/v1/people", "{'email':'ann@example.net'}", NULL));
	own_listen();
	g_free(own_ask("PATCH", ANN, both, NULL));
	own_expect("both", "ann@example.net",
	    "topic.joined{'topic_id':'ID'," OPERATOR "} topic.left{'topic_id':'ID'," OPERATOR "}");
}

Test(own_events, are_when_a_person_is_first_seen)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	g_free(own_ask("POST", "/v1/people", "{'email':'ann@example.net'}", NULL));
	alone_spool(fixture, 0);
	const struct exchange get = {
	    "seen", "GET", "/v1/automation/contacts/ann@example.net", NULL, 200};
	AUTO(answer) answer = exchange_expect(fixture, &get);

	cr_expect_eq(json_integer(answer_at(answer, "first_seen")),
	    json_integer(answer_at(answer, "last_seen")));
}

Test(own_events, tell_of_contacts)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", audience);
	g_autofree char *id = own_ask("POST", contacts, "{'email':'ann@example.net'}", "id");
	g_autofree char *path = g_strconcat(contacts, "/", id, NULL);
	const struct {
		const char *name, *method, *path, *body, *want;
	} cases[] = {
	    {"made", NULL, NULL, NULL,
		"person.created{'source':'api'} contact.created{'audience_id':'ID','contact_id':"
		"'ID','status':'subscribed','source':'api'}"},
	    {"names", "PATCH", path, "{'first_name':'Ann'}",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['first_name']} "
		"person.updated{'changed':['contact.first_name'],'from':{'contact':{'first_name':"
		"null}},'to':{'contact':{'first_name':'Ann'}}}"},
	    {"same", "PATCH", path, "{'first_name':'Ann'}", ""},
	    {"left", "PATCH", path, "{'is_subscribed':false}",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['is_subscribed']} "
		"contact.unsubscribed{'audience_id':'ID','contact_id':'ID'," OPERATOR "}"},
	    {"again", "PATCH", path, "{'is_subscribed':true}",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':"
		"['is_subscribed']}"},
	    {"removed", "DELETE", path, NULL,
		"contact.deleted{'audience_id':'ID','contact_id':'ID'}"},
	    {"unsubscribed", "POST", contacts, "{'email':'ann@example.net','is_subscribed':false}",
		"contact.created{'audience_id':'ID','contact_id':'ID','status':'unsubscribed',"
		"'source':'api'}"},
	    {"erased", "DELETE", "/v1/people/ann@example.net", NULL, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		if (cases[i].method)
			g_free(own_ask(cases[i].method, cases[i].path, cases[i].body, NULL));
		own_expect(cases[i].name, "ann@example.net", cases[i].want);
	}
}

/* A property or a membership that goes with a thing that is removed is no event of its person. */
Test(own_events, are_not_told_of_what_goes_with_more)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *path = g_strconcat("/v1/audiences/", audience, NULL);
	g_autofree char *contacts = g_strconcat(path, "/contacts", NULL);

	g_free(own_ask("POST", "/v1/properties", "{'key':'age','type':'number'}", NULL));
	g_free(own_ask(
	    "POST", "/v1/people", "{'email':'ann@example.net','properties':{'age':7}}", NULL));
	g_free(own_ask("POST", contacts, "{'email':'ann@example.net'}", NULL));
	g_free(own_take("ann@example.net"));
	g_free(own_ask("DELETE", "/v1/properties/age", NULL, NULL));
	own_expect("a property", "ann@example.net", "");
	g_free(own_ask("DELETE", path, NULL, NULL));
	own_expect("an audience", "ann@example.net", "");
}

/* Changes in one audience that others show, too. */
Test(own_events, tell_of_names_in_other_audiences)
{
#define RESPELT "contact.updated{'audience_id':'ID','contact_id':'ID','changed':['email']}"
#define RENAMED_TWICE                                                                              \
	"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['first_name']} "          \
	"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['first_name']} "
	ALONE_SET(fixture, NULL);
	own_listen();
	g_autofree char *news = audience_new(fixture, "News");
	g_autofree char *other = audience_new(fixture, "Other");
	g_autofree char *last = audience_new(fixture, "Last");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", news);
	g_autofree char *others = g_strdup_printf("/v1/audiences/%s/contacts", other);
	g_autofree char *lasts = g_strdup_printf("/v1/audiences/%s/contacts", last);
	g_autofree char *fourth = audience_new(fixture, "Fourth");
	g_autofree char *more = g_strdup_printf("/v1/audiences/%s/contacts", fourth);
	g_free(own_ask("POST", contacts, "{'email':'ann@example.net','first_name':'A'}", NULL));
	g_autofree char *id = own_ask("POST", lasts, "{'email':'bob@example.net'}", "id");
	g_autofree char *path = g_strconcat(lasts, "/", id, NULL);
	const struct {
		const char *name, *method, *path, *body, *want;
	} cases[] = {
	    {"made with another name", "POST", others,
		"{'email':'ann@example.net','first_name':'Ann'}",
		"contact.created{'audience_id':'ID','contact_id':'ID','status':'subscribed',"
		"'source':'api'} contact.updated{'audience_id':'ID','contact_id':'ID','changed':"
		"['first_name']} person.updated{'changed':['contact.first_name'],'from':{"
		"'contact':{'first_name':'A'}},'to':{'contact':{'first_name':'Ann'}}}"},
	    {"moved to a person, with another name", "PATCH", path,
		"{'email':'ann@example.net','first_name':'Anna'}",
		RENAMED_TWICE
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['email',"
		"'first_name']} person.updated{'changed':['contact.first_name'],'from':{"
		"'contact':{'first_name':'Ann'}},'to':{'contact':{'first_name':'Anna'}}}"},
	    {"another spelling", "PATCH", path, "{'email':'Ann@example.net'}",
		RESPELT " " RESPELT " " RESPELT},
	    {"made with another spelling", "POST", more, "{'email':'ann@example.net'}",
		"contact.created{'audience_id':'ID','contact_id':'ID','status':'subscribed',"
		"'source':'api'} " RESPELT " " RESPELT " " RESPELT},
	    {"moved away", "PATCH", path, "{'email':'cyd@example.net'}", ""},
	    {"moved to a person, with another spelling", "PATCH", path,
		"{'email':'ANN@example.net'}", RESPELT " " RESPELT " " RESPELT " " RESPELT},
	};

	g_free(own_take("ann@example.net"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_free(own_ask(cases[i].method, cases[i].path, cases[i].body, NULL));
		own_expect(cases[i].name, "ann@example.net", cases[i].want);
	}
}

/* A person who gets another address, or is joined by another person, is changed once. */
Test(own_events, tell_of_people_who_move)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	g_autofree char *news = audience_new(fixture, "News");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", news);
	g_autofree char *id = own_ask("POST", contacts, "{'email':'bob@example.net'}", "id");
	g_autofree char *path = g_strconcat(contacts, "/", id, NULL);

	g_free(own_ask("PATCH", "/v1/people/bob@example.net", "{'subscribed':false}", NULL));
	g_free(own_take("bob@example.net"));
	g_free(own_ask("PATCH", path, "{'email':'rob@example.net','first_name':'Rob'}", NULL));
	own_expect("to a new address", "rob@example.net",
	    "contact.updated{'audience_id':'ID','contact_id':'ID','changed':['email',"
	    "'first_name']} person.updated{'changed':['contact.first_name'],'from':{'contact':"
	    "{'first_name':null}},'to':{'contact':{'first_name':'Rob'}}}");
	g_free(
	    own_ask("POST", "/v1/people", "{'email':'ann@example.net','first_name':'Ann'}", NULL));
	g_free(own_take("ann@example.net"));
	g_free(own_ask("PATCH", path, "{'email':'ann@example.net'}", NULL));
	own_expect("to a person who is known", "ann@example.net",
	    "contact.updated{'audience_id':'ID','contact_id':'ID','changed':['email',"
	    "'first_name']} person.updated{'changed':['contact.subscribed'],'from':{'contact':"
	    "{'subscribed':true}},'to':{'contact':{'subscribed':false}}}");
}

/* Confirms by the newest of so many mails. */
static void
own_confirm(const char *email, guint count)
{
	g_autofree char *link = confirmation_link(fixture, email, count);

	answer_free(confirmation_ask(fixture, "POST", link, NULL));
}

Test(own_events, wait_for_the_confirmation)
{
	ALONE_SET(fixture, NULL);
	confirmation_prepare(fixture);
	own_listen();
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *opt_in = g_strdup_printf("/v1/audiences/%s/opt-in", audience);
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", audience);
	g_autofree char *topic =
	    own_ask("POST", "/v1/topics", "{'name':'T','default_subscription':'opt_out'}", "id");
	g_free(own_ask("POST", "/v1/properties", "{'key':'age','type':'number'}", NULL));
	g_autofree char *body =
	    g_strdup_printf("{'name':'F','audience_id':'%s','per_network':1000,'fields':"
			    "['first_name','age'],'topics':['%s']}",
		audience, topic);
	g_autofree char *url = own_ask("POST", "/v1/forms", body, "url");
	g_autofree char *given =
	    g_strdup_printf("email=ann@example.net&first_name=Ann&age=7&topic=%s", topic);
	const struct exchange submit = {"form", "POST", strstr(url, "/f/"), given,
	    .headers = {"Authorization:", "Content-Type: application/x-www-form-urlencoded"}};

	g_free(own_ask("PUT", opt_in, "{'required':true}", NULL));
	answer_free(exchange_ask(fixture, &submit));
	own_expect("waits", "ann@example.net", "");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0);
	own_confirm("ann@example.net", 1);
	g_autofree char *told = own_take("ann@example.net");
	g_autofree char *want = exchange_quoted(
	    "person.created{'source':'form'} contact.created{'audience_id':'ID','contact_id':'ID',"
	    "'status':'subscribed','source':'form'} contact.confirmed{'audience_id':'ID',"
	    "'contact_id':'ID','form_id':'ID'} contact.updated{'audience_id':'ID','contact_id':"
	    "'ID','changed':['first_name','is_subscribed']} "
	    "topic.joined{'topic_id':'ID','by':'person','source':"
	    "'confirmation'} form.submitted{'form_id':'ID','audience_id':'ID','fields':"
	    "{'first_name':'Ann','age':7},'topics':['ID']}");
	cr_expect_str_eq(told, want, "got %s\nwant %s", told, want);

	answer_free(exchange_ask(fixture, &submit));
	own_expect("a member", "ann@example.net", "");
	g_free(own_ask("POST", contacts, "{'email':'bob@example.net'}", NULL));
	own_expect("an operator's", "bob@example.net", "");
	own_confirm("bob@example.net", 1);
	own_expect("confirmed", "bob@example.net",
	    "person.created{'source':'api'} contact.created{'audience_id':'ID','contact_id':'ID',"
	    "'status':'subscribed','source':'api'} contact.confirmed{'audience_id':'ID',"
	    "'contact_id':'ID','form_id':null} contact.updated{'audience_id':'ID','contact_id':"
	    "'ID','changed':['is_subscribed']}");
}

/* A form that asks for no confirmation is told at once; one that a program has filled in never. */
Test(own_events, tell_of_forms)
{
	ALONE_SET(fixture, NULL);
	confirmation_prepare(fixture);
	own_listen();
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *body =
	    g_strdup_printf("{'name':'F','audience_id':'%s','per_network':1000,'double_opt_in':"
			    "false,'fields':['first_name']}",
		audience);
	g_autofree char *url = own_ask("POST", "/v1/forms", body, "url");
	static const struct {
		const char *name, *given, *address;
		bool is_told;
	} cases[] = {
	    {"trapped", "email=trap@example.net&first_name=T&website=x", "trap@example.net", false},
	    {"at once", "email=ann@example.net&first_name=Ann", "ann@example.net", true},
	    {"a member", "email=ann@example.net&first_name=Bob", "ann@example.net", false},
	};
	g_autofree char *want = exchange_quoted("form.submitted{'form_id':'ID','audience_id':'ID',"
						"'fields':{'first_name':'Ann'},'topics':[]}");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct exchange submit = {cases[i].name, "POST", strstr(url, "/f/"),
		    cases[i].given,
		    .headers = {
			"Authorization:", "Content-Type: application/x-www-form-urlencoded"}};

		answer_free(exchange_ask(fixture, &submit));
		g_autofree char *told = own_take(cases[i].address);
		cr_expect_eq(strstr(told, "form.submitted") != NULL, cases[i].is_told, "%s: %s",
		    cases[i].name, told);
		if (cases[i].is_told)
			cr_expect(strstr(told, want), "got %s, want %s", told, want);
		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM person WHERE"
							 " workspace_id = @workspace AND address ="
							 " 'trap@example.net'"),
		    0);
	}
}

Test(own_events, are_told_where_somebody_hears)
{
	ALONE_SET(fixture, NULL);
	g_free(own_ask("POST", "/v1/people", "{'email':'ann@example.net'}", NULL));
	g_autofree char *workflow = automation_start(fixture, "person.created");
	g_autofree char *path = g_strconcat("/v1/workflows/", workflow, NULL);
	own_expect("before", "ann@example.net", "");
	g_free(own_ask("PATCH", "/v1/people/ann@example.net", "{'first_name':'A'}", NULL));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0);
	g_free(own_ask("POST", "/v1/people", "{'email':'bob@example.net'}", NULL));
	own_expect("heard", "bob@example.net", "person.created{'source':'api'}");
	const struct exchange started = {"started", "GET",
	    "/v1/automation/contacts/bob@example.net/executions", NULL, 200, .want = {"count = 1"}};
	answer_free(exchange_expect(fixture, &started));
	const struct exchange seen = {"seen", "GET", "/v1/automation/contacts/bob@example.net",
	    NULL, 200, .want = {"last_event = 'person.created'"}};
	answer_free(exchange_expect(fixture, &seen));
	g_free(own_ask("PATCH", path, "{'status':'paused'}", NULL));
	g_free(own_ask("POST", "/v1/people", "{'email':'cyd@example.net'}", NULL));
	own_expect("paused", "cyd@example.net", "");
}

Test(own_events, of_imports_are_told_if_asked)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/import", audience);
	const struct {
		const char *name, *path, *body, *want;
	} cases[] = {
	    {"unasked", path, "{'rows':[{'email':'ann@example.net'}]}", ""},
	    {"people unasked", "/v1/people/import",
		"{'rows':[{'email':'ann@example.net',"
		"'first_name':'A','subscribed':true}]}",
		""},
	    {"changed", path,
		"{'rows':[{'email':'ann@example.net','first_name':'B'}],"
		"'start_workflows':true}",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['first_name']} "
		"person.updated{'changed':['contact.first_name'],'from':{'contact':{'first_name':"
		"'A'}},'to':{'contact':{'first_name':'B'}}}"},
	    {"the same", path,
		"{'rows':[{'email':'ann@example.net','first_name':'B'}],"
		"'start_workflows':true}",
		""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_free(own_ask("POST", cases[i].path, cases[i].body, NULL));
		own_expect(cases[i].name, "ann@example.net", cases[i].want);
	}
	g_free(own_ask(
	    "POST", path, "{'rows':[{'email':'bob@example.net'}],'start_workflows':true}", NULL));
	own_expect("asked", "bob@example.net",
	    "person.created{'source':'import'} contact.created{'audience_id':'ID','contact_id':"
	    "'ID','status':'subscribed','source':'import'}");
	g_free(own_ask("POST", "/v1/people/import",
	    "{'rows':[{'email':'cyd@example.net'}],'start_workflows':true}", NULL));
	own_expect("a person", "cyd@example.net", "person.created{'source':'import'}");
}

/* A change that has no room in an event is told without its values. */
Test(own_events, leave_out_what_is_too_large)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	static const struct {
		gsize length;
		bool is_truncated;
	} cases[] = {{30000, false}, {40000, true}};

	g_free(own_ask("POST", "/v1/people", "{'email':'ann@example.net'}", NULL));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *old = g_strnfill(cases[i].length, 'a');
		g_autofree char *new = g_strnfill(cases[i].length, 'b');
		g_autofree char *first = g_strdup_printf("{'properties':{'x':'%s'}}", old);
		g_autofree char *second = g_strdup_printf("{'properties':{'x':'%s'}}", new);

		g_free(own_ask("PATCH", ANN, first, NULL));
		g_free(own_take("ann@example.net"));
		g_free(own_ask("PATCH", ANN, second, NULL));
		g_autofree char *told = own_take("ann@example.net");
		cr_expect_eq(
		    strcmp(told, "person.updated{\"changed\":[\"x\"],\"truncated\":true}") == 0,
		    cases[i].is_truncated, "%zu: %.100s", cases[i].length, told);
		cr_expect_eq(strstr(told, "\"from\"") != NULL, !cases[i].is_truncated);
	}
}

/* The changes of contacts by an import, as a PATCH tells them. */
Test(own_events, of_imports_tell_of_names_in_other_audiences)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	g_autofree char *news = audience_new(fixture, "News");
	g_autofree char *other = audience_new(fixture, "Other");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", news);
	g_autofree char *into_news = g_strdup_printf("/v1/audiences/%s/import", news);
	g_autofree char *into_other = g_strdup_printf("/v1/audiences/%s/import", other);
#define NAMED(from, to)                                                                            \
	"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['first_name']} "          \
	"person.updated{'changed':['contact.first_name'],'from':{'contact':{'first_name':" from    \
	"}},'to':{'contact':{'first_name':" to "}}}"
	const struct {
		const char *name, *path, *row, *want;
	} cases[] = {
	    {"known, new there", into_other, "'first_name':'A'",
		"contact.created{'audience_id':'ID','contact_id':'ID','status':'subscribed',"
		"'source':'import'} " NAMED("null", "'A'")},
	    {"in both", into_news, "'first_name':'B'",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['first_name']}"
		" " NAMED("'A'", "'B'")},
	    {"same", into_news, "'first_name':'B'", ""},
	    {"person", "/v1/people/import", "'first_name':'C'",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['first_name']}"
		" " NAMED("'B'", "'C'")},
	    {"no name", "/v1/people/import", "'properties':{}", ""},
	};

	g_free(own_ask("POST", contacts, "{'email':'ann@example.net'}", NULL));
	g_free(own_take("ann@example.net"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'rows':[{'email':'bob@example.net'},{'email':'ann@example.net',%s}],"
		    "'start_workflows':true}",
		    cases[i].row);

		g_free(own_ask("POST", cases[i].path, body, NULL));
		own_expect(cases[i].name, "ann@example.net", cases[i].want);
	}
	static const char respelt[] =
	    "{'rows':[{'email':'Ann@example.net'}],'start_workflows':true}";
	g_free(own_ask("POST", into_news, respelt, NULL));
	own_expect("another spelling", "ann@example.net", RESPELT " " RESPELT);
	g_free(own_ask("POST", into_news, respelt, NULL));
	own_expect("the same spelling", "ann@example.net", "");
}

Test(own_events, of_imports_tell_of_contacts)
{
	ALONE_SET(fixture, NULL);
	own_listen();
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/import", audience);
	static const struct {
		const char *name, *rows, *want;
	} cases[] = {
	    {"made", "{'email':'ann@example.net','is_subscribed':true}",
		"person.created{'source':'import'} contact.created{'audience_id':'ID','contact_id':"
		"'ID','status':'subscribed','source':'import'}"},
	    {"named", "{'email':'ann@example.net','first_name':'A','last_name':'N'}",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['first_name',"
		"'last_name']} "
		"person.updated{'changed':['contact.first_name','contact.last_name'],'from':{"
		"'contact':{'first_name':null,'last_name':null}},'to':{'contact':{'first_name':'A',"
		"'last_name':'N'}}}"},
	    {"only a property", "{'email':'ann@example.net','properties':{'a':1}}",
		"person.updated{'changed':['a'],'from':{'a':null},'to':{'a':1}}"},
	    {"left", "{'email':'ann@example.net','is_subscribed':false}",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':['is_subscribed']} "
		"contact.unsubscribed{'audience_id':'ID','contact_id':'ID','by':'operator',"
		"'source':'import'}"},
	    {"still", "{'email':'ann@example.net','is_subscribed':false}", ""},
	    {"back", "{'email':'ann@example.net','is_subscribed':true}",
		"contact.updated{'audience_id':'ID','contact_id':'ID','changed':["
		"'is_subscribed']}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body =
		    g_strdup_printf("{'rows':[%s],'start_workflows':true}", cases[i].rows);

		g_free(own_ask("POST", path, body, NULL));
		own_expect(cases[i].name, "ann@example.net", cases[i].want);
	}
	g_free(own_ask("POST", path,
	    "{'rows':[{'email':'ann@example.net','first_name':'B','is_subscribed':false}]}", NULL));
	own_expect("unasked", "ann@example.net", "");
}

/* An address that nobody has confirmed is not told of, whoever it was before. */
Test(own_events, of_moves_are_not_told_of_who_waits)
{
	ALONE_SET(fixture, NULL);
	confirmation_prepare(fixture);
	g_free(automation_start(fixture, "person.updated"));
	g_autofree char *asks = audience_new(fixture, "Asks");
	g_autofree char *too = audience_new(fixture, "Asks too");
	g_autofree char *news = audience_new(fixture, "News");
	const char *const required[] = {asks, too};
	/* The second audience of the person who moves, and what the event of the new address is. */
	const struct {
		const char *name, *second, *want;
		bool is_known;
	} cases[] = {
	    {"alone", NULL, "", false},
	    {"waits twice", too, "", false},
	    {"a member elsewhere", news, "", false},
	    {"to a person who is known", NULL,
		"person.updated{'changed':['contact.first_name'],'from':{'contact':{'first_name':"
		"null}},'to':{'contact':{'first_name':'Rob'}}}",
		true},
	    {"a member elsewhere, to a person who is known", news,
		"person.updated{'changed':['contact.first_name'],'from':{'contact':{'first_name':"
		"null}},'to':{'contact':{'first_name':'Rob'}}}",
		true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(required); i++) {
		g_autofree char *opt_in = g_strdup_printf("/v1/audiences/%s/opt-in", required[i]);

		g_free(own_ask("PUT", opt_in, "{'required':true}", NULL));
	}
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *old = g_strdup_printf("bob%zu@example.net", i);
		g_autofree char *new = g_strdup_printf("rob%zu@example.net", i);
		g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", asks);
		g_autofree char *body = g_strdup_printf("{'email':'%s'}", old);
		g_autofree char *other = g_strdup_printf("{'email':'%s'}", new);
		g_autofree char *to = g_strdup_printf("{'email':'%s','first_name':'Rob'}", new);
		g_autofree char *id = own_ask("POST", contacts, body, "id");
		g_autofree char *path = g_strconcat(contacts, "/", id, NULL);

		if (cases[i].second) {
			g_autofree char *seconds =
			    g_strdup_printf("/v1/audiences/%s/contacts", cases[i].second);
			g_free(own_ask("POST", seconds, body, NULL));
		}
		if (cases[i].is_known)
			g_free(own_ask("POST", "/v1/people", other, NULL));
		g_free(own_take(old));
		g_free(own_ask("PATCH", path, to, NULL));
		own_expect(cases[i].name, new, cases[i].want);
		cr_expect_eq(
		    test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0,
		    "%s", cases[i].name);
	}
}

/* More than a spool takes at a time, while none ran for a day. */
Test(own_events, wait_for_a_spool_that_comes_late)
{
	enum { PEOPLE = 150 };
	ALONE_SET(fixture, NULL);
	own_listen();

	for (guint i = 0; i < PEOPLE; i++) {
		g_autofree char *body = g_strdup_printf("{'email':'late%u@example.net'}", i);
		g_free(own_ask("POST", "/v1/people", body, NULL));
	}
	alone_spool(fixture, (gint64)24 * 60 * 60 * 1000);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_event WHERE workspace_id"
					" = @workspace AND name = 'person.created'"),
	    PEOPLE);
}

/* However many there are: each ends an execution whose wait is over as well. */
Test(own_events, are_read_before_any_step)
{
	enum { PEOPLE = 130 };
	ALONE_SET(fixture, NULL);
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", audience);
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

	g_free(own_ask("POST", "/v1/workflows",
	    "{'name':'W','status':'active','design':{'nodes':[{'id':'t','type':'trigger','data':"
	    "{'eventName':'contact.created','exit':[{'eventName':'contact.unsubscribed'}]}},"
	    "{'id':'w','type':'wait','data':{'duration':1,'unit':'days'}}],'edges':["
	    "{'id':'e','source':'t','target':'w'}]}}",
	    NULL));
	for (guint i = 0; i < PEOPLE; i++) {
		g_autofree char *body = g_strdup_printf("{'email':'left%u@example.net'}", i);
		g_autofree char *id = own_ask("POST", contacts, body, "id");

		g_ptr_array_add(paths, g_strconcat(contacts, "/", id, NULL));
	}
	alone_spool(fixture, 0);
	for (guint i = 0; i < PEOPLE; i++)
		g_free(own_ask("PATCH", paths->pdata[i], "{'is_subscribed':false}", NULL));
	alone_spool(fixture, (gint64)25 * 60 * 60 * 1000);
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT GROUP_CONCAT(status, ' ', number ORDER BY status) FROM (SELECT status, COUNT(*)"
	    " AS number FROM execution WHERE workspace_id = @workspace GROUP BY status) x");
	g_autofree char *want = g_strdup_printf("%d %d", EXECUTION_CANCELLED, PEOPLE);
	cr_expect_str_eq(got, want, "%s", got);
}

/* An operator who subscribes a member that waits, by hand or by an import, makes it known. */
Test(own_events, tell_of_those_whom_an_operator_confirms)
{
	ALONE_SET(fixture, NULL);
	confirmation_prepare(fixture);
	own_listen();
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *opt_in = g_strdup_printf("/v1/audiences/%s/opt-in", audience);
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts", audience);
	g_autofree char *import = g_strdup_printf("/v1/audiences/%s/import", audience);
	static const char want[] =
	    "person.created{'source':'api'} contact.created{'audience_id':'ID','contact_id':'ID',"
	    "'status':'subscribed','source':'api'} contact.updated{'audience_id':'ID',"
	    "'contact_id':'ID','changed':['is_subscribed']}";
	static const char *const addresses[] = {"ann@example.net", "bob@example.net"};

	g_free(own_ask("PUT", opt_in, "{'required':true}", NULL));
	for (gsize i = 0; i < G_N_ELEMENTS(addresses); i++) {
		g_autofree char *body = g_strdup_printf("{'email':'%s'}", addresses[i]);
		g_autofree char *contact = own_ask("POST", path, body, "id");
		g_autofree char *one = g_strdup_printf("%s/%s", path, contact);
		g_autofree char *rows = g_strdup_printf(
		    "{'rows':[{'email':'%s','is_subscribed':true}],'start_workflows':true}",
		    addresses[i]);

		own_expect("waits", addresses[i], "");
		g_free(i == 0 ? own_ask("PATCH", one, "{'is_subscribed':true}", NULL)
			      : own_ask("POST", import, rows, NULL));
		own_expect(addresses[i], addresses[i], want);
	}
}

/* A goal that counts behind the end of the last execution is heard as long, also once another
   version is active. */
Test(own_events, are_heard_as_long_as_a_goal_counts)
{
	ALONE_SET(fixture, NULL);
	static const struct {
		const char *name, *within, *change, *want;
	} cases[] = {
	    {"without a time", "", "{'name':'V'}", ""},
	    {"in its time", ",'within':{'duration':3,'unit':'days'}", "{'name':'V'}",
		"person.updated"},
	    {"of an earlier version", ",'within':{'duration':3,'unit':'days'}",
		"{'design':{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'y'}}],"
		"'edges':[]}}",
		"person.updated"},
	    {"in a draft", ",'within':{'duration':3,'unit':'days'}", "{'status':'draft'}",
		"person.updated"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'name':'W','status':'active','design':{'nodes':[{'id':'t','type':'trigger',"
		    "'data':{'eventName':'x','goal':{'any':[{'eventName':'person.updated'}]%s}}},"
		    "{'id':'e','type':'exit'}],'edges':[{'source':'t','target':'e'}]}}",
		    cases[i].within);
		g_autofree char *id = own_ask("POST", "/v1/workflows", body, "workflow_id");
		g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
		g_autofree char *plan = g_strdup_printf("{'properties':{'n':%zu}}", i);

		g_free(own_ask(
		    "POST", "/v1/events", "{'event_name':'x','email':'ann@example.net'}", NULL));
		alone_spool(fixture, 0);
		g_free(own_ask("PATCH", path, cases[i].change, NULL));
		g_free(own_take("ann@example.net"));
		g_free(own_ask("PATCH", ANN, plan, NULL));
		g_autofree char *told = own_take("ann@example.net");
		cr_expect_eq(g_str_has_prefix(told, "person.updated"), *cases[i].want != '\0',
		    "%s: got %s", cases[i].name, told);
		cr_expect_eq(test_db_number(fixture->db,
				 "SELECT COUNT(*) FROM execution WHERE workspace_id = @workspace"
				 " AND goal_at IS NOT NULL") > 0,
		    *cases[i].want != '\0', "%s", cases[i].name);
		g_free(own_ask("DELETE", path, NULL, NULL));
		alone_spool(fixture, 0);
		test_db_plain(fixture->db, "DELETE FROM execution WHERE workspace_id = @workspace");
	}
}

/* A step does not start its own workflow, and a chain ends. */
Test(own_events, do_not_loop)
{
	ALONE_SET(fixture, NULL);
	static const char *const ids[] = {"'a'", "'b'"};

	for (gsize i = 0; i < G_N_ELEMENTS(ids); i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'name':'W','status':'active','design':{'nodes':[{'id':'t','type':'trigger',"
		    "'data':{'eventName':'person.updated'}},{'id':'u','type':'update_contact',"
		    "'data':{'copy':{'n%zu':'contact.email'},'set':{'k%zu':1}}},{'id':'v','type':"
		    "'update_contact','data':{'set':{'k%zu':2}}}],'edges':[{'source':'t','target':"
		    "'u'},{'source':'u','target':'v'}]}}",
		    i, i, i);
		g_free(own_ask("POST", "/v1/workflows", body, NULL));
	}
	g_free(own_ask("POST", "/v1/people", "{'email':'ann@example.net'}", NULL));
	g_free(own_ask("PATCH", ANN, "{'properties':{'x':1}}", NULL));
	for (guint i = 0; i < 8; i++)
		alone_spool(fixture, 0);
	gint64 count = test_db_number(
	    fixture->db, "SELECT COUNT(*) FROM execution WHERE workspace_id = @workspace");
	cr_expect(count > 2, "got %d", (int)count);
	cr_expect_eq(test_db_number(fixture->db, "SELECT MAX(depth) FROM execution"), 4);
}
