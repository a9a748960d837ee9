/* SPDX-License-Identifier: MIT */
/* Reads and stores the appearance of a workspace's page. */
#include "store/workspace/preference_page.h"

#include "base/clock.h"
#include "db/statement.h"

enum { GET, PUT };
static const char *const sql[] = {
    [GET] = "SELECT title, text, colour, logo_url, address FROM page WHERE workspace_id = ?",
    [PUT] = "INSERT INTO page (workspace_id, title, text, colour, logo_url, address, updated)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE title = VALUES(title),"
	    " text = VALUES(text), colour = VALUES(colour), logo_url = VALUES(logo_url),"
	    " address = VALUES(address), updated = VALUES(updated)",
};

/* The columns of GET. */
enum { L_TITLE, L_TEXT, L_COLOUR, L_LOGO_URL, L_ADDRESS };

#define TEXTS 5 /* their number */

void
store_preference_page_free(struct store_preference_page *looks)
{
	g_free(looks->title);
	g_free(looks->text);
	g_free(looks->colour);
	g_free(looks->logo_url);
	g_free(looks->address);
	g_free(looks);
}

struct store_preference_page *
store_preference_page_get(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return NULL;
	struct store_preference_page *looks = g_new0(struct store_preference_page, 1);
	char **texts[TEXTS] = {
	    &looks->title, &looks->text, &looks->colour, &looks->logo_url, &looks->address};
	bool found = db_rows_next(rows);
	looks->workspace_id = *workspace;
	for (guint i = 0; i < TEXTS; i++)
		*texts[i] = g_strdup(found ? db_rows_text(rows, i) : "");
	return looks;
}

bool
store_preference_page_put(struct db *db, const struct store_preference_page *looks, GError **error)
{
	return db_run(db, sql[PUT],
	    DB_VALUES(db_id(&looks->workspace_id), db_text(looks->title), db_text(looks->text),
		db_text(looks->colour), db_text(looks->logo_url), db_text(looks->address),
		db_int(base_clock_now())),
	    NULL, error);
}
