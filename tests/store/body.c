/* SPDX-License-Identifier: MIT */
#include "store/email/body.h"

#include <string.h>

#include "base/limits/unit.h"
#include "db/connection.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(body);

struct put {
	const struct base_id *workspace;
	const struct store_body *bodies[3];
	guint count;
};

static bool
put(struct db *db, void *context, GError **error)
{
	const struct put *p = context;

	return store_body_put(db, p->workspace, p->bodies, p->count, error);
}

/* The caller frees its content. */
static struct store_body
body_make(gsize size, guint seed)
{
	g_autoptr(GBytes) data = fixture_bytes(size, seed);

	return store_body_make(data);
}

/* Stores one body, and frees its content. Returns its hash. */
static struct store_body
body_store(const struct base_id *workspace, GBytes *data)
{
	struct store_body body = store_body_make(data);
	struct put one = {workspace, {&body}, 1};

	MUST(db_transact(fixture->db, put, &one, &error));
	g_bytes_unref(data);
	g_clear_pointer(&body.data, g_bytes_unref);
	return body;
}

/* A template that uses the body as its html. */
static void
refer(struct db *db, const struct base_id *workspace, const struct store_body *body)
{
	MUST(db_run(db,
	    "INSERT INTO template (workspace_id, id, name, html, variables, created, updated, "
	    "sequence)"
	    " VALUES (?, 'x', 'x', ?, '{}', 1, 1, UNHEX(REPEAT('0', 32)))",
	    DB_VALUES(db_id(workspace), db_bytes(body->hash, SHA256_SIZE)), NULL, &error));
}

Test(body, comes_back_as_it_was)
{
	static const struct {
		const char *name;
		gsize size;
		gint64 pieces;
	} cases[] = {
	    {"empty", 0, 0},
	    {"one byte", 1, 0},
	    {"the most that is sent unasked", 32 * 1024, 0},
	    {"one byte more", 32 * 1024 + 1, 0},
	    {"1 MiB", LIMIT_MIB, 0},
	    {"1 MiB and a byte", LIMIT_MIB + 1, 1},
	    {"2 MiB", 2 * LIMIT_MIB, 1},
	    {"3.5 MiB", 3 * LIMIT_MIB + LIMIT_MIB / 2, 3},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) data = fixture_bytes(cases[i].size, (guint)i);
		struct store_body body = body_store(&fixture->workspace, g_bytes_ref(data));
		g_autoptr(GBytes) got =
		    MUST_GIVE(store_body_get(fixture->db, &fixture->workspace, body.hash, &error));
		gint64 pieces = fixture_number(fixture, "SELECT COUNT(*) FROM body_piece");

		cr_expect(g_bytes_equal(got, data), "%s: got %zu other bytes", cases[i].name,
		    g_bytes_get_size(got));
		cr_expect_eq(pieces, cases[i].pieces, "%s: got %d pieces, want %d", cases[i].name,
		    (int)pieces, (int)cases[i].pieces);
		MUST(store_body_drop(fixture->db, &fixture->workspace, body.hash, &error));
		cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM body_piece"), 0, "%s",
		    cases[i].name);
	}
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM body"), 0);
}

Test(body, ends_in_a_nul_for_readers_of_text)
{
	struct store_body body = body_store(&fixture->workspace, g_bytes_new_static("html", 4));
	g_autoptr(GBytes) got =
	    MUST_GIVE(store_body_get(fixture->db, &fixture->workspace, body.hash, &error));

	cr_expect_str_eq(g_bytes_get_data(got, NULL), "html");
}

Test(body, is_stored_once)
{
	static const gsize sizes[] = {0, 100, 100 * 1024, LIMIT_MIB + 1};

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct store_body body = body_make(sizes[i], 1), other = body_make(sizes[i] + 1, 2);
		struct put thrice = {&fixture->workspace, {&body, &other, &body}, 3};

		test_db_plain(fixture->db, "DELETE FROM body");
		for (int again = 0; again < 2; again++)
			MUST(db_transact(fixture->db, put, &thrice, &error));
		gint64 got = fixture_number(fixture, "SELECT COUNT(*) FROM body");
		cr_expect_eq(got, 2, "%zu bytes: got %d, want 2", sizes[i], (int)got);
		g_bytes_unref(body.data);
		g_bytes_unref(other.data);
	}
}

Test(body, belongs_to_its_workspace)
{
	struct store_body body = body_store(&fixture->workspace, fixture_bytes(100, 1));

	MUST_FAIL(store_body_get(fixture->db, &fixture->other, body.hash, &error), PH_ERROR_FAILED);
	MUST(store_body_drop(fixture->db, &fixture->other, body.hash, &error));
	body_store(&fixture->other, fixture_bytes(100, 1));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM body"), 2);
	MUST(store_body_drop(fixture->db, &fixture->other, body.hash, &error));
	g_autoptr(GBytes) got =
	    MUST_GIVE(store_body_get(fixture->db, &fixture->workspace, body.hash, &error));
	cr_expect_eq(g_bytes_get_size(got), 100);
}

Test(body, of_none_is_nothing)
{
	struct put none = {&fixture->workspace, {NULL}, 0};

	MUST(db_transact(fixture->db, put, &none, &error));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM body"), 0);
}

Test(body, stays_while_something_refers_to_it)
{
	static const gsize sizes[] = {10, LIMIT_MIB + 1};

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct store_body body =
		    body_store(&fixture->workspace, fixture_bytes(sizes[i], 3));

		refer(fixture->db, &fixture->workspace, &body);
		MUST(store_body_drop(fixture->db, &fixture->workspace, body.hash, &error));
		g_autoptr(GBytes) got =
		    MUST_GIVE(store_body_get(fixture->db, &fixture->workspace, body.hash, &error));
		cr_expect_eq(g_bytes_get_size(got), sizes[i]);
		test_db_plain(fixture->db, "DELETE FROM template");
		MUST(store_body_drop(fixture->db, &fixture->workspace, body.hash, &error));
		cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM body"), 0);
	}
}

Test(body, that_is_not_there_is_dropped)
{
	MUST(store_body_drop(fixture->db, &fixture->workspace, (guint8[SHA256_SIZE]){1}, &error));
	MUST_FAIL(
	    store_body_get(fixture->db, &fixture->workspace, (guint8[SHA256_SIZE]){1}, &error),
	    PH_ERROR_FAILED);
}

Test(body, that_is_damaged_is_not_served)
{
	static const char *const damages[] = {
	    "DELETE FROM body_piece WHERE number = 2",
	    "UPDATE body_piece SET data = 'short' WHERE number = 1",
	    "UPDATE body SET data = 'short'",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(damages); i++) {
		struct store_body body =
		    body_store(&fixture->workspace, fixture_bytes(3 * LIMIT_MIB, 1));

		test_db_plain(fixture->db, damages[i]);
		MUST_FAIL(store_body_get(fixture->db, &fixture->workspace, body.hash, &error),
		    PH_ERROR_FAILED);
		MUST(store_body_drop(fixture->db, &fixture->workspace, body.hash, &error));
	}
}

/* Nobody removes a body between the transaction's store_body_put and its row that refers to it. */
Test(body, is_held_by_the_transaction_that_stores_it_again)
{
	static const gsize sizes[] = {10, 100 * 1024, LIMIT_MIB + 1};
	struct db *impatient = fixture_impatient(fixture);

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct store_body body =
				      body_store(&fixture->workspace, fixture_bytes(sizes[i], 1)),
				  again = body_make(sizes[i], 1);
		struct put one = {&fixture->workspace, {&again}, 1};

		test_db_plain(fixture->db, "START TRANSACTION");
		MUST(put(fixture->db, &one, &error));
		MUST_FAIL(store_body_drop(impatient, &fixture->workspace, body.hash, &error),
		    PH_ERROR_TEMPORARY);
		refer(fixture->db, &fixture->workspace, &body);
		test_db_plain(fixture->db, "COMMIT");
		MUST(store_body_drop(impatient, &fixture->workspace, body.hash, &error));
		cr_expect_eq(
		    fixture_number(fixture, "SELECT COUNT(*) FROM body"), 1, "%zu bytes", sizes[i]);
		test_db_plain(fixture->db, "DELETE FROM template");
		MUST(store_body_drop(impatient, &fixture->workspace, body.hash, &error));
		g_bytes_unref(again.data);
	}
	db_close(impatient);
}
