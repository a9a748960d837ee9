/* SPDX-License-Identifier: MIT */
/* Workflows: creating, changing, reading, listing and deleting them. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/person.h"
#include "base/limits/unit.h"
#include "db/statement.h"
#include "tests/http/automation.h"

#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8057"
#define MISSING "{'message':'Workflow not found'}"
#define NONE "{'workflows':[],'count':0,'cursor':null}"

FIXTURE_SUITE(workflows, 900);

Test(workflows, are_read)
{
	struct base_id workflow = automation_workflow(fixture, "Welcome");
	g_autofree char *id = automation_text(&workflow),
			*workspace = automation_text(&fixture->id);
	g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
	g_autofree char *want =
	    g_strdup_printf("{'workflow_id':'%s','workspace_id':'%s','name':'Welcome',"
			    "'status':'active','current_version':2,'active_version':1,"
			    "'design':'{\\'nodes\\':[],\\'edges\\':[]}','created':1000,"
			    "'updated':2000,'created_by':'ann@example.com',"
			    "'created_by_type':'user'}",
		id, workspace);
	g_autofree char *listed =
	    g_strdup_printf("{'workflows':[{'workflow_id':'%s','workspace_id':'%s',"
			    "'name':'Welcome','status':'active','data':'workflows/%s/draft.json',"
			    "'created':1000,'updated':2000,'created_by':'ann@example.com',"
			    "'created_by_type':'user'}],'count':1,'cursor':null}",
		id, workspace, id);
	const struct exchange exchanges[] = {
	    {"one", "GET", path, NULL, 200, want},
	    {"list", "GET", "/v1/workflows", NULL, 200, listed},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(workflows, that_are_not_there_are_said_so)
{
	struct base_id workflow = automation_workflow(fixture, "Welcome");
	g_autofree char *id = automation_text(&workflow);
	g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
	const struct exchange exchanges[] = {
	    {"unknown", "GET", "/v1/workflows/" UNKNOWN, NULL, 404, MISSING},
	    {"no id", "GET", "/v1/workflows/x", NULL, 404, MISSING},
	    {"deleted", "GET", path, NULL, 404, MISSING},
	    {"deleted, in the list", "GET", "/v1/workflows", NULL, 200, NONE},
	    {"cursor", "GET", "/v1/workflows?cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"cursor of another kind", "GET", "/v1/workflows?cursor=MDE4", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"unknown cursor", "GET", "/v1/workflows?cursor=" UNKNOWN, NULL, 200, NONE},
	    {"below", "GET", "/v1/workflows/x/y", NULL, 404, "{'message':'Not found'}"},
	    {"method", "DELETE", "/v1/workflows/x/emails", NULL, 405,
		"{'message':'Method not allowed'}", .want_header = {"Allow: GET, HEAD"}},
	};

	automation_delete(fixture, &workflow);
	EXPECT_ALL(fixture, exchanges);
}

/* Newest first, each once, fifty on a page; the cursor is an id. */
Test(workflows, are_listed_by_pages)
{
	static const guint counts[] = {0, 1, 50, 51, 100, 101};
	g_autoptr(GString) want = g_string_new(NULL);
	guint made = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		for (; made < counts[i]; made++) {
			struct base_id id = automation_workflow(fixture, "Welcome");
			g_autofree char *text = automation_text(&id);
			g_string_prepend(want, made > 0 ? " " : "");
			g_string_prepend(want, text);
		}
		g_autofree char *got =
		    automation_walk(fixture, "/v1/workflows", "", "workflows", "workflow_id");
		cr_expect_str_eq(got, want->str, "%u: got %s, want %s", counts[i], got, want->str);
	}
	const struct exchange first = {"first", "GET", "/v1/workflows", NULL, 200};
	AUTO(answer) page = exchange_expect(fixture, &first);
	cr_expect_str_eq(
	    answer_text(page, "cursor"), answer_text(page, "workflows[49].workflow_id"));
}

Test(workflows, are_of_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	struct base_id workflow = automation_workflow(fixture, "Welcome");
	g_autofree char *id = automation_text(&workflow);
	g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
	g_autofree char *executions = g_strconcat(path, "/executions", NULL);
	g_autofree char *emails = g_strconcat(path, "/emails", NULL);
	const struct exchange exchanges[] = {
	    {"one", "GET", path, NULL, 404, MISSING},
	    {"list", "GET", "/v1/workflows", NULL, 200, NONE},
	    {"executions", "GET", executions, NULL, 404,
		"{'error':'Failed to list executions','details':'Workflow not found'}"},
	    {"emails", "GET", emails, NULL, 404,
		"{'error':'Failed to get workflow emails','details':'Workflow not found'}"},
	};

	EXPECT_ALL(other, exchanges);
}

#define WORKFLOWS "POST", "/v1/workflows"
#define EMPTY "'design':{'nodes':[],'edges':[]}"

static struct answer *
workflows_ask(const char *method, const char *path, const char *body, guint status)
{
	const struct exchange exchange = {path, method, path, body, status};

	return exchange_expect(fixture, &exchange);
}

static char *
workflows_make(const char *body)
{
	AUTO(answer) answer = workflows_ask(WORKFLOWS, body, 200);

	return g_strconcat("/v1/workflows/", answer_text(answer, "workflow_id"), NULL);
}

#define STATUS "{'message':'status must be draft, active or paused'}"
#define LENGTH "{'message':'name must be 1 to 100 characters'}"

Test(workflows, check_their_fields)
{
	static const struct exchange exchanges[] = {
	    {"none", WORKFLOWS, "{}", 400, "{'message':'name is required'}"},
	    {"name null", WORKFLOWS, "{'name':null," EMPTY "}", 400,
		"{'message':'name is required'}"},
	    {"name a number", WORKFLOWS, "{'name':1," EMPTY "}", 400,
		"{'message':'name must be a string'}"},
	    {"name empty", WORKFLOWS, "{'name':''," EMPTY "}", 400, LENGTH},
	    {"no design", WORKFLOWS, "{'name':'W'}", 400, "{'message':'design is required'}"},
	    {"design null", WORKFLOWS, "{'name':'W','design':null}", 400,
		"{'message':'design is required'}"},
	    {"design a number", WORKFLOWS, "{'name':'W','design':1}", 400,
		"{'message':'design must be a string or an object'}"},
	    {"design a list", WORKFLOWS, "{'name':'W','design':[]}", 400,
		"{'message':'design must be a string or an object'}"},
	    {"design empty", WORKFLOWS, "{'name':'W','design':{}}", 400,
		"{'message':'design.nodes must be an array'}"},
	    {"design without edges", WORKFLOWS, "{'name':'W','design':{'nodes':[]}}", 400,
		"{'message':'design.edges must be an array'}"},
	    {"design no JSON", WORKFLOWS, "{'name':'W','design':'{'}", 400,
		.want = {"message : string"}},
	    {"design a text of a list", WORKFLOWS, "{'name':'W','design':'[]'}", 400,
		.want = {"message : string"}},
	    {"status", WORKFLOWS, "{'name':'W'," EMPTY ",'status':'on'}", 400, STATUS},
	    {"status empty", WORKFLOWS, "{'name':'W'," EMPTY ",'status':''}", 400, STATUS},
	    {"status a number", WORKFLOWS, "{'name':'W'," EMPTY ",'status':1}", 400,
		"{'message':'status must be a string'}"},
	    {"nothing came of it", "GET", "/v1/workflows", NULL, 200,
		"{'workflows':[],'count':0,'cursor':null}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(workflows, check_fields_of_changes)
{
	g_autofree char *path = workflows_make("{'name':'W'," EMPTY "}");
	const struct exchange exchanges[] = {
	    {"name a number", "PATCH", path, "{'name':1}", 400,
		"{'message':'name must be a string'}"},
	    {"name empty", "PATCH", path, "{'name':''}", 400, LENGTH},
	    {"design a list", "PATCH", path, "{'design':[]}", 400,
		"{'message':'design must be a string or an object'}"},
	    {"design without edges", "PATCH", path, "{'design':{'nodes':[]}}", 400,
		"{'message':'design.edges must be an array'}"},
	    {"status", "PATCH", path, "{'status':'on'}", 400, STATUS},
	    {"one good, one bad", "PATCH", path, "{'name':'X','status':'on'}", 400, STATUS},
	    {"unknown", "PATCH", "/v1/workflows/" UNKNOWN, "{'name':'X'}", 404, MISSING},
	    {"no id", "PATCH", "/v1/workflows/x", "{'name':'X'}", 404, MISSING},
	    {"field before state", "PATCH", "/v1/workflows/x", "{'name':1}", 400,
		"{'message':'name must be a string'}"},
	    {"what a field says before state", "PATCH", "/v1/workflows/x", "{'status':'on'}", 400,
		STATUS},
	    {"the same of an id", "PATCH", "/v1/workflows/" UNKNOWN, "{'status':'on'}", 400,
		STATUS},
	    {"unknown, deleted", "DELETE", "/v1/workflows/" UNKNOWN, NULL, 404, MISSING},
	    {"no id, deleted", "DELETE", "/v1/workflows/x", NULL, 404, MISSING},
	    {"nothing came of it", "GET", path, NULL, 200,
		.want = {"name = 'W'", "status = 'draft'", "current_version = 1",
		    "active_version = 0"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(workflows, are_held_to_their_limits)
{
	g_autofree char *longest = g_strnfill(LIMIT_NAME_LENGTH, 'n');
	g_autofree char *fits = g_strdup_printf("{'name':'%s'," EMPTY "}", longest);
	g_autofree char *over = g_strdup_printf("{'name':'%sn'," EMPTY "}", longest);
	g_autofree char *padding =
	    g_strnfill(LIMIT_MIB - strlen("{\"nodes\":[],\"edges\":[],\"x\":\"\"}"), 'x');
#define LARGE "{'name':'W','design':{'nodes':[],'edges':[],'x':'%s%s'}}"
	g_autofree char *most = g_strdup_printf(LARGE, padding, "");
	g_autofree char *more = g_strdup_printf(LARGE, padding, "x");
#undef LARGE
	const struct exchange exchanges[] = {
	    {"longest name", WORKFLOWS, fits, 200},
	    {"longer name", WORKFLOWS, over, 400, LENGTH},
	    {"all letters there are", WORKFLOWS, "{'name':'Az 09-_'," EMPTY "}", 200,
		.want = {"name = 'Az 09-_'"}},
	    {"largest design", WORKFLOWS, most, 200},
	    {"larger design", WORKFLOWS, more, 400,
		"{'message':'design must be at most 1 MiB, and is 1048577 bytes'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* A design given as an object keeps all members; given as text, it is kept unchanged. */
Test(workflows, keep_designs)
{
	static const struct exchange exchanges[] = {
	    {"object", WORKFLOWS,
		"{'name':'W','design':{'nodes':[{'id':'a','width':1.50,'selected':true}],"
		"'edges':[],'viewport':{'zoom':1}}}",
		200,
		.want = {"design = '{\\'nodes\\':[{\\'id\\':\\'a\\',\\'width\\':1.50,"
			 "\\'selected\\':true}],\\'edges\\':[],\\'viewport\\':{\\'zoom\\':1}}'"}},
	    {"text", WORKFLOWS, "{'name':'W','design':' { \\'nodes\\': [],\\n\\'edges\\': [ ] } '}",
		200, .want = {"design = ' { \\'nodes\\': [],\\n\\'edges\\': [ ] } '"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(workflows, tell_who_made_them)
{
	g_autofree char *path = workflows_make("{'name':'W'," EMPTY "}");
	AUTO(answer) answer = workflows_ask("GET", path, NULL, 200);
	AUTO(db_rows) rows = db_select(fixture->db, "SELECT id FROM api_key WHERE workspace_id = ?",
	    DB_VALUES(db_id(&fixture->id)), NULL);
	struct base_id key;

	cr_assert(rows && db_rows_next(rows) && db_rows_id(rows, 0, &key));
	g_autofree char *id = automation_text(&key);
	cr_expect_str_eq(answer_text(answer, "created_by"), id);
	cr_expect_str_eq(answer_text(answer, "created_by_type"), "apiKey");
	cr_expect_str_eq(answer_text(answer, "status"), "draft");
	cr_expect_eq(
	    json_integer(answer_at(answer, "created")), json_integer(answer_at(answer, "updated")));
}

#define DESIGN_OF(event)                                                                           \
	"'design':{'nodes':[{'id':'start','type':'trigger','data':{'eventName':'" event            \
	"'}}],'edges':[]}"

Test(workflows, make_versions)
{
	g_autofree char *path = workflows_make("{'name':'W'," DESIGN_OF("a") "}");
	const struct exchange exchanges[] = {
	    {"nothing", "PATCH", path, "{}", 200, .want = {"current_version = 1", "name = 'W'"}},
	    {"nulls", "PATCH", path, "{'name':null,'status':null,'design':null}", 200,
		.want = {"current_version = 1", "name = 'W'", "status = 'draft'"}},
	    {"name", "PATCH", path, "{'name':'V'}", 200,
		.want = {"current_version = 1", "active_version = 0", "name = 'V'"}},
	    {"draft", "PATCH", path, "{" EMPTY "}", 200,
		.want = {"current_version = 2", "active_version = 0"}},
	    {"draft, listed", "GET", "/v1/workflows", NULL, 200, .want = {"count = 1"}},
	    {"not right", "PATCH", path, "{'status':'active'}", 400, .want = {"message : string"}},
	    {"both", "PATCH", path, "{'status':'active'," DESIGN_OF("b") "}", 200,
		.want = {"current_version = 3", "active_version = 3", "status = 'active'"}},
	    {"active at once", "PATCH", path, "{" DESIGN_OF("c") "}", 200,
		.want = {"current_version = 4", "active_version = 4"}},
	    {"not right, while active", "PATCH", path, "{" EMPTY "}", 400,
		.want = {"message : string"}},
	    {"as before", "GET", path, NULL, 200,
		.want = {"current_version = 4", "active_version = 4", "status = 'active'",
		    "name = 'V'"}},
	    {"pause", "PATCH", path, "{'status':'paused'}", 200,
		.want = {"status = 'paused'", "current_version = 4", "active_version = 4"}},
	    {"while paused", "PATCH", path, "{" EMPTY "}", 200,
		.want = {"status = 'paused'", "current_version = 5", "active_version = 4"}},
	    {"draft again", "PATCH", path, "{'status':'draft'}", 200,
		.want = {"status = 'draft'", "active_version = 4"}},
	};

	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) list = workflows_ask("GET", "/v1/workflows", NULL, 200);
	cr_expect(g_str_has_suffix(answer_text(list, "workflows[0].data"), "/draft.json"));
}

/* The error names the node. */
Test(workflows, say_which_node_is_wrong)
{
#define TICKING(member)                                                                            \
	"{'id':'t','type':'trigger','data':{'eventName':'schedule.due','schedule':{'cron':"        \
	"'0 9 * * *'},'" member "':'" UNKNOWN "'}}"
#define ACTIVE(data) "{'name':'W','status':'active','design':{'nodes':[" data "]}}"
#define START "{'id':'start','type':'trigger','data':{'eventName':'a'}}"
	static const struct {
		const char *body, *want;
	} cases[] = {
	    {"{'name':'W','status':'active'," EMPTY "}", "trigger"},
	    {"{'name':'W','status':'active','design':{'nodes':[" TICKING(
		 "audienceId") "],"
			       "'edges':[]}}",
		"data.audienceId is not an audience"},
	    {"{'name':'W','status':'active','design':{'nodes':[" TICKING(
		 "segmentId") "],"
			      "'edges':[]}}",
		"data.segmentId is not a segment"},
	    {"{'name':'W','status':'active','design':{'nodes':[" START
	     ",{'id':'lost','type':'exit','data':{}}],'edges':[]}}",
		"\"lost\""},
	    {"{'name':'W','status':'active','design':{'nodes':[" START
	     ",{'id':'mail','type':'send_email','data':{'templateId':'none'}}],'edges':"
	     "[{'id':'e','source':'start','target':'mail'}]}}",
		"\"mail\""},
	    {"{'name':'W','status':'active','design':{'nodes':[" START
	     ",{'id':'odd','type':'teleport','data':{}}],'edges':"
	     "[{'id':'e','source':'start','target':'odd'}]}}",
		"\"odd\""},
	};
#undef START
#undef ACTIVE

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer) answer = workflows_ask(WORKFLOWS, cases[i].body, 400);
		cr_expect(strstr(answer_text(answer, "message"), cases[i].want), "%s: got %s",
		    cases[i].body, answer->body);
	}
	AUTO(answer) list = workflows_ask("GET", "/v1/workflows", NULL, 200);
	cr_expect_eq(json_integer(answer_at(list, "count")), 0, "got %s", list->body);
}

/* A template of another workspace is unknown. */
Test(workflows, know_their_own_templates_alone)
{
	AUTO(fixture) other = fixture_open();
	const struct exchange theirs = {"theirs", "POST", "/v1/templates",
	    "{'id':'welcome','name':'N','html':'x','subject':'S'}", 200};
	static const char design[] = "{'name':'W','status':'active','design':{'nodes':["
				     "{'id':'start','type':'trigger','data':{'eventName':'a'}},"
				     "{'id':'mail','type':'send_email','data':{'templateId':'"
				     "welcome','from':'a@example.com'}}],"
				     "'edges':[{'id':'e','source':'start','target':'mail'}]}}";
	const struct exchange exchanges[] = {
	    {"without", WORKFLOWS, design, 400,
		"{'message':'node \\'mail\\': template \\'welcome\\' does not exist: create it, or "
		"name another in data.templateId'}"},
	    {"template", "POST", "/v1/templates",
		"{'id':'welcome','name':'N','html':'x','subject':'S'}", 200},
	    {"with", WORKFLOWS, design, 200, .want = {"status = 'active'"}},
	};

	answer_free(exchange_expect(other, &theirs));
	EXPECT_ALL(fixture, exchanges);
}

#define MAIL_DESIGN(data, from)                                                                    \
	"{'nodes':[{'id':'start','type':'trigger','data':{'eventName':'a'" data "}},{'id':'mail'," \
	"'type':'send_email','data':{'html':'x','subject':'S','from':'" from "'}}],"               \
	"'edges':[{'id':'e','source':'start','target':'mail'}]}"
#define UNKNOWN_MEMBER                                                                             \
	"{'message':'node \\'start\\': data.re_entry is not known here; did you mean reentry?'}"
#define UNREGISTERED                                                                               \
	"{'message':'node \\'mail\\': the domain of its sender, x.org, is not registered: "        \
	"register it, or name another sender in data.from'}"

/* Faults that a draft may have and an active design may not. */
Test(workflows, refuse_what_no_active_design_may_have)
{
	static const struct exchange made[] = {
	    {"unknown member", WORKFLOWS,
		"{'name':'W','status':'active','design':" MAIL_DESIGN(
		    ",'re_entry':'once'", "a@example.com") "}",
		400, UNKNOWN_MEMBER},
	    {"domain", WORKFLOWS,
		"{'name':'W','status':'active','design':" MAIL_DESIGN("", "a@x.org") "}", 400,
		UNREGISTERED},
	    {"sub-domain", WORKFLOWS,
		"{'name':'W','status':'active','design':" MAIL_DESIGN("", "a@b.example.com") "}",
		200},
	    {"U+0000 in an object", WORKFLOWS,
		"{'name':'W','design':{'nodes':[{'id':'a\\u0000'}],'edges':[]}}", 400,
		"{'message':'design.nodes[0].id must not contain the character U+0000'}"},
	    {"U+0000 in a text", WORKFLOWS,
		"{'name':'W','design':'{\\u0022nodes\\u0022:[{\\u0022id\\u0022:"
		"\\u0022a\\\\u0000\\u0022}],\\u0022edges\\u0022:[]}'}",
		400, "{'message':'design.nodes[0].id must not contain the character U+0000'}"},
	};
	AUTO(answer) draft = workflows_ask(WORKFLOWS,
	    "{'name':'D','design':" MAIL_DESIGN(",'re_entry':'once'", "a@example.com") "}", 200);
	g_autofree char *path =
	    g_strconcat("/v1/workflows/", answer_text(draft, "workflow_id"), NULL);
	const struct exchange changed[] = {
	    {"activated", "PATCH", path, "{'status':'active'}", 400, UNKNOWN_MEMBER},
	    {"another design", "PATCH", path, "{'design':" MAIL_DESIGN("", "a@x.org") "}", 200},
	    {"activated, domain", "PATCH", path, "{'status':'active'}", 400, UNREGISTERED},
	    {"both", "PATCH", path,
		"{'status':'active','design':" MAIL_DESIGN("", "a@example.com") "}", 200},
	    {"saved while active", "PATCH", path, "{'design':" MAIL_DESIGN("", "a@x.org") "}", 400,
		UNREGISTERED},
	    {"saved while active, unknown member", "PATCH", path,
		"{'design':" MAIL_DESIGN(",'re_entry':'once'", "a@example.com") "}", 400,
		UNKNOWN_MEMBER},
	};

	EXPECT_ALL(fixture, made);
	EXPECT_ALL(fixture, changed);
}

/* Like those of audiences. */
Test(workflows, may_have_any_name)
{
	g_autofree char *path = workflows_make("{'name':'a.b/c: 50 % (new!)'," EMPTY "}");
	const struct exchange exchanges[] = {
	    {"changed", "PATCH", path, "{'name':'1 & 2, <3>'}", 200},
	    {"shown", "GET", path, NULL, 200, .want = {"name = '1 & 2, <3>'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}
