/* SPDX-License-Identifier: MIT */
/* The cost of lists of workflows, executions, their emails, automation contacts and events. */
#include "store/automation/event.h"
#include "store/automation/execution.h"
#include "store/automation/workflow.h"
#include "store/person/person.h"
#include "tests/store/fixture.h"

static struct fixture *fixture;
static struct base_id workflow, contact; /* each has a hundredth of the rows */

static void
automation_lists_begin(void)
{
	fixture = fixture_open();
}

static void
automation_lists_end(void)
{
	fixture_close(fixture);
}

TestSuite(automation_lists, .init = automation_lists_begin, .fini = automation_lists_end);

#define ROWS 20000
#define PAGE 51

/* Rows of a table, numbered by n from 1; id is id_of(n). */
#define FILL(table, columns, values)                                                               \
	"INSERT INTO " table " (workspace_id, " columns ") SELECT ?, " values " FROM "             \
	"seq_1_to_20000"
#define ID(number) "UNHEX(LPAD(HEX(" number "), 32, '0'))"

static void
automation_lists_run(const char *sql)
{
	MUST(db_run(fixture->db, sql, DB_VALUES(db_id(&fixture->workspace)), NULL, &error));
}

static struct base_id
automation_lists_id_of(guint number)
{
	struct base_id id = {{0}};

	id.bytes[14] = (guint8)(number >> 8);
	id.bytes[15] = (guint8)number;
	return id;
}

/* Hundreds of workflows and contacts, each with a hundredth of the executions, emails and events;
   statuses go round. */
static void
automation_lists_fill(void)
{
	test_db_plain(fixture->db, "SET default_storage_engine = InnoDB");
	automation_lists_run(FILL("workflow",
	    "id, name, status, current_version, active_version, created_by, created_by_type,"
	    " created, updated, deleted",
	    ID("seq") ", 'W', 2, 1, 1, '', 1, 1, 1, IF(seq % 2, NULL, 5)"));
	automation_lists_run(FILL("person",
	    "id, email, address, properties, first_seen, last_seen, last_event,"
	    " event_count, created, updated",
	    ID("seq") ", '', seq, '{}', 1, 1, '', 1, 1, 1"));
	automation_lists_run(
	    FILL("automation_event", "id, contact_id, name, timestamp, properties, created",
		ID("seq") ", " ID("1 + seq % 100") ", 'n', 1, '{}', 1"));
	automation_lists_run(FILL("execution",
	    "id, workflow_id, contact_id, event_id, email, version, status, step_id, step_count,"
	    " step_time, created, updated",
	    ID("seq") ", " ID("1 + seq % 100") ", " ID(
		"1 + seq % 100") ", '', '', 1,"
				 " 1 + (seq DIV 100) % 5, 's', 1, 1, 1, 1"));
	automation_lists_run(FILL("email", "id, domain_id, type, sender, to_list, subject, created",
	    ID("seq") ", '', 2, '', '', 'S', 1"));
	automation_lists_run(
	    FILL("recipient", "email_id, number, kind, address", ID("seq") ", 0, 1, 'a@x.org'"));
	automation_lists_run(FILL("event", "email_id, id, recipient, status, timestamp",
	    ID("seq") ", " ID("seq") ", 0, 1, 1"));
	automation_lists_run(FILL("execution_email",
	    "email_id, workflow_id, execution_id, contact_id, step_id, depth",
	    ID("seq") ", " ID("1 + seq % 100") ", " ID("1 + seq % 400") ", '', 's', 0"));
	test_db_plain(fixture->db,
	    "ANALYZE TABLE workflow, person, automation_event, execution, email,"
	    " recipient, event, execution_email");
}

static GPtrArray *
workflows(const struct base_id *before)
{
	return MUST_GIVE(
	    store_workflow_list(fixture->db, &fixture->workspace, before, PAGE, &error));
}

static GPtrArray *
contacts(const struct base_id *before)
{
	return MUST_GIVE(store_person_list(fixture->db, &fixture->workspace, before, PAGE, &error));
}

static GPtrArray *
events(const struct base_id *before)
{
	return MUST_GIVE(store_automation_event_list(
	    fixture->db, &fixture->workspace, &contact, before, PAGE, &error));
}

static GPtrArray *
executions(const struct base_id *of_workflow, const struct base_id *of_contact,
    enum store_execution_status status, const struct base_id *before)
{
	const struct store_execution_filter filter = {
	    .workflow_id = of_workflow,
	    .contact_id = of_contact,
	    .status = status,
	    .before = before,
	};

	return MUST_GIVE(
	    store_execution_list(fixture->db, &fixture->workspace, &filter, PAGE, &error));
}

static GPtrArray *
of_workflow(const struct base_id *before)
{
	return executions(&workflow, NULL, 0, before);
}

static GPtrArray *
of_workflow_failed(const struct base_id *before)
{
	return executions(&workflow, NULL, EXECUTION_FAILED, before);
}

static GPtrArray *
of_contact(const struct base_id *before)
{
	return executions(NULL, &contact, 0, before);
}

static GPtrArray *
of_contact_waiting(const struct base_id *before)
{
	return executions(NULL, &contact, EXECUTION_WAITING, before);
}

static GPtrArray *
of_contact_cancelled(const struct base_id *before)
{
	return executions(NULL, &contact, EXECUTION_CANCELLED, before);
}

static GPtrArray *
automation_lists_emails(const struct base_id *before)
{
	return MUST_GIVE(store_execution_email_list(
	    fixture->db, &fixture->workspace, &workflow, before, PAGE, &error));
}

static GPtrArray *
emails_of_execution(const struct base_id *before)
{
	struct base_id execution = automation_lists_id_of(7);

	return MUST_GIVE(
	    store_execution_email_of(fixture->db, &fixture->workspace, &execution, &error));
}

/* A page reads its own rows and their joined rows, however many rows there are, and sorts
   nothing else. */
Test(automation_lists, cost_what_they_show)
{
	static const struct {
		const char *name;
		GPtrArray *(*list)(const struct base_id *before);
		guint want, read, sorted;
	} cases[] = {
	    {"workflows", workflows, PAGE, 2 * PAGE, 0},
	    {"contacts", contacts, PAGE, 2 * PAGE, 0},
	    {"events", events, PAGE, 3 * PAGE, 0},
	    {"of a workflow", of_workflow, PAGE, 3 * PAGE, 0},
	    {"of a workflow, failed", of_workflow_failed, 40, 3 * PAGE, 0},
	    {"of a contact", of_contact, PAGE, 3 * PAGE, 0},
	    {"of a contact, waiting", of_contact_waiting, 40, 3 * PAGE, 0},
	    {"of a contact, cancelled", of_contact_cancelled, 40, 6 * PAGE, PAGE},
	    {"emails", automation_lists_emails, PAGE, 9 * PAGE, 2 * PAGE},
	    {"emails of an execution", emails_of_execution, 50, 9 * PAGE, 2 * PAGE},
	};
	/* In the middle of the list. */
	struct base_id before = automation_lists_id_of(ROWS / 2 + 1);

	workflow = contact = automation_lists_id_of(7);
	automation_lists_fill();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		for (guint pages = 0; pages < 2; pages++) {
			const struct base_id *from = pages == 0 ? NULL : &before;
			g_ptr_array_unref(
			    cases[i].list(from)); /* the first call prepares the statements */
			fixture_work(fixture);
			g_autoptr(GPtrArray) page = cases[i].list(from);
			struct fixture_work work = fixture_work(fixture);

			cr_expect(page->len == cases[i].want || pages == 1, "%s: got %u, want %u",
			    cases[i].name, page->len, cases[i].want);
			cr_expect_gt(page->len, 0, "%s, page %u: nothing", cases[i].name, pages);
			cr_expect_leq(work.read, cases[i].read, "%s, page %u: read %d rows",
			    cases[i].name, pages, (int)work.read);
			cr_expect_leq(work.sorted, cases[i].sorted, "%s, page %u: sorted %d rows",
			    cases[i].name, pages, (int)work.sorted);
		}
	}
}
