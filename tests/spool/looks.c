/* SPDX-License-Identifier: MIT */
/* Tests looks at people for segments, also when the process is killed: each change is told once. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "automation/workflow.h"
#include "segment/segment.h"
#include "service/service.h"
#include "tests/spool/depot.h"
#include "tests/support/db.h"

#define PEOPLE 2104
#define RULES "{\"match\":\"all\",\"rules\":[{\"property\":\"n\",\"operator\":\"exists\"}]}"
#define IN "SELECT COUNT(*) FROM segment_in"
#define EXECUTIONS "SELECT COUNT(*) FROM execution"

/* Makes a workflow that those who enter the segment n start. */
static void
looks_activate(struct depot *depot)
{
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};
	g_autoptr(GError) error = NULL;
	AUTO(store_segment)
	segment =
	    segment_create(depot->house->service, &depot->house->workspace, "N", RULES, &error);
	char text[ID_TEXT_SIZE];
	struct base_id id;

	cr_assert(segment, "%s", error ? error->message : "");
	g_autofree char *design = g_strdup_printf(
	    "{\"nodes\":[{\"id\":\"t\",\"type\":\"trigger\",\"data\":{\"eventName\":"
	    "\"segment.entered\",\"segmentId\":\"%s\"}},{\"id\":\"p\",\"type\":\"wait\",\"data\":"
	    "{\"duration\":30,\"unit\":\"days\"}}],\"edges\":[{\"source\":\"t\",\"target\":"
	    "\"p\"}]}",
	    base_id_format(&segment->id, text));
	const struct automation_workflow_change change = {
	    .name = "W", .status = "active", .design = design, .design_size = strlen(design)};
	cr_assert(automation_workflow_create(depot->house->service, &depot->house->workspace,
		      &author, &change, &id, &error),
	    "%s", error ? error->message : "");
}

static void
looks_fill(struct db *db)
{
	test_db_plain(db,
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, created, updated) SELECT"
	    " UNHEX(CONCAT('01890a5dac96774bbcce', LPAD(HEX(seq), 12, '0'))), id,"
	    " CONCAT('u', seq, '@example.net'), CONCAT('u', seq, '@example.net'), '{}', 0, 0, '',"
	    " 0, 1, 1 FROM workspace, seq_1_to_2104");
}

/* The hold of a process that was killed has ended, and a look is due. */
static void
looks_release(struct db *db)
{
	test_db_plain(db, "UPDATE workspace_look SET taken = 0, next_at = 0");
}

TestSuite(looks, .timeout = 900);

Test(looks, tell_each_change_once)
{
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	struct db *db = depot->house->service->db;

	looks_fill(db);
	looks_activate(depot);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(test_db_number(db, IN), 0);
	test_db_plain(db, "UPDATE person SET properties = '{\"n\":1}'");
	for (gint64 in = 0; in < PEOPLE;) {
		looks_release(db);
		AUTO(test_program) spool = depot_start(depot, ARGUMENTS("--once"));
		gint64 now = in;

		while (now == in && test_program_wait(spool, 1) == -1)
			now = test_db_number(db, IN);
		test_program_signal(spool, SIGKILL);
		cr_expect_neq(test_program_wait(spool, 60000), -1);
		in = test_db_number(db, IN);
	}
	for (guint i = 0; i < 2; i++) {
		looks_release(db);
		cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	}
	cr_expect_eq(test_db_number(db, EXECUTIONS), PEOPLE);
	cr_expect_eq(
	    test_db_number(db, "SELECT COUNT(DISTINCT contact_id) FROM execution"), PEOPLE);
	test_db_plain(db, "DELETE FROM person WHERE address = 'u7@example.net'");
	looks_release(db);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(test_db_number(db, IN), PEOPLE - 1);
}
