/* SPDX-License-Identifier: MIT */
/* Reads the memberships of one person, and subscribes and unsubscribes them one by one. */
#include "store/person/membership.h"

#include "base/clock.h"
#include "db/statement.h"
#include "store/automation/own.h"
#include "store/consent/agreement.h"
#include "store/person/audience.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"

#define MEMBERSHIPS                                                                                \
	"SELECT c.id, c.audience_id, a.name, c.is_subscribed, c.pending, c.source, c.created,"     \
	" c.left_by, a.created"                                                                    \
	" FROM audience a FORCE INDEX (workspace)"                                                 \
	" STRAIGHT_JOIN contact c ON c.audience_id = a.id AND c.address = ?"                       \
	" WHERE a.workspace_id = ? ORDER BY a.id"
/* The columns of MEMBERSHIPS. */
enum {
	M_CONTACT,
	M_AUDIENCE,
	M_NAME,
	M_IS_SUBSCRIBED,
	M_PENDING,
	M_SOURCE,
	M_CREATED,
	M_LEFT_BY,
	M_AUDIENCE_CREATED
};

enum { LIST, LOCK, SHOWN, SET, WAIT, GIVE_UP, REMOVE };
static const char *const sql[] = {
    [LIST] = MEMBERSHIPS,
    [LOCK] = MEMBERSHIPS " FOR UPDATE",
    [SHOWN] = "SELECT email, first_name, last_name FROM person FORCE INDEX (address)"
	      " WHERE workspace_id = ? AND address = ? FOR UPDATE",
    [SET] = "UPDATE contact SET is_subscribed = ?, updated = ?, left_by = ?, pending = NULL"
	    " WHERE id = ? AND workspace_id = ?",
    /* An old row may not tell who unsubscribed it. */
    [WAIT] = "UPDATE contact SET pending = ?, updated = ?, left_by = IF(left_by = 0, ?, left_by)"
	     " WHERE id = ? AND workspace_id = ? AND is_subscribed = 0 AND pending IS NULL",
    [GIVE_UP] = "UPDATE contact SET pending = NULL WHERE id = ? AND workspace_id = ?",
    [REMOVE] = "DELETE FROM contact WHERE id = ? AND workspace_id = ?",
};

const char *
store_membership_status(const struct store_membership *membership)
{
	return membership->pending	   ? "pending"
	       : membership->is_subscribed ? "subscribed"
					   : "unsubscribed";
}

static void
membership_free_membership(void *data)
{
	struct store_membership *membership = data;

	g_free(membership->address);
	g_free(membership->audience);
	g_free(membership);
}

GPtrArray *
store_membership_list(
    struct db *db, const struct base_id *workspace, const char *address, bool lock, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[lock ? LOCK : LIST], DB_VALUES(db_text(address), db_id(workspace)), error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(membership_free_membership);
	while (db_rows_next(rows)) {
		struct store_membership *membership = g_new0(struct store_membership, 1);

		db_rows_id(rows, M_CONTACT, &membership->contact_id);
		db_rows_id(rows, M_AUDIENCE, &membership->audience_id);
		membership->address = g_strdup(address);
		membership->audience = g_strdup(db_rows_text(rows, M_NAME));
		membership->is_subscribed = db_rows_int(rows, M_IS_SUBSCRIBED) != 0;
		membership->pending = db_rows_int(rows, M_PENDING);
		membership->source = (guint)db_rows_int(rows, M_SOURCE);
		membership->created = db_rows_int(rows, M_CREATED);
		membership->was_left = db_rows_int(rows, M_LEFT_BY) != 0;
		membership->audience_created = db_rows_int(rows, M_AUDIENCE_CREATED);
		g_ptr_array_add(list, membership);
	}
	return list;
}

bool
store_membership_set(struct db *db, const struct base_id *workspace,
    const struct store_membership *membership, const struct store_consent_turn *turn,
    GError **error)
{
	bool subscribed = turn->subscribed;
	const char *address = membership->address;
	const struct base_id *contact = &membership->contact_id;

	return db_defer(db, sql[SET],
		   DB_VALUES(db_int(subscribed), db_int(base_clock_now()),
		       db_int(subscribed ? 0 : turn->author), db_id(&membership->contact_id),
		       db_id(workspace)),
		   1, error) &&
	       (subscribed ? store_agreement_give(db, workspace, address, AGREEMENT_JOINED, error)
			   : store_agreement_leave(db, workspace, &address, 1, error)) &&
	       store_webhook_enqueue_subscribed(db, workspace, contact, turn, error) &&
	       (!(subscribed && membership->pending) ||
		   store_own_contacts_created(db, workspace, &contact, 1, error)) &&
	       store_own_contact_turned(db, workspace, contact, turn, error) &&
	       store_audience_count(
		   db, workspace, &membership->audience_id, 0, subscribed ? -1 : 1, error);
}

guint
store_membership_compare(
    const struct store_membership_shown *before, const struct store_membership_shown *after)
{
	return (g_strcmp0(before->email, after->email) != 0 ? CHANGED_EMAIL : 0) |
	       (g_strcmp0(before->first, after->first) != 0 ? CHANGED_FIRST_NAME : 0) |
	       (g_strcmp0(before->last, after->last) != 0 ? CHANGED_LAST_NAME : 0);
}

bool
store_membership_find_given(struct db *db, const struct base_id *workspace,
    const struct store_person_names *given, guint *changed_r, GError **error)
{
	enum { EMAIL, FIRST, LAST };
	AUTO(db_rows) rows =
	    db_select(db, sql[SHOWN], DB_VALUES(db_id(workspace), db_text(given->address)), error);

	*changed_r = 0;
	if (!rows || !db_rows_next(rows))
		return rows != NULL;
	const struct store_membership_shown before = {
	    db_rows_text(rows, EMAIL), db_rows_text(rows, FIRST), db_rows_text(rows, LAST)};
	*changed_r = store_membership_compare(
	    &before, &(struct store_membership_shown){given->email,
			 given->first_name ? given->first_name : before.first,
			 given->last_name ? given->last_name : before.last});
	return true;
}

/* Tells workflows, and perhaps webhooks, of all memberships but those of the contact or the
   audience with this id. */
static bool
membership_tell(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *but, guint changed, bool tells_webhooks, GError **error)
{
	if (changed == 0)
		return true;
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, workspace, address, false, error);
	for (guint i = 0; memberships && i < memberships->len; i++) {
		const struct store_membership *membership = memberships->pdata[i];
		const struct base_id *contact = &membership->contact_id;

		if (but &&
		    (base_id_equal(contact, but) || base_id_equal(&membership->audience_id, but)))
			continue;
		if ((tells_webhooks && !store_webhook_enqueue_contact(db, workspace, contact,
					   WEBHOOK_CONTACT_UPDATED, changed, error)) ||
		    !store_own_contact_updated(db, workspace, contact, changed, error))
			return false;
	}
	return memberships != NULL;
}

bool
store_membership_tell_names(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *but, guint changed, GError **error)
{
	return membership_tell(db, workspace, address, but, changed, true, error);
}

bool
store_membership_tell_workflows(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *but, guint changed, GError **error)
{
	return membership_tell(db, workspace, address, but, changed, false, error);
}

bool
store_membership_wait(struct db *db, const struct base_id *workspace, const struct base_id *contact,
    gint64 since, GError **error)
{
	return db_defer(db, sql[WAIT],
	    DB_VALUES(db_int(since), db_int(since), db_int(CONSENT_OF_SYSTEM), db_id(contact),
		db_id(workspace)),
	    1, error);
}

bool
store_membership_give_up(struct db *db, const struct base_id *workspace,
    const struct store_membership *membership, GError **error)
{
	struct db_value contact = db_id(&membership->contact_id);

	if (membership->was_left)
		return db_defer(db, sql[GIVE_UP], DB_VALUES(contact, db_id(workspace)), 1, error);
	return store_webhook_enqueue_contact(
		   db, workspace, &membership->contact_id, WEBHOOK_CONTACT_DELETED, 0, error) &&
	       db_defer(db, sql[REMOVE], DB_VALUES(contact, db_id(workspace)), 1, error) &&
	       store_audience_count(db, workspace, &membership->audience_id, -1, -1, error) &&
	       store_person_forsake(db, workspace, membership->address, error);
}
