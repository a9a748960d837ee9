/* SPDX-License-Identifier: MIT */
/* Reads, lists, changes and removes contacts. A change locks the contact first, and updates the
   counters last. */
#include "store/person/contact.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/prefetch.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/own.h"
#include "store/common/listing.h"
#include "store/consent/agreement.h"
#include "store/consent/choice.h"
#include "store/consent/confirmation.h"
#include "store/consent/consent.h"
#include "store/person/audience.h"
#include "store/person/contact_inner.h"
#include "store/person/membership.h"
#include "store/person/move.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"

#define CONTACT_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(id, "c.id")                                                                          \
	NEXT(email, PERSON_EMAIL)                                                                  \
	NEXT(address, "c.address")                                                                 \
	NEXT(first_name, PERSON_FIRST_NAME)                                                        \
	NEXT(last_name, PERSON_LAST_NAME)                                                          \
	NEXT(is_subscribed, "c.is_subscribed")                                                     \
	NEXT(created, "c.created")                                                                 \
	NEXT(updated, "c.updated")                                                                 \
	NEXT(source, "c.source")                                                                   \
	NEXT(is_pending, "c.pending IS NOT NULL")
#define COLUMNS DB_COLUMNS_SQL(CONTACT_COLUMNS)

#define OF_AUDIENCE "FROM audience a JOIN contact c ON c.audience_id = a.id" PERSON_OF_CONTACT
#define THE_AUDIENCE " WHERE a.id = ? AND a.workspace_id = ?"

#define BY_ID                                                                                      \
	"SELECT " COLUMNS " FROM contact c FORCE INDEX (id)"                                       \
	" STRAIGHT_JOIN audience a ON a.id = c.audience_id" PERSON_OF_CONTACT
#define THE_CONTACT "c.id = ? AND a.workspace_id = ? AND a.id = ?"
static const char get_sql[] = BY_ID " WHERE " THE_CONTACT;
const struct db_prefetch_form store_contact_ahead = {
    get_sql, DB_PREFETCH_MANY(BY_ID, THE_CONTACT, ""), 3, 0};

enum { GET, LOCK, CHANGE, REMOVE, LIST, FIND, FIND_NOTED, SUBSCRIBE_CHANGE, GET_ADDRESS, OF_IDS };
/* By checked ids: OF_IDS, listing. The caller has found the audience in its workspace. */
static const char *const sql[] = {
    [GET] = get_sql,
    [LOCK] = "SELECT " COLUMNS " FROM contact c" PERSON_OF_CONTACT
	     " WHERE c.id = ? AND c.audience_id = ? AND c.workspace_id = ? FOR UPDATE",
    [CHANGE] = "UPDATE contact SET email = '', address = ?, first_name = NULL, last_name = NULL,"
	       " is_subscribed = ?, updated = ?, left_by = IF(?, ?, left_by),"
	       " pending = IF(?, NULL, pending) WHERE id = ? AND workspace_id = ?",
    [REMOVE] = "DELETE FROM contact WHERE id = ? AND workspace_id = ?",
    [LIST] = "SELECT " COLUMNS " " OF_AUDIENCE THE_AUDIENCE " AND c.address > ?"
	     " ORDER BY c.address LIMIT ?",
    /* Goes through the audiences, with one search of the primary key of each audience's contacts.
       Locks contacts that are not subscribed, too: another transaction may be subscribing one
       (store/consent/choice.h). */
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
    [OF_IDS] = "SELECT " COLUMNS " FROM contact c FORCE INDEX (id)" PERSON_OF_CONTACT
	       " WHERE c.audience_id = ? AND c.id IN (" DB_MARKS_64 ") ORDER BY c.address",
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

STORE_LISTING_READER(contact_read_own, struct store_contact, CONTACT_COLUMNS)

static struct store_contact *
contact_read_row(
    struct db_rows *rows, const struct base_id *workspace, const struct base_id *audience)
{
	struct store_contact *contact = contact_read_own(rows, workspace);

	contact->audience_id = *audience;
	return contact;
}

struct store_contact *
store_contact_get(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct base_id *id, GError **error)
{
	return store_contact_get_prefetched(db, NULL, workspace, audience, id, error);
}

struct store_contact *
store_contact_get_prefetched(struct db *db, const struct db_prefetch *ahead,
    const struct base_id *workspace, const struct base_id *audience, const struct base_id *id,
    GError **error)
{
	AUTO(db_rows) rows = db_select_prefetched(
	    db, ahead, sql[GET], DB_VALUES(db_id(id), db_id(workspace), db_id(audience)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return contact_read_row(rows, workspace, audience);
	if (store_audience_check(db, workspace, audience, error))
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
		return contact_read_row(rows, workspace, audience);
	if (store_audience_check(db, workspace, audience, error))
		contact_missing(error);
	return NULL;
}

/* Reads the contact, and locks it until the transaction ends. */
static struct store_contact *
contact_lock(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct base_id *id, GError **error)
{
	if (!store_audience_check(db, workspace, audience, error))
		return NULL;
	AUTO(db_rows) rows = db_select(
	    db, sql[LOCK], DB_VALUES(db_id(id), db_id(audience), db_id(workspace)), error);
	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return contact_read_row(rows, workspace, audience);
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
contact_write_contact(
    struct db *db, const struct store_contact *contact, bool given, GError **error)
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
contact_lay_over(const struct store_contact *now, const struct store_contact_change *change)
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

/* Writes the contact before it reads the choice: see store/consent/choice.h. */
static bool
contact_settle(struct db *db, const struct store_contact_change *change,
    struct store_contact *contact, const char *from, bool is_new, GError **error)
{
	bool was = contact->is_subscribed;

	if (!change->settle || !((was && change->is_subscribed_given) || change->email))
		return true;
	return change->settle(db, contact, from, is_new, change->settle_context, error) &&
	       (contact->is_subscribed == was || contact_write_contact(db, contact, true, error));
}

/* Gives the person the names of the contact. One that has the new address already keeps its names
   but for those that are given. *moved_r is set where the address changes. */
static bool
contact_write_person(struct db *db, const struct store_contact *now,
    const struct store_contact *then, const struct store_contact_change *change,
    struct store_person_moved *moved_r, GError **error)
{
	struct store_person_names person = store_contact_person(then);

	person.time = base_clock_now();
	person.agreed = AGREEMENT_NONE;
	if (strcmp(now->address, then->address) == 0)
		return store_person_put(db, PERSON_SET, &now->workspace_id, &person, 1, error);
	return store_person_move(db, &now->workspace_id,
	    &(struct store_person_moving){
		now->address, &person, change->first_name_given, change->last_name_given},
	    moved_r, error);
}

/* Tells webhooks and workflows of the difference. Nothing where there is none. given: what the
   change gives to another person, whose contact this becomes (enum store_webhook_changed). */
static bool
tell_change(struct db *db, const struct store_contact *now, const struct store_contact *then,
    guint given, const struct store_consent_act *act, GError **error)
{
	guint shown = store_membership_compare(
	    &(struct store_membership_shown){now->email, now->first_name, now->last_name},
	    &(struct store_membership_shown){then->email, then->first_name, then->last_name});
	guint changed =
	    shown | (now->is_subscribed != then->is_subscribed ? CHANGED_IS_SUBSCRIBED : 0);

	const struct base_id *workspace = &now->workspace_id, *id = &now->id;
	/* The person's other contacts show the same. */
	guint others = strcmp(now->address, then->address) != 0 ? given : shown;
	return store_membership_tell_names(db, workspace, then->address, id, others, error) &&
	       (changed == 0 ||
		   (store_webhook_enqueue_contact(
			db, workspace, id, WEBHOOK_CONTACT_UPDATED, changed, error) &&
		       store_own_contact_updated(db, workspace, id, changed, error))) &&
	       (!now->is_pending || !then->is_subscribed ||
		   store_own_contacts_created(db, workspace, &id, 1, error)) &&
	       (!now->is_subscribed || then->is_subscribed ||
		   (store_webhook_enqueue_contact(
			db, workspace, id, WEBHOOK_CONTACT_UNSUBSCRIBED, 0, error) &&
		       store_own_contact_unsubscribed(db, workspace, id,
			   &(struct store_consent_turn){false,
			       act ? act->author : CONSENT_OF_OPERATOR, act ? act->source : 0},
			   error)));
}

/* Keeps the change of a subscription in the person's history; also that it waits no more. */
static bool
record_change(struct db *db, const struct store_contact *now, const struct store_contact *then,
    const struct store_contact_change *change, GError **error)
{
	const struct store_consent_about about = {
	    .contact = &now->id, .audience = &now->audience_id};
	bool turned = now->is_subscribed != then->is_subscribed ||
		      (now->is_pending && change->is_subscribed_given);

	return !turned || !change->act ||
	       store_consent_record(db,
		   &(struct store_consent_change){&now->workspace_id, then->address,
		       then->is_subscribed ? CONSENT_JOINED : CONSENT_LEFT, &about, change->act},
		   error);
}

/* Whether the contact waits to be confirmed after the change. */
static bool
waits(const struct store_contact *now, const struct store_contact_change *change)
{
	return now->is_pending && !change->is_subscribed_given;
}

/* The change of the reason that the person has given. came: to a person who was there. */
static bool
agree(struct db *db, const struct store_contact *now, const struct store_contact *then,
    const struct store_contact_change *change, bool came, GError **error)
{
	bool is_moved = strcmp(now->address, then->address) != 0;
	const char *address = then->address;

	if (then->is_subscribed)
		return (now->is_subscribed && !is_moved) ||
		       store_agreement_give(
			   db, &now->workspace_id, address, AGREEMENT_JOINED, error);
	if (is_moved && waits(now, change) &&
	    !store_confirmation_move(db, &now->workspace_id, &now->id, address, error))
		return false;
	bool left = now->is_subscribed || now->is_pending || came;
	return !left || waits(now, change) ||
	       store_agreement_leave(db, &now->workspace_id, &address, 1, error);
}

static bool
contact_change_one(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	AUTO(store_contact) now =
	    contact_lock(db, work->workspace, work->audience, work->id, error);

	if (!now || !is_anything(work->change))
		return now != NULL;
	struct store_contact then = contact_lay_over(now, work->change);
	const char *from = strcmp(now->address, then.address) == 0 ? NULL : now->address;
	struct store_person_moved move = {false, 0};
	/* An address that nobody has confirmed is known from now on. */
	if (now->is_pending && then.is_subscribed &&
	    !store_own_confirm(
		db, work->workspace, now->address, (enum store_consent_source)now->source, error))
		return false;
	/* As long as the contact tells whether its person has confirmed the address. */
	const char *const people[] = {then.address, now->address};
	if (!store_own_people_before(db, work->workspace, people, from ? 2 : 1, error) ||
	    !contact_write_contact(db, &then, work->change->is_subscribed_given, error) ||
	    !contact_write_person(db, now, &then, work->change, &move, error) ||
	    !contact_settle(db, work->change, &then, from, move.is_new, error) ||
	    !agree(db, now, &then, work->change, from && !move.is_new, error) ||
	    !record_change(db, now, &then, work->change, error))
		return false;
	/* The person that has the new address may have other names. */
	AUTO(store_contact) moved =
	    !from ? NULL : contact_lock(db, work->workspace, work->audience, work->id, error);
	if (from && !moved)
		return false;
	return store_audience_count(db, work->workspace, work->audience, 0,
		   (gint64)now->is_subscribed - then.is_subscribed, error) &&
	       tell_change(db, now, moved ? moved : &then, move.changed, work->change->act, error);
}

bool
store_contact_change_within(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, GError **error)
{
	struct work work = {workspace, audience, id, change};

	return contact_change_one(db, &work, error);
}

bool
store_contact_change(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct base_id *id, const struct store_contact_change *change, GError **error)
{
	struct work work = {workspace, audience, id, change};
	GError *failure = NULL;

	return db_transact(db, contact_change_one, &work, &failure) ||
	       store_contact_refuse(db, workspace, audience, failure, error);
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

	return store_webhook_enqueue_contact(
		   db, workspace, id, WEBHOOK_CONTACT_DELETED, 0, error) &&
	       store_own_contact_deleted(db, workspace, id, error) &&
	       db_defer(db, sql[REMOVE], DB_VALUES(db_id(id), db_id(workspace)), 1, error) &&
	       (!contact->is_subscribed || store_agreement_part(db, workspace,
					       (const char *const *)&contact->address, 1, error)) &&
	       (!act || store_consent_record_removal(db,
			    &(struct store_consent_change){
				workspace, contact->address, CONSENT_REMOVED, &about, act},
			    &join, error)) &&
	       store_audience_count(
		   db, workspace, &contact->audience_id, -1, contact->is_subscribed - 1, error);
}

bool
store_contact_remove_within(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id, const struct store_consent_act *act,
    GError **error)
{
	AUTO(store_contact) now = contact_lock(db, workspace, audience, id, error);

	return now && remove_locked(db, workspace, now, act, error);
}

struct removal {
	const struct base_id *workspace, *audience, *id;
	const struct store_consent_act *act;
};

static bool
person_contact_remove_one(struct db *db, void *context, GError **error)
{
	const struct removal *work = context;

	return store_contact_remove_within(
	    db, work->workspace, work->audience, work->id, work->act, error);
}

bool
store_contact_remove(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct base_id *id, const struct store_consent_act *act, GError **error)
{
	struct removal work = {workspace, audience, id, act};

	return db_transact(db, person_contact_remove_one, &work, error);
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
	g_autoptr(GPtrArray) contacts = g_ptr_array_new_with_free_func(store_contact_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(contacts, contact_read_row(rows, workspace, audience));
	if (contacts->len == 0 && !store_audience_check(db, workspace, audience, error))
		return NULL;
	return g_steal_pointer(&contacts);
}

GPtrArray *
store_contact_search(
    struct db *db, const struct store_search_contacts *search, char **rest_r, GError **error)
{
	struct db_value values[1 + STORE_CONTACT_MOST] = {db_id(search->audience)};
	g_autoptr(GPtrArray) contacts = g_ptr_array_new_with_free_func(store_contact_destroy);
	struct store_search_page page = {.ids = NULL};

	g_assert(search->limit <= STORE_CONTACT_MOST);
	*rest_r = NULL;
	bool done = store_audience_check(db, search->workspace, search->audience, error) &&
		    store_search_contacts(db, search, &page, error);
	guint count = done ? page.ids->len : 0;
	for (guint i = 0; count > 0 && i < STORE_CONTACT_MOST; i++)
		values[1 + i] = db_id(&g_array_index(page.ids, struct base_id, MIN(i, count - 1)));
	*rest_r = g_steal_pointer(&page.rest_address);
	AUTO(db_rows)
	rows = count > 0 ? db_select(db, sql[OF_IDS], values, G_N_ELEMENTS(values), error) : NULL;
	while (rows && db_rows_next(rows))
		g_ptr_array_add(
		    contacts, contact_read_row(rows, search->workspace, search->audience));
	done = done && (rows || count == 0);
	store_search_page_clear(&page);
	return done ? g_steal_pointer(&contacts) : NULL;
}

/* The list is that of an audience, so its id stands for that of the workspace. */
static void *
contact_read_paged(struct db_rows *rows, const struct base_id *audience)
{
	return contact_read_row(rows, &(struct base_id){{0}}, audience);
}

STORE_LISTING(listing, contact_read_paged, store_contact_destroy,
    "SELECT " COLUMNS " FROM contact c" PERSON_OF_CONTACT " WHERE c.audience_id = ?", "c.id");

GPtrArray *
store_contact_page(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    const struct store_page *page, GError **error)
{
	if (!store_audience_check(db, workspace, audience, error))
		return NULL;
	GPtrArray *contacts = store_listing_page(db, &listing, audience, page, error);
	for (guint i = 0; contacts && i < contacts->len; i++)
		((struct store_contact *)contacts->pdata[i])->workspace_id = *workspace;
	return contacts;
}

static bool
contact_turn(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *contact, const struct store_consent_turn *turn, GError **error)
{
	bool subscribed = turn->subscribed;

	return db_defer(db, sql[SUBSCRIBE_CHANGE],
		   DB_VALUES(db_int(subscribed), db_int(base_clock_now()),
		       db_int(subscribed ? 0 : turn->author), db_id(contact), db_id(workspace)),
		   1, error) &&
	       store_webhook_enqueue_subscribed(db, workspace, contact, turn, error) &&
	       store_own_contact_turned(db, workspace, contact, turn, error) &&
	       (subscribed || store_choice_contact(db, workspace, address, contact, error));
}

bool
store_contact_subscribe(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_consent_turn *turn, guint *count_r, GError **error)
{
	bool subscribed = turn->subscribed;
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
		if (!contact_turn(db, workspace, address, &contact, turn, error))
			return false;
		g_array_append_val(audiences, audience);
	}
	for (guint i = 0; i < audiences->len; i++)
		if (!store_audience_count(db, workspace,
			&g_array_index(audiences, struct base_id, i), 0, subscribed ? -1 : 1,
			error))
			return false;
	*count_r = audiences->len;
	if (audiences->len == 0)
		return true;
	return subscribed ? store_agreement_give(db, workspace, address, AGREEMENT_JOINED, error)
			  : store_agreement_leave(db, workspace, &address, 1, error);
}
