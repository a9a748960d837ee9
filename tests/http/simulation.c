/* SPDX-License-Identifier: MIT */
/* Simulations over HTTP, which say what posthouse workflow simulate says. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits/workflow.h"
#include "json/strict.h"
#include "json/writer.h"
#include "tests/http/automation.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define PATH "/v1/workflows/simulate"
#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8057"

FIXTURE_SUITE(simulation, 900);

#define NODE(id, type, data) "{'id':'" id "','type':'" type "','data':{" data "}}"
#define EDGE(source, target) "{'source':'" source "','target':'" target "'}"
#define BRANCH(source, handle, target)                                                             \
	"{'source':'" source "','sourceHandle':'" handle "','target':'" target "'}"
#define TRIGGER(more) NODE("t", "trigger", "'eventName':'order','dedupe_window':0" more)
#define DESIGN_OF(nodes, edges) "{'nodes':[" nodes "],'edges':[" edges "]}"
#define PLAIN DESIGN_OF(TRIGGER(""), "")
#define ORDER "{'event_name':'order','timestamp':1795161600000}"
#define BODY(design, more) "{'design':" design ",'events':[" ORDER "]" more "}"

/* Designs, and what happens, in the form of the API and of the terminal. */
static const struct {
	const char *name, *design, *contact, *email;
	struct {
		const char *name, *time, *properties;
	} events[4];
	const char *until;
} plays[] = {
    {"a trigger", PLAIN, NULL, NULL, {{"Order", "2026-11-20T08:00:00Z", NULL}}, NULL},
    {"a condition",
	DESIGN_OF(TRIGGER("") "," NODE("c", "condition",
		      "'match':'all','rules':[{'property':'plan','operator':'equals',"
		      "'value':'pro'},{'property':'event.sum','operator':'greater_than','value':5}"
		      "]") "," NODE("u", "update_contact",
		      "'set':{'vip':true,'plan':null}") "," NODE("x", "exit", ""),
	    EDGE("t", "c") "," BRANCH("c", "yes", "u") "," BRANCH("c", "no", "x")),
	"{'plan':'pro'}", NULL,
	{{"order", "2026-11-20T08:00:00Z", "{'sum':7,'plan':'pro'}"},
	    {"order", "2026-11-20T09:00:00Z", "{'sum':3}"}},
	NULL},
    {"waits",
	DESIGN_OF(TRIGGER("") "," NODE("w", "wait", "'duration':3,'unit':'days'") "," NODE("e",
		      "wait_for_event",
		      "'eventName':'paid','timeout':{'duration':1,'unit':'days'}") "," NODE("m",
		      "send_email", "'subject':'Pay','html':'x'"),
	    EDGE("t", "w") "," EDGE("w", "e") "," BRANCH("e", "timeout", "m")),
	NULL, NULL,
	{{"order", "2026-11-20T08:00:00Z", NULL}, {"order", "2026-11-21T08:00:00Z", NULL},
	    {"paid", "2026-11-23T09:00:00Z", "{'how':'card'}"},
	    {"order", "2026-11-25T12:00:00Z", NULL}},
	"2026-11-27T00:00:00Z"},
    {"a split",
	DESIGN_OF(TRIGGER("") "," NODE("s", "split", "'weights':{'a':1,'b':1}") "," NODE(
		      "x", "exit", "") "," NODE("y", "exit", ""),
	    EDGE("t", "s") "," BRANCH("s", "a", "x") "," BRANCH("s", "b", "y")),
	"{'email':'ada@example.net'}", NULL, {{"order", "2026-11-20T08:00:00Z", NULL}}, NULL},
    {"another side of the split",
	DESIGN_OF(TRIGGER("") "," NODE("s", "split", "'weights':{'a':1,'b':1}") "," NODE(
		      "x", "exit", "") "," NODE("y", "exit", ""),
	    EDGE("t", "s") "," BRANCH("s", "a", "x") "," BRANCH("s", "b", "y")),
	"{'email':'bob@example.net'}", NULL, {{"order", "2026-11-20T08:00:00Z", NULL}}, NULL},
    {"a failure", DESIGN_OF(TRIGGER("") "," NODE("w", "wait", "'until':'when'"), EDGE("t", "w")),
	NULL, NULL, {{"order", "2026-11-20T08:00:00Z", NULL}}, NULL},
    {"re-entry once", DESIGN_OF(TRIGGER(",'reentry':'once'"), ""), NULL, NULL,
	{{"order", "2026-11-20T08:00:00Z", NULL}, {"order", "2026-11-20T09:00:00Z", NULL}}, NULL},
};

static char *
simulation_body_of(gsize play)
{
	GString *body = g_string_new(NULL);

	g_string_printf(body, "{'design':%s,'events':[", plays[play].design);
	for (guint i = 0; i < 4 && plays[play].events[i].name; i++)
		g_string_append_printf(body,
		    "%s{'event_name':'%s','timestamp':'%s','properties':%s}", i ? "," : "",
		    plays[play].events[i].name, plays[play].events[i].time,
		    plays[play].events[i].properties ? plays[play].events[i].properties : "null");
	g_string_append(body, "]");
	if (plays[play].contact)
		g_string_append_printf(body, ",'contact':{'properties':%s}", plays[play].contact);
	if (plays[play].until)
		g_string_append_printf(body, ",'until':'%s'", plays[play].until);
	g_string_append_c(body, '}');
	return g_string_free(body, FALSE);
}

/* The terminal's answer to the same, with " in place of ', parsed. */
static struct json *
ask_terminal(gsize play)
{
	g_autofree char *design = exchange_quoted(plays[play].design);
	g_autofree char *path = g_build_filename(fixture->instance->dir, "simulated.json", NULL);
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

	cr_assert(g_file_set_contents(path, design, -1, NULL));
	for (const char *const *word =
		 (const char *const[]){"workflow", "simulate", path, "--json", NULL};
	     *word; word++)
		g_ptr_array_add(words, g_strdup(*word));
	for (guint i = 0; i < 4 && plays[play].events[i].name; i++) {
		const char *properties = plays[play].events[i].properties;
		g_autofree char *json = properties ? exchange_quoted(properties) : NULL;

		g_ptr_array_add(words, g_strdup("--event"));
		g_ptr_array_add(
		    words, g_strconcat(plays[play].events[i].name, "@", plays[play].events[i].time,
			       json ? ":" : NULL, json, NULL));
	}
	if (plays[play].contact) {
		g_ptr_array_add(words, g_strdup("--contact"));
		g_ptr_array_add(words, exchange_quoted(plays[play].contact));
	}
	if (plays[play].until) {
		g_ptr_array_add(words, g_strdup("--until"));
		g_ptr_array_add(words, g_strdup(plays[play].until));
	}
	g_ptr_array_add(words, NULL);
	g_autofree char *said =
	    test_instance_run(fixture->instance, "posthouse", (const char *const *)words->pdata);
	struct json *json = json_parse(said, strlen(said), NULL);
	cr_assert(json, "%s: %s", plays[play].name, said);
	g_unlink(path);
	return json;
}

/* The terminal prints the object of the answer. */
Test(simulation, says_what_the_terminal_says)
{
	for (gsize i = 0; i < G_N_ELEMENTS(plays); i++) {
		g_autofree char *body = simulation_body_of(i);
		const struct exchange exchange = {plays[i].name, "POST", PATH, body, 200,
		    .want = {"truncated = false", "executions[0].execution = 1"}};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		AUTO(json) said = ask_terminal(i);
		g_autofree char *got = json_print(said), *want = json_print(answer->json);

		cr_expect_str_eq(got, want, "%s", plays[i].name);
	}
}

Test(simulation, reports_executions)
{
	const struct exchange exchanges[] = {
	    {"done", "POST", PATH, BODY(PLAIN, ""), 200,
		"{'started':1,'completed':1,'failed':0,'waiting':0,'properties':{},'executions':"
		"[{'execution':1,'status':'COMPLETED','current_step_id':'t','step_count':1,"
		"'wait_until':null}],'trace':[{'timestamp':1795161600000,'execution':null,"
		"'step_id':null,'action':'event order','branch':null,'why':'starts execution 1'},"
		"{'timestamp':1795161600000,'execution':1,'step_id':'t','action':'trigger order',"
		"'branch':null,'why':'order came'},{'timestamp':1795161600000,'execution':1,"
		"'step_id':null,'action':'COMPLETED','branch':null,'why':null}],"
		"'truncated':false}"},
	    {"waiting", "POST", PATH,
		BODY(DESIGN_OF(TRIGGER("") "," NODE("w", "wait", "'duration':1,'unit':'hours'"),
			 EDGE("t", "w")),
		    ",'until':1795161600001"),
		200,
		.want = {"executions[0] = {'execution':1,'status':'WAITING','current_step_id':'w',"
			 "'step_count':2,'wait_until':1795165200000}",
		    "waiting = 1"}},
	    {"failed", "POST", PATH,
		BODY(DESIGN_OF(TRIGGER("") "," NODE("w", "wait", "'until':'when'"), EDGE("t", "w")),
		    ""),
		200,
		.want = {"executions[0].status = 'FAILED'", "failed = 1",
		    "trace[3].why = 'property when, whose time is to be waited for, is missing'"}},
	    {"the design as text", "POST", PATH,
		BODY("'{\\u0022nodes\\u0022:[{\\u0022id\\u0022:\\u0022t\\u0022,\\u0022type\\u0022:"
		     "\\u0022trigger\\u0022,\\u0022data\\u0022:{\\u0022eventName\\u0022:"
		     "\\u0022order\\u0022}}],\\u0022edges\\u0022:[]}'",
		    ""),
		200, .want = {"completed = 1"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define RULE(property, value) "{'property':'" property "','operator':'equals','value':'" value "'}"
#define ASKS(rules)                                                                                \
	DESIGN_OF(TRIGGER("") "," NODE("c", "condition", "'rules':[" rules "]"), EDGE("t", "c"))

/* The fields of the contact, its clock and its segments. */
Test(simulation, takes_more_of_the_contact)
{
	static const struct exchange exchanges[] = {
	    {"names and language", "POST", PATH,
		BODY(ASKS(RULE("contact.first_name", "Ada") "," RULE(
			 "contact.last_name", "L") "," RULE("contact.language", "de-AT")),
		    ",'contact':{'first_name':'Ada','last_name':'L','language':'de-at'}"),
		200, .want = {"trace[2].branch = 'yes'"}},
	    {"no names", "POST", PATH,
		BODY(ASKS(RULE("contact.first_name", "Ada")),
		    ",'contact':{'first_name':null,'segments':[]}"),
		200, .want = {"trace[2].branch = 'no'"}},
	    {"clock", "POST", PATH,
		BODY(DESIGN_OF(TRIGGER("") "," NODE("w", "wait", "'time':'10:00'"), EDGE("t", "w")),
		    ",'contact':{'time_zone':'Europe/Berlin'}"),
		200, .want = {"trace[3].timestamp = 1795165200000"}},
	    {"in a segment", "POST", PATH,
		BODY(ASKS("{'segment':'" UNKNOWN "','operator':'in'}"),
		    ",'contact':{'segments':['" UNKNOWN "']}"),
		200,
		.want = {"trace[2].branch = 'yes'",
		    "trace[2].why = 'the contact is in segment " UNKNOWN "'",
		    "trace[2].action = 'condition in segment " UNKNOWN "'"}},
	    {"in none", "POST", PATH, BODY(ASKS("{'segment':'" UNKNOWN "','operator':'in'}"), ""),
		200, .want = {"trace[2].branch = 'no'"}},
	    {"not in it", "POST", PATH,
		BODY(ASKS("{'segment':'" UNKNOWN "','operator':'not_in'}"), ""), 200,
		.want = {"trace[2].branch = 'yes'"}},
	    {"empty name", "POST", PATH, BODY(PLAIN, ",'contact':{'first_name':''}"), 400,
		"{'message':'contact.first_name must be 1 to 100 characters'}"},
	    {"language", "POST", PATH, BODY(PLAIN, ",'contact':{'language':'x y'}"), 400,
		"{'message':'contact.language must be a BCP 47 language tag'}"},
	    {"time zone", "POST", PATH, BODY(PLAIN, ",'contact':{'time_zone':'Mars'}"), 400,
		"{'message':'contact.time_zone must be an IANA time zone'}"},
	    {"no segment", "POST", PATH, BODY(PLAIN, ",'contact':{'segments':['" UNKNOWN "','x']}"),
		400, "{'message':'contact.segments[1] is not a segment'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define ASKING                                                                                     \
	DESIGN_OF(TRIGGER("") "," NODE("q", "request", "'url':'https://example.com/'") "," NODE(   \
		      "c", "condition", "'rules':[" RULE("step.q.body.ok", "x") "]"),              \
	    EDGE("t", "q") ",{'source':'q','sourceHandle':'ok','target':'c'}")
#define YEARLY                                                                                     \
	"{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'date.reached','date':"          \
	"{'property':'birthday','repeat':'yearly'}}}],'edges':[]}"
#define CRON                                                                                       \
	"{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'schedule.due','schedule':"      \
	"{'cron':'0 9 * * *'},'audienceId':'" UNKNOWN "'}}],'edges':[]}"

#define WAITING                                                                                    \
	"{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'go'}},{'id':'w','type':"        \
	"'wait','data':{'duration':1,'unit':'hours'}}],'edges':[{'source':'t','target':'w'}]}"

Test(simulation, answers_requests)
{
	static const struct exchange exchanges[] = {
	    {"none is given", "POST", PATH, BODY(ASKING, ""), 200,
		.want = {"trace[2].branch = 'ok'", "trace[2].why = 'the answer is 200'",
		    "trace[2].action = 'request POST https://example.com/'",
		    "trace[3].branch = 'no'"}},
	    {"a body", "POST", PATH,
		BODY(ASKING, ",'responses':{'q':{'status':201,'body':{'ok':'x'}}}"), 200,
		.want = {"trace[2].why = 'the answer is 201'", "trace[3].branch = 'yes'"}},
	    {"failed without a way", "POST", PATH,
		BODY(ASKING, ",'responses':{'q':{'status':503}}"), 200,
		.want = {"failed = 1", "trace[3].action = 'FAILED'",
		    "trace[3].why = 'example.com answered 503'"}},
	    {"no answer", "POST", PATH, BODY(ASKING, ",'responses':{'q':{'status':0}}"), 200,
		.want = {"trace[3].why = 'example.com: no answer'"}},
	    {"status", "POST", PATH, BODY(ASKING, ",'responses':{'q':{'status':199}}"), 400,
		"{'message':'responses.q.status must be 200 to 599, or 0'}"},
	    {"no object", "POST", PATH, BODY(ASKING, ",'responses':{'q':200}"), 400,
		"{'message':'responses.q must be an object'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(simulation, lets_time_pass_from_a_time_on)
{
	static const struct exchange exchanges[] = {
	    {"yearly", "POST", PATH,
		"{'design':" YEARLY ",'from':'2026-01-01','until':'2028-12-31','contact':"
		"{'time_zone':'Europe/Berlin','properties':{'birthday':'2000-02-29'}}}",
		200,
		.want = {"started = 3", "trace[0].action = 'event date.reached'",
		    "trace[0].timestamp = 1772265600000", "trace[3].timestamp = 1803801600000",
		    "trace[6].timestamp = 1835424000000",
		    "properties = {'birthday':'2000-02-29'}"}},
	    {"ticks", "POST", PATH,
		"{'design':" CRON ",'from':'2026-01-01T09:00:00Z','until':'2026-01-03T09:00:00Z'}",
		200,
		.want = {"started = 2", "trace[0].action = 'event schedule.due'",
		    "trace[0].timestamp = 1767344400000"}},
	    {"100 ticks", "POST", PATH,
		"{'design':" CRON ",'from':'2026-01-01','until':'2027-01-01'}", 200,
		.want = {"started = 100"}},
	    {"events beside them", "POST", PATH,
		"{'design':" CRON ",'from':'2026-01-01','until':'2026-01-02','events':[" ORDER "]}",
		200, .want = {"started = 1"}},
	    {"no until", "POST", PATH, "{'design':" CRON ",'from':'2026-01-01'}", 400,
		"{'message':'until is required with from'}"},
	    {"from 1970 on", "POST", PATH, "{'design':" CRON ",'from':0,'until':86400000}", 200,
		.want = {"started = 1", "trace[0].timestamp = 32400000"}},
	    {"for no time", "POST", PATH,
		"{'design':" WAITING ",'events':[{'event_name':'go','timestamp':0}],'until':0}",
		200, .want = {"waiting = 1", "executions[0].wait_until = 3600000"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* 100 segments, and one more. */
Test(simulation, takes_100_segments_of_the_contact)
{
	for (guint count = 100; count <= 101; count++) {
		g_autoptr(GString) ids = g_string_new(NULL);

		for (guint i = 0; i < count; i++)
			g_string_append_printf(ids, "%s'" UNKNOWN "'", i == 0 ? "" : ",");
		g_autofree char *body =
		    g_strdup_printf(BODY(PLAIN, ",'contact':{'segments':[%s]}"), ids->str);
		const struct exchange at = {"100", "POST", PATH, body, 200},
				      past = {"101", "POST", PATH, body, 400,
					  "{'message':'contact.segments must have at most 100 "
					  "elements'}"};

		answer_free(exchange_expect(fixture, count == 100 ? &at : &past));
	}
}

/* An email of the contact decides like a property email of the terminal. */
Test(simulation, splits_by_the_email)
{
	static const char *const emails[] = {
	    "ada@example.net", "bob@example.net", "eve@example.net", "joe@example.net"};
	guint sides = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(emails); i++) {
		g_autofree char *own = g_strdup_printf(
		    BODY("%s", ",'contact':{'email':'%s'}"), plays[3].design, emails[i]);
		g_autofree char *property =
		    g_strdup_printf(BODY("%s", ",'contact':{'properties':{'email':'%s'}}"),
			plays[3].design, emails[i]);
		const struct exchange one = {emails[i], "POST", PATH, own, 200},
				      other = {emails[i], "POST", PATH, property, 200};
		AUTO(answer) by_email = exchange_expect(fixture, &one);
		AUTO(answer) by_property = exchange_expect(fixture, &other);
		const char *side = answer_text(by_email, "trace[2].branch");

		cr_expect_str_eq(side, answer_text(by_property, "trace[2].branch"));
		sides |= 1U << (*side - 'a');
	}
	cr_expect_eq(sides, 3, "both sides");
}

Test(simulation, takes_the_newest_design_of_a_workflow)
{
	const struct exchange create = {"workflow", "POST", "/v1/workflows",
	    "{'name':'w','status':'active','design':" PLAIN "}", 200};
	AUTO(answer) made = exchange_expect(fixture, &create);
	g_autofree char *path =
	    g_strconcat("/v1/workflows/", answer_text(made, "workflow_id"), NULL);
	g_autofree char *body = g_strdup_printf(
	    "{'workflow_id':'%s','events':[" ORDER "]}", answer_text(made, "workflow_id"));
	const struct exchange exchanges[] = {
	    {"first", "POST", PATH, body, 200, .want = {"executions[0].step_count = 1"}},
	    {"a draft of the next", "PATCH", path,
		"{'status':'draft','design':" DESIGN_OF(
		    TRIGGER("") "," NODE("x", "exit", ""), EDGE("t", "x")) "}",
		200},
	    {"second", "POST", PATH, body, 200, .want = {"executions[0].step_count = 2"}},
	    {"an incomplete draft", "PATCH", path,
		"{'design':" DESIGN_OF(TRIGGER("") "," NODE("x", "exit", ""), "") "}", 200},
	    {"its node is named", "POST", PATH, body, 400, .want = {"message : string"}},
	    {"delete", "DELETE", path, NULL, 200},
	    {"deleted", "POST", PATH, body, 404, "{'message':'Workflow not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(simulation, refuses_wrong_input)
{
	AUTO(fixture) other = fixture_open();
	const struct exchange create = {
	    "other", "POST", "/v1/workflows", "{'name':'w','design':" PLAIN "}", 200};
	AUTO(answer) made = exchange_expect(other, &create);
	g_autofree char *theirs = g_strdup_printf(
	    "{'workflow_id':'%s','events':[" ORDER "]}", answer_text(made, "workflow_id"));
#define POST "POST", PATH
	const struct exchange exchanges[] = {
	    {"neither", POST, "{'events':[" ORDER "]}", 400,
		"{'message':'give either design or workflow_id'}"},
	    {"both", POST, BODY(PLAIN, ",'workflow_id':'" UNKNOWN "'"), 400,
		"{'message':'give either design or workflow_id'}"},
	    {"unknown", POST, "{'workflow_id':'" UNKNOWN "','events':[" ORDER "]}", 404,
		"{'message':'Workflow not found'}"},
	    {"no id", POST, "{'workflow_id':'x','events':[" ORDER "]}", 404,
		"{'message':'Workflow not found'}"},
	    {"of another workspace", POST, theirs, 404, "{'message':'Workflow not found'}"},
	    {"design of another type", POST, BODY("[]", ""), 400,
		"{'message':'design must be a string or an object'}"},
	    {"design without nodes", POST, BODY("{}", ""), 400, .want = {"message : string"}},
	    {"design no JSON", POST, BODY("'x'", ""), 400, .want = {"message : string"}},
	    {"no trigger", POST, BODY("{'nodes':[],'edges':[]}", ""), 400},
	    {"a node", POST,
		BODY(DESIGN_OF(TRIGGER("") "," NODE("n1", "wait", ""), EDGE("t", "n1")), ""), 400},
	    {"no events", POST, "{'design':" PLAIN "}", 400, "{'message':'events is required'}"},
	    {"empty events", POST, "{'design':" PLAIN ",'events':[]}", 400,
		"{'message':'events is required'}"},
	    {"event of another type", POST, "{'design':" PLAIN ",'events':['x']}", 400,
		"{'message':'events[0] must be an object'}"},
	    {"no name", POST, "{'design':" PLAIN ",'events':[{'timestamp':1}]}", 400,
		"{'message':'events[0].event_name is required'}"},
	    {"empty name", POST,
		"{'design':" PLAIN ",'events':[" ORDER ",{'event_name':' ','timestamp':1}]}", 400},
	    {"no time", POST, "{'design':" PLAIN ",'events':[{'event_name':'e'}]}", 400,
		"{'message':'events[0].timestamp is required'}"},
	    {"wrong time", POST,
		"{'design':" PLAIN ",'events':[{'event_name':'e','timestamp':'soon'}]}", 400},
	    {"properties", POST,
		"{'design':" PLAIN ",'events':[{'event_name':'e','timestamp':1,"
		"'properties':[]}]}",
		400, "{'message':'events[0].properties must be an object'}"},
	    {"contact", POST, BODY(PLAIN, ",'contact':1"), 400,
		"{'message':'contact must be an object'}"},
	    {"email", POST, BODY(PLAIN, ",'contact':{'email':1}"), 400,
		"{'message':'contact.email must be a string'}"},
	    {"no address", POST, BODY(PLAIN, ",'contact':{'email':'x'}"), 400},
	    {"properties of the contact", POST, BODY(PLAIN, ",'contact':{'properties':1}"), 400,
		"{'message':'contact.properties must be an object'}"},
	    {"until", POST, BODY(PLAIN, ",'until':'never'"), 400},
	    {"a misspelled member", POST, BODY(PLAIN, ",'contact':{'Email':'a@x.org'}"), 400},
	};

	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) node = exchange_ask(fixture, &exchanges[9]);
	cr_expect(strstr(node->body, "n1"), "names the node: %s", node->body);
	AUTO(answer) event = exchange_ask(fixture, &exchanges[14]);
	cr_expect(strstr(event->body, "events[1].event_name"), "names the field: %s", event->body);
}

/* So many events, each of which starts a design of two lines and the event's own. */
static char *
simulation_many(guint count)
{
	GString *body = g_string_new("{'design':" PLAIN ",'events':[");

	for (guint i = 0; i < count; i++)
		g_string_append_printf(
		    body, "%s{'event_name':'order','timestamp':%u}", i ? "," : "", i + 1);
	g_string_append(body, "]}");
	return g_string_free(body, FALSE);
}

#define CIRCLE                                                                                     \
	DESIGN_OF(TRIGGER("") "," NODE("w", "wait", "'duration':1,'unit':'minutes'"),              \
	    EDGE("t", "w") "," EDGE("w", "w"))

Test(simulation, has_limits)
{
	g_autofree char *most = simulation_many(LIMIT_SIMULATION_EVENTS);
	g_autofree char *more = simulation_many(LIMIT_SIMULATION_EVENTS + 1);
	const struct exchange exchanges[] = {
	    {"most events", POST, most, 200,
		.want = {"started = 100", "truncated = false", "trace[299].action = 'COMPLETED'"}},
	    {"more events", POST, more, 400, "{'message':'events must have at most 100 elements'}"},
	    {"a long trace", POST, BODY(CIRCLE, ""), 200,
		.want = {"truncated = true", "trace[999].action : string", "trace[1000] = null",
		    "executions[0].status = 'FAILED'", "executions[0].step_count = 1001"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(simulation, stores_nothing)
{
	g_autofree char *before = fixture_rows(fixture);
	const struct exchange exchanges[] = {
	    {"run", POST,
		BODY(DESIGN_OF(TRIGGER("") "," NODE("m", "send_email",
				   "'subject':'s','html':'h','from':'a@nowhere.example'"),
			 EDGE("t", "m")),
		    ",'contact':{'email':'ada@example.net'}"),
		200, .want = {"completed = 1"}},
	};

	EXPECT_ALL(fixture, exchanges);
	g_autofree char *after = fixture_rows(fixture);
	cr_expect_str_eq(after, before);
}

Test(simulation, leaves_other_methods_to_workflows)
{
	g_autofree char *read = fixture_new_key(fixture, "read", NULL);
	g_autofree char *send = fixture_new_key(fixture, "send", NULL);
	g_autofree char *reads = g_strconcat("Authorization: Bearer ", read, NULL);
	g_autofree char *sends = g_strconcat("Authorization: Bearer ", send, NULL);
	const struct exchange exchanges[] = {
	    {"GET", "GET", PATH, NULL, 404, "{'message':'Workflow not found'}"},
	    {"PATCH", "PATCH", PATH, "{'name':'n'}", 404, "{'message':'Workflow not found'}"},
	    {"DELETE", "DELETE", PATH, NULL, 404, "{'message':'Workflow not found'}"},
	    {"PUT", "PUT", PATH, "{}", 405,
		.want_header = {"Allow: POST, GET, HEAD, PATCH, DELETE"}},
	    {"POST of a workflow", "POST", "/v1/workflows/" UNKNOWN, "{}", 405,
		.want_header = {"Allow: GET, HEAD, PATCH, DELETE"}},
	    {"a read key", POST, BODY(PLAIN, ""), 200, .headers = {reads}},
	    {"a send key", POST, BODY(PLAIN, ""), 403, .headers = {sends}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The hours of the design put a mailing off until their next opening. */
Test(simulation, says_when_a_mailing_leaves)
{
	static const struct exchange exchanges[] = {
	    {"at an opening", "POST", PATH,
		BODY(DESIGN_OF(
			 TRIGGER(",'hours':{'windows':[{'from':'09:00','to':'10:00'}]}") "," NODE(
			     "m", "send_email", "'subject':'s','html':'h'"),
			 EDGE("t", "m")),
		    ""),
		200,
		.want = {"trace[4] = {'timestamp':1795165200000,'execution':1,'step_id':'m',"
			 "'action':'leaves','branch':null,"
			 "'why':'hours: may leave from 2026-11-20T09:00:00.000Z'}"}},
	};

	EXPECT_ALL(fixture, exchanges);
}
