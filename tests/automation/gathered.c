/* SPDX-License-Identifier: MIT */
/* Tests events of several requests that are stored in one transaction. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/event.h"
#include "service/service.h"
#include "store/person/person.h"
#include "tests/automation/fixture.h"

#define MOST (PERSON_LOCK_MOST + 1)
#define TRIGGER_OF(name) NODE("t", "trigger", "'eventName': '" name "', 'dedupe_window': 0")

/* Stores an event of each of these contacts, p0@example.org and so on, in one transaction. The
   names take turns. */
static void
gathered_store(struct fixture *fixture, guint count, const char *const *names, guint name_count)
{
	struct service_once *requests[MOST];
	char *emails[MOST];

	for (guint i = 0; i < count; i++) {
		g_autoptr(GError) error = NULL;

		emails[i] = g_strdup_printf("p%u@example.org", i);
		const struct automation_event_input input = {
		    names[i % name_count], emails[i], NULL};
		struct automation_recording *event = automation_event_check(
		    fixture->service, &fixture->house->workspace, &input, NULL, &error);
		cr_assert(event, "%s", error ? error->message : "");
		requests[i] = &event->request;
	}
	cr_assert(
	    service_once_store_together(fixture->service, requests, count, NULL), "%u", count);
	for (guint i = 0; i < count; i++) {
		service_once_free(requests[i]);
		g_free(emails[i]);
	}
}

static void
gathered_expect(struct fixture *fixture, guint count, const char *what, const char *sql, guint want)
{
	gint64 got = test_db_number(fixture->db, g_intern_string(sql));

	cr_expect_eq(got, want, "%u: %d %s, not %u", count, (int)got, what, want);
}

/* Any number of contacts is found: one query takes up to 16. Each third one is there before, and
   each fifth one has left all mailings without being there. */
Test(gathered, finds_each_contact_and_its_workflows)
{
	static const guint counts[] = {1, 2, 4, 5, PERSON_LOCK_MOST, MOST};
	static const char *const names[] = {"a", "b", "none"};
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
		guint count = counts[i], old = 0, left = 0;

		fixture_clear(fixture);
		test_db_plain(fixture->db, "DELETE FROM choice");
		fixture_workflow(fixture, TRIGGER_OF("a"), "");
		fixture_workflow(fixture, TRIGGER_OF("b"), "");
		for (guint k = 0; k < count; k++) {
			g_autofree char *email = g_strdup_printf("p%u@example.org", k);

			if (k % 3 == 0) {
				fixture_event_of(fixture, email, "seen", NULL);
				old++;
			} else if (k % 5 == 0) {
				g_autofree char *sql =
				    g_strdup_printf("INSERT INTO choice (workspace_id, person, "
						    "created) SELECT id, '%s', 1 FROM workspace",
					email);
				test_db_plain(fixture->db, sql);
				left++;
			}
		}
		gathered_store(fixture, count, names, G_N_ELEMENTS(names));
		gathered_expect(fixture, count, "people", "SELECT COUNT(*) FROM person", count);
		gathered_expect(fixture, count, "people who were there",
		    "SELECT COUNT(*) FROM person WHERE event_count = 2", old);
		gathered_expect(fixture, count, "people who have left",
		    "SELECT COUNT(*) FROM person p JOIN choice c ON c.workspace_id = "
		    "p.workspace_id AND c.person = p.address WHERE p.is_subscribed = 0",
		    left);
		gathered_expect(fixture, count, "people who have not left",
		    "SELECT COUNT(*) FROM person WHERE is_subscribed = 1", count - left);
		gathered_expect(
		    fixture, count, "events", "SELECT COUNT(*) FROM automation_event", count + old);
		gathered_expect(fixture, count, "executions",
		    "SELECT COUNT(*) FROM execution x JOIN automation_event v ON v.id = x.event_id"
		    " AND v.contact_id = x.contact_id JOIN workflow_trigger t"
		    " ON t.workflow_id = x.workflow_id AND t.event_name = v.name",
		    (count + 2) / 3 + (count + 1) / 3);
		gathered_expect(fixture, count, "entries", "SELECT COUNT(*) FROM workflow_entry",
		    (count + 2) / 3 + (count + 1) / 3);
	}
}

#define WAIT_FOR(name)                                                                             \
	NODE("w", "wait_for_event",                                                                \
	    "'eventName': '" name "', 'timeout': {'duration': 1, 'unit': 'days'}")
#define WAITING "SELECT COUNT(*) FROM execution WHERE status = 2"
#define RELEASED                                                                                   \
	"SELECT COUNT(*) FROM execution x JOIN automation_event v ON v.contact_id ="               \
	" x.contact_id AND v.name = 'paid' AND x.released = v.timestamp WHERE x.status = 1"

/* Each second execution waits for another event. Events that others wait for release none. */
Test(gathered, releases_the_executions_that_wait)
{
	static const char *const begin[] = {"a", "b"}, *const crossed[] = {"gone", "paid"},
				 *const end[] = {"paid"};
	static const guint counts[] = {1, 4, 5, PERSON_LOCK_MOST, MOST};
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
		guint count = counts[i], half = (count + 1) / 2;

		fixture_clear(fixture);
		fixture_workflow(fixture, TRIGGER_OF("a") "," WAIT_FOR("paid"), EDGE("t", "w"));
		fixture_workflow(fixture, TRIGGER_OF("b") "," WAIT_FOR("gone"), EDGE("t", "w"));
		gathered_store(fixture, count, begin, G_N_ELEMENTS(begin));
		fixture_run(fixture);
		gathered_expect(fixture, count, "executions that wait", WAITING, count);
		gathered_store(fixture, count, crossed, G_N_ELEMENTS(crossed));
		gathered_expect(fixture, count, "executions that still wait", WAITING, count);
		gathered_store(fixture, count, end, G_N_ELEMENTS(end));
		gathered_expect(fixture, count, "released executions", RELEASED, half);
		gathered_expect(
		    fixture, count, "executions that wait for another", WAITING, count - half);
	}
}

/* Each contact is known by its own entries. */
Test(gathered, starts_each_contact_once)
{
	static const char *const names[] = {"a", "none"}, *const same[] = {"a"};
	static const guint counts[] = {1, 4, 5, PERSON_LOCK_MOST, MOST};
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
		guint count = counts[i];

		fixture_clear(fixture);
		fixture_workflow(fixture,
		    NODE("t", "trigger", "'eventName': 'a', 'dedupe_window': 0, 'reentry': 'once'"),
		    "");
		gathered_store(fixture, count, names, G_N_ELEMENTS(names));
		gathered_expect(fixture, count, "first executions",
		    "SELECT COUNT(*) FROM execution", (count + 1) / 2);
		gathered_store(fixture, count, same, G_N_ELEMENTS(same));
		gathered_expect(fixture, count, "executions of each contact",
		    "SELECT COUNT(*) FROM execution x JOIN workflow_entry e"
		    " ON e.contact_id = x.contact_id AND e.workflow_id = x.workflow_id",
		    count);
	}
}
