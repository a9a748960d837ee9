/* SPDX-License-Identifier: MIT */
/* Tests posthouse workflow check and simulate, with and without an installation. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/cli/program.h"
#include "tests/support/mariadb.h"

static char *folder;

static void
workflow_file_begin(void)
{
	g_autofree char *here = g_get_current_dir();

	g_setenv("builddir", here, FALSE);
	folder = g_dir_make_tmp("posthouse-workflow-XXXXXX", NULL);
	cr_assert_neq(chdir(folder), -1);
}

static void
workflow_file_end(void)
{
	static const char *const names[] = {"good.json", "bad.json", "mail.json", "contact.json"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		g_unlink(names[i]);
	cr_expect_neq(chdir("/"), -1);
	g_rmdir(folder);
	g_free(folder);
}

TestSuite(workflow_files, .init = workflow_file_begin, .fini = workflow_file_end);

/* Writes a file with " for '. */
static void
workflow_file_write_file(const char *name, const char *text)
{
	g_autofree char *content = g_strdelimit(g_strdup(text), "'", '"');

	cr_assert(g_file_set_contents(name, content, -1, NULL));
}

#define TRIGGER "{'id': 't', 'type': 'trigger', 'data': {'eventName': 'order'}}"
#define WAIT(data)                                                                                 \
	"{'nodes': [" TRIGGER ", {'id': 'w', 'type': 'wait', 'data': {" data "}}], 'edges': "      \
	"[{'source': 't', 'target': 'w'}]}"
#define MAIL                                                                                       \
	"{'nodes': [" TRIGGER ", {'id': 'm', 'type': 'send_email', 'data': {'templateId': "        \
	"'hello'}}], 'edges': [{'source': 't', 'target': 'm'}]}"

Test(workflow_files, are_checked_without_an_installation)
{
	workflow_file_write_file("good.json", WAIT("'duration': 1, 'unit': 'days'"));
	workflow_file_write_file("bad.json",
	    "{'nodes': [{'id': 'x', 'type': 'exit'}, {'id': 'w', 'type': "
	    "'wait'}], 'edges': []}");
	program_expect(NULL, "workflow check good.json", 0,
	    "The design is valid. Nodes: 2, edges: 1.\n"
	    "Templates and the default sender were not checked: *.\n",
	    NULL);
	program_expect(NULL, "workflow check good.json --json", 0,
	    "{\"valid\":true,\"nodes\":2,\"edges\":1,\"templates_checked\":false,\"faults\":[],"
	    "\"warnings\":[]}\n",
	    NULL);
	program_expect(NULL, "workflow check bad.json", 65,
	    "the design has no trigger: *\nnode \"w\": does not say how long: *\n*",
	    "posthouse: bad.json has 2 faults\n");
	program_expect(NULL, "workflow check bad.json --json", 65,
	    "{\"valid\":false,\"nodes\":2,\"edges\":0,\"templates_checked\":false,\"faults\":["
	    "{\"node\":null,\"message\":\"the design has no trigger: *\"},"
	    "{\"node\":\"w\",\"message\":\"node \\\"w\\\": does not *\"}],\"warnings\":[]}\n",
	    "{\"error\":\"bad.json has 2 faults\",\"code\":\"invalid\"}\n");
	/* A named installation that cannot be opened is an error. */
	program_expect("none.conf", "workflow check good.json", 78, NULL, "*none.conf*");
	program_expect(NULL, "workflow check good.json --workspace One", 78, NULL, "*");
}

Test(workflow_files, are_held_against_the_workspace)
{
	g_autofree char *config = test_mariadb_file(NULL, NULL, NULL);

	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create Bare"));
	g_free(program_line(config, "workspace create Full --from hello@example.com"));
	workflow_file_write_file("mail.json", MAIL);
	workflow_file_write_file("good.json", "Hello");
	program_expect(config, "workflow check mail.json --workspace Bare", 65,
	    "node \"m\" has no sender: *\nnode \"m\": template \"hello\" does not exist: *\n",
	    "posthouse: mail.json has 2 faults\n");
	g_free(program_line(config, "template put hello --html good.json --workspace Full"));
	program_expect(config, "workflow check mail.json --workspace Full", 65,
	    "node \"m\": template \"hello\" has no subject: *\n",
	    "posthouse: mail.json has 1 fault\n");
	g_free(program_line(
	    config, "template put hello --html good.json --subject Hello --workspace Full"));
	program_expect(config, "workflow check mail.json --workspace Full", 0,
	    "The design is valid. Nodes: 2, edges: 1.\n"
	    "Warning: node \"m\": the domain of its sender, example.com, is not registered: *\n",
	    NULL);
	program_expect(config, "workflow check mail.json --workspace Full --json", 0,
	    "{\"valid\":true,\"nodes\":2,\"edges\":1,\"templates_checked\":true,\"faults\":[],"
	    "\"warnings\":[{\"node\":\"m\",\"message\":\"node * is not registered: *\"}]}\n",
	    NULL);
	g_free(program_line(config, "user add a@example.com --workspace Full"));
	program_expect(config, "workflow put mail.json --activate --workspace Full", 65, NULL,
	    "posthouse: node \"m\": the domain of its sender, example.com, is not registered: *\n");
	g_free(program_line(config, "domain add example.com --workspace Full"));
	program_expect(config, "workflow check mail.json --workspace Full", 0,
	    "The design is valid. Nodes: 2, edges: 1.\n", NULL);
}

Test(workflow_files, have_no_member_that_nobody_knows)
{
	workflow_file_write_file("bad.json",
	    "{'nodes': [{'id': 't', 'type': 'trigger', 'data': {'eventName': 'order', "
	    "'label': 'Order', 're_entry': 'once', 'dedupeWindow': 0, 'colour': 1}}],"
	    "'edges': []}");
	program_expect(NULL, "workflow check bad.json", 65,
	    "node \"t\": data.re_entry is not known here; did you mean reentry?\n"
	    "node \"t\": data.dedupeWindow is not known here; did you mean dedupe_window?\n"
	    "node \"t\": data.colour is not known here: remove it\n"
	    "Templates *",
	    "posthouse: bad.json has 3 faults\n");
	program_expect(NULL, "workflow simulate bad.json --event order@2026-11-20", 65, NULL,
	    "posthouse: node \"t\": data.re_entry is not known here; did you mean reentry?\n");
}

Test(workflow_files, are_designs)
{
	workflow_file_write_file("bad.json", "");
	program_expect(NULL, "workflow check bad.json", 65, NULL,
	    "posthouse: design must be a JSON object, but is empty\n");
	workflow_file_write_file(
	    "bad.json", "{'nodes': [{'id': 'a', 'data': {'x': ['\\u0000']}}], 'edges': []}");
	program_expect(NULL, "workflow check bad.json", 65, NULL,
	    "posthouse: design.nodes[0].data.x[0] must not contain the character U+0000\n");
	workflow_file_write_file("bad.json", "{'nodes': []}");
	program_expect(NULL, "workflow check bad.json", 65, NULL,
	    "posthouse: design.edges must be an array\n");
	program_expect(NULL, "workflow check none.json", 66, NULL, "posthouse: FILE cannot be *");
	program_expect(NULL, "workflow check", 64, NULL, "posthouse: FILE is missing\n*");
	g_autofree char *large = g_strnfill(1024 * 1024 + 1, ' ');
	workflow_file_write_file("bad.json", large);
	program_expect(NULL, "workflow check bad.json", 65, NULL,
	    "posthouse: FILE must be at most 1048576 bytes: bad.json is more\n");
}

Test(workflow_files, are_simulated)
{
	workflow_file_write_file("good.json", WAIT("'until': 'bill'"));
	workflow_file_write_file("contact.json", "{'bill': '2026-11-21'}");
	program_expect(NULL, "workflow simulate good.json --event order@2026-11-20", 0,
	    "TIME *EXECUTION *STEP *ACTION *BRANCH *WHY\n"
	    "2026-11-20T00:00:00.000Z *- *- *event order *starts execution 1\n"
	    "2026-11-20T00:00:00.000Z *1 *t *trigger order *order came\n"
	    "2026-11-20T00:00:00.000Z *1 *w *wait until bill *-\n"
	    "2026-11-20T00:00:00.000Z *1 *- *FAILED *property bill, *missing\n"
	    "Executions: 1 started, 0 completed, 1 failed, 0 waiting.\n"
	    "The contact: {}\n",
	    NULL);
	program_expect(NULL,
	    "workflow simulate good.json --contact contact.json --event other@2026-11-22 "
	    "--event 'Order@2026-11-20T10:00:00+01:00:{\"a\": 5}'",
	    0,
	    "TIME *\n"
	    "2026-11-20T09:00:00.000Z *event order *starts execution 1\n"
	    "2026-11-20T09:00:00.000Z *1 *t *\n"
	    "2026-11-20T09:00:00.000Z *1 *w *wait until bill *until 2026-11-21T00:00:00.000Z\n"
	    "2026-11-21T00:00:00.000Z *1 *w *the wait is over\n"
	    "2026-11-21T00:00:00.000Z *1 *- *COMPLETED *\n"
	    "2026-11-22T00:00:00.000Z *- *- *event other *nothing waits for it\n"
	    "Executions: 1 started, 1 completed, 0 failed, 0 waiting.\n"
	    "The contact: {\"bill\":\"2026-11-21\",\"a\":5}\n",
	    NULL);
	program_expect(NULL,
	    "workflow simulate good.json --contact '{\"bill\": \"2026-11-21\"}' --event "
	    "order@2026-11-20 --until 2026-11-20T12:00:00Z --json",
	    0,
	    "{\"started\":1,\"completed\":0,\"failed\":0,\"waiting\":1,\"properties\":{\"bill\":"
	    "\"2026-11-21\"},\"executions\":[{\"execution\":1,\"status\":\"WAITING\","
	    "\"current_step_id\":\"w\",\"step_count\":2,\"wait_until\":1795219200000}],"
	    "\"trace\":[{\"timestamp\":1795132800000,\"execution\":null,\"step_id\":null,"
	    "\"action\":\"event order\",\"branch\":null,\"why\":\"starts execution 1\"},{*},"
	    "{\"timestamp\":1795132800000,\"execution\":1,\"step_id\":\"w\",*}],"
	    "\"truncated\":false}\n",
	    NULL);
}

#define A_SEGMENT "01a1f8d1-2ace-718f-96bc-82c241916947"

Test(workflow_files, are_simulated_in_a_zone_and_in_segments)
{
	static const char simulate[] = "workflow simulate good.json --event order@2026-11-20";
	g_autofree char *zone = g_strconcat(simulate, " --zone Europe/Berlin", NULL);
	g_autofree char *mars = g_strconcat(simulate, " --zone Mars", NULL);
	g_autofree char *in = g_strconcat(simulate, " --segment " A_SEGMENT, NULL);
	g_autofree char *bad = g_strconcat(simulate, " --segment x", NULL);

	workflow_file_write_file("good.json", WAIT("'time': '10:00'"));
	program_expect(NULL, zone, 0, "*2026-11-20T09:00:00.000Z *the wait is over\n*", NULL);
	program_expect(NULL, simulate, 0, "*2026-11-20T10:00:00.000Z *the wait is over\n*", NULL);
	program_expect(NULL, mars, 65, NULL, "posthouse: time_zone must be an IANA time zone\n");
	workflow_file_write_file("good.json",
	    "{'nodes': [" TRIGGER ", {'id': 'n', 'type': 'condition', 'data': {'rules': "
	    "[{'segment': '" A_SEGMENT "', 'operator': 'in'}]}}], 'edges': [{'source': 't', "
	    "'target': 'n'}]}");
	program_expect(NULL, in, 0, "*condition in segment *yes *is in segment*", NULL);
	program_expect(NULL, simulate, 0, "*condition in segment *no *is not in segment*", NULL);
	program_expect(NULL, bad, 64, NULL, "posthouse: --segment *");
}

Test(workflow_files, are_simulated_from_a_time_on_and_answered)
{
	static const char from[] = "workflow simulate good.json --from 2026-03-01 --until "
				   "2026-04-01 --contact '{\"end\": \"2026-03-10\"}'";
	g_autofree char *answered =
	    g_strconcat(from, " --response 'q=200:{\"a\": \"b=c:d\"}'", NULL);
	g_autofree char *failed = g_strconcat(from, " --response q=503", NULL);
	g_autofree char *bad = g_strconcat(from, " --response q=2x", NULL);

	workflow_file_write_file("good.json",
	    "{'nodes': [{'id': 't', 'type': 'trigger', 'data': {'eventName': 'date.reached', "
	    "'date': {'property': 'end', 'days': -1}}}, {'id': 'q', 'type': 'request', 'data': "
	    "{'url': 'https://example.com/'}}, {'id': 'n', 'type': 'condition', 'data': {'rules': "
	    "[{'property': 'step.q.body.a', 'operator': 'equals', 'value': 'b=c:d'}]}}], 'edges': "
	    "[{'source': 't', 'target': 'q'}, {'source': 'q', 'sourceHandle': 'ok', 'target': "
	    "'n'}]}");
	program_expect(NULL, from, 0, "*2026-03-09T09:00:00.000Z *event date.reached*no *", NULL);
	program_expect(NULL,
	    "workflow simulate good.json --from 0 --until 86400001 --contact "
	    "'{\"end\": \"1970-01-02\"}'",
	    0, "*1970-01-01T09:00:00.000Z *event date.reached*", NULL);
	program_expect(NULL, answered, 0, "*the answer is 200*yes *", NULL);
	program_expect(NULL, failed, 0, "*FAILED *example.com answered 503*", NULL);
	program_expect(NULL, bad, 65, NULL, "posthouse: --response must be NODE=STATUS *");
	program_expect(NULL, "workflow simulate good.json", 64, NULL,
	    "posthouse: --event NAME@TIME[:JSON] ... is missing\n*");
	program_expect(NULL, "workflow simulate good.json --from 2026-03-01", 64, NULL,
	    "posthouse: --until is required with --from*");
}

Test(workflow_files, are_split_by_the_contact)
{
	static const char simulate[] = "workflow simulate good.json --event order@2026-11-20";
	g_autofree char *ada = g_strconcat(simulate, " --contact '{\"email\": \"a@x.org\"}'", NULL);
	g_autofree char *by_id =
	    g_strconcat(simulate, " --id 01a1f8d1-2ace-718f-96bc-82c241916947", NULL);
	g_autofree char *by_other =
	    g_strconcat(simulate, " --id 01a1f8d1-2ace-718f-96bc-82c241916948", NULL);

	workflow_file_write_file("good.json",
	    "{'nodes': [" TRIGGER ", {'id': 'n', 'type': 'split', 'data': {'weights': {'left': 1, "
	    "'right': 1}}}], 'edges': [{'source': 't', 'target': 'n'}]}");
	program_expect(NULL, by_id, 0, "*split left 1, right 1 *right *\n*", NULL);
	program_expect(NULL, by_other, 0, "*split left 1, right 1 *left *\n*", NULL);
	program_expect(NULL, ada, 0, "*split left 1, right 1 *left *\n*", NULL);
}

Test(workflow_files, are_not_simulated_where_that_says_nothing)
{
	static const struct {
		const char *rest;
		int status;
		const char *errors;
	} cases[] = {
	    {"", 64, "posthouse: --event NAME@TIME[:JSON] ... is missing\n*"},
	    {"--event order", 65, "posthouse: --event must be NAME@TIME *: the @ is missing\n"},
	    {"--event order@soon", 65, "posthouse: --event must be *: the time is not ISO 8601\n"},
	    {"--event order@", 65, "posthouse: --event must be *: the time is not ISO 8601\n"},
	    {"--event @2026-11-20", 65,
		"posthouse: --event: the name must be 1 to 100 characters\n"},
	    {"--event 'order@2026-11-20:{'", 65, "posthouse: --event is not valid JSON: *\n"},
	    {"--event order@2026-11-20 --contact '{'", 65, "posthouse: --contact is not valid *"},
	    {"--event order@2026-11-20 --contact none.json", 66, "posthouse: --contact cannot *"},
	    {"--event order@2026-11-20 --id 5", 64, "posthouse: --id must be a UUID, *"},
	};

	workflow_file_write_file("good.json", WAIT("'duration': 1, 'unit': 'days'"));
	workflow_file_write_file("bad.json", WAIT("'duration': 0, 'unit': 'days'"));
	program_expect(NULL, "workflow simulate bad.json --event order@2026-11-20", 65, NULL,
	    "posthouse: node \"w\": data.duration must be a whole number from 1 to 1825\n");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *line =
		    g_strconcat("workflow simulate good.json ", cases[i].rest, NULL);

		program_expect(NULL, line, cases[i].status, NULL, cases[i].errors);
	}
}
