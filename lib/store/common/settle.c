/* SPDX-License-Identifier: MIT */
#include "store/common/settle.h"

#include "base/id.h"
#include "base/secret.h"
#include "db/transaction.h"
#include "db/value.h"
#include "store/workspace/workspace.h"

/* A transaction that changes nothing would not wait. */
static const char settle_sql[] =
    DB_BLOCK("INSERT INTO idempotency (workspace_id, name, request, answer, created)"
	     " VALUES (?, ?, ?, '', 0);"
	     " DELETE FROM idempotency WHERE workspace_id = ? AND name = ?;");

bool
store_settle(struct db *db, GError **error)
{
	static const guint8 request[SHA256_SIZE];
	struct base_id id = base_id_new();
	char name[ID_TEXT_SIZE];
	const struct db_value workspace = db_id(&store_workspace_system),
			      key = db_text(base_id_format(&id, name));
	const struct db_value values[] = {
	    workspace, key, db_bytes(request, sizeof(request)), workspace, key};

	return db_transact_block(db, settle_sql, values, G_N_ELEMENTS(values), error);
}
