/* SPDX-License-Identifier: MIT */
/* Reads and stores the double opt-in of audiences. */
#include "store/consent/opt_in.h"

#include "db/statement.h"
#include "store/person/audience.h"

enum { GET, PUT };
static const char *const sql[] = {
    [GET] = "SELECT opt_in, opt_in_link, opt_in_template, opt_in_sender, opt_in_subject, name"
	    " FROM audience WHERE id = ? AND workspace_id = ?",
    [PUT] = "UPDATE audience SET opt_in = ?, opt_in_link = ?, opt_in_template = ?,"
	    " opt_in_sender = ?, opt_in_subject = ? WHERE id = ? AND workspace_id = ?",
};

/* The columns of GET. */
enum { O_REQUIRED, O_LINK, O_TEMPLATE, O_SENDER, O_SUBJECT, O_NAME };

void
store_opt_in_free(struct store_opt_in *opt_in)
{
	g_free(opt_in->template_id);
	g_free(opt_in->sender);
	g_free(opt_in->subject);
	g_free(opt_in->audience);
	g_free(opt_in);
}

struct store_opt_in *
store_opt_in_get(
    struct db *db, const struct base_id *workspace, const struct base_id *audience, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET], DB_VALUES(db_id(audience), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		store_audience_missing(error);
		return NULL;
	}
	struct store_opt_in *opt_in = g_new0(struct store_opt_in, 1);
	opt_in->required = db_rows_int(rows, O_REQUIRED) != 0;
	opt_in->by_link = db_rows_int(rows, O_LINK) != 0;
	opt_in->template_id = g_strdup(db_rows_text(rows, O_TEMPLATE));
	opt_in->sender = g_strdup(db_rows_text(rows, O_SENDER));
	opt_in->subject = g_strdup(db_rows_text(rows, O_SUBJECT));
	opt_in->audience = g_strdup(db_rows_text(rows, O_NAME));
	return opt_in;
}

bool
store_opt_in_put(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct store_opt_in *opt_in, GError **error)
{
	guint64 found;

	return db_run(db, sql[PUT],
		   DB_VALUES(db_int(opt_in->required), db_int(opt_in->by_link),
		       db_text(opt_in->template_id), db_text(opt_in->sender),
		       db_text(opt_in->subject), db_id(audience), db_id(workspace)),
		   &found, error) &&
	       (found > 0 || store_audience_missing(error));
}
