/* SPDX-License-Identifier: MIT */
#include "automation/contact.h"

#include <criterion/criterion.h>

#include "json/value.h"
#include "person/erase.h"
#include "service/service.h"
#include "store/person/person.h"
#include "store/upkeep/retention.h"
#include "tests/automation/stage.h"

Test(contact, that_is_deleted_has_its_executions_cancelled_and_keeps_its_emails)
{
	AUTO(stage) stage = stage_open();
	g_autoptr(GError) error = NULL;

	stage_workflow(stage,
	    TRIGGER "," NODE("a", "send_email",
		"'subject': 'First', 'html': '<p>Hello</p>'") "," NODE("w", "wait", WAIT_DATA),
	    EDGE("t", "a") "," EDGE("a", "w"));
	stage_event(stage, "order", NULL);
	stage_event_of(stage, "bob@example.org", "order", NULL);
	stage_run(stage);
	cr_assert(automation_contact_remove(
	    stage->service, &stage->house->workspace, "ANN@Example.org", &error));
	stage_expect("cancelled", stage_show(stage),
	    "CANCELLED w 3 contact_deleted\nWAITING w 3 until 1440\n");
	stage_expect(
	    "emails", stage_mails(stage), "ann@example.org First\nbob@example.org First\n");
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM automation_event"), 1);
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM person"), 1);
	cr_expect_not(automation_contact_remove(
	    stage->service, &stage->house->workspace, "ann@example.org", &error));
	cr_expect_str_eq(error->message, "Contact not found");
	stage_event(stage, "order", NULL);
	stage_expect("starts anew", stage_show(stage),
	    "CANCELLED w 3 contact_deleted\nWAITING w 3 until 1440\nIN_PROGRESS t 1 due 0\n");
}

/* Executions of a contact that was deleted still contain the address. */
Test(contact, that_was_deleted_is_found_when_the_person_is_erased)
{
	AUTO(stage) stage = stage_open();
	const struct base_id *workspace = &stage->house->workspace;
	struct store_erasure erased;
	g_autoptr(GError) error = NULL;

	stage_workflow(stage, TRIGGER "," NODE("w", "wait", WAIT_DATA), EDGE("t", "w"));
	for (guint i = 0; i < 2; i++) {
		stage_event(stage, "order", NULL);
		stage_event_of(stage, "bob@example.org", "order", NULL);
		stage_run(stage);
		cr_assert(automation_contact_remove(
		    stage->service, workspace, "ann@example.org", &error));
	}
	stage_event(stage, "visit", NULL);
	cr_assert(automation_contact_remove(stage->service, workspace, "ann@example.org", &error));
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM execution_trace"), 2,
	    "none where there was no execution");
	stage_event(stage, "order", NULL);
	cr_assert(person_erase(stage->service, workspace, "Ann@example.org", &erased, &error), "%s",
	    error ? error->message : "");
	cr_expect_eq(erased.executions, 3);
	cr_expect_eq(erased.automation_contacts, 1);
	cr_expect_eq(
	    test_db_number(stage->db, "SELECT COUNT(*) FROM execution WHERE email LIKE 'ann%'"), 0);
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM execution_trace"), 0);
	cr_expect_gt(test_db_number(stage->db, "SELECT COUNT(*) FROM execution"), 0);
}

/* The trace goes with the last execution. */
Test(contact, that_was_deleted_leaves_no_trace_in_the_end)
{
	AUTO(stage) stage = stage_open();
	guint count;

	stage_workflow(stage, TRIGGER "," NODE("w", "wait", WAIT_DATA), EDGE("t", "w"));
	stage_event(stage, "order", NULL);
	cr_assert(automation_contact_remove(
	    stage->service, &stage->house->workspace, "ann@example.org", NULL));
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM execution_trace"), 1);
	cr_assert(
	    store_retention_executions(stage->db, STAGE_START + (gint64)DAY * 60000, &count, NULL));
	cr_expect_eq(count, 1);
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM execution_trace"), 0);
}

Test(contact, that_is_patched_has_it_merged_and_starts_nothing)
{
	AUTO(stage) stage = stage_open();
	AUTO(json) patch = sample_json("{'a': {'b': null, 'd': 2}, 'e': 'f'}");
	g_autofree char *merged = NULL, *none = NULL;
	g_autoptr(GError) error = NULL;

	stage_event(stage, "visit", "{'a': {'b': 1, 'c': 1}}");
	stage_workflow(stage, TRIGGER, "");
	cr_assert(automation_contact_patch(
	    stage->service, &stage->house->workspace, "Ann@example.org", patch, &merged, &error));
	cr_expect_str_eq(merged, "{\"a\":{\"c\":1,\"d\":2},\"e\":\"f\"}");
	stage_expect("stored", stage_properties(stage), merged);
	stage_expect("nothing", stage_show(stage), "");
	cr_expect_eq(test_db_number(stage->db, "SELECT event_count FROM person"), 1);
	cr_expect_not(automation_contact_patch(
	    stage->service, &stage->house->workspace, "bob@example.org", patch, &none, &error));
	cr_expect_str_eq(error->message, "Contact not found");
}

/* A person exists before its first event, and automation does not see it. */
Test(contact, is_a_person_from_the_first_event_on)
{
	AUTO(stage) stage = stage_open();
	const struct base_id *workspace = &stage->house->workspace;
	AUTO(json) patch = sample_json("{'a': 1}");
	g_autofree char *merged = NULL;
	g_autoptr(GError) error = NULL;
	struct base_id id;

	stage_event(stage, "visit", "{'b': 2}");
	test_db_plain(stage->db,
	    "UPDATE person SET seen = 0, first_seen = 0, last_seen = 0, last_event = '',"
	    " event_count = 0, id = REPEAT('x', 16)");
	cr_expect_not(automation_contact_patch(
	    stage->service, workspace, "ann@example.org", patch, &merged, NULL));
	cr_expect_not(
	    automation_contact_remove(stage->service, workspace, "ann@example.org", NULL));
	cr_expect_null(store_person_get(stage->db, workspace, "ann@example.org", NULL));
	cr_expect_not(store_person_find(stage->db, workspace, "ann@example.org", &id, &error));
	cr_expect_str_eq(error->message, "Contact not found");
	g_autoptr(GPtrArray) none = store_person_list(stage->db, workspace, NULL, 10, NULL);
	cr_expect_eq(none->len, 0);

	stage_event(stage, "order", NULL);
	AUTO(store_person) seen = store_person_get(stage->db, workspace, "ann@example.org", NULL);
	cr_assert(seen);
	cr_expect_eq(seen->id.bytes[0], 'x');
	cr_expect_str_eq(seen->properties, "{\"b\":2}");
	cr_expect_geq(seen->first_seen, STAGE_START);
	cr_expect_eq(seen->first_seen, seen->last_seen);
	cr_expect_eq(seen->event_count, 1);
	g_autoptr(GPtrArray) one = store_person_list(stage->db, workspace, NULL, 10, NULL);
	cr_expect_eq(one->len, 1);
}
