/* SPDX-License-Identifier: MIT */
#include "automation/contact.h"

#include <criterion/criterion.h>

#include "json/value.h"
#include "person/erase.h"
#include "service/service.h"
#include "store/person/person.h"
#include "store/upkeep/retention.h"
#include "tests/automation/fixture.h"

Test(contact, that_is_deleted_has_its_executions_cancelled_and_keeps_its_emails)
{
	AUTO(fixture) fixture = fixture_open();
	g_autoptr(GError) error = NULL;

	fixture_workflow(fixture,
	    TRIGGER "," NODE("a", "send_email",
		"'subject': 'First', 'html': '<p>Hello</p>'") "," NODE("w", "wait", WAIT_DATA),
	    EDGE("t", "a") "," EDGE("a", "w"));
	fixture_event(fixture, "order", NULL);
	fixture_event_of(fixture, "bob@example.org", "order", NULL);
	fixture_run(fixture);
	cr_assert(automation_contact_remove(
	    fixture->service, &fixture->house->workspace, "ANN@Example.org", &error));
	fixture_expect("cancelled", fixture_show(fixture),
	    "CANCELLED w 3 contact_deleted\nWAITING w 3 until 1440\n");
	fixture_expect(
	    "emails", fixture_mails(fixture), "ann@example.org First\nbob@example.org First\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_event"), 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM person"), 1);
	cr_expect_not(automation_contact_remove(
	    fixture->service, &fixture->house->workspace, "ann@example.org", &error));
	cr_expect_str_eq(error->message, "Contact not found");
	fixture_event(fixture, "order", NULL);
	fixture_expect("starts anew", fixture_show(fixture),
	    "CANCELLED w 3 contact_deleted\nWAITING w 3 until 1440\nIN_PROGRESS t 1 due 0\n");
}

/* Executions of a contact that was deleted still contain the address. */
Test(contact, that_was_deleted_is_found_when_the_person_is_erased)
{
	AUTO(fixture) fixture = fixture_open();
	const struct base_id *workspace = &fixture->house->workspace;
	struct store_erasure erased;
	g_autoptr(GError) error = NULL;

	fixture_workflow(fixture, TRIGGER "," NODE("w", "wait", WAIT_DATA), EDGE("t", "w"));
	for (guint i = 0; i < 2; i++) {
		fixture_event(fixture, "order", NULL);
		fixture_event_of(fixture, "bob@example.org", "order", NULL);
		fixture_run(fixture);
		cr_assert(automation_contact_remove(
		    fixture->service, workspace, "ann@example.org", &error));
	}
	fixture_event(fixture, "visit", NULL);
	cr_assert(
	    automation_contact_remove(fixture->service, workspace, "ann@example.org", &error));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_trace"), 2,
	    "none where there was no execution");
	fixture_event(fixture, "order", NULL);
	cr_assert(person_erase(fixture->service, workspace, "Ann@example.org", &erased, &error),
	    "%s", error ? error->message : "");
	cr_expect_eq(erased.executions, 3);
	cr_expect_eq(erased.automation_contacts, 1);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution WHERE email LIKE 'ann%'"),
	    0);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_trace"), 0);
	cr_expect_gt(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 0);
}

/* The trace goes with the last execution. */
Test(contact, that_was_deleted_leaves_no_trace_in_the_end)
{
	AUTO(fixture) fixture = fixture_open();
	guint count;

	fixture_workflow(fixture, TRIGGER "," NODE("w", "wait", WAIT_DATA), EDGE("t", "w"));
	fixture_event(fixture, "order", NULL);
	cr_assert(automation_contact_remove(
	    fixture->service, &fixture->house->workspace, "ann@example.org", NULL));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_trace"), 1);
	cr_assert(store_retention_executions(
	    fixture->db, FIXTURE_START + (gint64)DAY * 60000, &count, NULL));
	cr_expect_eq(count, 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_trace"), 0);
}

Test(contact, that_is_patched_has_it_merged_and_starts_nothing)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(json) patch = sample_json("{'a': {'b': null, 'd': 2}, 'e': 'f'}");
	g_autofree char *merged = NULL, *none = NULL;
	g_autoptr(GError) error = NULL;

	fixture_event(fixture, "visit", "{'a': {'b': 1, 'c': 1}}");
	fixture_workflow(fixture, TRIGGER, "");
	cr_assert(automation_contact_patch(fixture->service, &fixture->house->workspace,
	    "Ann@example.org", patch, &merged, &error));
	cr_expect_str_eq(merged, "{\"a\":{\"c\":1,\"d\":2},\"e\":\"f\"}");
	fixture_expect("stored", fixture_properties(fixture), merged);
	fixture_expect("nothing", fixture_show(fixture), "");
	cr_expect_eq(test_db_number(fixture->db, "SELECT event_count FROM person"), 1);
	cr_expect_not(automation_contact_patch(
	    fixture->service, &fixture->house->workspace, "bob@example.org", patch, &none, &error));
	cr_expect_str_eq(error->message, "Contact not found");
}

/* A person exists before its first event, and automation does not see it. */
Test(contact, is_a_person_from_the_first_event_on)
{
	AUTO(fixture) fixture = fixture_open();
	const struct base_id *workspace = &fixture->house->workspace;
	AUTO(json) patch = sample_json("{'a': 1}");
	g_autofree char *merged = NULL;
	g_autoptr(GError) error = NULL;
	struct base_id id;

	fixture_event(fixture, "visit", "{'b': 2}");
	test_db_plain(fixture->db,
	    "UPDATE person SET seen = 0, first_seen = 0, last_seen = 0, last_event = '',"
	    " event_count = 0, id = REPEAT('x', 16)");
	cr_expect_not(automation_contact_patch(
	    fixture->service, workspace, "ann@example.org", patch, &merged, NULL));
	cr_expect_not(
	    automation_contact_remove(fixture->service, workspace, "ann@example.org", NULL));
	cr_expect_null(store_person_get(fixture->db, workspace, "ann@example.org", NULL));
	cr_expect_not(store_person_find(fixture->db, workspace, "ann@example.org", &id, &error));
	cr_expect_str_eq(error->message, "Contact not found");
	g_autoptr(GPtrArray) none = store_person_list(fixture->db, workspace, NULL, 10, NULL);
	cr_expect_eq(none->len, 0);

	fixture_event(fixture, "order", NULL);
	AUTO(store_person) seen = store_person_get(fixture->db, workspace, "ann@example.org", NULL);
	cr_assert(seen);
	cr_expect_eq(seen->id.bytes[0], 'x');
	cr_expect_str_eq(seen->properties, "{\"b\":2}");
	cr_expect_geq(seen->first_seen, FIXTURE_START);
	cr_expect_eq(seen->first_seen, seen->last_seen);
	cr_expect_eq(seen->event_count, 1);
	g_autoptr(GPtrArray) one = store_person_list(fixture->db, workspace, NULL, 10, NULL);
	cr_expect_eq(one->len, 1);
}
