/* SPDX-License-Identifier: MIT */
/* Tells from the text of a statement what work it makes. The statements of schema/ are ours, each
   with its key words in capital letters. */
#include "store/common/schema_change.h"

#include <string.h>

/* Rows a second on one service with the table in memory, rounded down; 0: the rows do not matter.
 */
static const gint64 rates[SCHEMA_WORKS] = {
    [SCHEMA_INDEX] = 200000,
    [SCHEMA_REBUILD] = 50000,
    [SCHEMA_ROWS] = 20000,
    [SCHEMA_BATCHES] = 5000,
};

gint64
store_schema_seconds(enum store_schema_work work, gint64 rows)
{
	return rates[work] == 0 ? 0 : (rows + rates[work] - 1) / rates[work];
}

/* The beginnings of statements, whose next word is the table. */
static const struct {
	const char *words;
	enum store_schema_work work;
} beginnings[] = {
    {"CREATE TABLE IF NOT EXISTS ", SCHEMA_CREATE},
    {"DROP TABLE IF EXISTS ", SCHEMA_CREATE},
    {"RENAME TABLE IF EXISTS ", SCHEMA_CREATE},
    {"RENAME TABLE ", SCHEMA_CREATE},
    {"ALTER TABLE ", SCHEMA_INSTANT},
    {"UPDATE ", SCHEMA_ROWS},
    {"INSERT IGNORE INTO ", SCHEMA_ROWS},
    {"INSERT INTO ", SCHEMA_ROWS},
    {"REPLACE INTO ", SCHEMA_ROWS},
    {"DELETE FROM ", SCHEMA_ROWS},
};

/* Words in an ALTER TABLE that make it slower; the last one that is found counts. */
static const struct {
	const char *word;
	enum store_schema_work work;
} slower[] = {
    {"ADD KEY", SCHEMA_INDEX},
    {"ADD INDEX", SCHEMA_INDEX},
    {"ADD UNIQUE", SCHEMA_INDEX},
    {"ADD FOREIGN", SCHEMA_REBUILD},
    {"ADD CONSTRAINT", SCHEMA_REBUILD},
    {"PRIMARY KEY", SCHEMA_REBUILD},
    {"MODIFY", SCHEMA_REBUILD},
    {"CHANGE", SCHEMA_REBUILD},
    {"CONVERT", SCHEMA_REBUILD},
};

enum store_schema_work
store_schema_work_of(const char *statement, char **table_r)
{
	enum store_schema_work work = SCHEMA_ROWS;
	const char *table = "";

	for (gsize i = 0; i < G_N_ELEMENTS(beginnings) && !*table; i++)
		if (g_str_has_prefix(statement, beginnings[i].words)) {
			table = statement + strlen(beginnings[i].words);
			work = beginnings[i].work;
		}
	for (gsize i = 0; work >= SCHEMA_INSTANT && work < SCHEMA_ROWS && i < G_N_ELEMENTS(slower);
	     i++)
		if (strstr(statement, slower[i].word))
			work = slower[i].work;
	/* Rows that are copied come from another table. */
	const char *from =
	    g_str_has_prefix(statement, "INSERT") ? strstr(statement, "FROM ") : NULL;
	if (from)
		table = from + strlen("FROM ");
	*table_r = g_strndup(table, strcspn(table, " \n("));
	return work;
}
