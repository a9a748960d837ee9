/* SPDX-License-Identifier: MIT */
/* Removes the rows about a person: emails, contacts, and the automation contact. */
#include "store/upkeep/erasure.h"

#include <string.h>

#include "base/array.h"
#include "base/secret.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/look.h"
#include "store/broadcast/segment.h"
#include "store/email/body.h"
#include "store/email/status.h"
#include "store/figure/tag.h"
#include "store/person/activity.h"
#include "store/person/audience.h"
#include "store/webhook/erase.h"

enum {
	NEXT,
	LISTS,
	OTHERS,
	LEAVING,
	REMOVE_COPIES,
	REMOVE_OWN_COPIES,
	REMOVE_EVENTS,
	REMOVE_OWN_EVENTS,
	REMOVE_REPORTS,
	REMOVE_HEARSAY,
	REMOVE_TAKEN,
	REMOVE_TAGS,
	REMOVE_RECIPIENTS,
	REMOVE_STATUSES,
	BLANK_RECIPIENTS,
	REMOVE_EXECUTION_EMAIL,
	REMOVE_FEEDBACK,
	REMOVE_OPENED,
	REMOVE_SENDING,
	REMOVE_EMAIL,
	SET_LISTS,
	WAITS,
	POSTPONE,
	BODIES,
	REMOVE_PARTS,
	REMOVE_CONTENT,
	BLANK_EMAIL,
	POSTPONED,
	FORGET,
	CONTACT,
	STEPS,
	STEP_REQUESTS,
	EXECUTIONS,
	AUTOMATION_WAITS,
	WATCHES,
	DIGEST_EVENTS,
	DIGESTS,
	KEYS,
	EMAILS,
	FEEDBACK,
	ENTRIES,
	EVENTS,
	REMOVE,
	TRACES,
	REMOVE_TRACES,
	STARTS,
	PLACES,
	CONTACTS,
	REMOVE_CONTACTS,
	REMOVE_UNSWEPT,
	REMOVE_KEPT
};
/* System-wide: POSTPONED. The spool ends the erasures of all workspaces. */
/* By checked ids: OTHERS, LEAVING, REMOVE_OWN_COPIES, REMOVE_OWN_EVENTS, REMOVE_RECIPIENTS,
   BLANK_RECIPIENTS, WAITS, BODIES, REMOVE_PARTS, STEPS, STEP_REQUESTS, EXECUTIONS,
   AUTOMATION_WAITS, WATCHES, DIGEST_EVENTS, DIGESTS, KEYS, EMAILS, FEEDBACK, ENTRIES, EVENTS,
   REMOVE, REMOVE_TRACES. The caller has found the email, contact or trace by workspace and
   address. */
static const char *const sql[] = {
    [REMOVE_KEPT] = "DELETE FROM reader_kept WHERE address = ? AND workspace_id = ?",
    [NEXT] = "SELECT email_id FROM recipient FORCE INDEX (address)"
	     " WHERE workspace_id = ? AND address = ? ORDER BY email_id LIMIT 1",
    [LISTS] = "SELECT to_list, cc_list, bcc_list, reply_to FROM email"
	      " WHERE id = ? AND workspace_id = ? FOR UPDATE",
    [OTHERS] = "SELECT COUNT(*) FROM recipient WHERE email_id = ? AND address NOT IN (?, '')",
    /* The locks let what is recorded of these messages come before the erasure, or find nobody. */
    [LEAVING] = "SELECT COUNT(*) FROM outbox WHERE email_id = ? AND owner IS NOT NULL FOR UPDATE",
    [REMOVE_COPIES] = "DELETE FROM outbox WHERE email_id = ? AND workspace_id = ?",
    /* outbox.recipients stores a number as two bytes, big-endian. */
    [REMOVE_OWN_COPIES] = "DELETE o FROM recipient r JOIN outbox o ON o.email_id = r.email_id"
			  " AND o.recipients = UNHEX(LPAD(HEX(r.number), 4, '0'))"
			  " WHERE r.email_id = ? AND r.address = ?",
    [REMOVE_EVENTS] = "DELETE FROM event WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_OWN_EVENTS] = "DELETE v FROM recipient r JOIN event v ON v.email_id = r.email_id"
			  " AND v.recipient = r.number WHERE r.email_id = ? AND r.address = ?",
    [REMOVE_REPORTS] = "DELETE FROM report WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_HEARSAY] = "DELETE FROM hearsay WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_TAKEN] = "DELETE FROM relay_copy WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_TAGS] = "DELETE FROM email_tag WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_RECIPIENTS] = "DELETE FROM recipient WHERE email_id = ?",
    [REMOVE_STATUSES] = STATUS_REMOVE_SQL,
    [BLANK_RECIPIENTS] = "UPDATE recipient SET address = '', status = NULL, status_at = NULL,"
			 " event_id = NULL WHERE email_id = ? AND address = ?",
    [REMOVE_EXECUTION_EMAIL] =
	"DELETE FROM execution_email WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_FEEDBACK] = "DELETE FROM automation_feedback WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_OPENED] = "DELETE FROM workflow_opened WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_SENDING] = "DELETE FROM email_sending WHERE email_id = ? AND workspace_id = ?",
    [REMOVE_EMAIL] = "DELETE FROM email WHERE id = ? AND workspace_id = ?",
    [SET_LISTS] = "UPDATE email SET to_list = ?, cc_list = ?, bcc_list = ?, reply_to = ?"
		  " WHERE id = ? AND workspace_id = ?",
    [WAITS] = "SELECT 1 FROM outbox WHERE email_id = ? LIMIT 1",
    [POSTPONE] = "INSERT IGNORE INTO erasure (email_id, workspace_id) VALUES (?, ?)",
    [BODIES] = "SELECT body FROM email_part WHERE email_id = ?",
    [REMOVE_PARTS] = "DELETE FROM email_part WHERE email_id = ?",
    [REMOVE_CONTENT] = "DELETE FROM email_content WHERE email_id = ? AND workspace_id = ?",
    [BLANK_EMAIL] = "UPDATE email SET subject = '', variables = NULL, headers = NULL, tags = NULL,"
		    " counted_tags = NULL WHERE id = ? AND workspace_id = ?",
    [POSTPONED] = "SELECT e.email_id, e.workspace_id FROM erasure e"
		  " WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.email_id = e.email_id)"
		  " ORDER BY e.email_id LIMIT ? FOR UPDATE SKIP LOCKED",
    [FORGET] = "DELETE FROM erasure WHERE email_id = ? AND workspace_id = ?",
    /* Every other change of a contact's rows locks the contact first, too. */
    [CONTACT] = "SELECT id, seen FROM person WHERE workspace_id = ? AND address = ? FOR UPDATE",
    [STEPS] = "DELETE s FROM execution e JOIN execution_step s ON s.execution_id = e.id"
	      " WHERE e.contact_id = ?",
    [STEP_REQUESTS] = "DELETE r FROM execution e JOIN step_request r ON r.execution_id = e.id"
		      " WHERE e.contact_id = ?",
    [EXECUTIONS] = "DELETE FROM execution WHERE contact_id = ?",
    [AUTOMATION_WAITS] = "DELETE FROM execution_wait WHERE contact_id = ?",
    [WATCHES] = "DELETE FROM execution_watch WHERE contact_id = ?",
    [DIGEST_EVENTS] = "DELETE e FROM digest d JOIN digest_event e"
		      " ON e.execution_id = d.execution_id WHERE d.contact_id = ?",
    [DIGESTS] = "DELETE FROM digest WHERE contact_id = ?",
    [KEYS] = "DELETE FROM workflow_key WHERE contact_id = ?",
    [EMAILS] = "DELETE m FROM execution e JOIN execution_email m ON m.execution_id = e.id"
	       " WHERE e.contact_id = ?",
    [FEEDBACK] = "DELETE FROM automation_feedback WHERE contact_id = ?",
    [ENTRIES] = "DELETE FROM workflow_entry WHERE contact_id = ?",
    [EVENTS] = "DELETE FROM automation_event WHERE contact_id = ?",
    [REMOVE] = "DELETE FROM person WHERE id = ?",
    [TRACES] = "SELECT contact_id, 0 FROM execution_trace WHERE workspace_id = ? AND address = ?",
    [REMOVE_TRACES] = "DELETE FROM execution_trace WHERE contact_id = ?",
    [STARTS] = "DELETE FROM workflow_start_address WHERE workspace_id = ? AND address = ?",
    [PLACES] = "DELETE FROM sending_place WHERE workspace_id = ? AND address = ?",
    [CONTACTS] = "SELECT c.audience_id, c.is_subscribed FROM audience a"
		 " JOIN contact c ON c.audience_id = a.id AND c.address = ?"
		 " WHERE a.workspace_id = ? ORDER BY c.audience_id FOR UPDATE",
    [REMOVE_CONTACTS] =
	"DELETE FROM contact WHERE audience_id = ? AND address = ? AND workspace_id = ?",
    /* Contacts of removed audiences that are not swept yet. */
    [REMOVE_UNSWEPT] = "DELETE c FROM audience_removal r JOIN contact c"
		       " ON c.audience_id = r.audience_id AND c.address = ?"
		       " WHERE r.workspace_id = ?",
};

/* The columns of LISTS. */
enum { LISTS_TO, LISTS_CC, LISTS_BCC, LISTS_REPLY_TO };

/* The columns of POSTPONED. */
enum { POSTPONED_EMAIL, POSTPONED_WORKSPACE };

/* The columns of CONTACT and TRACES. */
enum { FOUND_ID, FOUND_SEEN };

/* The columns of CONTACTS. */
enum { CONTACTS_AUDIENCE, CONTACTS_IS_SUBSCRIBED };

#define BATCH 20

void
store_erasure_email_clear(struct store_erasure_email *email)
{
	g_clear_pointer(&email->to, g_free);
	g_clear_pointer(&email->cc, g_free);
	g_clear_pointer(&email->bcc, g_free);
	g_clear_pointer(&email->reply_to, g_free);
}

/* The first number that a statement gives. */
static bool
erasure_count(struct db *db, int statement, const struct db_value *values, gsize size,
    gint64 *count_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[statement], values, size, error);

	if (!rows)
		return false;
	*count_r = db_rows_next(rows) ? db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

static bool
read_lists(struct db *db, const struct base_id *workspace, struct store_erasure_email *email,
    GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[LISTS], DB_VALUES(db_id(&email->id), db_id(workspace)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return true;
	email->to = g_strdup(db_rows_text(rows, LISTS_TO));
	email->cc = g_strdup(db_rows_text(rows, LISTS_CC));
	email->bcc = g_strdup(db_rows_text(rows, LISTS_BCC));
	email->reply_to = g_strdup(db_rows_text(rows, LISTS_REPLY_TO));
	return true;
}

bool
store_erasure_next(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure_email *email_r, bool *found_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[NEXT], DB_VALUES(db_id(workspace), db_text(address)), error);
	gint64 others;

	*email_r = (struct store_erasure_email){0};
	if (!rows)
		return false;
	*found_r = db_rows_next(rows);
	if (!*found_r)
		return true;
	db_rows_id(rows, DB_ROWS_ONLY, &email_r->id);
	if (!read_lists(db, workspace, email_r, error) ||
	    !erasure_count(
		db, OTHERS, DB_VALUES(db_id(&email_r->id), db_text(address)), &others, error))
		return false;
	email_r->others = (guint)others;
	return true;
}

static bool
erasure_remove_rows(struct db *db, int statement, const struct db_value *values, gsize size,
    guint64 *removed, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[statement], values, size, &affected, error))
		return false;
	if (removed)
		*removed += affected;
	return true;
}

/* A content that other emails or templates use stays. */
static bool
erasure_drop_bodies(
    struct db *db, const struct base_id *workspace, struct db_rows *bodies, GError **error)
{
	while (db_rows_next(bodies)) {
		guint8 hash[SHA256_SIZE] = {0};
		gsize size;
		const void *data = db_rows_bytes(bodies, DB_ROWS_ONLY, &size);

		base_array_copy(hash, data, MIN(size, SHA256_SIZE), 1);
		if (!store_body_drop(db, workspace, hash, error))
			return false;
	}
	return true;
}

static bool
remove_parts(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	AUTO(db_rows) bodies = db_select(db, sql[BODIES], DB_VALUES(db_id(email)), error);

	return bodies && db_run(db, sql[REMOVE_PARTS], DB_VALUES(db_id(email)), NULL, error) &&
	       db_run(db, sql[REMOVE_CONTENT], DB_VALUES(db_id(email), db_id(workspace)), NULL,
		   error) &&
	       erasure_drop_bodies(db, workspace, bodies, error);
}

static bool
note_leaving(
    struct db *db, const struct base_id *email, struct store_erasure *erasure, GError **error)
{
	gint64 leaving;

	if (!erasure_count(db, LEAVING, DB_VALUES(db_id(email)), &leaving, error))
		return false;
	erasure->leaving += (guint64)leaving;
	return true;
}

bool
store_erasure_remove(struct db *db, const struct base_id *workspace,
    const struct store_erasure_email *email, struct store_erasure *erasure, GError **error)
{
	const struct base_id *id = &email->id;
	const struct db_value whole[] = {db_id(id), db_id(workspace)};

	erasure->emails++;
	return note_leaving(db, id, erasure, error) &&
	       store_webhook_erase_email(db, workspace, id, error) &&
	       erasure_remove_rows(db, REMOVE_COPIES, whole, 2, &erasure->messages, error) &&
	       erasure_remove_rows(db, REMOVE_EVENTS, whole, 2, &erasure->events, error) &&
	       erasure_remove_rows(db, REMOVE_REPORTS, whole, 2, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_HEARSAY, whole, 2, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_TAKEN, whole, 2, NULL, error) &&
	       store_figure_tag_forget(db, workspace, id, error) &&
	       erasure_remove_rows(db, REMOVE_TAGS, whole, 2, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_RECIPIENTS, whole, 1, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_STATUSES, whole, 2, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_EXECUTION_EMAIL, whole, 2, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_FEEDBACK, whole, 2, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_OPENED, whole, 2, NULL, error) &&
	       remove_parts(db, workspace, id, error) &&
	       erasure_remove_rows(db, FORGET, whole, 2, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_SENDING, whole, 2, NULL, error) &&
	       erasure_remove_rows(db, REMOVE_EMAIL, whole, 2, NULL, error);
}

static bool
blank(struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	return remove_parts(db, workspace, email, error) &&
	       store_figure_tag_forget(db, workspace, email, error) &&
	       erasure_remove_rows(
		   db, REMOVE_TAGS, DB_VALUES(db_id(email), db_id(workspace)), NULL, error) &&
	       db_run(db, sql[BLANK_EMAIL], DB_VALUES(db_id(email), db_id(workspace)), NULL, error);
}

static bool
blank_when_over(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	gint64 waits;

	if (!erasure_count(db, WAITS, DB_VALUES(db_id(email)), &waits, error))
		return false;
	return waits ? db_run(db, sql[POSTPONE], DB_VALUES(db_id(email), db_id(workspace)), NULL,
			   error)
		     : blank(db, workspace, email, error);
}

bool
store_erasure_strip(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_erasure_email *email, struct store_erasure *erasure, GError **error)
{
	const struct db_value whose[] = {db_id(&email->id), db_text(address)};

	erasure->shared++;
	return note_leaving(db, &email->id, erasure, error) &&
	       store_webhook_erase_recipient(db, workspace, &email->id, address, error) &&
	       db_run(db, sql[SET_LISTS],
		   DB_VALUES(db_text(email->to), db_text(email->cc), db_text(email->bcc),
		       db_text(email->reply_to), db_id(&email->id), db_id(workspace)),
		   NULL, error) &&
	       erasure_remove_rows(db, REMOVE_OWN_COPIES, whose, 2, &erasure->messages, error) &&
	       erasure_remove_rows(db, REMOVE_OWN_EVENTS, whose, 2, &erasure->events, error) &&
	       erasure_remove_rows(db, BLANK_RECIPIENTS, whose, 2, NULL, error) &&
	       store_status_forget_erased(db, workspace, &email->id, error) &&
	       blank_when_over(db, workspace, &email->id, error);
}

static bool
erasure_sweep(struct db *db, void *context, GError **error)
{
	bool *more = context;
	AUTO(db_rows) rows = db_select(db, sql[POSTPONED], DB_VALUES(db_int(BATCH)), error);
	struct base_id email, workspace;

	*more = false;
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		*more = true;
		db_rows_id(rows, POSTPONED_EMAIL, &email);
		db_rows_id(rows, POSTPONED_WORKSPACE, &workspace);
		if (!blank(db, &workspace, &email, error) ||
		    !db_run(
			db, sql[FORGET], DB_VALUES(db_id(&email), db_id(&workspace)), NULL, error))
			return false;
	}
	return true;
}

bool
store_erasure_sweep(struct db *db, bool *more_r, GError **error)
{
	return db_transact(db, erasure_sweep, more_r, error);
}

static bool
remove_of(
    struct db *db, int statement, const struct base_id *contact, guint64 *removed, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[statement], DB_VALUES(db_id(contact)), &affected, error))
		return false;
	if (removed)
		*removed += affected;
	return true;
}

/* Removes all rows of a contact, which may itself be gone already. */
static bool
erasure_remove_all(struct db *db, const struct base_id *workspace, const struct base_id *contact,
    struct store_erasure *erasure, GError **error)
{
	return store_segment_leave(db, workspace, contact, error) &&
	       store_look_remove(db, workspace, contact, error) &&
	       remove_of(db, EMAILS, contact, NULL, error) &&
	       remove_of(db, AUTOMATION_WAITS, contact, NULL, error) &&
	       remove_of(db, WATCHES, contact, NULL, error) &&
	       remove_of(db, DIGEST_EVENTS, contact, NULL, error) &&
	       remove_of(db, DIGESTS, contact, NULL, error) &&
	       remove_of(db, KEYS, contact, NULL, error) &&
	       remove_of(db, FEEDBACK, contact, NULL, error) &&
	       remove_of(db, ENTRIES, contact, NULL, error) &&
	       remove_of(db, EVENTS, contact, &erasure->automation_events, error) &&
	       remove_of(db, STEPS, contact, NULL, error) &&
	       remove_of(db, STEP_REQUESTS, contact, NULL, error) &&
	       remove_of(db, EXECUTIONS, contact, &erasure->executions, error) &&
	       remove_of(db, REMOVE, contact, NULL, error) &&
	       remove_of(db, REMOVE_TRACES, contact, NULL, error);
}

static bool
erasure_remove_found(struct db *db, int statement, const struct base_id *workspace,
    const char *address, struct store_erasure *erasure, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[statement], DB_VALUES(db_id(workspace), db_text(address)), error);
	struct base_id contact;

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		db_rows_id(rows, FOUND_ID, &contact);
		erasure->automation_contacts += db_rows_int(rows, FOUND_SEEN) != 0;
		if (!erasure_remove_all(db, workspace, &contact, erasure, error))
			return false;
	}
	return true;
}

bool
store_erasure_person(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error)
{
	return erasure_remove_found(db, CONTACT, workspace, address, erasure, error) &&
	       erasure_remove_found(db, TRACES, workspace, address, erasure, error) &&
	       db_run(
		   db, sql[STARTS], DB_VALUES(db_id(workspace), db_text(address)), NULL, error) &&
	       db_run(
		   db, sql[PLACES], DB_VALUES(db_id(workspace), db_text(address)), NULL, error) &&
	       store_activity_remove(db, workspace, address, error);
}

/* A removed contact, and its effect on its audience's counters. */
struct loss {
	struct base_id audience;
	bool was_subscribed;
};

static bool
find_contacts(struct db *db, const struct base_id *workspace, const char *address, GArray *losses,
    GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[CONTACTS], DB_VALUES(db_text(address), db_id(workspace)), error);
	struct loss loss;

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		db_rows_id(rows, CONTACTS_AUDIENCE, &loss.audience);
		loss.was_subscribed = db_rows_int(rows, CONTACTS_IS_SUBSCRIBED) != 0;
		g_array_append_val(losses, loss);
	}
	return true;
}

bool
store_erasure_contacts(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error)
{
	g_autoptr(GArray) losses = g_array_new(FALSE, FALSE, sizeof(struct loss));

	if (!find_contacts(db, workspace, address, losses, error))
		return false;
	for (guint i = 0; i < losses->len; i++)
		if (!db_run(db, sql[REMOVE_CONTACTS],
			DB_VALUES(db_id(&g_array_index(losses, struct loss, i).audience),
			    db_text(address), db_id(workspace)),
			NULL, error))
			return false;
	const struct db_value whose[] = {db_text(address), db_id(workspace)};
	if (!db_run(db, sql[REMOVE_UNSWEPT], whose, G_N_ELEMENTS(whose), NULL, error) ||
	    !db_run(db, sql[REMOVE_KEPT], whose, G_N_ELEMENTS(whose), NULL, error))
		return false;
	/* The counters come last: writers wait for each other there. */
	for (guint i = 0; i < losses->len; i++) {
		const struct loss *loss = &g_array_index(losses, struct loss, i);

		if (!store_audience_count(db, workspace, &loss->audience, -1,
			(gint64)loss->was_subscribed - 1, error))
			return false;
	}
	erasure->contacts += losses->len;
	return true;
}
