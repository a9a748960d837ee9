/* Contacts: each change locks the contact first, and counts last. */
#include "store/contact.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/audience.h"

#define COLUMNS                                                                                    \
	"c.id, c.email, c.address, c.first_name, c.last_name, c.is_subscribed, c.created, "        \
	"c.updated"
#define OF_AUDIENCE "FROM audience a JOIN contact c ON c.audience_id = a.id"
#define THE_AUDIENCE " WHERE a.id = ? AND a.workspace_id = ?"

enum { AUDIENCE, CREATE, GET, LOCK, CHANGE, REMOVE, LIST };
static const char *const sql[] = {
    [AUDIENCE] = "SELECT 1 FROM audience WHERE id = ? AND workspace_id = ?",
    /* An audience that has no counters is none, or is removed at this moment. */
    [CREATE] =
	DB_BLOCK("INSERT INTO contact (audience_id, address, id, workspace_id, email, first_name,"
		 " last_name, is_subscribed, created, updated)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);"
		 " UPDATE audience_counter SET contacts = contacts + 1,"
		 " unsubscribers = unsubscribers + ?"
		 " WHERE audience_id = ? AND stripe = ? AND workspace_id = ?;"
		 " IF ROW_COUNT() = 0 THEN " DB_BLOCK_MISSING " END IF;"),
    [GET] = "SELECT " COLUMNS " " OF_AUDIENCE THE_AUDIENCE " AND c.id = ?",
    [LOCK] = "SELECT " COLUMNS " FROM contact c"
	     " WHERE c.id = ? AND c.audience_id = ? AND c.workspace_id = ? FOR UPDATE",
    [CHANGE] = "UPDATE contact SET email = ?, address = ?, first_name = ?, last_name = ?,"
	       " is_subscribed = ?, updated = ? WHERE id = ? AND workspace_id = ?",
    [REMOVE] = "DELETE FROM contact WHERE id = ? AND workspace_id = ?",
    [LIST] = "SELECT " COLUMNS " " OF_AUDIENCE THE_AUDIENCE " AND c.address > ?"
	     " ORDER BY c.address LIMIT ?",
};

void
store_contact_free(struct contact *contact)
{
	g_free(contact->email);
	g_free(contact->address);
	g_free(contact->first_name);
	g_free(contact->last_name);
	g_free(contact);
}

static bool
contact_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Contact not found");
	return false;
}

/* Where no contact was found, or one was: whether the audience is there for this workspace. */
static bool
check_audience(struct db *db, const struct id *workspace, const struct id *audience, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[AUDIENCE], DB_VALUES(db_id(audience), db_id(workspace)), error);

	return rows && (db_rows_next(rows) || store_audience_missing(error));
}

/* Puts our own words in the place of the database's. */
static bool
translate(struct db *db, const struct id *workspace, const struct id *audience, GError *failure,
    GError **error)
{
	bool conflict = g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT);

	if (conflict && db_cause(db) == DB_CAUSE_MISSING) {
		g_clear_error(&failure);
		return store_audience_missing(error);
	}
	if (!conflict || !db_cause_is_key(db, "PRIMARY")) {
		g_propagate_error(error, failure);
		return false;
	}
	g_clear_error(&failure);
	/* What another workspace has is none of this one's business. */
	if (check_audience(db, workspace, audience, error))
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "Contact already exists");
	return false;
}

bool
store_contact_create(struct db *db, struct contact *contact, GError **error)
{
	struct contact *c = contact;
	GError *failure = NULL;

	c->id = base_id_new();
	c->created = c->updated = base_clock_now();
	return db_transact_block(db, sql[CREATE],
		   DB_VALUES(db_id(&c->audience_id), db_text(c->address), db_id(&c->id),
		       db_id(&c->workspace_id), db_text(c->email), db_text(c->first_name),
		       db_text(c->last_name), db_int(c->is_subscribed), db_int(c->created),
		       db_int(c->updated), db_int(!c->is_subscribed), db_id(&c->audience_id),
		       db_int(store_audience_stripe(db)), db_id(&c->workspace_id)),
		   &failure) ||
	       translate(db, &c->workspace_id, &c->audience_id, failure, error);
}

static struct contact *
read_row(struct db_rows *rows, const struct id *workspace, const struct id *audience)
{
	struct contact *contact = g_new0(struct contact, 1);

	db_rows_id(rows, 0, &contact->id);
	contact->workspace_id = *workspace;
	contact->audience_id = *audience;
	contact->email = g_strdup(db_rows_text(rows, 1));
	contact->address = g_strdup(db_rows_text(rows, 2));
	contact->first_name = g_strdup(db_rows_text(rows, 3));
	contact->last_name = g_strdup(db_rows_text(rows, 4));
	contact->is_subscribed = db_rows_int(rows, 5) != 0;
	contact->created = db_rows_int(rows, 6);
	contact->updated = db_rows_int(rows, 7);
	return contact;
}

struct contact *
store_contact_get(struct db *db, const struct id *workspace, const struct id *audience,
    const struct id *id, GError **error)
{
	AUTO(db_rows)
	rows =
	    db_select(db, sql[GET], DB_VALUES(db_id(audience), db_id(workspace), db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows, workspace, audience);
	if (check_audience(db, workspace, audience, error))
		contact_missing(error);
	return NULL;
}

/* The contact, which nobody else changes until the transaction ends. */
static struct contact *
lock(struct db *db, const struct id *workspace, const struct id *audience, const struct id *id,
    GError **error)
{
	if (!check_audience(db, workspace, audience, error))
		return NULL;
	AUTO(db_rows)
	rows = db_select(
	    db, sql[LOCK], DB_VALUES(db_id(id), db_id(audience), db_id(workspace)), error);
	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows, workspace, audience);
	contact_missing(error);
	return NULL;
}

struct work {
	const struct id *workspace, *audience, *id;
	const struct contact_change *change;
};

static bool
is_anything(const struct contact_change *change)
{
	return change->email || change->first_name_given || change->last_name_given ||
	       change->is_subscribed_given;
}

static bool
change_one(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	const struct contact_change *to = work->change;
	AUTO(contact) now = lock(db, work->workspace, work->audience, work->id, error);

	if (!now || !is_anything(to))
		return now != NULL;
	bool subscribed = to->is_subscribed_given ? to->is_subscribed : now->is_subscribed;
	return db_run(db, sql[CHANGE],
		   DB_VALUES(db_text(to->email ? to->email : now->email),
		       db_text(to->email ? to->address : now->address),
		       db_text(to->first_name_given ? to->first_name : now->first_name),
		       db_text(to->last_name_given ? to->last_name : now->last_name),
		       db_int(subscribed), db_int(base_clock_now()), db_id(work->id),
		       db_id(work->workspace)),
		   NULL, error) &&
	       store_audience_count(
		   db, work->audience, 0, (gint64)now->is_subscribed - subscribed, error);
}

bool
store_contact_change(struct db *db, const struct id *workspace, const struct id *audience,
    const struct id *id, const struct contact_change *change, GError **error)
{
	struct work work = {workspace, audience, id, change};
	GError *failure = NULL;

	return db_transact(db, change_one, &work, &failure) ||
	       translate(db, workspace, audience, failure, error);
}

static bool
remove_one(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	AUTO(contact) now = lock(db, work->workspace, work->audience, work->id, error);

	return now &&
	       db_run(db, sql[REMOVE], DB_VALUES(db_id(work->id), db_id(work->workspace)), NULL,
		   error) &&
	       store_audience_count(db, work->audience, -1, now->is_subscribed - 1, error);
}

bool
store_contact_remove(struct db *db, const struct id *workspace, const struct id *audience,
    const struct id *id, GError **error)
{
	struct work work = {workspace, audience, id, NULL};

	return db_transact(db, remove_one, &work, error);
}

static void
free_contact(void *contact)
{
	store_contact_free(contact);
}

GPtrArray *
store_contact_list(struct db *db, const struct id *workspace, const struct id *audience,
    const char *after, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(
		db_id(audience), db_id(workspace), db_text(after ? after : ""), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	g_autoptr(GPtrArray) contacts = g_ptr_array_new_with_free_func(free_contact);
	while (db_rows_next(rows))
		g_ptr_array_add(contacts, read_row(rows, workspace, audience));
	if (contacts->len == 0 && !check_audience(db, workspace, audience, error))
		return NULL;
	return g_steal_pointer(&contacts);
}
