/* SPDX-License-Identifier: MIT */
#include "store/workspace/idempotency.h"

#include <string.h>

#include "base/limits/request.h"
#include "db/connection.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000
#define DAY LIMIT_IDEMPOTENCY_MS

FIXTURE_SUITE(idempotency);

static struct store_idempotency
idempotency_make(const struct base_id *workspace, const char *name, const char *body)
{
	struct store_idempotency key = {.workspace_id = *workspace, .name = name};

	store_idempotency_digest(&key, "/v1/emails", body, strlen(body));
	return key;
}

struct take {
	struct store_idempotency key;
	const char *answer;
	gint64 now;
	int runs;
};

static bool
take(struct db *db, void *context, GError **error)
{
	struct take *t = context;

	t->runs++;
	return store_idempotency_take_all(
	    db, &(struct store_idempotency_taking){&t->key, t->answer}, 1, t->now, error);
}

static void
must_take(const struct base_id *workspace, const char *name, const char *answer, gint64 now)
{
	struct take t = {idempotency_make(workspace, name, "body"), answer, now, 0};

	MUST(db_transact(fixture->db, take, &t, &error));
}

/* The answer stored under the key, "none", or "conflict". The caller owns it. */
static char *
idempotency_find(const struct base_id *workspace, const char *name, const char *body, gint64 now)
{
	struct store_idempotency key = idempotency_make(workspace, name, body);
	g_autoptr(GError) error = NULL;
	char *answer;

	if (store_idempotency_find(fixture->db, &key, now, &answer, &error))
		return answer ? answer : g_strdup("none");
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT), "got %s", error->message);
	return g_strdup("conflict");
}

Test(idempotency, finds_what_was_answered)
{
	const struct {
		const char *name;
		const struct base_id *workspace;
		const char *key, *body;
		gint64 now;
		const char *want;
	} cases[] = {
	    {"the same", &fixture->workspace, "key", "body", NOW, "answer"},
	    {"another body", &fixture->workspace, "key", "body ", NOW, "conflict"},
	    {"another key", &fixture->workspace, "Key", "body", NOW, "none"},
	    {"another key, longer", &fixture->workspace, "key ", "body", NOW, "none"},
	    {"another workspace", &fixture->other, "key", "body", NOW, "none"},
	    {"the last moment", &fixture->workspace, "key", "body", NOW + DAY - 1, "answer"},
	    {"a day later", &fixture->workspace, "key", "body", NOW + DAY, "none"},
	    {"a day later, another body", &fixture->workspace, "key", "x", NOW + DAY, "none"},
	};

	must_take(&fixture->workspace, "key", "answer", NOW);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    idempotency_find(cases[i].workspace, cases[i].key, cases[i].body, cases[i].now);

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

Test(idempotency, tells_routes_apart)
{
	struct store_idempotency a = {0}, b = {0}, c = {0};

	store_idempotency_digest(&a, "/v1/emails", "body", 4);
	store_idempotency_digest(&b, "/v1/events", "body", 4);
	store_idempotency_digest(&c, "/v1/email", "sbody", 5);
	cr_expect_arr_neq(a.request, b.request, SHA256_SIZE);
	cr_expect_arr_neq(a.request, c.request, SHA256_SIZE);
}

Test(idempotency, is_taken_once_a_day)
{
	const struct {
		const char *name;
		gint64 now;
		bool done;
	} cases[] = {
	    {"at once", NOW, false},
	    {"at the last moment", NOW + DAY - 1, false},
	    {"a day later", NOW + DAY, true},
	};

	must_take(&fixture->workspace, "key", "first", NOW);
	must_take(&fixture->other, "key", "theirs", NOW);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct take t = {idempotency_make(&fixture->workspace, "key", "other body"), "next",
		    cases[i].now, 0};
		g_autoptr(GError) error = NULL;
		bool done = db_transact(fixture->db, take, &t, &error);

		cr_expect_eq(done, cases[i].done, "%s: got %d", cases[i].name, done);
		cr_expect_eq(t.runs, 1, "%s: got %d runs", cases[i].name, t.runs);
		if (!done)
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT), "%s: %s",
			    cases[i].name, error->message);
	}
	g_autofree char *got =
			    idempotency_find(&fixture->workspace, "key", "other body", NOW + DAY),
			*theirs = idempotency_find(&fixture->other, "key", "body", NOW);
	cr_expect_str_eq(got, "next");
	cr_expect_str_eq(theirs, "theirs");
}

Test(idempotency, takes_the_longest_key)
{
	char name[LIMIT_IDEMPOTENCY_KEY_LENGTH + 1];

	memset(name, '~', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	must_take(&fixture->workspace, name, "answer", NOW);
	g_autofree char *got = idempotency_find(&fixture->workspace, name, "body", NOW);
	cr_expect_str_eq(got, "answer");
}

/* The wait ends with the connection's lock wait: here at once. */
Test(idempotency, that_stays_in_progress_is_a_conflict)
{
	struct db *impatient = fixture_impatient(fixture);
	struct take first = {idempotency_make(&fixture->workspace, "key", "body"), "first", NOW, 0},
		    second = {
			idempotency_make(&fixture->workspace, "key", "body"), "second", NOW, 0};

	test_db_plain(fixture->db, "START TRANSACTION");
	MUST(take(fixture->db, &first, &error));
	MUST_FAIL(db_transact(impatient, take, &second, &error), PH_ERROR_CONFLICT);
	cr_expect_eq(second.runs, 1, "got %d runs", second.runs);
	g_autofree char *got = idempotency_find(&fixture->other, "key", "body", NOW);
	cr_expect_str_eq(got, "none");
	test_db_plain(fixture->db, "ROLLBACK");
	MUST(db_transact(impatient, take, &second, &error));
	db_close(impatient);
}

static gpointer
take_too(gpointer outcome)
{
	struct db *own = test_db_open(fixture->settings);
	struct take t = {idempotency_make(&fixture->workspace, "key", "body"), "second", NOW, 0};
	g_autoptr(GError) error = NULL;
	bool done = db_transact(own, take, &t, &error);

	*(char **)outcome =
	    done ? g_strdup("taken") : g_strdup_printf("%d: %s", error->code, error->message);
	db_close(own);
	return NULL;
}

Test(idempotency, waits_for_the_first_to_end)
{
	static const struct {
		const char *end, *want;
	} cases[] = {{"ROLLBACK", "taken"}, {"COMMIT", "4: "}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct take first = {
		    idempotency_make(&fixture->workspace, "key", "body"), "first", NOW, 0};
		g_autofree char *outcome = NULL;

		test_db_plain(fixture->db, "DELETE FROM idempotency");
		test_db_plain(fixture->db, "START TRANSACTION");
		MUST(take(fixture->db, &first, &error));
		GThread *second = g_thread_new("second", take_too, &outcome);
		test_db_wait_locked(fixture->db, 1);
		test_db_plain(fixture->db, cases[i].end);
		g_thread_join(second);
		cr_expect(g_str_has_prefix(outcome, cases[i].want), "%s: got %s, want %s",
		    cases[i].end, outcome, cases[i].want);
	}
}

/* Defers a statement as an event does, and then stores the key. */
static bool
put_and_take(struct db *db, void *context, GError **error)
{
	struct take *t = context;
	const struct db_value values[] = {db_id(&fixture->workspace)};

	t->runs++;
	return db_defer(db, "INSERT INTO lock_of (id) VALUES (?)", values, 1, 1, error) &&
	       store_idempotency_take_all(
		   db, &(struct store_idempotency_taking){&t->key, t->answer}, 1, t->now, error);
}

/* Another transaction locks a deferred row for longer than the lock wait: that says nothing
   about the key, and the transaction is run again. */
Test(idempotency, is_not_in_progress_where_something_else_is_locked)
{
	struct take t = {idempotency_make(&fixture->workspace, "key", "body"), "answer", NOW, 0};
	AUTO(db) holder = test_db_open(fixture->settings);
	g_autoptr(GError) error = NULL;

	test_db_plain(holder, "CREATE TABLE lock_of (id BINARY(16) PRIMARY KEY)");
	test_db_plain(holder, "SET autocommit = 0");
	cr_assert(db_run(holder, "INSERT INTO lock_of (id) VALUES (?)",
	    DB_VALUES(db_id(&fixture->workspace)), NULL, &error));
	test_db_plain(fixture->db, "SET innodb_lock_wait_timeout = 1");
	cr_assert_not(db_transact(fixture->db, put_and_take, &t, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %d: %s", error->code,
	    error->message);
	cr_expect_gt(t.runs, 1, "it was not run again");
}
