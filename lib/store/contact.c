/* SPDX-License-Identifier: MIT */
/* Creates, reads, lists, changes and removes contacts. A change locks the contact first, and
   updates the counters last. */
#include "store/contact.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/audience.h"
#include "store/choice.h"
#include "store/consent.h"
#include "store/listing.h"
#include "store/person.h"
#include "store/webhook_tell.h"

#define COLUMNS                                                                                    \
	"c.id, " PERSON_EMAIL ", c.address, " PERSON_FIRST_NAME ", " PERSON_LAST_NAME              \
	", c.is_subscribed, c.created, c.updated, c.source, c.pending IS NOT NULL"
/* The columns of COLUMNS. */
enum {
	C_ID,
	C_EMAIL,
	C_ADDRESS,
	C_FIRST_NAME,
	C_LAST_NAME,
	C_IS_SUBSCRIBED,
	C_CREATED,
	C_UPDATED,
	C_SOURCE,
	C_IS_PENDING
};

#define OF_AUDIENCE "FROM audience a JOIN contact c ON c.audience_id = a.id" PERSON_OF_CONTACT
#define THE_AUDIENCE " WHERE a.id = ? AND a.workspace_id = ?"

#define INSERT_CONTACT                                                                             \
	"INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"       \
	" created, updated, source, left_by, pending)"                                             \
	" VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?)"
#define COUNT_CONTACT                                                                              \
	" UPDATE audience_counter SET contacts = contacts + 1, unsubscribers = unsubscribers + ?"  \
	" WHERE audience_id = ? AND stripe = ? AND workspace_id = ?;"                              \
	" IF ROW_COUNT() = 0 THEN " DB_BLOCK_MISSING " END IF;"
#define CHOICE_KEY "choice"
#define OPT_IN_KEY "opt_in"
#define IS_OPT_IN "EXISTS (SELECT 1 FROM audience WHERE id = ? AND workspace_id = ? AND opt_in = 1)"

/* Goes through the audiences, with one search of the primary key of each audience's contacts.
   Locks contacts that are not subscribed, too: another transaction may be subscribing one
   (store/choice.h). */
enum {
	AUDIENCE,
	SHARE_AUDIENCE,
	INSERT,
	ADD,
	CREATE,
	CREATE_SUBSCRIBED,
	GET,
	LOCK,
	CHANGE,
	REMOVE,
	LIST,
	FIND,
	FIND_NOTED,
	SUBSCRIBE_CHANGE,
	GET_ADDRESS,
	OLDER,
	NEWER
};
/* By checked ids: OLDER, NEWER. The caller has found the audience in its workspace. */
static const char *const sql[] = {
    [AUDIENCE] = "SELECT 1 FROM audience WHERE id = ? AND workspace_id = ?",
    [SHARE_AUDIENCE] =
	"SELECT 1 FROM audience WHERE id = ? AND workspace_id = ? LOCK IN SHARE MODE",
    [INSERT] = INSERT_CONTACT,
    [ADD] = "UPDATE audience_counter SET contacts = contacts + ?, unsubscribers = unsubscribers + ?"
	    " WHERE audience_id = ? AND stripe = ? AND workspace_id = ?;"
	    " IF ROW_COUNT() = 0 THEN " DB_BLOCK_MISSING " END IF;"
	    " IF ? AND " IS_OPT_IN " THEN " DB_BLOCK_DUPLICATE(OPT_IN_KEY) " END IF",
    /* An audience without counters does not exist, or is being removed. */
    [CREATE] = DB_BLOCK(
	INSERT_CONTACT "; " PERSON_GIVEN "; " CHOICE_FLAG ";" COUNT_CONTACT WEBHOOK_CREATED),
    [CREATE_SUBSCRIBED] = DB_BLOCK(INSERT_CONTACT "; IF " IS_OPT_IN " THEN " DB_BLOCK_DUPLICATE(
	OPT_IN_KEY) " END IF; IF " CHOICE_STANDS
		    " THEN " DB_BLOCK_DUPLICATE(CHOICE_KEY) " END IF; " PERSON_GIVEN
							    ";" COUNT_CONTACT WEBHOOK_CREATED),
    [GET] = "SELECT " COLUMNS " " OF_AUDIENCE THE_AUDIENCE " AND c.id = ?",
    [LOCK] = "SELECT " COLUMNS " FROM contact c" PERSON_OF_CONTACT
	     " WHERE c.id = ? AND c.audience_id = ? AND c.workspace_id = ? FOR UPDATE",
    [CHANGE] = "UPDATE contact SET email = '', address = ?, first_name = NULL, last_name = NULL,"
	       " is_subscribed = ?, updated = ?, left_by = IF(?, ?, left_by),"
	       " pending = IF(?, NULL, pending) WHERE id = ? AND workspace_id = ?",
    [REMOVE] = "DELETE FROM contact WHERE id = ? AND workspace_id = ?",
    [LIST] = "SELECT " COLUMNS " " OF_AUDIENCE THE_AUDIENCE " AND c.address > ?"
	     " ORDER BY c.address LIMIT ?",
    [FIND] = "SELECT c.id, c.audience_id, c.is_subscribed, c.created, c.source,"
	     " c.pending IS NOT NULL FROM audience a FORCE INDEX (workspace)"
	     " STRAIGHT_JOIN contact c ON c.audience_id = a.id AND c.address = ?"
	     " WHERE a.workspace_id = ? ORDER BY a.id FOR UPDATE",
    [FIND_NOTED] = "SELECT c.id, c.audience_id, c.is_subscribed FROM choice_contact k"
		   " STRAIGHT_JOIN contact c FORCE INDEX (id) ON c.id = k.contact_id"
		   " STRAIGHT_JOIN audience a ON a.id = c.audience_id"
		   " WHERE k.person = ? AND k.workspace_id = ? AND c.address = k.person"
		   " AND NOT EXISTS (SELECT 1 FROM choice_part q"
		   " WHERE q.workspace_id = k.workspace_id AND q.person = k.person"
		   " AND q.target_id = c.audience_id AND q.is_chosen = 0)"
		   " ORDER BY c.audience_id FOR UPDATE",
    [SUBSCRIBE_CHANGE] = "UPDATE contact SET is_subscribed = ?, updated = ?, left_by = ?"
			 " WHERE id = ? AND workspace_id = ?",
    [GET_ADDRESS] = "SELECT " COLUMNS " " OF_AUDIENCE THE_AUDIENCE " AND c.address = ?",
    [OLDER] = "SELECT " COLUMNS " FROM contact c" PERSON_OF_CONTACT
	      " WHERE c.audience_id = ? AND c.id < ? ORDER BY c.id DESC LIMIT ?",
    [NEWER] = "SELECT " COLUMNS " FROM contact c" PERSON_OF_CONTACT
	      " WHERE c.audience_id = ? AND c.id > ? ORDER BY c.id LIMIT ?",
};

/* The columns of FIND; FIND_NOTED has the first three. */
enum {
	FIND_CONTACT,
	FIND_AUDIENCE,
	FIND_IS_SUBSCRIBED,
	FIND_CREATED,
	FIND_SOURCE,
	FIND_IS_PENDING
};

void
store_contact_free(struct store_contact *contact)
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

/* Checks, once a contact was found or not, that the workspace has the audience. */
static bool
check_audience(
    struct db *db, const struct base_id *workspace, const struct base_id *audience, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[AUDIENCE], DB_VALUES(db_id(audience), db_id(workspace)), error);

	return rows && (db_rows_next(rows) || store_audience_missing(error));
}

/* Replaces the database's messages by our own. */
static bool
translate(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    GError *failure, GError **error)
{
	bool conflict = g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT);

	if (conflict && db_cause(db) == DB_CAUSE_MISSING) {
		g_clear_error(&failure);
		return store_audience_missing(error);
	}
	bool left = conflict && db_cause_is_key(db, CHOICE_KEY);
	bool awaited = conflict && db_cause_is_key(db, OPT_IN_KEY);
	if (!conflict || !(left || awaited || db_cause_is_key(db, "PRIMARY"))) {
		g_propagate_error(error, failure);
		return false;
	}
	g_clear_error(&failure);
	/* The audience of another workspace counts as missing. */
	if (!check_audience(db, workspace, audience, error))
		return false;
	if (left)
		return store_choice_refuse(error);
	return base_fail(error, PH_ERROR_CONFLICT,
	    awaited ? "This person has to confirm" : "Contact already exists");
}

#define INSERT_COLUMNS 10
#define COUNT_COLUMNS 4

static void
set_insert(struct store_contact *contact, struct db_value values_r[INSERT_COLUMNS])
{
	struct store_contact *c = contact;

	c->id = base_id_new();
	c->created = c->updated = base_clock_now();
	const struct db_value values[INSERT_COLUMNS] = {db_id(&c->audience_id), db_text(c->address),
	    db_id(&c->id), db_id(&c->workspace_id), db_int(c->is_subscribed), db_int(c->created),
	    db_int(c->updated), db_int(c->source),
	    db_int(c->is_subscribed || c->is_pending ? 0 : CONSENT_OF_OPERATOR),
	    c->is_pending ? db_int(c->created) : db_null()};
	memcpy(values_r, values, sizeof(values));
}

/* The person that a contact brings. */
static struct store_person_names
person_of(const struct store_contact *c)
{
	return (struct store_person_names){.address = c->address,
	    .email = c->email,
	    .first_name = c->first_name,
	    .last_name = c->last_name,
	    .time = c->updated};
}

static void
set_count(
    struct db *db, const struct store_contact *contact, struct db_value values_r[COUNT_COLUMNS])
{
	values_r[0] = db_int(!contact->is_subscribed);
	values_r[1] = db_id(&contact->audience_id);
	values_r[2] = db_int(store_audience_stripe(db));
	values_r[3] = db_id(&contact->workspace_id);
}

#define OPT_IN_VALUES 2 /* of IS_OPT_IN */

/* The values behind the contact and the choice. */
#define REST_VALUES (PERSON_VALUES + COUNT_COLUMNS + WEBHOOK_CREATED_VALUES)

static void
set_rest(struct db *db, const struct store_contact *contact, struct base_id *person,
    struct db_value values_r[REST_VALUES])
{
	const struct store_person_names names = person_of(contact);

	store_person_ask_given(&contact->workspace_id, &names, person, values_r);
	set_count(db, contact, values_r + PERSON_VALUES);
	store_webhook_ask_created(&contact->workspace_id, &contact->id, contact->created,
	    values_r + PERSON_VALUES + COUNT_COLUMNS);
}

bool
store_contact_create(struct db *db, struct store_contact *contact,
    const struct store_suppression_key *key, GError **error)
{
	struct db_value values[INSERT_COLUMNS + REST_VALUES + CHOICE_FLAG_VALUES];
	struct db_value *flag = values + INSERT_COLUMNS + PERSON_VALUES;
	const struct store_suppression_key named = {.address = contact->address};
	GError *failure = NULL;
	struct base_id person;

	set_insert(contact, values);
	if (!key)
		key = &named;
	set_rest(db, contact, &person, values + INSERT_COLUMNS);
	memmove(flag + CHOICE_FLAG_VALUES, flag, (REST_VALUES - PERSON_VALUES) * sizeof(*flag));
	store_choice_ask_flag(&contact->workspace_id, key, flag);
	return db_transact_block(db, sql[CREATE], values, G_N_ELEMENTS(values), &failure) ||
	       translate(db, &contact->workspace_id, &contact->audience_id, failure, error);
}

bool
store_contact_create_subscribed(struct db *db, struct store_contact *contact,
    const struct store_suppression_key *key, enum store_contact_bar *bar_r, GError **error)
{
	struct db_value values[INSERT_COLUMNS + OPT_IN_VALUES + CHOICE_VALUES + REST_VALUES];
	struct db_value *choice = values + INSERT_COLUMNS + OPT_IN_VALUES;
	GError *failure = NULL;
	struct base_id person;

	contact->is_subscribed = true;
	set_insert(contact, values);
	values[INSERT_COLUMNS] = db_id(&contact->audience_id);
	values[INSERT_COLUMNS + 1] = db_id(&contact->workspace_id);
	store_choice_ask(&contact->workspace_id, key, &contact->audience_id, choice);
	set_rest(db, contact, &person, choice + CHOICE_VALUES);
	*bar_r = CONTACT_BAR_NONE;
	if (db_transact_block(db, sql[CREATE_SUBSCRIBED], values, G_N_ELEMENTS(values), &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		*bar_r = db_cause_is_key(db, CHOICE_KEY)   ? CONTACT_BAR_LEFT
			 : db_cause_is_key(db, OPT_IN_KEY) ? CONTACT_BAR_OPT_IN
							   : CONTACT_BAR_NONE;
	return translate(db, &contact->workspace_id, &contact->audience_id, failure, error);
}

bool
store_contact_insert(struct db *db, struct store_contact *contact, GError **error)
{
	struct db_value values[INSERT_COLUMNS];
	GError *failure = NULL;
	AUTO(db_rows) audience = db_select(db, sql[SHARE_AUDIENCE],
	    DB_VALUES(db_id(&contact->audience_id), db_id(&contact->workspace_id)), error);

	if (!audience)
		return false;
	if (!db_rows_next(audience))
		return store_audience_missing(error);
	set_insert(contact, values);
	if (!db_run(db, sql[INSERT], values, INSERT_COLUMNS, NULL, &failure))
		return translate(db, &contact->workspace_id, &contact->audience_id, failure, error);
	const struct store_person_names person = person_of(contact);
	return store_person_put(db, PERSON_GIVE, &contact->workspace_id, &person, 1, error) &&
	       store_audience_count(db, &contact->workspace_id, &contact->audience_id, 1,
		   !contact->is_subscribed, error);
}

static int
by_address(const void *a, const void *b)
{
	const struct store_person_names *x = a, *y = b;

	return strcmp(x->address, y->address);
}

static bool
put_people(struct db *db, struct store_contact *const *contacts, guint count, GError **error)
{
	g_autofree struct store_person_names *people = g_new(struct store_person_names, count);

	for (guint i = 0; i < count; i++)
		people[i] = person_of(contacts[i]);
	qsort(people, count, sizeof(*people), by_address);
	return store_person_put(db, PERSON_GIVE, &contacts[0]->workspace_id, people, count, error);
}

/* Counts the contacts of the first one's audience, and returns how many they are; 0 with error. */
static guint
count_new(struct db *db, struct store_contact *const *contacts, guint count, GError **error)
{
	const struct store_contact *first = contacts[0];
	guint same = 0, left = 0;

	while (same < count && base_id_equal(&contacts[same]->audience_id, &first->audience_id))
		left += !contacts[same++]->is_subscribed;
	return db_defer(db, sql[ADD],
		   DB_VALUES(db_int(same), db_int(left), db_id(&first->audience_id),
		       db_int(store_audience_stripe(db)), db_id(&first->workspace_id),
		       db_int(same > left), db_id(&first->audience_id),
		       db_id(&first->workspace_id)),
		   1, error)
		   ? same
		   : 0;
}

bool
store_contact_insert_all(struct db *db, struct store_contact *const *contacts, guint count,
    const struct store_suppression_key *const *people, guint subscribed, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	g_autofree const struct base_id **ids = g_new(const struct base_id *, count);
	guint same = 1;

	for (guint i = 0; i < count; i++) {
		set_insert(contacts[i], values + (gsize)INSERT_COLUMNS * i);
		ids[i] = &contacts[i]->id;
	}
	bool done =
	    db_defer(db, sql[INSERT], values, INSERT_COLUMNS, count, error) &&
	    store_choice_forbid(db, &contacts[0]->workspace_id, people, subscribed, error) &&
	    put_people(db, contacts, count, error);
	for (guint i = subscribed; done && i < count; i++)
		done = store_choice_flag(db, &contacts[0]->workspace_id, people[i], error);
	for (guint i = 0; done && i < count; i += same) {
		same = count_new(db, contacts + i, count - i, error);
		done = same > 0;
	}
	return done &&
	       store_webhook_tell_created(db, &contacts[0]->workspace_id, ids, count, error);
}

static struct store_contact *
read_row(struct db_rows *rows, const struct base_id *workspace, const struct base_id *audience)
{
	struct store_contact *contact = g_new0(struct store_contact, 1);

	db_rows_id(rows, C_ID, &contact->id);
	contact->workspace_id = *workspace;
	contact->audience_id = *audience;
	contact->email = g_strdup(db_rows_text(rows, C_EMAIL));
	contact->address = g_strdup(db_rows_text(rows, C_ADDRESS));
	contact->first_name = g_strdup(db_rows_text(rows, C_FIRST_NAME));
	contact->last_name = g_strdup(db_rows_text(rows, C_LAST_NAME));
	contact->is_subscribed = db_rows_int(rows, C_IS_SUBSCRIBED) != 0;
	contact->created = db_rows_int(rows, C_CREATED);
	contact->updated = db_rows_int(rows, C_UPDATED);
	contact->source = (int)db_rows_int(rows, C_SOURCE);
	contact->is_pending = db_rows_int(rows, C_IS_PENDING) != 0;
	return contact;
}

struct store_contact *
store_contact_get(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[GET], DB_VALUES(db_id(audience), db_id(workspace), db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows, workspace, audience);
	if (check_audience(db, workspace, audience, error))
		contact_missing(error);
	return NULL;
}

struct store_contact *
store_contact_find(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const char *address, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET_ADDRESS],
	    DB_VALUES(db_id(audience), db_id(workspace), db_text(address)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows, workspace, audience);
	if (check_audience(db, workspace, audience, error))
		contact_missing(error);
	return NULL;
}

/* Reads the contact, and locks it until the transaction ends. */
static struct store_contact *
lock(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct base_id *id, GError **error)
{
	if (!check_audience(db, workspace, audience, error))
		return NULL;
	AUTO(db_rows) rows = db_select(
	    db, sql[LOCK], DB_VALUES(db_id(id), db_id(audience), db_id(workspace)), error);
	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows, workspace, audience);
	contact_missing(error);
	return NULL;
}

struct work {
	const struct base_id *workspace, *audience, *id;
	const struct store_contact_change *change;
};

static bool
is_anything(const struct store_contact_change *change)
{
	return change->email || change->first_name_given || change->last_name_given ||
	       change->is_subscribed_given;
}

/* given: the change says whether the contact is subscribed. */
static bool
write_contact(struct db *db, const struct store_contact *contact, bool given, GError **error)
{
	return db_run(db, sql[CHANGE],
	    DB_VALUES(db_text(contact->address), db_int(contact->is_subscribed),
		db_int(base_clock_now()), db_int(given),
		db_int(contact->is_subscribed ? 0 : CONSENT_OF_OPERATOR), db_int(given),
		db_id(&contact->id), db_id(&contact->workspace_id)),
	    NULL, error);
}

/* The texts are borrowed. */
static struct store_contact
lay_over(const struct store_contact *now, const struct store_contact_change *change)
{
	struct store_contact then = *now;

	if (change->email) {
		then.email = (char *)change->email;
		then.address = (char *)change->address;
	}
	if (change->first_name_given)
		then.first_name = (char *)change->first_name;
	if (change->last_name_given)
		then.last_name = (char *)change->last_name;
	if (change->is_subscribed_given)
		then.is_subscribed = change->is_subscribed;
	return then;
}

/* Writes the contact before it reads the choice: see store/choice.h. */
static bool
settle(struct db *db, const struct store_contact_change *change, struct store_contact *contact,
    GError **error)
{
	bool was = contact->is_subscribed;

	if (!change->settle || !((was && change->is_subscribed_given) || change->email))
		return true;
	return change->settle(db, contact, change->settle_context, error) &&
	       (contact->is_subscribed == was || write_contact(db, contact, true, error));
}

/* Gives the person the names of the contact. One that has the new address already keeps its names
   but for those that are given. */
static bool
write_person(struct db *db, const struct store_contact *now, const struct store_contact *then,
    const struct store_contact_change *change, GError **error)
{
	struct store_person_names person = person_of(then);

	person.time = base_clock_now();
	if (strcmp(now->address, then->address) == 0)
		return store_person_put(db, PERSON_SET, &now->workspace_id, &person, 1, error);
	return store_person_move(db, &now->workspace_id, now->address, &person,
	    change->first_name_given, change->last_name_given, error);
}

/* Tells webhooks of the difference. Nothing where there is none. */
static bool
tell_change(struct db *db, const struct store_contact *now, const struct store_contact *then,
    GError **error)
{
	guint changed =
	    (g_strcmp0(now->email, then->email) != 0 ? CHANGED_EMAIL : 0) |
	    (g_strcmp0(now->first_name, then->first_name) != 0 ? CHANGED_FIRST_NAME : 0) |
	    (g_strcmp0(now->last_name, then->last_name) != 0 ? CHANGED_LAST_NAME : 0) |
	    (now->is_subscribed != then->is_subscribed ? CHANGED_IS_SUBSCRIBED : 0);

	return (changed == 0 || store_webhook_tell_contact(db, &now->workspace_id, &now->id,
				    WEBHOOK_CONTACT_UPDATED, changed, error)) &&
	       (!now->is_subscribed || then->is_subscribed ||
		   store_webhook_tell_contact(
		       db, &now->workspace_id, &now->id, WEBHOOK_CONTACT_UNSUBSCRIBED, 0, error));
}

/* Keeps the change of a subscription in the person's history. */
static bool
record_change(struct db *db, const struct store_contact *now, const struct store_contact *then,
    const struct store_contact_change *change, GError **error)
{
	const struct store_consent_about about = {
	    .contact = &now->id, .audience = &now->audience_id};

	return now->is_subscribed == then->is_subscribed || !change->act ||
	       store_consent_record(db, &now->workspace_id, then->address,
		   then->is_subscribed ? CONSENT_JOINED : CONSENT_LEFT, &about, change->act, error);
}

static bool
change_one(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	AUTO(store_contact) now = lock(db, work->workspace, work->audience, work->id, error);

	if (!now || !is_anything(work->change))
		return now != NULL;
	struct store_contact then = lay_over(now, work->change);
	if (!write_contact(db, &then, work->change->is_subscribed_given, error) ||
	    !write_person(db, now, &then, work->change, error) ||
	    !settle(db, work->change, &then, error) ||
	    !record_change(db, now, &then, work->change, error))
		return false;
	/* The person that has the new address may have other names. */
	AUTO(store_contact) moved =
	    strcmp(now->address, then.address) == 0
		? NULL
		: lock(db, work->workspace, work->audience, work->id, error);
	if (strcmp(now->address, then.address) != 0 && !moved)
		return false;
	return store_audience_count(db, work->workspace, work->audience, 0,
		   (gint64)now->is_subscribed - then.is_subscribed, error) &&
	       tell_change(db, now, moved ? moved : &then, error);
}

bool
store_contact_change(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct base_id *id, const struct store_contact_change *change, GError **error)
{
	struct work work = {workspace, audience, id, change};
	GError *failure = NULL;

	return db_transact(db, change_one, &work, &failure) ||
	       translate(db, workspace, audience, failure, error);
}

/* Removes a contact of which id, audience_id, address, is_subscribed, created, source and
   is_pending are known. act NULL: it is not recorded. */
static bool
remove_locked(struct db *db, const struct base_id *workspace, const struct store_contact *contact,
    const struct store_consent_act *act, GError **error)
{
	const struct base_id *id = &contact->id;
	const struct store_consent_about about = {.contact = id, .audience = &contact->audience_id};
	const struct store_consent_join join = {
	    contact->source, contact->created, contact->is_pending};

	return store_webhook_tell_contact(db, workspace, id, WEBHOOK_CONTACT_DELETED, 0, error) &&
	       db_defer(db, sql[REMOVE], DB_VALUES(db_id(id), db_id(workspace)), 1, error) &&
	       (!act || store_consent_record_removal(
			    db, workspace, contact->address, &join, &about, act, error)) &&
	       store_audience_count(
		   db, workspace, &contact->audience_id, -1, contact->is_subscribed - 1, error);
}

struct removal {
	const struct base_id *workspace, *audience, *id;
	const struct store_consent_act *act;
};

static bool
remove_one(struct db *db, void *context, GError **error)
{
	const struct removal *work = context;
	AUTO(store_contact) now = lock(db, work->workspace, work->audience, work->id, error);

	return now && remove_locked(db, work->workspace, now, work->act, error);
}

bool
store_contact_remove(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct base_id *id, const struct store_consent_act *act, GError **error)
{
	struct removal work = {workspace, audience, id, act};

	return db_transact(db, remove_one, &work, error);
}

bool
store_contact_remove_all(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_consent_act *act, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[FIND], DB_VALUES(db_text(address), db_id(workspace)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_contact contact = {
		    .address = (char *)address,
		    .is_subscribed = db_rows_int(rows, FIND_IS_SUBSCRIBED) != 0,
		    .is_pending = db_rows_int(rows, FIND_IS_PENDING) != 0,
		    .created = db_rows_int(rows, FIND_CREATED),
		    .source = (int)db_rows_int(rows, FIND_SOURCE),
		};
		db_rows_id(rows, FIND_CONTACT, &contact.id);
		db_rows_id(rows, FIND_AUDIENCE, &contact.audience_id);
		if (!remove_locked(db, workspace, &contact, act, error))
			return false;
	}
	return true;
}

static void
free_contact(void *contact)
{
	store_contact_free(contact);
}

GPtrArray *
store_contact_list(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const char *after, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST],
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

/* The list is that of an audience, so its id stands for that of the workspace. */
static void *
read_paged(struct db_rows *rows, const struct base_id *audience)
{
	return read_row(rows, &(struct base_id){{0}}, audience);
}

GPtrArray *
store_contact_page(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct store_page *page, GError **error)
{
	const struct store_page_sql statements = {sql[OLDER], sql[NEWER]};

	if (!check_audience(db, workspace, audience, error))
		return NULL;
	GPtrArray *contacts =
	    store_listing_page(db, &statements, audience, page, read_paged, free_contact, error);
	for (guint i = 0; contacts && i < contacts->len; i++)
		((struct store_contact *)contacts->pdata[i])->workspace_id = *workspace;
	return contacts;
}

static bool
change(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *contact, bool subscribed, int author, GError **error)
{
	return db_defer(db, sql[SUBSCRIBE_CHANGE],
		   DB_VALUES(db_int(subscribed), db_int(base_clock_now()),
		       db_int(subscribed ? 0 : author), db_id(contact), db_id(workspace)),
		   1, error) &&
	       (subscribed ? store_webhook_tell_contact(db, workspace, contact,
				 WEBHOOK_CONTACT_UPDATED, CHANGED_IS_SUBSCRIBED, error)
			   : store_webhook_tell_contact(
				 db, workspace, contact, WEBHOOK_CONTACT_UNSUBSCRIBED, 0, error) &&
				 store_choice_contact(db, workspace, address, contact, error));
}

bool
store_contact_subscribe(struct db *db, const struct base_id *workspace, const char *address,
    bool subscribed, int author, guint *count_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[subscribed ? FIND_NOTED : FIND],
	    DB_VALUES(db_text(address), db_id(workspace)), error);
	g_autoptr(GArray) audiences = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct base_id contact, audience;

	*count_r = 0;
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		if ((db_rows_int(rows, FIND_IS_SUBSCRIBED) != 0) == subscribed)
			continue;
		db_rows_id(rows, FIND_CONTACT, &contact);
		db_rows_id(rows, FIND_AUDIENCE, &audience);
		if (!change(db, workspace, address, &contact, subscribed, author, error))
			return false;
		g_array_append_val(audiences, audience);
	}
	for (guint i = 0; i < audiences->len; i++)
		if (!store_audience_count(db, workspace,
			&g_array_index(audiences, struct base_id, i), 0, subscribed ? -1 : 1,
			error))
			return false;
	*count_r = audiences->len;
	return true;
}
