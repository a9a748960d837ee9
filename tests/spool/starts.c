/* SPDX-License-Identifier: MIT */
/* Tests starts of many people, which posthouse-spool begins, also when it is killed. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "automation/workflow.h"
#include "base/limits/workflow.h"
#include "segment/segment.h"
#include "service/service.h"
#include "start/order.h"
#include "store/automation/start.h"
#include "tests/spool/depot.h"
#include "tests/support/db.h"

#define PEOPLE 1203
#define DESIGN                                                                                     \
	"{\"nodes\":[{\"id\":\"t\",\"type\":\"trigger\",\"data\":{\"eventName\":"                  \
	"\"workflow.started\",\"reentry\":\"after_finish\"}},"                                     \
	"{\"id\":\"p\",\"type\":\"wait\",\"data\":{\"duration\":30,\"unit\":\"days\"}}],"          \
	"\"edges\":[{\"source\":\"t\",\"target\":\"p\"}]}"
#define EVERYBODY "{\"match\":\"all\",\"rules\":[{\"property\":\"n\",\"operator\":\"exists\"}]}"

static struct base_id
starts_activate(struct depot *depot)
{
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};
	const struct automation_workflow_change change = {
	    .name = "W", .status = "active", .design = DESIGN, .design_size = strlen(DESIGN)};
	g_autoptr(GError) error = NULL;
	struct base_id id;

	cr_assert(automation_workflow_create(depot->house->service, &depot->house->workspace,
		      &author, &change, &id, &error),
	    "%s", error ? error->message : "");
	return id;
}

static void
starts_set(struct depot *depot, const struct base_id *workflow, const char *status)
{
	const struct automation_workflow_change change = {.status = status};

	cr_assert(automation_workflow_change(
	    depot->house->service, &depot->house->workspace, workflow, &change, NULL));
}

/* Makes people, all but one of whom have the property n. */
static void
starts_fill(struct depot *depot)
{
	struct db *db = depot->house->service->db;

	test_db_plain(db,
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, created, updated) SELECT"
	    " UNHEX(CONCAT('01890a5dac96774bbcce', LPAD(HEX(seq), 12, '0'))), id,"
	    " CONCAT('u', seq, '@example.net'), CONCAT('u', seq, '@example.net'),"
	    " IF(seq = 7, '{}', '{\"n\":1}'), 0, 0, '', 0, 1, 1"
	    " FROM workspace, seq_1_to_1204");
}

static struct base_id
starts_order(
    struct depot *depot, const struct base_id *workflow, const struct start_order_input *input)
{
	g_autoptr(GError) error = NULL;
	struct start_order *order = start_order_check(depot->house->service,
	    &depot->house->workspace, workflow, START_API, input, NULL, &error);
	AUTO(service_once) request = order ? &order->request : NULL;

	cr_assert(request && service_once_store_one(depot->house->service, request, &error), "%s",
	    error ? error->message : "");
	return order->start->id;
}

/* Starts for everybody in a segment. */
static struct base_id
starts_order_segment(struct depot *depot, const struct base_id *workflow)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_segment)
	segment =
	    segment_create(depot->house->service, &depot->house->workspace, "S", EVERYBODY, &error);
	char text[ID_TEXT_SIZE];

	cr_assert(segment, "%s", error ? error->message : "");
	const struct start_order_input input = {.segment_id = base_id_format(&segment->id, text)};
	return starts_order(depot, workflow, &input);
}

static struct store_start *
starts_read(struct depot *depot, const struct base_id *workflow, const struct base_id *id)
{
	struct store_start *start = store_start_get(
	    depot->house->service->db, &depot->house->workspace, workflow, id, NULL);

	cr_assert(start);
	return start;
}

static gint64
starts_number(struct depot *depot, const char *sql)
{
	return test_db_number(depot->house->service->db, sql);
}

static void
starts_expect(struct depot *depot, const struct store_start *start, gint64 people)
{
	cr_expect_eq(start->status, START_DONE);
	cr_expect_eq(start->people, people);
	cr_expect_eq(start->started, people);
	cr_expect_eq(
	    starts_number(depot, "SELECT COUNT(*) FROM execution WHERE start_id IS NOT NULL"),
	    people);
	cr_expect_eq(
	    starts_number(depot, "SELECT COUNT(DISTINCT contact_id) FROM execution"), people);
	cr_expect_eq(
	    starts_number(depot, "SELECT COUNT(*) FROM person p WHERE event_count <>"
				 " (SELECT COUNT(*) FROM execution x WHERE x.contact_id = p.id)"),
	    0);
}

/* The rows of a table were stored in the order of people, and their ids have the same order. */
static void
starts_expect_order(struct depot *depot, const char *table)
{
	g_autofree char *sql =
	    g_strdup_printf("SELECT COUNT(*) FROM (SELECT contact_id, LAG(contact_id) OVER"
			    " (ORDER BY id) AS earlier FROM %s) t WHERE contact_id < t.earlier",
		table);

	cr_expect_eq(starts_number(depot, sql), 0, "%s", table);
}

TestSuite(starts, .timeout = 900);

Test(starts, begin_a_segment)
{
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	struct base_id workflow = starts_activate(depot);

	starts_fill(depot);
	struct base_id id = starts_order_segment(depot, &workflow);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once", "--jobs", "3")), 0);
	AUTO(store_start) start = starts_read(depot, &workflow, &id);
	starts_expect(depot, start, PEOPLE);
	starts_expect_order(depot, "execution");
	starts_expect_order(depot, "automation_event");
	struct base_id again = starts_order_segment(depot, &workflow);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	AUTO(store_start) second = starts_read(depot, &workflow, &again);
	cr_expect_eq(second->status, START_DONE);
	cr_expect_eq(second->started, 0);
	cr_expect_eq(second->reentry, PEOPLE);
}

/* Those who are subscribed, and no others. */
Test(starts, begin_an_audience)
{
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	struct base_id workflow = starts_activate(depot);
	struct db *db = depot->house->service->db;

	starts_fill(depot);
	test_db_plain(db, "INSERT INTO audience (id, workspace_id, name, created, updated)"
			  " SELECT UNHEX('01890a5dac96774bbcceb302099a8041'), id, 'A', 1, 1"
			  " FROM workspace");
	test_db_plain(db,
	    "INSERT INTO contact (id, workspace_id, audience_id, email, address, is_subscribed,"
	    " created, updated) SELECT p.id, p.workspace_id,"
	    " UNHEX('01890a5dac96774bbcceb302099a8041'), '', p.address, p.event_count = 0"
	    " AND p.address <> 'u9@example.net', 1, 1 FROM person p WHERE p.id < "
	    "UNHEX('01890a5dac96774bbcce000000000258')");
	const struct start_order_input input = {
	    .audience_id = "01890a5d-ac96-774b-bcce-b302099a8041"};
	struct base_id id = starts_order(depot, &workflow, &input);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	AUTO(store_start) start = starts_read(depot, &workflow, &id);
	starts_expect(depot, start, 598);
}

Test(starts, begin_addresses)
{
	static const struct smtp_script good = {.extensions = NULL};
	static const char *emails[] = {"U3@example.net", "new@example.net", "u3@example.net", NULL};
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	struct base_id workflow = starts_activate(depot);
	const struct start_order_input input = {.emails = emails};

	starts_fill(depot);
	struct base_id id = starts_order(depot, &workflow, &input);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	AUTO(store_start) start = starts_read(depot, &workflow, &id);
	starts_expect(depot, start, 2);
	cr_expect_eq(starts_number(depot, "SELECT COUNT(*) FROM workflow_start_address"), 0);
	cr_expect_eq(starts_number(depot, "SELECT COUNT(*) FROM person WHERE event_count = 1"), 2);
}

/* The process is killed again and again, wherever it is. */
Test(starts, go_on_after_a_kill)
{
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	struct base_id workflow = starts_activate(depot);

	starts_fill(depot);
	struct base_id id = starts_order_segment(depot, &workflow);
	for (gint64 begun = 0; begun < PEOPLE;) {
		AUTO(test_program) spool = depot_start(depot, ARGUMENTS("--once"));
		gint64 now = begun;

		while (now == begun && test_program_wait(spool, 1) == -1)
			now = starts_number(depot, "SELECT COUNT(*) FROM execution");
		test_program_signal(spool, SIGKILL);
		cr_expect_neq(test_program_wait(spool, 60000), -1);
		begun = starts_number(depot, "SELECT COUNT(*) FROM execution");
	}
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	AUTO(store_start) start = starts_read(depot, &workflow, &id);
	starts_expect(depot, start, PEOPLE);
}

Test(starts, follow_the_workflow)
{
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	struct base_id workflow = starts_activate(depot);

	starts_fill(depot);
	struct base_id id = starts_order_segment(depot, &workflow);
	starts_set(depot, &workflow, "paused");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	AUTO(store_start) paused = starts_read(depot, &workflow, &id);
	cr_expect_eq(paused->status, START_PENDING);
	starts_set(depot, &workflow, "draft");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	AUTO(store_start) draft = starts_read(depot, &workflow, &id);
	cr_expect_eq(draft->status, START_CANCELLED);
	cr_expect_neq(draft->completed, 0);
	cr_expect_eq(starts_number(depot, "SELECT COUNT(*) FROM execution"), 0);
	starts_set(depot, &workflow, "active");
	struct base_id second = starts_order_segment(depot, &workflow);
	cr_assert(automation_workflow_remove(
	    depot->house->service, &depot->house->workspace, &workflow, NULL));
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	AUTO(store_start) removed = starts_read(depot, &workflow, &second);
	cr_expect_eq(removed->status, START_CANCELLED);
}

Test(starts, fail_without_their_people)
{
	static const struct smtp_script good = {.extensions = NULL};
	static const struct {
		const char *table, *want;
	} cases[] = {
	    {"segment", "The segment is gone"},
	    {"audience", "The audience is gone"},
	};
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	struct base_id workflow = starts_activate(depot);
	struct db *db = depot->house->service->db;

	starts_fill(depot);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *sql = g_strconcat("DELETE FROM ", cases[i].table, NULL);

		test_db_plain(db, "INSERT INTO audience (id, workspace_id, name, created, updated)"
				  " SELECT UNHEX('01890a5dac96774bbcceb302099a8041'), id, 'A', 1, 1"
				  " FROM workspace");
		const struct start_order_input input = {
		    .audience_id = "01890a5d-ac96-774b-bcce-b302099a8041"};
		struct base_id id = i == 0 ? starts_order_segment(depot, &workflow)
					   : starts_order(depot, &workflow, &input);
		test_db_plain(db, sql);
		test_db_plain(db, "DELETE FROM audience");
		cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
		AUTO(store_start) start = starts_read(depot, &workflow, &id);
		cr_expect_eq(start->status, START_FAILED, "%s", cases[i].table);
		cr_expect_str_eq(start->error, cases[i].want);
	}
}
