/* SPDX-License-Identifier: MIT */
/* GET /v1/workflows/{id}/versions: each design that was saved. */
#include <criterion/criterion.h>

#include "base/limits/list.h"
#include "tests/http/audience.h"
#include "tests/http/automation.h"
#include "tests/support/db.h"

#define UNKNOWN "/v1/workflows/01890a5d-ac96-774b-bcce-b302099a8057"
#define MISSING "{'message':'Workflow not found'}"
#define NO_VERSION "{'message':'Version not found'}"

FIXTURE_SUITE(workflow_versions, 900);

#define STARTED_BY(event)                                                                          \
	"{'name':'W','design':{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'" event    \
	"'}}],'edges':[]}}"

/* A workflow with two versions, of which the first is active. The caller owns the path. */
static char *
workflow_versions_make(void)
{
	AUTO(answer) made = audience_ask(fixture, "POST", STARTED_BY("one"), "/v1/workflows");
	const char *id = answer_text(made, "workflow_id");

	answer_free(audience_ask(fixture, "PATCH", "{'status':'active'}", "/v1/workflows/%s", id));
	answer_free(audience_ask(fixture, "PATCH", "{'status':'paused'}", "/v1/workflows/%s", id));
	answer_free(audience_ask(fixture, "PATCH", STARTED_BY("two"), "/v1/workflows/%s", id));
	return g_strconcat("/v1/workflows/", id, NULL);
}

Test(workflow_versions, are_listed_and_read)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *path = workflow_versions_make();
	g_autofree char *list = g_strconcat(path, "/versions", NULL);
	g_autofree char *first = g_strconcat(list, "/1", NULL),
			*second = g_strconcat(list, "/2", NULL);
	g_autofree char *third = g_strconcat(list, "/3", NULL),
			*zero = g_strconcat(list, "/0", NULL);
	g_autofree char *word = g_strconcat(list, "/x", NULL);
	g_autofree char *large = g_strconcat(list, "/99999999999999999999", NULL);
	g_autofree char *malformed = g_strconcat(list, "?cursor=x", NULL);
	const struct exchange exchanges[] = {
	    {"list", "GET", list, NULL, 200,
		.want = {"count = 2", "cursor = null", "versions[0].version = 2",
		    "versions[0].current = true", "versions[0].active = false",
		    "versions[0].created : integer", "versions[0].design : absent",
		    "versions[1].version = 1", "versions[1].current = false",
		    "versions[1].active = true"}},
	    {"first", "GET", first, NULL, 200,
		.want = {"version = 1", "active = true", "current = false",
		    "design = '{\\'nodes\\':[{\\'id\\':\\'t\\',\\'type\\':\\'trigger\\',"
		    "\\'data\\':{\\'eventName\\':\\'one\\'}}],\\'edges\\':[]}'"}},
	    {"second", "GET", second, NULL, 200, .want = {"version = 2", "current = true"}},
	    {"third", "GET", third, NULL, 404, NO_VERSION},
	    {"zero", "GET", zero, NULL, 404, NO_VERSION},
	    {"a word", "GET", word, NULL, 404, NO_VERSION},
	    {"large", "GET", large, NULL, 404, NO_VERSION},
	    {"cursor", "GET", malformed, NULL, 400, "{'message':'cursor is malformed'}"},
	    {"unknown", "GET", UNKNOWN "/versions", NULL, 404, MISSING},
	    {"of unknown", "GET", UNKNOWN "/versions/1", NULL, 404, MISSING},
	    {"no id", "GET", "/v1/workflows/x/versions", NULL, 404, MISSING},
	};

	EXPECT_ALL(fixture, exchanges);
	EXPECT_ALL(other, ((const struct exchange[]){{"other", "GET", list, NULL, 404, MISSING},
			      {"one of other", "GET", first, NULL, 404, MISSING}}));
	answer_free(audience_ask(fixture, "DELETE", NULL, "%s", path));
	EXPECT_ALL(
	    fixture, ((const struct exchange[]){{"deleted", "GET", list, NULL, 404, MISSING}}));
}

Test(workflow_versions, have_pages)
{
	g_autofree char *path = workflow_versions_make();
	g_autofree char *list = g_strconcat(path, "/versions", NULL);

	test_db_plain(fixture->db,
	    "INSERT INTO workflow_version (workflow_id, version, workspace_id, design, created)"
	    " SELECT id, seq, workspace_id, '{}', 5 FROM workflow, seq_3_to_50"
	    " WHERE workspace_id = @workspace");
	const struct exchange fits = {"fits", "GET", list, NULL, 200,
	    .want = {"count = 50", "cursor = null", "versions[0].version = 50"}};
	answer_free(exchange_expect(fixture, &fits));
	test_db_plain(fixture->db,
	    "INSERT INTO workflow_version (workflow_id, version, workspace_id, design, created)"
	    " SELECT id, 51, workspace_id, '{}', 5 FROM workflow WHERE workspace_id = @workspace");
	const struct exchange first = {"first page", "GET", list, NULL, 200,
	    .want = {"count = 50", "versions[0].version = 51", "versions[49].version = 2"}};
	AUTO(answer) answer = exchange_expect(fixture, &first);
	g_autofree char *next = g_strconcat(list, "?cursor=", answer_text(answer, "cursor"), NULL);
	const struct exchange rest = {"second page", "GET", next, NULL, 200,
	    .want = {"count = 1", "cursor = null", "versions[0].version = 1"}};
	answer_free(exchange_expect(fixture, &rest));
	cr_expect_eq(LIMIT_PAGE, 50);
}
