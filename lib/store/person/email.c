/* SPDX-License-Identifier: MIT */
/* Lists the emails to one address. */
#include "store/person/email.h"

#include "db/columns.h"
#include "db/statement.h"
#include "store/common/listing.h"
#include "store/email/email.h"

#define EMAIL_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "e.id")                                                                          \
	NEXT(type, STORE_EMAIL_TYPE("e"))                                                          \
	NEXT(broadcast_id, "b.broadcast_id", has_broadcast)                                        \
	NEXT(workflow_id, "e.workflow_id", has_workflow)                                           \
	NEXT(subject, "e.subject")                                                                 \
	NEXT(status, "r.status")                                                                   \
	NEXT(created, "e.created")                                                                 \
	NEXT(scheduled_at, "e.scheduled_at")                                                       \
	NEXT(cancelled, "e.cancelled")                                                             \
	NEXT(variables, UNFILLED)

/* A page reads no more of them than it needs: those of a subject that has tags, up to 64 KiB. */
#define UNFILLED                                                                                   \
	"IF(b.email_id IS NOT NULL AND LOCATE('{{', e.subject) > 0"                                \
	" AND COALESCE(LENGTH(e.variables), 0) < 65536, COALESCE(e.variables, '{}'), NULL)"

enum { LIST };
static const char *const sql[] = {
    /* A range of the key that begins with the address. One who is named twice in an email is its
       first recipient of the two. */
    [LIST] = "SELECT " DB_COLUMNS_SQL(
	EMAIL_COLUMNS) " FROM (SELECT email_id, MIN(number) AS number"
		       " FROM recipient FORCE INDEX (address) WHERE workspace_id = ?"
		       " AND address = ? AND email_id < ? GROUP BY email_id"
		       " ORDER BY email_id DESC LIMIT ?) page"
		       " STRAIGHT_JOIN recipient r ON r.email_id = page.email_id"
		       " AND r.number = page.number STRAIGHT_JOIN email e ON e.id = page.email_id"
		       " AND e.workspace_id = r.workspace_id"
		       " LEFT JOIN broadcast_part b ON b.email_id = e.id ORDER BY e.id DESC",
};

DB_COLUMNS_MAKER(email_read_row, struct store_person_email, EMAIL_COLUMNS)

static void
email_free_row(void *data)
{
	struct store_person_email *email = data;

	g_free(email->subject);
	g_free(email->variables);
	g_free(email);
}

GPtrArray *
store_person_email_list(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(
		db_id(workspace), db_text(address), store_listing_before(before), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(email_free_row);
	while (db_rows_next(rows))
		g_ptr_array_add(list, email_read_row(rows));
	return list;
}
