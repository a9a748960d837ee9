/* SPDX-License-Identifier: MIT */
/* Moves a person to another address. */
#include "store/person/move.h"

#include <string.h>

#include "base/clock.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/execution.h"
#include "store/automation/feedback.h"
#include "store/broadcast/recipient.h"
#include "store/broadcast/status.h"
#include "store/consent/choice_part.h"
#include "store/outbox/key.h"
#include "store/person/membership.h"

enum {
	LOCK,
	REST,
	RENAME,
	STAY,
	MERGE,
	SEE,
	EVENTS,
	EXECUTIONS,
	WAITS,
	WATCHES,
	DIGESTS,
	KEYS,
	EMAILS,
	FEEDBACK,
	ENTRIES,
	TURNS,
	REMAIN,
	TELL,
	REDIRECT,
	ACTIVITY,
	END_ACTIVITY,
	HISTORY
};
/* By checked ids: RENAME, MERGE, SEE, EMAILS, FEEDBACK, REMAIN, TELL. The people were found by
   workspace and address. */
static const char *const sql[] = {
    [LOCK] = "SELECT address, id, email, first_name, last_name, first_seen, last_seen, last_event,"
	     " event_count, entered, seen FROM person FORCE INDEX (address)"
	     " WHERE workspace_id = ? AND address IN (?, ?) ORDER BY address FOR UPDATE",
    [REST] = "SELECT MAX(c.is_subscribed) FROM audience a FORCE INDEX (workspace)"
	     " STRAIGHT_JOIN contact c ON c.audience_id = a.id AND c.address = ?"
	     " WHERE a.workspace_id = ?",
    /* A reason that was given by the memberships that stay behind stays with them. */
    [RENAME] = "UPDATE person SET address = ?, email = ?, first_name = ?, last_name = ?,"
	       " updated = ?, agreed = IF(? AND agreed = 1, 0, agreed) WHERE id = ?",
    [STAY] = "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	     " last_seen, last_event, event_count, entered, seen, created, updated, first_name,"
	     " last_name, language, time_zone, is_subscribed, agreed) SELECT ?, workspace_id, ?, ?,"
	     " properties, 0, 0, '', 0, 0, 0, ?, ?, ?, ?, language, time_zone, is_subscribed, ?"
	     " FROM person o WHERE o.id = ?",
    [MERGE] = "UPDATE person SET email = ?, first_name = IF(?, ?, first_name),"
	      " last_name = IF(?, ?, last_name), updated = ? WHERE id = ?",
    /* From left to right. */
    [SEE] = "UPDATE person SET first_seen = IF(seen = 1, LEAST(first_seen, ?), ?),"
	    " last_event = IF(seen = 1 AND last_seen >= ?, last_event, ?),"
	    " last_seen = GREATEST(last_seen, ?), event_count = event_count + ?,"
	    " entered = GREATEST(entered, ?), seen = 1 WHERE id = ?",
    [EVENTS] = "UPDATE automation_event FORCE INDEX (contact) SET contact_id = ?"
	       " WHERE contact_id = ? AND workspace_id = ?",
    [EXECUTIONS] = "UPDATE IGNORE execution SET contact_id = ? WHERE contact_id = ?",
    [WAITS] = "UPDATE IGNORE execution_wait w STRAIGHT_JOIN execution x ON x.id = w.execution_id"
	      " SET w.contact_id = ? WHERE w.contact_id = ? AND x.contact_id = ?",
    [WATCHES] = "UPDATE IGNORE execution_watch w STRAIGHT_JOIN execution x"
		" ON x.id = w.execution_id"
		" SET w.contact_id = ? WHERE w.contact_id = ? AND x.contact_id = ?",
    [DIGESTS] = "UPDATE IGNORE digest SET contact_id = ? WHERE contact_id = ?",
    [KEYS] = "UPDATE IGNORE workflow_key SET contact_id = ? WHERE contact_id = ?",
    [EMAILS] = "UPDATE execution x FORCE INDEX (contact) STRAIGHT_JOIN execution_email m"
	       " FORCE INDEX (execution) ON m.execution_id = x.id SET m.contact_id = x.contact_id"
	       " WHERE x.contact_id = ? AND m.contact_id = ?",
    /* But for the data of the one who goes before this change (store/automation/own.c). */
    [FEEDBACK] = "UPDATE automation_feedback SET contact_id = ? WHERE contact_id = ?"
		 " AND NOT (name <=> 'person.updated' AND became IS NULL)",
    [ENTRIES] = "UPDATE IGNORE workflow_entry SET contact_id = ? WHERE contact_id = ?",
    [TURNS] = "UPDATE IGNORE broadcast b FORCE INDEX (newest)"
	      " STRAIGHT_JOIN broadcast_recipient r FORCE INDEX (PRIMARY)"
	      " ON r.broadcast_id = b.id AND r.person_id = ? SET r.person_id = ?"
	      " WHERE b.workspace_id = ? AND b.status IN (" BROADCAST_SENDING_SQL
	      ", " BROADCAST_TESTING_SQL ", " BROADCAST_PAUSED_SQL ") AND b.is_complete = 1"
	      " AND r.queue IS NOT NULL",
    [REMAIN] = "UPDATE person SET is_made = 0, agreed = ? WHERE id = ?",
    [TELL] = "UPDATE execution SET email = ? WHERE contact_id = ? AND status IN "
	     "(" EXECUTION_IN_PROGRESS_SQL ", " EXECUTION_WAITING_SQL ")",
    /* Messages that wait for their first attempt, and that no spool has taken. */
    [REDIRECT] =
	"UPDATE broadcast b FORCE INDEX (newest)"
	" STRAIGHT_JOIN broadcast_recipient r FORCE INDEX (PRIMARY)"
	" ON r.broadcast_id = b.id AND r.person_id = ?"
	" STRAIGHT_JOIN recipient m ON m.email_id = r.email_id AND m.number = r.number"
	" SET m.address = ? WHERE b.workspace_id = ? AND b.status IN (" BROADCAST_SENDING_SQL
	", " BROADCAST_TESTING_SQL ", " BROADCAST_PAUSED_SQL ")"
	" AND r.status = " FATE_PENDING_SQL
	" AND m.status IS NULL AND EXISTS (SELECT 1 FROM outbox o"
	" " STORE_OUTBOX_OF_EMAIL " WHERE o.email_id = r.email_id AND o.owner IS NULL"
	" AND o.attempts = 0)",
    /* A bounce is one of the address. */
    [ACTIVITY] = "INSERT INTO person_activity (workspace_id, address, sent, opened, clicked,"
		 " bounced) SELECT workspace_id, ?, sent, opened, clicked, 0 FROM person_activity o"
		 " WHERE o.workspace_id = ? AND o.address = ? ON DUPLICATE KEY UPDATE"
		 " person_activity.sent = GREATEST(person_activity.sent, VALUES(sent)),"
		 " person_activity.opened = GREATEST(person_activity.opened, VALUES(opened)),"
		 " person_activity.clicked = GREATEST(person_activity.clicked, VALUES(clicked))",
    [END_ACTIVITY] = "DELETE FROM person_activity WHERE workspace_id = ? AND address = ?",
    [HISTORY] = "UPDATE consent FORCE INDEX (person) SET person = ?"
		" WHERE workspace_id = ? AND person = ?",
};

/* The columns of LOCK. */
enum {
	L_ADDRESS,
	L_ID,
	L_EMAIL,
	L_FIRST_NAME,
	L_LAST_NAME,
	L_FIRST_SEEN,
	L_LAST_SEEN,
	L_LAST_EVENT,
	L_EVENT_COUNT,
	L_ENTERED,
	L_SEEN
};

/* The move of a person. */
struct move {
	struct db *db;
	const struct base_id *workspace;
	const char *from;
	const struct store_person_names *to;
	bool first_given, last_given;
	bool has_rest, rest_is_subscribed; /* other memberships stay at the old address */
};

static struct store_person *
move_read_row(const struct db_rows *rows)
{
	struct store_person *person = g_new0(struct store_person, 1);

	db_rows_id(rows, L_ID, &person->id);
	person->email = g_strdup(db_rows_text(rows, L_EMAIL));
	person->first_name = g_strdup(db_rows_text(rows, L_FIRST_NAME));
	person->last_name = g_strdup(db_rows_text(rows, L_LAST_NAME));
	person->first_seen = db_rows_int(rows, L_FIRST_SEEN);
	person->last_seen = db_rows_int(rows, L_LAST_SEEN);
	person->last_event = g_strdup(db_rows_text(rows, L_LAST_EVENT));
	person->event_count = db_rows_int(rows, L_EVENT_COUNT);
	person->entered = db_rows_int(rows, L_ENTERED) != 0;
	person->seen = db_rows_int(rows, L_SEEN) != 0;
	return person;
}

/* Locks the people of both addresses; NULL: there is none. */
static bool
move_lock(const struct move *move, struct store_person **from_r, struct store_person **to_r,
    GError **error)
{
	AUTO(db_rows) rows = db_select(move->db, sql[LOCK],
	    DB_VALUES(db_id(move->workspace), db_text(move->from), db_text(move->to->address)),
	    error);

	*from_r = *to_r = NULL;
	while (rows && db_rows_next(rows))
		*(strcmp(db_rows_text(rows, L_ADDRESS), move->from) == 0 ? from_r : to_r) =
		    move_read_row(rows);
	return rows != NULL;
}

static bool
look_at_rest(struct move *move, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    move->db, sql[REST], DB_VALUES(db_text(move->from), db_id(move->workspace)), error);

	move->has_rest = rows && db_rows_next(rows) && !db_rows_is_null(rows, DB_ROWS_ONLY);
	move->rest_is_subscribed = move->has_rest && db_rows_int(rows, DB_ROWS_ONLY) != 0;
	return rows != NULL;
}

/* Somebody stays at the old address, for its other memberships. */
static bool
stay(const struct move *move, const struct store_person *person, GError **error)
{
	struct base_id id = base_id_new();
	gint64 now = move->to->time;

	return !move->has_rest ||
	       db_run(move->db, sql[STAY],
		   DB_VALUES(db_id(&id), db_text(person->email), db_text(move->from), db_int(now),
		       db_int(now), db_text(person->first_name), db_text(person->last_name),
		       db_int(move->rest_is_subscribed), db_id(&person->id)),
		   NULL, error);
}

/* Nobody has the new address: the person gets it. */
static bool
rename_person(const struct move *move, const struct store_person *person, GError **error)
{
	const struct store_person_names *to = move->to;

	return db_run(move->db, sql[RENAME],
		   DB_VALUES(db_text(to->address), db_text(to->email), db_text(to->first_name),
		       db_text(to->last_name), db_int(to->time), db_int(move->has_rest),
		       db_id(&person->id)),
		   NULL, error) &&
	       stay(move, person, error);
}

/* The other person gets the events of the one who goes. */
static bool
move_see(const struct move *move, const struct store_person *from, const struct store_person *to,
    GError **error)
{
	return !from->seen ||
	       (db_run(move->db, sql[SEE],
		    DB_VALUES(db_int(from->first_seen), db_int(from->first_seen),
			db_int(from->last_seen), db_text(from->last_event), db_int(from->last_seen),
			db_int(from->event_count), db_int(from->entered), db_id(&to->id)),
		    NULL, error) &&
		   db_run(move->db, sql[EVENTS],
		       DB_VALUES(db_id(&to->id), db_id(&from->id), db_id(move->workspace)), NULL,
		       error));
}

/* The executions of the one who goes run on for the other. The rest of them ends. */
static bool
move_hand_over(const struct move *move, const struct store_person *from,
    const struct store_person *to, GError **error)
{
	const struct db_value old = db_id(&from->id), new = db_id(&to->id);
	struct db *db = move->db;
	guint cancelled;

	return db_run(db, sql[EXECUTIONS], DB_VALUES(new, old), NULL, error) &&
	       db_run(db, sql[WAITS], DB_VALUES(new, old, new), NULL, error) &&
	       db_run(db, sql[WATCHES], DB_VALUES(new, old, new), NULL, error) &&
	       db_run(db, sql[DIGESTS], DB_VALUES(new, old), NULL, error) &&
	       db_run(db, sql[KEYS], DB_VALUES(new, old), NULL, error) &&
	       db_run(db, sql[EMAILS], DB_VALUES(new, old), NULL, error) &&
	       db_run(db, sql[FEEDBACK], DB_VALUES(new, old), NULL, error) &&
	       db_run(db, sql[ENTRIES], DB_VALUES(new, old), NULL, error) &&
	       db_run(db, sql[TURNS], DB_VALUES(old, new, db_id(move->workspace)), NULL, error) &&
	       store_execution_cancel_contact(db, &from->id, base_clock_now(), &cancelled, error) &&
	       store_automation_feedback_forget(db, &from->id, error);
}

/* The difference that the move makes to what contacts show of the other person. */
static guint
move_compare(const struct move *move, const struct store_person *to)
{
	const struct store_person_names *names = move->to;

	return store_membership_compare(
	    &(struct store_membership_shown){to->email, to->first_name, to->last_name},
	    &(struct store_membership_shown){names->email,
		move->first_given ? names->first_name : to->first_name,
		move->last_given ? names->last_name : to->last_name});
}

/* Somebody has the new address, and gets what goes along. */
static bool
move_merge(const struct move *move, const struct store_person *from, const struct store_person *to,
    GError **error)
{
	const struct store_person_names *names = move->to;

	if (!db_run(move->db, sql[MERGE],
		DB_VALUES(db_text(names->email), db_int(move->first_given),
		    db_text(names->first_name), db_int(move->last_given), db_text(names->last_name),
		    db_int(names->time), db_id(&to->id)),
		NULL, error))
		return false;
	return !from || (move_see(move, from, to, error) && move_hand_over(move, from, to, error) &&
			    db_run(move->db, sql[REMAIN],
				DB_VALUES(db_int(move->rest_is_subscribed), db_id(&from->id)), NULL,
				error) &&
			    store_person_remove(
				move->db, move->workspace, &from->id, move->has_rest, error));
}

/* Moves the rows that are kept by address, if nobody stays at the old one. */
static bool
move_rows(const struct move *move, GError **error)
{
	const struct db_value workspace = db_id(move->workspace), from = db_text(move->from),
			      to = db_text(move->to->address);

	return move->has_rest ||
	       (db_run(move->db, sql[ACTIVITY], DB_VALUES(to, workspace, from), NULL, error) &&
		   db_run(move->db, sql[END_ACTIVITY], DB_VALUES(workspace, from), NULL, error) &&
		   db_run(move->db, sql[HISTORY], DB_VALUES(to, workspace, from), NULL, error));
}

/* Messages that are about to leave go to the new address. */
static bool
redirect(const struct move *move, const struct base_id *person, GError **error)
{
	const struct db_value id = db_id(person);

	return db_run(move->db, sql[TELL], DB_VALUES(db_text(move->to->email), id), NULL, error) &&
	       db_run(move->db, sql[REDIRECT],
		   DB_VALUES(id, db_text(move->to->address), db_id(move->workspace)), NULL, error);
}

bool
store_person_move(struct db *db, const struct base_id *workspace,
    const struct store_person_moving *moving, struct store_person_moved *moved_r, GError **error)
{
	struct move move = {db, workspace, moving->from, moving->to, moving->first_given,
	    moving->last_given, false, false};
	struct store_person *old, *new;

	if (!move_lock(&move, &old, &new, error))
		return false;
	AUTO(store_person) person = old;
	AUTO(store_person) other = new;
	*moved_r = (struct store_person_moved){!other, other ? move_compare(&move, other) : 0};
	if (!person && !other)
		return store_person_put(db, PERSON_GIVE, workspace, moving->to, 1, error);
	return look_at_rest(&move, error) &&
	       (other ? move_merge(&move, person, other, error)
		      : rename_person(&move, person, error)) &&
	       redirect(&move, other ? &other->id : &person->id, error) && move_rows(&move, error);
}
