/* SPDX-License-Identifier: MIT */
/* Stores and reads the choices of people who unsubscribed themselves, and a record of each
   change. */
#include "store/choice.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/consent.h"

#define EIGHT "?, ?, ?, ?, ?, ?, ?, ?"
#define SIXTY_FOUR                                                                                 \
	EIGHT ", " EIGHT ", " EIGHT ", " EIGHT ", " EIGHT ", " EIGHT ", " EIGHT ", " EIGHT
#define ALL_ROUND                                                                                  \
	SIXTY_FOUR ", " SIXTY_FOUR ", " SIXTY_FOUR ", " SIXTY_FOUR ", " SIXTY_FOUR ", " SIXTY_FOUR \
		   ", " SIXTY_FOUR ", " SIXTY_FOUR
#define OF_PERSON " WHERE workspace_id = ? AND person = ?"
#define OF_LINK OF_PERSON " AND email_id = ? AND recipient = ?"

enum {
	LOCK,
	FORBID,
	ANY,
	MATCH,
	LEAVE,
	LEAVE_LINK,
	ENTRY,
	CONTACT,
	RETURN_LINK,
	LEFT_LINKS,
	LIFT_ENTRY,
	END_LINKS,
	END_CONTACTS,
	END,
	KEEP_HASH,
	VIEW
};
static const char *const sql[] = {
    [LOCK] = "SELECT 1" CHOICE_OF " FOR UPDATE",
    [FORBID] = "IF EXISTS (SELECT 1 FROM choice WHERE workspace_id = ?"
	       " AND person IN (" SIXTY_FOUR ") LOCK IN SHARE MODE)"
	       " THEN " DB_BLOCK_DUPLICATE("choice") " END IF",
    [ANY] = "SELECT 1 FROM choice WHERE workspace_id = ? LIMIT 1 LOCK IN SHARE MODE",
    [MATCH] = "SELECT person FROM choice WHERE workspace_id = ? AND person IN (" ALL_ROUND ")"
	      " LOCK IN SHARE MODE",
    [LEAVE] = "INSERT INTO choice (workspace_id, person, created) VALUES (?, ?, ?)"
	      " ON DUPLICATE KEY UPDATE created = VALUES(created)",
    [LEAVE_LINK] = "INSERT INTO choice_link (workspace_id, person, email_id, recipient, created)"
		   " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE created = VALUES(created)",
    [ENTRY] = "UPDATE choice SET suppression_id = ?"
	      " WHERE workspace_id = ? AND person IN (?, ?, ?, ?)",
    [CONTACT] = "INSERT IGNORE INTO choice_contact (workspace_id, person, contact_id)"
		" VALUES (?, ?, ?)",
    [RETURN_LINK] = "DELETE FROM choice_link" OF_LINK " AND created >= ?",
    [LEFT_LINKS] = "SELECT 1 FROM choice_link" OF_PERSON " LIMIT 1",
    /* An entry that has got another reason stays. */
    [LIFT_ENTRY] = "DELETE s FROM choice c JOIN suppression s ON s.id = c.suppression_id"
		   " WHERE c.workspace_id = ? AND c.person = ? AND s.reason = ?",
    [END_LINKS] = "DELETE FROM choice_link" OF_PERSON,
    [END_CONTACTS] = "DELETE FROM choice_contact" OF_PERSON,
    [END] = "DELETE FROM choice" OF_PERSON,
    [KEEP_HASH] = "INSERT IGNORE INTO choice (workspace_id, person, created) VALUES (?, ?, ?)",
    [VIEW] = "SELECT email_id = ? AND recipient = ? AND created >= ? FROM choice_link" OF_PERSON,
};

#define ROUND 512 /* the number of people that MATCH takes */

/* The forms under which a person may be stored: the address, and each of the hashes. */
static struct db_value
person_at(const struct store_suppression_key *key, guint i)
{
	return i == 0 ? db_text(key->address) : db_bytes(key->hashes[i - 1], SHA256_SIZE);
}

void
store_choice_ask(const struct base_id *workspace, const struct store_suppression_key *key,
    struct db_value values_r[CHOICE_VALUES])
{
	values_r[0] = db_id(workspace);
	for (guint i = 0; i < CHOICE_PEOPLE; i++)
		values_r[1 + i] = person_at(key, MIN(i, key->count));
}

bool
store_choice_refuse(GError **error)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_CONFLICT,
	    "This person has unsubscribed; override is required");
	return false;
}

bool
store_choice_stands(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, bool *stands_r, GError **error)
{
	struct db_value values[CHOICE_VALUES];

	store_choice_ask(workspace, key, values);
	AUTO(db_rows) rows = db_select(db, sql[LOCK], values, CHOICE_VALUES, error);
	*stands_r = rows && db_rows_next(rows);
	return rows != NULL;
}

#define FORBIDDEN (STORE_CHOICE_TOGETHER * CHOICE_PEOPLE)
G_STATIC_ASSERT(FORBIDDEN == 64);

bool
store_choice_forbid(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *const *people, guint count, GError **error)
{
	struct db_value values[1 + FORBIDDEN];
	guint last = count - 1;

	if (count == 0)
		return true;
	values[0] = db_id(workspace);
	for (guint i = 0; i < FORBIDDEN; i++) {
		const struct store_suppression_key *key = people[MIN(i / CHOICE_PEOPLE, last)];

		values[1 + i] = person_at(key, MIN(i % CHOICE_PEOPLE, key->count));
	}
	return db_defer(db, sql[FORBID], values, 1 + FORBIDDEN, 1, error);
}

bool
store_choice_any(struct db *db, const struct base_id *workspace, bool *any_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[ANY], DB_VALUES(db_id(workspace)), error);

	*any_r = rows && db_rows_next(rows);
	return rows != NULL;
}

/* One of these forms, and the place of its person. */
struct sought {
	struct db_value value;
	guint place;
};

static void
note(const GArray *sought, guint from, guint to, struct db_rows *rows, bool *stand)
{
	gsize size;

	while (db_rows_next(rows)) {
		const void *person = db_rows_bytes(rows, DB_ROWS_ONLY, &size);

		for (guint i = from; i < to; i++) {
			const struct sought *one = &g_array_index(sought, struct sought, i);

			if (one->value.size == size && memcmp(one->value.data, person, size) == 0)
				stand[one->place] = true;
		}
	}
}

static bool
match_round(struct db *db, const struct base_id *workspace, const GArray *sought, guint from,
    bool *stand, GError **error)
{
	struct db_value values[1 + ROUND];
	guint to = MIN(from + ROUND, sought->len);

	values[0] = db_id(workspace);
	for (guint i = 0; i < ROUND; i++)
		values[1 + i] = g_array_index(sought, struct sought, MIN(from + i, to - 1)).value;
	AUTO(db_rows) rows = db_select(db, sql[MATCH], values, 1 + ROUND, error);
	if (rows)
		note(sought, from, to, rows, stand);
	return rows != NULL;
}

bool
store_choice_match(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *people, guint count, bool *stand_r, GError **error)
{
	g_autoptr(GArray) sought = g_array_new(FALSE, FALSE, sizeof(struct sought));

	for (guint i = 0; i < count; i++) {
		stand_r[i] = false;
		for (guint k = 0; k <= people[i].count; k++) {
			const struct sought one = {person_at(&people[i], k), i};
			g_array_append_val(sought, one);
		}
	}
	for (guint from = 0; from < sought->len; from += ROUND)
		if (!match_round(db, workspace, sought, from, stand_r, error))
			return false;
	return true;
}

bool
store_choice_leave(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, GError **error)
{
	gint64 now = base_clock_now();
	const struct store_consent_act act = {
	    .author = CONSENT_OF_PERSON, .email = &link->email_id};
	guint64 affected; /* 1: the link is used for the first time */

	return db_run(db, sql[LEAVE], DB_VALUES(db_id(workspace), db_text(address), db_int(now)),
		   NULL, error) &&
	       db_run(db, sql[LEAVE_LINK],
		   DB_VALUES(db_id(workspace), db_text(address), db_id(&link->email_id),
		       db_int(link->recipient), db_int(now)),
		   &affected, error) &&
	       (affected != 1 || store_consent_record(db, workspace, address, CONSENT_UNSUBSCRIBED,
				     NULL, &act, error));
}

bool
store_choice_entry(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct base_id *entry, GError **error)
{
	struct db_value values[1 + CHOICE_VALUES];

	values[0] = db_id(entry);
	store_choice_ask(workspace, key, values + 1);
	return db_run(db, sql[ENTRY], values, G_N_ELEMENTS(values), NULL, error);
}

bool
store_choice_contact(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *contact, GError **error)
{
	return db_defer(db, sql[CONTACT],
	    DB_VALUES(db_id(workspace), db_text(address), db_id(contact)), 1, error);
}

bool
store_choice_return(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, gint64 since, bool *last_r, GError **error)
{
	const struct store_suppression_key key = {.address = address};
	const struct store_consent_act act = {
	    .source = CONSENT_BY_PAGE, .author = CONSENT_OF_PERSON, .email = &link->email_id};
	guint64 removed;
	bool stands;

	*last_r = false;
	if (!store_choice_stands(db, workspace, &key, &stands, error) ||
	    !db_run(db, sql[RETURN_LINK],
		DB_VALUES(db_id(workspace), db_text(address), db_id(&link->email_id),
		    db_int(link->recipient), db_int(since)),
		&removed, error))
		return false;
	if (!stands || removed == 0)
		return true;
	AUTO(db_rows) left =
	    db_select(db, sql[LEFT_LINKS], DB_VALUES(db_id(workspace), db_text(address)), error);
	*last_r = left && !db_rows_next(left);
	return left &&
	       store_consent_record(db, workspace, address, CONSENT_SUBSCRIBED, NULL, &act, error);
}

static bool
end_one(struct db *db, const struct base_id *workspace, struct db_value person, GError **error)
{
	static const int rest[] = {END_LINKS, END_CONTACTS, END};

	if (!db_run(db, sql[LIFT_ENTRY],
		DB_VALUES(db_id(workspace), person, db_int(SUPPRESSION_UNSUBSCRIBED)), NULL, error))
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(rest); i++)
		if (!db_run(db, sql[rest[i]], DB_VALUES(db_id(workspace), person), NULL, error))
			return false;
	return true;
}

bool
store_choice_end(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	for (guint i = 0; i <= key->count; i++)
		if (!end_one(db, workspace, person_at(key, i), error))
			return false;
	return true;
}

bool
store_choice_override(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct store_consent_override *override,
    const struct base_id *contact, GError **error)
{
	const struct store_consent_about about = {.contact = contact};
	const struct store_consent_act act = {.author = CONSENT_OF_OPERATOR,
	    .user = override->user,
	    .key = override->key,
	    .reason = override->reason};

	return store_choice_end(db, workspace, key, error) &&
	       store_consent_record(
		   db, workspace, key->address, CONSENT_OVERRIDE, &about, &act, error);
}

bool
store_choice_erase(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	bool stands;

	/* The suppression entry is a hash by now, and stays. */
	return store_choice_stands(db, workspace, key, &stands, error) &&
	       store_choice_end(db, workspace, key, error) &&
	       store_consent_erase(db, workspace, key->address, error) &&
	       (!stands ||
		   db_run(db, sql[KEEP_HASH],
		       DB_VALUES(db_id(workspace), person_at(key, 1), db_int(base_clock_now())),
		       NULL, error));
}

bool
store_choice_view(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, gint64 since, bool *own_r, bool *others_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[VIEW],
	    DB_VALUES(db_id(&link->email_id), db_int(link->recipient), db_int(since),
		db_id(workspace), db_text(address)),
	    error);

	*own_r = *others_r = false;
	if (!rows)
		return false;
	while (db_rows_next(rows))
		*(db_rows_int(rows, DB_ROWS_ONLY) ? own_r : others_r) = true;
	return true;
}
