/* SPDX-License-Identifier: MIT */
/* Runs transactions, again if the server asks for it, and tells when the result of COMMIT is
 * unknown.
 */
#include "db/transaction.h"

#include <mysql.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "db/after_commit.h"
#include "db/before_commit.h"
#include "db/deferred.h"
#include "db/galera.h"
#include "db/handle.h"
#include "db/retry.h"
#include "db/statement.h"

/* Afterwards no transaction is open: it is rolled back, or the connection is dead. */
static void
rollback(struct db *db)
{
	if (!db->on->dead && db->on->touched &&
	    mysql_real_query(db->on->mysql, "ROLLBACK", strlen("ROLLBACK")) != 0)
		db->on->dead = true;
}

/* Handles a failed COMMIT. If the server asks for another run, nothing has been stored. Any other
   failure leaves the result unknown. */
static bool
transaction_doubt(struct db *db, GError *failure, GError **error)
{
	if (db_failure_passes(&db->on->failure)) {
		g_propagate_error(error, failure);
		rollback(db);
		return false;
	}
	db->on->dead = true;
	base_fail(error, PH_ERROR_UNCERTAIN, "The database gave no clear answer to COMMIT: %s",
	    failure->message);
	g_error_free(failure);
	return false;
}

static bool
commit_alone(struct db *db, GError **error)
{
	static const char sql[] = "COMMIT";
	GError *failure = NULL;

	/* A COMMIT that could not be sent has not happened. */
	if (mysql_send_query(db->on->mysql, sql, strlen(sql)) != 0) {
		db_handle_failed(db, NULL, sql, error);
		db->on->dead = true;
		return false;
	}
	if (mysql_read_query_result(db->on->mysql) == 0)
		return true;
	db_handle_failed(db, NULL, sql, &failure);
	return transaction_doubt(db, failure, error);
}

/* Whether the server says that the transaction is still open. */
static bool
transaction_is_open(struct db *db)
{
	struct db_failure failure = db->on->failure;
	guint64 open = 0;

	db_handle_number(db, "SELECT @@in_transaction", &open, NULL);
	db->on->failure = failure;
	return open != 0;
}

static bool
commit_deferred(struct db *db, GError **error)
{
	GError *failure = NULL;

	if (db_deferred_commit(db, &failure))
		return true;
	/* The server did not run COMMIT if nothing was sent, if the guard did not hold, or if the
	   transaction is still open. */
	if (!db->on->failure.unsent && !db->denied && !transaction_is_open(db))
		return transaction_doubt(db, failure, error);
	g_propagate_error(error, failure);
	rollback(db);
	return false;
}

static bool
commit(struct db *db, GError **error)
{
	bool deferred = db->on->deferred->len > 0;

	if (!db->on->touched && !deferred)
		return true;
	FAULT("commit-before");
	if (!(deferred ? commit_deferred(db, error) : commit_alone(db, error)))
		return false;
	FAULT("commit-after");
	return true;
}

static bool
run_body(struct db *db, db_body body, void *context, GError **error)
{
	db_before_commit_begin(db);
	db_after_commit_begin(db);
	db->on->in_transaction = true;
	db->on->touched = db->on->begun = db->on->galera;
	bool done = body(db, context, error) && db_before_commit_write(db, error) &&
		    (db->on->galera ? db_galera_settle(db, error) : db_deferred_settle(db, error));
	bool undone = db->on->undone;
	db->on->in_transaction = false;
	db->on->undone = false;
	if (done && !undone) {
		if (!commit(db, error))
			return false;
		db_after_commit_run(db);
		return true;
	}
	if (done)
		base_fail(
		    error, PH_ERROR_TEMPORARY, "The database has rolled the transaction back");
	db_deferred_forget(db);
	rollback(db);
	return false;
}

struct transaction {
	db_body body;
	void *context;
};

static bool
transaction_run(struct db *db, void *context, GError **error)
{
	const struct transaction *transaction = context;

	db->on->failure = (struct db_failure){.cause = DB_CAUSE_NONE};
	if (!db_handle_ready(db, error) || (db->on->galera && !db_galera_begin(db, error)))
		return false;
	bool done = run_body(db, transaction->body, transaction->context, error);
	if (db->on->galera)
		db_galera_end(db);
	return done;
}

bool
db_transact(struct db *db, db_body body, void *context, GError **error)
{
	struct transaction transaction = {body, context};

	return db_retry(db, transaction_run, &transaction, error);
}

bool
db_transact_again(struct db *db, const char *message, GError **error)
{
	db->on->failure = (struct db_failure){.cause = DB_CAUSE_DEADLOCK};
	return base_fail(error, PH_ERROR_TEMPORARY, "%s", message);
}

static bool
block_run(struct db *db, void *context, GError **error)
{
	const struct db_query *block = context;

	return db_run_compound(db, block->sql, block->values, block->count, error);
}

bool
db_transact_block(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error)
{
	struct db_query block = {sql, values, count};

	return db_retry(db, block_run, &block, error);
}
