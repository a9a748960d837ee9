#include "automation/contact.h"

#include <criterion/criterion.h>

#include "core/core.h"
#include "json/value.h"
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
	    stage->core, &stage->house->workspace, "ANN@Example.org", &error));
	stage_expect("cancelled", stage_show(stage),
	    "CANCELLED w 3 contact_deleted\nWAITING w 3 until 1440\n");
	stage_expect(
	    "emails", stage_mails(stage), "ann@example.org First\nbob@example.org First\n");
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM automation_event"), 1);
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM automation_contact"), 1);
	cr_expect_not(automation_contact_remove(
	    stage->core, &stage->house->workspace, "ann@example.org", &error));
	cr_expect_str_eq(error->message, "Contact not found");
	stage_event(stage, "order", NULL);
	stage_expect("starts anew", stage_show(stage),
	    "CANCELLED w 3 contact_deleted\nWAITING w 3 until 1440\nIN_PROGRESS t 1 due 0\n");
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
	    stage->core, &stage->house->workspace, "Ann@example.org", patch, &merged, &error));
	cr_expect_str_eq(merged, "{\"a\":{\"c\":1,\"d\":2},\"e\":\"f\"}");
	stage_expect("stored", stage_properties(stage), merged);
	stage_expect("nothing", stage_show(stage), "");
	cr_expect_eq(test_db_number(stage->db, "SELECT event_count FROM automation_contact"), 1);
	cr_expect_not(automation_contact_patch(
	    stage->core, &stage->house->workspace, "bob@example.org", patch, &none, &error));
	cr_expect_str_eq(error->message, "Contact not found");
}
