/* SPDX-License-Identifier: MIT */
/* /resend/automations: their steps, and the workflows that they are */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/resend/unserved.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define PATH "/resend/automations"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define MISSING(field) FAILURE(422, "missing_required_field", "Missing `" field "` field.")
#define INVALID(field, text) FAILURE(422, "validation_error", "Invalid `" field "` field. " text)
#define REFUSED(member, key)                                                                       \
	UNSERVED("`" member "` of the step `" key "` is not implemented by this service.")
#define NOT_FOUND FAILURE(404, "not_found", "Automation not found")

#define START "{'key':'start','type':'trigger','config':{'event_name':'user.created'}}"
#define WAIT "{'key':'pause','type':'delay','config':{'duration':'1 day'}}"
#define BODY(status, step)                                                                         \
	"{'name':'W','status':'" status "','steps':[" START "," step "],"                          \
	"'connections':[{'from':'start','to':'s'}]}"
#define STEP(type, config) "{'key':'s','type':'" type "','config':" config "}"

FIXTURE_SUITE(resend_automations, 900);

static char *
automations_add(const char *body)
{
	const struct exchange exchange = {
	    body, "POST", PATH, body, 201, .want = {"object = 'automation'", "id : string"}};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

static void
automations_publish(void)
{
	static const struct exchange exchanges[] = {
	    {"template", "POST", "/resend/templates",
		"{'name':'T','alias':'welcome','html':'<p>{{{NAME}}}','subject':'S',"
		"'from':'Me <me@example.com>','variables':[{'key':'NAME','type':'string'}]}",
		201},
	    {"publish", "POST", "/resend/templates/welcome/publish", NULL, 200},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_automations, are_kept_as_they_are_given)
{
	g_autofree char *id =
	    automations_add("{'name':'Welcome, you & all!','steps':[" START "," WAIT
			    "],'connections':[{'from':'start','to':'pause'}],'more':1}");
	g_autofree char *path = g_strconcat(PATH "/", id, NULL);
	g_autofree char *main = g_strconcat("/v1/workflows/", id, NULL);
	g_autofree char *own = g_strdup_printf("{'object':'automation','id':'%s'}", id);
	g_autofree char *gone =
	    g_strdup_printf("{'object':'automation','id':'%s','deleted':true}", id);
	g_autofree char *stop = g_strconcat(path, "/stop", NULL);
	g_autofree char *stopped =
	    g_strdup_printf("{'object':'automation','id':'%s','status':'disabled'}", id);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, .want_status = 200,
		.want = {"object = 'automation'", "id : string", "name = 'Welcome, you & all!'",
		    "status = 'disabled'", "created_at : string", "updated_at : string",
		    "steps = [" START "," WAIT "]",
		    "connections = [{'from':'start','to':'pause','type':'default'}]"}},
	    {"a workflow", "GET", main, .want_status = 200,
		.want = {"status = 'draft'", "active_version = 0"}},
	    {"enable", "PATCH", path, "{'status':'enabled'}", 200, own},
	    {"enabled", "GET", path, .want_status = 200, .want = {"status = 'enabled'"}},
	    {"an active workflow", "GET", main, .want_status = 200,
		.want = {"status = 'active'", "current_version = 1", "active_version = 1"}},
	    {"rename", "PATCH", path, "{'name':'N','status':null,'steps':null}", 200, own},
	    {"renamed", "GET", path, .want_status = 200,
		.want = {"name = 'N'", "status = 'enabled'", "steps[1].key = 'pause'"}},
	    {"other steps", "PATCH", path, "{'steps':[" START "],'connections':[]}", 200, own},
	    {"changed", "GET", path, .want_status = 200,
		.want = {"steps = [" START "]", "connections = []"}},
	    {"another version", "GET", main, .want_status = 200, .want = {"active_version = 2"}},
	    {"stop", "POST", stop, NULL, 200, stopped},
	    {"stop again", "POST", stop, NULL, 200, stopped},
	    {"disabled", "GET", path, .want_status = 200, .want = {"status = 'disabled'"}},
	    {"remove", "DELETE", path, .want_status = 200, .want_body = gone},
	    {"removed", "GET", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"remove again", "DELETE", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"change a removed one", "PATCH", path, "{'name':'x'}", 404, NOT_FOUND},
	    {"stop a removed one", "POST", stop, NULL, 404, NOT_FOUND},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define RULE(rest) "{'type':'rule','field':'contact.plan'," rest "}"
#define FIELD_RULE(field) "{'type':'rule','field':'" field "','operator':'exists'}"
/* Each step, and the node that it becomes. */
Test(resend_automations, mean_designs)
{
	static const struct {
		const char *step, *node;
	} cases[] = {
	    {STEP("delay", "{'duration':'30 Minutes'}"),
		"\"type\":\"wait\",%\"data\":{\"duration\":30,\"unit\":\"minutes\"}"},
	    {STEP("delay", "{'duration':'120 seconds'}"), "{\"duration\":2,\"unit\":\"minutes\"}"},
	    {STEP("delay", "{'duration':'30d'}"), "{\"duration\":30,\"unit\":\"days\"}"},
	    {STEP("delay", "{'duration':'1 week'}"), "{\"duration\":1,\"unit\":\"weeks\"}"},
	    {STEP("send_email", "{'template':{'id':'welcome','variables':{'NAME':{'var':"
				"'contact.properties.nick'},'N':1,'E':{'var':'contact.email'},"
				"'A':{'var':'event.a.b'}}},'subject':'Hi','reply_to':'a@x.org'}"),
		"\"data\":{\"template\":{\"id\":\"welcome\",\"variables\":{\"NAME\":{\"var\":"
		"\"nick\"},\"N\":1,\"E\":{\"var\":\"contact.email\"},\"A\":{\"var\":\"event.a.b\"}}"
		"},\"subject\":\"Hi\",\"replyTo\":\"a@x.org\"}"},
	    {STEP("contact_delete", "{}"), "\"type\":\"delete_contact\",%\"data\":{}"},
	    {STEP("wait_for_event", "{'event_name':'paid','timeout':'3 days','filter_rule':"
				    "{'type':'rule','field':'event.x','operator':'exists'}}"),
		"\"data\":{\"eventName\":\"paid\",\"timeout\":{\"duration\":3,\"unit\":\"days\"},"
		"\"filter\":{\"match\":\"all\",\"rules\":[{\"property\":\"event.x\",\"operator\":"
		"\"exists\"}]}}"},
	    {STEP("condition", RULE("'operator':'eq','value':'pro'")),
		"{\"match\":\"all\",\"rules\":[{\"property\":\"plan\",\"operator\":\"equals\","
		"\"value\":\"pro\"}]}"},
	    {STEP("condition", RULE("'operator':'eq','value':null")),
		"[{\"property\":\"plan\",\"operator\":\"not_exists\"}]"},
	    {STEP("condition", RULE("'operator':'neq','value':null")),
		"[{\"property\":\"plan\",\"operator\":\"exists\"}]"},
	    {STEP("condition", RULE("'operator':'gte','value':5")),
		"[{\"match\":\"any\",\"rules\":[{\"property\":\"plan\",\"operator\":\"equals\","
		"\"value\":5},{\"property\":\"plan\",\"operator\":\"greater_than\",\"value\":5}]}"
		"]"},
	    {STEP("condition", RULE("'operator':'is_empty'")),
		"\"rules\":[{\"property\":\"plan\",\"operator\":\"not_exists\"},"
		"{\"property\":\"plan\",\"operator\":\"equals\",\"value\":\"\"}]"},
	    {STEP("condition", "{'type':'or','rules':[" RULE(
				   "'operator':'starts_with','value':'a'") ",{'type':"
									   "'and','rules':[" RULE(
									       "'operator':'lt','"
									       "value':1") "]}]}"),
		"{\"match\":\"any\",\"rules\":[{\"property\":\"plan\",\"operator\":\"begins_with\","
		"\"value\":\"a\"},{\"match\":\"all\",\"rules\":[{\"property\":\"plan\","
		"\"operator\":\"less_than\",\"value\":1}]}]}"},
	    {STEP("contact_update", "{'first_name':'Ada','last_name':null,'properties':"
				    "{'plan':'pro','n':{'var':'event.n'}}}"),
		"\"type\":\"update_contact\",%\"data\":{\"names\":{\"first_name\":\"Ada\","
		"\"last_name\":null},\"set\":{\"plan\":\"pro\"},\"copy\":{\"n\":\"event.n\"}}"},
	    {STEP("send_email", "{'template':{'id':'welcome','variables':{'NAME':{'var':"
				"'contact.first_name'},'P':{'var':'contact.properties.email'}}}}"),
		"{\"NAME\":{\"var\":\"first_name\"},\"P\":{\"var\":\"email\"}}"},
	    {STEP("condition", FIELD_RULE("contact.email")), "\"property\":\"contact.email\""},
	    {STEP("condition", FIELD_RULE("contact.first_name")),
		"\"property\":\"contact.first_name\""},
	    {STEP("condition", FIELD_RULE("contact.properties.last_name")),
		"\"property\":\"last_name\""},
	    {STEP("contact_update", "{'properties':{'n':{'var':'contact.last_name'}}}"),
		"\"copy\":{\"n\":\"contact.last_name\"}"},
	    {STEP("contact_update", "{'last_name':{'var':'event.name'}}"),
		"\"data\":{\"names\":{\"last_name\":{\"var\":\"event.name\"}},\"set\":{}"},
	    {STEP("contact_update", "{'unsubscribed':true}"),
		"\"type\":\"update_contact\",%\"data\":{\"subscribed\":false,"},
	    {STEP("contact_update", "{'unsubscribed':false}"), "\"data\":{\"subscribed\":true,"},
	    {STEP("contact_update", "{'unsubscribed':null,'first_name':'A'}"),
		"\"data\":{\"names\":{\"first_name\":\"A\"},\"set\":{}"},
	    {STEP("contact_update", "{'unsubscribed':{'var':'contact.properties.out'}}"),
		"\"data\":{\"subscribed\":{\"not\":{\"var\":\"out\"}},"},
	};

	automations_publish();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body =
		    g_strdup_printf("{'name':'W','status':'enabled','steps':[" START ",%s],"
				    "'connections':[{'from':'start','to':'s'}]}",
			cases[i].step);
		g_autofree char *id = automations_add(body);
		g_autofree char *main = g_strconcat("/v1/workflows/", id, NULL);
		const struct exchange get = {cases[i].step, "GET", main, NULL, 200};
		AUTO(answer) answer = exchange_expect(fixture, &get);
		const char *design = answer_text(answer, "design");
		g_auto(GStrv) parts = g_strsplit(cases[i].node, "%", -1);

		for (guint k = 0; parts[k]; k++)
			cr_expect(strstr(design, parts[k]), "%s: got %s, want %s", cases[i].step,
			    design, parts[k]);
	}
}

Test(resend_automations, are_checked_when_they_are_enabled)
{
	static const struct {
		const char *step, *fault;
	} cases[] = {
	    {STEP("delay", "{}"), "The step `s` has no `duration`."},
	    {STEP("delay", "{'duration':'soon'}"),
		"The step `s` must have a `duration` such as 30 minutes, 1 hour or 3 days."},
	    {STEP("delay", "{'duration':'31 days'}"),
		"The step `s` must have a `duration` of at most 30 days."},
	    {STEP("delay", "{'duration':1}"), "The step `s` must have a string as `duration`."},
	    {STEP("send_email", "{}"), "The step `s` has no `template.id`."},
	    {STEP("send_email", "{'template':{'id':'none'}}"), NULL},
	    {STEP("send_email", "{'template':{'id':'welcome'},'topic_id':'x'}"),
		"data.topicId is not a topic"},
	    {STEP("send_email", "{'template':{'id':'welcome'},'topic_id':1}"), "`topic_id`"},
	    {STEP("wait_for_event", "{}"), "The step `s` has no `event_name`."},
	    {STEP("wait_for_event", "{'event_name':'a','timeout':'x'}"), NULL},
	    {STEP("condition", "{}"),
		"The step `s` must have a rule whose `type` is rule, and or or."},
	    {STEP("condition", "{'type':'and','rules':[]}"), NULL},
	    {STEP("condition", RULE("'operator':'like','value':1")),
		"The step `s` has a rule whose `operator` is unknown."},
	    {STEP("condition", RULE("'operator':'gt','value':'1'")),
		"The step `s` must compare with a number."},
	    {STEP("condition", RULE("'operator':'contains','value':1")),
		"The step `s` must compare with a string."},
	    {STEP("condition", "{'type':'rule','field':'plan','operator':'exists'}"), NULL},
	    {STEP("contact_update", "{}"), NULL},
	    {STEP("contact_update", "{'first_name':''}"), "first_name must be 1 to 100 characters"},
	    {STEP("contact_update", "{'last_name':1}"),
		"The step `s` must set `last_name` to a string, null or a `var`."},
	    {STEP("contact_update", "{'unsubscribed':'yes'}"),
		"The step `s` must set `unsubscribed` to true, false or a `var`."},
	    {STEP("contact_update", "{'unsubscribed':{'var':'out'}}"),
		"must begin its `var` with event. or contact."},
	    {STEP("add_to_segment", "{}"), "The step `s` has no `segment_id`."},
	    {STEP("add_to_segment", "{'segment_id':'x'}"), "data.audiences.x is not an audience"},
	    {STEP("add_to_segment", "{'segment_id':'" UNKNOWN "'}"),
		"node \"s\": data.audiences." UNKNOWN " is not an audience"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body =
		    g_strdup_printf("{'name':'W','steps':[" START ",%s],"
				    "'connections':[{'from':'start','to':'s'}]}",
			cases[i].step);
		g_autofree char *enabled = g_strconcat("{'status':'enabled',", body + 1, NULL);
		g_autofree char *id = automations_add(body);
		g_autofree char *path = g_strconcat(PATH "/", id, NULL);
		const struct exchange exchanges[] = {
		    {cases[i].step, "PATCH", path, "{'status':'enabled'}", 422},
		    {cases[i].step, "POST", PATH, enabled, 422},
		};

		for (gsize k = 0; k < G_N_ELEMENTS(exchanges); k++) {
			AUTO(answer) answer = exchange_expect(fixture, &exchanges[k]);
			const char *message = answer_text(answer, "message");

			cr_expect(
			    g_str_has_prefix(message, "Invalid `steps` field. "), "%s", message);
			cr_expect(
			    strstr(message, "`s`") || strstr(message, "\"s\""), "%s", message);
			cr_expect(!cases[i].fault || strstr(message, cases[i].fault), "%s: got %s",
			    cases[i].step, message);
		}
	}
}

/* A segment under /resend is an audience. Saved rules, which are one too, take nobody. */
Test(resend_automations, add_to_segments)
{
	const struct exchange segment = {"segment", "POST", "/resend/segments", "{'name':'In'}",
				  201},
			      rules = {"rules", "POST", "/v1/segments",
				  "{'name':'R','rules':{'match':'all','rules':[{'property':'a',"
				  "'operator':'exists'}]}}",
				  200};
	AUTO(answer) in = exchange_expect(fixture, &segment);
	AUTO(answer) saved = exchange_expect(fixture, &rules);
	const struct {
		const char *id;
		int status;
	} cases[] = {{answer_text(in, "id"), 201}, {answer_text(saved, "id"), 422}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'name':'W','status':'enabled','steps':[" START ",{'key':'s','type':"
		    "'add_to_segment','config':{'segment_id':'%s'}}],"
		    "'connections':[{'from':'start','to':'s'}]}",
		    cases[i].id);
		const struct exchange exchange = {
		    "enabled", "POST", PATH, body, (guint)cases[i].status};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);

		if (cases[i].status == 422)
			cr_expect(
			    strstr(answer_text(answer, "message"), "node \"s\": data.audiences."));
	}
}

Test(resend_automations, refuse_what_there_is_not)
{
	static const struct {
		const char *step, *member;
	} cases[] = {
	    {STEP("delay", "{'duration':'90 seconds'}"), "duration"},
	    {STEP("send_email", "{'template':{'id':'a','variables':{'L':['x']}}}"), "variables.L"},
	    {STEP("condition",
		 "{'type':'rule','field':'contact.unsubscribed','operator':'eq','value':true}"),
		"contact.unsubscribed"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'name':'W','steps':[" START ",%s],'connections':[]}", cases[i].step);
		g_autofree char *want =
		    g_strdup_printf(REFUSED("%s", "s"), cases[i].member, cases[i].member);
		const struct exchange exchange = {cases[i].step, "POST", PATH, body, 501, want};

		answer_free(exchange_expect(fixture, &exchange));
	}
}

Test(resend_automations, are_checked)
{
	static const struct exchange exchanges[] = {
	    {"nothing", "POST", PATH, "", 422, MISSING("name")},
	    {"no steps", "POST", PATH, "{'name':'n'}", 422, MISSING("steps")},
	    {"empty steps", "POST", PATH, "{'name':'n','steps':[],'connections':[]}", 422,
		MISSING("steps")},
	    {"steps", "POST", PATH, "{'name':'n','steps':{}}", 422,
		INVALID("steps", "steps must be an array.")},
	    {"a step", "POST", PATH, "{'name':'n','steps':[1]}", 422,
		INVALID("steps", "steps[0] must be an object.")},
	    {"no key", "POST", PATH, "{'name':'n','steps':[{'type':'trigger'}]}", 422,
		INVALID("steps", "steps[0].key must be a string of 1 to 64 characters.")},
	    {"type", "POST", PATH, "{'name':'n','steps':[{'key':'k','type':'x'}]}", 422,
		INVALID("steps", "The step `k` must be of a known `type`.")},
	    {"config", "POST", PATH,
		"{'name':'n','steps':[{'key':'k','type':'trigger','config':[7]}]}", 422,
		INVALID("steps", "The step `k` must have an object as `config`.")},
	    {"connection", "POST", PATH, "{'name':'n','steps':[" START "],'connections':[{}]}", 422,
		INVALID("connections", "connections[0] must have a string as from and as to.")},
	    {"status", "POST", PATH, "{'name':'n','steps':[" START "],'status':'active'}", 422,
		INVALID("status", "status must be enabled or disabled.")},
	    {"unknown", "GET", PATH "/" UNKNOWN, .want_status = 404, .want_body = NOT_FOUND},
	    {"no id", "GET", PATH "/x", .want_status = 422,
		.want_body = FAILURE(422, "invalid_parameter", "The `id` must be a valid UUID.")},
	    {"runs of an unknown one", "GET", PATH "/" UNKNOWN "/runs", .want_status = 404,
		.want_body = NOT_FOUND},
	    {"copy an unknown one", "POST", PATH "/" UNKNOWN "/duplicate", NULL, 404, NOT_FOUND},
	    {"enabled without a trigger", "POST", PATH,
		"{'name':'n','status':'enabled','steps':[" WAIT "],'connections':[]}", 422,
		.want = {"name = 'validation_error'"}},
	    {"enabled with a loose connection", "POST", PATH,
		"{'name':'n','status':'enabled','steps':[" START
		"],'connections':[{'from':'start','to':'gone'}]}",
		422, .want = {"name = 'validation_error'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_automations, have_steps_within_limits)
{
	for (guint past = 0; past < 2; past++) {
		g_autofree char *key = g_strnfill(LIMIT_NODE_ID_LENGTH + past, 'k');
		g_autofree char *one = g_strdup_printf(
		    "{'name':'W','steps':[{'key':'%s','type':'trigger','config':{'event_name':'e'}"
		    "}]}",
		    key);
		const struct exchange long_key = {"key", "POST", PATH, one, past ? 422 : 201};
		g_autoptr(GString) many = g_string_new("{'name':'W','steps':[" START);

		answer_free(exchange_expect(fixture, &long_key));
		for (guint i = 1; i < LIMIT_DESIGN_NODES + past; i++)
			g_string_append_printf(
			    many, ",{'key':'k%u','type':'delay','config':{'duration':'1 day'}}", i);
		g_string_append(many, "]}");
		const struct exchange steps = {"steps", "POST", PATH, many->str, past ? 422 : 201};
		answer_free(exchange_expect(fixture, &steps));
	}
}

Test(resend_automations, have_no_zero_characters)
{
	static const struct exchange exchange = {"U+0000", "POST", PATH,
	    "{'name':'W','steps':[{'key':'k','type':'trigger','config':{'event_name':'a\\u0000'}}]"
	    "}",
	    422, .want = {"name = 'validation_error'"}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(resend_automations, are_copied)
{
	g_autofree char *long_name = g_strnfill(LIMIT_NAME_LENGTH, 'n');
	g_autofree char *short_name =
	    g_strdup_printf("name = '%.*s (Copy)'", LIMIT_NAME_LENGTH - 7, long_name);
	g_autofree char *body =
	    g_strdup_printf("{'name':'%s','status':'enabled','steps':[" START "]}", long_name);
	g_autofree char *id = automations_add(body);
	g_autofree char *path = g_strdup_printf(PATH "/%s/duplicate", id);
	const struct exchange copy = {
	    "copy", "POST", path, NULL, 201, .want = {"object = 'automation'", "id : string"}};
	AUTO(answer) answer = exchange_expect(fixture, &copy);
	g_autofree char *copied = g_strconcat(PATH "/", answer_text(answer, "id"), NULL);
	g_autofree char *past = g_strdup_printf("{'name':'%sn','steps':[" START "]}", long_name);
	const struct exchange exchanges[] = {
	    {"the copy", "GET", copied, .want_status = 200,
		.want = {short_name, "status = 'disabled'", "steps = [" START "]",
		    "connections = []"}},
	    {"a longer name", "POST", PATH, past, 422,
		INVALID("name", "name must be at most 100 characters.")},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_automations, are_listed)
{
	g_autofree char *a = automations_add("{'name':'a','status':'enabled','steps':[" START "]}");
	g_autofree char *b = automations_add("{'name':'b','steps':[" START "]}");
	g_autofree char *after = g_strconcat(PATH "?limit=1&after=", b, NULL);
	g_autofree char *before = g_strconcat(PATH "?before=", a, NULL);
	const struct exchange exchanges[] = {
	    {"all", "GET", PATH, .want_status = 200,
		.want = {"object = 'list'", "has_more = false", "data[0].name = 'b'",
		    "data[0].status = 'disabled'", "data[0].steps : absent", "data[1].name = 'a'",
		    "data[1].status = 'enabled'", "data[2] : null"}},
	    {"limit", "GET", PATH "?limit=1", .want_status = 200,
		.want = {"has_more = true", "data[0].name = 'b'", "data[1] : null"}},
	    {"after", "GET", after, .want_status = 200,
		.want = {"has_more = false", "data[0].name = 'a'", "data[1] : null"}},
	    {"before", "GET", before, .want_status = 200,
		.want = {"has_more = false", "data[0].name = 'b'", "data[1] : null"}},
	    {"enabled", "GET", PATH "?status=enabled", .want_status = 200,
		.want = {"data[0].name = 'a'", "data[1] : null"}},
	    {"disabled", "GET", PATH "?status=disabled", .want_status = 200,
		.want = {"data[0].name = 'b'", "data[1] : null"}},
	    {"another status", "GET", PATH "?status=x", .want_status = 422,
		.want_body = INVALID("status", "status must be enabled or disabled.")},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define V1(nodes, edges)                                                                           \
	"{'name':'W','design':{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'e'}}"      \
	"," nodes "],'edges':[{'id':'1','source':'t','target':'n'}" edges "]}}"

/* Workflows of /v1 are shown as steps that mean the same, where there are such. */
Test(resend_automations, are_workflows_of_v1_too)
{
	static const struct {
		const char *design, *steps;
	} cases[] = {
	    {V1("{'id':'n','type':'wait','data':{'duration':1,'unit':'hours'}}", ""),
		"{'key':'n','type':'delay','config':{'duration':'1 hour'}}"},
	    {V1("{'id':'n','type':'update_contact','data':{'set':{'first_name':'A','x':null}}}",
		 ""),
		"{'key':'n','type':'contact_update','config':{'properties':{'first_name':'A','x':"
		"null}}}"},
	    {V1("{'id':'n','type':'update_contact','data':{'names':{'first_name':null,'last_name':"
		"{'var':'p'}},'copy':{'x':'event.x'}}}",
		 ""),
		"{'key':'n','type':'contact_update','config':{'first_name':null,'last_name':{'var':"
		"'contact.p'},'properties':{'x':{'var':'event.x'}}}}"},
	    {V1("{'id':'n','type':'update_contact','data':{'set':{'x':{'var':'y'}}}}", ""), NULL},
	    {V1("{'id':'n','type':'update_contact','data':{'subscribed':false}}", ""),
		"{'key':'n','type':'contact_update','config':{'unsubscribed':true,'properties':{}}"
		"}"},
	    {V1("{'id':'n','type':'update_contact','data':{'subscribed':{'not':{'var':'out'}}}}",
		 ""),
		"{'key':'n','type':'contact_update','config':{'unsubscribed':{'var':"
		"'contact.out'},'properties':{}}}"},
	    {V1("{'id':'n','type':'update_contact','data':{'subscribed':{'var':'in'}}}", ""), NULL},
	    {V1("{'id':'n','type':'update_contact','data':{'audiences':{'" UNKNOWN "':true}}}", ""),
		"{'key':'n','type':'add_to_segment','config':{'segment_id':'" UNKNOWN "'}}"},
	    {V1("{'id':'n','type':'update_contact','data':{'audiences':{'" UNKNOWN "':null}}}", ""),
		NULL},
	    {V1("{'id':'n','type':'update_contact','data':{'audiences':{'" UNKNOWN
		"':true},'set':{'x':1}}}",
		 ""),
		NULL},
	    {V1("{'id':'n','type':'update_contact','data':{'topics':{'" UNKNOWN "':true}}}", ""),
		NULL},
	    {V1("{'id':'n','type':'condition','data':{'rules':[{'property':'p','operator':"
		"'begins_with','value':'a'}]}}",
		 ""),
		"{'key':'n','type':'condition','config':{'type':'rule','field':'contact.p',"
		"'operator':'starts_with','value':'a'}}"},
	    {V1("{'id':'n','type':'wait_for_event','data':{'eventName':'f','timeout':{'duration':2,"
		"'unit':'days'}}}",
		 ""),
		"{'key':'n','type':'wait_for_event','config':{'event_name':'f','timeout':"
		"'2 days'}}"},
	    {V1("{'id':'n','type':'exit','data':{}}", ""), NULL},
	    {V1("{'id':'n','type':'wait','data':{'until':'2030-01-01'}}", ""), NULL},
	    {V1("{'id':'n','type':'send_email','data':{'subject':'s','html':'x'}}", ""), NULL},
	    {V1("{'id':'n','type':'condition','data':{'rules':[{'property':'p','operator':"
		"'not_contains','value':'a'}]}}",
		 ""),
		NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct exchange post = {
		    cases[i].design, "POST", "/v1/workflows", cases[i].design, 200};
		AUTO(answer) answer = exchange_expect(fixture, &post);
		g_autofree char *path =
		    g_strconcat(PATH "/", answer_text(answer, "workflow_id"), NULL);
		g_autofree char *steps = g_strdup_printf(
		    "steps = [{'key':'t','type':'trigger','config':{'event_name':'e'}},%s]",
		    cases[i].steps ? cases[i].steps : "");
		const struct exchange shown = {cases[i].design, "GET", path, .want_status = 200,
		    .want = {steps, "connections = [{'from':'t','to':'n','type':'default'}]"}};
		const struct exchange refused = {cases[i].design, "GET", path, .want_status = 501,
		    .want = {"name = 'application_error'"}};
		const struct exchange enable = {
		    "enable", "PATCH", path, "{'status':'enabled'}", 200};

		answer_free(exchange_expect(fixture, cases[i].steps ? &shown : &refused));
		if (i == 0)
			answer_free(exchange_expect(fixture, &enable));
	}
}
