/* SPDX-License-Identifier: MIT */
#ifndef STORE_OUTBOX_H
#define STORE_OUTBOX_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/limits.h"
#include "base/scope.h"
#include "db/value.h"
#include "store/turn.h"

struct db;
struct db_rows;

#define OUTBOX_ENTRY_RECIPIENTS (3 * LIMIT_RECIPIENTS)

/* A row of the outbox: one entry of a message, with the recipients that it still has to reach.
 * Times are epoch ms. */
struct store_outbox_entry {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id email_id;
	guint16 recipients[OUTBOX_ENTRY_RECIPIENTS]; /* their numbers in the email */
	guint count;
	guint attempts;	 /* made so far, by whichever process */
	guint deaths;	 /* of processes that composed it, which are among the attempts */
	gint64 since;	 /* acceptance or scheduled time: the retry schedule counts from it */
	gint64 delayed;	 /* time of the last delayed event, 0 = none */
	gint64 ready_at; /* when it was due; read by store_outbox_claim alone */
	bool lost; /* its claim was another process's, which let the lease end: it may have been
		      sent */
};

/* For the files of the outbox: its recipients as a row keeps them, two bytes, big-endian, for each
   number. */
struct store_packed {
	guint8 bytes[2 * OUTBOX_ENTRY_RECIPIENTS];
};

/* The columns of a statement that gives entries, from the first on, and what they say. */
#define OUTBOX_ENTRY_COLUMNS                                                                       \
	"id, workspace_id, email_id, recipients, attempts, since, delayed_at, deaths"
#define OUTBOX_ENTRY_COLUMN_COUNT 8
void store_outbox_entry_read(const struct db_rows *rows, struct store_outbox_entry *entry_r);

/* Who holds a claim, and until when. The token is new for each claim, and fences whatever its owner
 * writes later. */
struct store_outbox_claim {
	const char *owner;
	gint64 token;
	gint64 until;
};

/* Inside a transaction: puts entries into the outbox, due at ready_at, or claimed already where
 * claim is given. */
bool store_outbox_insert(struct db *db, const struct store_outbox_entry *entries, guint count,
    gint64 ready_at, const struct store_outbox_claim *claim, GError **error);

/* What is to become of a entry whose claim has run out. */
enum store_outbox_takeover {
	TAKEOVER_CLAIM, /* it is due again */
	TAKEOVER_WAIT,	/* its owner lives, or will be recovered: look again in a minute */
	TAKEOVER_DOUBT, /* its owner is another machine, which has one more lease to come back; then
			   the entry is claimed as lost */
};

/* What to look for: entries that are due between low and now, oldest first, at most limit; or,
   where it is time to take turns, first those whose workspace has its turn, due since whenever. */
struct store_outbox_search {
	gint64 low, now;
	guint limit;
	gint64 lease; /* ms, that a doubted owner gets */
	enum store_outbox_takeover (*ask)(const char *owner, void *context);
	void *context;
	struct store_turn *turn; /* of store/turn.h; NULL: always the oldest */
};

/* Claims what is found, into copies_r, which has room for limit. They are ours once this has
   returned true. Any number of processes and machines may do this at once. */
bool store_outbox_claim(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_search *search, struct store_outbox_entry *copies_r, guint *count_r,
    GError **error);

/* Inside or outside a transaction: moves the end of the claim of those that still have its token.
 */
bool store_outbox_renew(struct db *db, const struct store_outbox_claim *claim,
    const struct base_id *entries, guint count, GError **error);

/* A entry, if its claim has this token. */
bool store_outbox_find(struct db *db, const struct base_id *id, gint64 token,
    struct store_outbox_entry *entry_r, bool *found_r, GError **error);

/* What is to become of a claimed entry: count 0 removes it; else it stays, for the recipients,
   attempts, deaths and delayed that stand in it, and is due at ready_at (0 = held, until somebody
   releases it). */
struct store_outbox_end {
	const struct store_outbox_entry *entry;
	gint64 ready_at;
};

/* Inside a transaction: ends the claim of each, if it still has this token. *kept_r is the number
 * that had. */
bool store_outbox_end(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_end *ends, guint count, guint *kept_r, GError **error);

/* Inside a transaction: removes the entries of an email that nobody has claimed or attempted yet.
 * *count_r is their number. */
bool store_outbox_withdraw(struct db *db, const struct base_id *workspace,
    const struct base_id *email, guint *count_r, GError **error);

/* What an operator may do with the entries of an email that nobody has claimed: hold them back, let
   held ones go (now, or when the email is scheduled), or let those that wait for their next attempt
   go now. *count_r is the number of entries. */
bool store_outbox_hold(struct db *db, const struct base_id *workspace, const struct base_id *email,
    guint *count_r, GError **error);
bool store_outbox_release(struct db *db, const struct base_id *workspace,
    const struct base_id *email, gint64 now, guint *count_r, GError **error);
bool store_outbox_hasten(struct db *db, const struct base_id *workspace,
    const struct base_id *email, gint64 now, guint *count_r, GError **error);

/* How many entries there are of each state, over all workspaces, and the time since when the
 * longest waiting one does, 0 = none. */
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

/* A entry, as an operator sees it. */
struct store_outbox_waiting {
	struct base_id email_id;
	char *workspace;       /* its name */
	gint64 ready_at;       /* when it is tried next, in the past: it is due; 0 = it is held */
	bool claimed;	       /* it is being sent now */
	gint64 since;	       /* as of entry */
	guint attempts;	       /* made so far */
	GPtrArray *recipients; /* char *: whom it has still to reach; "" for who was erased */
	char *reason; /* what was recorded last why one of them was not reached: what a mail
			 server answered, or a sentence; NULL = nothing */
};

void store_waiting_free(struct store_outbox_waiting *waiting);
DEFINE_AUTO(store_outbox_waiting, store_waiting_free)

/* What waits for its turn, neither claimed nor held, of all workspaces, what is or was due first in
   front, at most limit, as an array of struct store_outbox_waiting. The caller owns it. */
GPtrArray *store_outbox_list_waiting(struct db *db, guint limit, GError **error);

/* All that has still to leave of an email, in the same order, held ones first. */
GPtrArray *store_outbox_list_of(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error);

/* The next time at which something is due, 0 when nothing is. */
bool store_outbox_next(struct db *db, gint64 *ready_at_r, GError **error);

#endif
