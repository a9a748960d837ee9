/* SPDX-License-Identifier: MIT */
/* Makes contacts: one in one round trip, or many inside a transaction. The counters come last. */
#include "base/array.h"
#include "store/person/contact.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/own.h"
#include "store/consent/agreement.h"
#include "store/consent/choice.h"
#include "store/consent/consent.h"
#include "store/person/audience.h"
#include "store/person/contact_inner.h"
#include "store/person/membership.h"
#include "store/webhook/enqueue.h"

/* Reasons of refusals. */
#define NO_AUDIENCE "audience"
#define OPT_IN "opt_in"

#define CONTACT_EXISTS "Contact already exists"

#define INSERT_CONTACT                                                                             \
	"INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"       \
	" created, updated, source, left_by, pending)"                                             \
	" VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?)"
#define COUNT_CONTACT                                                                              \
	" UPDATE audience_counter SET contacts = contacts + 1, unsubscribers = unsubscribers + ?"  \
	" WHERE audience_id = ? AND stripe = ? AND workspace_id = ?;"                              \
	" IF ROW_COUNT() = 0 THEN " DB_REFUSE(NO_AUDIENCE) " END IF;"
/* Values for four audiences, which may be the same ones. */
#define MARKS_4 "?, ?, ?, ?"
#define OF_AUDIENCE "CASE audience_id WHEN ? THEN ? WHEN ? THEN ? WHEN ? THEN ? ELSE ? END"
#define IS_OPT_IN "EXISTS (SELECT 1 FROM audience WHERE id = ? AND workspace_id = ? AND opt_in = 1)"
/* Behind a person who is put: refuses one who was known, and whose names or email have changed.
   Values: workspace, address, time of the change. */
#define REFUSE_RENAMED                                                                             \
	"; IF ROW_COUNT() > 1 THEN IF EXISTS (SELECT 1 FROM person FORCE INDEX (address)"          \
	" WHERE workspace_id = ? AND address = ? AND updated = ? AND created < updated) "          \
	"THEN " DB_REFUSE(OWN_RENAMED) " END IF; END IF;"
#define REFUSE_VALUES 3

enum { SHARE_AUDIENCE, INSERT, ADD, CREATE, CREATE_SUBSCRIBED };
static const char *const sql[] = {
    [SHARE_AUDIENCE] =
	"SELECT 1 FROM audience WHERE id = ? AND workspace_id = ? LOCK IN SHARE MODE",
    [INSERT] = INSERT_CONTACT,
    [ADD] =
	"UPDATE audience_counter FORCE INDEX (PRIMARY)"
	" SET contacts = contacts + " OF_AUDIENCE ", unsubscribers = unsubscribers + " OF_AUDIENCE
	" WHERE audience_id IN (" MARKS_4 ") AND stripe = ? AND workspace_id = ?;"
	" IF ROW_COUNT() <> ? THEN " DB_REFUSE(
	    NO_AUDIENCE) " END IF;"
			 " IF EXISTS (SELECT 1 FROM audience WHERE id IN (" MARKS_4
			 ") AND workspace_id = ?"
			 " AND opt_in = 1) THEN " DB_REFUSE(OPT_IN) " END IF",
    /* An audience without counters does not exist, or is being removed. */
    [CREATE] =
	DB_BLOCK(OWN_REFUSE INSERT_CONTACT "; " PERSON_GIVEN REFUSE_RENAMED " " CHOICE_FLAG
					   "; " AGREEMENT_LEAVE ";" COUNT_CONTACT WEBHOOK_CREATED),
    [CREATE_SUBSCRIBED] = DB_BLOCK(OWN_REFUSE INSERT_CONTACT "; IF " IS_OPT_IN " THEN " DB_REFUSE(
	OPT_IN) " END IF; IF " CHOICE_STANDS
		" THEN " DB_REFUSE(STORE_CHOICE_REFUSED) " END IF; " PERSON_GIVEN REFUSE_RENAMED
		    COUNT_CONTACT WEBHOOK_CREATED),
};

struct store_person_names
store_contact_person(const struct store_contact *c)
{
	return (struct store_person_names){.address = c->address,
	    .email = c->email,
	    .first_name = c->first_name,
	    .last_name = c->last_name,
	    .time = c->updated,
	    .agreed = c->is_subscribed ? AGREEMENT_JOINED : AGREEMENT_NONE,
	    .source = c->source};
}

bool
store_contact_refuse(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    GError *failure, GError **error)
{
	bool conflict = g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT);

	if (conflict && (db_cause(db) == DB_CAUSE_MISSING || db_cause_is_reason(db, NO_AUDIENCE))) {
		g_clear_error(&failure);
		return store_audience_missing(error);
	}
	bool left = conflict && db_cause_is_reason(db, STORE_CHOICE_REFUSED);
	bool awaited = conflict && db_cause_is_reason(db, OPT_IN);
	if (!conflict || !(left || awaited || db_cause_is_key(db, "PRIMARY"))) {
		g_propagate_error(error, failure);
		return false;
	}
	g_clear_error(&failure);
	/* The audience of another workspace counts as missing. */
	if (!store_audience_check(db, workspace, audience, error))
		return false;
	if (left)
		return store_choice_refuse(error);
	return base_fail(
	    error, PH_ERROR_CONFLICT, awaited ? "This person has to confirm" : CONTACT_EXISTS);
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

/* The values behind the contact and the choice: those of the person with those of REFUSE_RENAMED,
   and of the rest. */
#define GIVEN_VALUES (PERSON_VALUES + REFUSE_VALUES)
#define REST_VALUES (GIVEN_VALUES + COUNT_COLUMNS + WEBHOOK_CREATED_VALUES)

/* Behind the person of a contact that is not subscribed. */
#define FLAG_VALUES (CHOICE_FLAG_VALUES + AGREEMENT_LEAVE_VALUES)

static void
contact_make_set_rest(struct db *db, const struct store_contact *contact, struct base_id *person,
    struct db_value values_r[REST_VALUES])
{
	const struct store_person_names names = store_contact_person(contact);

	store_person_ask_given(&contact->workspace_id, &names, person, values_r);
	const struct db_value refuse[REFUSE_VALUES] = {
	    db_id(&contact->workspace_id), db_text(contact->address), db_int(names.time)};
	memcpy(values_r + PERSON_VALUES, refuse, sizeof(refuse));
	set_count(db, contact, values_r + GIVEN_VALUES);
	store_webhook_ask_created(&contact->workspace_id, &contact->id, contact->created,
	    values_r + GIVEN_VALUES + COUNT_COLUMNS);
}

/* Notes the people of contacts that are made unsubscribed. */
static bool
contact_make_leave(
    struct db *db, struct store_contact *const *contacts, guint count, GError **error)
{
	g_autofree const char **addresses = g_new(const char *, count);
	guint left = 0;

	for (guint i = 0; i < count; i++)
		if (!contacts[i]->is_subscribed && !contacts[i]->is_pending)
			addresses[left++] = contacts[i]->address;
	return store_agreement_leave(db, &contacts[0]->workspace_id, addresses, left, error);
}

static int
contact_make_by_address(const void *a, const void *b)
{
	const struct store_person_names *x = a, *y = b;

	return strcmp(x->address, y->address);
}

static bool
contact_make_put_people(
    struct db *db, struct store_contact *const *contacts, guint count, GError **error)
{
	g_autofree struct store_person_names *people = g_new(struct store_person_names, count);

	for (guint i = 0; i < count; i++)
		people[i] = store_contact_person(contacts[i]);
	base_array_sort(people, count, sizeof(*people), contact_make_by_address);
	return store_person_put(db, PERSON_GIVE, &contacts[0]->workspace_id, people, count, error);
}

/* The new contacts of one audience. */
struct count {
	const struct base_id *audience;
	guint contacts, unsubscribers;
};

#define COUNTED 4 /* the number of audiences that ADD takes */
#define OF_AUDIENCE_VALUES (2 * COUNTED - 1)
#define ADD_VALUES (2 * OF_AUDIENCE_VALUES + 2 * COUNTED + 4)

/* Takes the counts of the first audiences, at most COUNTED. Returns the number of their contacts.
 */
static guint
take_counts(struct store_contact *const *contacts, guint count, struct count counts_r[COUNTED],
    guint *audiences_r)
{
	guint taken = 0;

	for (*audiences_r = 0; taken < count && *audiences_r < COUNTED; ++*audiences_r) {
		struct count *one = &counts_r[*audiences_r];

		*one = (struct count){.audience = &contacts[taken]->audience_id};
		while (
		    taken < count && base_id_equal(&contacts[taken]->audience_id, one->audience)) {
			one->contacts++;
			one->unsubscribers += !contacts[taken++]->is_subscribed;
		}
	}
	return taken;
}

/* The values of OF_AUDIENCE. */
static struct db_value *
ask_of(const struct count counts[COUNTED], bool unsubscribers, struct db_value *values)
{
	for (guint i = 0; i < COUNTED; i++) {
		if (i + 1 < COUNTED)
			*values++ = db_id(counts[i].audience);
		*values++ = db_int(unsubscribers ? counts[i].unsubscribers : counts[i].contacts);
	}
	return values;
}

/* Counts the contacts of the first audiences, and returns how many they are; 0 with error. */
static guint
count_new(struct db *db, struct store_contact *const *contacts, guint count, GError **error)
{
	const struct base_id *workspace = &contacts[0]->workspace_id;
	struct db_value values[ADD_VALUES], *value = values;
	struct count counts[COUNTED];
	guint audiences, taken = take_counts(contacts, count, counts, &audiences);

	for (guint i = audiences; i < COUNTED; i++)
		counts[i] = counts[audiences - 1];
	value = ask_of(counts, false, value);
	value = ask_of(counts, true, value);
	for (guint i = 0; i < COUNTED; i++)
		*value++ = db_id(counts[i].audience);
	*value++ = db_int(store_audience_stripe(db));
	*value++ = db_id(workspace);
	*value++ = db_int(audiences);
	/* Nobody who is to be subscribed joins an audience that has to be confirmed. */
	for (guint i = 0; i < COUNTED; i++)
		*value++ = counts[i].contacts > counts[i].unsubscribers ? db_id(counts[i].audience)
									: db_null();
	*value = db_id(workspace);
	return db_defer(db, sql[ADD], values, ADD_VALUES, 1, error) ? taken : 0;
}

/* New contacts, as of store_contact_insert_all. */
struct making {
	struct store_contact *const *contacts;
	guint count;
	const struct store_suppression_key *people;
	guint subscribed;
	/* What the person of the one contact gets (enum store_webhook_changed). NULL: contacts that
	   change people are refused where somebody hears of it (OWN_RENAMED). */
	guint *changed_r;
};

static bool
contact_make_find_given(struct db *db, const struct making *making, GError **error)
{
	const struct store_contact *contact = making->contacts[0];
	const struct store_person_names given = store_contact_person(contact);

	return !making->changed_r || store_membership_find_given(db, &contact->workspace_id, &given,
					 making->changed_r, error);
}

static bool
contact_make_insert(struct db *db, const struct making *making, GError **error)
{
	struct store_contact *const *contacts = making->contacts;
	const struct base_id *workspace = &contacts[0]->workspace_id;
	guint count = making->count, subscribed = making->subscribed, counted = 0, some = 1;
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	g_autofree const struct base_id **ids = g_new(const struct base_id *, count);
	bool refuses = !making->changed_r;

	for (guint i = 0; i < count; i++) {
		set_insert(contacts[i], values + (gsize)INSERT_COLUMNS * i);
		ids[i] = &contacts[i]->id;
	}
	bool done = db_defer(db, sql[INSERT], values, INSERT_COLUMNS, count, error) &&
		    store_choice_forbid(db, workspace, making->people, subscribed, error) &&
		    contact_make_find_given(db, making, error) &&
		    contact_make_put_people(db, contacts, count, error) &&
		    (!refuses || store_own_refuse_renamed(db, workspace, ids, count, error)) &&
		    contact_make_leave(db, contacts, count, error) &&
		    store_choice_flag_all(
			db, workspace, making->people + subscribed, count - subscribed, error);
	for (; done && counted < count; counted += some) {
		some = count_new(db, contacts + counted, count - counted, error);
		done = some > 0;
	}
	return done && store_webhook_enqueue_created(db, workspace, ids, count, refuses, error) &&
	       store_own_contacts_created(db, workspace, ids, count, error);
}

/* A contact that is made where somebody hears of it. */
struct creation {
	struct store_contact *contact;
	const struct store_suppression_key *key;
};

static bool
create_heard(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	struct store_contact *contact = creation->contact;
	const struct making making = {
	    &contact, 1, creation->key, contact->is_subscribed ? 1 : 0, NULL};

	return contact_make_insert(db, &making, error);
}

/* Likewise, where it changes a person who is known. */
static bool
create_renaming(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	struct store_contact *contact = creation->contact;
	guint changed;
	const struct making making = {
	    &contact, 1, creation->key, contact->is_subscribed ? 1 : 0, &changed};

	return contact_make_insert(db, &making, error) &&
	       store_membership_tell_names(
		   db, &contact->workspace_id, contact->address, &contact->id, changed, error);
}

static bool
contact_make_is_refused(struct db *db, const GError *failure, const char *reason)
{
	return g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) &&
	       db_cause_is_reason(db, reason);
}

/* Makes a contact by a block, or by a transaction where that has more to tell. */
static bool
create_block(struct db *db, const struct db_query *block, struct store_contact *contact,
    const struct store_suppression_key *key, GError **error)
{
	struct creation creation = {contact, key};
	GError *failure = NULL;
	bool done = db_transact_block(db, block->sql, block->values, block->count, &failure);

	if (!done && contact_make_is_refused(db, failure, OWN_HEARD)) {
		g_clear_error(&failure);
		done = db_transact(db, create_heard, &creation, &failure);
	}
	if (!done && contact_make_is_refused(db, failure, OWN_RENAMED)) {
		g_clear_error(&failure);
		done = db_transact(db, create_renaming, &creation, &failure);
	}
	if (!done)
		g_propagate_error(error, failure);
	return done;
}

bool
store_contact_create(struct db *db, struct store_contact *contact,
    const struct store_suppression_key *key, GError **error)
{
	struct db_value values[1 + INSERT_COLUMNS + REST_VALUES + FLAG_VALUES];
	struct db_value *flag = values + 1 + INSERT_COLUMNS + GIVEN_VALUES;
	const struct store_suppression_key named = {.address = contact->address};
	GError *failure = NULL;
	struct base_id person;

	values[0] = db_id(&contact->workspace_id);
	set_insert(contact, values + 1);
	if (!key)
		key = &named;
	contact_make_set_rest(db, contact, &person, values + 1 + INSERT_COLUMNS);
	memmove(flag + FLAG_VALUES, flag, (REST_VALUES - GIVEN_VALUES) * sizeof(*flag));
	store_choice_ask_flag(&contact->workspace_id, key, flag);
	store_agreement_ask_leave(
	    &contact->workspace_id, contact->address, flag + CHOICE_FLAG_VALUES);
	return create_block(db, &(struct db_query){sql[CREATE], values, G_N_ELEMENTS(values)},
		   contact, key, &failure) ||
	       store_contact_refuse(
		   db, &contact->workspace_id, &contact->audience_id, failure, error);
}

bool
store_contact_create_subscribed(struct db *db, struct store_contact *contact,
    const struct store_suppression_key *key, enum store_contact_bar *bar_r, GError **error)
{
	struct db_value values[1 + INSERT_COLUMNS + OPT_IN_VALUES + CHOICE_VALUES + REST_VALUES];
	struct db_value *choice = values + 1 + INSERT_COLUMNS + OPT_IN_VALUES;
	GError *failure = NULL;
	struct base_id person;

	contact->is_subscribed = true;
	values[0] = db_id(&contact->workspace_id);
	set_insert(contact, values + 1);
	choice[-2] = db_id(&contact->audience_id);
	choice[-1] = db_id(&contact->workspace_id);
	store_choice_ask(&contact->workspace_id, key, &contact->audience_id, choice);
	contact_make_set_rest(db, contact, &person, choice + CHOICE_VALUES);
	*bar_r = CONTACT_BAR_NONE;
	if (create_block(db,
		&(struct db_query){sql[CREATE_SUBSCRIBED], values, G_N_ELEMENTS(values)}, contact,
		key, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		*bar_r = db_cause_is_reason(db, STORE_CHOICE_REFUSED) ? CONTACT_BAR_LEFT
			 : db_cause_is_reason(db, OPT_IN)	      ? CONTACT_BAR_OPT_IN
								      : CONTACT_BAR_NONE;
	return store_contact_refuse(
	    db, &contact->workspace_id, &contact->audience_id, failure, error);
}

bool
store_contact_insert(struct db *db, struct store_contact *contact, GError **error)
{
	struct db_value values[INSERT_COLUMNS];
	GError *failure = NULL;
	guint changed;
	AUTO(db_rows) audience = db_select(db, sql[SHARE_AUDIENCE],
	    DB_VALUES(db_id(&contact->audience_id), db_id(&contact->workspace_id)), error);

	if (!audience)
		return false;
	if (!db_rows_next(audience))
		return store_audience_missing(error);
	set_insert(contact, values);
	const struct store_person_names person = store_contact_person(contact);
	if (!db_defer(db, sql[INSERT], values, INSERT_COLUMNS, 1, &failure) ||
	    !store_membership_find_given(db, &contact->workspace_id, &person, &changed, &failure)) {
		bool exists = g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) &&
			      db_cause_is_key(db, "PRIMARY");

		if (!exists) {
			g_propagate_error(error, failure);
			return false;
		}
		g_error_free(failure);
		return base_fail(error, PH_ERROR_CONFLICT, CONTACT_EXISTS);
	}
	const struct base_id *id = &contact->id;
	return store_person_put(db, PERSON_GIVE, &contact->workspace_id, &person, 1, error) &&
	       store_own_contacts_created(db, &contact->workspace_id, &id, 1, error) &&
	       contact_make_leave(db, &contact, 1, error) &&
	       store_membership_tell_names(
		   db, &contact->workspace_id, contact->address, id, changed, error) &&
	       store_audience_count(db, &contact->workspace_id, &contact->audience_id, 1,
		   !contact->is_subscribed, error);
}

bool
store_contact_insert_all(struct db *db, struct store_contact *const *contacts, guint count,
    const struct store_suppression_key *people, guint subscribed, GError **error)
{
	const struct making making = {contacts, count, people, subscribed, NULL};

	return contact_make_insert(db, &making, error);
}
