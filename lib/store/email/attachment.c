/* SPDX-License-Identifier: MIT */
/* Reads the attachments of stored emails. */
#include "store/email/attachment.h"

#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/email/email.h"

#define ATTACHMENT_COLUMNS(FIRST, NEXT)                                                            \
	FIRST(number, "p.number")                                                                  \
	NEXT(workspace_id, "p.workspace_id")                                                       \
	NEXT(filename, "p.filename")                                                               \
	NEXT(content_type, "p.content_type")                                                       \
	NEXT(content_id, "p.content_id")                                                           \
	NEXT(size, "b.size")                                                                       \
	NEXT(hash, "p.body")
#define COLUMNS "SELECT " DB_COLUMNS_SQL(ATTACHMENT_COLUMNS)
enum { ATTACHMENT_NUMBER };
DB_COLUMNS_MAKER(attachment_make, struct store_attachment, ATTACHMENT_COLUMNS)

enum { LIST, GET };
/* By checked ids: GET. A token names the email. */
static const char *const sql[] = {
    [LIST] = COLUMNS " FROM email e LEFT JOIN (email_part p JOIN body b"
		     " ON b.workspace_id = p.workspace_id AND b.hash = p.body)"
		     " ON p.email_id = e.id AND p.role IN (" PART_ATTACHMENT_SQL
		     ", " PART_ALTERNATIVE_SQL ")"
		     " WHERE e.id = ? AND e.workspace_id = ? ORDER BY p.number",
    [GET] = COLUMNS
    " FROM email_part p JOIN body b ON b.workspace_id = p.workspace_id"
    " AND b.hash = p.body WHERE p.email_id = ? AND p.number = ? AND p.role IN (" PART_ATTACHMENT_SQL
    ", " PART_ALTERNATIVE_SQL ")",
};

void
store_attachment_free(struct store_attachment *attachment)
{
	g_free(attachment->filename);
	g_free(attachment->content_type);
	g_free(attachment->content_id);
	g_free(attachment);
}

static struct store_attachment *
attachment_read_row(const struct db_rows *rows, const struct base_id *email)
{
	struct store_attachment *attachment = attachment_make(rows);

	attachment->email_id = *email;
	return attachment;
}

GPtrArray *
store_attachment_list(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST], DB_VALUES(db_id(email), db_id(workspace)), error);
	g_autoptr(GPtrArray) attachments = g_ptr_array_new_with_free_func(store_attachment_destroy);
	bool found = false;

	if (!rows)
		return NULL;
	for (; db_rows_next(rows); found = true)
		if (!db_rows_is_null(rows, ATTACHMENT_NUMBER))
			g_ptr_array_add(attachments, attachment_read_row(rows, email));
	if (!found) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Email not found");
		return NULL;
	}
	return g_steal_pointer(&attachments);
}

struct store_attachment *
store_attachment_get(struct db *db, const struct base_id *email, guint number, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET], DB_VALUES(db_id(email), db_int(number)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return attachment_read_row(rows, email);
	base_fail(error, PH_ERROR_NOT_FOUND, "Attachment not found");
	return NULL;
}
