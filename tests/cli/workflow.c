/* SPDX-License-Identifier: MIT */
/* Tests posthouse workflow and posthouse execution on a real database. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "config/settings.h"
#include "tests/cli/office.h"

OFFICE_SUITE(workflow);

#define SQL(sql) test_db_plain(db, sql)
#define WORKFLOW "01890a5d-ac96-774b-bcce-b302099a8057"
#define EXECUTION "01890a5d-ac96-774b-bcce-b302099a8062"
#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8000"
#define HEX_WORKFLOW "0x01890a5dac96774bbcceb302099a8057"
#define HEX_EXECUTION "0x01890a5dac96774bbcceb302099a8062"
#define HEX_EMAIL "0x01890a5dac96774bbcceb302099a8063"

/* Stores a workflow whose first version is active and has a node that the second does not have. One
   execution stands at start, two wait, and one stands at a node of another version. */
static void
workflow_fill(void)
{
	SQL("INSERT INTO workflow (id, workspace_id, name, status, current_version, active_version,"
	    " created_by, created_by_type, created, updated) SELECT " HEX_WORKFLOW
	    ", id, 'Welcome', 2, 2, 1, 'ada@example.com', 1, 1000, 2000 FROM workspace");
	SQL("INSERT INTO workflow_version (workflow_id, version, workspace_id, design, created)"
	    " SELECT " HEX_WORKFLOW ", seq, id, CONCAT('{\"nodes\":["
	    "{\"id\":\"start\",\"type\":\"trigger\",\"data\":{\"eventName\":\"a\"}},"
	    "{\"id\":\"', IF(seq = 1, 'old', 'new'), '\",\"type\":\"wait\",\"data\":"
	    "{\"duration\":1,\"unit\":\"days\"}}],\"edges\":[{\"id\":\"e\",\"source\":\"start\","
	    "\"target\":\"', IF(seq = 1, 'old', 'new'), '\"}]}'), 1000 FROM workspace, seq_1_to_2");
	SQL("INSERT INTO person (id, workspace_id, email, address, properties,"
	    " first_seen, last_seen, last_event, event_count, created, updated)"
	    " SELECT 'c', id, 'Ada@example.net', 'ada@example.net', '{}', 1, 1, 'a', 1, 1, 1"
	    " FROM workspace");
	SQL("INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	    " version, status, step_id, step_count, step_time, wait_until, created, updated)"
	    " SELECT IF(seq = 1, " HEX_EXECUTION ", seq), id, " HEX_WORKFLOW
	    ", 'c', '', 'Ada@example.net', 1, IF(seq < 4, 2, 1),"
	    " ELT(seq, 'old', 'old', 'new', 'start'), 2, 1000, IF(seq < 4, 9000, NULL), 1000, 2000"
	    " FROM workspace, seq_1_to_4");
	SQL("INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject,"
	    " created) SELECT " HEX_EMAIL ", id, '', 2, '', '', 'Hello', 1000 FROM workspace");
	SQL("INSERT INTO execution_email (email_id, workspace_id, workflow_id, execution_id,"
	    " contact_id, step_id, depth) SELECT " HEX_EMAIL ", id, " HEX_WORKFLOW
	    ", " HEX_EXECUTION ", 'c', 'old', 0 FROM workspace");
}

Test(workflow, is_listed_and_drawn)
{
	program_expect(config, "workflow list", 0, "There are no workflows yet.\n", NULL);
	program_expect(config, "workflow show Welcome", 66, NULL,
	    "posthouse: there is no workflow \"Welcome\" in this workspace\n");
	program_expect(
	    config, "workflow show " UNKNOWN, 66, NULL, "posthouse: Workflow not found\n");
	workflow_fill();
	program_expect(config, "workflow list", 0,
	    "ID *NAME *STATUS *SAVED *ACTIVE *UPDATED\n" WORKFLOW
	    " *Welcome *active *2 *1 *1970-*\n",
	    NULL);
	program_expect(config, "workflow list --json", 0,
	    "{\"workflows\":[{\"id\":\"" WORKFLOW "\",\"name\":\"Welcome\",\"status\":\"active\","
	    "\"saved\":2,\"active\":1,\"updated\":2000}]}\n",
	    NULL);
	program_expect(config, "workflow show Welcome", 0,
	    "id *" WORKFLOW "\nname *Welcome\nstatus *active\nversion *1\nsaved *2\nactive *1\n"
	    "elsewhere *1\ncreated_by *ada@example.com\n*\n\n?start] trigger a *1\n |\n?old] wait "
	    "1 day *2\n",
	    NULL);
	program_expect(config, "workflow show " WORKFLOW " --json", 0,
	    "{\"id\":\"" WORKFLOW "\",\"name\":\"Welcome\",\"status\":\"active\",\"version\":1,"
	    "\"saved\":2,\"active\":1,\"elsewhere\":1,\"created_by\":\"ada@example.com\","
	    "\"created\":1000,\"updated\":2000,\"nodes\":[{\"id\":\"start\",\"type\":\"trigger\","
	    "\"executions\":1},{\"id\":\"old\",\"type\":\"wait\",\"executions\":2}]}\n",
	    NULL);
}

Test(workflow, is_named_when_it_is_one)
{
	workflow_fill();
	SQL("INSERT INTO workflow SELECT 'x', workspace_id, name, status, current_version,"
	    " active_version, created_by, created_by_type, created, updated, NULL FROM workflow");
	program_expect(config, "workflow show Welcome", 65, NULL,
	    "posthouse: there are several workflows \"Welcome\": say which by its id\n");
	program_expect(config, "workflow show " WORKFLOW, 0, "id *", NULL);
}

Test(workflow, has_executions)
{
	workflow_fill();
	program_expect(config, "execution list --workflow Welcome --contact a@x.org", 65, NULL,
	    "posthouse: give either *\n");
	program_expect(config, "execution list --workflow Welcome --status IN_PROGRESS", 0,
	    "*  1970-01-01T00:00:01.000Z  IN_PROGRESS\n    Ada@example.net in Welcome at start\n",
	    NULL);
	program_expect(config, "execution list --contact ADA@example.net --status COMPLETED", 0,
	    "There are no such executions.\n", NULL);
	program_expect(config, "execution list --contact eve@example.net", 66, NULL,
	    "posthouse: Contact not found\n");
	program_expect(config, "execution list --workflow Welcome --status DONE", 65, NULL,
	    "posthouse: --status must be in_progress, *\"DONE\"\n");
	program_expect(config, "execution list --workflow Welcome --before " EXECUTION, 0,
	    "There are no such executions.\n", NULL);
	program_expect(config, "execution list --contact ada@example.net --json", 0,
	    "{\"executions\":[{*},{*},{*},{\"id\":\"" EXECUTION "\",\"email\":\"Ada@example.net\","
	    "\"status\":\"WAITING\",\"step\":\"old\",\"wait_until\":9000,\"created\":1000,"
	    "\"workflow\":\"Welcome\",\"error\":null}]}\n",
	    NULL);
	program_expect(config, "execution show " EXECUTION, 0,
	    "id          " EXECUTION "\nworkflow_id " WORKFLOW
	    "\nemail       Ada@example.net\nversion *1\n"
	    "status *WAITING\nstep *old\nsteps *2\nwait_until *1970-01-01T00:00:09.000Z\n*"
	    "2. old (wait)  1970-*Z  waiting: until 1970-01-01T00:00:09.000Z\n*ID *SUBJECT *STATUS "
	    "*CREATED*\n*Hello *- *1970-*\n",
	    NULL);
	program_expect(config, "execution show " EXECUTION " --json", 0,
	    "{\"id\":\"" EXECUTION "\",*\"steps\":[{\"sequence\":2,\"step_id\":\"old\","
	    "\"type\":\"wait\",\"entered_at\":*,\"left_at\":null,\"result\":\"waiting\","
	    "\"branch\":null,\"why\":\"until 1970-01-01T00:00:09.000Z\",\"email_id\":null,"
	    "\"wait_until\":9000,\"error\":null}],\"emails\":[{*\"subject\":\"Hello\",*}]}\n",
	    NULL);
	program_expect(
	    config, "execution show " UNKNOWN, 66, NULL, "posthouse: Execution not found\n");
	program_expect(config, "execution show x", 64, NULL, "posthouse: ID must be a UUID*\n");
}

/* Lists the executions of each workflow, in one order. */
Test(workflow, has_executions_among_others)
{
#define OTHERS "32000000-0000-0000-0000-000000000000"
#define LAST "01890a5d-ac96-774b-bcce-b302099a8099"
#define FAILED                                                                                     \
	LAST                                                                                       \
	    "  1970-01-01T00:00:03.000Z  FAILED\n    Eve@example.net in Other at pay: the domain " \
	    "example.com is not "                                                                  \
	    "verified\n"
#define WAITS                                                                                      \
	EXECUTION "  1970-01-01T00:00:01.000Z  WAITING\n    Ada@example.net in Welcome at old "    \
		  "until 1970-01-01T00:00:09.000Z\n"

	program_expect(config, "execution list", 0, "There are no such executions.\n", NULL);
	workflow_fill();
	SQL("INSERT INTO workflow SELECT 'x', workspace_id, 'Other', status, current_version,"
	    " active_version, created_by, created_by_type, created, updated, NULL FROM workflow");
	SQL("INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	    " version, status, step_id, step_count, step_time, error_step, error_message, created,"
	    " updated) SELECT 0x01890a5dac96774bbcceb302099a8099, id, 'x', 'd', '',"
	    " 'Eve@example.net', 1, 4, 'pay', 2, 1000, 'pay', 'the domain example.com is not"
	    " verified', 3000, 2000 FROM workspace");
	program_expect(config, "execution list --status failed", 0, FAILED, NULL);
	program_expect(config, "execution list --status Waiting --before " LAST, 0, WAITS, NULL);
	program_expect(config, "execution list --before " OTHERS, 0, FAILED WAITS, NULL);
	program_expect(config, "execution list --limit 1 --before " OTHERS, 0,
	    FAILED "There are more: --before " LAST "\n", NULL);
	program_expect(config, "execution list --json --limit 1 --before " OTHERS, 0,
	    "{\"executions\":[{\"id\":\"" LAST "\",*\"workflow\":\"Other\","
	    "\"error\":\"the domain example.com is not verified\"}]}\n",
	    NULL);
	g_free(program_line(config, "workspace create Two"));
	program_expect(
	    config, "execution list --workspace Two", 0, "There are no such executions.\n", NULL);
}

Test(workflow, is_of_its_workspace)
{
	workflow_fill();
	g_free(program_line(config, "workspace create Two"));
	program_expect(
	    config, "workflow list --workspace Two", 0, "There are no workflows yet.\n", NULL);
	program_expect(config, "workflow show Welcome --workspace Two", 66, NULL, "*");
	program_expect(config, "workflow show " WORKFLOW " --workspace Two", 66, NULL, "*");
	program_expect(config, "execution list --workflow Welcome --workspace Two", 66, NULL, "*");
	program_expect(
	    config, "execution list --contact ada@example.net --workspace Two", 66, NULL, "*");
	program_expect(config, "execution show " EXECUTION " --workspace Two", 66, NULL, "*");
}

/* Runs workflow put on a file of this name and text. */
static void
cli_workflow_put(const char *name, const char *text, const char *options, int status,
    const char *output, const char *errors)
{
	g_autofree char *folder = g_dir_make_tmp(NULL, NULL);
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autofree char *line = g_strdup_printf("workflow put %s %s", path, options);

	cr_assert(g_file_set_contents(path, text, -1, NULL), "%s", path);
	program_expect(config, line, status, output, errors);
	g_unlink(path);
	g_rmdir(folder);
}

#define DESIGN(event)                                                                              \
	"{\"nodes\":[{\"id\":\"start\",\"type\":\"trigger\",\"data\":{\"eventName\":\"" event      \
	"\"}},{\"id\":\"pause\",\"type\":\"wait\",\"data\":{\"duration\":1,\"unit\":\"days\"}}],"  \
	"\"edges\":[{\"id\":\"e\",\"source\":\"start\",\"target\":\"pause\"}]}"
#define EMPTY "{\"nodes\":[],\"edges\":[]}"

Test(workflow, is_put)
{
	g_autofree char *big = g_strnfill(LIMIT_DESIGN_BYTES + 1, ' ');

	cli_workflow_put("Hello.json", EMPTY, "", 66, NULL,
	    "posthouse: there is no user in this workspace yet: add one with \"posthouse user add "
	    "EMAIL\"\n");
	g_free(program_line(config, "user add ada@x.org"));
	g_free(program_line(config, "user add bob@x.org"));
	cli_workflow_put("Hello.json", EMPTY, "--user eve@x.org", 66, NULL,
	    "posthouse: there is no user eve@x.org in this workspace\n");
	cli_workflow_put("Hello.json", EMPTY, "", 0,
	    "Workflow Hello has version 1; its status is draft.\n", NULL);
	cli_workflow_put("Hello.json", DESIGN("a"), "--json", 0,
	    "{\"id\":\"*-*-7*-*-*\",\"name\":\"Hello\",\"status\":\"draft\",\"saved\":2,\"active\":"
	    "0,"
	    "\"created\":false}\n",
	    NULL);
	cli_workflow_put("other", DESIGN("a"), "--name Hello --activate", 0,
	    "Workflow Hello has version 3; its status is active.\n", NULL);
	cli_workflow_put(
	    "other", EMPTY, "--name Hello", 65, NULL, "posthouse: the design has no trigger*\n");
	cli_workflow_put("other", DESIGN("b"), "--user bob@x.org --activate --json", 0,
	    "{*\"name\":\"other\",\"status\":\"active\",\"saved\":1,\"active\":1,\"created\":true}"
	    "\n",
	    NULL);
	g_autofree char *long_name = g_strnfill(LIMIT_NAME_LENGTH + 1, 'n');
	g_autofree char *named = g_strconcat("--name ", long_name, NULL);
	cli_workflow_put("a.json", EMPTY, named, 64, NULL, "posthouse: --name must be *\n");
	cli_workflow_put(
	    "x.json", "", "", 65, NULL, "posthouse: design must be a JSON object, but is empty\n");
	cli_workflow_put(
	    "x.json", "", "--name Hello", 65, NULL, "posthouse: design must be a JSON object*\n");
	cli_workflow_put("x.json", "{\"nodes\":[{\"id\":\"\\u0000\"}],\"edges\":[]}", "", 65, NULL,
	    "posthouse: design.nodes[0].id must not contain the character U+0000\n");
	cli_workflow_put("x.json", "[]", "", 65, NULL, "posthouse: design must be *\n");
	cli_workflow_put(
	    "x.json", big, "", 65, NULL, "posthouse: FILE must be at most 1048576 bytes: *\n");
	program_expect(config, "workflow put /nowhere/x.json", 66, NULL, "posthouse: FILE *\n");
	program_expect(config, "workflow list", 0,
	    "ID *\n*other *active *1 *1 *\n*Hello *active *3 *3 *\n", NULL);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM workflow WHERE created_by_type = 1"
					" AND created_by IN ('ada@x.org', 'bob@x.org')"),
	    2);
	cr_expect_eq(
	    test_db_number(db, "SELECT COUNT(*) FROM workflow WHERE created_by = 'bob@x.org'"), 1);
}

Test(workflow, is_put_by_its_id)
{
	workflow_fill();
	cli_workflow_put(
	    "x.json", EMPTY, "--id " UNKNOWN, 66, NULL, "posthouse: Workflow not found\n");
	cli_workflow_put("x.json", DESIGN("a"), "--id " WORKFLOW, 0,
	    "Workflow Welcome has version 3; its status is active.\n", NULL);
	cli_workflow_put("x.json", DESIGN("a"), "--name Again --id " WORKFLOW, 0,
	    "Workflow Again has version 4; its status is active.\n", NULL);
	cli_workflow_put(
	    "x.json", DESIGN("a"), "--id x", 64, NULL, "posthouse: --id must be a UUID*\n");
	g_free(program_line(config, "workspace create Two"));
	cli_workflow_put("x.json", DESIGN("a"), "--workspace Two --id " WORKFLOW, 66, NULL,
	    "posthouse: Workflow not found\n");
}

Test(workflow, changes_its_status)
{
	g_free(program_line(config, "user add ada@x.org"));
	cli_workflow_put("W.json", EMPTY, "", 0, "*", NULL);
	program_expect(config, "workflow activate W", 65, NULL, "posthouse: the design has no *\n");
	cli_workflow_put("W.json", DESIGN("a"), "", 0, "*", NULL);
	program_expect(config, "workflow activate W", 0, "Workflow W is active: *\n", NULL);
	program_expect(config, "workflow pause W", 0, "Workflow W is paused: *\n", NULL);
	program_expect(config, "workflow list --json", 0, "*\"status\":\"paused\"*", NULL);
	program_expect(
	    config, "workflow draft W --json", 0, "{\"id\":\"*\",\"status\":\"draft\"}\n", NULL);
	program_expect(config, "workflow list --json", 0, "*\"status\":\"draft\"*", NULL);
	g_free(program_line(config, "workspace create Two"));
	program_expect(config, "workflow activate W --workspace Two", 66, NULL, "*");
	program_expect(config, "workflow remove W --workspace Two", 66, NULL, "*");
	program_expect(config, "workflow remove W --workspace One", 0,
	    "Workflow W is removed, and its executions are cancelled.\n", NULL);
	program_expect(config, "workflow remove W --workspace One", 66, NULL, "*");
	program_expect(
	    config, "workflow list --workspace One", 0, "There are no workflows yet.\n", NULL);
}

/* Expects the properties of the newest event. */
static void
expect_properties(const char *want)
{
	g_autofree char *got =
	    test_db_text(db, "SELECT properties FROM automation_event ORDER BY id DESC LIMIT 1");

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

Test(workflow, is_started_by_events)
{
	g_free(program_line(config, "user add ada@x.org"));
	cli_workflow_put("W.json", DESIGN("a"), "--activate", 0, "*", NULL);
	program_expect(config, "event send A eve@x.org", 0,
	    "The event is processed, of 20*-*-*T*.*Z.\n", NULL);
	expect_properties("{}");
	program_expect(config, "event send a eve@x.org --json", 0,
	    "{\"status\":\"deduplicated\",\"event_id\":\"*-*-7*-*-*\",\"timestamp\":1*}\n", NULL);
	g_autofree char *line = program_line(config, "execution list --workflow W --json");
	program_expect(config, "execution list --workflow W", 0,
	    "*IN_PROGRESS\n    eve@x.org in W at start\n", NULL);
	g_autofree char *id = g_strndup(strstr(line, "\"id\":\"") + strlen("\"id\":\""), 36);
	g_autofree char *cancel = g_strconcat("execution cancel ", id, NULL);
	g_autofree char *elsewhere = g_strconcat(cancel, " --workspace Two", NULL);
	program_expect(config, cancel, 0, "The execution is cancelled.\n", NULL);
	program_expect(config, cancel, 73, NULL, "posthouse: Execution has already finished\n");
	g_free(program_line(config, "workspace create Two"));
	program_expect(config, elsewhere, 66, NULL, "posthouse: Execution not found\n");
}

Test(workflow, is_told_properties_of_events)
{
	static const struct {
		const char *given, *want;
	} cases[] = {
	    {"plan=pro", "{\"plan\":\"pro\"}"},
	    {"visits=3 rate=1.50 paid=true trial=null",
		"{\"visits\":3,\"rate\":1.50,\"paid\":true,\"trial\":null}"},
	    {"zip=01234 empty= equation=a=b quoted='\"5\"'",
		"{\"zip\":\"01234\",\"empty\":\"\",\"equation\":\"a=b\",\"quoted\":\"5\"}"},
	    {"tags='[1,\"x\"]' address='{\"city\":\"Bonn\"}'",
		"{\"tags\":[1,\"x\"],\"address\":{\"city\":\"Bonn\"}}"},
	    {"sly='1,\"w\":2' broken='{\"a\"'",
		"{\"sly\":\"1,\\\"w\\\":2\",\"broken\":\"{\\\"a\\\"\"}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *line =
		    g_strconcat("event send seen eve@x.org ", cases[i].given, NULL);
		program_expect(config, line, 0, "The event is processed*", NULL);
		expect_properties(cases[i].want);
	}
	program_expect(config, "event send seen eve@x.org plan", 65, NULL,
	    "posthouse: PROPERTY must be KEY=VALUE, not \"plan\"\n");
	program_expect(config, "event send seen eve@x.org =x", 65, NULL,
	    "posthouse: PROPERTY must be KEY=VALUE, not \"=x\"\n");
	program_expect(
	    config, "event send seen eve@x.org a=1 a=2", 65, NULL, "posthouse: PROPERTY *\n");
	program_expect(
	    config, "event send email.sent eve@x.org", 65, NULL, "posthouse: event_name must *\n");
	program_expect(config, "event send seen eve", 64, NULL, "posthouse: EMAIL must be *\n");
}
