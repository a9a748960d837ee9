/* SPDX-License-Identifier: MIT */
/* Plays random journeys in the engine and in the model of it, and compares all that there is then.

   A run has two workflows and two people, and up to 26 things that happen, some of which a process
   begins that is killed. All happens at minutes of an hour of their own, and durations are hours,
   so that no two times of a run are the same by chance, and the clock, which goes on during the
   test, changes no order.

   A difference is shown with the seed of its run: POSTHOUSE_TEST_SEED and POSTHOUSE_STEPS=1 play it
   again. POSTHOUSE_TEST_TELL tells what happens before it happens, for one that kills the test. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "automation/execution.h"
#include "automation/person.h"
#include "automation/workflow.h"
#include "base/clock.h"
#include "base/id.h"
#include "consent/consent.h"
#include "json/strict.h"
#include "segment/segment.h"
#include "service/service.h"
#include "start/look.h"
#include "start/order.h"
#include "start/run.h"
#include "start/tick.h"
#include "store/automation/step_request.h"
#include "store/broadcast/segment.h"
#include "tests/automation/fixture.h"
#include "tests/automation/journey.h"
#include "tests/automation/races.h"
#include "tests/support/steps.h"

#define ROUNDS 60
#define TELL_EVERY 500 /* of a long run */
#define THINGS 26
#define MINUTE G_GINT64_CONSTANT(60000)
#define FAILURE "example.com answered 404"
/* The engine waits for nothing then but events. */
#define HORIZON (4 * 24)

struct journey_play {
	struct fixture *fixture;
	GRand *rand;
	guint32 seed; /* of the run */
	struct journey_model *model;
	struct journey journeys[JOURNEY_FLOWS]; /* their last versions */
	struct base_id flows[JOURNEY_FLOWS];
	bool is_paused[JOURNEY_FLOWS];
	struct base_id segment;
	char segment_text[ID_TEXT_SIZE];
	gint64 now;
	GString *story;
};

static void G_GNUC_PRINTF(2, 3) play_tell(struct journey_play *play, const char *format, ...)
{
	va_list args;

	g_string_append_printf(play->story, "%d ", (int)((play->now - FIXTURE_START) / MINUTE));
	va_start(args, format);
	g_string_append_vprintf(play->story, format, args);
	va_end(args);
	g_string_append_c(play->story, '\n');
	if (g_getenv("POSTHOUSE_TEST_TELL"))
		fprintf(stderr, "%s", play->story->str);
}

static char *play_show(struct journey_play *play);

/* Ends the test with all that there is. */
static void
play_must(struct journey_play *play, bool done, const GError *error)
{
	if (done)
		return;
	g_autofree char *got = play_show(play), *want = journey_model_show(play->model);

	cr_assert_fail("POSTHOUSE_TEST_SEED=%u\n%s%s\nengine:\n%smodel:\n%s", play->seed,
	    play->story->str, error ? error->message : "failed", got, want);
}

static int
play_from(struct journey_play *play, int first, int last)
{
	return g_rand_int_range(play->rand, first, last + 1);
}

/* Workflows. */

static void
play_save(struct journey_play *play, guint flow)
{
	struct journey *journey = &play->journeys[flow];
	struct fixture *fixture = play->fixture;
	bool is_first = base_id_time(&play->flows[flow]) == 0;

	journey_invent(play->rand, is_first ? NULL : journey, journey);
	g_autofree char *nodes = journey_nodes(journey, play->segment_text);
	g_autofree char *edges = journey_edges(journey);
	play_tell(play, "save w%u\n%s\n%s", flow, nodes, edges);
	journey_model_save(play->model, flow, journey, play->now);
	if (is_first) {
		play->flows[flow] = fixture_workflow(fixture, nodes, edges);
		return;
	}
	g_autofree char *failure = fixture_change(fixture, &play->flows[flow], NULL, nodes, edges);
	cr_assert(!failure, "%s%s", play->story->str, failure);
}

static void
play_turn(struct journey_play *play, guint flow)
{
	bool is_paused = play->is_paused[flow] = !play->is_paused[flow];

	play_tell(play, "%s w%u", is_paused ? "pause" : "resume", flow);
	journey_model_pause(play->model, flow, is_paused, play->now);
	g_autofree char *failure = fixture_change(
	    play->fixture, &play->flows[flow], is_paused ? "paused" : "active", NULL, NULL);
	cr_assert(!failure, "%s%s", play->story->str, failure);
}

/* People. */

static void
play_append(GString *text, const char *name, int value)
{
	if (value > 0 && strcmp(name, "day") == 0)
		g_string_append_printf(
		    text, "%s'day': '2027-01-%02d'", text->len > 1 ? ", " : "", value - 20834 + 16);
	else if (value > 0)
		g_string_append_printf(text, "%s'%s': %d", text->len > 1 ? ", " : "", name, value);
	else if (value == 0)
		g_string_append_printf(text, "%s'%s': null", text->len > 1 ? ", " : "", name);
}

/* Properties, without those that are JOURNEY_NONE. */
static char *
play_properties(int n, int plan, int day)
{
	GString *text = g_string_new("{");

	play_append(text, "n", n);
	play_append(text, "plan", plan);
	play_append(text, "day", day);
	g_string_append_c(text, '}');
	return g_string_free(text, FALSE);
}

/* A day from 16 January 2027 on, counted from 1970 on. */
static int
play_day(struct journey_play *play)
{
	return 20834 + play_from(play, 0, 3);
}

static void
play_event(struct journey_play *play)
{
	static const char *const names[] = {"order", "paid", "other"};
	enum journey_event event = (enum journey_event)play_from(play, 0, 3) % 3;
	guint person = (guint)play_from(play, 0, 3) / 3;
	int n = play_from(play, 0, 3), plan = play_from(play, 0, 1) * play_from(play, 1, 3);
	int day = play_from(play, 0, 2) == 0 ? play_day(play) : 0;
	g_autofree char *properties = play_properties(
	    n ? n : JOURNEY_NONE, plan ? plan : JOURNEY_NONE, day ? day : JOURNEY_NONE);
	g_autofree char *email = g_strdup_printf("p%u@example.org", person);

	play_tell(play, "event %s p%u %s", names[event], person, properties);
	journey_model_event(play->model, person, event, n, plan, day, play->now);
	fixture_event_of(play->fixture, email, names[event], properties);
}

static void
play_change(struct journey_play *play)
{
	guint person = (guint)play_from(play, 0, 1);
	int n = play_from(play, 0, 3), plan = play_from(play, 0, 3), day = play_day(play);
	g_autofree char *email = g_strdup_printf("p%u@example.org", person);
	g_autofree char *properties = play_properties(n, plan, day);
	static const struct store_consent_act act = {
	    .source = CONSENT_BY_API, .author = CONSENT_OF_OPERATOR};
	AUTO(json) json = sample_json(properties);
	const struct automation_person_data data = {.properties = json, .act = &act};
	g_autoptr(GError) error = NULL;

	if (!journey_model_has(play->model, person))
		return;
	play_tell(play, "change p%u %s", person, properties);
	journey_model_change(play->model, person, n, plan, day, play->now);
	AUTO(store_person)
	changed = automation_person_change(
	    play->fixture->service, &play->fixture->house->workspace, email, &data, &error);
	play_must(play, changed != NULL, error);
}

static void
play_remove(struct journey_play *play)
{
	guint person = (guint)play_from(play, 0, 1);
	g_autofree char *email = g_strdup_printf("p%u@example.org", person);
	static const struct store_consent_act act = {
	    .source = CONSENT_BY_API, .author = CONSENT_OF_OPERATOR};
	g_autoptr(GError) error = NULL;

	if (!journey_model_has(play->model, person))
		return;
	play_tell(play, "remove p%u", person);
	journey_model_remove(play->model, person, play->now);
	bool done = automation_person_remove(
	    play->fixture->service, &play->fixture->house->workspace, email, &act, &error);
	play_must(play, done, error);
}

/* Executions. */

#define IN_ORDER                                                                                   \
	" FROM execution e JOIN workflow w ON w.id = e.workflow_id"                                \
	" ORDER BY e.created DIV 60000, w.id, e.email, e.id"

/* The ids of all executions, in the model's order. */
static GArray *
play_executions(struct journey_play *play)
{
	AUTO(db_rows) rows = db_select(play->fixture->db, "SELECT e.id" IN_ORDER, NULL, 0, NULL);
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct base_id id;

	cr_assert(rows);
	while (db_rows_next(rows)) {
		db_rows_id(rows, 0, &id);
		g_array_append_val(ids, id);
	}
	play_must(play, ids->len == journey_model_count(play->model), NULL);
	return ids;
}

static void
play_cancel(struct journey_play *play)
{
	g_autoptr(GArray) ids = play_executions(play);

	if (ids->len == 0)
		return;
	guint one = (guint)play_from(play, 0, (int)ids->len - 1);
	play_tell(play, "cancel %u", one);
	bool want = journey_model_cancel(play->model, one, play->now);
	bool got = automation_execution_cancel(play->fixture->service,
	    &play->fixture->house->workspace, &g_array_index(ids, struct base_id, one), NULL);
	play_must(play, got == want, NULL);
}

static const struct store_step_request *
play_find_request(const GPtrArray *due, const struct base_id *id)
{
	for (guint i = 0; i < due->len; i++) {
		const struct store_step_request *request = due->pdata[i];

		if (base_id_equal(&request->execution_id, id))
			return request;
	}
	return NULL;
}

/* Answers the request of an execution, which is leased. */
static void
play_answer_one(
    struct journey_play *play, guint execution, const struct store_step_request *request)
{
	int chance = play_from(play, 0, 4);
	gint64 again = chance == 0 ? play->now + 2 * JOURNEY_HOUR : 0;
	bool is_good = chance > 1;
	const struct store_step_outcome outcome = {.execution = &request->execution_id,
	    .token = request->token,
	    .again = again,
	    .attempts = request->attempts + 1,
	    .status = is_good ? 200 : 404,
	    .body = "{}",
	    .error = is_good ? NULL : FAILURE,
	    .time = play->now};
	bool done;

	play_tell(play, "answer %u: %s", execution, again ? "again" : is_good ? "200" : "404");
	journey_model_answer(
	    play->model, execution, outcome.status, outcome.error, again, play->now);
	play_must(
	    play, store_step_request_end(play->fixture->db, &outcome, &done, NULL) && done, NULL);
}

/* Makes the requests that are due. Returns whether there were any. */
static bool
play_answer(struct journey_play *play)
{
	g_autoptr(GArray) ids = play_executions(play);
	const struct store_step_lease lease = {.host = "example.com:443",
	    .owner = "test",
	    .token = 1,
	    .now = base_clock_now(),
	    .until = base_clock_now() + MINUTE,
	    .limit = STORE_STEP_REQUESTS_MOST};
	g_autoptr(GPtrArray) due = store_step_request_lease(play->fixture->db, &lease, NULL);
	bool any = false;

	cr_assert(due);
	for (guint i = 0; i < ids->len; i++) {
		const struct store_step_request *request =
		    play_find_request(due, &g_array_index(ids, struct base_id, i));

		if (!journey_model_asks(play->model, i, play->now))
			continue;
		play_must(play, request != NULL, NULL);
		play_answer_one(play, i, request);
		any = true;
	}
	return any;
}

/* Work of the spool. */

static void
act_run(struct fixture *fixture, const void *data)
{
	fixture_run(fixture);
}

static void
act_look(struct fixture *fixture, const void *data)
{
	g_autoptr(GError) error = NULL;
	bool worked;

	if (!start_look_run(fixture->service, &worked, &error))
		g_error("look: %s", error ? error->message : "failed");
}

static void
act_starts(struct fixture *fixture, const void *data)
{
	g_autoptr(GError) error = NULL;
	struct base_id last = {{0}};
	bool worked, done;
	guint count;

	done = start_tick_run(fixture->service, &count, &error);
	/* Starts of workflows that are paused are passed over. */
	for (guint i = 0; done && i < 12; i++)
		done = start_run(fixture->service, &last, true, &worked, &error);
	if (!done)
		g_error("starts: %s", error ? error->message : "failed");
}

/* The server gives the lock back once it has rolled the transaction of the process back. */
#define UNTIL_ENDED "'killed', 600"
#define DRAWN_MOST 1000 /* ids of a process that is killed */

static void
act_until_killed(struct fixture *fixture, const void *data)
{
	void (*const *act)(struct fixture * fixture, const void *data) = data;

	test_db_number(fixture->db, "SELECT GET_LOCK(" UNTIL_ENDED ")");
	(*act)(fixture, NULL);
}

/* Has the work begun by a process that is killed, and waits until its transaction is over. The
   clock of this one has gone back, between runs, so ids count on from the last one; and the process
   began to count at the same one. Those that it may have drawn are passed over, so that what comes
   later has greater ids, as it has where no clock goes back. */
static void
play_kill(struct journey_play *play, void (*act)(struct fixture *fixture, const void *data))
{
	gint64 minutes = (play->now - FIXTURE_START) / MINUTE;
	struct fixture *fixture = play->fixture;

	play_tell(play, "killed");
	GPid pid = race_start(fixture, minutes, act_until_killed, &act);
	g_usleep((gulong)play_from(play, 500, 25000));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_assert_eq(test_db_number(fixture->db, "SELECT GET_LOCK(" UNTIL_ENDED ")"), 1);
	cr_assert_eq(test_db_number(fixture->db, "SELECT RELEASE_LOCK('killed')"), 1);
	for (guint i = 0; i < DRAWN_MOST; i++)
		base_id_new();
}

static void
play_work(struct journey_play *play, void (*act)(struct fixture *fixture, const void *data))
{
	if (play_from(play, 0, 99) == 0)
		play_kill(play, act);
	if (act == act_look)
		test_db_plain(play->fixture->db,
		    "UPDATE workspace_look SET taken = 0, next_at = IF(ended > 0, 0, next_at)");
	act(play->fixture, NULL);
}

/* The split hashes the id of the person. */
static void
play_name_people(struct journey_play *play)
{
	AUTO(db_rows)
	rows = db_select(play->fixture->db, "SELECT id, email FROM person", NULL, 0, NULL);
	struct base_id id;

	cr_assert(rows);
	while (db_rows_next(rows)) {
		db_rows_id(rows, 0, &id);
		journey_model_name(play->model, (guint)(db_rows_text(rows, 1)[1] - '0'), &id);
	}
}

static void
play_run(struct journey_play *play)
{
	play_tell(play, "run");
	play_name_people(play);
	journey_model_run(play->model, play->now);
	play_work(play, act_run);
}

static void
play_look(struct journey_play *play)
{
	play_tell(play, "look");
	journey_model_look(play->model, play->now);
	/* The next one is due at once. */
	test_db_plain(play->fixture->db,
	    "UPDATE workspace_look SET taken = 0, next_at = IF(ended > 0, 0, next_at)");
	play_work(play, act_look);
}

static void
play_starts(struct journey_play *play)
{
	play_tell(play, "starts");
	play_name_people(play);
	journey_model_starts(play->model, play->now);
	play_work(play, act_starts);
}

static void
play_order(struct journey_play *play)
{
	guint flow = (guint)play_from(play, 0, 1), person = (guint)play_from(play, 0, 1);
	g_autofree char *email = g_strdup_printf("p%u@example.org", person);
	bool is_single = play_from(play, 0, 1);
	const struct start_order_input input = {
	    .email = is_single ? email : NULL, .segment_id = is_single ? NULL : play->segment_text};
	g_autoptr(GError) error = NULL;

	if (play->is_paused[flow])
		return;
	play_tell(play, "start w%u %s", flow, is_single ? email : "segment");
	if (is_single)
		journey_model_start(play->model, flow, person, play->now);
	else
		journey_model_start_segment(play->model, flow, play->now);
	struct start_order *order = start_order_check(play->fixture->service,
	    &play->fixture->house->workspace, &play->flows[flow], START_API, &input, NULL, &error);
	AUTO(service_once) request = order ? &order->request : NULL;
	bool done = request && service_once_store_one(play->fixture->service, request, &error);
	play_must(play, done, error);
}

/* The end of a run. */

static void
show_executions(struct journey_play *play, GString *text)
{
	static const char sql[] =
	    "SELECT CONCAT('w', (SELECT COUNT(*) FROM workflow o WHERE o.name = 'Test' AND o.id <"
	    " w.id), ' ', BINARY LEFT(e.email, 2), ' ', ELT(e.status, 'IN_PROGRESS', 'WAITING',"
	    " 'COMPLETED', 'FAILED', 'CANCELLED'), ' ', BINARY e.step_id, ' ', e.step_count,"
	    " IF(e.status = 2 AND e.wait_until, CONCAT(' until ', e.wait_until DIV 60000), ''),"
	    " IF(e.goal_at, CONCAT(' goal ', e.goal_at DIV 60000), ''), IF(e.entry_key IS NULL, '',"
	    " CONCAT(' key ', IF(e.entry_key = '', '0', BINARY e.entry_key))), CASE WHEN e.status "
	    "= 3"
	    " THEN COALESCE(ELT(e.completion, ' goal', ' digest'), ' end') WHEN e.status = 5 THEN"
	    " ELT(e.cancellation, ' manual', ' contact_deleted', ' workflow_deleted', ' exit')"
	    " WHEN e.status = 4 THEN CONCAT(' ', BINARY e.error_message) ELSE '' END,"
	    " IF(e.start_id IS NOT NULL AND e.step_count > 1 AND NOT EXISTS (SELECT 1 FROM"
	    " execution_step f WHERE f.execution_id = e.id AND f.sequence = 1), CONCAT(' [1 n0 - ',"
	    " CONV(HEX(LEFT(e.event_id, 6)), 16, 10) DIV 60000, ']'), ''),"
	    " COALESCE((SELECT GROUP_CONCAT(' [', s.sequence, ' ', BINARY s.step_id, ' ',"
	    " COALESCE(BINARY s.branch, '-'), IF(s.skipped, ' skipped', ''), ' ', s.left_at DIV "
	    "60000, ']'"
	    " ORDER BY s.sequence SEPARATOR '') FROM execution_step s WHERE s.execution_id ="
	    " e.id), ''))" IN_ORDER;
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows = db_select(play->fixture->db, sql, NULL, 0, &error);

	cr_assert(rows, "%s", error->message);
	while (db_rows_next(rows))
		g_string_append_printf(text, "%s\n", db_rows_text(rows, 0));
}

static char *
play_show(struct journey_play *play)
{
	static const char people[] =
	    "SELECT COALESCE(GROUP_CONCAT(LEFT(email, 2), ' n ', COALESCE(JSON_VALUE(properties,"
	    " '$.n'), 0), ' plan ', COALESCE(JSON_VALUE(properties, '$.plan'), 0), ' day ',"
	    " COALESCE(DATEDIFF(JSON_VALUE(properties, '$.day'), '1970-01-01'), 0),"
	    " IF(is_subscribed, '', ' unsubscribed'), '\n' ORDER BY email SEPARATOR ''), '')"
	    " FROM person";
	static const char starts[] =
	    "SELECT COALESCE(GROUP_CONCAT('start w', (SELECT COUNT(*) FROM workflow o WHERE o.name"
	    " = 'Test' AND o.id < s.workflow_id), ' ', ELT(s.status, 'pending', 'running', 'done',"
	    " 'cancelled', 'skipped', 'failed'), ' at ', COALESCE(s.scheduled_at, 0) DIV 60000,"
	    " ' people ', s.people, ' started ', s.started, ' filter ', s.filter, ' reentry ',"
	    " s.reentry, '\n' ORDER BY s.created DIV 60000, s.workflow_id, s.id SEPARATOR ''), '')"
	    " FROM workflow_start s";
	GString *text = g_string_new(NULL);
	g_autofree char *some = test_db_text(play->fixture->db, people);
	g_autofree char *others = test_db_text(play->fixture->db, starts);

	show_executions(play, text);
	g_string_append_printf(text, "%s%smails %d\n", some, others,
	    (int)test_db_number(play->fixture->db, "SELECT COUNT(*) FROM email"));
	return g_string_free(text, FALSE);
}

/* Rows that no execution needs any more. */
static void
play_expect_no_rest(struct journey_play *play)
{
#define ENDED " JOIN execution e ON e.id = x.execution_id AND e.status > 2"
	static const char *const rests[] = {"SELECT COUNT(*) FROM execution_wait x" ENDED,
	    "SELECT COUNT(*) FROM execution_watch x" ENDED " WHERE x.until IS NULL",
	    "SELECT COUNT(*) FROM execution_watch x" ENDED " WHERE x.kind = 3",
	    "SELECT COUNT(*) FROM digest x" ENDED, "SELECT COUNT(*) FROM digest_event x" ENDED,
	    "SELECT COUNT(*) FROM digest_event x WHERE NOT EXISTS (SELECT 1 FROM digest d"
	    " WHERE d.execution_id = x.execution_id)",
	    "SELECT COUNT(*) FROM automation_feedback",
	    "SELECT COUNT(*) FROM execution WHERE status > 2 AND (ready_at > 0 OR parked"
	    " OR exclusive)"};

	for (guint i = 0; i < G_N_ELEMENTS(rests); i++)
		if (test_db_number(play->fixture->db, rests[i]) != 0)
			cr_assert_fail("POSTHOUSE_TEST_SEED=%u\n%s%s is not 0", play->seed,
			    play->story->str, rests[i]);
}

static void
play_compare(struct journey_play *play)
{
	g_autofree char *got = play_show(play), *want = journey_model_show(play->model);

	play_must(play, strcmp(got, want) == 0, NULL);
}

/* Removes all but the workflows that listen, in one round trip. */
static void
play_clean(struct journey_play *play)
{
#define ALL(table) " DELETE FROM " table ";"
#define OF_TESTS(table)                                                                            \
	" DELETE x FROM " table " x JOIN workflow w ON w.id = x.workflow_id WHERE w.name = "       \
	"'Test';"
	test_db_plain(play->fixture->db,
	    "BEGIN NOT ATOMIC START TRANSACTION;" ALL("execution") ALL("execution_wait")
		ALL("execution_email") ALL("execution_step") ALL("automation_feedback") ALL(
		    "automation_event") ALL("person") ALL("workflow_entry") ALL("workflow_task")
		    ALL("outbox") ALL("event") ALL("email_part") ALL("email_content")
			ALL("recipient") ALL("email") ALL("suppression") ALL("execution_watch") ALL(
			    "workflow_key") ALL("digest") ALL("digest_event") ALL("figure")
			    ALL("step_request") ALL("workflow_start") ALL("workflow_date") ALL(
				"workflow_schedule") ALL("workspace_look") ALL("segment_look")
				ALL("segment_in") ALL("choice") ALL("choice_contact") ALL("consent")
				    OF_TESTS("workflow_heard") OF_TESTS("workflow_trigger")
					OF_TESTS("workflow_version") " DELETE FROM workflow WHERE "
								     "name = 'Test'; COMMIT; END");
}

static void
play_thing(struct journey_play *play)
{
	int chance = play_from(play, 0, 99);

	if (chance < 35)
		play_event(play);
	else if (chance < 60)
		play_run(play);
	else if (chance < 66)
		play_change(play);
	else if (chance < 76)
		play_look(play);
	else if (chance < 82)
		play_starts(play);
	else if (chance < 87)
		play_order(play);
	else if (chance < 92)
		play_answer(play);
	else if (chance < 94)
		play_cancel(play);
	else if (chance < 96)
		play_turn(play, (guint)play_from(play, 0, 1));
	else if (chance < 99)
		play_save(play, (guint)play_from(play, 0, 1));
	else
		play_remove(play);
}

/* The work under way comes to its end. */
static void
play_end(struct journey_play *play)
{
	for (guint flow = 0; flow < JOURNEY_FLOWS; flow++)
		if (play->is_paused[flow])
			play_turn(play, flow);
	play_starts(play);
	do
		play_run(play);
	while (play_answer(play));
	play_compare(play);
	play_expect_no_rest(play);
}

static void
play_round(struct journey_play *play)
{
	gint64 hour = 0;

	play->rand = g_rand_new_with_seed(play->seed);
	play->story = g_string_new(NULL);
	play->model = journey_model_new(FIXTURE_START);
	memset(play->flows, 0, sizeof(play->flows));
	memset(play->is_paused, 0, sizeof(play->is_paused));
	play_clean(play);
	for (guint i = 0; i < THINGS; i++) {
		static const int hours[] = {0, 0, 0, 1, 1, 2, 5, 12};

		hour += hours[play_from(play, 0, G_N_ELEMENTS(hours) - 1)];
		play->now = FIXTURE_START + hour * JOURNEY_HOUR + (i + 1) * MINUTE;
		base_clock_set(play->now);
		if (i < JOURNEY_FLOWS)
			play_save(play, i);
		else
			play_thing(play);
	}
	play->now = FIXTURE_START + (hour + HORIZON) * JOURNEY_HOUR + 28 * MINUTE;
	base_clock_set(play->now);
	play_end(play);
	journey_model_free(play->model);
	g_string_free(play->story, TRUE);
	g_rand_free(play->rand);
}

/* Workflows that start for nobody, so that the segment and changes are heard all the time. */
static void
play_listen(struct journey_play *play)
{
#define NEVER "'filter': {'rules': [{'property': 'plan', 'operator': 'equals', 'value': 99}]}"
	static const char *const events[] = {"segment.entered", "segment.left", "person.updated"};

	for (guint i = 0; i < G_N_ELEMENTS(events); i++) {
		g_autofree char *segment =
		    i == 2 ? g_strdup("")
			   : g_strdup_printf("'segmentId': '%s', ", play->segment_text);
		g_autofree char *nodes = g_strdup_printf("{'id': 't', 'type': 'trigger', 'data':"
							 " {'eventName': '%s', %s" NEVER "}}",
		    events[i], segment);

		fixture_workflow(play->fixture, nodes, "");
	}
	test_db_plain(play->fixture->db, "UPDATE workflow SET name = 'Listener'");
}

Test(journeys_model, of_random_journeys, .timeout = 36000)
{
	const char *given = g_getenv("POSTHOUSE_TEST_SEED");
	guint32 seed = given ? (guint32)g_ascii_strtoull(given, NULL, 10) : g_random_int();
	AUTO(fixture) fixture = fixture_open();
	struct journey_play play = {.fixture = fixture};
	g_autoptr(GError) error = NULL;
	AUTO(store_segment)
	segment = segment_create(fixture->service, &fixture->house->workspace, "Plan",
	    "{\"match\":\"all\",\"rules\":[{\"property\":\"plan\",\"operator\":\"equals\","
	    "\"value\":2}]}",
	    &error);

	cr_assert(segment, "%s", error ? error->message : "");
	fprintf(stderr, "POSTHOUSE_TEST_SEED=%u\n", seed);
	play.segment = segment->id;
	base_id_format(&segment->id, play.segment_text);
	play_listen(&play);
	for (guint i = 0, rounds = test_steps(ROUNDS); i < rounds; i++) {
		play.seed = seed + i;
		play_round(&play);
		if ((i + 1) % TELL_EVERY == 0)
			fprintf(stderr, "%u journeys\n", i + 1);
	}
}
