/* SPDX-License-Identifier: MIT */
/* Tests the requests of workflows' steps, which posthouse-spool makes, with a receiver on loopback.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "automation/engine.h"
#include "automation/event.h"
#include "automation/secret.h"
#include "automation/workflow.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "base/secret.h"
#include "config/settings.h"
#include "db/connection.h"
#include "db/statement.h"
#include "fetch/fetch.h"
#include "fetch/post.h"
#include "json/strict.h"
#include "service/journal.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/secret.h"
#include "tests/spool/telling.h"
#include "tests/support/db.h"
#include "webhook/step_requests.h"

TestSuite(step_requests, .timeout = 900);

#define SIGNING_KEY "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

/* A design whose request has this data, with "'" for quotation marks, and goes on by both ways. */
#define DESIGN                                                                                     \
	"{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'order'}},"                      \
	"{'id':'r','type':'request','data':{%s}},"                                                 \
	"{'id':'y','type':'update_contact','data':{'copy':{'status':'step.r.status',"              \
	"'body':'step.r.body'}}}%s],"                                                              \
	"'edges':[{'source':'t','target':'r'},{'source':'r','sourceHandle':'ok','target':'y'}%s]}"
#define FAILED_NODE                                                                                \
	",{'id':'n','type':'update_contact','data':{'copy':{'failed':'step.r.status',"             \
	"'body':'step.r.body'}}}"
#define FAILED_EDGE ",{'source':'r','sourceHandle':'failed','target':'n'}"

/* The time of workflows and events. The clock goes on from there, so that it has not come to NOW
   when the program begins at NOW. */
#define BEFORE (NOW - MINUTE_MS)

static struct base_id
step_requests_workflow(struct test_house *house, const char *data, bool has_failed)
{
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};
	g_autoptr(GString) design = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	struct base_id id;

	g_string_printf(
	    design, DESIGN, data, has_failed ? FAILED_NODE : "", has_failed ? FAILED_EDGE : "");
	g_strdelimit(design->str, "'", '"');
	const struct automation_workflow_change change = {
	    .name = "W", .status = "active", .design = design->str, .design_size = design->len};
	bool is_made = automation_workflow_create(
	    house->service, &house->workspace, &author, &change, &id, &error);
	telling_must(is_made, error);
	return id;
}

static void
step_requests_happen(struct test_house *house, const char *email, const char *properties)
{
	g_autofree char *text = g_strdelimit(g_strdup(properties), "'", '"');
	g_autoptr(GError) error = NULL;
	AUTO(json) document = json_parse(text, strlen(text), &error);
	const struct automation_event_input input = {"order", email, document};
	struct automation_recording *event =
	    automation_event_check(house->service, &house->workspace, &input, NULL, &error);
	AUTO(service_once) request = event ? &event->request : NULL;

	cr_assert(request && service_once_store_one(house->service, request, &error), "%s",
	    error ? error->message : "");
}

static void
step_requests_secret(struct test_house *house, const char *name, const char *value)
{
	const struct automation_secret_input input = {&house->workspace, name, value, NULL};
	struct automation_secret_stored stored;
	g_autoptr(GError) error = NULL;

	bool is_put = automation_secret_put(house->service, &input, &stored, &error);
	telling_must(is_put, error);
	store_secret_free(stored.secret);
	g_free(stored.value);
}

/* The data of a request to the receiver; more is appended. */
static char *
step_requests_data(struct receiver *receiver, const char *path, const char *more)
{
	return g_strdup_printf(
	    "'url':'http://127.0.0.1:%u/%s'%s", receiver_port(receiver), path, more);
}

static void
step_requests_begin(struct test_house *house, struct receiver *receiver, const char *path,
    const char *more, bool has_failed)
{
	g_autofree char *data = step_requests_data(receiver, path, more);

	base_clock_set(BEFORE);
	step_requests_workflow(house, data, has_failed);
	step_requests_happen(house, "ann@example.org", "{'id':7,'name':'A/b c'}");
}

static void
step_requests_expect(struct test_house *house, const char *name, const char *want)
{
	static const char sql[] =
	    "SELECT CONCAT(CASE e.status WHEN 1 THEN 'IN_PROGRESS' WHEN 3 THEN 'COMPLETED'"
	    " WHEN 4 THEN 'FAILED' ELSE 'OTHER' END, ' ', e.step_id,"
	    " IFNULL(CONCAT(' ', e.error_message), '')) FROM execution e";
	g_autofree char *got = test_db_text(house->db, sql);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

static void
step_requests_expect_properties(struct test_house *house, const char *name, const char *want)
{
	g_autofree char *got =
	    test_db_text(house->db, "SELECT JSON_REMOVE(properties, '$.id', '$.name') FROM person");
	g_autofree char *text = g_strdelimit(g_strdup(want), "'", '"');

	cr_expect_str_eq(got, text, "%s: got %s, want %s", name, got, text);
}

static void
step_requests_expect_header(
    const struct receiver_request *request, const char *name, const char *want)
{
	g_autofree char *got = receiver_header(request, name);

	cr_expect_str_eq(got ? got : "-", want, "%s: got %s, want %s", name, got, want);
}

static char *
step_requests_say_id(guint number, const struct receiver_request *request, void *data)
{
	return receiver_say(200, "{\"id\": [1, \"x\"]}");
}

Test(step_requests, are_filled_in_and_signed)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(step_requests_say_id, NULL);

	step_requests_secret(house, "token", "t0p");
	step_requests_secret(house, "signing", "whsec_" SIGNING_KEY);
	step_requests_begin(house, receiver, "a/{{event.name}}?x={{none|y}}",
	    ",'method':'PUT','headers':{'Authorization':'Bearer {{secret.token}}!','X-Name':"
	    "'{{name}}','X-Empty':'{{none}}'},'body':{'a':[1,'{{event.name}}',{'var':'event.id'},"
	    "{'var':'none'},true],'b':{'var':'contact.email'}}",
	    true);
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 1);
	const struct receiver_request *request = receiver_get(receiver, 0);
	cr_expect(g_str_has_prefix(request->head, "PUT /a/A%2Fb%20c?x=y HTTP/1.1\r\n"), "%s",
	    request->head);
	cr_expect_str_eq(request->body,
	    "{\"a\":[1,\"A/b c\",7,null,true],\"b\":\"ann@example.org\"}", "%s", request->body);
	step_requests_expect_header(request, "Authorization", "Bearer t0p!");
	step_requests_expect_header(request, "X-Name", "A/b c");
	step_requests_expect_header(request, "X-Empty", "");
	step_requests_expect_header(request, "Content-Type", "application/json");
	g_autofree char *id = receiver_header(request, "webhook-id");
	g_autofree char *want = test_db_text(house->db,
	    "SELECT CONCAT(INSERT(INSERT(INSERT(INSERT(LOWER(HEX(id)), 21, 0, '-'), 17, 0, '-'),"
	    " 13, 0, '-'), 9, 0, '-'), '.2') FROM execution");
	cr_expect_str_eq(id, want);
	g_autofree char *time = receiver_header(request, "webhook-timestamp");
	g_autofree char *signed_text = g_strdup_printf("%s.%s.%s", id, time, request->body);
	g_autoptr(GHmac) hmac =
	    g_hmac_new(G_CHECKSUM_SHA256, (const guchar *)"0123456789abcdef0123456789abcdef", 32);
	guint8 digest[32];
	gsize size = sizeof(digest);
	g_hmac_update(hmac, (const guchar *)signed_text, -1);
	g_hmac_get_digest(hmac, digest, &size);
	g_autofree char *encoded = g_base64_encode(digest, size);
	g_autofree char *signature = g_strconcat("v1,", encoded, NULL);
	step_requests_expect_header(request, "webhook-signature", signature);
	step_requests_expect(house, "done", "COMPLETED y");
	step_requests_expect_properties(
	    house, "result", "{'status': 200, 'body': {'id': [1, 'x']}}");
	telling_expect(house, "no row", "SELECT COUNT(*) FROM step_request", 0);
}

Test(step_requests, have_a_body_of_their_own)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	step_requests_begin(house, receiver, "", "", true);
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 1);
	const struct receiver_request *request = receiver_get(receiver, 0);
	g_autoptr(GError) error = NULL;
	AUTO(json) body = json_parse(request->body, request->size, &error);
	const struct json *data = json_member_get(body, "data");
	const char *const want[] = {
	    "workflow_id", "execution_id", "step_id", "email", "properties", "event", NULL};

	cr_assert(body, "%s", request->body);
	cr_expect(g_str_has_prefix(request->head, "POST / HTTP/1.1\r\n"));
	cr_expect_str_eq(json_string(json_member_get(body, "type"), NULL), "workflow.request");
	cr_expect(json_string(json_member_get(body, "timestamp"), NULL));
	for (guint i = 0; want[i]; i++)
		cr_expect(json_member_get(data, want[i]), "%s", want[i]);
	cr_expect_eq(json_member_count(data), 6);
	cr_expect_str_eq(json_string(json_member_get(data, "email"), NULL), "ann@example.org");
	cr_expect_str_eq(json_string(json_member_get(data, "step_id"), NULL), "r");
	step_requests_expect_header(request, "webhook-signature", "-");
	/* "ok" is no JSON. */
	step_requests_expect_properties(house, "result", "{'status': 200}");
}

Test(step_requests, of_get_have_no_body)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	step_requests_begin(house, receiver, "", ",'method':'GET','body':{'a':1}", true);
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 1);
	cr_expect(g_str_has_prefix(receiver_get(receiver, 0)->head, "GET / HTTP/1.1\r\n"));
	cr_expect_eq(receiver_get(receiver, 0)->size, 0);
	step_requests_expect_header(receiver_get(receiver, 0), "Content-Type", "-");
}

/* The metrics have so many attempts of a result, and of no other. */
static void
step_requests_expect_counted(struct test_house *house, const char *name, const char *want)
{
	g_autofree char *sql = g_strdup_printf(
	    "SELECT GROUP_CONCAT(labels, ' ', value) FROM metric WHERE name = %d AND value > 0",
	    METRIC_STEP_REQUESTS);
	g_autofree char *got = test_db_text(house->db, sql);

	cr_expect_str_eq(got ? got : "", want, "%s: got %s, want %s", name, got, want);
}

/* The answers that end a request or have it made again. */
Test(step_requests, go_on_by_their_answer)
{
	static const struct {
		const char *name;
		guint statuses[3];
		const char *more;
		bool has_failed;
		guint requests;
		const char *want, *properties, *counted;
	} cases[] = {
	    {"204", {204}, "", true, 1, "COMPLETED y", "{'status': 204}", "ok 1"},
	    {"404", {404}, "", true, 1, "COMPLETED n", "{'failed': 404}", "failed 1"},
	    {"302 is not followed", {302}, "", true, 1, "COMPLETED n", "{'failed': 302}",
		"failed 1"},
	    {"404 without a way", {404}, "", false, 1, "FAILED r 127.0.0.1 answered 404", "{}",
		"failed 1"},
	    {"503, one attempt", {503}, ",'attempts':1", false, 1,
		"FAILED r 127.0.0.1 answered 503", "{}", "failed 1"},
	    {"503", {503}, "", true, 1, "IN_PROGRESS r 127.0.0.1 answered 503", "{}", "retried 1"},
	    {"429", {429}, "", true, 1, "IN_PROGRESS r 127.0.0.1 answered 429", "{}", "retried 1"},
	    {"408", {408}, "", true, 1, "IN_PROGRESS r 127.0.0.1 answered 408", "{}", "retried 1"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(test_house) house = telling_house();
		AUTO(receiver)
		receiver = receiver_start(telling_say_in_turn, (void *)cases[i].statuses);

		step_requests_begin(house, receiver, "", cases[i].more, cases[i].has_failed);
		telling_run(house, NOW);
		cr_expect_eq(receiver_count(receiver), cases[i].requests, "%s", cases[i].name);
		step_requests_expect(house, cases[i].name, cases[i].want);
		step_requests_expect_properties(house, cases[i].name, cases[i].properties);
		step_requests_expect_counted(house, cases[i].name, cases[i].counted);
	}
}

Test(step_requests, are_made_again_by_the_schedule)
{
	static const guint statuses[] = {503, 0};
	static const gint64 after[] = {60000, 5 * 60000, 15 * 60000, 60 * 60000};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, (void *)statuses);
	gint64 now = NOW;

	step_requests_begin(house, receiver, "", "", true);
	telling_run(house, now);
	for (guint i = 0; i < G_N_ELEMENTS(after); i++) {
		gint64 due = test_db_number(house->db, "SELECT due_at FROM step_request");

		cr_expect(due >= now + after[i] && due < now + after[i] + 30000,
		    "%u: %" G_GINT64_FORMAT, i, due - now);
		telling_run(house, due - 20 * SECOND_MS);
		cr_expect_eq(receiver_count(receiver), i + 1, "early %u", i);
		now = due;
		telling_run(house, now);
		cr_expect_eq(receiver_count(receiver), i + 2, "due %u", i);
	}
	step_requests_expect(house, "all attempts", "COMPLETED n");
	step_requests_expect_properties(house, "all attempts", "{'failed': 503}");
	for (guint i = 1; i < receiver_count(receiver); i++) {
		g_autofree char *first = receiver_header(receiver_get(receiver, 0), "webhook-id");

		step_requests_expect_header(receiver_get(receiver, i), "webhook-id", first);
	}
}

static char *
step_requests_say_later(guint number, const struct receiver_request *request, void *data)
{
	return g_strdup_printf("HTTP/1.1 503 Busy\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n",
	    (const char *)data);
}

Test(step_requests, wait_as_long_as_the_answer_asks)
{
	static const struct {
		const char *after;
		gint64 want;
	} cases[] = {{"600", 600000}, {"3", 60000}, {"86400", 3600000}, {"soon", 60000},
	    {"Fri, 15 Jan 2027 08:30:00 GMT", 1800000}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(test_house) house = telling_house();
		AUTO(receiver)
		receiver = receiver_start(step_requests_say_later, (void *)cases[i].after);

		step_requests_begin(house, receiver, "", "", true);
		telling_run(house, NOW);
		gint64 due = test_db_number(house->db, "SELECT due_at FROM step_request") - NOW;
		cr_expect(due >= cases[i].want && due < cases[i].want + 30000,
		    "%s: %" G_GINT64_FORMAT, cases[i].after, due);
	}
}

/* Nobody listens there: the last attempt fails. */
Test(step_requests, fail_without_an_answer)
{
	AUTO(test_house) house = telling_house();
	guint port;
	{
		AUTO(receiver) receiver = receiver_start(NULL, NULL);
		port = receiver_port(receiver);
	}
	g_autofree char *data = g_strdup_printf("'url':'http://127.0.0.1:%u/','attempts':1", port);

	base_clock_set(BEFORE);
	step_requests_workflow(house, data, false);
	step_requests_happen(house, "ann@example.org", "{}");
	telling_run(house, NOW);
	step_requests_expect(house, "refused", "FAILED r 127.0.0.1: Connection refused");
}

/* The test's turn while a request is under way: the receiver's thread has neither its connection to
   the database nor its programs. */
struct step_requests_turn {
	GAsyncQueue *asked, *done;
};

static char *
step_requests_give_turn(guint number, const struct receiver_request *request, void *data)
{
	const struct step_requests_turn *turn = data;

	if (number > 0)
		return receiver_say(200, "{}");
	g_async_queue_push(turn->asked, data);
	return g_async_queue_pop(turn->done) == data ? receiver_say(200, "{}") : NULL;
}

/* The test's side: waits for the request. */
static void
step_requests_take_turn(const struct step_requests_turn *turn)
{
	cr_assert(g_async_queue_timeout_pop(turn->asked, END_MS * 1000), "there is no request");
}

static struct step_requests_turn
step_requests_turn_new(void)
{
	return (struct step_requests_turn){g_async_queue_new(), g_async_queue_new()};
}

static void
step_requests_turn_clear(struct step_requests_turn *turn)
{
	g_async_queue_unref(turn->asked);
	g_async_queue_unref(turn->done);
}

/* Runs the spool, and a statement while it waits for the answer to its first request. */
static void
step_requests_run_with(struct test_house *house, struct step_requests_turn *turn, const char *sql)
{
	AUTO(test_program) program = telling_start(house, NOW, "1");

	step_requests_take_turn(turn);
	test_db_plain(house->db, sql);
	g_async_queue_push(turn->done, turn);
	cr_assert_eq(test_program_wait(program, END_MS), 0);
}

/* Kills the program and its workers. */
static void
step_requests_kill(struct test_program *program)
{
	g_autoptr(GArray) workers = test_program_children(program);

	test_program_signal(program, SIGKILL);
	for (guint i = 0; i < workers->len; i++)
		kill(g_array_index(workers, pid_t, i), SIGKILL);
	cr_expect_neq(test_program_wait(program, END_MS), 0);
	for (guint i = 0; i < workers->len; i++)
		test_program_wait_gone(g_array_index(workers, pid_t, i));
}

/* The next run finds that the process has ended, so it does not wait for the end of the lease. */
Test(step_requests, are_asked_again_after_a_kill)
{
	AUTO(test_house) house = telling_house();
	struct step_requests_turn turn = step_requests_turn_new();
	AUTO(receiver) receiver = receiver_start(step_requests_give_turn, &turn);

	step_requests_begin(house, receiver, "", "", true);
	AUTO(test_program) program = telling_start(house, NOW, "1");
	step_requests_take_turn(&turn);
	step_requests_kill(program);
	g_async_queue_push(turn.done, &turn.done); /* there is nobody for an answer */
	cr_expect_eq(receiver_count(receiver), 1);
	telling_expect(house, "lease", "SELECT due_at > 1800000010000 FROM step_request", 1);
	telling_run(house, NOW + 5 * SECOND_MS);
	cr_assert_eq(receiver_count(receiver), 2);
	g_autofree char *first = receiver_header(receiver_get(receiver, 0), "webhook-id");
	step_requests_expect_header(receiver_get(receiver, 1), "webhook-id", first);
	step_requests_expect(house, "killed", "COMPLETED y");
	step_requests_turn_clear(&turn);
}

/* Locks the workflow, for which the move of the execution waits. */
static char *
step_requests_lock(guint number, const struct receiver_request *request, void *data)
{
	if (number == 0) {
		test_db_plain(data, "START TRANSACTION");
		test_db_plain(data, "SELECT id FROM workflow FOR UPDATE");
	}
	return receiver_say(200, "{}");
}

/* The answer came, and the process dies before the execution has moved: nothing of it is stored. */
Test(step_requests, are_asked_again_after_a_kill_before_the_move)
{
	AUTO(test_house) house = telling_house();
	AUTO(db) holder = test_db_open(house->settings);
	AUTO(receiver) receiver = receiver_start(step_requests_lock, holder);

	step_requests_begin(house, receiver, "", "", true);
	AUTO(test_program) program = telling_start(house, NOW, "1");
	while (test_db_number(house->db,
		   "SELECT COUNT(*) FROM information_schema.INNODB_TRX t JOIN"
		   " information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id"
		   " WHERE t.trx_state = 'LOCK WAIT' AND p.DB = DATABASE()") == 0)
		g_usleep(150000); /* the server repeats its last answer for 0.1 s */
	step_requests_kill(program);
	test_db_plain(holder, "ROLLBACK");
	telling_expect(house, "not answered", "SELECT due_at IS NOT NULL FROM step_request", 1);
	telling_run(house, NOW + 5 * SECOND_MS);
	cr_expect_eq(receiver_count(receiver), 2);
	step_requests_expect(house, "killed", "COMPLETED y");
}

/* Has the engine step what is due, so that the request is. */
static void
step_requests_step(struct test_house *house)
{
	struct automation_engine *engine = automation_engine_new(house->service);
	g_autoptr(GError) error = NULL, trouble = NULL;
	guint count;

	bool done = automation_engine_run(engine, &count, &trouble, &error);
	automation_engine_free(engine);
	telling_must(done, error);
}

/* A step that fails for a moment, behind one that is done. */
static bool
step_requests_move_badly(struct service *service, const struct store_step_outcome *outcomes,
    guint count, bool *taken_r, GError **error)
{
	test_db_plain(service->db, "UPDATE execution SET step_id = 'y'");
	return base_fail(error, PH_ERROR_TEMPORARY, "the step fails for a moment");
}

/* Requests that are made in this process. */
struct step_requests_making {
	struct fetch_poster *poster;
	struct webhook_step_requests *requests;
};

/* Makes so many requests that are due, whose answers are not stored yet. */
static struct step_requests_making
step_requests_make(struct test_house *house, guint count, webhook_step_move move)
{
	static struct fetch_rules rules;
	struct step_requests_making making;
	g_autoptr(GError) error = NULL;
	bool ended;

	rules.allow = config_settings_list(house->settings, SETTING_FETCH_ALLOW);
	rules.ports = config_settings_list(house->settings, SETTING_FETCH_PORTS);
	making.poster = fetch_poster_new(&rules, count, count, NULL);
	making.requests = webhook_step_requests_new(house->service, &rules, count, move);
	telling_must(service_ensure_journal(house->service, &error), error);
	g_autoptr(GPtrArray) hosts = webhook_step_requests_find(making.requests, &error);
	telling_must(hosts != NULL, error);
	cr_assert_eq(hosts->len, 1);
	bool begun = webhook_step_requests_begin(
	    making.requests, making.poster, hosts, count, &ended, &error);
	telling_must(begun, error);
	cr_assert_eq(webhook_step_requests_count(making.requests), count);
	for (guint i = 0; i < count; i++) {
		AUTO(fetch_post) post = fetch_poster_take(making.poster, MINUTE_MS);

		cr_assert(post);
		cr_expect(webhook_step_requests_take(making.requests, post));
	}
	cr_expect(webhook_step_requests_are_gathered(making.requests));
	return making;
}

static void
step_requests_store(struct step_requests_making *making)
{
	g_autoptr(GError) error = NULL, trouble = NULL;
	bool stored = webhook_step_requests_store(making->requests, &trouble, &error);

	telling_must(stored && !trouble, trouble ? trouble : error);
	cr_expect_eq(webhook_step_requests_count(making->requests), 0);
}

static void
step_requests_end(struct step_requests_making *making)
{
	webhook_step_requests_free(making->requests);
	fetch_poster_free(making->poster);
}

/* The answer is stored alone, and the step is the engine's, which asks no more. */
Test(step_requests, keep_their_answer_when_the_step_fails_for_a_moment)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(step_requests_say_id, NULL);

	step_requests_begin(house, receiver, "", "", true);
	step_requests_step(house);
	base_clock_set(NOW);
	struct step_requests_making making = step_requests_make(house, 1, step_requests_move_badly);
	step_requests_store(&making);
	step_requests_end(&making);
	telling_expect(
	    house, "answered", "SELECT due_at IS NULL AND status = 200 FROM step_request", 1);
	step_requests_expect(house, "not moved", "IN_PROGRESS r");
	telling_expect(house, "due", "SELECT ready_at IS NOT NULL FROM execution", 1);
	telling_run(house, NOW + MINUTE_MS);
	cr_expect_eq(receiver_count(receiver), 1);
	step_requests_expect(house, "moved", "COMPLETED y");
	step_requests_expect_properties(
	    house, "moved", "{'status': 200, 'body': {'id': [1, 'x']}}");
}

/* The moves of answers, by their number, and the execution whose step fails. */
static GString *step_requests_moves;
static struct base_id step_requests_bad;

static bool
step_requests_move(struct service *service, const struct store_step_outcome *outcomes, guint count,
    bool *taken_r, GError **error)
{
	bool done = automation_engine_answered(service, outcomes, count, taken_r, error);

	g_string_append_printf(step_requests_moves, "%u ", count);
	for (guint i = 0; done && i < count; i++)
		if (base_id_equal(outcomes[i].execution, &step_requests_bad))
			return base_fail(error, PH_ERROR_TEMPORARY, "the step fails for a moment");
	return done;
}

/* Makes the requests of two people, whose answers come together. */
static struct step_requests_making
step_requests_make_two(struct test_house *house, struct receiver *receiver)
{
	step_requests_begin(house, receiver, "", "", true);
	step_requests_happen(house, "bob@example.org", "{}");
	step_requests_step(house);
	base_clock_set(NOW);
	if (!step_requests_moves)
		step_requests_moves = g_string_new(NULL);
	g_string_truncate(step_requests_moves, 0);
	return step_requests_make(house, 2, step_requests_move);
}

/* Expects how the executions stand, of ann and then of bob, and the moves that were made. */
static void
step_requests_expect_two(struct test_house *house, const char *want, const char *moves)
{
	g_autofree char *got = test_db_text(house->db,
	    "SELECT GROUP_CONCAT(e.status, e.step_id, IF(e.ready_at IS NULL, '', ' due')"
	    " ORDER BY e.email SEPARATOR ', ') FROM execution e");

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	cr_expect_str_eq(step_requests_moves->str, moves, "got %s", step_requests_moves->str);
}

Test(step_requests, that_are_answered_together_share_a_transaction)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(step_requests_say_id, NULL);
	struct step_requests_making making = step_requests_make_two(house, receiver);

	step_requests_store(&making);
	step_requests_end(&making);
	step_requests_expect_two(house, "3y, 3y", "2 ");
	telling_expect(house, "no row", "SELECT COUNT(*) FROM step_request", 0);
	telling_expect(house, "results",
	    "SELECT COUNT(*) FROM person WHERE JSON_VALUE(properties, '$.status') = 200", 2);
}

/* The step of bob fails: ann's is made, and the answer to bob is kept for the engine. */
Test(step_requests, do_no_harm_to_others_that_are_answered_with_them)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(step_requests_say_id, NULL);
	struct step_requests_making making = step_requests_make_two(house, receiver);

	AUTO(db_rows)
	rows =
	    db_select(house->db, "SELECT id FROM execution WHERE email LIKE 'bob%'", NULL, 0, NULL);
	cr_assert(rows && db_rows_next(rows) && db_rows_id(rows, 0, &step_requests_bad));
	step_requests_store(&making);
	step_requests_end(&making);
	step_requests_expect_two(house, "3y, 1r due", "2 1 1 ");
	telling_expect(
	    house, "answered", "SELECT COUNT(*) FROM step_request WHERE due_at IS NULL", 1);
	telling_run(house, NOW + MINUTE_MS);
	cr_expect_eq(receiver_count(receiver), 2);
	step_requests_expect_two(house, "3y, 3y", "2 1 1 ");
}

/* Between the answers and the transaction, one of the executions changes. */
Test(step_requests, are_stored_with_others_only_as_they_stand)
{
	static const struct {
		const char *name, *sql, *want;
		gint64 rows; /* requests that are left */
	} cases[] = {
	    {"another lease",
		"UPDATE step_request r JOIN execution e ON e.id = r.execution_id"
		" SET r.token = 7 WHERE e.email LIKE 'ann%'",
		"1r, 3y", 1},
	    {"cancelled",
		"UPDATE execution SET status = 5, cancellation = 1, completed = 1"
		" WHERE email LIKE 'ann%'",
		"5r, 3y", 1},
	    {"a death", "UPDATE execution SET deaths = 1 WHERE email LIKE 'ann%'", "1r due, 3y", 1},
	    {"paused", "UPDATE workflow SET status = 3", "1r, 1r", 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(test_house) house = telling_house();
		AUTO(receiver) receiver = receiver_start(step_requests_say_id, NULL);
		struct step_requests_making making = step_requests_make_two(house, receiver);

		test_db_plain(house->db, cases[i].sql);
		step_requests_store(&making);
		step_requests_end(&making);
		step_requests_expect_two(house, cases[i].want, "2 ");
		telling_expect(
		    house, cases[i].name, "SELECT COUNT(*) FROM step_request", cases[i].rows);
	}
}

/* Another process steps ann: her answer waits in its row. */
Test(step_requests, do_not_wait_for_one_that_is_locked)
{
	AUTO(test_house) house = telling_house();
	AUTO(db) holder = test_db_open(house->settings);
	AUTO(receiver) receiver = receiver_start(step_requests_say_id, NULL);
	struct step_requests_making making = step_requests_make_two(house, receiver);

	test_db_plain(holder, "START TRANSACTION");
	test_db_plain(holder, "SELECT id FROM person WHERE email LIKE 'ann%' FOR UPDATE");
	step_requests_store(&making);
	step_requests_end(&making);
	step_requests_expect_two(house, "1r due, 3y", "2 ");
	test_db_plain(holder, "ROLLBACK");
	telling_run(house, NOW + MINUTE_MS);
	cr_expect_eq(receiver_count(receiver), 2);
	step_requests_expect_two(house, "3y, 3y", "2 ");
}

/* The connection is lost: the answers are kept, and stored when there is one again. */
Test(step_requests, keep_their_answers_without_a_database)
{
	AUTO(test_house) house = telling_house();
	AUTO(db) killer = test_db_open(house->settings);
	AUTO(receiver) receiver = receiver_start(step_requests_say_id, NULL);
	struct step_requests_making making = step_requests_make_two(house, receiver);
	g_autofree char *kill =
	    g_strdup_printf("KILL %" G_GUINT64_FORMAT, db_connection_id(house->service->db));
	g_autoptr(GError) error = NULL, trouble = NULL;

	test_db_plain(killer, kill);
	cr_expect_not(webhook_step_requests_store(making.requests, &trouble, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY));
	cr_expect_null(trouble);
	cr_expect_eq(webhook_step_requests_count(making.requests), 2);
	g_clear_error(&error);
	telling_must(service_ensure(house->service, &error), error);
	g_string_truncate(step_requests_moves, 0);
	step_requests_store(&making);
	step_requests_end(&making);
	cr_expect_eq(receiver_count(receiver), 2);
	g_autofree char *got = test_db_text(
	    killer, "SELECT GROUP_CONCAT(status, step_id SEPARATOR ', ') FROM execution");
	cr_expect_str_eq(got, "3y, 3y");
	cr_expect_str_eq(step_requests_moves->str, "2 ");
}

/* A COMMIT whose answer is lost is made again. */
Test(step_requests, count_an_attempt_back_once)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(step_requests_say_id, NULL);
	g_autoptr(GError) error = NULL;

	step_requests_begin(house, receiver, "", "", true);
	step_requests_step(house);
	g_autofree char *host = test_db_text(house->db, "SELECT host FROM step_request");
	const struct store_step_lease lease = {.host = host,
	    .owner = "p",
	    .token = 7,
	    .now = NOW + HOUR_MS,
	    .until = NOW + 2 * HOUR_MS,
	    .limit = 1};
	g_autoptr(GPtrArray) leased = store_step_request_lease(house->db, &lease, &error);
	telling_must(leased, error);
	cr_assert_eq(leased->len, 1);
	const struct store_step_request *request = leased->pdata[0];
	for (guint i = 0; i < 2; i++)
		telling_must(store_step_request_give_back(
				 house->db, &request->execution_id, lease.token, NOW, &error),
		    error);
	telling_expect(house, "attempts", "SELECT attempts FROM step_request", 0);
}

Test(step_requests, bring_nothing_to_an_execution_that_has_ended)
{
	AUTO(test_house) house = telling_house();
	struct step_requests_turn turn = step_requests_turn_new();
	AUTO(receiver) receiver = receiver_start(step_requests_give_turn, &turn);

	step_requests_begin(house, receiver, "", "", true);
	step_requests_run_with(house, &turn,
	    "UPDATE execution SET status = 5, cancellation = 1, ready_at = NULL, completed = 1");
	cr_expect_eq(receiver_count(receiver), 1);
	step_requests_expect(house, "cancelled", "OTHER r");
	step_requests_expect_properties(house, "cancelled", "{}");
	telling_run(house, NOW + HOUR_MS);
	cr_expect_eq(receiver_count(receiver), 1);
	telling_expect(house, "no row", "SELECT COUNT(*) FROM step_request", 0);
	step_requests_turn_clear(&turn);
}

Test(step_requests, are_taken_up_when_the_workflow_goes_on)
{
	AUTO(test_house) house = telling_house();
	struct step_requests_turn turn = step_requests_turn_new();
	AUTO(receiver) receiver = receiver_start(step_requests_give_turn, &turn);
	const struct automation_workflow_change active = {.status = "active"};
	g_autoptr(GError) error = NULL;

	base_clock_set(BEFORE);
	g_autofree char *data = step_requests_data(receiver, "", "");
	struct base_id workflow = step_requests_workflow(house, data, true);
	step_requests_happen(house, "ann@example.org", "{}");
	step_requests_run_with(house, &turn, "UPDATE workflow SET status = 3");
	step_requests_expect(house, "paused", "IN_PROGRESS r");
	telling_expect(
	    house, "parked", "SELECT COUNT(*) FROM execution WHERE parked IS NOT NULL", 1);
	bool is_active = automation_workflow_change(
	    house->service, &house->workspace, &workflow, &active, &error);
	telling_must(is_active, error);
	telling_run(house, NOW + MINUTE_MS);
	cr_expect_eq(receiver_count(receiver), 1);
	step_requests_expect(house, "active", "COMPLETED y");
	step_requests_turn_clear(&turn);
}

/* 16 KiB of JSON are kept, and one byte more is not. */
static char *
step_requests_say_long(guint number, const struct receiver_request *request, void *data)
{
	g_autofree char *text = g_strnfill(*(const gsize *)data - 2, 'x');
	g_autofree char *json = g_strdup_printf("\"%s\"", text);

	return receiver_say(200, json);
}

Test(step_requests, keep_16_KiB_of_the_answer)
{
	for (guint more = 0; more < 2; more++) {
		AUTO(test_house) house = telling_house();
		gsize size = LIMIT_REQUEST_RESULT_BYTES + more;
		AUTO(receiver) receiver = receiver_start(step_requests_say_long, &size);

		step_requests_begin(house, receiver, "", "", true);
		telling_run(house, NOW);
		gint64 got = test_db_number(house->db,
		    "SELECT IFNULL(LENGTH(JSON_VALUE(properties, '$.body')), 0) FROM person");
		cr_expect_eq(
		    got, more ? 0 : LIMIT_REQUEST_RESULT_BYTES - 2, "%u: %ld", more, (long)got);
	}
}

/* The network of the receiver is no longer allowed when the request is made. */
Test(step_requests, do_not_reach_private_addresses)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	step_requests_begin(house, receiver, "", ",'attempts':1", false);
	g_autofree char *text = NULL;
	gsize size;
	cr_assert(g_file_get_contents(house->config, &text, &size, NULL));
	g_autofree char *strict = g_strdup(text);
	char *allow = strstr(strict, "127.0.0.0/8");
	cr_assert(allow);
	memcpy(allow, "10.0.0.0/16", strlen("127.0.0.0/8"));
	cr_assert(g_file_set_contents(house->config, strict, -1, NULL));
	telling_run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 0);
	step_requests_expect(
	    house, "private", "FAILED r data.url must not lead to a private address");
}

/* Waits for a word of main, or of another receiver. */
static char *
step_requests_wait(guint number, const struct receiver_request *request, void *data)
{
	g_async_queue_pop(data);
	return receiver_say(200, "{}");
}

static char *
step_requests_signal(guint number, const struct receiver_request *request, void *data)
{
	g_async_queue_push(data, data);
	return receiver_say(200, "{}");
}

Test(step_requests, to_a_slow_host_end_in_their_time)
{
	AUTO(test_house) house = telling_house();
	g_autoptr(GAsyncQueue) words = g_async_queue_new();
	AUTO(receiver) receiver = receiver_start(step_requests_wait, words);

	step_requests_begin(house, receiver, "", ",'timeout':1,'attempts':1", false);
	telling_run(house, NOW);
	step_requests_expect(
	    house, "slow", "FAILED r 127.0.0.1: There was no answer within 1 second");
	g_async_queue_push(words, words);
}

/* The slow host answers once the other one has been asked. */
Test(step_requests, to_a_slow_host_delay_no_other)
{
	AUTO(test_house) house = telling_house();
	g_autoptr(GAsyncQueue) words = g_async_queue_new();
	AUTO(receiver) slow = receiver_start(step_requests_wait, words);
	AUTO(receiver) quick = receiver_start(step_requests_signal, words);
	g_autofree char *slow_data = step_requests_data(slow, "", ",'attempts':1");
	g_autofree char *quick_data = step_requests_data(quick, "", ",'attempts':1");

	base_clock_set(BEFORE);
	step_requests_workflow(house, slow_data, true);
	step_requests_workflow(house, quick_data, true);
	step_requests_happen(house, "ann@example.org", "{}");
	telling_run(house, NOW);
	telling_expect(
	    house, "both", "SELECT COUNT(*) FROM execution WHERE status = 3 AND step_id = 'y'", 2);
}

static char *
step_requests_say_endless(guint number, const struct receiver_request *request, void *data)
{
	return g_strdup("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n{\"a\": ");
}

Test(step_requests, take_no_endless_answer)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(step_requests_say_endless, NULL);

	step_requests_begin(house, receiver, "", "", true);
	telling_run(house, NOW);
	step_requests_expect(house, "endless", "COMPLETED y");
	step_requests_expect_properties(house, "endless", "{'status': 200}");
}

/* A value of a person cannot name a secret, nor begin a header of its own. */
Test(step_requests, keep_values_apart_from_secrets_and_headers)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);
	g_autofree char *data = step_requests_data(
	    receiver, "", ",'headers':{'X-A':'{{name}}','X-B':'{{secret.token}}'}");

	step_requests_secret(house, "token", "t0p");
	base_clock_set(BEFORE);
	step_requests_workflow(house, data, true);
	step_requests_happen(house, "ann@example.org", "{'name':'{{secret.token}}\\r\\nX-C: 1'}");
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 1);
	const struct receiver_request *request = receiver_get(receiver, 0);
	g_autofree char *value = receiver_header(request, "X-A");
	cr_expect(g_str_has_prefix(value, "{{secret.token}} "), "%s", value);
	step_requests_expect_header(request, "X-B", "t0p");
	step_requests_expect_header(request, "X-C", "-");
}

/* The secret is gone when the request is made. */
Test(step_requests, fail_without_their_secret)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	step_requests_secret(house, "token", "t0p");
	step_requests_begin(house, receiver, "", ",'headers':{'X-B':'{{secret.token}}'}", false);
	test_db_plain(house->db, "DELETE FROM secret");
	telling_run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 0);
	step_requests_expect(house, "no secret", "FAILED r data.headers.X-B: no secret \"token\"");
}
