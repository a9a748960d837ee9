/* SPDX-License-Identifier: MIT */
/* Lists figures. */
#include <string.h>

#include "db/columns.h"
#include "db/statement.h"
#include "store/figure/figure.h"

const char *const store_figure_group_names[] = {"day", "broadcast", "variant", "template",
    "workflow", "node", "tag", "domain", "provider", "link", "execution", "step", "stream", NULL};

/* The rows that are read for a group, by owner or, with an owner given, by name. */
static const struct {
	enum store_figure_dimension dimension;
	bool by_owner;
} groups[] = {
    [FIGURES_BY_DAY] = {FIGURE_OF_PROVIDER, false},
    [FIGURES_BY_BROADCAST] = {FIGURE_OF_BROADCAST, true},
    [FIGURES_BY_VARIANT] = {FIGURE_OF_VARIANT, false},
    [FIGURES_BY_TEMPLATE] = {FIGURE_OF_TEMPLATE, false},
    [FIGURES_BY_WORKFLOW] = {FIGURE_OF_NODE, true},
    [FIGURES_BY_NODE] = {FIGURE_OF_NODE, false},
    [FIGURES_BY_TAG] = {FIGURE_OF_TAG, false},
    [FIGURES_BY_DOMAIN] = {FIGURE_OF_DOMAIN, true},
    [FIGURES_BY_PROVIDER] = {FIGURE_OF_PROVIDER, false},
    [FIGURES_BY_LINK] = {FIGURE_OF_LINK, false},
    [FIGURES_BY_EXECUTION] = {FIGURE_OF_EXECUTION, true},
    [FIGURES_BY_STEP] = {FIGURE_OF_STEP, false},
    [FIGURES_BY_STREAM] = {FIGURE_OF_STREAM, false},
};

const char *const *
store_figure_names_of(enum store_figure_group group, guint *count_r)
{
	static const char *const of_execution[] = {[RUN_STARTED] = "started",
	    [RUN_COMPLETED] = "completed",
	    [RUN_GOALS] = "goals",
	    [RUN_EXITED] = "exited",
	    [RUN_CANCELLED] = "cancelled",
	    [RUN_FAILED] = "failed"};
	static const char *const of_step[] = {
	    [STEP_ENTERED] = "entered", [STEP_SKIPPED] = "skipped", [STEP_FAILED] = "failed"};

	*count_r = group == FIGURES_BY_EXECUTION ? G_N_ELEMENTS(of_execution)
		   : group == FIGURES_BY_STEP	 ? G_N_ELEMENTS(of_step)
						 : FIGURES;
	return group == FIGURES_BY_EXECUTION ? of_execution
	       : group == FIGURES_BY_STEP    ? of_step
					     : store_figure_names;
}

#define TOTAL(member, name) ", CAST(SUM(" name ") AS INTEGER) AS " name "_total"
#define TOTALS FIGURE_COLUMNS(TOTAL, TOTAL)
#define SELECT(key, day) "SELECT " key ", " day TOTALS " FROM figure FORCE INDEX (PRIMARY)"
#define WHERE(more)                                                                                \
	" WHERE workspace_id = ? AND dimension = ? AND " more " AND day >= ? AND day < ?"
#define NOT_EMPTY                                                                                  \
	" HAVING accepted_total <> 0 OR sent_total <> 0 OR delivered_total <> 0"                   \
	" OR bounced_total <> 0 OR complained_total <> 0 OR opened_total <> 0"                     \
	" OR opened_machine_total <> 0 OR clicked_total <> 0 OR clicked_machine_total <> 0"        \
	" OR unsubscribed_total <> 0 OR replied_total <> 0"
#define ENTRIES(group) " GROUP BY " group NOT_EMPTY " ORDER BY " group " LIMIT ?"

/* A page goes on behind a key and a day. The names of an owner, and the owners of a dimension, are
   in the order of the primary key. */
enum { DAYS, NAMES, NAMES_AND_DAYS, OWNERS, OWNERS_AND_DAYS };
static const char *const sql[] = {
    [DAYS] = SELECT("''", "day") WHERE("owner = ?") " AND day > ?" ENTRIES("day"),
    [NAMES] = SELECT("name", "-1") WHERE("owner = ?") " AND name > ?" ENTRIES("name"),
    [NAMES_AND_DAYS] = SELECT("name", "day")
	WHERE("owner = ?") " AND (name > ? OR (name = ? AND day > ?))" ENTRIES("name, day"),
    [OWNERS] = SELECT("owner", "-1") WHERE("owner > ?") ENTRIES("owner"),
    [OWNERS_AND_DAYS] = SELECT("owner", "day")
	WHERE("owner >= ?") " AND (owner > ? OR day > ?)" ENTRIES("owner, day"),
};

/* The columns of all of them. */
enum { ROW_KEY, ROW_DAY, ROW_FIGURES };
DB_COLUMNS_READER(figure_list_read_figures, struct store_figure_row, FIGURE_COLUMNS)

static guint
figure_list_choose(const struct store_figure_query *query)
{
	if (query->group == FIGURES_BY_DAY)
		return DAYS;
	if (groups[query->group].by_owner)
		return query->by_day ? OWNERS_AND_DAYS : OWNERS;
	return query->by_day ? NAMES_AND_DAYS : NAMES;
}

static struct db_rows *
list_select_rows(struct db *db, const struct base_id *workspace,
    const struct store_figure_query *query, guint limit, GError **error)
{
	struct db_value first[] = {db_id(workspace), db_int(groups[query->group].dimension)};
	struct db_value from = db_int(query->from), to = db_int(query->to), most = db_int(limit);
	struct db_value owner = db_id(&query->owner);
	struct db_value day = db_int(query->after ? query->after_day : -1);
	struct db_value name =
	    db_bytes(query->after ? query->after : "", query->after ? strlen(query->after) : 0);
	struct base_id id = {{0}};
	guint statement = figure_list_choose(query);

	if (query->after && groups[query->group].by_owner)
		base_id_parse(query->after, &id);
	struct db_value after = db_id(&id);
	switch (statement) {
	case DAYS:
		return db_select(db, sql[DAYS],
		    DB_VALUES(first[0], first[1], owner, from, to, day, most), error);
	case NAMES:
		return db_select(db, sql[NAMES],
		    DB_VALUES(first[0], first[1], owner, from, to, name, most), error);
	case NAMES_AND_DAYS:
		return db_select(db, sql[NAMES_AND_DAYS],
		    DB_VALUES(first[0], first[1], owner, from, to, name, name, day, most), error);
	case OWNERS:
		return db_select(
		    db, sql[OWNERS], DB_VALUES(first[0], first[1], after, from, to, most), error);
	default:
		return db_select(db, sql[OWNERS_AND_DAYS],
		    DB_VALUES(first[0], first[1], after, from, to, after, day, most), error);
	}
}

static void
figure_list_free_row(void *pointer)
{
	struct store_figure_row *row = pointer;

	g_free(row->key);
	g_free(row);
}

static struct store_figure_row *
figure_list_read_row(const struct db_rows *rows, bool by_owner)
{
	struct store_figure_row *row = g_new0(struct store_figure_row, 1);
	char text[ID_TEXT_SIZE];
	struct base_id id;

	if (by_owner) {
		db_rows_id(rows, ROW_KEY, &id);
		row->key = g_strdup(base_id_format(&id, text));
	} else {
		row->key = g_strdup(db_rows_text(rows, ROW_KEY));
	}
	row->day = db_rows_int(rows, ROW_DAY);
	figure_list_read_figures(rows, ROW_FIGURES, row);
	return row;
}

GPtrArray *
store_figure_list(struct db *db, const struct base_id *workspace,
    const struct store_figure_query *query, guint limit, GError **error)
{
	AUTO(db_rows) found = list_select_rows(db, workspace, query, limit, error);

	if (!found)
		return NULL;
	GPtrArray *rows = g_ptr_array_new_with_free_func(figure_list_free_row);
	while (db_rows_next(found))
		g_ptr_array_add(rows, figure_list_read_row(found, groups[query->group].by_owner));
	return rows;
}
