/* SPDX-License-Identifier: MIT */
/* Tests results that one statement reads for several. */
#include "db/prefetch.h"

#include <string.h>

#include "base/error.h"
#include "db/precondition.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "tests/support/proxy.h"

/* The id 1 has one row, 2 has two, 3 none, and 4 has three. */
PROXIED_SUITE(ahead, "CREATE TABLE t (id BINARY(16), part INT, v INT, PRIMARY KEY (id, v))",
    "INSERT INTO t SELECT UNHEX(LPAD(p.seq, 32, '0')), 1, s.seq FROM seq_1_to_4 p, seq_1_to_3 s"
    " WHERE p.seq <> 3 AND (p.seq = 4 OR s.seq <= p.seq)",
    "CREATE TABLE g (n INT PRIMARY KEY)", "INSERT INTO g VALUES (1)");

#define SELECT "SELECT t.id, t.v FROM t FORCE INDEX (PRIMARY)"
#define CONDITION "t.id = ? AND t.part = ?"

static const char one[] = SELECT " WHERE " CONDITION;
static const struct db_prefetch_form form = {one, DB_PREFETCH_MANY(SELECT, CONDITION, ""), 2, 0},
				     limited = {one,
					 DB_PREFETCH_MANY(SELECT, CONDITION, " LIMIT 3"), 2, 3};
static const struct db_precondition_form guard_form = {
    "EXISTS (SELECT 1 FROM g WHERE n = ?)", "g", "g.n = ?"};

static struct base_id
ahead_id_of(char digit)
{
	struct base_id id = {{0}};

	id.bytes[sizeof(id.bytes) - 1] = (guint8)(digit - '0');
	return id;
}

/* Read ahead, for count_rows. */
static struct db_prefetch *kept;

static void
ahead_drop(void)
{
	g_clear_pointer(&kept, db_prefetch_free);
}

/* Reads ahead the ids of these digits. */
static bool
ahead_look(struct db *on, const struct db_prefetch_form *of, const char *digits)
{
	struct base_id ids[DB_PREFETCH_MOST];
	struct db_value values[2 * DB_PREFETCH_MOST];
	guint count = (guint)strlen(digits);

	for (guint i = 0; i < count; i++) {
		ids[i] = ahead_id_of(digits[i]);
		values[2 * i] = db_id(&ids[i]);
		values[2 * i + 1] = db_int(1);
	}
	kept = db_select_ahead(on, of, values, count, NULL);
	return kept != NULL;
}

/* The number of rows of an id. *asked_r: whether the server was asked for them. */
static guint
count_rows(struct db *on, char digit, gint64 part, bool *asked_r)
{
	struct base_id id = ahead_id_of(digit);
	guint before = test_proxy_commands(proxy), count = 0;
	AUTO(db_rows) rows =
	    db_select_prefetched(on, kept, one, DB_VALUES(db_id(&id), db_int(part)), NULL);

	*asked_r = test_proxy_commands(proxy) > before;
	for (; rows && db_rows_next(rows); count++) {
		struct base_id got;

		cr_expect(db_rows_id(rows, 0, &got) && base_id_equal(&got, &id));
		cr_expect_eq(db_rows_int(rows, 1), count + 1);
	}
	return count;
}

static const struct {
	const char *name, *digits;
	const struct db_prefetch_form *form;
	char digit;
	gint64 part;
	guint want;
	bool want_asked;
} cases[] = {
    {"one row", "12", &form, '1', 1, 1, false},
    {"two rows", "12", &form, '2', 1, 2, false},
    {"no row", "132", &form, '3', 1, 0, false},
    {"another value", "12", &form, '1', 2, 0, true},
    {"another id", "12", &form, '4', 1, 3, true},
    {"one twice", "11", &form, '1', 1, 1, false},
    {"the most", "43214321", &form, '4', 1, 3, false},
    {"before the limit", "124", &limited, '1', 1, 1, false},
    {"the last before the limit", "124", &limited, '2', 1, 2, true},
    {"behind the limit", "124", &limited, '4', 1, 3, true},
    {"fewer than the limit", "12", &limited, '2', 1, 2, true},
    {"none before the limit", "13", &limited, '3', 1, 0, false},
};

Test(ahead, gives_each_its_rows)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool asked;

		cr_assert(ahead_look(db, cases[i].form, cases[i].digits));
		guint got = count_rows(db, cases[i].digit, cases[i].part, &asked);
		cr_expect_eq(got, cases[i].want, "%s: %u rows", cases[i].name, got);
		cr_expect_eq(asked, cases[i].want_asked, "%s", cases[i].name);
		ahead_drop();
		count_rows(db, cases[i].digit, cases[i].part, &asked);
		cr_expect(asked, "%s: kept", cases[i].name);
	}
}

static bool
count_within(struct db *on, void *context, GError **error)
{
	return count_rows(on, '1', 1, context) == 1;
}

/* A transaction sees the rows of its own time. */
Test(ahead, is_nothing_for_transactions)
{
	bool asked = false;

	cr_assert(ahead_look(db, &form, "12"));
	cr_assert(db_transact(db, count_within, &asked, NULL));
	cr_expect(asked);
	ahead_drop();
}

/* A guard of a later handle is checked, however much was read before. */
Test(ahead, reads_under_the_guard)
{
	bool asked;

	AUTO(db) holds = db_guarded(db, &guard_form, DB_VALUES(db_int(1)));
	cr_assert(ahead_look(holds, &form, "12"));
	cr_expect_not(db_precondition_waits(holds));
	AUTO(db) fails = db_guarded(db, &guard_form, DB_VALUES(db_int(2)));
	cr_expect_eq(count_rows(fails, '1', 1, &asked), 0);
	cr_expect(asked);
	cr_expect(db_precondition_waits(fails), "no row tells that the guard holds");
	ahead_drop();
	cr_assert(ahead_look(fails, &form, "12"));
	cr_expect(db_precondition_waits(fails));
	ahead_drop();
}
