/* SPDX-License-Identifier: MIT */
/* Idempotency-Key: one email for one key, also after failures. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/request.h"
#include "db/statement.h"
#include "store/workspace/idempotency.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define OTHER "{'message':'This Idempotency-Key was used for another request'}"
#define BAD "{'message':'Idempotency-Key must be 1 to 255 printable characters'}"
#define BUSY "{'message':'A request with this Idempotency-Key is still in progress'}"

FIXTURE_SUITE(idempotency, 900);

/* Sends with a key. Returns the id, which the caller owns, or NULL for an expected refusal. */
static char *
idempotency_send_as(const struct fixture *who, const char *name, const char *key, const char *body,
    guint status, const char *want, bool replayed)
{
	g_autofree char *line = g_strconcat("Idempotency-Key: ", key, NULL);
	const struct exchange exchange = {
	    .name = name,
	    .method = "POST",
	    .path = "/v1/emails",
	    .body = body,
	    .want_status = status,
	    .want_body = want,
	    .headers = {line},
	    .want_header = {replayed ? "Idempotent-Replayed: true" : "Idempotent-Replayed:"},
	};
	AUTO(answer) answer = exchange_expect(who, &exchange);

	return answer->status == 201 ? g_strdup(answer_text(answer, "id")) : NULL;
}

static guint
idempotency_emails(void)
{
	static const char sql[] = "SELECT COUNT(*) FROM email WHERE workspace_id = ?";
	AUTO(db_rows) rows = db_select(fixture->db, sql, DB_VALUES(db_id(&fixture->id)), NULL);

	cr_assert(rows && db_rows_next(rows));
	return (guint)db_rows_int(rows, 0);
}

Test(idempotency, replays_the_first_answer)
{
	static const char changed[] = "{'from':'a@example.com','to':'b@example.net','subject':'S',"
				      "'html':'<p>Hi</p>' }";
	g_autofree char *first =
	    idempotency_send_as(fixture, "first", "k", EMAIL, 201, NULL, false);
	g_autofree char *second =
	    idempotency_send_as(fixture, "second", "k", EMAIL, 201, NULL, true);
	g_autofree char *third = idempotency_send_as(fixture, "third", "k", EMAIL, 201, NULL, true);

	cr_expect_str_eq(second, first);
	cr_expect_str_eq(third, first);
	cr_expect_eq(idempotency_emails(), 1);
	cr_expect_eq(arrival_count(fixture, first), 1);
	idempotency_send_as(fixture, "another body", "k", changed, 409, OTHER, false);
	idempotency_send_as(
	    fixture, "no body", "k", "{}", 400, "{'message':'from is required'}", false);
	g_autofree char *other_case =
	    idempotency_send_as(fixture, "other case", "K", EMAIL, 201, NULL, false);
	g_autofree char *without = email_send(fixture, NULL);
	cr_expect_str_neq(other_case, first);
	cr_expect_str_neq(without, first);
	cr_expect_eq(idempotency_emails(), 3);
}

Test(idempotency, is_each_workspace_s_own)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *first =
	    idempotency_send_as(fixture, "first", "k", EMAIL, 201, NULL, false);
	g_autofree char *second =
	    idempotency_send_as(other, "another's", "k", EMAIL, 201, NULL, false);

	cr_expect_str_neq(first, second);
}

/* A refused request leaves the key free. */
Test(idempotency, keeps_no_failure)
{
	static const char elsewhere[] =
	    "{'from':'a@example.org','to':'b@example.net','subject':'S','html':'x'}";

	idempotency_send_as(fixture, "400", "k", "{}", 400, NULL, false);
	idempotency_send_as(fixture, "400 again", "k", "{}", 400, NULL, false);
	idempotency_send_as(fixture, "no JSON", "k", "{", 400, NULL, false);
	idempotency_send_as(fixture, "403", "k", elsewhere, 403, NULL, false);
	cr_expect_eq(idempotency_emails(), 0);
	g_autofree char *first = idempotency_send_as(fixture, "201", "k", EMAIL, 201, NULL, false);
	g_autofree char *second =
	    idempotency_send_as(fixture, "replayed", "k", EMAIL, 201, NULL, true);
	cr_expect_str_eq(second, first);
}

Test(idempotency, ends_after_a_day)
{
	static const char age[] =
	    "UPDATE idempotency SET created = created - ? WHERE workspace_id = ?";
	g_autofree char *first =
	    idempotency_send_as(fixture, "first", "k", EMAIL, 201, NULL, false);

	cr_assert(db_run(fixture->db, age,
	    DB_VALUES(db_int(LIMIT_IDEMPOTENCY_MS - 60000), db_id(&fixture->id)), NULL, NULL));
	g_autofree char *second =
	    idempotency_send_as(fixture, "almost a day", "k", EMAIL, 201, NULL, true);
	cr_assert(
	    db_run(fixture->db, age, DB_VALUES(db_int(60000), db_id(&fixture->id)), NULL, NULL));
	g_autofree char *third =
	    idempotency_send_as(fixture, "a day", "k", EMAIL, 201, NULL, false);
	cr_expect_str_eq(second, first);
	cr_expect_str_neq(third, first);
}

Test(idempotency, has_keys_of_printable_characters)
{
	g_autofree char *most = g_strnfill(LIMIT_IDEMPOTENCY_KEY_LENGTH, 'k');
	g_autofree char *more = g_strnfill(LIMIT_IDEMPOTENCY_KEY_LENGTH + 1, 'k');

	g_free(idempotency_send_as(fixture, "255", most, EMAIL, 201, NULL, false));
	g_free(idempotency_send_as(fixture, "255 again", most, EMAIL, 201, NULL, true));
	idempotency_send_as(fixture, "256", more, EMAIL, 400, BAD, false);
	idempotency_send_as(fixture, "no ASCII", "\u00e9", EMAIL, 400, BAD, false);
	idempotency_send_as(fixture, "no UTF-8", "\xff", EMAIL, 400, BAD, false);
	g_free(idempotency_send_as(
	    fixture, "signs", "~!@#$%^&*()_+{}|:\"<>?`-=[];',./ \\", EMAIL, 201, NULL, false));
	g_free(idempotency_send_as(
	    fixture, "signs again", "~!@#$%^&*()_+{}|:\"<>?`-=[];',./ \\", EMAIL, 201, NULL, true));
	cr_expect_eq(idempotency_emails(), 2);
}

#define AT_ONCE 8

static void *
idempotency_send_in_thread(void *nothing)
{
	const struct exchange exchange = {.name = "at once",
	    .method = "POST",
	    .path = "/v1/emails",
	    .body = EMAIL,
	    .headers = {"Idempotency-Key: at once"}};

	return exchange_ask(fixture, &exchange);
}

Test(idempotency, lets_one_of_many_at_once_send)
{
	GThread *threads[AT_ONCE];
	struct answer *answers[AT_ONCE];
	guint replayed = 0;

	for (guint i = 0; i < AT_ONCE; i++)
		threads[i] = g_thread_new("client", idempotency_send_in_thread, NULL);
	for (guint i = 0; i < AT_ONCE; i++) {
		answers[i] = g_thread_join(threads[i]);
		g_autofree char *header = answer_header(answers[i], "Idempotent-Replayed");
		replayed += header != NULL;
		cr_expect_eq(
		    answers[i]->status, 201, "got %u: %s", answers[i]->status, answers[i]->body);
		cr_expect_str_eq(answers[i]->body, answers[0]->body);
	}
	cr_expect_eq(replayed, AT_ONCE - 1, "%u were replayed", replayed);
	cr_expect_eq(idempotency_emails(), 1);
	cr_expect_eq(arrival_count(fixture, answer_text(answers[0], "id")), 1);
	for (guint i = 0; i < AT_ONCE; i++)
		answer_free(answers[i]);
}

/* Takes the key as a concurrent request does. */
static void
hold_key(void)
{
	g_autofree char *body = exchange_quoted(EMAIL);
	struct store_idempotency key = {.workspace_id = fixture->id, .name = "at once"};

	store_idempotency_digest(&key, "/v1/emails", body, strlen(body));
	test_db_plain(fixture->db, "START TRANSACTION");
	cr_assert(store_idempotency_take_all(fixture->db,
	    &(struct store_idempotency_taking){&key, "{\"id\":\"held\"}"}, 1,
	    g_get_real_time() / 1000, NULL));
}

/* Waits until the server waits for that key. */
static void
idempotency_wait_for_waiter(struct db *watcher)
{
	static const char sql[] = "SELECT COUNT(*) FROM information_schema.processlist"
				  " WHERE info LIKE '%idempotency%' AND info NOT LIKE '%COUNT%'";
	gint64 end = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;

	while (test_db_number(watcher, sql) == 0) {
		cr_assert_lt(g_get_monotonic_time(), end, "nobody waits");
		g_usleep(5000);
	}
}

static struct answer *
send_while_held(const char *ending)
{
	struct db *watcher = test_db_open(fixture->settings);

	hold_key();
	GThread *thread = g_thread_new("client", idempotency_send_in_thread, NULL);
	idempotency_wait_for_waiter(watcher);
	if (ending)
		test_db_plain(fixture->db, ending);
	struct answer *answer = g_thread_join(thread);
	if (!ending)
		test_db_plain(fixture->db, "ROLLBACK");
	db_close(watcher);
	return answer;
}

Test(idempotency, waits_for_the_first)
{
	AUTO(answer) answer = send_while_held("COMMIT");
	g_autofree char *header = answer_header(answer, "Idempotent-Replayed");

	cr_expect_eq(answer->status, 201, "got %u: %s", answer->status, answer->body);
	cr_expect_str_eq(answer->body, "{\"id\":\"held\"}", "got %s", answer->body);
	cr_expect_str_eq(header, "true");
	cr_expect_eq(idempotency_emails(), 0);
}

Test(idempotency, takes_over_when_the_first_fails)
{
	AUTO(answer) answer = send_while_held("ROLLBACK");

	cr_expect_eq(answer->status, 201, "got %u: %s", answer->status, answer->body);
	cr_expect_str_neq(answer->body, "{\"id\":\"held\"}");
	cr_expect_eq(idempotency_emails(), 1);
}

Test(idempotency, waits_five_seconds)
{
	gint64 before = g_get_monotonic_time();
	AUTO(answer) answer = send_while_held(NULL);
	gint64 seconds = (g_get_monotonic_time() - before) / G_USEC_PER_SEC;
	g_autofree char *want = exchange_quoted(BUSY);

	cr_expect_eq(answer->status, 409, "got %u: %s", answer->status, answer->body);
	cr_expect_str_eq(answer->body, want, "got %s", answer->body);
	cr_expect_geq(seconds, LIMIT_IDEMPOTENCY_WAIT_S, "took %d s", (int)seconds);
	cr_expect_eq(idempotency_emails(), 0);
}
