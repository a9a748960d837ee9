/* SPDX-License-Identifier: MIT */
/* Tests posthouse workflow start and posthouse start on a real database. */
#include <string.h>

#include "config/settings.h"
#include "tests/cli/office.h"

OFFICE_SUITE(start);

#define SQL(sql) test_db_plain(db, sql)
#define WORKFLOW "01890a5d-ac96-774b-bcce-b302099a8057"
#define HEX_WORKFLOW "0x01890a5dac96774bbcceb302099a8057"
#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8000"

static void
start_fill(int status)
{
	g_autofree char *workflow = g_strdup_printf(
	    "INSERT INTO workflow (id, workspace_id, name, status, current_version, active_version,"
	    " created_by, created_by_type, created, updated) SELECT " HEX_WORKFLOW
	    ", id, 'Welcome', %d, 1, 1, 'ada@example.com', 1, 1000, 2000 FROM workspace",
	    status);

	SQL(workflow);
	SQL("INSERT INTO workflow_version (workflow_id, version, workspace_id, design, created)"
	    " SELECT " HEX_WORKFLOW ", 1, id, '{\"nodes\":[{\"id\":\"start\",\"type\":\"trigger\","
	    "\"data\":{\"eventName\":\"a\",\"reentry\":\"once\"}}],\"edges\":[]}', 1000"
	    " FROM workspace");
}

#define COUNTS(people, started, reentry)                                                           \
	"\"counts\":{\"people\":" people ",\"started\":" started                                   \
	",\"filter\":0,\"reentry\":" reentry "}}\n"

Test(start, begins_people)
{
	start_fill(2);
	program_expect(config, "start list Welcome", 0, "There are no starts yet.\n", NULL);
	program_expect(config, "workflow start Welcome ada@example.net --property plan=pro --json",
	    0,
	    "{\"id\":\"*\",\"workflow_id\":\"" WORKFLOW "\",\"source\":\"cli\",\"status\":\"done\","
	    "*\"execution_id\":\"*" COUNTS("1", "1", "0"),
	    NULL);
	program_expect(config, "workflow start " WORKFLOW " Ada@example.net --json", 0,
	    "*\"execution_id\":null,\"reason\":\"reentry\",*" COUNTS("1", "0", "1"), NULL);
	program_expect(config, "workflow start Welcome a@example.net b@example.net", 0,
	    "The start is pending: *-*-*-*-*\n", NULL);
	g_autofree char *id = test_db_text(db,
	    "SELECT LOWER(INSERT(INSERT(INSERT(INSERT(HEX(id), 9, 0, '-'), 14, 0, '-'), 19, 0,"
	    " '-'), 24, 0, '-')) FROM workflow_start WHERE status = 1");
	g_autofree char *show = g_strconcat("start show --json ", id, NULL);
	g_autofree char *cancel = g_strconcat("start cancel ", id, NULL);
	program_expect(config, show, 0, "{\"id\":\"*\"status\":\"pending\"*", NULL);
	program_expect(config, "start list Welcome --json", 0,
	    "{\"starts\":[{*\"pending\"*},{*\"reentry\"*},{*\"done\"*}]}\n", NULL);
	program_expect(config, cancel, 0, "Start cancelled: *\n", NULL);
	program_expect(config, cancel, 73, NULL, "posthouse: Start is cancelled\n");
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM audit WHERE action = 'start.created'"
					" AND target_id <> ''"),
	    3);
	cr_expect_eq(
	    test_db_number(db, "SELECT COUNT(*) FROM audit WHERE action = 'start.changed'"), 1);
}

Test(start, refuses)
{
	start_fill(1);
	program_expect(config, "workflow start Welcome ada@example.net", 73, NULL,
	    "posthouse: Workflow is draft\n");
	program_expect(config, "workflow start Welcome", 65, NULL,
	    "posthouse: exactly one of email, emails, audience_id, segment_id is required\n");
	program_expect(config, "workflow start Welcome --segment " UNKNOWN, 65, NULL,
	    "posthouse: segment_id is not a segment\n");
	program_expect(config, "workflow start Nobody a@example.net", 66, NULL, "*Nobody*");
	program_expect(config, "workflow start Welcome a@example.net --property x", 65, NULL,
	    "*--property must be KEY=VALUE, not \"x\"\n");
	program_expect(config, "start show " UNKNOWN, 66, NULL, "posthouse: Start not found\n");
	program_expect(config, "start cancel x", 66, NULL, "posthouse: Start not found\n");
	program_expect(config, "event send contact.created a@example.net", 65, NULL,
	    "posthouse: event_name contact.created is told by Posthouse itself\n");
}
