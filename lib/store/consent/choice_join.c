/* SPDX-License-Identifier: MIT */
/* Goes through the suppressions, then through the choices, page by page. An address that was erased
   has neither a person nor contacts. */
#include "store/consent/choice_join.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "db/statement.h"
#include "store/automation/own.h"
#include "db/transaction.h"
#include "store/consent/consent.h"
#include "store/consent/suppression_join.h"
#include "store/person/contact.h"

#define PAGE 500
#define BUNCH 20

enum { SUPPRESSED, CHOSEN, PUT, FLAG };
/* System-wide: SUPPRESSED, CHOSEN. The step brings the choices of all workspaces in step. */
static const char *const sql[] = {
    [SUPPRESSED] = "SELECT id, workspace_id, address FROM suppression WHERE id > ?"
		   " AND address IS NOT NULL AND (reason = " SUPPRESSION_UNSUBSCRIBED_SQL
		   " OR scope = " SUPPRESSION_AUTOMATION_SQL ") ORDER BY id LIMIT ?",
    [CHOSEN] = "SELECT workspace_id, person, author FROM choice WHERE (workspace_id, person)"
	       " > (?, ?) ORDER BY workspace_id, person LIMIT ?",
    [PUT] = "INSERT IGNORE INTO choice (workspace_id, person, created, author, is_operated)"
	    " VALUES (?, ?, ?, ?, 1)",
    [FLAG] = "UPDATE person FORCE INDEX (address) SET is_subscribed = 0, updated = ?"
	     " WHERE workspace_id = ? AND address = ? AND is_subscribed = 1",
};

/* The columns of SUPPRESSED. */
enum { SUPPRESSED_ID, SUPPRESSED_WORKSPACE, SUPPRESSED_ADDRESS };
/* The columns of CHOSEN. */
enum { CHOSEN_WORKSPACE, CHOSEN_PERSON, CHOSEN_AUTHOR };

/* One choice. */
struct choice {
	struct base_id workspace;
	char *address;
	int author;
};

static void
clear_choice(void *data)
{
	g_free(((struct choice *)data)->address);
}

static bool
put_suppressed(struct db *db, struct base_id *last, guint *count_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[SUPPRESSED], DB_VALUES(db_id(last), db_int(PAGE)), error);

	*count_r = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); ++*count_r) {
		struct base_id workspace;

		db_rows_id(rows, SUPPRESSED_ID, last);
		db_rows_id(rows, SUPPRESSED_WORKSPACE, &workspace);
		if (!db_run(db, sql[PUT],
			DB_VALUES(db_id(&workspace),
			    db_text(db_rows_text(rows, SUPPRESSED_ADDRESS)),
			    db_int(base_clock_now()), db_int(CONSENT_OF_OPERATOR)),
			NULL, error))
			return false;
	}
	return true;
}

static bool
bring_one(struct db *db, const struct choice *choice, GError **error)
{
	const struct store_consent_turn turn = {false, choice->author, 0};
	guint count;

	store_own_hush(db);
	return db_run(db, sql[FLAG],
		   DB_VALUES(db_int(base_clock_now()), db_id(&choice->workspace),
		       db_text(choice->address)),
		   NULL, error) &&
	       store_contact_subscribe(
		   db, &choice->workspace, choice->address, &turn, &count, error);
}

/* Some neighbours of a page. */
struct bunch {
	const struct choice *choices;
	guint count;
};

/* Brings a few people in step, in one transaction: so few that nobody waits long for their rows. */
static bool
bring(struct db *db, void *context, GError **error)
{
	const struct bunch *bunch = context;

	for (guint i = 0; i < bunch->count; i++)
		if (!bring_one(db, &bunch->choices[i], error))
			return false;
	return true;
}

/* Reads a page of choices of people who have an address, behind the last one. */
static GArray *
read_chosen(
    struct db *db, struct base_id *workspace, GBytes **person, guint *count_r, GError **error)
{
	gsize size;
	const void *after = g_bytes_get_data(*person, &size);
	AUTO(db_rows)
	rows = db_select(db, sql[CHOSEN],
	    DB_VALUES(db_id(workspace), db_bytes(after ? after : "", size), db_int(PAGE)), error);

	if (!rows)
		return NULL;
	GArray *choices = g_array_new(FALSE, FALSE, sizeof(struct choice));
	g_array_set_clear_func(choices, clear_choice);
	for (*count_r = 0; db_rows_next(rows); ++*count_r) {
		const char *data = db_rows_bytes(rows, CHOSEN_PERSON, &size);
		struct choice choice = {.author = (int)db_rows_int(rows, CHOSEN_AUTHOR)};

		db_rows_id(rows, CHOSEN_WORKSPACE, &choice.workspace);
		*workspace = choice.workspace;
		g_bytes_unref(*person);
		*person = g_bytes_new(data, size);
		if (!memchr(data, '@', size))
			continue;
		choice.address = g_strndup(data, size);
		g_array_append_val(choices, choice);
	}
	return choices;
}

static bool
bring_page(
    struct db *db, struct base_id *workspace, GBytes **person, guint *count_r, GError **error)
{
	g_autoptr(GArray) choices = read_chosen(db, workspace, person, count_r, error);

	for (guint i = 0; choices && i < choices->len; i += BUNCH) {
		struct bunch bunch = {
		    &g_array_index(choices, struct choice, i), MIN(BUNCH, choices->len - i)};

		if (!db_transact(db, bring, &bunch, error))
			return false;
	}
	return choices != NULL;
}

bool
store_choice_join(struct db *db, GError **error)
{
	struct base_id last = {{0}}, workspace = {{0}};
	g_autoptr(GBytes) person = g_bytes_new(NULL, 0);
	guint count;

	do
		if (!put_suppressed(db, &last, &count, error))
			return false;
	while (count == PAGE);
	do
		if (!bring_page(db, &workspace, &person, &count, error))
			return false;
	while (count == PAGE);
	return true;
}
