/* SPDX-License-Identifier: MIT */
/* Tests that exactly those people are locked and told an event who are meant, whether they stand
   next to each other or not. */
#include "store/person/person.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(person_told);

/* People of two workspaces, who take turns; our own were created at 1. */
static void
told_fill(void)
{
	static const char *const sql =
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated) SELECT"
	    " UNHEX(CONCAT('01890a5dac96774bbcce', LPAD(HEX(2 * seq + (w.id = ?)), 12, '0'))),"
	    " w.id, CONCAT('u', seq), CONCAT('u', seq), '{}', seq MOD 2, seq * (seq MOD 2), '', 0,"
	    " 0, seq MOD 2, 1 + (w.id = ?), 1 FROM workspace w, seq_1_to_250 WHERE w.id IN (?, ?)";
	struct db_value ours = db_id(&fixture->workspace), other = db_id(&fixture->other);

	MUST(db_run(fixture->db, sql, DB_VALUES(other, other, ours, other), NULL, &error));
}

struct told_case {
	const char *name, *chosen;
	gint64 locked, wanted; /* set by the transaction */
	guint runs;
};

static bool
told_run(struct db *db, void *context, GError **error)
{
	struct told_case *asked = context;
	const struct store_person_told told = {&fixture->workspace, "workflow.started", 100};
	g_autofree char *sql = g_strdup_printf(
	    "SELECT id FROM person WHERE workspace_id = ? AND %s ORDER BY id", asked->chosen);
	AUTO(db_rows) rows = db_select(db, sql, DB_VALUES(db_id(&fixture->workspace)), error);
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct base_id id;

	while (rows && db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &id))
		g_array_append_val(ids, id);
	g_autoptr(GPtrArray) people = store_person_lock_ids(db, &fixture->workspace,
	    (const struct base_id *)(const void *)ids->data, ids->len, error);
	if (!people)
		return false;
	asked->runs++;
	asked->wanted = ids->len;
	asked->locked = people->len;
	return store_person_told(db, &told, ids, error);
}

Test(person_told, changes_those_who_are_meant)
{
	static struct told_case cases[] = {
	    {.name = "one", .chosen = "address = 'u7'"},
	    {.name = "few", .chosen = "address IN ('u7', 'u8', 'u9')"},
	    {.name = "all", .chosen = "address <> ''"},
	    {.name = "all but the first", .chosen = "address <> 'u1'"},
	    {.name = "all but the last", .chosen = "address <> 'u250'"},
	    {.name = "all but one", .chosen = "address <> 'u100'"},
	    {.name = "each second one", .chosen = "SUBSTR(address, 2) MOD 2 = 1"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct told_case *asked = &cases[i];
		g_autofree char *right = g_strdup_printf(
		    "SELECT COUNT(*) FROM person WHERE created = 1 AND %s AND event_count = 1"
		    " AND last_event = 'workflow.started' AND seen = 1 AND entered = 1"
		    " AND updated = 100"
		    " AND last_seen = GREATEST(100, IF(SUBSTR(address, 2) MOD 2 = 1,"
		    " SUBSTR(address, 2), 0) + 1)"
		    " AND first_seen = IF(SUBSTR(address, 2) MOD 2 = 1, 1, 100)",
		    asked->chosen);

		MUST(db_run(fixture->db, "DELETE FROM person", NULL, 0, NULL, &error));
		told_fill();
		MUST(db_transact(fixture->db, told_run, asked, &error));
		cr_expect_eq(asked->locked, asked->wanted, "%s", asked->name);
		cr_expect_eq(fixture_number(fixture, right), asked->wanted, "%s", asked->name);
		cr_expect_eq(
		    fixture_number(fixture, "SELECT COUNT(*) FROM person WHERE event_count > 0"),
		    asked->wanted, "%s", asked->name);
	}
}

/* Locks and tells them, over a connection of its own. */
static gpointer
told_run_too(gpointer context)
{
	AUTO(db) own = test_db_open(fixture->settings);

	return GINT_TO_POINTER(db_transact(own, told_run, context, NULL));
}

#define MIDDLE "UNHEX('01890a5dac96774bbcce0000000000C8')"

/* 1. A transaction locks a person. 2. A start waits for this row. 3. The transaction changes a
   column of the key that finds people in their order, whose record the start must not have locked
   yet. */
Test(person_told, waits_for_a_change_of_one_of_them)
{
	struct told_case all = {.chosen = "address <> ''"};

	told_fill();
	test_db_plain(fixture->db, "START TRANSACTION");
	cr_assert_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM person WHERE id = " MIDDLE " FOR UPDATE"),
	    1);
	GThread *start = g_thread_new("start", told_run_too, &all);
	test_db_wait_locked(fixture->db, 1);
	MUST(db_run_plain(
	    fixture->db, "UPDATE person SET is_subscribed = 0 WHERE id = " MIDDLE, &error));
	MUST(db_run_plain(fixture->db, "COMMIT", &error));
	cr_expect(g_thread_join(start));
	cr_expect_eq(all.runs, 1);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM person WHERE event_count = 1"), 250);
}

/* 1. Somebody comes, who is not committed. 2. A start finds those around them next to each other,
   and waits. 3. Then they are one more. */
Test(person_told, leaves_out_who_comes_meanwhile)
{
	struct told_case old = {.chosen = "address <> 'new'"};

	told_fill();
	MUST(db_run(fixture->db, "DELETE FROM person WHERE workspace_id = ?",
	    DB_VALUES(db_id(&fixture->other)), NULL, &error));
	test_db_plain(fixture->db, "START TRANSACTION");
	test_db_plain(fixture->db,
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated) SELECT"
	    " UNHEX('01890a5dac96774bbcce0000000000C9'), workspace_id, 'new', 'new', '{}',"
	    " 0, 0, '', 0, 0, 0, 1, 1 FROM person WHERE id = " MIDDLE);
	GThread *start = g_thread_new("start", told_run_too, &old);
	test_db_wait_locked(fixture->db, 1);
	test_db_plain(fixture->db, "COMMIT");
	cr_expect(g_thread_join(start));
	cr_expect_eq(old.runs, 2);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM person WHERE event_count = 1"), 250);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT event_count FROM person WHERE address = 'new'"), 0);
}
