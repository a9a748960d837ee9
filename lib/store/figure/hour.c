/* SPDX-License-Identifier: MIT */
/* Counts events by the hour. */
#include "store/figure/hour.h"

#include <string.h>

#include "db/rows.h"
#include "db/statement.h"
#include "store/email/key.h"

#define HOUR_MS "3600000"
/* Whether no earlier event of the recipient is of the same kind. */
#define IS_FIRST                                                                                   \
	"NOT EXISTS (SELECT 1 FROM event f FORCE INDEX (PRIMARY) WHERE f.email_id = v.email_id"    \
	" AND f.recipient = v.recipient AND f.timestamp <= v.timestamp AND f.status = v.status"    \
	" AND f.automated = 0 AND (f.timestamp < v.timestamp OR f.id < v.id))"
/* A counted_tags of one byte is that of an email that no figure counts. */
#define COUNT(key, join)                                                                           \
	"SELECT " key ", v.timestamp DIV " HOUR_MS " AS hour, v.status, COUNT(*), CAST(SUM("       \
	"v.status IN (" EVENT_OPENED_SQL ", " EVENT_CLICKED_SQL ") AND " IS_FIRST                  \
	") AS INTEGER) FROM email e " STORE_EMAIL_BY_TIME                                          \
	" STRAIGHT_JOIN event v FORCE INDEX (PRIMARY) ON v.email_id = e.id AND v.timestamp >= ?"   \
	" AND v.timestamp <= ? AND v.automated = 0" join " WHERE e.workspace_id = ? AND e.id > ?"  \
	" AND e.id <= ? AND (e.counted_tags IS NULL OR LENGTH(e.counted_tags) <> 1)"               \
	" GROUP BY " key ", hour, v.status"
G_STATIC_ASSERT(sizeof(STORE_FIGURE_UNCOUNTED) == 1);

enum { LAST, ALL, BY_DOMAIN, BY_BROADCAST };
static const char *const sql[] = {
    [LAST] = "SELECT id FROM email " STORE_EMAIL_BY_TIME " WHERE workspace_id = ? AND id > ?"
	     " ORDER BY id LIMIT 1 OFFSET ?",
    [ALL] = COUNT("e.workspace_id", ""),
    [BY_DOMAIN] = COUNT("e.domain_id", ""),
    [BY_BROADCAST] =
	COUNT("b.broadcast_id", " STRAIGHT_JOIN broadcast_part b ON e.type = " EMAIL_BROADCAST_SQL
				" AND b.email_id = e.id"),
};
/* The column of LAST. */
enum { LAST_ID };
/* The columns of COUNT. */
enum { C_KEY, C_HOUR, C_STATUS, C_COUNT, C_FIRST };

/* The figure that an event counts for, and that of its first one; FIGURES: none. */
static enum store_figure
figure_of(enum store_event_status status, enum store_figure *first_r)
{
	static const enum store_figure figures[] = {[EVENT_NONE] = FIGURES,
	    [EVENT_SENT] = FIGURE_SENT,
	    [EVENT_DELIVERED] = FIGURE_DELIVERED,
	    [EVENT_DELAYED] = FIGURES,
	    [EVENT_COMPLAINED] = FIGURE_COMPLAINED,
	    [EVENT_OPENED] = FIGURE_OPENED,
	    [EVENT_CLICKED] = FIGURE_CLICKED,
	    [EVENT_UNSUBSCRIBED] = FIGURE_UNSUBSCRIBED,
	    [EVENT_SUPPRESSED] = FIGURES,
	    [EVENT_BOUNCED] = FIGURE_BOUNCED,
	    [EVENT_FAILED] = FIGURES,
	    [EVENT_REPLIED] = FIGURES};

	*first_r = status == EVENT_OPENED    ? FIGURE_OPENED_PEOPLE
		   : status == EVENT_CLICKED ? FIGURE_CLICKED_PEOPLE
					     : FIGURES;
	return status < G_N_ELEMENTS(figures) ? figures[status] : FIGURES;
}

static void
hour_free_row(void *pointer)
{
	struct store_figure_row *row = pointer;

	g_free(row->key);
	g_free(row);
}

static void
hour_add_row(GPtrArray *list, const struct db_rows *rows, bool has_key)
{
	enum store_figure first,
	    figure = figure_of((enum store_event_status)db_rows_int(rows, C_STATUS), &first);
	struct store_figure_row *row;
	char text[ID_TEXT_SIZE];
	struct base_id id;

	if (figure == FIGURES)
		return;
	row = g_new0(struct store_figure_row, 1);
	db_rows_id(rows, C_KEY, &id);
	row->key = g_strdup(has_key ? base_id_format(&id, text) : "");
	row->day = db_rows_int(rows, C_HOUR);
	row->figures[figure] = db_rows_int(rows, C_COUNT);
	if (first != FIGURES)
		row->figures[first] = db_rows_int(rows, C_FIRST);
	g_ptr_array_add(list, row);
}

GPtrArray *
store_figure_hour_list(struct db *db, const struct base_id *workspace,
    const struct store_figure_hours *query, struct base_id *after, bool *more_r, GError **error)
{
	/* Emails that were made later have no events in these hours. */
	const struct base_id bound = base_id_floor(query->until + 1);
	struct base_id last = bound;
	int statement = query->group == FIGURES_BY_DOMAIN      ? BY_DOMAIN
			: query->group == FIGURES_BY_BROADCAST ? BY_BROADCAST
							       : ALL;
	AUTO(db_rows)
	ends = db_select(db, sql[LAST],
	    DB_VALUES(db_id(workspace), db_id(after), db_int(STORE_FIGURE_HOUR_EMAILS - 1)), error);

	if (!ends)
		return NULL;
	*more_r = db_rows_next(ends) && db_rows_id(ends, LAST_ID, &last) &&
		  memcmp(&last, &bound, sizeof(last)) < 0;
	if (!*more_r)
		last = bound;
	AUTO(db_rows)
	rows = db_select(db, sql[statement],
	    DB_VALUES(db_int(query->from), db_int(query->until), db_id(workspace), db_id(after),
		db_id(&last)),
	    error);
	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(hour_free_row);
	while (db_rows_next(rows))
		hour_add_row(list, rows, statement != ALL);
	*after = last;
	return list;
}
