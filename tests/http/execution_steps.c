/* SPDX-License-Identifier: MIT */
/* The steps of executions, as they are read; tests/automation/history.c has how they come about. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"
#include "tests/http/automation.h"
#include "tests/support/db.h"

#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8057"
#define MISSING "{'error':'Execution not found'}"

FIXTURE_SUITE(execution_steps, 900);

static char *
execution_steps_start(void)
{
	g_free(automation_start(fixture, "order"));
	const struct exchange event = {
	    "event", "POST", "/v1/events", "{'event_name':'order','email':'ada@example.net'}", 200};
	const struct exchange list = {
	    "list", "GET", "/v1/automation/contacts/ada@example.net/executions", NULL, 200};
	answer_free(exchange_expect(fixture, &event));
	AUTO(answer) answer = exchange_expect(fixture, &list);
	return g_strdup(answer_text(answer, "executions[0].execution_id"));
}

Test(execution_steps, begin_with_the_trigger)
{
	g_autofree char *id = execution_steps_start();
	g_autofree char *path = g_strconcat("/v1/executions/", id, "/steps", NULL);
	const struct exchange exchanges[] = {
	    {"due", "GET", path, NULL, 200,
		.want = {"steps[0].sequence = 1", "steps[0].type = 'trigger'",
		    "steps[0].entered_at : integer", "steps[0].left_at = null",
		    "steps[0].branch = null", "steps[0].email_id = null",
		    "steps[0].wait_until = null", "steps[0].error = null", "count = 1",
		    "cursor = null"}},
	    {"unknown", "GET", "/v1/executions/" UNKNOWN "/steps", NULL, 404, MISSING},
	    {"no id", "GET", "/v1/executions/x/steps", NULL, 404, MISSING},
	    {"cursor", "GET", "/v1/executions/x/steps?cursor=%21", NULL, 400,
		"{'error':'Failed to list execution steps','details':'cursor is malformed'}"},
	    {"method", "POST", path, "{}", 405, .want_header = {"Allow: GET, HEAD"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(execution_steps, are_of_the_workspace)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = execution_steps_start();
	g_autofree char *path = g_strconcat("/v1/executions/", id, "/steps", NULL);
	const struct exchange exchange = {"other", "GET", path, NULL, 404, MISSING};

	answer_free(exchange_expect(other, &exchange));
}

/* Gives an execution steps behind its first, and sets its number of them. */
static void
add_steps(const char *id, guint count)
{
	g_autofree char *insert = g_strdup_printf(
	    "INSERT INTO execution_step SELECT e.id, s.seq, e.workspace_id, 'n', 'exit', 1000 + "
	    "s.seq,"
	    " 2000 + s.seq, 0, 'yes', 'why', NULL, NULL, NULL FROM execution e JOIN seq_1_to_%u s"
	    " WHERE e.id = UNHEX(REPLACE('%s', '-', ''))",
	    count - 1, id);
	g_autofree char *update = g_strdup_printf(
	    "UPDATE execution SET step_count = %u WHERE id = UNHEX(REPLACE('%s', '-', ''))", count,
	    id);

	test_db_plain(fixture->db, insert);
	test_db_plain(fixture->db, update);
}

Test(execution_steps, come_in_pages)
{
	static const struct {
		guint steps;
		const char *counts;
	} cases[] = {{LIMIT_PAGE, "50"}, {LIMIT_PAGE + 1, "50 1"}, {2 * LIMIT_PAGE, "50 50"},
	    {2 * LIMIT_PAGE + 1, "50 50 1"}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) own = fixture_open();
		struct fixture *kept = fixture;

		fixture = own;
		g_autofree char *id = execution_steps_start();
		g_autofree char *path = g_strconcat("/v1/executions/", id, "/steps", NULL);
		g_autoptr(GString) want = g_string_new("1");
		for (guint n = 2; n <= cases[i].steps; n++)
			g_string_append_printf(want, " %u", n);
		add_steps(id, cases[i].steps);
		g_autofree char *got = automation_walk(own, path, "", "steps", "sequence");
		cr_expect_str_eq(g_strstrip(got), want->str, "%s", cases[i].counts);
		fixture = kept;
	}
}

/* Steps of before they were kept are not shown. */
Test(execution_steps, continue_from_where_rows_begin)
{
	g_autofree char *id = execution_steps_start();
	g_autofree char *path = g_strconcat("/v1/executions/", id, "/steps", NULL);
	const struct exchange exchanges[] = {
	    {"old", "GET", path, NULL, 200,
		.want = {"steps[0].sequence = 2", "steps[0].left_at = 2002",
		    "steps[1].sequence = 3", "steps[1].left_at = null", "count = 2"}},
	};

	add_steps(id, 3);
	test_db_plain(fixture->db,
	    "DELETE FROM execution_step WHERE workspace_id = @workspace AND sequence = 1");
	EXPECT_ALL(fixture, exchanges);
}
