/* SPDX-License-Identifier: MIT */
/* Registers and removes sending domains, and notifies webhooks. */
#include "store/domain/domain.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/domain/key.h"
#include "store/outbox/warmup.h"
#include "store/received/route.h"
#include "store/webhook/enqueue.h"
#include "store/workspace/limit.h"

enum { CREATE, INSERT_CHECK, LOCK_CHECK, REMOVE, REMOVE_KEYS, REMOVE_CHECK };
/* By checked ids: REMOVE_CHECK. The same transaction has found the domain in
   its workspace, or fails. */
static const char *const sql[] = {
    [CREATE] = "INSERT INTO domain (id, workspace_id, user_id, name, status, trusted, created,"
	       " open_tracking, click_tracking, region, receiving, reply_tracking,"
	       " return_path, tls_enforced, tracking_host)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_CHECK] = "INSERT INTO domain_check (domain_id, workspace_id, series, next_check)"
		     " VALUES (?, ?, ?, ?)",
    [LOCK_CHECK] = "SELECT domain_id FROM domain_check WHERE domain_id = ? AND workspace_id = ?"
		   " FOR UPDATE",
    [REMOVE] = "DELETE FROM domain WHERE id = ? AND workspace_id = ?",
    [REMOVE_KEYS] = "DELETE FROM domain_key WHERE domain_id = ? AND workspace_id = ?",
    [REMOVE_CHECK] = "DELETE FROM domain_check WHERE domain_id = ?",
};

/* Inside a transaction: stores the first state of a new domain's checks. next_check 0: no check
   is planned. */
static bool
insert_check(struct db *db, const struct base_id *workspace, const struct base_id *domain,
    gint64 series, gint64 next_check, GError **error)
{
	return db_run(db, sql[INSERT_CHECK],
	    DB_VALUES(db_id(domain), db_id(workspace), db_int(series),
		next_check ? db_int(next_check) : db_null()),
	    NULL, error);
}

struct put {
	const struct store_domain *domain;
	const struct store_domain_creation *creation;
};

static bool
put_create(struct db *db, void *context, GError **error)
{
	const struct put *put = context;
	const struct store_domain_creation *creation = put->creation;
	const struct store_domain *domain = put->domain;

	return store_limit_hold(db, &domain->workspace_id, SETTING_LIMITS_DOMAINS, error) &&
	       insert_check(db, &domain->workspace_id, &domain->id, domain->created,
		   creation->next_check, error) &&
	       db_run(db, sql[CREATE],
		   DB_VALUES(db_id(&domain->id), db_id(&domain->workspace_id),
		       db_id(creation->user), db_text(domain->name), db_int(domain->status),
		       db_int(domain->trusted), db_int(domain->created),
		       db_int(domain->open_tracking), db_int(domain->click_tracking),
		       db_text(domain->region ? domain->region : STORE_DOMAIN_REGION),
		       db_int(domain->receiving), db_int(domain->reply_tracking),
		       db_text(
			   domain->return_path ? domain->return_path : STORE_DOMAIN_RETURN_PATH),
		       db_int(domain->tls_enforced), db_text(domain->tracking_host)),
		   NULL, error) &&
	       (!domain->receiving ||
		   store_receiving_route_begin(db, &domain->workspace_id, &domain->id, error)) &&
	       store_domain_key_insert(db, &domain->workspace_id, &domain->id, creation->keys,
		   creation->count, error) &&
	       store_webhook_enqueue_domain_row(
		   db, &domain->workspace_id, &domain->id, WEBHOOK_DOMAIN_CREATED, error);
}

bool
store_domain_create(struct db *db, struct store_domain *domain,
    const struct store_domain_creation *creation, GError **error)
{
	struct put put = {domain, creation};

	domain->id = base_id_new();
	domain->created = base_clock_now();
	domain->check.series = domain->created;
	domain->check.next_check = creation->next_check;
	return db_transact(db, put_create, &put, error);
}

struct removal {
	const struct base_id *workspace, *id;
};

static bool
remove_whole(struct db *db, void *context, GError **error)
{
	const struct removal *removal = context;
	const struct db_value whole[] = {db_id(removal->id), db_id(removal->workspace)};
	guint64 affected;
	AUTO(db_rows) rows = db_select(db, sql[LOCK_CHECK], whole, 2, error);

	if (!rows ||
	    !store_webhook_enqueue_domain_row(
		db, removal->workspace, removal->id, WEBHOOK_DOMAIN_DELETED, error) ||
	    !db_run(db, sql[REMOVE], whole, 2, &affected, error))
		return false;
	if (affected == 0)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Domain not found");
	return db_run(db, sql[REMOVE_KEYS], whole, 2, NULL, error) &&
	       db_run(db, sql[REMOVE_CHECK], whole, 1, NULL, error) &&
	       store_receiving_route_forget(db, removal->workspace, removal->id, error) &&
	       store_warmup_forget(db, removal->id, error);
}

bool
store_domain_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	struct removal removal = {workspace, id};

	return db_transact(db, remove_whole, &removal, error);
}
