/* SPDX-License-Identifier: MIT */
/* Asks whether steps that wait for the end of older programs were taken. */
#include "store/common/finished.h"

#include "db/note.h"
#include "db/statement.h"

/* A no is remembered so long. */
#define AGAIN_US ((gint64)10 * G_TIME_SPAN_SECOND)

static const char taken_sql[] = "SELECT COUNT(*) FROM schema_version WHERE version = ?";

/* The note has the greatest step that was found taken, since they are taken in their order. */
bool
store_finished(struct db *db, int step, bool *finished_r, GError **error)
{
	struct db_note *note = db_note(db);
	gint64 now = g_get_monotonic_time();

	*finished_r = note->number >= step;
	if (*finished_r || (note->time != 0 && now - note->time < AGAIN_US))
		return true;
	AUTO(db_rows) rows = db_select(db, taken_sql, DB_VALUES(db_int(step)), error);
	if (!rows)
		return false;
	*finished_r = db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY) > 0;
	if (*finished_r)
		note->number = step;
	else
		note->time = now;
	return true;
}

void
store_finished_forget(struct db *db)
{
	db_note(db)->time = 0;
}
