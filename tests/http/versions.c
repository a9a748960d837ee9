/* SPDX-License-Identifier: MIT */
/* Versions of templates, broadcasts, segments and workflows: their tags, and those of old. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/edit.h"
#include "tests/http/audience.h"
#include "tests/http/person.h"
#include "tests/support/db.h"

FIXTURE_SUITE(versions, 900);

#define CHANGED "{'message':'Changed by somebody else'}"
#define NO_VERSION "{'message':'Version not found'}"
#define MALFORMED "{'message':'If-Match must be * or a list of entity tags'}"
#define TEMPLATE "{'id':'t','name':'One','html':'<p>1</p>','subject':'S','variables':{'a':'b'}}"
#define WORKFLOW "{'name':'One','design':{'nodes':[],'edges':[]}}"
#define SEGMENT "{'name':'One','rules':{'rules':[]}}"

/* The kinds of things that have versions, each with a change that is always another one. */
static const struct {
	const char *path, *made, *id;
} kinds[] = {
    {"/v1/templates", TEMPLATE, "id"},
    {"/v1/broadcasts", "{'name':'One'}", "id"},
    {"/v1/segments", SEGMENT, "id"},
    {"/v1/workflows", WORKFLOW, "workflow_id"},
};

/* Makes a thing; its path, which the caller owns. */
static char *
versions_make(gsize kind)
{
	AUTO(answer) made = audience_ask(fixture, "POST", kinds[kind].made, "%s", kinds[kind].path);

	return g_strdup_printf("%s/%s", kinds[kind].path, answer_text(made, kinds[kind].id));
}

/* Sends a change with this If-Match (NULL: none). The tag of the answer, NULL where it is refused;
   the caller owns it. */
static char *
versions_change(
    const char *path, const char *name, const char *if_match, guint want, const char *want_body)
{
	g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
	g_autofree char *header = if_match ? g_strconcat("If-Match: ", if_match, NULL) : NULL;
	const struct exchange exchange = {header ? header : "no If-Match", "PATCH", path, body,
	    want, want_body, .headers = {header}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return answer_header(answer, "ETag");
}

static char *
versions_tag(const char *path)
{
	const struct exchange exchange = {path, "GET", path, NULL, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	char *tag = answer_header(answer, "ETag");

	cr_assert(tag && *tag == '"' && tag[strlen(tag) - 1] == '"', "%s: %s", path, tag);
	return tag;
}

Test(versions, are_those_that_a_change_names)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autofree char *path = versions_make(i);
		g_autofree char *first = versions_tag(path);
		g_autofree char *again = versions_tag(path);
		g_autofree char *weak = g_strconcat("W/", first, NULL);
		g_autofree char *list = g_strdup_printf("\"x\",, W/\"y\" ,\t%s,", first);
		g_autofree char *bare = g_strndup(first + 1, strlen(first) - 2);
		const char *const malformed[] = {bare, "\"x", "x", "*, \"x\"", "\"x\" \"y\"", ",",
		    "\"a b\"", "w/\"x\"", "\"x\";"};

		cr_expect_str_eq(first, again, "%s", path);
		g_free(versions_change(path, "No", "\"x\"", 412, CHANGED));
		g_free(versions_change(path, "No", weak, 412, CHANGED));
		for (gsize j = 0; j < G_N_ELEMENTS(malformed); j++)
			g_free(versions_change(path, "No", malformed[j], 400, MALFORMED));
		g_autofree char *second = versions_change(path, "Two", list, 200, NULL);
		cr_expect_str_neq(second, first, "%s", path);
		g_free(versions_change(path, "No", first, 412, CHANGED));
		g_autofree char *third = versions_change(path, "Three", second, 200, NULL);
		g_autofree char *shown = versions_tag(path);
		cr_expect_str_eq(shown, third, "%s", path);
		g_autofree char *fourth = versions_change(path, "Four", "*", 200, NULL);
		cr_expect_str_neq(fourth, third, "%s", path);
		g_autofree char *same = versions_change(path, "Four", NULL, 200, NULL);
		cr_expect_str_neq(same, fourth, "%s", path);
		const struct exchange now = {
		    path, "GET", path, NULL, 200, .want = {"name = 'Four'"}};
		answer_free(exchange_expect(fixture, &now));
		answer_free(audience_ask(fixture, "DELETE", NULL, "%s", path));
		/* A thing that is not there has no version: 404, as without the header. */
		g_free(versions_change(path, "No", "\"x\"", 404, NULL));
	}
}

Test(versions, are_known_with_the_suffix_of_a_compressed_answer)
{
	g_autofree char *path = versions_make(0);
	g_autofree char *tag = versions_tag(path);
	g_autofree char *zipped = g_strdup_printf("%.*s-gzip\"", (int)strlen(tag) - 1, tag);

	g_free(versions_change(path, "Two", zipped, 200, NULL));
	g_free(versions_change(path, "Three", zipped, 412, CHANGED));
}

/* One alone of many writers that have seen a version changes it. */
Test(versions, are_replaced_once)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autofree char *path = versions_make(i);
		g_autofree char *tag = versions_tag(path);
		g_autofree char *quoted = g_shell_quote(tag);
		g_autofree char *script = g_strdup_printf(
		    "for i in 1 2 3 4 5 6 7 8; do curl -q --noproxy '*' -s -o /dev/null"
		    " -w '%%{http_code} ' -X PATCH -H 'Authorization: Bearer %s'"
		    " -H 'If-Match: '%s -d '{\"name\": \"N'$i'\"}' %s%s & done; wait",
		    fixture->key, quoted, fixture->instance->url, path);
		const char *argv[] = {"/bin/sh", "-c", script, NULL};
		g_autofree char *out = NULL;

		cr_assert(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out,
		    NULL, NULL, NULL));
		guint good = 0, refused = 0;
		for (const char *at = out; (at = strstr(at, "200")); at++)
			good++;
		for (const char *at = out; (at = strstr(at, "412")); at++)
			refused++;
		cr_expect_eq(good, 1, "%s: %s", path, out);
		cr_expect_eq(refused, 7, "%s: %s", path, out);
	}
}

Test(versions, of_templates_are_kept_and_restored)
{
	AUTO(fixture) other = fixture_open();
	AUTO(person) ada = person_open(fixture, "ada@example.com", "member");
	g_autofree char *path = versions_make(0);
	g_autofree char *old = versions_tag(path);
	g_autofree char *if_old = g_strconcat("If-Match: ", old, NULL);

	answer_free(person_expect(fixture, ada, "PATCH", path,
	    "{'html':'<p>2</p>','subject':null,'preview_text':'P','variables':{}}", 200));
	/* The same content is no other version. */
	answer_free(audience_ask(fixture, "PATCH", "{'name':'One'}", "%s", path));
	const struct exchange exchanges[] = {
	    {"list", "GET", "/v1/templates/t/versions", NULL, 200,
		.want = {"count = 2", "cursor = null", "versions[0].version = 2",
		    "versions[0].created_by = 'ada@example.com'", "versions[0].created : integer",
		    "versions[0].html : absent", "versions[1].version = 1",
		    "versions[1].created_by : string"}},
	    {"first", "GET", "/v1/templates/t/versions/1", NULL, 200,
		.want = {"version = 1", "name = 'One'", "html = '<p>1</p>'", "subject = 'S'",
		    "text = null", "preview_text = null", "layout = null",
		    "variables = {'a':'b'}"}},
	    {"second", "GET", "/v1/templates/t/versions/2", NULL, 200,
		.want = {"html = '<p>2</p>'", "subject = null", "preview_text = 'P'",
		    "variables = {}"}},
	    {"third", "GET", "/v1/templates/t/versions/3", NULL, 404, NO_VERSION},
	    {"zero", "GET", "/v1/templates/t/versions/0", NULL, 404, NO_VERSION},
	    {"a word", "GET", "/v1/templates/t/versions/x", NULL, 404, NO_VERSION},
	    {"no template", "GET", "/v1/templates/x/versions", NULL, 404,
		"{'message':'Template not found'}"},
	    {"of none", "GET", "/v1/templates/x/versions/1", NULL, 404,
		"{'message':'Template not found'}"},
	    {"restore of none", "POST", "/v1/templates/x/versions/1/restore", NULL, 404,
		"{'message':'Template not found'}"},
	    {"restore third", "POST", "/v1/templates/t/versions/3/restore", NULL, 404, NO_VERSION},
	    {"cursor", "GET", "/v1/templates/t/versions?cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"not seen", "POST", "/v1/templates/t/versions/1/restore", NULL, 412, CHANGED,
		.headers = {if_old}},
	    {"restore", "POST", "/v1/templates/t/versions/1/restore", NULL, 200,
		.want = {"id = 't'", "html = '<p>1</p>'", "subject = 'S'", "preview_text : absent",
		    "variables = {'a':'b'}"}},
	    {"restored", "GET", "/v1/templates/t/versions", NULL, 200,
		.want = {"count = 3", "versions[0].version = 3"}},
	    {"the same again", "POST", "/v1/templates/t/versions/3/restore", NULL, 200},
	    {"is a version", "GET", "/v1/templates/t/versions", NULL, 200, .want = {"count = 4"}},
	    {"a key may not", "POST", "/v1/templates/t/versions/1/restore", NULL, 403,
		.headers = {"Authorization: Bearer x"}},
	};
	EXPECT_ALL(fixture, exchanges);
	EXPECT_ALL(other, ((const struct exchange[]){{"other", "GET", "/v1/templates/t/versions",
			      NULL, 404, "{'message':'Template not found'}"}}));
	g_free(versions_change(path, "Two", NULL, 200, NULL));
	answer_free(audience_ask(fixture, "DELETE", NULL, "%s", path));
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM template_version WHERE workspace_id = @workspace"),
	    0);
	/* Contents that old versions alone had go with them. */
	cr_expect_eq(test_db_number(
			 fixture->db, "SELECT COUNT(*) FROM body WHERE workspace_id = @workspace"),
	    0);
}

Test(versions, of_broadcasts_are_kept_and_restored)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *made =
	    g_strdup_printf("{'subject':'S','html':'<p>1</p>','audiences':['%s'],'attachments':"
			    "[{'filename':'a.txt','content':'YQ=='}]}",
		audience);
	AUTO(answer) answer = audience_ask(fixture, "POST", made, "/v1/broadcasts");
	g_autofree char *path = g_strconcat("/v1/broadcasts/", answer_text(answer, "id"), NULL);
	g_autofree char *list = g_strconcat(path, "/versions", NULL);
	g_autofree char *first = g_strconcat(list, "/1", NULL);
	g_autofree char *second = g_strconcat(list, "/2", NULL);
	g_autofree char *ninth = g_strconcat(list, "/9", NULL);
	g_autofree char *restore = g_strconcat(first, "/restore", NULL);
	g_autofree char *in = g_strdup_printf("audiences = ['%s']", audience);

	answer_free(audience_ask(fixture, "PATCH",
	    "{'html':null,'text':'T','audiences':null,'preview_text':'P','attachments':[]}", "%s",
	    path));
	answer_free(audience_ask(fixture, "PATCH", "{'text':'T'}", "%s", path));
	answer_free(audience_ask(fixture, "DELETE", NULL, "/v1/audiences/%s", audience));
	const struct exchange exchanges[] = {
	    {"list", "GET", list, NULL, 200,
		.want = {"count = 2", "cursor = null", "versions[0].version = 2",
		    "versions[0].created_by : string", "versions[1].version = 1"}},
	    {"first", "GET", first, NULL, 200,
		.want = {"version = 1", "name = 'S'", "html = '<p>1</p>'", "text = null", in,
		    "attachments : absent", "status : absent"}},
	    {"second", "GET", second, NULL, 200,
		.want = {"html = null", "text = 'T'", "audiences = []", "preview_text = 'P'"}},
	    {"ninth", "GET", ninth, NULL, 404, NO_VERSION},
	    {"restore", "POST", restore, NULL, 200,
		.want = {"html = '<p>1</p>'", "text = null", "preview_text = null", in,
		    "attachments = []", "status = 'draft'"}},
	    {"restored", "GET", list, NULL, 200, .want = {"count = 3"}},
	    {"no broadcast", "GET", "/v1/broadcasts/x/versions", NULL, 404,
		"{'message':'Broadcast not found'}"},
	    {"restore of none", "POST", "/v1/broadcasts/x/versions/1/restore", NULL, 404,
		"{'message':'Broadcast not found'}"},
	};
	EXPECT_ALL(fixture, exchanges);
	EXPECT_ALL(other, ((const struct exchange[]){{"other", "GET", first, NULL, 404,
			      "{'message':'Broadcast not found'}"}}));
	test_db_plain(
	    fixture->db, "UPDATE broadcast SET status = 6 WHERE workspace_id = @workspace");
	EXPECT_ALL(
	    fixture, ((const struct exchange[]){
			 {"sent", "POST", restore, NULL, 409, "{'message':'Broadcast is sent'}"},
			 {"still shown", "GET", first, NULL, 200, .want = {"version = 1"}}}));
}

Test(versions, of_workflows_are_restored)
{
	AUTO(person) ada = person_open(fixture, "ada@example.com", "member");
	g_autofree char *path = versions_make(3);
	g_autofree char *list = g_strconcat(path, "/versions", NULL);
	g_autofree char *restore = g_strconcat(list, "/1/restore", NULL);
	g_autofree char *none = g_strconcat(list, "/9/restore", NULL);

	answer_free(person_expect(fixture, ada, "PATCH", path,
	    "{'design':{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'e'}}],'edges':[]}"
	    "}",
	    200));
	const struct exchange exchanges[] = {
	    {"list", "GET", list, NULL, 200,
		.want = {"versions[0].created_by = 'ada@example.com'",
		    "versions[1].created_by : string"}},
	    {"restore", "POST", restore, NULL, 200,
		.want = {"current_version = 3", "design = '{\\'nodes\\':[],\\'edges\\':[]}'"}},
	    {"none", "POST", none, NULL, 404, NO_VERSION},
	    {"unknown", "POST", "/v1/workflows/x/versions/1/restore", NULL, 404,
		"{'message':'Workflow not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The newest 50 stay, and what was made before versions were kept has one from its next change on.
 */
Test(versions, are_the_newest_ones)
{
	static const char *const removals[] = {
	    "DELETE FROM template_version", "DELETE FROM broadcast_version"};

	for (gsize i = 0; i < G_N_ELEMENTS(removals); i++) {
		g_autofree char *path = versions_make(i);
		g_autofree char *list = g_strconcat(path, "/versions", NULL);
		g_autofree char *first = g_strconcat(list, "/1", NULL);

		test_db_plain(fixture->db, removals[i]);
		EXPECT_ALL(fixture, ((const struct exchange[]){
					{"none", "GET", list, NULL, 200, .want = {"count = 0"}}}));
		g_free(versions_change(path, "2", NULL, 200, NULL));
		EXPECT_ALL(fixture,
		    ((const struct exchange[]){
			{"two", "GET", list, NULL, 200,
			    .want = {"count = 2", "versions[1].created_by = null"}},
			{"as it was", "GET", first, NULL, 200, .want = {"name = 'One'"}}}));
		for (guint n = 3; n <= LIMIT_VERSIONS; n++) {
			g_autofree char *name = g_strdup_printf("%u", n);

			g_free(versions_change(path, name, NULL, 200, NULL));
		}
		EXPECT_ALL(fixture,
		    ((const struct exchange[]){{"at the limit", "GET", first, NULL, 200, NULL}}));
		g_free(versions_change(path, "one more", NULL, 200, NULL));
		EXPECT_ALL(fixture,
		    ((const struct exchange[]){{"past it", "GET", first, NULL, 404, NO_VERSION},
			{"list", "GET", list, NULL, 200,
			    .want = {"count = 50", "cursor = null", "versions[0].version = 51",
				"versions[49].version = 2"}}}));
	}
}
