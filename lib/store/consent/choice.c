/* SPDX-License-Identifier: MIT */
/* Stores and reads the choices of people who get no mailings at all. */
#include "store/consent/choice.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "store/automation/own.h"
#include "db/transaction.h"
#include "store/consent/confirmation.h"
#include "store/consent/consent.h"
#include "store/webhook/enqueue.h"

#define ALL_ROUND                                                                                  \
	DB_MARKS_64 ", " DB_MARKS_64 ", " DB_MARKS_64 ", " DB_MARKS_64 ", " DB_MARKS_64            \
		    ", " DB_MARKS_64 ", " DB_MARKS_64 ", " DB_MARKS_64
#define OF_PERSON " WHERE workspace_id = ? AND person = ?"
#define OF_LINK OF_PERSON " AND email_id = ? AND recipient = ?"
#define SOME(marks) " WHERE workspace_id = ? AND person IN (" marks ")"
#define LEFT_AUDIENCE " AND is_topic = 0 AND is_chosen = 0"
#define FORBID_ALL(marks)                                                                          \
	"IF EXISTS (SELECT 1 FROM choice" SOME(                                                    \
	    marks) " LOCK IN SHARE MODE)"                                                          \
		   " OR EXISTS (SELECT 1 FROM choice_part" SOME(marks) LEFT_AUDIENCE               \
	    " LOCK IN SHARE MODE)"                                                                 \
	    " THEN " DB_REFUSE(STORE_CHOICE_REFUSED) " END IF"

/* People who are looked up by one statement; those for whom it finds something get statements of
   their own. */
#define FLAG_PEOPLE(people, flags)                                                                 \
	"IF EXISTS (SELECT 1 FROM choice WHERE workspace_id = ? AND person IN (" people            \
	")) THEN " flags " END IF"
#define MARKS_4 "?, ?, ?, ?"
#define FLAG_4 CHOICE_FLAG "; " CHOICE_FLAG "; " CHOICE_FLAG "; " CHOICE_FLAG ";"

enum {
	LOCK,
	LOCK_PART,
	STANDS,
	FORBID_FEW,
	FORBID_SOME,
	FORBID_MANY,
	ANY,
	MATCH,
	LEAVE,
	HAND_OVER,
	LEAVE_LINK,
	FLAG,
	FLAG_NEW,
	FLAG_FEW,
	FLAG_SOME,
	FLAG_MANY,
	CONTACT,
	RETURN_LINK,
	LEFT_LINKS,
	END_LINKS,
	END_CONTACTS,
	END,
	KEEP_HASH,
	KEEP_PARTS,
	END_PARTS,
	END_UNDO,
	VIEW
};
static const char *const sql[] = {
    [LOCK] = "SELECT author FROM choice" CHOICE_OF_PERSON " ORDER BY author LIMIT 1 FOR UPDATE",
    [LOCK_PART] = "SELECT author FROM choice_part" CHOICE_OF_PERSON
		  " AND target_id = ? AND is_chosen = 0 ORDER BY author LIMIT 1 FOR UPDATE",
    [STANDS] = "SELECT 1 FROM choice" CHOICE_OF_PERSON " LIMIT 1",
    [FORBID_FEW] = FORBID_ALL(DB_MARKS_8),
    [FORBID_SOME] = FORBID_ALL(DB_MARKS_8 ", " DB_MARKS_8),
    [FORBID_MANY] = FORBID_ALL(DB_MARKS_64),
    [ANY] = "(SELECT 1 FROM choice WHERE workspace_id = ? LIMIT 1 LOCK IN SHARE MODE)"
	    " UNION ALL (SELECT 1 FROM choice_part WHERE workspace_id = ?" LEFT_AUDIENCE
	    " LIMIT 1 LOCK IN SHARE MODE)",
    [MATCH] = "(SELECT person, author, 0 FROM choice WHERE workspace_id = ?"
	      " AND person IN (" ALL_ROUND ") LOCK IN SHARE MODE) UNION ALL"
	      " (SELECT person, author, 1 FROM choice_part WHERE workspace_id = ? AND person IN"
	      " (" ALL_ROUND ") AND target_id = ? AND is_chosen = 0 LOCK IN SHARE MODE)",
    [LEAVE] = "INSERT INTO choice (workspace_id, person, created, author, is_operated)"
	      " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE created = VALUES(created),"
	      " author = LEAST(author, VALUES(author)),"
	      " is_operated = GREATEST(is_operated, VALUES(is_operated))",
    [HAND_OVER] = "UPDATE choice SET author = ?" OF_PERSON " AND is_operated = 1",
    [LEAVE_LINK] = "INSERT INTO choice_link (workspace_id, person, email_id, recipient, created)"
		   " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE created = VALUES(created)",
    [FLAG] = "UPDATE person FORCE INDEX (address) SET is_subscribed = ?, updated = ?"
	     " WHERE workspace_id = ?"
	     " AND address = ? AND is_subscribed <> ?",
    [FLAG_NEW] = FLAG_PEOPLE(MARKS_4, CHOICE_FLAG ";"),
    [FLAG_FEW] = FLAG_PEOPLE(DB_MARKS_8 ", " DB_MARKS_8, FLAG_4),
    [FLAG_SOME] =
	FLAG_PEOPLE(DB_MARKS_8 ", " DB_MARKS_8 ", " DB_MARKS_8 ", " DB_MARKS_8, FLAG_4 " " FLAG_4),
    [FLAG_MANY] = FLAG_PEOPLE(DB_MARKS_64, FLAG_4 " " FLAG_4 " " FLAG_4 " " FLAG_4),
    [CONTACT] = "INSERT IGNORE INTO choice_contact (workspace_id, person, contact_id)"
		" VALUES (?, ?, ?)",
    [RETURN_LINK] = "DELETE FROM choice_link" OF_LINK " AND created >= ?",
    [LEFT_LINKS] = "SELECT 1 FROM choice_link" OF_PERSON " LIMIT 1",
    [END_LINKS] = "DELETE FROM choice_link" OF_PERSON,
    [END_CONTACTS] = "DELETE FROM choice_contact" OF_PERSON,
    [END] = "DELETE FROM choice" OF_PERSON,
    [KEEP_HASH] = "INSERT IGNORE INTO choice (workspace_id, person, created, author)"
		  " VALUES (?, ?, ?, ?)",
    [KEEP_PARTS] =
	"INSERT IGNORE INTO choice_part (workspace_id, person, target_id, is_topic,"
	" is_chosen, author, created) SELECT workspace_id, ?, target_id, is_topic, 0,"
	" author, created FROM choice_part" OF_PERSON " AND is_chosen = 0 AND author = ?",
    [END_PARTS] = "DELETE FROM choice_part" OF_PERSON,
    [END_UNDO] = "DELETE FROM choice_undo" OF_PERSON,
    [VIEW] = "SELECT email_id = ? AND recipient = ? AND created >= ? FROM choice_link" OF_PERSON,
};

/* The columns of MATCH. */
enum { MATCH_PERSON, MATCH_AUTHOR, MATCH_IS_PART };

#define ROUND 512 /* the number of people that MATCH takes */

struct db_value
store_choice_person(const struct store_suppression_key *key, guint i)
{
	return i == 0 ? db_text(key->address) : db_bytes(key->hashes[i - 1], SHA256_SIZE);
}

static void
ask_forms(const struct store_suppression_key *key, struct db_value values_r[CHOICE_PEOPLE])
{
	for (guint i = 0; i < CHOICE_PEOPLE; i++)
		values_r[i] = store_choice_person(key, MIN(i, key->count));
}

static void
ask_person(const struct base_id *workspace, const struct store_suppression_key *key,
    struct db_value values_r[CHOICE_PERSON_VALUES])
{
	values_r[0] = db_id(workspace);
	ask_forms(key, values_r + 1);
}

void
store_choice_ask(const struct base_id *workspace, const struct store_suppression_key *key,
    const struct base_id *audience, struct db_value values_r[CHOICE_VALUES])
{
	ask_person(workspace, key, values_r);
	ask_person(workspace, key, values_r + CHOICE_PERSON_VALUES);
	values_r[CHOICE_VALUES - 1] = db_id(audience);
}

bool
store_choice_refuse(GError **error)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_CONFLICT,
	    "This person has unsubscribed; override is required");
	return false;
}

static bool
find_author(struct db *db, int statement, const struct db_value *values, guint count,
    enum store_consent_author *author_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[statement], values, count, error);

	*author_r = rows && db_rows_next(rows)
			? (enum store_consent_author)db_rows_int(rows, DB_ROWS_ONLY)
			: 0;
	return rows != NULL;
}

bool
store_choice_find(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct base_id *target,
    struct store_choice *choice_r, GError **error)
{
	struct db_value values[CHOICE_PERSON_VALUES + 1];

	*choice_r = (struct store_choice){0};
	ask_person(workspace, key, values);
	values[CHOICE_PERSON_VALUES] = db_id(target);
	return find_author(db, LOCK, values, CHOICE_PERSON_VALUES, &choice_r->all, error) &&
	       (!target || find_author(db, LOCK_PART, values, CHOICE_PERSON_VALUES + 1,
			       &choice_r->part, error));
}

bool
store_choice_stands(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, bool *stands_r, GError **error)
{
	struct db_value values[CHOICE_PERSON_VALUES];

	ask_person(workspace, key, values);
	AUTO(db_rows) rows = db_select(db, sql[STANDS], values, G_N_ELEMENTS(values), error);
	*stands_r = rows && db_rows_next(rows);
	return rows != NULL;
}

#define FORBIDDEN (STORE_CHOICE_TOGETHER * CHOICE_PEOPLE)
G_STATIC_ASSERT(FORBIDDEN == 64);

/* The forms of all people; their number. */
static guint
list_forms(const struct store_suppression_key *people, guint count, struct db_value values_r[])
{
	guint forms = 0;

	for (guint i = 0; i < count; i++)
		for (guint form = 0; form < 1 + MIN(people[i].count, CHOICE_PEOPLE - 1); form++)
			values_r[forms++] = store_choice_person(&people[i], form);
	return forms;
}

bool
store_choice_forbid(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *people, guint count, GError **error)
{
	static const struct {
		int statement;
		guint forms;
	} sizes[] = {{FORBID_FEW, 8}, {FORBID_SOME, 16}, {FORBID_MANY, FORBIDDEN}};
	struct db_value values[2 * (1 + FORBIDDEN)];
	guint size = 0;

	g_assert(count <= STORE_CHOICE_TOGETHER);
	if (count == 0)
		return true;
	values[0] = db_id(workspace);
	guint forms = list_forms(people, count, values + 1);
	while (sizes[size].forms < forms)
		size++;
	guint room = sizes[size].forms;
	/* The list repeats its last form. */
	for (guint i = forms; i < room; i++)
		values[1 + i] = values[forms];
	base_array_copy(values + 1 + room, values, 1 + room, sizeof(*values));
	return db_defer(db, sql[sizes[size].statement], values, 2 * (1 + room), 1, error);
}

bool
store_choice_any(struct db *db, const struct base_id *workspace, bool *any_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[ANY], DB_VALUES(db_id(workspace), db_id(workspace)), error);

	*any_r = rows && db_rows_next(rows);
	return rows != NULL;
}

/* The audience of a search. */
struct search {
	const struct base_id *workspace, *audience;
	GArray *sought; /* of struct sought */
};

/* One of these forms, and the place of its person. */
struct sought {
	struct db_value value;
	guint place;
};

static void
choice_note(
    const GArray *sought, guint from, guint to, struct db_rows *rows, struct store_choice *choices)
{
	gsize size;

	while (db_rows_next(rows)) {
		const void *person = db_rows_bytes(rows, MATCH_PERSON, &size);
		bool is_part = db_rows_int(rows, MATCH_IS_PART) != 0;

		for (guint i = from; i < to; i++) {
			const struct sought *one = &g_array_index(sought, struct sought, i);
			struct store_choice *choice = &choices[one->place];

			if (one->value.size == size && memcmp(one->value.data, person, size) == 0)
				*(is_part ? &choice->part : &choice->all) =
				    (enum store_consent_author)db_rows_int(rows, MATCH_AUTHOR);
		}
	}
}

static bool
choice_match_round(struct db *db, const struct search *search, guint from,
    struct store_choice *choices, GError **error)
{
	const GArray *sought = search->sought;
	struct db_value values[2 * (1 + ROUND) + 1];
	guint to = MIN(from + ROUND, sought->len);

	values[0] = db_id(search->workspace);
	for (guint i = 0; i < ROUND; i++)
		values[1 + i] = g_array_index(sought, struct sought, MIN(from + i, to - 1)).value;
	base_array_copy(values + 1 + ROUND, values, 1 + ROUND, sizeof(*values));
	values[G_N_ELEMENTS(values) - 1] = db_id(search->audience);
	AUTO(db_rows) rows = db_select(db, sql[MATCH], values, G_N_ELEMENTS(values), error);
	if (rows)
		choice_note(sought, from, to, rows, choices);
	return rows != NULL;
}

bool
store_choice_match(struct db *db, const struct store_suppression_people *people,
    const struct base_id *audience, struct store_choice *choices_r, GError **error)
{
	g_autoptr(GArray) sought = g_array_new(FALSE, FALSE, sizeof(struct sought));
	const struct search search = {people->workspace, audience, sought};

	for (guint i = 0; i < people->count; i++) {
		const struct store_suppression_key *key = &people->keys[i];

		choices_r[i] = (struct store_choice){0};
		for (guint k = 0; k <= key->count; k++) {
			const struct sought one = {store_choice_person(key, k), i};
			g_array_append_val(sought, one);
		}
	}
	for (guint from = 0; from < sought->len; from += ROUND)
		if (!choice_match_round(db, &search, from, choices_r, error))
			return false;
	return true;
}

/* The person's row, if there is one, has what the choice says. */
static bool
choice_flag(struct db *db, const struct base_id *workspace, const char *address, bool subscribed,
    GError **error)
{
	gint64 now = base_clock_now();

	return store_own_people_before(db, workspace, &address, 1, error) &&
	       db_defer(db, sql[FLAG],
		   DB_VALUES(db_int(subscribed), db_int(now), db_id(workspace), db_text(address),
		       db_int(subscribed)),
		   1, error) &&
	       store_webhook_enqueue_person(
		   db, workspace, address, WEBHOOK_PERSON_UPDATED, now, error);
}

bool
store_choice_leave(struct db *db, const struct base_id *workspace, const char *address,
    enum store_consent_author author, const struct store_choice_link *link, GError **error)
{
	gint64 now = base_clock_now();

	return db_run(db, sql[LEAVE],
		   DB_VALUES(db_id(workspace), db_text(address), db_int(now), db_int(author),
		       db_int(author == CONSENT_OF_OPERATOR)),
		   NULL, error) &&
	       (!link || db_run(db, sql[LEAVE_LINK],
			     DB_VALUES(db_id(workspace), db_text(address), db_id(&link->email_id),
				 db_int(link->recipient), db_int(now)),
			     NULL, error)) &&
	       choice_flag(db, workspace, address, false, error);
}

void
store_choice_ask_flag(const struct base_id *workspace, const struct store_suppression_key *key,
    struct db_value values_r[CHOICE_FLAG_VALUES])
{
	values_r[0] = db_id(workspace);
	values_r[1] = db_text(key->address);
	ask_person(workspace, key, values_r + 2);
}

#define FLAGGED 16 /* the number of people that FLAG_MANY takes */
G_STATIC_ASSERT(CHOICE_PEOPLE == 4);

static bool
flag_some(struct db *db, const struct base_id *workspace, const struct store_suppression_key *keys,
    guint count, GError **error)
{
	static const struct {
		int statement;
		guint people;
	} sizes[] = {{FLAG_NEW, 1}, {FLAG_FEW, 4}, {FLAG_SOME, 8}, {FLAG_MANY, FLAGGED}};
	struct db_value values[1 + FLAGGED * (CHOICE_PEOPLE + CHOICE_FLAG_VALUES)];
	guint size = 0, filled = 1;

	while (sizes[size].people < count)
		size++;
	values[0] = db_id(workspace);
	for (guint i = 0; i < sizes[size].people; i++, filled += CHOICE_PEOPLE)
		ask_forms(&keys[MIN(i, count - 1)], values + filled);
	for (guint i = 0; i < sizes[size].people; i++, filled += CHOICE_FLAG_VALUES)
		store_choice_ask_flag(workspace, &keys[MIN(i, count - 1)], values + filled);
	return db_defer(db, sql[sizes[size].statement], values, filled, 1, error);
}

bool
store_choice_flag_all(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *keys, guint count, GError **error)
{
	for (guint i = 0; i < count; i += FLAGGED)
		if (!flag_some(db, workspace, keys + i, MIN(count - i, FLAGGED), error))
			return false;
	return true;
}

bool
store_choice_flag(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	return store_choice_flag_all(db, workspace, key, 1, error);
}

bool
store_choice_contact(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *contact, GError **error)
{
	return db_defer(db, sql[CONTACT],
	    DB_VALUES(db_id(workspace), db_text(address), db_id(contact)), 1, error);
}

/* The choice is the operator's again, if an operator has made it, too; else *over_r: nobody's. */
static bool
choice_hand_over(struct db *db, const struct base_id *workspace, const char *address, bool *over_r,
    GError **error)
{
	guint64 handed;
	bool done = db_run(db, sql[HAND_OVER],
	    DB_VALUES(db_int(CONSENT_OF_OPERATOR), db_id(workspace), db_text(address)), &handed,
	    error);

	*over_r = done && handed == 0;
	return done;
}

bool
store_choice_return(struct db *db, const struct store_choice_use *use, bool *last_r, GError **error)
{
	const struct base_id *workspace = use->workspace;
	const char *address = use->address;
	const struct store_suppression_key key = {.address = address};
	struct store_choice choice;
	guint64 removed;

	*last_r = false;
	if (!store_choice_find(db, workspace, &key, NULL, &choice, error) ||
	    !db_run(db, sql[RETURN_LINK],
		DB_VALUES(db_id(workspace), db_text(address), db_id(&use->link->email_id),
		    db_int(use->link->recipient), db_int(use->since)),
		&removed, error))
		return false;
	if (!choice.all || removed == 0)
		return true;
	AUTO(db_rows) left =
	    db_select(db, sql[LEFT_LINKS], DB_VALUES(db_id(workspace), db_text(address)), error);
	if (!left)
		return false;
	if (db_rows_next(left))
		return true;
	return choice_hand_over(db, workspace, address, last_r, error);
}

/* Whether the entry is that of a choice, and goes with it. */
static bool
is_of_choice(const struct store_suppression *entry)
{
	return !entry->hashed && (entry->reason == SUPPRESSION_UNSUBSCRIBED ||
				     entry->scope == SUPPRESSION_AUTOMATION);
}

static bool
lift_entry(struct db *db, const struct base_id *workspace, const struct store_suppression_key *key,
    GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(store_suppression) entry = store_suppression_lock(db, workspace, key, &failure);
	guint count;

	if (!entry && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	return !entry || !is_of_choice(entry) ||
	       (store_webhook_enqueue_unsuppressed(db, entry, error) &&
		   store_suppression_remove(db, workspace, key, &count, error));
}

static bool
end_rows(struct db *db, const struct base_id *workspace, const struct store_suppression_key *key,
    const int *statements, guint count, GError **error)
{
	for (guint k = 0; k <= key->count; k++)
		for (guint i = 0; i < count; i++)
			if (!db_run(db, sql[statements[i]],
				DB_VALUES(db_id(workspace), store_choice_person(key, k)), NULL,
				error))
				return false;
	return true;
}

bool
store_choice_lift(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	static const int rows[] = {END_LINKS, END_CONTACTS, END};

	return lift_entry(db, workspace, key, error) &&
	       end_rows(db, workspace, key, rows, G_N_ELEMENTS(rows), error) &&
	       choice_flag(db, workspace, key->address, true, error);
}

/* Keeps under the first hash what the person left in person. */
static bool
keep_parts(struct db *db, const struct base_id *workspace, const struct store_suppression_key *key,
    GError **error)
{
	static const int rows[] = {END_PARTS, END_UNDO};
	const struct store_suppression_key named = {.address = key->address};

	return db_run(db, sql[KEEP_PARTS],
		   DB_VALUES(store_choice_person(key, 1), db_id(workspace), db_text(key->address),
		       db_int(CONSENT_OF_PERSON)),
		   NULL, error) &&
	       end_rows(db, workspace, &named, rows, G_N_ELEMENTS(rows), error);
}

bool
store_choice_erase(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	static const int rows[] = {END_LINKS, END_CONTACTS, END};
	struct store_choice choice;

	return store_choice_find(db, workspace, key, NULL, &choice, error) &&
	       end_rows(db, workspace, key, rows, G_N_ELEMENTS(rows), error) &&
	       keep_parts(db, workspace, key, error) &&
	       store_consent_erase(db, workspace, key->address, error) &&
	       store_confirmation_erase(db, workspace, key->address, error) &&
	       (choice.all != CONSENT_OF_PERSON ||
		   db_run(db, sql[KEEP_HASH],
		       DB_VALUES(db_id(workspace), store_choice_person(key, 1),
			   db_int(base_clock_now()), db_int(CONSENT_OF_PERSON)),
		       NULL, error));
}

bool
store_choice_view(
    struct db *db, const struct store_choice_use *use, bool *own_r, bool *others_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[VIEW],
	    DB_VALUES(db_id(&use->link->email_id), db_int(use->link->recipient), db_int(use->since),
		db_id(use->workspace), db_text(use->address)),
	    error);

	*own_r = *others_r = false;
	if (!rows)
		return false;
	while (db_rows_next(rows))
		*(db_rows_int(rows, DB_ROWS_ONLY) ? own_r : others_r) = true;
	return true;
}
