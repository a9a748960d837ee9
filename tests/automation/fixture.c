/* SPDX-License-Identifier: MIT */
/* Plays workflows on a clock that a test sets. */
#include "tests/automation/fixture.h"

#include <criterion/criterion.h>
#include <string.h>

#include "automation/workflow.h"
#include "base/clock.h"
#include "json/strict.h"
#include "process/seccomp.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/template/template.h"

#define SENDER "Posthouse <me@example.com>"

struct fixture *
fixture_open(void)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	base_clock_set(FIXTURE_START);
	const char *confines = process_seccomp_is_known() ? "seccomp = yes\n" : "";
	g_autofree char *settings =
	    g_strconcat("[service]\nurl = http://127.0.0.1\n", confines, NULL);
	fixture->house = test_house_open(NULL, settings);
	test_house_domain(fixture->house, "example.com");
	fixture->service = fixture->house->service;
	fixture->db = fixture->service->db;
	test_db_plain(fixture->db, "UPDATE workspace SET default_sender = '" SENDER "'");
	fixture->engine = automation_engine_new(fixture->service);
	return fixture;
}

void
fixture_close(struct fixture *fixture)
{
	automation_engine_free(fixture->engine);
	test_house_close(fixture->house);
	g_free(fixture);
}

void
fixture_clear(struct fixture *fixture)
{
	static const char *const all[] = {"DELETE FROM execution", "DELETE FROM execution_wait",
	    "DELETE FROM execution_email", "DELETE FROM execution_step",
	    "DELETE FROM automation_feedback", "DELETE FROM automation_event", "DELETE FROM person",
	    "DELETE FROM workflow_trigger", "DELETE FROM workflow_entry",
	    "DELETE FROM workflow_task", "DELETE FROM workflow_version", "DELETE FROM workflow",
	    "DELETE FROM outbox", "DELETE FROM event", "DELETE FROM email_part",
	    "DELETE FROM email_content", "DELETE FROM recipient", "DELETE FROM email",
	    "DELETE FROM template", "DELETE FROM suppression", "DELETE FROM execution_watch",
	    "DELETE FROM workflow_key", "DELETE FROM digest", "DELETE FROM digest_event",
	    "DELETE FROM figure"};

	for (guint i = 0; i < G_N_ELEMENTS(all); i++)
		test_db_plain(fixture->db, all[i]);
	base_clock_set(FIXTURE_START);
}

void
fixture_at(gint64 minutes)
{
	gint64 time = FIXTURE_START + minutes * 60000;

	if (time > base_clock_now())
		base_clock_set(time);
}

struct base_id
fixture_workflow(struct fixture *fixture, const char *nodes, const char *edges)
{
	g_autofree char *text = sample_design_text(nodes, edges);
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};
	const struct automation_workflow_change change = {
	    .name = "Test", .status = "active", .design = text, .design_size = strlen(text)};
	g_autoptr(GError) error = NULL;
	struct base_id id;

	cr_assert(automation_workflow_create(
		      fixture->service, &fixture->house->workspace, &author, &change, &id, &error),
	    "%s", error ? error->message : "");
	return id;
}

char *
fixture_change(struct fixture *fixture, const struct base_id *workflow, const char *status,
    const char *nodes, const char *edges)
{
	g_autofree char *text = nodes ? sample_design_text(nodes, edges) : NULL;
	const struct automation_workflow_change change = {
	    .status = status, .design = text, .design_size = text ? strlen(text) : 0};
	g_autoptr(GError) error = NULL;

	automation_workflow_change(
	    fixture->service, &fixture->house->workspace, workflow, &change, &error);
	return error ? g_strdup(error->message) : NULL;
}

void
fixture_template(struct fixture *fixture, const char *id, const char *subject, const char *html,
    const char *variables)
{
	g_autoptr(GBytes) bytes = g_bytes_new(html, strlen(html));
	struct store_template template = {
	    .id = (char *)id,
	    .workspace_id = fixture->house->workspace,
	    .name = (char *)id,
	    .subject = (char *)subject,
	    .html = bytes,
	    .variables = (char *)(variables ? variables : "{}"),
	};
	g_autoptr(GError) error = NULL;

	cr_assert(store_template_create(fixture->db, &template, &error), "%s",
	    error ? error->message : "");
}

/* Also for processes of a test's own, whose asserts the suite would not understand. */
static void
fixture_must(bool done, const char *name, const GError *error)
{
	if (!done)
		g_error("%s: %s", name, error ? error->message : "failed");
}

struct automation_recording *
fixture_record(struct service *service, const struct base_id *workspace,
    const struct automation_event_input *input, const struct service_idempotency *key,
    GError **error)
{
	struct automation_recording *event =
	    automation_event_check(service, workspace, input, key, error);

	if (!event || service_once_store_one(service, &event->request, error))
		return event;
	service_once_free(&event->request);
	return NULL;
}

bool
fixture_event_of(
    struct fixture *fixture, const char *email, const char *name, const char *properties)
{
	g_autofree char *text = sample_text(properties ? properties : "{}");
	g_autoptr(GError) error = NULL;
	AUTO(json) given = json_parse(text, strlen(text), &error);
	const struct automation_event_input input = {name, email, given};

	fixture_must(given != NULL, text, error);
	struct automation_recording *event =
	    fixture_record(fixture->service, &fixture->house->workspace, &input, NULL, &error);
	fixture_must(event != NULL, name, error);
	/* Events in one millisecond are given times in the next ones: what they start is due then.
	 */
	while (base_clock_now() < event->timestamp)
		g_usleep(100);
	bool deduplicated = event->deduplicated;
	service_once_free(&event->request);
	return deduplicated;
}

bool
fixture_event(struct fixture *fixture, const char *name, const char *properties)
{
	return fixture_event_of(fixture, "ann@example.org", name, properties);
}

void
fixture_run(struct fixture *fixture)
{
	guint count = 1;

	while (count > 0) {
		g_autoptr(GError) error = NULL, trouble = NULL;

		bool done = automation_engine_run(fixture->engine, &count, &trouble, &error);
		fixture_must(done, "engine", error);
	}
}

static void
add_minutes(GString *text, const char *word, const struct db_rows *rows, guint column)
{
	if (!db_rows_is_null(rows, column))
		g_string_append_printf(text, " %s %" G_GINT64_FORMAT, word,
		    (db_rows_int(rows, column) - FIXTURE_START) / 60000);
}

char *
fixture_show(struct fixture *fixture)
{
	static const char sql[] =
	    "SELECT status, step_id, step_count, IF(status = 1, ready_at, NULL), wait_until,"
	    " parked, IF(status = 4, error_step, NULL), error_message, cancellation FROM execution"
	    " ORDER BY id";
	AUTO(db_rows) rows = db_select(fixture->db, sql, NULL, 0, NULL);
	GString *text = g_string_new(NULL);

	cr_assert(rows);
	while (db_rows_next(rows)) {
		g_string_append_printf(text, "%s %s %" G_GINT64_FORMAT,
		    store_execution_statuses[db_rows_int(rows, 0) - 1], db_rows_text(rows, 1),
		    db_rows_int(rows, 2));
		add_minutes(text, "due", rows, 3);
		add_minutes(text, "until", rows, 4);
		add_minutes(text, "parked", rows, 5);
		if (!db_rows_is_null(rows, 6))
			g_string_append_printf(
			    text, " %s: %s", db_rows_text(rows, 6), db_rows_text(rows, 7));
		if (!db_rows_is_null(rows, 8))
			g_string_append_printf(
			    text, " %s", store_execution_cancellations[db_rows_int(rows, 8) - 1]);
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

void
fixture_expect_steps(struct fixture *fixture)
{
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM execution e WHERE step_count - IF(status = 3 OR "
			 "cancellation <=> 4, 0,"
			 " 1) <>"
			 " (SELECT COUNT(*) FROM execution_step s WHERE s.execution_id = e.id"
			 " AND s.sequence BETWEEN 1 AND e.step_count)"
			 " + (start_id IS NOT NULL AND step_count > 1 AND NOT EXISTS (SELECT 1 FROM"
			 " execution_step s WHERE s.execution_id = e.id AND s.sequence = 1))"),
	    0,
	    "some executions have not a row for each step that they have left, but for the trigger "
	    "of"
	    " a start");
}

char *
fixture_mails(struct fixture *fixture)
{
	static const char sql[] = "SELECT r.address, e.subject FROM email e JOIN recipient r"
				  " ON r.email_id = e.id ORDER BY e.id";
	AUTO(db_rows) rows = db_select(fixture->db, sql, NULL, 0, NULL);
	GString *text = g_string_new(NULL);

	cr_assert(rows);
	while (db_rows_next(rows))
		g_string_append_printf(
		    text, "%s %s\n", db_rows_text(rows, 0), db_rows_text(rows, 1));
	return g_string_free(text, FALSE);
}

char *
fixture_properties(struct fixture *fixture)
{
	return test_db_text(
	    fixture->db, "SELECT properties FROM person WHERE address = 'ann@example.org'");
}

void
fixture_expect(const char *name, char *got, const char *want)
{
	cr_expect_str_eq(
	    got ? got : "(none)", want, "%s: got %s, want %s", name, got ? got : "(none)", want);
	g_free(got);
}

struct base_id
fixture_execution(struct fixture *fixture)
{
	AUTO(db_rows) rows = db_select(
	    fixture->db, "SELECT id FROM execution ORDER BY id DESC LIMIT 1", NULL, 0, NULL);
	struct base_id id;

	cr_assert(rows && db_rows_next(rows) && db_rows_id(rows, 0, &id));
	return id;
}
