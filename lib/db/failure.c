/* SPDX-License-Identifier: MIT */
/* Translates error numbers of the server and the client library. */
#include "db/failure.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <string.h>

#include "base/error.h"

struct meaning {
	guint code;
	enum ph_error error;
	enum db_cause cause;
	bool dead;
};

static const struct meaning meanings[] = {
    /* constraints */
    {ER_DUP_ENTRY, PH_ERROR_CONFLICT, DB_CAUSE_DUPLICATE, false},
    {ER_DUP_ENTRY_WITH_KEY_NAME, PH_ERROR_CONFLICT, DB_CAUSE_DUPLICATE, false},
    {ER_NO_REFERENCED_ROW, PH_ERROR_CONFLICT, DB_CAUSE_MISSING, false},
    {ER_NO_REFERENCED_ROW_2, PH_ERROR_CONFLICT, DB_CAUSE_MISSING, false},
    {ER_ROW_IS_REFERENCED, PH_ERROR_CONFLICT, DB_CAUSE_REFERRED, false},
    {ER_ROW_IS_REFERENCED_2, PH_ERROR_CONFLICT, DB_CAUSE_REFERRED, false},
    {ER_CONSTRAINT_FAILED, PH_ERROR_LIMITED, DB_CAUSE_CHECK, false},

    /* the transaction can be run again */
    {ER_LOCK_DEADLOCK, PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false},
    {ER_CHECKREAD, PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false},
    {ER_LOCK_TABLE_FULL, PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false},
    {ER_TABLE_DEF_CHANGED, PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false}, /* by ALTER TABLE */
    {ER_NEED_REPREPARE, PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false},
    {ER_SP_DOES_NOT_EXIST, PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false}, /* db/galera.h */
    {ER_LOCK_WAIT_TIMEOUT, PH_ERROR_TEMPORARY, DB_CAUSE_LOCK_WAIT, false},
    {ER_UNKNOWN_COM_ERROR, PH_ERROR_TEMPORARY, DB_CAUSE_UNREADY, false}, /* sent by Galera */

    /* the server or the connection is not available now */
    {ER_CON_COUNT_ERROR, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_TOO_MANY_USER_CONNECTIONS, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_USER_LIMIT_REACHED, PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false},
    {ER_HOST_IS_BLOCKED, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_SERVER_SHUTDOWN, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_CONNECTION_KILLED, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_NEW_ABORTING_CONNECTION, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_NET_READ_ERROR, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_NET_READ_INTERRUPTED, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_NET_ERROR_ON_WRITE, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_NET_WRITE_INTERRUPTED, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {ER_QUERY_INTERRUPTED, PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false},
    {ER_STATEMENT_TIMEOUT, PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false},
    {ER_OPTION_PREVENTS_STATEMENT, PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false}, /* read-only */
    {ER_MAX_PREPARED_STMT_COUNT_REACHED, PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false},
    {ER_READ_ONLY_MODE, PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false},
    {ER_DISK_FULL, PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false},
    {ER_RECORD_FILE_FULL, PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false},
    {CR_CONNECTION_ERROR, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {CR_CONN_HOST_ERROR, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {CR_UNKNOWN_HOST, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {CR_SERVER_GONE_ERROR, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {CR_SERVER_LOST, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {CR_SERVER_LOST_EXTENDED, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {CR_STMT_CLOSED, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {CR_NEW_STMT_METADATA, PH_ERROR_TEMPORARY, DB_CAUSE_LOST,
	true}, /* SELECT * after ALTER TABLE */
    {CR_ERR_NET_READ, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},
    {CR_ERR_NET_WRITE, PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true},

    /* never succeeds */
    {ER_NET_PACKET_TOO_LARGE, PH_ERROR_FAILED, DB_CAUSE_OTHER, true},
    {CR_NET_PACKET_TOO_LARGE, PH_ERROR_FAILED, DB_CAUSE_OTHER, true},
};

/* SQLSTATE 40001 asks for another run, with any error number. After an unknown error of the client
   library the state of the connection is unknown, so it counts as dead. */
static struct meaning
meaning_of(guint code, const char *sqlstate)
{
	for (gsize i = 0; i < G_N_ELEMENTS(meanings); i++)
		if (meanings[i].code == code)
			return meanings[i];
	if (g_strcmp0(sqlstate, DB_SQLSTATE_DENIED) == 0)
		return (struct meaning){code, PH_ERROR_FORBIDDEN, DB_CAUSE_DENIED, false};
	if (g_strcmp0(sqlstate, DB_SQLSTATE_REFUSED) == 0)
		return (struct meaning){code, PH_ERROR_CONFLICT, DB_CAUSE_REFUSED, false};
	if (g_strcmp0(sqlstate, "40001") == 0)
		return (struct meaning){code, PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false};
	bool of_client = (code >= CR_MIN_ERROR && code <= CR_MAX_ERROR) ||
			 (code >= CER_MIN_ERROR && code <= CER_MAX_ERROR);
	return (struct meaning){code, PH_ERROR_FAILED, DB_CAUSE_OTHER, of_client};
}

/* Finds NAME in the message "Duplicate entry 'VALUE' for key 'NAME'". VALUE can be any text. */
static void
failure_read_key(const char *message, char key_r[DB_KEY_SIZE])
{
	static const char before[] = " for key '";
	const char *name = g_strrstr(message, before);

	if (!name)
		return;
	g_strlcpy(key_r, name + strlen(before), DB_KEY_SIZE);
	gsize length = strlen(key_r);
	if (length > 0 && key_r[length - 1] == '\'')
		key_r[length - 1] = '\0';
}

static void
failure_set_error(const struct meaning *meaning, const struct db_failure *failure,
    const char *message, const char *sql, GError **error)
{
	if (meaning->cause == DB_CAUSE_DUPLICATE)
		base_fail(error, meaning->error, "The database has a row with the same %s already",
		    failure->key);
	else if (meaning->code == ER_NET_PACKET_TOO_LARGE ||
		 meaning->code == CR_NET_PACKET_TOO_LARGE)
		base_fail(error, meaning->error,
		    "The database does not accept so much data at once; raise max_allowed_packet "
		    "of the server (error %u)",
		    meaning->code);
	else if (meaning->error == PH_ERROR_TEMPORARY)
		base_fail(error, meaning->error,
		    "The database cannot be reached now: %s (error %u)", message, meaning->code);
	else
		base_fail(error, meaning->error, "The database refuses: %s (error %u)%s%.100s",
		    message, meaning->code, sql ? ", at: " : "", sql ? sql : "");
}

static bool
is_unanswered(guint code)
{
	return code == CR_SERVER_LOST || code == CR_SERVER_LOST_EXTENDED || code == CR_ERR_NET_READ;
}

void
db_failure_read(struct db_failure *failure_r, guint code, const char *sqlstate, const char *message,
    const char *sql, GError **error)
{
	struct meaning meaning = meaning_of(code, sqlstate);

	*failure_r = (struct db_failure){.cause = meaning.cause,
	    .dead = meaning.dead,
	    .unsent = code == CR_SERVER_GONE_ERROR,
	    .unanswered = is_unanswered(code)};
	if (meaning.cause == DB_CAUSE_DUPLICATE)
		failure_read_key(message, failure_r->key);
	if (meaning.cause == DB_CAUSE_REFUSED)
		g_strlcpy(failure_r->key, message, DB_KEY_SIZE);
	failure_set_error(&meaning, failure_r, message, sql, error);
}

bool
db_failure_passes(const struct db_failure *failure)
{
	return failure->cause == DB_CAUSE_DEADLOCK || failure->cause == DB_CAUSE_LOCK_WAIT ||
	       failure->cause == DB_CAUSE_UNREADY;
}
