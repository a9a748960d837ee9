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
