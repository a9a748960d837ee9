/* Contacts, many at once: one look at those that are there, one insertion, one change of the
   counters. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/audience.h"
#include "store/contact.h"

#define TEN "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define FIFTY TEN ", " TEN ", " TEN ", " TEN ", " TEN
#define BATCH                                                                                      \
	FIFTY ", " FIFTY ", " FIFTY ", " FIFTY ", " FIFTY ", " FIFTY ", " FIFTY ", " FIFTY         \
	      ", " FIFTY ", " FIFTY /* STORE_CONTACT_BATCH */

enum { AUDIENCE, FIND, INSERT, CHANGE };
static const char *const sql[] = {
    [AUDIENCE] = "SELECT 1 FROM audience WHERE id = ? AND workspace_id = ? LOCK IN SHARE MODE",
    [FIND] = "SELECT address, email, first_name, last_name, is_subscribed FROM contact"
	     " WHERE audience_id = ? AND workspace_id = ? AND address IN (" BATCH ")"
	     " ORDER BY address FOR UPDATE",
    [INSERT] = "INSERT INTO contact (audience_id, address, id, workspace_id, email, first_name,"
	       " last_name, is_subscribed, created, updated) VALUES (" TEN ")",
    [CHANGE] = "UPDATE contact SET email = ?, first_name = ?, last_name = ?, is_subscribed = ?,"
	       " updated = ? WHERE audience_id = ? AND address = ? AND workspace_id = ?",
};
#define INSERT_COLUMNS 10
#define CHANGE_COLUMNS 8

/* Each may find contacts there that another process puts in at the same moment. */
#define TRIES 10

struct putting {
	const struct id *workspace, *audience;
	const struct contact_change *contacts;
	guint count;
	bool update;
	struct contact_tally tally;
};

static bool
lock_audience(struct db *db, const struct putting *putting, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[AUDIENCE],
	    DB_VALUES(db_id(putting->audience), db_id(putting->workspace)), error);

	return rows && (db_rows_next(rows) || store_audience_missing(error));
}

/* Those that are there, in the order of their addresses, locked. */
static struct db_rows *
find(struct db *db, const struct putting *putting, GError **error)
{
	struct db_value values[2 + STORE_CONTACT_BATCH];

	values[0] = db_id(putting->audience);
	values[1] = db_id(putting->workspace);
	for (guint i = 0; i < STORE_CONTACT_BATCH; i++)
		values[2 + i] = db_text(putting->contacts[MIN(i, putting->count - 1)].address);
	return db_select(db, sql[FIND], values, G_N_ELEMENTS(values), error);
}

/* The rows of the two statements, and what they do to the counters. */
struct changes {
	struct db_value *inserts, *updates;
	gsize inserted, updated;
	struct id *ids;
	gint64 now, unsubscribers;
};

static void
insert(const struct putting *putting, const struct contact_change *contact, struct changes *changes)
{
	bool subscribed = !contact->is_subscribed_given || contact->is_subscribed;
	struct id *id = &changes->ids[changes->inserted];

	*id = base_id_new();
	const struct db_value row[INSERT_COLUMNS] = {db_id(putting->audience),
	    db_text(contact->address), db_id(id), db_id(putting->workspace),
	    db_text(contact->email), db_text(contact->first_name), db_text(contact->last_name),
	    db_int(subscribed), db_int(changes->now), db_int(changes->now)};
	memcpy(changes->inserts + INSERT_COLUMNS * changes->inserted++, row, sizeof(row));
	changes->unsubscribers += !subscribed;
}

/* The texts that the update points to are those of now or of contact. */
static void
change(struct putting *putting, const struct contact_change *contact, const struct db_rows *now,
    struct changes *changes)
{
	const char *first = contact->first_name_given ? contact->first_name : db_rows_text(now, 2);
	const char *last = contact->last_name_given ? contact->last_name : db_rows_text(now, 3);
	bool was = db_rows_int(now, 4) != 0;
	bool subscribed = contact->is_subscribed_given ? contact->is_subscribed : was;

	if (strcmp(contact->email, db_rows_text(now, 1)) == 0 && subscribed == was &&
	    g_strcmp0(first, db_rows_text(now, 2)) == 0 &&
	    g_strcmp0(last, db_rows_text(now, 3)) == 0) {
		putting->tally.unchanged++;
		return;
	}
	const struct db_value row[CHANGE_COLUMNS] = {db_text(contact->email), db_text(first),
	    db_text(last), db_int(subscribed), db_int(changes->now), db_id(putting->audience),
	    db_text(contact->address), db_id(putting->workspace)};
	memcpy(changes->updates + CHANGE_COLUMNS * changes->updated++, row, sizeof(row));
	changes->unsubscribers += was - subscribed;
}

/* Holds the contacts against those that are there: both are in the same order. */
static void
compare(struct putting *putting, struct db_rows *rows, struct changes *changes)
{
	bool more = db_rows_next(rows);

	for (guint i = 0; i < putting->count; i++) {
		const struct contact_change *contact = &putting->contacts[i];

		if (!more || strcmp(db_rows_text(rows, 0), contact->address) != 0) {
			insert(putting, contact, changes);
			continue;
		}
		if (putting->update)
			change(putting, contact, rows, changes);
		else
			putting->tally.skipped++;
		more = db_rows_next(rows);
	}
	putting->tally.created = changes->inserted;
	putting->tally.updated = changes->updated;
}

static bool
write_changes(
    struct db *db, const struct putting *putting, const struct changes *changes, GError **error)
{
	return db_run_rows(db, sql[INSERT], changes->inserts, INSERT_COLUMNS, changes->inserted,
		   NULL, error) &&
	       db_run_rows(db, sql[CHANGE], changes->updates, CHANGE_COLUMNS, changes->updated,
		   NULL, error) &&
	       store_audience_count(
		   db, putting->audience, (gint64)changes->inserted, changes->unsubscribers, error);
}

static bool
put(struct db *db, void *context, GError **error)
{
	struct putting *putting = context;
	g_autofree struct id *ids = g_new(struct id, putting->count);
	g_autofree struct db_value *inserts =
	    g_new(struct db_value, (gsize)INSERT_COLUMNS * putting->count);
	g_autofree struct db_value *updates =
	    g_new(struct db_value, (gsize)CHANGE_COLUMNS * putting->count);
	struct changes changes = {inserts, updates, 0, 0, ids, base_clock_now(), 0};

	putting->tally = (struct contact_tally){0};
	if (!lock_audience(db, putting, error))
		return false;
	AUTO(db_rows) rows = find(db, putting, error);
	if (!rows)
		return false;
	compare(putting, rows, &changes);
	return write_changes(db, putting, &changes, error);
}

bool
store_contact_put(struct db *db, const struct id *workspace, const struct id *audience,
    const struct contact_change *contacts, guint count, bool update, struct contact_tally *tally,
    GError **error)
{
	struct putting putting = {workspace, audience, contacts, count, update, {0}};

	g_assert(count <= STORE_CONTACT_BATCH);
	for (guint tries = 1; count > 0; tries++) {
		g_autoptr(GError) failure = NULL;

		if (db_transact(db, put, &putting, &failure))
			break;
		if (tries < TRIES && g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) &&
		    db_cause_is_key(db, "PRIMARY"))
			continue;
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	tally->created += putting.tally.created;
	tally->updated += putting.tally.updated;
	tally->unchanged += putting.tally.unchanged;
	tally->skipped += putting.tally.skipped;
	return true;
}
