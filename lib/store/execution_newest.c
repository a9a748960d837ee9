/* SPDX-License-Identifier: MIT */
/* The newest executions of a workspace: those of each of its workflows, merged, since no index has
 * them all in one order. */
#include "store/execution_newest.h"

#include <string.h>

#include "db/statement.h"
#include "store/execution.h"
#include "store/listing.h"

#define NEWEST(index, condition)                                                                   \
	"SELECT id FROM execution FORCE INDEX (" index ") WHERE workflow_id = ?" condition         \
	" AND workspace_id = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?"

enum { WORKFLOWS, ANY, STATUS };
static const char *const sql[] = {
    [WORKFLOWS] = "SELECT id, deleted FROM workflow FORCE INDEX (workspace) WHERE workspace_id = ?",
    [ANY] = NEWEST("workflow", ""),
    [STATUS] = NEWEST("workflow_status", " AND status = ?"),
};

struct search {
	struct db *db;
	const struct base_id *workspace;
	const struct store_execution_filter *filter;
	guint limit;
	GArray *found; /* struct base_id, the newest so far */
};

struct source {
	struct base_id workflow;
	bool deleted;
};

static int
newest_first(const void *a, const void *b)
{
	return memcmp(b, a, sizeof(struct base_id));
}

/* Those of a workflow, in this status (0: any), that are newer than the last of a full list. */
static bool
merge(struct search *search, const struct base_id *workflow, guint status, GError **error)
{
	GArray *found = search->found;
	static const struct base_id none = {{0}};
	const struct base_id *after = found->len < search->limit
					  ? &none
					  : &g_array_index(found, struct base_id, found->len - 1);
	struct db_value values[6];
	guint count = 0;
	struct base_id id;

	values[count++] = db_id(workflow);
	if (status)
		values[count++] = db_int(status);
	values[count++] = db_id(search->workspace);
	values[count++] = db_id(after);
	values[count++] = store_listing_before(search->filter->before);
	values[count++] = db_int(search->limit);
	AUTO(db_rows)
	rows = db_select(search->db, sql[status ? STATUS : ANY], values, count, error);
	if (!rows)
		return false;
	while (db_rows_next(rows) && db_rows_id(rows, 0, &id))
		g_array_append_val(found, id);
	g_array_sort(found, newest_first);
	g_array_set_size(found, MIN(found->len, search->limit));
	return true;
}

/* What is not finished of a deleted workflow counts as cancelled. */
static bool
merge_source(struct search *search, const struct source *source, GError **error)
{
	enum store_execution_status status = search->filter->status;

	if (!source->deleted || !status)
		return merge(search, &source->workflow, status, error);
	if (status == EXECUTION_IN_PROGRESS || status == EXECUTION_WAITING)
		return true;
	return (status != EXECUTION_CANCELLED ||
		   (merge(search, &source->workflow, EXECUTION_IN_PROGRESS, error) &&
		       merge(search, &source->workflow, EXECUTION_WAITING, error))) &&
	       merge(search, &source->workflow, status, error);
}

static GArray *
read_sources(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[WORKFLOWS], DB_VALUES(db_id(workspace)), error);
	struct source source;

	if (!rows)
		return NULL;
	GArray *sources = g_array_new(FALSE, FALSE, sizeof(struct source));
	while (db_rows_next(rows) && db_rows_id(rows, 0, &source.workflow)) {
		source.deleted = !db_rows_is_null(rows, 1);
		g_array_append_val(sources, source);
	}
	return sources;
}

GArray *
store_execution_newest(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error)
{
	g_autoptr(GArray) sources = read_sources(db, workspace, error);
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct search search = {db, workspace, filter, limit, found};

	if (!sources)
		return NULL;
	for (guint i = 0; i < sources->len; i++)
		if (!merge_source(&search, &g_array_index(sources, struct source, i), error))
			return NULL;
	return g_steal_pointer(&found);
}
