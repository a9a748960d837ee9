/* SPDX-License-Identifier: MIT */
/* Counts the people who click each link of a broadcast. */
#include "store/broadcast/engagement_links.h"

#include "db/statement.h"
#include "store/figure/figure.h"

/* The first time, epoch ms, of each link that was clicked. */
struct store_reader_links {
	struct store_reader_links_of of;
	GHashTable *counted, *now; /* char * to gint64 * */
};

static const char first_sql[] =
    "SELECT link, MIN(timestamp) FROM event FORCE INDEX (PRIMARY) WHERE email_id = ?"
    " AND recipient = ? AND workspace_id = ? AND status = ? AND automated = 0"
    " AND link IS NOT NULL GROUP BY link";

/* The columns of first_sql. */
enum { FIRST_LINK, FIRST_TIME };

static void
engagement_links_note(GHashTable *links, const char *link, gint64 time)
{
	gint64 *first = g_hash_table_lookup(links, link);

	if (!first)
		g_hash_table_insert(links, g_strdup(link), g_memdup2(&time, sizeof(time)));
	else if (time < *first)
		*first = time;
}

static GHashTable *
engagement_links_read_links(struct db *db, const struct store_reader_links_of *of, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, first_sql,
	    DB_VALUES(
		db_id(of->email), db_int(of->number), db_id(of->workspace), db_int(EVENT_CLICKED)),
	    error);

	if (!rows)
		return NULL;
	GHashTable *links = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	while (db_rows_next(rows))
		engagement_links_note(
		    links, db_rows_text(rows, FIRST_LINK), db_rows_int(rows, FIRST_TIME));
	return links;
}

static void
copy_link(void *link, void *time, void *copy)
{
	engagement_links_note(copy, link, *(gint64 *)time);
}

struct store_reader_links *
store_reader_links_read(
    struct db *db, const struct store_reader_links_of *of, bool has_any, GError **error)
{
	AUTO(store_reader_links) links = g_new0(struct store_reader_links, 1);

	links->of = *of;
	links->now = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	links->counted = has_any ? engagement_links_read_links(db, of, error)
				 : g_hash_table_new(g_str_hash, g_str_equal);
	if (!links->counted)
		return NULL;
	g_hash_table_foreach(links->counted, copy_link, links->now);
	return g_steal_pointer(&links);
}

bool
store_reader_links_reread(struct db *db, struct store_reader_links *links, GError **error)
{
	GHashTable *now = engagement_links_read_links(db, &links->of, error);

	if (!now)
		return false;
	g_hash_table_unref(links->now);
	links->now = now;
	return true;
}

/* Counts the first clicks that stand in one table, and not in the other at the same time. */
static void
count_others(struct db *db, const struct store_reader_links_of *of, GHashTable *links,
    GHashTable *others, gint more)
{
	GHashTableIter each;
	void *link, *time;

	g_hash_table_iter_init(&each, links);
	while (g_hash_table_iter_next(&each, &link, &time)) {
		const gint64 *other = g_hash_table_lookup(others, link);

		if (!other || *other != *(gint64 *)time)
			store_figure_count_link(db, of->workspace, of->origin, link,
			    &(struct store_figure_change){
				FIGURE_CLICKED_PEOPLE, *(gint64 *)time, more});
	}
}

void
store_reader_links_count(struct db *db, const struct store_reader_links *links,
    const struct store_event *events, guint count)
{
	const struct store_reader_links_of *of = &links->of;

	for (guint i = 0; i < count; i++) {
		const struct store_event *e = &events[i];

		if (!e->automated && e->status == EVENT_CLICKED && e->link &&
		    e->recipient == of->number && base_id_equal(&e->email_id, of->email))
			engagement_links_note(links->now, e->link, e->timestamp);
	}
	count_others(db, of, links->counted, links->now, -1);
	count_others(db, of, links->now, links->counted, 1);
}

void
store_reader_links_free(struct store_reader_links *links)
{
	g_clear_pointer(&links->counted, g_hash_table_unref);
	g_hash_table_unref(links->now);
	g_free(links);
}
