/* SPDX-License-Identifier: MIT */
/* The outbox: entries that wait to be sent, claimed by processes and ended by them. claim.c
   explains it. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_OUTBOX_OUTBOX_H
#define STORE_OUTBOX_OUTBOX_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/limits/email.h"
#include "base/scope.h"
#include "db/value.h"
#include "store/common/turn.h"

struct db;
struct db_rows;

#define OUTBOX_ENTRY_RECIPIENTS (3 * LIMIT_RECIPIENTS)

/* An outbox entry: a message to send, with the recipients that it has not reached yet. Times are
   epoch ms. */
struct store_outbox_entry {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id email_id;
	guint16 recipients[OUTBOX_ENTRY_RECIPIENTS]; /* their numbers in the email */
	guint count;
	guint attempts; /* made so far, by any process */
	guint deaths;	/* processes that died while they composed it; they count as attempts */
	gint64 since;	/* acceptance or scheduled time: the retry schedule counts from it */
	gint64 delayed; /* time of the last delayed event, 0 = none */
	gint64 told;	/* a sum of its sentence when it was about a relay, 0 = none */
	gint64 permit;	/* the day (UTC, from 1970) for which all recipients may be reached while
			   their domain warms up; 0 = none */
	gint64 due_at;	/* when it was due; read by store_outbox_claim alone */
	bool is_test;	/* its recipients are test addresses (email/test_address.h) */
	bool is_bulk;	/* of a broadcast: other mail goes first */
	bool lost;	/* the claim of another process ran out: that process may have sent it */
};

/* By which statements find an entry (store/outbox/key.h). */
struct store_outbox_key {
	struct base_id email_id;
	struct base_id id;
};

/* For the files of the outbox: the recipients as the column stores them, two bytes, big-endian,
   for each number. */
struct store_packed {
	guint8 bytes[2 * OUTBOX_ENTRY_RECIPIENTS];
};

/* The columns for statements that give entries; store_outbox_entry_read reads them from the
   first column on. The recipients stand behind those of the list (db/columns.h). */
#define OUTBOX_ENTRY_LIST(FIRST, NEXT)                                                             \
	FIRST(id, "id")                                                                            \
	NEXT(workspace_id, "workspace_id")                                                         \
	NEXT(email_id, "email_id")                                                                 \
	NEXT(attempts, "attempts")                                                                 \
	NEXT(since, "since")                                                                       \
	NEXT(delayed, "delayed_at")                                                                \
	NEXT(deaths, "deaths")                                                                     \
	NEXT(told, "told")                                                                         \
	NEXT(is_test, "is_test")                                                                   \
	NEXT(permit, "permit")                                                                     \
	NEXT(is_bulk, "is_bulk")
#define OUTBOX_ENTRY_COLUMNS DB_COLUMNS_SQL(OUTBOX_ENTRY_LIST) ", recipients"
#define OUTBOX_ENTRY_COLUMN_COUNT (DB_COLUMNS_END(OUTBOX_ENTRY_LIST) + 1)
void store_outbox_entry_read(const struct db_rows *rows, struct store_outbox_entry *entry_r);

/* A claim: its owner, its token, and the end of its lease. The token is new for each claim, and
   fences later writes of the owner. */
struct store_outbox_claim {
	const char *owner;
	gint64 token;
	gint64 until;
};

/* Inside a transaction: puts entries into the outbox, due at ready_at, each at its since where that
   is 0, or already claimed where claim is not NULL. */
bool store_outbox_insert(struct db *db, const struct store_outbox_entry *entries, guint count,
    gint64 ready_at, const struct store_outbox_claim *claim, GError **error);

/* The decision on an entry whose claim has run out. */
enum store_outbox_takeover {
	TAKEOVER_CLAIM, /* it is due again */
	TAKEOVER_WAIT,	/* its owner lives, or will be recovered: ask again in a minute */
	TAKEOVER_DOUBT, /* its owner is on another machine, which gets one more lease to come back;
			   then the entry is claimed as lost */
};

/* The bounds of a claim: entries that became due between low and now, oldest first, at most limit;
   when it is time to take turns, first those of workspaces whose turn it is, since any time. An
   entry whose claim has run out became due before that claim: a low of 0 finds it.
   Entries of broadcasts and others are never claimed together. */
struct store_outbox_search {
	gint64 low, now;
	guint limit;
	gint64 lease; /* ms, given to a doubted owner */
	enum store_outbox_takeover (*ask)(const char *owner, void *context);
	void *context;
	struct store_turn *turn; /* of store/common/turn.h; NULL: always the oldest */
	bool is_bulk;		 /* those of broadcasts */
};

/* Claims entries into entries_r, which has room for limit. The caller holds them once this
   returns true. Any number of processes and machines may call it at once. */
bool store_outbox_claim(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_search *search, struct store_outbox_entry *copies_r, guint *count_r,
    GError **error);

/* Inside or outside a transaction: moves the end of the claim of those entries that still have
   its token. */
bool store_outbox_renew(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_key *entries, guint count, GError **error);

/* Inside a transaction: notes the day for which the recipients of entries have permission, where
   their claim has this token. */
bool store_outbox_permit(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_key *entries, guint count, gint64 day, GError **error);

/* Reads an entry of an email, if its claim has this token. email NULL: it is not known, and the
   search may read the whole outbox. */
bool store_outbox_find(struct db *db, const struct base_id *email, const struct base_id *id,
    gint64 token, struct store_outbox_entry *entry_r, bool *found_r, GError **error);

/* The end of a claim: an entry with count 0 is removed; any other stays with its recipients,
   attempts, deaths, delayed, told and since, due at ready_at (0 = held until an operator releases
   it). reason: why it waits, though no event of its recipients says so; NULL = none. */
struct store_outbox_end {
	const struct store_outbox_entry *entry;
	gint64 ready_at;
	const char *reason;
};

/* Inside a transaction: ends the claim of each entry that still has this token. *kept_r is the
   number of these. */
bool store_outbox_end(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_end *ends, guint count, guint *kept_r, GError **error);

/* An operator's commands for the unclaimed entries of an email: hold them back; release held
   ones (due now, or when the email is scheduled); make those that wait for their next attempt
   due now. *count_r is the number of entries. */
bool store_outbox_hold(struct db *db, const struct base_id *workspace, const struct base_id *email,
    guint *count_r, GError **error);
bool store_outbox_release(struct db *db, const struct base_id *workspace,
    const struct base_id *email, gint64 now, guint *count_r, GError **error);
bool store_outbox_hasten(struct db *db, const struct base_id *workspace,
    const struct base_id *email, gint64 now, guint *count_r, GError **error);

/* After the database was restored from a backup. Doubt: the old installation may have sent every
   message that was claimed in the backup, or due until a time: each gets a claim that ran out, of a
   machine that is lost. Free: the old installation had stopped, so that claimed messages are due.
   Both do it in batches; nobody else uses the database. *count_r is the number of entries. */
bool store_outbox_doubt(struct db *db, gint64 now, gint64 until, guint64 *count_r, GError **error);
bool store_outbox_free(struct db *db, gint64 now, guint64 *count_r, GError **error);

/* The number of entries in each state, over all workspaces, and the time since when the oldest
   one waits, 0 = none. */
struct store_outbox_counts {
	gint64 due, later, claimed, held;
	gint64 oldest;
};
bool store_outbox_count(
    struct db *db, gint64 now, struct store_outbox_counts *counts_r, GError **error);

/* Calls row for each held entry of the workspace, oldest first. */
bool store_outbox_list_held(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_outbox_entry *entry, void *context), void *context,
    GError **error);

/* An entry, as an operator sees it. */
struct store_outbox_waiting {
	struct base_id email_id;
	char *workspace; /* its name */
	gint64 ready_at; /* when it is tried next; a time in the past: it is due; 0 = it is held */
	bool claimed;	 /* it is being sent now */
	gint64 since;	 /* as in struct store_outbox_entry */
	guint attempts;	 /* made so far */
	GPtrArray
	    *recipients; /* char *: addresses that it has not reached yet; "" of an erased person */
	char *reason; /* why it waits, or the last recorded reason why one of them was not reached:
			 a mail server's answer, or a sentence; NULL = none */
};

void store_waiting_free(struct store_outbox_waiting *waiting);
DEFINE_AUTO(store_outbox_waiting, store_waiting_free)

/* The entries that wait, neither claimed nor held, of all workspaces, first due first, at most
   limit, as an array of struct store_outbox_waiting. The caller owns it. */
GPtrArray *store_outbox_list_waiting(struct db *db, guint limit, GError **error);

/* All entries of an email, in the same order, held ones first. The caller owns it. */
GPtrArray *store_outbox_list_of(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error);

/* The time at which the next entry is due, 0 when there is none. */
bool store_outbox_next(struct db *db, gint64 *ready_at_r, GError **error);

#endif
