/* SPDX-License-Identifier: MIT */
/* Goes through the rows of a table by an id, page by page. */
#include "store/common/pages.h"

#include "db/statement.h"

/* The page ends with *last_r. *count_r: how many rows it has. */
static bool
pages_read(struct db *db, const struct store_pages *pages, const struct base_id *after,
    struct base_id *last_r, guint *count_r, GError **error)
{
	const struct db_value values[] = {db_id(pages->of), db_id(after), db_int(pages->size)};
	guint skip = pages->of ? 0 : 1;
	AUTO(db_rows)
	rows = db_select(db, pages->read, values + skip, G_N_ELEMENTS(values) - skip, error);

	*count_r = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); ++*count_r)
		db_rows_id(rows, DB_ROWS_ONLY, last_r);
	return true;
}

static bool
pages_change(struct db *db, const struct store_pages *pages, const struct base_id *after,
    const struct base_id *last, GError **error)
{
	const struct db_value values[] = {db_id(pages->of), db_id(after), db_id(last)};
	guint skip = pages->of ? 0 : 1;

	return db_run(db, pages->change, values + skip, G_N_ELEMENTS(values) - skip, NULL, error);
}

bool
store_pages_run(struct db *db, const struct store_pages *pages, GError **error)
{
	struct base_id after = {{0}}, last = {{0}};
	guint count;

	do {
		if (!pages_read(db, pages, &after, &last, &count, error) ||
		    (count > 0 && !pages_change(db, pages, &after, &last, error)))
			return false;
		after = last;
	} while (count == pages->size);
	return true;
}
