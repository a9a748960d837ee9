/* SPDX-License-Identifier: MIT */
/* Marks the recipients of broadcasts who opened, clicked, bounced and complained. */
#include "store/broadcast/mark.h"

#include "db/statement.h"
#include "store/broadcast/people.h"
#include "store/email/event.h"
#include "store/person/audience.h"

/* The recipient of a part with a number: people has the ids, 16 bytes each. */
#define OF_PART                                                                                    \
	"broadcast_part t STRAIGHT_JOIN broadcast_recipient r"                                     \
	" ON r.broadcast_id = t.broadcast_id AND r.person_id = SUBSTRING(t.people, ? * 16 + 1, "   \
	"16)"
#define WHERE_PART " WHERE t.email_id = ? AND t.workspace_id = ?"

enum { MARK, COUNT_BOUNCED, COUNT_COMPLAINED, READ_MARKS, LOCK, HEALTH };
#define COUNT(column)                                                                              \
	"INSERT INTO broadcast_counter (broadcast_id, variant, stripe, workspace_id, " column ")"  \
	" SELECT t.broadcast_id, t.variant, ?, t.workspace_id, 1 FROM broadcast_part t"            \
	" JOIN broadcast b ON b.id = t.broadcast_id" WHERE_PART                                    \
	" AND NOT EXISTS (SELECT 1 FROM event v FORCE INDEX (PRIMARY)"                             \
	" WHERE v.email_id = t.email_id AND v.recipient = ? AND v.status = " EVENT_SENT_SQL        \
	" AND v.timestamp < b.resumed_at)"                                                         \
	" ON DUPLICATE KEY UPDATE " column " = broadcast_counter." column " + 1"
#define SINCE(column)                                                                              \
	"(SELECT SUM(c." column                                                                    \
	") FROM broadcast_counter c WHERE c.broadcast_id = b.id) - b." column "_before"
static const char *const sql[] = {
    [MARK] = "UPDATE " OF_PART " SET r.marks = r.marks | ?" WHERE_PART " AND (r.marks & ?) = 0",
    /* Only those that were sent since the broadcast was resumed. */
    [COUNT_BOUNCED] = COUNT("bounced"),
    [COUNT_COMPLAINED] = COUNT("complained"),
    [READ_MARKS] = "UPDATE " OF_PART " SET r.marks = (r.marks & ~(" MARK_OPENED_SQL
		   " | " MARK_CLICKED_SQL ")) | ?, r.opened_at = ?,"
		   " r.clicked_at = ?" WHERE_PART,
    [LOCK] = "SELECT b.id FROM broadcast_part t STRAIGHT_JOIN broadcast b"
	     " ON b.id = t.broadcast_id AND b.status IN (" BROADCAST_SENDING_SQL
	     ", " BROADCAST_TESTING_SQL ")" WHERE_PART " FOR UPDATE",
    [HEALTH] = "SELECT b.id, " BROADCAST_NAME ", " SINCE("tried") ", " SINCE("bounced") ", " SINCE(
	"complained") " FROM broadcast_part t JOIN broadcast b ON b.id = t.broadcast_id"
		      " AND b.status IN (" BROADCAST_SENDING_SQL ", " BROADCAST_TESTING_SQL
		      ")" WHERE_PART,
};

/* The columns of HEALTH. */
enum { HEALTH_ID, HEALTH_NAME, HEALTH_TRIED, HEALTH_BOUNCED, HEALTH_COMPLAINED };

/* Marks once, and counts the first time. */
static bool
mark_mark(struct db *db, const struct store_event *event, GError **error)
{
	bool bounced = event->status == EVENT_BOUNCED;
	guint64 changed;

	if (!db_run(db, sql[MARK],
		DB_VALUES(db_int(event->recipient),
		    db_int(bounced ? MARK_BOUNCED : MARK_COMPLAINED), db_id(&event->email_id),
		    db_id(&event->workspace_id), db_int(bounced ? MARK_BOUNCED : MARK_COMPLAINED)),
		&changed, error))
		return false;
	return changed == 0 ||
	       db_defer(db, sql[bounced ? COUNT_BOUNCED : COUNT_COMPLAINED],
		   DB_VALUES(db_int(store_audience_stripe(db)), db_id(&event->email_id),
		       db_id(&event->workspace_id), db_int(event->recipient)),
		   1, error);
}

bool
store_broadcast_mark_events(
    struct db *db, const struct store_event *const *events, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		if (events[i]->type == EMAIL_BROADCAST &&
		    (events[i]->status == EVENT_BOUNCED || events[i]->status == EVENT_COMPLAINED) &&
		    !mark_mark(db, events[i], error))
			return false;
	return true;
}

bool
store_broadcast_mark_reader(struct db *db, const struct base_id *workspace,
    const struct store_broadcast_reading *reading, GError **error)
{
	guint marks = (reading->opened ? MARK_OPENED : 0) | (reading->clicked ? MARK_CLICKED : 0);

	return db_defer(db, sql[READ_MARKS],
	    DB_VALUES(db_int(reading->number), db_int(marks), db_int(reading->opened),
		db_int(reading->clicked), db_id(reading->email), db_id(workspace)),
	    1, error);
}

void
store_broadcast_health_free(struct store_broadcast_health *health)
{
	g_free(health->name);
	g_free(health);
}

bool
store_broadcast_health(struct db *db, const struct base_id *workspace, const struct base_id *email,
    bool lock, struct store_broadcast_health **health_r, GError **error)
{
	const struct db_value values[] = {db_id(email), db_id(workspace)};
	AUTO(db_rows) locked =
	    lock ? db_select(db, sql[LOCK], values, G_N_ELEMENTS(values), error) : NULL;
	AUTO(db_rows) rows = !lock || locked
				 ? db_select(db, sql[HEALTH], values, G_N_ELEMENTS(values), error)
				 : NULL;

	*health_r = NULL;
	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return true;
	struct store_broadcast_health *health = g_new0(struct store_broadcast_health, 1);
	db_rows_id(rows, HEALTH_ID, &health->id);
	health->name = g_strdup(db_rows_text(rows, HEALTH_NAME));
	health->tried = db_rows_int(rows, HEALTH_TRIED);
	health->bounced = db_rows_int(rows, HEALTH_BOUNCED);
	health->complained = db_rows_int(rows, HEALTH_COMPLAINED);
	*health_r = health;
	return true;
}
