/* SPDX-License-Identifier: MIT */
/* Reads the user who created a row. */
#include "store/workspace/creator.h"

#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"

#define COLUMNS(FIRST, NEXT) CREATOR_COLUMNS(FIRST, NEXT, )
/* System-wide: get. An avatar names the user alone. */
static const char get[] = "SELECT " DB_COLUMNS_SQL(COLUMNS) " FROM user u WHERE u.id = ?";

DB_COLUMNS_READER(creator_read, struct store_creator, COLUMNS)

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
	*creator_r = (struct store_creator){0};
	creator_read(rows, 0, creator_r);
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
