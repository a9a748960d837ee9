/* SPDX-License-Identifier: MIT */
/* Reads the names of things that are about to go, so that the audit can still tell them. */
#include "store/workspace/audit_name.h"

#include <string.h>

#include "base/array.h"
#include "base/id.h"
#include "db/statement.h"
#include "store/broadcast/people.h"

#define NAME_OF(table)                                                                             \
	"SELECT t.name FROM " table " t WHERE t.id = ? AND t.workspace_id = ? LIMIT 1"

enum { AUDIENCE, BROADCAST, DOMAIN, FORM, KEY, SEGMENT, TEMPLATE, TOPIC, WEBHOOK, WORKFLOW };
static const char *const sql[] = {
    [AUDIENCE] = NAME_OF("audience"),
    [BROADCAST] =
	"SELECT " BROADCAST_NAME " FROM broadcast b WHERE b.id = ? AND b.workspace_id = ?",
    [DOMAIN] = NAME_OF("domain"),
    [FORM] = NAME_OF("form"),
    [KEY] = NAME_OF("api_key"),
    [SEGMENT] = NAME_OF("segment"),
    [TEMPLATE] = NAME_OF("template"),
    [TOPIC] = NAME_OF("topic"),
    [WEBHOOK] = "SELECT t.url FROM webhook t WHERE t.id = ? AND t.workspace_id = ?",
    [WORKFLOW] = NAME_OF("workflow"),
};

/* The column of each. */
enum { NAME };

static const char *const types[] = {
    [AUDIENCE] = "audience",
    [BROADCAST] = "broadcast",
    [DOMAIN] = "domain",
    [FORM] = "form",
    [KEY] = "key",
    [SEGMENT] = "segment",
    [TEMPLATE] = "template",
    [TOPIC] = "topic",
    [WEBHOOK] = "webhook",
    [WORKFLOW] = "workflow",
};

static int
audit_name_find(const char *type)
{
	for (guint i = 0; i < G_N_ELEMENTS(types); i++)
		if (strcmp(types[i], type) == 0)
			return (int)i;
	return -1;
}

/* The scheme and host of a URL, whose path or query may hold a secret. The caller owns it. */
static char *
audit_name_origin(const char *url)
{
	g_autofree char *scheme = NULL, *host = NULL;
	int port;

	if (!g_uri_split(
		url, G_URI_FLAGS_NONE, &scheme, NULL, &host, &port, NULL, NULL, NULL, NULL))
		return NULL;
	return g_uri_join(G_URI_FLAGS_NONE, scheme, NULL, host, port, "", NULL, NULL);
}

bool
store_audit_name_get(struct db *db, const struct base_id *workspace, const char *type,
    const char *id, char **name_r, GError **error)
{
	int which = audit_name_find(type);
	struct base_id parsed;

	*name_r = NULL;
	if (which < 0 || (which != TEMPLATE && !base_id_parse(id, &parsed)))
		return true;
	AUTO(db_rows)
	rows = db_select(db, sql[which],
	    DB_VALUES(which == TEMPLATE ? db_text(id) : db_id(&parsed), db_id(workspace)), error);
	if (!rows)
		return false;
	if (db_rows_next(rows)) {
		const char *name = db_rows_text(rows, NAME);

		*name_r = which == WEBHOOK ? audit_name_origin(name) : g_strdup(name);
	}
	return true;
}
