/* SPDX-License-Identifier: MIT */
/* Reads the user who created a row. */
#include "store/workspace/creator.h"

#include "base/error.h"
#include "db/statement.h"

/* System-wide: get. An avatar names the user alone. */
static const char get[] = "SELECT " CREATOR_COLUMNS " FROM user u WHERE u.id = ?";

/* The columns of CREATOR_COLUMNS. */
enum { CREATOR_ID, CREATOR_EMAIL, CREATOR_FIRST_NAME, CREATOR_LAST_NAME, CREATOR_PICTURE };

void
store_creator_read(const struct db_rows *rows, guint column, struct store_creator *creator_r)
{
	*creator_r = (struct store_creator){
	    .email = g_strdup(db_rows_text(rows, column + CREATOR_EMAIL)),
	    .first_name = g_strdup(db_rows_text(rows, column + CREATOR_FIRST_NAME)),
	    .last_name = g_strdup(db_rows_text(rows, column + CREATOR_LAST_NAME)),
	    .picture = g_strdup(db_rows_text(rows, column + CREATOR_PICTURE)),
	};
	db_rows_id(rows, column + CREATOR_ID, &creator_r->id);
}

bool
store_creator_get(
    struct db *db, const struct base_id *user, struct store_creator *creator_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, get, DB_VALUES(db_id(user)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "User not found");
		return false;
	}
	store_creator_read(rows, CREATOR_ID, creator_r);
	return true;
}

void
store_creator_clear(struct store_creator *creator)
{
	g_clear_pointer(&creator->email, g_free);
	g_clear_pointer(&creator->first_name, g_free);
	g_clear_pointer(&creator->last_name, g_free);
	g_clear_pointer(&creator->picture, g_free);
}
