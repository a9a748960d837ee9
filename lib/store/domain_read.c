/* SPDX-License-Identifier: MIT */
/* Sending domains, as they are read. */
#include <string.h>

#include "base/error.h"
#include "db/statement.h"
#include "store/domain.h"
#include "store/domain_key.h"
#include "store/listing.h"

#define COLUMNS                                                                                    \
	"d.id, d.workspace_id, d.name, d.status, d.trusted, d.open_tracking, d.click_tracking,"    \
	" d.warmed_up_at, d.created"
#define COLUMN_COUNT 9

/* With all that store_domain_get reads but the keys. */
#define WHOLE                                                                                      \
	"SELECT " COLUMNS ", " DOMAIN_CHECK_COLUMNS ", " CREATOR_COLUMNS " FROM domain d"          \
	" LEFT JOIN domain_check c ON c.domain_id = d.id LEFT JOIN user u ON u.id = d.user_id"

enum { FIND, SENDER, GET, LIST };
static const char *const sql[] = {
    [FIND] = "SELECT " COLUMNS " FROM domain d WHERE d.workspace_id = ? AND d.name = ?",
    [SENDER] = "SELECT " COLUMNS ", " QUOTA_COLUMNS(
	"d.workspace_id") " FROM domain d WHERE d.workspace_id = ? AND d.name = ?",
    [GET] = WHOLE " WHERE d.id = ? AND d.workspace_id = ?",
    [LIST] = WHOLE " WHERE d.workspace_id = ? AND d.id < ? ORDER BY d.id DESC LIMIT ?",
};

static struct store_domain *
read_row(const struct db_rows *rows)
{
	struct store_domain *domain = g_new0(struct store_domain, 1);

	db_rows_id(rows, 0, &domain->id);
	db_rows_id(rows, 1, &domain->workspace_id);
	domain->name = g_strdup(db_rows_text(rows, 2));
	domain->status = (enum store_domain_status)db_rows_int(rows, 3);
	domain->trusted = db_rows_int(rows, 4) != 0;
	domain->open_tracking = db_rows_int(rows, 5) != 0;
	domain->click_tracking = db_rows_int(rows, 6) != 0;
	domain->warmed_up_at = db_rows_int(rows, 7);
	domain->created = db_rows_int(rows, 8);
	return domain;
}

static struct store_domain *
read_whole_row(const struct db_rows *rows)
{
	struct store_domain *domain = read_row(rows);

	store_domain_check_read(rows, COLUMN_COUNT, &domain->check);
	store_creator_read(rows, COLUMN_COUNT + DOMAIN_CHECK_COLUMN_COUNT, &domain->creator);
	return domain;
}

static struct store_domain *
no_domain(const char *name, GError **error)
{
	g_set_error(
	    error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no domain %s in this workspace", name);
	return NULL;
}

static struct store_domain *
find(
    struct db *db, int statement, const struct base_id *workspace, const char *name, GError **error)
{
	/* The server refuses to compare other text with an ASCII column. */
	if (!g_str_is_ascii(name))
		return no_domain(name, error);
	AUTO(db_rows)
	rows = db_select(db, sql[statement], DB_VALUES(db_id(workspace), db_text(name)), error);
	if (!rows)
		return NULL;
	if (!db_rows_next(rows))
		return no_domain(name, error);
	struct store_domain *domain = read_row(rows);
	if (statement == SENDER)
		domain->quota = store_quota_read(db, rows, COLUMN_COUNT);
	return domain;
}

struct store_domain *
store_domain_find(struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	return find(db, FIND, workspace, name, error);
}

struct store_domain *
store_domain_find_sender(
    struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	/* From the name itself upwards: nearly always the first one is it. A single label is
	 * nobody's domain. */
	for (const char *suffix = name; suffix && strchr(suffix, '.');) {
		g_autoptr(GError) local = NULL;
		struct store_domain *domain = find(db, SENDER, workspace, suffix, &local);

		if (domain)
			return domain;
		if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
			g_propagate_error(error, g_steal_pointer(&local));
			return NULL;
		}
		suffix = strchr(suffix, '.') + 1;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
	    "there is no domain for %s in this workspace", name);
	return NULL;
}

struct store_domain *
store_domain_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		store_domain_missing(error);
		return NULL;
	}
	AUTO(store_domain) domain = read_whole_row(rows);
	domain->keys = store_domain_key_list(db, id, error);
	return domain->keys ? g_steal_pointer(&domain) : NULL;
}

static void
free_domain(void *domain)
{
	store_domain_free(domain);
}

static void
free_key(void *key)
{
	store_domain_key_free(key);
}

/* Gives each domain those of the keys that are its own; both are ordered by domain. */
static void
hand_out(GPtrArray *domains, GPtrArray *keys)
{
	guint next = 0;

	for (guint i = 0; i < domains->len; i++) {
		struct store_domain *domain = domains->pdata[i];

		domain->keys = g_ptr_array_new_with_free_func(free_key);
		for (; next < keys->len; next++) {
			const struct store_domain_key *key = keys->pdata[next];
			int order = memcmp(&key->domain_id, &domain->id, sizeof(domain->id));

			if (order < 0)
				break;
			if (order == 0)
				g_ptr_array_add(domain->keys, g_steal_pointer(&keys->pdata[next]));
		}
	}
}

GPtrArray *
store_domain_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(workspace), store_listing_before(before), db_int(limit)), error);

	if (!rows)
		return NULL;
	g_autoptr(GPtrArray) keys = store_domain_key_list_page(db, workspace, before, limit, error);
	if (!keys)
		return NULL;
	GPtrArray *domains = g_ptr_array_new_with_free_func(free_domain);
	while (db_rows_next(rows))
		g_ptr_array_add(domains, read_whole_row(rows));
	hand_out(domains, keys);
	return domains;
}
