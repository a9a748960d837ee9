/* SPDX-License-Identifier: MIT */
/* Finds the emails that delivery reports are about, and records the reports. */
#include "store/feedback/report.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/email/event.h"
#include "store/email/key.h"

enum { FIND, RECIPIENTS, INSERT, NOTE, COUNT, FORGET, TRANSIENT };
/* System-wide: FIND. A report names the email alone, not its workspace. */
/* By checked ids: RECIPIENTS. FIND has found the email. */
static const char *const sql[] = {
    [FIND] = "SELECT e.workspace_id, " STORE_EMAIL_TYPE(
	"e") ", e.sender, (SELECT COALESCE(LEAST(e.sent, MIN(p.sent_at)),"
	     " e.sent, MIN(p.sent_at), e.created) FROM recipient p WHERE p.email_id = e.id),"
	     " (SELECT COUNT(*) FROM report r WHERE r.email_id = e.id),"
	     " (e.tracking & " TRACK_UNSUBSCRIBE_SQL
	     ") <> 0 OR e.topic_id IS NOT NULL, " STORE_FIGURE_ORIGIN " FROM " STORE_EMAIL_FOUND
	     " WHERE " STORE_EMAIL_IN("?"),
    [RECIPIENTS] = "SELECT address FROM recipient WHERE email_id = ? ORDER BY number",
    [INSERT] = "INSERT INTO report (email_id, digest, workspace_id, created) VALUES (?, ?, ?, ?)",
    [NOTE] = "INSERT IGNORE INTO hearsay (email_id, recipient, verdict, workspace_id, created)"
	     " VALUES (?, ?, ?, ?, ?)",
    [COUNT] = "SELECT COUNT(DISTINCT h.created DIV 86400000) FROM recipient r"
	      " JOIN hearsay h ON h.email_id = r.email_id AND h.recipient = r.number"
	      " AND h.verdict = ? AND h.created >= ? WHERE r.workspace_id = ? AND r.address = ?",
    [FORGET] = "DELETE h FROM recipient r JOIN hearsay h ON h.email_id = r.email_id"
	       " AND h.recipient = r.number AND h.verdict = ?"
	       " WHERE r.workspace_id = ? AND r.address = ?",
    /* The id holds the time at which the email was created, up to 30 days before it was sent. */
    [TRANSIENT] = "SELECT 1 FROM recipient r JOIN event v ON v.email_id = r.email_id"
		  " AND v.recipient = r.number AND v.status = ? AND v.bounce_type = ?"
		  " AND v.timestamp >= ?"
		  " WHERE r.workspace_id = ? AND r.address = ? AND r.email_id >= ?"
		  " AND NOT EXISTS (SELECT 1 FROM hearsay h WHERE h.email_id = r.email_id"
		  " AND h.recipient = r.number AND h.verdict = ?) LIMIT ?",
};

/* The columns of FIND. */
enum {
	FIND_WORKSPACE,
	FIND_TYPE,
	FIND_SENDER,
	FIND_SENT,
	FIND_REPORTS,
	FIND_IS_MAILING,
	FIND_ORIGIN,
	FIND_TEMPLATE,
	FIND_WORKFLOW,
	FIND_STEP,
	FIND_TAGS,
	FIND_STREAM,
	FIND_BROADCAST
};

#define SCHEDULED_MS ((gint64)35 * 24 * 60 * 60 * 1000)

void
store_reported_free(struct store_reported *reported)
{
	g_free(reported->sender);
	store_figure_origin_clear(&reported->origin);
	g_ptr_array_unref(reported->recipients);
	g_free(reported);
}

static struct store_reported *
report_read_email(struct db *db, const struct base_id *email, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[FIND], DB_VALUES(db_id(email)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Email not found");
		return NULL;
	}
	struct store_reported *reported = g_new0(struct store_reported, 1);
	reported->id = *email;
	db_rows_id(rows, FIND_WORKSPACE, &reported->workspace_id);
	reported->type = (enum store_email_type)db_rows_int(rows, FIND_TYPE);
	reported->sender = g_strdup(db_rows_text(rows, FIND_SENDER));
	reported->sent = db_rows_int(rows, FIND_SENT);
	reported->reports = (guint)db_rows_int(rows, FIND_REPORTS);
	reported->is_mailing = db_rows_int(rows, FIND_IS_MAILING) != 0;
	store_figure_origin_read(rows, FIND_ORIGIN, &reported->origin);
	reported->recipients = g_ptr_array_new_with_free_func(g_free);
	return reported;
}

struct store_reported *
store_report_find(struct db *db, const struct base_id *email, GError **error)
{
	AUTO(store_reported) reported = report_read_email(db, email, error);

	if (!reported)
		return NULL;
	AUTO(db_rows) rows = db_select(db, sql[RECIPIENTS], DB_VALUES(db_id(email)), error);
	if (!rows)
		return NULL;
	while (db_rows_next(rows))
		g_ptr_array_add(reported->recipients, g_strdup(db_rows_text(rows, DB_ROWS_ONLY)));
	return g_steal_pointer(&reported);
}

bool
store_report_insert(struct db *db, const struct store_reported *reported,
    const guint8 digest[SHA256_SIZE], GError **error)
{
	return db_run(db, sql[INSERT],
	    DB_VALUES(db_id(&reported->id), db_bytes(digest, SHA256_SIZE),
		db_id(&reported->workspace_id), db_int(base_clock_now())),
	    NULL, error);
}

bool
store_report_note_hearsay(struct db *db, const struct store_reported *reported, guint number,
    enum store_hearsay verdict, gint64 now, GError **error)
{
	return db_run(db, sql[NOTE],
	    DB_VALUES(db_id(&reported->id), db_int(number), db_int(verdict),
		db_id(&reported->workspace_id), db_int(now)),
	    NULL, error);
}

bool
store_report_count_hearsay(struct db *db, const struct store_report_about *about,
    enum store_hearsay verdict, guint *days_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[COUNT],
	    DB_VALUES(db_int(verdict), db_int(about->since), db_id(about->workspace),
		db_text(about->address)),
	    error);

	if (!rows)
		return false;
	*days_r = db_rows_next(rows) ? (guint)db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

bool
store_report_forget_hearsay(struct db *db, const struct base_id *workspace, const char *address,
    enum store_hearsay verdict, GError **error)
{
	return db_run(db, sql[FORGET],
	    DB_VALUES(db_int(verdict), db_id(workspace), db_text(address)), NULL, error);
}

bool
store_report_count_transient(struct db *db, const struct store_report_about *about, guint limit,
    guint *count_r, GError **error)
{
	struct base_id oldest = base_id_floor(about->since - SCHEDULED_MS);
	AUTO(db_rows) rows = db_select(db, sql[TRANSIENT],
	    DB_VALUES(db_int(EVENT_BOUNCED), db_int(BOUNCE_TRANSIENT), db_int(about->since),
		db_id(about->workspace), db_text(about->address), db_id(&oldest),
		db_int(HEARSAY_FULL), db_int(limit)),
	    error);

	if (!rows)
		return false;
	for (*count_r = 0; db_rows_next(rows); ++*count_r)
		;
	return true;
}
