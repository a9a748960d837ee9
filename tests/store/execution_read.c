/* SPDX-License-Identifier: MIT */
/* The list of all executions of a workspace: its order and its cost. */
#include "store/automation/execution.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(execution_newest);

/* Workflows a, b and, deleted, z, each with every third of count executions, whose ids are their
   numbers; the statuses alternate. One execution of the other workspace is newer. */
static void
execution_read_fill(guint count)
{
	g_autofree char *executions = g_strdup_printf(
	    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	    " version, status, step_id, step_count, step_time, created, updated)"
	    " SELECT UNHEX(LPAD(HEX(seq), 32, '0')), w.workspace_id, w.id, '', '', seq, 1,"
	    " 1 + (seq DIV 3) %% 5, 's', 1, 1, 1, 1 FROM seq_1_to_%u JOIN workflow w"
	    " ON w.name = ELT(1 + seq %% 3, 'a', 'b', 'z')",
	    count);

	MUST(db_run(fixture->db,
	    "INSERT INTO workflow (id, workspace_id, name, status, current_version,"
	    " active_version, created_by, created_by_type, created, updated, deleted)"
	    " SELECT name, ?, name, 1, 1, 1, '', 1, 1, 1, IF(name = 'z', 5, NULL)"
	    " FROM (SELECT 'a' name UNION SELECT 'b' UNION SELECT 'z') n",
	    DB_VALUES(db_id(&fixture->workspace)), NULL, &error));
	test_db_plain(fixture->db, executions);
	MUST(db_run(fixture->db,
	    "INSERT INTO workflow SELECT 'o', ?, 'o', status, 1, 1, '', 1, 1, 1, NULL"
	    " FROM workflow WHERE name = 'a'",
	    DB_VALUES(db_id(&fixture->other)), NULL, &error));
	MUST(db_run(fixture->db,
	    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	    " version, status, step_id, step_count, step_time, created, updated)"
	    " VALUES ('~', ?, 'o', '', '', 'o', 1, 1, 's', 1, 1, 1, 1)",
	    DB_VALUES(db_id(&fixture->other)), NULL, &error));
	test_db_plain(fixture->db, "ANALYZE TABLE workflow, execution");
}

/* Their numbers, each with the letter of its workflow. */
static char *
execution_read_list(enum store_execution_status status, const struct base_id *before, guint limit)
{
	const struct store_execution_filter filter = {.status = status, .before = before};
	g_autoptr(GPtrArray) executions = MUST_GIVE(
	    store_execution_list(fixture->db, &fixture->workspace, &filter, limit, &error));
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < executions->len; i++) {
		const struct store_execution *e = executions->pdata[i];

		cr_expect(!status || e->status == status, "%s has status %d", e->email, e->status);
		g_string_append_printf(text, " %s%s", e->email, e->workflow);
	}
	return g_string_free(text, FALSE);
}

Test(execution_newest, is_of_all_workflows)
{
	const struct base_id ten = {{[15] = 10}}, one = {{[15] = 1}};
	const struct {
		enum store_execution_status status;
		const struct base_id *before;
		guint limit;
		const char *want;
	} cases[] = {
	    {0, NULL, 99, " 15a 14z 13b 12a 11z 10b 9a 8z 7b 6a 5z 4b 3a 2z 1b"},
	    {0, NULL, 4, " 15a 14z 13b 12a"},
	    {0, &ten, 4, " 9a 8z 7b 6a"},
	    {0, &one, 4, ""},
	    {EXECUTION_IN_PROGRESS, NULL, 9, " 15a 1b"},
	    {EXECUTION_WAITING, NULL, 9, " 4b 3a"},
	    {EXECUTION_COMPLETED, NULL, 9, " 8z 7b 6a"},
	    {EXECUTION_FAILED, NULL, 2, " 11z 10b"},
	    {EXECUTION_FAILED, &ten, 2, " 9a"},
	    {EXECUTION_CANCELLED, NULL, 9, " 14z 13b 12a 5z 2z"},
	    {EXECUTION_CANCELLED, NULL, 4, " 14z 13b 12a 5z"},
	};

	g_autofree char *nothing = execution_read_list(0, NULL, 9);
	cr_expect_str_eq(nothing, "");
	execution_read_fill(15);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    execution_read_list(cases[i].status, cases[i].before, cases[i].limit);

		cr_expect_str_eq(
		    got, cases[i].want, "%zu: got \"%s\", want \"%s\"", i, got, cases[i].want);
	}
}

/* Reads at most a page of ids for each workflow, and the rows that are shown; sorts nothing. */
Test(execution_newest, costs_pages_of_its_workflows)
{
	const guint page = 10;

	execution_read_fill(6000);
	for (enum store_execution_status status = 0; status <= EXECUTION_CANCELLED; status++) {
		g_free(execution_read_list(
		    status, NULL, page)); /* the first call prepares the statements */
		fixture_work(fixture);
		g_free(execution_read_list(status, NULL, page));
		struct fixture_work work = fixture_work(fixture);
		cr_expect_leq(work.read, (3 + 2 + 2) * (page + 2), "status %d: read %d rows",
		    status, (int)work.read);
		cr_expect_eq(work.sorted, 0, "status %d: sorted %d rows", status, (int)work.sorted);
	}
}
