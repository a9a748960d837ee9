/* Who made something. */
#include "store/creator.h"

#include "db/rows.h"

void
store_creator_read(const struct db_rows *rows, guint column, struct creator *creator_r)
{
	*creator_r = (struct creator){
	    .email = g_strdup(db_rows_text(rows, column + 1)),
	    .first_name = g_strdup(db_rows_text(rows, column + 2)),
	    .last_name = g_strdup(db_rows_text(rows, column + 3)),
	    .picture = g_strdup(db_rows_text(rows, column + 4)),
	};
	db_rows_id(rows, column, &creator_r->id);
}

void
store_creator_clear(struct creator *creator)
{
	g_clear_pointer(&creator->email, g_free);
	g_clear_pointer(&creator->first_name, g_free);
	g_clear_pointer(&creator->last_name, g_free);
	g_clear_pointer(&creator->picture, g_free);
}
