/* SPDX-License-Identifier: MIT */
/* Stores and reads the attachments of broadcasts. */
#include "store/broadcast/attachment.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "db/statement.h"
#include "store/broadcast/status.h"

enum { GET, BODIES, REMOVE, ADD };
static const char *const sql[] = {
    [GET] = "SELECT a.broadcast_id, a.filename, a.content_type, a.content_id, a.size, a.body"
	    " FROM broadcast_attachment a JOIN broadcast b ON b.id = a.broadcast_id"
	    " AND b.workspace_id = a.workspace_id AND b.status <> " BROADCAST_REMOVED_SQL
	    " WHERE a.id = ? AND a.workspace_id = ?",
    [BODIES] = "SELECT body FROM broadcast_attachment WHERE broadcast_id = ? AND workspace_id = ?",
    [REMOVE] = "DELETE FROM broadcast_attachment WHERE broadcast_id = ? AND workspace_id = ?",
    [ADD] = "INSERT INTO broadcast_attachment (id, broadcast_id, workspace_id, number, filename,"
	    " content_type, content_id, size, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

/* The columns of GET. */
enum { BROADCAST, FILENAME, CONTENT_TYPE, CONTENT_ID, SIZE, BODY };

void
store_broadcast_attachment_free(struct store_broadcast_attachment *attachment)
{
	g_free(attachment->filename);
	g_free(attachment->content_type);
	g_free(attachment->content_id);
	g_clear_pointer(&attachment->body.data, g_bytes_unref);
	g_free(attachment);
}

static void
copy_hash(struct db_rows *rows, guint column, guint8 hash_r[SHA256_SIZE])
{
	gsize size;
	const void *hash = db_rows_bytes(rows, column, &size);

	base_array_copy(hash_r, hash, MIN(size, SHA256_SIZE), 1);
}

struct store_broadcast_attachment *
store_broadcast_attachment_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Attachment not found");
		return NULL;
	}
	struct store_broadcast_attachment *attachment =
	    g_new0(struct store_broadcast_attachment, 1);
	attachment->id = *id;
	db_rows_id(rows, BROADCAST, &attachment->broadcast_id);
	attachment->filename = g_strdup(db_rows_text(rows, FILENAME));
	attachment->content_type = g_strdup(db_rows_text(rows, CONTENT_TYPE));
	attachment->content_id = g_strdup(db_rows_text(rows, CONTENT_ID));
	attachment->size = (gsize)db_rows_int(rows, SIZE);
	copy_hash(rows, BODY, attachment->body.hash);
	return attachment;
}

bool
store_broadcast_attachment_read(struct db *db, const struct base_id *workspace,
    struct store_broadcast_attachment *attachment, GError **error)
{
	if (!attachment->body.data)
		attachment->body.data = store_body_get(db, workspace, attachment->body.hash, error);
	return attachment->body.data;
}

static bool
put_bodies(
    struct db *db, const struct base_id *workspace, const GPtrArray *attachments, GError **error)
{
	g_autoptr(GPtrArray) bodies = g_ptr_array_new();

	for (guint i = 0; i < attachments->len; i++) {
		struct store_broadcast_attachment *attachment = attachments->pdata[i];

		if (attachment->body.data)
			g_ptr_array_add(bodies, &attachment->body);
	}
	return store_body_put(
	    db, workspace, (const struct store_body *const *)bodies->pdata, bodies->len, error);
}

static bool
attachment_add_rows(struct db *db, const struct base_id *workspace, const struct base_id *broadcast,
    const GPtrArray *attachments, GError **error)
{
	for (guint i = 0; i < attachments->len; i++) {
		const struct store_broadcast_attachment *attachment = attachments->pdata[i];

		if (!db_defer_row(db, sql[ADD],
			DB_VALUES(db_id(&attachment->id), db_id(broadcast), db_id(workspace),
			    db_int(i), db_text(attachment->filename),
			    db_text(attachment->content_type), db_text(attachment->content_id),
			    db_int((gint64)attachment->size),
			    db_bytes(attachment->body.hash, SHA256_SIZE)),
			error))
			return false;
	}
	return true;
}

/* Removes contents that nothing uses: foreign keys refuse the others. */
static bool
attachment_drop_bodies(
    struct db *db, const struct base_id *workspace, struct db_rows *bodies, GError **error)
{
	while (db_rows_next(bodies)) {
		guint8 hash[SHA256_SIZE] = {0};

		copy_hash(bodies, DB_ROWS_ONLY, hash);
		if (!store_body_drop(db, workspace, hash, error))
			return false;
	}
	return true;
}

bool
store_broadcast_attachments_put(struct db *db, const struct base_id *workspace,
    const struct base_id *broadcast, const GPtrArray *attachments, GError **error)
{
	const struct db_value of[] = {db_id(broadcast), db_id(workspace)};
	AUTO(db_rows) bodies = db_select(db, sql[BODIES], of, G_N_ELEMENTS(of), error);

	return bodies && db_run(db, sql[REMOVE], of, G_N_ELEMENTS(of), NULL, error) &&
	       (!attachments ||
		   (put_bodies(db, workspace, attachments, error) &&
		       attachment_add_rows(db, workspace, broadcast, attachments, error))) &&
	       attachment_drop_bodies(db, workspace, bodies, error);
}
