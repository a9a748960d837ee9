/* SPDX-License-Identifier: MIT */
/* Finds the workflows, broadcasts, audiences and templates that need a template. */
#include "store/template/use.h"

#include <stdbool.h>

#include "db/statement.h"
#include "store/automation/workflow.h"
#include "store/broadcast/status.h"

/* Broadcasts that are scheduled, sending, testing or paused. */
#define LEAVING                                                                                    \
	"b.workspace_id = ? AND b.status IN (" BROADCAST_SCHEDULED_SQL ", " BROADCAST_SENDING_SQL  \
	", " BROADCAST_TESTING_SQL ", " BROADCAST_PAUSED_SQL ")"
#define ID(column)                                                                                 \
	"LOWER(INSERT(INSERT(INSERT(INSERT(HEX(" column "), 9, 0, '-'), 14, 0, '-'), 19, 0,"       \
	" '-'), 24, 0, '-'))"
#define BROADCAST                                                                                  \
	"SELECT " ID("b.id") ", COALESCE(NULLIF(JSON_VALUE(b.brief, '$.name'), ''),"               \
			     " NULLIF(JSON_VALUE(b.brief, '$.subject'), ''), 'Broadcast')"
#define LIMIT " LIMIT " G_STRINGIFY(STORE_TEMPLATE_USES)

/* Each takes the workspace, and the id of the template twice. */
static const struct {
	const char *type, *sql;
	bool has_source;
} searches[] = {
    {"workflow",
	"SELECT " ID("w.id") ", w.name, NULL FROM workflow w JOIN workflow_version v"
			     " ON v.workflow_id = w.id AND v.version = w.active_version"
			     " WHERE w.workspace_id = ? AND w.deleted IS NULL AND w.status "
			     "= " WORKFLOW_ACTIVE_SQL " AND (JSON_CONTAINS(JSON_EXTRACT(v.design, "
			     "'$.nodes[*].data.templateId'), JSON_QUOTE(?))"
			     " OR EXISTS (SELECT 1 FROM template t WHERE t.workspace_id = "
			     "w.workspace_id AND t.id = ?"
			     " AND (JSON_CONTAINS(JSON_EXTRACT(v.design, "
			     "'$.nodes[*].data.template'), JSON_QUOTE(t.id))"
			     " OR JSON_CONTAINS(JSON_EXTRACT(v.design, '$.nodes[*].data.template'),"
			     " JSON_QUOTE(t.alias)))))" LIMIT,
	false},
    {"broadcast",
	BROADCAST ", NULL FROM broadcast b FORCE INDEX (newest) WHERE " LEAVING
		  " AND (JSON_VALUE(b.brief, '$.template_id') = ?"
		  " OR JSON_CONTAINS(JSON_EXTRACT(b.brief, '$.variants[*].template_id'),"
		  " JSON_QUOTE(?)))" LIMIT,
	false},
    {"audience",
	"SELECT " ID("a.id") ", a.name, NULL FROM audience a WHERE a.workspace_id = ?"
			     " AND a.opt_in_template IN (?, ?)" LIMIT,
	false},
    {"template",
	"SELECT t.id, t.name, NULL FROM template t WHERE t.workspace_id = ? AND t.layout = ?"
	" AND t.id <> ?" LIMIT,
	false},
    {"broadcast",
	BROADCAST ", b.content FROM broadcast b FORCE INDEX (newest) WHERE " LEAVING
		  " AND LOCATE(?, b.content) > 0 AND ? IS NOT NULL" LIMIT,
	true},
    {"template",
	"SELECT t.id, t.name, CONCAT(h.data, COALESCE(x.data, '')) FROM template t"
	" JOIN body h ON h.workspace_id = t.workspace_id AND h.hash = t.html"
	" LEFT JOIN body x ON x.workspace_id = t.workspace_id AND x.hash = t.text"
	" WHERE t.workspace_id = ? AND LOCATE(?, CONCAT(h.data, COALESCE(x.data, ''))) > 0"
	" AND t.id <> ?",
	true},
};

/* Each gives these, in this order. */
enum { USE_ID, USE_NAME, USE_SOURCE };

void
store_template_use_free(struct store_template_use *use)
{
	g_free(use->id);
	g_free(use->name);
	g_free(use->source);
	g_free(use);
}

static bool
template_use_read(struct db *db, guint number, const struct base_id *workspace, const char *id,
    GPtrArray *uses, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, searches[number].sql, DB_VALUES(db_id(workspace), db_text(id), db_text(id)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_template_use *use = g_new0(struct store_template_use, 1);
		gsize size = 0;
		const char *source =
		    searches[number].has_source ? db_rows_bytes(rows, USE_SOURCE, &size) : NULL;

		use->type = searches[number].type;
		use->id = g_strdup(db_rows_text(rows, USE_ID));
		use->name = g_strdup(db_rows_text(rows, USE_NAME));
		use->source = source ? g_strndup(source, size) : NULL;
		g_ptr_array_add(uses, use);
	}
	return true;
}

GPtrArray *
store_template_uses(struct db *db, const struct base_id *workspace, const char *id, GError **error)
{
	g_autoptr(GPtrArray) uses = g_ptr_array_new_with_free_func(store_template_use_destroy);

	/* No template has another id. */
	for (guint i = 0; g_str_is_ascii(id) && i < G_N_ELEMENTS(searches); i++)
		if (!template_use_read(db, i, workspace, id, uses, error))
			return NULL;
	return g_steal_pointer(&uses);
}
