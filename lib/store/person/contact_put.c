/* SPDX-License-Identifier: MIT */
/* Puts many contacts at once: one query for existing ones, one insertion, one update of the
   counters. */
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/own.h"
#include "store/consent/agreement.h"
#include "store/consent/choice_part.h"
#include "store/person/audience.h"
#include "store/person/contact.h"
#include "store/person/membership.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"

#define TEN "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define FIFTY TEN ", " TEN ", " TEN ", " TEN ", " TEN
#define BATCH                                                                                      \
	FIFTY ", " FIFTY ", " FIFTY ", " FIFTY ", " FIFTY ", " FIFTY ", " FIFTY ", " FIFTY         \
	      ", " FIFTY ", " FIFTY /* STORE_CONTACT_BATCH */

#define FIND_CONTACTS(data)                                                                        \
	"SELECT c.address, " PERSON_EMAIL ", " PERSON_FIRST_NAME ", " PERSON_LAST_NAME             \
	", c.is_subscribed, p.language, p.time_zone, " data                                        \
	", c.pending IS NOT NULL, 0, c.id, c.source FROM contact c" PERSON_OF_CONTACT              \
	" WHERE c.audience_id = ? AND c.workspace_id = ? AND c.address IN (" BATCH ")"             \
	" ORDER BY c.address FOR UPDATE"

#define PEOPLE                                                                                     \
	" FROM person FORCE INDEX (address) WHERE workspace_id = ? AND address IN (" BATCH ")"
#define IN_ORDER " ORDER BY address FOR UPDATE"

enum { AUDIENCE, FIND, FIND_DATA, FIND_PEOPLE, FIND_SHOWN, INSERT, CHANGE };
static const char *const sql[] = {
    [AUDIENCE] = "SELECT 1 FROM audience WHERE id = ? AND workspace_id = ? LOCK IN SHARE MODE",
    [FIND] = FIND_CONTACTS("NULL"),
    [FIND_DATA] = FIND_CONTACTS("p.properties"),
    [FIND_PEOPLE] = "SELECT address, email, first_name, last_name, is_subscribed, language,"
		    " time_zone, properties, 0, agreed" PEOPLE IN_ORDER,
    /* Nobody where no workflow hears of changes. */
    [FIND_SHOWN] =
	"SELECT address, email, first_name, last_name" PEOPLE " AND " STORE_HEARD IN_ORDER,
    [INSERT] = "INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"
	       " created, updated, source, left_by)"
	       " VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?)",
    [CHANGE] = "UPDATE contact SET email = '', first_name = NULL, last_name = NULL,"
	       " is_subscribed = ?, updated = ?, left_by = IF(?, 0, IF(?, left_by, ?)),"
	       " pending = IF(?, NULL, pending) WHERE audience_id = ? AND address = ?"
	       " AND workspace_id = ?",
};

/* The columns of the statements that find. */
enum {
	FIND_ADDRESS,
	FIND_EMAIL,
	FIND_FIRST_NAME,
	FIND_LAST_NAME,
	FIND_IS_SUBSCRIBED,
	FIND_LANGUAGE,
	FIND_TIME_ZONE,
	FIND_PROPERTIES,
	FIND_IS_PENDING,
	FIND_AGREED,
	FIND_ID, /* of contacts alone, as the next one */
	FIND_SOURCE
};

#define INSERT_COLUMNS 9
#define CHANGE_COLUMNS 9

/* Each try may fail because another process inserts the same contacts. */
#define TRIES 10

/* A change of a contact that exists. */
struct contact_put_news {
	struct base_id contact;
	guint changed;	   /* enum store_webhook_changed */
	int source;	   /* of its membership */
	bool is_confirmed; /* it waited to be confirmed */
	bool has_left;
};

struct putting {
	const struct base_id *workspace, *audience; /* audience NULL: people alone */
	const struct store_contact_change *contacts;
	guint count;
	const struct store_contact_putting *how;
	const struct store_suppression_key *keys; /* NULL until they are first needed */
	struct store_choice *choices;		  /* of each contact's person */
	bool *against;				  /* for each contact: the choice is ended */
	bool *chosen;	/* likewise: how->choose ends or makes the choice about all */
	guint8 *turned; /* for each contact: enum store_consent_kind; 0: as it was */
	struct contact_put_news *news; /* likewise: the changes that workflows may hear of */
	const char **left;	       /* addresses of those who are not subscribed from now on, */
	guint left_count;	       /* so many */
	bool *refused;		       /* for each contact: it exists, which is a fault */
	bool has_data;		       /* some contact has properties */
	bool look; /* for contacts that exist; else each that exists is a CONFLICT */
	struct store_contact_tally tally;
	bool raced;	/* a choice was made meanwhile */
	bool rehearsed; /* the tally is complete, and the transaction was rolled back */
};

static bool
lock_audience(struct db *db, const struct putting *putting, GError **error)
{
	if (!putting->audience)
		return true;
	AUTO(db_rows) rows = db_select(db, sql[AUDIENCE],
	    DB_VALUES(db_id(putting->audience), db_id(putting->workspace)), error);

	return rows && (db_rows_next(rows) || store_audience_missing(error));
}

/* Runs a statement that finds the contacts, or people, of the batch in the order of their
   addresses. The caller frees the rows. */
static struct db_rows *
contact_put_select(struct db *db, const struct putting *putting, int statement, GError **error)
{
	struct db_value values[3 + STORE_CONTACT_BATCH];
	guint count = 0;

	if (statement == FIND || statement == FIND_DATA)
		values[count++] = db_id(putting->audience);
	values[count++] = db_id(putting->workspace);
	for (guint i = 0; i < STORE_CONTACT_BATCH; i++)
		values[count++] = db_text(putting->contacts[MIN(i, putting->count - 1)].address);
	if (statement == FIND_SHOWN) {
		values[count++] = db_id(putting->workspace);
		values[count++] = db_text("contact.updated");
	}
	return db_select(db, sql[statement], values, count, error);
}

/* Looks for contacts that exist: *rows_r has them in the order of their addresses, locked. NULL:
   no look is wanted. */
static bool
contact_put_find(
    struct db *db, const struct putting *putting, struct db_rows **rows_r, GError **error)
{
	*rows_r = NULL;
	if (!putting->look)
		return true;
	*rows_r = contact_put_select(db, putting,
	    !putting->audience	? FIND_PEOPLE
	    : putting->has_data ? FIND_DATA
				: FIND,
	    error);
	return *rows_r != NULL;
}

/* Reads what contacts show of people, of which some may change, and locks them. NULL: nobody is
   told of them. */
static bool
contact_put_shown(
    struct db *db, const struct putting *putting, struct db_rows **rows_r, GError **error)
{
	*rows_r = NULL;
	if (!putting->how->tells)
		return true;
	*rows_r = contact_put_select(db, putting, FIND_SHOWN, error);
	return *rows_r != NULL;
}

/* The rows of the two statements, and their effect on the counters. */
struct changes {
	struct db_value *inserts, *updates;
	gsize inserted, updated;
	struct store_person_names *joining, *changing; /* the people of both */
	GPtrArray *texts;			       /* merged properties */
	struct base_id *ids;
	gint64 now, unsubscribers;
};

static bool
stands(const struct store_choice *choice)
{
	return choice->all || choice->part;
}

static bool
contact_put_is_own(const struct store_choice *choice)
{
	return choice->all == CONSENT_OF_PERSON || choice->part == CONSENT_OF_PERSON;
}

/* Whether a contact must not be subscribed because a choice of its person stands. An operator's
   choice is ended by one who says yes. */
static bool
contact_put_is_left(struct putting *putting, const struct store_contact_change *contact)
{
	guint place = (guint)(contact - putting->contacts);
	const struct store_choice *choice = &putting->choices[place];
	bool own = contact_put_is_own(choice);
	bool left =
	    own ? !putting->how->override
		: stands(choice) && !contact->is_subscribed_given && !putting->how->override;

	putting->against[place] = stands(choice) && !left;
	putting->tally.left += own && left;
	return left;
}

/* Whether the choice of a person about all mailings is to be changed, without an audience. */
static bool
is_choosing(struct putting *putting, const struct store_contact_change *contact)
{
	guint place = (guint)(contact - putting->contacts);
	enum store_consent_author all = putting->choices[place].all;

	if (putting->audience || !contact->is_subscribed_given)
		return false;
	bool kept = contact->is_subscribed && all == CONSENT_OF_PERSON && !putting->how->override;
	putting->tally.left += kept;
	putting->chosen[place] = !kept && contact->is_subscribed == (all != 0);
	return putting->chosen[place];
}

/* Whether the import says of a person that mailings are wanted, and no choice of the person's own
   is kept against it. */
static bool
is_said(const struct putting *putting, const struct store_contact_change *contact)
{
	const struct store_choice *choice = &putting->choices[contact - putting->contacts];

	return !putting->audience && contact->is_subscribed_given && contact->is_subscribed &&
	       (choice->all != CONSENT_OF_PERSON || putting->how->override);
}

/* The reason that a new person gives. */
static enum store_agreement
agreement_of(
    const struct putting *putting, const struct store_contact_change *contact, bool subscribed)
{
	const struct store_choice *choice = &putting->choices[contact - putting->contacts];

	if (putting->audience)
		return subscribed ? AGREEMENT_JOINED : AGREEMENT_NONE;
	return is_said(putting, contact) || (subscribed && !choice->all) ? AGREEMENT_SAID
									 : AGREEMENT_NONE;
}

static void
contact_put_insert(
    struct putting *putting, const struct store_contact_change *contact, struct changes *changes)
{
	bool wanted = !contact->is_subscribed_given || contact->is_subscribed;
	bool subscribed = wanted && (!putting->audience || !contact_put_is_left(putting, contact));
	struct base_id *id = &changes->ids[changes->inserted];

	is_choosing(putting, contact);
	*id = base_id_new();
	const struct db_value row[INSERT_COLUMNS] = {db_id(putting->audience),
	    db_text(contact->address), db_id(id), db_id(putting->workspace), db_int(subscribed),
	    db_int(changes->now), db_int(changes->now), db_int(CONSENT_BY_IMPORT),
	    db_int(subscribed ? 0 : CONSENT_OF_OPERATOR)};
	changes->joining[changes->inserted] =
	    (struct store_person_names){contact->address, contact->email, contact->first_name,
		contact->last_name, changes->now, agreement_of(putting, contact, subscribed),
		contact->language, contact->time_zone, contact->properties, CONSENT_BY_IMPORT};
	memcpy(changes->inserts + INSERT_COLUMNS * changes->inserted++, row, sizeof(row));
	changes->unsubscribers += !subscribed;
	if (putting->audience && !subscribed)
		putting->left[putting->left_count++] = contact->address;
}

/* The properties after the change; those of now where nothing changes. */
static const char *
contact_put_merge(const struct putting *putting, const struct store_contact_change *contact,
    const char *now, struct changes *changes)
{
	char *merged =
	    contact->patch ? putting->how->merge(now ? now : "{}", contact->patch) : NULL;

	if (merged)
		g_ptr_array_add(changes->texts, merged);
	return merged ? merged : now;
}

/* The person after the change. Borrows the texts of now or of contact. */
static struct store_person_names
contact_put_lay_over(const struct putting *putting, const struct store_contact_change *contact,
    const struct db_rows *now, struct changes *changes)
{
	const char *properties = db_rows_text(now, FIND_PROPERTIES);

	return (struct store_person_names){
	    .address = contact->address,
	    .email = contact->email,
	    .first_name = contact->first_name_given ? contact->first_name
						    : db_rows_text(now, FIND_FIRST_NAME),
	    .last_name =
		contact->last_name_given ? contact->last_name : db_rows_text(now, FIND_LAST_NAME),
	    .time = changes->now,
	    .agreed = is_said(putting, contact) ? AGREEMENT_SAID : AGREEMENT_NONE,
	    .source = CONSENT_BY_IMPORT,
	    .language =
		contact->language_given ? contact->language : db_rows_text(now, FIND_LANGUAGE),
	    .time_zone =
		contact->time_zone_given ? contact->time_zone : db_rows_text(now, FIND_TIME_ZONE),
	    .properties = contact_put_merge(putting, contact, properties, changes),
	};
}

static bool
contact_put_is_same(const struct store_person_names *then, const struct db_rows *now)
{
	return strcmp(then->email, db_rows_text(now, FIND_EMAIL)) == 0 &&
	       g_strcmp0(then->first_name, db_rows_text(now, FIND_FIRST_NAME)) == 0 &&
	       g_strcmp0(then->last_name, db_rows_text(now, FIND_LAST_NAME)) == 0 &&
	       g_strcmp0(then->language, db_rows_text(now, FIND_LANGUAGE)) == 0 &&
	       g_strcmp0(then->time_zone, db_rows_text(now, FIND_TIME_ZONE)) == 0 &&
	       g_strcmp0(then->properties, db_rows_text(now, FIND_PROPERTIES)) == 0 &&
	       then->agreed <= (enum store_agreement)db_rows_int(now, FIND_AGREED);
}

/* Borrows the texts. */
static struct store_membership_shown
contact_put_read_shown(const struct db_rows *rows)
{
	return (struct store_membership_shown){db_rows_text(rows, FIND_EMAIL),
	    db_rows_text(rows, FIND_FIRST_NAME), db_rows_text(rows, FIND_LAST_NAME)};
}

/* Notes what the change is to a contact, for workflows. */
static void
contact_put_note(struct putting *putting, const struct store_contact_change *contact,
    const struct store_person_names *then, const struct db_rows *now, bool subscribed)
{
	struct contact_put_news *news = &putting->news[contact - putting->contacts];
	bool was = db_rows_int(now, FIND_IS_SUBSCRIBED) != 0;

	if (!putting->audience || !putting->how->tells)
		return;
	db_rows_id(now, FIND_ID, &news->contact);
	news->source = (int)db_rows_int(now, FIND_SOURCE);
	const struct store_membership_shown before = contact_put_read_shown(now);
	news->changed =
	    store_membership_compare(&before,
		&(struct store_membership_shown){then->email, then->first_name, then->last_name}) |
	    (subscribed != was ? CHANGED_IS_SUBSCRIBED : 0);
	news->is_confirmed = subscribed && db_rows_int(now, FIND_IS_PENDING);
	news->has_left = was && !subscribed;
}

static void
contact_put_change(struct putting *putting, const struct store_contact_change *contact,
    const struct db_rows *now, struct changes *changes)
{
	struct store_person_names then = contact_put_lay_over(putting, contact, now, changes);
	bool was = db_rows_int(now, FIND_IS_SUBSCRIBED) != 0;
	bool given = contact->is_subscribed_given && putting->audience;
	bool wanted = given && contact->is_subscribed;
	bool subscribed = wanted ? !contact_put_is_left(putting, contact) : was && !given;
	/* One that waits to be confirmed, and is not wanted, waits no more. */
	bool turned = subscribed != was || (given && !wanted && db_rows_int(now, FIND_IS_PENDING));

	if (!is_choosing(putting, contact) && !turned && contact_put_is_same(&then, now)) {
		putting->tally.unchanged++;
		return;
	}
	const struct db_value row[CHANGE_COLUMNS] = {db_int(subscribed), db_int(changes->now),
	    db_int(subscribed), db_int(!turned), db_int(CONSENT_OF_OPERATOR), db_int(turned),
	    db_id(putting->audience), db_text(contact->address), db_id(putting->workspace)};
	if (turned && subscribed)
		then.agreed = AGREEMENT_JOINED;
	if (turned && !subscribed)
		putting->left[putting->left_count++] = contact->address;
	contact_put_note(putting, contact, &then, now, subscribed);
	changes->changing[changes->updated] = then;
	memcpy(changes->updates + CHANGE_COLUMNS * changes->updated++, row, sizeof(row));
	if (turned)
		putting->turned[contact - putting->contacts] =
		    subscribed ? CONSENT_JOINED : CONSENT_LEFT;
	changes->unsubscribers += was - subscribed;
}

/* Treats a contact that exists, which the row describes. */
static void
contact_put_meet(struct putting *putting, const struct store_contact_change *contact,
    const struct db_rows *now, struct changes *changes)
{
	switch (putting->how->existing) {
	case EXISTING_UPDATE:
		contact_put_change(putting, contact, now, changes);
		break;
	case EXISTING_SKIP:
		putting->tally.skipped++;
		if (putting->how->met)
			putting->how->met(contact, putting->how->context);
		break;
	case EXISTING_REFUSE:
		putting->refused[contact - putting->contacts] = true;
		putting->tally.refused++;
		if (putting->how->met)
			putting->how->met(contact, putting->how->context);
		break;
	}
}

/* Compares the contacts with existing ones (NULL: none): both are in the same order. */
static void
contact_put_compare(struct putting *putting, struct db_rows *rows, struct changes *changes)
{
	bool more = rows && db_rows_next(rows);

	for (guint i = 0; i < putting->count; i++) {
		const struct store_contact_change *contact = &putting->contacts[i];

		if (!more || strcmp(db_rows_text(rows, FIND_ADDRESS), contact->address) != 0) {
			contact_put_insert(putting, contact, changes);
			continue;
		}
		contact_put_meet(putting, contact, rows, changes);
		more = db_rows_next(rows);
	}
	putting->tally.created = changes->inserted;
	putting->tally.updated = changes->updated;
}

static bool
contact_put_write_memberships(
    struct db *db, const struct putting *putting, const struct changes *changes, GError **error)
{
	return !putting->audience || (db_run_rows(db, sql[INSERT], changes->inserts, INSERT_COLUMNS,
					  changes->inserted, NULL, error) &&
					 db_run_rows(db, sql[CHANGE], changes->updates,
					     CHANGE_COLUMNS, changes->updated, NULL, error));
}

/* Tells workflows of new contacts, whose people are there now. */
static bool
contact_put_tell(
    struct db *db, const struct putting *putting, const struct changes *changes, GError **error)
{
	g_autofree const struct base_id **ids = g_new(const struct base_id *, changes->inserted);

	for (gsize i = 0; i < changes->inserted; i++)
		ids[i] = &changes->ids[i];
	return store_own_contacts_created(
	    db, putting->workspace, ids, (guint)changes->inserted, error);
}

/* Tells workflows of people who were kept back as nobody had confirmed their address, before the
   change makes them known. */
static bool
contact_put_tell_confirmed(struct db *db, const struct putting *putting, GError **error)
{
	for (guint i = 0; i < putting->count; i++)
		if (putting->news[i].is_confirmed &&
		    !store_own_confirm(db, putting->workspace, putting->contacts[i].address,
			putting->news[i].source, error))
			return false;
	return true;
}

/* Tells workflows of the changes of contacts, whose rows are written. */
static bool
contact_put_tell_changes(struct db *db, const struct putting *putting, GError **error)
{
	static const struct store_consent_turn by_import = {
	    false, CONSENT_OF_OPERATOR, CONSENT_BY_IMPORT};

	for (guint i = 0; i < putting->count; i++) {
		const struct contact_put_news *news = &putting->news[i];
		const struct base_id *contact = &news->contact;

		if (news->changed && !store_own_contact_updated(
					 db, putting->workspace, contact, news->changed, error))
			return false;
		if (news->is_confirmed &&
		    !store_own_contacts_created(db, putting->workspace, &contact, 1, error))
			return false;
		if (news->has_left && !store_own_contact_unsubscribed(
					  db, putting->workspace, contact, &by_import, error))
			return false;
	}
	return true;
}

/* Tells workflows of the contacts in other audiences, which show what people have now. before: as
   contact_put_shown has read it; its people are locked, so each of them is there still. */
static bool
contact_put_tell_shown(
    struct db *db, const struct putting *putting, struct db_rows *before, GError **error)
{
	AUTO(db_rows) after = NULL;
	bool more = before && db_rows_next(before);

	if (!more || !contact_put_shown(db, putting, &after, error))
		return !more;
	while (more && db_rows_next(after)) {
		const char *address = db_rows_text(before, FIND_ADDRESS);

		if (strcmp(address, db_rows_text(after, FIND_ADDRESS)) != 0)
			continue;
		const struct store_membership_shown was = contact_put_read_shown(before);
		const struct store_membership_shown is = contact_put_read_shown(after);
		if (!store_membership_tell_workflows(db, putting->workspace, address,
			putting->audience, store_membership_compare(&was, &is), error))
			return false;
		more = db_rows_next(before);
	}
	return true;
}

/* The data of contacts has changed in the order of this call: contacts, people, counters. */
static bool
contact_put_write_changes(
    struct db *db, const struct putting *putting, const struct changes *changes, GError **error)
{
	bool alone = !putting->audience;
	if (!contact_put_tell_confirmed(db, putting, error))
		return false;
	enum store_person_way way = alone && !putting->look			? PERSON_NEW
				    : putting->how->existing == EXISTING_UPDATE ? PERSON_GIVE
										: PERSON_FILL;
	AUTO(db_rows) before = NULL;

	return contact_put_write_memberships(db, putting, changes, error) &&
	       contact_put_shown(db, putting, &before, error) &&
	       store_person_import(db, way,
		   &(struct store_person_imported){
		       putting->workspace, alone, changes->joining, (guint)changes->inserted},
		   error) &&
	       (alone || contact_put_tell(db, putting, changes, error)) &&
	       store_person_import(db, PERSON_SET,
		   &(struct store_person_imported){
		       putting->workspace, alone, changes->changing, (guint)changes->updated},
		   error) &&
	       store_agreement_leave(
		   db, putting->workspace, putting->left, putting->left_count, error) &&
	       contact_put_tell_changes(db, putting, error) &&
	       (alone || store_audience_count(db, putting->workspace, putting->audience,
			     (gint64)changes->inserted, changes->unsubscribers, error)) &&
	       contact_put_tell_shown(db, putting, before, error);
}

/* Reads the standing choices into stand_r. Most workspaces have few of them, and many have none. */
static bool
contact_put_match(
    struct db *db, struct putting *putting, struct store_choice *choices_r, GError **error)
{
	const struct store_contact_putting *how = putting->how;
	bool any = false;

	base_array_clear(choices_r, putting->count, sizeof(*choices_r));
	if (!how->keys)
		return true;
	if (!store_choice_any(db, putting->workspace, &any, error))
		return false;
	if (any && !putting->keys)
		putting->keys = how->keys(how->context);
	return !any || store_choice_match(db,
			   &(struct store_suppression_people){
			       putting->workspace, putting->keys, putting->count},
			   putting->audience, choices_r, error);
}

static bool
look_at_choices(struct db *db, struct putting *putting, GError **error)
{
	base_array_clear(putting->against, putting->count, sizeof(*putting->against));
	base_array_clear(putting->chosen, putting->count, sizeof(*putting->chosen));
	base_array_clear(putting->turned, putting->count, sizeof(*putting->turned));
	base_array_clear(putting->news, putting->count, sizeof(*putting->news));
	return contact_put_match(db, putting, putting->choices, error);
}

/* The act of an import. */
static struct store_consent_act
contact_put_act_of(const struct putting *putting)
{
	const struct store_consent_override *override = putting->how->override;

	return (struct store_consent_act){.source = CONSENT_BY_IMPORT,
	    .author = CONSENT_OF_OPERATOR,
	    .user = override ? override->user : NULL,
	    .key = override ? override->key : NULL,
	    .reason = override ? override->reason : NULL};
}

static bool
end_choices(struct db *db, const struct putting *putting, GError **error)
{
	const struct store_consent_about about = {.audience = putting->audience};
	const struct store_consent_act act = contact_put_act_of(putting);

	for (guint i = 0; i < putting->count; i++) {
		if (putting->chosen[i] &&
		    !putting->how->choose(db, &putting->contacts[i], putting->how->context, error))
			return false;
		if (putting->against[i] &&
		    !store_choice_end(db, &putting->keys[i], &putting->choices[i],
			&(struct store_consent_change){.workspace = putting->workspace,
			    .person = putting->keys[i].address,
			    .about = &about,
			    .act = &act},
			error))
			return false;
	}
	return true;
}

/* Whether the choice of a person about all mailings stands after the changes. */
static bool
is_flagged(const struct putting *putting, guint i)
{
	return putting->chosen[i] ? !putting->contacts[i].is_subscribed
				  : putting->choices[i].all && !putting->against[i];
}

/* Keeps the changes in the history, and flags new people whose choices stand. */
static bool
note_choices(struct db *db, struct putting *putting, GError **error)
{
	const struct store_consent_about about = {.audience = putting->audience};
	const struct store_consent_act act = contact_put_act_of(putting);

	for (guint i = 0; i < putting->count; i++) {
		if (putting->turned[i] &&
		    !store_consent_record(db,
			&(struct store_consent_change){putting->workspace,
			    putting->contacts[i].address,
			    (enum store_consent_kind)putting->turned[i], &about, &act},
			error))
			return false;
		if (!is_flagged(putting, i))
			continue;
		if (!putting->keys)
			putting->keys = putting->how->keys(putting->how->context);
		if (!store_choice_flag(db, putting->workspace, &putting->keys[i], error))
			return false;
	}
	return true;
}

/* Reads the choices again, once the contacts are written (store/consent/choice.h): a choice found
   only now was made meanwhile, and the transaction is run again. */
static bool
look_again(struct db *db, struct putting *putting, GError **error)
{
	g_autofree struct store_choice *now = g_new0(struct store_choice, putting->count);

	if (!contact_put_match(db, putting, now, error))
		return false;
	for (guint i = 0; i < putting->count; i++)
		putting->raced |=
		    stands(&now[i]) && !stands(&putting->choices[i]) && !putting->chosen[i];
	if (!putting->raced)
		return true;
	g_set_error_literal(
	    error, PH_ERROR, PH_ERROR_CONFLICT, "People have unsubscribed at the same time");
	return false;
}

static bool
contact_put_put(struct db *db, void *context, GError **error)
{
	struct putting *putting = context;
	g_autofree struct base_id *ids = g_new(struct base_id, putting->count);
	g_autofree struct db_value *inserts =
	    g_new(struct db_value, (gsize)INSERT_COLUMNS * putting->count);
	g_autofree struct db_value *updates =
	    g_new(struct db_value, (gsize)CHANGE_COLUMNS * putting->count);
	g_autofree struct store_person_names *names =
	    g_new(struct store_person_names, 2 * (gsize)putting->count);
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	struct changes changes = {.inserts = inserts,
	    .updates = updates,
	    .joining = names,
	    .changing = names + putting->count,
	    .ids = ids,
	    .texts = texts,
	    .now = base_clock_now()};

	putting->tally = (struct store_contact_tally){0};
	putting->raced = false;
	putting->left_count = 0;
	putting->rehearsed = false;
	base_array_clear(putting->refused, putting->count, sizeof(*putting->refused));
	if (!putting->how->tells)
		store_own_hush(db);
	if (!lock_audience(db, putting, error))
		return false;
	AUTO(db_rows) rows = NULL;
	if (!contact_put_find(db, putting, &rows, error) || !look_at_choices(db, putting, error))
		return false;
	contact_put_compare(putting, rows, &changes);
	if (putting->how->rehearse) {
		putting->rehearsed = true;
		g_set_error_literal(error, PH_ERROR, PH_ERROR_FAILED, "This is a rehearsal");
		return false;
	}
	return end_choices(db, putting, error) &&
	       contact_put_write_changes(db, putting, &changes, error) &&
	       note_choices(db, putting, error) && look_again(db, putting, error) &&
	       (!putting->how->also ||
		   putting->how->also(db, &putting->tally, putting->how->context, error));
}

void
store_contact_tally_add(const struct store_contact_tally *some, struct store_contact_tally *all)
{
	all->created += some->created;
	all->updated += some->updated;
	all->unchanged += some->unchanged;
	all->skipped += some->skipped;
	all->refused += some->refused;
	all->left += some->left;
}

bool
store_contact_put(struct db *db, const struct store_contact_change *contacts, guint count,
    const struct store_contact_putting *how, struct store_contact_tally *tally, GError **error)
{
	g_autofree struct store_choice *choices = g_new0(struct store_choice, count);
	g_autofree bool *against = g_new0(bool, count);
	g_autofree bool *chosen = g_new0(bool, count);
	g_autofree guint8 *turned = g_new0(guint8, count);
	g_autofree struct contact_put_news *news = g_new0(struct contact_put_news, count);
	g_autofree bool *refused = g_new0(bool, count);
	g_autofree const char **left = g_new(const char *, count);
	struct putting putting = {
	    .workspace = how->workspace,
	    .audience = how->audience,
	    .contacts = contacts,
	    .count = count,
	    .how = how,
	    .choices = choices,
	    .against = against,
	    .chosen = chosen,
	    .turned = turned,
	    .news = news,
	    .left = left,
	    .refused = refused,
	    .look = how->look_first || how->rehearse,
	};

	g_assert(count <= STORE_CONTACT_BATCH);
	for (guint i = 0; i < count; i++)
		putting.has_data |= contacts[i].patch != NULL;
	for (guint tries = 1; count > 0; tries++) {
		g_autoptr(GError) failure = NULL;

		if (db_transact(db, contact_put_put, &putting, &failure) || putting.rehearsed)
			break;
		bool exists =
		    !putting.raced && db_cause_is_key(db, how->audience ? "PRIMARY" : "address");
		putting.look |= exists;
		if (tries < TRIES && g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) &&
		    (putting.raced || exists))
			continue;
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	store_contact_tally_add(&putting.tally, tally);
	for (guint i = 0; i < count; i++)
		if (refused[i])
			how->refuse(&contacts[i], how->context);
	return true;
}
