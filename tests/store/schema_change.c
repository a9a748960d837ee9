/* SPDX-License-Identifier: MIT */
#include "store/common/schema_change.h"

#include <criterion/criterion.h>

static const struct {
	const char *statement;
	enum store_schema_work want;
	const char *want_table;
} cases[] = {
    {"CREATE TABLE IF NOT EXISTS audience (\n id BINARY(16)\n)", SCHEMA_CREATE, "audience"},
    {"RENAME TABLE IF EXISTS a TO b", SCHEMA_CREATE, "a"},
    {"ALTER TABLE email ADD COLUMN IF NOT EXISTS tracking TINYINT", SCHEMA_INSTANT, "email"},
    {"ALTER TABLE email\n ADD COLUMN IF NOT EXISTS a INT", SCHEMA_INSTANT, "email"},
    {"ALTER TABLE idempotency DROP COLUMN IF EXISTS status", SCHEMA_INSTANT, "idempotency"},
    {"ALTER TABLE outbox ADD KEY IF NOT EXISTS turn (workspace_id)", SCHEMA_INDEX, "outbox"},
    {"ALTER TABLE t ADD UNIQUE KEY IF NOT EXISTS alias (alias)", SCHEMA_INDEX, "t"},
    {"ALTER TABLE email MODIFY COLUMN sender TEXT", SCHEMA_REBUILD, "email"},
    {"UPDATE email SET a = 1", SCHEMA_ROWS, "email"},
    {"INSERT IGNORE INTO person (a) SELECT a\n FROM contact c", SCHEMA_ROWS, "contact"},
    {"INSERT IGNORE INTO person (a) VALUES (1)", SCHEMA_ROWS, "person"},
    {"SELECT 1", SCHEMA_ROWS, ""},
};

Test(schema_change, is_told_from_the_statement)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *table = NULL;
		enum store_schema_work got = store_schema_work_of(cases[i].statement, &table);

		cr_expect_eq(got, cases[i].want, "%s: got %d, want %d", cases[i].statement,
		    (int)got, (int)cases[i].want);
		cr_expect_str_eq(
		    table, cases[i].want_table, "%s: got %s", cases[i].statement, table);
	}
}

Test(schema_change, takes_time_by_its_rows)
{
	cr_expect_eq(store_schema_seconds(SCHEMA_CREATE, 1000000), 0);
	cr_expect_eq(store_schema_seconds(SCHEMA_INSTANT, 1000000), 0);
	cr_expect_eq(store_schema_seconds(SCHEMA_INDEX, 0), 0);
	cr_expect_eq(store_schema_seconds(SCHEMA_INDEX, 1), 1);
	cr_expect_eq(store_schema_seconds(SCHEMA_REBUILD, 1000000), 20);
}
