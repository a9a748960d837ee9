/* SPDX-License-Identifier: MIT */
/* Goes through the contacts by their primary key, page by page. All contacts of the people of a
   page are joined together, in whichever audience they are, so that their names can be compared. A
   joined contact has no email of its own: ''. */
#include "store/person/join.h"

#include <string.h>

#include "base/id.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/own.h"
#include "store/person/person.h"

#define PAGE 500
/* At most this many searches in one statement. */
#define SEARCHES 20000

enum { NEXT, AUDIENCES, PAGE_OF, FIND, JOINED };
/* System-wide: NEXT. The step joins the contacts of all workspaces. */
static const char *const sql[] = {
    [NEXT] = "SELECT audience_id, workspace_id FROM contact WHERE audience_id > ?"
	     " ORDER BY audience_id LIMIT 1",
    [AUDIENCES] = "SELECT COUNT(*) FROM audience WHERE workspace_id = ?",
    [PAGE_OF] = "SELECT address, email <> '' FROM contact"
		" WHERE audience_id = ? AND workspace_id = ? AND address > ?"
		" ORDER BY address LIMIT ?",
    [FIND] = "SELECT c.audience_id, c.address, c.email, c.first_name, c.last_name, c.updated"
	     " FROM JSON_TABLE(?, '$[*]' COLUMNS (address VARCHAR(254) CHARACTER SET ascii"
	     " COLLATE ascii_bin PATH '$')) t STRAIGHT_JOIN audience a FORCE INDEX (workspace)"
	     " ON a.workspace_id = ? STRAIGHT_JOIN contact c FORCE INDEX (PRIMARY)"
	     " ON c.audience_id = a.id AND c.address = t.address WHERE c.email <> ''"
	     " ORDER BY c.address, c.updated DESC, c.audience_id FOR UPDATE",
    [JOINED] = "UPDATE contact SET email = '', first_name = NULL, last_name = NULL"
	       " WHERE audience_id = ? AND address = ? AND workspace_id = ?",
};

/* The columns of NEXT. */
enum { NEXT_AUDIENCE, NEXT_WORKSPACE };
/* The columns of PAGE_OF. */
enum { PAGE_ADDRESS, PAGE_IS_APART };
/* The columns of FIND. */
enum { FIND_AUDIENCE, FIND_ADDRESS, FIND_EMAIL, FIND_FIRST_NAME, FIND_LAST_NAME, FIND_UPDATED };

#define JOINED_COLUMNS 3

/* The addresses of a page whose contacts are to be joined. */
struct page {
	struct base_id audience, workspace;
	guint limit;
	GPtrArray *addresses;
};

/* Adds a contact, which the row describes, to its person: the first one that has a name gives it.
 */
static void
join_add_names(GArray *people, GStringChunk *texts, const struct db_rows *row, const char *address)
{
	struct store_person_names *last =
	    people->len > 0 ? &g_array_index(people, struct store_person_names, people->len - 1)
			    : NULL;
	const char *first_name = db_rows_text(row, FIND_FIRST_NAME);
	const char *last_name = db_rows_text(row, FIND_LAST_NAME);

	if (!last || strcmp(last->address, address) != 0) {
		const struct store_person_names person = {.address = address,
		    .email = g_string_chunk_insert(texts, db_rows_text(row, FIND_EMAIL)),
		    .time = db_rows_int(row, FIND_UPDATED)};

		g_array_append_val(people, person);
		last = &g_array_index(people, struct store_person_names, people->len - 1);
	}
	if (!last->first_name && first_name)
		last->first_name = g_string_chunk_insert(texts, first_name);
	if (!last->last_name && last_name)
		last->last_name = g_string_chunk_insert(texts, last_name);
}

/* Appends an address as a JSON string. */
static void
print_address(GString *list, const char *address)
{
	g_string_append_c(list, '"');
	for (const char *p = address; *p; p++) {
		if (*p == '"' || *p == '\\')
			g_string_append_c(list, '\\');
		g_string_append_c(list, *p);
	}
	g_string_append_c(list, '"');
}

static struct db_rows *
join_find(struct db *db, const struct page *page, GError **error)
{
	g_autoptr(GString) list = g_string_new("[");

	for (guint i = 0; i < page->addresses->len; i++) {
		if (i > 0)
			g_string_append_c(list, ',');
		print_address(list, page->addresses->pdata[i]);
	}
	g_string_append_c(list, ']');
	return db_select(
	    db, sql[FIND], DB_VALUES(db_text(list->str), db_id(&page->workspace)), error);
}

static bool
join_join(struct db *db, void *context, GError **error)
{
	const struct page *page = context;
	AUTO(db_rows) rows = join_find(db, page, error);
	g_autoptr(GArray) people = g_array_new(FALSE, FALSE, sizeof(struct store_person_names));
	g_autoptr(GArray) joined = g_array_new(FALSE, FALSE, sizeof(struct db_value));
	g_autoptr(GStringChunk) texts = g_string_chunk_new(4096);

	if (!rows)
		return false;
	store_own_hush(db);
	while (db_rows_next(rows)) {
		const char *address =
		    g_string_chunk_insert(texts, db_rows_text(rows, FIND_ADDRESS));
		struct base_id audience;

		db_rows_id(rows, FIND_AUDIENCE, &audience);
		const void *kept =
		    g_string_chunk_insert_len(texts, (const char *)&audience, sizeof(audience));
		const struct db_value row[JOINED_COLUMNS] = {
		    db_id(kept), db_text(address), db_id(&page->workspace)};
		g_array_append_vals(joined, row, JOINED_COLUMNS);
		join_add_names(people, texts, rows, address);
	}
	return people->len == 0 ||
	       (store_person_put(db, PERSON_FILL, &page->workspace,
		    (const struct store_person_names *)people->data, people->len, error) &&
		   db_run_rows(db, sql[JOINED], (const struct db_value *)joined->data,
		       JOINED_COLUMNS, joined->len / JOINED_COLUMNS, NULL, error));
}

/* Reads the page behind after, and moves after to its end. *more_r: it was full. */
static bool
person_join_read_page(
    struct db *db, struct page *page, GString *after, bool *more_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[PAGE_OF],
	    DB_VALUES(db_id(&page->audience), db_id(&page->workspace), db_text(after->str),
		db_int(page->limit)),
	    error);
	guint count = 0;

	g_ptr_array_set_size(page->addresses, 0);
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		count++;
		g_string_assign(after, db_rows_text(rows, PAGE_ADDRESS));
		if (db_rows_int(rows, PAGE_IS_APART))
			g_ptr_array_add(page->addresses, g_strdup(after->str));
	}
	*more_r = count == page->limit;
	return true;
}

static bool
join_audience(struct db *db, struct page *page, GError **error)
{
	g_autoptr(GString) after = g_string_new(NULL);
	AUTO(db_rows) count =
	    db_select(db, sql[AUDIENCES], DB_VALUES(db_id(&page->workspace)), error);
	bool more = true;

	if (!count || !db_rows_next(count))
		return false;
	page->limit = (guint)CLAMP(SEARCHES / MAX(db_rows_int(count, DB_ROWS_ONLY), 1), 1, PAGE);
	while (more)
		if (!person_join_read_page(db, page, after, &more, error) ||
		    (page->addresses->len > 0 && !db_transact(db, join_join, page, error)))
			return false;
	return true;
}

bool
store_person_join(struct db *db, GError **error)
{
	g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);
	struct page page = {.addresses = addresses};

	for (;;) {
		AUTO(db_rows) rows =
		    db_select(db, sql[NEXT], DB_VALUES(db_id(&page.audience)), error);

		if (!rows)
			return false;
		if (!db_rows_next(rows))
			return true;
		db_rows_id(rows, NEXT_AUDIENCE, &page.audience);
		db_rows_id(rows, NEXT_WORKSPACE, &page.workspace);
		if (!join_audience(db, &page, error))
			return false;
	}
}
